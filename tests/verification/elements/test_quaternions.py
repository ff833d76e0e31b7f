"""Euler parameters as measures: values against SciPy, prescribed rotations against rotation vectors and Euler's
equations, linear equations against differences and a closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import eigenbody as eb
from eigenbody.spatial.rotations import turning_quaternion, turning_vector
from mechanisms import random_mechanism

G = 9.81
COMPONENTS = ["q.w", "q.x", "q.y", "q.z"]


def on_a_ball(**joint: object) -> eb.Model:
    model = eb.Model(gravity=[0, 0, -G]).body("body", mass=2.0, inertia=[0.3, 0.2, 0.1], at=[0.5, 0.1, -0.2])
    return model.joint("ball", "spherical", between=["ground", "body"], at=[0, 0, 0], **joint)


def principal(rotation: Rotation) -> np.ndarray:
    """(w, x, y, z) with w >= 0."""
    return rotation.as_quat(canonical=True, scalar_first=True)


# Values ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_components_are_those_of_scipy(seed: int) -> None:
    """Of a joint turned by a rotation vector, and between two bodies that are drawn and turned anyhow."""
    rng = np.random.default_rng(seed)
    vectors = [rng.normal(size=3) * 1.5 for _ in range(3)]
    model = on_a_ball(position=vectors[0].tolist()).measure("q", "quaternion", of="ball")
    angle, axis = float(np.linalg.norm(vectors[1])), vectors[1].tolist()
    model = model.body("other", mass=1, inertia=[1, 1, 1], at=[0, 0, 1], rotation={"axis": axis, "angle": angle})
    model = model.joint("loose", "free", between=["ground", "other"], position=[0, 0, 0, *vectors[2].tolist()])
    model = model.measure("between", "quaternion", between=["other", "body"])
    found = eb.operating_point(model).coordinates()
    first, third = (Rotation.from_rotvec(v) for v in (vectors[0], vectors[2]))
    np.testing.assert_allclose([found[name] for name in COMPONENTS], principal(first), atol=1e-13)
    between = [found[f"between.{k}"] for k in "wxyz"]
    np.testing.assert_allclose(between, principal(third.inv() * first), atol=1e-13)


@pytest.mark.parametrize("sign", [1, -1])
def test_given_components(sign: int) -> None:
    """q and -q are the same rotation; what is read has w >= 0. Half a turn away from the drawing too."""
    for given in ([0.5, 0.5, -0.5, 0.5], [0.0, 0.6, 0.0, 0.8], [0.1, -0.7, 0.1, 0.7]):
        q = np.array(given)
        model = on_a_ball().measure("q", "quaternion", of="ball", position=(sign * q).tolist())
        point = eb.operating_point(model)
        np.testing.assert_allclose(point.state.R[0], Rotation.from_quat(q, scalar_first=True).as_matrix(), atol=1e-12)
        found = np.array([point.coordinates()[name] for name in COMPONENTS])
        assert abs(found @ q) == pytest.approx(1, abs=1e-12)
        assert found[0] >= -1e-12


def test_single_components_and_operating_points() -> None:
    """One component given: the others follow the rule of the initial state; all four by the operating point."""
    model = on_a_ball().measure("q", "quaternion", of="ball")
    assert eb.operating_point(model.set(operating_point={"q.x": 0.3})).coordinates()["q.x"] == pytest.approx(0.3)
    wanted = dict(zip(COMPONENTS, (0.5, 0.5, -0.5, 0.5), strict=True))
    found = eb.operating_point(model.set(operating_point=wanted)).coordinates()
    assert {name: found[name] for name in COMPONENTS} == pytest.approx(wanted)


def test_sign_changes_at_half_a_turn_in_time() -> None:
    model = on_a_ball(motion=[0, 0, "=3*t"]).measure("q", "quaternion", of="ball")
    run = eb.simulate(model, 3.0, points=31)
    half = 1.5 * run.t
    sign = np.sign(np.cos(half))
    np.testing.assert_allclose(run.signal("q.w"), sign * np.cos(half), atol=1e-9)
    np.testing.assert_allclose(run.signal("q.z"), sign * np.sin(half), atol=1e-9)
    np.testing.assert_allclose(run.signal("q.z'"), sign * 1.5 * np.cos(half), atol=1e-8)


# Prescribed rotations -------------------------------------------------------------------------------------------------


def test_angular_velocity_of_a_quaternion_is_that_of_its_rotation_vector() -> None:
    """w = 2 conj(q) q' and its rate, by complex steps along a coning vector; any length of q gives the same."""

    def vector(t: complex) -> np.ndarray:
        return np.array([0.7 * np.sin(1.3 * t), 0.2 + 1.1 * t, 2.4 * t - 0.3 * np.cos(2 * t)])

    def q(t: complex) -> np.ndarray:
        a = vector(t)
        angle = np.sqrt((a * a).sum())
        return (2 + 0.5 * t) * np.array([np.cos(angle / 2), *(np.sin(angle / 2) / angle * a)])

    def derivatives(f, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        h, step = 1e-3, 1e-30
        first = lambda s: f(s + 1j * step).imag / step  # noqa: E731
        second = (8 * (first(t + h) - first(t - h)) - (first(t + 2 * h) - first(t - 2 * h))) / (12 * h)
        return f(t), first(t), second

    for t in (0.3, 1.1, 2.0):
        found, known = turning_quaternion(*derivatives(q, t)), turning_vector(*derivatives(vector, t))
        for a, b, tolerance in zip(found, known, (1e-13, 1e-12, 1e-8), strict=True):
            np.testing.assert_allclose(a, b, atol=tolerance)


TURN = ["=cos(1.5*t)", 0, 0, "=sin(1.5*t)"]


@pytest.mark.parametrize("place", ["joint", "free joint", "bodies"])
def test_any_number_of_turns(place: str) -> None:
    """Ten seconds at 3 rad/s, nearly five turns: place and moment as by the rotation vector."""
    by_vector = eb.inverse(on_a_ball(motion=[0, 0, "=3*t"]), until=10, points=21)
    model = on_a_ball()
    keys: dict[str, object] = {"of": "ball"}
    if place == "free joint":
        model, keys = model.joint("loose", "free", between=["ground", "body"], at=[0, 0, 0]), {"of": "loose"}
    if place == "bodies":
        keys = {"between": ["ground", "body"]}
    model = model.measure("q", "quaternion", **keys).driver("aim", measure="q", motion=TURN)
    assert eb.check(model).document()["redundant"] == []
    found = eb.inverse(model, until=10, points=21)
    assert found.balls == ("q",)
    for state, other in zip(found.states, by_vector.states, strict=True):
        np.testing.assert_allclose(state.R, other.R, atol=1e-12)
        np.testing.assert_allclose(state.w, other.w, atol=1e-11)
    np.testing.assert_allclose(found.ball_moment, by_vector.ball_moment, atol=1e-9)
    power = (found.force * found.rate).sum(axis=1)  # of four generalized forces
    np.testing.assert_allclose(power, 3 * found.ball_moment[:, 0, 2], atol=1e-9)


def test_inverse_takes_a_quaternion_and_simulate_follows_it() -> None:
    model = on_a_ball().measure("q", "quaternion", of="ball")
    by_names = dict(zip(COMPONENTS, TURN, strict=True))
    one, whole = (eb.inverse(model, motion, until=2, points=5) for motion in (by_names, {"q": TURN}))
    np.testing.assert_allclose(one.ball_moment, whole.ball_moment, atol=1e-12)
    run = eb.simulate(model.driver("aim", measure="q", motion=TURN), 4.0, points=9)
    np.testing.assert_allclose(run.signal("body.x"), 0.5 * np.cos(3 * run.t) - 0.1 * np.sin(3 * run.t) - 0.5, atol=1e-9)


def test_angles_driven_as_a_whole() -> None:
    """A list of motions for a measure of angles, and for all coordinates of a joint, is one driver for each."""
    model = on_a_ball().measure("e", "angles", of="ball", sequence="zxz")
    motion = ["=0.3 + t", "=0.5 + 0.1*t", "=2*t"]
    alone = model
    for k, law in enumerate(motion, 1):
        alone = alone.driver(f"d{k}", measure=f"e.{k}", motion=law)
    found, expected = (
        eb.inverse(m, until=1, points=3) for m in (model.driver("aim", measure="e", motion=motion), alone)
    )
    np.testing.assert_allclose(found.ball_moment, expected.ball_moment, atol=1e-12)
    by_vector = eb.inverse(model.driver("aim", measure="ball", motion=[0, 0, "=3*t"]), until=1, points=3)
    assert by_vector.balls == ("ball",)


@pytest.mark.parametrize("t", [0.0, 0.7])
def test_linearization_with_a_driven_base_agrees_with_differences(t: float) -> None:
    """A pendulum on a base whose attitude is prescribed by a quaternion in time."""
    model = on_a_ball().measure("q", "quaternion", of="ball")
    half = f"(0.4 + 0.8*(t + {t}))/2"
    law = [f"=cos({half})", f"=sin({half})*0.6", 0, f"=sin({half})*0.8"]
    model = model.driver("aim", measure="q", motion=law)
    model = model.body("bob", mass=1, inertia=[0.01] * 3, at=[0.8, 0.1, -0.6])
    model = model.joint(
        "pin", "universal", between=["body", "bob"], at=[0.6, 0.1, -0.2], axis=[1, 0, 0], axis2=[0, 1, 0]
    )
    found = eb.verify(model, routes=["difference"])
    assert found["difference"].agrees
    assert eb.linearize(model).certificate.tangent_error < 1e-10


def test_a_quaternion_that_is_none_is_named() -> None:
    model = on_a_ball().measure("q", "quaternion", of="ball")
    with pytest.raises(eb.InputError, match=r"drivers.aim .: the quaternion has the length 1.00499, not 1. Divide"):
        eb.operating_point(model.driver("aim", measure="q", motion=[1, "=0.1 + 0*t", 0, 0]))
    with pytest.raises(eb.InputError, match=r"measures.p: position: the quaternion has the length 2"):
        eb.operating_point(model.measure("p", "quaternion", of="ball", position=[2, 0, 0, 0]))
    with pytest.raises(
        eb.InputError, match=r"drivers.aim.motion: a list of 4 is expected \(q.w, q.x, q.y, q.z\), not 3"
    ):
        model.driver("aim", measure="q", motion=[0, 0, 1]).description  # noqa: B018


# Forces and coordinates -----------------------------------------------------------------------------------------------


def test_spring_along_a_component() -> None:
    """q.x is half a small rotation: a stiffness k along it is k/4 about the axis."""
    model = eb.Model().body("b", mass=1, inertia=[0.2, 0.3, 0.4], at=[0, 0, 0])
    model = model.joint("ball", "spherical", between=["ground", "b"], at=[0, 0, 0]).measure(
        "q", "quaternion", of="ball"
    )
    for k, name in zip((8.0, 12.0, 20.0), "xyz", strict=True):
        model = model.force(f"k{name}", "spring", along=f"q.{name}", k=k)
    found = np.sort(np.abs(eb.modes(model).eigenvalues))
    expected = np.sort(np.sqrt([8 / 4 / 0.2, 12 / 4 / 0.3, 20 / 4 / 0.4]))
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_coordinates_by_three_components() -> None:
    """At an equilibrium eigenvalues do not depend on the coordinates; of four components one is dropped."""
    model = eb.Model(gravity=[0, 0, -G]).body("bob", mass=2, inertia=[0.1, 0.2, 0.3], at=[0.1, 0, -0.8])
    model = model.joint("ball", "spherical", between=["ground", "bob"], at=[0, 0, 0])
    model = model.measure("q", "quaternion", of="ball").set(operating_point="equilibrium")
    plain = np.sort(np.abs(eb.modes(model).eigenvalues))
    for names in (COMPONENTS[1:], COMPONENTS):
        linear = eb.linearize(model.set(coordinates=names))
        assert len(linear.coordinates) == 3
        assert set(linear.coordinates) < {*COMPONENTS}
        np.testing.assert_allclose(np.sort(np.abs(eb.modes(linear).eigenvalues)), plain, atol=1e-7)


def test_coordinates_half_a_turn_away() -> None:
    """Where w = 0 the three others do not tell all rotations apart: w stands for the one that lacks."""
    model = on_a_ball(velocity=[0.3, 0.2, 0.1]).measure("q", "quaternion", of="ball", position=[0, 1, 0, 0])
    linear = eb.linearize(model.set(coordinates=COMPONENTS))
    assert set(linear.coordinates) == {"q.w", "q.y", "q.z"}
    words = "the components q.x, q.y, q.z are singular here: q.w is zero. Take all four"
    with pytest.raises(eb.InputError, match=words):
        eb.linearize(model.set(coordinates=COMPONENTS[1:]))
    with pytest.raises(eb.InputError, match=words):
        eb.linearize(model, coordinates=COMPONENTS[1:])
    with pytest.raises(eb.InputError, match=r"the component q.x is 1 or -1 here and has no slope"):
        eb.linearize(model, coordinates=["q.x"])


@pytest.mark.parametrize("seed", range(3))
def test_random_mechanisms_against_differences(seed: int) -> None:
    """Forces along components and their rates, in coordinates of which three are components."""
    rng = np.random.default_rng(seed)
    document = random_mechanism(rng, ("tree", "floating", "loop")[seed])
    for k, name in enumerate(list(document["joints"])[:2]):
        document.setdefault("measures", {})[f"turn{k}"] = {"type": "quaternion", "of": name}
        value = f"=-3*turn{k}.x - 0.2*turn{k}.w*turn{k}.y' + sin(turn{k}.z)"
        document.setdefault("forces", {})[f"push{k}"] = {"type": "expression", "along": f"turn{k}.y", "value": value}
    document["coordinates"] = ["turn0.x", "turn0.y", "turn0.z"]
    found = eb.verify(eb.load(document))
    assert found["difference"].agrees
    assert found.verdict == "agree"


def test_full_turns_end_where_they_began() -> None:
    """Two turns about an oblique axis by a quaternion: the state of the start."""
    n = np.array([1, 2, 2]) / 3
    law = [f"=cos({2 * math.pi}*t)", *(f"={c}*sin({2 * math.pi}*t)" for c in n)]
    found = eb.inverse(
        on_a_ball().measure("q", "quaternion", of="ball").driver("aim", measure="q", motion=law), times=[0, 1]
    )
    np.testing.assert_allclose(found.states[1].R, found.states[0].R, atol=1e-12)
