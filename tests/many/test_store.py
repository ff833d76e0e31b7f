"""The store: whole files, the same bytes however often a run is stopped, readable by itself and while it grows."""

from __future__ import annotations

import csv
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.results import request_of
from eigenbody.many import store as store_module
from eigenbody.operating import family

parquet = pytest.importorskip("pyarrow.parquet")
EXAMPLES = Path(__file__).parents[2] / "examples"
QUARTER_CAR = EXAMPLES / "quarter_car.yaml"
COUNT = 700


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches of 20 variants, files of 100: many of both in a short run."""
    monkeypatch.setattr(family, "CHUNK_ENTRIES", 20 * 12**2)
    monkeypatch.setattr(store_module, "ROWS", 100)


def values() -> dict[str, np.ndarray]:
    random = np.random.default_rng(1)
    masses = random.uniform(400, 600, COUNT)
    masses[[3, 333]] = -1.0
    return {"ms": masses, "cs": random.uniform(1000, 2000, COUNT)}


def contents(place: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(place.glob("*.parquet"))}


def test_a_store_has_what_memory_would_have(tmp_path: Path, small: None) -> None:
    model = eb.load(QUARTER_CAR)
    kept = eb.variants(model, values(), workers=1, store=tmp_path)
    found = eb.variants(model, values(), workers=1)
    assert kept.count == kept.about["points"] == COUNT
    for k in range(found.eigenvalues.shape[1]):
        assert np.array_equal(kept.column(f"real_{k + 1}"), found.eigenvalues[:, k].real, equal_nan=True)
        imaginary = np.where(np.isnan(found.eigenvalues[:, k]), np.nan, found.eigenvalues[:, k].imag)
        assert np.array_equal(kept.column(f"imag_{k + 1}"), imaginary, equal_nan=True)
        assert np.array_equal(kept.column(f"damping_{k + 1}"), found.damping_ratio[:, k], equal_nan=True)
    assert np.array_equal(kept.column("ms"), values()["ms"])
    reasons = kept.column("failure")
    assert {k: reasons[k] for k in np.flatnonzero(reasons)} == found.failures
    assert len(contents(kept.place)) == COUNT // 100


def test_pandas_reads_the_folder_of_a_run(tmp_path: Path, small: None) -> None:
    """As docs/many-points.md says: what stands beside the rows is passed over."""
    pandas = pytest.importorskip("pandas")
    kept = eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path)
    table = pandas.read_parquet(kept.place).sort_values("point")
    assert np.array_equal(table["point"], np.arange(COUNT))
    assert np.array_equal(table["cs"], values()["cs"])
    assert np.array_equal(table["real_1"], kept.column("real_1"), equal_nan=True)


def test_workers_write_the_same_bytes(tmp_path: Path, small: None) -> None:
    one, two = (eb.variants(QUARTER_CAR, values(), workers=n, store=tmp_path / str(n)) for n in (1, 2))
    assert contents(one.place) == contents(two.place)
    assert one.place.name == two.place.name


class Stop(Exception):
    pass


@pytest.mark.parametrize("often", [0.0, 1e9])
def test_a_run_that_is_stopped_again_and_again_ends_with_the_same_bytes(
    tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch, often: float
) -> None:
    """Stopped where files are put into place, before and after: as a kill would."""
    whole = contents(eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path / "whole").place)
    monkeypatch.setattr(store_module, "OFTEN", often)
    put, stops = store_module._put, iter([2, 3, 1, 2, 1, 10**9])
    left = [next(stops)]

    def interrupted(path: Path, write: object) -> None:
        left[0] -= 1
        if left[0] <= 0:  # nothing more is written, whatever is tried
            if left[0] == 0 and path.name.startswith("rows") and len(list(path.parent.glob("*.parquet"))) % 2:
                put(path, write)
            raise Stop
        put(path, write)

    monkeypatch.setattr(store_module, "_put", interrupted)
    times = 0
    while True:
        try:
            found = eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path / "stopped")
            break
        except Stop:
            left[0] = next(stops)
            times += 1
    assert times == 5
    assert contents(found.place) == whole


def test_what_is_there_is_not_computed_again(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path)
    from eigenbody.analyses.sweep import stored

    def refuse(*_: object) -> None:
        raise AssertionError("computed again")

    monkeypatch.setattr(stored, "eigenvalue_columns", refuse)
    assert eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path).count == COUNT


def test_another_request_has_another_place(tmp_path: Path, small: None) -> None:
    model = eb.load(QUARTER_CAR)
    some = {name: array[:30] for name, array in values().items()}
    places = {
        eb.variants(model, some, workers=1, store=tmp_path).place,
        eb.variants(model.with_values({"ks": 19e3}), some, workers=1, store=tmp_path).place,
        eb.variants(model, {**some, "cs": some["cs"] + 1}, workers=1, store=tmp_path).place,
        eb.variants(model, {"ms": some["ms"]}, workers=1, store=tmp_path).place,
    }
    assert len(places) == 4
    with pytest.raises(eb.InputError, match="it has 4 runs"):
        eb.results(tmp_path)
    assert eb.results(tmp_path, next(iter(places)).name[:12]).count == 30


def test_a_file_that_the_model_names_belongs_to_the_request(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    table = (EXAMPLES / "data" / "short_bearing.csv").read_text()
    (tmp_path / "oil_whip.yaml").write_text((EXAMPLES / "oil_whip.yaml").read_text())
    keys = set()
    for text in (table, table + "\n"):
        (tmp_path / "data" / "short_bearing.csv").write_text(text)
        model = eb.load(tmp_path / "oil_whip.yaml")
        request = request_of("variants", model, ["speed"], [], 1)
        keys.add(store_module.text_of(request.about(np.zeros((1, 1)))))
    assert len(keys) == 2


def test_readable_while_it_grows(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """At every moment that a file is put into place, what can be read is a beginning of the whole, without gaps."""
    monkeypatch.setattr(store_module, "OFTEN", 0.0)
    put, seen = store_module._put, []

    def watched(path: Path, write: object) -> None:
        put(path, write)
        if path.name.startswith("rows"):
            now = eb.results(tmp_path)
            points = now.column("point")
            assert np.array_equal(points, np.arange(len(points)))
            seen.append(now.done)

    monkeypatch.setattr(store_module, "_put", watched)
    eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path)
    assert seen == sorted(seen)
    assert seen[0] == 20
    assert seen[-1] == COUNT


def test_conditions_and_files(tmp_path: Path, small: None) -> None:
    kept = eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path)
    heavy = eb.results(tmp_path, where=["ms > 550", "cs <= 1500"])
    wanted = (values()["ms"] > 550) & (values()["cs"] <= 1500)
    assert heavy.column("point").tolist() == np.flatnonzero(wanted).tolist()
    assert kept.filtered("failed").column("point").tolist() == [3, 333]
    assert kept.filtered("computed").count == COUNT - 2
    for ending in ("csv", "jsonl", "parquet"):
        heavy.write(tmp_path / f"lines.{ending}")
    with open(tmp_path / "lines.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    maps = [json.loads(line) for line in (tmp_path / "lines.jsonl").read_text().splitlines()]
    table = parquet.read_table(tmp_path / "lines.parquet")
    for name in ("ms", "real_2", "damping_5"):
        expected = heavy.column(name).tolist()
        assert [float(line[name]) for line in lines] == [line[name] for line in maps] == expected
        assert table[name].to_pylist() == expected
    for bad in ("ms >", "mass > 3", "failure > 3"):
        with pytest.raises(eb.InputError):
            kept.filtered(bad)


def test_summary_against_numpy(tmp_path: Path, small: None) -> None:
    kept = eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path)
    for column in kept.summary:
        numbers = kept.column(column.name)
        numbers = numbers[~np.isnan(numbers)]
        assert column.count == len(numbers)
        if len(numbers):
            assert (column.least, column.greatest) == (numbers.min(), numbers.max())
            assert column.mean == pytest.approx(numbers.mean(), rel=1e-12)


def test_tolerance_from_a_store_is_the_same(tmp_path: Path) -> None:
    vary = {"ks": "5 %", "cs": "10 %"}
    plain = eb.tolerance(QUARTER_CAR, vary, "monte-carlo", samples=600, workers=1)
    kept = [eb.tolerance(QUARTER_CAR, vary, "monte-carlo", samples=600, workers=1, store=tmp_path) for _ in range(2)]
    for found in kept:
        for a, b in zip(plain.bands, found.bands, strict=True):
            assert np.array_equal(a.samples, b.samples)  # type: ignore[arg-type]
            assert (a.lower, a.upper, a.deviation) == (b.lower, b.upper, b.deviation)
    assert eb.results(tmp_path).about["analysis"] == "tolerance"
    with pytest.raises(eb.InputError, match="no variants to keep"):
        eb.tolerance(QUARTER_CAR, vary, store=tmp_path)


def test_two_runs_do_not_write_the_same_points(tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    put = store_module._put

    def second(path: Path, write: object) -> None:
        monkeypatch.setattr(store_module, "_put", put)
        with pytest.raises(eb.ComputationError, match="Another process"):
            eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path)
        put(path, write)

    monkeypatch.setattr(store_module, "_put", second)
    assert eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path).count == COUNT


@pytest.mark.parametrize("what", ["missing", "empty"])
def test_a_folder_without_results(tmp_path: Path, what: str) -> None:
    folder = tmp_path if what == "empty" else tmp_path / "none"
    done = subprocess.run(
        [sys.executable, "-m", "eigenbody", "results", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Name the one that was given as --store." in done.stderr


COMMAND = [sys.executable, "-m", "eigenbody", "tolerance", str(QUARTER_CAR), "--vary", "ks=5%", "--samples", "6000"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")
def test_a_command_stopped_by_every_signal_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    """SIGTERM, SIGINT, SIGKILL, each when something more has been kept."""
    whole = subprocess.run([*COMMAND, "--store", str(tmp_path / "whole"), "--json"], capture_output=True, check=True)
    folder, had = tmp_path / "stopped", 0
    for number, code in ((signal.SIGTERM, 143), (signal.SIGKILL, -9), (signal.SIGINT, 130)):
        child = subprocess.Popen(
            [*COMMAND, "--workers", "2", "--store", str(folder)], stderr=subprocess.PIPE, text=True
        )
        while (now := kept_in(folder)) <= had and child.poll() is None:
            time.sleep(0.02)
        child.send_signal(number)
        _, err = child.communicate(timeout=200)
        if child.returncode == 0:  # it was through before the signal came
            break
        assert child.returncode == code
        if number != signal.SIGKILL:
            assert f"what was done is kept in {folder}: the same command goes on from there.\n" in err
        had = max(now, kept_in(folder))
    again = subprocess.run([*COMMAND, "--store", str(folder), "--json"], capture_output=True, check=True)
    assert again.stdout == whole.stdout
    assert contents(eb.results(folder).place) == contents(eb.results(tmp_path / "whole").place)


def test_pieces_of_a_complete_chunk_are_united_by_the_next_run(
    tmp_path: Path, small: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run killed after the last piece was written and before the pieces became one file."""
    monkeypatch.setattr(store_module, "ROWS", 10 * COUNT)  # one chunk of several grains
    expected = contents(eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path / "whole").place)
    with monkeypatch.context() as killed:
        killed.setattr(store_module, "OFTEN", -1.0)
        killed.setattr(store_module._Writer, "_unite", lambda self, first: None)
        place = eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path / "pieces").place
    assert len(contents(place)) > len(expected)
    assert contents(eb.variants(QUARTER_CAR, values(), workers=1, store=tmp_path / "pieces").place) == expected


def kept_in(folder: Path) -> int:
    """Points in the files of a store that may not be there yet."""
    spans = [path.stem.split("-")[1:] for path in folder.glob("*/rows-*.parquet")]
    return sum(int(b) - int(a) for a, b in spans)
