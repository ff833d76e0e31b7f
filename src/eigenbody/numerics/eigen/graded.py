"""Symmetric problems with widely spread eigenvalues: null space within noise, mass basis, graded eigenvalues."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.noise import BACKWARD, even_noise, own_coordinates, unscaled
from eigenbody.numerics.matrices.stacks import alike, columns_of, norms, outer
from eigenbody.numerics.matrices.thin import product

GRADED = 1e-6
"""Symmetric eigenvalues below this part of the largest are computed again within their own subspace."""

INDEPENDENT = 1e8
"""Vectors whose condition number (Frobenius) is below this are inverted: eight digits are left, enough for a bound."""

NOT_CONVERGED = "Rigid motions: the symmetric eigenvalue algorithm did not converge. Check the entries of K."
NOT_DEFINITE = (
    "The mass matrix is not positive definite. "
    "Give every moving coordinate a mass or an inertia, or remove the coordinate."
)


def mass_basis(M: np.ndarray) -> np.ndarray:
    """Upper triangular T of each M (..., n, n) with T^T M T = 1; the softest coordinate, first, is not touched by the
    others."""
    from scipy.linalg.lapack import dpotrf, dtrtri

    if M.ndim > 2:
        return mass_basis(M[0])[None] if len(M) == 1 else np.stack([mass_basis(one) for one in M])
    if not len(M):
        return np.zeros((0, 0))
    factor, info = dpotrf(M.T, lower=1)  # symmetric: columns together in memory, as LAPACK wants them
    if info:
        raise ComputationError(NOT_DEFINITE)
    return dtrtri(factor, lower=1, overwrite_c=1)[0].T


NullSpaces = Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]
"""Numbers (m,) of matrices with null spaces of one dimension k, these (m, n, k), and coordinates (m, k) that tell the
vectors of each apart."""


def symmetric_null_spaces(K: np.ndarray, noise: np.ndarray) -> NullSpaces:
    """Null spaces of symmetric K (g, n, n) within their noise."""
    from scipy.linalg.lapack import dpotrf, dsyevr

    g, n = K.shape[:2]
    if not n:
        yield np.arange(g), np.zeros((g, 0, 0)), np.zeros((g, 0), dtype=int)
        return
    scale, _, level = even_noise(noise)
    exact = np.flatnonzero(level == 0)
    if len(exact):
        yield exact, np.broadcast_to(np.eye(n), (len(exact), n, n)), np.broadcast_to(np.arange(n), (len(exact), n))
    even = K / outer(scale, scale)
    less = even.copy()
    less[:, np.arange(n), np.arange(n)] -= 2.0 * level[:, None]
    counts, vectors = np.zeros(g, dtype=int), {}
    for k in np.flatnonzero(level > 0).tolist():
        if dpotrf(less[k])[1]:
            _, found, counts[k], _, info = dsyevr(even[k], range="V", vl=-level[k], vu=level[k], lower=1)
            if info:
                raise ComputationError(NOT_CONVERGED)
            vectors[k] = found[:, : counts[k]]
    counts[exact] = -1
    for count, members in alike(counts):
        if count == 0:
            yield members, np.zeros((len(members), n, 0)), np.zeros((len(members), 0), dtype=int)
        elif count > 0:
            v = np.stack([vectors[k] for k in members.tolist()])
            yield from _told_apart(
                K[members], noise[members], even[members], scale[members], level[members], v, members
            )


def _told_apart(
    K: np.ndarray, noise: np.ndarray, even: np.ndarray, scale: np.ndarray, level: np.ndarray, vectors: np.ndarray,
    members: np.ndarray,
) -> NullSpaces:  # fmt: skip
    """Null spaces from those (m, n, k) of evenly scaled matrices at their level of noise."""
    columns, own = unscaled(vectors, scale)
    if own.shape[1] == K.shape[-1]:
        yield members, columns, own
        return
    across = even @ vectors
    across = (across - vectors @ (vectors.mT @ across)) @ (vectors.mT @ (columns * scale[:, :, None]))
    within = _null_within(K, noise, columns, own, np.linalg.norm(across, axis=1) / np.sqrt(level)[:, None])
    yield from ((members[part], null, told) for part, null, told in within)


def _null_within(
    K: np.ndarray, noise: np.ndarray, columns: np.ndarray, own: np.ndarray, across: np.ndarray
) -> NullSpaces:
    """What of subspaces (m, n, k) is null entry by entry, and coordinates of it: the level of the noise of all entries
    together, at which a subspace was found, may be far above that of the few entries that a motion feels. `across`
    (m, k), squared, is how much of the stiffness of each column may be that of others, to which the subspace is tilted.
    """
    size = np.abs(columns)
    block, block_noise = columns.mT @ K @ columns, size.mT @ noise @ size + outer(across, across)
    spaces = symmetric_null_spaces((block + block.mT) / 2, np.maximum(block_noise, block_noise.mT))
    for part, within, _ in spaces:
        if within.shape[-1] == columns.shape[-1]:
            yield part, columns[part], own[part]
            continue
        kept = columns[part] @ within
        kept = kept / np.linalg.norm(kept, axis=1, keepdims=True)
        yield part, kept, np.take_along_axis(own[part], own_coordinates(within), axis=1)


def graded_eigh(H: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues of each X^H H X by rising magnitude and the vectors in the coordinates of H; (g, n, n) and (g, n, m),
    or without the leading axis.

    The error of `eigh` is eps times the largest eigenvalue, but the subspace of the small ones is right to eps, so the
    small ones are found again inside it: the error left is of second order.
    """
    if H.ndim == 2:
        values, vectors = graded_eigh(H[None], X[None])
        return values[0], vectors[0]
    projected = X.conj().mT @ product(H, X)
    values, rotation = np.linalg.eigh((projected + projected.conj().mT) / 2)
    if values[:, :1].min(initial=0.0) < 0:  # they come by rising value
        order = np.argsort(np.abs(values), axis=-1, kind="stable")
        values, rotation = np.take_along_axis(values, order, axis=-1), columns_of(rotation, order)
    vectors = X @ rotation
    size = np.abs(values)
    for slow, members in alike((size < GRADED * size.max(axis=-1, keepdims=True, initial=0.0)).sum(axis=-1)):
        if slow:
            again = graded_eigh(H[members], vectors[members][..., : int(slow)])
            values[members, : int(slow)], vectors[members, :, : int(slow)] = again
    return values, vectors


def graded_error(values: np.ndarray) -> np.ndarray:
    """Error bound of every value of `graded_eigh` as it leaves them: a few eps of the largest in its own subspace."""
    size, level = np.abs(values), np.zeros(values.shape)
    pending = np.ones(values.shape, bool)
    while pending.any():
        largest = np.where(pending, size, -1.0).max(axis=-1, keepdims=True)
        found = pending & (size >= GRADED * largest)
        level, pending = np.where(found, largest, level), pending & ~found
    return BACKWARD * np.finfo(float).eps * level


def left_vectors(right: np.ndarray) -> np.ndarray:
    """(..., n, m) left vectors, as rows, of which `right` (..., m, n) has the right ones: its inverse, or where the
    vectors depend on each other that of least squares, which takes a singular value decomposition."""
    if right.ndim > 2:
        try:
            found = np.linalg.inv(right) if right.shape[-1] == right.shape[-2] else None
        except np.linalg.LinAlgError:
            found = None  # which of them depend on each other shows one by one
        if found is not None and np.all(norms(found) * norms(right) < INDEPENDENT):
            return found
        return np.stack([left_vectors(one) for one in right])
    if right.shape[0] == right.shape[1]:
        try:
            found = np.linalg.inv(right)
        except np.linalg.LinAlgError:
            return np.linalg.pinv(right)
        if np.linalg.norm(found) * np.linalg.norm(right) < INDEPENDENT:
            return found
    return np.linalg.pinv(right)
