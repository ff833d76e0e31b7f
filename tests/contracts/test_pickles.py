"""Everything pickles and copies: what comes back says the same to the last digit, and every analysis takes it."""

from __future__ import annotations

import copy
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.along import AlongError
from eigenbody.base.result import Drawn, Result, Shown
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.model.expressions import parse
from every_result import MODEL, RESULTS, ROOT, ROTOR, motion
from public_analyses import ANALYSES, PENDULUM

EXAMPLES = {
    "rigid, with inputs": "quarter_car.yaml",
    "closed loop with redundant rows": "planar_four_bar_redundant.yaml",
    "flexible": "flexible_slider_crank.yaml",
    "non-holonomic": "chaplygin_sleigh.yaml",
    "spinning": "rotor_stator.yaml",
    "controlled": "active_suspension.yaml",
    "in a steady motion": "tractor_semitrailer.yaml",
}
GENERAL: dict[str, Callable[[Any], Any]] = {
    "point": eb.operating_point,
    "linear": eb.linearize,
    "sparse": lambda x: eb.linearize(x, solver="sparse"),
    "modes": eb.modes,
    "modes, sparse": lambda x: eb.modes(x, n=1, solver="sparse"),
    "explained": eb.explain,
    "reactions": eb.reactions,
    "simulation": lambda x: eb.simulate(x, until=eb.operating_point(x).state.t + 0.01, points=5),
    "response": lambda x: eb.response(x, initial={eb.linearize(x).coordinates[0]: 0.01}, times=(0.1, 5)),
}
TAKEN = {
    "point": ("linear", "modes", "reactions", "simulation"),
    "linear": ("modes", "response"),
    "sparse": ("modes, sparse",),
    "modes": ("explained",),
}
"""Analyses that are given each of them when it has come back."""


BASED = {
    "eigenbody": 1,
    "bodies": {"base": {"mass": 1, "at": [0, 0, 0]}, "top": {"mass": 2, "at": [0, 0, 1]}},
    "joints": {
        "g": {"type": "prismatic", "between": ["ground", "base"], "at": [0, 0, 0], "axis": [0, 0, 1], "motion": 0},
        "s": {"type": "prismatic", "between": ["base", "top"], "at": [0, 0, 1], "axis": [0, 0, 1]},
    },
    "forces": {"k": {"type": "spring", "along": "s", "k": 100, "c": 1}},
    "outputs": {"y": {"measure": "s"}},
}
FURTHER: dict[str, Callable[[], Any]] = {
    "shaken base": lambda: eb.psd(BASED, eb.White(1.0), base="g", of="acceleration", outputs="y"),
    "shaken base, sparse": lambda: eb.psd(
        BASED, eb.White(1.0), base="g", of="acceleration", outputs="y", band_hz=(0.1, 20), solver="sparse"
    ),
    "unbalance": lambda: eb.frf(ROTOR, unbalance={"body": "rotor", "moment": 1e-3}),
    "sampled tolerances": lambda: eb.tolerance(MODEL, {"k": "1%"}, method="monte-carlo", samples=20, workers=1),
    "response derivatives": lambda: eb.sensitivity(MODEL).frf([1.0, 2.0], "push", "y"),
    "peak derivatives": lambda: eb.sensitivity(MODEL).peak("push", "y", 1.0),
    "shape derivatives": lambda: eb.sensitivity(MODEL).shapes(0),
    "spectrogram": lambda: eb.spectrogram(motion(), "low", 0.008),
    "weighting": lambda: eb.weighting("Wk"),
    "law": lambda: eb.cycloid(0.0, 0.1, 1.0),
    "view": lambda: MODEL.view(1),
    "all modes of matrices": lambda: spectrum_of(eb.linearize(MODEL)),
}
"""Further ways to find a result, and further things that are found."""


def again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


def told(result: Any) -> dict[str, Any]:
    """Everything that a result says: table, document, arrays and the curves of its picture; of others the fields."""
    if not isinstance(result, Shown):
        return dict(_values(result))
    out: dict[str, Any] = {"table": str(result)}
    if isinstance(result, Result):
        out["document"] = json.dumps(result.document())
    if hasattr(result.look, "arrays") and not getattr(result, "is_sparse", False):
        out |= {f"array {name}": part for name, part in result.arrays().items()}
    if isinstance(result, Drawn):
        axes = result.plot().axes
        out["titles"] = [panel.get_title() for panel in axes]
        out |= {f"curve {line.get_label()} {id_}": line.get_xydata() for id_, line in enumerate(_lines(axes))}
    return out


def _values(thing: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(thing, np.ndarray | str | float | tuple):
        yield name, thing
    elif isinstance(thing, Shown):
        yield name, str(thing)
    elif is_dataclass(thing):
        for field in fields(thing):
            yield from _values(getattr(thing, field.name), f"{name}.{field.name}")


def _lines(axes: list[Any]) -> list[Any]:
    return [line for panel in axes for line in panel.lines]


def assert_same(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert found.keys() == expected.keys()
    for name, part in expected.items():
        if isinstance(part, np.ndarray):
            np.testing.assert_array_equal(found[name], part, err_msg=name, strict=True)
        else:
            assert found[name] == part, name


@pytest.mark.parametrize("make", [*RESULTS.values(), *FURTHER.values()], ids=[*RESULTS, *FURTHER])
def test_a_result_says_the_same_when_it_comes_back(make: Callable[[], Any]) -> None:
    result = make()
    fresh = again(result)  # before anything was computed of it
    expected = told(result)
    assert expected
    assert_same(told(fresh), expected)
    assert_same(told(copy.deepcopy(result)), expected)  # what was computed of it stays behind


@pytest.mark.parametrize("name", ANALYSES)
def test_what_an_analysis_of_a_restored_model_gives_comes_back(name: str) -> None:
    """The same digits as of the model itself, however often it travels."""
    model = eb.load(PENDULUM)
    expected = told(ANALYSES[name](model))
    found = again(ANALYSES[name](again(model)))
    assert expected
    if name == "verify":  # it says how long it took
        assert np.array_equal(found.eigenvalues, ANALYSES[name](model).eigenvalues)
    else:
        assert_same(told(found), expected)


@pytest.mark.parametrize("file", EXAMPLES.values(), ids=list(EXAMPLES))
def test_analyses_take_what_has_come_back(file: str) -> None:
    point = eb.operating_point(ROOT / "examples" / file)
    made = {name: _result_or_refusal(GENERAL[name], point) for name in GENERAL}
    for name, result in made.items():
        back = again(result)
        assert type(back) is type(result)
        assert_same(_told_or_refused(back), _told_or_refused(result))
        if isinstance(result, Shown):
            for further in TAKEN.get(name, ()):
                taken, expected = (_result_or_refusal(GENERAL[further], one) for one in (back, result))
                assert_same(_told_or_refused(taken), _told_or_refused(expected))


def _result_or_refusal(analysis: Callable[[Any], Any], subject: Any) -> Any:
    try:
        return analysis(subject)
    except eb.EigenbodyError as error:
        return error


def _told_or_refused(result: Any) -> dict[str, Any]:
    if isinstance(result, Drawn):  # pictures are compared elsewhere
        return {"table": str(result), "document": json.dumps(result.document())}
    return {"refused": str(result)} if isinstance(result, Exception) else told(result)


def test_another_process_reads_what_this_one_wrote(tmp_path: Path) -> None:
    """Hashes of text differ from process to process, and what was imported here was not there."""
    model = eb.load(ROOT / "examples" / "active_suspension.yaml")
    point = eb.operating_point(model)
    (tmp_path / "things").write_bytes(pickle.dumps((point, eb.linearize(point), parse("x + 2*y"))))
    code = """
import json, pickle, sys
point, linear, expression = pickle.load(open(sys.argv[1], "rb"))
import eigenbody as eb
from eigenbody.model.expressions import parse
assert expression == parse("x + 2*y") and hash(expression) == hash(parse("x + 2*y"))
print(json.dumps([eb.modes(point).document(), eb.modes(linear).document(), eb.frf(linear).document()]))
"""
    there = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", code, str(tmp_path / "things")]
    run = subprocess.run(words, capture_output=True, text=True, env=there)
    assert run.returncode == 0, run.stderr
    here = eb.linearize(point)
    assert json.loads(run.stdout) == [eb.modes(point).document(), eb.modes(here).document(), eb.frf(here).document()]


def test_a_model_comes_back_with_the_same_words() -> None:
    model = eb.load(PENDULUM).with_parameters(k=4.0)
    back = again(model)
    assert back.vocabulary is VOCABULARY
    assert back.document == model.document
    assert repr(back) == repr(model)
    assert back.with_parameters(k=5.0).parameters["k"] == 5.0
    assert eb.linearize(model, at=again(eb.operating_point(model))).dof == 2  # a point of the same mechanism


def test_files_of_a_model_need_not_travel_with_it(tmp_path: Path) -> None:
    """What was read of them is in the pickle."""
    source = ROOT / "examples" / "all_terrain_vehicle.yaml"
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "atv_frame.npz").write_bytes((ROOT / "examples" / "data" / "atv_frame.npz").read_bytes())
    (tmp_path / "atv.yaml").write_text(source.read_text())
    written = pickle.dumps(eb.load(tmp_path / "atv.yaml"))
    (tmp_path / "data" / "atv_frame.npz").unlink()
    assert eb.check(pickle.loads(written)).dof == eb.check(source).dof


def square(s: float) -> float:
    return s * s


def test_functions_of_a_model_travel_by_name() -> None:
    spring = {"type": "expression", "along": "pin", "value": eb.Function(square, of=("pin",))}
    model = eb.load({**PENDULUM, "forces": {**PENDULUM["forces"], "own": spring}})  # type: ignore[dict-item]
    assert eb.modes(again(model)).document() == eb.modes(model).document()
    assert eb.linearize(model, at=again(eb.operating_point(model))).dof == 2  # the same function, hence the same model


def test_deep_expressions_come_back() -> None:
    deep = parse("-".join(f"x*{k}" for k in range(2000)))
    assert again(deep) == deep
    assert copy.deepcopy(deep).evaluate({"x": 2.0}) == deep.evaluate({"x": 2.0})


def test_errors_come_back_with_what_they_carry() -> None:
    """Processes hand errors on by pickle."""
    with pytest.raises(eb.InputError) as caught:
        eb.load({"eigenbody": 1, "bodies": {"a": {"mas": 1}, "b": {"mass": "x"}}})
    assert len(caught.value.faults) > 1
    assert again(caught.value).faults == caught.value.faults
    assert str(again(caught.value)) == str(caught.value)
    moved, swept = motion(), eb.sweep(MODEL, "k", [90.0, 110.0])
    for error in (eb.SimulationError("so far", moved), eb.SimulationInterrupted(moved), eb.SweepInterrupted(swept),
                  AlongError("so far", eb.along(moved)), AlongError("so far", None)):  # fmt: skip
        back = again(error)
        assert str(back) == str(error)
        assert str(back.partial) == str(error.partial)  # type: ignore[attr-defined]


def test_a_point_is_no_larger_than_its_numbers() -> None:
    """Nothing that was factorized or evaluated there travels: 418 kB for a chain of 100 bodies, 4 kB each, of which
    the rows that hold a body (5 of 12 + 12 numbers) are the most; its dense linear model would be 2.4 MB."""
    n = 100
    bodies = {f"b{i}": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, -i - 0.5]} for i in range(n)}
    joints = {
        f"j{i}": {"type": "revolute", "between": [f"b{i - 1}" if i else "ground", f"b{i}"], "at": [0, 0, -i],
                  "axis": [0, 1, 0]}
        for i in range(n)
    }  # fmt: skip
    point = eb.operating_point({"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints})
    before = len(pickle.dumps(point))
    assert before < 500_000
    str(eb.modes(point)), eb.reactions(point)
    assert len(pickle.dumps(point)) == before


def test_what_a_result_was_found_at_travels_with_it_once() -> None:
    """The parts of a result that are one object stay one."""
    found = again(eb.modes(MODEL))
    assert found.linear.point.mechanics.system is found.linear.point.system
    assert found.linear.point.system.description is found.linear.point.model.description
