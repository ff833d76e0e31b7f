"""Every force type obeys the same laws: slopes are derivatives, forces balance, work and energy agree.

Entries of every registered type are made from the keys it declares (`element_samples.py`).
"""

from dataclasses import replace

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.dynamics.energy import energy
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.couplings import COUPLINGS
from eigenbody.elements.forces import FORCES
from eigenbody.numerics.matrices.assembly import dense
from eigenbody.spatial.rotations import exp
from eigenbody.system.state import State, spread
from eigenbody.system.system import System
from element_samples import TWO_BODIES, document, entries
from mechanisms import KINDS, random_mechanism

STEP = 1e-30
every_force = pytest.mark.parametrize("kind", FORCES)
seeds = pytest.mark.parametrize("seed", range(3))


def systems(kind: str, seed: int, varying: bool = True) -> list[System]:
    rng = np.random.default_rng(seed)
    made = entries(FORCES[kind].spec, rng, varying)
    return [eb.operating_point(eb.load(document({"f": entry}))).system for entry in made]


def random_state(system: System, seed: int, moving: bool = True) -> State:
    """Bodies displaced by about 0.3 and 0.5 rad from the drawing, in motion."""
    rng = np.random.default_rng([seed, 1])
    state = system.reference_state()
    n = state.r.shape
    r, R = state.r + 0.3 * rng.normal(size=n), state.R @ exp(0.5 * rng.normal(size=n))
    v, w = (rng.normal(size=n) if moving else np.zeros(n) for _ in range(2))
    return replace(state, r=r, R=R, v=v, w=w, x=state.x + 0.1 * rng.normal(size=state.x.shape), t=0.8)


def moved(system: System, state: State, q=None, u=None) -> State:
    """State varied by q and u (nq,), complex allowed."""
    if q is not None:
        state = state.moved(system, q)
    if u is not None:
        both = spread(system, u)
        state = replace(state, v=state.v + both[:, :3], w=state.w + both[:, 3:])
    return state


def close(found: np.ndarray, expected: np.ndarray, scale: float = 1.0, tolerance: float = 1e-12) -> None:
    scale = max(scale, float(np.abs(expected).max(initial=0.0)), float(np.abs(found).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


# Slopes ---------------------------------------------------------------------------------------------------------------


@seeds
@every_force
def test_slopes_are_derivatives_of_the_residual(kind: str, seed: int) -> None:
    """dF/dq, dF/du, dQ/d(input), dQ/dx of `Mechanics` against complex steps, column by column."""
    none = np.zeros(0)
    for system in systems(kind, seed):
        state = random_state(system, seed)
        a = np.random.default_rng(seed).normal(size=system.nq)
        mechanics = Mechanics(system, state, a)
        residual = lambda s, system=system, a=a: Mechanics(system, s, a).residual(none, none).imag / STEP  # noqa: E731
        nq = system.nq
        unit = 1j * STEP * np.eye(nq)
        K = np.stack([residual(moved(system, state, q=e)) for e in unit], axis=-1)
        C = np.stack([residual(moved(system, state, u=e)) for e in unit], axis=-1)
        B = -np.stack([residual(replace(state, u_in=state.u_in + 1j * STEP))], axis=-1)
        states = len(system.states)
        X = -np.stack([residual(replace(state, x=state.x + e)) for e in 1j * STEP * np.eye(states)], axis=-1)
        close(dense(mechanics.stiffness(none, none), (nq, nq)), K)
        close(dense(mechanics.damping(), (nq, nq)), C)
        close(dense(mechanics.applied.input_matrix(), (nq, 1)), B)
        close(dense(mechanics.applied.state_matrix(), (nq, states)), X)


@every_force
def test_force_acts(kind: str) -> None:
    """No sample is a force that does nothing: the other tests mean something."""
    for system in systems(kind, 0):
        assert np.abs(Mechanics(system, random_state(system, 0)).applied.generalized()).max() > 1e-3


@every_force
@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
def test_batch_axes_give_the_numbers_of_a_loop(kind: str, is_complex: bool) -> None:
    for system in systems(kind, 1):
        states = [random_state(system, seed) for seed in range(4)]
        if is_complex:
            rng = np.random.default_rng(3)
            states = [moved(system, s, q=1e-3j * rng.normal(size=system.nq)) for s in states]
        stack = lambda name, states=states: np.stack([getattr(s, name) for s in states]).reshape(  # noqa: E731
            2, 2, *getattr(states[0], name).shape
        )
        batch = Mechanics(system, State(*(stack(k) for k in ("r", "R", "v", "w", "x", "turns", "u_in")), t=0.8))
        Q, nq = batch.applied.generalized(), system.nq
        K = np.broadcast_to(dense(batch.applied.stiffness(), (nq, nq)), (2, 2, nq, nq))
        for index, state in zip(np.ndindex(2, 2), states, strict=True):
            alone = Mechanics(system, state).applied
            close(Q[index], alone.generalized())
            close(K[index], dense(alone.stiffness(), (nq, nq)))


# Balance --------------------------------------------------------------------------------------------------------------


def total_force_and_moment(system: System, state: State) -> tuple[np.ndarray, np.ndarray, float]:
    """Sum of forces and of moments about the origin on all bodies, and the size of the largest."""
    Q = spread(system, Mechanics(system, state).applied.generalized())
    force, torque = Q[:, :3], (state.R @ Q[:, 3:, None])[..., 0]
    moments = np.cross(state.r, force) + torque
    return force.sum(0), moments.sum(0), float(max(np.abs(force).max(), np.abs(moments).max()))


@seeds
@every_force
def test_what_acts_between_two_bodies_balances(kind: str, seed: int) -> None:
    """Action is reaction at any deflection: nothing between two bodies pushes or turns the pair."""
    rng = np.random.default_rng(seed)
    between = [e for e in entries(FORCES[kind].spec, rng) if set(e.get("between", ["a", "b"])) == {"a", "b"}]
    between = [e for e in between if "body" not in e]
    for entry in between:
        system = eb.operating_point(eb.load(document({"f": entry}))).system
        force, moment, size = total_force_and_moment(system, random_state(system, seed))
        close(force, np.zeros(3), size)
        close(moment, np.zeros(3), size)


@pytest.mark.parametrize("kind", ["bushing", "bearing"])
def test_full_matrices_were_among_the_balanced(kind: str) -> None:
    made = entries(FORCES[kind].spec, np.random.default_rng(0))
    assert any(isinstance(e["k"][0], list) and set(e["between"]) == {"a", "b"} for e in made)


def test_bearing_spins_freely() -> None:
    """Turning the second body about its own bearing axis changes no force in ground axes and takes none."""
    axis = np.array([0.3, -0.5, 0.8])
    k = np.diag([900.0, 800.0, 700.0, 60.0, 50.0, 40.0])
    entry = {"type": "bearing", "between": ["a", "b"], "at": [0.2, 0.1, 0.4], "axis": axis.tolist(), "k": k.tolist()}
    point = eb.operating_point(eb.load(document({"f": entry})))
    system, state = point.system, random_state(point.system, 1, moving=False)
    local = point.system.places.R[1].T @ (axis / np.linalg.norm(axis))
    arm = point.system.places.R[1].T @ (np.array(entry["at"]) - point.system.places.r[1])
    turn = exp(0.9 * local)
    R = np.array(state.R)
    R[1] = R[1] @ turn
    r = np.array(state.r)
    r[1] += state.R[1] @ arm - R[1] @ arm  # about the bearing's point
    before, after = (
        spread(system, Mechanics(system, s).applied.generalized()) for s in (state, replace(state, r=r, R=R))
    )
    close(after[0], before[0])
    close(local @ after[1, 3:], np.cross(arm, R[1].T @ after[1, :3]) @ local, np.abs(after).max())


# Energy ---------------------------------------------------------------------------------------------------------------


@seeds
@every_force
def test_conservative_forces_are_minus_the_gradient_of_the_stored_energy(kind: str, seed: int) -> None:
    """Q = -dV/dq of the linear part, at rest (no damping), at any deflection."""
    for system in systems(kind, seed, varying=False):
        if system.forces.signals or system.forces.constant.any():
            continue  # what a signal gives is not stored
        state = random_state(system, seed, moving=False)
        Q = Mechanics(system, state).applied.generalized()
        unit = 1j * STEP * np.eye(system.nq)
        V = [energy(Mechanics(system, moved(system, state, q=e))).stored.sum().imag / STEP for e in unit]
        close(Q, -np.array(V))


@seeds
@every_force
def test_power_of_every_element(kind: str, seed: int) -> None:
    """power = Q . u, and for the linear part power = -d(stored)/dt - dissipated, dissipated >= 0."""
    for varying in (True, False):
        for system in systems(kind, seed, varying):
            state = random_state(system, seed)
            now = energy(Mechanics(system, state))
            u = state.velocity(system)
            assert now.elements == ("f",)
            close(now.power.sum(), Mechanics(system, state).applied.generalized() @ u, 1.0)
            if not varying and not system.forces.signals and not system.forces.constant.any():
                ahead = energy(Mechanics(system, moved(system, state, q=1j * STEP * u)))
                close(now.power, -ahead.stored.imag / STEP - now.dissipated)
                assert now.dissipated.min() >= 0


def energy_rates(system: System, state: State, acceleration: np.ndarray) -> tuple[float, float, float]:
    """Time derivatives of kinetic energy, gravity potential and stored energy along the motion, by complex step."""
    u = state.velocity(system)
    ahead = energy(Mechanics(system, moved(system, state, q=1j * STEP * u, u=1j * STEP * acceleration)))
    return tuple(float(part.sum().imag / STEP) for part in (ahead.kinetic, ahead.gravity, ahead.stored))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_energy_budget_of_a_mechanism_is_closed(kind: str, seed: int) -> None:
    """What gravity, elements and prescribed motions deliver becomes kinetic energy, with the solved accelerations;
    without expressions and loads, what is not kept is dissipated: d/dt(kinetic + gravity + stored) = drives - loss."""
    whole = random_mechanism(np.random.default_rng([seed, 5]), kind)
    linear = {name: f for name, f in whole["forces"].items() if f["type"] in ("spring", "bushing", "bearing")}
    for model, is_linear in ((whole, False), ({**whole, "forces": linear}, True)):
        point = eb.operating_point(eb.load(model))
        now = energy(point.mechanics)
        kinetic, gravity, stored = energy_rates(point.system, point.state, point.motion.acceleration)
        drives = -point.mechanics.holonomic.force(point.motion.multipliers, point.system.nq)
        drives = float(drives @ point.state.velocity(point.system))  # of prescribed motions alone: see the next test
        scale = float(np.abs(now.power).sum() + np.abs(now.gravity_power).sum() + abs(drives) + abs(kinetic))
        close(gravity, -now.gravity_power.sum(), scale)
        close(kinetic, now.gravity_power.sum() + now.power.sum() + drives, scale, 1e-11)
        if is_linear:
            close(kinetic + gravity + stored, drives - now.dissipated.sum(), scale, 1e-11)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_constraint_forces_do_no_work(kind: str, seed: int) -> None:
    """(G^T lambda) . u = 0 and (N^T mu) . u = 0 but for the rows that prescribe a motion: any lambda, consistent u."""
    point = eb.operating_point(eb.load(random_mechanism(np.random.default_rng([seed, 5]), kind)))
    system, mechanics = point.system, point.mechanics
    rng = np.random.default_rng(seed)
    u = point.state.velocity(system)
    given = rng.normal(size=system.constraints.count)
    prescribed = [m.row for m in system.constraints.motions]
    given[prescribed] = 0.0
    for multipliers in (given, np.where(given == 0, 0, point.motion.multipliers)):
        force = mechanics.holonomic.force(multipliers, system.nq)
        close(force @ u, 0.0, float(np.abs(force) @ np.abs(u)))
    if system.slips.count:
        force = mechanics.non_holonomic.force(rng.normal(size=system.slips.count), system.nq)
        close(force @ u, 0.0, float(np.abs(force) @ np.maximum(np.abs(u), 1e-4)))  # at rest u is rounding
    if prescribed:  # a motor delivers minus its multiplier times the prescribed rate
        only = np.zeros(system.constraints.count)
        only[prescribed] = rng.normal(size=len(prescribed))
        rate = mechanics.holonomic.rate  # zero: G u = f'
        speed = [m.rate.value(mechanics.applied.now) for m in system.constraints.motions]
        power = mechanics.holonomic.force(only, system.nq) @ u
        close(rate, np.zeros_like(rate), float(np.abs(u).max()))
        close(power, only[prescribed] @ np.array(speed), float(np.abs(only).sum()))


# Couplings ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", COUPLINGS)
def test_coupling_transmits_power(kind: str) -> None:
    """Rates obey the coupling, and its two sides do opposite work: what goes in comes out."""
    keys = {field.name for field in COUPLINGS[kind].spec.fields}
    how = {"joints": ["p", "q"], "ratio": 0.7} if "ratio" in keys else {"terms": {"p": 1.0, "q": 0.7}}
    if "speed" in keys:
        how = {"speed": "=p' + 0.7*q'"}
    if "coefficients" in keys:
        how = {"joints": ["p", "q"], "coefficients": [0, -0.7, 0.3]}  # its slope at q = 0
    model = {
        "eigenbody": 1,
        "bodies": TWO_BODIES,
        "joints": {
            "p": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 2], "velocity": 1.4},
            "q": {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 1], "axis": [0, 1, 1]},
        },
        "couplings": {"c": {"type": kind, **how}},
        "forces": {"s": {"type": "spring", "along": "p", "k": 40, "free": 0.2}},
    }
    point = eb.operating_point(eb.load(model))
    system, u = point.system, point.state.velocity(point.system)
    rates = system.named.jet(point.mechanics.at, point.state.turns).rate
    p, q = rates[system.aliases["p"]], rates[system.aliases["q"]]
    assert p == pytest.approx(1.4, abs=1e-13)
    assert p + 0.7 * q == pytest.approx(0.0, abs=1e-13)
    rows, multipliers, level = system.constraints.rows, point.motion.multipliers, point.mechanics.holonomic
    if "speed" in keys:
        rows, multipliers, level = system.slip_rows, point.motion.slip_multipliers, point.mechanics.non_holonomic
    only = np.zeros(len(rows))
    row = [r.owner for r in rows].index("c")
    only[row] = multipliers[row]
    assert abs(only[row]) > 0.1
    share = spread(system, level.force(only, system.nq))
    both = spread(system, u)
    into, out = (share * both).sum(axis=1)
    assert into == pytest.approx(-out, rel=1e-12)
    assert abs(into) > 0.01


def test_states_and_inputs_reach_the_samples() -> None:
    """Signals of the samples depend on measure, rate, state and input, so that every slope is exercised."""
    seen = {a.kind for system in systems("expression", 0) for s in system.forces.signals for a in s.arguments}
    assert {"s", "v", "x", "u", "t"} <= seen
