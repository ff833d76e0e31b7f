"""Balls, ellipsoids and other convex bodies that roll without slipping: closed forms, the equations of a rolling body
in its own axes written out by hand, searches over the surface, and other formulations of the same machine.

The rolling body in its own axes (Bondi 1986; Garcia and Hubbard 1988): u is the vertical, w the angular velocity, d(u)
from the centre of mass to the lowest point, v = d x w:

    u' = u x w       I w' + w x I w = d x F       F = m (v' + w x v) + m g u
"""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

import eigenbody as eb
from eigenbody.analyses.verify.difference import linearize as by_differences
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.measures.surface import ImplicitSupport
from eigenbody.model.expressions import parse
from mechanisms import random_mechanism

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81


def skew(x: np.ndarray) -> np.ndarray:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def on_plane(surface: dict, height: float, inertia: list[float], mass: float = 2.0, below: float = 0.0, **more) -> dict:
    """A body whose surface has its centre at a height, and its centre of mass so much below."""
    return {
        "eigenbody": 1,
        "gravity": [0, 0, -G],
        "bodies": {"b": {"mass": mass, "inertia": inertia, "at": [0, 0, height - below]}},
        "joints": {"road": {"type": "rolling", "between": ["ground", "b"], "at": [0, 0, height], "axis2": [1, 0, 0],
                            "surface": surface}},
        **more,
    }  # fmt: skip


def frequencies(document: dict) -> np.ndarray:
    """Sizes of the eigenvalues that are no zeros, one for each pair."""
    modes = eb.modes(eb.load(document))
    return np.abs(modes.eigenvalues[~modes.is_rigid])


# Balls ----------------------------------------------------------------------------------------------------------------


def test_a_ball_on_a_table_goes_anywhere() -> None:
    """Five independent positions, three velocities, nothing that brings it back."""
    modes = eb.modes(eb.load(on_plane({"sphere": 0.1}, 0.1, [0.008] * 3)))
    assert (modes.dof, modes.states) == (3, 8)
    assert modes.is_rigid.all()
    assert modes.stability == "drifting"


@pytest.mark.parametrize("share", [0.4, 2 / 3, 0.25])
@pytest.mark.parametrize("rate", [2.0, -0.7])
def test_a_ball_on_a_turntable_circles(share: float, rate: float) -> None:
    """At rate k/(1 + k) of the table's, I = k m r^2: two sevenths for a homogeneous ball (Milne 1948), anywhere."""
    mass, radius = 2.0, 0.1
    document = on_plane({"sphere": radius}, radius, [share * mass * radius**2] * 3, mass)
    document["frames"] = {"table": {"about": [0, 0, 1], "at": [0.4, 0.1, 0], "rate": rate}}
    document["joints"]["road"]["between"] = ["table", "b"]
    linear = eb.linearize(eb.load(document))
    values = np.linalg.eigvals(linear.A)
    circling = abs(rate) * share / (1 + share)
    assert np.abs(values - 1j * circling).min() < 1e-12
    assert np.abs(values.real).max() < 1e-7


def test_a_ball_circles_on_a_turntable_in_time() -> None:
    """In a circle about a place that stands still in space, wherever the table's axis is."""
    document = on_plane({"sphere": 0.1}, 0.1, [0.4 * 2 * 0.01] * 3)
    document["bodies"]["b"]["at"] = document["joints"]["road"]["at"] = [0.3, 0, 0.1]
    document["frames"] = {"table": {"about": [0, 0, 1], "at": [0, 0, 0], "rate": 2.0}}
    document["joints"]["road"]["between"] = ["table", "b"]
    document["joints"]["ride"] = {"type": "free", "between": ["ground", "b"], "velocity": [0, 0.2, 0, None, None, None]}
    found = eb.simulate(eb.load(document), until=3, tolerance=1e-9, points=11)
    x, y = found.signal("ride.x"), found.signal("ride.y")
    radius = 0.2 / (2 / 7 * 2.0)
    angle = 2 / 7 * 2.0 * found.t
    np.testing.assert_allclose(x, radius * np.cos(angle) - radius, atol=1e-7)
    np.testing.assert_allclose(y, radius * np.sin(angle), atol=1e-7)


def test_a_ball_with_its_mass_below_the_centre_rocks() -> None:
    m, r, e, inertia = 1.3, 0.2, 0.05, [0.011, 0.013, 0.012]
    found = frequencies(on_plane({"sphere": r}, r, inertia, m, below=e))
    expected = [math.sqrt(m * G * e / (i + m * (r - e) ** 2)) for i in inertia[:2]]
    np.testing.assert_allclose(found, sorted(expected), rtol=1e-12)


def test_a_ball_on_a_ball_joint_is_a_ball_on_a_plane_that_tilts() -> None:
    """On a plane inclined by alpha a homogeneous ball accelerates at 5/7 g sin alpha, whatever its attitude."""
    alpha = 0.3
    document = on_plane({"sphere": 0.1}, 0.1, [0.4 * 2 * 0.01] * 3)
    document["joints"]["road"]["normal"] = [math.sin(alpha), 0, math.cos(alpha)]
    point = eb.operating_point(eb.load(document))
    acceleration = point.motion.acceleration[:3]
    down = np.array([math.cos(alpha), 0, -math.sin(alpha)])
    np.testing.assert_allclose(acceleration, 5 / 7 * G * math.sin(alpha) * down, atol=1e-12)


# Ellipsoids -----------------------------------------------------------------------------------------------------------


def test_an_ellipsoid_rocks_on_its_two_radii_of_curvature() -> None:
    """omega^2 = m g (R - c)/(I + m c^2) about either axis, R = a^2/c and b^2/c."""
    a, b, c, m = 0.1, 0.06, 0.04, 1.5
    inertia = [m * (b * b + c * c) / 5, m * (a * a + c * c) / 5, m * (a * a + b * b) / 5]
    found = frequencies(on_plane({"ellipsoid": [a, b, c]}, c, inertia, m))
    along = math.sqrt(m * G * (a * a / c - c) / (inertia[1] + m * c * c))
    across = math.sqrt(m * G * (b * b / c - c) / (inertia[0] + m * c * c))
    np.testing.assert_allclose(found, sorted([along, across]), rtol=1e-12)


def test_a_very_flat_ellipsoid_on_its_edge_is_a_disc() -> None:
    """The radius of curvature across the edge, c^2/r, is 1e-13 m."""
    body = {"mass": 2, "inertia": [0.125, 0.25, 0.125], "at": [0, 0, 0.5]}
    joint = {"type": "rolling", "between": ["ground", "disc"], "at": [0, 0, 0.5], "axis": [0, 1, 0]}
    ride = {"type": "free", "between": ["ground", "disc"], "at": [0, 0, 0.5], "velocity": [3, 0, 0, 0, None, 0]}
    matrices = []
    for shape in ({"radius": 0.5}, {"surface": {"ellipsoid": [0.5, 0.5, 2.2e-7]}}):
        joints = {"ride": ride, "road": joint | shape}
        model = {"eigenbody": 1, "gravity": [0, 0, -G], "bodies": {"disc": body}, "joints": joints}
        matrices.append(eb.linearize(eb.load(model | {"coordinates": ["ride.rx", "ride.rz"]})).A)
    np.testing.assert_allclose(matrices[1], matrices[0], atol=1e-10)


# Rattleback -----------------------------------------------------------------------------------------------------------


def body_rates(state: np.ndarray, half_axes: np.ndarray, h: float, mass: float, inertia: np.ndarray) -> np.ndarray:
    """(w', u') of an ellipsoid whose centre is h above the centre of mass."""
    w, u = state[:3], state[3:]
    square = half_axes**2
    root = np.sqrt((square * u * u).sum())
    d = -square * u / root + np.array([0, 0, h])
    u1 = np.cross(u, w)
    d1 = -square * u1 / root + square * u * (square * u * u1).sum() / root**3
    force = np.cross(d1, w) + np.cross(w, np.cross(d, w)) + G * u  # per mass, without d x w'
    balance = -np.cross(w, inertia @ w) + mass * np.cross(d, force)
    return np.concatenate((np.linalg.solve(inertia - mass * skew(d) @ skew(d), balance), u1))


STONE = (np.array([0.2, 0.03, 0.02]), 0.01, 1.0, np.array([[2e-4, -2e-5, 0], [-2e-5, 16e-4, 0], [0, 0, 17e-4]]))


def exponents(spin: float) -> np.ndarray:
    """The four exponents of the example that are no zeros, by complex steps through the equations above."""
    steady = np.array([0, 0, spin, 0, 0, 1.0])
    step = [body_rates(steady + 1e-30j * e, *STONE).imag / 1e-30 for e in np.eye(6)]
    values = np.linalg.eigvals(np.array(step).T)
    return np.sort_complex(values[np.argsort(-np.abs(values))[:4]])


@pytest.mark.parametrize("spin", [0.0, 1.0, 5.0, -5.0, 20.0, -60.0])
def test_exponents_of_the_rattleback(spin: float) -> None:
    linear = eb.linearize(eb.load(EXAMPLES / "rattleback.yaml", spin=spin))
    values = np.linalg.eigvals(linear.A)
    kinematic = np.array([0, 0, 1j * spin, -1j * spin])  # heading, spin, and the place seen from the turning axes
    for value in kinematic:
        values = np.delete(values, np.abs(values - value).argmin())
    for value in exponents(spin):
        assert np.abs(values - value).min() < 1e-9 * np.abs(value)


def test_the_rattleback_in_time() -> None:
    """Thrown on the table: the angular velocity in body axes against the equations above, and the energy."""
    document = yaml.safe_load((EXAMPLES / "rattleback.yaml").read_text())
    del document["frames"], document["coordinates"]
    document["joints"]["ride"] |= {"between": ["ground", "stone"], "velocity": [None, None, None, 0.4, 3, -5]}
    turning = {"type": "angular_velocity", "between": ["ground", "stone"], "in": "stone"}
    document["measures"] = {
        f"w{k}": {**turning, "axis": axis} for k, axis in zip("xyz", np.eye(3).tolist(), strict=True)
    }
    found = eb.simulate(eb.load(document), until=0.2, tolerance=1e-10, points=21)
    start = np.array([0.4, 3, -5, 0, 0, 1.0])
    exact = solve_ivp(lambda t, y: body_rates(y, *STONE), (0, 0.2), start, "DOP853", found.t, rtol=1e-12, atol=1e-12)
    for k, name in enumerate(("wx", "wy", "wz")):
        np.testing.assert_allclose(found.signal(name), exact.y[k], atol=1e-6)
    assert np.ptp(exact.y[1]) > 5
    energy = found.signal("energy")
    assert np.ptp(energy) < 1e-8 * np.ptp(found.signal("energy.kinetic"))


# Any convex surface ---------------------------------------------------------------------------------------------------

EGG = "(x/0.3)**2 + (y/0.2)**2*(1 + 0.5*z) + (z/0.25 + 0.3*x)**2 + (x/0.4)**4 - 1"


@pytest.mark.parametrize("seed", range(2))
def test_the_lowest_point_is_the_lowest(seed: int) -> None:
    """A search over directions of rays from the origin finds no lower one."""
    n = np.random.default_rng(seed).normal(size=3)
    n /= np.linalg.norm(n)
    formula = parse(EGG)
    support = ImplicitSupport.of(formula, "here")
    place, pull = (part[0] for part in support.lowest(n[None]))

    def height(angles: np.ndarray) -> float:
        a, b = angles
        ray = np.array([math.cos(a) * math.cos(b), math.sin(a) * math.cos(b), math.sin(b)])
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            inside = formula.evaluate(dict(zip("xyz", middle * ray, strict=True))) < 0
            low, high = (middle, high) if inside else (low, middle)
        return float(n @ (low * ray))

    start = np.array([math.atan2(-n[1], -n[0]), math.asin(-n[2])])
    found = minimize(height, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-15})
    assert pull > 0
    assert n @ place == pytest.approx(found.fun, abs=1e-9)
    assert n @ place <= found.fun + 1e-13


def test_an_ellipsoid_by_its_formula_is_the_same_ellipsoid() -> None:
    """Leaning, spinning, on a plane with a tilt: the same linear equations to rounding."""
    matrices = []
    for surface in ({"ellipsoid": [0.3, 0.2, 0.25]}, {"implicit": "=(x/0.3)**2 + (y/p)**2 + (z/0.25)**2 - 1"}):
        document = on_plane(surface, 0.25, [0.03, 0.04, 0.05, 0.005, 0.002, -0.003], below=0.03)
        document["parameters"] = {"p": 0.2}
        document["joints"]["road"] |= {"axis": [0.3, 0.2, 1], "axis2": [1, 0.4, 0], "normal": [0.1, -0.2, 1]}
        document["joints"]["ride"] = {
            "type": "free", "between": ["ground", "b"], "velocity": [0.3, None, None, 0.5, None, 2]
        }  # fmt: skip
        linear = eb.linearize(eb.load(document))
        assert linear.certificate.tangent_error < 1e-10
        matrices.append(linear.A)
    np.testing.assert_allclose(matrices[1], matrices[0], atol=1e-9 * np.abs(matrices[0]).max())


def test_a_ball_by_its_formula_has_a_certificate_too() -> None:
    """All tangents of a ball cancel: the error is told relative to what cancels."""
    document = on_plane({"implicit": "=(x**2 + y**2 + z**2)/0.01 - 1"}, 0.1, [0.008] * 3)
    document["joints"]["ride"] = {"type": "free", "between": ["ground", "b"], "velocity": [0.3, 0, 0, 0, None, 0]}
    assert eb.linearize(eb.load(document)).certificate.tangent_error < 1e-12


SURFACES = ({"sphere": 0.3}, {"ellipsoid": [0.5, 0.3, 0.4]}, {"implicit": f"={EGG}"})


@pytest.mark.parametrize("surface", SURFACES, ids=["sphere", "ellipsoid", "implicit"])
@pytest.mark.parametrize("seed", [5, 7])
def test_random_mechanisms_on_surfaces_against_differences(surface: dict, seed: int) -> None:
    """Wheels of random mechanisms, on ground and on moving bodies, replaced: differences of the forward dynamics."""
    document = copy.deepcopy(random_mechanism(np.random.default_rng(seed), "wheel"))
    for joint in document["joints"].values():
        if joint["type"] == "rolling":
            del joint["radius"]
            joint.pop("tube", None)
            joint["surface"] = surface
    point = eb.operating_point(eb.load(document))
    exact, found = eb.linearize(point).A, by_differences(point).matrices["A"]
    np.testing.assert_allclose(found, exact, atol=1e-6 * np.abs(exact).max())


def test_the_point_that_does_not_slip_is_the_lowest() -> None:
    rng = np.random.default_rng(1)
    document = on_plane({"implicit": f"={EGG}"}, 0.4, [1, 1, 1])
    document["joints"]["road"] |= {"axis": [0.3, 0.2, 1], "axis2": [1, 0.4, 0], "normal": [0.1, -0.2, 1]}
    point = eb.operating_point(eb.load(document))
    velocity = rng.normal(size=6)
    z = np.array([0.3, 0.2, 1]) / np.linalg.norm([0.3, 0.2, 1])
    x = np.array([1, 0.4, 0]) - z * (z @ [1, 0.4, 0])
    x /= np.linalg.norm(x)
    axes = np.column_stack((x, np.cross(z, x), z))
    n = np.array([0.1, -0.2, 1]) / np.linalg.norm([0.1, -0.2, 1])
    d = axes @ ImplicitSupport.of(parse(EGG), "here").lowest((axes.T @ n)[None])[0][0]
    slip = velocity[:3] + np.cross(velocity[3:], d)
    found = Mechanics(point.system, point.state.with_velocity(point.system, velocity)).non_holonomic.rate
    assert np.linalg.norm(found) == pytest.approx(np.linalg.norm(slip - n * (n @ slip)), rel=1e-12)


# Faults ---------------------------------------------------------------------------------------------------------------

SMALL = "lengths above zero are expected"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"surface": {"sphere": 0}}, f"joints.road.surface.sphere: {SMALL}, but here is 0 m"),
        ({"surface": {"ellipsoid": [0.1, -0.2, 0.1]}}, f"joints.road.surface.ellipsoid: {SMALL}, but here is -0.2 m"),
        ({"surface": {"ellipsoid": [0.1, 0.2]}}, "joints.road.surface.ellipsoid"),
        ({"surface": {"cube": 1}}, "joints.road.surface: this is not a surface. Write one of {sphere: 0.1}"),
        ({"surface": 0.1}, "joints.road.surface: this is not a surface."),
        ({"surface": {"implicit": "=x**2 + y**2 - 1"}}, "the formula of a closed surface has z in it too"),
        ({"surface": {"implicit": "=1 - x**2 - y**2 - z**2"}}, "the formula is not below zero at the origin"),
        (
            {"surface": {"implicit": "=x**2 + y**2 + z**2 - t"}},
            "used here. Allowed: parameters and x, y, z",
        ),
        ({"surface": {"implicit": "=x**2 + y**2 + z**2 - w"}}, 'unknown name "w"'),
        ({"radius": 0.1}, 'exactly one of "radius", "surface" must be given, but here is "radius" and "surface"'),
        ({"surface": None}, 'exactly one of "radius", "surface" must be given, but here is none of them'),
        ({"tube": 0.01}, "joints.road.tube: only a wheel has a tube"),
    ],
)
def test_bad_surfaces_are_named(change: dict[str, Any], words: str) -> None:
    document = on_plane({"sphere": 0.1}, 0.1, [0.008] * 3)
    document["joints"]["road"] |= change
    with pytest.raises(eb.InputError) as error:
        eb.load(document)
    assert words in str(error.value)


def test_a_parameter_may_not_be_a_coordinate_of_the_surface() -> None:
    document = on_plane({"implicit": "=x**2 + y**2 + z**2 - 1"}, 1, [1, 1, 1], parameters={"x": 1})
    with pytest.raises(eb.InputError, match='"x" is a parameter, but in the formula of a surface it is a coordinate'):
        eb.load(document)


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("=x**4 + y**4 + z**4 - 1", "the surface has no curvature where it touches the plane"),
        ("=x**2 + y**2 + z**2 - 1 - 2*exp(-(x**2 + y**2)/0.01)*z**2", "surface"),
        ("=x**2 + y**2 + z - 1", "the surface is not closed"),
        ("=x**2 + y**2 + z**2 + sqrt(z + 0.5) - 1", "the formula of the surface has no value or slope"),
    ],
)
def test_surfaces_that_cannot_roll_are_named(formula: str, words: str) -> None:
    with pytest.raises(eb.InputError, match=words) as error:
        eb.modes(eb.load(on_plane({"implicit": formula}, 1, [1, 1, 1])))
    assert "joints.road.surface.implicit" in str(error.value)
