"""Linear time-varying equations along a motion, against differences of the flow and of prescribed motions."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.along.follow import Follower
from eigenbody.linearization.point import at_state

G = 9.81
BAR = [0.3, 0.4, 0.2]


def pendulum(angle: float = 0.0, rate: float = 0.0, damping: float = 0.0) -> eb.Model:
    """A bar of 2 kg, 0.4 kg m^2 about its centre 0.5 m below the hinge."""
    return eb.Model(
        gravity=[0, 0, -G],
        bodies={"bar": {"mass": 2, "inertia": BAR, "at": [0, 0, -0.5]}},
        joints={
            "hinge": {
                "type": "revolute", "between": ["ground", "bar"], "at": [0, 0, 0], "axis": [0, 1, 0],
                "position": angle, "velocity": rate,
            }
        },
        forces={"friction": {"type": "spring", "along": "hinge", "k": 0, "c": damping}},
    )  # fmt: skip


INERTIA = BAR[1] + 2 * 0.5**2
STIFFNESS = 2 * G * 0.5


def double_pendulum(a: float = 1.1, b: float = -0.4, va: float = 0.5, vb: float = 1.0, x: float = 0.2) -> eb.Model:
    """Two bars and a first-order state: a torque at the elbow that follows the shoulder late."""
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    return eb.Model(
        gravity=[0, 0, -G],
        bodies={name: {"mass": 1, "inertia": BAR, "at": [0, 0, z]} for name, z in (("upper", -0.5), ("lower", -1.4))},
        joints={
            "a": {**hinge, "between": ["ground", "upper"], "at": [0, 0, 0], "position": a, "velocity": va},
            "b": {**hinge, "between": ["upper", "lower"], "at": [0, 0, -1], "position": b, "velocity": vb},
        },
        states={"x": {"initial": x, "rate": "=3*(a - x) - 0.2*b'*x"}},
        forces={
            "elbow": {"type": "expression", "along": "b", "value": "=-2*x"},
            "drag": {"type": "spring", "along": "a", "k": 1, "c": 0.3},
        },
    )


def four_bar(a: float | None = 0.3, va: float | None = 2.0) -> eb.Model:
    """Crank 1 m, coupler 2 m, rocker sqrt 2 m, driven by gravity and a spring."""
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    return eb.Model(
        gravity=[0, 0, -G],
        bodies={
            "crank": {"mass": 3, "inertia": BAR, "at": [0, 0, 0.5]},
            "coupler": {"mass": 2, "inertia": BAR, "at": [1, 0, 1]},
            "rocker": {"mass": 4, "inertia": BAR, "at": [2.5, 0, 0.5]},
        },
        joints={
            "a": {**hinge, "between": ["ground", "crank"], "at": [0, 0, 0], "position": a, "velocity": va},
            "b": {**hinge, "between": ["crank", "coupler"], "at": [0, 0, 1]},
            "c": {**hinge, "between": ["coupler", "rocker"], "at": [2, 0, 1]},
            "d": {**hinge, "between": ["ground", "rocker"], "at": [3, 0, 0]},
        },
        measures={
            "gap": {"type": "distance", "between": ["crank", "rocker"]},
            "stay": {"type": "distance", "between": ["ground", "coupler"], "at": [[-1, 0, 0], [1, 0, 1]]},
        },
        forces={"pull": {"type": "spring", "along": "gap", "k": 30, "c": 1, "free": 2}},
    )


def differences(build: Callable[..., eb.Model], start: Mapping[str, float], names: list[str], end: float) -> np.ndarray:
    """Derivative of the end state by the initial state: central differences of simulations."""

    def state(values: Mapping[str, float]) -> np.ndarray:
        found = eb.simulate(build(**values), until=end, times=[0, end], tolerance=1e-11)
        return np.array([found.signal(name)[-1] for name in names])

    def column(name: str, step: float) -> np.ndarray:
        ahead, behind = (state({**start, name: start[name] + sign * step}) for sign in (1, -1))
        return (ahead - behind) / (2 * step)

    return np.stack([column(name, 1e-4) for name in start], axis=1)


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


# Along a solution -----------------------------------------------------------------------------------------------------
def test_monodromy_of_a_large_swing() -> None:
    """120 degrees: the period is an elliptic integral; the monodromy has 1 twice on its diagonal and -T'(a) w in a
    corner, for neighbours return later by T' (T: period by amplitude a)."""
    from scipy.special import ellipk

    amplitude, rate2 = 2 * np.pi / 3, STIFFNESS / INERTIA
    period = lambda a: 4 / np.sqrt(rate2) * ellipk(np.sin(a / 2) ** 2)  # noqa: E731
    T = period(amplitude)
    found = eb.along(pendulum(amplitude), np.linspace(0, T, 81))
    monodromy = found.transition()
    flow = differences(pendulum, {"angle": amplitude, "rate": 0.0}, ["hinge", "hinge'"], T)
    assert relative(monodromy, flow) < 1e-6
    later = (period(amplitude + 1e-4) - period(amplitude - 1e-4)) / 2e-4
    corner = later * rate2 * np.sin(amplitude)  # hinge' after T: acceleration -w^2 sin a times -T' da
    np.testing.assert_allclose(monodromy, [[1, 0], [corner, 1]], rtol=0, atol=1e-6)
    assert np.linalg.det(monodromy) == pytest.approx(1, abs=1e-9)  # no damping: areas are kept
    assert np.abs(found.h).max() < 1e-12
    assert found.is_solution
    assert "along a motion" in str(found)


def test_volume_shrinks_by_the_integral_of_the_trace() -> None:
    """Liouville: det Phi = exp(integral of trace A)."""
    found = eb.along(pendulum(2.0, 1.0, damping=0.6), np.linspace(0, 3, 31))
    assert np.linalg.det(found.transition()) == pytest.approx(np.exp(-0.6 / INERTIA * 3), rel=1e-8)


def test_double_pendulum_with_a_first_order_state() -> None:
    start = {"a": 1.1, "vb": 1.0, "x": 0.2}
    found = eb.along(double_pendulum(), np.linspace(0, 0.8, 41))
    assert found.states == ("a", "b", "a'", "b'", "x")
    flow = differences(double_pendulum, start, ["a", "b", "a'", "b'", "x"], 0.8)
    assert relative(found.transition()[:, [0, 3, 4]], flow) < 1e-6
    trace = np.trace(found.A, axis1=1, axis2=2)
    from scipy.integrate import simpson

    assert np.linalg.det(found.transition()) == pytest.approx(np.exp(simpson(trace, x=found.t)), rel=1e-6)


@pytest.mark.parametrize("coordinate", ["a", "gap"])
def test_closed_loop(coordinate: str) -> None:
    found = eb.along(four_bar(), np.linspace(0, 0.4, 61), coordinates=[coordinate])
    flow = differences(four_bar, {"a": 0.3, "va": 2.0}, [coordinate, coordinate + "'"], 0.4)
    if coordinate == "gap":  # by the initial state in the same coordinate
        flow = flow @ np.linalg.inv(differences_at_start(coordinate))
    assert found.coordinates == (coordinate,)
    assert relative(found.transition(), flow) < 1e-6


def differences_at_start(coordinate: str) -> np.ndarray:
    """d(s, s')/d(a, a') at the start."""
    found = eb.linearize(four_bar(), coordinates=["a"]).dependents([coordinate])
    return np.stack((found.value[0], found.rate[0]))


def test_tumbling_body_in_small_rotations() -> None:
    """A free asymmetric body on a spring: dS = exp(dphi) in ground axes, dphi' = domega + omega x dphi."""
    from eigenbody.spatial.rotations import exp, log

    model = eb.Model(
        bodies={"stone": {"mass": 2, "inertia": [0.3, 0.5, 0.7], "at": [0, 0, 0]}},
        joints={"fly": {"type": "free", "between": ["ground", "stone"], "velocity": [0.1, 0, 0.2, 3, 0.4, -2]}},
        forces={
            "string": {
                "type": "spring", "between": ["ground", "stone"], "at": [[1, 1, 1], [0.3, 0, 0.1]], "k": 20, "c": 0.5,
                "free_length": 1,
            }
        },
    )  # fmt: skip
    point, end = eb.operating_point(model), 1.5
    found = eb.along(point, np.linspace(0, end, 81))

    def disturbed(x: np.ndarray) -> Any:
        """The end of the motion from the state changed by the linear state x."""
        from dataclasses import replace

        s, turn = point.state, exp(x[3:6])
        omega = s.R[0] @ s.w[0] + x[9:12] - np.cross(s.R[0] @ s.w[0], x[3:6])
        R = turn @ s.R[0]
        changed = replace(s, r=s.r + x[:3], R=R[None], v=s.v + x[6:9], w=(R.T @ omega)[None])
        return eb.simulate(at_state(model, point.system, changed), until=end, times=[0, end], tolerance=1e-11).state

    base = disturbed(np.zeros(12))
    spin = base.R[0] @ base.w[0]

    def change(x: np.ndarray) -> np.ndarray:
        state = disturbed(x)
        phi = log(state.R[0] @ base.R[0].T)
        rate = state.R[0] @ state.w[0] - spin + np.cross(spin, phi)
        return np.concatenate(((state.r - base.r)[0], phi, (state.v - base.v)[0], rate))

    step = 1e-4
    transition = found.transition()
    for k in (3, 10):  # a small rotation, an angular velocity
        x = step * np.eye(12)[k]
        expected = (change(x) - change(-x)) / (2 * step)
        assert relative(transition[:, k], expected) < 1e-6


# Along a prescribed motion --------------------------------------------------------------------------------------------
def test_prescribed_pendulum() -> None:
    """x'' J + m g l cos(th) x = h = -(J th'' + m g l sin th) along any th(t)."""
    found = eb.along(pendulum(), np.linspace(0, 2, 21), motion={"hinge": "=0.8*sin(3*t)"})
    th = 0.8 * np.sin(3 * found.t)
    np.testing.assert_allclose(found.h[:, 0], -(-9 * INERTIA * th + STIFFNESS * np.sin(th)), rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.K[:, 0, 0], STIFFNESS * np.cos(th), rtol=0, atol=1e-11)
    np.testing.assert_allclose(found.M[:, 0, 0], INERTIA, rtol=1e-13)
    assert not found.is_solution


def test_h_is_minus_the_force_of_the_drive() -> None:
    law = "=0.3 + 0.2*sin(4*t)"
    found = eb.along(four_bar(), np.linspace(0, 1, 21), coordinates=["a"], motion={"a": law})
    driven = eb.inverse(four_bar(None, None), until=1.0, points=21, motion={"a": law})
    np.testing.assert_allclose(found.h[:, 0], -driven.force[:, 0], rtol=0, atol=1e-7 * np.abs(driven.force).max())


@pytest.mark.parametrize(("coordinate", "law"), [("a", "0.3 + 0.2*sin(4*t)"), ("stay", "2.3 + 0.05*cos(3*t)")])
def test_matrices_along_a_prescribed_motion_are_derivatives_of_h(coordinate: str, law: str) -> None:
    """h of a neighbouring motion s + eps x(t) changes by -(M x'' + C x' + K x); stay is a curved coordinate."""
    times = np.linspace(0, 1, 5)

    def along(disturbance: str) -> eb.TimeVarying:
        return eb.along(
            four_bar(None, None), times, coordinates=[coordinate], motion={coordinate: f"={law} + {disturbance}"}
        )

    found, eps = along("0"), 1e-4
    M, C, K = (matrix[:, 0, 0] for matrix in (found.M, found.C, found.K))
    shapes = {"1": (1, 0, 0), "t": (times, 1, 0), "t**2": (times**2, 2 * times, 2)}
    for text, (x, v, a) in shapes.items():
        slope = (along(f"{eps}*{text}").h - along(f"-{eps}*{text}").h)[:, 0] / (2 * eps)
        expected = -(M * a + C * v + K * x)
        np.testing.assert_allclose(slope, expected, rtol=0, atol=2e-6 * np.abs(expected).max())


# What can go wrong ----------------------------------------------------------------------------------------------------
def test_coordinates_that_fail_on_the_way_are_told() -> None:
    """The height of a point of the bar is no coordinate where the bar passes the horizontal; sampled at it or not."""
    model = pendulum(2.0)
    model = model.marker("end", body="bar", at=[0, 0, -1])
    model = model.measure("side", "displacement", between=["ground", "end"], axis=[1, 0, 0])
    with pytest.raises(eb.ComputationError, match="side do not serve at t") as error:
        eb.along(model, np.linspace(0, 2, 41), coordinates=["side"])
    partial = error.value.partial
    assert 0 < len(partial) < 41
    angle = eb.simulate(model, 2.0, times=np.linspace(0, 2, 41)).signal("hinge")
    assert np.abs(angle[: len(partial)]).min() > np.pi / 2
    assert np.abs(angle[len(partial)]) <= np.pi / 2


def test_times_of_a_simulation() -> None:
    simulation = eb.simulate(pendulum(1.0), until=1, times=0.1)
    assert len(eb.along(simulation)) == 11
    chosen = eb.along(simulation, times=[0.2, 0.7])
    np.testing.assert_allclose(chosen.t, [0.2, 0.7])
    with pytest.raises(eb.InputError, match=r"0\.25 s is no output time"):
        eb.along(simulation, times=[0.2, 0.25])


def test_wrong_calls() -> None:
    with pytest.raises(eb.InputError, match="two times or more"):
        eb.along(pendulum(), [1.0])
    with pytest.raises(eb.InputError, match="hing"):
        eb.along(pendulum(), [0, 1], motion={"hing": "=t"})
    with pytest.raises(eb.InputError, match="a simulation is a motion already"):
        eb.along(eb.simulate(pendulum(1.0), until=1, times=0.5), motion={"hinge": "=t"})


@pytest.mark.parametrize("build", [pendulum, double_pendulum, four_bar])
@pytest.mark.parametrize("motion", [None, "=0.3 + 0.5*t - 0.4*t**2"])
def test_many_instants_at_once_are_those_found_one_by_one(
    build: Callable[..., eb.Model], motion: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One evaluation of all times, against a selection of rows and coordinates and a linear model for each."""
    model, times = build(), np.linspace(0, 0.3, 13)
    prescribed = None if motion is None else {"hinge" if build is pendulum else "a": motion}
    together = eb.along(model, times, motion=prescribed)
    monkeypatch.setattr(Follower, "_together", lambda self, index: None)
    alone = eb.along(model, times, motion=prescribed)
    assert together.states == alone.states
    force = max(np.abs(matrix).max() for matrix in (alone.M, alone.C, alone.K))
    for name in ("M", "C", "K", "h", "A", "B"):
        own, other = getattr(together, name), getattr(alone, name)
        size = np.abs(other).max(initial=0.0) if name in "AB" else force
        assert np.abs(own - other).max(initial=0.0) <= 1e-12 * size, name
    assert max(together.tangent_error, *together.drift) < 1e-8


def test_instants_are_found_at_once() -> None:
    model = double_pendulum()
    follower = Follower(model, eb.simulate(model, 0.1, points=5), None, False)
    found = follower._together(np.arange(5))
    assert found is not None
    assert found.A.shape == (5, 5, 5)
