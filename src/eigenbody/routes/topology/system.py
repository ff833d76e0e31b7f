"""Oscillatory equations of a model by constraint-topology transformation: E'' = B''^T B'^T E B' B'' (Eq. 60)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.model.description import Description
from eigenbody.routes.base import Place
from eigenbody.routes.deflections import Deflection
from eigenbody.routes.drawing import Poses, ends, is_lone_point, poses_of
from eigenbody.routes.topology.constraints import (
    Topology,
    cut_joint_matrix,
    cut_rows,
    open_loop_matrix,
    topology_of,
)
from eigenbody.routes.topology.elements import Load, Spring, combinations, held, loads, springs
from eigenbody.routes.topology.geometric import Pull, geometric_stiffness, gradients, wrenches
from eigenbody.routes.topology.transforms import to_frame, to_point

BALANCED = 1e-8  # unbalanced forces relative to all forces: beyond it the place is no equilibrium


@dataclass(frozen=True, eq=False)
class Oscillations:
    """The model at its place, at rest: matrices of the free system, of the open-loop and of the closed-loop system."""

    description: Description
    place: Place

    @cached_property
    def at(self) -> Poses:
        """Poses of all bodies."""
        return poses_of(self.place)

    @cached_property
    def springs(self) -> tuple[Spring, ...]:
        """All spatial spring-dampers."""
        return tuple(springs(self.description, self.place, self.at))

    @cached_property
    def loads(self) -> tuple[Load, ...]:
        """All constant forces and torques, gravity among them."""
        bodies, g = self.description.bodies, np.asarray(self.description.gravity, dtype=float)
        weights = [Load(i, np.zeros(3), float(m) * g, False, False) for i, m in enumerate(bodies.mass)]
        return (*(weights if np.any(g) else ()), *loads(self.description))

    # ---- the free system, section 3.1

    @cached_property
    def M(self) -> np.ndarray:
        """Masses and inertias (6n, 6n), Eqs. 1 and 2."""
        bodies = self.description.bodies
        n = len(bodies)
        blocks = np.zeros((n, 6, 6))
        blocks[:, range(3), range(3)] = bodies.mass[:, None]
        blocks[:, 3:, 3:] = self.place.R @ bodies.inertia @ np.swapaxes(self.place.R, 1, 2)
        return _block_diagonal(blocks)

    @cached_property
    def K(self) -> np.ndarray:
        """Stiffness of all springs on free bodies (6n, 6n), Eqs. 25, 26, 31."""
        return self.assembled({spring.name: spring.k for spring in self.springs})

    @cached_property
    def C(self) -> np.ndarray:
        """Damping likewise."""
        return self.assembled({spring.name: spring.c for spring in self.springs})

    def assembled(self, values: dict[str, np.ndarray]) -> np.ndarray:
        """E (6n, 6n) from the matrices E^u of some spring-dampers; the others count as virtual ones with zero."""
        n = len(self.description.bodies)
        E = np.zeros((n + 1, 6, n + 1, 6))  # ground is the last and is dropped
        for spring in self.springs:
            if spring.name not in values:
                continue
            i, j = spring.bodies
            own = spring.N.T @ values[spring.name] @ spring.N
            ends = {b: to_frame(spring.axes) @ to_point(spring.point - self.at.r[b]) for b in (i, j)}
            E[i, :, i] += ends[i].T @ own @ ends[i]
            E[j, :, j] += ends[j].T @ own @ ends[j]
            E[i, :, j] -= ends[i].T @ own @ ends[j]
            E[j, :, i] -= ends[j].T @ own @ ends[i]
        return E[:n, :, :n].reshape(6 * n, 6 * n)

    # ---- constraints, sections 3.2 and 3.3

    @cached_property
    def topology(self) -> Topology:
        """Which joints span the tree and which are cut."""
        return topology_of(self.description, self.at)

    @cached_property
    def B1(self) -> np.ndarray:
        """The open-loop constraint matrix B' (6n, n')."""
        return open_loop_matrix(self.description, self.topology, self.at)

    @cached_property
    def rows(self) -> np.ndarray:
        """Rows of cut joints and transmissions on q' (m, n'); rotations of lone point masses are held, too."""
        rows = cut_rows(self.description, self.topology, self.at, self.B1)
        return np.concatenate([rows, *(self.B1[6 * body + 3 : 6 * body + 6] for body in self.lone)])

    @cached_property
    def lone(self) -> tuple[int, ...]:
        """Point masses that nothing carries."""
        return tuple(b for b in self.topology.floating if is_lone_point(self.description, b))

    @cached_property
    def _cut(self) -> tuple[np.ndarray, np.ndarray, int]:
        return cut_joint_matrix(self.rows, self.B1.shape[1])

    @property
    def B2(self) -> np.ndarray:
        """The cut-joint constraint matrix B'' (n', n'')."""
        return self._cut[0]

    @property
    def independent(self) -> np.ndarray:
        """Which displacements of the tree (n'',) are the independent ones."""
        return self._cut[1]

    @property
    def redundant(self) -> int:
        """Number of redundant rows among those of cut joints and transmissions."""
        return self._cut[2]

    @cached_property
    def B(self) -> np.ndarray:
        """B' B'' (6n, n''): displacements of all bodies from the independent ones, Eq. 58."""
        return self.B1 @ self.B2

    def reduced(self, E: np.ndarray) -> np.ndarray:
        """E'' = B''^T B'^T E B' B'', Eq. 60."""
        return self.B2.T @ (self.B1.T @ E @ self.B1) @ self.B2

    # ---- what the formulation leaves out

    @cached_property
    def forces(self) -> np.ndarray:
        """Forces and torques (6n,) of springs and loads on the bodies where they stand."""
        return -self._wrenches([Pull(s.deflection, s.tension) for s in self.springs], self.loads)

    def _wrenches(self, pulls: list[Pull], given: tuple[Load, ...]) -> np.ndarray:
        here = Poses(self.at.r[None, None], self.at.R[None, None])
        return wrenches(pulls, given, here, len(self.description.bodies))[0]

    @cached_property
    def unbalanced(self) -> float:
        """Forces along the free motions relative to all forces (and to the rounding of stiff springs): zero at rest."""
        parts = [self._wrenches([Pull(s.deflection, s.tension)], ()) for s in self.springs]
        parts += [self._wrenches([], (load,)) for load in self.loads]
        size = sum((np.abs(self.B).T @ np.abs(part) for part in parts), np.zeros(self.B.shape[1]))
        rounding = 1e-4 * np.abs(self.reduced(self.K)).max(initial=0.0)  # of deflections of 1e-12
        left = np.abs(self.B.T @ self.forces)
        return float(left.max(initial=0.0) / max(size.max(initial=0.0), rounding, np.finfo(float).tiny))

    @cached_property
    def pulls(self) -> tuple[Pull, ...]:
        """All tensions: those of the springs and the multipliers of the constraints that balance them."""
        active = [Pull(spring.deflection, spring.tension) for spring in self.springs]
        held_now = self._held()
        sums = list(combinations(self.description, self.place))
        if not held_now and not sums:
            return tuple(active)
        here = Poses(self.at.r[None], self.at.R[None])
        columns = [self._column(deflection, here) for deflection in held_now]
        columns += [np.sum([factor * self._column(part, here) for factor, part in terms], axis=0) for terms in sums]
        multipliers = np.linalg.lstsq(np.hstack(columns), self.forces, rcond=1e-12)[0]
        start = 0
        for deflection, column in zip(held_now, columns, strict=False):
            active.append(Pull(deflection, multipliers[start : start + column.shape[1]]))
            start += column.shape[1]
        for terms, value in zip(sums, multipliers[start:], strict=True):
            active += [Pull(part, np.array([factor * value])) for factor, part in terms]
        return tuple(active)

    def _held(self) -> list[Deflection]:
        found = (held(joint, *ends(self.description, joint)) for joint in self.description.joints)
        return [deflection for deflection in found if deflection is not None]

    def _column(self, deflection: Deflection, here: Poses) -> np.ndarray:
        """Gradient (6n, m) of a deflection by the displacements of all bodies."""
        bodies, gradient = gradients(deflection, here)
        out = np.zeros((len(self.description.bodies), 6, gradient.shape[-1]))
        out[list(bodies)] = gradient.reshape(len(bodies), 6, -1)
        return out.reshape(-1, gradient.shape[-1])

    @cached_property
    def neglected(self) -> np.ndarray:
        """The geometric stiffness (n'', n'') that the formulation leaves out."""
        return geometric_stiffness(self.pulls, self.loads, self.at, self.B)

    @property
    def is_exact(self) -> bool:
        """Whether the neglected term is zero but for rounding."""
        tension = max((float(np.abs(p.tension).max(initial=0.0)) for p in self.pulls), default=0.0)
        force = max((float(np.abs(load.value).max(initial=0.0)) for load in self.loads), default=0.0)
        reach = 1.0 + float(np.abs(self.B).max(initial=0.0))
        stiff = float(np.abs(self.reduced(self.K)).max(initial=0.0))
        return bool(np.abs(self.neglected).max(initial=0.0) <= 1e-13 * (reach**2 * max(tension, force) + stiff))

    def matrices(self, geometric: bool = False) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M'', C'', K'' (n'', n''); with `geometric`, the neglected term is added to K''."""
        M, C, K = (self.reduced(E) for E in (self.M, self.C, self.K))
        return M, C, K + self.neglected if geometric else K


def _block_diagonal(blocks: np.ndarray) -> np.ndarray:
    n = len(blocks)
    out = np.zeros((n, 6, n, 6))
    out[range(n), :, range(n)] = blocks
    return out.reshape(6 * n, 6 * n)
