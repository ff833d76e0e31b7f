"""The pencil of large damped or unsymmetric systems at rest: (l^2 M + l C + K) x + G^T y = 0, G x = 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.constrained import by_mass, typical_square
from eigenbody.numerics.eigen.sparse import displacements, is_symmetric
from eigenbody.numerics.eigen.sparse_symmetric import unbalanced
from eigenbody.numerics.matrices.linear import KKT
from eigenbody.numerics.matrices.noise import ENTRY_NOISE
from eigenbody.numerics.matrices.sparse_noise import SparseNoise


class QuadraticPencil:
    """A = [[0, 1, 0], [-K, -C, -G^T], [G, 0, 0]] and E = diag(1, M, 0) with z = [x, x', y]; y in units of its own."""

    def __init__(self, M: Any, C: Any, K: Any, G: Any, noise: SparseNoise) -> None:
        n = M.shape[0]
        self.M, self.C, self.K, self.G, self._noise, self._n = M, C, K, G, noise, n
        rate = float(np.sqrt(typical_square(K, M)))
        self.states, self.order, self.aside = 2 * n, 2 * (n - G.shape[0]), 1e-3 * rate
        unit = by_mass(M)
        self.units = np.concatenate((unit, rate * unit)), np.concatenate((rate / unit, unit))
        self._symmetric = is_symmetric(K) and is_symmetric(C)
        self._work: KKT | None = None

    def at(self, shift: complex) -> _ShiftedQuadratic | None:
        whole = self.K + shift * self.C + shift**2 * self.M if shift else self.K
        try:
            kkt = KKT(whole, self.G, by_mass(self.M))
        except ComputationError:
            return None
        if not kkt.is_regular():
            return None
        self._work = kkt
        return _ShiftedQuadratic(self, shift, whole, kkt)

    def parts(self, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Displacements, rates, constraint forces."""
        n = self._n
        return Z[:n], Z[n : 2 * n], Z[2 * n :]

    def products(self, W: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        (w1, w2, _), (x, v, _) = self.parts(W), self.parts(Z)
        return w1.T @ x + w2.T @ (self.M @ v), w1.T @ v - w2.T @ (self.K @ x + self.C @ v)

    def errors(self, W: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        (w1, w2, u), (x, v, y) = (tuple(map(np.abs, self.parts(part))) for part in (W, Z))
        assert self._work is not None
        held = ENTRY_NOISE * (self._work.work_size(u, x) + self._work.work_size(y, w2).T)
        mass = ENTRY_NOISE * (w1.T @ x + w2.T @ (abs(self.M) @ v))
        force = w2.T @ (self._noise.K @ x + self._noise.C @ v)
        return mass, held + ENTRY_NOISE * (w1.T @ v) + force

    def mirrored(self, Z: np.ndarray) -> np.ndarray | None:
        if not self._symmetric:
            return None
        x, v, y = self.parts(Z)
        return np.concatenate((self.C @ x + self.M @ v, x, y))

    def motion(self, Z: np.ndarray) -> np.ndarray:
        return displacements(*self.parts(Z)[:2])


@dataclass(frozen=True)
class _ShiftedQuadratic:
    pencil: QuadraticPencil
    shift: complex
    whole: Any
    kkt: KKT

    def right(self, z: np.ndarray) -> np.ndarray:
        p, s = self.pencil, self.shift
        a, b, _ = p.parts(z)
        x, y = self.kkt.solve_both(-(p.M @ b) - p.C @ a - s * (p.M @ a))
        return np.concatenate((x, s * x + a, y))

    def left(self, w: np.ndarray) -> np.ndarray:
        p, s = self.pencil, self.shift
        a, b, _ = p.parts(w)
        x, y = self.kkt.solve_both(-(a + s * (p.M @ b)), transposed=True)
        return np.concatenate((p.M @ b + p.C.T @ x + s * (p.M @ x), x, y))

    def residuals(self, Z: np.ndarray, values: np.ndarray) -> np.ndarray:
        p = self.pencil
        x, v, _ = p.parts(Z)
        force = (p.M @ v) * values + p.C @ v + p.K @ x
        size = (abs(p.M) @ np.abs(v)) * np.abs(values) + abs(p.C) @ np.abs(v) + abs(p.K) @ np.abs(x)
        return unbalanced(self.kkt, lambda x: self.whole @ x, force, size)
