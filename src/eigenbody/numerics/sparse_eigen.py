"""A few eigenvalues of large constrained systems by shift-invert, without any dense matrix of the order of the system.

undamped, symmetric   K x = omega^2 M x            on G x = 0     (Lanczos on [[K - s M, G^T], [G, 0]]^-1)
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


@dataclass(frozen=True, slots=True)
class SparseModes:
    """k eigenvalues (k,) with vectors (n, k) and relative residuals (k,); `loose`: K is singular in the free motion."""

    eigenvalues: np.ndarray
    vectors: np.ndarray
    residuals: np.ndarray
    loose: bool = False


def is_symmetric(matrix: Any, tolerance: float = 1e-11) -> bool:
    """Whether a sparse matrix is symmetric to rounding."""
    return bool(abs(matrix - matrix.T).max() <= tolerance * abs(matrix).max()) if matrix.nnz else True


def regular_kkt(K: Any, M: Any, G: Any, shift: complex) -> KKT | None:
    """[[K - shift M, G^T], [G, 0]] factorized, or None where it is singular."""
    A = K - shift * M if shift != 0 else K
    try:
        kkt = KKT(A, G)
    except ComputationError:
        return None
    return kkt if kkt.is_regular() else None


def _first_regular(attempt: Callable[[complex], Any], shift: complex, aside: float) -> tuple[Any, complex]:
    """A factorization at the shift, or a little aside of it where a mode sits just there (a rigid-body motion at 0)."""
    found, tried = attempt(shift), shift
    for _ in range(10):
        if found is not None:
            return found, tried
        tried = shift + aside
        found, aside = attempt(tried), 10 * aside
    raise ComputationError("No regular shift was found; ask for modes nearer to another frequency (--near).")


def undamped_modes(M: Any, K: Any, G: Any, count: int, near: float | None = None) -> SparseModes:
    """The `count` smallest omega^2 (or nearest to `near`^2) of the symmetric problem, ascending; `near` in rad/s."""
    shift = 0.0 if near is None else near**2
    aside = -1e-6 * _typical(K, M) if near is None else 1e-4 * shift
    kkt, at = _first_regular(lambda s: regular_kkt(K, M, G, s), shift, aside)
    values, vectors = _lanczos(kkt, M, K, count, float(np.real(at)))
    force = K @ vectors - (M @ vectors) * values
    size = abs(K) @ np.abs(vectors) + (abs(M) @ np.abs(vectors)) * np.abs(values)
    loose = near is not None or at != shift  # next to a frequency the singularity of K is not seen
    return SparseModes(values.astype(complex), vectors.astype(complex), _unbalanced(force, size, G), loose)


def lightly_damped_modes(M: Any, C: Any, K: Any, G: Any, count: int) -> SparseModes | None:
    """The `count` pairs nearest to zero of symmetric M, C, K from as many undamped modes, or None where that is not
    enough. It is when every pair satisfies the full equations (as with proportional damping) and none can have been
    missed: pairs outside lie above the undamped modes used, and overdamped real ones above 1/theta, theta the largest
    eigenvalue of C x = theta K x."""
    if not all(is_symmetric(matrix) for matrix in (M, C, K)):
        return None
    kkt = regular_kkt(K, M, G, 0.0)
    if kkt is None:
        return None
    extra = count + 4
    undamped = _lanczos(kkt, M, K, extra, 0.0)
    if len(undamped[0]) < extra or undamped[0][0] <= 0:
        return None
    squares, X = undamped
    X = X / np.sqrt((X * (M @ X)).sum(axis=0))
    values, y = _small_quadratic(X.T @ (C @ X), squares)
    keep = np.argsort(np.abs(values), kind="stable")[:count]
    values, q = values[keep], X @ y[:, keep]
    if not len(values) or np.any(values.imag <= 0) or np.abs(values).max() > 0.99 * np.sqrt(squares[-1]):
        return None
    if np.abs(values).max() * _largest_ratio(kkt, C, K) > 0.99:
        return None
    modes = _checked_modes(M, C, K, G, q, _rayleigh(M, C, K, q, values))
    return modes if modes.residuals.max() < 1e-7 else None


def _small_quadratic(C: np.ndarray, squares: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues with positive imaginary part or real, and vectors, of l^2 + l C + diag(squares)."""
    n = len(squares)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.diag(squares), -C]])
    values, vectors = np.linalg.eig(A)
    keep = values.imag >= 0
    return values[keep], vectors[:n, keep]


def _largest_ratio(kkt: KKT, C: Any, K: Any) -> float:
    """An upper estimate of the largest theta of C x = theta K x in the free motion: power iteration with a margin."""
    x = kkt.solve(np.random.default_rng(9).normal(size=C.shape[0]))
    theta = 0.0
    for _ in range(10):
        damped = C @ x
        size = float(x @ (K @ x))
        if size <= 0 or not damped.any():
            break
        theta = float(x @ damped) / size
        x = kkt.solve(damped)
        x /= np.abs(x).max()
    return 1.5 * theta


def _lanczos(kkt: KKT, M: Any, K: Any, count: int, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """The `count` omega^2 nearest to the shift, ascending, and their vectors."""
    from scipy.sparse.linalg import LinearOperator, eigsh

    n = M.shape[0]
    inverse = LinearOperator((n, n), matvec=kkt.solve, dtype=float)
    start = kkt.solve(M @ np.random.default_rng(5).normal(size=n))
    values, vectors = _run(eigsh, K, count, M=M, sigma=shift, OPinv=inverse, v0=start, which="LM")
    vectors = kkt.solve_refined(M @ vectors[:, np.argsort(values)])  # an accurate inverse iteration, then Rayleigh
    return (vectors * (K @ vectors)).sum(axis=0) / (vectors * (M @ vectors)).sum(axis=0), vectors


def _checked_modes(
    M: Any, C: Any, K: Any, G: Any, q: np.ndarray, values: np.ndarray, loose: bool = False
) -> SparseModes:
    """Pairs of the quadratic problem with their residuals."""
    force = (M @ q) * values**2 + (C @ q) * values + K @ q
    moved, speed = np.abs(q), np.abs(values)
    size = (abs(M) @ moved) * speed**2 + (abs(C) @ moved) * speed + abs(K) @ moved
    return SparseModes(values, q, _unbalanced(force, size, G), loose)


def damped_modes(M: Any, C: Any, K: Any, G: Any, count: int, near: float | None = None) -> SparseModes:
    """Eigenvalues l of (l^2 M + l C + K) x + G^T y = 0, G x = 0 among the `count` nearest to zero (or to i `near`);
    of each conjugate pair the one with positive imaginary part."""
    n = M.shape[0]
    shift: complex = 0.0 if near is None else 1j * near
    aside, wanted = 1e-3 * float(np.sqrt(_typical(K, M))), shift
    kkt, shift = _first_regular(lambda s: regular_kkt(K + s * C + s**2 * M, M, G, 0.0), shift, aside)
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
    return _checked_modes(M, C, K, G, q, _rayleigh(M, C, K, q, values), near is not None or shift != wanted)


def condensed(A: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """For E z' = A z with E the identity on the first n unknowns and zero elsewhere: the (n, n) matrix of the first n
    and the (rest, n) matrix that gives the other unknowns."""
    A = A.tocsc()
    lift = -SparseFactor(A[n:, n:].tocsc()).solve(A[n:, :n].toarray())
    return A[:n, :n].toarray() + A[:n, n:] @ lift, lift


def _representatives(values: np.ndarray, vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One of each conjugate pair."""
    keep = values.imag >= 0
    return values[keep], np.ascontiguousarray(vectors[:, keep])


def _rayleigh(M: Any, C: Any, K: Any, q: np.ndarray, near: np.ndarray) -> np.ndarray:
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
    factor, shift = _first_regular(lambda s: _regular_lu(A - s * E), shift, 1e-3 * scale)

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
    return _run(eigs, operator, count, v0=start, which="LM")


def _run(solver: Callable[..., Any], operator: Any, count: int, **options: Any) -> Any:
    """Run ARPACK with room to converge; a failure says how far it came."""
    from scipy.sparse.linalg import ArpackNoConvergence

    n = operator.shape[0]
    count = min(count, n - 2)
    try:
        return solver(operator, k=count, ncv=min(n, count + max(count // 2, 20)), maxiter=40, tol=1e-12, **options)
    except ArpackNoConvergence as error:
        found = len(error.eigenvalues)
        raise ComputationError(
            f"Only {found} of {count} modes converged. Ask for fewer modes (--n) or nearer to a frequency (--near)."
            " Where stiffnesses or lengths are so far apart that double precision cannot tell the slowest modes from"
            " rigid motion, model the stiff parts as rigid."
        ) from error


def _typical(K: Any, M: Any) -> float:
    """A typical omega^2."""
    k, m = np.abs(K.diagonal()), np.abs(M.diagonal())
    ratio = k[m > 0] / m[m > 0]
    positive = ratio[ratio > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def _unbalanced(force: np.ndarray, size: np.ndarray, G: Any) -> np.ndarray:
    """Part of the force that constraint forces cannot balance, relative to the size of its summands."""
    from scipy.sparse import eye_array

    free = KKT(eye_array(force.shape[0], format="csc"), G).solve_refined(force, steps=0)
    return np.sqrt((np.abs(free) ** 2).sum(axis=0)) / np.maximum(np.sqrt((size**2).sum(axis=0)), 1e-300)
