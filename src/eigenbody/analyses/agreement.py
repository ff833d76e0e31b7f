"""Whether two sets of eigenvalues are the same, each within what rounding makes of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.numerics.eigen import Spectrum

ROUNDING = 1e3 * np.finfo(float).eps  # relative error to expect in a matrix that was put together in another way


@dataclass(frozen=True)
class Match:
    """Eigenvalues in the order of the known ones; nan where there is none for one of them."""

    known: np.ndarray  # (n,) complex
    eigenvalues: np.ndarray  # (n,) complex
    differences: np.ndarray  # (n,) magnitudes
    allowed: np.ndarray  # (n,)
    surplus: int  # eigenvalues that the known ones lack (negative: how many are missing)

    @property
    def agrees(self) -> bool:
        return self.surplus == 0 and bool(np.all(self.differences <= self.allowed))

    @property
    def largest(self) -> float:
        """Largest difference relative to the eigenvalue; zeros relative to the largest eigenvalue."""
        size = np.abs(self.known)
        scale = np.where(size > 0, size, size.max(initial=0.0) or 1.0)
        return float((self.differences / scale).max(initial=0.0))

    @property
    def worst(self) -> int | None:
        """Index of the eigenvalue that differs most for its tolerance."""
        if not len(self.differences):
            return None
        return int(np.argmax(np.nan_to_num(self.differences / self.allowed, nan=np.inf)))


def tolerances(A: np.ndarray, spectrum: Spectrum, relative: float, rounding: float = ROUNDING) -> np.ndarray:
    """(n,) differences up to which eigenvalues count as equal.

    `relative` of the magnitude, or what a relative error `rounding` of the balanced A makes of the eigenvalue: that
    times its condition number |y| |x| / |y.x|, and for zeros in chains of length k the k-th root.
    """
    from scipy.linalg.lapack import dgebal

    values = spectrum.eigenvalues
    if not len(values):
        return np.zeros(0)
    balanced = dgebal(A, scale=1, permute=0)[0]
    size = float(np.linalg.norm(balanced, 2))
    found, right = np.linalg.eig(balanced)
    condition = _conditions(right)
    order = assignment(values, found)
    # beyond the square root an eigenvalue behaves as a defective pair, which moves by the root of the error
    allowed = size * np.minimum(condition[order] * rounding, np.sqrt(rounding))
    longest = max(spectrum.zero_chains, default=1)
    allowed[spectrum.is_rigid] = size * rounding ** (1.0 / longest)
    return np.maximum(relative * np.abs(values), allowed)


def _conditions(right: np.ndarray) -> np.ndarray:
    """Condition numbers of eigenvalues from the unit eigenvectors (n, n) as columns; infinite where they coincide."""
    try:
        left = np.abs(np.linalg.inv(right))
    except np.linalg.LinAlgError:
        return np.full(len(right), np.inf)
    return np.minimum(left, 1e100).max(axis=1, initial=1.0) * np.sqrt(len(right))


def matched(known: np.ndarray, found: np.ndarray, allowed: np.ndarray) -> Match:
    """Each known eigenvalue with the one found for it, by assignment of least total distance."""
    surplus = len(found) - len(known)
    fits = np.isfinite(found)
    out = np.full(len(known), np.nan, complex)
    if len(known) and fits.any():
        usable = found[fits]
        order = assignment(known, usable)
        out[order >= 0] = usable[order[order >= 0]]
    differences = np.abs(out - known)
    return Match(known, out, np.where(np.isfinite(differences), differences, np.inf), allowed, surplus)


def assignment(known: np.ndarray, found: np.ndarray) -> np.ndarray:
    """(n,) index of the found eigenvalue that belongs to each known one, -1 for none."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(np.abs(known[:, None] - found[None, :]))
    out = np.full(len(known), -1)
    out[rows] = columns
    return out
