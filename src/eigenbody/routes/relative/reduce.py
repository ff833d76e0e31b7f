"""From the linear equations of all relative coordinates to eigenvalues: reduced to independent ones, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.routes.relative.assemble import Dynamics, Mechanism, turning
from eigenbody.routes.relative.kinematics import Kinematics
from eigenbody.routes.relative.loops import (
    CartesianRows,
    choose_coordinates,
    jacobian,
    jacobian_rate,
    jacobian_second_rate,
    null_space,
    variation_rows,
)
from eigenbody.routes.relative.measures import Pose
from eigenbody.spatial.rotations import cross

_STEP = 1e-40  # of the complex step along the motion


@dataclass(frozen=True, eq=False)
class Level:
    """Rows X dq' + V dq for deviations, with the time derivatives of X and V along the motion."""

    X: np.ndarray
    V: np.ndarray
    X_rate: np.ndarray
    V_rate: np.ndarray

    def under(self, other: Level) -> Level:
        """With other rows above."""
        pairs = ((getattr(other, name), getattr(self, name)) for name in ("X", "V", "X_rate", "V_rate"))
        return Level(*(np.vstack(pair) for pair in pairs))

    def of(self, columns: np.ndarray) -> Level:
        """Some of the coordinates alone."""
        return Level(*(getattr(self, name)[:, columns] for name in ("X", "V", "X_rate", "V_rate")))


@dataclass(frozen=True, eq=False)
class Frame:
    """Independent coordinates z = S dq beside the constraints Phi_q, and independent velocities w beside the rows of
    constraints and slips. Without slips w = z'."""

    positions: Level  # [Phi_q; S]
    speeds: Level  # [Phi_q; N; W]
    freedoms: int  # of position
    velocities: int
    names: tuple[str, ...]


def frame_of(mechanism: Mechanism, dynamics: Dynamics, reduction: str, felt: np.ndarray) -> Frame:
    """`coordinates`: those wished for, filled up from the tree; `qr`, `svd`, `lu`: a null space of the rows.

    felt: indices of the coordinates that take part; columns are these alone.
    """
    Phi, N = _holonomic(dynamics.rows, dynamics).of(felt), _slips(mechanism, dynamics).of(felt)
    held = N.under(Phi)
    S, names = _independent(mechanism, dynamics, reduction, felt, Phi, mechanism.wishes)
    W = S
    if len(N.X):
        W, _ = _independent(mechanism, dynamics, reduction, felt, held, mechanism.speed_wishes)
    return Frame(S.under(Phi), W.under(held), len(S.X), len(W.X), names)


def felt_coordinates(*matrices: np.ndarray) -> np.ndarray:
    """Indices of the coordinates that any of the matrices (columns) knows; the rotation of a point mass is none."""
    sizes = [np.abs(matrix).max(axis=0, initial=0.0) for matrix in matrices if len(matrix)]
    return np.flatnonzero(np.any([size > 1e-14 * size.max(initial=0.0) for size in sizes], axis=0))


def _holonomic(rows: CartesianRows, dynamics: Dynamics) -> Level:
    """Rows whose deviations vanish at all times: V is the rate of X."""
    at, n = dynamics.at, dynamics.at.tree.count
    if not len(rows):
        return Level(*(np.zeros((0, n)) for _ in range(4)))
    X, rate = jacobian(rows, at), jacobian_rate(rows, at)
    return Level(X, rate, rate, jacobian_second_rate(rows, at, dynamics.nu_rate))


def _slips(mechanism: Mechanism, dynamics: Dynamics) -> Level:
    """Non-holonomic rows; their time derivatives are complex steps along the motion."""
    at, slips, n = dynamics.at, dynamics.slips, mechanism.tree.count
    if not len(slips):
        return Level(*(np.zeros((0, n)) for _ in range(4)))

    def rows(at: Kinematics) -> tuple[np.ndarray, np.ndarray]:
        N = jacobian(slips, at)
        return N, slips.slopes(at) - N @ turning(at.tree, at.nu)

    h = 1j * _STEP
    pose = at.pose
    turned = cross(at.w[:, None, :], np.swapaxes(pose.R, 1, 2)).swapaxes(1, 2)
    ahead = Kinematics(at.tree, Pose(pose.r + h * at.v, pose.R + h * turned), at.nu + h * dynamics.nu_rate)
    return Level(*rows(at), *(part.imag / _STEP for part in rows(ahead)))


def _independent(
    mechanism: Mechanism, dynamics: Dynamics, reduction: str, felt: np.ndarray, held: Level, wishes: tuple[str, ...]
) -> tuple[Level, tuple[str, ...]]:
    """Rows of the independent coordinates beside those held, and their names."""
    if reduction != "coordinates":
        S = np.linalg.pinv(null_space(held.X, reduction))
        return Level(S, *(np.zeros_like(S) for _ in range(3))), ()
    own = {name: k for k, name in enumerate(mechanism.tree.names)}
    parts = []
    for name in wishes:
        if name in own:
            row = np.eye(len(own))[own[name]][None]
            parts.append(Level(row, *(np.zeros_like(row) for _ in range(3))))
        else:
            parts.append(_holonomic(variation_rows((mechanism.names.variation(name),)), dynamics))
    n = len(own)
    wanted = Level(*(np.zeros((0, n)) for _ in range(4)))
    for part in parts:
        wanted = part.under(wanted)
    wanted = wanted.of(felt)
    kept, filled = choose_coordinates(held.X, wanted.X, mechanism.scale[felt])
    names = (*(wishes[k] for k in kept), *(mechanism.tree.names[felt[k]] for k in filled))
    rest = np.eye(len(felt))[filled].reshape(len(filled), len(felt))
    none = [np.zeros_like(rest) for _ in range(3)]
    chosen = Level(*(getattr(wanted, name)[kept] for name in ("X", "V", "X_rate", "V_rate")))
    return Level(rest, *none).under(chosen), names


@dataclass(frozen=True, eq=False)
class OpenChain:
    """M dq'' + C dq' + K dq + X dx = (constraint forces), x' = by_q dq + by_rate dq' + by_x dx, in the coordinates that
    are felt."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    X: np.ndarray
    by_q: np.ndarray
    by_rate: np.ndarray
    by_x: np.ndarray


@dataclass(frozen=True, eq=False)
class Reduced:
    """M w' + C w + K z + X x = 0, z' = Y z + Z w, x' = Q z + R w + T x; dq = P z, dq' = Pv w + D z."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    X: np.ndarray
    Y: np.ndarray
    Z: np.ndarray
    Q: np.ndarray
    R: np.ndarray
    T: np.ndarray
    P: np.ndarray

    @property
    def A(self) -> np.ndarray:
        """State matrix over z, w, x."""
        from scipy.linalg import cho_factor, cho_solve

        size = np.sqrt(np.maximum(np.diag(self.M), 1e-300))
        parts = [X / size[:, None] for X in (self.K, self.C, self.X)]
        mass = self.M / size / size[:, None]
        if not all(np.isfinite(X).all() for X in (mass, *parts)):
            raise ComputationError("the matrices of the independent coordinates have entries that are no numbers.")
        try:
            factor = cho_factor(mass)
        except np.linalg.LinAlgError as problem:
            text = "the mass matrix of the independent coordinates is not positive definite."
            raise ComputationError(text) from problem
        solved = [-cho_solve(factor, X) / size[:, None] if len(mass) else -X for X in parts]
        none = np.zeros((len(self.Y), self.T.shape[1]))
        return np.block([[self.Y, self.Z, none], solved, [self.Q, self.R, self.T]])


def reduced(frame: Frame, chain: OpenChain) -> Reduced:
    """The equations of the independent coordinates and velocities, projected on the free motion."""
    G, H = frame.positions, frame.speeds
    P = np.linalg.inv(G.X)[:, len(G.X) - frame.freedoms :]
    solve = np.linalg.inv(H.X)
    Pv = solve[:, len(H.X) - frame.velocities :]
    D = -solve @ H.V @ P
    change = H.X_rate + H.V
    A_w, A_z = -solve @ change @ Pv, -solve @ (change @ D + H.V_rate @ P)
    S, S_rate = G.X[len(G.X) - frame.freedoms :], G.X_rate[len(G.X) - frame.freedoms :]
    M, C, K = chain.M, chain.C, chain.K
    return Reduced(
        M=Pv.T @ M @ Pv,
        C=Pv.T @ (M @ A_w + C @ Pv),
        K=Pv.T @ (M @ A_z + C @ D + K @ P),
        X=Pv.T @ chain.X,
        Y=S @ D + S_rate @ P,
        Z=S @ Pv,
        Q=chain.by_q @ P + chain.by_rate @ D,
        R=chain.by_rate @ Pv,
        T=chain.by_x,
        P=P,
    )


def eigenvalues(A: np.ndarray) -> np.ndarray:
    """All eigenvalues, sorted by magnitude."""
    values = np.linalg.eigvals(A) if len(A) else np.zeros(0, dtype=complex)
    return values[np.argsort(np.abs(values), kind="stable")].astype(complex)


def unreduced_eigenvalues(frame: Frame, held: int, chain: OpenChain) -> np.ndarray:
    """Eigenvalues of the constrained system by the generalized problem, without elimination (Trom 1990, Sec. 4.1).

    Unknowns z, w, x, dq, dq', dq'', dlambda; the last four are algebraic and give infinite eigenvalues, which are left
    out. At rest this is Moler and Stewart's problem of [M C K Phi_q^T; Phi_q]. held: rows of constraints and slips.
    """
    from scipy.linalg import eig

    G, H, n, x = frame.positions, frame.speeds, len(chain.M), len(chain.by_x)
    f, v = frame.freedoms, frame.velocities
    Phi = n - f  # rows of constraints alone
    zero = np.zeros
    right = np.block(
        [  # z, w, x, dq, dq', dq'', dlambda
            [zero((f, f + v + x)), G.X_rate[Phi:], G.X[Phi:], zero((f, n + held))],
            [zero((v, f + v + x)), H.V_rate[held:], (H.X_rate + H.V)[held:], H.X[held:], zero((v, held))],
            [zero((x, f + v)), chain.by_x, chain.by_q, chain.by_rate, zero((x, n + held))],
            [-np.eye(n)[:, Phi:], zero((n, v + x)), G.X, zero((n, 2 * n + held))],
            [zero((n, f)), -np.eye(n)[:, held:], zero((n, x)), H.V, H.X, zero((n, n + held))],
            [zero((n, f + v)), chain.X, chain.K, chain.C, chain.M, H.X[:held].T],
            [zero((held, f + v + x)), H.V_rate[:held], (H.X_rate + H.V)[:held], H.X[:held], zero((held, held))],
        ]
    )
    left, states = np.zeros_like(right), f + v + x
    left[:states, :states] = np.eye(states)
    size = np.maximum(np.abs(right[states:]).max(axis=1, keepdims=True), 1e-300)
    right[states:] /= size
    alpha, beta = eig(right, left, right=False, homogeneous_eigvals=True)
    finite = np.argsort(-np.abs(beta) / np.hypot(np.abs(alpha), np.abs(beta)))[:states]
    values = alpha[finite] / beta[finite]
    return values[np.argsort(np.abs(values), kind="stable")]
