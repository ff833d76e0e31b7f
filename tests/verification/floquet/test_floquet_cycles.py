"""Cycles whose period is far from its guess, that are small, or in states alone."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import eigenbody as eb
from eigenbody.base.errors import ComputationError

VAN_DER_POL = 6.6632868593231  # period of x'' - (1 - x^2) x' + x = 0 (Andersen & Geer 1982: 6.6632868593)
STIFF = "=-0.02*s - 30*s**3 + 0.2*(1-s**2)*s'"


def slider(force: str, position: float | str = 0.0, **parts: dict) -> eb.Model:
    """1 kg on a rail under a force."""
    return eb.Model(
        bodies={"block": {"mass": 1, "at": [0, 0, 0]}},
        joints={"s": {
            "type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [1, 0, 0],
            "position": position,
        }},
        forces={"pull": {"type": "expression", "along": "s", "value": force}},
        **parts,
    )  # fmt: skip


def cycle(acceleration, divergence, start: float) -> tuple[float, float]:
    """Period and multiplier of s'' = acceleration(s, s'), by SciPy: upward passages of s = 0 after a long time; the
    multiplier is exp of the integral of the divergence."""
    rhs = lambda t, y: [y[1], acceleration(y[0], y[1]), divergence(y[0])]  # noqa: E731

    def upward(t, y):
        return y[0]

    upward.direction = 1.0
    settled = solve_ivp(rhs, (0, 300), [start, 0, 0], method="DOP853", rtol=1e-10, atol=1e-12).y[:, -1]
    found = solve_ivp(rhs, (0, 20), [*settled[:2], 0], method="DOP853", rtol=1e-13, atol=1e-14, events=upward)
    (first, second), ends = found.t_events[0][:2], found.y_events[0][:2, 2]
    return second - first, float(np.exp(ends[1] - ends[0]))


def test_the_period_of_a_cycle_is_its_shortest():
    """The mode at the start has a period of 44 s, 63 times that of the cycle."""
    period, multiplier = cycle(
        lambda s, v: -0.02 * s - 30 * s**3 + 0.2 * (1 - s**2) * v, lambda s: 0.2 * (1 - s**2), 1.0
    )
    found = eb.floquet(slider(STIFF, 0.1), "free", settle=100)
    assert found.period == pytest.approx(period, rel=1e-9)
    assert found.multipliers[1].real == pytest.approx(multiplier, rel=1e-7)


def test_a_guess_of_many_periods_finds_one():
    period, multiplier = cycle(lambda s, v: -s + 0.5 * (1 - s**2) * v, lambda s: 0.5 * (1 - s**2), 1.0)
    found = eb.floquet(slider("=-s + 0.5*(1-s**2)*s'", 0.5), "free", guess=30 * 1.01, settle=60)
    assert found.period == pytest.approx(period, rel=1e-9)
    assert found.multipliers[1].real == pytest.approx(multiplier, rel=1e-7)


def test_a_lap_of_several_periods_is_taken_apart():
    """Newton's method finds three periods where it starts near them."""
    from eigenbody.operating.periodic import find_periodic
    from eigenbody.operating.periodic.cycles import parts_of
    from eigenbody.operating.periodic.shooting import lap_from

    one = find_periodic(slider("=-s + 0.5*(1-s**2)*s'", 0.5), "free").lap
    assert parts_of(one) == 1
    assert parts_of(lap_from(one.point, 3 * one.period, one.mesh, 1e-12)) == 3


def test_a_cycle_in_states_alone_is_one():
    states = {"x": {"rate": "=y", "initial": 2}, "y": {"rate": "=(1-x*x)*y-x"}}
    found = eb.floquet(slider("=-(1+0.2*x)*s - 0.02*s'", states=states), "free")
    assert found.period == pytest.approx(VAN_DER_POL, rel=1e-10)
    assert found.stabilities[0] == "orbit"
    assert np.prod(found.multipliers[1:3]).real == pytest.approx(np.exp(-0.02 * VAN_DER_POL), rel=1e-9)  # of s alone


def test_a_small_cycle_is_one():
    """Scaled by 1e-7, and its certificate by its own size: van der Pol's with 0.5."""
    period, multiplier = cycle(lambda s, v: -s + 0.5 * (1 - s**2) * v, lambda s: 0.5 * (1 - s**2), 1.0)
    found = eb.floquet(slider("=-s + 0.5*(1-(s/1e-7)**2)*s'", "0.1 um"), "free")
    assert found.period == pytest.approx(period, rel=1e-7)
    assert found.multipliers[1].real == pytest.approx(multiplier, rel=1e-5)
    assert found.certificate.orbit < 1e-6


@pytest.mark.parametrize("damping", [0.5, 0.05])
def test_what_dies_out_is_no_cycle(damping):
    with pytest.raises(ComputationError, match="only a point of rest"):
        eb.floquet(slider(f"=-s - {damping}*s'", 0.3), "free", settle=60)


def test_the_motion_of_a_cycle_is_recognized_by_its_direction():
    """Here the multiplier 1 along the cycle is missed by 3e-11, more than rounding of the transition explains."""
    found = eb.floquet(slider(STIFF, 0.1), "free", guess=0.7, settle=60)
    assert found.stabilities == ("orbit", "stable")
    assert found.multipliers[0] == 1


def test_no_time_to_settle_is_no_time():
    """From a start near the cycle with settle 0; by default it runs for eight periods and more first."""
    from eigenbody.operating.periodic import find_periodic

    model = slider("=-s + 0.5*(1-s**2)*s'", 2.0)
    at_once = find_periodic(model, "free", settle=0.0).point.coordinates()["s"]
    later = find_periodic(model, "free").point.coordinates()["s"]
    assert abs(at_once - 2.0) < 0.2
    assert abs(later - at_once) > 1e-3
    asked = model.set(operating_point={"periodic": {"period": "free", "settle": 0}})
    assert eb.floquet(asked).point.coordinates()["s"] == pytest.approx(at_once, abs=1e-6)


PENDULUM = {"inertia": 0.65, "weight": 4.905, "moment": 5.5, "friction": 0.5}  # about its pin: kg m2, N m, N m, N m s


def driven_pendulum(position: float, velocity: float) -> eb.Model:
    return eb.Model(
        gravity=[0, 0, -9.81],
        bodies={"a": {"mass": 1, "inertia": [0.4] * 3, "at": [0, 0, -0.5]}},
        joints={"h": {
            "type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0],
            "position": position, "velocity": velocity,
        }},
        forces={"drive": {"type": "expression", "along": "h", "value": "=5.5 - 0.5*h'"}},
    )  # fmt: skip


@pytest.mark.parametrize("position", [0.0, 2.0, 3.3, 5.0103, 5.0103 - 2 * np.pi])
def test_a_pendulum_that_goes_over_the_top_comes_back_after_a_turn(position: float):
    """From anywhere near its cycle; the multiplier is exp(-c T / J), the period that of an integration by SciPy."""

    def rate(t: float, y: np.ndarray) -> list[float]:
        own = PENDULUM
        push = own["moment"] - own["friction"] * y[1] - own["weight"] * np.sin(y[0])
        return [y[1], push / own["inertia"]]

    settled = solve_ivp(rate, (0, 60), [0.0, 11.0], method="DOP853", rtol=1e-12, atol=1e-12).y[:, -1]
    turn = lambda t, y: y[0] - settled[0] - 2 * np.pi  # noqa: E731
    period = solve_ivp(rate, (0, 2), settled, method="DOP853", rtol=1e-13, atol=1e-13, events=turn).t_events[0][0]
    found = eb.floquet(driven_pendulum(position, 11.0), "free", guess=0.5723, settle=1.0)
    assert found.period == pytest.approx(period, rel=1e-9)
    wanted = np.exp(-PENDULUM["friction"] * period / PENDULUM["inertia"])
    assert found.multipliers[1].real == pytest.approx(wanted, rel=1e-8)


@pytest.mark.parametrize("options", [{"guess": 6.66}, {"settle": 10.0}, {"guess": 5.0}, {"guess": 6.66, "settle": 5.0}])
def test_a_cycle_is_found_from_where_nothing_oscillates(options: dict):
    """At its turning point the linear equations of van der Pol's are those of a slow and a fast decay."""
    found = eb.floquet(slider("=-s + (1 - s**2)*s'", 2.0), "free", **options)
    assert found.period == pytest.approx(VAN_DER_POL, rel=1e-11)
