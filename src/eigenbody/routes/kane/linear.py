"""Linear equations from Kane's arrays: every derivative is a complex step, exact to rounding.

The 1-2-3 angles of ball joints and floating bodies are replaced by small rotations, delta phi = B(x) delta x, and
their rates. B moves with the mechanism: A becomes T A T^-1 + T' T^-1.
"""

from __future__ import annotations

import numpy as np

from eigenbody.routes.base import Linear
from eigenbody.routes.kane.dynamics import ChainSystem

_STEP = 1e-30
_E = np.eye(3)


def linear_equations(system: ChainSystem) -> Linear:
    """M z'' + C z' + K z = 0 of the free coordinates, the state matrix in small rotations, and its eigenvalues."""
    acceleration = system.forward()
    N = system.prescribed.free
    n, count = N.shape
    slopes = _slopes(system, acceleration)  # by coordinates, speeds, first-order states
    K, C, E = slopes[:n, :n], slopes[:n, n : 2 * n], slopes[:n, 2 * n :]
    M, C, K, E = N.T @ system.mass(system.here)[0] @ N, N.T @ C @ N, N.T @ K @ N, N.T @ E
    states = slopes.shape[1] - 2 * n
    A = np.zeros((2 * count + states, 2 * count + states))
    A[:count, count : 2 * count] = np.eye(count)
    A[count : 2 * count] = -np.linalg.solve(M, np.hstack([K, C, E]))
    A[2 * count :] = -np.hstack([slopes[n:, :n] @ N, slopes[n:, n : 2 * n] @ N, slopes[n:, 2 * n :]])
    A = _in_small_rotations(system, A, acceleration)
    matrices = {"A": A, "M": M, "C": C, "K": K, "A_rj": system.mass(system.here)[0], "acceleration": acceleration}
    eigenvalues = np.linalg.eigvals(A).astype(complex)
    names = tuple(system.tree.coordinates[i] for i in system.prescribed.chosen)
    return Linear(eigenvalues, matrices, (f"coordinates: {', '.join(names)}",))


def _slopes(system: ChainSystem, acceleration: np.ndarray) -> np.ndarray:
    """Derivatives (n + m, 2n + m) of the residual by coordinates, speeds and first-order states, x'' fixed."""
    n, m = system.tree.count, len(system.place.x)
    base = np.concatenate([np.zeros(n), system.speeds, system.place.x])
    stepped = base + 1j * _STEP * np.eye(2 * n + m)
    x, speeds, states = stepped[:, :n], stepped[:, n : 2 * n], stepped[:, 2 * n :]
    return (system.residual(x, speeds, states, acceleration).imag / _STEP).T


def _in_small_rotations(system: ChainSystem, A: np.ndarray, acceleration: np.ndarray) -> np.ndarray:
    """T A T^-1 + T' T^-1 with T = [B, 0; B', B] for the balls; angles are zero at the place, so that B = 1 there."""
    chosen = list(system.prescribed.chosen)
    count = len(chosen)
    T, rate = np.eye(len(A)), np.zeros_like(A)
    for ball in system.tree.balls:
        place = np.array([chosen.index(ball + i) for i in range(3)])
        first, second = chart_rates(system.speeds[ball : ball + 3], acceleration[ball : ball + 3])
        T[np.ix_(count + place, place)] = first
        rate[np.ix_(place, place)] = rate[np.ix_(count + place, count + place)] = first
        rate[np.ix_(count + place, place)] = second
    return (T @ A + rate) @ np.linalg.inv(T)


def chart_rates(u: np.ndarray, du: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """B' and B'' of 1-2-3 angles at zero, their rates u and second rates du (3,).

    omega = B(x) x' with the columns e1, Rx e2, Rx Ry e3 (Passerello & Huston, Eq. 1.23).
    """
    x, y, z = _E
    first = np.column_stack([0 * x, u[0] * z, u[1] * x - u[0] * y])
    last = du[1] * x - du[0] * y - (u[0] ** 2 + u[1] ** 2) * z
    return first, np.column_stack([0 * x, du[0] * z - u[0] ** 2 * y, last])
