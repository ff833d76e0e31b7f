"""Damping that couples no modes: each has two eigenvalues of its own, in closed form."""

from __future__ import annotations

import numpy as np

UNCOUPLED = 1e-12
"""Part of itself by which damping that couples modes may move an eigenvalue, or leave its equations unbalanced, that
still counts as its own."""


def uncoupled_eigenvalues(loss: np.ndarray, own_noise: np.ndarray, stiffness: np.ndarray) -> np.ndarray | None:
    """Both eigenvalues of every mode, adjacent, where damping couples no two modes beyond rounding (as proportional
    damping does not) and none is undamped or nearly critical; else None."""
    own = np.diagonal(loss)
    if np.any(own <= 1e3 * own_noise) or np.any(stiffness <= 0):
        return None
    beyond = own * own / 4 - stiffness
    if np.any(np.abs(beyond) <= 1e-6 * stiffness):
        return None
    root = np.sqrt(np.abs(beyond))
    fast = -own / 2 - root
    first = np.where(beyond < 0, -own / 2 + 1j * root, stiffness / np.where(beyond < 0, 1.0, fast))
    second = np.where(beyond < 0, first.conj(), fast)
    couples = np.abs(loss - np.diag(own))
    each = (first,) if np.all(beyond < 0) else (first, second)  # conjugates are disturbed alike
    if any(_disturbed(value, couples, own, stiffness) for value in each):
        return None
    return np.column_stack([first, second]).ravel()


def _disturbed(value: np.ndarray, couples: np.ndarray, own: np.ndarray, stiffness: np.ndarray) -> bool:
    """Whether coupling by damping leaves more than `UNCOUPLED` in equation j of mode i or moves its eigenvalue by more:
    to first order where mode j has nearly the same one, else to second, through p_j(l) = l^2 + c_j l + omega_j^2."""
    slope = np.abs(2 * value + own)[:, None]
    if np.all(couples <= UNCOUPLED * slope):
        return False
    size = np.abs(value)[:, None]
    if np.any(couples * size > UNCOUPLED * (size * (size + own) + stiffness)):
        return True
    apart = np.abs(value[:, None] * (value[:, None] + own) + stiffness)
    first = couples / slope
    second = couples * first * size / np.maximum(apart, 1e-300)
    return bool(np.any(np.minimum(first, second) > UNCOUPLED))
