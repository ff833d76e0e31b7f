"""Numbers on the short pages of the gallery that no other test has, against equations written out here."""

from __future__ import annotations

import cmath
import math
import runpy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eig, solve_continuous_are
from scipy.optimize import brentq

import eigenbody as eb

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81


def slope(f: Callable[[complex], complex], x: float) -> float:
    """Derivative by a complex step."""
    return f(complex(x, 1e-30)).imag / 1e-30


def bend(f: Callable[[complex], complex], x: float, step: float = 1e-3) -> float:
    """Second derivative: differences of sixth order of the slope."""
    weights = ((1, 45), (2, -9), (3, 1))
    return sum(w * (slope(f, x + k * step) - slope(f, x - k * step)) for k, w in weights) / (60 * step)


def modes_of(file: str, **parameters: float) -> eb.Modes:
    return eb.modes(eb.load(EXAMPLES / file, **parameters))


def one_of_each(values: np.ndarray) -> np.ndarray:
    return np.array(sorted((v for v in values if v.imag >= 0), key=abs))


# Linkages -------------------------------------------------------------------------------------------------------------
def spring_energy(angle: complex) -> complex:
    """Of the square leaning by the angle from the x axis, rods of 1 m and 1 kg: three weights and the spring."""
    return 2 * G * cmath.sin(angle) + 25 / 2 * (2 * cmath.cos(angle / 2) - math.sqrt(2)) ** 2


def test_four_bar_with_spring() -> None:
    at = brentq(lambda angle: slope(spring_energy, angle), 1.8, 2.6, xtol=1e-15)
    mass, damping = 5 / 3, math.sin(at / 2) ** 2
    expected = np.roots([mass, damping, bend(spring_energy, at)])[0]
    found = modes_of("four_bar_with_spring.yaml")
    assert found.linear.point.coordinates()["A"] == pytest.approx(at - math.pi / 2, rel=1e-9)
    assert found.eigenvalues == pytest.approx([expected], rel=1e-8)
    upright = math.sqrt(-bend(spring_energy, math.pi / 2) / mass + (0.5 / mass / 2) ** 2) - 0.5 / mass / 2
    others = eb.equilibrium(eb.load(EXAMPLES / "four_bar_with_spring.yaml"))
    assert f"{upright:.5f}" in str(others)  # the unstable one


def test_forces_in_the_four_bar_with_spring() -> None:
    """Forces and moments of each rod in the plane; magnitudes, as the product gives them in axes of the joints."""
    found = modes_of("four_bar_with_spring.yaml").linear.point
    at = found.coordinates()["A"] + math.pi / 2
    points = {"A": 0, "B": cmath.exp(1j * at), "C": 1 + cmath.exp(1j * at), "D": 1}
    pull = -25 * (abs(points["C"]) - math.sqrt(2)) * points["C"] / abs(points["C"])  # of the spring on the rocker
    matrix, loads = np.zeros((9, 8)), np.zeros(9)
    rods = (("A", "B", 1, -1, 0), ("B", "C", 1, -1, 0), ("D", "C", 1, 1, pull))
    for i, (one, other, first, second, extra) in enumerate(rods):
        for joint, sign in ((one, first), (other, second)):
            j, p = 2 * "ABCD".index(joint), points[joint]
            matrix[3 * i : 3 * i + 3, j : j + 2] += sign * np.array([[1, 0], [0, 1], [-p.imag, p.real]])
        centre = (points[one] + points[other]) / 2
        moment = (np.conj(points["C"]) * extra).imag - centre.real * G
        loads[3 * i : 3 * i + 3] = [-extra.real, G - complex(extra).imag, -moment]
    forces = np.linalg.lstsq(matrix, loads)[0]  # nine equations of which the equilibrium makes one superfluous
    assert np.abs(matrix @ forces - loads).max() < 1e-8
    reactions = eb.reactions(found)
    for joint, (x, y) in zip("ABCD", forces.reshape(4, 2), strict=True):
        assert np.linalg.norm(reactions[joint].force) == pytest.approx(math.hypot(x, y), rel=1e-8)


def linkage(angle: complex) -> tuple[complex, complex, complex]:
    """Pin of crank and coupler, pin of coupler and rocker (from the rocker's bearing), as x + j z parts apart."""
    bx, bz = 0.2 * cmath.sin(angle), 0.2 * cmath.cos(angle)
    x, z = 0.8 - bx, -bz
    span, coupler, rocker = x * x + z * z, 0.53, 0.17  # squares of lengths
    along = (span + coupler - rocker) / (2 * span)
    across = cmath.sqrt(coupler / span - along**2)
    return bx, bz, (bx + along * x - across * z, bz + along * z + across * x)


def linkage_parts(angle: complex) -> dict[str, tuple[complex, complex, complex]]:
    """Centres and angles of the links."""
    bx, bz, (cx, cz) = linkage(angle)
    turned = lambda x, z: cmath.atan(x / z)  # noqa: E731  about y, from z to x
    return {
        "crank": (bx / 2, bz / 2, angle),
        "coupler": ((bx + cx) / 2, (bz + cz) / 2, -cmath.atan((cz - bz) / (cx - bx))),
        "rocker": ((0.8 + cx) / 2, cz / 2, turned(cx - 0.8, cz)),
    }


def test_linkage_with_its_cylinder() -> None:
    masses = {"crank": (1.5, 0.02), "coupler": (3, 0.2), "rocker": (2, 0.06)}
    lag, area, beta, V, leak, supply, Cv, gain = 8e-3, 4e-4, 7e8, 1.2e-4, 2e-12, 12e6, 2e-7, 4

    def energy(angle: complex) -> complex:
        parts = linkage_parts(angle)
        return sum(m * G * parts[name][1] for name, (m, _) in masses.items()) + 200 * parts["coupler"][1]

    def stroke(angle: complex) -> complex:
        _, _, (cx, cz) = linkage(angle)
        x, z = 0.8 + 0.4 * (cx - 0.8) - 1.3, 0.4 * cz - 0.1
        return cmath.sqrt(x * x + z * z)

    def pressure(angle: float) -> float:
        return slope(energy, angle) / (area * slope(stroke, angle))

    def excess(angle: float) -> float:
        p = pressure(angle)
        return Cv * gain * (angle - 0.3) * math.sqrt(supply - p) - leak * p

    at = brentq(excess, 0.2, 0.5, xtol=1e-15)
    p, valve, ds = pressure(at), gain * (at - 0.3), slope(stroke, at)
    inertia = 0.0
    for name, (m, J) in masses.items():
        dx, dz, turn = (slope(lambda a, n=name, k=k: linkage_parts(a)[n][k], at) for k in range(3))
        inertia += m * (dx**2 + dz**2) + J * turn**2
    stiffness = bend(energy, at) - area * p * bend(stroke, at)
    rub, flow = 0.6 / 0.5 + 0.2, 4 * beta / V
    root = math.sqrt(supply - p)
    A = np.array(
        [
            [0, 1, 0, 0],
            [-stiffness / inertia, -rub / inertia, 0, area * ds / inertia],
            [gain / lag, 0, -1 / lag, 0],
            [0, -flow * area * ds, flow * Cv * root, -flow * (Cv * valve / (2 * root) + leak)],
        ]
    )
    found = modes_of("actuated_linkage.yaml")
    assert found.linear.point.coordinates()["A"] == pytest.approx(at, rel=1e-9)
    assert found.eigenvalues == pytest.approx(one_of_each(np.linalg.eigvals(A)), rel=1e-7)


def test_governor_hunts() -> None:
    """One angle, the spin free to change: the angular momentum stays."""
    m, arm, link, sleeve, L, spin = 1.5, 0.3, 0.2, 6.0, 0.25, 16.0

    def axial(angle: complex) -> complex:
        return 0.03 + 2 * (m + (arm + link) / 3) * L**2 * cmath.sin(angle) ** 2

    def weight(angle: complex) -> complex:
        return -G * L * cmath.cos(angle) * (2 * m + arm + 3 * link + 2 * sleeve)

    at = brentq(lambda a: slope(weight, a) - spin**2 / 2 * slope(axial, a), 0.5, 1.2, xtol=1e-15)
    momentum = spin * axial(at).real
    stiffness = bend(lambda a: weight(a) + momentum**2 / (2 * axial(a)), at)
    s, c = math.sin(at), math.cos(at)
    inertia = 2 * L**2 * (m + arm / 3 + link * (c**2 / 4 + 9 * s**2 / 4 + 1 / 12)) + sleeve * (2 * L * s) ** 2
    found = modes_of("flyball_governor.yaml").eigenvalues
    assert math.degrees(at) == pytest.approx(43.02, abs=5e-3)
    assert found[found != 0] == pytest.approx([1j * math.sqrt(stiffness / inertia)], rel=1e-8)


def test_blow_on_the_manipulator() -> None:
    """From rest: the momentum is the impulse, the energy half the impulse times the velocity of the point struck."""
    model = eb.load(EXAMPLES / "space_manipulator.yaml")
    found = eb.impulse(model, {"body": "base", "impulse": ["100 lbf*s", 0, 0]}, angles="123")
    blow = 100 * 4.4482216152605
    slug = 4.4482216152605 / 0.3048  # a mass that one pound-force accelerates by 1 ft/s^2
    mass = slug * np.array([10, 0.5, 0.5, 0.25, 0.5, 0.5, 0.25])
    assert mass @ found.velocity_jump == pytest.approx([blow, 0, 0], rel=1e-10, abs=1e-9)
    assert found.work == pytest.approx(blow * found["base.x"] / 2, rel=1e-10)


# Rotors ---------------------------------------------------------------------------------------------------------------
def whirl(M: np.ndarray, gyro: np.ndarray, K: np.ndarray, spin: float) -> np.ndarray:
    """Angular frequencies, forward positive, of M z'' - i spin gyro z' + K z = 0 in complex coordinates x + i y."""
    n = len(M)
    upper = np.block([[np.zeros((n, n)), np.eye(n)], [np.linalg.solve(M, K), np.linalg.solve(M, spin * gyro)]])
    return np.sort(np.linalg.eigvals(upper).real)


def critical(M: np.ndarray, gyro: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Spins that meet a whirl: forward and backward (negative)."""
    found = []
    for sense in (1, -1):
        squares = eig(K, M - sense * gyro)[0].real
        found += [sense * math.sqrt(s) for s in squares if 0 < s < 1e12]
    return np.sort(found)


def test_overhung_rotor_diagram() -> None:
    EI, L = 1657.1901247686158, 0.4
    K = EI * np.array([[12 / L**3, -6 / L**2], [-6 / L**2, 4 / L]])
    M, gyro = np.diag([10, 0.1]), np.diag([0, 0.2])
    found = eb.campbell(eb.load(EXAMPLES / "overhung_rotor.yaml"), "speed", np.linspace(0, 200, 41))
    for point, spin in ((0, 0.0), (-1, 200.0)):
        expected = np.sort(np.abs(whirl(M, gyro, K, spin))) / (2 * math.pi)
        hz = found.frequency_hz[point][~found.is_rigid[point]]
        assert np.sort(hz) == pytest.approx(expected, rel=1e-9)
    expected = np.sort(np.abs([s for s in critical(M, gyro, K) if abs(s) < 200]))
    assert [c.spin for c in found.critical_speeds] == pytest.approx(expected, rel=1e-8)


def shaft(segments: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass, gyroscopic and stiffness matrix of the rotor with two discs: Timoshenko beams between rigid pieces."""
    E, shear, density, r, length = 211e9, 81.2e9, 7810.0, 0.025, 1.5
    area, I, h, n = math.pi * r**2, math.pi * r**4 / 4, length / segments, segments + 1  # noqa: E741
    nu = E / (2 * shear) - 1
    phi = 12 * E * I / (shear * area * 6 * (1 + nu) / (7 + 6 * nu) * h**2)
    beam = np.array([[12, 6 * h, -12, 6 * h], [6 * h, (4 + phi) * h**2, -6 * h, (2 - phi) * h**2]])
    beam = np.vstack((beam, [-12, -6 * h, 12, -6 * h], [6 * h, (2 - phi) * h**2, -6 * h, (4 + phi) * h**2]))
    M, gyro, K = (np.zeros((2 * n, 2 * n)) for _ in range(3))
    for i in range(segments):
        K[2 * i : 2 * i + 4, 2 * i : 2 * i + 4] += E * I / (h**3 * (1 + phi)) * beam
    K[0, 0] += 1e6
    K[-2, -2] += 1e6
    discs = {
        segments // 3: (32.58972765304033, 0.17808928257067666, 0.32956362089137037),
        2 * segments // 3: (51.5252611115262, 0.42358058405433824, 0.8050822048675967),
    }
    for i in range(n):
        at_end = i in (0, segments)
        l = h / 2 if at_end else h  # noqa: E741  of the piece
        aside = (1 if i == 0 else -1) * h / 4 if at_end else 0.0  # its centre from the node
        m = density * area * l
        across = density * I * l + m * l**2 / 12
        disc = discs.get(i, (0, 0, 0))
        own = np.array([[m + disc[0], m * aside], [m * aside, across + m * aside**2 + disc[1]]])
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = own
        gyro[2 * i + 1, 2 * i + 1] = 2 * density * I * l + disc[2]
    return M, gyro, K


def test_two_disc_rotor_diagram() -> None:
    names = runpy.run_path(str(EXAMPLES / "two_disc_rotor.py"))
    found = names["diagram"]()
    M, gyro, K = shaft(12)
    J = np.diag(gyro)[1::2]
    twist = (
        2 * 81.2e9 * math.pi * 0.025**4 / 4 / 0.125 * (np.diag([1, *[2] * 11, 1]) - np.eye(13, k=1) - np.eye(13, k=-1))
    )
    torsion = math.sqrt(np.sort(eig(twist, np.diag(J))[0].real)[1])
    for point, spin in ((0, 0.0), (-1, 200 * math.pi)):
        hz = found.frequency_hz[point][~found.is_rigid[point]]
        expected = np.sort([*np.abs(whirl(M, gyro, K, spin)), torsion])[: len(hz)] / (2 * math.pi)
        assert np.sort(hz) == pytest.approx(expected, rel=1e-7)
    expected = np.sort([abs(s) for s in critical(M, gyro, K) if abs(s) < 200 * math.pi])
    assert np.sort([c.spin for c in found.critical_speeds]) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("segments", [6, 24])
def test_two_disc_rotor_by_pieces(segments: int) -> None:
    names = runpy.run_path(str(EXAMPLES / "two_disc_rotor.py"))
    M, gyro, K = shaft(segments)
    expected = np.sort(np.abs(whirl(M, gyro, K, 400 * math.pi / 3)))[:5]
    assert names["whirl_speeds"]("4000 rpm", segments)[:5] == pytest.approx(expected, rel=1e-7)


# Vehicles -------------------------------------------------------------------------------------------------------------
ROAD = (2 * math.pi * 0.1) ** 2 * 64e-6 * 20  # density of the road's speed, m^2/s^2/Hz: ISO 8608, class B, 20 m/s


def rms(f: np.ndarray, size: np.ndarray, falls: int) -> float:
    """Root of the integral of a squared response over all frequencies.

    Beyond the last one it falls like f^-falls, with the mean of the last fifth (whole periods of the delayed road).
    """
    last = f > 0.8 * f[-1]
    tail = np.mean(size[last] ** 2 * f[last] ** falls) * f[-1] ** (1 - falls) / (falls - 1)
    return math.sqrt(ROAD * (np.trapezoid(size**2, f) + tail))


def test_quarter_car_on_the_road() -> None:
    ms, mu, ks, cs, kt, ct = 500, 50, 18e3, 1500, 180e3, 500
    f = np.linspace(1e-6, 2000, 1_000_001)
    s = 2j * math.pi * f
    strut, tyre = ks + cs * s, kt + ct * s
    body_by_wheel = strut / (ms * s**2 + strut)
    wheel = tyre / s / (mu * s**2 + tyre + ms * s**2 * body_by_wheel)  # of the road's speed
    travel = (body_by_wheel - 1) * wheel
    found = eb.psd(eb.load(EXAMPLES / "quarter_car.yaml"), eb.Road("B", 20.0))
    assert found.rms["acceleration"] == pytest.approx(rms(f, np.abs(s**2 * body_by_wheel * wheel), 2), rel=1e-5)
    assert found.rms["travel"] == pytest.approx(rms(f, np.abs(travel), 4), rel=1e-6)
    crossings = rms(f, np.abs(s * travel), 2) / rms(f, np.abs(travel), 4) / (2 * math.pi)
    assert crossings == pytest.approx(2.5961, abs=5e-5)  # as printed
    assert math.isinf(found.rms["tyre_force"])


def test_half_car_on_the_road() -> None:
    m, J, mu, a, b, k, c, kt = 1000, 1500, 50, 1.2, 1.4, 18e3, 1500, 180e3
    lift = np.array([[1, a], [1, -b]])
    struts = np.block([[lift.T @ lift, -lift.T], [-lift, np.eye(2)]])
    M, K = np.diag([m, J, mu, mu]), k * struts + np.diag([0, 0, kt, kt])
    f = np.linspace(1e-9, 500, 400_001)
    s = 2j * math.pi * f
    heights = np.stack((1 / s, np.exp(-0.13 * s) / s), axis=-1)
    force = np.concatenate((np.zeros((len(f), 2)), kt * heights), axis=-1)
    x = np.linalg.solve(s[:, None, None] ** 2 * M + s[:, None, None] * c * struts + K, force[..., None])[..., 0]
    loads = kt * (heights - x[:, 2:])
    found = eb.psd(eb.load(EXAMPLES / "half_car.yaml"), eb.Road("B", 20.0), delays={"rear": 0.13})
    assert found.rms["acceleration"] == pytest.approx(rms(f, np.abs(s**2 * x[:, 0]), 4), rel=1e-6)
    assert found.rms["pitch"] == pytest.approx(rms(f, np.abs(x[:, 1]), 8), rel=1e-6)
    for i, name in enumerate(("front_load", "rear_load")):
        assert found.rms[name] == pytest.approx(rms(f, np.abs(loads[:, i]), 2), rel=1e-5)
    pitching = rms(f, np.abs(s * x[:, 1]), 6) / rms(f, np.abs(x[:, 1]), 8) / (2 * math.pi)
    heaving = rms(f, np.abs(s**3 * x[:, 0]), 2) / rms(f, np.abs(s**2 * x[:, 0]), 4) / (2 * math.pi)
    assert pitching == pytest.approx(1.099, abs=5e-4)  # as printed
    assert heaving == pytest.approx(7.2368, rel=2e-4)


def test_root_locus_by_hand() -> None:
    """Sideslip and yaw rate, Riekert and Schunck."""
    m, J, a, b, Cf, Cr = 1500, 2500, 1.2, 1.4, 140e3, 100e3
    names = runpy.run_path(str(EXAMPLES / "root_locus.py"))
    for V, roots in names["locus"](np.arange(10, 61, 10), Cf).items():
        turn = b * Cr - a * Cf
        A = [[-(Cf + Cr) / (m * V), turn / (m * V) - V], [turn / (J * V), -(a**2 * Cf + b**2 * Cr) / (J * V)]]
        assert np.sort(roots.real) == pytest.approx(np.sort(np.linalg.eigvals(A).real), rel=1e-9)


def test_bicycle_is_stable_between_two_speeds() -> None:
    """Meijaard et al. 2007: weave and capsize speed."""
    found = eb.campbell(eb.load(EXAMPLES / "whipple_bicycle.yaml"), "v", np.linspace(0.5, 8, 16))
    speeds = [next(iter(b.values.values())) for b in found.boundaries]
    assert speeds == pytest.approx([4.292382536341, 6.024262015388], abs=1e-8)
    assert [(b.kind, b.begins) for b in found.boundaries] == [("flutter", False), ("divergence", True)]


def hunting(V: float) -> np.ndarray:
    """Roots of lateral displacement and yaw of the wheelset, Wickens."""
    m, J, f11, f22, l, cone, r = 1250, 700, 1e7, 8.8e6, 0.75, 0.1, 0.45  # noqa: E741
    lateral, yaw = np.poly1d([m, 2 * f22 / V, 2.3e5]), np.poly1d([J, 2 * f11 * l**2 / V, 2.5e6])
    return (lateral * yaw + 2 * f22 * 2 * f11 * l * cone / r).roots


def test_wheelset_hunts() -> None:
    found = eb.campbell(eb.load(EXAMPLES / "wheelset.yaml"), "V", np.linspace(20, 100, 17))
    speed = brentq(lambda V: hunting(V).real.max(), 60, 100, xtol=1e-13)
    (boundary,) = found.boundaries
    assert boundary.values["V"] == pytest.approx(speed, rel=1e-8)
    axis = max(hunting(speed), key=lambda root: root.real)
    assert boundary.frequency == pytest.approx(abs(axis.imag), rel=1e-7)
    for point, V in ((0, 20.0), (-1, 100.0)):
        seen = found.eigenvalues[point][~found.is_rigid[point]]
        for root in hunting(V):
            assert np.abs(seen - complex(root.real, abs(root.imag))).min() < 1e-8 * abs(root)


# Control and design ---------------------------------------------------------------------------------------------------
def test_cart_and_pole() -> None:
    pytest.importorskip("control")
    names = runpy.run_path(str(EXAMPLES / "cart_pole_lqr.py"))
    cart, pole, l, J = 1.2, 0.3, 0.4, 0.01  # noqa: E741
    M = np.array([[cart + pole, pole * l], [pole * l, J + pole * l**2]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [np.linalg.solve(M, np.diag([0, pole * G * l])), np.zeros((2, 2))]])
    B = np.concatenate(([0, 0], np.linalg.solve(M, [1, 0])))[:, None]
    X = solve_continuous_are(A, B, np.diag([10.0, 100.0, 1.0, 1.0]), [[0.1]])
    expected = one_of_each(np.linalg.eigvals(A - B @ B.T @ X / 0.1))
    assert eb.modes(names["controlled"](names["gains"]())).eigenvalues == pytest.approx(expected, rel=1e-7)


def test_what_moves_the_grinder() -> None:
    """Relative sensitivities of all modes against differences of the frequencies."""
    model = eb.load(EXAMPLES / "which_screw.yaml")
    found = eb.sensitivity(model)
    for i, name in enumerate(found.names):
        value = float(model.description.parameters[name])
        h = 1e-5 * (abs(value) or 1.0)
        ahead, behind = (eb.modes(model.with_parameters(**{name: value + d})).frequency_hz for d in (h, -h))
        seen = (ahead - behind) / (2 * h)
        np.testing.assert_allclose(found.frequency_hz[i], seen, rtol=1e-6, atol=1e-8 * np.max(ahead) / abs(value))


@pytest.mark.parametrize(
    ("file", "routes"),
    [("stewart_platform.yaml", ["relative", "topology"]), ("which_screw.yaml", ["relative", "kane", "difference"])],
)
def test_verified(file: str, routes: list[str]) -> None:
    assert eb.verify(eb.load(EXAMPLES / file), routes).verdict == "agree"


@pytest.mark.slow
def test_stewart_platform_by_differences() -> None:
    assert eb.verify(eb.load(EXAMPLES / "stewart_platform.yaml"), ["difference"]).verdict == "agree"


def test_blade_lags_as_a_pendulum_in_the_centrifugal_field() -> None:
    """A stiff blade on its hinge at e: W^2 e S / I for lead-lag, W^2 (1 + e S / I) for flapping; S, I: of its mass."""
    model = eb.load(EXAMPLES / "helicopter_blade.yaml")
    blade = model.document["flexible"]["blade"]
    x, per_length = np.array(blade["points"], dtype=float)[:, 0], np.array(blade["mass_per_length"], dtype=float)
    e, spin = 0.0762, 660 / 60  # Hz
    S, I = (np.sum(per_length * np.diff((x - e) ** k / k)) for k in (2, 3))  # noqa: E741
    hz = eb.modes(model, n=2).frequency_hz
    assert hz == pytest.approx([spin * math.sqrt(e * S / I), spin * math.sqrt(1 + e * S / I)], rel=2e-3)
