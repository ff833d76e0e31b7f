"""Forces and moments in joints against closed forms, balances and a dense route of its own."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.loads.reactions import (
    at_acceleration,
    constraint_force,
    independent_multipliers,
    least_multipliers,
    self_stress,
)
from eigenbody.loads.wrenches import JointWrenches
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.partition import select
from eigenbody.numerics.matrices.linear import matrix
from mechanisms import KINDS, random_mechanism

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81
Y = [0, 1, 0]


def rod(model: eb.Model, name: str, start: list[float], end: list[float], mass: float) -> eb.Model:
    """A uniform rod with equal moments of inertia about its normals and a little about itself."""
    a, b = np.array(start, float), np.array(end, float)
    length = float(np.linalg.norm(b - a))
    e = (b - a) / length
    inertia = mass * length**2 / 12 * (np.eye(3) - np.outer(e, e)) + 1e-3 * np.eye(3)
    return model.body(name, mass=mass, inertia=inertia.tolist(), at=((a + b) / 2).tolist())


def heavy() -> eb.Model:
    return eb.Model(gravity=[0, 0, -G])


# Closed forms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("angle", "rate"), [(0.0, 0.0), (0.7, 0.0), (0.7, 3.0), (-2.0, 1.5)])
def test_pendulum_pin_in_swing(angle: float, rate: float) -> None:
    """Along the rod m (g cos + l w^2), across it m (g sin + l w'), w' = -m g l sin / (I + m l^2)."""
    m, length, inertia = 2.0, 0.8, 0.3
    model = heavy().body("bob", mass=m, inertia=[inertia] * 3, at=[0, 0, -length])
    model = model.joint(
        "pin", "revolute", between=["ground", "bob"], at=[0, 0, 0], axis=Y, position=angle, velocity=rate
    )
    found = eb.reactions(eb.operating_point(model), axes="ground")["pin"]
    acceleration = -m * G * length * math.sin(angle) / (inertia + m * length**2)
    along = m * (G * math.cos(angle) + length * rate**2)  # towards the pin
    across = m * (G * math.sin(angle) + length * acceleration)  # in the direction of growing angle
    inward, onward = np.array([math.sin(angle), 0, math.cos(angle)]), np.array([-math.cos(angle), 0, math.sin(angle)])
    assert found.force == pytest.approx(along * inward + across * onward, rel=1e-12, abs=1e-12)
    assert found.moment == pytest.approx(np.zeros(3), abs=1e-12)
    assert found.indeterminate == ()


def test_cantilever_moment_and_its_point() -> None:
    """A fixed joint carries the weight and its moment about the joint's own point."""
    model = heavy().body("beam", mass=3, inertia=[1, 1, 1], at=[2, 0, 0])
    model = model.joint("wall", "fixed", between=["ground", "beam"], at=[0.5, 0, 0])
    found = eb.reactions(eb.operating_point(model), axes="ground")["wall"]
    assert found.force == pytest.approx([0, 0, 3 * G], rel=1e-12)
    assert found.moment == pytest.approx([0, -1.5 * 3 * G, 0], rel=1e-12)
    assert found.point == pytest.approx([0.5, 0, 0])


def test_first_on_second_whichever_way_the_joint_is_written() -> None:
    """Exchanging the bodies of a joint turns the signs."""
    plain = heavy().body("bob", mass=2, inertia=[1, 1, 1], at=[0.3, 0, -1])
    one = plain.joint("pin", "fixed", between=["ground", "bob"], at=[0, 0, 0], axis=[1, 2, 3])
    two = plain.joint("pin", "fixed", between=["bob", "ground"], at=[0, 0, 0], axis=[1, 2, 3])
    a, b = (eb.reactions(eb.operating_point(m), axes="ground")["pin"] for m in (one, two))
    assert a.force == pytest.approx(-b.force, rel=1e-12)
    assert a.moment == pytest.approx(-b.moment, rel=1e-12)
    assert a.force[2] == pytest.approx(2 * G)


def test_slider_reaction_moves_with_the_second_body() -> None:
    """The point is the second origin: a slider carries its weight without a moment wherever it stands."""
    model = heavy().body("block", mass=2, inertia=[1, 1, 1], at=[0, 0, 0])
    model = model.joint("rail", "prismatic", between=["ground", "block"], at=[0, 0, 0], axis=[1, 0, 0], position=1.5)
    found = eb.reactions(eb.operating_point(model), axes="ground")["rail"]
    assert found.point == pytest.approx([1.5, 0, 0])
    assert found.force == pytest.approx([0, 0, 2 * G], rel=1e-12)
    assert found.moment == pytest.approx(np.zeros(3), abs=1e-12)


def test_three_hinged_arch() -> None:
    """Supports carry W each and the thrust W a / (2 h), half span a, rise h; the crown the thrust alone."""
    a, h, m = 3.0, 2.0, 10.0
    model = rod(rod(heavy(), "left", [-a, 0, 0], [0, 0, h], m), "right", [a, 0, 0], [0, 0, h], m)
    for name, bodies, at in (
        ("A", ["ground", "left"], [-a, 0, 0]),
        ("B", ["ground", "right"], [a, 0, 0]),
        ("C", ["left", "right"], [0, 0, h]),
    ):
        model = model.joint(name, "revolute", between=bodies, at=at, axis=Y)
    thrust = m * G * a / (2 * h)
    found = eb.reactions(eb.operating_point(model), axes="ground")
    assert found["A"].force == pytest.approx([thrust, 0, m * G], rel=1e-11, abs=1e-10)
    assert found["B"].force == pytest.approx([-thrust, 0, m * G], rel=1e-11, abs=1e-10)
    assert found["C"].force == pytest.approx([thrust, 0, 0], rel=1e-11, abs=1e-10)
    for name in "ABC":  # a planar loop in space: only what acts in the plane is determined
        assert set(found[name].indeterminate) == {"fy", "mx", "mz"}


def test_drive_of_a_held_pendulum() -> None:
    model = heavy().body("bob", mass=2, inertia=[0.1, 0.1, 0.1], at=[0, 0, -0.8])
    model = model.joint("pin", "revolute", between=["ground", "bob"], at=[0, 0, 0], axis=Y, motion=0.6)
    (drive,) = eb.reactions(eb.operating_point(model)).generalized
    assert (drive.name, drive.label) == ("pin", "motion angle")
    assert drive.value == pytest.approx(2 * G * 0.8 * math.sin(0.6), rel=1e-12)
    assert not drive.indeterminate


def test_gear_force() -> None:
    """Shafts 1 and 2 with first + ratio second = 0: a torque T on the first is balanced by T / ratio on the second."""
    model = eb.Model()
    for name, x in (("a", 0.0), ("b", 1.0)):
        model = model.body(name, mass=1, inertia=[1, 1, 1], at=[x, 0, 0])
        model = model.joint(f"j{name}", "revolute", between=["ground", name], at=[x, 0, 0], axis=[0, 0, 1])
    model = model.coupling("mesh", "gear", joints=["ja", "jb"], ratio=3)
    model = model.force("T", "torque", body="a", value=[0, 0, 6]).force("L", "torque", body="b", value=[0, 0, 18])
    found = eb.reactions(eb.operating_point(model))
    (mesh,) = found.generalized
    assert mesh.value == pytest.approx(-6, rel=1e-12)  # along ja; ratio times that along jb


def test_spring_and_bushing_loads() -> None:
    model = heavy().body("bob", mass=2, inertia=[1, 1, 1], at=[0, 0, -1])
    model = model.force("mount", "bushing", between=["ground", "bob"], at=[0, 0, -1], k=[1e3] * 6, c=[1] * 6)
    model = model.joint("rail", "prismatic", between=["ground", "bob"], at=[0, 0, -1], axis=[0, 0, 1], position=-0.01)
    model = model.force("coil", "spring", between=["ground", "bob"], at=[[0, 0, 1], [0, 0, -1]], k=100, free_length=1.9)
    loads = {load.name: load.tension for load in eb.reactions(eb.operating_point(model)).loads}
    assert loads["coil"] == pytest.approx([100 * (2.01 - 1.9)], rel=1e-12)
    assert loads["mount"] == pytest.approx([0, 0, -10, 0, 0, 0], abs=1e-11)


def test_blade_of_a_turning_skate() -> None:
    """Centre of mass on the blade: the lateral force is m v w."""
    m, v, w = 2.0, 3.0, 0.7
    skate = eb.Model().body("skate", mass=m, inertia=[1, 1, 1], at=[0, 0, 0])
    skate = skate.joint(
        "floor", "planar", between=["ground", "skate"], at=[0, 0, 0], axis=[0, 0, 1], velocity=[v, 0, w]
    )
    skate = skate.joint("blade", "knife_edge", between=["ground", "skate"], at=[0, 0, 0], axis=Y)
    found = eb.reactions(eb.operating_point(skate), axes="ground")["blade"]
    assert found.force == pytest.approx([0, m * v * w, 0], rel=1e-12, abs=1e-12)


# Redundancy ---------------------------------------------------------------------------------------------------------


def door(extra: bool = False) -> eb.Model:
    model = heavy().body("door", mass=20, inertia=[2, 2, 2], at=[0.5, 0, 1])
    for name, height in (("top", 2.0), ("bottom", 0.0)):
        model = model.joint(name, "revolute", between=["ground", "door"], at=[0, 0, height], axis=[0, 0, 1])
    if extra:
        model = model.body("bell", mass=1, inertia=[0.1] * 3, at=[1, 0, 0.5])
        model = model.joint("cord", "revolute", between=["door", "bell"], at=[1, 0, 1], axis=Y)
    return model


def test_hanging_door_on_two_hinges() -> None:
    """W / 2 each; the moment W b is shared by the couple F h and two moments M: least F^2 + M^2 / L^2."""
    point = eb.operating_point(door())
    found = eb.reactions(point, axes="ground")
    W, b, h, L = 20 * G, 0.5, 2.0, point.system.length
    F = W * b / (h + 4 * L**2 / h)  # 2 F^2 + 2 (M / L)^2 least with F h + 2 M = W b: M = 2 F L^2 / h
    M = 2 * F * L**2 / h
    assert found["top"].force == pytest.approx([-F, 0, W / 2], rel=1e-12, abs=1e-10)
    assert found["bottom"].force == pytest.approx([F, 0, W / 2], rel=1e-12, abs=1e-10)
    assert found["top"].moment == pytest.approx([0, -M, 0], rel=1e-12, abs=1e-10)
    assert F * h + 2 * M == pytest.approx(W * b, rel=1e-12)
    assert set(found["top"].indeterminate) == {"fx", "fy", "fz", "mx", "my"}
    assert "indeterminate" in str(found)


def test_a_joint_outside_redundant_loops_is_determinate() -> None:
    found = eb.reactions(eb.operating_point(door(extra=True)), axes="ground")
    assert list(found.indeterminate) == [True, True, False]
    assert found["cord"].force == pytest.approx([0, 0, G], rel=1e-12, abs=1e-12)
    assert found.force[:2].sum(axis=0) == pytest.approx([0, 0, 21 * G], rel=1e-12, abs=1e-9)


def dense_route(mechanics: Mechanics) -> np.ndarray:
    """(joints, 6) by an explicit pseudo-inverse in the metric, without any selection of rows."""
    system = mechanics.system
    wrenches = JointWrenches(mechanics)
    G_ = matrix(mechanics.holonomic.rows(), (system.constraints.count, system.nq), False)
    N_ = matrix(mechanics.non_holonomic.rows(), (system.slips.count, system.nq), False)
    A = np.vstack((G_, N_)).T
    unit = np.repeat((1.0, 1.0 / system.length), 3)
    B = np.zeros((6 * wrenches.count + len(wrenches.joint), len(wrenches.joint)))
    for r, joint in enumerate(wrenches.joint):
        if joint >= 0:
            B[6 * joint : 6 * joint + 6, r] = wrenches.unit[r] * unit
        else:
            B[6 * wrenches.count + r, r] = math.sqrt(wrenches.weight[r])
    root = np.linalg.cholesky(B.T @ B).T
    scaled = A @ np.linalg.inv(root)
    scaled = scaled * np.where(system.is_angular, 1 / system.length, 1.0)[:, None]
    force = constraint_force(mechanics) * np.where(system.is_angular, 1 / system.length, 1.0)
    multipliers = np.linalg.solve(root, np.linalg.pinv(scaled, rcond=1e-10) @ force)
    n = system.constraints.count
    return np.concatenate(wrenches.of(multipliers[:n], multipliers[n:]), axis=1)


REDUNDANT = ("planar_four_bar_redundant.yaml", "four_bar.yaml", "parallelogram.yaml")


@pytest.mark.parametrize("file", REDUNDANT)
def test_least_norm_against_a_dense_route(file: str) -> None:
    model = eb.load(EXAMPLES / file)
    point = eb.operating_point(model)
    found = eb.reactions(point, axes="ground")
    both = np.concatenate((found.force, found.moment), axis=1)
    assert both == pytest.approx(dense_route(point.mechanics), rel=1e-9, abs=1e-9 * np.abs(both).max())


@pytest.mark.parametrize("kind", ["loop", "redundant", "driven", "knife", "tree"])
def test_reactions_balance_every_body(kind: str) -> None:
    """Newton and Euler for each body: weight, elements and joints give the accelerations, moments about the centre."""
    for seed in range(4):
        rng = np.random.default_rng([seed, KINDS.index(kind)])
        point = eb.operating_point(eb.load(random_mechanism(rng, kind)))
        found = eb.reactions(point, axes="ground")
        both = np.concatenate((found.force, found.moment), axis=1)
        size = max(np.abs(both).max(initial=0.0), 1e-9)
        assert both == pytest.approx(dense_route(point.mechanics), rel=1e-7, abs=1e-7 * size)
        system, mechanics = point.system, point.mechanics
        total = np.zeros((len(system.places.names), 6))
        for reaction in found:
            for sign, name in ((-1, reaction.between[0]), (1, reaction.between[1])):
                carrier = system.places.carrier(name)
                arm = reaction.point - mechanics.at.r[carrier]
                total[carrier, :3] += sign * reaction.force
                total[carrier, 3:] += sign * (reaction.moment + np.cross(arm, reaction.force))
        wrenches = JointWrenches(mechanics)
        given = (point.motion.multipliers, point.motion.slip_multipliers)
        others = np.array(least_multipliers(MotionFrame(mechanics, point.chosen), wrenches, given)[0])
        others[: wrenches.joint_rows] = 0.0  # couplings and drivers are no part of the joints
        rest = mechanics.holonomic.force(others, system.nq) - constraint_force(mechanics)
        for body in range(system.bodies):
            needed = np.append(rest, 0.0)[system.dof[body]]
            needed = np.concatenate((needed[:3], point.state.R[body] @ needed[3:]))
            known = np.repeat(system.dof[body, [0, 3]] >= 0, 3)
            assert total[body][known] == pytest.approx(needed[known], abs=1e-8 * size * max(1.0, system.length))


def test_marks_are_the_null_space_of_the_rows() -> None:
    """Exact marks by a singular value decomposition of G^T."""
    for model in (door(extra=True), eb.load(EXAMPLES / "planar_four_bar_redundant.yaml")):
        point = eb.operating_point(model)
        mechanics, system = point.mechanics, point.system
        wrenches = JointWrenches(mechanics)
        A = matrix(mechanics.holonomic.rows(), (system.constraints.count, system.nq), False).T
        _, s, V = np.linalg.svd(A)
        null = V[(s > 1e-10 * s[0]).sum() :]
        exact = np.zeros((wrenches.count, 6))
        for z in null:
            exact = np.maximum(exact, np.abs(np.concatenate(wrenches.of(z, np.zeros(0)), axis=1)))
        assert np.array_equal(eb.reactions(point, axes="ground").open, exact > 1e-10)


def test_self_stress_does_not_change_the_linearization() -> None:
    """On the constraint manifold the curvature of rows that hold by others vanishes along the free motion."""
    point = eb.operating_point(eb.load(EXAMPLES / "planar_four_bar_redundant.yaml"))
    frame = MotionFrame(point.mechanics, point.chosen)
    nq = point.system.nq
    for stress, _ in self_stress(frame, JointWrenches(point.mechanics)):
        K = matrix(point.mechanics.holonomic.stiffness(stress), (nq, nq), False)
        assert np.abs(K).max() > 1e-3
        assert np.abs(frame.P.T @ K @ frame.P).max() < 1e-10


def test_sparse_path_agrees_with_the_dense_route() -> None:
    """A closed-loop ladder of 36 bodies with redundant rows: 216 coordinates are solved sparsely."""
    families = runpy.run_path(str(EXAMPLES / "families.py"))
    model = eb.load(families["family"]("L12RF1")).set(gravity=[1, -G, 0.5])
    point = eb.operating_point(model)
    assert point.system.nq > 200
    assert len(point.redundant) > 10
    found = eb.reactions(point, axes="ground")
    both = np.concatenate((found.force, found.moment), axis=1)
    assert both == pytest.approx(dense_route(point.mechanics), abs=1e-7 * np.abs(both).max())


# Axes and states ----------------------------------------------------------------------------------------------------


def test_joint_axes_are_those_of_the_first_body() -> None:
    model = (
        heavy().body("a", mass=1, inertia=[1, 1, 1], at=[0, 0, -1]).body("b", mass=1, inertia=[1, 1, 1], at=[0, 0, -2])
    )
    model = model.joint("p", "revolute", between=["ground", "a"], at=[0, 0, 0], axis=Y, position=0.5)
    model = model.joint("q", "revolute", between=["a", "b"], at=[0, 0, -1.5], axis=Y, position=0.3)
    point = eb.operating_point(model)
    own, ground = eb.reactions(point), eb.reactions(point, axes="ground")
    axes = point.state.R[0] @ np.column_stack(([1, 0, 0], [0, 0, -1], Y))  # z along the axis, x the global x
    assert np.abs(axes.T @ ground["q"].force) == pytest.approx(np.abs(own["q"].force), abs=1e-12)
    assert np.linalg.norm(own["q"].moment) == pytest.approx(np.linalg.norm(ground["q"].moment), abs=1e-12)


def test_any_state_with_its_accelerations() -> None:
    """Reactions from the accelerations alone equal those of the operating point."""
    point = eb.operating_point(eb.load(random_mechanism(np.random.default_rng([3, KINDS.index("loop")]), "loop")))
    chosen = select(Mechanics(point.system, point.state))
    again = at_acceleration(point.system, point.state, point.motion.acceleration, chosen)
    found = eb.reactions(point)
    assert again.force == pytest.approx(found.force, rel=1e-8, abs=1e-8 * np.abs(found.force).max())
    frame = MotionFrame(point.mechanics, chosen)
    multipliers, _ = independent_multipliers(frame, constraint_force(point.mechanics))
    assert np.abs(multipliers).max() > 0


def test_reactions_as_data_and_text() -> None:
    found = eb.reactions(eb.operating_point(door()))
    data = found.as_dict()
    assert [joint["joint"] for joint in data["joints"]] == ["top", "bottom"]
    assert data["joints"][0]["indeterminate"] == ["fx", "fy", "fz", "mx", "my"]
    assert "of the first body on the second, joint axes" in str(found)
    assert "<table>" in found._repr_html_()
    with pytest.raises(ValueError, match="read-only"):
        found.force[0, 0] = 1.0


def test_wrong_requests() -> None:
    point = eb.operating_point(door())
    with pytest.raises(eb.InputError, match='"jont" is not known'):
        eb.reactions(point, axes="jont")
    with pytest.raises(eb.InputError, match=r'no joint "tip".*"top"'):
        eb.reactions(point)["tip"]
    with pytest.raises(eb.InputError, match="an operating point"):
        eb.reactions(3)
