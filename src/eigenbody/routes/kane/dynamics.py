"""Kane's equations of a tree and what they answer: forward, inverse and mixed dynamics (Passerello & Huston, ch. III).

A_rj x_j'' = f_r + F_r                                                            (3.27)
A_rj = m_i V_ijk V_irk + I_ikn omega_ijn omega_irk                                (3.28)
f_r = -(m_i a_ik V_irk + I_ikn alpha_in omega_irk + e_nmk omega_in I_iml omega_il omega_irk)      (3.29, corrected)
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.model.description import Description
from eigenbody.routes.base import Place
from eigenbody.routes.kane.active import ActiveForces
from eigenbody.routes.kane.arrays import Arrays, arrays_at
from eigenbody.routes.kane.prescribed import Prescribed, prescribed_of
from eigenbody.routes.kane.tree import Tree, tree_of
from eigenbody.spatial.rotations import apply, cross

_SINGULAR = 1e-12  # reciprocal condition of the scaled mass matrix
_ENTRIES = 4_000_000  # of one array at once: states are handled in chunks


class Mixed(NamedTuple):
    """Accelerations (n,) of all coordinates and the forces (m,) that the prescribed rows need."""

    acceleration: np.ndarray
    force: np.ndarray


class ChainSystem:
    """A model as a general chain system: its charts at a place, its arrays, its equations of motion.

    Coordinates `x` (n,) are deviations from the place: turns and slides in the order of `tree.coordinates`.
    """

    def __init__(self, description: Description, place: Place) -> None:
        self.description, self.place = description, place
        self.tree: Tree = tree_of(description, place)
        self.active = ActiveForces(description, place)
        self.prescribed: Prescribed = prescribed_of(description, place, self.tree)

    @cached_property
    def speeds(self) -> np.ndarray:
        """Rates (n,) of the coordinates at the place, from the velocities of the bodies."""
        if self.place.is_at_rest:
            return np.zeros(self.tree.count)
        here = self.arrays(np.zeros((1, self.tree.count)), np.zeros((1, self.tree.count)))
        count = self.tree.count
        columns = np.concatenate([here.V[0, :, :-1].reshape(count, -1), here.W[0, :, :-1].reshape(count, -1)], axis=1)
        turning = apply(self.place.R, self.place.w)
        moving = np.concatenate([self.place.v.ravel(), turning.ravel()])
        return np.linalg.lstsq(columns.T, moving, rcond=None)[0]

    def arrays(self, x: np.ndarray, speeds: np.ndarray) -> Arrays:
        """Partial velocities and their rates at coordinates and speeds (b, n)."""
        return arrays_at(self.tree, len(self.description.bodies), x, speeds)

    # ---- the terms of the equations

    def mass(self, arrays: Arrays) -> np.ndarray:
        """A_rj (b, n, n), Eq. 3.28."""
        mass, inertia = self.description.bodies.mass, self._inertia(arrays)
        V, W = arrays.V[:, :, :-1], arrays.W[:, :, :-1]
        moment = np.einsum("bikn,bjin->bjik", inertia, W)
        return np.einsum("i,bjik,brik->brj", mass, V, V) + np.einsum("bjik,brik->brj", moment, W)

    def inertia_forces(self, arrays: Arrays, acceleration: np.ndarray | None = None) -> np.ndarray:
        """-F_r* (b, n), Eq. 3.26, with the given x'' (n,) or with none: then it is -f_r of Eq. 3.29."""
        a, alpha = arrays.a[:, :-1], arrays.alpha[:, :-1]
        V, W = arrays.V[:, :, :-1], arrays.W[:, :, :-1]
        if acceleration is not None:
            a = a + np.einsum("bjik,j->bik", V, acceleration)
            alpha = alpha + np.einsum("bjik,j->bik", W, acceleration)
        inertia, omega = self._inertia(arrays), arrays.omega[:, :-1]
        torque = apply(inertia, alpha) + cross(omega, apply(inertia, omega))
        force = self.description.bodies.mass[:, None] * a
        return np.einsum("bik,brik->br", force, V) + np.einsum("bik,brik->br", torque, W)

    def active_forces(self, arrays: Arrays, states: np.ndarray | None = None) -> np.ndarray:
        """F_r (b, n), external and internal; first-order states (b, m), else those of the place."""
        return self.active(arrays.at, arrays.fields(), self.place.x[None] if states is None else states)

    def _inertia(self, arrays: Arrays) -> np.ndarray:
        """Inertia tensors (b, N, 3, 3) in inertial axes, Eq. 3.24."""
        S = arrays.at.R[:, 0, :-1]
        return S @ self.description.bodies.inertia @ np.swapaxes(S, -1, -2)

    # ---- what they answer at the place

    @cached_property
    def here(self) -> Arrays:
        """The arrays at the place."""
        return self.arrays(np.zeros((1, self.tree.count)), self.speeds[None])

    def forward(self) -> np.ndarray:
        """Accelerations x'' (n,) of all coordinates under the model's forces, prescribed motions held."""
        return self.mixed(self.prescribed).acceleration

    def inverse(self, acceleration: np.ndarray) -> np.ndarray:
        """Forces (n,) along the coordinates that this motion needs beyond those of the model."""
        return (self.inertia_forces(self.here, acceleration) - self.active_forces(self.here))[0]

    def mixed(self, prescribed: Prescribed) -> Mixed:
        """Some accelerations given, the forces that they need unknown (3.30), (3.31)."""
        N, given = prescribed.free, prescribed.particular
        A = self.mass(self.here)[0]
        load = (self.active_forces(self.here) - self.inertia_forces(self.here))[0]
        reduced = N.T @ A @ N
        self._refuse_singular(reduced)
        acceleration = given + N @ np.linalg.solve(reduced, N.T @ (load - A @ given))
        if not len(prescribed.rows):
            return Mixed(acceleration, np.zeros(0))
        needed = A @ acceleration - load
        return Mixed(acceleration, np.linalg.lstsq(prescribed.rows.T, needed, rcond=None)[0])

    def _refuse_singular(self, A: np.ndarray) -> None:
        """1-2-3 angles at 90 degrees, or a freedom without inertia."""
        size = np.sqrt(np.abs(np.diag(A)))
        scaled = A / np.maximum(np.outer(size, size), np.finfo(float).tiny)
        if len(A) and (not np.all(size) or np.linalg.eigvalsh(scaled)[0] < _SINGULAR):
            worst = int(np.argmin(size)) if not np.all(size) else int(np.abs(np.linalg.eigh(scaled)[1][:, 0]).argmax())
            name = self.tree.coordinates[int(np.abs(self.prescribed.free[:, worst]).argmax())]
            raise ComputationError(
                f"kane: the mass matrix of the tree is singular: nothing with inertia moves along {name}. "
                "Give the body an inertia, or hold the coordinate."
            )

    def residual(self, x: np.ndarray, speeds: np.ndarray, states: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
        """A x'' - f - F and minus the rates of first-order states (b, n + m), at many states with the same x''."""
        count = max(1, _ENTRIES // (3 * (len(self.description.bodies) + 1) * max(1, self.tree.count)))
        parts = []
        for start in range(0, len(x), count):
            some = slice(start, start + count)
            arrays, inner = self.arrays(x[some], speeds[some]), states[some]
            balance = self.inertia_forces(arrays, acceleration) - self.active_forces(arrays, inner)
            parts.append(np.hstack([balance, -self.active.state_rates(arrays.at, arrays.fields(), inner)]))
        return np.concatenate(parts)
