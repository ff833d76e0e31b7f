"""Conservative gyroscopic systems: skew matrices, whose eigenvalues are exactly imaginary."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from eigenbody.numerics.eigen.graded import graded_eigh
from eigenbody.numerics.eigen.zeros import null_spaces
from eigenbody.numerics.matrices.noise import BACKWARD, EPS


class StatePairs(NamedTuple):
    """What the eigenproblem of one system has: the chain of zeros with their vectors, the other eigenvalues with
    theirs, flags, errors of all, and how many a plain algorithm finds near zero."""

    weyr: tuple[int, ...]
    generalized: np.ndarray
    eigenvalues: np.ndarray
    vectors: np.ndarray
    on_axis: np.ndarray
    defective: np.ndarray
    undecided: np.ndarray
    errors: np.ndarray
    near_zero: int


def gyroscopic_pairs(A: np.ndarray, noise: np.ndarray, r: int) -> Iterator[tuple[int, StatePairs]]:
    """Imaginary eigenvalues of skew A (g, 2e + r, 2e + r), their vectors and null spaces, by the number of each; those
    with a tie are left out.

    Hermitian problem i A. The null space is that of the rigid block of A; elastic states follow quasi-statically.
    """
    size, e = A.shape[-1], (A.shape[-1] - r) // 2
    A = (A - A.mT) / 2
    each = np.arange(e)
    for members, loose in null_spaces(A[:, 2 * e :, 2 * e :], noise[:, 2 * e :, 2 * e :]):
        own, zeros = A[members], loose.shape[-1]
        null = np.zeros((len(members), size, zeros))
        null[:, 2 * e :] = loose
        null[:, :e] = own[:, e : 2 * e, 2 * e :] @ loose / own[:, each, each + e, None]
        complement = np.broadcast_to(np.eye(size), own.shape)
        if zeros:
            complement = np.linalg.qr(null, mode="complete")[0][..., zeros:]
        values, vectors = graded_eigh(1j * own, complement.astype(complex))
        for k, number in enumerate(members.tolist()):
            upper = values[k] < 0
            if 2 * int(upper.sum()) == len(upper):
                yield number, _skew_pairs(-1j * values[k, upper], vectors[k][:, upper], null[k], noise[number])


def _skew_pairs(upper: np.ndarray, columns: np.ndarray, null: np.ndarray, noise: np.ndarray) -> StatePairs:
    """What belongs to the eigenvalues (m,) of a skew matrix that lie above zero, with their unit vectors (n, m)."""
    zeros, no = null.shape[1], np.zeros(2 * len(upper), bool)
    pairs = np.stack([columns, columns.conj()], axis=2).reshape(len(columns), len(no))
    eigenvalues = np.column_stack([upper, upper.conj()]).ravel()
    weight = np.abs(pairs)
    bounds = np.sum(weight * (noise @ weight), axis=0) + BACKWARD * EPS * np.abs(upper).max(initial=0.0)
    errors = np.concatenate([np.full(zeros, np.linalg.norm(noise)), bounds])
    return StatePairs((zeros,), null, eigenvalues, pairs, ~no, no, no, errors, zeros)
