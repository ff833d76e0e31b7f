"""Balanced truncation of x' = A x + B u, y = C x + D u: Gramians, Hankel singular values, the part that does not decay.

The square-root method (Tombs and Postlethwaite 1987): with Gramians P = R R^T and Q = L L^T, L^T R = U S V^T gives the
Hankel singular values S and the projections R V S^-1/2 and L U S^-1/2. Dropping states with values s_k changes the
transfer matrix by at most 2 sum s_k at any frequency (Enns 1984, Glover 1984).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ZERO = 3e-7  # of the largest |eigenvalue|: below it an eigenvalue may be one of a split double zero, and is kept
AXIS = 1e-7  # of |eigenvalue|: a real part above minus this does not decay
NEAR = 0.02  # of |eigenvalue| of a Hamiltonian matrix: as near to the axis it is tried
LOST = 1e-13  # of the largest Hankel singular value: below it states are rounding


class Space(NamedTuple):
    """A, B, C, D."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


class Parts(NamedTuple):
    """x = T_kept z + T_decaying w: z and w are not coupled. `eigenvalues` are those of the kept part."""

    kept: Space
    decaying: Space
    T_kept: np.ndarray
    T_decaying: np.ndarray
    eigenvalues: np.ndarray


class Balanced(NamedTuple):
    """The balanced form w = T v of a decaying system; `hankel` (n,) falling, those of states that are rounding too."""

    space: Space
    T: np.ndarray
    hankel: np.ndarray


def scaled(space: Space) -> tuple[Space, np.ndarray]:
    """The same in states x = scale z that make A well balanced."""
    from scipy.linalg import matrix_balance

    if not len(space.A):
        return space, np.ones(0)
    A, (scale, _) = matrix_balance(space.A, permute=False, separate=True)
    return Space(A, space.B / scale[:, None], space.C * scale, space.D), scale


def apart(space: Space) -> Parts:
    """The part that does not decay (eigenvalues on the axis and to its right) and the rest, uncoupled.

    Integrals of the inputs are set aside first, so that their zeros stay zeros: one off by d is off in its own gain by
    d / w^2, more than any bound at low frequencies. The others by an ordered real Schur form and a Sylvester equation.
    """
    from scipy.linalg import solve_sylvester

    whole = integrals(space.A)
    if not whole.any():
        return _apart(space)
    own, rest = np.flatnonzero(whole), np.flatnonzero(~whole)
    N, G = space.A[np.ix_(own, own)], space.A[np.ix_(rest, own)]  # x' = F x + G z + ..., z' = N z + ...
    inner = _apart(Space(space.A[np.ix_(rest, rest)], space.B[rest], space.C[:, rest], space.D))
    m, n = len(inner.kept.A), len(inner.decaying.A)
    G = np.linalg.solve(np.hstack((inner.T_kept, inner.T_decaying)), G)
    Y = solve_sylvester(inner.decaying.A, -N, -G[m:]) if n else G[m:]  # at which z holds what decays
    kept = Space(
        np.block([[inner.kept.A, G[:m]], [np.zeros((len(own), m)), N]]), np.vstack((inner.kept.B, space.B[own])),
        np.hstack((inner.kept.C, space.C[:, own] + inner.decaying.C @ Y)), np.zeros_like(space.D),
    )  # fmt: skip
    decaying = inner.decaying._replace(B=inner.decaying.B - Y @ space.B[own])
    T_kept, T_decaying = np.zeros((len(space.A), m + len(own))), np.zeros((len(space.A), n))
    T_kept[rest], T_decaying[rest] = np.hstack((inner.T_kept, inner.T_decaying @ Y)), inner.T_decaying
    T_kept[own, m + np.arange(len(own))] = 1.0
    return Parts(kept, decaying, T_kept, T_decaying, np.linalg.eigvals(kept.A))


def integrals(A: np.ndarray) -> np.ndarray:
    """Which states (n,) bool are integrals of inputs, or of such integrals: their rows of A hold nothing else."""
    found = np.zeros(len(A), dtype=bool)
    while True:
        more = ~found & ~A[:, ~found].any(axis=1)
        if not more.any():
            return found
        found |= more


def _apart(space: Space) -> Parts:
    """The same of equations whose zeros, if any, are found by the Schur form."""
    from scipy.linalg import schur, solve_sylvester

    n = len(space.A)
    size = float(np.abs(np.linalg.eigvals(space.A)).max(initial=0.0))
    stays = lambda re, im: re > -AXIS * abs(complex(re, im)) or abs(complex(re, im)) < ZERO * size  # noqa: E731
    S, Z, m = schur(space.A, sort=stays) if n else (space.A, space.A, 0)
    X = solve_sylvester(S[:m, :m], -S[m:, m:], -S[:m, m:]) if 0 < m < n else np.zeros((m, n - m))
    B, C = Z.T @ space.B, space.C @ Z
    T_kept, T_decaying = Z[:, :m], Z[:, m:] + Z[:, :m] @ X
    kept = Space(S[:m, :m], B[:m] - X @ B[m:], C[:, :m], np.zeros_like(space.D))
    decaying = Space(S[m:, m:], B[m:], C[:, :m] @ X + C[:, m:], space.D)
    return Parts(kept, decaying, T_kept, T_decaying, np.linalg.eigvals(kept.A))


def gramians(space: Space) -> tuple[np.ndarray, np.ndarray]:
    """Controllability P and observability Q: A P + P A^T + B B^T = 0, A^T Q + Q A + C^T C = 0."""
    from scipy.linalg import solve_continuous_lyapunov

    P = solve_continuous_lyapunov(space.A, -space.B @ space.B.T)
    Q = solve_continuous_lyapunov(space.A.T, -space.C.T @ space.C)
    return 0.5 * (P + P.T), 0.5 * (Q + Q.T)


def balanced(space: Space) -> Balanced:
    """Balanced form of a decaying system, without the states that inputs do not reach or outputs do not see."""
    n = len(space.A)
    if not n:
        return Balanced(space, np.zeros((0, 0)), np.zeros(0))
    R, L = (_root(gramian) for gramian in gramians(space))
    U, hankel, Vt = np.linalg.svd(L.T @ R)
    hankel = np.concatenate((hankel, np.zeros(n - len(hankel))))
    real = int(np.count_nonzero(hankel > LOST * max(float(hankel[0]), 1e-300)))
    s = np.sqrt(hankel[:real])
    T, inverse = R @ Vt[:real].T / s, (L @ U[:, :real] / s).T
    own = Space(inverse @ space.A @ T, inverse @ space.B, space.C @ T, space.D)
    return Balanced(own, T, hankel)


def _root(gramian: np.ndarray) -> np.ndarray:
    """R with R R^T = the Gramian, but for rounding."""
    values, vectors = np.linalg.eigh(gramian)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def dropped(found: Balanced, count: int, static: bool) -> tuple[Space, np.ndarray]:
    """The first `count` states and the T that restores the others; `static`: the dropped ones follow at rest, which
    keeps the gain at zero frequency (singular perturbation), with the same bound."""
    A, B, C, D = found.space
    k, rest = slice(0, count), slice(count, len(A))
    if not static or count >= len(A):
        return Space(A[k, k], B[k], C[:, k], D), found.T[:, k]
    follow = -np.linalg.solve(A[rest, rest], np.hstack((A[rest, k], B[rest])))
    by_x, by_u = follow[:, :count], follow[:, count:]
    own = Space(
        A[k, k] + A[k, rest] @ by_x, B[k] + A[k, rest] @ by_u, C[:, k] + C[:, rest] @ by_x, D + C[:, rest] @ by_u
    )
    return own, found.T[:, k] + found.T[:, rest] @ by_x


def beside(first: Space, second: Space) -> Space:
    """Two systems with the same inputs whose outputs are added."""
    n, m = len(first.A), len(second.A)
    A = np.zeros((n + m, n + m))
    A[:n, :n], A[n:, n:] = first.A, second.A
    return Space(A, np.vstack((first.B, second.B)), np.hstack((first.C, second.C)), first.D + second.D)


def difference(first: Space, second: Space) -> Space:
    """What the outputs differ by."""
    return beside(first, Space(second.A, second.B, -second.C, -second.D))


def measured(space: Space, rows: np.ndarray, columns: np.ndarray) -> Space:
    """The same with outputs measured in units `rows` and inputs in units 1 / `columns`: gains G_ij / (rows columns)."""
    return Space(space.A, space.B / columns, space.C / rows[:, None], space.D / rows[:, None] / columns)


def yardsticks(space: Space) -> tuple[np.ndarray, np.ndarray]:
    """Rows (ny,) and columns (nu,) whose products are near the peaks of the gains of a decaying system: every gain
    divided by them is at most about one, and one in every row."""
    poles = np.linalg.eigvals(space.A) if len(space.A) else np.zeros(0)
    tried = np.unique(np.concatenate(([0.0], np.abs(poles.imag), np.abs(poles))))
    peaks = np.abs(space.D)
    for omega in tried:
        H = np.linalg.solve(1j * omega * np.eye(len(space.A)) - space.A, space.B)
        peaks = np.maximum(peaks, np.abs(space.C @ H + space.D))
    rows = peaks.max(axis=1, initial=0.0)
    rows = np.where(rows > 0, rows, 1.0)
    columns = (peaks / rows[:, None]).max(axis=0, initial=0.0)
    return rows, np.where(columns > 0, columns, 1.0)


# ---- the largest gain


def gain(space: Space, omega: float) -> float:
    """Largest singular value of the transfer matrix at a frequency in rad/s; infinity: D."""
    if not space.D.size:
        return 0.0
    if not np.isfinite(omega) or not len(space.A):
        return float(np.linalg.norm(space.D, 2))
    H = space.C @ np.linalg.solve(1j * omega * np.eye(len(space.A)) - space.A, space.B) + space.D
    return float(np.linalg.norm(H, 2))


def largest_gain(space: Space, tolerance: float = 1e-6) -> tuple[float, float]:
    """Peak over all frequencies of the largest singular value (the H-infinity norm), and where it is, in rad/s.

    Of a decaying system, by the method of Bruinsma and Steinbuch (1990): the level g is reached where the Hamiltonian
    matrix of A, B, C, D has an eigenvalue on the axis. Between such crossings the middle is tried until none is above.
    """
    poles = np.linalg.eigvals(space.A) if len(space.A) else np.zeros(0)
    candidates = [0.0, np.inf, *np.abs(poles.imag), *np.abs(poles)]
    found = max(((gain(space, w), w) for w in candidates), default=(0.0, 0.0))
    for _ in range(40):
        level = (1 + 2 * tolerance) * found[0]
        crossings = _crossings(space, level) if level > 0 else np.zeros(0)
        tried = np.concatenate((crossings, 0.5 * (crossings[:-1] + crossings[1:])))
        higher = max(((gain(space, w), w) for w in tried), default=found)
        if higher[0] <= found[0] * (1 + tolerance):
            return found
        found = higher
    return found


def _crossings(space: Space, level: float) -> np.ndarray:
    """Frequencies (n,) rising, at which a singular value of the transfer matrix may be `level`: where a gain has a flat
    top, rounding moves double eigenvalues off the axis, so those near it count too."""
    A, B, C, D = space
    R = level**2 * np.eye(D.shape[1]) - D.T @ D
    inner = np.linalg.solve(R, np.hstack((D.T @ C, B.T)))
    n = A.shape[0]
    by_C, by_B = inner[:, :n], inner[:, n:]
    H = np.block([[A + B @ by_C, B @ by_B], [-C.T @ (C + D @ by_C), -(A + B @ by_C).T]])
    values = np.linalg.eigvals(H)
    near = values[np.abs(values.real) <= NEAR * np.abs(values)]
    return np.unique(np.abs(near.imag))
