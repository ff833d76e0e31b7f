"""Scaling of states so that rows and columns of A are of like size, without chasing rounding noise.

Plain balancing (Parlett & Reinsch 1969) makes row and column of each state equal in size. A state that nothing feels
but noise of 1e-17 would be scaled by millions for it, and the entries that matter lost in rounding. Here a row or
column below a hundredth of the spectral radius counts as that much: no unit makes a weaker coupling look strong.
"""

from __future__ import annotations

import numpy as np

WEAK = 1e-2
"""Part of the spectral radius below which a coupling does not decide about the scale of a state."""
SWEEPS = 60


def balanced(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D^-1 A D and the diagonal (n,) of D, powers of two."""
    n = len(A)
    unit = np.ones(n)
    off = np.abs(A - np.diag(np.diagonal(A)))
    floor = WEAK * float(np.abs(np.linalg.eigvals(A)).max(initial=0.0))
    for _ in range(SWEEPS):
        changed = False
        for i in range(n):
            row, column = max(float(off[i].sum()), floor), max(float(off[:, i].sum()), floor)
            if not (row > 0 and column > 0):
                continue
            factor = 2.0 ** np.round(0.5 * np.log2(row / column))
            if row / factor + column * factor < 0.95 * (row + column):
                unit[i] *= factor
                off[i] /= factor
                off[:, i] *= factor
                changed = True
        if not changed:
            break
    return A * unit / unit[:, None], unit


def lapack_balanced(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D^-1 A D and the diagonal (n,) of D, powers of two, by plain balancing without permutations."""
    from scipy.linalg import matrix_balance

    with np.errstate(invalid="ignore"):  # SciPy reads scales as a permutation too, and some are above 2^63
        B, (scale, _) = matrix_balance(A, permute=False, separate=True)
    return B, scale


def exponentials(A: np.ndarray, times: np.ndarray) -> np.ndarray:
    """exp(A t) for every time (times, n, n), in balanced states."""
    from scipy.linalg import expm

    scaled, unit = balanced(A)
    return expm(times[:, None, None] * scaled) * unit[:, None] / unit


def exponential(A: np.ndarray, t: float) -> np.ndarray:
    """exp(A t)."""
    return exponentials(A, np.array([t]))[0]
