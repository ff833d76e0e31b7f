"""From the linear equations of all relative coordinates to eigenvalues: reduced to independent ones, or not at all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.routes.relative.assemble import Dynamics, Mechanism
from eigenbody.routes.relative.loops import (
    choose_coordinates,
    jacobian,
    jacobian_rate,
    jacobian_second_rate,
    null_space,
    variation_rows,
)


@dataclass(frozen=True, eq=False)
class Frame:
    """Independent coordinates z = S dq: rows G = [Phi_q; S] with their time derivatives, and names where they have."""

    G: np.ndarray
    G_rate: np.ndarray
    G_second_rate: np.ndarray
    freedoms: int
    names: tuple[str, ...]


def frame_of(mechanism: Mechanism, dynamics: Dynamics, reduction: str, felt: np.ndarray) -> Frame:
    """`coordinates`: those wished for, filled up from the tree; `qr`, `svd`, `lu`: a null space of Phi_q.

    felt: indices of the coordinates that take part; columns are these alone.
    """
    at, rows = dynamics.at, dynamics.rows
    names: tuple[str, ...] = ()
    if reduction == "coordinates":
        S, S_rate, S_second, names = _coordinates(mechanism, dynamics, felt)
    else:
        S = np.linalg.pinv(null_space(dynamics.Phi_q[:, felt], reduction))
        S_rate = S_second = np.zeros_like(S)
    held_rate = held_second = np.zeros((0, len(felt)))
    if len(rows):
        held_rate = jacobian_rate(rows, at)[:, felt]
        held_second = jacobian_second_rate(rows, at, dynamics.nu_rate)[:, felt]
    G = np.vstack((dynamics.Phi_q[:, felt], S))
    return Frame(G, np.vstack((held_rate, S_rate)), np.vstack((held_second, S_second)), len(S), names)


def felt_coordinates(*matrices: np.ndarray) -> np.ndarray:
    """Indices of the coordinates that any of the matrices (columns) knows; the rotation of a point mass is none."""
    sizes = [np.abs(matrix).max(axis=0, initial=0.0) for matrix in matrices if len(matrix)]
    return np.flatnonzero(np.any([size > 1e-14 * size.max(initial=0.0) for size in sizes], axis=0))


def _coordinates(
    mechanism: Mechanism, dynamics: Dynamics, felt: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, tuple[str, ...]]:
    wanted = mechanism.wishes
    own = {name: k for k, name in enumerate(mechanism.tree.names)}
    n = len(own)
    rows, rates, seconds = np.zeros((len(wanted), n)), np.zeros((len(wanted), n)), np.zeros((len(wanted), n))
    for k, name in enumerate(wanted):
        if name in own:
            rows[k, own[name]] = 1.0
            continue
        row = variation_rows((mechanism.names.variation(name),))
        rows[k] = jacobian(row, dynamics.at)[0]
        rates[k] = jacobian_rate(row, dynamics.at)[0]
        seconds[k] = jacobian_second_rate(row, dynamics.at, dynamics.nu_rate)[0]
    rows, rates, seconds = rows[:, felt], rates[:, felt], seconds[:, felt]
    kept, filled = choose_coordinates(dynamics.Phi_q[:, felt], rows, mechanism.scale[felt])
    names = (*(wanted[k] for k in kept), *(mechanism.tree.names[felt[k]] for k in filled))
    none = np.zeros((len(filled), len(felt)))
    S = np.vstack((rows[kept], np.eye(len(felt))[filled]))
    return S, np.vstack((rates[kept], none)), np.vstack((seconds[kept], none)), names


def reduced(
    frame: Frame, M: np.ndarray, C: np.ndarray, K: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, C, K of the independent coordinates and their motion P: dq = P z, dq' = P z' + P1 z, ..."""
    held = len(frame.G) - frame.freedoms
    choose = np.vstack((np.zeros((held, frame.freedoms)), np.eye(frame.freedoms)))
    solve = np.linalg.inv(frame.G)
    P = solve @ choose
    back, back2 = solve @ frame.G_rate, solve @ frame.G_second_rate
    P1 = -back @ P
    A_rate, A_value = -2 * back @ P, -2 * back @ P1 - back2 @ P
    return P.T @ M @ P, P.T @ (M @ A_rate + C @ P), P.T @ (M @ A_value + C @ P1 + K @ P), P


def eigenvalues(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    """All eigenvalues of M z'' + C z' + K z = 0, sorted by magnitude."""
    from scipy.linalg import cho_factor, cho_solve

    n = len(M)
    size = np.sqrt(np.maximum(np.diag(M), 1e-300))
    if not all(np.isfinite(X / size / size[:, None]).all() for X in (M, C, K)):
        raise ComputationError("the matrices of the independent coordinates have entries that are no numbers.")
    try:
        factor = cho_factor(M / size / size[:, None])
    except np.linalg.LinAlgError as problem:
        raise ComputationError("the mass matrix of the independent coordinates is not positive definite.") from problem
    stiffness, damping = (cho_solve(factor, X / size / size[:, None]) for X in (K, C))
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-stiffness, -damping]])
    values = np.linalg.eigvals(A) if n else np.zeros(0, dtype=complex)
    return values[np.argsort(np.abs(values), kind="stable")].astype(complex)


def unreduced_eigenvalues(frame: Frame, Phi_q: np.ndarray, M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Eigenvalues of the constrained system by the generalized problem, without elimination (Trom 1990, Sec. 4.1).

    Unknowns z, z', dq, dq', dq'', dlambda; the last four are algebraic and give infinite eigenvalues, which are left
    out. At rest this is Moler and Stewart's problem of [M C K Phi_q^T; Phi_q].
    """
    from scipy.linalg import eig

    n, m, f = len(M), len(Phi_q), frame.freedoms
    G, G1, G2 = frame.G, frame.G_rate, frame.G_second_rate
    choose = np.vstack((np.zeros((m, f)), np.eye(f)))
    S, S1, S2 = G[m:], G1[m:], G2[m:]
    held = np.zeros
    right = np.block(
        [
            [held((f, f)), np.eye(f), held((f, 3 * n + m))],
            [held((f, 2 * f)), S2, 2 * S1, S, held((f, m))],
            [-choose, held((n, f)), G, held((n, 2 * n + m))],
            [held((n, f)), -choose, G1, G, held((n, n + m))],
            [held((n, 2 * f)), K, C, M, Phi_q.T],
            [held((m, 2 * f)), G2[:m], 2 * G1[:m], G[:m], held((m, m))],
        ]
    )
    left = np.zeros_like(right)
    left[: 2 * f, : 2 * f] = np.eye(2 * f)
    size = np.maximum(np.abs(right[2 * f :]).max(axis=1, keepdims=True), 1e-300)
    right[2 * f :] /= size
    alpha, beta = eig(right, left, right=False, homogeneous_eigvals=True)
    finite = np.argsort(-np.abs(beta) / np.hypot(np.abs(alpha), np.abs(beta)))[: 2 * f]
    values = alpha[finite] / beta[finite]
    return values[np.argsort(np.abs(values), kind="stable")]
