"""Reduction that keeps M q'' + C q' + K q = B u a mechanism: projection on few motions, those that inputs and outputs
excite most.

The motions are M-orthonormal: with `static` first those at rest under unit inputs and under unit forces at the outputs,
which keeps the gain at zero frequency; then the directions in which the mean square of the position, excited by white
noise at inputs and outputs, is largest (position Gramian). One projection V^T ( ) V for all matrices: symmetric ones
stay symmetric and definite, so what was stable by energy stays stable.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.linearization.model import LinearModel
from eigenbody.numerics.signals.balancing import Space, gramians, scaled

PARALLEL = 1e-10  # of a motion that is left after those before it: it is none of its own


class SecondOrder(NamedTuple):
    """Reduced matrices, the same as A, B, C, D, and T (states, 2 n)."""

    M: np.ndarray
    damping: np.ndarray
    K: np.ndarray
    space: Space
    T: np.ndarray


def second_order(linear: LinearModel, n: int, static: bool) -> SecondOrder:
    """Reduce to n degrees of freedom."""
    if not linear.dof:
        raise InputError(Fault("method", "nothing can move.", 'Use the method "balanced".'))
    if not linear.is_second_order:
        what = "the model has first-order states or non-holonomic constraints: it is not M, C, K alone."
        raise InputError(Fault("method", what, 'Use the method "balanced".'))
    values = np.linalg.eigvals(linear.A)
    if values.real.max(initial=-1.0) > -1e-9 * np.abs(values).max(initial=0.0):
        what = "a motion of the model does not decay, so how much inputs excite it has no measure."
        raise InputError(Fault("method", what, 'Use the method "balanced", which keeps it, or add damping.'))
    V = _motions(linear, min(n, linear.dof), static)
    M, C, K = (V.T @ matrix @ V for matrix in (linear.M, linear.C, linear.K))
    _, B, Cy, D = linear.state_space
    k, dof = V.shape[1], linear.dof
    inverse = np.linalg.inv(M)
    small = np.block([[np.zeros((k, k)), np.eye(k)], [-inverse @ K, -inverse @ C]])
    T = np.zeros((2 * dof, 2 * k))
    T[:dof, :k] = T[dof:, k:] = V
    pushed = np.vstack((np.zeros((k, B.shape[1])), inverse @ V.T @ (linear.M @ B[dof:])))
    if np.linalg.eigvals(small).real.max(initial=-1.0) >= 0:
        raise ComputationError(
            f"With {k} degrees of freedom the reduced model is unstable: K or C is not symmetric. Keep more, or use the"
            ' method "balanced".'
        )
    return SecondOrder(M, C, K, Space(small, pushed, Cy @ T, D), T)


def _motions(linear: LinearModel, n: int, static: bool) -> np.ndarray:
    """(dof, n) M-orthonormal motions."""
    dof, (A, B, C, _) = linear.dof, linear.state_space
    root = np.linalg.cholesky(0.5 * (linear.M + linear.M.T)).T  # M = root^T root
    push = linear.M @ B[dof:]
    felt = C[:, :dof].T
    forces = np.hstack((push / _sizes(push), felt / _sizes(felt)))
    rest = np.linalg.solve(linear.K, push)
    seen = np.linalg.solve(linear.K.T, felt)
    excited = Space(A, np.vstack((np.zeros((dof, forces.shape[1])), np.linalg.solve(linear.M, forces))),
                    np.zeros((0, 2 * dof)), np.zeros((0, forces.shape[1])))  # fmt: skip
    even, scale = scaled(excited)
    P = scale[:, None] * gramians(even)[0] * scale
    strength, directions = np.linalg.eigh(root @ P[:dof, :dof] @ root.T)
    gramian = np.linalg.solve(root, directions[:, np.argsort(-strength)])
    wanted = [*(np.hstack((rest, seen)).T if static else ()), *gramian.T]
    out: list[np.ndarray] = []
    for motion in wanted:  # Gram and Schmidt, twice for rounding
        before = np.linalg.norm(root @ motion)
        for _ in range(2):
            for known in out:
                motion = motion - known * (known @ linear.M @ motion)
        size = np.linalg.norm(root @ motion)
        if len(out) < n and before > 0 and size > PARALLEL * before:
            out.append(motion / size)
    fewest = np.linalg.matrix_rank(np.hstack((rest, seen))) if static else 0
    if n < fewest:
        what = f"the gain at rest needs {fewest} motions; {n} are fewer."
        raise InputError(Fault("n", what, f"Keep {fewest}, or give static=False."))
    return np.array(out).T


def _sizes(columns: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(columns, axis=0)
    return np.where(size > 0, size, 1.0)
