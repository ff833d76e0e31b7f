"""Energy and momentum of the whole mechanism."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.dynamics.armature import armature_parts
from eigenbody.dynamics.flexible import flexible_parts
from eigenbody.spatial.rotations import apply, cross, dot
from eigenbody.system.state import State
from eigenbody.system.system import System


@dataclass(frozen=True, eq=False)
class Momentum:
    """Kinetic energy in J, linear momentum in kg*m/s, angular momentum about the origin of ground in kg*m^2/s."""

    energy: float
    linear: np.ndarray
    angular: np.ndarray

    def as_dict(self) -> dict[str, Any]:
        lists = {"linear": (self.linear + 0.0).tolist(), "angular": (self.angular + 0.0).tolist()}
        return {"kinetic_energy": self.energy, **lists}


def momentum(system: System, state: State) -> Momentum:
    """Kinetic energy, linear momentum and angular momentum about the origin of ground."""
    m, spin = system.mass, apply(system.inertia, state.w)
    energy = 0.5 * float((m * dot(state.v, state.v)).sum() + dot(state.w, spin).sum())
    for part in flexible_parts(system, state):
        energy += float(part.energy().sum())
        spin[part.batch.frame] += part.momentum
    for armature in armature_parts(system, state):  # it acts between the bodies: their momentum is that of both
        energy += float(armature.energy().sum())
    linear = m[:, None] * state.v
    angular = cross(state.r, linear) + apply(state.R, spin)
    return Momentum(energy, linear.sum(axis=0), angular.sum(axis=0))
