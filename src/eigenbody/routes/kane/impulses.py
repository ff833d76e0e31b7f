"""Generalized impulses, external and internal (Passerello & Huston, chapter IV): impulses times partial velocities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.routes.drawing import body_of
from eigenbody.routes.kane.dynamics import ChainSystem
from eigenbody.spatial.rotations import cross, dot


@dataclass(frozen=True, eq=False)
class Strike:
    """An impulse (3,) N s and an angular impulse (3,) N m s on a body, its opposite at the same point of space on the
    body `against`; or `value` along a measure. `place` has the keys body, at, axes and frame of a load."""

    place: Entry
    impulse: np.ndarray | None = None
    angular: np.ndarray | None = None
    against: str = ""
    along: str = ""
    value: float = 0.0


def generalized_impulse(system: ChainSystem, strike: Strike) -> np.ndarray:
    """I_r (n,), Eqs. 4.3 to 4.5."""
    here = system.here
    fields, at = here.fields, here.at
    if strike.along:
        return strike.value * system.active.measures[strike.along].rate(at, fields)[0, 1:, 0]
    total = np.zeros(system.tree.count)
    for vector, is_angular in ((strike.impulse, False), (strike.angular, True)):
        if vector is not None:
            total = total + system.active.load(strike.place, list(vector), is_angular, at, fields)[0, 1:]
            if strike.against:
                total = total - _opposite(system, strike, vector, is_angular)
    return total


def _opposite(system: ChainSystem, strike: Strike, vector: np.ndarray, is_angular: bool) -> np.ndarray:
    """The same impulse on the other body, at the point of space at which it strikes."""
    here, active = system.here, system.active
    fields, at = here.fields, here.at
    body, other = (body_of(system.description, name) for name in (strike.place["body"], strike.against))
    ground = active.in_ground_axes(strike.place, np.asarray(vector), at)[0, 0]
    if is_angular:
        return dot(ground, fields.w[0, 1:, other])
    point = at.r[0, 0, body] + at.R[0, 0, body] @ active.arm(strike.place)
    return dot(ground, fields.v[0, 1:, other] + cross(fields.w[0, 1:, other], point - at.r[0, 0, other]))
