"""All eigenvalues of one linear system: in order, with their vectors made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.base.copies import LeanCopies

Columns = Callable[[np.ndarray], np.ndarray]
"""Vectors, as columns, by their numbers."""


@dataclass(frozen=True, eq=False)
class Spectrum(LeanCopies):
    """All eigenvalues of a real linear system with n states, sorted by magnitude, conjugate pairs adjacent and exact.

    eigenvalues  (n,) complex; recognized zeros are exactly 0
    right        (n, n) complex columns; for a zero, eigenvectors first, then generalized eigenvectors when defective.
                 Second order: [q, lambda q] with q^H M q = 1. First order: unit columns
    is_rigid     (n,) bool: recognized zeros
    zero_chains  Jordan block sizes of the zero eigenvalue, largest first
    on_axis      (n,) bool: real part is zero within its own error bound, or by structure
    defective    (n,) bool: belongs to a defective zero or a defective eigenvalue on the imaginary axis
    undecided    (n,) bool: on the axis because its real part cannot be told from zero, not by structure
    stability    "stable", "marginal", "drifting" or "unstable"
    near_zero    how many eigenvalues a plain algorithm finds within its error bounds of zero
    """

    eigenvalues: np.ndarray
    is_rigid: np.ndarray
    zero_chains: tuple[int, ...]
    on_axis: np.ndarray
    defective: np.ndarray
    undecided: np.ndarray
    stability: str
    near_zero: int
    columns: Columns  # of `right`
    errors: Callable[[], np.ndarray]

    @cached_property
    def bounds(self) -> np.ndarray:
        """(n,) error bound of every eigenvalue: of rounding in the entries of the matrices and in finding it."""
        bounds = self.errors()
        bounds.setflags(write=False)
        return bounds

    @cached_property
    def right(self) -> np.ndarray:
        """All vectors, as columns."""
        right = self.columns(np.arange(len(self.eigenvalues)))
        right.setflags(write=False)
        return right


def conjugate_representatives(spectrum: Spectrum) -> np.ndarray:
    """Indices of one eigenvalue per conjugate pair (positive imaginary part), each real one and each zero, in order."""
    kept = np.flatnonzero(spectrum.eigenvalues.imag >= 0)
    return kept[entry_order(spectrum.eigenvalues[kept])]


def entry_order(values: np.ndarray) -> np.ndarray:
    """Order by magnitude; magnitudes equal to ten digits count as equal and go by imaginary, then by real part."""
    size = np.abs(values)
    unit = 10.0 ** np.floor(np.log10(np.where(size > 0, size, 1.0)))
    digits = np.round(size / unit, 9) * unit
    return np.lexsort((np.round(values.real / unit, 9), np.round(values.imag / unit, 9), digits))
