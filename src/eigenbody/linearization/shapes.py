"""Motion of all bodies by linear state and input, and what signals read of it.

Forces that read algebraic variables z (second rates, reactions, forces of elements) close a loop: with z as further
inputs the equations are those of any mechanism, z = C_z [S, W, x] + D_in in + D_z z, so that

    z = (I - D_z)^-1 (C_z [S, W, x] + D_in in)        C <- C - B_z z_W,   K <- K - B_z z_S

(docs/theory/algebraic.md).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.arrays import as_dense
from eigenbody.linearization.model import motion_by_state
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.rows import Rows, algebraic_rows
from eigenbody.linearization.tangents import Tangents
from eigenbody.linearization.variations import Variations
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.matrices.linear import beside, factor
from eigenbody.numerics.matrices.noise import EPS

ROUNDED = 64  # units in the last place of what the loop feeds back


class Shapes:
    """dq, du, du' and multipliers = (.) [S, W, x] + (.) in, from M W' + C W + K S = X x + B in + B_z z."""

    def __init__(
        self, point: OperatingPoint, frame: MotionFrame, motion: Variations, tangents: Tangents,
        M: np.ndarray, C: np.ndarray, K: np.ndarray,
    ) -> None:  # fmt: skip
        nS, nW, system = frame.positions.count, frame.speeds.count, frame.system
        nx, nu, nz = len(system.states), len(system.inputs), len(system.algebraic)
        self._point, self._frame, self._motion, self._tangents = point, frame, motion, tangents
        self.nS, self.nW, self.nx, self.nu, self.nz = nS, nW, nx, nu, nz
        # W' by [S, W, x | in, z]
        right = beside([-K, -C, *(frame.Pv.mT @ force for force in (tangents.X, tangents.B, tangents.Q_z))])
        self.open_rates = factor(M).solve(right) if nW else np.zeros((0, nS + nW + nx + nu + nz))

    @cached_property
    def q(self) -> np.ndarray:
        """dq by linear state."""
        return motion_by_state(self._frame.P, self.nW + self.nx)

    @cached_property
    def u(self) -> np.ndarray:
        """du by linear state."""
        return motion_by_state(beside([self._motion.D, self._frame.Pv]), self.nx)

    # With z as inputs: (.) [S, W, x | in, z] ----------------------------------------------------------------------
    @cached_property
    def _open_a(self) -> np.ndarray:
        own = motion_by_state(beside([self._motion.A_S, self._motion.A_W]), self.nx + self.nu + self.nz)
        return self._frame.Pv @ self.open_rates + own

    @cached_property
    def _open_multipliers(self) -> np.ndarray:
        """From G^T dlambda + N^T dmu = -(M du' + C du + K dq - X dx - B din - Q_z dz)."""
        t, first = self._tangents, self.nS + self.nW
        moving = beside([t.C @ self.u + t.K @ self.q, np.zeros((self.q.shape[-2], self.nu + self.nz))])
        left = t.M @ self._open_a + moving - beside([np.zeros((self.q.shape[-2], first)), t.X, t.B, t.Q_z])
        held = len(self._frame.chosen.rows) + len(self._frame.chosen.slip_rows)
        return -self._frame.at_velocity.solve_transposed(left)[..., :held, :]

    def open_through(self, rows: Rows) -> np.ndarray:
        """Derivative of what rows read by [S, W, x | in, z]."""
        by_state = rows.q @ self.q + rows.u @ self.u
        count = by_state.shape[-2]
        direct = [as_dense(part) for part in (rows.x, rows.inputs, rows.z)]
        full = beside([np.zeros((count, self.nS + self.nW)), *direct])
        full = full + beside([by_state, np.zeros((count, self.nu + self.nz))])
        if _any(rows.a):
            full = full + rows.a @ self._open_a
        return full + rows.multipliers @ self._open_multipliers if _any(rows.multipliers) else full

    # The loop closed: (.) [S, W, x | in] --------------------------------------------------------------------------
    @cached_property
    def z(self) -> np.ndarray:
        """Algebraic variables by linear state and input."""
        point, frame = self._point, self._frame
        full = self.open_through(algebraic_rows(point.mechanics, point.motion, frame.chosen, frame.is_sparse))
        by, loop = full[..., : full.shape[-1] - self.nz], full[..., full.shape[-1] - self.nz :]
        return np.linalg.solve(np.eye(self.nz) - loop, by)

    def closed(self, full: np.ndarray) -> np.ndarray:
        """(.) [S, W, x | in] of (.) [S, W, x | in, z]."""
        if not self.nz:
            return full
        n = full.shape[-1] - self.nz
        return full[..., :n] + full[..., n:] @ self.z

    @cached_property
    def rates(self) -> np.ndarray:
        """W' by linear state and input."""
        return self.closed(self.open_rates)

    @cached_property
    def a(self) -> np.ndarray:
        """du' by linear state and input."""
        return self.closed(self._open_a)

    @cached_property
    def multipliers(self) -> np.ndarray:
        """Change of the independent multipliers by linear state and input."""
        return self.closed(self._open_multipliers)

    def _fed(self, of_speeds: bool) -> tuple[np.ndarray, np.ndarray]:
        part = slice(self.nS, self.nS + self.nW) if of_speeds else slice(0, self.nS)
        return self._frame.Pv.mT @ self._tangents.Q_z, self.z[..., part]

    def fed_back(self, of_speeds: bool = False) -> np.ndarray:
        """B_z z_S, or B_z z_W: forces along the velocity coordinates by what they read of the motion."""
        B_z, z = self._fed(of_speeds)
        return B_z @ z

    def noise(self, of_speeds: bool = False) -> np.ndarray:
        """Rounding error to expect in these."""
        B_z, z = self._fed(of_speeds)
        return ROUNDED * EPS * (np.abs(B_z) @ np.abs(z))


def through(rows: Rows, shapes: Shapes) -> np.ndarray:
    """Derivative of what rows read by [S, W, x | in]."""
    return shapes.closed(shapes.open_through(rows))


def _any(matrix: Any) -> bool:
    return bool(np.any(matrix)) if isinstance(matrix, np.ndarray) else bool(matrix.nnz)
