"""Craig and Bampton's coordinates of M, C, K whose interface is given by rows: u = B q.

q = X u + N y with B X = 1, B N = 0 and both M-orthogonal. Static shapes follow the interface at rest,
X - N (N^T K N)^-1 N^T K X; where the held interface leaves a motion free, that takes no part in them and is a mode.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eigenbody.linearization.model import LinearModel

DEPENDENT = 1e-9  # part of a row that must be beside the rows before it for a freedom of its own
ROUNDED = 64 * float(np.finfo(float).eps)
FREE = 1e-12  # omega^2 of a free motion, relative to the largest


class Condensed(NamedTuple):
    """Matrices over [u, modes], q = T [u, modes]; omega^2 of the modes kept, and of those dropped, rising."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    T: np.ndarray
    values: np.ndarray
    dropped: np.ndarray


def independent_rows(rows: np.ndarray, length: float) -> np.ndarray:
    """Indices of the rows (6 k, n) that are no combination of those before them; every first three of six are in m."""
    size = np.where(np.arange(len(rows)) % 6 < 3, 1 / length, 1.0)
    even = rows * size[:, None]
    largest = float(np.linalg.norm(even, axis=1).max(initial=0.0))
    basis: list[np.ndarray] = []
    kept = []
    for k, row in enumerate(even):
        rest = row
        for _ in range(2):  # twice for rounding
            for one in basis:
                rest = rest - one * (one @ rest)
        if np.linalg.norm(rest) > DEPENDENT * largest:
            basis.append(rest / np.linalg.norm(rest))
            kept.append(k)
    return np.array(kept, dtype=int)


def condensed(linear: LinearModel, rows: np.ndarray, n: int) -> Condensed:
    """The lowest n modes with the interface held are kept, and all that it leaves free."""
    M, K = linear.M, linear.K
    stiff = 0.5 * (K + K.T)
    root = np.linalg.cholesky(0.5 * (M + M.T))  # of M = root root^T
    even = np.linalg.solve(root, rows.T)  # M-orthonormal coordinates root^T q
    m = len(rows)
    Q, R = np.linalg.qr(even, mode="complete")
    back = np.linalg.solve(root.T, Q)
    X, N = np.linalg.solve(R[:m], back[:, :m].T).T, back[:, m:]
    values, V = np.linalg.eigh(N.T @ stiff @ N)
    held = N @ V
    largest = float(np.abs(np.linalg.eigvalsh(np.linalg.solve(root, np.linalg.solve(root, stiff).T))).max(initial=0.0))
    is_free = np.abs(values) <= FREE * largest
    values = np.where(is_free, 0.0, values)
    weight = np.where(is_free, 0.0, 1 / np.where(is_free, 1.0, values))
    static = X - held @ (weight[:, None] * (held.T @ stiff @ X))
    count = max(n, int((values <= 0).sum())) if n < len(values) else len(values)
    T = np.hstack((static, held[:, :count]))
    own = np.diag(np.concatenate((np.zeros(m), values[:count])))
    own[:m, :m] = _projected(K, linear.noise_K, static, 1)
    free = np.flatnonzero(weight[:count] == 0)  # the others are strained by no static shape
    own[:m, m + free] = _cleaned(static.T @ stiff @ held[:, free], _error(K, linear.noise_K, static, held[:, free]))
    own[m + free, :m] = own[:m, m + free].T
    damping = sum(_projected(linear.C, linear.noise_C, T, sign) for sign in (1, -1))
    stiffness = own + _projected(K, linear.noise_K, T, -1)
    return Condensed(_projected(M, 0 * M, T, 1), np.asarray(damping), stiffness, T, values[:count], values[count:])


def _projected(A: np.ndarray, noise: np.ndarray, T: np.ndarray, sign: int) -> np.ndarray:
    """T^T A T of the part that is symmetric (1) or antisymmetric (-1)."""
    return _cleaned(_even(T.T @ (0.5 * (A + sign * A.T)) @ T, sign), _error(A, noise, T))


def _even(A: np.ndarray, sign: int = 1) -> np.ndarray:
    return np.asarray(0.5 * (A + sign * A.T))


def _error(A: np.ndarray, noise: np.ndarray, left: np.ndarray, right: np.ndarray | None = None) -> np.ndarray:
    """What rounding may have left in left^T A right."""
    right = left if right is None else right
    return np.asarray(np.abs(left).T @ (ROUNDED * np.abs(A) + noise) @ np.abs(right))


def _cleaned(values: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Without what is no more than rounding."""
    return np.where(np.abs(values) <= error, 0.0, values)
