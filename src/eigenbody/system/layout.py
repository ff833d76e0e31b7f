"""Velocity coordinates of every carrier: six per body, three for a point mass whose rotation nothing feels, up to three
for a carrier of modal coordinates."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from eigenbody.elements.forces import ForceBuilder
from eigenbody.elements.measures.templates import Kernel
from eigenbody.elements.measures.types import MEASURES
from eigenbody.elements.places import Places
from eigenbody.model.description import Description
from eigenbody.system.joints import JointTable, slip_kernels
from eigenbody.system.named import NamedMeasures
from eigenbody.system.rows import ConstraintRows


def layout(
    description: Description,
    places: Places,
    joints: JointTable,
    rows: ConstraintRows,
    builder: ForceBuilder,
    named: NamedMeasures,
) -> np.ndarray:
    """Coordinates of every carrier: six per body, three for a point mass whose rotation nothing feels."""
    bodies = len(description.bodies)
    dof = np.full((len(places.names), 6), -1)
    present = np.ones((bodies, 6), dtype=bool)
    candidates = description.bodies.is_point
    if candidates.any():
        used = [p for p, _ in rows.placed] + [p for p, _ in builder.kernels]
        asked = {i for _, i in rows.named} | {named.index[n] for n in builder.named}
        asked |= {named.index[n] for n in description.coordinates}
        asked |= {named.index[n] for entry in description.measures for n in MEASURES[entry.type].names(entry)}
        used += [k.take(np.flatnonzero(chosen)) for k, p in named.placed if (chosen := np.isin(p, list(asked))).any()]
        used += slip_kernels(joints)[0]
        turning = _turning(used, len(places.names)) & ~_point_only(joints, len(places.names), rows, used)
        present[candidates & ~turning[:bodies], 3:] = False
    if description.bodies.modal is not None:
        of_modes = description.bodies.modal > 0
        present[of_modes] = np.arange(6) < description.bodies.modal[of_modes, None]
    dof[:bodies][present] = np.arange(present.sum())
    return dof


def _turning(kernels: Iterable[Kernel], count: int) -> np.ndarray:
    """Which carriers' rotation any of the kernels feels."""
    out = np.zeros(count, dtype=bool)
    for kernel in kernels:
        out[kernel.carriers[kernel.turns()]] = True
    return out


def _point_only(joints: JointTable, count: int, rows: ConstraintRows, used: list[Kernel]) -> np.ndarray:
    """Carriers that are felt to turn only as the first of ball joints at their own origin, which is no turning."""
    out = np.zeros(count, dtype=bool)
    balls = [group for group in joints.groups if group.type.name in ("spherical", "point")]
    if not balls:
        return out
    ball_rows = np.concatenate([joints.row_start[group.index] for group in balls])
    ball_rows = (ball_rows[:, None] + np.arange(3)).ravel()
    of_balls = {int(m) for r, m, _ in rows.terms for m in m[np.isin(r, ball_rows)]}
    others: list[Kernel] = []
    for kernel, positions in rows.placed:
        rest = np.flatnonzero(~np.isin(positions, list(of_balls)))
        if len(rest):
            others.append(kernel.take(rest))
    private = {id(kernel) for kernel, _ in rows.placed}
    others += [kernel for kernel in used if id(kernel) not in private]
    feels = _turning(others, count)
    for pairs in (group.pairs for group in balls):
        for carrier, origin in ((pairs.first, pairs.origin1), (pairs.second, pairs.origin2)):
            away = np.abs(origin).max(axis=-1) > 1e-12
            feels[carrier[away]] = True
            out[carrier] = True
    return out & ~feels
