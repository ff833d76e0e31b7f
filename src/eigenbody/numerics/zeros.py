"""The zero eigenvalue of a small matrix within the noise of its entries, by rank decisions.

Each null space is split off exactly and the rest is examined again (staircase): the dimensions found are the Weyr
characteristic of the zero eigenvalue, hence its Jordan blocks. Errors of one step pass into the next, so this is done
on the block of an invariant subspace alone (`stability.judged_modes`), never on a whole system.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.numerics.noise import BACKWARD, EPS, even_noise, unscaled


def null_space(B: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, float]:
    """Basis (n, k) of the directions that B (n, n) maps to noise only, the surest last, and its relative error.

    The error is kept below sqrt(eps): an ill-determined null space must not make the rest look like noise.
    """
    from scipy.linalg import svd

    if not len(B):
        return np.zeros((0, 0)), 0.0
    r, c, level = even_noise(noise)
    _, strength, directions = svd(B / r[:, None] / c, check_finite=False)
    error = min(level / min(strength[strength > level], default=np.inf), np.sqrt(EPS))
    return unscaled(directions[strength <= level].T, c)[0], error


@dataclass(frozen=True, slots=True)
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


def _tilt(A: np.ndarray, noise: np.ndarray, null: np.ndarray, pivots: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Error (rest, pivots) of the null space in echelon form, entry by entry: |dx| <= |A^+| noise |x|, where the
    rounding of the decomposition itself adds to the noise."""
    from scipy.linalg import svd

    r, c, level = even_noise(noise)
    left, strength, right = svd(A / r[:, None] / c, check_finite=False)
    sure = strength > level
    inverse = (right[sure].T / strength[sure]) @ left[:, sure].T / c[:, None] / r
    rounding = BACKWARD * EPS * strength[0] * np.outer(r, c)
    off = np.abs(inverse) @ ((noise + rounding) @ np.abs(null))
    back = np.abs(np.linalg.inv(null[pivots]))
    return (off[rest] + np.abs(null[rest]) @ back @ off[pivots]) @ back


def deflate(A: np.ndarray, noise: np.ndarray, at_most: int | None = None) -> tuple[Zeros, np.ndarray, np.ndarray]:
    """Split the zero eigenvalue off A (n, n): its staircase, the nonsingular rest and the noise of the rest.

    Elimination with pivoting, because rotations would mix slow states into fast ones. `at_most` is the largest possible
    dimension of the null space.
    """
    from scipy.linalg import qr

    steps: list[_Step] = []
    doubt = np.zeros_like(noise)  # what errors of the null spaces add: it matters for ranks, hardly for eigenvalues
    limit = len(A) if at_most is None else at_most
    while limit and len(A):
        null, error = null_space(A, noise + doubt)
        limit = min(limit, null.shape[1])
        if not limit:
            break
        _, columns, _ = even_noise(noise + doubt)
        null = null[:, null.shape[1] - limit :]
        order = qr(null.T * columns, mode="r", pivoting=True, check_finite=False)[1]
        pivots, rest = np.sort(order[:limit]), np.sort(order[limit:])
        spread = np.linalg.solve(null[pivots].T, null[rest].T).T
        drive, among = A[np.ix_(pivots, rest)], np.ix_(rest, rest)
        steps.append(_Step(pivots, rest, spread, drive))
        size, tilt = np.abs(spread), error * columns[pivots] / columns[rest, None]
        tilt = np.minimum(tilt, _tilt(A, noise + doubt, null, pivots, rest))
        doubt = doubt[among] + size @ doubt[np.ix_(pivots, rest)] + tilt @ np.abs(drive)
        noise = noise[among] + size @ noise[np.ix_(pivots, rest)] + EPS * size @ np.abs(drive)
        A = A[among] - spread @ drive
    return Zeros(tuple(steps)), A, noise
