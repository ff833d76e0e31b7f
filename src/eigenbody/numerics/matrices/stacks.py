"""Many matrices of one shape along a leading axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

MANY = 500_000
"""Entries of a stack of matrices beyond which it is worked on in parts, whose intermediate results stay small."""


def blocks_of(A: np.ndarray) -> list[slice]:
    """Parts of a stack (g, n, n): one, or several where it is too large to be worked on at once."""
    width = max(MANY // max(A.shape[1] * A.shape[2], 1), 1)
    return [slice(k, k + width) for k in range(0, len(A), width)]


def alike(keys: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The different keys, of (g,) numbers or (g, k) rows of them, each with the numbers (m,) of those that have it."""
    if not len(keys):
        return
    if len(keys) == 1:
        yield keys[0], np.zeros(1, dtype=int)
        return
    different, which = np.unique(keys, axis=0, return_inverse=True)
    for k, key in enumerate(different):
        yield key, np.flatnonzero(which.reshape(-1) == k)


def part_of(A: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(g, r, c) of A (g, n, m): of each matrix the entries in its own rows (g, r) and columns (g, c)."""
    return parts_of((A,), rows, columns)[0]


def parts_of(matrices: Sequence[np.ndarray], rows: np.ndarray, columns: np.ndarray) -> list[np.ndarray]:
    """The same of several A of one shape, whose places are found once."""
    g, n, m = matrices[0].shape
    place = rows[:, :, None] * m + columns[:, None, :] + (n * m * np.arange(g))[:, None, None]
    return [A.reshape(-1).take(place) for A in matrices]


def columns_of(A: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(g, n, c) of A (g, n, m): of each matrix its own columns (g, c)."""
    return np.take_along_axis(A, columns[:, None, :], axis=2)


def norms(A: np.ndarray) -> np.ndarray:
    """Frobenius norms (g,) of A (g, n, m)."""
    return np.linalg.norm(A.reshape(len(A), A.shape[1] * A.shape[2]), axis=1)


def real_times(A: np.ndarray, X: np.ndarray) -> np.ndarray:
    """A X of real A (..., n, m) and complex X (..., m, k), in real arithmetic: BLAS would make A complex."""
    return np.asarray((A @ np.ascontiguousarray(X).view(float)).view(complex))


def outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(..., n, m) products of a (..., n) and b (..., m)."""
    return a[..., :, None] * b[..., None, :]
