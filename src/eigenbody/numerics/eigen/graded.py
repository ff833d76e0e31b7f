"""Symmetric problems with widely spread eigenvalues: null space within noise, mass basis, graded eigenvalues."""

from __future__ import annotations

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.noise import BACKWARD, even_noise, unscaled

GRADED = 1e-6
"""Symmetric eigenvalues below this part of the largest are computed again within their own subspace."""

INDEPENDENT = 1e8
"""Vectors whose condition number (Frobenius) is below this are inverted: eight digits are left, enough for a bound."""

NOT_DEFINITE = (
    "The mass matrix is not positive definite. "
    "Give every moving coordinate a mass or an inertia, or remove the coordinate."
)


def mass_basis(M: np.ndarray) -> np.ndarray:
    """Upper triangular T (n, n) with T^T M T = 1; the softest coordinate, first, is not touched by the others."""
    from scipy.linalg.lapack import dpotrf, dtrtrs

    if not len(M):
        return np.zeros((0, 0))
    factor, info = dpotrf(M, lower=1)
    if info:
        raise ComputationError(NOT_DEFINITE)
    return dtrtrs(factor, np.eye(len(M)), lower=1)[0].T


def symmetric_null_space(K: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Null space (n, k) of a symmetric K within its noise, and k coordinates (k,) that tell its vectors apart."""
    from scipy.linalg import eigh
    from scipy.linalg.lapack import dpotrf

    if not len(K):
        return np.zeros((0, 0)), np.zeros(0, dtype=int)
    scale, _, level = even_noise(noise)
    if not level:
        return np.eye(len(K)), np.arange(len(K))
    even = K / np.outer(scale, scale)
    less = even.copy()
    less[np.diag_indices(len(K))] -= 2.0 * level
    if dpotrf(less)[1] == 0:
        return np.zeros((len(K), 0)), np.zeros(0, dtype=int)
    _, vectors = eigh(even, subset_by_value=(-level, level), check_finite=False)
    columns, own = unscaled(vectors, scale)
    if len(own) in (0, len(K)):
        return columns, own
    across = even @ vectors
    across = (across - vectors @ (vectors.T @ across)) @ (vectors.T @ (columns * scale[:, None]))
    return _null_within(K, noise, columns, own, np.linalg.norm(across, axis=0) / np.sqrt(level))


def _null_within(
    K: np.ndarray, noise: np.ndarray, columns: np.ndarray, own: np.ndarray, across: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What of a subspace (n, k) is null entry by entry, and coordinates of it: the level of the noise of all entries
    together, at which the subspace was found, may be far above that of the few entries that a motion feels. `across`
    (k,), squared, is how much of the stiffness of each column may be that of others, to which the subspace is tilted.
    """
    from scipy.linalg import qr

    size = np.abs(columns)
    block, block_noise = columns.T @ K @ columns, size.T @ noise @ size + np.outer(across, across)
    within, _ = symmetric_null_space((block + block.T) / 2, np.maximum(block_noise, block_noise.T))
    if within.shape[1] == columns.shape[1]:
        return columns, own
    kept = columns @ within
    return kept / np.linalg.norm(kept, axis=0), own[qr(within.T, mode="r", pivoting=True)[1][: within.shape[1]]]


def graded_eigh(H: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of X^H H X by rising magnitude and the vectors in the coordinates of H.

    The error of `eigh` is eps times the largest eigenvalue, but the subspace of the small ones is right to eps, so the
    small ones are found again inside it: the error left is of second order.
    """
    projected = X.conj().T @ H @ X
    values, rotation = np.linalg.eigh((projected + projected.conj().T) / 2)
    order = np.argsort(np.abs(values), kind="stable")
    values, vectors = values[order], X @ rotation[:, order]
    slow = int(np.sum(np.abs(values) < GRADED * np.abs(values).max(initial=0.0)))
    if slow:
        values[:slow], vectors[:, :slow] = graded_eigh(H, vectors[:, :slow])
    return values, vectors


def graded_error(values: np.ndarray) -> np.ndarray:
    """Error bound of every value of `graded_eigh` as it leaves them: a few eps of the largest in its own subspace."""
    size, level = np.abs(values), np.zeros(len(values))
    pending = np.ones(len(values), bool)
    while pending.any():
        largest = size[pending].max()
        found = pending & (size >= GRADED * largest)
        level[found], pending = largest, pending & ~found
    return BACKWARD * np.finfo(float).eps * level


def error_of_dropped(stiffness: np.ndarray, vectors: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
    """What a stiffness (e + r, r), taken for nothing but felt by rigid amplitudes after all, would make of eigenvalues
    of z' = A z with z = [elastic, elastic rates, rigid rates] (2e + r): nothing of the zeros, whose vectors come first
    among `vectors` (2e + r, zeros + m), something of the m others."""
    r = stiffness.shape[1]
    e, zeros = len(stiffness) - r, vectors.shape[1] - len(eigenvalues)
    left = np.abs(left_vectors(vectors))[zeros:, e:]
    amplitudes = np.abs(vectors[2 * e :, zeros:]) / np.abs(eigenvalues)
    return np.concatenate([np.zeros(zeros), np.sum(left.T * (stiffness @ amplitudes), axis=0)])


def left_vectors(right: np.ndarray) -> np.ndarray:
    """(n, m) left vectors, as rows, of which `right` (m, n) has the right ones: its inverse, or where the vectors
    depend on each other that of least squares, which takes a singular value decomposition."""
    if right.shape[0] == right.shape[1]:
        try:
            found = np.linalg.inv(right)
        except np.linalg.LinAlgError:
            return np.linalg.pinv(right)
        if np.linalg.norm(found) * np.linalg.norm(right) < INDEPENDENT:
            return found
    return np.linalg.pinv(right)
