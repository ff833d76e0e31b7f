"""A model compiled once and called with numbers, against the same model read and compiled for each of them."""

from __future__ import annotations

import gc
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.base.batched import verdict
from eigenbody.base.pattern import Pattern
from eigenbody.base.recorded import AnotherBranch, Tape
from eigenbody.operating.compiled import CompiledModel
from eigenbody.starters.family import family
from eigenbody.system.compile import RecordedSystem

EXAMPLES = Path(__file__).parents[2] / "examples"
MATRICES = ("M", "C", "K", "Y", "Z", "A", "B")


def open_numbers(model: eb.Model) -> list[str]:
    """Parameters written as numbers, and masses written in place."""
    names = [name for name in model.parameters if not str(model.written(name)).strip().startswith("=")]
    bodies = model.document.get("bodies") or {}
    return names + [f"bodies.{name}.mass" for name, keys in bodies.items() if isinstance(keys.get("mass"), int | float)]


def same(a: eb.LinearModel, b: eb.LinearModel) -> None:
    """Equal to rounding in all matrices, equal in all words; the certificates measure rounding."""
    assert (a.states, a.inputs, a.outputs, a.notes, a.dropped) == (b.states, b.inputs, b.outputs, b.notes, b.dropped)
    for name in MATRICES:
        own, other = getattr(a, name), getattr(b, name)
        assert np.abs(own - other).max(initial=0.0) <= 1e-13 * np.abs(other).max(initial=0.0), name
    for name in ("noise_K", "noise_C"):  # from accelerations that are rounding themselves
        assert np.allclose(getattr(a, name), getattr(b, name), rtol=0.02, atol=1e-3 * np.abs(getattr(b, name)).max())
    assert a.certificate.dof == b.certificate.dof
    assert a.certificate.redundant == b.certificate.redundant
    assert max(a.certificate.figures) < 1e-9


# in turn: a loop, redundant rows, expressions, rods and flexures, wheels that roll, tables of tyres, an equilibrium, a
# steady motion, a spinning rotor, given positions, a flexible body (which is not recorded)
@pytest.mark.parametrize(
    "name",
    ["four_bar", "planar_four_bar_redundant", "active_suspension", "stewart_flexures", "whipple_bicycle",
     "single_track_car", "mcpherson_strut", "rotating_pendulum", "rotor_stator", "andrews_squeezer",
     "flexible_slider_crank"],
)  # fmt: skip
def test_a_call_gives_what_the_model_with_these_numbers_gives(name: str) -> None:
    model = eb.load(EXAMPLES / f"{name}.yaml")
    names = open_numbers(model)
    f, rng = eb.compiled(model, names), np.random.default_rng(4)
    for spread in (0.0, 0.01, 0.02):
        values = {n: model.value_of(n) * (1 + spread * rng.uniform(-1, 1)) for n in names}
        same(f(values).linear, eb.linearize(model.with_values(values)))


SWING: dict[str, Any] = {
    "eigenbody": 1,
    "parameters": {"k": 50.0, "c": 0.4, "m": 2.0, "arm": 0.5, "aside": 0.0, "twice": "=2*k"},
    "gravity": [0, 0, -9.81],
    "bodies": {"bob": {"mass": "=m", "inertia": [0.1, 0.2, 0.1], "at": [0, 0, "=-arm"]},
               "load": {"mass": 0.5, "inertia": [0.01, 0.01, 0.01], "at": ["=aside", 0, "=-2*arm"]}},
    "joints": {"pin": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]},
               "knee": {"type": "revolute", "between": ["bob", "load"], "at": [0, 0, "=-2*arm"],
                        "axis": ["=aside", 1, 0]}},
    "forces": {"hold": {"type": "spring", "along": "knee", "k": "=k", "c": "=c"},
               "own": {"type": "expression", "along": "pin", "value": "=-twice*sin(s) - c*v"}},
    "inputs": {"push": {"along": "knee"}},
    "outputs": {"angle": {"measure": "pin"}},
}  # fmt: skip


def test_kinematics_are_shared_where_the_numbers_do_not_move_anything() -> None:
    f = CompiledModel(eb.load(SWING), ("k", "c", "m"))
    first, second = f.point_at([50.0, 0.4, 2.0]), f.point_at([70.0, 0.1, 3.0])
    assert second.system is not first.system
    assert second.mechanics.holonomic is first.mechanics.holonomic
    moved = CompiledModel(eb.load(SWING), ("arm",))
    assert moved.point_at([0.6]).mechanics.holonomic is not moved.point_at([0.5]).mechanics.holonomic


@pytest.mark.parametrize(
    "values",
    [{"k": 0.0}, {"c": 0.0}, {"aside": 0.3}, {"aside": -1e-3, "arm": 0.7}, {"m": 1e-3, "k": 1e5}, {"arm": 0.1}],
    ids=str,
)
def test_another_branch_is_compiled_when_it_is_met(values: dict[str, float]) -> None:
    """Zero stiffness and damping, an axis that is no longer along a global one: other terms, other signs."""
    model = eb.load(SWING)
    f = eb.compiled(model)
    for numbers in ({}, values, {}, {**values, "k": 12.0}):
        same(f(numbers).linear, eb.linearize(model.with_values(numbers)))


@pytest.mark.parametrize("values", [{"m": -1.0}, {"arm": 1e120}, {"k": 1e-120}], ids=str)
def test_numbers_that_are_refused_are_refused_in_the_same_words(values: dict[str, float]) -> None:
    model = eb.load(SWING)
    f = eb.compiled(model)
    f()
    with pytest.raises(eb.InputError) as found:
        f(values)
    with pytest.raises(eb.InputError) as expected:
        eb.linearize(model.with_values(values))
    assert str(found.value) == str(expected.value)
    same(f().linear, eb.linearize(model))


def test_what_an_evaluation_has() -> None:
    model = eb.load(SWING)
    f = eb.compiled(model, ["k", "m"])
    found, plain = f(k=60), model.with_values({"k": 60.0})
    assert found.values == {"k": 60.0, "m": 2.0}
    modes = eb.modes(plain)
    assert np.allclose(found.modes.eigenvalues, modes.eigenvalues, rtol=1e-12)
    every = np.concatenate([modes.eigenvalues, modes.eigenvalues[modes.eigenvalues.imag != 0].conj()])
    assert np.allclose(np.sort_complex(found.eigenvalues), np.sort_complex(every), rtol=1e-10)
    exact = eb.derivatives(plain, ["k", "m"])
    assert found.derivatives.names == ("k", "m")
    assert np.allclose(found.derivatives.dA, exact.dA, rtol=1e-12, atol=1e-12)
    assert np.allclose(eb.frf(found, "push", "angle", [1.0]).values, eb.frf(plain, "push", "angle", [1.0]).values)


def test_zeros_are_exact() -> None:
    """A free rotation and its conjugate momentum: two eigenvalues that are zero."""
    free = eb.load({**SWING, "gravity": [0, 0, 0], "forces": {"hold": SWING["forces"]["hold"]}})
    assert np.count_nonzero(eb.compiled(free, ["k"])(k=30).eigenvalues == 0) == 2


def test_many_numbers_at_once_are_the_single_calls() -> None:
    f = eb.compiled(eb.load(SWING), ["k", "arm"])
    k, arm = [20.0, 50.0, 80.0], [0.4, 0.5, 0.6]
    many = f.many(k=k, arm=arm)
    for i in range(3):
        assert np.allclose(many.eigenvalues[i], f(k=k[i], arm=arm[i]).eigenvalues, rtol=1e-9)


def test_by_default_all_parameters_that_are_numbers_are_open() -> None:
    assert eb.compiled(eb.load(SWING)).parameters == ("k", "c", "m", "arm", "aside")


def test_a_model_is_compiled_once_for_the_same_open_numbers() -> None:
    model = eb.load(SWING)
    first = eb.compiled(model, ["k"])
    first()
    again = eb.compiled(model, "k")
    assert pickle.loads(pickle.dumps(again))(k=55).eigenvalues.tolist() == first(k=55).eigenvalues.tolist()
    assert again._compiled.recording is first._compiled.recording


def test_what_was_compiled_goes_with_the_model() -> None:
    model = eb.load(SWING)
    eb.compiled(model, ["k"])(k=40)
    gone = weakref.ref(model)
    del model
    gc.collect()
    assert gone() is None


def test_evaluations_are_pickled() -> None:
    found = eb.compiled(eb.load(SWING), ["k"])(k=44)
    copy = pickle.loads(pickle.dumps(found))
    assert copy.values == {"k": 44.0}
    assert copy.eigenvalues.tolist() == found.eigenvalues.tolist()


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda m: eb.compiled(m, ["K"]), "K"),
        (lambda m: eb.compiled(m, ["bodies.bob.weight"]), "weight"),
        (lambda m: eb.compiled(m, ["k", "k"]), "named twice"),
        (lambda m: eb.compiled(m, []), "no number is left open"),
        (lambda m: eb.compiled(m, ["k"])(m=3), '"m" is not among the open numbers'),
        (lambda m: eb.compiled(m, ["k"])(k="stiff"), "not a finite number"),
        (lambda m: eb.compiled(m, ["k"])(k=float("nan")), "not a finite number"),
        (lambda m: eb.compiled(m, ["k"])(k=[1.0, 2.0]), "many"),
        (lambda m: eb.compiled(m, ["k"]).many(m=[1.0]), '"m" is not among the open numbers'),
    ],
)
def test_wrong_calls_are_refused(call: Any, told: str) -> None:
    with pytest.raises(eb.InputError, match=told):
        call(eb.load(SWING))


# The tape -------------------------------------------------------------------------------------------------------------
def test_a_tape_runs_again_with_other_numbers() -> None:
    tape = Tape([3.0, 4.0])
    a, b = tape.inputs
    vector = np.array([a, 1.0, b * 2], dtype=object)
    made = {"sum": abs(-a) + b**2 / 7 - 1, "vector": vector, "fixed": np.arange(3), "text": ("k", a.sqrt())}
    pattern = Pattern(tape, made)
    found = pattern.with_inputs([5.0, 6.0])
    assert found["sum"] == 5.0 + 36.0 / 7 - 1
    assert found["vector"].tolist() == [5.0, 1.0, 12.0]
    assert found["fixed"] is made["fixed"]
    assert found["text"] == ("k", 5.0**0.5)
    assert tape.is_whole


def test_conditions_are_asked_again() -> None:
    tape = Tape([3.0])
    (a,) = tape.inputs
    assert a > 2
    assert a != 4
    assert verdict(lambda x: bool(np.all(np.real(x) < 10)), a)
    pattern = Pattern(tape, [a * 2])
    assert pattern.with_inputs([2.5]) == [5.0]
    for other in (1.0, 4.0, 11.0):
        with pytest.raises(AnotherBranch):
            pattern.with_inputs([other])


def test_what_is_not_finite_is_another_branch() -> None:
    tape = Tape([3.0])
    pattern = Pattern(tape, [1 / tape.inputs[0], tape.inputs[0].log()])
    assert pattern.with_inputs([2.0])[0] == 0.5
    for other in (0.0, -1.0):
        with pytest.raises(AnotherBranch), np.errstate(invalid="ignore"):
            pattern.with_inputs([other])


def test_who_takes_the_plain_value_leaves_the_tape() -> None:
    tape = Tape([3.0])
    assert tape.inputs[0].values.tolist() == [3.0]
    assert not tape.is_whole


def test_numbers_of_bushings_are_handed_on() -> None:
    """Nothing is computed with a stiffness that only has to stand in its place: every step is paid at every call."""
    document = family("C10RF1")
    document["parameters"] = {"k": 1e4}
    for force in document["forces"].values():
        force["k"] = ["=k", "=k", "=k", *force["k"][3:]]
    tape = Tape([1e4])
    RecordedSystem(tape, eb.load(document).with_values({"k": tape.inputs[0]}).description)
    assert tape.is_whole
    assert tape.run([2e4]) == [2e4]  # the input, and no other number
