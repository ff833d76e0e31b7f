"""The compiled loops of simulations compute what the NumPy ones do, and are loaded when that pays."""

from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.simulation import kernels
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.sweep import Sweep
from eigenbody.simulation.vectors import rotation, vector_rate
from mechanisms import KINDS, random_mechanism

loops = pytest.importorskip("eigenbody.simulation.compiled")
EXAMPLES = Path(__file__).parents[2] / "examples"
RNG = np.random.default_rng(8)


@pytest.fixture(autouse=True)
def afresh(monkeypatch):
    """No loops loaded, no time spent; what was before comes back."""
    for name, value in (("_compiled", None), ("_spent", 0.0), ("_missing", False), ("_allowed", True)):
        monkeypatch.setattr(kernels, name, value)


def sweep_of(forward, at, forces):
    sweep = Sweep(forward.geometry, at)
    return [*sweep.values, *sweep.rates, sweep.pull(forces)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_sweeps_are_the_same(kind, seed, monkeypatch):
    """Values, rates and pulls of every measure of random mechanisms, anywhere: also where no constraint holds."""
    rng = np.random.default_rng(700 + seed)
    point = eb.operating_point(eb.load(random_mechanism(rng, kind)))
    forward = Forward(point.system, point.chosen)
    state = forward.moved(point.state, 0.3 * rng.normal(size=forward.nq))
    state = state.with_velocity(point.system, rng.normal(size=forward.nq))
    at = forward.carriers(state)
    forces = [rng.normal(size=s.count) for s in forward.geometry.sets]
    plain = sweep_of(forward, at, forces)
    monkeypatch.setattr(kernels, "_compiled", loops)
    for a, b in zip(plain, sweep_of(forward, at, forces), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(a).max(initial=0.0)))


def test_turns_and_steps():
    """R exp(a) and the change of a rotation vector, from nothing to nearly a full turn."""
    steps = RNG.normal(size=(200, 6)) * np.logspace(-12, 0.2, 200)[:, None]
    steps[0] = 0.0
    r, R = RNG.normal(size=(200, 3)), rotation(RNG.normal(size=(200, 3)))
    r1, R1 = r.copy(), R.copy()
    loops.move(r1, R1, steps)
    np.testing.assert_allclose(r1, r + steps[:, :3], rtol=1e-15)
    np.testing.assert_allclose(R1, R @ rotation(steps[:, 3:]), atol=1e-14)
    turning = RNG.normal(size=(200, 6))
    found = loops.vector_steps(steps, turning)
    np.testing.assert_allclose(found[:, :3], turning[:, :3])
    np.testing.assert_allclose(found[:, 3:], vector_rate(steps[:, 3:], turning[:, 3:]), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ["four_bar_with_spring", "rotor_stator", "flyball_governor", "whipple_bicycle"])
def test_motions_are_the_same(name):
    model = eb.load(EXAMPLES / f"{name}.yaml")
    ends = []
    for compiled in (False, True):
        motion = eb.simulate(model, until=0.1, method="generalized-alpha", step=1e-3, compiled=compiled, points=5)
        ends.append(np.concatenate((motion.states.r.ravel(), motion.states.v.ravel(), motion.states.w.ravel())))
    np.testing.assert_allclose(ends[1], ends[0], rtol=1e-9, atol=1e-9 * np.abs(ends[0]).max())


def bushing_turned_by(angle):
    """A body on a bushing that starts turned by an angle about a skew axis."""
    axis = np.array([0.6, 0.0, 0.8])
    return {
        "eigenbody": 1,
        "bodies": {"b": {"mass": 1.0, "inertia": [0.1, 0.2, 0.15], "at": [0, 0, 0]}},
        "joints": {"free": {"type": "free", "between": ["ground", "b"], "position": [0, 0, 0, *(angle * axis)]}},
        "forces": {"f": {"type": "bushing", "between": ["ground", "b"], "at": [0, 0, 0], "k": [9, 9, 9, 1, 2, 3]}},
    }


@pytest.mark.parametrize("angle", [1e-9, 0.5, 2.6, 3.0])
def test_rotation_vectors_up_to_half_a_turn(angle, monkeypatch):
    """Beyond 154 degrees the loops hand over to the careful formula."""
    point = eb.operating_point(eb.load(bushing_turned_by(angle)))
    forward = Forward(point.system, point.chosen)
    at = forward.carriers(point.state)
    forces = [RNG.normal(size=s.count) for s in forward.geometry.sets]
    plain = sweep_of(forward, at, forces)
    monkeypatch.setattr(kernels, "_compiled", loops)
    for a, b in zip(plain, sweep_of(forward, at, forces), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12)


def test_they_are_loaded_when_that_pays(monkeypatch):
    monkeypatch.setattr(kernels, "_are_known", lambda: True)
    kernels.after(0.9 * kernels.LOADING)
    assert kernels.compiled() is None
    kernels.took(0.5 * kernels.LOADING)
    kernels.after(0.6 * kernels.LOADING)
    assert kernels.compiled() is loops


def test_they_are_not_loaded_where_that_is_not_allowed(monkeypatch):
    monkeypatch.setattr(kernels, "_allowed", False)
    kernels.after(1e3)
    assert kernels.compiled() is None


def test_without_numba(monkeypatch):
    monkeypatch.setattr(kernels, "_missing", True)
    model = eb.load(EXAMPLES / "four_bar_with_spring.yaml")
    assert eb.simulate(model, until=0.01).finished
    with pytest.raises(eb.InputError, match=r"compiled: .*Numba.*eigenbody\[fast\]"):
        eb.simulate(model, until=0.01, compiled=True)


@pytest.mark.parametrize(("method", "loaded"), [("dop853", False), ("radau", False), ("generalized-alpha", True)])
def test_they_are_loaded_for_methods_that_gain_by_them(method, loaded, monkeypatch):
    monkeypatch.setattr(kernels, "_are_known", lambda: True)
    monkeypatch.setattr(kernels, "LOADING", 0.0)
    eb.simulate(eb.load(EXAMPLES / "four_bar_with_spring.yaml"), until=0.02, method=method)
    assert (kernels.compiled() is not None) == loaded
