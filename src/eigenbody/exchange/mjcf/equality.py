"""Equality constraints: loops closed by points and by frames, joints and tendons as functions of each other.

They hold exactly here; those of MuJoCo are soft (solref, solimp).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.polynomial import Polynomial

from eigenbody.exchange.mjcf.compiled import BALL, FREE, HINGE, SLIDE
from eigenbody.exchange.mjcf.draft import Draft
from eigenbody.exchange.mjcf.poses import following_joints
from eigenbody.spatial.rotations import from_quaternion

OPEN = 1e-10  # how far constraints may be open where the file starts, relative to its size
TOGETHER = 1e-13  # how far points may be apart in the drawing to be one, relative to its size
SIX = ("x", "y", "z", "rx", "ry", "rz")


def add_equalities(draft: Draft) -> None:
    """Active constraints become joints and couplings; others are named in notes."""
    m, kinds = draft.robot.m, draft.robot.mujoco.mjtEq
    if draft.robot.is_disabled("EQUALITY", "CONSTRAINT"):
        if m.neq:
            draft.note("The file switches its equality constraints off: they are left out.")
        return
    readers = {
        int(kinds.mjEQ_CONNECT): _closed, int(kinds.mjEQ_WELD): _closed, int(kinds.mjEQ_JOINT): _joints,
        int(kinds.mjEQ_TENDON): _tendons,
    }  # fmt: skip
    idle, gone = [], []
    for i in range(m.neq):
        given = draft.robot.name_of("EQUALITY", i) or f"equality{i}"
        if not m.eq_active0[i]:
            idle.append(given)
        elif int(m.eq_type[i]) not in readers or not readers[int(m.eq_type[i])](draft, i, given):
            gone.append(given)
    if len(gone) + len(idle) < m.neq:
        _start_apart(draft)
        draft.note("Equality constraints hold exactly, where MuJoCo's are soft (solref, solimp).")
    for names, what in (
        (idle, "Equality constraints that are not active are left out"),
        (gone, "Equality constraints that tie nothing that moves, or that are not known, are left out"),
    ):
        if names:
            draft.note(f"{what}: {', '.join(names)}.")


def _start_apart(draft: Draft) -> None:
    """Constraints that the reference configuration of the file breaks: of the joints whose coordinates it gives, those
    follow that the others determine, first the left sides of equalities."""
    robot = draft.robot
    m, mujoco = robot.m, robot.mujoco
    d = mujoco.MjData(m)
    mujoco.mj_fwdPosition(m, d)
    rows = np.asarray(d.efc_type) == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)
    if np.abs(np.asarray(d.efc_pos)[rows]).max(initial=0.0) <= OPEN * draft.extent:
        return
    ties = [i for i in range(m.neq) if m.eq_active0[i] and int(m.eq_type[i]) == int(mujoco.mjtEq.mjEQ_JOINT)]
    left = {int(m.eq_obj1id[i]) for i in ties}
    free = [j for j in following_joints(draft, np.array(m.qpos0), left) if j in draft.joints]
    moved = [draft.joints[j] for j in free if draft.sections["joints"][draft.joints[j]].pop("position", None)]
    if moved:
        draft.note(f"Constraints that the file starts apart from move these joints from their ref: {', '.join(moved)}.")


def _closed(draft: Draft, i: int, given: str) -> bool:
    """A point (connect) or a frame (weld) of one body held on that of another."""
    m, robot = draft.robot.m, draft.robot
    data, is_weld = np.array(m.eq_data[i]), int(m.eq_type[i]) == int(robot.mujoco.mjtEq.mjEQ_WELD)
    numbers = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
    eye = np.eye(3)
    if robot.has("eq_objtype") and int(m.eq_objtype[i]) == int(robot.mujoco.mjtObj.mjOBJ_SITE):
        bodies = [int(m.site_bodyid[n]) for n in numbers]
        frames = [(np.array(m.site_pos[n]), from_quaternion(np.array(m.site_quat[n]))) for n in numbers]
    elif is_weld:
        bodies = [*numbers]
        frames = [(data[3:6], from_quaternion(data[6:10])), (data[0:3], eye)]
    else:
        bodies = [*numbers]
        frames = [(data[0:3], eye), (data[3:6], eye)]
    if draft.bodies[bodies[0]] == draft.bodies[bodies[1]]:
        return False
    name = draft.name("EQUALITY", i, "joints", "loop", f"equality{i}")
    entry: dict[str, Any] = {"type": "fixed" if is_weld else "spherical"}
    there = [_drawn(draft, b, *frame) for b, frame in zip(bodies, frames, strict=True)]
    if all(
        np.allclose(a, b, rtol=0, atol=TOGETHER * size) for a, b, size in zip(*there, (draft.extent, 1), strict=True)
    ):
        entry |= {"between": [draft.bodies[b] for b in bodies], "at": draft.point(there[0][0])}
    else:
        wanted = zip("ab", bodies, frames, strict=True)
        entry["between"] = [draft.marker(f"{name}_{side}", b, *frame) for side, b, frame in wanted]
    draft.sections["joints"][name] = entry
    draft.coordinates = draft.coordinates or _coordinates(draft)
    return True


def _drawn(draft: Draft, body: int, r: np.ndarray, R: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Point and axes on a body in the drawing."""
    origin, axes = draft.robot.pose(body)
    return origin + axes @ r, axes @ R


def _coordinates(draft: Draft) -> list[str]:
    """The coordinates of the joints of the file, in which loops are linearized."""
    labels = {FREE: SIX, BALL: SIX[3:]}
    kinds = {name: int(draft.robot.m.jnt_type[j]) for j, name in draft.joints.items()}
    return [
        q for name, kind in kinds.items() for q in ([f"{name}.{label}" for label in labels.get(kind, ())] or [name])
    ]


def _joints(draft: Draft, i: int, given: str) -> bool:
    m = draft.robot.m
    numbers = [int(n) for n in (m.eq_obj1id[i], m.eq_obj2id[i])]
    if any(n >= 0 and int(m.jnt_type[n]) not in (SLIDE, HINGE) for n in numbers):
        return False
    starts = [float(m.qpos0[m.jnt_qposadr[n]]) if n >= 0 else 0.0 for n in numbers]
    names = [draft.joints[n] for n in numbers if n >= 0]
    return _coupled(draft, i, names, starts, given)


def _tendons(draft: Draft, i: int, given: str) -> bool:
    """Lengths of tendons from those in the reference configuration."""
    m = draft.robot.m
    numbers = [int(n) for n in (m.eq_obj1id[i], m.eq_obj2id[i])]
    if any(n >= 0 and n not in draft.tendons for n in numbers):
        return False
    starts = [float(m.tendon_length0[n]) if n >= 0 else 0.0 for n in numbers]
    return _coupled(draft, i, [draft.tendons[n] for n in numbers if n >= 0], starts, given)


def _coupled(draft: Draft, i: int, names: list[str], starts: list[float], given: str) -> bool:
    """y - y0 = c0 + c1 (x - x0) + c2 (x - x0)^2 + ..., or y - y0 = c0 alone."""
    data = np.array(draft.robot.m.eq_data[i][:5])
    if len(names) == 1:
        return _add(draft, i, {"type": "linear", "terms": {names[0]: 1.0}, "constant": float(starts[0] + data[0])})
    whole = Polynomial(data)(Polynomial([-starts[1], 1.0])) + starts[0]
    coefficients = np.trim_zeros(whole.coef, "b").tolist() or [0.0]
    if len(coefficients) > 2:
        return _add(draft, i, {"type": "polynomial", "joints": names, "coefficients": coefficients})
    constant, slope = [*coefficients, 0.0][:2]
    entry: dict[str, Any] = {"type": "linear", "terms": {names[0]: 1.0, names[1]: -slope}}
    return _add(draft, i, entry | ({"constant": constant} if constant else {}))


def _add(draft: Draft, i: int, entry: dict[str, Any]) -> bool:
    name = draft.name("EQUALITY", i, "couplings", "coupling", f"equality{i}")
    draft.sections["couplings"][name] = entry
    return True
