"""Dense matrices of which few entries are not zero, multiplied as sparse ones where that is faster."""

from __future__ import annotations

from typing import Any

import numpy as np

SMALL = 20_000  # entries below which a dense matrix is multiplied as one whatever it holds
SPARSE = 0.04  # share of entries that are not zero up to which a dense matrix is multiplied as a sparse one
SPARSE_SQUARE = 0.08  # the same where it is square and what it is multiplied with is dense


def product(A: np.ndarray, X: np.ndarray) -> np.ndarray:
    """A X for A (..., n, n) and dense X (..., n, m); a diagonal A costs next to nothing."""
    if A.shape[-1] * A.shape[-2] < SMALL:
        return A @ X
    if A.ndim > 2:
        return np.stack([product(one, other) for one, other in zip(A, X, strict=True)])
    return thinned(A, SPARSE_SQUARE) @ X


def thinned(matrix: Any, share: float) -> Any:
    """As a sparse matrix if it is large and no more than this share of its entries are not zero."""
    from scipy.sparse import csr_array

    if not isinstance(matrix, np.ndarray) or matrix.size < SMALL:
        return matrix
    flat = matrix.ravel()
    there = flat != 0
    if np.count_nonzero(there) > share * len(flat):
        return matrix
    place = np.flatnonzero(there)
    rows, columns = np.divmod(place, matrix.shape[1])
    start = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(matrix)))))
    return csr_array((flat[place], columns, start), shape=matrix.shape)
