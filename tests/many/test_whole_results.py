"""Sweeps, Floquet sweeps, optimizations and maps by workers and in a store: the same numbers, none found twice."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.sweep import points as points_module
from eigenbody.analyses.sweep import shared as shared_module

pytest.importorskip("pyarrow.parquet")
EXAMPLES = Path(__file__).parents[2] / "examples"
ABSORBER = {
    "variables": {"k": {"from": 0.05, "to": 20, "scale": "log"}, "c": {"from": 0.001, "to": 5, "scale": "log"}},
    "objective": {"minimize": {"frf_peak": {"input": "push", "output": "y", "from": 0.05, "to": 0.5}}},
    "starts": 6,
    "refine": 2,
}
SPEEDS = np.linspace(0.5, 9.0, 150)


def bicycles(**more: Any) -> eb.Sweep:
    return eb.sweep(EXAMPLES / "whipple_bicycle.yaml", "v", SPEEDS, **more)


def turbine(**more: Any) -> eb.Campbell:
    return eb.campbell(EXAMPLES / "three_blade_turbine.yaml", "speed", np.linspace(0.4, 2.0, 9), **more)


def pendulums(**more: Any) -> Any:
    model = eb.load(EXAMPLES / "parametric_pendulum.yaml")
    name = next(iter(model.document["parameters"]))
    return eb.floquet_sweep(model, name, model.value_of(name) * np.array([0.98, 1.02, 1.06]), **more)


def absorbers(**more: Any) -> Any:
    return eb.optimize(EXAMPLES / "vibration_absorber.yaml", ABSORBER, **more)


def responses(**more: Any) -> eb.FrequencyMap:
    stiffness = [14e3, 16e3, 18e3]
    return eb.frf_map(EXAMPLES / "quarter_car.yaml", "ks", stiffness, frequencies_hz=(0.5, 20, 60), **more)


ALL = pytest.mark.parametrize("call", [bicycles, turbine, pendulums, absorbers, responses])


def same(one: Any, other: Any) -> None:
    assert json.dumps(one.as_dict(), sort_keys=True) == json.dumps(other.as_dict(), sort_keys=True)


@ALL
def test_a_store_changes_no_number_and_is_not_computed_twice(
    call: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = call(workers=1)
    same(call(workers=1, store=tmp_path), plain)
    store = importlib.import_module("eigenbody.many.store")
    counted: list[int] = []
    in_order = store.in_order

    def counting(work: Any, points: Any, *given: Any) -> Any:
        for found in in_order(work, points, *given):
            counted.append(found[1] - found[0])
            yield found

    monkeypatch.setattr(store, "in_order", counting)
    same(call(workers=1, store=tmp_path), plain)
    assert not counted
    kept = eb.results(tmp_path)
    assert kept.count == kept.about["points"] > 0
    assert "whole" not in kept.columns
    first = kept.about["found"][0]["name"]
    assert np.isfinite(kept.column(first)).all()


@pytest.mark.parametrize("call", [bicycles, turbine, responses])
def test_workers_change_no_number(call: Callable[..., Any]) -> None:
    same(call(workers=2), call(workers=1))


def test_numbers_of_a_sweep_in_its_store(tmp_path: Path) -> None:
    found, kept = bicycles(workers=1, store=tmp_path, refine=0), eb.results(tmp_path)
    assert np.array_equal(kept.column("v"), SPEEDS)
    columns = [name for name in kept.columns if name.startswith("real_")]
    listed = np.stack([kept.column(name) for name in columns], axis=1)
    own = np.where(found.is_lower, np.nan, found.eigenvalues.real)
    for there, here in zip(np.sort(listed, axis=1), np.sort(own, axis=1), strict=True):
        assert set(here[np.isfinite(here)]) <= set(there)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_interrupted_sweep_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    """Batches of 20 points; Ctrl-C comes with the fourth, in this process."""
    monkeypatch.setattr(shared_module, "BATCH", 20)
    plain = bicycles(workers=1)
    evaluate, batches = points_module.modes_along, []

    def stopping(*given: Any, **named: Any) -> Any:
        batches.append(1)
        if len(batches) == 5:  # the first found how many modes there are
            raise KeyboardInterrupt
        return evaluate(*given, **named)

    follow = importlib.import_module("eigenbody.analyses.sweep.follow")
    monkeypatch.setattr(follow, "modes_along", stopping)
    with pytest.raises(eb.SweepInterrupted) as stopped:
        bicycles(workers=1, store=tmp_path)
    done = eb.results(tmp_path).count
    assert len(stopped.value.partial) == done
    assert done in (20, 40, 60)  # but for those that were sent together with the one that stopped it
    monkeypatch.setattr(follow, "modes_along", evaluate)
    same(bicycles(workers=workers, store=tmp_path), plain)
    assert eb.results(tmp_path).count == len(SPEEDS)


def test_failed_points_are_kept_with_their_reasons(tmp_path: Path) -> None:
    model = EXAMPLES / "quarter_car.yaml"
    call = partial(eb.sweep, model, "mu", [40.0, -1.0, 50.0], workers=1)
    plain = call()
    same(call(store=tmp_path), plain)
    same(call(store=tmp_path), plain)
    assert [point.index for point in plain.failed] == [1]
    assert "mass" in eb.results(tmp_path).column("failure")[1]


def test_an_optimization_that_is_interrupted_keeps_complete_starts_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.import_module("eigenbody.analyses.design.optimize.find")
    plain, improve, begun = absorbers(workers=1), find._improve, []

    def stopping(*given: Any) -> Any:
        begun.append(1)
        run = improve(*given)
        run.interrupted = len(begun) == 2
        return run

    monkeypatch.setattr(find, "_improve", stopping)
    absorbers(workers=1, store=tmp_path)
    assert eb.results(tmp_path).count == 1
    monkeypatch.setattr(find, "_improve", improve)
    same(absorbers(workers=1, store=tmp_path), plain)
    assert eb.results(tmp_path).count == 3


def test_steady_motions_are_not_kept_in_parts(tmp_path: Path) -> None:
    with pytest.raises(eb.InputError, match="found from one another"):
        eb.sweep(EXAMPLES / "conical_pendulum.yaml", "tilt", [0.2, 0.3], store=tmp_path)


def test_a_map_of_responses_is_what_each_value_gives_by_itself(tmp_path: Path) -> None:
    model = eb.load(EXAMPLES / "quarter_car.yaml")
    found = eb.frf_map(model, "mu", [45.0, -1.0, 55.0], frequencies_hz=[1.0, 2.0, 10.0], workers=1, store=tmp_path)
    assert [k for k, _ in found.failed] == [1]
    assert np.isnan(found.response[1]).all()
    for k in (0, 2):
        alone = eb.frf(model.with_values({"mu": float(found.values[k])}), frequencies_hz=[1.0, 2.0, 10.0], refine=False)
        assert np.array_equal(found.response[k], alone.values)
        size = np.abs(alone.values[:, 0, 0])
        name = f"{alone.outputs[0]}/{alone.inputs[0]}"
        assert eb.results(tmp_path).column(f"peak of {name}")[k] == size.max()
        assert eb.results(tmp_path).column(f"peak Hz of {name}")[k] == [1.0, 2.0, 10.0][int(size.argmax())]


def test_many_models_are_checked_by_workers(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("bodies: {a: {mass: -1}}\njoints: {}\n")
    paths = [EXAMPLES / "four_bar.yaml", wrong, EXAMPLES / "quarter_car.yaml"]
    alone, shared = (eb.verify_many(paths, ["relative", "difference"], workers=workers) for workers in (1, 2))
    same(alone, shared)
    assert [one.verdict for one in alone.models] == ["agree", "failed", "agree"]
    assert "mass" in alone.models[1].reason
    assert alone.models[0].routes == ("relative", "difference")
    assert alone.models[0].difference < 1e-8
    assert alone.verdict == "disagree"
    assert eb.verify_many(paths[:1], ["relative"], workers=1).verdict == "agree"
    with pytest.raises(eb.InputError, match="none to check"):
        eb.verify_many([])


def test_a_map_says_at_which_values_nothing_settles(tmp_path: Path) -> None:
    """A bicycle is unstable at 2 m/s, weaves and capsizes nowhere at 5 m/s: the first value alone would not tell."""
    names = {"inputs": "steer", "outputs": "steer", "frequencies_hz": [1.0]}
    model = EXAMPLES / "whipple_bicycle.yaml"
    speeds = [5.0, 2.0, 5.2, 3.0]
    plain = eb.frf_map(model, "v", speeds, workers=1, **names)
    stored = [eb.frf_map(model, "v", speeds, workers=1, store=tmp_path, **names) for _ in range(2)]
    said = [note for note in plain.notes if note.startswith("Unstable")]
    assert len(said) == 1
    assert "At 2 of 4 values, from 2 to 3; said of 2." in said[0]
    assert [one.notes for one in stored] == [plain.notes] * 2
    assert said[0] in " ".join(str(plain).split())
