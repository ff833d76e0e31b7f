"""Linear equations from Kane's arrays: every derivative is a complex step, exact to rounding.

The 1-2-3 angles of ball joints and floating bodies are replaced by small rotations, delta phi = B(x) delta x. B is 1 at
the place and moves with the mechanism:

    delta x = phi,   delta x' = phi' - B' phi,   delta x'' = phi'' - 2 B' delta x' - B'' phi

Rows leave free variations: of positions S those that are holonomic, of speeds W all of them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.routes.base import Linear
from eigenbody.routes.kane.dynamics import ChainSystem
from eigenbody.routes.kane.prescribed import prescribed

_STEP = 1e-30
_E = np.eye(3)


@dataclass(frozen=True, eq=False)
class _Slopes:
    """Derivatives by phi, phi' and first-order states: of the balance, of state rates, of the rows at the levels of
    velocity and acceleration."""

    balance: tuple[np.ndarray, np.ndarray, np.ndarray]
    states: tuple[np.ndarray, np.ndarray, np.ndarray]
    velocity: tuple[np.ndarray, np.ndarray, np.ndarray]
    acceleration: tuple[np.ndarray, np.ndarray, np.ndarray]


def linear_equations(system: ChainSystem) -> Linear:
    """The state matrix in S, W and first-order states, M z'' + C z' + K z = 0 where all rows are holonomic, and the
    eigenvalues."""
    motion = system.mixed(system.prescribed)
    A_rj, G = system.mass(system.here)[0], system.gradient(system.here)[0]
    slopes = _slopes(system, motion.acceleration, motion.force, A_rj, G)
    positions, speeds = _choice(system, G)
    S = _free(G[system.is_holonomic], positions)[1]  # phi by S
    held, W = _free(G, speeds)  # phi' by the rows and by W
    by_S = -held @ slopes.velocity[0] @ S
    own = -held @ np.hstack([slopes.acceleration[0] @ S + slopes.acceleration[1] @ by_S, slopes.acceleration[1] @ W])
    K, C, E = slopes.balance
    pull = np.hstack([K @ S + C @ by_S, C @ W]) + A_rj @ own
    M = W.T @ A_rj @ W
    count, many, inner = len(positions), len(speeds), E.shape[1]
    A = np.zeros((count + many + inner,) * 2)
    A[:count, :count], A[:count, count : count + many] = by_S[positions], W[positions]
    A[count : count + many] = -np.linalg.solve(M, W.T @ np.hstack([pull, E]))
    A[count + many :] = -np.hstack(
        [slopes.states[0] @ S + slopes.states[1] @ by_S, slopes.states[1] @ W, slopes.states[2]]
    )
    matrices = {"A": A, "M": M, "A_rj": A_rj, "acceleration": motion.acceleration}
    if np.all(system.is_holonomic):
        at = slice(count, 2 * count)
        matrices |= {"C": -M @ A[at, at], "K": -M @ A[at, :count]}
    names = tuple(system.tree.coordinates[i] for i in positions)
    notes = [f"coordinates: {', '.join(names)}"]
    if many < count:
        notes.append(f"speeds: {', '.join(system.tree.coordinates[i] for i in speeds)}")
    return Linear(np.linalg.eigvals(A).astype(complex), matrices, tuple(notes))


def _choice(system: ChainSystem, G: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Independent coordinates and speeds: those of the place where they are coordinates of the tree and determine
    everything, else by elimination."""
    place, names = system.place, system.tree.coordinates
    found = []
    for rows, wanted in ((G[system.is_holonomic], place.independent), (G, place.velocities or place.independent)):
        index = [names.index(name) for name in wanted if name in names]
        chosen = np.array(index, dtype=int)
        if len(index) != len(names) - len(rows) or not _determines(rows, chosen):
            chosen = prescribed(rows, np.zeros(len(rows)), index).chosen
        found.append(chosen)
    return found[0], found[1]


def _stacked(rows: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """The rows, each of unit size, and those of the chosen coordinates."""
    return np.concatenate([rows, np.eye(rows.shape[1])[chosen]])


def _determines(rows: np.ndarray, chosen: np.ndarray) -> bool:
    size = np.linalg.norm(rows, axis=1, keepdims=True)
    return bool(np.linalg.cond(_stacked(rows / np.where(size > 0, size, 1.0), chosen)) < 1e10)


def _free(rows: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Variations (n, m) by the rows and (n, f) by the chosen coordinates."""
    try:
        inverse = np.linalg.inv(_stacked(rows, chosen))
    except np.linalg.LinAlgError:
        raise ComputationError("kane: the prescribed motions and couplings are not independent; remove one.") from None
    return inverse[:, : len(rows)], inverse[:, len(rows) :]


def _slopes(
    system: ChainSystem, acceleration: np.ndarray, force: np.ndarray, A_rj: np.ndarray, G: np.ndarray
) -> _Slopes:
    """By coordinates, speeds and first-order states at fixed x'' and forces, then in small rotations."""
    n, m, rows = system.tree.count, len(system.place.x), len(G)
    base = np.concatenate([np.zeros(n), system.speeds, system.place.x])
    stepped = base + 1j * _STEP * np.eye(2 * n + m)
    x, speeds, states = stepped[:, :n], stepped[:, n : 2 * n], stepped[:, 2 * n :]
    found = (system.residual(x, speeds, states, acceleration, force).imag / _STEP).T
    first, second = _chart(system, acceleration)
    ends = np.cumsum([n, m, rows, rows])
    parts = []
    for part, by_second in zip(np.split(found, ends[:-1]), (A_rj, None, None, G), strict=True):
        by_x, by_u, by_s = part[:, :n], part[:, n : 2 * n], part[:, 2 * n :]
        if by_second is not None:  # x'' = phi'' - 2 B' phi' + (2 B' B' - B'') phi
            by_u, by_x = by_u - 2 * by_second @ first, by_x + by_second @ (2 * first @ first - second) - by_u @ first
        else:
            by_x = by_x - by_u @ first
        parts.append((by_x, by_u, by_s))
    return _Slopes(*parts)


def _chart(system: ChainSystem, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """B' and B'' (n, n) at the place."""
    first, second = np.zeros((2, system.tree.count, system.tree.count))
    for ball in system.tree.balls:
        own = slice(ball, ball + 3)
        first[own, own], second[own, own] = chart_rates(system.speeds[own], acceleration[own])
    return first, second


def chart_rates(u: np.ndarray, du: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """B' and B'' of 1-2-3 angles at zero, their rates u and second rates du (3,).

    omega = B(x) x' with the columns e1, Rx e2, Rx Ry e3 (Passerello & Huston, Eq. 1.23).
    """
    x, y, z = _E
    first = np.column_stack([0 * x, u[0] * z, u[1] * x - u[0] * y])
    last = du[1] * x - du[0] * y - (u[0] ** 2 + u[1] ** 2) * z
    return first, np.column_stack([0 * x, du[0] * z - u[0] ** 2 * y, last])
