"""Large symmetric constrained systems, K x = omega^2 M x on G x = 0, in coordinates of unit mass, and what is found of
their modes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.inertia import InertiaCount
from eigenbody.numerics.matrices.linear import KKT, absolute, columns_at_a_time, scaled, scaled_saddle
from eigenbody.numerics.matrices.noise import ENTRY_NOISE
from eigenbody.numerics.matrices.sparse_noise import SparseNoise
from eigenbody.numerics.matrices.springs import Springs

NEAR_ROUNDING = 1e-10  # omega^2, of the stiffness, below which deflections are used


class ConstrainedPencil:
    """K, M (sparse, symmetric) and independent rows G, in coordinates of unit mass: x = unit * x_scaled. Where motions
    are so soft that K loses their digits, the `springs` of which it is made are used by their deflections."""

    def __init__(
        self,
        K: Any,
        M: Any,
        G: Any,
        springs: Callable[[], Springs | None] = lambda: None,
        noise: SparseNoise | None = None,
    ) -> None:
        self.unit = by_mass(M)
        self.K, self.G = scaled_saddle(K, G, self.unit)
        self.M = self.scaled(M)
        self.top = float(np.abs(self.K.data).max(initial=0.0)) or 1.0
        self._given, self._noise = springs, noise
        self.springs: Springs | None = None  # scaled, once they are needed

    def scaled(self, matrix: Any) -> Any:
        return scaled(matrix, self.unit, self.unit)

    def kkt(self, shift: float) -> KKT | None:
        """[[K - shift M, G^T], [G, 0]] factorized, or None where it is singular."""
        plain = _regular(self.K - shift * self.M if shift else self.K, self.G)
        if shift or (plain is not None and not self._is_soft(plain)) or (given := self._given()) is None:
            return plain
        self.springs = given.scaled(self.unit)
        found = self._by_deflections()
        if found is None:
            self.springs = None
        return found or plain

    def _is_soft(self, kkt: KKT) -> bool:
        """Whether the lowest omega^2, after two inverse iterations, is near the rounding of K."""
        x = kkt.solve(self.mass(np.random.default_rng(4).normal(size=(self.M.shape[0], 1))))
        size = float(np.sqrt((x * self.mass(x)).sum()))
        x = kkt.solve(self.mass(x / size))
        return float(np.sqrt((x * self.mass(x)).sum())) * NEAR_ROUNDING * self.top > 1.0

    def _by_deflections(self) -> KKT | None:
        """[[K_rest, B^T, G^T], [B, -1/k, 0], [G, 0, 0]] factorized."""
        from scipy.sparse import vstack

        assert self.springs is not None
        rows, flexibility = self._spring_rows
        G = scaled(self.G, np.full(self.G.shape[0], self.row_size / self.top), np.ones(self.G.shape[1]))
        yielding = np.concatenate((flexibility, np.zeros(G.shape[0])))
        return _regular(self.springs.K_rest, vstack([rows, G], format="csc"), yielding)

    @property
    def row_size(self) -> float:
        """Length of the rows in the system that is factorized: springs then have flexibilities about one."""
        return self.top if self.springs is None else float(np.sqrt(np.median(np.abs(self._strengths))))

    @cached_property
    def _strengths(self) -> np.ndarray:
        """Stiffness of each spring beside unit mass."""
        s = self.springs
        assert s is not None
        return s.k * np.bincount(s.B.indices, s.B.data**2, minlength=len(s.k))

    @cached_property
    def _spring_rows(self) -> tuple[Any, np.ndarray]:
        s = self.springs
        assert s is not None
        factor = self.row_size * np.sqrt(np.abs(s.k / self._strengths))
        return scaled(s.B, factor, np.ones(s.B.shape[1])), self.row_size**2 / self._strengths

    def stiffness_times(self, X: np.ndarray) -> np.ndarray:
        """K X."""
        return self.K @ X if self.springs is None else self.springs.stiffness_times(X)

    def shifted_times(self, shift: float, X: np.ndarray) -> np.ndarray:
        """(K - shift M) X."""
        return self.stiffness_times(X) - shift * self.mass(X) if shift else self.stiffness_times(X)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether M is the identity, as it is when all inertia tensors are diagonal."""
        diagonal = self.M.diagonal()
        return self.M.nnz == np.count_nonzero(diagonal) and bool(np.all(np.abs(diagonal - 1) < 4e-16))

    def mass(self, x: np.ndarray) -> np.ndarray:
        """M x."""
        return x if self._is_plain else self.M @ x

    @cached_property
    def typical(self) -> float:
        return typical_square(self.K, self.M)

    def strain_error(self, ritz: Ritz) -> np.ndarray:
        """Error (k, k) of X^T K X in the free motion, by the noise of K and of the rows and because the subspace is not
        quite invariant."""
        X, noise = ritz.X, self._noise
        if self.springs is not None:
            out = self.springs.strain_error(X)
            out = out if noise is None else out + noise.strain_of_loads(self._unscaled_size(X))
        elif noise is not None:
            out = noise.strain(self._unscaled_size(X))
        else:
            out = ENTRY_NOISE * form(absolute(self.K), np.abs(X))
        work = ENTRY_NOISE * ritz.work
        return out + work + work.T + np.diag(ritz.outside)

    def loss_error(self, X: np.ndarray, C: Any) -> np.ndarray:
        """Error (k, k) of X^T C X by the noise of C."""
        if self.springs is not None:
            return self.springs.loss_error(X)
        if self._noise is not None:
            return self._noise.loss(self._unscaled_size(X))
        return ENTRY_NOISE * form(absolute(C), np.abs(X))

    def _unscaled_size(self, X: np.ndarray) -> np.ndarray:
        """Size of motions in the coordinates given."""
        out = np.abs(X)
        out *= self.unit[:, None]
        return out

    def counted(self, shift: float) -> InertiaCount:
        """How many omega^2 lie below the shift, by an upper bound."""
        return InertiaCount(self.K - shift * self.M, self.G, self.top)


def _regular(A: Any, G: Any, flexibility: np.ndarray | None = None) -> KKT | None:
    try:
        kkt = KKT(A, G, flexibility=flexibility)
    except ComputationError:
        return None
    return kkt if kkt.is_regular() else None


@dataclass(frozen=True, eq=False)
class Ritz:
    """omega^2 (k,) next to the shift with X^T M X = 1 (n, k); for each the square of the constraint forces, `held` (k,)
    in units of their own, `work` (k, k) as large as the work of these on X may be before it cancels, and the length
    `left` (k,) of the forces left over."""

    shift: float
    values: np.ndarray
    X: np.ndarray
    held: np.ndarray
    work: np.ndarray
    left: np.ndarray

    @property
    def outside(self) -> np.ndarray:
        """Error (k,) of the values because of the forces left over: to second order where the eigenvalues that were not
        found are away."""
        distance = np.abs(self.values - self.shift)
        apart = distance.max(initial=0.0) - distance
        return self.left * np.minimum(1.0, self.left / np.where(apart > 0, apart, 1e-300))


def by_mass(M: Any) -> np.ndarray:
    """Units of the coordinates in which each has unit mass; those without mass get the mean."""
    mass = np.abs(M.diagonal())
    return 1 / np.sqrt(np.where(mass > 0, mass, mass.mean() or 1.0))


def typical_square(K: Any, M: Any) -> float:
    """A typical omega^2."""
    k, m = np.abs(K.diagonal()), np.abs(M.diagonal())
    ratio = k[m > 0] / m[m > 0]
    positive = ratio[ratio > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def form(A: Any, X: np.ndarray) -> np.ndarray:
    """X^T A X."""
    some = columns_at_a_time(X.shape[1], len(X))
    return np.hstack([X.T @ (A @ X[:, own]) for own in some])
