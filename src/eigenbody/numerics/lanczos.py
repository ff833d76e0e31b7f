"""Block Lanczos iteration with full reorthogonalization, for a few eigenvalues of large symmetric problems.

Blocks rather than single vectors: a triangular solve of several right sides costs little more than that of one, the
orthogonalization runs at the speed of matrix products, and a repeated eigenvalue is found as often as it occurs (up to
the width of the block at once, and by the restarts beyond).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eigenbody.errors import ComputationError
from eigenbody.progress import report

Operator = Callable[[np.ndarray], np.ndarray]

TOLERANCE = 1e-9  # relative residual; values are then right to its square, and vectors are polished by the caller
WIDTH = 3
RESTARTS = 30


def largest_ritz(operate: Operator, mass: Operator, count: int, start: np.ndarray) -> np.ndarray:
    """Vectors (n, count), x^T M x = 1, of the eigenvalues of largest magnitude of x -> operate(M x); M x = mass(x).

    `operate` (n, b) -> (n, b) is symmetric, so the product is self-adjoint in the inner product of M, which must be
    positive on its range. `start` (n, b) is the first block. Fewer are returned only when there are no more.
    """
    width = start.shape[1]
    room = 3 * count + 12 * width
    space = _Space(len(start), room + width)
    block, _ = _orthonormal(start, mass)
    converged = np.zeros(count, dtype=bool)
    for _ in range(RESTARTS):
        while space.filled + block.shape[1] <= room:
            image = operate(mass(block))
            h = space.extend(block, image, mass)
            block, coupling = _orthonormal(image, mass, np.abs(h).max())
            if not block.shape[1]:
                return space.ritz(count)[2]  # the space is exhausted
            if space.filled >= 2 * count and space.steps % 2 == 0:
                values, y, _ = space.ritz(count, with_vectors=False)
                residual = np.sqrt(((coupling @ y[-coupling.shape[1] :]) ** 2).sum(axis=0))
                converged = residual <= TOLERANCE * np.abs(values)
                report("finding modes", float(np.mean(converged)))
                if converged.all():
                    return space.ritz(count)[2]
        space.restart(count + width)
    raise ComputationError(f"{np.count_nonzero(converged)} of {count} modes converged.")


class _Space:
    """The basis V (n, filled), orthonormal in M, and the operator in it, T."""

    def __init__(self, n: int, room: int) -> None:
        self._basis = np.empty((n, room), order="F")
        self._T = np.zeros((room, room))
        self.filled = self.steps = 0
        self._coupled = 0  # columns from here on are what the next image is made of, but for rounding

    def extend(self, block: np.ndarray, image: np.ndarray, mass: Operator) -> np.ndarray:
        """Add a block with its image, which is made orthogonal to the whole basis in place; returns V^T M image."""
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
        self.filled, self.steps, self._coupled = new, self.steps + 1, old
        return h

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


def _orthonormal(block: np.ndarray, mass: Operator, scale: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Q (n, r) with Q^T M Q = 1 and R with block = Q R; directions that vanish beside `scale` are dropped."""
    Q, R = block, np.eye(block.shape[1])
    for limit in ((1e-15 * scale) ** 2, 0.0):
        gram = Q.T @ mass(Q)
        size, turn = np.linalg.eigh((gram + gram.T) / 2)
        keep = size > max(limit, 1e-24 * size[-1]) if len(size) else size > 0
        root = np.sqrt(size[keep])
        Q, R = Q @ (turn[:, keep] / root), (turn[:, keep] * root).T @ R
    return Q, R
