"""Angles of a sequence as measures: readings, initial values, coordinates, forces, drivers, and singular poses."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp
from scipy.spatial.transform import Rotation

import eigenbody as eb
from eigenbody.elements.measures.angles import SEQUENCES
from eigenbody.mobility.turns import values_of
from mechanisms import random_mechanism

G = 9.81
MASS, TRANSVERSE, AXIAL, HEIGHT = 2.0, 0.3, 0.1, 0.5


def top(sequence: str = "zxz", axial: float = AXIAL, **keys: object) -> eb.Model:
    """A heavy top on a ball joint, drawn upright, and the angles of its joint."""
    inertia = [TRANSVERSE, TRANSVERSE, axial]
    model = eb.Model(gravity=[0, 0, -G]).body("top", mass=MASS, inertia=inertia, at=[0, 0, HEIGHT])
    model = model.joint("ball", "spherical", between=["ground", "top"], at=[0, 0, 0])
    return model.measure("e", "angles", of="ball", sequence=sequence, **keys)


# Readings -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_given_angles_are_those_of_scipy(sequence: str) -> None:
    """Position and velocity hold; the rotation is that of SciPy's intrinsic sequence, in the drawing's axes."""
    angles, rates = np.array([0.4, 0.7, -1.1]), np.array([0.3, -0.2, 0.5])
    state = eb.operating_point(top(sequence, position=angles.tolist(), velocity=rates.tolist())).state
    expected = Rotation.from_euler(sequence.upper(), angles).as_matrix()
    assert state.R[0] == pytest.approx(expected, abs=1e-12)
    h = 1e-6
    ahead, back = (Rotation.from_euler(sequence.upper(), angles + s * h * rates).as_matrix() for s in (1, -1))
    spin = expected.T @ (ahead - back) / (2 * h)
    assert state.w[0] == pytest.approx([spin[2, 1], spin[0, 2], spin[1, 0]], abs=1e-9)


def test_angles_between_markers_and_of_joints() -> None:
    """A marker's own axes count; for a joint they are those of its frame."""
    turn = {"sequence": "xyz", "angles": [0.2, -0.5, 0.9]}
    model = (
        eb.Model().body("a", mass=1, inertia=[1, 1, 1], at=[0, 0, 0]).body("b", mass=1, inertia=[1, 1, 1], at=[1, 0, 0])
    )
    model = model.marker("there", body="b", at=[1, 0, 0], rotation=turn).marker("here", body="a", at=[0, 0, 0])
    model = model.joint("loose", "free", between=["a", "b"], axis=[0, 1, 0], position=[0, 0, 0, 0, 0, 0.6])
    model = model.measure("m", "angles", between=["here", "there"], sequence="xyz")
    model = model.measure("j", "angles", of="loose", sequence="zyx")
    point = eb.operating_point(model.set(coordinates=["m.1", "m.2", "m.3", "loose.x", "loose.y", "loose.z"]))
    system = point.system
    found = values_of(system, point.state, np.array([system.aliases[f"{n}.{k}"] for n in "mj" for k in (1, 2, 3)]))
    of_markers = Rotation.from_euler("y", 0.6) * Rotation.from_euler("XYZ", [0.2, -0.5, 0.9])
    assert found[:3] == pytest.approx(of_markers.as_euler("XYZ"), abs=1e-12)
    assert found[3:] == pytest.approx([0.6, 0, 0], abs=1e-12)


def test_angles_count_full_turns() -> None:
    """Spin and precession of a torque-free top grow without end, as Euler's solution: nutation stays."""
    theta, spin, ratio = 0.8, 6.0, (TRANSVERSE - AXIAL) / AXIAL
    precession = spin / (ratio * math.cos(theta))  # of a free symmetric top: I3 (psi' + phi' cos) = I1 phi' cos
    model = eb.Model().body("top", mass=MASS, inertia=[TRANSVERSE, TRANSVERSE, AXIAL], at=[0, 0, 0])
    model = model.joint("ball", "spherical", between=["ground", "top"], at=[0, 0, 0])
    start = {"position": [7.0, theta, -0.2], "velocity": [precession, 0, spin]}
    model = model.measure("e", "angles", of="ball", sequence="zxz", **start)
    model = model.output("phi", measure="e.1").output("theta", measure="e.2").output("psi", expression="=e.3 + 0*e.1'")
    path = eb.simulate(model, 10, points=21, tolerance=1e-11)
    assert path.signal("phi") == pytest.approx(7.0 + precession * path.t, abs=1e-7)
    assert path.signal("theta") == pytest.approx(np.full(21, theta), abs=1e-8)
    assert path.signal("psi") == pytest.approx(-0.2 + spin * path.t, abs=1e-7)


@pytest.mark.parametrize("place", ["measure", "operating point"])
def test_angles_of_two_bodies_given_together_from_a_singular_drawing(place: str) -> None:
    """zxz between two bodies that a chain of hinges lets turn freely: the rotation is the one that was given."""
    angles = [0.3, 0.5, -0.4]
    model = eb.Model().body("a", mass=1, inertia=[1, 1, 1], at=[0, 0, 0])
    model = model.body("b", mass=1, inertia=[1, 1, 1], at=[1, 0, 0])
    model = model.joint("hinge", "revolute", between=["ground", "a"], at=[0, 0, 0], axis=[1, 0, 0])
    model = model.joint("hook", "universal", between=["a", "b"], at=[0, 0, 0], axis=[0, 1, 0], axis2=[0, 0, 1])
    keys = {"position": angles} if place == "measure" else {}
    model = model.measure("e", "angles", between=["ground", "b"], sequence="zxz", **keys)
    if place != "measure":
        model = model.set(operating_point={"e": angles})
    R = eb.operating_point(model).state.R[1]
    assert pytest.approx(Rotation.from_euler("ZXZ", angles).as_matrix(), abs=1e-12) == R


# Coordinates of the linearization -----------------------------------------------------------------------------------


def test_heavy_top_linearized_in_euler_angles() -> None:
    """3-1-3 angles as states: M, C, K are the second derivatives of Lagrange's equations of the heavy top,
    L = A/2 (theta'^2 + phi'^2 sin^2) + I3/2 (psi' + phi' cos)^2 - m g l cos."""
    t = sp.symbols("t")
    q = [sp.Function(name)(t) for name in ("phi", "theta", "psi")]
    A = TRANSVERSE + MASS * HEIGHT**2
    L = A * (q[1].diff(t) ** 2 + q[0].diff(t) ** 2 * sp.sin(q[1]) ** 2) / 2
    L += AXIAL * (q[2].diff(t) + q[0].diff(t) * sp.cos(q[1])) ** 2 / 2 - MASS * G * HEIGHT * sp.cos(q[1])
    equations = [L.diff(x.diff(t)).diff(t) - L.diff(x) for x in q]
    at = {"position": [0.3, 0.6, 0.2], "velocity": [1.0, 0.4, 30.0]}
    model = top(**at).set(coordinates=["e.1", "e.2", "e.3"])
    linear = eb.linearize(model)
    assert linear.coordinates == ("e.1", "e.2", "e.3")
    a, v, s = sp.symbols("a0:3"), sp.symbols("v0:3"), sp.symbols("s0:3")
    for order, marks in ((2, a), (1, v), (0, s)):
        marked = dict(zip([x.diff(t, order) for x in q], marks, strict=True))
        equations = [equation.subs(marked) for equation in equations]
    values = dict(zip((*v, *s), (*at["velocity"], *at["position"]), strict=True))
    values |= sp.solve([equation.subs(values) for equation in equations], a)

    def slopes(by):
        return np.array([[float(equation.diff(x).subs(values)) for x in by] for equation in equations])

    M, C, K = slopes(a), slopes(v), slopes(s)
    expected = np.vstack((np.hstack((np.zeros((3, 3)), np.eye(3))), -np.linalg.solve(M, np.hstack((K, C)))))
    assert pytest.approx(expected, abs=1e-10 * np.abs(expected).max()) == linear.A
    assert pytest.approx(M, abs=1e-12) == linear.M


@pytest.mark.parametrize("seed", range(6))
def test_random_mechanisms_in_angles_agree_with_differences_and_relative_coordinates(seed: int) -> None:
    """Every joint's relative rotation read by angles of a random sequence; forces along the angles and their rates."""
    rng = np.random.default_rng(seed)
    document = random_mechanism(rng, ("tree", "floating", "loop")[seed % 3])
    measures, forces = document.setdefault("measures", {}), document.setdefault("forces", {})
    for k, name in enumerate(list(document["joints"])[:3]):
        sequence = str(rng.choice([s for s in SEQUENCES if s[0] != s[2]]))
        measures[f"turn_{k}"] = {"type": "angles", "of": name, "sequence": sequence}
        value = f"=-3*turn_{k}.2 - 0.2*turn_{k}.1*turn_{k}.3' + sin(turn_{k}.3)"
        forces[f"push_{k}"] = {"type": "expression", "along": f"turn_{k}.2", "value": value}
    found = eb.verify(eb.load(document), routes=["relative", "difference"])
    assert found.verdict == "agree"
    assert found["difference"].agrees


def test_ball_joint_coordinates_by_angles_and_by_small_rotations_agree_at_equilibrium() -> None:
    """At an equilibrium eigenvalues do not depend on the coordinates."""
    model = eb.Model(gravity=[0, 0, -G]).body("bob", mass=2, inertia=[0.1, 0.2, 0.3], at=[0.1, 0, -0.8])
    model = model.joint("ball", "spherical", between=["ground", "bob"], at=[0, 0, 0])
    model = model.measure("e", "angles", of="ball", sequence="yxz").set(operating_point="equilibrium")
    plain, by_angles = eb.modes(model), eb.modes(model.set(coordinates=["e.1", "e.2", "e.3"]))
    key = lambda values: np.sort(np.abs(values.imag))  # noqa: E731
    assert key(by_angles.eigenvalues) == pytest.approx(key(plain.eigenvalues), abs=1e-9)


# Forces and drivers -------------------------------------------------------------------------------------------------


def test_spring_along_the_middle_angle_holds_a_top_against_its_weight() -> None:
    """k (theta - free) = m g l sin(theta) at theta = 0.5 rad."""
    k, theta = 40.0, 0.5
    free = theta + MASS * G * HEIGHT * -math.sin(theta) / k
    model = top("xyz", position=[theta, 0, 0]).force("hold", "spring", along="e.1", k=k, free=free)
    state = eb.operating_point(model)
    assert np.abs(state.motion.acceleration[3:]).max() < 1e-12


def test_one_angle_prescribed_the_others_free() -> None:
    """A driven precession: the rate of e.1 is what is asked for, the rest moves by itself; energy balances."""
    model = top(position=[0, 0.9, 0], velocity=[None, 0, 20]).driver("turn", measure="e.1", motion="=4*t")
    model = model.output("phi", measure="e.1")
    path = eb.simulate(model, 6, points=13)
    assert path.signal("phi") == pytest.approx(4 * path.t, abs=1e-9)
    assert path.balance.defect < 1e-6 * path.balance.scale


# What is refused ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "change"),
    [
        ({}, {"coordinates": ["e.1", "e.2", "e.3"]}),
        ({}, {"outputs": {"y": {"measure": "e.3"}}}),
        ({}, {"drivers": {"d": {"measure": "e.1", "motion": "=t"}}}),
        ({}, {"forces": {"f": {"type": "spring", "along": "e.2", "k": 3}}}),
        ({"position": [None, 0.3, None]}, {}),
        ({"velocity": [1, 0, 0]}, {}),
    ],
    ids=["coordinates", "output", "driver", "force", "position", "velocity"],
)
def test_singular_pose_is_named(keys: dict, change: dict) -> None:
    """zxz where nothing is turned; the message has the measure, the angles and a sequence that can be used."""
    with pytest.raises(eb.InputError, match=r"measures.e: .*zxz are singular.*e.2 is 0 or 180.*such as xyz"):
        eb.operating_point(top(**keys).set(**change) if change else top(**keys))


def test_angles_nobody_uses_are_no_obstacle_in_a_singular_pose() -> None:
    assert eb.modes(top().set(operating_point="reference")).dof == 3


def test_reaching_a_singular_pose_is_named() -> None:
    model = top("xyz").driver("a", measure="e.1", motion=0.1).driver("b", measure="e.2", motion="=1.2*t")
    with pytest.raises(eb.ComputationError, match=r"measures.e: .*xyz are singular.*e.2 is 90 or -90.*such as zxz"):
        eb.simulate(model, 3)


@pytest.mark.parametrize(
    ("keys", "what"),
    [
        ({"of": "ball", "sequence": "zzx"}, 'unknown choice "zzx"'),
        ({"of": "bal"}, 'there is no joint "bal". Did you mean "ball"'),
        ({"of": "ball", "between": ["ground", "top"]}, "of.*between"),
        ({"sequence": "xyz"}, "of.*between"),
        ({"of": "ball", "position": [1, 2]}, "a list of 3 is expected"),
    ],
)
def test_wrong_entries(keys: dict, what: str) -> None:
    with pytest.raises(eb.InputError, match=what):
        eb.operating_point(top().measure("f", "angles", **keys))


def test_name_without_number_is_refused() -> None:
    with pytest.raises(eb.InputError, match=r'the measure "e" has several coordinates. Name one: e.1, e.2, e.3'):
        eb.operating_point(top().output("y", measure="e"))
