"""`eigenbody campbell`: tables, JSON, files, pictures and complaints."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
OVERHUNG, STATOR = str(EXAMPLES / "overhung_rotor.yaml"), str(EXAMPLES / "rotor_stator.yaml")
RANGE = ["--parameter", "speed", "--to", "200 rad/s", "--points", "5"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["campbell", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, OVERHUNG, *RANGE)
    assert code == 0
    assert "94.67812748 rad/s" in out
    assert "disc translation, forward whirl" in out


def test_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, OVERHUNG, *RANGE, "--order", "1", "--order", "2", "--json")
    assert code == 0
    document = json.loads(out)
    assert document["parameter"] == "speed"
    assert np.array(document["values"])[~np.array(document["added"])] == pytest.approx([0, 50, 100, 150, 200])
    assert document["spin_rad_s"] == pytest.approx(document["values"])
    branch = document["branches"][-1]
    assert set(branch) >= {"index", "label", "whirl", "real", "imag", "frequency_hz", "damping_ratio"}
    assert len(branch["real"]) == len(document["values"])
    forward = {b["index"] for b in document["branches"] if b["whirl"] == "forward"}
    found = [c for c in document["critical_speeds"] if c["order"] == 1 and c["branch"] in forward]
    assert [c["spin_rad_s"] for c in found] == pytest.approx([94.6781274761], rel=1e-12)
    assert document["failed"] == []


def test_boundaries_of_the_bicycle(capsys: pytest.CaptureFixture[str]) -> None:
    model = str(EXAMPLES / "whipple_bicycle.yaml")
    code, out, _ = run(capsys, model, "-p", "v", "--from", "4", "--to", "7", "--points", "4", "--json")
    assert code == 0
    document = json.loads(out)
    assert [b["value"] for b in document["stability_boundaries"]] == pytest.approx([4.292382536, 6.024262015], abs=1e-9)
    assert [b["kind"] for b in document["stability_boundaries"]] == ["flutter", "divergence"]
    assert document["spin_rad_s"] is None  # two hubs spin, none is named


def test_rotor_frame(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, STATOR, "-p", "speed", "--to", "0.3 Hz", "--points", "4", "--frame", "spin", "--json")
    assert code == 0
    document = json.loads(out)
    assert document["frame"] == "spin"
    assert [c["value"] for c in document["critical_speeds"]] == pytest.approx([0.12734528530], rel=1e-9)


def test_files_and_pictures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for ending in ("npz", "mat", "csv", "json"):
        out = tmp_path / f"sweep.{ending}"
        assert run(capsys, OVERHUNG, *RANGE, "-o", str(out), "--quiet")[:2] == (0, "")
        assert out.stat().st_size > 0
    arrays = np.load(tmp_path / "sweep.npz")
    assert arrays["eigenvalues"].shape == (len(arrays["values"]), len(arrays["labels"]))
    rows = list(csv.DictReader((tmp_path / "sweep.csv").open()))
    assert len(rows) == arrays["eigenvalues"].size
    assert float(rows[-1]["imag"]) == arrays["eigenvalues"][-1, -1].imag
    for options in ([], ["--signed"], ["--locus"]):
        picture = tmp_path / f"picture{len(options)}.png"
        assert run(capsys, OVERHUNG, *RANGE, *options, "--plot", str(picture), "-q")[0] == 0
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_points_that_fail(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "pendulum.yaml"
    model.write_text(
        "eigenbody: 1\nparameters: {p: 1}\ngravity: [0, 0, -9.81]\n"
        'bodies: {bob: {mass: "=sqrt(p)", at: [0, 0, -1]}}\n'
        "joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
    )
    code, out, _ = run(capsys, str(model), "-p", "p", "--values", "1,-1,2", "--plot", str(tmp_path / "gap.png"))
    assert code == 0
    assert "Failed at -1" in out
    code, _, err = run(capsys, str(model), "-p", "p", "--values=-1,-2")
    assert code == 3
    assert "None of the 2 points" in err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], ["--parameter", "speed", "EI"]),
        (["-p", "sped", "--to", "1"], ["--parameter", 'Did you mean "speed"']),
        (["-p", "speed"], ["--to", "missing"]),
        (["-p", "speed", "--from", "1", "--to", "1"], ["--from, --to", "the same"]),
        (["-p", "speed", "--to", "1 m"], ["--from, --to", "dimension"]),
        (["-p", "speed", "--to", "fast"], ["--from, --to", "not a number"]),
        (["-p", "speed", "--values", "1,,2"], ["--values", "number"]),
        (["-p", "speed", "--values", "1,2", "--to", "3"], ["--values", "two ways"]),
        (["-p", "speed", "--to", "1", "--joint", "spn"], ["--joint", 'Did you mean "spin"']),
        (["-p", "speed", "--to", "1", "--joint", "along"], ["--joint", "does not spin"]),
        (["-p", "speed", "--to", "1", "--order", "-1"], ["--order", "zero or positive"]),
        (["-p", "speed", "--to", "1", "--frame", "nothing"], ["--frame", "there is no frame"]),
        (["-p", "speed", "--to", "1", "--plot", "x.doc"], ["x.doc", ".png"]),
    ],
)
def test_complaints(capsys: pytest.CaptureFixture[str], options: list[str], words: list[str]) -> None:
    code, out, err = run(capsys, OVERHUNG, *options)
    assert (code, out) == (2, "")
    assert all(word in err for word in words), err


def test_interruption_writes_what_was_computed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eigenbody.analyses.sweep import points as sweeping

    calls = []
    original = sweeping._modes_of_some

    def stopping(*args: object, **kwargs: object) -> object:
        calls.append(1)
        if len(calls) > 3:
            raise KeyboardInterrupt
        return original(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(sweeping, "TOGETHER", 1)  # one point at a time
    monkeypatch.setattr(sweeping, "_modes_of_some", stopping)
    out = tmp_path / "partial.json"
    code, shown, err = run(capsys, OVERHUNG, *RANGE, "-o", str(out))
    assert code == 130
    assert "interrupted" in err
    assert "Interrupted: 3 of" in shown
    assert json.loads(out.read_text())["values"] == pytest.approx([0, 50, 100])
