"""Loops over modal coordinates, worth calling only as Numba compiles them (simulation.compiled)."""

from __future__ import annotations

import numpy as np


def modal_forms(
    positions: np.ndarray, carriers: np.ndarray, form: np.ndarray, r: np.ndarray, v: np.ndarray,
    value: np.ndarray, rate: np.ndarray, acceleration: np.ndarray, gradient: np.ndarray,
) -> None:  # fmt: skip
    """x.Fx / 2 of the positions x of carriers (n, K) with rates, accelerations while nothing accelerates, and gradients
    by (dr, dtheta) of each carrier, whose columns of rotations are left alone; form F (n, 3 K, 3 K)."""
    n, K = carriers.shape
    x, x1 = np.empty(3 * K), np.empty(3 * K)
    for p in range(n):
        for k in range(K):
            for i in range(3):
                x[3 * k + i], x1[3 * k + i] = r[carriers[p, k], i], v[carriers[p, k], i]
        s, s1, s2 = 0.0, 0.0, 0.0
        for i in range(3 * K):
            slope, slope1 = 0.0, 0.0
            for j in range(3 * K):
                slope += form[p, i, j] * x[j]
                slope1 += form[p, i, j] * x1[j]
            s, s1, s2 = s + 0.5 * slope * x[i], s1 + slope * x1[i], s2 + slope1 * x1[i]
            gradient[positions[p], 6 * (i // 3) + i % 3] = slope
        value[positions[p]], rate[positions[p]], acceleration[positions[p]] = s, s1, s2
