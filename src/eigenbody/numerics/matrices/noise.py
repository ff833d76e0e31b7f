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
    """Scales r (m,), c (n,) such that |B| / (r c) has row and column maxima near 1; 0 for a zero row or column.

    Ruiz 2001; symmetric B gives r = c.
    """
    rest = np.abs(B)
    r, c = np.ones(rest.shape[0]), np.ones(rest.shape[1])
    for _ in range(12):
        rows, columns = np.sqrt(rest.max(axis=1, initial=0.0)), np.sqrt(rest.max(axis=0, initial=0.0))
        r, c = r * rows, c * columns
        rows, columns = np.where(rows > 0, rows, 1.0), np.where(columns > 0, columns, 1.0)
        rest /= rows[:, None]
        rest /= columns
        if all(scale.min(initial=1.0) > 0.8 and scale.max(initial=1.0) < 1.2 for scale in (rows, columns)):
            break
    return r, c


def balancing_scale(A: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Diagonal (n,) of D such that D^-1 A D is balanced. An entry counts as no less than its noise: no scale is chosen
    by rounding, and none can raise noise above what is known."""
    from scipy.linalg.lapack import dgebal

    return dgebal(np.maximum(np.abs(A), noise), scale=1, permute=0)[3]


def noise_of(B: np.ndarray, noise: np.ndarray | None) -> np.ndarray:
    """Absolute error (m, n) of the entries of B, at least eps of each; zero rows and columns are taken as exact."""
    if noise is not None:
        if noise.shape != B.shape:
            raise ComputationError(
                f"The noise estimate is {noise.shape} but its matrix is {B.shape}. Give equal shapes."
            )
        return np.maximum(np.abs(noise), EPS * np.abs(B))
    r, c = equilibrate(B)
    return ENTRY_NOISE * np.abs(B) + EPS * np.outer(r, c)


def even_noise(noise: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Positive scales r, c that make the noise even, and the bound of its 2-norm after division by them."""
    r, c = equilibrate(noise)
    r, c = (np.maximum(scale, FINEST * scale.max(initial=0.0)) for scale in _filled(r, c))
    even = noise / r[:, None] / c
    typical = np.linalg.norm(even, axis=1).max() + np.linalg.norm(even, axis=0).max()  # of independent errors
    return r, c, float(min(typical, np.sqrt(even.sum(axis=1).max() * even.sum(axis=0).max())))


def _filled(r: np.ndarray, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scales of zero rows and columns of a square matrix such that r_i c_i is as elsewhere: indifferent to units."""
    if np.all(r > 0) and np.all(c > 0):
        return r, c
    pairs = r * c
    usual = float(np.median(pairs[pairs > 0])) if np.any(pairs > 0) else float((r.max() or 1.0) * (c.max() or 1.0))
    rows = np.where(r > 0, r, np.where(c > 0, usual / np.where(c > 0, c, 1.0), np.sqrt(usual)))
    return rows, np.where(c > 0, c, usual / rows)


def unscaled(vectors: np.ndarray, scale: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The subspace of scaled `vectors` (n, k) in coordinates vectors / scale, as unit columns that stay independent
    however different the scales: in echelon form, a coordinate of its own for each column; and these coordinates."""
    from scipy.linalg import qr

    k = vectors.shape[1]
    if not k:
        return vectors / scale[:, None], np.zeros(0, dtype=int)
    own = qr(vectors.T, mode="r", pivoting=True, check_finite=False)[1][:k]
    columns = np.linalg.solve(vectors[own].T, vectors.T).T  # the identity at its own coordinates
    columns = columns * (scale[own] / scale[:, None])
    return columns / np.linalg.norm(columns, axis=0), own
