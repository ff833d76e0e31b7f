"""Derivatives of frequency responses, their peaks and stationary covariances by many parameters at once.

H(s) = C (s - A)^-1 B + D. With the states X = (s - A)^-1 B and the adjoint states Y = C (s - A)^-1

    dH = dD + dC X + Y dB + Y dA X

so the equations are solved once from each side, whatever the number of parameters. A peak moves with its frequency
but its height changes as if the frequency stood still (envelope theorem). The covariance of x' = A x + B w, w white
with intensity W, obeys A S + S A^T + B W B^T = 0; with the adjoint A^T Z + Z A + (c_i^T c_j + c_j^T c_i) / 2 = 0

    d(c_i S c_j^T) = 2 (Z S) : dA + 2 (Z B W) : dB + (B^T Z B) : dW + dc_i S c_j^T + c_i S dc_j^T
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.sensitivity import touched
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.numerics.signals.transfer import DenseTransfer, chunks

STEPS = 20
"""Newton steps that sharpen the frequency of a peak."""
SHARP = 1e-13
"""Relative step at which the frequency of a peak is found."""


class StateSpace(NamedTuple):
    """x' = A x + B u, y = C x + D u: A (n, n), B (n, nu), C (ny, n), D (ny, nu), real."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


class StateSpaceDerivatives(NamedTuple):
    """Derivatives by P parameters: dA (P, n, n), dB (P, n, nu), dC (P, ny, n), dD (P, ny, nu); None where zero."""

    A: np.ndarray | None = None
    B: np.ndarray | None = None
    C: np.ndarray | None = None
    D: np.ndarray | None = None

    @property
    def parameters(self) -> int:
        """P."""
        return next((len(part) for part in self if part is not None), 0)


@on_one_thread
def frf_derivatives(
    system: StateSpace, derivatives: StateSpaceDerivatives, s: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """H (nf, ny, nu) and dH (P, nf, ny, nu) at complex s (nf,), none of them a pole."""
    s = np.atleast_1d(np.asarray(s, complex))
    ny, nu = system.D.shape
    H = np.empty((len(s), ny, nu), complex)
    dH = np.empty((derivatives.parameters, len(s), ny, nu), complex)
    for part in chunks(len(s), 16.0 * len(system.A) * (nu + ny) * 2):
        X, Y = _states(system, s[part])
        H[part] = system.C @ X + system.D
        dH[:, part] = _variation(derivatives, X, Y, ny, nu)
    return H, dH


def _states(system: StateSpace, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """X (nf, n, nu) = (s - A)^-1 B and Y (nf, ny, n) = C (s - A)^-1."""
    return _solved(system.A, system.B, s), _solved(system.A.T, system.C.T, s).transpose(0, 2, 1)


def _solved(A: np.ndarray, B: np.ndarray, s: np.ndarray) -> np.ndarray:
    """(s - A)^-1 B (nf, n, nu)."""
    n = len(A)
    return DenseTransfer(A, B, np.eye(n), np.zeros((n, B.shape[1])))(s)


def _variation(derivatives: StateSpaceDerivatives, X: np.ndarray, Y: np.ndarray, ny: int, nu: int) -> np.ndarray:
    """dD + dC X + Y dB + Y dA X: (P, nf, ny, nu)."""
    nf, n = X.shape[:2]
    out = np.zeros((derivatives.parameters, nf, ny, nu), complex)
    wide = np.ascontiguousarray(X.transpose(1, 0, 2)).reshape(n, -1)  # (n, nf nu)
    tall = np.ascontiguousarray(Y.transpose(2, 0, 1)).reshape(n, -1)  # (n, nf ny)
    if derivatives.D is not None:
        out += derivatives.D[:, None]
    if derivatives.C is not None:
        out += _real_times(derivatives.C, wide).reshape(-1, ny, nf, nu).transpose(0, 2, 1, 3)
    if derivatives.B is not None:
        seen = _real_times(derivatives.B.transpose(0, 2, 1), tall)
        out += seen.reshape(-1, nu, nf, ny).transpose(0, 2, 3, 1)
    if derivatives.A is not None:
        _add_states(out, derivatives.A, X, Y, wide, tall)
    return out


def _add_states(
    out: np.ndarray, dA: np.ndarray, X: np.ndarray, Y: np.ndarray, wide: np.ndarray, tall: np.ndarray
) -> None:
    """Add Y dA X to `out`, dA multiplied with the side that has fewer columns; untouched rows and columns left out."""
    nf, ny, nu = len(X), Y.shape[1], X.shape[2]
    rows, columns = touched(dA)
    height, width = rows.stop - rows.start, columns.stop - columns.start
    if not height:
        return
    forward = nu <= ny
    for part in chunks(len(dA), 32.0 * nf * (height * nu if forward else width * ny)):
        own = dA[part, rows, columns]
        if forward:
            pushed = _real_times(own, wide[columns]).reshape(len(own), height, nf, nu)
            out[part] += np.einsum("fyi,pifu->pfyu", Y[:, :, rows], pushed, optimize=True)
        else:
            pulled = _real_times(own.transpose(0, 2, 1), tall[rows]).reshape(len(own), width, nf, ny)
            out[part] += np.einsum("pjfy,fju->pfyu", pulled, X[:, columns], optimize=True)


def _real_times(real: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Real (P, a, n) times complex (n, m) without making the first complex: (P, a, m) complex."""
    return (real @ np.ascontiguousarray(x).view(float)).view(complex)


def magnitude_derivatives(H: np.ndarray, dH: np.ndarray) -> np.ndarray:
    """d|H| from H (...) and dH (P, ...); nan where H is zero, where |H| has a corner."""
    size = np.abs(H)
    return (H.conj() * dH).real / np.where(size > 0, size, np.nan)


# ---------------------------------------------------------------- peaks


@dataclass(frozen=True, slots=True, eq=False)
class PeakDerivatives:
    """A maximum of |H| over frequency, rad/s, for one output and input.

    omega    where, sharpened; d_omega (P,) how it moves, zero at the edge of a band
    value    |H| there; d_value (P,) its derivative
    at_edge  the maximum is at the edge of the band
    """

    omega: float
    value: float
    d_omega: np.ndarray
    d_value: np.ndarray
    at_edge: bool


@on_one_thread
def peak_derivatives(
    system: StateSpace,
    derivatives: StateSpaceDerivatives,
    omega: float,
    output: int = 0,
    input: int = 0,
    band: tuple[float, float] | None = None,
) -> PeakDerivatives:
    """Of the peak of |H(i omega)| near `omega`, a maximum already found; one at an end of `band` stays there."""
    one = StateSpace(
        system.A,
        system.B[:, [input]],
        system.C[[output]],
        system.D[output : output + 1, input : input + 1],
    )
    few = StateSpaceDerivatives(
        derivatives.A,
        None if derivatives.B is None else derivatives.B[:, :, [input]],
        None if derivatives.C is None else derivatives.C[:, [output]],
        None if derivatives.D is None else derivatives.D[:, output : output + 1, input : input + 1],
    )
    at_edge = band is not None and _at_edge(one, omega, band)
    omega = omega if at_edge else _sharpened(one, omega)
    at = _Point(one, omega)
    H, H1, H2 = at.series()
    dH = _variation(few, at.X[None], at.Y[None], 1, 1)[:, 0, 0, 0]
    d_value = magnitude_derivatives(np.array(H), dH)
    if at_edge:
        return PeakDerivatives(omega, abs(H), np.zeros(few.parameters), d_value, True)
    X1, Y1 = -1j * at.states(at.X), -1j * at.adjoint(at.Y)
    moving_states = _variation(few._replace(D=None, B=None), X1[None], at.Y[None], 1, 1)
    moving_adjoint = _variation(few._replace(D=None, C=None), at.X[None], Y1[None], 1, 1)
    dH1 = (moving_states + moving_adjoint)[:, 0, 0, 0]
    mixed = (H1.conjugate() * dH + H.conjugate() * dH1).real
    bend = abs(H1) ** 2 + (H.conjugate() * H2).real
    return PeakDerivatives(omega, abs(H), -mixed / bend, d_value, False)


class _Point:
    """One system of one input and output at one frequency: X (n, 1), Y (1, n) from one factorization."""

    def __init__(self, one: StateSpace, omega: float) -> None:
        from scipy.linalg import lu_factor, matrix_balance

        B, (self._scale, _) = matrix_balance(one.A, permute=False, separate=True)
        self._factor = lu_factor(1j * omega * np.eye(len(B)) - B)
        self._system = one
        self.X, self.Y = self.states(one.B), self.adjoint(one.C)

    def states(self, b: np.ndarray) -> np.ndarray:
        """(i omega - A)^-1 b."""
        from scipy.linalg import lu_solve

        return lu_solve(self._factor, b / self._scale[:, None]) * self._scale[:, None]

    def adjoint(self, c: np.ndarray) -> np.ndarray:
        """c (i omega - A)^-1."""
        from scipy.linalg import lu_solve

        return lu_solve(self._factor, (c * self._scale).T, trans=1).T / self._scale

    def series(self) -> tuple[complex, complex, complex]:
        """H and its first two derivatives by omega."""
        H = complex((self._system.C @ self.X + self._system.D)[0, 0])
        return H, complex(-1j * (self.Y @ self.X)[0, 0]), complex(-2.0 * (self.Y @ self.states(self.X))[0, 0])


def _slope_and_bend(one: StateSpace, omega: float) -> tuple[float, float]:
    """First and second derivative of |H|^2 / 2 by omega."""
    H, H1, H2 = _Point(one, omega).series()
    return (H.conjugate() * H1).real, abs(H1) ** 2 + (H.conjugate() * H2).real


def _at_edge(one: StateSpace, omega: float, band: tuple[float, float]) -> bool:
    """Whether |H| still rises out of the band at its end."""
    low, high = band
    if omega not in (low, high):
        return False
    slope, _ = _slope_and_bend(one, omega)
    return slope < 0 if omega == low else slope > 0


def _sharpened(one: StateSpace, omega: float) -> float:
    """Stationary point of |H|^2 by Newton's method from a maximum known roughly."""
    start, best = omega, np.inf
    for _ in range(STEPS):
        slope, bend = _slope_and_bend(one, omega)
        if not bend < 0:
            raise ComputationError(f"|H| has no maximum near {start:.6g} rad/s. Search for the peak first.")
        step = -slope / bend
        if abs(step) <= SHARP * abs(omega) or abs(step) >= best:
            return omega  # as sharp as rounding allows
        best, omega = abs(step), omega + step
    return omega


# ---------------------------------------------------------------- covariance


@dataclass(frozen=True, slots=True, eq=False)
class CovarianceDerivatives:
    """Stationary (co)variances of outputs under white noise and their derivatives by P parameters.

    pairs     (m, 2) outputs i, j
    values    (m,) covariance of y_i and y_j
    d_values  (P, m)
    states    (n, n) covariance of the states
    """

    pairs: np.ndarray
    values: np.ndarray
    d_values: np.ndarray
    states: np.ndarray

    @property
    def rms(self) -> tuple[np.ndarray, np.ndarray]:
        """Root mean square of the outputs, from the pairs (i, i): values (k,), derivatives (P, k); nan at zero."""
        own = self.pairs[:, 0] == self.pairs[:, 1]
        rms = np.sqrt(np.maximum(self.values[own], 0.0))
        return rms, self.d_values[:, own] / (2.0 * np.where(rms > 0, rms, np.nan))


@on_one_thread
def covariance_derivatives(
    system: StateSpace,
    derivatives: StateSpaceDerivatives,
    W: np.ndarray,
    dW: np.ndarray | None = None,
    pairs: Sequence[tuple[int, int]] | np.ndarray | None = None,
) -> CovarianceDerivatives:
    """Of y = C x, x' = A x + B w, w white with two-sided intensity W (nu, nu), dW (P, nu, nu); D is not used.

    `pairs` of outputs whose covariance is wanted; the variance of every output by default. One Schur form, then one
    triangular Lyapunov solution for each pair.
    """
    C = system.C
    chosen = np.array([(i, i) for i in range(len(C))] if pairs is None else pairs, int).reshape(-1, 2)
    lyapunov = _Lyapunov(system.A)
    S = lyapunov.solve(system.B @ W @ system.B.T)
    values = np.einsum("mi,ij,mj->m", C[chosen[:, 0]], S, C[chosen[:, 1]], optimize=True)
    P = derivatives.parameters or (0 if dW is None else len(dW))
    d_values = np.zeros((P, len(chosen)))
    seen = C @ S
    for m, (i, j) in enumerate(chosen.tolist()):
        Z = lyapunov.solve_adjoint(0.5 * (np.outer(C[i], C[j]) + np.outer(C[j], C[i])))
        force = Z @ system.B
        if derivatives.A is not None:
            d_values[:, m] += 2.0 * derivatives.A.reshape(P, -1) @ (Z @ S).ravel()
        if derivatives.B is not None:
            d_values[:, m] += 2.0 * derivatives.B.reshape(P, -1) @ (force @ W).ravel()
        if dW is not None:
            d_values[:, m] += dW.reshape(P, -1) @ (system.B.T @ force).ravel()
        if derivatives.C is not None:
            d_values[:, m] += derivatives.C[:, i] @ seen[j] + derivatives.C[:, j] @ seen[i]
    return CovarianceDerivatives(chosen, values, d_values, S)


class _Lyapunov:
    """A S + S A^T + Q = 0 and A^T Z + Z A + Q = 0, Q symmetric, on one real Schur form of the balanced A."""

    def __init__(self, A: np.ndarray) -> None:
        from scipy.linalg import matrix_balance, schur

        self._scale = np.ones(0)
        if not len(A):
            return
        B, (self._scale, _) = matrix_balance(A, permute=False, separate=True)
        self._T, self._U = schur(B, output="real")
        slowest = np.linalg.eigvals(self._T).real.max()
        if slowest >= -len(A) * np.finfo(float).eps * np.linalg.norm(B):
            raise ComputationError(
                f"No stationary covariance: an eigenvalue has real part {slowest:.3g} 1/s, so motion does not decay. "
                "Add damping, or leave the lasting motion out of the states."
            )

    def solve(self, Q: np.ndarray) -> np.ndarray:
        """S (n, n) of A S + S A^T + Q = 0."""
        return self._solve(Q, 1.0 / self._scale, adjoint=False)

    def solve_adjoint(self, Q: np.ndarray) -> np.ndarray:
        """Z (n, n) of A^T Z + Z A + Q = 0."""
        return self._solve(Q, self._scale, adjoint=True)

    def _solve(self, Q: np.ndarray, unit: np.ndarray, adjoint: bool) -> np.ndarray:
        from scipy.linalg.lapack import dtrsyl

        if not len(self._scale):
            return np.zeros((0, 0))
        turned = self._U.T @ (Q * np.outer(unit, unit)) @ self._U
        found, size, _ = dtrsyl(self._T, self._T, -turned, trana="T" if adjoint else "N", tranb="N" if adjoint else "T")
        whole = self._U @ (found / size) @ self._U.T
        return 0.5 * (whole + whole.T) / np.outer(unit, unit)
