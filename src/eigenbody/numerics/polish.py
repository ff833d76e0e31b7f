"""Eigenvalues found after zeros were split off, made accurate on the whole matrix again.

Splitting off a nearly defective zero leaves an error in what remains that can be far above the rounding of the whole
matrix. One step of two-sided Rayleigh quotient iteration on the whole matrix removes it: its error is of second order.
"""

from __future__ import annotations

import numpy as np

LARGEST = 160  # order up to which every eigenvalue is polished; each takes a factorization
NEAR = 1e-3  # a step further than this, relative, does not belong to the same eigenvalue


def polished(A: np.ndarray, values: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (m,) and vectors (n, m) of A (n, n) after one step; conjugate pairs stay exact."""
    values, vectors = values.astype(complex), vectors.astype(complex)
    if not len(values) or len(A) > LARGEST:
        return values, vectors
    upper = np.flatnonzero(values.imag >= 0)
    for i in upper:
        found = _step(A, values[i], vectors[:, i])
        if found is None:
            continue
        partner = np.flatnonzero(values == values[i].conj()) if values[i].imag > 0 else np.zeros(0, dtype=int)
        values[i], vectors[:, i] = found
        if len(partner):
            values[partner[0]], vectors[:, partner[0]] = found[0].conjugate(), found[1].conj()
    return values, vectors


def _step(A: np.ndarray, value: complex, vector: np.ndarray) -> tuple[complex, np.ndarray] | None:
    """A better eigenvalue and its vector, or None where the step does not settle."""
    from scipy.linalg.lapack import zgetrf, zgetrs

    real = value.imag == 0
    for _ in range(2):
        factor, pivots, info = zgetrf(A - value * np.eye(len(A)))
        if info > 0:  # exactly an eigenvalue already
            return value, vector
        right = zgetrs(factor, pivots, vector)[0]
        left = zgetrs(factor, pivots, vector.conj(), trans=2)[0]
        right, left = right / np.linalg.norm(right), left / np.linalg.norm(left)
        overlap = left.conj() @ right
        if not np.isfinite(right).all() or abs(overlap) < 1e-8:
            return None
        better = left.conj() @ (A @ right) / overlap
        if real:
            better = complex(better.real)
        if abs(better - value) > NEAR * abs(value):
            return None
        value, vector = better, right
    return value, vector
