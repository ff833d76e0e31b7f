"""A few eigenvalues of large damped, unsymmetric or moving systems by shift-invert, without any dense matrix of their
order (symmetric ones: `sparse_symmetric`).

damped or unsymmetric (l^2 M + l C + K) x = 0      on G x = 0     (Arnoldi on the companion form, one solve a step)
descriptor            l E z = A z                                  (Arnoldi on the differential part of z)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.errors import ComputationError
from eigenbody.numerics.linear import KKT, REGULAR, SparseFactor

HINT = (
    "Ask for fewer modes (--n) or nearer to a frequency (--near). Where stiffnesses or lengths are so far apart that"
    " double precision cannot tell the slowest modes from rigid motion, model the stiff parts as rigid."
)


@dataclass(frozen=True, slots=True)
class SparseModes:
    """k eigenvalues (k,) with vectors (n, k) and relative residuals (k,). `loose`: K is singular in the free motion;
    `complete`: whether an inertia count confirms that none was missed, None where it was not possible."""

    eigenvalues: np.ndarray
    vectors: np.ndarray
    residuals: np.ndarray
    loose: bool = False
    complete: bool | None = None


def is_symmetric(matrix: Any, tolerance: float = 1e-11) -> bool:
    """Whether a sparse matrix is symmetric to rounding."""
    return bool(abs(matrix - matrix.T).max() <= tolerance * abs(matrix).max()) if matrix.nnz else True


def first_regular(attempt: Callable[[complex], Any], shift: complex, aside: float) -> tuple[Any, complex]:
    """A factorization at the shift, or a little aside of it where a mode sits just there (a rigid-body motion at 0)."""
    found, tried = attempt(shift), shift
    for _ in range(10):
        if found is not None:
            return found, tried
        tried = shift + aside
        found, aside = attempt(tried), 10 * aside
    raise ComputationError("No regular shift was found; ask for modes nearer to another frequency (--near).")


def by_mass(M: Any) -> np.ndarray:
    """Units of the coordinates in which each has unit mass; those without mass get the mean."""
    mass = np.abs(M.diagonal())
    return 1 / np.sqrt(np.where(mass > 0, mass, mass.mean() or 1.0))


def _regular_kkt(A: Any, G: Any, unit: np.ndarray) -> KKT | None:
    """[[A, G^T], [G, 0]] factorized, or None where it is singular."""
    try:
        kkt = KKT(A, G, unit)
    except ComputationError:
        return None
    return kkt if kkt.is_regular() else None


def damped_modes(M: Any, C: Any, K: Any, G: Any, count: int, near: float | None = None) -> SparseModes:
    """Eigenvalues l of (l^2 M + l C + K) x + G^T y = 0, G x = 0 among the `count` nearest to zero (or to i `near`);
    of each conjugate pair the one with positive imaginary part."""
    n = M.shape[0]
    shift: complex = 0.0 if near is None else 1j * near
    aside, wanted = 1e-3 * float(np.sqrt(typical_square(K, M))), shift
    kkt, shift = first_regular(lambda s: _regular_kkt(K + s * C + s**2 * M if s else K, G, by_mass(M)), shift, aside)
    damper = C + shift * M

    def invert(z: np.ndarray) -> np.ndarray:
        a, b = z[:n], z[n:]
        q = kkt.solve(-(M @ b) - damper @ a)
        return np.concatenate((q, shift * q + a))

    rng = np.random.default_rng(5)
    start = invert(invert(rng.normal(size=2 * n).astype(complex if np.iscomplexobj(shift) else float)))
    values, vectors = _inverted(invert, 2 * n, count, start)
    values, q = _representatives(shift + 1 / values, vectors[:n])
    q = kkt.solve_refined(-(M @ q) * (values**2 - shift**2) - (C @ q) * (values - shift))
    values = rayleigh(M, C, K, q, values)
    force = (M @ q) * values**2 + (C @ q) * values + K @ q
    speed, moved = np.abs(values), np.abs(q)
    size = (abs(M) @ moved) * speed**2 + (abs(C) @ moved) * speed + abs(K) @ moved
    whole = K + shift * C + shift**2 * M if shift else K
    residuals = unbalanced(kkt, lambda x: whole @ x, force, size)
    return SparseModes(values, q, residuals, near is not None or shift != wanted)


def condensed(A: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """For E z' = A z with E the identity on the first n unknowns and zero elsewhere: the (n, n) matrix of the first n
    and the (rest, n) matrix that gives the other unknowns."""
    A = A.tocsc()
    rest, right = A[n:, n:].tocsc(), A[n:, :n].toarray()
    factor = SparseFactor(rest)
    lift = -factor.solve(right)
    for _ in range(2):  # refined: zero eigenvalues are told from the rounding of the entries
        lift -= factor.solve(rest @ lift + right)
    return A[:n, :n].toarray() + A[:n, n:] @ lift, lift


def _representatives(values: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One of each conjugate pair."""
    keep = values.imag >= 0
    return values[keep], np.ascontiguousarray(vectors[:, keep])


def rayleigh(M: Any, C: Any, K: Any, q: np.ndarray, near: np.ndarray) -> np.ndarray:
    """Root of y^T (l^2 M + l C + K) q = 0 next to each value; y = q is second-order accurate for symmetric matrices."""
    left = q if all(is_symmetric(matrix) for matrix in (M, C, K)) else q.conj()
    m, c, k = ((left * (matrix @ q)).sum(axis=0) for matrix in (M, C, K))
    root = np.sqrt(c * c - 4 * m * k + 0j)
    far = np.where(np.abs(c + root) >= np.abs(c - root), c + root, c - root)  # without cancellation
    candidates = np.stack((-far / (2 * m), -2 * k / far))
    best = np.argmin(np.abs(candidates - near), axis=0)
    return candidates[best, np.arange(len(near))]


def descriptor_modes(
    E: Any, A: Any, differential: np.ndarray, count: int, near: float | None, scale: float
) -> SparseModes:
    """`count` eigenvalues of l E z = A z nearest to zero (or i `near`); E is nonzero on `differential` rows alone.

    E must be the identity on the differential unknowns, which come first; `scale` is a typical rate (rad/s).
    """
    n, total = len(differential), A.shape[0]
    shift: complex = 0.0 if near is None else 1j * near
    factor, shift = first_regular(lambda s: _regular_lu(A - s * E), shift, 1e-3 * scale)

    def invert(b: np.ndarray) -> np.ndarray:
        rhs = np.zeros(total, dtype=np.result_type(b, np.asarray(shift)))
        rhs[:n] = b
        return factor.solve(rhs)[:n]

    start = np.random.default_rng(5).normal(size=n).astype(complex if np.iscomplexobj(shift) else float)
    values, small = _inverted(invert, n, count, invert(start))
    values = shift + 1 / values
    full = np.zeros((total, len(values)), dtype=complex)
    real = not np.iscomplexobj(shift)
    for k, (value, vector) in enumerate(zip(values, small.T, strict=True)):
        rhs = np.zeros(total, dtype=complex)
        rhs[:n] = vector * (value - shift)
        full[:, k] = factor.solve(rhs.real) + 1j * factor.solve(rhs.imag) if real else factor.solve(rhs)
    rest = A @ full - (E @ full) * values
    size = np.abs(A @ full).max(axis=0) + np.abs(values) * np.abs(full[:n]).max(axis=0)
    return SparseModes(values, full, np.abs(rest).max(axis=0) / np.maximum(size, 1e-300))


def _regular_lu(matrix: Any) -> SparseFactor | None:
    try:
        lu = SparseFactor(matrix.tocsc())
    except ComputationError:
        return None
    probe = np.random.default_rng(3).normal(size=matrix.shape[0]).astype(matrix.dtype)
    answer = lu.solve(probe)
    answer = answer + lu.solve(probe - matrix @ answer)
    miss = np.abs(probe - matrix @ answer).max() if np.isfinite(answer).all() else np.inf
    return lu if miss < REGULAR * np.abs(probe).max() else None


def _inverted(
    invert: Callable[[np.ndarray], np.ndarray], n: int, count: int, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    from scipy.sparse.linalg import LinearOperator, eigs

    operator = LinearOperator((n, n), matvec=invert, dtype=start.dtype)
    return run_arpack(eigs, operator, count, v0=start, which="LM")


def run_arpack(solver: Callable[..., Any], operator: Any, count: int, **options: Any) -> Any:
    """Run ARPACK with room to converge; a failure says how far it came."""
    from scipy.sparse.linalg import ArpackNoConvergence

    n = operator.shape[0]
    count = min(count, n - 2)
    try:
        return solver(operator, k=count, ncv=min(n, count + max(count // 2, 20)), maxiter=40, tol=1e-12, **options)
    except ArpackNoConvergence as error:
        found = len(error.eigenvalues)
        raise ComputationError(f"{found} of {count} modes converged. {HINT}") from error


def typical_square(K: Any, M: Any) -> float:
    """A typical omega^2."""
    k, m = np.abs(K.diagonal()), np.abs(M.diagonal())
    ratio = k[m > 0] / m[m > 0]
    positive = ratio[ratio > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def unbalanced(kkt: KKT, times: Callable[[np.ndarray], np.ndarray], force: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Part of the force that constraint forces cannot balance, relative to the size of its summands. `kkt` is that of
    A: with A x + G^T y = force and G x = 0 that part is A x, `times(x)`."""
    free = times(kkt.solve_refined(force, steps=0))
    length = lambda x: np.sqrt((np.abs(x) ** 2).sum(axis=0))  # noqa: E731
    return length(free) / np.maximum(length(size), 1e-300)
