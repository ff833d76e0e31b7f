"""The compiled loops of simulations compute what the NumPy ones do; which of them a run has is up to it alone."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.simulation import kernels
from eigenbody.simulation.channels import pushing
from eigenbody.simulation.collocation import Radau
from eigenbody.simulation.explicit import DormandPrince
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.implicit import GeneralizedAlpha
from eigenbody.spatial.rotations import exp, vector_rate
from eigenbody.starters.family import family
from eigenbody.system.state import stacked_states
from eigenbody.system.sweep import sweep_of as sweep_of_geometry
from eigenbody.system.tables import Tables
from mechanisms import KINDS, random_mechanism

loops = pytest.importorskip("eigenbody.simulation.compiled")
EXAMPLES = Path(__file__).parents[3] / "examples"
RNG = np.random.default_rng(8)
RUNS = {
    "dop853": {"method": "dop853"},
    "radau": {"method": "radau"},
    "gauss": {"method": "gauss"},
    "fixed step": {"method": "generalized-alpha", "step": 1e-3},
    "steps of its own": {"method": "hht", "tolerance": 1e-6},
}


def sweep_of(forward, at, forces, by=None):
    sweep = sweep_of_geometry(forward.geometry, Tables(forward.geometry), at, by)
    return [*sweep.values, *sweep.rates, sweep.pull(forces)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_sweeps_are_the_same(kind, seed):
    """Values, rates and pulls of every measure of random mechanisms, anywhere: also where no constraint holds."""
    rng = np.random.default_rng(700 + seed)
    point = eb.operating_point(eb.load(random_mechanism(rng, kind)))
    forward = Forward(point.system, point.chosen)
    state = forward.moved(point.state, 0.3 * rng.normal(size=forward.nq))
    state = state.with_velocity(point.system, rng.normal(size=forward.nq))
    at = forward.carriers(state)
    forces = [rng.normal(size=s.count) for s in forward.geometry.sets]
    plain = sweep_of(forward, at, forces)
    for a, b in zip(plain, sweep_of(forward, at, forces, loops), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12 * max(1.0, np.abs(a).max(initial=0.0)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_jets_are_the_same(kind, seed):
    """Values, rates, accelerations and gradients of every measure of random mechanisms, anywhere."""
    rng = np.random.default_rng(800 + seed)
    point = eb.operating_point(eb.load(random_mechanism(rng, kind)))
    forward = Forward(point.system, point.chosen)
    state = forward.moved(point.state, 0.3 * rng.normal(size=forward.nq))
    at = forward.carriers(state.with_velocity(point.system, rng.normal(size=forward.nq)))
    for levels in (2, 3):
        plain, compiled = (forward.geometry.jets(at, levels, by) for by in (None, loops))
        for a, b in zip(plain, compiled, strict=True):
            for what in ("value", "rate", "gradient", *(["acceleration"] if levels > 2 else [])):
                x, y = getattr(a, what), getattr(b, what)
                np.testing.assert_allclose(y, x, rtol=1e-11, atol=1e-11 * max(1.0, np.abs(x).max(initial=0.0)))
    for which in range(3):
        x, y = (forward.geometry.values(at, which, by) for by in (None, loops))
        np.testing.assert_allclose(y, x, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_measures_of_forces_at_many_states_are_the_same(kind):
    """With full turns, of every channel that something acts along."""
    rng = np.random.default_rng(870)
    point = eb.operating_point(eb.load(random_mechanism(rng, kind)))
    forward = Forward(point.system, point.chosen, loops)
    states = []
    for _ in range(4):
        state = forward.moved(point.state, 0.3 * rng.normal(size=forward.nq))
        state = replace(state, turns=rng.integers(-2, 3, size=state.turns.shape).astype(float))
        states.append(state.with_velocity(point.system, rng.normal(size=forward.nq)))
    many, acts = stacked_states(states), pushing(point.system)
    found, jet = forward.force_measures(many), Mechanics(point.system, many).applied.jet
    if found is None:
        assert Tables(forward.geometry).others or forward.combines_angles or forward.has_turning_frames
        return
    for what in ("value", "rate"):
        np.testing.assert_allclose(getattr(found, what)[:, acts], getattr(jet, what)[:, acts], rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("letter", "RS")
def test_balance_is_the_same(letter):
    """Ten bodies on springs and dampers: what was fed in, to rounding, and what is missing within it."""
    model = eb.load(family(f"C10{letter}F1") | {"gravity": [9.81, 3, 0]})
    run = {"until": 0.05, "method": "generalized-alpha", "step": 1e-3, "points": 2}
    plain, compiled = (eb.simulate(model, compiled=by, **run).balance for by in (False, True))
    assert plain.work == pytest.approx(compiled.work, rel=1e-9)
    assert abs(plain.defect - compiled.defect) < 1e-9 * plain.scale


def test_turns_and_steps():
    """R exp(a) and the change of a rotation vector, from nothing to nearly a full turn."""
    steps = RNG.normal(size=(200, 6)) * np.logspace(-12, 0.2, 200)[:, None]
    steps[0] = 0.0
    r, R = RNG.normal(size=(200, 3)), exp(RNG.normal(size=(200, 3)))
    r1, R1 = r.copy(), R.copy()
    loops.move(r1, R1, steps)
    np.testing.assert_allclose(r1, r + steps[:, :3], rtol=1e-15)
    np.testing.assert_allclose(R1, R @ exp(steps[:, 3:]), atol=1e-14)
    turning = RNG.normal(size=(200, 6))
    found = loops.vector_steps(steps, turning)
    np.testing.assert_allclose(found[:, :3], turning[:, :3])
    np.testing.assert_allclose(found[:, 3:], vector_rate(steps[:, 3:], turning[:, 3:]), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("name", ["four_bar_with_spring", "rotor_stator", "flyball_governor", "whipple_bicycle"])
@pytest.mark.parametrize("run", ["dop853", "fixed step"])
def test_motions_are_the_same(name, run):
    model = eb.load(EXAMPLES / f"{name}.yaml")
    ends = []
    for compiled in (False, True):
        motion = eb.simulate(model, until=0.1, compiled=compiled, points=5, **RUNS[run])
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
def test_rotation_vectors_up_to_half_a_turn(angle):
    """Beyond 154 degrees the loops hand over to the careful formula."""
    point = eb.operating_point(eb.load(bushing_turned_by(angle)))
    forward = Forward(point.system, point.chosen)
    at = forward.carriers(point.state)
    forces = [RNG.normal(size=s.count) for s in forward.geometry.sets]
    plain = sweep_of(forward, at, forces)
    for a, b in zip(plain, sweep_of(forward, at, forces, loops), strict=True):
        np.testing.assert_allclose(b, a, rtol=1e-12, atol=1e-12)


def test_they_are_for_many_steps_or_on_demand(monkeypatch):
    monkeypatch.delenv("EIGENBODY_COMPILED", raising=False)
    few, many = kernels.MANY_STEPS - 1, kernels.MANY_STEPS
    assert [kernels.loops_for(few), kernels.loops_for(many)] == [None, loops]
    assert [kernels.loops_for(few, True), kernels.loops_for(many, False)] == [loops, None]
    monkeypatch.setenv("EIGENBODY_COMPILED", "0")
    assert [kernels.loops_for(many), kernels.loops_for(few, True)] == [None, loops]


def test_without_numba(monkeypatch):
    monkeypatch.setattr(kernels, "_loaded", lambda: None)
    model = eb.load(EXAMPLES / "four_bar_with_spring.yaml")
    assert eb.simulate(model, until=0.01).finished
    with pytest.raises(eb.InputError, match=r"compiled: .*Numba.*eigenbody\[fast\]"):
        eb.simulate(model, until=0.01, compiled=True)


def ran(**how):
    """Everything that a run of 50 ms computed, to the last digit."""
    states = eb.simulate(eb.load(EXAMPLES / "four_bar_with_spring.yaml"), until=0.05, points=5, **how).states
    return [array.tobytes() for array in (states.r, states.R, states.v, states.w)]


@pytest.mark.parametrize("run", RUNS)
def test_same_call_gives_the_same_digits_whatever_ran_before(run):
    before = ran(**RUNS[run])
    assert ran(**RUNS[run], compiled=True)
    ran(method="generalized-alpha", step=1e-4)
    assert ran(**RUNS[run]) == before


@pytest.mark.parametrize(
    ("run", "stepper", "from_step"),
    [("dop853", DormandPrince, 2), ("radau", Radau, 2), ("fixed step", GeneralizedAlpha, 0),
     ("steps of its own", GeneralizedAlpha, 12)],
)  # fmt: skip
def test_methods_that_gain_by_them_have_them_from_many_steps_on(run, stepper, from_step, monkeypatch):
    """A fixed step tells how many there will be; of other runs it shows on the way."""
    monkeypatch.setattr(kernels, "MANY_STEPS", 12)
    monkeypatch.delenv("EIGENBODY_COMPILED", raising=False)
    seen = []

    def advance(self, until, own=stepper.advance):
        seen.append(self.forward.loops is not None)
        return own(self, until)

    monkeypatch.setattr(stepper, "advance", advance)
    ran(**RUNS[run])
    assert seen == [k >= from_step for k in range(len(seen))]
    assert len(seen) > from_step


@pytest.mark.parametrize("name", ["flexible_slider_crank", "three_blade_turbine", "helicopter_blade"])
def test_flexible_bodies_accelerate_alike(name):
    """Bent and turning, small and large: accelerations, multipliers, and the residual of what moves."""
    point = eb.operating_point(eb.load(EXAMPLES / f"{name}.yaml"))
    system, rng = point.system, np.random.default_rng(6)
    assert system.flexible
    state = point.state.moved(system, 1e-2 * rng.normal(size=system.nq))
    state = state.with_velocity(system, rng.normal(size=system.nq))
    found = []
    for by in (None, loops):
        forward = Forward(system, point.chosen, by)
        now, rate = forward.evaluate(state), rng.normal(size=system.nq) if not found else found[0][2]
        found.append((now.acceleration, now.multipliers, rate, forward.inertial(state, rate)))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(b, a, rtol=0, atol=1e-9 * np.abs(a).max(initial=1.0))


def test_states_within_steps_are_the_same():
    """Output times that no step ends at, and the work that the balance integrates over the middles of steps."""
    runs = [
        eb.simulate(
            EXAMPLES / "rotor_stator.yaml", 0.5, times=[0.1234, 0.4321], compiled=compiled, **RUNS["fixed step"]
        )
        for compiled in (False, True)
    ]
    for what in ("r", "R", "v", "w"):
        np.testing.assert_allclose(getattr(runs[1].states, what), getattr(runs[0].states, what), atol=1e-11)
    assert runs[1].balance.work == pytest.approx(runs[0].balance.work, rel=1e-9)
