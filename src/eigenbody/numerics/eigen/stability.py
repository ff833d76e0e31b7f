"""What rounding noise allows to decide: which eigenvalues are zero, on the imaginary axis, defective; stable or not.

The QR algorithm finds all eigenvalues of the balanced matrix; what follows may only refine them. Those that their own
error bound cannot tell from zero are judged together, as the block of their invariant subspace (`invariant`), by a
staircase of rank decisions on that block alone (`zeros`): whatever it decides, no other eigenvalue is touched.

Every other eigenvalue carries its own error bound: the uncertainty of the entries seen through its left and right
vectors, plus the backward error of the QR algorithm times its condition number. It lies on the imaginary axis when its
real part is within that bound. Eigenvalues whose bounds overlap form a cluster. A cluster without independent
eigenvectors is defective: its mean is well determined where the members are scattered by eps^(1/k), so the mean
replaces them (Golub & Van Loan, Matrix Computations, 7.2, 7.6; Bai, Demmel & McKenney 1993 for its condition number).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.invariant import NOT_CONVERGED, Block, block_of_smallest, schur_pairs
from eigenbody.numerics.eigen.zeros import deflate
from eigenbody.numerics.matrices.noise import BACKWARD, EPS, balancing_scale

DOUBT = 8.0
"""Error bounds within which an eigenvalue is judged as one of those next to zero: the members of a defective zero lie
at several of their own (first-order) bounds."""
WIDEST_ZERO = 1e-3
"""No eigenvalue beyond this part of the norm of the balanced matrix is judged as one next to zero."""
WIDEST = 1e-3
"""No bound beyond this part of |eigenvalue| puts it on the axis or into a cluster: first order says nothing there."""
INDEPENDENT = 1e-3
"""Unit eigenvectors whose smallest singular value exceeds this are independent (defective ones give below 1e-4)."""


class Pairs(NamedTuple):
    """Eigenvalues (m,) in adjacent conjugate pairs with vectors (n, m), flags (m,) bool and error bounds (m,).

    `defective` marks members of defective clusters on the imaginary axis only; `undecided` those that were put on the
    axis because the real part found is within its error bound.
    """

    values: np.ndarray
    vectors: np.ndarray
    on_axis: np.ndarray
    defective: np.ndarray
    undecided: np.ndarray
    bounds: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """All eigenvalues of a real matrix (n, n).

    weyr         vectors of each order that belong to the zero eigenvalue
    rigid        (n, z) its eigenvectors, then generalized ones of rising order
    others       those that are not zero
    near_zero    how many eigenvalues of the plain problem lie within their error bounds of zero
    zero_error   how far from zero those that were recognized as zero can be: by an error of the entries, or in the
                 plain problem
    """

    weyr: tuple[int, ...]
    rigid: np.ndarray
    others: Pairs
    near_zero: int
    zero_error: float

    def errors(self) -> np.ndarray:
        """Error bounds (n,) of the zeros and of the others."""
        return np.concatenate([np.full(self.rigid.shape[1], self.zero_error), self.others.bounds])


def verdict(eigenvalues: np.ndarray, on_axis: np.ndarray, defective: np.ndarray) -> str:
    """`unstable`, `drifting`, `marginal` or `stable` for a whole system: arrays (n,), see `Spectrum`."""
    if np.any((eigenvalues.real > 0) & ~on_axis):
        return "unstable"
    if defective.any():
        return "drifting"
    return "marginal" if on_axis.any() else "stable"


# ---------------------------------------------------------------- general eigenproblem with error bounds


def judged_modes(A: np.ndarray, noise: np.ndarray, at_most: int | None = None) -> Judged:
    """Eigenvalues of a real A (n, n) with the zeros among them recognized; `noise` (n, n) bounds the error of its
    entries, `at_most` the number of independent eigenvectors of zero where that is known.

    The vectors of any defective cluster are its true eigenvectors, repeated.
    """
    n = len(A)
    if not n:
        return Judged((), np.zeros((0, 0), complex), _none(0), 0, 0.0)
    B, noise, scale, order = _balance_and_grade(A, noise)
    values, left, right = _solve(B, noise)
    algorithmic, coupling = _norm_bounds(B, left, right)
    gap = _gaps(values)
    partner = _partners(values)
    bounds = _sharpen(B, noise, values, left, right, algorithmic, coupling, gap)
    widest = WIDEST_ZERO * np.linalg.norm(B) + np.linalg.norm(noise)
    doubtful = np.abs(values) <= DOUBT * np.minimum(bounds.whole, widest)
    judge = bool(doubtful.any()) and at_most != 0
    slow = np.abs(values) <= np.abs(values[doubtful]).max(initial=0.0) if judge else np.zeros(n, bool)
    block, slow = _slow_block(B, noise, values, slow, partner) if judge else (None, slow)
    near_zero, plain = int(np.sum(doubtful)), np.sort(np.abs(values))
    values = _refine(B, values, left, right, partner, algorithmic < 0.1 * gap)
    on_axis = np.abs(values.real) <= bounds.capped
    undecided = on_axis & (values.real != 0) & (values.imag != 0)
    values[undecided] = 1j * values[undecided].imag
    near = np.abs(values) <= np.minimum(bounds.whole, widest)  # on which side of the axis is not known
    on_axis, undecided = on_axis | near, undecided | near
    defective = np.zeros(n, bool)
    _merge_defective(B, noise, values, right, bounds.capped, np.where(slow, np.inf, gap), partner, on_axis, defective)
    rest = Pairs(*(a[..., ~slow] for a in (values, right, on_axis, defective, undecided, bounds.stated)))
    weyr: tuple[int, ...] = ()
    rigid, zero_error = np.zeros((n, 0), complex), 0.0
    if block is not None:
        weyr, rigid, found, zero_error = _judge_slowest(block, at_most)
        rest = Pairs(*(np.concatenate(pair, axis=-1) for pair in zip(found, rest, strict=True)))
    whole = np.empty((n, n), complex)
    whole[order] = np.hstack([rigid, rest.vectors]) * scale[:, None]
    z = rigid.shape[1]
    rest = rest._replace(vectors=whole[:, z:])
    return Judged(weyr, whole[:, :z], rest, near_zero, max(zero_error, float(plain[z - 1])) if z else 0.0)


def _none(n: int) -> Pairs:
    """No eigenvalue of a matrix of order n."""
    flag = np.zeros(0, bool)
    return Pairs(np.zeros(0, complex), np.zeros((n, 0), complex), flag, flag, flag, np.zeros(0))


def _slow_block(
    B: np.ndarray, noise: np.ndarray, values: np.ndarray, slow: np.ndarray, partner: np.ndarray
) -> tuple[Block, np.ndarray]:
    """The block of the slow eigenvalues, and which of `values` it stands for: more of them where it would part a pair
    or equal ones, which another algorithm puts in another order."""
    by_size, count = np.argsort(np.abs(values), kind="stable"), int(slow.sum())
    while True:
        block = block_of_smallest(B, noise, count)
        taken = np.isin(np.arange(len(values)), by_size[: len(block.matrix)])
        if np.array_equal(taken, taken[partner]):
            return block, taken
        count = len(block.matrix) + 1


def _judge_slowest(block: Block, at_most: int | None) -> tuple[tuple[int, ...], np.ndarray, Pairs, float]:
    """Of the slowest eigenvalues: the staircase of zero with its vectors, the others, and how far from zero an error of
    the block can bring an eigenvalue of such a chain."""
    zeros, core, core_noise = deflate(block.matrix, block.error, at_most)
    rigid = block.right @ zeros.basis(len(block.matrix))
    error, size = np.linalg.norm(block.error), np.linalg.norm(block.matrix)
    away = float(size * (error / size) ** (1 / max(len(zeros.weyr), 1))) if size > error else float(error)
    if not len(core):
        return zeros.weyr, rigid, _none(len(rigid)), away
    others = judged_modes(core, core_noise, at_most=0).others
    vectors = block.right @ zeros.lift(others.values, others.vectors)
    return zeros.weyr, rigid, others._replace(vectors=vectors / np.linalg.norm(vectors, axis=0)), away


def _merge_defective(
    B: np.ndarray,
    noise: np.ndarray,
    values: np.ndarray,
    right: np.ndarray,
    bounds: np.ndarray,
    gap: np.ndarray,
    partner: np.ndarray,
    on_axis: np.ndarray,
    defective: np.ndarray,
) -> None:
    """Replace the members of defective clusters by their mean and its eigenvectors, in place."""
    schur: tuple[np.ndarray, np.ndarray] | None = None
    for members in _clusters(values, bounds, gap):
        if values[members].imag.mean() < -bounds[members].max() or _independent(right[:, members]):
            continue
        schur = schur or _complex_schur(B)
        found = _confluent(*schur, values[members], partner[members], members, noise, float(np.linalg.norm(B)))
        if found is None:
            continue
        mean, error, vectors = found
        for index, value, columns in ((members, mean, vectors), (partner[members], mean.conjugate(), vectors.conj())):
            values[index], right[:, index] = value, columns
            on_axis[index] = abs(mean.real) <= error
            defective[index] = abs(mean.real) <= error


def _balance_and_grade(A: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Balanced A with its largest rows first, which keeps the small eigenvalues of a graded matrix accurate."""
    scale = balancing_scale(A, noise)
    balanced = A * scale / scale[:, None]
    size = np.abs(balanced)
    order = np.argsort(-(size.sum(axis=0) + size.sum(axis=1)), kind="stable")
    take = np.ix_(order, order)
    scale = scale[order]
    return balanced[take], noise[take] * scale / scale[:, None], scale, order


def _solve(B: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues, unit left and unit right vectors; conjugate pairs adjacent, positive imaginary part first.

    LAPACK's driver scales the states once more, and by entries as small as they come: it is given none that are mere
    noise. Where its vectors then do not satisfy the equations as given, noise together makes more than its parts, or
    they are scaled apart all the same: they are those of the Schur form, which scales nothing.
    """
    from scipy.linalg import LinAlgError, eig

    allowed = BACKWARD * EPS * np.linalg.norm(B)
    for given in (np.where(np.abs(B) > noise, B, 0.0), B):
        try:
            values, left, right = eig(given, left=True, right=True, check_finite=False)
        except LinAlgError as error:
            raise ComputationError(NOT_CONVERGED.format(len(B))) from error
        off = np.linalg.norm(np.hstack([B @ right - right * values, B.T @ left - left * values.conj()]), axis=0)
        if np.all(off <= allowed):
            return values, left.astype(complex), right.astype(complex)
    return schur_pairs(B)


def _partners(values: np.ndarray) -> np.ndarray:
    """Index (m,) of each eigenvalue's conjugate; a real one is its own."""
    partner = np.arange(len(values))
    upper = np.flatnonzero(values.imag > 0)
    partner[upper], partner[upper + 1] = upper + 1, upper
    return partner


def _norm_bounds(B: np.ndarray, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Error (m,) of each eigenvalue as the QR algorithm leaves it, and |left^H right| (m,) kept away from zero."""
    coupling = np.maximum(np.abs(np.sum(left.conj() * right, axis=0)), EPS)
    return BACKWARD * EPS * np.linalg.norm(B) / coupling, coupling


def _gaps(values: np.ndarray) -> np.ndarray:
    """Distance (m,) of each eigenvalue to the nearest other one."""
    gap = np.full(len(values), np.inf)
    for start in range(0, len(values), 512):
        rows = np.arange(start, min(start + 512, len(values)))
        distance = np.abs(values[rows, None] - values)
        distance[rows - start, rows] = np.inf
        gap[rows] = distance.min(axis=1)
    return gap


def _refine(
    B: np.ndarray, values: np.ndarray, left: np.ndarray, right: np.ndarray, partner: np.ndarray, separated: np.ndarray
) -> np.ndarray:
    """Two-sided Rayleigh quotients, whose error is quadratic in that of the vectors: slow modes beside fast ones."""
    coupling = np.where(separated, np.sum(left.conj() * right, axis=0), 1.0)
    step = np.sum(left.conj() * (B @ right - right * values), axis=0) / coupling
    real = values.imag == 0
    refined = values + np.where(real, step.real, step)
    refined = np.where(separated & ((refined.imag > 0) == (values.imag > 0)), refined, values)
    upper = values.imag > 0
    refined[partner[upper]] = refined[upper].conj()
    return refined


@dataclass(frozen=True, slots=True, eq=False)
class _Bounds:
    """Error (n,) of the eigenvalues that the QR algorithm left, of the refined ones, and that as far as a first-order
    bound decides anything."""

    whole: np.ndarray
    stated: np.ndarray
    capped: np.ndarray


def _sharpen(
    B: np.ndarray,
    noise: np.ndarray,
    values: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    algorithmic: np.ndarray,
    coupling: np.ndarray,
    gap: np.ndarray,
) -> _Bounds:
    """Error bounds of each eigenvalue."""
    size_left, size_right = np.abs(left), np.abs(right)
    data = np.sum(size_left * (noise @ size_right), axis=0) / coupling
    rounding = 4.0 * EPS * np.sum(size_left * (np.abs(B) @ size_right), axis=0) / coupling
    separated = algorithmic < 0.1 * gap
    refined = rounding + algorithmic**2 / np.where(separated, gap, 1.0)
    bound = data + np.where(separated, np.minimum(algorithmic, refined), algorithmic)
    floor = np.sqrt(EPS) * EPS * np.linalg.norm(B)
    return _Bounds(data + algorithmic, bound, np.minimum(bound, WIDEST * np.maximum(np.abs(values), floor)))


def _clusters(values: np.ndarray, bounds: np.ndarray, gap: np.ndarray) -> list[np.ndarray]:
    """Index arrays of eigenvalues (two or more) that their own bounds cannot tell apart."""
    pending = set(np.flatnonzero(gap <= 2.0 * bounds).tolist())
    clusters = []
    while pending:
        members, front = set(), [pending.pop()]
        while front:
            current = front.pop()
            members.add(current)
            others = np.fromiter(pending, int, len(pending))
            reach = 2.0 * np.maximum(bounds[current], bounds[others])
            near = set(others[np.abs(values[others] - values[current]) <= reach].tolist())
            pending -= near
            front.extend(near)
        if len(members) > 1:
            clusters.append(np.array(sorted(members)))
    return clusters


def _independent(vectors: np.ndarray) -> bool:
    """Whether unit columns (m, k) are linearly independent beyond doubt."""
    return bool(np.linalg.svd(vectors, compute_uv=False)[-1] > INDEPENDENT)


def _complex_schur(B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from scipy.linalg import schur

    form, basis = schur(B, output="complex", check_finite=False)
    return form, basis


def _confluent(
    form: np.ndarray,
    basis: np.ndarray,
    values: np.ndarray,
    partner: np.ndarray,
    members: np.ndarray,
    noise: np.ndarray,
    norm: float,
) -> tuple[complex, float, np.ndarray] | None:
    """Mean, error of the mean and eigenvectors (m, k) when the cluster is one defective eigenvalue, else None.

    With the cluster's k-by-k Schur block T and mean mu, a perturbation of size `error` makes a Jordan structure out of
    T exactly when (T - mu)^k is of the order error * |T - mu|^(k-1); it is semisimple when T - mu itself is that small.
    """
    from scipy.linalg.lapack import ztrsen

    m, k = len(form), len(members)
    chosen = np.zeros(m, np.int32)
    chosen[np.argsort(np.abs(np.diag(form) - values.mean()), kind="stable")[:k]] = 1
    ordered, rotated, _, _, condition, _, info = ztrsen(chosen, form, basis, job="E", lwork=max(1, k * (m - k)))
    if info:
        return None
    block, vectors = ordered[:k, :k], rotated[:, :k]
    mean = complex(np.trace(block) / k)
    if np.array_equal(np.sort(partner), members):
        mean = complex(mean.real)
    size = np.abs(vectors)
    error = float((BACKWARD * EPS * norm + np.max(size.T @ noise @ size)) / max(condition, EPS))
    nilpotent = np.triu(block) - mean * np.eye(k)
    _, strength, directions = np.linalg.svd(nilpotent)
    if strength[0] <= 10.0 * error:
        return None
    if np.linalg.norm(np.linalg.matrix_power(nilpotent, k), 2) > 10.0 * k * error * strength[0] ** (k - 1):
        return None
    independent = max(1, int(np.sum(strength <= 10.0 * error)))
    kernel = vectors @ directions[-independent:].conj().T
    if mean.imag == 0.0:
        kernel = _real_columns(kernel)
    return mean, error, kernel[:, np.arange(k) % independent]


def _real_columns(vectors: np.ndarray) -> np.ndarray:
    """Real orthonormal basis, stored complex, of a span (m, k) that is closed under conjugation."""
    left, _, _ = np.linalg.svd(np.hstack([vectors.real, vectors.imag]), full_matrices=False)
    return left[:, : vectors.shape[1]].astype(complex)
