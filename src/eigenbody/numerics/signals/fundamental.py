"""The fundamental matrix Phi(t) = exp(A t) of x' = A x, by the ways of the lecture notes on multibody vibration.

modal            V exp(T t) V^-1 with confluent blocks where eigenvalues are repeated or defective (`confluent`)
series           scaled series: (sum (A t / 2^s)^k / k!)^(2^s)
cayley-hamilton  polynomial of degree n - 1 in A that equals exp(lambda t) on the spectrum, derivatives included where
                 eigenvalues coincide: Newton's form on well-ordered nodes
pade             scaled Pade approximation of SciPy: the default

None divides by differences of eigenvalues or inverts A: rigid-body modes need no care.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.numerics.matrices.balance import balanced, exponentials
from eigenbody.numerics.signals.confluent import block_diagonal

TERMS = 24
"""Of the series: 0.5^24 / 24! is far below rounding."""
CHUNK = 2**22  # numbers held at a time in a batch of matrices


def fundamental_matrix(A: np.ndarray, t: float | np.ndarray, method: str = "pade") -> np.ndarray:
    """Phi(t) = exp(A t) of a real matrix A (n, n): (n, n) for one time, (times, n, n) for many.

    `method` is "pade" (default), "modal", "series" or "cayley-hamilton".
    """
    A, times = _checked(A, t)
    if method not in METHODS:
        raise InputError(Fault("method", f'"{method}" is not known.', f"Known: {', '.join(METHODS)}."))
    n = len(A)
    out = np.zeros((len(times), n, n))
    size = max(1, CHUNK // max(n * n, 1))
    with np.errstate(over="ignore", invalid="ignore"):
        for first in range(0, len(times), size) if n else ():
            part = slice(first, first + size)
            out[part] = METHODS[method](A, times[part])
    if not np.isfinite(out).all():
        raise ComputationError(_overflow(A, times))
    return out[0] if np.ndim(t) == 0 else out


def _checked(A: np.ndarray, t: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    A, times = np.asarray(A), np.atleast_1d(np.asarray(t, dtype=float))
    if A.ndim != 2 or A.shape[0] != A.shape[1] or np.iscomplexobj(A):
        raise InputError(Fault("A", f"a real square matrix is expected, not one of shape {A.shape}."))
    A = A.astype(float)
    if not np.isfinite(A).all():
        raise InputError(Fault("A", "holds numbers that are not finite."))
    if times.ndim != 1 or not np.isfinite(times).all():
        raise InputError(Fault("t", "one finite time, or a list of them, is expected."))
    return A, times


def _overflow(A: np.ndarray, times: np.ndarray) -> str:
    values = np.linalg.eigvals(A)
    growth = values.real if times.max() > 0 else -values.real
    return (
        f"The fundamental matrix overflows for times up to {np.abs(times).max():g} s: its fastest part grows as"
        f" exp({growth.max():.6g} t), beyond 1e308 at about {700 / max(growth.max(), 1e-300):.3g} s. Ask for less."
    )


def _modal(A: np.ndarray, times: np.ndarray) -> np.ndarray:
    return block_diagonal(A).exponential(times).real


def _series(A: np.ndarray, times: np.ndarray) -> np.ndarray:
    scaled_A, unit = balanced(A)
    squarings = _squarings(np.linalg.norm(scaled_A, 1) * np.abs(times), 0.5)
    scaled = (times / 2.0**squarings)[:, None, None] * scaled_A
    one = np.eye(len(A))
    out = np.broadcast_to(one, scaled.shape)
    for k in range(TERMS, 0, -1):  # Horner: 1 + X (1 + X/2 (1 + X/3 (...)))
        out = one + scaled @ out / k
    return _squared(out, squarings) * unit[:, None] / unit


def _cayley_hamilton(A: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Newton's form sum d_k(t) (A - l_0) ... (A - l_(k-1)) on nodes moved to their mean m and brought into the unit
    disc, exp(A t) = exp(m t) p((A - m) / r), scaled and squared so that the divided differences d_k stay tame."""
    scaled_A, unit = balanced(A)
    n = len(A)
    mean = np.trace(scaled_A) / n
    moved = scaled_A - mean * np.eye(n)
    values = np.linalg.eigvals(moved)
    radius = max(float(np.abs(values).max()), 1e-8 * float(np.linalg.norm(moved, 1)), 1e-300)
    nodes = leja_order(values / radius)
    squarings = _squarings(radius * np.abs(times), 1.0)
    differences = exponential_differences(nodes, radius * times / 2.0**squarings)
    one, X = np.eye(n), moved / radius
    out = np.zeros((len(times), n, n), complex)
    for k in range(n - 1, -1, -1):
        out = out @ (X - nodes[k] * one) + differences[:, k, None, None] * one
    grown = np.exp(mean * times / 2.0**squarings)[:, None, None]
    return _squared(grown * out.real, squarings) * unit[:, None] / unit


def leja_order(nodes: np.ndarray) -> np.ndarray:
    """Each node next that has the largest product of distances to those before; a node that is repeated comes again
    when the distinct ones are used up (the product counts a distance of zero as the least one)."""
    left = list(np.asarray(nodes, complex))
    first = int(np.argmax(np.abs(left)))
    out = [left.pop(first)]
    logs = np.zeros(len(left))
    while left:
        apart = np.abs(np.array(left) - out[-1])
        logs = logs + np.log(np.maximum(apart, 1e-16))
        best = int(np.argmax(logs))
        out.append(left.pop(best))
        logs = np.delete(logs, best)
    return np.array(out)


def exponential_differences(nodes: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Divided differences of exp(s x) on the nodes x_0 ... x_k, k = 0 ... n-1, for every s in [-1, 1]: (scales, n).

    With |x| <= 1 they are the rapidly converging sums d_k = sum_m h_m(x_0 ... x_k) s^(m+k) / (m+k)!, h_m the complete
    homogeneous polynomials: no differences are divided, so nodes may coincide.
    """
    n = len(nodes)
    # h_m(x_0 ... x_k) = h_m(x_0 ... x_(k-1)) + x_k h_(m-1)(x_0 ... x_k)
    sums = np.zeros((n, 2 * TERMS), complex)
    before = np.zeros(2 * TERMS, complex)
    before[0] = 1.0
    for k in range(n):
        row = np.empty(2 * TERMS, complex)
        row[0] = 1.0
        for m in range(1, 2 * TERMS):
            row[m] = (before[m] if k else 0.0) + nodes[k] * row[m - 1]
        sums[k] = before = row
    out = np.zeros((len(scale), n), complex)
    leading = np.ones(len(scale))  # s^k / k!
    for k in range(n):
        factors = np.cumprod(np.ones((len(scale), 2 * TERMS)) * scale[:, None] / (k + np.arange(1, 2 * TERMS + 1)), 1)
        weights = np.concatenate((np.ones((len(scale), 1)), factors[:, :-1]), axis=1)
        out[:, k] = leading * (weights @ sums[k])
        leading = leading * scale / (k + 1)
    return out


def _squarings(size: np.ndarray, limit: float) -> np.ndarray:
    """How often each must be halved to come below the limit."""
    return np.maximum(0, np.ceil(np.log2(np.maximum(size, 1e-300) / limit))).astype(int)


def _squared(matrices: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Each matrix squared as often as its number says."""
    out = np.array(matrices)
    for k in range(int(times.max(initial=0))):
        more = times > k
        out[more] = out[more] @ out[more]
    return out


METHODS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "pade": exponentials,
    "modal": _modal,
    "series": _series,
    "cayley-hamilton": _cayley_hamilton,
}
