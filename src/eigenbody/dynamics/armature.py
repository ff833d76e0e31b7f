"""Armature: inertia on the rate of a joint coordinate itself, as that of a motor's rotor seen through its gear.

A coordinate s(q) with armature a has the kinetic energy 1/2 a s'^2 beside that of the bodies, and so the force

    F = a s'' ds/dq,     s'' = g u' + s''(u' = 0)

with g = ds/dq: a g^T g in the mass matrix, and what the curvature of s adds.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from eigenbody.dynamics.constraints import bent, pull_back
from eigenbody.elements.measures.features import Carriers
from eigenbody.numerics.matrices.assembly import Triplets
from eigenbody.system.armature import Armature
from eigenbody.system.state import State, carriers
from eigenbody.system.system import System


class ArmatureInertia:
    """All armatures at a state; `at` has the accelerations that `stiffness` and `gyroscopic` are told."""

    def __init__(
        self, system: System, armature: Armature, state: State, at: Carriers, acceleration: np.ndarray
    ) -> None:
        self._nq, self._measures, self.armature = system.nq, armature.measures, armature
        self.jet = armature.measures.jet(at, state.turns)
        self._acceleration = acceleration

    def _along(self, u: np.ndarray) -> np.ndarray:
        """g u (..., n)."""
        padded = np.concatenate((u, np.zeros((*u.shape[:-1], 1), dtype=u.dtype)), axis=-1)
        return (self.jet.gradient * padded[..., self._measures.columns]).sum(axis=-1)

    def _pulled(self, momentum: np.ndarray) -> np.ndarray:
        return pull_back(self._measures, self.jet.gradient, momentum, self._nq)

    @cached_property
    def _own(self) -> np.ndarray:
        """s'' without u' (..., n)."""
        return self.jet.acceleration - self._along(self._acceleration)

    # Forces -------------------------------------------------------------------------------------------------------
    def inertia_times(self, u: np.ndarray) -> np.ndarray:
        """a g^T g u (..., nq)."""
        return self._pulled(self.armature.inertia * self._along(u))

    def gyroscopic(self) -> np.ndarray:
        """What is left of F without accelerations (..., nq)."""
        return self._pulled(self.armature.inertia * self._own)

    def energy(self) -> np.ndarray:
        """1/2 a s'^2 (..., n)."""
        return 0.5 * self.armature.inertia * self.jet.rate**2

    # Tangents -----------------------------------------------------------------------------------------------------
    def mass(self) -> Triplets:
        """a g^T g."""
        return self._outer(self.jet.gradient)

    def damping(self) -> Triplets:
        """dF/du."""
        return self._outer(self.jet.acceleration_u)

    def stiffness(self) -> list[Triplets]:
        """dF/dq at the accelerations of the state."""
        inertia_force = self.armature.inertia * self.jet.acceleration
        return [self._outer(self.jet.acceleration_q), *bent(self._measures, self.jet, inertia_force)]

    def _outer(self, rows: np.ndarray) -> Triplets:
        """sum a g^T row."""
        columns, weighted = self._measures.columns, self.armature.inertia[..., None] * self.jet.gradient
        return Triplets.of_blocks(columns, columns, weighted[..., :, None] * rows[..., None, :])


def armature_parts(
    system: System, state: State, at: Carriers | None = None, acceleration: np.ndarray | None = None
) -> list[ArmatureInertia]:
    """The armatures of a system at a state, nothing where it has none; by default without accelerations."""
    if system.armature is None:
        return []
    if at is None or acceleration is None:
        at, acceleration = carriers(system, state), np.zeros((*state.r.shape[:-2], system.nq))
    return [ArmatureInertia(system, system.armature, state, at, acceleration)]
