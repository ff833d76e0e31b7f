"""Blocks of matrices on the invariant subspaces of their smallest eigenvalues, with an error for every entry.

Orthogonal transformations find the subspace to eps * norm / separation. The block is then formed anew from the matrix
itself by the left and the right basis, so that the error of the subspaces enters it in second order alone, and what
the entries of the matrix are uncertain by enters entry by entry (Stewart & Sun, Matrix Perturbation Theory, V.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.noise import EPS, own_coordinates
from eigenbody.numerics.matrices.stacks import norms

NOT_CONVERGED = (
    "Eigenvalues of a system with {} states: the QR algorithm did not converge. "
    "Check the matrices for entries of absurd magnitude."
)
INDEPENDENT = 1e-3
"""Eigenvectors farther from depending on each other than this span an invariant subspace as well as a Schur form."""
SLOW = 0.5
"""What a subspace of small eigenvalues may do, in parts of the least that the rest of the matrix does."""
ROUNDINGS = 4.0
"""Roundings, in eps, of a product of left basis, matrix and right basis."""
HUGE = 1e100
"""Component of an eigenvector, beside others of size one, from which it is made smaller lest it overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """`left` (g, k, n) @ A @ `right` (g, n, k) = `matrix` (g, k, k) with left @ right = 1; `error` (g, k, k) bounds its
    entries."""

    left: np.ndarray
    right: np.ndarray
    matrix: np.ndarray
    error: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Subspace:
    """Left (k, n) and right (n, k) basis of an invariant subspace of a matrix (n, n), the right one orthonormal, left @
    right = 1, A @ right = right @ `form`; `separation` of its eigenvalues from the others. A leading axis for many."""

    left: np.ndarray
    right: np.ndarray
    form: np.ndarray
    separation: np.ndarray

    def of(self, members: np.ndarray) -> Subspace:
        return Subspace(self.left[members], self.right[members], self.form[members], self.separation[members])


def subspace_of_vectors(A: np.ndarray, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, Subspace]:
    """The subspaces that real vectors (g, n, k) span, left and right ones of the k smallest eigenvalues of A (g, n, n);
    of those (m,) alone for which that is as good as a Schur form: the vectors are independent, and what A does within
    the subspace is slow beside what it does elsewhere."""
    k = right.shape[-1]
    own, triangle = np.linalg.qr(right)
    least = np.abs(np.diagonal(triangle, axis1=-2, axis2=-1)).min(axis=-1)
    shared = np.linalg.svd(left.mT @ own, compute_uv=False)[:, -1]
    members = np.flatnonzero(np.minimum(least, shared) > INDEPENDENT)
    A, left, basis = A[members], left[members], np.linalg.qr(right[members], mode="complete")[0]
    own, rest = basis[..., :k], basis[..., k:]
    form, others = own.mT @ A @ own, _least_gains(rest.mT @ A @ rest)
    slow = norms(form) <= SLOW * others
    # |T11 X - X T22| >= (smallest singular value of T22 - |T11|) |X|
    found = Subspace(np.linalg.solve(left.mT @ own, left.mT), own, form, others - norms(form))
    return members[slow], found.of(np.flatnonzero(slow))


def _least_gains(A: np.ndarray) -> np.ndarray:
    """What the smallest singular values of A (g, n, n) reach at least: 1 / sqrt(|A^-1|_1 |A^-1|_inf)."""
    try:
        size = np.abs(np.linalg.inv(A))
    except np.linalg.LinAlgError:  # one of them is singular
        return np.linalg.svd(A, compute_uv=False)[:, -1]
    return 1 / np.sqrt(size.sum(axis=1).max(axis=1) * size.sum(axis=2).max(axis=1))


def subspace_of_smallest(A: np.ndarray, count: int) -> Subspace:
    """That of the `count` eigenvalues of smallest magnitude of A (n, n), or one more where that parts a pair."""
    from scipy.linalg.lapack import dgees, dtrsen, dtrsyl

    n = len(A)
    form, _, real, imag, basis, _, info = dgees(lambda _re, _im: 0, A)
    if info:
        raise ComputationError(NOT_CONVERGED.format(n))
    size = np.hypot(real, imag)
    chosen = size <= np.partition(size, count - 1)[count - 1]
    k = int(chosen.sum())
    if k == n:
        return Subspace(np.eye(n), np.eye(n), A, np.array(np.inf))
    room = 2 * k * (n - k)
    form, basis, _, _, k, _, separation, info = dtrsen(chosen, form, basis, job="B", lwork=room, liwork=room)
    if info:
        raise ComputationError(f"The slowest eigenvalues of a system with {n} states could not be told apart.")
    across, scale, _ = dtrsyl(form[:k, :k], form[k:, k:], form[:k, k:], isgn=-1)
    left = basis[:, :k].T + across / scale @ basis[:, k:].T
    return Subspace(left, basis[:, :k], form[:k, :k], np.array(separation))


def block_of(A: np.ndarray, noise: np.ndarray, space: Subspace) -> Block:
    """Each A (g, n, n) on its invariant subspace."""
    size, left, right = EPS * norms(A), space.left, space.right
    off_right = norms(A @ right - right @ space.form) + size
    off_left = norms(left @ A - space.form @ left) + size * norms(left)
    return _echelon(A, noise, left, right, off_left * off_right / space.separation)


def _echelon(A: np.ndarray, noise: np.ndarray, left: np.ndarray, right: np.ndarray, second_order: np.ndarray) -> Block:
    """The block in states of A: k of them are the coordinates of the subspace, which keeps apart what is apart in A."""
    k = right.shape[-1]
    own = np.sort(own_coordinates(right), axis=-1)
    turn = np.take_along_axis(right, own[:, :, None], axis=1)
    back = np.linalg.inv(turn)
    right, left = right @ back, turn @ left
    np.put_along_axis(right, own[:, :, None], np.broadcast_to(np.eye(k), (len(own), k, k)), axis=1)
    left = np.linalg.solve(left @ right, left)
    error = np.abs(left) @ (noise + ROUNDINGS * EPS * np.abs(A)) @ np.abs(right)
    tilt = np.linalg.norm(turn, axis=2)[:, :, None] * np.linalg.norm(back, axis=1)[:, None, :]
    return Block(left, right, left @ (A @ right), error + second_order[:, None, None] * tilt)


def schur_pairs(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues (g, n) of each A (g, n, n) in adjacent conjugate pairs, unit left and right vectors (g, n, n): by
    substitution in the Schur form of A as it is, without any scaling."""
    from scipy.linalg.lapack import dgees

    found = [dgees(lambda _re, _im: 0, one) for one in A]
    if any(info for *_, info in found):
        raise ComputationError(NOT_CONVERGED.format(A.shape[-1]))
    form, real, imag, basis = (np.stack([one[part] for one in found]) for part in (0, 2, 3, 4))
    form, basis = _complex_schur(form, basis)
    flipped = form.conj().mT[:, ::-1, ::-1]
    right, left = basis @ _substituted(form), basis @ _substituted(flipped)[:, ::-1, ::-1]
    k, first = np.nonzero(imag > 0)
    for vectors in (left, right):
        vectors[:] = np.where((imag == 0)[:, None, :], _turned_real(vectors), vectors)
        vectors[k, :, first + 1] = vectors[k, :, first].conj()
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return real + 1j * imag, left, right


def _complex_schur(form: np.ndarray, basis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Upper triangular forms (g, n, n) and their bases from real ones with blocks of two on the diagonal, each turned
    upright by a rotation of its two states (Golub & Van Loan, 7.4)."""
    T, Z = form.astype(complex), basis.astype(complex)
    for m in range(T.shape[-1] - 1, 0, -1):
        size = np.abs(T[:, m - 1, m - 1]) + np.abs(T[:, m, m])
        own = np.flatnonzero(np.abs(T[:, m, m - 1]) > EPS * size)
        if len(own):
            pair = slice(m - 1, m + 1)
            mu = np.linalg.eigvals(T[own, pair, pair])[:, 0] - T[own, m, m]
            low = T[own, m, m - 1]
            r = np.hypot(np.abs(mu), np.abs(low))
            c, s = mu / r, low / r
            turn = np.stack([np.stack([c.conj(), s], axis=-1), np.stack([-s, c], axis=-1)], axis=-2)
            T[own, pair, m - 1 :] = turn @ T[own, pair, m - 1 :]
            T[own, : m + 1, pair] = T[own, : m + 1, pair] @ turn.conj().mT
            Z[own, :, pair] = Z[own, :, pair] @ turn.conj().mT
        T[:, m, m - 1] = 0.0
    return T, Z


def _substituted(form: np.ndarray) -> np.ndarray:
    """Eigenvectors (g, n, n) of upper triangular matrices, in their own order; of a repeated eigenvalue as good as its
    rounding allows."""
    out = np.broadcast_to(np.eye(form.shape[-1], dtype=complex), form.shape).copy()
    values = np.diagonal(form, axis1=1, axis2=2)
    smallest = EPS * np.maximum(norms(form), np.finfo(float).tiny / EPS)[:, None]
    for i in range(form.shape[-1] - 2, -1, -1):  # the next row of all vectors at once
        apart = values[:, i, None] - values[:, i + 1 :]
        apart = np.where(np.abs(apart) > smallest, apart, smallest)
        row = -(form[:, i : i + 1, i + 1 :] @ out[:, i + 1 :, i + 1 :])[:, 0] / apart
        out[:, i, i + 1 :] = row
        if np.abs(row).max() > HUGE:
            out[:, i:, i + 1 :] /= np.maximum(np.abs(row), 1.0)[:, None]
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def _turned_real(vectors: np.ndarray) -> np.ndarray:
    """Columns (g, n, m) that are real up to a factor, made so."""
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=1)[:, None], axis=1)
    return (vectors / np.where(largest == 0, 1.0, largest)).real
