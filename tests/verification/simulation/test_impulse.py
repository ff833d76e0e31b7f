"""Impulses against the table of Passerello & Huston, closed forms and conservation laws."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import system_of
from eigenbody.mobility.initial import initial_state
from eigenbody.simulation import impulse as module
from eigenbody.simulation.angles import angles_of, axes_of, read_sequence
from eigenbody.spatial.rotations import from_sequence
from mechanisms import KINDS, random_mechanism

MANIPULATOR = Path(__file__).parents[3] / "examples" / "space_manipulator.yaml"
SLUG, INCH = 14.593902937206365, 0.0254
BLOW = {"body": "base", "impulse": ["100 lbf*s", 0, 0]}  # 1200 slug in/s

# x1 ... x14 by name; rates in in/s and rad/s, recomputed to all digits from the report's data (Figures 10, 16, 17)
X = (
    "base.x", "base.y", "base.z", "base.angle1", "base.angle2", "base.angle3",
    "shoulder_1.angle1", "shoulder_1.angle2", "shoulder_1.angle3", "elbow_1",
    "shoulder_2.angle1", "shoulder_2.angle2", "shoulder_2.angle3", "elbow_2",
)  # fmt: skip
TABLE = {1: 112.0389524, 5: 1.990261889, 8: 3.510908548, 9: 1.990261889, 10: -4.386608601, 12: -1.990261889,
         14: 3.333492803}  # fmt: skip
PRINTED = {1: 112, 5: 1.99, 8: 3.51, 9: 1.99, 10: -4.39, 12: -1.99, 14: 3.33}
AS_PRINTED = {1: 112.038952, 5: 1.990262, 8: -1.990262, 10: -3.333493, 12: 3.510909, 13: 1.990262, 14: -4.386609}


def manipulator(**angles: object) -> eb.Model:
    return eb.load(MANIPULATOR, **angles)


def jumps(found: eb.Impulse) -> np.ndarray:
    """x1 ... x14 in the report's units."""
    return np.array([found[name] / (INCH if k < 3 else 1.0) for k, name in enumerate(X)])


def expected(table: dict[int, float]) -> np.ndarray:
    return np.array([table.get(k, 0.0) for k in range(1, 15)])


# The manipulator ----------------------------------------------------------------------------------------------------


def test_table_of_the_report() -> None:
    found = eb.impulse(manipulator(), BLOW, angles="123")
    assert jumps(found) == pytest.approx(expected(TABLE), rel=1e-9, abs=1e-9)
    for k, printed in PRINTED.items():
        assert jumps(found)[k - 1] == pytest.approx(printed, abs=0.005 if k > 1 else 0.5)
    assert found.after.energy / (SLUG * INCH**2) == pytest.approx(67223.371466, rel=1e-10)
    assert found.after.linear / (SLUG * INCH) == pytest.approx([1200, 0, 0], rel=1e-12, abs=1e-9)
    assert np.abs(found.after.angular).max() < 1e-12 * np.abs(found.after.linear).max()
    assert found.work == pytest.approx(found.after.energy, rel=1e-12)
    assert found.balance < 1e-13


def test_gimbal_lock_is_said() -> None:
    found = eb.impulse(manipulator(), BLOW, angles="123")
    (mark,) = found.indeterminate
    assert mark.coordinates == ("shoulder_2.angle1", "shoulder_2.angle3")
    assert mark.vector == pytest.approx([math.sqrt(0.5)] * 2, abs=1e-12)
    assert "gimbal lock" in mark.reason
    assert "shoulder_2.angle1, shoulder_2.angle3, by any multiple of (0.707107, 0.707107)" in str(found)
    assert not found.notes
    regular = eb.impulse(manipulator(upper2="-89 deg"), BLOW, angles="123")
    assert not regular.indeterminate


def test_angles_as_printed_in_the_report() -> None:
    """Figure 17 prints x8 = x10 = x11 = 90 degrees: the arms are exchanged, the first is in gimbal lock."""
    joints = manipulator().document["joints"]
    joints["shoulder_1"]["position"] = [0, math.pi / 2, 0]
    joints["shoulder_2"]["position"] = [math.pi / 2, 0, 0]
    joints["elbow_1"]["position"], joints["elbow_2"]["position"] = math.pi / 2, 0
    found = eb.impulse(manipulator().set(joints=joints), BLOW, angles="123")
    assert jumps(found) == pytest.approx(expected(AS_PRINTED), abs=5e-7)
    (mark,) = found.indeterminate
    assert mark.coordinates == ("shoulder_1.angle1", "shoulder_1.angle3")
    assert mark.vector == pytest.approx([math.sqrt(0.5), -math.sqrt(0.5)], abs=1e-12)


def hinged(model: eb.Model) -> eb.Model:
    """Each ball joint as three hinges 1-2-3 with massless links between: the same freedom, 14 coordinates."""
    document = model.document
    joints = {}
    for name, joint in document["joints"].items():
        if joint["type"] != "spherical":
            joints[name] = joint
            continue
        base, arm = joint["between"]
        links = [f"{name}_ring1", f"{name}_ring2"]
        for link in links:
            document["bodies"][link] = {"mass": 0, "inertia": [0, 0, 0], "at": joint["at"]}
        chain = [base, *links, arm]
        for k in range(3):
            joints[f"{name}_{k + 1}"] = {
                "type": "revolute", "between": chain[k : k + 2], "at": joint["at"],
                "axis": np.eye(3)[k].tolist(), "position": joint["position"][k],
            }  # fmt: skip
    return eb.Model({**document, "joints": joints})


def test_hinges_with_massless_links_give_the_same_and_their_null_motion() -> None:
    found = eb.impulse(hinged(manipulator()), BLOW)
    names = [name.replace(".angle", "_") if name.startswith("shoulder") else name for name in X]
    names = [name.replace(".angle1", ".rx").replace(".angle2", ".ry").replace(".angle3", ".rz") for name in names]
    read = np.array([found[name] / (INCH if k < 3 else 1.0) for k, name in enumerate(names)])
    assert read == pytest.approx(expected(TABLE), rel=1e-9, abs=1e-9)
    (mark,) = found.indeterminate
    assert mark.coordinates == ("shoulder_2_1", "shoulder_2_3")
    assert mark.vector == pytest.approx([math.sqrt(0.5)] * 2, abs=1e-9)
    assert "without moving any mass" in mark.reason


def test_an_impulse_along_a_motion_without_mass_is_refused() -> None:
    with pytest.raises(eb.InputError, match=r"shoulder_2_1, shoulder_2_3.*moves no mass"):
        eb.impulse(hinged(manipulator()), {"along": "shoulder_2_1", "value": 1.0})


def test_what_angles_in_gimbal_lock_cannot_express_is_told() -> None:
    """A blow that turns the second arm about the axis which the locked angles lack."""
    found = eb.impulse(manipulator(), {"body": "upper_2", "angular": [0, 0, 1]}, angles="123")
    assert len(found.notes) == 1
    assert "shoulder_2" in found.notes[0]
    assert found.balance < 1e-13


# Closed forms -------------------------------------------------------------------------------------------------------


def rod(length: float = 1.2, mass: float = 3.0, **pin: object) -> eb.Model:
    """A uniform rod hanging from a hinge at the origin, axis y."""
    inertia = mass * length**2 / 12
    body = eb.Model().body("rod", mass=mass, inertia=[inertia, inertia, 0], at=[0, 0, -length / 2])
    return body.joint("pin", "revolute", between=["ground", "rod"], at=[0, 0, 0], axis=[0, 1, 0], **pin)


def test_centre_of_percussion() -> None:
    """A hanging rod struck at 2/3 of its length leaves its hinge in peace; elsewhere J (3 h / (2 l) - 1) acts on it."""
    length, mass, push = 1.2, 3.0, 0.7
    for height in (2 / 3 * length, 0.3 * length, length):
        found = eb.impulse(
            rod(length, mass), {"body": "rod", "impulse": [push, 0, 0], "at": [0, 0, -height]}, axes="ground"
        )
        rate = -push * height / (mass * length**2 / 3)  # a push along x turns it about -y
        assert found["pin"] == pytest.approx(rate, rel=1e-12)
        assert found.reactions["pin"].force == pytest.approx([push * (1.5 * height / length - 1), 0, 0], abs=1e-12)
        assert found.after.energy == pytest.approx(0.5 * mass * length**2 / 3 * rate**2, rel=1e-12)


def test_a_moving_body_keeps_its_motion_and_adds_the_jump() -> None:
    found = eb.impulse(rod(velocity=2.0), {"body": "rod", "impulse": [1, 0, 0], "at": [0, 0, -1.2]})
    assert found.rate_before == pytest.approx([2.0])
    assert found.rate_after == pytest.approx([2.0 - 1.2 / 1.44])
    assert found.after.energy - found.before.energy == pytest.approx(found.work, rel=1e-12)


def test_body_axes_and_points_turn_with_the_body() -> None:
    """The rod turned by 90 degrees lies along -x; a blow along its own x at its own end does the same as before."""
    still = eb.impulse(rod(), {"body": "rod", "impulse": [1, 0, 0], "at": [0, 0, -1.2]})
    turned = eb.impulse(
        rod(position=math.pi / 2), {"body": "rod", "impulse": [1, 0, 0], "at": [0, 0, -1.2], "axes": "body"}
    )
    local = {"body": "rod", "impulse": [1, 0, 0], "at": [0, 0, -0.6], "axes": "body", "frame": "body"}
    assert turned["pin"] == pytest.approx(still["pin"], rel=1e-12)
    assert eb.impulse(rod(position=math.pi / 2), local)["pin"] == pytest.approx(still["pin"], rel=1e-12)
    marked = rod().marker("tip", body="rod", at=[0, 0, -1.2])
    assert eb.impulse(marked, {"body": "tip", "impulse": [1, 0, 0]})["pin"] == pytest.approx(still["pin"], rel=1e-12)


def two_bodies() -> eb.Model:
    model = eb.Model().body("a", mass=2, inertia=[1, 2, 3], at=[0, 0, 0])
    model = model.body("b", mass=1, inertia=[0.3, 0.2, 0.4], at=[0.5, 0.1, 0])
    return model.joint("hinge", "revolute", between=["a", "b"], at=[0.2, 0, 0], axis=[0.3, 1, 0], position=0.4)


@pytest.mark.parametrize(
    "blow",
    [{"along": "hinge", "value": 0.7}, {"body": "b", "impulse": [1, 2, 3], "angular": [0.3, 0, 1], "against": "a"}],
)
def test_internal_impulses_leave_the_momentum(blow: dict) -> None:
    found = eb.impulse(two_bodies(), blow)
    assert np.abs(found.after.linear).max() < 1e-14
    assert np.abs(found.after.angular).max() < 1e-14
    assert found.after.energy == pytest.approx(found.work, rel=1e-12)
    assert found.after.energy > 0.01


def test_torque_impulse_at_a_hinge_of_coaxial_rotors() -> None:
    """Equal and opposite angular momentum."""
    model = (
        eb.Model().body("a", mass=1, inertia=[1, 1, 2], at=[0, 0, 0]).body("b", mass=1, inertia=[3, 3, 5], at=[0, 0, 1])
    )
    model = model.joint("f", "revolute", between=["ground", "a"], at=[0, 0, 0], axis=[0, 0, 1])
    model = model.joint("r", "revolute", between=["a", "b"], at=[0, 0, 0], axis=[0, 0, 1])
    found = eb.impulse(model, {"along": "r", "value": 3.0})
    assert found.angular_velocity_jump[:, 2] == pytest.approx([-1.5, 0.6], rel=1e-12)
    assert found["r"] == pytest.approx(2.1, rel=1e-12)


def test_non_holonomic_rows_take_their_share() -> None:
    """A skate struck across its blade does not move, along it moves freely."""
    skate = eb.Model().body("skate", mass=2, inertia=[1, 1, 1], at=[0, 0, 0])
    skate = skate.joint("floor", "planar", between=["ground", "skate"], at=[0, 0, 0], axis=[0, 0, 1])
    skate = skate.joint("blade", "knife_edge", between=["ground", "skate"], at=[0, 0, 0], axis=[0, 1, 0])
    found = eb.impulse(skate, {"body": "skate", "impulse": [3, 5, 0]}, axes="ground")
    assert found.velocity_jump == pytest.approx(np.array([[1.5, 0, 0]]), abs=1e-14)
    assert found.reactions["blade"].force == pytest.approx([0, -5, 0], abs=1e-13)


def test_redundant_joints_share_the_impulse() -> None:
    """Two coaxial hinges: momentum balances whatever the share; the shares are marked."""
    door = eb.Model().body("door", mass=20, inertia=[2, 2, 1.7], at=[0.5, 0, 1])
    for name, height in (("top", 1.8), ("bottom", 0.2)):
        door = door.joint(name, "revolute", between=["ground", "door"], at=[0, 0, height], axis=[0, 0, 1])
    found = eb.impulse(door, {"body": "door", "impulse": [0, 4, 0], "at": [1, 0, 0.4]}, axes="ground")
    assert found.after.linear - found.reactions.force.sum(axis=0) == pytest.approx([0, 4, 0], abs=1e-12)
    assert found.reactions.indeterminate.all()
    assert found["top"] == pytest.approx(4 / (1.7 + 20 * 0.25), rel=1e-12)


def test_large_path_agrees_with_the_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    model = eb.Model()
    before = "ground"
    for i in range(40):
        model = model.body(f"b{i}", mass=1, inertia=[0.1, 0.2, 0.3], at=[0.3 * i + 0.15, 0, 0.02 * i * i])
        at, axis = [0.3 * i, 0, 0.02 * i * i], [0.1 * i, 1, 0.5]
        model = model.joint(f"j{i}", "revolute", between=[before, f"b{i}"], at=at, axis=axis)
        before = f"b{i}"
    blow = {"body": "b39", "impulse": [1, 2, 3]}
    small = eb.impulse(model, blow)
    monkeypatch.setattr(module, "DENSE_FREEDOMS", 10)
    large = eb.impulse(model, blow)
    assert large.jump == pytest.approx(small.jump, rel=1e-9, abs=1e-9 * np.abs(small.jump).max())
    assert small.balance < 1e-10
    assert large.balance < 1e-10


@pytest.mark.parametrize("kind", ["loop", "redundant", "knife", "driven", "floating"])
def test_velocities_after_obey_all_constraints(kind: str) -> None:
    rng = np.random.default_rng([5, KINDS.index(kind)])
    model = eb.load(random_mechanism(rng, kind))
    system = system_of(model)
    body = system.places.names[0]
    found = eb.impulse(model, {"body": body, "impulse": [1, -2, 0.5], "angular": [0.2, 0.1, -0.3]})
    before, after = Mechanics(system, initial_state(system)), Mechanics(system, found.state)
    speed = 1 + np.abs(found.state.velocity(system)).max()
    assert np.abs(after.holonomic.rate).max(initial=0.0) < 1e-9 * speed
    assert np.abs(after.non_holonomic.rate).max(initial=0.0) < 1e-9 * speed
    assert np.abs(before.holonomic.rate).max(initial=0.0) < 1e-8 * speed
    assert found.balance < 1e-10


# Angles -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sequence", ["xyz", "zyx", "zxz", "yxz", "xzy", "yxy", "zyz", "xzx"])
def test_angle_sequences_return_the_rotation(sequence: str) -> None:
    rng = np.random.default_rng(3)
    for angle in [*rng.uniform(-3, 3, (6, 3)), [0.4, math.pi / 2, 0.3], [0.4, -math.pi / 2, 0.3], [0.4, 0.0, 0.3]]:
        R = from_sequence(sequence, np.asarray(angle))
        assert from_sequence(sequence, angles_of(R, sequence)) == pytest.approx(R, abs=1e-12)
        h = 1e-6  # columns of E: angular velocity per angle rate
        for k, step in enumerate(np.eye(3) * h):
            dR = (from_sequence(sequence, angle + step) - from_sequence(sequence, angle - step)) / (2 * h)
            W = dR @ R.T
            assert axes_of(np.asarray(angle), sequence)[:, k] == pytest.approx([W[2, 1], W[0, 2], W[1, 0]], abs=1e-8)


def test_sequences_are_read_as_digits_or_letters() -> None:
    assert read_sequence("123") == "xyz"
    assert read_sequence("ZXZ") == "zxz"


# Wrong input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blow", "message"),
    [
        ({"body": "bas", "impulse": [1, 0, 0]}, 'no body or marker "bas".*"base"'),
        ({"body": "ground", "impulse": [1, 0, 0]}, "does not move"),
        ({"along": "elbow_3", "value": 1}, 'no measure "elbow_3".*elbow_[12]'),
        ({"along": "shoulder_1", "value": 1}, "Name one: shoulder_1.rx"),
        ({"along": "elbow_1"}, "needs its value"),
        ({"along": "elbow_1", "value": "3 kg"}, "not a number"),
        ({"along": "elbow_1", "value": math.nan}, "finite"),
        ({"body": "base"}, "neither"),
        ({"body": "base", "impulse": [1, 0]}, "three components"),
        ({"body": "base", "impuls": [1, 0, 0]}, 'unknown key "impuls".*"impulse"'),
        ({"body": "base", "along": "elbow_1"}, "exactly one"),
        ({"body": "base", "impulse": [1, 0, 0], "axes": "joint"}, "axes"),
        ({"body": "base", "impulse": [1, 0, 0], "against": "ground"}, "does not move"),
        ([], "there is no impulse"),
        ([3], "not an impulse"),
    ],
)
def test_wrong_impulses_are_refused(blow: object, message: str) -> None:
    with pytest.raises(eb.InputError, match=message):
        eb.impulse(manipulator(), blow)  # type: ignore[arg-type]


def test_every_fault_at_once_and_unknown_names_of_results() -> None:
    with pytest.raises(eb.InputError) as caught:
        eb.impulse(manipulator(), [{"body": "bas", "impulse": [1, 0]}, {"along": "x", "value": 1}])
    assert len(caught.value.faults) == 3
    for angles in ("12", "112", "abc"):
        with pytest.raises(eb.InputError, match="sequence"):
            eb.impulse(manipulator(), BLOW, angles=angles)
    with pytest.raises(eb.InputError, match="no coordinate"):
        eb.impulse(manipulator(), BLOW)["elbow_9"]
