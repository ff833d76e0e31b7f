"""The zero eigenvalue of a small matrix within the noise of its entries, by rank decisions.

Each null space is split off exactly and the rest is examined again (staircase): the dimensions found are the Weyr
characteristic of the zero eigenvalue, hence its Jordan blocks. Errors of one step pass into the next, so this is done
on the block of an invariant subspace alone (`stability.judged_modes`), never on a whole system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.numerics.matrices.noise import EPS


def null_space(B: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Unit columns (n, k) that span what B (n, n) maps to noise only."""
    found = _eliminate(B, noise, len(B))
    columns = np.zeros((len(B), len(found.free)))
    columns[found.free], columns[found.held] = np.eye(len(found.free)), found.spread
    return columns / np.linalg.norm(columns, axis=0)


@dataclass(frozen=True, slots=True, eq=False)
class _Echelon:
    """A null space in echelon form: free coordinates, and the held ones that follow them, x[held] = spread @ x[free];
    `tilt` bounds the error of `spread` entry by entry."""

    free: np.ndarray
    held: np.ndarray
    spread: np.ndarray
    tilt: np.ndarray


def _eliminate(A: np.ndarray, noise: np.ndarray, at_most: int) -> _Echelon:
    """Gauss-Jordan elimination of A (n, n) with the entry as pivot that stands out most from its noise, while any does
    or more than `at_most` columns are left. Every entry carries its own noise along: no unit, and no entry elsewhere,
    decides whether it counts."""
    A, noise, n = A.copy(), noise.copy(), len(A)
    rows, columns = np.ones(n, bool), np.ones(n, bool)
    pivots: list[tuple[int, int]] = []
    while columns.any():
        size = np.where(rows[:, None] & columns, np.abs(A), 0.0)
        ratio = np.where(size > 0, size / np.maximum(noise, 1e-300), 0.0)
        p, q = np.unravel_index(int(np.argmax(ratio)), ratio.shape)
        if not size[p, q] or (ratio[p, q] <= 1.0 and columns.sum() <= at_most):
            break
        pivots.append((int(p), int(q)))
        rows[p], columns[q] = False, False
        ratio_p, error_p = A[p] / A[p, q], (noise[p] + np.abs(A[p] / A[p, q]) * noise[p, q]) / abs(A[p, q])
        below = A[:, q].copy()
        below[p] = 0.0
        noise = noise + np.outer(np.abs(below), error_p) + np.outer(noise[:, q], np.abs(ratio_p))
        noise = noise + EPS * np.outer(np.abs(below), np.abs(ratio_p))
        A = A - np.outer(below, ratio_p)
        A[p], noise[p] = ratio_p, error_p
        A[:, q] = 0.0
        A[p, q] = 1.0
    free = np.flatnonzero(columns)
    held = np.array([q for _, q in pivots], dtype=int)
    by_row = np.array([p for p, _ in pivots], dtype=int)
    order = np.argsort(held)
    held, by_row = held[order], by_row[order]
    return _Echelon(free, held, -A[np.ix_(by_row, free)], noise[np.ix_(by_row, free)])


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One null space, columns [1 at `pivots`; `spread` at `rest`], and what drives it: a' = drive @ e."""

    pivots: np.ndarray
    rest: np.ndarray
    spread: np.ndarray
    drive: np.ndarray

    def lift(self, a: np.ndarray, e: np.ndarray) -> np.ndarray:
        """State of the matrix before the step from amounts `a` of the null space and the remaining states `e`."""
        x = np.empty((len(self.pivots) + len(self.rest), e.shape[1]), complex)
        x[self.pivots], x[self.rest] = a, self.spread @ a + e
        return x


@dataclass(frozen=True, slots=True)
class Zeros:
    """The zero eigenvalue of a matrix, peeled off in steps; `weyr` counts the vectors of each step."""

    steps: tuple[_Step, ...]

    @property
    def weyr(self) -> tuple[int, ...]:
        return tuple(len(step.pivots) for step in self.steps)

    def basis(self, size: int) -> np.ndarray:
        """(size, zeros) eigenvectors, then generalized eigenvectors of rising order."""
        columns = [np.zeros((size, 0), complex)]
        for depth, step in enumerate(self.steps):
            count = len(step.pivots)
            x = step.lift(np.eye(count), np.zeros((len(step.rest), count)))
            for outer in reversed(self.steps[:depth]):
                x = outer.lift(np.zeros((len(outer.pivots), count)), x)
            columns.append(x)
        return np.hstack(columns)

    def lift(self, eigenvalues: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Eigenvectors of the whole matrix from those (m, m) of the deflated one, for nonzero eigenvalues (m,)."""
        for step in reversed(self.steps):
            vectors = step.lift(step.drive @ vectors / eigenvalues, vectors)
        return vectors


def deflate(A: np.ndarray, noise: np.ndarray, at_most: int | None = None) -> tuple[Zeros, np.ndarray, np.ndarray]:
    """Split the zero eigenvalue off A (n, n): its staircase, the nonsingular rest and the noise of the rest.

    Elimination with pivoting, because rotations would mix slow states into fast ones. `at_most` is the largest possible
    dimension of the null space.
    """
    steps: list[_Step] = []
    doubt = np.zeros_like(noise)  # what errors of the null spaces add: it matters for ranks, hardly for eigenvalues
    limit = len(A) if at_most is None else at_most
    while limit and len(A):
        null = _eliminate(A, noise + doubt, limit)
        limit = len(null.free)
        if not limit:
            break
        pivots, rest, size = null.free, null.held, np.abs(null.spread)
        drive, among = A[np.ix_(pivots, rest)], np.ix_(rest, rest)
        steps.append(_Step(pivots, rest, null.spread, drive))
        doubt = doubt[among] + size @ doubt[np.ix_(pivots, rest)] + null.tilt @ np.abs(drive)
        noise = noise[among] + size @ noise[np.ix_(pivots, rest)] + EPS * size @ np.abs(drive)
        A = A[among] - null.spread @ drive
    return Zeros(tuple(steps)), A, noise
