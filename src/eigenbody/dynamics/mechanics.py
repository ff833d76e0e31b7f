"""Residual of the equations of motion and its exact tangents at one state (or many, by leading axes).

    F = M u' + h(q, u) - Q(q, u, x, t, in) + G^T lambda + N^T mu

u = (v, w): v global, w in body axes, so the mass matrix of rigid bodies is constant and h = w x J w;
flexible bodies add theirs (dynamics/flexible.py), armatures theirs (dynamics/armature.py).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from eigenbody.base.copies import LeanCopies
from eigenbody.dynamics.algebraic import AlgebraicVariables
from eigenbody.dynamics.armature import ArmatureInertia, armature_parts
from eigenbody.dynamics.constraints import Holonomic, NonHolonomic, pull_back
from eigenbody.dynamics.flexible import FlexibleInertia, flexible_parts
from eigenbody.dynamics.forces import AppliedForces, BlindForces
from eigenbody.elements.measures.features import Carriers
from eigenbody.numerics.matrices.assembly import Part, Triplets
from eigenbody.spatial.rotations import apply, cross, skew
from eigenbody.system.state import State, carriers, collect, spread
from eigenbody.system.system import System

KEPT = 6000  # coordinates of bodies up to which mechanics with accelerations keep those without


class Mechanics(LeanCopies):
    """Everything about a mechanism at a state; parts are computed when asked for."""

    def __init__(
        self,
        system: System,
        state: State,
        acceleration: np.ndarray | None = None,
        same: Mechanics | None = None,
        still: Mechanics | None = None,
    ) -> None:
        """`same` is in the same motion but for its algebraic variables, `still` in the same state but for its
        accelerations: what they have evaluated serves here too."""
        self.system = system
        self.state = state
        self.acceleration = np.zeros((*state.r.shape[:-2], system.nq)) if acceleration is None else acceleration
        self._same, self._still = same, still

    def accelerated(self, acceleration: np.ndarray) -> Mechanics:
        """The same in the same state with these accelerations (..., nq)."""
        if self._same is not None or self.system.nq > KEPT or acceleration.shape[:-1] != self.state.v.shape[:-2]:
            return Mechanics(self.system, self.state, acceleration)
        return Mechanics(self.system, self.state, acceleration, still=self._still or self)

    def with_algebraic(self, z: np.ndarray) -> Mechanics:
        """The same with other values of the algebraic variables (..., n)."""
        return Mechanics(self.system, replace(self.state, z=z), self.acceleration, self._same or self)

    @cached_property
    def at(self) -> Carriers:
        return carriers(self.system, self.state, self.acceleration) if self._same is None else self._same.at

    @cached_property
    def holonomic(self) -> Holonomic:
        if self._same is not None:
            return self._same.holonomic
        return Holonomic(self.system, self.at, self.state, None if self._still is None else self._still.holonomic)

    @cached_property
    def non_holonomic(self) -> NonHolonomic:
        return NonHolonomic(self.system, self.at, self.state) if self._same is None else self._same.non_holonomic

    @cached_property
    def flexible(self) -> list[FlexibleInertia]:
        return flexible_parts(self.system, self.state) if self._same is None else self._same.flexible

    @cached_property
    def armature(self) -> list[ArmatureInertia]:
        return armature_parts(self.system, self.state, self.at, self.acceleration)

    @cached_property
    def _further(self) -> list[FlexibleInertia | ArmatureInertia]:
        """Inertia beyond that of rigid bodies."""
        return [*self.flexible, *self.armature]

    @cached_property
    def applied(self) -> AppliedForces:
        if self._still is not None:
            return AppliedForces(self.system, self.at, self.state, self._still.applied.jet.accelerated(self.at))
        jet = None if self._same is None else self._same.applied.jet
        return AppliedForces(self.system, self.at, self.state, jet)

    def blind(self) -> Mechanics:
        """The same without forces that read algebraic variables."""
        return _BlindMechanics(self.system, self.state, self.acceleration, self._same or self)

    @cached_property
    def algebraic(self) -> AlgebraicVariables:
        """What the algebraic variables read here."""
        jets = self.holonomic.jet, self.non_holonomic.jet
        return AlgebraicVariables(self.system, self.at, *jets, self.applied)

    # Forces -------------------------------------------------------------------------------------------------------
    def inertia_times(self, u: np.ndarray) -> np.ndarray:
        """M u (..., nq)."""
        system = self.system
        if not u.any():
            return np.zeros_like(u)
        both = spread(system, u)
        rigid = collect(system, system.mass[..., None] * both[..., :3], apply(system.inertia, both[..., 3:]))
        return sum((part.inertia_times(u) for part in self._further), start=rigid)

    def gyroscopic(self) -> np.ndarray:
        """h = w x J w (..., nq), and what bending adds to it."""
        w = self.state.w
        rigid = np.zeros((*w.shape[:-2], self.system.nq))
        if w.any():
            turn = cross(w, apply(self.system.inertia, w))
            rigid = collect(self.system, np.zeros_like(turn), turn)
        return sum((part.gyroscopic() for part in self._further), start=rigid)

    def weight(self) -> np.ndarray:
        """Gravity (..., nq)."""
        pull = self.system.mass[..., None] * self.system.gravity[..., None, :]
        return collect(self.system, pull, np.zeros_like(pull))

    @cached_property
    def driving(self) -> np.ndarray:
        """Q - h (..., nq): all forces but inertia and constraints."""
        if self._still is not None:
            return self._still.driving
        return self.applied.generalized() + self.weight() - self.gyroscopic()

    def residual(self, multipliers: np.ndarray, slip_multipliers: np.ndarray) -> np.ndarray:
        """F (..., nq)."""
        nq = self.system.nq
        out = self.inertia_times(self.acceleration) - self.driving + self.holonomic.force(multipliers, nq)
        if self.system.slips.count:
            out = out + self.non_holonomic.force(slip_multipliers, nq)
        return out

    def force_size(self, multipliers: np.ndarray, slip_multipliers: np.ndarray) -> np.ndarray:
        """Sum of the absolute contributions to F of weight, elements and constraints (nq,): what may cancel."""
        system = self.system
        parts = [
            (system.forces.measures, self.applied.jet, self.applied.tension),
            (system.constraints.measures, self.holonomic.jet, self.holonomic.along_measures(multipliers)),
            (system.slips, self.non_holonomic.jet, slip_multipliers),
        ]
        pulls = [pull_back(m, np.abs(jet.gradient), np.abs(force), system.nq) for m, jet, force in parts if m.count]
        return sum(pulls, start=np.abs(self.weight()))

    # Tangents -----------------------------------------------------------------------------------------------------
    def mass(self) -> list[Triplets]:
        """M."""
        system = self.system
        dof = np.where(system.dof < 0, system.nq, system.dof)[: system.bodies]
        linear = Triplets(dof[:, :3].ravel(), dof[:, :3].ravel(), np.repeat(system.mass, 3, axis=-1))
        rigid = [linear, Triplets.of_blocks(dof[:, 3:], dof[:, 3:], system.inertia)]
        return rigid + [part.mass() for part in self._further]

    def damping(self) -> list[Part]:
        """dF/du: gyroscopic matrix and dampers."""
        system, w = self.system, self.state.w
        parts = self.applied.damping()
        if w.any():
            dof = np.where(system.dof < 0, system.nq, system.dof)[: system.bodies, 3:]
            spin = skew(w) @ system.inertia - skew(apply(system.inertia, w))
            parts = [*parts, Triplets.of_blocks(dof, dof, spin)]
        return [*parts, *(part.damping() for part in self._further)]

    def stiffness(self, multipliers: np.ndarray, slip_multipliers: np.ndarray) -> list[Part]:
        """dF/dq at fixed u', lambda, mu."""
        parts = [*self.applied.stiffness(), *self.holonomic.stiffness(multipliers)]
        parts += [part.stiffness(self.acceleration) for part in self.flexible]
        parts += [triplets for part in self.armature for triplets in part.stiffness()]
        if self.system.slips.count:
            parts += self.non_holonomic.stiffness(slip_multipliers)
        return parts


class _BlindMechanics(Mechanics):
    """A mechanism without the forces that read algebraic variables."""

    @cached_property
    def applied(self) -> AppliedForces:
        jet = None if self._same is None else self._same.applied.jet
        return BlindForces(self.system, self.at, self.state, jet)
