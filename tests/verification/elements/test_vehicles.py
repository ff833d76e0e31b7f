"""Vehicles on tyres and rails against closed forms: straight running, steady turns, hunting, relaxation, wheel load."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq, fsolve

import eigenbody as eb
from eigenbody.base.errors import InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.operating.steady import find_steady
from eigenbody.spatial.rotations import exp
from eigenbody.system.state import spread

EXAMPLES = Path(__file__).parents[3] / "examples"
X, Y, Z, O = [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]  # noqa: E741
M, I, A, B, CF, CR = 1500.0, 2500.0, 1.2, 1.4, 80e3, 100e3  # noqa: E741  the car of examples/single_track_car.yaml


def exponents(found: eb.Modes) -> np.ndarray:
    """Eigenvalues that are not zero, conjugates included, sorted."""
    some = found.eigenvalues[found.eigenvalues != 0]
    return np.sort_complex(np.concatenate((some, some[some.imag != 0].conj())))


def equal(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(np.sort_complex(found), np.sort_complex(expected), rtol=tolerance, atol=tolerance)


# Single-track car -----------------------------------------------------------------------------------------------------
def lateral(V: float, Cf: float = CF, Cr: float = CR) -> np.ndarray:
    """Equations of (v, r), lateral velocity and yaw rate in the axes of the car (Riekert and Schunck)."""
    D = B * Cr - A * Cf
    return np.array([[-(Cf + Cr) / (M * V), D / (M * V) - V], [D / (I * V), -(A**2 * Cf + B**2 * Cr) / (I * V)]])


@pytest.mark.parametrize("V", [10.0, 20.0, 30.0])
@pytest.mark.parametrize("Cf", [CF, 140e3])
def test_straight_running(V: float, Cf: float) -> None:
    found = eb.modes(eb.load(EXAMPLES / "single_track_car.yaml", V=V, Cf=Cf))
    equal(exponents(found), np.linalg.eigvals(lateral(V, Cf)), 1e-11)
    assert found.kinds.count("rigid") == 4
    assert found.certificate.tangent_error < 1e-12


def test_critical_speed_of_an_oversteering_car() -> None:
    growth = lambda V: exponents(eb.modes(eb.load(EXAMPLES / "single_track_car.yaml", V=V, Cf=140e3))).real.max()  # noqa: E731
    closed = math.sqrt(140e3 * CR * (A + B) ** 2 / (M * (A * 140e3 - B * CR)))
    assert closed == pytest.approx(47.4692, abs=1e-4)
    assert brentq(growth, 40, 55, xtol=1e-9) == pytest.approx(closed, rel=1e-7)  # nearer, it counts as a zero


def test_simulation_of_a_small_disturbance_is_the_linear_response() -> None:
    size = 1e-5
    road = {**PLANE, "between": ["ground", "car"], "velocity": [20, 0, size]}
    found = eb.simulate(eb.load(car({"road": road})), until=0.8, points=9)
    for t, angle in zip(found.t, found.signal("road.angle"), strict=True):
        yaw = np.zeros((3, 3))
        yaw[:2, :2], yaw[2, 1] = lateral(20.0), 1.0
        assert angle == pytest.approx((expm(yaw * t) @ [0, size, 0])[2], abs=1e-4 * size)


PLANE = {"type": "planar", "at": O, "axis": Z, "axis2": X}


def car(joints: dict[str, Any], centre: tuple[float, float] = (0.0, 0.0), **rear: Any) -> dict[str, Any]:
    x, y = centre
    tyre = {"type": "tyre", "radius": 0.3}
    return {
        "eigenbody": 1,
        "parameters": {"delta": 0.0, "push": 0.0},
        "bodies": {"car": {"mass": M, "inertia": [I, I, I], "at": [x, y, 0]}},
        "joints": joints,
        "forces": {
            "front": {**tyre, "between": ["ground", "car"], "at": [x + A, y, 0], "cornering_stiffness": CF,
                      "axis": ["=-sin(delta)", "=cos(delta)", 0]},
            "rear": {**tyre, "between": ["ground", "car"], "at": [x - B, y, 0], "cornering_stiffness": CR, "axis": Y,
                     **rear},
            "drive": {"type": "force", "body": "car", "value": ["=push", 0, 0], "axes": "body"},
        },
    }  # fmt: skip


# Steady turn ----------------------------------------------------------------------------------------------------------
SPEED, ACROSS = 22.352, 0.25 * 9.80665
TURN = ACROSS / SPEED
J, CK, RADIUS = 1.6, 90e3, 0.3  # the driven wheel


def planar_rates(z: np.ndarray, delta: float, push: float) -> np.ndarray:
    """u', v', r' of the car in body-fixed velocities, linear tyres, no small angles."""
    u, v, r = z
    s, c = math.sin(delta), math.cos(delta)
    front = -CF * math.atan((-u * s + (v + A * r) * c) / (u * c + (v + A * r) * s))
    rear = -CR * math.atan((v - B * r) / u)
    return np.array([(push - front * s) / M + v * r, (front * c + rear) / M - u * r, (A * front * c - B * rear) / I])


def driven_rates(z: np.ndarray, delta: float, torque: float) -> np.ndarray:
    """The same with a rear wheel driven by a torque: u', v', r', spin'."""
    u, spin = z[0], z[3]
    push = -CK * (u - RADIUS * spin) / u
    free = planar_rates(z[:3], delta, push)
    free[2] *= I / (I + J / 2)
    return np.array([*free, (torque - RADIUS * push) / J])


def jacobian(f: Any, z: np.ndarray) -> np.ndarray:
    """Central differences of fourth order."""
    out = []
    for e, size in zip(np.eye(len(z)), np.maximum(1e-2, 1e-3 * np.abs(z)), strict=True):
        h = size * e
        out.append((8 * (f(z + h) - f(z - h)) - f(z + 2 * h) + f(z - 2 * h)) / (12 * size))
    return np.stack(out, axis=1)


def in_a_turn(**more: Any) -> dict[str, Any]:
    """The car on a frame that turns about the centre of the curve; its place there is constant."""
    radius = SPEED / TURN
    joint = {**PLANE, "between": ["curve", "car"], "at": [0, -radius, 0]}
    document = car({"road": joint}, (0.0, -radius))
    document["parameters"]["turn"] = TURN
    return document | {"frames": {"curve": {"about": Z, "rate": "=turn"}}} | more


def test_exponents_in_a_steady_turn_of_a_quarter_g() -> None:
    found = find_steady(eb.load(in_a_turn()), {"road.x": 0, "road.y": 0}, ["delta", "push"])
    trim = lambda p: planar_rates(np.array([SPEED * math.cos(p[0]), SPEED * math.sin(p[0]), TURN]), p[1], p[2])  # noqa: E731
    beta, delta, push = fsolve(trim, [0, 0.02, 50], xtol=1e-13)
    assert found.adjusted["delta"] == pytest.approx(delta, rel=1e-9)
    assert found.adjusted["push"] == pytest.approx(push, rel=1e-9)
    assert found.point.coordinates()["road.angle"] == pytest.approx(-beta, rel=1e-9)
    z = np.array([SPEED * math.cos(beta), SPEED * math.sin(beta), TURN])
    closed = np.linalg.eigvals(jacobian(lambda z: planar_rates(z, delta, push), z))
    # a path displaced as a whole is no deviation: seen from the turning frame it goes round at the rate of the turn
    equal(exponents(eb.modes(found.point)), np.array([*closed, 1j * TURN, -1j * TURN]), 1e-8)
    assert closed[np.abs(closed).argmin()].real == pytest.approx(-0.0057729, abs=1e-7)
    assert eb.modes(found.point).kinds.count("rigid") == 1


def test_frozen_ground_coordinates_are_something_else() -> None:
    """The same state in coordinates of the ground: not the exponents, and that is said."""
    found = find_steady(eb.load(in_a_turn()), {"road.x": 0, "road.y": 0}, ["delta", "push"])
    angle = found.point.coordinates()["road.angle"]
    joint = {**PLANE, "between": ["ground", "car"], "position": [0, 0, angle], "velocity": [SPEED, 0, TURN]}
    document = car({"road": joint})
    document["parameters"] = {name: found.adjusted[name] for name in ("delta", "push")}
    frozen = eb.modes(eb.load(document))
    slow = exponents(frozen)[np.abs(exponents(frozen)) < 1]
    assert np.abs(slow.imag).max() > 0.01
    assert frozen.notes


@pytest.mark.parametrize("given", ["speed", "radius"])
def test_turn_given_its_speed_or_its_radius(given: str) -> None:
    """Steering fixed: either the rate of the turn or the place on the radius is found; both describe the same turn."""
    found = find_steady(eb.load(in_a_turn()), {"road.x": 0, "road.y": 0}, ["delta", "push"])
    document = in_a_turn()
    document["parameters"] |= {"delta": found.adjusted["delta"], "push": 60.0}
    if given == "radius":
        document["parameters"]["turn"] = 0.9 * TURN
        again = find_steady(eb.load(document), {"road.x": 0, "road.y": 0}, ["turn", "push"])
        assert again.adjusted["turn"] == pytest.approx(TURN, rel=1e-9)
    else:
        document["joints"]["road"]["position"] = [0, -3.0, 0]
        again = find_steady(eb.load(document), {"road.x": 0}, ["push"])
        assert again.point.coordinates()["road.y"] == pytest.approx(0, abs=1e-6)
    assert again.adjusted["push"] == pytest.approx(found.adjusted["push"], rel=1e-8)


def with_driven_wheel(document: dict[str, Any], centre: list[float]) -> dict[str, Any]:
    document["bodies"]["wheel"] = {"mass": 0, "inertia": [J / 2, J, J / 2], "at": centre}
    hub = {"type": "revolute", "between": ["car", "wheel"], "at": centre, "axis": Y, "velocity": SPEED / RADIUS}
    document["joints"]["hub"] = hub
    document["forces"]["rear"] |= {"between": ["ground", "wheel"], "longitudinal_stiffness": CK}
    document["forces"]["drive"] = {"type": "actuator", "along": "hub", "value": "=push"}
    return document


def test_turn_driven_by_a_torque() -> None:
    document = with_driven_wheel(in_a_turn(), [-B, -SPEED / TURN, 0])
    found = find_steady(eb.load(document), {"road.x": 0, "road.y": 0}, ["delta", "push", "hub'"])
    trim = lambda p: driven_rates(np.array([SPEED * math.cos(p[0]), SPEED * math.sin(p[0]), TURN, p[3]]), p[1], p[2])  # noqa: E731
    beta, delta, torque, spin = fsolve(trim, [0, 0.02, 20, SPEED / RADIUS], xtol=1e-13)
    assert found.adjusted["push"] == pytest.approx(torque, rel=1e-8)
    assert found.adjusted["hub'"] == pytest.approx(spin, rel=1e-10)
    z = np.array([SPEED * math.cos(beta), SPEED * math.sin(beta), TURN, spin])
    closed = np.linalg.eigvals(jacobian(lambda z: driven_rates(z, delta, torque), z))
    equal(exponents(eb.modes(found.point)), np.array([*closed, 1j * TURN, -1j * TURN]), 1e-7)


def test_free_rolling_speed_is_found() -> None:
    joint = {**PLANE, "between": ["ground", "car"], "velocity": [SPEED, 0, 0]}
    document = with_driven_wheel(car({"road": joint}), [-B, 0, 0])
    document["joints"]["hub"]["velocity"] = 60.0
    found = find_steady(eb.load(document), {"road.x'": SPEED, "road.y'": 0, "road.angle'": 0}, ["hub'"])
    assert found.adjusted["hub'"] == pytest.approx(SPEED / RADIUS, rel=1e-12)


# Relaxation and vertical load -----------------------------------------------------------------------------------------
def towed(**tyre: Any) -> dict[str, Any]:
    """A wheel on a sledge: pulled ahead at a given speed, free to go sideways."""
    return {
        "eigenbody": 1,
        "bodies": {
            "tug": {"mass": 5, "inertia": [1, 1, 1], "at": O}, "wheel": {"mass": 40, "inertia": [1, 1, 1], "at": O},
        },
        "joints": {
            "tow": {"type": "prismatic", "between": ["ground", "tug"], "at": O, "axis": X, "motion": "=15*t"},
            "side": {"type": "prismatic", "between": ["tug", "wheel"], "at": O, "axis": Y},
        },
        "forces": {
            "tyre": {"type": "tyre", "between": ["ground", "wheel"], "at": O, "axis": Y, "radius": 0.3,
                     "cornering_stiffness": 30e3, **tyre},
        },
    }  # fmt: skip


def test_relaxation_length_makes_a_second_order_lag() -> None:
    found = eb.modes(eb.load(towed(relaxation=0.4)))
    equal(exponents(found), np.roots([40 * 0.4, 40 * 15, 30e3]), 1e-11)  # m sigma s^2 + m V s + Ca = 0
    equal(exponents(eb.modes(eb.load(towed()))), np.array([-30e3 / (40 * 15)]), 1e-11)


def test_relaxing_tyre_in_simulation() -> None:
    document = towed(relaxation=0.4)
    document["joints"]["side"]["velocity"] = 1e-4
    found = eb.simulate(eb.load(document), until=0.3, points=7)
    system = np.array([[0, 1, 0], [0, 0, 30e3 / 40], [0, -1 / 0.4, -15 / 0.4]])  # y, y', tan alpha
    expected = [(expm(system * t) @ [0, 1e-4, 0])[0] for t in found.t]
    np.testing.assert_allclose(found.signal("side"), expected, atol=1e-10)


def test_wheel_hop() -> None:
    hop = {
        "eigenbody": 1,
        "gravity": [0, 0, -9.81],
        "bodies": {"wheel": {"mass": 40, "inertia": [1, 1, 1], "at": [0, 0, 0.3]}},
        "joints": {"up": {"type": "prismatic", "between": ["ground", "wheel"], "at": [0, 0, 0.3], "axis": Z}},
        "forces": {
            "tyre": {"type": "tyre", "between": ["ground", "wheel"], "at": [0, 0, 0.3], "axis": Y, "radius": 0.3,
                     "k": 2e5, "c": 800, "load": 40 * 9.81, "cornering_stiffness": 1e4, "low_speed": 0.1},
        },
    }  # fmt: skip
    found = eb.modes(eb.load(hop))
    equal(exponents(found), np.roots([40, 800, 2e5]), 1e-11)
    hop["forces"]["tyre"] |= {"at": [[0, 0, 0.01], [0, 0, 0.3]], "load": 0}  # a plane 10 mm up: 2000 N at the drawing
    del hop["forces"]["tyre"]["load"]
    point = eb.operating_point(eb.load({**hop, "operating_point": "equilibrium"}))
    assert point.coordinates()["up"] == pytest.approx(0.01 - 40 * 9.81 / 2e5, rel=1e-9)


# The tyre by vectors --------------------------------------------------------------------------------------------------
MAGIC = {
    "k": 2e5, "c": 300, "load": 4000, "tube": 0.05,
    "lateral": [9.0, 1.4, 1.1, -0.4], "longitudinal": [11.0, 1.6, 1.2, 0.1],
    "combined": [6.0, 0.9, 8.0, 0.8], "camber_stiffness": 3e3, "aligning": [4.0, 1.0, 0.04, -1.0],
    "overturning_stiffness": 150, "load_sensitivity": 0.2,
}  # fmt: skip


def wrench_by_vectors(state: Any, n: np.ndarray, arm: np.ndarray, axle: np.ndarray) -> np.ndarray:
    """Force and moment about the wheel's centre of mass, ground axes, written out with vectors."""
    p, r = MAGIC, 0.3
    a, offset = state.R[0] @ axle, state.R[0] @ arm
    omega = state.R[0] @ state.w[0]
    ahead = np.cross(a, n) / np.linalg.norm(np.cross(a, n))
    left = np.cross(n, ahead)
    down = np.cross(a, ahead)  # in the plane of the wheel
    d = r * down * np.sign(-down @ n) - p["tube"] * n
    hub = state.v[0] + np.cross(omega, offset)
    slip = hub + np.cross(omega, d)
    height = n @ (state.r[0] + offset + d)
    Fz = max(0.0, p["load"] - p["k"] * height - p["c"] * n @ slip)
    kappa, alpha = -ahead @ slip / abs(ahead @ hub), math.atan(-left @ slip / abs(ahead @ hub))
    gamma = math.asin(n @ a)

    def magic(key: str, x: float) -> float:
        B, C, D, E = p[key]
        return (
            D * (1 - 0.2 * (Fz / p["load"] - 1)) * Fz * math.sin(C * math.atan(B * x - E * (B * x - math.atan(B * x))))
        )

    Bx, Cx, By, Cy = p["combined"]
    Fx = math.cos(Cx * math.atan(Bx * alpha)) * magic("longitudinal", kappa)
    Fy = math.cos(Cy * math.atan(By * kappa)) * magic("lateral", alpha)
    B, C, D, E = p["aligning"]
    Mz = -D * math.cos(C * math.atan(B * alpha - E * (B * alpha - math.atan(B * alpha)))) * Fy
    gamma *= Fz > 0
    force = Fx * ahead + (Fy - p["camber_stiffness"] * gamma) * left + Fz * n
    moment = np.cross(offset + d, force) + Mz * n - p["overturning_stiffness"] * gamma * ahead
    return np.concatenate((force, moment))


@pytest.mark.parametrize("seed", range(4))
def test_magic_tyre_by_vectors(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = np.array([0.1, -0.05, 1.0])
    n /= np.linalg.norm(n)
    tyre = {"type": "tyre", "between": ["ground", "wheel"], "at": [O, [0.1, 0.2, 0.34]], "axis": Y, "radius": 0.3,
            "normal": n.tolist(), **MAGIC}  # fmt: skip
    body = {"mass": 20, "inertia": [1, 1, 1], "at": [0.1, 0.1, 0.35]}
    drive = {"type": "free", "between": ["ground", "wheel"], "at": [0.1, 0.1, 0.35], "velocity": [10, 0, 0, 0, 33, 0]}
    model = eb.load({"eigenbody": 1, "bodies": {"wheel": body}, "joints": {"run": drive}, "forces": {"t": tyre}})
    system = eb.operating_point(model).system
    state = system.reference_state()
    state = replace(
        state, R=state.R @ exp(0.3 * rng.normal(size=(1, 3))), r=state.r + 0.005 * rng.normal(size=(1, 3)),
        v=np.array([[10.0, 0.3, 0.1]]) + rng.normal(size=(1, 3)),
        w=np.array([[0.4, 31.0, -0.3]]) + rng.normal(size=(1, 3)),
    )  # fmt: skip
    Q = spread(system, Mechanics(system, state).applied.generalized())[0]
    found = np.concatenate((Q[:3], state.R[0] @ Q[3:]))
    expected = wrench_by_vectors(state, n, np.array([0, 0.1, -0.01]), np.array(Y, dtype=float))
    np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())


# Wheelset -------------------------------------------------------------------------------------------------------------
def wheelset_equations(V: float) -> np.ndarray:
    """Lateral displacement and yaw of examples/wheelset.yaml and their rates (Wickens)."""
    m, yaw, r, half, cone, f11, f22, ky, kpsi = 1250, 700, 0.45, 0.75, 0.1, 1e7, 8.8e6, 2.3e5, 2.5e6
    mass, damping = np.diag([m, yaw]), np.diag([2 * f22 / V, 2 * f11 * half**2 / V])
    stiffness = np.array([[ky, -2 * f22], [2 * f11 * half * cone / r, kpsi]])
    lower = np.linalg.solve(mass, np.hstack((-stiffness, -damping)))
    return np.vstack((np.hstack((np.zeros((2, 2)), np.eye(2))), lower))


def wheelset(V: float) -> np.ndarray:
    """Exponents of the wheelset."""
    return np.linalg.eigvals(wheelset_equations(V))


@pytest.mark.parametrize("V", [20.0, 60.0, 90.0])
def test_wheelset(V: float) -> None:
    found = eb.modes(eb.load(EXAMPLES / "wheelset.yaml", V=V))
    slide = -2e7 / V * (1 / 1250 + 0.45**2 / 250)  # the run and the spin settle to rolling
    equal(exponents(found), np.array([*wheelset(V), slide]), 1e-10)


def test_hunting_speed() -> None:
    growth = lambda V: exponents(eb.modes(eb.load(EXAMPLES / "wheelset.yaml", V=V))).real.max()  # noqa: E731
    closed = brentq(lambda V: wheelset(V).real.max(), 60, 100, xtol=1e-12)
    assert closed == pytest.approx(78.8981, abs=1e-4)
    assert brentq(growth, 60, 100, xtol=1e-9) == pytest.approx(closed, rel=1e-9)


def test_simulated_wheelset_runs_like_the_linear_one(tmp_path: Path) -> None:
    text = (EXAMPLES / "wheelset.yaml").read_text()
    given = 'velocity: ["=V", 0, 0]}'
    assert given in text
    (tmp_path / "off.yaml").write_text(text.replace(given, f"position: [0, 1e-4, 0], {given}"))
    found = eb.simulate(eb.load(tmp_path / "off.yaml", V=60), until=0.3, points=7, tolerance=1e-10)
    expected = [(expm(wheelset_equations(60.0) * t) @ [1e-4, 0, 0, 0])[:2] for t in found.t]
    np.testing.assert_allclose(found.signal("track.y"), [e[0] for e in expected], atol=1e-10)
    np.testing.assert_allclose(found.signal("track.angle"), [e[1] for e in expected], atol=1e-10)


# Wrong input ----------------------------------------------------------------------------------------------------------
def with_tyre(**keys: Any) -> Any:
    document = towed()
    document["forces"]["tyre"] = {k: v for k, v in (document["forces"]["tyre"] | keys).items() if v is not None}
    return eb.load(document)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"cornering_stiffness": None}, r"cornering_stiffness.*lateral"),
        ({"cornering_stiffness": None, "lateral": [10, 1.3, 1.0, -1]}, r"needs the vertical load"),
        ({"cornering_stiffness": None, "lateral": [10, 1.3], "load": 4000}, r"four coefficients.*\[B, C, D, E\]"),
        ({"longitudinal_stiffness": 1e5, "longitudinal": [9, 1, 1, 0], "load": 4e3}, "beside longitudinal_stiffness"),
        ({"combined": [1, 1, 1, 1]}, "needs a longitudinal law"),
        ({"relaxation": 0}, "above zero"),
        ({"radius": -0.3}, "above zero"),
        ({"c": 20}, "needs a vertical stiffness"),
    ],
)
def test_wrong_tyres(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_tyre(**keys)


def test_wheel_that_lies_flat() -> None:
    with pytest.raises(InputError, match="lies flat"):
        eb.operating_point(with_tyre(axis=Z))


@pytest.mark.parametrize("kind", ["tyre", "wheel_rail"])
def test_slip_at_standstill(kind: str) -> None:
    document = towed()
    document["joints"]["tow"]["motion"] = "=0"
    if kind == "wheel_rail":
        document["forces"]["tyre"] = {"type": kind, "between": ["ground", "wheel"], "at": O, "axis": Y, "radius": 0.4,
                                      "longitudinal": 1e6, "lateral": 1e6}  # fmt: skip
    with pytest.raises(InputError, match=r"does not roll.*low_speed"):
        eb.modes(eb.load(document))
    document["forces"]["tyre"]["low_speed"] = 0.5
    expected = -(30e3 if kind == "tyre" else 1e6) / (40 * 0.5)
    equal(exponents(eb.modes(eb.load(document))), np.array([expected]), 1e-11)


def test_relaxing_tyre_at_standstill_is_a_spring() -> None:
    document = towed(relaxation=0.4)
    document["joints"]["tow"]["motion"] = "=0"
    w = math.sqrt(30e3 / 0.4 / 40)
    equal(exponents(eb.modes(eb.load(document))), np.array([1j * w, -1j * w]), 1e-11)


def test_tyre_and_rail_in_one_model() -> None:
    """Forces on a plate that slides on a plane add up, and so do the slopes of its accelerations."""
    tyre = {"type": "tyre", "between": ["ground", "plate"], "at": [0.4, 0.3, 0.3], "axis": [0, 1, 0], "radius": 0.3,
            "cornering_stiffness": 900, "trail": 0.05}  # fmt: skip
    rail = {"type": "wheel_rail", "between": ["ground", "plate"], "at": [-0.5, 0.2, 0.3], "axis": [0, 1, 0],
            "radius": 0.4, "longitudinal": 700, "lateral": 500, "spin": 20}  # fmt: skip

    def matrix(**forces: dict) -> np.ndarray:
        joint = {"type": "planar", "between": ["ground", "plate"], "at": [0, 0, 0.3], "axis2": [1, 0, 0],
                 "velocity": [5, 0.3, 0.2]}  # fmt: skip
        body = {"mass": 2, "inertia": [1, 1, 1.5], "at": [0, 0, 0.3]}
        return eb.linearize(eb.load({"eigenbody": 1, "bodies": {"plate": body}, "joints": {"p": joint},
                                     "forces": forces})).A  # fmt: skip

    none, both = matrix(), matrix(a=tyre, b=rail)
    np.testing.assert_allclose(both - none, matrix(a=tyre) + matrix(b=rail) - 2 * none, atol=1e-10)
    assert np.abs(both - none).max() > 10
