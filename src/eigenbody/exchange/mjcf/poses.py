"""Keyframes: positions of the joints under a name."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from eigenbody.exchange.mjcf.compiled import BALL, FREE
from eigenbody.exchange.mjcf.draft import Draft
from eigenbody.spatial.rotations import from_quaternion, log

ROTATIONS = ("rx", "ry", "rz")
RANK = 1e-8  # below this, relative to the largest singular value, columns depend on each other


def add_poses(draft: Draft) -> None:
    """Every keyframe is a pose; rotations are rotation vectors from the drawing, places displacements from it. Of a
    mechanism with loops it has the first independent joints: the digits of a file do not close a loop."""
    m = draft.robot.m
    for k in range(m.nkey):
        wanted = draft.robot.name_of("KEY", k) or f"key{k}"
        qpos = np.array(m.key_qpos[k])
        following = following_joints(draft, qpos)
        draft.add("poses", wanted, pose_of(draft, qpos, following))
        if following:
            names = ", ".join(draft.joints[j] for j in following if j in draft.joints)
            draft.note(f"Pose {wanted} leaves these joints to the loops that they close: {names}.")
        more = [what for what, part in (("controls", "ctrl"), ("velocities", "qvel"), ("activations", "act"))
                if np.any(getattr(m, f"key_{part}")[k])]  # fmt: skip
        if more:
            draft.note(f"Pose {wanted} has positions alone: {' and '.join(more)} of the keyframe are left out.")


def following_joints(draft: Draft, qpos: np.ndarray, rather: Collection[int] = ()) -> list[int]:
    """Joints that the equality constraints determine, those `rather`, then the last ones; all coordinates of a joint or
    none."""
    robot = draft.robot
    m, mujoco = robot.m, robot.mujoco
    if not m.neq:
        return []
    d = mujoco.MjData(m)
    d.qpos[:] = qpos
    mujoco.mj_fwdPosition(m, d)
    columns_of = np.zeros((m.nv, d.nefc))
    for own, unit in zip(columns_of, np.eye(m.nv), strict=True):
        mujoco.mj_mulJacVec(m, d, own, unit)
    held = columns_of.T[np.asarray(d.efc_type) == int(mujoco.mjtConstraint.mjCNSTR_EQUALITY)]
    found, columns = list[int](), list[int]()
    for j in sorted(range(m.njnt), key=lambda j: (j not in rather, -j)):
        own = [int(m.jnt_dofadr[j]) + n for n in range({FREE: 6, BALL: 3}.get(int(m.jnt_type[j]), 1))]
        if held.size and np.linalg.matrix_rank(held[:, columns + own], RANK) == len(columns) + len(own):
            found.append(j)
            columns += own
    return sorted(found)


def pose_of(draft: Draft, qpos: np.ndarray, without: Collection[int] = ()) -> dict[str, float]:
    """Joint coordinates of a configuration of MuJoCo."""
    m, values = draft.robot.m, dict[str, float]()
    for j, name in draft.joints.items():
        if j in without:
            continue
        start, kind = int(m.jnt_qposadr[j]), int(m.jnt_type[j])
        if kind == FREE:
            drawn = m.qpos0[start : start + 7]
            moved = qpos[start : start + 3] - drawn[:3]
            turned = from_quaternion(qpos[start + 3 : start + 7]) @ from_quaternion(np.array(drawn[3:])).T
            values |= {f"{name}.{label}": float(value) for label, value in zip("xyz", moved, strict=True)}
            values |= _rotated(name, turned)
        elif kind == BALL:
            values |= _rotated(name, from_quaternion(qpos[start : start + 4]))
        else:
            values[name] = float(qpos[start])
    return values


def _rotated(name: str, R: np.ndarray) -> dict[str, float]:
    return {f"{name}.{label}": float(value) for label, value in zip(ROTATIONS, log(R), strict=True)}
