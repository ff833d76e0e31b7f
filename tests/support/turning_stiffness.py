"""Equations by hand of machines whose stiffness turns: shafts with unequal stiffness, a breathing crack, a washer.

Written in the fixed frame, where masses are constant and nothing but the stiffness turns.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import solve_ivp

Matrices = Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]


def turned(angle: float, along: float, across: float) -> np.ndarray:
    """Stiffness (2, 2) of two springs at right angles that are turned by an angle."""
    R = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return R @ np.diag([along, across]) @ R.T


def unsymmetric_shaft(speed: float, kx: float = 8e6, ky: float = 4e6) -> Matrices:
    """M, C, K of [journal x, y, disc x, y] of examples/unsymmetric_shaft.yaml."""
    M, C = np.diag([6.0, 6.0, 40.0, 40.0]), np.diag([1e3, 1e3, 200.0, 200.0])
    bearings = np.diag([kx, ky])

    def at(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        S = turned(speed * t, 1.25e6, 0.75e6)
        return M, C, np.block([[bearings + S, -S], [-S, S]])

    return at


def in_frame_of_shaft(speed: float, k: float = 8e6) -> np.ndarray:
    """Constant state matrix of the same on equal bearings, with z = R(t) w: w'' = ... by Coriolis and centrifugal
    terms."""
    M, C, K = unsymmetric_shaft(speed, k, k)(0.0)
    J = speed * np.kron(np.eye(2), np.array([[0.0, -1.0], [1.0, 0.0]]))
    first, second = np.linalg.solve(M, C) + 2 * J, np.linalg.solve(M, K + C @ J) + J @ J
    return np.block([[np.zeros((4, 4)), np.eye(4)], [-second, -first]])


def cracked_shaft(speed: float, depth: float = 0.2) -> Matrices:
    """M, C, K of [x, y] of the disc of examples/cracked_shaft.yaml."""

    def at(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        is_open = (1 - np.sin(speed * t)) / 2
        S = turned(speed * t, 1e6 * (1 - depth * is_open), 1e6 * (1 - 0.6 * depth * is_open))
        return 40.0 * np.eye(2), 400.0 * np.eye(2), S

    return at


def state_matrix(matrices: Matrices, t: float) -> np.ndarray:
    """A of x' = A x, x = [q, q']."""
    M, C, K = matrices(t)
    n = len(M)
    return np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])


def transition(matrices: Matrices, period: float) -> np.ndarray:
    """What deviations become after a period."""
    n = 2 * len(matrices(0.0)[0])

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        return (state_matrix(matrices, t) @ x.reshape(n, n)).ravel()

    return solve_ivp(rate, (0, period), np.eye(n).ravel(), "DOP853", rtol=1e-12, atol=1e-13).y[:, -1].reshape(n, n)


def orbit(matrices: Matrices, period: float, gravity: np.ndarray, times: np.ndarray) -> np.ndarray:
    """(times, n) coordinates of the motion under gravity that repeats itself: x(T) = Phi x(0) + b."""
    n = len(gravity)
    load = np.concatenate([np.zeros(n), gravity])

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        return state_matrix(matrices, t) @ x + load

    def run(x: np.ndarray, at: np.ndarray | None = None) -> np.ndarray:
        return solve_ivp(rate, (0, period), x, "DOP853", rtol=1e-12, atol=1e-16, t_eval=at).y

    b = run(np.zeros(2 * n))[:, -1]
    start = np.linalg.solve(np.eye(2 * n) - transition(matrices, period), b)
    return run(start, times)[:n].T


def washer(machine: dict, times: np.ndarray) -> np.ndarray:
    """(times, 3) x, y and angle of the tub of examples/washing_machine_run_up.py (its names), from rest as drawn.

    Tub and drum of mass m at (x, y), the tub turned by a, laundry of mass u at r from there along e(b), b = a + theta:
        (m + u) p'' + u r (b'' n - b'^2 e) = F + (m + u) g
        (I + Id) a'' + Id theta'' + u r n . (p'' + r b'' n - r b'^2 e) = T + u r n . g
    """
    m, u, r = machine["TUB"] + machine["DRUM"], machine["LAUNDRY"], machine["RADIUS"]
    I, Id, gain = machine["TUB_INERTIA"], machine["DRUM_INERTIA"], machine["GAIN"]  # noqa: E741
    g, rest = np.array([0.0, -9.81]), machine["free_length"]()
    struts = [(np.array(A), np.array(B), machine["STIFFNESS"], 0.0, rest) for A, B in machine["SPRINGS"].values()]
    struts += [(np.array(A), np.array(B), 0.0, machine["DAMPING"], 0.0) for A, B in machine["DAMPERS"].values()]

    def rate(t: float, state: np.ndarray) -> np.ndarray:
        p, a, v, w = state[:2], state[2], state[3:5], state[5]
        force, moment = np.zeros(2), 0.0
        for A, B, k, c, free in struts:
            arm = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]) @ B
            line, speed = p + arm - A, v + w * np.array([-arm[1], arm[0]])
            length = np.linalg.norm(line)
            pull = -(k * (length - free) + c * (line @ speed) / length) * line / length
            force, moment = force + pull, moment + arm[0] * pull[1] - arm[1] * pull[0]
        b, b_rate = a + gain * t**2 / 2, w + gain * t
        e, n = np.array([np.cos(b), np.sin(b)]), np.array([-np.sin(b), np.cos(b)])
        M = np.zeros((3, 3))
        M[:2, :2], M[:2, 2], M[2, :2], M[2, 2] = (m + u) * np.eye(2), u * r * n, u * r * n, I + Id + u * r**2
        right = np.append(
            force + (m + u) * g - u * r * (gain * n - b_rate**2 * e),
            moment - Id * gain - u * r**2 * gain + u * r * (n @ g),
        )
        return np.concatenate([v, [w], np.linalg.solve(M, right)])

    found = solve_ivp(rate, (0, times[-1]), np.zeros(6), "DOP853", t_eval=times, rtol=1e-10, atol=1e-12)
    return found.y[:3].T
