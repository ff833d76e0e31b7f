"""What of an MJCF file a model does not have, in words."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.exchange.mjcf.draft import Draft
from eigenbody.model.names import GROUND

MANY = 12  # names in one note


def add_notes(draft: Draft) -> None:
    """Names that were changed, and what nothing in the model stands for."""
    if draft.renamed:
        pairs = [f"{old} is {new}" for old, new in draft.renamed.items()]
        draft.note(f"Renamed: {_list(pairs)}.")
    if draft.unnamed:
        draft.note(f"Names given to what has none in the file: {_list(draft.unnamed)}.")
    for text in (*_joints(draft), *_surroundings(draft), *_controls(draft)):
        draft.note(text)


def _list(items: list[str]) -> str:
    rest = f" and {len(items) - MANY} more" if len(items) > MANY else ""
    return ", ".join(items[:MANY]) + rest


def _joints(draft: Draft) -> Iterator[str]:
    m = draft.robot.m
    limits = [
        f"{name} {m.jnt_range[j][0]:g} to {m.jnt_range[j][1]:g}" for j, name in draft.joints.items() if m.jnt_limited[j]
    ]
    if limits:
        yield f"Limits, which nothing enforces: {_list(limits)}."
    rough = [f"{name} {m.dof_frictionloss[m.jnt_dofadr[j]]:g}" for j, name in draft.joints.items()
             if m.dof_frictionloss[m.jnt_dofadr[j]]]  # fmt: skip
    if rough:
        yield f"Dry friction is left out: {_list(rough)}."
    tendons = [name for i, name in draft.tendons.items() if m.tendon_limited[i] or m.tendon_frictionloss[i]]
    if tendons:
        yield f"Limits and dry friction of tendons are left out: {_list(tendons)}."
    if draft.robot.has("jnt_springyield") and np.any(m.jnt_springyield):
        yield "Springs of joints do not yield."
    balls = [name for j, name in draft.joints.items() if draft.joint_kind(j) in ("ball", "free")
             and draft.robot.has("dof_dampingpoly") and np.any(m.dof_dampingpoly[m.jnt_dofadr[j]])]  # fmt: skip
    if balls:
        yield f"Higher powers in the damping of ball and free joints are left out: {_list(balls)}."


def _surroundings(draft: Draft) -> Iterator[str]:
    m, robot = draft.robot.m, draft.robot
    touching = (m.geom_contype != 0) | (m.geom_conaffinity != 0)
    if m.npair or touching.any():
        yield "Contacts are left out."
    if m.opt.density or m.opt.viscosity:
        yield "Forces of the medium (density, viscosity, wind) are left out."
    still = [robot.name_of("BODY", b) or f"body{b}" for b in range(1, m.nbody) if robot.is_static(b)]
    if still:
        yield f"Bodies that nothing moves are the ground: {_list(still)}."
    parts = [robot.name_of("BODY", b) or f"body{b}" for b in range(1, m.nbody)
             if not robot.is_static(b) and not m.body_mass[b] and not m.body_jntnum[b]]  # fmt: skip
    if parts:
        yield f"Bodies without mass are parts of those that carry them: {_list(parts)}."
    for count, what in ((getattr(m, "nflex", 0), "Deformable bodies (flex)"), (m.nplugin, "Plugins")):
        if count:
            yield f"{what} are left out."
    if m.nmocap:
        yield "Bodies moved from outside (mocap) stand still, and hold what is welded to them."
    if not any(name != GROUND for name in draft.bodies.values()):
        yield "Nothing in the file moves."


def _controls(draft: Draft) -> Iterator[str]:
    m, robot = draft.robot.m, draft.robot
    limits = (m.actuator_ctrllimited, m.actuator_forcelimited, m.actuator_actlimited)
    held = [robot.name_of("ACTUATOR", i) or f"actuator{i}" for i in range(len(m.actuator_trntype))
            if any(np.any(limit[i : i + 1]) for limit in limits)]  # fmt: skip
    if held:
        yield f"Saturation of controls and forces is left out: {_list(held)}."
    if np.any(getattr(m, "jnt_actfrclimited", np.zeros(0))):
        yield "Limits of the forces of actuators in joints are left out."
    if np.any(getattr(m, "actuator_delay", np.zeros(0))):
        yield "Delays of actuators are left out."
