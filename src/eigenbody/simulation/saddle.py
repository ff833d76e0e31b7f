"""[[M, G^T], [G, 0]] with a constant mass matrix M and rows G that change from state to state."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.linear import SparseFactor

DEPENDENT = 1e-6  # rows whose own share falls below this part of what it was are taken for dependent


class Solver(Protocol):
    """Solves M x + G^T y = f, G x = g; `weakest` is the smallest share of a row that no other row has."""

    weakest: float
    weakest_row: int

    def solve(self, f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...


class MassMetric:
    """M = L L^T prepared once: the inverse of L as a diagonal or as a matrix."""

    def __init__(self, M: np.ndarray) -> None:
        diagonal = np.diagonal(M)
        self.is_diagonal = not np.any(M - np.diag(diagonal))
        self.inverse = 1 / np.sqrt(diagonal) if self.is_diagonal else np.linalg.inv(np.linalg.cholesky(M))

    def down(self, f: np.ndarray) -> np.ndarray:
        """L^-1 f."""
        if self.is_diagonal:
            return (self.inverse * f.T).T
        return self.inverse @ f

    def up(self, f: np.ndarray) -> np.ndarray:
        """L^-T f."""
        return self.inverse * f if self.is_diagonal else self.inverse.T @ f


class DefiniteSaddle:
    """By the QR factors of L^-1 G^T; one correction makes the semi-normal equations as accurate as Q itself."""

    def __init__(self, metric: MassMetric, G: np.ndarray) -> None:
        from scipy.linalg import lapack

        self._metric = metric
        self._B = metric.down(G.T)
        qr, *_ = lapack.dgeqrf(self._B)
        m = len(G)
        self._R, self._trtrs = qr[:m], lapack.dtrtrs
        own, size = np.abs(np.diagonal(qr)), np.sqrt(np.einsum("ij,ij->j", self._B, self._B))
        share = own[:m] / np.where(size > 0, size, 1.0)
        self.weakest_row = int(np.argmin(share)) if m else -1
        self.weakest = float(share[self.weakest_row]) if m else 1.0

    def _normal(self, rhs: np.ndarray) -> np.ndarray:
        if self.weakest == 0.0:
            raise ComputationError("A constraint row depends on the others.")
        half = self._trtrs(self._R, rhs, trans=1)[0]
        return self._trtrs(self._R, half)[0]

    def solve(self, f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = self._metric.down(f)
        if not len(g):
            return self._metric.up(x), g
        B = self._B
        y = self._normal(B.T @ x - g)
        rest = x - B @ y
        again = self._normal(B.T @ rest - g)
        return self._metric.up(rest - B @ again), y + again


class ScaledMass:
    """M scaled to a unit diagonal where there is mass; `like` has the scales of an M that differs little."""

    def __init__(self, M: np.ndarray, like: ScaledMass | None = None) -> None:
        if like is None:
            diagonal = np.diagonal(M)
            light = diagonal[diagonal > 0].min(initial=np.inf)
            self.scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, light if np.isfinite(light) else 1.0))
            self.square = self.scale * self.scale[:, None]
        else:
            self.scale, self.square = like.scale, like.square
        self.matrix = M * self.square


class GeneralSaddle:
    """By LU of the whole matrix, scaled: for mechanisms with parts that have no mass."""

    def __init__(self, mass: ScaledMass, G: np.ndarray) -> None:
        from scipy.linalg import lapack

        n, m, column = len(mass.matrix), len(G), mass.scale
        G = G * column
        size = np.sqrt(np.einsum("ij,ij->i", G, G))
        row = 1 / np.where(size > 0, size, 1.0)
        whole = np.empty((n + m, n + m), order="F")
        whole[:n, :n] = mass.matrix
        whole[:n, n:] = G.T * row
        whole[n:, :n] = whole[:n, n:].T
        whole[n:, n:] = 0.0
        self._n, self._scale, self._getrs = n, np.concatenate((column, row)), lapack.dgetrs
        self._lu, self._pivots, info = lapack.dgetrf(whole, overwrite_a=1)
        pivots = np.abs(np.diagonal(self._lu))
        self.weakest = 0.0 if info > 0 else float(pivots.min(initial=1.0))
        self.weakest_row = -1

    def solve(self, f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.weakest == 0.0:
            raise ComputationError("The mechanism can move without moving mass, or its constraints are dependent.")
        both = self._scale * self._getrs(self._lu, self._pivots, self._scale * np.concatenate((f, g)))[0]
        return both[: self._n], both[self._n :]


class LargeSaddle:
    """Sparse LU of the whole matrix."""

    def __init__(self, whole: Any, n: int) -> None:
        self._factor, self._n = SparseFactor(whole), n
        self.weakest, self.weakest_row = 1.0, -1

    def solve(self, f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        both = self._factor.solve(np.concatenate((f, g)))
        if not np.isfinite(both).all():
            raise ComputationError("A constraint row depends on the others, or a motion moves no mass.")
        return both[: self._n], both[self._n :]
