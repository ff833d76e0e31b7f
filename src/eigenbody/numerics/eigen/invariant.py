"""The block of a matrix on the invariant subspace of its smallest eigenvalues, with an error for every entry.

Orthogonal transformations find the subspace to eps * norm / separation. The block is then formed anew from the matrix
itself by the left and the right basis, so that the error of the subspaces enters it in second order alone, and what
the entries of the matrix are uncertain by enters entry by entry (Stewart & Sun, Matrix Perturbation Theory, V.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.noise import EPS

NOT_CONVERGED = (
    "Eigenvalues of a system with {} states: the QR algorithm did not converge. "
    "Check the matrices for entries of absurd magnitude."
)
ROUNDINGS = 4.0
"""Roundings, in eps, of a product of left basis, matrix and right basis."""


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """`left` (k, n) @ A @ `right` (n, k) = `matrix` (k, k) with left @ right = 1; `error` (k, k) bounds its entries."""

    left: np.ndarray
    right: np.ndarray
    matrix: np.ndarray
    error: np.ndarray


def block_of_smallest(A: np.ndarray, noise: np.ndarray, count: int) -> Block:
    """The block of the `count` eigenvalues of smallest magnitude of A (n, n), or one more where that parts a pair."""
    from scipy.linalg.lapack import dgees, dtrsen, dtrsyl

    n = len(A)
    form, _, real, imag, basis, _, info = dgees(lambda _re, _im: 0, A)
    if info:
        raise ComputationError(NOT_CONVERGED.format(n))
    size = np.hypot(real, imag)
    chosen = size <= np.partition(size, count - 1)[count - 1]
    k = int(chosen.sum())
    if k == n:
        basis, form, separation = np.eye(n), A, np.inf
        across = np.zeros((n, 0))
    else:
        room = 2 * k * (n - k)
        form, basis, _, _, k, _, separation, info = dtrsen(chosen, form, basis, job="B", lwork=room, liwork=room)
        if info:
            raise ComputationError(f"The slowest eigenvalues of a system with {n} states could not be told apart.")
        across, scale, _ = dtrsyl(form[:k, :k], form[k:, k:], form[:k, k:], isgn=-1)
        across = across / scale
    right, left = basis[:, :k], basis[:, :k].T + across @ basis[:, k:].T
    off_right = np.linalg.norm(A @ right - right @ form[:k, :k]) + EPS * np.linalg.norm(A)
    off_left = np.linalg.norm(left @ A - form[:k, :k] @ left) + EPS * np.linalg.norm(A) * np.linalg.norm(left)
    return _echelon(A, noise, left, right, float(off_left * off_right / separation))


def _echelon(A: np.ndarray, noise: np.ndarray, left: np.ndarray, right: np.ndarray, second_order: float) -> Block:
    """The block in states of A: k of them are the coordinates of the subspace, which keeps apart what is apart in A."""
    from scipy.linalg import qr

    k = right.shape[1]
    own = np.sort(qr(right.T, mode="r", pivoting=True, check_finite=False)[1][:k])
    turn = right[own]
    back = np.linalg.inv(turn)
    right, left = right @ back, turn @ left
    right[own] = np.eye(k)
    left = np.linalg.solve(left @ right, left)
    error = np.abs(left) @ (noise + ROUNDINGS * EPS * np.abs(A)) @ np.abs(right)
    return Block(left, right, left @ (A @ right), error + second_order * np.outer(
        np.linalg.norm(turn, axis=1), np.linalg.norm(back, axis=0)
    ))  # fmt: skip


def schur_pairs(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues (n,) in adjacent conjugate pairs, unit left and right vectors (n, n): by substitution in the Schur
    form of A as it is, without any scaling."""
    from scipy.linalg import rsf2csf
    from scipy.linalg.lapack import dgees

    form, _, real, imag, basis, _, info = dgees(lambda _re, _im: 0, A)
    if info:
        raise ComputationError(NOT_CONVERGED.format(len(A)))
    form, basis = rsf2csf(form, basis, check_finite=False)
    right, left = basis @ _substituted(form), basis @ _substituted(form.conj().T[::-1, ::-1])[::-1, ::-1]
    upper = np.flatnonzero(imag > 0)
    for vectors in (left, right):
        vectors[:, imag == 0] = _turned_real(vectors[:, imag == 0])
        vectors[:, upper + 1] = vectors[:, upper].conj()
        vectors /= np.linalg.norm(vectors, axis=0)
    return real + 1j * imag, left, right


def _substituted(form: np.ndarray) -> np.ndarray:
    """Eigenvectors (n, n) of an upper triangular matrix, in its own order; of a repeated eigenvalue as good as its
    rounding allows."""
    from scipy.linalg.lapack import ztrtrs

    out = np.eye(len(form), dtype=complex)
    smallest = EPS * max(np.linalg.norm(form), np.finfo(float).tiny / EPS)
    for k in range(1, len(form)):
        apart = form[:k, :k] - form[k, k] * np.eye(k)
        pivots = np.diagonal(apart)
        apart[np.diag_indices(k)] = np.where(np.abs(pivots) > smallest, pivots, smallest)
        column = np.append(ztrtrs(apart, -form[:k, k])[0], 1.0)
        out[: k + 1, k] = column / np.linalg.norm(column)
    return out


def _turned_real(vectors: np.ndarray) -> np.ndarray:
    """Columns that are real up to a factor, made so."""
    largest = np.take_along_axis(vectors, np.abs(vectors).argmax(axis=0)[None], axis=0)
    return (vectors / np.where(largest == 0, 1.0, largest)).real
