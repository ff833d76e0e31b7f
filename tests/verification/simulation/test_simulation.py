"""Motions against closed forms, conservation laws and each other."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import eigenbody as eb
from eigenbody.simulation.forward import Forward
from eigenbody.spatial.rotations import exp
from eigenbody.system.state import State

EXAMPLES = Path(__file__).parents[3] / "examples"
HELD = 1e-10  # constraints at position and velocity level, all along
G = 9.81


def pendulum(angle: float = 1.0, **more: Any) -> eb.Model:
    """Point mass of 2 kg on a rod of 1 m, released at an angle."""
    return eb.Model(
        gravity=[0, 0, -G],
        bodies={"bob": {"mass": 2, "inertia": [0, 0, 0], "at": [0, 0, -1]}},
        joints={
            "pin": {
                "type": "revolute",
                "between": ["ground", "bob"],
                "at": [0, 0, 0],
                "axis": [0, 1, 0],
                "position": angle,
            }
        },
        **more,
    )


def swing(t: np.ndarray, angle: float) -> np.ndarray:
    """Angle of a pendulum of 1 m released at rest: theta = 2 asin(k cd(w t, k))."""
    m = math.sin(angle / 2) ** 2
    sn, *_ = ellipj(ellipk(m) - math.sqrt(G) * t, m)
    return 2 * np.arcsin(math.sqrt(m) * sn)


def period(angle: float) -> float:
    return 4 * float(ellipk(math.sin(angle / 2) ** 2)) / math.sqrt(G)


# Closed forms ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"method": "auto", "tolerance": 1e-8}, 2e-6),
        ({"method": "dop853", "tolerance": 1e-12}, 1e-10),
        ({"method": "radau", "tolerance": 1e-8}, 1e-6),
        ({"method": "gauss", "tolerance": 1e-8}, 2e-8),
        ({"method": "rk4", "step": 0.08}, 1e-3),
        ({"method": "generalized-alpha", "step": 0.002, "rho": 0.95}, 1e-3),
        ({"method": "generalized-alpha", "tolerance": 1e-6}, 3e-3),
        ({"method": "hht", "step": 0.002, "rho": 0.95}, 1e-3),
    ],
    ids=lambda o: o["method"] if isinstance(o, dict) else "",
)
def test_pendulum_by_elliptic_functions(options: dict[str, Any], allowed: float) -> None:
    found = eb.simulate(pendulum(2.0), until=2.0, points=9, **options)
    assert np.abs(found.signal("pin") - swing(found.t, 2.0)).max() < allowed
    assert max(found.drift) < HELD


def test_sleigh_on_its_blade_by_hyperbolic_functions() -> None:
    """u = v ahead, w = turning: u' = a w^2, w' = -m a u w / (J + m a^2), hence u = c tanh(s), w = c sech(s) / k."""
    model = eb.load(EXAMPLES / "chaplygin_sleigh.yaml")
    document = model.document
    document["joints"]["plane"]["velocity"] = [0.3, 0, 2.0]
    found = eb.simulate(eb.load(document), until=6.0, tolerance=1e-11, points=61)
    a, m, J = 0.25, 2.0, 0.3
    k = math.sqrt(J / m + a * a)
    c = math.hypot(0.3, k * 2.0)
    s = math.atanh(0.3 / c) + c * a / (k * k) * found.t
    np.testing.assert_allclose(found.signal("plane.angle'"), c / k / np.cosh(s), atol=1e-9)
    assert max(found.drift) < HELD
    assert np.ptp(found.signal("energy.kinetic")) < 1e-9


def test_slider_crank_with_prescribed_motion() -> None:
    """Slider at r cos + sqrt(l^2 - r^2 sin^2) of a crank that follows f(t)."""
    r, length = 0.3, 1.0
    model = eb.Model(
        bodies={
            "crank": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0.15, 0, 0]},
            "rod": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0.8, 0, 0]},
            "slider": {"mass": 3, "inertia": [0.1, 0.1, 0.1], "at": [1.3, 0, 0]},
        },
        joints={
            "drive": {
                "type": "revolute",
                "between": ["ground", "crank"],
                "at": [0, 0, 0],
                "motion": "=3*t + 0.5*sin(2*t)",
            },
            "pin": {"type": "revolute", "between": ["crank", "rod"], "at": [r, 0, 0]},
            "wrist": {"type": "revolute", "between": ["rod", "slider"], "at": [1.3, 0, 0]},
            "rail": {"type": "prismatic", "between": ["ground", "slider"], "at": [1.3, 0, 0], "axis": [1, 0, 0]},
        },
    )
    found = eb.simulate(model, until=5.0, points=101)
    angle = 3 * found.t + 0.5 * np.sin(2 * found.t)
    where = r * np.cos(angle) + np.sqrt(length**2 - (r * np.sin(angle)) ** 2) - 1.3
    np.testing.assert_allclose(found.signal("drive"), angle, atol=1e-10)  # full turns counted
    np.testing.assert_allclose(found.signal("rail"), where, atol=1e-10)
    np.testing.assert_allclose(found.signal("drive''"), -2 * np.sin(2 * found.t), atol=1e-9)
    assert max(found.drift) < HELD


@pytest.mark.parametrize("method", ["dop853", "gauss", "radau", "generalized-alpha", "rk4"])
def test_first_order_state_follows_its_input(method: str) -> None:
    """x' = (s - x) / T with s = sin(w t): x = (sin - w T cos + w T exp(-t / T)) / (1 + (w T)^2)."""
    T, w = 0.2, 5.0
    model = eb.Model(
        bodies={"block": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        joints={
            "rail": {
                "type": "prismatic",
                "between": ["ground", "block"],
                "at": [0, 0, 0],
                "axis": [1, 0, 0],
                "motion": "=sin(5*t)",
            }
        },
        states={"x": {"initial": 0, "rate": "=(rail - x)/0.2"}},
    )
    fixed = {"rk4": {"step": 0.025}, "generalized-alpha": {"step": 0.002}}.get(method, {})
    found = eb.simulate(model, until=1.0, points=11, method=method, **fixed)
    t = found.t
    exact = (np.sin(w * t) - w * T * np.cos(w * t) + w * T * np.exp(-t / T)) / (1 + (w * T) ** 2)
    allowed = {"generalized-alpha": 2e-5, "rk4": 1e-5}.get(method, 1e-7)
    np.testing.assert_allclose(found.signal("x"), exact, atol=allowed)


def test_pendulum_on_a_turntable_keeps_its_jacobi_integral() -> None:
    """In the turning frame theta'^2/2 - (W sin theta)^2/2 - (g/l) cos theta is constant."""
    W = 4.0
    model = eb.Model(
        gravity=[0, 0, -G],
        frames={"table": {"about": [0, 0, 1], "rate": W}},
        bodies={"bob": {"mass": 2, "inertia": [0, 0, 0], "at": [0, 0, -1]}},
        joints={
            "pin": {
                "type": "revolute",
                "between": ["table", "bob"],
                "at": [0, 0, 0],
                "axis": [0, 1, 0],
                "position": 0.4,
            }
        },
    )
    found = eb.simulate(model, until=8.0, tolerance=1e-10, points=81)
    theta, rate = found.signal("pin"), found.signal("pin'")
    integral = 0.5 * rate**2 - 0.5 * (W * np.sin(theta)) ** 2 - G * np.cos(theta)
    assert np.ptp(theta) > 0.5
    assert np.ptp(integral) < 1e-8
    np.testing.assert_allclose(
        found.signal("pin''"), W**2 * np.sin(theta) * np.cos(theta) - G * np.sin(theta), atol=1e-8
    )
    assert max(found.drift) < HELD


def test_screw_torque_winds_many_turns_against_a_spring() -> None:
    """A wheel on a torsion spring set free at ten turns: angle = 20 pi cos(w t), counted without a jump."""
    model = eb.Model(
        bodies={"wheel": {"mass": 1, "inertia": [0.5, 0.5, 0.5], "at": [0, 0, 0]}},
        joints={
            "axle": {"type": "revolute", "between": ["ground", "wheel"], "at": [0, 0, 0], "velocity": 40 * math.pi}
        },
        forces={"spring": {"type": "spring", "along": "axle", "k": 2}},
    )
    found = eb.simulate(model, until=3.0, tolerance=1e-10, points=61)
    np.testing.assert_allclose(found.signal("axle"), 20 * math.pi * np.sin(2 * found.t), atol=1e-7)


# Conservation ---------------------------------------------------------------------------------------------------------
def energy_drift(found: eb.Simulation) -> float:
    energy = found.signal("energy")
    return float(np.ptp(energy) / np.ptp(found.signal("energy.kinetic")))


def test_energy_over_thirty_periods() -> None:
    found = eb.simulate(pendulum(0.5), until=30 * period(0.5), tolerance=1e-10, points=98)
    assert energy_drift(found) < 1e-8


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_energy_over_a_thousand_periods() -> None:
    found = eb.simulate(pendulum(0.5), until=1000 * period(0.5), tolerance=3e-12, points=3098)
    assert energy_drift(found) < 1e-8
    assert max(found.drift) < HELD


def test_closed_loop_with_redundant_rows_keeps_its_energy() -> None:
    document = eb.load(EXAMPLES / "planar_four_bar_redundant.yaml").document
    document["joints"]["a"]["position"] = 1.0
    point = eb.operating_point(eb.load(document))
    assert len(point.redundant) == 3
    found = eb.simulate(point, until=4.0, tolerance=1e-11, points=41)
    assert energy_drift(found) < 1e-8
    assert max(found.drift) < HELD  # the redundant rows included
    # all links translate or turn alike: m r^2 = 10/4*2 + 10 + 5*2 = 25, weight lever 10/2*2 + 10 = 20: w^2 = 20 g/25
    same = eb.simulate(pendulum(1.0), until=found.t[-1] * math.sqrt(0.8), tolerance=1e-11, points=41)
    np.testing.assert_allclose(found.signal("a"), same.signal("pin"), atol=1e-8)


def test_dissipation_equals_loss() -> None:
    """The energy lost is the work of the damper, which a first-order state adds up."""
    model = pendulum(1.2, forces={"damper": {"type": "spring", "along": "pin", "k": 3, "c": 0.7}},
                     states={"work": {"initial": 0, "rate": "=0.7*pin'**2"}})  # fmt: skip
    found = eb.simulate(model, until=3.0, tolerance=1e-11, points=601)
    energy = found.signal("energy")
    assert energy[0] - energy[-1] > 3.0
    np.testing.assert_allclose(energy[0] - energy, found.signal("work"), atol=1e-9)
    spent = np.sum(
        0.5 * (found.signal("power.dissipated")[1:] + found.signal("power.dissipated")[:-1]) * np.diff(found.t)
    )
    assert spent == pytest.approx(energy[0] - energy[-1], rel=1e-4)  # the trapezoidal rule's own error


def free_pair() -> eb.Model:
    """Two bodies on a ball joint with a spring between them, tumbling freely."""
    return eb.Model(
        bodies={
            "first": {"mass": 2, "inertia": [0.3, 0.5, 0.4, 0.05, 0.02, -0.03], "at": [0, 0, 0]},
            "second": {"mass": 1, "inertia": [0.2, 0.1, 0.15], "at": [0.8, 0.1, 0]},
        },
        joints={
            "float": {"type": "free", "between": ["ground", "first"], "at": [0, 0, 0],
                      "velocity": [0.3, -0.2, 0.1, 1.0, 2.0, -1.5]},
            "ball": {"type": "spherical", "between": ["first", "second"], "at": [0.4, 0, 0], "velocity": [1, -2, 3]},
        },
        forces={"spring": {"type": "spring", "between": ["first", "second"], "at": [[0, 0.3, 0], [0.8, 0.4, 0.2]],
                           "k": 40, "free_length": 0.7}},
    )  # fmt: skip


def momenta(system: Any, states: State) -> np.ndarray:
    """Linear and angular momentum about the origin, (n, 6)."""
    p = system.mass[:, None] * states.v
    spin = np.einsum("nbij,bjk,nbk->nbi", states.R, system.inertia, states.w)
    return np.concatenate((p.sum(1), (spin + np.cross(states.r, p)).sum(1)), axis=-1)


def test_free_system_keeps_its_momentum() -> None:
    found = eb.simulate(free_pair(), until=3.0, tolerance=1e-12, points=31)
    kept = momenta(found.system, found.states)
    assert np.abs(kept[0]).min() > 1e-3
    assert np.abs(kept - kept[0]).max() < 1e-10
    assert energy_drift(found) < 1e-9
    assert max(found.drift) < HELD


def test_heavy_top_keeps_its_three_integrals() -> None:
    """Energy, spin about its own axis (symmetric body) and angular momentum about the vertical."""
    model = eb.Model(
        gravity=[0, 0, -G],
        bodies={"top": {"mass": 2, "inertia": [0.05, 0.05, 0.02], "at": [0, 0, 0.4]}},
        joints={"tip": {"type": "spherical", "between": ["ground", "top"], "at": [0, 0, 0], "position": [0.6, 0, 0],
                        "velocity": [0, 0.3, 60]}},
    )  # fmt: skip
    found = eb.simulate(model, until=1.0, tolerance=1e-11, points=51)
    states = found.states
    vertical = momenta(found.system, states)[:, 5]
    assert np.ptp(states.R[:, 0, 2, 2]) > 1e-3  # it nods
    assert np.ptp(states.w[:, 0, 2]) < 1e-8
    assert np.ptp(vertical) < 1e-9 * np.abs(vertical).max()
    assert np.ptp(found.signal("energy")) < 1e-8 * found.signal("energy.kinetic").max()


def test_massless_link_between_two_masses() -> None:
    """A rod without mass between a hinge and a bob changes nothing; its rows alone carry it."""
    model = eb.Model(
        gravity=[0, 0, -G],
        bodies={
            "rod": {"mass": 0, "inertia": [0, 0, 0], "at": [0, 0, -0.5]},
            "bob": {"mass": 2, "inertia": [0, 0, 0], "at": [0, 0, -1]},
        },
        joints={
            "pin": {
                "type": "revolute",
                "between": ["ground", "rod"],
                "at": [0, 0, 0],
                "axis": [0, 1, 0],
                "position": 1.0,
            },
            "weld": {"type": "fixed", "between": ["rod", "bob"], "at": [0, 0, -1]},
        },
    )
    found = eb.simulate(model, until=3.0, points=31)
    np.testing.assert_allclose(found.signal("pin"), swing(found.t, 1.0), atol=1e-6)


# Methods against each other -------------------------------------------------------------------------------------------
@cache
def reference() -> eb.Simulation:
    return eb.simulate(free_pair(), until=0.5, tolerance=1e-13, points=2)


def distance(found: eb.Simulation) -> float:
    return float(np.abs(found.state.r - reference().state.r).max() + np.abs(found.state.R - reference().state.R).max())


@pytest.mark.parametrize(
    ("options", "steps", "order"),
    [
        ({"method": "generalized-alpha"}, (0.01, 0.005), 2),
        ({"method": "hht"}, (0.01, 0.005), 2),
        ({"method": "rk4"}, (0.05, 0.025), 4),
        ({"method": "radau", "tolerance": 1e-4}, (0.02, 0.01), 5),
        ({"method": "dop853", "tolerance": 0.1}, (0.1, 0.05), 8),
    ],
    ids=lambda o: o["method"] if isinstance(o, dict) else "",
)
def test_order_of_convergence(options: dict[str, Any], steps: tuple[float, float], order: int) -> None:
    """The error in a tumbling pair at half a second falls by 2^order with half the step."""
    key = "max_step" if "tolerance" in options else "step"
    coarse, fine = (distance(eb.simulate(free_pair(), until=0.5, points=2, **options, **{key: h})) for h in steps)
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.6)


def test_order_of_generalized_alpha_in_a_closed_loop() -> None:
    document = eb.load(EXAMPLES / "planar_four_bar_redundant.yaml").document
    document["joints"]["a"]["position"] = 1.0
    model = eb.load(document)
    exact = eb.simulate(model, until=1.0, tolerance=1e-12, points=2).signal("a")[-1]
    off = [
        abs(eb.simulate(model, until=1.0, method="generalized-alpha", step=h, points=2).signal("a")[-1] - exact)
        for h in (0.01, 0.005)
    ]
    assert math.log2(off[0] / off[1]) == pytest.approx(2, abs=0.3)


def stiff_chain() -> eb.Model:
    """Two links with a hard and heavily damped spring in the upper hinge."""
    return eb.Model(
        gravity=[0, 0, -G],
        bodies={
            "upper": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, -0.5]},
            "lower": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, -1.5]},
        },
        joints={
            "hip": {"type": "revolute", "between": ["ground", "upper"], "at": [0, 0, 0], "axis": [0, 1, 0]},
            "knee": {
                "type": "revolute",
                "between": ["upper", "lower"],
                "at": [0, 0, -1],
                "axis": [0, 1, 0],
                "position": 1,
            },
        },
        forces={"hard": {"type": "spring", "along": "hip", "k": 1e5, "c": 1e4}},
    )


def test_stiffness_is_found_and_met_by_an_implicit_method() -> None:
    found = eb.simulate(stiff_chain(), until=1.0, tolerance=1e-7, points=11)
    assert found.method == "dop853 then radau"
    plain = eb.simulate(stiff_chain(), until=0.2, method="dop853", tolerance=1e-7, points=3)
    np.testing.assert_allclose(found.signal("knee")[:3], plain.signal("knee"), atol=1e-5)
    assert found.statistics["steps"] < plain.statistics["steps"]


def test_sparse_path_agrees_with_dense(monkeypatch: pytest.MonkeyPatch) -> None:
    from eigenbody.simulation import forward

    model = free_pair()
    for method, more in (("dop853", {}), ("generalized-alpha", {"step": 0.01})):
        dense = eb.simulate(model, until=0.3, method=method, points=4, **more)
        with monkeypatch.context() as patch:
            patch.setattr(forward, "DENSE_LIMIT", 0)
            sparse = eb.simulate(model, until=0.3, method=method, points=4, **more)
        np.testing.assert_allclose(sparse.states.r, dense.states.r, atol=1e-10)
        assert max(sparse.drift) < HELD


def test_large_chain_by_generalized_alpha() -> None:
    """Fifty links, far above the dense limit: energy falls by what the dampers take, constraints hold."""
    import sys

    sys.path.insert(0, str(EXAMPLES))
    from families import family

    model = eb.load(family("C50RF1")).set(gravity=[0, G, 0])
    found = eb.simulate(model, until=0.1, method="generalized-alpha", step=0.002, points=6)
    assert max(found.drift) < HELD
    assert found.statistics["factorizations"] < found.statistics["steps"]


@pytest.mark.parametrize("method", ["dop853", "gauss", "radau", "generalized-alpha", "hht"])
def test_turns_are_counted_in_a_motion_that_asks_for_long_steps(method: str) -> None:
    """A wheel at 100 rad/s, on a carrier that turns against it: nothing but the turns limits the step."""
    hinge = {"type": "revolute", "at": [0, 0, 0], "axis": [0, 0, 1]}
    model = eb.Model(
        bodies={name: {"mass": 1, "inertia": [1, 1, 2], "at": [0, 0, 0]} for name in ("carrier", "wheel")},
        joints={
            "base": hinge | {"between": ["ground", "carrier"], "velocity": -100.0},
            "spin": hinge | {"between": ["carrier", "wheel"], "velocity": 200.0},
        },
    )
    found = eb.simulate(model, until=2.0, points=3, method=method)
    np.testing.assert_allclose(found.signal("spin"), 200 * found.t, atol=1e-8)
    np.testing.assert_allclose(found.signal("base"), -100 * found.t, atol=1e-8)


@pytest.mark.parametrize("method", ["generalized-alpha", "hht", "rk4"])
def test_a_fixed_step_that_would_lose_count_of_turns_is_refused(method: str) -> None:
    document = pendulum().document
    document["joints"]["pin"]["velocity"] = 100.0
    with pytest.raises(eb.SimulationError, match=r"turns too far in a step of 0.1 s.*at most 0.02"):
        eb.simulate(eb.load(document), until=1.0, method=method, step=0.1)


@pytest.mark.parametrize("method", ["dop853", "gauss", "radau", "generalized-alpha", "kane"])
def test_a_state_that_only_rounding_drives_does_not_hold_up_the_others(method: str) -> None:
    """The integral of an error that is zero but for rounding, as a controller of a symmetric motion has it."""
    document = pendulum().document
    axis, height = [0.3, 1, 0.1], 0.25
    document["joints"]["pin"] |= {"axis": axis, "velocity": 1.0}
    document["measures"] = {"along": {"type": "displacement", "between": ["ground", "bob"], "axis": axis}}
    start = float(np.dot(axis, document["bodies"]["bob"]["at"]) / np.linalg.norm(axis))
    document["states"] = {"integral": {"initial": 0, "rate": f"=along - ({start!r} + {height}) + {height}"}}
    found = eb.simulate(eb.load(document), until=0.5, points=3, method=method, tolerance=1e-6)
    assert np.abs(found.signal("integral")).max() < 1e-15


@pytest.mark.parametrize("size", [1.0, 1e-4, 1e-9])
@pytest.mark.parametrize("method", ["dop853", "gauss", "radau"])
def test_a_state_that_begins_late_is_followed_at_its_own_size(method: str, size: float) -> None:
    """Zero for two seconds, then driven by a sine: x = size (cos 40 - cos 20 t)/20."""
    document = pendulum().document
    document["states"] = {"x": {"initial": 0, "rate": f"={size}*step(t - 2)*sin(20*t)"}}
    found = eb.simulate(eb.load(document), until=3.0, points=31, method=method, tolerance=1e-7)
    expected = np.where(found.t > 2, size * (np.cos(40) - np.cos(20 * found.t)) / 20, 0.0)
    np.testing.assert_allclose(found.signal("x"), expected, atol=1e-6 * size)


def test_steps_of_gauss_grow_again_after_a_jump() -> None:
    """They shrink to 1e-8 s where the rate of x jumps: 3 % from step to step would be 550 steps to grow by 1e7."""
    document = pendulum().document
    document["states"] = {"x": {"initial": 0, "rate": "=step(t - 2)*(1 + sin(20*t))"}}
    found = eb.simulate(eb.load(document), until=3.0, points=3, method="gauss", tolerance=1e-7)
    assert found.statistics["smallest_step"] < 1e-7
    assert found.statistics["steps"] < 120
    assert found.signal("x")[-1] == pytest.approx(1 + (np.cos(40) - np.cos(60)) / 20, abs=1e-6)


def test_numbers_that_a_method_does_not_use_are_named() -> None:
    found = eb.simulate(pendulum(), until=0.1, method="dop853", step=0.01, rho=0.8, points=2)
    assert [remark.split(":")[0] for remark in found.remarks] == ["step", "rho"]


# Fast kernels against the general ones --------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["four_bar", "rotor_stator", "chaplygin_sleigh", "geared_shafts", "rotating_pendulum"])
def test_forward_dynamics_are_those_of_the_operating_point(name: str) -> None:
    """At random velocities and positions on the constraints, against the projection on minimal coordinates."""
    from eigenbody.linearization.point import at_state
    from eigenbody.simulation.forward import Forward

    point = eb.operating_point(eb.load(EXAMPLES / f"{name}.yaml"))
    rng = np.random.default_rng(5)
    forward = Forward(point.system, point.chosen)
    state = forward.closed(forward.moved(point.state, rng.normal(size=point.system.nq) * 0.1), None)
    u = forward.spread(rng.normal(size=point.system.nq))
    state = State(state.r, state.R, u[:, :3], u[:, 3:], state.x, state.turns, state.u_in, state.t)
    state = forward.consistent(state)[0]
    general = at_state(point.model, point.system, state).motion
    now = forward.evaluate(state)
    size = np.abs(general.acceleration).max()
    np.testing.assert_allclose(now.acceleration, general.acceleration, atol=1e-10 * size)
    multipliers = general.multipliers[point.chosen.rows]
    np.testing.assert_allclose(
        now.multipliers[: len(multipliers)], multipliers, atol=1e-9 * (1 + np.abs(multipliers).max())
    )


@pytest.mark.parametrize("name", ["four_bar", "rotor_stator", "geared_shafts", "rotating_pendulum"])
def test_jacobian_against_differences(name: str) -> None:
    from eigenbody.simulation.chart import Chart
    from eigenbody.simulation.forward import Forward
    from eigenbody.simulation.tangents import jacobian

    point = eb.operating_point(eb.load(EXAMPLES / f"{name}.yaml"))
    forward = Forward(point.system, point.chosen)
    chart = Chart(forward, point.state)
    J, y = jacobian(forward, point.state, forward.evaluate(point.state)), chart.origin
    h = 1e-6
    for k in range(len(y)):
        e = np.zeros(len(y))
        e[k] = h
        column = (chart.derivative(0.0, y + e) - chart.derivative(0.0, y - e)) / (2 * h)
        np.testing.assert_allclose(J[:, k], column, atol=1e-6 * max(1.0, np.abs(J).max()))


# Output ---------------------------------------------------------------------------------------------------------------
def test_output_times_do_not_change_the_motion() -> None:
    one = eb.simulate(free_pair(), until=1.0, points=2)
    many = eb.simulate(free_pair(), until=1.0, times=0.01)
    assert len(many) == 101
    np.testing.assert_array_equal(one.state.r, many.state.r)
    np.testing.assert_allclose(
        np.gradient(many.signal("first.x"), many.t)[1:-1], many.signal("first.x'")[1:-1], atol=2e-3
    )


def test_signals_of_every_kind() -> None:
    model = pendulum(1.0).output("height", expression="=1 - cos(pin)").state("x", initial=2, rate="=-x")
    found = eb.simulate(model, until=1.0, points=11, outputs=["pin", "pin'", "height", "x", "bob.z", "energy"])
    np.testing.assert_allclose(found.signal("height"), 1 - np.cos(found.signal("pin")), atol=1e-14)
    np.testing.assert_allclose(found.signal("bob.z"), found.signal("height"), atol=1e-12)
    np.testing.assert_allclose(found.signal("pin''"), -G * np.sin(found.signal("pin")), atol=1e-9)
    np.testing.assert_allclose(found.signal("x"), 2 * np.exp(-found.t), atol=1e-8)
    axial, rate = found.signal("reaction.pin.fz"), found.signal("pin'")  # of a revolute joint: z is its axis
    pull = np.hypot(found.signal("reaction.pin.fx"), found.signal("reaction.pin.fy"))
    np.testing.assert_allclose(pull, np.abs(2 * (G * np.cos(found.signal("pin")) + rate**2)), rtol=1e-9)
    np.testing.assert_allclose(axial, 0, atol=1e-9)
    assert list(found.as_dict()) == ["t", "pin", "pin'", "height", "x", "bob.z", "energy"]
    assert "constraints hold" in str(found)
    assert len(found.plot().axes) == 5  # the energy does not change
    with pytest.raises(eb.InputError, match="Did you mean"):
        found.signal("pinn")


@pytest.mark.parametrize("ending", ["npz", "csv", "json", "parquet"])
def test_files(ending: str, tmp_path: Path) -> None:
    found = eb.simulate(pendulum(), until=1.0, points=11, outputs=["pin", "pin'"])
    file = tmp_path / f"motion.{ending}"
    found.write(file)
    if ending == "npz":
        columns = dict(np.load(file))
    elif ending == "csv":
        table = np.genfromtxt(file, delimiter=",", skip_header=1)
        columns = dict(zip(file.read_text().splitlines()[0].split(","), table.T, strict=True))
    elif ending == "parquet":
        parquet = pytest.importorskip("pyarrow.parquet")
        columns = {k: np.array(v) for k, v in parquet.read_table(file).to_pydict().items()}
    else:
        import json

        document = json.loads(file.read_text())
        columns = {"t": document["t"], **document["signals"]}
    np.testing.assert_array_equal(columns["t"], found.t)
    np.testing.assert_array_equal(columns["pin'"], found.signal("pin'"))


# What goes wrong ------------------------------------------------------------------------------------------------------
def test_stall_carries_what_was_computed_and_names_the_place() -> None:
    """A force that grows without bound as the block comes to the wall at 1 m."""
    model = eb.Model(
        bodies={"block": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        joints={
            "rail": {
                "type": "prismatic",
                "between": ["ground", "block"],
                "at": [0, 0, 0],
                "axis": [1, 0, 0],
                "velocity": 1,
            }
        },
        forces={"magnet": {"type": "expression", "along": "rail", "value": "=1/(1 - rail)**2"}},
    )
    with pytest.raises(eb.SimulationError, match=r"stalls at t = 0\.\d+ s.*block.*magnet") as caught:
        eb.simulate(model, until=5.0)
    partial = caught.value.partial
    assert not partial.finished
    assert 0.4 < partial.t[-1] < 1.0
    assert 0.99 < partial.signal("rail")[-1] < 1.0


def test_interruption_carries_what_was_computed() -> None:
    def stop(share: float) -> None:
        if share > 0.5:
            raise KeyboardInterrupt

    with pytest.raises(eb.SimulationInterrupted) as caught:
        eb.simulate(pendulum(), until=4.0, times=0.1, progress=stop)
    assert 2.0 < caught.value.partial.t[-1] < 4.0


def test_singular_configuration_on_the_way_is_named() -> None:
    """A parallelogram comes to lie flat: there it may go on as an antiparallelogram."""
    document = eb.load(EXAMPLES / "planar_four_bar_redundant.yaml").document
    document["joints"]["a"] |= {"position": 1.0, "motion": "=1.0 + 0.25*t"}
    with pytest.raises(eb.SimulationError, match="singular configuration") as caught:
        eb.simulate(eb.load(document), until=(math.pi / 2 - 1) * 4, tolerance=1e-9)
    assert caught.value.partial.t[-1] == pytest.approx((math.pi / 2 - 1) * 4, abs=1e-2)


def test_contradicting_velocities_are_corrected_and_reported_or_refused() -> None:
    document = eb.load(EXAMPLES / "planar_four_bar_redundant.yaml").document
    document["joints"]["a"]["velocity"] = 1.0
    document["joints"]["d"]["velocity"] = 1.5  # a parallelogram's cranks turn alike
    model = eb.load(document)
    found = eb.simulate(model, until=0.1, points=3)
    assert any("joints.d: velocity" in remark and "corrected to 1" in remark for remark in found.remarks)
    np.testing.assert_allclose(found.signal("d'"), found.signal("a'"), atol=1e-10)
    with pytest.raises(eb.InputError, match=r"joints\.d: velocity"):
        eb.simulate(model, until=0.1, strict=True)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"until": -1}, "until"),
        ({"until": 1, "method": "rk5"}, "rk4"),
        ({"until": 1, "method": "rk4"}, "step"),
        ({"until": 1, "tolerance": 2}, "tolerance"),
        ({"until": 1, "times": [0, 2]}, "between 0 and 1"),
        ({"until": 1, "times": [0.5, 0.1]}, "ascending"),
        ({"until": 1, "times": [math.nan]}, "ascending"),
        ({"until": 1, "points": 1}, "points: 1 is not between 2"),
        ({"until": 1, "points": 10**9}, "points"),
        ({"until": 1, "method": "hht", "rho": 0.3}, "rho: 0.3 is not between 0.5 and 1"),
        ({"until": 1, "method": "generalized-alpha", "rho": math.nan}, "rho"),
        ({"until": 1, "outputs": ["pinn"]}, "Did you mean"),
    ],
)
def test_wrong_input_is_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(eb.InputError, match=words):
        eb.simulate(pendulum(), **options)


@pytest.mark.parametrize("method", ["dop853", "gauss", "radau", "generalized-alpha", "rk4"])
def test_one_free_body_falls(method: str) -> None:
    """No joint, no force that is measured: z = -g t^2 / 2."""
    model = eb.load({
        "eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": {"a": {"mass": 2, "inertia": [1, 2, 2.5], "at": [0, 0, 0]}},
    })  # fmt: skip
    step = {"step": 0.01} if method in ("generalized-alpha", "rk4") else {}
    found = eb.simulate(model, until=0.5, points=3, method=method, **step)
    assert found.signal("a.z")[-1] == pytest.approx(-9.81 * 0.5**2 / 2, rel=1e-9)


@pytest.mark.parametrize("method", ["dop853", "gauss", "radau", "generalized-alpha"])
def test_a_constant_force_along_two_axes(method: str) -> None:
    """x = F t^2 / (2 m) along each axis, without compiled loops too."""
    model = eb.load({
        "eigenbody": 1, "bodies": {"m": {"mass": 2, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        "joints": {"f": {"type": "free", "between": ["ground", "m"], "at": [0, 0, 0]}},
        "forces": {"push": {"type": "force", "body": "m", "value": [1, 0, 3]}},
    })  # fmt: skip
    run = eb.simulate(model, until=0.5, points=3, method=method, compiled=False)
    assert [run.signal(f"f.{axis}")[-1] for axis in "xyz"] == pytest.approx([0.0625, 0, 0.1875], abs=1e-7)


def test_a_driven_joint_closes_after_thousands_of_turns():
    """An angle of 1322.5 turns rounds at 2e-12: at half a turn its two readings differ by that much, for ever. To
    1e-14 m the joint was never closed in one of three states near by."""
    run_up = "=2*pi*(0.0005*t**2/2)"
    turning = {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1], "motion": run_up}
    bodies = {"a": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}}
    point = eb.operating_point(eb.load({"eigenbody": 1, "bodies": bodies, "joints": {"pin": turning}}))
    forward, rng = Forward(point.system, point.chosen), np.random.default_rng(0)
    late = replace(point.state, t=2300.0, turns=np.full(len(point.state.turns), 1322.0))
    forward.remember(replace(late, R=exp(np.array([[0, 0, math.pi + 0.5]])), turns=late.turns + 1))
    for _ in range(40):
        around = exp(np.array([[0, 0, math.pi + 1e-5 * rng.normal()]])) @ exp(1e-6 * rng.normal(size=(1, 3)))
        closed = forward.closed(replace(late, R=around), None)
        assert closed.R[0] == pytest.approx(np.diag([-1, -1, 1]), abs=1e-11)
