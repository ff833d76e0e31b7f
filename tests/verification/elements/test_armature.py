"""Armature: inertia on the rate of a joint coordinate, against closed forms, geared rotors, Kane's equations and
differences of the nonlinear equations."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.base.errors import InputError
from eigenbody.dynamics.energy import energy
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.joints import JOINTS
from eigenbody.operating.find import operating_point
from eigenbody.simulation.momentum import momentum
from mechanisms import KINDS, random_mechanism

G, MASS, ARM, INERTIA = 9.81, 2.0, 0.5, 0.2


def pendulum(armature: object, **keys: object) -> eb.Model:
    bob = eb.Model(gravity=[0, 0, -G], parameters={"a": armature}).body(
        "bob", mass=MASS, inertia=[0.1, INERTIA, 0.3], at=[0, 0, -ARM]
    )
    return bob.joint("pin", "revolute", between=["ground", "bob"], at=[0, 0, 0], axis=[0, 1, 0], armature="=a", **keys)


def test_pendulum_in_closed_form() -> None:
    """omega^2 = m g l/(J + m l^2 + a)."""
    linear = eb.linearize(pendulum(0.7))
    total = INERTIA + MASS * ARM**2 + 0.7
    np.testing.assert_allclose(linear.M, [[total]], rtol=1e-14)
    np.testing.assert_allclose(linear.K, [[MASS * G * ARM]], rtol=1e-14)
    np.testing.assert_allclose(np.abs(eb.modes(linear).eigenvalues), np.sqrt(MASS * G * ARM / total), rtol=1e-13)


def test_sensitivity_in_closed_form() -> None:
    """d omega/da = -omega/(2 (J + m l^2 + a)), by the parameter and by the path of the number."""
    total = INERTIA + MASS * ARM**2 + 0.7
    omega = np.sqrt(MASS * G * ARM / total)
    by_parameter = eb.sensitivity(pendulum(0.7), ["a"])
    np.testing.assert_allclose(by_parameter.eigenvalues[0].imag, -omega / (2 * total), rtol=1e-11)
    evaluate = eb.compiled(pendulum(0.7), ["a"])
    for value in (0.1, 0.7, 3.0):
        expected = np.sqrt(MASS * G * ARM / (INERTIA + MASS * ARM**2 + value))
        np.testing.assert_allclose(np.abs(evaluate(a=value).eigenvalues), expected, rtol=1e-12)


def test_slider_in_closed_form() -> None:
    """A mass m on a spring k with the armature a of its drive: omega^2 = k/(m + a); units are checked."""
    model = (
        eb.Model()
        .body("cart", mass=3, at=[0, 0, 0])
        .joint("rail", "prismatic", between=["ground", "cart"], at=[0, 0, 0], axis=[1, 0, 0], armature="500 g")
    )
    model = model.force("spring", "spring", along="rail", k=100)
    np.testing.assert_allclose(eb.modes(model).frequency_hz * 2 * np.pi, np.sqrt(100 / 3.5), rtol=1e-13)
    with pytest.raises(InputError, match="armature"):
        eb.linearize(
            eb.Model({**model.document, "joints": {"rail": {**model.document["joints"]["rail"], "armature": "2 N"}}})
        )
    with pytest.raises(InputError, match="must not be negative"):
        eb.linearize(pendulum(-0.1))


def test_inverse_dynamics_of_the_pendulum() -> None:
    """Torque = (J + m l^2 + a) s'' + m g l sin s, on s = 0.3 sin 2 t."""
    found = eb.inverse(pendulum(0.7), {"pin": "=0.3*sin(2*t)"}, until=1.0, points=7)
    s = 0.3 * np.sin(2 * found.t)
    expected = -(INERTIA + MASS * ARM**2 + 0.7) * 4 * s + MASS * G * ARM * np.sin(s)
    np.testing.assert_allclose(np.ravel(found.force), expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("ratio", [3.0, -20.0])
def test_the_armature_of_a_geared_rotor(ratio: float) -> None:
    """A rotor of inertia Jr that turns `ratio` times as fast as the joint weighs on it as Jr ratio^2:
    in the linear model in motion and in the motion itself."""
    rotor = 0.004
    armed = pendulum(rotor * ratio**2, position=0.5, velocity=1.5)
    geared = pendulum(0.0, position=0.5, velocity=1.5).body("rotor", mass=0.1, inertia=[1, rotor, 1], at=[1, 0, 0])
    geared = geared.joint("shaft", "revolute", between=["ground", "rotor"], at=[1, 0, 0], axis=[0, 1, 0])
    geared = geared.coupling("gear", "linear", terms={"shaft": 1, "pin": -ratio}).set(coordinates=["pin"])
    a, b = (eb.linearize(model) for model in (armed, geared))
    for name in ("M", "C", "K"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-11, atol=1e-11)
    ends = [
        eb.simulate(model, 1.0, outputs=["pin"], points=5, tolerance=1e-11).signal("pin") for model in (armed, geared)
    ]
    np.testing.assert_allclose(*ends, atol=1e-8)


def two_bodies(kind: str, seed: int) -> dict:
    """A body on a pin and another one on it by a joint of the type, off its drawing and in motion."""
    rng = np.random.default_rng(seed)
    joint = {"type": kind, "between": ["a", "b"], "at": [0.1, 0.2, -1.0], "axis": [0, 1, 1], "axis2": [1, 0, 0]}
    if kind == "screw":
        joint["pitch"] = 0.3
    count = len(JOINTS[kind].free)
    joint["armature"] = rng.uniform(0.2, 0.6, count).tolist()
    joint["position"] = rng.uniform(-0.4, 0.4, count).tolist()
    joint["velocity"] = rng.uniform(-1, 1, count).tolist()
    return {
        "gravity": [0.3, -0.5, -G],
        "bodies": {
            "a": {"mass": 2, "inertia": [0.1, 0.2, 0.25], "at": [0, 0.1, -0.5]},
            "b": {"mass": 1.3, "inertia": [0.2, 0.1, 0.15], "at": [0.2, 0.3, -1.4]},
        },
        "joints": {
            "pin": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0.2, 0],
                    "armature": 0.4, "velocity": 0.7},
            "it": joint,
        },
    }  # fmt: skip


TREE = [kind for kind, joint in JOINTS.items() if joint.free and joint.branch]


@pytest.mark.parametrize("kind", TREE)
def test_every_joint_type(kind: str) -> None:
    """Tangents by differences, energy = 1/2 u M u + armatures by hand, both solvers, Kane where it knows the type."""
    model = eb.Model(two_bodies(kind, 7))
    found = eb.verify(model)
    assert found.verdict == "agree", found
    linear = eb.linearize(model)
    assert linear.certificate.tangent_error < 1e-9
    document = two_bodies(kind, 7)
    rates = [0.7, *document["joints"]["it"]["velocity"]]
    inertia = [0.4, *document["joints"]["it"].pop("armature")]
    document["joints"]["pin"].pop("armature")
    plain = operating_point(eb.Model(document))
    by_hand = 0.5 * float(np.dot(inertia, np.square(rates)))
    point = linear.point
    total = energy(Mechanics(point.system, point.state)).kinetic.sum()
    assert total - energy(Mechanics(plain.system, plain.state)).kinetic.sum() == pytest.approx(by_hand, rel=1e-11)
    assert momentum(point.system, point.state).energy == pytest.approx(total, rel=1e-12)
    sparse = eb.linearize(model, solver="sparse")
    dense, other = (np.sort_complex(eb.modes(item).eigenvalues) for item in (linear, sparse))
    np.testing.assert_allclose(other, dense, rtol=1e-8, atol=1e-7)


@pytest.mark.parametrize("kind", ["universal", "spherical"])
def test_energy_is_kept(kind: str) -> None:
    """Explicit and implicit integration of the whole motion: the power of weight and inertia balance."""
    model = eb.Model(two_bodies(kind, 3))
    ends = []
    for method in ("dop853", "generalized-alpha"):
        run = eb.simulate(model, 0.2, method=method, tolerance=1e-8, points=3)
        total = run.signal("energy")
        np.testing.assert_allclose(total, total[0], atol=1e-5 * abs(total[0]))
        ends.append(run.signal("pin"))
    np.testing.assert_allclose(*ends, atol=1e-6)


def with_armatures(rng: np.random.Generator, document: dict) -> dict:
    document = copy.deepcopy(document)
    for joint in document["joints"].values():
        count = len(JOINTS[joint["type"]].free)
        if count:
            joint["armature"] = rng.uniform(0.05, 2.0, count).round(3).tolist()
    return document


@pytest.mark.parametrize("number", range(2 * len(KINDS)))
def test_random_mechanisms_against_differences(number: int) -> None:
    rng = np.random.default_rng([25, number])
    model = eb.Model(with_armatures(rng, random_mechanism(rng, KINDS[number % len(KINDS)])))
    linear = eb.linearize(model)
    if not linear.dof:
        return
    assert linear.certificate.tangent_error < 1e-8
    found = eb.verify(model)
    assert found.verdict == "agree", found


def test_shapes_are_orthogonal_by_mass_and_shares_add_up() -> None:
    """Modes of a chain at rest are orthogonal in the mass matrix with armature; kinetic shares of bodies add to one."""
    document = two_bodies("universal", 5)
    for joint in document["joints"].values():
        joint.pop("velocity"), joint.pop("position", None)
    document["gravity"] = [0, 0, 0]
    document["forces"] = {
        "s0": {"type": "spring", "along": "pin", "k": 40},
        "s1": {"type": "spring", "along": "it.angle1", "k": 25},
        "s2": {"type": "spring", "along": "it.angle2", "k": 60},
    }
    modes = eb.modes(eb.Model(document))
    np.testing.assert_allclose(eb.mac(modes, modes).values, np.eye(len(modes)), atol=1e-10)


def test_routes_that_do_not_know_it_say_so() -> None:
    text = str(eb.verify(pendulum(0.7)))
    assert text.count('the armature of "pin"') == 3  # relative, topology, symbolic
