"""Poles of frequency responses by rational fitting: the poly-reference least-squares complex frequency-domain method.

H(w) = N(z) D(z)^-1 with polynomials in z = exp(-i w T) and matrices (inputs, inputs) in D (Peeters et al. 2004). With
the coefficient of the highest power fixed, most poles that only fit noise come out unstable, so diagrams are clear.
Residues follow linearly: H = sum R / (i w - pole) + conjugates + lower and upper residuals.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.numerics.signals.subspace import Poles, oscillating

MARGIN = 1.05  # of the highest frequency: where z has gone half round


def fitted_poles(omega: np.ndarray, H: np.ndarray, orders: range) -> Iterator[Poles]:
    """Poles and shapes (k, ny) of every order of the polynomials, from H (nf, ny, nu) at rad/s (nf,) rising."""
    low, high = float(omega[0]), float(omega[-1])
    step = np.pi / (MARGIN * (high - low))
    z = np.exp(-1j * (omega - low) * step)
    for order in orders:
        with np.errstate(divide="ignore"):
            s = 1j * low - np.log(_denominator_zeros(z, H, order)) / step  # z = exp(-(s - i low) T)
        s = s[np.isfinite(s) & (s.real < 0) & (s.imag > low) & (s.imag < high)]
        yield Poles(order, *oscillating(s, left_vectors(residues(omega, H, s)), np.full(len(s), np.inf)))


def _denominator_zeros(z: np.ndarray, H: np.ndarray, order: int) -> np.ndarray:
    """Zeros of det D(z); the coefficients are complex, since the band may begin anywhere."""
    nf, ny, nu = H.shape
    powers = z[:, None] ** np.arange(order + 1)  # (nf, order + 1)
    inner = powers.conj().T @ powers
    total = np.zeros((nu * (order + 1), nu * (order + 1)), complex)
    for o in range(ny):
        Y = -(powers[:, :, None] * H[:, o, None, :]).reshape(nf, -1)
        S = powers.conj().T @ Y
        total += Y.conj().T @ Y - S.conj().T @ np.linalg.solve(inner, S)
    size = nu * order
    blocks = np.linalg.solve(total[:size, :size], -total[:size, size:]).reshape(order, nu, nu)
    companion = np.zeros((size, size), complex)  # acts on [z^{n-1} v; ...; v], D of the highest power is one
    for k in range(order):
        companion[:nu, k * nu : (k + 1) * nu] = -blocks[order - 1 - k]
    companion[nu:, :-nu] += np.eye(size - nu)
    return np.linalg.eigvals(companion)


# ---- residues


def residues(omega: np.ndarray, H: np.ndarray, poles: np.ndarray) -> np.ndarray:
    """(k, ny, nu) residues of poles with positive imaginary part, their conjugates and residuals beside them."""
    k = len(poles)
    found = _fit(omega, H, poles)[0]
    return (found[:k] + 1j * found[k : 2 * k]).reshape(k, *H.shape[1:])


def rebuilt(omega: np.ndarray, H: np.ndarray, poles: np.ndarray) -> np.ndarray:
    """H as its best fit by these poles and residuals says it."""
    found, columns = _fit(omega, H, poles)
    return (columns @ found).reshape(H.shape)


def _fit(omega: np.ndarray, H: np.ndarray, poles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Real coefficients (n, ny nu) and the complex functions of frequency (nf, n) that they belong to: real and
    imaginary parts of residues, a constant, and 1 / w^2."""
    nf, iw = len(omega), 1j * omega
    direct, mirrored = 1 / (iw[:, None] - poles), 1 / (iw[:, None] - poles.conj())
    below = np.where(omega > 0, -1 / np.where(omega > 0, omega, 1.0) ** 2, 0.0)
    rest = np.stack((np.ones(nf), 1j * np.ones(nf), below, 1j * below), axis=1)
    columns = np.concatenate((direct + mirrored, 1j * (direct - mirrored), rest), axis=1)
    size = np.maximum(np.abs(columns).max(axis=0), 1e-300)
    system = np.concatenate((columns.real, columns.imag)) / size
    right = np.concatenate((H.real, H.imag)).reshape(2 * nf, -1)
    return np.linalg.lstsq(system, right, rcond=None)[0] / size[:, None], columns


def left_vectors(matrices: np.ndarray) -> np.ndarray:
    """(k, ny): of residues (k, ny, nu), which have rank one but for noise, the shape with its strength."""
    if not len(matrices):
        return np.zeros(matrices.shape[:2], complex)
    U, s, _ = np.linalg.svd(matrices, full_matrices=False)
    return U[:, :, 0] * s[:, :1]


def refined(omega: np.ndarray, H: np.ndarray, poles: np.ndarray) -> np.ndarray:
    """The poles that fit best in the least-squares sense, residues following (variable projection)."""
    from scipy.optimize import least_squares

    k, width = len(poles), np.abs(poles.real)  # of the resonances

    def at(x: np.ndarray) -> np.ndarray:
        return poles + width * (x[:k] + 1j * x[k:])

    def left(x: np.ndarray) -> np.ndarray:
        off = (H - rebuilt(omega, H, at(x))).ravel()
        return np.concatenate((off.real, off.imag))

    found = least_squares(left, np.zeros(2 * k), xtol=1e-10, ftol=1e-12, max_nfev=30)
    return at(found.x)
