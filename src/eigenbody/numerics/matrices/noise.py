"""Rounding noise of matrix entries and the scales that make it even, indifferent to units."""

from __future__ import annotations

import numpy as np

from eigenbody.base.errors import ComputationError

EPS = float(np.finfo(float).eps)
ENTRY_NOISE = 8.0 * EPS
"""Default relative error of a matrix entry: it is a short sum of rounded products."""
BACKWARD = 10.0
"""Backward error of orthogonal decompositions in units of eps * Frobenius norm; measured ones stay below 3."""
FINEST = 1e-14
"""No scale may be finer than this part of the coarsest: what looks more certain is the rounding of rounding."""


def equilibrate(B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scales r (..., m), c (..., n) of each B (..., m, n) such that |B| / (r c) has row and column maxima near 1; 0 for
    a zero row or column.

    Ruiz 2001; symmetric B gives r = c.
    """
    rest = np.abs(B)
    r, c = np.ones(rest.shape[:-1]), np.ones((*rest.shape[:-2], rest.shape[-1]))
    uneven = np.ones((*rest.shape[:-2], 1), bool)
    for _ in range(12):
        rows, columns = np.sqrt(rest.max(axis=-1, initial=0.0)), np.sqrt(rest.max(axis=-2, initial=0.0))
        if not uneven.all():
            rows, columns = np.where(uneven, rows, 1.0), np.where(uneven, columns, 1.0)
        r, c = r * rows, c * columns
        rows, columns = np.where(rows > 0, rows, 1.0), np.where(columns > 0, columns, 1.0)
        rest /= rows[..., :, None]
        rest /= columns[..., None, :]
        uneven = uneven & (_is_wide(rows) | _is_wide(columns))
        if not uneven.any():
            break
    return r, c


def _is_wide(scale: np.ndarray) -> np.ndarray:
    """Whether some of the scales (..., m) are far from 1; (..., 1)."""
    return np.logical_or.reduce(np.abs(scale - 1.0) >= 0.2, axis=-1, keepdims=True)


def balancing_scale(A: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Diagonal (n,) of D such that D^-1 A D is balanced. An entry counts as no less than its noise: no scale is chosen
    by rounding, and none can raise noise above what is known."""
    from scipy.linalg.lapack import dgebal

    return dgebal(np.maximum(np.abs(A), noise), scale=1, permute=0)[3]


def noise_of(B: np.ndarray, noise: np.ndarray | None) -> np.ndarray:
    """Absolute error (..., m, n) of the entries of B, at least eps of each; zero rows and columns are exact."""
    if noise is not None:
        if noise.shape != B.shape:
            raise ComputationError(
                f"The noise estimate is {noise.shape} but its matrix is {B.shape}. Give equal shapes."
            )
        return np.maximum(np.abs(noise), EPS * np.abs(B))
    r, c = equilibrate(B)
    return ENTRY_NOISE * np.abs(B) + EPS * (r[..., :, None] * c[..., None, :])


def even_noise(noise: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Positive scales r, c (g, n) that make each noise (g, n, n) even, and the bounds (g,) of their 2-norms after
    division by them."""
    r, c = equilibrate(noise)
    r, c = (np.maximum(s, FINEST * s.max(axis=-1, keepdims=True, initial=0.0)) for s in _filled(r, c))
    even = noise / r[:, :, None] / c[:, None, :]
    rows, columns = (np.linalg.norm(even, axis=axis).max(axis=-1) for axis in (2, 1))  # of independent errors
    sums = even.sum(axis=2).max(axis=-1) * even.sum(axis=1).max(axis=-1)
    return r, c, np.minimum(rows + columns, np.sqrt(sums))


def _filled(r: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scales of zero rows and columns of square matrices such that r_i c_i is as elsewhere: indifferent to units."""
    if np.all(r > 0) and np.all(c > 0):
        return r, c
    pairs = r * c
    usual = (r.max(axis=-1) * c.max(axis=-1))[:, None]
    known = (pairs > 0).any(axis=-1)
    usual[known] = np.nanmedian(np.where(pairs > 0, pairs, np.nan)[known], axis=-1)[:, None]
    usual = np.where(usual > 0, usual, 1.0)
    rows = np.where(r > 0, r, np.where(c > 0, usual / np.where(c > 0, c, 1.0), np.sqrt(usual)))
    return rows, np.where(c > 0, c, usual / rows)


def unscaled(vectors: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The subspaces of scaled `vectors` (g, n, k) in coordinates vectors / scale, as unit columns that stay independent
    however different the scales: in echelon form, a coordinate of its own for each column; and these coordinates
    (g, k)."""
    own = own_coordinates(vectors)
    turn = np.take_along_axis(vectors, own[:, :, None], axis=1)
    columns = np.linalg.solve(turn.mT, vectors.mT).mT  # the identity at its own coordinates
    columns = columns * (np.take_along_axis(scale, own, axis=1)[:, None, :] / scale[:, :, None])
    return columns / np.linalg.norm(columns, axis=1, keepdims=True), own


def own_coordinates(vectors: np.ndarray) -> np.ndarray:
    """(g, k) coordinates by which independent columns (g, n, k) are told apart best, the most telling first."""
    from scipy.linalg.lapack import dgeqp3

    k = vectors.shape[-1]
    if not k:
        return np.zeros((len(vectors), 0), dtype=int)
    return np.array([dgeqp3(columns.T)[1][:k] - 1 for columns in vectors], dtype=int).reshape(len(vectors), k)
