"""Energy of the response of x' = A x to impulses that come one after the other, some modes on the imaginary axis.

White noise of one source that enters by several doors with delays t_k makes y(t) a moving average of the noise with
the impulse response h(t) = C x(t), where x jumps by b_k at t_k and moves freely in between. Its variance is the
intensity of the noise times the integral of h^2: exact, by Lyapunov and Sylvester equations, with the motions that do
not decay split off. They must leave no trace in y after the last impulse, else the variance is infinite.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from eigenbody.numerics.matrices.exact_products import summed_products
from eigenbody.numerics.matrices.noise import EPS, noise_of

UNSEEN = 1e-10
"""A lasting motion is not seen by a row of C when what cancels in it cancels to this part."""
ROUNDING = 1e-12
"""Part of the largest entry of a balanced vector below which another one is taken for zero."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """x = V1 x1 + V2 x2 with x1' = A1 x1 and x2' = A2 x2; W1, W2 are the rows of the inverse of [V1, V2]."""

    V1: np.ndarray
    W1: np.ndarray
    A1: np.ndarray
    V2: np.ndarray
    W2: np.ndarray
    A2: np.ndarray


def split(A: np.ndarray, chosen: Callable[[complex], bool]) -> Split:
    """Invariant subspaces of A: of the chosen eigenvalues (first) and of the others."""
    from scipy.linalg import schur

    if not len(A):
        return _decoupled(A, A, 0)
    T, Z, k = schur(A, output="complex", sort=chosen)
    return _decoupled(T, Z, k) if 0 < k < len(A) else _decoupled(A, np.eye(len(A)), k)


def split_nearest(A: np.ndarray, value: complex, count: int) -> Split:
    """Invariant subspaces of the `count` eigenvalues nearest to a value (first) and of the others."""
    apart = np.sort(np.abs(np.linalg.eigvals(A) - value))
    reach = np.inf if count >= len(A) else 0.5 * (apart[count - 1] + apart[count])
    return split(A, lambda found: bool(abs(found - value) < reach))


def split_along(A: np.ndarray, V: np.ndarray) -> Split:
    """Invariant subspaces of A: the one that the columns of V (n, k) span (first), and the other one."""
    Q = np.linalg.qr(V, mode="complete")[0]
    return _decoupled(Q.conj().T @ A @ Q, Q, V.shape[1])


def _decoupled(T: np.ndarray, Z: np.ndarray, k: int) -> Split:
    """A = Z T Z^H with nothing below the first k rows and columns of T: the coupling above taken out."""
    from scipy.linalg import solve_sylvester

    first, second = Z[:, :k], Z[:, k:]
    if k in (0, len(T)):
        return Split(first, first.conj().T, T[:k, :k], second, second.conj().T, T[k:, k:])
    X = solve_sylvester(T[:k, :k], -T[k:, k:], -T[:k, k:])
    W1 = first.conj().T - X @ second.conj().T
    return Split(first, W1, T[:k, :k], first @ X + second, second.conj().T, T[k:, k:])


def _without_rounding(parts: Split, A: np.ndarray) -> Split:
    """The same with what is rounding in the first part set to zero."""
    A1 = np.where(np.abs(parts.A1) > ROUNDING * np.abs(A).max(initial=0.0), parts.A1, 0.0)
    return replace(parts, V1=_clean(parts.V1, 0), W1=_clean(parts.W1, 1), A1=A1)


def _clean(vectors: np.ndarray, axis: int) -> np.ndarray:
    """Entries that are rounding beside the largest of their vector set to zero."""
    size = np.abs(vectors)
    return np.where(size > ROUNDING * size.max(axis=axis, keepdims=True, initial=0.0), vectors, 0.0)


def balanced(
    A: np.ndarray, B: np.ndarray, C: np.ndarray, noise: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The same system, and noise of A, with states scaled by powers of two so that rows and columns of A are of like
    size."""
    from scipy.linalg import matrix_balance

    if len(A) == 0:
        return A, B, C, noise
    scaled, (scale, _) = matrix_balance(A, permute=False, separate=True)
    return scaled, B / scale[:, None], C * scale, noise * scale / scale[:, None]


def lasting(A: np.ndarray, count: int) -> Callable[[complex], bool]:
    """Which eigenvalues are the `count` least damped ones: a test for `split`."""
    if count == 0 or len(A) == 0:
        return lambda value: False
    real = np.sort(np.linalg.eigvals(A).real)[::-1]
    threshold = -np.inf if count >= len(real) else 0.5 * (real[count - 1] + real[count])
    return lambda value: bool(np.real(value) > threshold)


def decaying_part(A: np.ndarray, V: np.ndarray) -> Split:
    """A split into the motions that the columns of V (n, k) span (first), all that do not decay, and the others; where
    the columns are dependent (a defective eigenvalue), into the k least damped eigenvalues and the others."""
    size = np.linalg.norm(V, axis=0)
    if not V.shape[1] or np.linalg.svd(V / size, compute_uv=False)[-1] > np.sqrt(EPS):
        return split_along(A, V / size)
    first = split(A, lasting(A, V.shape[1])).V1  # complex vectors of whole pairs: what they span is real
    basis = np.linalg.svd(np.hstack((first.real, first.imag)))[0][:, : first.shape[1]]
    return split_along(A, basis)


def entered(W: np.ndarray, b: np.ndarray) -> np.ndarray:
    """W b, rounding taken for nothing."""
    x = W @ b
    return np.where(np.abs(x) > UNSEEN * (np.abs(W) @ np.abs(b)), x, 0.0)


def seen(A: np.ndarray, C: np.ndarray, V: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Which rows of C V see something of the motion of x' = A x from x: (rows,) bool."""
    found = np.zeros(len(C), dtype=bool)
    rate = np.linalg.norm(A, 2) if A.size else 0.0
    for _ in range(len(A)):
        size = (np.abs(C) @ np.abs(V)) @ np.abs(x)
        found |= np.abs(C @ (V @ x)) > UNSEEN * size
        if rate == 0:
            break
        x = A @ x / rate
    return found


def impulse_energy(
    A: np.ndarray,
    C: np.ndarray,
    impulses: Sequence[tuple[float, np.ndarray]],
    marginal: int,
    noise: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Integral of (C x)^2 over all time, (rows,), and its estimated error: x jumps by b at each delay; inf where
    something lasts.

    Impulses (delay, b) have different delays, in any order.
    `marginal` is the number of eigenvalues of A on the imaginary axis; the others decay. `noise` (n, n) is the size of
    the error of A.
    """
    delays = [delay for delay, _ in impulses]
    B = np.array([b for _, b in impulses]).T
    A, B, C, noise = balanced(A, B, C, noise_of(A, noise))
    parts = _without_rounding(split(A, lasting(A, marginal)), A)
    fading = _Fading(parts.A2, np.abs(parts.W2) @ noise @ np.abs(parts.V2), C @ parts.V2)
    stay = C @ parts.V1
    x1, x2 = np.zeros(len(parts.A1), dtype=parts.A1.dtype), np.zeros(len(parts.A2), dtype=parts.A2.dtype)
    total, error = np.zeros(len(C)), np.zeros(len(C))
    for k in np.argsort(delays, kind="stable"):
        x1, x2 = _added(x1, entered(parts.W1, B[:, k])), x2 + parts.W2 @ B[:, k]
        later = [delay for delay in delays if delay > delays[k]]
        if not later:
            continue
        energy, wrong, x1, x2 = _piece(parts, fading, stay, x1, x2, min(later) - delays[k])
        total, error = total + energy, error + wrong
    energy, wrong = fading.energy(x2)
    return np.where(seen(parts.A1, C, parts.V1, x1), np.inf, total + energy), error + wrong


class _Fading:
    """Motions x' = A x that all decay, seen by y = C x; `noise` is the size of the error of A."""

    def __init__(self, A: np.ndarray, noise: np.ndarray, C: np.ndarray) -> None:
        from scipy.linalg import get_lapack_funcs, schur

        self._A, self._noise, self.C = A, noise, C
        if len(A):
            self._T, self._Z = schur(A, output="real" if np.isrealobj(A) else "complex")
            (self._sylvester,) = get_lapack_funcs(("trsyl",), (self._T,))

    def energy(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Integral (rows,) of |C e^(At) x|^2 over all time and its error: what one refinement changed, and what
        the noise of A does, 2 tr(Q noise P) with the gramians P of x and Q of each row of C."""
        if not len(x):
            return np.zeros(len(self.C)), np.zeros(len(self.C))
        P = self._gramian(np.outer(x, x.conj()))
        change = self._gramian(_residual(self._A, P, x))
        P = P + change
        error = np.abs(_rows(self.C, change)) + [2 * np.sum(self._noise * np.abs(P @ Q).T) for Q in self._observers]
        return _rows(self.C, P), error

    @cached_property
    def _observers(self) -> list[np.ndarray]:
        """Q of A^H Q + Q A + c^H c = 0 for each row c of C."""
        return [self._gramian(np.outer(row.conj(), row), "C") for row in self.C]

    def _gramian(self, source: np.ndarray, transposed: str = "N") -> np.ndarray:
        """P of A P + P A^H + source = 0; transposed "C": A^H P + P A + source = 0."""
        Z, other = self._Z, "C" if transposed == "N" else "N"
        inner = -Z.conj().T @ source @ Z
        P, scale, _ = self._sylvester(self._T, self._T, inner.astype(self._T.dtype), transposed, other)
        return Z @ (P / scale) @ Z.conj().T


def _residual(A: np.ndarray, P: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A P + P A^H + x x^H to all its digits: rounding of the products would be as large as what P is wrong by."""
    factors = (A, P), (P, A.conj().T), (x[:, None], x[None, :].conj())
    if not any(np.iscomplexobj(part) for pair in factors for part in pair):
        return summed_products(factors)
    real = [(one, other) for p, q in factors for one, other in ((p.real, q.real), (-p.imag, q.imag))]
    imag = [(one, other) for p, q in factors for one, other in ((p.real, q.imag), (p.imag, q.real))]
    return summed_products(real) + 1j * summed_products(imag)


def _added(x: np.ndarray, b: np.ndarray) -> np.ndarray:
    """x + b, what is left by rounding taken for nothing."""
    size = (np.abs(x) + np.abs(b)).max(initial=0.0)
    return np.where(np.abs(x + b) > UNSEEN * size, x + b, 0.0)


def _piece(
    parts: Split, fading: _Fading, stay: np.ndarray, x1: np.ndarray, x2: np.ndarray, length: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Energy of C x over a piece of time and its error, and x at its end."""
    from scipy.linalg import expm, solve_sylvester

    E1, E2 = expm(parts.A1 * length), expm(parts.A2 * length)
    end1, end2 = E1 @ x1, E2 @ x2
    (energy, error), (left, more) = fading.energy(x2), fading.energy(end2)
    energy, error = energy - left, error + more
    if len(x1):
        energy = energy + _rows(stay, _finite_gramian(parts.A1, x1, length))
        if len(x2):
            change = np.outer(end1, end2.conj()) - np.outer(x1, x2.conj())
            cross = solve_sylvester(parts.A1, parts.A2.conj().T, change)
            energy = energy + 2 * np.real(np.einsum("ij,jk,ik->i", stay, cross, fading.C.conj()))
    return energy, error, end1, end2


def _finite_gramian(A: np.ndarray, x: np.ndarray, length: float) -> np.ndarray:
    """Integral of e^(At) x x^H e^(At)^H from 0 to `length`, A without decay (Van Loan 1978)."""
    from scipy.linalg import expm

    n = len(A)
    block = np.block([[-A, np.outer(x, x.conj())], [np.zeros((n, n)), A.conj().T]])
    large = expm(block * length)
    return large[n:, n:].conj().T @ large[:n, n:]


def _rows(C: np.ndarray, P: np.ndarray) -> np.ndarray:
    """Diagonal of C P C^H."""
    return np.real(np.einsum("ij,jk,ik->i", C, P, C.conj()))
