"""The same as `residues` for a few eigenvalues of large sparse equations E z' = A z + B u, y = C z + D u."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.base.arrays import as_dense
from eigenbody.numerics.matrices.noise import ENTRY_NOISE, EPS
from eigenbody.numerics.signals.residues import SAFETY, PrincipalPart

OFFSET = 1e-6  # relative distance of the shift from the eigenvalue: close, and yet the matrix is far from singular
STEPS = 6


def sparse_principal_part(
    E: Any, A: Any, B: np.ndarray, C: Any, D: np.ndarray, values: np.ndarray
) -> tuple[PrincipalPart, np.ndarray, float]:
    """The principal part of nonzero eigenvalues (m,) that lie within `OFFSET` of each other, the eigenvalues refined,
    and their error.

    Right and left vectors by inverse iteration; the rest of the resolvent by the same factorization.
    """
    from scipy.sparse.linalg import splu

    C, centre = as_dense(C), complex(values.mean())
    lu = splu(((centre + OFFSET * abs(centre)) * E - A).tocsc().astype(complex))
    V, W = _vectors(lu, E, len(values))
    back = np.linalg.inv(W @ (E @ V))
    b, c = back @ (W @ B), C @ V  # H = c b / (s - value) + ...
    block = back @ (W @ (A @ V))
    noise = _noise(A) + abs(centre) * _noise(E)
    right = lu.solve(B - E @ (V @ b))
    left = lu.solve(np.ascontiguousarray((C - (c @ back) @ (W @ E)).T), "T").T
    off_right = noise @ np.abs(V) + np.abs(A @ V - E @ (V @ block))
    off_left = (noise.T @ np.abs(W).T).T + np.abs(W @ A - W @ (E @ V) @ block @ back @ (W @ E))
    b_error = SAFETY * np.abs(back) @ (off_left @ np.abs(right) + EPS * np.abs(W) @ _largest(B, 0))
    c_error = SAFETY * (np.abs(left) @ off_right + EPS * _largest(C, 1) @ np.abs(V))
    refined = np.linalg.eigvals(block)
    error = float(np.max(np.abs(back) @ (np.abs(W) @ off_right)))
    return (
        PrincipalPart(
            complex(refined.mean()),
            (c @ b,),
            (c_error @ np.abs(b) + np.abs(c) @ b_error,),
            D + C @ right,
            -left @ (E @ right),
            b,
            b_error,
            right,
            (np.abs(c) > c_error).any(axis=1),
        ),
        refined,
        error,
    )


def _vectors(lu: Any, E: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Right (n, m) and left (m, n) invariant subspace beside the shift."""
    start = np.random.default_rng(5)
    V, W = (start.normal(size=(E.shape[0], count)).astype(complex) for _ in range(2))
    for _ in range(STEPS):
        V = np.linalg.qr(lu.solve(E @ V))[0]
        W = np.linalg.qr(lu.solve(E.T @ W, "T"))[0]
    return V, W.T


def _noise(matrix: Any) -> Any:
    """Rounding to expect in the entries: their own, and that of the largest ones of their row and column."""
    size = abs(matrix).tocoo()
    rows, columns = (np.sqrt(size.max(axis=k).toarray().ravel()) for k in (1, 0))
    size.data = ENTRY_NOISE * size.data + EPS * rows[size.row] * columns[size.col]
    return size.tocsr()


def _largest(matrix: np.ndarray, axis: int) -> np.ndarray:
    """Size of the entries with that of the largest one of each column (axis 0) or row (1) where there are any."""
    size = np.abs(matrix)
    return np.where(size > 0, size.max(axis=axis, keepdims=True, initial=0.0), 0.0)
