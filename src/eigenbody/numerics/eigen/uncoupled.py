"""Damping that couples no modes: each has two eigenvalues of its own, in closed form."""

from __future__ import annotations

import numpy as np

UNCOUPLED = 1e-12
"""Part of itself by which damping that couples modes may move an eigenvalue, or leave its equations unbalanced, that
still counts as its own."""


def uncoupled_eigenvalues(
    loss: np.ndarray, own_noise: np.ndarray, stiffness: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of systems (g,): whether damping (g, e, e) couples no two modes beyond rounding (as proportional damping does
    not) and none is undamped or nearly critical; and then both eigenvalues of every mode, adjacent, (g, 2e)."""
    own = np.diagonal(loss, axis1=-2, axis2=-1)
    beyond = own * own / 4 - stiffness
    clear = (own > 1e3 * own_noise) & (stiffness > 0) & (np.abs(beyond) > 1e-6 * stiffness)
    root, slow = np.sqrt(np.abs(beyond)), beyond < 0
    fast = -own / 2 - root
    first = np.where(slow, -own / 2 + 1j * root, stiffness / np.where(slow | (fast == 0), 1.0, fast))
    second = np.where(slow, first.conj(), fast)
    couples = np.abs(loss)
    each = np.arange(own.shape[-1])
    couples[:, each, each] = 0.0
    separate = clear.all(axis=-1)
    if separate.any():
        separate &= ~_disturbed(first, couples, own, stiffness)
        if not slow.all():  # conjugates are disturbed alike
            separate &= ~_disturbed(second, couples, own, stiffness)
    return separate, np.stack([first, second], axis=-1).reshape(len(own), -1)


def _disturbed(value: np.ndarray, couples: np.ndarray, own: np.ndarray, stiffness: np.ndarray) -> np.ndarray:
    """Whether coupling by damping leaves more than `UNCOUPLED` in equation j of mode i or moves its eigenvalue by more:
    to first order where mode j has nearly the same one, else to second, through p_j(l) = l^2 + c_j l + omega_j^2."""
    slope, size = np.abs(2 * value + own)[..., :, None], np.abs(value)[..., :, None]
    value, own, stiffness = value[..., :, None], own[..., None, :], stiffness[..., None, :]
    felt = couples > UNCOUPLED * slope
    unbalanced = couples * size > UNCOUPLED * (size * (size + own) + stiffness)
    first = couples / np.maximum(slope, 1e-300)
    second = couples * first * size / np.maximum(np.abs(value * (value + own) + stiffness), 1e-300)
    moved = np.minimum(first, second) > UNCOUPLED
    return felt.any(axis=(-2, -1)) & (unbalanced | moved).any(axis=(-2, -1))
