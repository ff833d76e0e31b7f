"""Bodies, joints and sites: the drawing is the model with all scalar joints at zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.exchange.inertia import entries, repaired
from eigenbody.exchange.mjcf.compiled import BALL, FREE, HINGE, SLIDE
from eigenbody.exchange.mjcf.draft import Draft
from eigenbody.exchange.numbers import direction
from eigenbody.model.names import GROUND

TYPES = {FREE: "free", BALL: "spherical", SLIDE: "prismatic", HINGE: "revolute"}


def add_bodies(draft: Draft) -> None:
    """Every body with the joints that carry it; between several joints of a body are bodies without mass."""
    m = draft.robot.m
    for b in range(1, m.nbody):
        if draft.robot.is_static(b):
            draft.bodies[b] = GROUND
            continue
        parent = draft.bodies[int(m.body_parentid[b])]
        joints = range(int(m.body_jntadr[b]), int(m.body_jntadr[b]) + int(m.body_jntnum[b]))
        if not len(joints) and not m.body_mass[b]:
            draft.bodies[b] = parent
            continue
        draft.bodies[b] = _body(draft, b)
        _carried(draft, b, parent, joints)


def _carried(draft: Draft, b: int, parent: str, joints: range) -> None:
    """The joints from the parent to the body, the first on the parent."""
    body = draft.bodies[b]
    if not len(joints):
        where = {"at": draft.point(draft.robot.pose(b)[0])}
        draft.add("joints", f"{body}_weld", {"type": "fixed", "between": [parent, body], **where}, ("bodies", body))
    for j in joints:
        second = body if j == joints[-1] else _between(draft, b, j)
        name = draft.name("JOINT", j, "joints", "joint", f"{body}_{draft.joint_kind(j)}")
        draft.sections["joints"][name] = _joint(draft, j, parent, second)
        draft.joints[j] = name
        parent = second


def _between(draft: Draft, b: int, j: int) -> str:
    at = draft.point(draft.robot.d.xanchor[j])
    given = draft.robot.name_of("JOINT", j) or f"part{j - int(draft.robot.m.body_jntadr[b]) + 1}"
    return draft.add("bodies", f"{draft.bodies[b]}_{given}", {"mass": 0.0, "at": at}, ("bodies", draft.bodies[b]))


def _joint(draft: Draft, j: int, first: str, second: str) -> dict[str, Any]:
    m, d = draft.robot.m, draft.robot.d
    kind, b, dof = int(m.jnt_type[j]), int(m.jnt_bodyid[j]), int(m.jnt_dofadr[j])
    origin, axes = draft.robot.pose(b)
    at = origin if kind == FREE else d.xanchor[j]
    entry: dict[str, Any] = {"type": TYPES[kind], "between": [first, second], "at": draft.point(at)}
    if kind in (SLIDE, HINGE):
        entry["axis"] = direction(d.xaxis[j])
    elif kind == BALL:
        entry |= {"axis": direction(axes[:, 2]), "axis2": direction(axes[:, 0])}
    else:
        entry |= {"axis": [0.0, 0.0, 1.0], "axis2": [1.0, 0.0, 0.0]}
    count = {FREE: 6, BALL: 3}.get(kind, 1)
    armature = [float(value) for value in m.dof_armature[dof : dof + count]]
    if any(armature):
        entry["armature"] = armature if count > 1 else armature[0]
    start = float(m.qpos0[m.jnt_qposadr[j]])
    if kind in (SLIDE, HINGE) and start:
        entry["position"] = start
    if kind in (SLIDE, HINGE) and m.jnt_limited[j]:
        entry["lower"], entry["upper"] = (float(value) for value in m.jnt_range[j])
    return entry


def _body(draft: Draft, b: int) -> str:
    """Mass and inertia in the axes of the inertial frame of the file."""
    m, d = draft.robot.m, draft.robot.d
    name = draft.name("BODY", b, "bodies", "body", f"body{b}")
    mass, moments = float(m.body_mass[b]), np.array(m.body_inertia[b])
    entry: dict[str, Any] = {"mass": mass}
    if moments.any():
        arms = [m.body_ipos[b], *m.body_pos[m.body_parentid == b]]
        size = max(float(np.linalg.norm(arm)) for arm in arms) or draft.extent
        possible = repaired(np.diag(moments), mass, size)
        if possible.change and draft.options.strict:
            draft.found.fault(
                f'body "{name}"', draft.texts.line("body", name), f"impossible inertia: {possible.change}."
            )
        elif possible.change:
            draft.note(f"Inertia of {name}: {possible.change}.")
        entry["inertia"] = entries(possible.tensor)
    entry["at"] = draft.point(d.xipos[b])
    draft.turned(entry, np.array(d.ximat[b]).reshape(3, 3))
    draft.sections["bodies"][name] = entry
    return name


def add_sites(draft: Draft) -> None:
    """Sites with names, and those that tendons or actuators use, are markers."""
    m = draft.robot.m
    for i in range(m.nsite):
        if draft.robot.name_of("SITE", i) or _is_used(draft, i):
            name = draft.name("SITE", i, "markers", "site", f"site{i}")
            entry: dict[str, Any] = {"body": draft.bodies[int(m.site_bodyid[i])]}
            entry["at"] = draft.point(draft.robot.d.site_xpos[i])
            draft.turned(entry, np.array(draft.robot.d.site_xmat[i]).reshape(3, 3))
            draft.sections["markers"][name] = entry
            draft.sites[i] = name


def _is_used(draft: Draft, site: int) -> bool:
    m, types = draft.robot.m, draft.robot.mujoco
    wrapped = (m.wrap_type == int(types.mjtWrap.mjWRAP_SITE)) & (m.wrap_objid == site)
    moved = (m.actuator_trntype == int(types.mjtTrn.mjTRN_SITE)) & (m.actuator_trnid[:, 0] == site)
    return bool(wrapped.any() or moved.any())
