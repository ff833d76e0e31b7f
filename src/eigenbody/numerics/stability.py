"""What rounding noise allows to decide: which eigenvalues are zero, on the imaginary axis, defective; stable or not.

Zeros come from rank decisions against the noise of the entries. Each null space is split off exactly and the rest is
examined again (staircase): the dimensions found are the Weyr characteristic of the zero eigenvalue.

Every other eigenvalue carries its own error bound: the uncertainty of the entries seen through its left and right
vectors, plus the backward error of the QR algorithm times its condition number. It lies on the imaginary axis when its
real part is within that bound. Eigenvalues whose bounds overlap form a cluster. A cluster without independent
eigenvectors is defective: its mean is well determined where the members are scattered by eps^(1/k), so the mean
replaces them (Golub & Van Loan, Matrix Computations, 7.2, 7.6; Bai, Demmel & McKenney 1993 for its condition number).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.errors import ComputationError
from eigenbody.numerics.noise import EPS, even_noise, unscaled

BACKWARD = 10.0
"""Backward error of the QR algorithm in units of eps * Frobenius norm; measured ones stay below 3."""
WIDEST = 1e-3
"""No bound may exceed this part of |eigenvalue|: beyond it a first-order bound says nothing."""
INDEPENDENT = 1e-3
"""Unit eigenvectors whose smallest singular value exceeds this are independent (defective ones give below 1e-4)."""


@dataclass(frozen=True, slots=True)
class GeneralModes:
    """Eigenvalues (m,) complex in adjacent conjugate pairs, `vectors` (m, m), and flags (m,) bool."""

    eigenvalues: np.ndarray
    vectors: np.ndarray
    on_axis: np.ndarray
    defective: np.ndarray


def verdict(eigenvalues: np.ndarray, on_axis: np.ndarray, defective: np.ndarray) -> str:
    """`unstable`, `drifting`, `marginal` or `stable` for a whole system: arrays (n,), see `Spectrum`."""
    if np.any((eigenvalues.real > 0) & ~on_axis):
        return "unstable"
    if defective.any():
        return "drifting"
    return "marginal" if on_axis.any() else "stable"


# ---------------------------------------------------------------- noise, rank and the staircase


def null_space(B: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, float]:
    """Basis (n, k) of the directions that B (n, n) maps to noise only, the surest last, and its relative error.

    The error is kept below sqrt(eps): an ill-determined null space must not make the rest look like noise.
    """
    from scipy.linalg import svd

    if not len(B):
        return np.zeros((0, 0)), 0.0
    r, c, level = even_noise(noise)
    _, strength, directions = svd(B / r[:, None] / c, check_finite=False)
    error = min(level / min(strength[strength > level], default=np.inf), np.sqrt(EPS))
    return unscaled(directions[strength <= level].T, c)[0], error


@dataclass(frozen=True, slots=True)
class _Step:
    """One null space, columns [1 at `pivots`; `spread` at `rest`], and what drives it: a' = drive @ e."""

    pivots: np.ndarray
    rest: np.ndarray
    spread: np.ndarray
    drive: np.ndarray

    def lift(self, a: np.ndarray, e: np.ndarray) -> np.ndarray:
        """State of the matrix before the step from amounts `a` of the null space and the remaining states `e`."""
        x = np.empty((len(self.pivots) + len(self.rest), e.shape[1]), complex)
        x[self.pivots], x[self.rest] = a, self.spread @ a + e
        return x


@dataclass(frozen=True, slots=True)
class Zeros:
    """The zero eigenvalue of a matrix, peeled off in steps; `weyr` counts the vectors of each step."""

    steps: tuple[_Step, ...]

    @property
    def weyr(self) -> tuple[int, ...]:
        return tuple(len(step.pivots) for step in self.steps)

    def basis(self, size: int) -> np.ndarray:
        """(size, zeros) eigenvectors, then generalized eigenvectors of rising order."""
        columns = [np.zeros((size, 0), complex)]
        for depth, step in enumerate(self.steps):
            count = len(step.pivots)
            x = step.lift(np.eye(count), np.zeros((len(step.rest), count)))
            for outer in reversed(self.steps[:depth]):
                x = outer.lift(np.zeros((len(outer.pivots), count)), x)
            columns.append(x)
        return np.hstack(columns)

    def lift(self, eigenvalues: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Eigenvectors of the whole matrix from those (m, m) of the deflated one, for nonzero eigenvalues (m,)."""
        for step in reversed(self.steps):
            vectors = step.lift(step.drive @ vectors / eigenvalues, vectors)
        return vectors


def _tilt(A: np.ndarray, noise: np.ndarray, null: np.ndarray, pivots: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Error (rest, pivots) of the null space in echelon form, entry by entry: |dx| <= |A^+| noise |x|, where the
    rounding of the decomposition itself adds to the noise."""
    from scipy.linalg import svd

    r, c, level = even_noise(noise)
    left, strength, right = svd(A / r[:, None] / c, check_finite=False)
    sure = strength > level
    inverse = (right[sure].T / strength[sure]) @ left[:, sure].T / c[:, None] / r
    rounding = BACKWARD * EPS * strength[0] * np.outer(r, c)
    off = np.abs(inverse) @ ((noise + rounding) @ np.abs(null))
    back = np.abs(np.linalg.inv(null[pivots]))
    return (off[rest] + np.abs(null[rest]) @ back @ off[pivots]) @ back


def deflate(
    A: np.ndarray, noise: np.ndarray, first: tuple[np.ndarray, float] | None = None, at_most: int | None = None
) -> tuple[Zeros, np.ndarray, np.ndarray]:
    """Split the zero eigenvalue off A (n, n): its staircase, the nonsingular rest and the noise of the rest.

    Elimination with pivoting, because rotations would mix slow states into fast ones. `first` is the null space (n, k)
    and its relative error where known already, `at_most` the largest possible dimension.
    """
    from scipy.linalg import qr

    steps: list[_Step] = []
    doubt = np.zeros_like(noise)  # what errors of the null spaces add: it matters for ranks, hardly for eigenvalues
    limit = len(A) if at_most is None else at_most
    while limit and len(A):
        null, error = null_space(A, noise + doubt) if first is None else first
        is_given, first, limit = first is not None, None, min(limit, null.shape[1])
        if not limit:
            break
        _, columns, _ = even_noise(noise + doubt)
        null = null[:, null.shape[1] - limit :]
        order = qr(null.T * columns, mode="r", pivoting=True, check_finite=False)[1]
        pivots, rest = np.sort(order[:limit]), np.sort(order[limit:])
        spread = np.linalg.solve(null[pivots].T, null[rest].T).T
        drive, among = A[np.ix_(pivots, rest)], np.ix_(rest, rest)
        steps.append(_Step(pivots, rest, spread, drive))
        size, tilt = np.abs(spread), error * columns[pivots] / columns[rest, None]
        if not is_given:
            tilt = np.minimum(tilt, _tilt(A, noise + doubt, null, pivots, rest))
        doubt = doubt[among] + size @ doubt[np.ix_(pivots, rest)] + tilt @ np.abs(drive)
        noise = noise[among] + size @ noise[np.ix_(pivots, rest)] + EPS * size @ np.abs(drive)
        A = A[among] - spread @ drive
    return Zeros(tuple(steps)), A, noise


# ---------------------------------------------------------------- general eigenproblem with error bounds


def general_modes(A: np.ndarray, noise: np.ndarray) -> GeneralModes:
    """All eigenpairs of a real A (m, m) without zero eigenvalues; `noise` (m, m) bounds the error of its entries.

    `defective` marks members of defective clusters on the imaginary axis only. The vectors of any defective cluster are
    its true eigenvectors, repeated.
    """
    if not len(A):
        return GeneralModes(np.zeros(0, complex), np.zeros((0, 0), complex), np.zeros(0, bool), np.zeros(0, bool))
    B, noise, scale, order = _balance_and_grade(A, noise)
    values, left, right = _solve(B)
    partner = _partners(values)
    algorithmic, coupling = _norm_bounds(B, left, right)
    gap = _gaps(values)
    values = _refine(B, values, left, right, partner, algorithmic < 0.1 * gap)
    bounds = _sharpen(B, noise, values, left, right, algorithmic, coupling, gap)
    on_axis = np.abs(values.real) <= bounds
    defective = np.zeros(len(values), bool)
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
    vectors = np.empty_like(right)
    vectors[order] = right * scale[:, None]
    return GeneralModes(values, vectors, on_axis, defective)


def _balance_and_grade(A: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Balanced A with its largest rows first, which keeps the small eigenvalues of a graded matrix accurate."""
    from scipy.linalg import matrix_balance

    balanced, (scale, _) = matrix_balance(A, permute=False, separate=True)
    size = np.abs(balanced)
    order = np.argsort(-(size.sum(axis=0) + size.sum(axis=1)), kind="stable")
    take = np.ix_(order, order)
    scale = scale[order]
    return balanced[take], noise[take] * scale / scale[:, None], scale, order


def _solve(B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues, unit left and unit right vectors; conjugate pairs adjacent, positive imaginary part first."""
    from scipy.linalg import LinAlgError, eig

    try:
        values, left, right = eig(B, left=True, right=True, check_finite=False)
    except LinAlgError as error:
        raise ComputationError(
            f"Eigenvalues of a system with {len(B)} states: the QR algorithm did not converge. "
            "Check the matrices for entries of absurd magnitude."
        ) from error
    return values, left.astype(complex), right.astype(complex)


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


def _sharpen(
    B: np.ndarray,
    noise: np.ndarray,
    values: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    algorithmic: np.ndarray,
    coupling: np.ndarray,
    gap: np.ndarray,
) -> np.ndarray:
    """Final error bound (m,) of each eigenvalue."""
    size_left, size_right = np.abs(left), np.abs(right)
    data = np.sum(size_left * (noise @ size_right), axis=0) / coupling
    rounding = 4.0 * EPS * np.sum(size_left * (np.abs(B) @ size_right), axis=0) / coupling
    separated = algorithmic < 0.1 * gap
    refined = rounding + algorithmic**2 / np.where(separated, gap, 1.0)
    bound = data + np.where(separated, np.minimum(algorithmic, refined), algorithmic)
    floor = np.sqrt(EPS) * EPS * np.linalg.norm(B)
    return np.minimum(bound, WIDEST * np.maximum(np.abs(values), floor))


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
