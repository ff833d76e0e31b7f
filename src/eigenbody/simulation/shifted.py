"""Factors of s I - J with the Jacobian J of forward dynamics (`tangents`): dense, or of sparse equations.

A large J itself is full: accelerations depend on everything through the constraints. Its factors are those of

    (s - W) d - u                               = b1            d' = u + W d
    K d + (C + s M) u + H^T l - X x - Z z       = M b2          u' = s u - b2
    gamma_q d + (gamma_u + s H) u               = H b2
    (s - x_x) x - x_q d - ...                   = b3            x' = s x - b3
    (1 - z_z) z - z_q d - ...                   = 0             what forces read of accelerations and reactions

with multipliers l and algebraic variables z beside the unknowns d, u, x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.rows import Rows, algebraic_rows, rate_rows_of
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.numerics.matrices.assembly import Triplets
from eigenbody.numerics.matrices.linear import DenseFactor, SparseFactor, matrix
from eigenbody.simulation.forward import Evaluation, Forward
from eigenbody.simulation.tangents import held_matrix, jacobian
from eigenbody.spatial.rotations import skew
from eigenbody.system.state import State

Solve = Callable[[np.ndarray], np.ndarray]


class DenseShifts:
    """J as an array."""

    def __init__(self, forward: Forward, state: State, now: Evaluation) -> None:
        self._J = jacobian(forward, state, now)

    def factored(self, s: complex) -> Solve:
        """(s I - J)^-1."""
        return DenseFactor(s * np.eye(len(self._J)) - self._J).solve


class SparseShifts:
    """The equations that J is made of."""

    def __init__(self, forward: Forward, state: State, now: Evaluation) -> None:
        system, n = forward.system, forward.nq
        mechanics = Mechanics(system, now.on(state), now.acceleration)
        loads = Multipliers.of(system, forward.chosen, now.multipliers)
        self._sizes = (n, n, len(now.multipliers), len(system.states), len(system.algebraic))
        self._M, self._H = forward.mass(state), held_matrix(forward, mechanics, "gradient")
        self._K = matrix(mechanics.stiffness(loads.held, loads.slip), (n, n), True)
        self._C = matrix(mechanics.damping(), (n, n), True)
        self._by_q, self._by_u = (held_matrix(forward, mechanics, f"acceleration_{what}") for what in "qu")
        dof = np.where(system.dof < 0, n, system.dof)[: system.bodies, 3:]
        self._W = matrix([Triplets.of_blocks(dof, dof, -0.5 * skew(state.w))], (n, n), True)
        self._X = matrix(mechanics.applied.state_matrix(), (n, len(system.states)), True)
        self._Z = matrix(mechanics.applied.algebraic_matrix(), (n, len(system.algebraic)), True)
        self._rates = rate_rows_of(mechanics, loads, forward.chosen, True)
        self._read = algebraic_rows(mechanics, loads, forward.chosen, True)

    def factored(self, s: complex) -> Solve:
        """(s I - J)^-1."""
        from scipy.sparse import block_array, eye_array

        n, _, rows, states, read = self._sizes
        whole = block_array(
            [
                [s * eye_array(n) - self._W, -eye_array(n), None, None, None],
                [self._K, self._C + s * self._M, self._H.T, -self._X, -self._Z],
                [self._by_q, self._by_u + s * self._H, None, None, None],
                [*_of_motion(self._rates, s), s * eye_array(states) - self._rates.x, -self._rates.z],
                [*_of_motion(self._read, s), -self._read.x, eye_array(read) - self._read.z],
            ],
            format="csc",
        )
        factor, is_complex = SparseFactor(whole), isinstance(s, complex)

        def solve(b: np.ndarray) -> np.ndarray:
            b1, b2, b3 = np.split(b, (n, 2 * n))
            right = (b1, self._M @ b2, self._H @ b2, b3 - self._rates.a @ b2, -(self._read.a @ b2))
            found = factor.solve(np.concatenate(right).astype(complex if is_complex else float, copy=False))
            return np.concatenate((found[: 2 * n], found[2 * n + rows : 2 * n + rows + states]))

        return solve


def _of_motion(rows: Rows, s: complex) -> tuple[Any, Any, Any]:
    """Columns of d, u and l, with u' = s u."""
    return -rows.q, -(rows.u + s * rows.a), -rows.multipliers


def shifts(forward: Forward, state: State, now: Evaluation) -> DenseShifts | SparseShifts:
    """J at a state, dense or sparse as the system is."""
    return (SparseShifts if forward.is_sparse else DenseShifts)(forward, state, now)
