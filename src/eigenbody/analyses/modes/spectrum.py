"""Frequency and damping of eigenvalues."""

from __future__ import annotations

import numpy as np


def frequencies_hz(eigenvalues: np.ndarray) -> np.ndarray:
    """|eigenvalue| / 2 pi."""
    return np.abs(eigenvalues) / (2 * np.pi)


def damping_ratios(eigenvalues: np.ndarray) -> np.ndarray:
    """-real / |eigenvalue|; nan for zeros."""
    size = np.abs(eigenvalues)
    return np.where(size > 0, 0.0 - eigenvalues.real / np.where(size > 0, size, 1.0), np.nan)


def growth_of(value: complex, on_axis: bool, defective: bool) -> str:
    """What the motion of one eigenvalue does: "stable", "unstable", or "marginal" or "drifting" on the axis."""
    if on_axis:
        return "drifting" if defective else "marginal"
    return "stable" if value.real < 0 else "unstable"
