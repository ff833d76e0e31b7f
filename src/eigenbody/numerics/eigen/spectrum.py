"""All eigenvalues of a linear system: in order, with their vectors made when they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.base.copies import Later, LeanCopies
from eigenbody.numerics.eigen.stability import verdict


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
    columns: Callable[[np.ndarray], np.ndarray]  # of `right`, by their numbers
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


def _chains(weyr: tuple[int, ...]) -> tuple[int, ...]:
    """Jordan block sizes, largest first, from the number of blocks that reach each length."""
    return tuple(sum(count > block for count in weyr) for block in range(weyr[0])) if weyr else ()


def ordered_spectrum(
    weyr: tuple[int, ...],
    nonzero: np.ndarray,
    right: np.ndarray | Callable[[np.ndarray], np.ndarray],
    on_axis: np.ndarray,
    defective: np.ndarray,
    errors: Callable[[], np.ndarray],
    near_zero: int,
    undecided: np.ndarray | None = None,
) -> Spectrum:
    """Zeros (first columns of `right`, first of `errors`) and the rest (adjacent pairs) put in order, with exact
    conjugates."""
    chains = _chains(weyr)
    zeros = sum(chains)
    eigenvalues = np.concatenate([np.zeros(zeros, complex), nonzero])
    on_axis = np.concatenate([np.ones(zeros, bool), on_axis])
    defective = np.concatenate([np.full(zeros, bool(chains) and chains[0] > 1), defective])
    order = np.lexsort((eigenvalues.real, np.abs(eigenvalues.imag), np.abs(eigenvalues)))
    is_open = np.concatenate([np.zeros(zeros, bool), np.zeros(len(nonzero), bool) if undecided is None else undecided])
    eigenvalues, on_axis, defective, is_open = eigenvalues[order], on_axis[order], defective[order], is_open[order]
    upper = np.flatnonzero(eigenvalues.imag > 0)
    eigenvalues[upper + 1] = eigenvalues[upper].conj()
    on_axis[upper + 1], defective[upper + 1] = on_axis[upper], defective[upper]
    eigenvalues += 0.0  # no negative zeros
    is_rigid = eigenvalues == 0
    for array in (eigenvalues, is_rigid, on_axis, defective, is_open):
        array.setflags(write=False)
    is_second = np.zeros(len(order), bool)
    is_second[upper + 1] = True

    stability = verdict(eigenvalues, on_axis, defective)
    return Spectrum(
        eigenvalues, is_rigid, chains, on_axis, defective, is_open, stability, near_zero,
        _Columns(right, order, is_second), Later(lambda: errors()[order]),
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _Columns:
    """Vectors in order from those of `right`; the second of a pair is the conjugate of the first."""

    right: np.ndarray | Callable[[np.ndarray], np.ndarray]
    order: np.ndarray
    is_second: np.ndarray

    def __call__(self, chosen: np.ndarray) -> np.ndarray:
        second = self.is_second[chosen]
        source = self.order[chosen - second]
        found = self.right[:, source] if isinstance(self.right, np.ndarray) else self.right(source)
        found[:, second] = found[:, second].conj()
        return found
