"""Conservative gyroscopic systems: skew matrices, whose eigenvalues are exactly imaginary."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.numerics.eigen.graded import graded_eigh
from eigenbody.numerics.eigen.stability import Judged, Pairs
from eigenbody.numerics.eigen.zeros import null_spaces
from eigenbody.numerics.matrices.noise import BACKWARD, EPS
from eigenbody.numerics.matrices.stacks import columns_of, norms


def gyroscopic_modes(A: np.ndarray, noise: np.ndarray, r: int) -> Iterator[Judged]:
    """Imaginary eigenvalues of skew A (g, 2e + r, 2e + r), their vectors and null spaces; those with a tie are left
    out.

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
        upper = values < 0
        even = np.flatnonzero(2 * upper.sum(axis=1) == values.shape[1])
        if len(even):
            first = np.argsort(~upper[even], axis=1, kind="stable")[:, : values.shape[1] // 2]
            above = np.take_along_axis(-1j * values[even], first, axis=1)
            yield _skew_modes(members[even], above, columns_of(vectors[even], first), null[even], noise[members[even]])


def _skew_modes(
    members: np.ndarray, above: np.ndarray, columns: np.ndarray, null: np.ndarray, noise: np.ndarray
) -> Judged:
    """What belongs to the eigenvalues (g, m) of skew matrices that lie above zero, with unit vectors (g, n, m)."""
    (g, m), zeros = above.shape, null.shape[-1]
    vectors = np.stack([columns, columns.conj()], axis=-1).reshape(g, -1, 2 * m)
    eigenvalues, no = np.stack([above, above.conj()], axis=-1).reshape(g, 2 * m), np.zeros((g, 2 * m), bool)
    weight = np.abs(vectors)
    largest = np.abs(above).max(axis=1, initial=0.0)[:, None]
    bounds = np.sum(weight * (noise @ weight), axis=1) + BACKWARD * EPS * largest
    others = Pairs(eigenvalues, vectors, ~no, no, no, bounds)
    return Judged(members, (zeros,), null, others, np.full(g, zeros), norms(noise))
