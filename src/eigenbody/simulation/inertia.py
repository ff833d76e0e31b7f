"""Mass matrix and the forces of a system's own inertia and weight, at one state after another.

M of rigid bodies is constant; flexible bodies and armatures change it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from eigenbody.dynamics.flexible import FlexibleInertia
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.numerics.matrices.assembly import Triplets, join
from eigenbody.numerics.matrices.linear import matrix
from eigenbody.simulation.saddle import MassMetric, ScaledMass
from eigenbody.spatial.rotations import apply, cross
from eigenbody.system.state import State
from eigenbody.system.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Inertia:
    """At a state: M (nq, nq), dense or sparse, and weight less gyroscopic moments (nq,)."""

    mass: Any
    force: np.ndarray


class Inertias:
    """Inertia of a system, by NumPy or by compiled `loops`."""

    def __init__(self, system: System, is_sparse: bool) -> None:
        self.system, self._is_sparse = system, is_sparse
        self.varies = bool(system.flexible) or system.armature is not None
        self._weight = Mechanics(system, system.reference_state()).weight()
        self._bodies = np.array(system.mass, order="C"), np.array(system.inertia, order="C")  # for compiled loops
        self._dof, n = np.where(system.dof < 0, system.nq, system.dof)[: system.bodies], system.bodies
        self._is_plain = bool(np.array_equal(self._dof.ravel(), np.arange(6 * n)))

    def spread(self, u: np.ndarray) -> np.ndarray:
        """(nq,) -> (bodies, 6)."""
        if self._is_plain:
            return u.reshape(-1, 6)
        padded = np.zeros(len(u) + 1)
        padded[:-1] = u
        return padded.take(self._dof)

    def collect(self, both: np.ndarray) -> np.ndarray:
        """(bodies, 6) -> (nq,)."""
        return both.reshape(-1) if self._is_plain else both.reshape(-1)[self.system.body_columns]

    # Constant parts ---------------------------------------------------------------------------------------------------
    @cached_property
    def _straight_entries(self) -> Triplets:
        """Entries of M of bodies without bending."""
        return join(Mechanics(self.system, self.system.reference_state()).mass())

    @cached_property
    def straight(self) -> Any:
        """M of bodies without bending."""
        return self._assembled(self._straight_entries)

    def _assembled(self, entries: Triplets) -> Any:
        return matrix([entries], (self.system.nq, self.system.nq), self._is_sparse)

    @cached_property
    def metric(self) -> MassMetric | None:
        """Factor of a positive definite M."""
        values = np.linalg.eigvalsh(self.straight / _unit(self.straight))
        return MassMetric(self.straight) if values.min(initial=1.0) > 1e-12 else None

    @cached_property
    def scaled(self) -> ScaledMass:
        """M of bodies without bending, scaled."""
        return ScaledMass(self.straight)

    # At a state -------------------------------------------------------------------------------------------------------
    def entries(self, state: State) -> Triplets:
        """Entries of M."""
        return join(Mechanics(self.system, state).mass()) if self.varies else self._straight_entries

    def mass(self, state: State) -> Any:
        """M."""
        return self._assembled(self.entries(state)) if self.varies else self.straight

    def at(self, state: State, loops: ModuleType | None) -> Inertia:
        """M and the forces; M of a large system that bends is left out: its entries go where they belong one by one."""
        if not self.varies:
            return Inertia(self.straight, self._turning(state, loops))
        if loops is None or self._is_sparse or self.system.armature is not None:
            mechanics = Mechanics(self.system, state)
            mass = None if self._is_sparse else self._assembled(join(mechanics.mass()))
            return Inertia(mass, self._weight - mechanics.gyroscopic())
        mass, bent = self.straight.copy(), np.zeros(self.system.nq)
        r, v = (np.ascontiguousarray(part).reshape(-1) for part in (state.r, state.v))
        for frame, modal, columns, *shape in self._bending:
            loops.bent_inertia(columns, *shape, r[modal], v[modal], state.w[frame], mass, bent)
        return Inertia(mass, self._turning(state, loops) - bent)

    def of_many(self, states: State, loops: ModuleType | None) -> tuple[np.ndarray, np.ndarray]:
        """M (n, nq, nq) and the forces (n, nq) at n states of a system that is not large."""
        n = len(states.r)
        mass = np.repeat(self.straight[None], n, axis=0)
        if self.varies and (loops is None or self.system.armature is not None):
            found = [self.at(replace(states, r=r, R=R, v=v, w=w), loops)
                     for r, R, v, w in zip(states.r, states.R, states.v, states.w, strict=True)]  # fmt: skip
            return np.array([own.mass for own in found]), np.array([own.force for own in found])
        turning = np.zeros((n, self.system.bodies, 6))
        turning[..., 3:] = cross(apply(self.system.inertia, states.w), states.w)
        force = turning.reshape(n, -1)[:, self.system.body_columns] + self._weight
        if self.varies:
            bent, r, v = np.zeros_like(force), states.r.reshape(n, -1), states.v.reshape(n, -1)
            for frame, modal, columns, *shape in self._bending:
                eta, rate, w = r[:, modal], v[:, modal], np.ascontiguousarray(states.w[:, frame])
                for k in range(n):
                    loops.bent_inertia(columns, *shape, eta[k], rate[k], w[k], mass[k], bent[k])  # type: ignore[union-attr]
            force = force - bent
        return mass, force

    @cached_property
    def _bending(self) -> list[tuple[Any, ...]]:
        """Of each flexible body: frame, places and columns of its coordinates, J1, J2, b."""
        found: list[tuple[Any, ...]] = []
        for batch in self.system.flexible:
            columns = FlexibleInertia(self.system, batch, self.system.reference_state()).columns
            shapes = [np.broadcast_to(part, (len(columns), *part.shape[1:])) for part in (batch.J1, batch.J2, batch.b)]
            for n, frame in enumerate(batch.frame):
                own = (np.ascontiguousarray(np.real(shape[n])) for shape in shapes)
                found.append((int(frame), batch.modal[n], np.ascontiguousarray(columns[n]), *own))
        return found

    def _turning(self, state: State, loops: ModuleType | None) -> np.ndarray:
        """Weight and gyroscopic moments of rigid bodies (nq,)."""
        if loops is not None:
            none = np.zeros((self.system.bodies, 6))
            return self._weight - self.collect(loops.inertial(*self._bodies, none, np.ascontiguousarray(state.w)))
        out = np.zeros((self.system.bodies, 6))
        out[:, 3:] = cross((self.system.inertia @ state.w[..., None])[..., 0], state.w)
        return self.collect(out) + self._weight

    def times(self, state: State, rate: np.ndarray, loops: ModuleType | None) -> np.ndarray:
        """M u' + h less the weight (nq,)."""
        if loops is None or self.varies:
            now = self.at(state, loops)
            return (self.mass(state) if now.mass is None else now.mass) @ rate - now.force
        own = loops.inertial(*self._bodies, self.spread(rate), np.ascontiguousarray(state.w))
        return self.collect(own) - self._weight


def _unit(M: np.ndarray) -> np.ndarray:
    size = np.sqrt(np.diagonal(M))
    safe = np.where(size > 0, size, 1.0)
    return safe * safe[:, None]
