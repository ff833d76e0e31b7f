"""Modal decomposition that survives repeated and defective eigenvalues: A = V diag(T_1, ..., T_m) V^-1.

Eigenvalues that stand so close that their vectors become parallel share a small triangular block; all others have a
block of one. Complex Schur form, reordered so that each cluster stands together, then Sylvester equations that take the
blocks apart (Bavely & Stewart 1979). Where the clusters cannot be told apart without ill-conditioned vectors they are
joined, in the extreme to one block, which is the Schur form itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from eigenbody.numerics.matrices.balance import balanced

GAPS = (1e-12, 1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.3)
"""Distances, in sizes of the spectrum, below which eigenvalues are tried as one cluster, one after the other."""
WELL_CONDITIONED = 1e4
"""Condition of V (unit columns, balanced A) that a decomposition may have: it costs that many units of rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """A = V diag(T_1, ...) V^-1: columns V (n, n), rows V^-1 (n, n), the places and triangular blocks T_i, complex."""

    vectors: np.ndarray
    inverse: np.ndarray
    places: tuple[slice, ...]
    blocks: tuple[np.ndarray, ...]

    @property
    def eigenvalues(self) -> np.ndarray:
        """(n,) complex, in the order of the columns."""
        return np.concatenate([np.diagonal(block) for block in self.blocks] or [np.zeros(0, complex)])

    @property
    def single(self) -> np.ndarray:
        """Places of the blocks of one: ordinary modes."""
        return np.array([place.start for place in self.places if place.stop - place.start == 1], dtype=int)

    @property
    def joined(self) -> tuple[tuple[slice, np.ndarray], ...]:
        """Place and block of the clusters."""
        pairs = zip(self.places, self.blocks, strict=True)
        return tuple((place, block) for place, block in pairs if len(block) > 1)

    def exponential(self, times: np.ndarray) -> np.ndarray:
        """exp(A t) for every time: (times, n, n) complex."""
        return self.applied(times, self.inverse)

    def applied(self, times: np.ndarray, start: np.ndarray) -> np.ndarray:
        """V exp(T t) start for every time, `start` (n, k) in modal amplitudes: (times, n, k) complex."""
        single = self.single
        out = np.einsum("is,ts,sk->tik", self.vectors[:, single], self.growth(times), start[single], optimize=True)
        for place, block in self.joined:
            out += self.vectors[:, place] @ (block_exponential(block, times) @ start[place])
        return out

    def growth(self, times: np.ndarray) -> np.ndarray:
        """exp(eigenvalue * t) of the ordinary modes (times, modes)."""
        return np.exp(np.outer(times, self.eigenvalues[self.single]))


def block_exponential(block: np.ndarray, times: np.ndarray) -> np.ndarray:
    """exp(T t) of a triangular block with nearly equal eigenvalues: exp(mean t) exp((T - mean) t), (times, k, k)."""
    from scipy.linalg import expm

    mean = np.trace(block) / len(block)
    spread = block - mean * np.eye(len(block))
    return np.exp(mean * times)[:, None, None] * expm(times[:, None, None] * spread)


def block_diagonal(A: np.ndarray) -> Blocks:
    """Decompose a real or complex matrix; never fails on defective ones."""
    from scipy.linalg import schur

    n = len(A)
    if not n:
        return Blocks(np.zeros((0, 0), complex), np.zeros((0, 0), complex), (), ())
    scaled, unit = balanced(A)
    T, Q = schur(scaled.astype(complex), output="complex")
    size = max(float(np.abs(np.diagonal(T)).max()), 1e-300)
    partition: list[int] | None = None
    for gap in GAPS:
        labels = _clusters(np.diagonal(T), gap * size)
        if labels == partition:
            continue
        partition = labels
        found = _split(T, Q, labels)
        if found is not None:
            V, inverse, places, blocks = found
            return Blocks(unit[:, None] * V, inverse / unit, places, blocks)
    return Blocks(unit[:, None] * Q, Q.conj().T / unit, (slice(0, n),), (T,))


def _clusters(values: np.ndarray, gap: float) -> list[int]:
    """Label of each eigenvalue: those linked by steps of at most `gap` share one."""
    from scipy.sparse.csgraph import connected_components

    near = np.abs(values[:, None] - values[None, :]) <= gap
    return connected_components(near, directed=False)[1].tolist()


def _split(T: np.ndarray, Q: np.ndarray, labels: list[int]) -> tuple | None:
    """V, V^-1, places and blocks for a partition, or None where V is too ill-conditioned."""
    T, Q, labels = _gathered(T, Q, labels)
    cuts = [0, *(i for i in range(1, len(labels)) if labels[i] != labels[i - 1]), len(labels)]
    places = tuple(slice(a, b) for a, b in pairwise(cuts))
    X = _decoupling(T, places)
    if X is None:
        return None
    V = Q @ X
    length = np.linalg.norm(V, axis=0)
    for place in places:  # one scale within a block, so that the block stays as it is
        length[place] = np.sqrt(np.mean(length[place] ** 2))
    V = V / length
    if not np.linalg.cond(V) <= WELL_CONDITIONED:
        return None
    return V, np.linalg.inv(V), places, tuple(T[place, place] for place in places)


def _gathered(T: np.ndarray, Q: np.ndarray, labels: list[int]) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Schur form reordered so that equal labels stand together."""
    from scipy.linalg.lapack import ztrexc

    labels = list(labels)
    order = list(dict.fromkeys(labels))
    at = 0
    for label in order:
        for i in range(at, len(labels)):
            if labels[i] == label:
                if i != at:
                    T, Q, _ = ztrexc(T, Q, i + 1, at + 1)
                    labels.insert(at, labels.pop(i))
                at += 1
    return T, Q, labels


def _decoupling(T: np.ndarray, places: tuple[slice, ...]) -> np.ndarray | None:
    """Unit upper triangular X with T X = X diag(T_ii), by block columns from bottom to top; None on a tie."""
    from scipy.linalg import solve_sylvester, solve_triangular

    n = len(T)
    X = np.eye(n, dtype=complex)
    for place in places:
        start, own = place.start, T[place, place]
        if not start:
            continue
        if len(own) == 1:
            left = T[:start, :start] - own[0, 0] * np.eye(start)
            if not np.all(np.abs(np.diagonal(left)) > 0):
                return None
            X[:start, place] = solve_triangular(left, -T[:start, place])
        else:
            X[:start, place] = solve_sylvester(T[:start, :start], -own, -T[:start, place])
        if not np.isfinite(X[:start, place]).all():
            return None
    return X
