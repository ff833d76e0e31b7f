"""Equal multipliers with fewer vectors than they are, periods that are not those of the model, small forced motions:
against closed forms and an integration of the equations by hand."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import eigenbody as eb
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.numerics.eigen.dense import spectrum_first_order
from eigenbody.operating import periodic
from eigenbody.operating.find import operating_point
from eigenbody.operating.periodic.shooting import moved_point

TURN = 2 * np.pi


# Models ---------------------------------------------------------------------------------------------------------------
def sliders(count: int, **rest: Any) -> dict[str, Any]:
    """Blocks of 1 kg on parallel rails; s0, s1, ... are their places."""
    return {
        "bodies": {f"b{i}": {"mass": 1, "at": [0, i, 0]} for i in range(count)},
        "joints": {
            f"s{i}": {"type": "prismatic", "between": ["ground", f"b{i}"], "at": [0, i, 0], "axis": [1, 0, 0]}
            for i in range(count)
        },
        **rest,
    }


def in_series(count: int, a: float) -> eb.Model:
    """x0' = s0 + a x0, x1' = x0 + a x1, ...: states behind a block on a damped spring, one pushed by the other, with
    the eigenvalue a as often as they are many, and one vector."""
    states = {f"x{k}": {"rate": f"={f'x{k - 1}' if k else 's0'} + a*x{k}"} for k in range(count)}
    spring = {"k": {"type": "spring", "along": "s0", "k": 1, "c": 0.3}}
    return eb.Model(parameters={"a": a}, states=states, **sliders(1, forces=spring))


def followed(c: float, k: float) -> eb.Model:
    """Two oscillators s'' + c s' + s = 0, the second pushed by k times the place of the first."""
    spring = {"type": "spring", "k": 1, "c": c}
    push = {"type": "actuator", "along": "s1", "value": f"={k}*s0"}
    return eb.Model(**sliders(2, forces={"a": {**spring, "along": "s0"}, "b": {**spring, "along": "s1"}, "d": push}))


def duffing(length: float, **given: float) -> eb.Model:
    """s'' + 0.1 s' + s + 0.3 s^3 = 0.8 cos 1.4 t with s in units of `length` m."""
    force = f"=-s0 - {0.3 / length**2!r}*s0**3 - 0.1*s0' + {0.8 * length!r}*cos(1.4*t)"
    parts = sliders(1, forces={"p": {"type": "expression", "along": "s0", "value": force}})
    parts["joints"]["s0"] |= given
    return eb.Model(**parts)


# Equal multipliers ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("count", "a"), [(2, 0.5), (2, -1.0), (3, 0.5), (3, -1.0)])
def test_equal_states_in_series_have_the_verdict_of_their_multiplier(count, a):
    """exp(a T) as often as they are many: the matrix is triangular."""
    found = eb.floquet(in_series(count, a), period=1.0)
    mine = np.abs(found.multipliers - np.exp(a)) < 0.1
    assert mine.sum() == count
    np.testing.assert_allclose(found.multipliers[mine], np.exp(a), rtol=1e-10)
    np.testing.assert_allclose(found.exponents[mine], a, atol=1e-10)
    assert found.stability == ("unstable" if a > 0 else "stable")
    assert found.bounds[mine].max() < 1e-3
    assert not found.notes


def test_a_sweep_over_equal_states_finds_where_they_begin_to_grow():
    found = eb.floquet_sweep(in_series(2, 0.5), "a", np.linspace(-0.5, 0.5, 6), period="=1")
    assert found.stabilities == ("stable",) * 3 + ("unstable",) * 3
    np.testing.assert_allclose(found.growth, np.maximum(found.values, -0.15), atol=1e-10)  # -0.15 is the oscillator
    (edge,) = found.boundaries
    assert edge.begins
    assert abs(edge.value) < 1e-8


@pytest.mark.parametrize("period", [2.0, TURN])
def test_oscillators_of_negative_damping_that_push_each_other_are_unstable(period):
    """-0.2 in s'' + c s' + s grows as exp(0.1 t), pushed or not."""
    found = eb.floquet(followed(-0.2, 0.03), period=period)
    np.testing.assert_allclose(np.abs(found.multipliers), np.exp(0.1 * period), rtol=1e-7)
    assert found.stability == "unstable"


@pytest.mark.parametrize(("k", "period"), [(0.01, 3.0), (0.1, 2.0), (0.7, 3.0), (1.0, 10.0), (1.0, 1.0)])
def test_undamped_equal_oscillators_that_push_each_other_drift(k, period):
    """The second is in resonance with the first: it grows as t."""
    assert eb.floquet(followed(0.0, k), period=period).stability == "drifting"


def test_bounds_of_a_chain_contain_what_errors_part_it_by():
    """[[-1, 1], [0, -1]] with errors of 1e-14: sqrt(1e-14) apart."""
    A = np.array([[-1.0, 1.0], [0.0, -1.0]])
    noise = np.full((2, 2), 1e-14)
    found = spectrum_first_order(A, noise)
    moved = np.linalg.eigvals(A + np.array([[0, 0], [1e-14, 0]]))
    assert found.bounds.max() < 1e-6
    assert np.abs(moved + 1).max() < found.bounds.min()


def test_modes_of_equal_filters_are_not_called_uncertain():
    """-1 twice: bounds of 20 rad/s of it and a note on masses too far apart were told."""
    found = eb.modes(in_series(2, -1.0))
    np.testing.assert_allclose(found.eigenvalues[np.abs(found.eigenvalues.imag) < 1e-6], -1, atol=1e-7)
    assert not found.notes


# Exponents ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("period", [1.0, 4.0, 5.5, TURN, 9.0])
@pytest.mark.parametrize("model", [followed(0.2, 0.5), followed(0.2, 0.0), in_series(2, -0.3)])
def test_exponents_stand_beside_their_multipliers(model, period):
    """exp(lambda T) = mu: those of frequencies above half of one per period had those of the conjugate. Shapes move at
    the exponent: z' = lambda z where A is constant."""
    found = eb.floquet(model, period=period)
    np.testing.assert_allclose(np.exp(found.exponents * found.period), found.multipliers, rtol=1e-9, atol=1e-13)
    assert (found.eigenvalues.imag >= 0).all()
    assert len(found.index) + (found.eigenvalues.imag > 0).sum() == len(found.multipliers)
    places = [k for k, name in enumerate(found.states) if name.startswith("s") and "'" not in name]
    rates = [found.states.index(f"{found.states[k]}'") for k in places]
    wanted = found.eigenvalues[:, None] * found.shapes[:, places]
    np.testing.assert_allclose(found.shapes[:, rates], wanted, atol=1e-5)


# Periods --------------------------------------------------------------------------------------------------------------
def lagged(period: float) -> eb.Model:
    """A hardening oscillator pushed through a filter, whose rate alone reads time: 1 s."""
    lag = {"act": {"type": "filter", "input": "=2*sin(2*pi*t)", "corner": 5}}
    force = {"p": {"type": "expression", "along": "s0", "value": "=-s0 - 0.3*s0**3 - 0.1*s0' + act"}}
    return eb.Model(blocks=lag, operating_point={"periodic": {"period": period}}, **sliders(1, forces=force))


def motor(period: float) -> eb.Model:
    """A motor on a hardening spring, whose voltage has a period of 1 s."""
    return eb.Model(
        bodies={"b": {"mass": 1, "inertia": [1, 1, 0.1], "at": [0, 0, 0]}},
        joints={"s": {"type": "revolute", "between": ["ground", "b"], "at": [0, 0, 0]}},
        forces={
            "m": {"type": "dc_motor", "along": "s", "R": 1, "L": 0.1, "K": 0.5, "voltage": "=10*sin(2*pi*t)"},
            "k": {"type": "spring", "along": "s", "k": 3, "c": 0.1, "force": "=5*s**3"},
        },
        operating_point={"periodic": {"period": period}},
    )


def micro(period: float) -> eb.Model:
    """1e-9 kg that moves 40 nm, driven at 0.7 rad/s."""
    force = "=1e-9*(-s0 - 1e15*s0**3 - 0.1*s0' + 4e-8*cos(0.7*t))"
    parts = sliders(1, forces={"p": {"type": "expression", "along": "s0", "value": force}})
    parts["bodies"]["b0"]["mass"] = 1e-9
    return eb.Model(operating_point={"periodic": {"period": period}}, **parts)


@pytest.mark.parametrize(("model", "right", "wrong"), [(lagged, 1.0, 0.3), (motor, 1.0, 0.3), (micro, TURN / 0.7, 5.0)])
def test_a_period_that_is_not_that_of_what_drives_is_refused(model, right, wrong):
    assert eb.floquet(model(right)).stability == "stable"
    with pytest.raises(InputError, match=f"It is not {wrong:g} s"):
        eb.floquet(model(wrong))


@pytest.mark.parametrize("period", [1e-5, 1e-7, 1e-30])
def test_a_period_in_which_hardly_anything_happens_is_refused(period):
    with pytest.raises(InputError, match="period"):
        eb.floquet(duffing(1.0), period=period)


# Small motions --------------------------------------------------------------------------------------------------------
def duffing_by_hand() -> np.ndarray:
    """Multipliers of the forced motion by shooting, with the variational equations integrated beside it."""

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        s, v = y[:2]
        slope = np.array([[0, 1], [-1 - 0.9 * s**2, -0.1]])
        return np.concatenate(
            ((v, -s - 0.3 * s**3 - 0.1 * v + 0.8 * np.cos(1.4 * t)), (slope @ y[2:].reshape(2, 2)).ravel())
        )

    start, period = np.array([2.0, 1.6]), TURN / 1.4
    for _ in range(9):
        first = np.concatenate((start, np.eye(2).ravel()))
        end = solve_ivp(rates, (0, period), first, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
        whole = end[2:].reshape(2, 2)
        start = start - np.linalg.solve(whole - np.eye(2), end[:2] - start)
    return np.linalg.eigvals(whole)


def test_bounds_of_small_forced_motions_contain_their_errors():
    """Equations in metres of a motion of micrometres: the errors told were 700 times too small."""
    wanted = duffing_by_hand()
    for length in (1.0, 1e-3, 1e-6, 1e-8):
        found = eb.floquet(duffing(length, position=2.15 * length, velocity=1.6 * length), period="=2*pi/1.4")
        error = max(np.abs(found.multipliers - one).min() for one in wanted)
        assert error <= found.bounds.max() + 1e-11, length  # that of the reference
        assert error < 1e-8


def test_a_cycle_sought_with_a_rounded_period_is_told_to_find_its_own():
    """van der Pol's cycle has the period 6.66328686 s: there is none of 6.6633 s."""
    parts = sliders(1, forces={"p": {"type": "expression", "along": "s0", "value": "=-s0 + (1 - s0**2)*s0'"}})
    parts["joints"]["s0"]["position"] = 2.0
    with pytest.raises(ComputationError, match="period: free"):
        eb.floquet(eb.Model(**parts), period=6.6633)


# Trial steps ----------------------------------------------------------------------------------------------------------
def cardan(output: str) -> eb.Model:
    """A driven disc, a torsion spring, a universal joint bent by 0.5 rad and the shaft behind it: a loop whose rows at
    the universal joint depend on each other wherever it stands."""
    bend = np.array([np.sin(0.5), 0, np.cos(0.5)])
    middle, across = (0.5 * bend).tolist(), [np.cos(0.5), 0, -np.sin(0.5)]
    return eb.Model(
        bodies={
            "d": {"mass": 1, "inertia": [0.1] * 3, "at": [0, 0, -1]},
            "s1": {"mass": 1, "inertia": [0.3] * 3, "at": [0, 0, -0.5]},
            "s2": {"mass": 1, "inertia": [0.5] * 3, "at": middle},
        },
        joints={
            "in": {"type": "revolute", "between": ["ground", "d"], "at": [0, 0, -1], "motion": "=9*t"},
            "tw": {"type": "revolute", "between": ["d", "s1"], "at": [0, 0, -0.5]},
            "u": {"type": "universal", "between": ["s1", "s2"], "at": [0, 0, 0], "axis": [0, 1, 0], "axis2": across},
            "o": {"type": output, "between": ["ground", "s2"], "at": middle, "axis": bend.tolist()},
        },
        forces={"k": {"type": "spring", "along": "tw", "k": 50.0, "c": 0.2}},
        operating_point={"periodic": {"period": "=2*pi/9"}},
    )


def test_rows_of_a_joint_that_are_almost_dependent_do_not_hold_a_loop():
    """Where the shafts stand 1e-4 rad off, one of the three rows that hold the centre of the joint sees the sliding
    shaft by 1e-8 of its size: taken for that, it made a regular drive a singular configuration. A bearing that does
    not let the shaft slide holds it by rows that are never near that."""
    free, held = (eb.floquet(cardan(kind)).multipliers for kind in ("cylindrical", "revolute"))
    np.testing.assert_allclose(free, held, rtol=1e-9)


def test_trial_steps_that_cannot_be_taken_are_shortened(monkeypatch):
    """Places farther than 0.3 from the last are refused: the same motion is found in shorter steps."""
    taken: list[np.ndarray] = []

    def refusing(point: Any, change: np.ndarray) -> Any:
        if np.abs(change).max() > 0.3:
            raise InputError(Fault("joints.s0", "too far."))
        taken.append(change)
        return moved_point(point, change)

    wanted = eb.floquet(duffing(1.0, position=2.8, velocity=1.6), period="=2*pi/1.4").multipliers
    monkeypatch.setattr(periodic, "moved_point", refusing)
    found = eb.floquet(duffing(1.0, position=2.8, velocity=1.6), period="=2*pi/1.4")
    np.testing.assert_allclose(found.multipliers, wanted, rtol=1e-8)
    assert len(taken) > 2


def test_a_place_that_cannot_be_taken_is_named():
    """A turn by 3 rad in one step."""
    model = eb.Model(
        bodies={"bob": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, -1, 0]}},
        joints={"pin": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0]}},
    )
    with pytest.raises(ComputationError, match=r"next trial position: pin does not get there\. Start nearer"):
        moved_point(operating_point(model), np.array([3.0, 0.0]))
