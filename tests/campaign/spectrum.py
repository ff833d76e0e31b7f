"""Eigenvalues of a matrix in long arithmetic, how many are zero, and what they say about stability."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from flint import acb, acb_mat, arb, arb_mat, ctx

ZERO_BELOW = 1e-17
"""Eigenvalues below are zero. A defective zero of order four is 1e-21 in matrices exact to 84 digits; the smallest
eigenvalue that the generators make on purpose is 1e-13."""
ON_AXIS = 1e-22  # relative to the largest eigenvalue; a defective pair is found to 42 digits
SAME = 1e-12  # eigenvalues nearer than this, relatively, are one multiple eigenvalue if their number of vectors says so


@dataclass(frozen=True)
class Spectrum:
    """All eigenvalues (zeros exactly 0), the number of zeros, and the verdict of linear theory."""

    eigenvalues: list[complex]
    zeros: int
    verdict: str

    @property
    def decay(self) -> float:
        """The slowest decay of a mode that is no zero, relative to the largest eigenvalue."""
        values = [v for v in self.eigenvalues if v]
        return min((-v.real for v in values), default=0.0) / max((abs(v) for v in values), default=1.0)


def spectrum(A: arb_mat, zero_below: float = ZERO_BELOW) -> Spectrum:
    """The spectrum of a real matrix known to many digits."""
    if A.nrows() == 0:
        return Spectrum([], 0, "immobile")
    values = acb_mat(A).eig(algorithm="approx")
    sizes = [float(abs(v).mid()) for v in values]
    if not all(map(math.isfinite, sizes)):
        raise ArithmeticError("the reference itself has no eigenvalues")
    largest = max(*sizes, zero_below)
    zeros = [v for v, size in zip(values, sizes, strict=True) if size < zero_below * max(1.0, largest)]
    others = [v for v, size in zip(values, sizes, strict=True) if size >= zero_below * max(1.0, largest)]
    growth = [float(v.real.mid()) for v in others]
    listed = [0j] * len(zeros) + [complex(float(v.real.mid()), float(v.imag.mid())) for v in others]
    return Spectrum(listed, len(zeros), _verdict(A, zeros, others, growth, ON_AXIS * largest))


def _verdict(A: arb_mat, zeros: Sequence[acb], others: Sequence[acb], growth: Sequence[float], margin: float) -> str:
    if any(g > margin for g in growth):
        return "unstable"
    on_axis = [v for v, g in zip(others, growth, strict=True) if abs(g) <= margin]
    if zeros and nullity(A, acb(0)) < len(zeros):
        return "drifting"
    for group in _groups(on_axis):
        if len(group) > 1 and nullity(A, sum(group, acb(0)) / len(group)) < len(group):
            return "drifting"
    return "marginal" if zeros or on_axis else "stable"


def _groups(values: Sequence[acb]) -> list[list[acb]]:
    groups: list[list[acb]] = []
    for value in values:
        for group in groups:
            if float(abs(value - group[0]).mid()) <= SAME * float(abs(value).mid()):
                group.append(value)
                break
        else:
            groups.append([value])
    return groups


def nullity(A: arb_mat, shift: acb) -> int:
    """Number of independent eigenvectors of an eigenvalue: elimination with full pivoting."""
    n = A.nrows()
    rows = [[acb(A[i, j].mid()) - (shift.mid() if i == j else 0) for j in range(n)] for i in range(n)]
    sizes = [max((float(abs(x).mid()) for x in row), default=0.0) for row in rows]
    scale = max(sizes, default=0.0) or 1.0
    rank = 0
    while rows:
        size, i, j = max((float(abs(x).mid()), i, j) for i, row in enumerate(rows) for j, x in enumerate(row))
        if size <= 1e-25 * scale:
            break
        pivot = rows.pop(i)
        rank += 1
        rows = [
            [x - row[j] * p / pivot[j] for c, (x, p) in enumerate(zip(row, pivot, strict=True)) if c != j]
            for row in rows
        ]
        if rows and not rows[0]:
            break
    return n - rank


def from_doubles(A: Sequence[Sequence[float]], bits: int = 400) -> arb_mat:
    """A matrix of doubles, exactly."""
    ctx.prec = bits
    return arb_mat([[arb(float(x)) for x in row] for row in A])
