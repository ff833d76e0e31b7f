"""The block of a matrix on the invariant subspace of its smallest eigenvalues, with an error for every entry.

Orthogonal transformations find the subspace to eps * norm / separation. The block is then formed anew from the matrix
itself by the left and the right basis, so that the error of the subspaces enters it in second order alone, and what
the entries of the matrix are uncertain by enters entry by entry (Stewart & Sun, Matrix Perturbation Theory, V.2).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.errors import ComputationError
from eigenbody.numerics.noise import EPS

ROUNDINGS = 4.0
"""Roundings, in eps, of a product of left basis, matrix and right basis."""


@dataclass(frozen=True, slots=True)
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
        raise ComputationError(f"Eigenvalues of a system with {n} states: the QR algorithm did not converge.")
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
