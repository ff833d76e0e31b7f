"""Wheels that roll without slipping, against the literature, closed forms and their own nonlinear motion.

Bicycle: Meijaard, Papadopoulos, Ruina and Schwab 2007, whose appendix is written out here as the independent route.
Disc, hoop and torus: balance of momentum at the contact point, below. Caster: Schwab and Meijaard 2003.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.linalg import expm
from scipy.optimize import brentq, minimize

import eigenbody as eb
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.operating.steady import find_steady

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81
X, Y, Z = np.eye(3).tolist()


def spectrum(linear: eb.LinearModel, count: int) -> np.ndarray:
    """The `count` largest eigenvalues, sorted."""
    values = np.linalg.eigvals(linear.A)
    return np.sort_complex(values[np.argsort(-np.abs(values))[:count]])


# Bicycle --------------------------------------------------------------------------------------------------------------


def appendix(w=1.02, c=0.08, tilt=math.pi / 10) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, C1, K0, K2 of M q'' + v C1 q' + (g K0 + v^2 K2) q = 0, q = (lean, steer), z down: appendix A of 2007."""
    rR, mR, IRxx, IRyy = 0.3, 2.0, 0.0603, 0.12
    xB, zB, mB, IBxx, IBzz, IBxz = 0.3, -0.9, 85.0, 9.2, 2.8, 2.4
    xH, zH, mH, IHxx, IHzz, IHxz = 0.9, -0.7, 4.0, 0.05892, 0.00708, -0.00756
    rF, mF, IFxx, IFyy = 0.35, 3.0, 0.1405, 0.28
    s, k = math.sin(tilt), math.cos(tilt)
    mT = mR + mB + mH + mF
    xT = (xB * mB + xH * mH + w * mF) / mT
    zT = (-rR * mR + zB * mB + zH * mH - rF * mF) / mT
    ITxx = IRxx + IBxx + IHxx + IFxx + mR * rR**2 + mB * zB**2 + mH * zH**2 + mF * rF**2
    ITxz = IBxz + IHxz - mB * xB * zB - mH * xH * zH + mF * w * rF
    ITzz = IRxx + IBzz + IHzz + IFxx + mB * xB**2 + mH * xH**2 + mF * w**2
    mA = mH + mF
    xA, zA = (xH * mH + w * mF) / mA, (zH * mH - rF * mF) / mA
    IAxx = IHxx + IFxx + mH * (zH - zA) ** 2 + mF * (rF + zA) ** 2
    IAxz = IHxz - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA)
    IAzz = IHzz + IFxx + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
    uA = (xA - w - c) * k - zA * s
    IAll = mA * uA**2 + IAxx * s**2 + 2 * IAxz * s * k + IAzz * k**2
    IAlx = -mA * uA * zA + IAxx * s + IAxz * k
    IAlz = mA * uA * xA + IAxz * s + IAzz * k
    mu = c / w * k
    SR, SF = IRyy / rR, IFyy / rF
    ST, SA = SR + SF, mA * uA + mu * mT * xT
    M = np.array([[ITxx, IAlx + mu * ITxz], [IAlx + mu * ITxz, IAll + 2 * mu * IAlz + mu**2 * ITzz]])
    K0 = np.array([[mT * zT, -SA], [-SA, -SA * s]])
    K2 = np.array([[0, (ST - mT * zT) / w * k], [0, (SA + SF * s) / w * k]])
    C1 = np.array([
        [0, mu * ST + SF * k + ITxz / w * k - mu * mT * zT],
        [-(mu * ST + SF * k), IAlz / w * k + mu * (SA + ITzz / w * k)],
    ])  # fmt: skip
    return M, C1, K0, K2


def bicycle(v: float) -> eb.LinearModel:
    return eb.linearize(eb.load(EXAMPLES / "whipple_bicycle.yaml").with_parameters(v=v))


def test_appendix_gives_the_published_matrices() -> None:
    M, C1, K0, K2 = appendix()
    assert pytest.approx(np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]]), rel=1e-13) == M
    assert pytest.approx(np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])) == K0
    assert pytest.approx(np.array([[0, 76.59734589573222], [0, 2.65431523794604]]), rel=1e-13) == K2
    assert pytest.approx(np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]]), rel=1e-13) == C1


def test_bicycle_at_five_metres_a_second() -> None:
    linear = bicycle(5.0)
    assert linear.coordinates[:2] == ("frame.rx", "steer")  # roll, steer
    assert len(linear.coordinates) == 7
    assert linear.velocities == ("frame.rx", "steer", "rear_hub")
    modes = eb.modes(linear)
    found = modes.eigenvalues[modes.eigenvalues != 0]
    published = [-0.322866429004087, -0.775341882195842 + 4.464867713788225j, -14.0783896927982]
    np.testing.assert_allclose(found, published, rtol=0, atol=1e-9)
    assert np.count_nonzero(modes.eigenvalues == 0) == 6
    assert modes.stability == "drifting"  # nothing grows; place, heading and speed are free
    assert linear.certificate.tangent_error < 1e-12
    assert not linear.certificate.redundant


@pytest.mark.parametrize("v", [0.0, 1.0, 3.0, 5.0, 7.0, 10.0])
def test_lean_and_steer_equations_at_any_speed(v: float) -> None:
    """The rows of A that belong to roll and steer are the published equations, term by term."""
    linear, (M, C1, K0, K2) = bicycle(v), appendix()
    at = [linear.states.index(name) for name in ("frame.rx", "steer", "frame.rx'", "steer'")]
    rows = linear.A[at[2:]]
    expected = -np.linalg.solve(M, np.hstack((G * K0 + v**2 * K2, v * C1)))
    np.testing.assert_allclose(rows[:, at], expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    others = np.delete(rows, at, axis=1)
    assert np.abs(others).max() < 1e-11 * np.abs(expected).max()


def weave(v: float) -> float:
    values = np.linalg.eigvals(bicycle(v).A)
    return float(values[np.argmax(values.imag)].real)


def capsize(v: float) -> float:
    """Constant term of the characteristic polynomial without its six zeros."""
    return float(np.poly(bicycle(v).A)[4])


def test_weave_and_capsize_speeds_by_root_search() -> None:
    assert brentq(weave, 4.0, 5.0, xtol=1e-12) == pytest.approx(4.292382536341, abs=1e-9)
    assert brentq(capsize, 5.5, 6.5, xtol=1e-12) == pytest.approx(6.024262015388, abs=1e-9)


def deviations(found: eb.Simulation, linear: eb.LinearModel, undisturbed: eb.Simulation) -> np.ndarray:
    """What differs from the undisturbed motion, in the states of the linear model, (times, states)."""
    return np.stack([found.signal(name) - undisturbed.signal(name) for name in linear.states], axis=-1)


def assert_linear_response(disturbed: eb.Model, model: eb.Model, until: float, within: float) -> eb.Simulation:
    """The nonlinear motion is the linear one up to a small share of the disturbance."""
    linear = eb.linearize(model)
    found, undisturbed = (eb.simulate(m, until=until, tolerance=1e-11, points=21) for m in (disturbed, model))
    d = deviations(found, linear, undisturbed)
    assert np.abs(d[0]).max() > 0
    predicted = np.stack([expm(linear.A * (t - found.t[0])) @ d[0] for t in found.t])
    assert np.abs(d - predicted).max() < within * np.abs(d).max()
    return found


def test_bicycle_after_a_small_disturbance() -> None:
    """Linear response; the energy stays, though roll, steer and speed exchange it."""
    model = eb.load(EXAMPLES / "whipple_bicycle.yaml")
    document = model_document("whipple_bicycle.yaml")
    document["joints"]["steer"]["velocity"] = 1e-5
    found = assert_linear_response(eb.load(document), model, 1.0, 1e-3)
    energy = found.signal("energy")
    assert np.ptp(energy) < 1e-9 * energy[0]


def model_document(file: str) -> dict[str, Any]:
    from yaml import safe_load

    return safe_load((EXAMPLES / file).read_text())


def test_bicycle_far_from_upright_keeps_its_energy() -> None:
    document = model_document("whipple_bicycle.yaml")
    document["joints"]["steer"] |= {"position": 0.15, "velocity": 0.5}
    # steered, the hub's rate no longer determines the speed: say that it does not roll, or frame.x' = 0 comes first
    ride = {"type": "free", "between": ["ground", "frame"], "at": [0, 0, 0], "velocity": [None] * 3 + [0, None, None]}
    document["joints"]["ride"] = ride
    found = eb.simulate(eb.load(document), until=0.5, tolerance=1e-10, points=11)
    assert np.ptp(found.signal("frame.rx")) > 0.1
    assert found.signal("frame.x'")[0] == pytest.approx(5, rel=0.02)
    energy = found.signal("energy")
    assert np.ptp(energy) < 1e-8 * energy[0]
    assert max(found.drift) < 1e-8


# Disc, hoop, torus ----------------------------------------------------------------------------------------------------


WHEELS = {  # axial and diametral moment of inertia over m r^2, tube over r
    "disc": (0.5, 0.25, 0.0),
    "hoop": (1.0, 0.5, 0.0),
    "torus": (0.9, 0.47, 0.2),
}
MASS, RADIUS = 2.0, 0.5
every_wheel = pytest.mark.parametrize("kind", WHEELS)


def numbers_of(kind: str) -> dict[str, float]:
    axial, across, tube = WHEELS[kind]
    size = MASS * RADIUS**2
    return {"m": MASS, "r": RADIUS, "axial": axial * size, "across": across * size, "tube": tube * RADIUS}


def wheel(kind: str, v: float) -> eb.Model:
    return eb.load(EXAMPLES / "rolling_disc.yaml").with_parameters(v=v, **numbers_of(kind))


def lean_frequency2(kind: str, v: float) -> float:
    """Square of the circular frequency with which an upright wheel leans and steers.

    Lean a, yaw b, spin s = v/rho, rho = r + t. The contact is at (0, r a, -rho) from the centre, so that
    y' = v b - rho a'; moments about the centre: D a'' - A s b' = m g r a + rho m y'', D b'' + A s a' = 0.
    """
    n = numbers_of(kind)
    A, D, rho = n["axial"], n["across"], n["r"] + n["tube"]
    weight = MASS * G * RADIUS
    return (A * (A + MASS * rho**2) * (v / rho) ** 2 - D * weight) / (D * (D + MASS * rho**2))


def critical(kind: str) -> float:
    """Speed at which the frequency is zero."""
    return brentq(lambda v: lean_frequency2(kind, v), 0.1, 9.0, xtol=1e-14)


@every_wheel
@pytest.mark.parametrize("v", [0.5, 2.0, 6.0])
def test_lean_of_an_upright_wheel(kind: str, v: float) -> None:
    values = spectrum(eb.linearize(wheel(kind, v)), 2)
    np.testing.assert_allclose(values**2, [-lean_frequency2(kind, v)] * 2, rtol=1e-11)
    assert eb.modes(wheel(kind, v)).stability == ("unstable" if v < critical(kind) else "drifting")


@every_wheel
def test_critical_speed_by_root_search(kind: str) -> None:
    def squares(v: float) -> float:
        A = eb.linearize(wheel(kind, v)).A
        return float(np.trace(A @ A))  # the sum of the squared eigenvalues: two are not zero, +-lambda

    found = brentq(squares, 0.5, 4.0, xtol=1e-12)
    closed = {"disc": math.sqrt(G * RADIUS / 3), "hoop": math.sqrt(G * RADIUS / 4), "torus": critical("torus")}
    assert found == pytest.approx(closed[kind], abs=1e-10)


@every_wheel
def test_wheel_after_a_small_disturbance(kind: str) -> None:
    upright, disturbed = ({**circling(kind, 0.0, start=0.0)} for _ in range(2))
    for document, rate in ((upright, 0.0), (disturbed, 1e-5)):
        document["joints"]["lean"] |= {"position": 0.0, "velocity": rate}
    found = assert_linear_response(eb.load(disturbed), eb.load(upright), 0.5, 1e-3)
    energy = found.signal("energy")
    assert np.ptp(energy) < 1e-10 * energy[0]


@every_wheel
def test_wobbling_wheel_keeps_its_energy(kind: str) -> None:
    document = model_document("rolling_disc.yaml")
    document["parameters"] |= {"v": 2.0, **numbers_of(kind)}
    document["joints"]["ride"] |= {"velocity": [2.0, None, None, 1.5, None, 0.8]}
    found = eb.simulate(eb.load(document), until=1.5, tolerance=1e-11, points=31)
    assert np.ptp(found.signal("ride.z")) > 0.01
    energy = found.signal("energy")
    assert np.ptp(energy) < 1e-9 * energy[0]
    assert max(found.drift) < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_the_point_that_does_not_slip_is_the_lowest(seed: int) -> None:
    """The slip is the velocity of the material point that a search over the surface of the torus finds lowest."""
    rng = np.random.default_rng(seed)
    axle, n = rng.normal(size=3), np.array([0.3, -0.4, 0.9]) / np.linalg.norm([0.3, -0.4, 0.9])
    radius, tube = 0.6, 0.15
    document = {
        "eigenbody": 1,
        "bodies": {"wheel": {"mass": 1, "inertia": [1, 1, 1], "at": [0.2, 0.1, 0.4]}},
        "joints": {"road": {"type": "rolling", "between": ["ground", "wheel"], "at": [0.2, 0.1, 0.4],
                            "axis": axle.tolist(), "normal": n.tolist(), "radius": radius, "tube": tube}},
    }  # fmt: skip
    point = eb.operating_point(eb.load(document))
    velocity = rng.normal(size=6)
    state = point.state.with_velocity(point.system, velocity)
    a = axle / np.linalg.norm(axle)
    e = np.cross(a, n) / np.linalg.norm(np.cross(a, n))
    f = np.cross(a, e)

    def surface(angles: np.ndarray) -> np.ndarray:
        out = math.cos(angles[0]) * e + math.sin(angles[0]) * f
        return radius * out + tube * (math.cos(angles[1]) * out + math.sin(angles[1]) * a)

    starts = [(i, j) for i in (0.0, 2.0, 4.0) for j in (0.0, 2.0, 4.0)]
    lowest = min(
        (minimize(lambda x: n @ surface(x), start, tol=1e-14) for start in starts), key=lambda found: found.fun
    )
    slip = velocity[:3] + np.cross(velocity[3:], surface(lowest.x))
    found = Mechanics(point.system, state).non_holonomic.rate
    assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(slip - n * (n @ slip)), rel=1e-6)


# Circles --------------------------------------------------------------------------------------------------------------


def circling(kind: str, turn: float, start: float = 1.6) -> dict[str, Any]:
    """A wheel in gimbals without mass, seen from a frame that turns with it about the centre of its circle.

    `start` is a first guess of the radius of the circle.
    """
    n = numbers_of(kind)
    centre = [0, 0, n["r"] + n["tube"]]
    massless = {"mass": 0, "inertia": [0, 0, 0], "at": centre}
    link = lambda type, a, b, **keys: {"type": type, "between": [a, b], "at": centre, **keys}  # noqa: E731
    return {
        "eigenbody": 1,
        "gravity": [0, 0, -G],
        "frames": {"turn": {"about": Z, "at": [0, 0, 0], "rate": turn}},
        "bodies": {
            "lift": massless, "yoke": massless, "gimbal": massless,
            "wheel": {"mass": MASS, "inertia": [n["across"], n["axial"], n["across"]], "at": centre},
        },
        "joints": {
            "height": link("prismatic", "turn", "lift", axis=Z),
            "place": link("planar", "lift", "yoke", axis=Z, axis2=X, position=[0, start, 0]),
            "lean": link("revolute", "yoke", "gimbal", axis=X, position=0.3),
            "spin": link("revolute", "gimbal", "wheel", axis=Y, velocity=6.0),
            "road": link("rolling", "ground", "wheel", axis=Y, radius=n["r"], tube=n["tube"]),
        },
    }  # fmt: skip


AT_REST = {"place.x": 0.0, "place.x'": 0.0, "place.y'": 0.0, "place.angle'": 0.0}  # in the turning frame


def steady_spin(kind: str, lean: float, turn: float) -> tuple[float, float]:
    """Spin s and speed V of the centre of a wheel that circles at a constant lean.

    V = r (turn sin + s) + t s cos; moments about the heading:
    D turn^2 sin cos - A turn (s + turn sin) cos = m V turn (r cos + t) + m g r sin. Both are linear in s.
    """
    n = numbers_of(kind)
    A, D, r, t = n["axial"], n["across"], n["r"], n["tube"]
    s, c = math.sin(lean), math.cos(lean)
    speed = np.polynomial.Polynomial([r * turn * s, r + t * c])
    spin = np.polynomial.Polynomial([0.0, 1.0])
    balance = (
        A * turn * (spin + turn * s) * c + MASS * turn * (r * c + t) * speed + MASS * G * r * s - D * turn**2 * s * c
    )
    found = float(balance.roots()[0])
    return found, float(speed(found))


@every_wheel
def test_wheel_circles_at_a_constant_lean(kind: str) -> None:
    lean, turn = 0.3, -1.2  # it leans to the right and turns to the right
    found = find_steady(eb.load(circling(kind, turn)), {"lean": lean, **AT_REST}, ["spin'"])
    spin, speed = steady_spin(kind, lean, turn)
    assert found.rates["spin"] == pytest.approx(spin, rel=1e-10)
    place = eb.linearize(found.point).point.state.r[found.point.system.places.names.index("wheel")]
    assert np.hypot(*place[:2]) == pytest.approx(abs(speed / turn), rel=1e-10)


def disc_rates(state: np.ndarray) -> np.ndarray:
    """(lean, p, q, n)' of a thin disc: angular velocity p along the heading, n about the axle, q up in its plane."""
    k = numbers_of("disc")
    A, D, w = k["axial"], k["across"], MASS * RADIUS**2
    lean, p, q, n = state
    return np.array([
        p,
        ((A + w) * q * n - D * q**2 * np.tan(lean) + MASS * G * RADIUS * np.sin(lean)) / (D + w),
        -A / D * p * n + p * q * np.tan(lean),
        -w / (A + w) * p * q,
    ])  # fmt: skip


def test_exponents_of_a_circling_disc() -> None:
    """Those of the equations in body-fixed velocities, and +-i turn: the circle may be elsewhere."""
    lean, turn = 0.3, -1.2
    found = find_steady(eb.load(circling("disc", turn)), {"lean": lean, **AT_REST}, ["spin'"])
    spin, _ = steady_spin("disc", lean, turn)
    at = np.array([lean, 0.0, turn * math.cos(lean), spin + turn * math.sin(lean)])
    assert np.abs(disc_rates(at)).max() < 1e-12
    J = np.stack([disc_rates(at + 1e-30j * e).imag / 1e-30 for e in np.eye(4)], axis=-1)
    wobble = np.abs(np.linalg.eigvals(J)).max()
    modes = eb.modes(found.point)
    oscillating = modes.eigenvalues[modes.eigenvalues.imag > 1e-6]
    np.testing.assert_allclose(np.sort(oscillating.imag), np.sort([wobble, abs(turn)]), rtol=1e-10)
    assert np.abs(oscillating.real).max() < 1e-9


# Caster ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5, 0.7, 0.95])
@pytest.mark.parametrize("speed", [1.0, 3.0])
def test_caster_shimmy(share: float, speed: float) -> None:
    """The cubic, with a measured from the wheel forwards (the mass is b = L - a behind the kingpin).

    y: kingpin, p: angle. No slip at the wheel: y' = L p' + V p, so the mass at y - b p has the acceleration
    a p'' + V p'. Moments about the wheel: m (a^2 + r^2) p'' + m a V p' + k L y = 0; its derivative is the cubic.
    """
    L, r, m, k = 0.4, 0.12, 2.0, 300.0
    a = share * L
    b = L - a
    model = eb.load(EXAMPLES / "caster.yaml").with_parameters(V=speed, L=L, a=a, r=r, m=m, k=k)
    mu, wn2 = (a * b - r**2) / (a**2 + r**2), k * L**2 / (m * (a**2 + r**2))
    expected = np.roots([1, (1 + mu) * speed / L, wn2, speed / L * wn2])
    np.testing.assert_allclose(spectrum(eb.linearize(model), 3), np.sort_complex(expected), rtol=1e-10)
    assert eb.modes(model).stability == ("stable" if a * b > r**2 else "unstable")


def test_caster_after_a_small_disturbance() -> None:
    model = eb.load(EXAMPLES / "caster.yaml")
    document = model_document("caster.yaml")
    document["joints"]["lateral"]["position"] = 1e-5
    document["joints"]["pin"]["position"] = 0.0
    assert_linear_response(eb.load(document), model, 1.0, 1e-3)


# Initial state, bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("joint", "share"), [("rear_hub", 1 / 0.3), ("front_hub", 1 / 0.35)])
def test_forward_speed_by_either_hub(joint: str, share: float) -> None:
    document = model_document("whipple_bicycle.yaml")
    del document["joints"]["rear_hub"]["velocity"]
    document["joints"][joint]["velocity"] = 4 * share
    point = eb.operating_point(eb.load(document))
    index = point.system.places.names.index("frame")
    np.testing.assert_allclose(point.state.v[index], [4, 0, 0], atol=1e-13)
    np.testing.assert_allclose(point.state.w[index], 0, atol=1e-13)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"radius": 0}, "joints.front.radius: a radius above zero"),
        ({"radius": "-0.3 m"}, "joints.front.radius: a radius above zero"),
        ({"tube": -0.01}, "joints.front.tube: a radius of at least zero"),
        ({"axis": [0, 0, 2]}, "joints.front.axis: the wheel lies flat"),
        ({"normal": [0, -1, 0]}, "joints.front.axis: the wheel lies flat"),
        ({"between": ["fork", "fork"]}, 'joints.front.between: this is a joint of the body "fork" with itself'),
        ({"velocity": 3}, "joints.front.velocity: a rolling joint has no coordinates"),
    ],
)
def test_bad_wheels_are_named(change: dict[str, Any], words: str) -> None:
    document = model_document("whipple_bicycle.yaml")
    document["joints"]["front"] |= change
    with pytest.raises(eb.InputError) as error:
        eb.load(document)
    assert words in str(error.value)


def test_equilibrium_of_a_wheel_with_a_pendulum_and_a_spring() -> None:
    """The spring goes slack 0.05 m back, the arm hangs down; the contact carries the whole weight and no friction."""
    model = eb.load({
        "eigenbody": 1,
        "gravity": [0, 0, -9.81],
        "bodies": {"wheel": {"mass": 2, "inertia": [0.05, 0.1, 0.05], "at": [0, 0, 0.3]},
                   "arm": {"mass": 1, "inertia": [0.01, 0.01, 0.01], "at": [0.2, 0, 0.3]}},
        "joints": {
            "hub": {"type": "revolute", "between": ["wheel", "arm"], "at": [0, 0, 0.3], "axis": [0, 1, 0]},
            "roll": {"type": "rolling", "between": ["ground", "wheel"], "at": [0, 0, 0.3], "axis": [0, 1, 0],
                     "radius": 0.3},
            "upright": {"type": "perpendicular", "between": ["ground", "wheel"], "at": [0, 0, 0.3], "axis": [0, 0, 1],
                        "axis2": [0, 1, 0]},
        },
        "forces": {"k": {"type": "spring", "between": ["ground", "wheel"], "at": [[-0.5, 0, 0.3], [0, 0, 0.3]],
                         "k": 200, "c": 5, "free_length": 0.45}},
    })  # fmt: skip
    found = eb.equilibrium(model)
    values = found.point.coordinates()
    assert values["wheel.x"] == pytest.approx(-0.05, abs=1e-9)
    assert values["hub"] + values["wheel.ry"] == pytest.approx(np.pi / 2, abs=1e-9)
    assert found.point.residual < 1e-12
    assert found.point.is_equilibrium
    contact = eb.reactions(found.point, axes="ground").as_dict()
    force = next(joint["force"] for joint in contact["joints"] if joint["joint"] == "roll")
    assert force == pytest.approx([0, 0, 3 * 9.81], abs=1e-8)
