"""Normal modes, transfer functions and time responses of the reduced equations M'' q'' + C'' q' + K'' q = B^T f."""

from __future__ import annotations

import numpy as np

from eigenbody.errors import ComputationError


def state_matrix(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    """A (2n, 2n) of the state [q, q']."""
    n = len(M)
    A = np.zeros((2 * n, 2 * n))
    A[:n, n:] = np.eye(n)
    if n:
        size = np.sqrt(np.maximum(np.abs(np.diag(M)), np.finfo(float).tiny))
        scaled = M / np.outer(size, size)
        if np.linalg.eigvalsh(scaled)[0] < 1e-13:
            raise ComputationError(
                "topology: the reduced mass matrix is singular: a free motion has no inertia. "
                "Give the body an inertia, or hold it by a joint."
            )
        A[n:] = -np.linalg.solve(M, np.hstack([K, C]))
    return A


def normal_modes(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (2n,) and shapes (n, 2n) with psi^T (2 lambda M + C) psi = 1 where that is possible."""
    values, vectors = np.linalg.eig(state_matrix(M, C, K))
    shapes = vectors[: len(M)].astype(complex)
    norm = np.einsum("ir,ij,jr->r", shapes, M, shapes) * 2 * values + np.einsum("ir,ij,jr->r", shapes, C, shapes)
    safe = np.where(np.abs(norm) > 1e-12 * np.abs(norm).max(initial=0.0), norm, 1.0)
    return values.astype(complex), shapes / np.sqrt(safe)


def transfer(
    M: np.ndarray, C: np.ndarray, K: np.ndarray, force: np.ndarray, seen: np.ndarray, omega: np.ndarray
) -> np.ndarray:
    """Displacements along `seen` (n, o) for unit harmonic forces along `force` (n, i): (frequencies, o, i)."""
    w = np.asarray(omega, dtype=float)[:, None, None]
    dynamic = K - w**2 * M + 1j * w * C
    return seen.T @ np.linalg.solve(dynamic, np.broadcast_to(force, (len(w), *force.shape)).astype(complex))


def response(
    M: np.ndarray, C: np.ndarray, K: np.ndarray, start: np.ndarray, times: np.ndarray, force: np.ndarray | None = None
) -> np.ndarray:
    """States (times, 2n) from a start [q, q'] (2n,) under a constant force (n,); equally spaced times from 0."""
    from scipy.linalg import expm

    n = len(M)
    A = np.zeros((2 * n + 1, 2 * n + 1))
    A[: 2 * n, : 2 * n] = state_matrix(M, C, K)
    A[n : 2 * n, -1] = 0.0 if force is None else np.linalg.solve(M, force)
    step = expm(A * (times[1] - times[0]))
    states = [np.append(start, 1.0)]
    for _ in times[1:]:
        states.append(step @ states[-1])
    return np.array(states)[:, :-1]
