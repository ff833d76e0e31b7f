"""A rotor with blades that lag on a hub that can move, by hand, and its transition matrix by an integrator of SciPy."""

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

TURN = 2 * np.pi
BLADE = {"mass": 1.0, "length": 0.5, "offset": 0.1}
HUB = 10.0  # mass
MOMENT = BLADE["mass"] * BLADE["length"] / 2
INERTIA = BLADE["mass"] * BLADE["length"] ** 2 / 3  # about the hinge


def bladed_matrices(blades: int, speed: float, kx: float, ky: float, c: float, cb: float, kb: float) -> Callable:
    """M(t), C(t), K(t) of the same rotor by hand, in [x, y, lags] (Coleman & Feingold, NACA report 1351)."""

    def matrices(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        n, psi = blades + 2, speed * t + TURN * np.arange(blades) / blades
        sine, cosine = np.sin(psi), np.cos(psi)
        M, C, K = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
        M[:2, :2] = (HUB + blades * BLADE["mass"]) * np.eye(2)
        M[2:, 2:] = INERTIA * np.eye(blades)
        M[0, 2:] = M[2:, 0] = -MOMENT * sine
        M[1, 2:] = M[2:, 1] = MOMENT * cosine
        C[0, 0] = C[1, 1] = c
        C[0, 2:], C[1, 2:] = -2 * MOMENT * speed * cosine, -2 * MOMENT * speed * sine
        C[2:, 2:] = cb * np.eye(blades)
        K[0, 0], K[1, 1] = kx, ky
        K[0, 2:], K[1, 2:] = MOMENT * speed**2 * sine, -MOMENT * speed**2 * cosine
        K[2:, 2:] = (kb + speed**2 * BLADE["offset"] * MOMENT) * np.eye(blades)
        return M, C, K

    return matrices


def bladed_equations(blades: int, speed: float, *numbers: float, **named: float) -> Callable:
    """x' = A(t) x of it: [x, y, lags, rates]."""
    matrices, n = bladed_matrices(blades, speed, *numbers, **named), blades + 2

    def matrix(t: float) -> np.ndarray:
        M, C, K = matrices(t)
        return np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])

    return matrix


def harmonic_transfer(matrices: Callable, speed: float, omega: float, force: np.ndarray, most: int = 8) -> np.ndarray:
    """X (2 most + 1, n) of q(t) = sum X_k exp(i (omega + k speed) t), the answer of M(t) q'' + C(t) q' + K(t) q = force
    exp(i omega t) with M, C, K of period 2 pi / speed: Hill's equations of so many harmonics."""
    samples = 8 * most
    times = TURN / speed * np.arange(samples) / samples
    parts = [np.fft.fft(np.array(part), axis=0) / samples for part in zip(*map(matrices, times), strict=True)]
    n, orders = len(force), range(-most, most + 1)
    whole = np.zeros((len(orders), n, len(orders), n), dtype=complex)
    for a, k in enumerate(orders):
        for b, other in enumerate(orders):
            s = 1j * (omega + other * speed)
            M, C, K = (part[k - other] for part in parts)
            whole[a, :, b] = s**2 * M + s * C + K
    right = np.zeros((len(orders), n), dtype=complex)
    right[most] = force
    return np.linalg.solve(whole.reshape(right.size, right.size), right.ravel()).reshape(right.shape)


def monodromy(matrix: Callable, period: float, n: int) -> np.ndarray:
    """By an integrator that shares nothing with the engine."""
    rhs = lambda t, y: (matrix(t) @ y.reshape(n, n)).ravel()  # noqa: E731
    out = solve_ivp(rhs, (0, period), np.eye(n).ravel(), method="DOP853", rtol=1e-13, atol=1e-14)
    return out.y[:, -1].reshape(n, n)


def same_sets(found: np.ndarray, wanted: np.ndarray, tolerance: float) -> None:
    rest = list(wanted)
    for value in found:
        distance = [abs(value - other) for other in rest]
        assert min(distance) < tolerance, (value, min(distance))
        rest.pop(int(np.argmin(distance)))
