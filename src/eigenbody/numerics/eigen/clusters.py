"""Left and right eigenvectors of a real matrix, with repeated and defective eigenvalues recognized.

Rounding alone moves eigenvalue i by eps * |A| / |l_i^H r_i| (unit vectors l, r): its own error bound. Eigenvalues that
stand within their bounds are candidates for one multiple eigenvalue; the decision is made on their common invariant
subspace, which is well determined where the single vectors are not. Its k-by-k Schur block T = mean + N is compared
with what rounding does to the block, error = eps * |A| / (condition number of the spectral projector):

    |N|   <= 4 * error                  one eigenvalue with k vectors: semisimple
    |N^m| <= m * error * |N|^(m-1)      one eigenvalue with a Jordan chain of length m >= 2: defective
    else                                no multiple eigenvalue: the candidates are divided and looked at again

(Golub & Van Loan, Matrix Computations, 7.2, 7.6; Bai, Demmel & McKenney 1993 for the projector.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.runtime import on_one_thread

EPS = float(np.finfo(float).eps)
BACKWARD = 3.0
"""Rounding of A and of the QR algorithm in units of eps * Frobenius norm. Jordan blocks of order 2 to 5 in matrices of
order 2 to 120 stay below 1.2, repeated eigenvalues below 2.7, a gap of 1e-6 between parallel vectors is above 30."""
REACH = 30.0
"""Candidates are linked within this many bounds; the subspace test then decides."""
SEMISIMPLE = 4.0
"""Part of the error by which a block may differ from a multiple of one; doubt must not look like a short chain."""
FARTHEST = 0.05
"""No bound reaches further than this part of the largest eigenvalue: beyond it a first-order bound says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Cluster:
    """A multiple eigenvalue.

    members     (k,) indices, ascending
    eigenvalue  the mean of the members, which is well determined where they are scattered by rounding
    index       length of the longest Jordan chain: 1 semisimple, 2 or more defective
    """

    members: np.ndarray
    eigenvalue: complex
    index: int

    @property
    def defective(self) -> bool:
        """Whether there are fewer vectors than eigenvalues."""
        return self.index > 1


@dataclass(frozen=True, slots=True, eq=False)
class EigenBasis:
    """Eigenvalues and both sets of vectors of a real A (n, n), sorted by magnitude, conjugate pairs adjacent and exact.

    eigenvalues  (n,) complex; members of a cluster have the cluster's mean
    right        (n, n) complex, unit columns. Those of a cluster span its invariant subspace: eigenvectors when it is
                 semisimple, else the first is an eigenvector
    left         (n, n) complex columns l with left^H right = 1: A^T conj(l) = lambda conj(l)
    error        (n,) rounding error of each eigenvalue
    partner      (n,) index of the conjugate eigenvalue; a real one is its own
    clusters     the multiple eigenvalues
    """

    eigenvalues: np.ndarray
    right: np.ndarray
    left: np.ndarray
    error: np.ndarray
    partner: np.ndarray
    clusters: tuple[Cluster, ...]

    @property
    def cluster_of(self) -> np.ndarray:
        """(n,) number of the cluster of each eigenvalue, -1 for a simple one."""
        number = np.full(len(self.eigenvalues), -1)
        for i, cluster in enumerate(self.clusters):
            number[cluster.members] = i
        return number

    @property
    def defective(self) -> np.ndarray:
        """(n,) bool: member of a defective cluster."""
        flag = np.zeros(len(self.eigenvalues), bool)
        for cluster in self.clusters:
            flag[cluster.members] = cluster.defective
        return flag


@on_one_thread
def eigen_basis(A: np.ndarray, noise: np.ndarray | None = None, zero_chains: tuple[int, ...] = ()) -> EigenBasis:
    """Decompose a real A (n, n); `noise` (n, n) is the absolute error of its entries where it exceeds their rounding.

    `zero_chains` are the Jordan blocks of a zero eigenvalue known already: that many smallest eigenvalues are zero.
    The order is that of `eigen.Spectrum`.
    """
    from scipy.linalg import matrix_balance

    A = _checked(A)
    if not len(A):
        none = np.zeros((0, 0), complex)
        return EigenBasis(np.zeros(0, complex), none, none, np.zeros(0), np.zeros(0, int), ())
    if noise is not None:
        A = np.where(np.abs(A) > np.abs(noise), A, 0.0)  # balancing must not scale states by mere rounding
    B, (scale, _) = matrix_balance(A, permute=False, separate=True)
    level = BACKWARD * EPS * float(np.linalg.norm(B))
    spread = np.zeros_like(B) if noise is None else np.abs(noise) * scale / scale[:, None]
    values, left, right, partner = _sorted_pairs(B)
    coupling = np.sum(left.conj() * right, axis=0)
    seen = np.sum(np.abs(left) * (spread @ np.abs(right)), axis=0)
    error = np.minimum((level + seen) / np.maximum(np.abs(coupling), EPS), FARTHEST * np.abs(values).max())
    left = left / np.where(coupling == 0, 1.0, coupling).conj()

    clusters = []
    for found in _multiple(_Schur(B, level, spread), values, error, partner, zero_chains):
        for members, cluster in _mirrored(found, partner):
            values[members], right[:, members], left[:, members] = cluster.mean, cluster.right, cluster.left
            error[members] = cluster.error
            clusters.append(Cluster(members, cluster.mean, cluster.index))
    right, left = right * scale[:, None], left / scale[:, None]
    length = np.linalg.norm(right, axis=0)
    clusters.sort(key=lambda cluster: int(cluster.members[0]))
    basis = EigenBasis(values, right / length, left * length, error, partner, tuple(clusters))
    for array in (basis.eigenvalues, basis.right, basis.left, basis.error, basis.partner):
        array.setflags(write=False)
    return basis


def matching(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """For each wanted eigenvalue (k,) the index of its own one among those found (n,), n >= k, by least distance."""
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment(np.abs(wanted[:, None] - found))[1]


def _checked(A: np.ndarray) -> np.ndarray:
    A = np.asarray(A)
    if np.iscomplexobj(A) or A.ndim != 2 or A.shape[0] != A.shape[1] or not np.isfinite(A).all():
        raise ComputationError(f"Sensitivities need a real, finite, square A; got {A.dtype} of shape {A.shape}.")
    return A.astype(float)


def _sorted_pairs(B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues, unit left and right vectors sorted by magnitude, positive imaginary part first; and partners."""
    from scipy.linalg import LinAlgError, eig

    try:
        values, left, right = eig(B, left=True, right=True, check_finite=False)
    except LinAlgError as fault:
        raise ComputationError(
            f"Eigenvalues of a system with {len(B)} states: the QR algorithm did not converge. "
            "Check the matrices for entries of absurd magnitude."
        ) from fault
    first = np.flatnonzero(values.imag >= 0)
    first = first[np.lexsort((values[first].real, np.abs(values[first].imag), np.abs(values[first])))]
    count = 1 + (values[first].imag > 0)
    source, start = np.repeat(first, count), np.cumsum(count) - count
    end = start + count - 1
    partner, mirrored = np.empty(len(values), int), np.ones(len(values), bool)
    partner[start], partner[end], mirrored[start] = end, start, False
    values, left, right = (part[..., source].astype(complex) for part in (values, left, right))
    values, left, right = (np.where(mirrored, part.conj(), part) for part in (values, left, right))
    return values, left, right, partner


# ---------------------------------------------------------------- multiple eigenvalues


@dataclass(frozen=True, slots=True, eq=False)
class _Subspace:
    """Invariant subspace of a multiple eigenvalue: orthonormal `right` (n, k), its dual `left` (n, k)."""

    members: np.ndarray
    mean: complex
    error: float
    index: int
    right: np.ndarray
    left: np.ndarray


class _Schur:
    """Complex Schur form of B, made when it is needed, and the rounding of B: `level` in norm, `noise` by entry."""

    def __init__(self, B: np.ndarray, level: float, noise: np.ndarray) -> None:
        self._B, self._level, self._noise = B, level, noise
        self._form: tuple[np.ndarray, np.ndarray] | None = None

    def subspace(
        self, members: np.ndarray, values: np.ndarray, real: bool, known: tuple[complex, int] | None = None
    ) -> _Subspace | None:
        """The invariant subspace of these eigenvalues where they are one multiple eigenvalue, else None.

        `known` states its value and the length of its longest chain instead of the test.
        """
        T, Q, condition, k = *self._ordered(values[members]), len(members)
        size = np.abs(Q[:, :k])
        error = float((self._level + np.max(size.T @ self._noise @ size)) / max(condition, EPS))
        mean = complex(np.trace(T[:k, :k]) / k)
        mean = complex(mean.real) if real else mean
        index = confluence(T[:k, :k] - mean * np.eye(k), error)
        mean, index = (mean, index) if known is None else known
        if not index:
            return None
        return _Subspace(members, mean, error, index, Q[:, :k], _dual(T, Q, k))

    def _ordered(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Schur form with the chosen eigenvalues first, and the reciprocal condition of their projector."""
        from scipy.linalg import schur
        from scipy.linalg.lapack import ztrsen
        from scipy.optimize import linear_sum_assignment

        if self._form is None:
            self._form = schur(self._B, output="complex", check_finite=False)
        T, Q = self._form
        n, k = len(T), len(values)
        chosen = np.zeros(n, np.int32)
        chosen[linear_sum_assignment(np.abs(values[:, None] - np.diagonal(T)))[1]] = 1
        T, Q, _, _, condition, _, info = ztrsen(chosen, T, Q, job="E", lwork=max(1, k * (n - k)))
        if info:
            raise ComputationError("Repeated eigenvalues could not be gathered: check A for entries of absurd size.")
        return np.triu(T), Q, float(condition) if k < n else 1.0


def confluence(N: np.ndarray, error: float) -> int:
    """Length of the longest Jordan chain of a block N (k, k) that is nilpotent up to `error`; 0 when it is not.

    1 means N = 0: as many vectors as eigenvalues.
    """
    size = float(np.linalg.norm(N, 2))
    if size <= SEMISIMPLE * error:
        return 1
    power, unit = N / size, N / size
    for m in range(2, len(N) + 1):
        power = power @ unit
        if np.linalg.norm(power, 2) <= m * error / size:
            return m
    return 0


def _dual(T: np.ndarray, Q: np.ndarray, k: int) -> np.ndarray:
    """Left basis (n, k) of the leading invariant subspace: L^H Q[:, :k] = 1 and L^H A = T11 L^H."""
    from scipy.linalg.lapack import ztrsyl

    if k == len(T):
        return Q
    X, scale, _ = ztrsyl(T[:k, :k], T[k:, k:], -T[:k, k:], isgn=-1)
    return Q[:, :k] - Q[:, k:] @ (X / scale).conj().T


def _multiple(
    schur: _Schur, values: np.ndarray, error: np.ndarray, partner: np.ndarray, zero_chains: tuple[int, ...]
) -> list[_Subspace]:
    """Multiple eigenvalues, those of a conjugate pair once."""
    zeros = np.sort(np.argsort(np.abs(values), kind="stable")[: sum(zero_chains)])
    used = np.zeros(len(values), bool)
    used[zeros] = True
    found = [schur.subspace(zeros, values, True, (0j, max(zero_chains)))] if len(zeros) else []
    for members in _candidates(values, REACH * error):
        closed = np.union1d(members, partner[members])
        real = len(closed) < 2 * len(members)
        members = closed if real else members
        if used[closed].any():
            continue
        subspace = schur.subspace(members, values, real)
        if subspace is not None:
            used[closed] = True
            found.append(subspace)
    return [subspace for subspace in found if subspace is not None]


def _candidates(values: np.ndarray, reach: np.ndarray) -> Iterator[np.ndarray]:
    """Sets of neighbouring eigenvalues, larger sets before the parts they are made of (single linkage).

    Only sets whose last link is within the reach of a member.
    """
    if len(values) < 2:
        return
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist

    near = np.abs(values[:, None] - values)
    np.fill_diagonal(near, np.inf)
    close = np.flatnonzero(near.min(axis=1) <= np.maximum(reach, reach[near.argmin(axis=1)]))
    if len(close) < 2:
        return
    tree = linkage(pdist(np.column_stack([values[close].real, values[close].imag])), "single")
    sets = [np.array([i]) for i in close]
    sets += [np.zeros(0, int)] * len(tree)
    for i, (a, b, _, _) in enumerate(tree):
        sets[len(close) + i] = np.sort(np.concatenate([sets[int(a)], sets[int(b)]]))
    for members, distance in zip(sets[: len(close) - 1 : -1], tree[::-1, 2], strict=True):
        if distance <= reach[members].max():
            yield members


def _mirrored(found: _Subspace, partner: np.ndarray) -> Iterator[tuple[np.ndarray, _Subspace]]:
    """The cluster, and its conjugate where it is another one, both with members in ascending order."""
    yield found.members, found
    other = partner[found.members]
    if not np.array_equal(np.sort(other), found.members):
        order = np.argsort(other)
        right, left = found.right[:, order].conj(), found.left[:, order].conj()
        yield other[order], _Subspace(other[order], found.mean.conjugate(), found.error, found.index, right, left)
