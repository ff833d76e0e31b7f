"""Models of the gallery against sources of their own: closed forms, equations written out here, other formulations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh, null_space, solve_continuous_are

import eigenbody as eb
from gallery_references import Truck, turned

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81


@cache
def modes_of(file: str, **parameters: float) -> eb.Modes:
    return eb.modes(eb.load(EXAMPLES / file, **parameters))


def upper(values: np.ndarray) -> np.ndarray:
    """One of each conjugate pair, zeros left out, by size."""
    kept = values[(values.imag >= 0) & (np.abs(values) > 1e-7)]
    return kept[np.lexsort((kept.imag, np.abs(kept).round(9)))]


def exponents(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    return upper(np.linalg.eigvals(A))


def bend(f: Callable[[float], float], step: float) -> float:
    """Second derivative at zero by differences of sixth order."""
    weights = {0: -490, 1: 270, 2: -27, 3: 2}
    return sum(w * ((f(k * step) + f(-k * step)) / (2 if k == 0 else 1)) for k, w in weights.items()) / (180 * step**2)


SIXTH = ((1, 45), (2, -9), (3, 1))  # weights of a first derivative of sixth order, over 60 steps


def slope(f: Callable[[float], Any], step: float, at: float = 0.0) -> Any:
    """First derivative by differences of sixth order."""
    return sum(w * (f(at + k * step) - f(at - k * step)) for k, w in SIXTH) / (60 * step)


def newton(f: Callable[[np.ndarray], Any], x: np.ndarray) -> np.ndarray:
    """A zero of f near x."""
    for _ in range(20):
        J = np.stack([slope(lambda h, e=e, x=x: np.asarray(f(x + h * e)), 1e-3) for e in np.eye(len(x))], axis=1)
        change = np.linalg.solve(J, np.asarray(f(x)))
        x = x - change
        if np.abs(change).max() < 1e-15:
            break
    return x


@pytest.mark.parametrize(
    ("file", "routes"),
    [
        ("quadruped.yaml", ["relative", "kane"]),
        ("stewart_flexures.yaml", ["relative", "topology"]),
        ("mcpherson_strut.yaml", ["relative", "difference"]),
        ("twist_axle.yaml", ["relative", "difference"]),
        ("washing_machine.yaml", ["relative", "difference"]),
    ],
)
def test_other_formulations_give_the_same(file: str, routes: list[str]) -> None:
    """All eigenvalues; `difference` of the large ones is in the slow test below."""
    found = eb.verify(eb.load(EXAMPLES / file), routes)
    assert found.verdict == "agree"
    for route in routes:
        assert found[route].match.largest < 1e-9, route


@pytest.mark.slow
@pytest.mark.parametrize("file", ["quadruped.yaml", "stewart_flexures.yaml"])
def test_differences_of_the_large_ones(file: str) -> None:
    assert eb.verify(eb.load(EXAMPLES / file), ["difference"]).verdict == "agree"


# Quadruped ------------------------------------------------------------------------------------------------------------
def leg_motion(joints: list[tuple[np.ndarray, np.ndarray]], point: np.ndarray) -> np.ndarray:
    """Velocity and angular velocity (6, 6 + joints) of a body by the trunk's small motion and its joints' rates."""
    across = [np.cross(axis, point - at) for at, axis in joints]
    trunk = np.vstack([np.hstack([np.eye(3), -skew(point - TRUNK)]), np.hstack([np.zeros((3, 3)), np.eye(3)])])
    own = np.vstack([np.array(across).reshape(-1, 3).T, np.array([axis for _, axis in joints]).reshape(-1, 3).T])
    return np.hstack([trunk, own])


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


TRUNK = np.array([0.01, 0, 0.47])


def quadruped() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C, K without gravity in the trunk's six and the legs' three coordinates each."""
    M, C, K = (np.zeros((18, 18)) for _ in range(3))
    M[:6, :6] = np.diag([30, 30, 30, 0.55, 2.1, 2.4])
    links = [(1.2, [1.4e-3, 0.9e-3, 1.4e-3]), (2, [7e-3, 5.5e-3, 3e-3]), (1.5, [32e-3, 31e-3, 2e-3])]
    Z, X = np.array([0.0, 0, 1]), np.array([1.0, 0, 0])
    for leg, (a, s) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)]):
        P = lambda y, z, a=a, s=s: np.array([0.35 * a, y * s, z])  # noqa: E731
        hinges = [(P(0.2, 0.45), Z), (P(0.28, 0.45), X), (P(0.44, 0.55), X)]
        centres = [P(0.24, 0.45), P(0.36, 0.5), P(0.47, 0.3)]
        own = [*range(6), *range(6 + 3 * leg, 9 + 3 * leg)]
        for n, (mass, inertia) in enumerate(links):
            J = leg_motion(hinges[: n + 1], centres[n])
            at = np.ix_(own[: 7 + n], own[: 7 + n])
            M[at] += J.T @ np.diag([mass] * 3 + inertia) @ J
        foot = leg_motion(hinges, P(0.5, 0.0))[:3]
        K[np.ix_(own, own)] += foot.T @ np.diag([40e3, 40e3, 90e3]) @ foot + np.diag([0] * 6 + [3000, 5000, 5000])
        C[np.ix_(own, own)] += foot.T @ np.diag([60, 60, 120]) @ foot + np.diag([0] * 6 + [3, 4, 4])
    return M, C, K


def test_quadruped_without_gravity() -> None:
    """As Jiang, Chen & Luo (2011) have it, 13 bodies and 18 degrees of freedom; their numbers are not in the paper."""
    model = eb.load(EXAMPLES / "quadruped.yaml", g=0)
    found = eb.modes(model)
    assert len(model.document["bodies"]) == 13
    assert (found.dof, found.states) == (18, 36)
    np.testing.assert_allclose(upper(found.eigenvalues), exponents(*quadruped()), rtol=1e-9)


def test_quadruped_without_damping() -> None:
    M, _, K = quadruped()
    found = modes_of("quadruped.yaml", g=0.0, ch=0.0, cg=0.0, cf=0.0, cz=0.0)
    np.testing.assert_allclose(found.eigenvalues.imag, np.sqrt(eigh(K, M, eigvals_only=True)), rtol=1e-9)


def test_gravity_lowers_the_quadruped_by_half_a_percent() -> None:
    """What the constraint-topology method neglects, and that it does."""
    with_it, without = (modes_of("quadruped.yaml", **p).frequency_hz for p in ({}, {"g": 0.0}))
    assert with_it[0] / without[0] - 1 == pytest.approx(-0.0048, abs=1e-4)
    route = eb.verify(eb.load(EXAMPLES / "quadruped.yaml"), ["topology"])["topology"]
    assert not route.is_exact
    assert route.match.largest > 1e-3


# Stewart platform -----------------------------------------------------------------------------------------------------
def stewart() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """M, C, K of 13 free bodies, brought to the null space of the joints' gradients. Nothing is loaded: exact."""
    rb, rp, h, half = 0.35, 0.25, 0.3, math.radians(10)
    centres, M = [np.array([0.01, 0.015, h + 0.06])], [np.diag([30, 30, 30, 0.7, 0.8, 1.2])]
    held: list[np.ndarray] = []
    springs: list[tuple[np.ndarray, float, float]] = []
    for i in range(6):
        side, turn = (-1, 1)[i % 2], 2 * math.pi / 3 * (i // 2)
        b, p = turn + side * half, turn + side * (math.pi / 3 - half)
        foot, head = (
            np.array([rb * math.cos(b), rb * math.sin(b), 0]),
            np.array([rp * math.cos(p), rp * math.sin(p), h]),
        )
        z = (head - foot) / np.linalg.norm(head - foot)
        y = np.cross(z, [0, 0, 1.0])
        axes = np.stack([np.cross(y / np.linalg.norm(y), z), y / np.linalg.norm(y), z], axis=1)
        low, high = 1 + 2 * i, 2 + 2 * i
        for part, (m, I) in ((0.25, (0.9, [3e-3, 3e-3, 4e-4])), (0.75, (0.5, [1.6e-3, 1.6e-3, 1.2e-4]))):  # noqa: E741
            centres.append(foot + part * (head - foot))
            J = np.zeros((6, 6))
            J[:3, :3], J[3:, 3:] = m * np.eye(3), axes @ np.diag(I) @ axes.T
            M.append(J)
        point = lambda body, at: at_body(body, np.hstack([np.eye(3), -skew(at - centres[body])]))  # noqa: E731
        angle = lambda body: at_body(body, np.hstack([np.zeros((3, 3)), np.eye(3)]))  # noqa: E731
        middle = (foot + head) / 2
        slide = point(high, middle) - point(low, middle)
        held += [point(low, foot), point(high, head) - point(0, head), axes[:, :2].T @ slide, angle(high) - angle(low)]
        springs.append((z[None] @ slide, 60e3, 60))
        springs += [(angle(low), 20, 0.004), (angle(0) - angle(high), 20, 0.004)]
    N = null_space(np.vstack(held))
    mass = np.zeros((78, 78))
    for body, J in enumerate(M):
        mass[6 * body : 6 * body + 6, 6 * body : 6 * body + 6] = J
    C, K = (sum(s[which] * s[0].T @ s[0] for s in springs) for which in (2, 1))
    return N.T @ mass @ N, N.T @ C @ N, N.T @ K @ N


def at_body(body: int, rows: np.ndarray) -> np.ndarray:
    wide = np.zeros((3, 78))
    wide[:, 6 * body : 6 * body + 6] = rows
    return wide


def test_stewart_platform_on_flexures() -> None:
    """14 bodies and 12 degrees of freedom as Jiang, Chen & Luo (2011) have it; their numbers are not in the paper."""
    model = eb.load(EXAMPLES / "stewart_flexures.yaml")
    found = eb.modes(model)
    types = Counter(joint["type"] for joint in model.document["joints"].values())
    assert len(model.document["bodies"]) == 14
    assert types == {"fixed": 1, "spherical": 12, "prismatic": 6}
    assert found.dof == 12
    M, C, K = stewart()
    assert len(M) == 12
    np.testing.assert_allclose(found.eigenvalues, exponents(M, C, K), rtol=1e-9)


def test_legs_that_spin_between_their_flexures() -> None:
    """Three of the six can do so with the platform at rest: two flexures turn the two halves of a leg."""
    w, inertia = math.sqrt(2 * 20 / (4e-4 + 1.2e-4)), 4e-4 + 1.2e-4
    alone = complex(-0.004 / inertia, math.sqrt(w**2 - (0.004 / inertia) ** 2))
    np.testing.assert_allclose(modes_of("stewart_flexures.yaml").eigenvalues[6:9], alone, rtol=1e-9)


# McPherson strut ------------------------------------------------------------------------------------------------------
def rotation(v: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector (Rodrigues)."""
    angle = np.linalg.norm(v)
    if angle < 1e-12:
        return np.eye(3) + skew(v)
    k = skew(v / angle)
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


P = {name: np.array(at) for name, at in {
    "hinge": (-0.04, 0.35, 0.22), "ball": (0, 0.66, 0.19), "strut": (0, 0.62, 0.38), "top": (-0.035, 0.56, 0.83),
    "rack": (-0.13, 0.36, 0.27), "rod_end": (-0.14, 0.64, 0.26), "wheel": (0, 0.74, 0.30), "arm": (-0.03, 0.50, 0.21),
    "knuckle": (0, 0.71, 0.31), "rod": (-0.02, 0.585, 0.68), "tie": (-0.135, 0.50, 0.265)}.items()}  # fmt: skip
AXLE = np.array([1, 0, -0.04]) / np.linalg.norm([1, 0, -0.04])
STRUT = np.array([-0.035, -0.06, 0.45]) / np.linalg.norm([-0.035, -0.06, 0.45])


def strut_pose(angle: float) -> list[tuple[np.ndarray, np.ndarray]]:
    """Position and rotation of arm, knuckle, rod and tie rod over the angle of the arm, by closing the loops."""
    arm = rotation(angle * AXLE)
    ball = P["hinge"] + arm @ (P["ball"] - P["hinge"])
    side = np.cross(STRUT, [1.0, 0, 0])
    side /= np.linalg.norm(side)

    def gaps(v: np.ndarray) -> list[float]:
        R = rotation(v)
        to_top = R.T @ (P["top"] - ball) - (P["strut"] - P["ball"])
        length = np.linalg.norm(ball + R @ (P["rod_end"] - P["ball"]) - P["rack"])
        return [to_top @ side, to_top @ np.cross(STRUT, side), length - np.linalg.norm(P["rod_end"] - P["rack"])]

    R = rotation(newton(gaps, np.zeros(3)))
    knuckle = ball + R @ (P["knuckle"] - P["ball"])
    along = R @ STRUT  # of the rod, which a universal joint about x, then y, holds at the top
    rod = universal(STRUT, along, np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    reach = ball + R @ (P["rod_end"] - P["ball"]) - P["rack"]
    tie = universal(P["rod_end"] - P["rack"], reach, np.array([0, 0, 1.0]), np.array([1.0, 0, 0]))
    return [
        (P["hinge"] + arm @ (P["arm"] - P["hinge"]), arm), (knuckle, R), (P["top"] + rod @ (P["rod"] - P["top"]), rod),
        (P["rack"] + tie @ (P["tie"] - P["rack"]), tie),
    ]  # fmt: skip


def universal(drawn: np.ndarray, now: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Rotation about `first`, then about `second` carried along, that turns one direction into the other."""
    unit = now / np.linalg.norm(now)
    gap = lambda a: (rotation(a[0] * first) @ rotation(a[1] * second) @ drawn / np.linalg.norm(drawn) - unit) @ other  # noqa: E731
    other = np.stack([np.cross(unit, first), np.cross(unit, second)], axis=1)
    a = newton(gap, np.zeros(2))
    return rotation(a[0] * first) @ rotation(a[1] * second)


def strut_energy(angle: float) -> float:
    poses = strut_pose(angle)
    (_, (knuckle, R), *_), masses = poses, (3.5, 36, 2.4, 0.9)
    sliding = STRUT @ (R.T @ (P["top"] - knuckle) - (P["top"] - P["knuckle"]))
    wheel = (knuckle + R @ (P["wheel"] - P["knuckle"]) - P["wheel"])[2]
    weight = sum(m * G * r[2] for m, (r, _) in zip(masses, poses, strict=True))
    return weight + 22e3 / 2 * (sliding - 3370 / 22e3) ** 2 + 175e3 / 2 * (wheel - 3630 / 175e3) ** 2


def test_mcpherson_strut() -> None:
    """One coordinate left after closing the loops here: V''/M at the bottom of the energy.

    Trom (1990), Table 4.2, has 11.5974 Hz for a suspension whose numbers the thesis does not give; this one has 11.587.
    """
    step = 2e-3
    rest = 0.0
    for _ in range(6):
        rest -= slope(strut_energy, step, rest) / bend(lambda x: strut_energy(rest + x), step)  # noqa: B023
    stiffness = bend(lambda x: strut_energy(rest + x), step)
    inertias = ([0.05, 0.03, 0.07], [0.95, 1.35, 0.9], [0.03, 0.03, 2e-3], [8e-3, 2e-4, 8e-3])
    mass, drawn = 0.0, strut_pose(rest)
    for body, (m, inertia) in enumerate(zip((3.5, 36, 2.4, 0.9), inertias, strict=True)):
        v, turning = (slope(lambda x, b=body, i=i: strut_pose(rest + x)[b][i], step) for i in (0, 1))
        spin = drawn[body][1].T @ turning
        w = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        mass += m * v @ v + w @ (np.array(inertia) * w)
    found = modes_of("mcpherson_strut.yaml", c=0.0)
    assert found.dof == 1
    assert found.linear.point.coordinates()["hinge"] == pytest.approx(rest, abs=1e-9)
    assert found.eigenvalues[0].imag == pytest.approx(math.sqrt(stiffness / mass), rel=1e-7)
    assert found.frequency_hz[0] == pytest.approx(11.587, abs=1e-3)


# Twist axle -----------------------------------------------------------------------------------------------------------
def twist_axle(kt: float, ks: float, kb: float, m: float, y: float) -> list[float]:
    """Both wheels up, one up and one down; nothing loaded.

    With the arms' angles p and q and the roll r of both: the beam, e behind the bushings, is common to both arms, so
    r w = e (p - q) / 2. At the height of the wheel, the spring, ...: a p + r (v - w) on the left.
    """
    a, b, e, s, w, v, u = 0.40, 0.35, 0.12, 0.33, 0.55, 0.72, 0.50
    Ixx, Iyy, Ixy = 0.9, 1.6, 0.2
    up = math.sqrt((kt * a**2 + ks * b**2) / (Iyy + m * s**2))
    r = e / w
    wheel, spring, centre = a + r * (v - w), b + r * (u - w), s + r * (y - w)
    inertia = Iyy + Ixx * r**2 + 2 * Ixy * r + m * centre**2
    apart = math.sqrt((kt * wheel**2 + ks * spring**2 + 2 * kb) / inertia)
    return sorted([up, apart])


def test_twist_axle() -> None:
    """Closed form of the unloaded one; the load, as everything is level, does not change it.

    Trom (1990), Table 4.2, has 10.35017 and 10.78386 Hz for a suspension whose numbers the thesis does not give.
    """
    closed = twist_axle(153e3, 25e3, 1e3, 45, 0.66)
    free = modes_of("twist_axle.yaml", c=0.0, g=0.0, load=0.0, preload=0.0)
    assert free.dof == 2
    assert free.eigenvalues.imag == pytest.approx(closed, rel=1e-10)
    assert modes_of("twist_axle.yaml", c=0.0).eigenvalues.imag == pytest.approx(closed, rel=2e-3)


# Tractor-semitrailer --------------------------------------------------------------------------------------------------
SPEED = 22.352
TURN = 0.25 * 9.80665 / SPEED


@cache
def turn() -> tuple[np.ndarray, float, float]:
    return Truck().steady_turn(SPEED, TURN)


def test_truck_takes_the_turn() -> None:
    """Steering, drive, roll and articulation as the equations written out in gallery_references.py have them."""
    state, steer, push = turn()
    point = modes_of("tractor_semitrailer.yaml").linear.point
    where = point.coordinates()
    assert point.state.u_in == pytest.approx([push], rel=1e-8)
    assert point.model.description.parameters["delta"] == pytest.approx(steer, rel=1e-8)
    assert where["road.z"] == pytest.approx(state[0], abs=1e-9)
    for i, name in enumerate(("front", "drive1", "drive2", "rear1", "rear2")):
        assert where[f"hang_{name}.y"] == pytest.approx(state[6 + 2 * i], abs=1e-9)
        assert where[f"hang_{name}.angle"] == pytest.approx(state[7 + 2 * i], abs=1e-9)


def test_truck_balances() -> None:
    """Tyres and drive carry the weight and turn every mass, where the package has it, about the centre of the curve."""
    truck = Truck()
    r = modes_of("tractor_semitrailer.yaml").linear.point.state.r
    state, steer, push = turn()
    q = np.concatenate(([0, 0], state[:3], [0], state[3:16]))
    drive = push * truck.places(q[None])[1][0, 0, :, 0]
    forces = drive + np.sum([force for _, _, force in truck.tyres(q, state[16:], steer)], axis=0)
    forces = turned(2, np.array(-math.atan2(state[17], state[16]))) @ forces  # the speed is along x
    centripetal = -(TURN**2) * truck.mass @ r[:, :2]
    assert forces == pytest.approx([*centripetal, truck.mass.sum() * truck.g], rel=1e-8, abs=1e-4)
    assert centripetal[1] == pytest.approx(truck.mass.sum() * SPEED * TURN, rel=1e-3)  # m v^2 / R


def test_tyre_forces_of_the_truck() -> None:
    """Load and side force of each, about 8 kN and 2 kN on the trailer's inner, 68 kN and 17 kN on its outer wheels."""
    state, steer, _ = turn()
    q = np.concatenate(([0, 0], state[:3], [0], state[3:16]))
    expected = [(force[2], np.hypot(*force[:2])) for _, _, force in Truck().tyres(q, state[16:], steer)]
    loads = eb.reactions(modes_of("tractor_semitrailer.yaml").linear.point).loads
    found = [load.tension for load in loads if load.name.endswith(("_left", "_right"))]
    np.testing.assert_allclose(-np.array(found), expected, rtol=1e-7)


def test_exponents_of_the_truck() -> None:
    """All 38: those of the 35 equations without place and heading, zero, and +- i times the rate of the turn.

    Trom (1990), Table 5.2, belongs to a truck whose numbers the thesis does not give. It has 38 eigenvalues too, among
    them -0.020 +- 0.121i, where this truck has -0.021 and +- 0.110i (the rate of a turn of 0.25 g at 50 mph).
    """
    found = modes_of("tractor_semitrailer.yaml")
    assert (found.dof, found.states) == (19, 38)
    assert found.kinds.count("rigid") == 1
    expected = np.concatenate((Truck().exponents(*turn()), [1j * TURN]))
    np.testing.assert_allclose(upper(found.eigenvalues), upper(expected), rtol=1e-6)


# Washing machine ------------------------------------------------------------------------------------------------------
A, B, LOW, HIGH = 0.24, 0.27, 0.05, 0.30
LENGTH = math.hypot(B - A, HIGH - LOW)
TUBE, ROD = 0.35, 0.25


def tension() -> float:
    """Of a strut in the drawing: moments about its upper end, then forces along it on its lower half."""
    share, x, h = 34.9 * G / 4, B - A, HIGH - LOW
    sideways = x / h * (share + (TUBE / 4 + 3 * ROD / 4) * G)
    return (x * sideways + h * (share + ROD * G)) / LENGTH


def strut_parts(foot: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """Length, centres of tube and rod of the strut from (B, 0, HIGH) to its foot."""
    top = np.array([B, 0, HIGH])
    reach = foot - top
    long = float(np.linalg.norm(reach))
    return long, top + reach / long * LENGTH / 4, foot - reach / long * LENGTH / 4


def washer_energy(foot: np.ndarray, lift: float) -> float:
    long, tube, rod = strut_parts(foot)
    spring = 2500 / 2 * (long - LENGTH + tension() / 2500) ** 2
    return 34.9 * G * lift + 4 * (spring + TUBE * G * tube[2] + ROD * G * rod[2])


def test_washer_bounces() -> None:
    """Vertical motion of everything at once: one coordinate, by the symmetry of the four struts."""
    foot = lambda z: np.array([A, 0, LOW + z])  # noqa: E731
    step = 1e-3
    stiffness = bend(lambda z: washer_energy(foot(z), z), step)
    tube, rod = (slope(lambda z, i=i: strut_parts(foot(z))[i], step) for i in (1, 2))
    turning = (B - A) / LENGTH**2  # of the strut, rad per metre
    mass = 34.9 + 4 * (TUBE * tube @ tube + ROD * rod @ rod + (1e-3 + 8e-4) * turning**2)
    damping = 4 * 80 * slope(lambda z: strut_parts(foot(z))[0], step) ** 2
    expected = complex(-damping / (2 * mass), math.sqrt(stiffness / mass - (damping / (2 * mass)) ** 2))
    found = modes_of("washing_machine.yaml")
    assert np.abs(found.eigenvalues - expected).min() < 1e-7 * abs(expected)


def test_washer_turns_about_its_axis() -> None:
    """Tub, drum, agitator, balancer and pump about the axis: nine of the eigenvalues, at any speed."""
    lean = lambda p: np.array([A * math.cos(p), A * math.sin(p), LOW])  # noqa: E731
    struts = bend(lambda p: washer_energy(lean(p), 0), 5e-3)
    swing = 4 * ((TUBE / 16 + 9 * ROD / 16) * A**2 + (1e-3 + 8e-4) * (A / (HIGH - LOW)) ** 2)
    tub = 0.7 + 4e-3 + swing  # the motor's shaft keeps its speed relative to the tub
    M = np.diag([tub, 0.55, 8e-3, 0.12, 2e-4])
    link = lambda i, j: np.outer(e := np.eye(5)[i] - np.eye(5)[j], e)  # noqa: E731
    K = struts * np.outer(np.eye(5)[0], np.eye(5)[0]) + 400 * link(0, 1) + 150 * link(1, 2) + link(0, 4)
    C = 0.6 * link(0, 1) + 0.2 * link(1, 2) + 0.02 * link(1, 3) + 1e-3 * link(0, 4)
    expected = exponents(M, C, K)
    assert len(expected) == 5
    for speed in (0.0, 600 * math.pi / 30):
        found = modes_of("washing_machine.yaml", speed=speed).eigenvalues
        assert max(np.abs(found - e).min() / abs(e) for e in expected) < 1e-7


def test_washer_has_the_parts_of_the_paper() -> None:
    """Negrut & Ortiz (2006): 15 bodies (with the ground), 5 + 4 + 4 + 4 joints, one motion, ten degrees of freedom.

    Of their Table 4, made from numbers that are not given, this one shares the kind: slow sway in pairs (0.72 Hz there,
    0.58 Hz here at rest), a mode at 2.7 Hz (2.6 Hz here), and motions that creep without oscillating.
    """
    model = eb.load(EXAMPLES / "washing_machine.yaml")
    joints = model.document["joints"].values()
    assert len(model.document["bodies"]) + 1 == 15
    assert Counter(j["type"] for j in joints) == {"revolute": 5, "spherical": 4, "prismatic": 4, "universal": 4}
    assert sum("motion" in j for j in joints) == 1
    assert eb.modes(model).dof == 10


# Active suspension ----------------------------------------------------------------------------------------------------
MS, MU, KS, CS, KT, TAU = 320.0, 40.0, 18e3, 800.0, 200e3, 5e-3
PLANT = np.array(
    [[0, 1, 0, -1], [-KS / MS, -CS / MS, 0, CS / MS], [0, 0, 0, 1], [KS / MU, CS / MU, -KT / MU, -CS / MU]]
)  # of strut deflection, body speed, tyre deflection, wheel speed
PUSH = np.array([[0], [1 / MS], [0], [-1 / MU]])


def test_gains_are_those_of_the_regulator() -> None:
    """The Riccati equation with the weights of the file, solved here."""
    acceleration = PLANT[1:2]
    Q, R, S = acceleration.T @ acceleration + np.diag([1000, 20, 50000, 0]), [[1 / MS**2]], acceleration.T / MS
    X = solve_continuous_are(PLANT, PUSH, Q, R, s=S)
    gains = (PUSH.T @ X + S.T)[0] * MS**2
    given = eb.load(EXAMPLES / "active_suspension.yaml").document["parameters"]
    stated = [given[f"g_{name}"] for name in ("strut", "body", "tyre", "wheel")]
    assert stated == pytest.approx(gains, rel=1e-6)


def test_closed_loop() -> None:
    gains = np.array([[-7880.711, 2179.991, -10993.910, -177.4081]])
    loop = np.block([[PLANT, PUSH], [-gains / TAU, np.array([[-1 / TAU]])]])
    for active, closed in ((1.0, upper(np.linalg.eigvals(loop))), (0.0, upper(np.linalg.eigvals(PLANT)))):
        found = upper(modes_of("active_suspension.yaml", active=active).eigenvalues)
        np.testing.assert_allclose(found[: len(closed)], closed, rtol=1e-10)


def test_what_no_controller_can_change() -> None:
    """At sqrt(kt/mu) the road's way to the body is kt/(ms w), whatever the strut does."""
    w = math.sqrt(KT / MU)
    for active in (0.0, 1.0, 0.5):
        model = eb.load(EXAMPLES / "active_suspension.yaml", active=active)
        response = eb.frf(model, outputs="acceleration", frequencies_hz=[w / (2 * math.pi)])
        assert np.abs(response.values).ravel()[0] == pytest.approx(KT / (MS * w), rel=1e-10)


# Vibration absorber ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("mu", [0.05, 0.2])
def test_den_hartogs_absorber(mu: float) -> None:
    """Tuned to 1/(1 + mu), all curves pass two points of the height sqrt(1 + 2/mu), whatever the damping."""
    k = 1 / (1 + mu) ** 2
    both = [(1 + sign * math.sqrt(mu / (2 + mu))) / (1 + mu) for sign in (-1, 1)]  # squares of the frequencies
    height = math.sqrt(1 + 2 / mu)
    best = 2 * math.sqrt(k) * math.sqrt(3 * mu / (8 * (1 + mu)))
    for c in (0.1 * best, best, 3 * best):
        model = eb.load(EXAMPLES / "vibration_absorber.yaml", mu=mu, k=k, c=c)
        hz = [math.sqrt(square) / (2 * math.pi) for square in both]
        assert np.abs(eb.frf(model, frequencies_hz=hz).values).ravel() == pytest.approx([height] * 2, rel=1e-10)
    tuned = eb.frf(eb.load(EXAMPLES / "vibration_absorber.yaml", mu=mu, k=k, c=best))
    assert max(p.magnitude for p in tuned.peaks) == pytest.approx(height, rel=0.006)  # nearly the peaks
