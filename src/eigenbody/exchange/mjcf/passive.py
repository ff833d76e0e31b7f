"""What acts in joints by itself: springs, dampers, compensation of gravity.

MuJoCo: f = -(k + k1 x + k2 x^2) x - (c + c1 |v| + c2 v^2) v with x the joint's position from its reference.
"""

from __future__ import annotations

import numpy as np

from eigenbody.exchange.mjcf.compiled import FREE, HINGE, SLIDE
from eigenbody.exchange.mjcf.draft import Draft
from eigenbody.exchange.numbers import summed


def add_passive(draft: Draft) -> None:
    """Springs and dampers of all joints."""
    m = draft.robot.m
    for j, name in draft.joints.items():
        dof = int(m.jnt_dofadr[j])
        k, c = float(m.jnt_stiffness[j]), float(m.dof_damping[dof])
        k = 0.0 if draft.robot.is_disabled("SPRING", "PASSIVE") else k
        c = 0.0 if draft.robot.is_disabled("DAMPER", "PASSIVE") else c
        if int(m.jnt_type[j]) in (SLIDE, HINGE):
            spring(draft, name, k, float(m.qpos_spring[m.jnt_qposadr[j]]), _more(draft, "jnt_stiffnesspoly", j, k))
            damper(draft, name, c, _more(draft, "dof_dampingpoly", dof, c))
        else:
            _around(draft, j, name, k, c)
    _weightless(draft)


def _more(draft: Draft, array: str, number: int, first: float) -> np.ndarray:
    """Coefficients of higher powers, where this version of MuJoCo has them and anything acts."""
    return draft.robot.array(array)[number] if draft.robot.has(array) and first else np.zeros(2)


def spring(draft: Draft, along: str, k: float, free: float, more: np.ndarray) -> None:
    """A spring along a measure, with its higher powers as a further tension."""
    if not (k or more.any()):
        return
    entry = {"type": "spring", "along": along, "k": k, "free": free}
    if not free:
        del entry["free"]
    if more.any():
        entry["force"] = "=" + summed([(more[0], "*s**2"), (more[1], "*s**3")])
    draft.add("forces", f"{along}_spring", entry, ("joints", along))


def damper(draft: Draft, along: str, c: float, more: np.ndarray) -> None:
    """A damper along a measure, and its higher powers as an expression."""
    if c:
        draft.add("forces", f"{along}_damping", {"type": "damper", "along": along, "c": c}, ("joints", along))
    if more.any():
        value = "=" + summed([(-more[0], "*abs(v)*v"), (-more[1], "*v**3")])
        draft.add("forces", f"{along}_drag", {"type": "expression", "along": along, "value": value}, ("joints", along))


def _around(draft: Draft, j: int, name: str, k: float, c: float) -> None:
    """Ball and free joints: the spring turns back about the rotation vector, the damper against the angular velocity;
    a free joint has both for displacements too."""
    entry = draft.sections["joints"][name]
    both = {"between": entry["between"], "at": entry["at"]}
    axes = {key: entry[key] for key in ("axis", "axis2") if key in entry}
    moves = int(draft.robot.m.jnt_type[j]) == FREE
    if k:
        six = [k if moves else 0.0] * 3 + [k] * 3
        draft.add("forces", f"{name}_spring", {"type": "bushing", **both, **axes, "k": six}, ("joints", name))
    if c:
        draft.add("forces", f"{name}_damping", {"type": "rotational_damper", **both, "c": c}, ("joints", name))
    if c and moves:
        for label in "xyz":
            along = {"type": "damper", "along": f"{name}.{label}", "c": c}
            draft.add("forces", f"{name}_damping_{label}", along, ("joints", name))


def _weightless(draft: Draft) -> None:
    """Compensated gravity is a dead load at the centre of mass."""
    m = draft.robot.m
    share = draft.robot.array("body_gravcomp")
    if not share.any() or draft.robot.is_disabled("GRAVITY", "PASSIVE"):
        return
    for b in np.flatnonzero(share * m.body_mass):
        body = draft.bodies[int(b)]
        if body in draft.sections["bodies"]:
            lift = (-share[b] * m.body_mass[b] * m.opt.gravity).tolist()
            draft.add("forces", f"{body}_lift", {"type": "force", "body": body, "value": lift}, ("bodies", body))
