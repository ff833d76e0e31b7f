"""Block Lanczos iteration with full reorthogonalization, for a few eigenvalues of large symmetric problems.

Blocks rather than single vectors: a triangular solve of several right sides costs little more than that of one, the
orthogonalization runs at the speed of matrix products, and a repeated eigenvalue is found as often as it occurs (up to
the width of the block at once, and by the restarts beyond).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.base.progress import report

Operator = Callable[[np.ndarray], np.ndarray]

TOLERANCE = 1e-9  # relative residual; values are then right to its square, and vectors are polished by the caller
WIDTH = 3
RESTARTS = 30
LITTLE = 1e-4  # part of a block, of which rounding beside the others is no longer little


def largest_ritz(operate: Operator, mass: Operator, count: int, start: np.ndarray, most: int) -> np.ndarray:
    """Vectors (n, count), x^T M x = 1, of the eigenvalues of largest magnitude of x -> operate(M x); M x = mass(x).

    `operate` (n, b) -> (n, b) is symmetric, so the product is self-adjoint in the inner product of M, which must be
    positive on its range. `start` (n, b) is the first block. Fewer are returned only when there are no more: the range
    has at most `most` dimensions, beyond which directions are rounding.
    """
    width = start.shape[1]
    room = 3 * count + 12 * width
    space = _Space(len(start), room + width)
    block, _ = _orthonormal(start, mass, most)
    progress = _Progress(2 * count)
    for _ in range(RESTARTS):
        while space.filled + block.shape[1] <= room:
            report("finding modes", progress.converged / count)
            image = operate(mass(block))
            space.extend(block, image, mass)
            block, coupling = _orthonormal(image, mass, most - space.filled, space.scale)
            left = np.linalg.norm(coupling, axis=1)
            if np.any(left < LITTLE * left.max(initial=0.0)):
                block, again = _orthonormal(space.beside(block, mass), mass, most - space.filled)
                coupling = again @ coupling
            if not block.shape[1]:
                return space.ritz(count)[2]  # the space is exhausted
            is_last = space.filled + block.shape[1] > room
            if space.filled >= progress.look_at or is_last:
                values, y, _ = space.ritz(count, with_vectors=False)
                residual = np.sqrt(((coupling @ y[-coupling.shape[1] :]) ** 2).sum(axis=0))
                residual = residual / np.maximum(np.abs(values), 1e-300)
                if progress.is_done(space.filled, residual, block.shape[1]):
                    return space.ritz(count)[2]
        space.restart(count + width)
        progress = _Progress(space.filled + width)
    raise ComputationError(f"{progress.converged} of {count} modes converged.")


class _Progress:
    """When to look at the residuals: a look costs as much as some steps where the problem is small."""

    def __init__(self, look_at: int) -> None:
        self.look_at = look_at  # dimension of the space
        self.converged = 0
        self._last: tuple[int, float] | None = None  # dimension, worst residual

    def is_done(self, filled: int, residual: np.ndarray, width: int) -> bool:
        """Whether all have converged; else the next look is for when the trend says so, which gets steeper."""
        self.converged = int(np.count_nonzero(residual <= TOLERANCE))
        worst = min(float(residual.max(initial=0.0)), 1.0)
        if worst <= TOLERANCE:
            return True
        slope = 0.6 / width  # decades for each dimension
        if self._last is not None:
            slope = max(np.log10(self._last[1] / worst) / (filled - self._last[0]), 0.1 * slope)
        self.look_at = filled + max(width, int(0.7 * np.log10(worst / TOLERANCE) / slope))
        self._last = filled, worst
        return False


class _Space:
    """The basis V (n, filled), orthonormal in M, and the operator in it, T."""

    def __init__(self, n: int, room: int) -> None:
        self._basis = np.empty((n, room), order="F")
        self._T = np.zeros((room, room))
        self.filled = 0
        self.scale = 0.0  # largest entry of T so far: images much smaller are rounding
        self._coupled = 0  # columns from here on are what the next image is made of, but for rounding

    def extend(self, block: np.ndarray, image: np.ndarray, mass: Operator) -> None:
        """Add a block with its image, which is made orthogonal to the whole basis in place."""
        old, new = self.filled, self.filled + block.shape[1]
        self._basis[:, old:new] = block
        h = np.zeros((new, block.shape[1]))
        for first in (self._coupled, 0):  # once is not enough: little may be left of the image
            V = self._basis[:, first:new]
            part = mass(image).T @ V  # rows times matrix: BLAS is several times faster at it than at tall products
            image -= (part @ V.T).T
            h[first:] += part.T
        self._T[:new, old:new] = h
        self._T[old:new, :new] = h.T
        self.filled, self._coupled = new, old
        self.scale = max(self.scale, float(np.abs(h).max()))

    def beside(self, block: np.ndarray, mass: Operator) -> np.ndarray:
        """What a block has beside the basis."""
        V = self._basis[:, : self.filled]
        return np.asarray(block - V @ (V.T @ mass(block)))

    def ritz(self, count: int, with_vectors: bool = True) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The `count` Ritz values of largest magnitude, their coordinates in the basis, and their vectors."""
        values, y = np.linalg.eigh(self._T[: self.filled, : self.filled])
        order = np.argsort(-np.abs(values), kind="stable")[:count]
        y = y[:, order]
        return values[order], y, self._basis[:, : self.filled] @ y if with_vectors else np.zeros(0)

    def restart(self, keep: int) -> None:
        """Shrink the basis to the best `keep` vectors; the coupling to the next block comes with its own image."""
        values, _, vectors = self.ritz(keep)
        self.filled, self._coupled = len(values), 0
        self._basis[:, : self.filled] = vectors
        self._T[:] = 0.0
        np.fill_diagonal(self._T[: self.filled, : self.filled], values)


def _orthonormal(block: np.ndarray, mass: Operator, most: int, scale: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Q (n, r) with Q^T M Q = 1 and R with block = Q R; directions that vanish beside `scale` are dropped, and the
    smallest beyond `most`."""
    Q, R = block, np.eye(block.shape[1])
    for limit in ((1e-15 * scale) ** 2, 0.0):
        gram = Q.T @ mass(Q)
        size, turn = np.linalg.eigh((gram + gram.T) / 2)
        keep = size > max(limit, 1e-24 * size[-1]) if len(size) else size > 0
        keep[: max(len(size) - most, 0)] = False
        root = np.sqrt(size[keep])
        Q, R = Q @ (turn[:, keep] / root), (turn[:, keep] * root).T @ R
    return Q, R
