"""Whether two sets of eigenvalues are the same, each within what rounding makes of it.

Two formulations give state matrices that differ by rounding: E with |E| <= N entry by entry. An eigenvalue of A + E may
be at z only if the spectral radius of |inv(A - z)| N reaches one. Hence, where that radius stays below one on a whole
circle, A and A + E have equally many eigenvalues inside it. The tolerance of an eigenvalue is the smallest such circle
about it: its condition number times the noise where it stands alone, the k-th root of that in a chain or a cluster of k
(Trefethen & Embree, Spectra and Pseudospectra, 2005; Higham, Accuracy and Stability, 2002, 7.2 for entries).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.noise import EPS

BACKWARD = 10.0  # error of the QR algorithm in units of eps * Frobenius norm of the balanced matrix; measured: below 3
DIRECTIONS = np.exp(2j * np.pi * (np.arange(8) + 0.5) / 8)  # where a circle is examined
SURELY = 0.5  # first-order bounds below this part of the tolerance need no circle
ALONE = 1e-2  # part of the distance to the next eigenvalue below which a first-order bound tells the radius
WIDER = 1.25  # circles grow at least by this factor


@dataclass(frozen=True, eq=False)
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


def tolerances(A: np.ndarray, noise: np.ndarray, values: np.ndarray, relative: float) -> np.ndarray:
    """(n,) differences up to which the eigenvalues `values` (n,) of A (n, n) and those of another formulation count as
    equal: `relative` of the magnitude, or what rounding makes of them.

    `noise` (n, n) is the error to expect in the entries of A beside those of the other; rounding of the eigenvalues
    themselves is added here.
    """
    if not len(values):
        return np.zeros(0)
    if not all(np.isfinite(numbers).all() for numbers in (A, noise, values)):
        raise ComputationError("the equations have entries that are no numbers: eigenvalues cannot be compared.")
    noise, size = _with_solver(A, noise)
    bounds, gaps = _first_order(A, noise, values)
    allowed = relative * np.abs(values)
    for i in np.flatnonzero((bounds > SURELY * allowed) & (values.imag >= 0)):
        value = complex(values[i])
        if value in values[:i]:
            continue
        smallest = allowed[i] or EPS * size
        alone = bounds[i] < ALONE * gaps[i]
        circle = _circle(A, noise, value, max(smallest, bounds[i]) if alone else smallest, size, alone)
        allowed[(values == value) | (values == value.conjugate())] = circle
    return allowed


def _with_solver(A: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, float]:
    """Noise (n, n) with the errors of two eigenvalue solvers, evenly spread over the balanced matrix; its norm."""
    from scipy.linalg import matrix_balance

    balanced, transform = matrix_balance(np.abs(A) + noise)
    scale, size = transform.sum(axis=1), float(np.linalg.norm(balanced))
    return noise + 2 * BACKWARD * EPS * size / len(A) * np.outer(scale, 1 / scale), size


def _first_order(A: np.ndarray, noise: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(n,) |y| N |x| / |y.x| with the left and right vectors of each eigenvalue, and (n,) its distance to the next;
    infinite and none for zeros."""
    from scipy.linalg import eig

    found, left, right = eig(A, left=True, right=True)
    coupling = np.maximum(np.abs(np.sum(left.conj() * right, axis=0)), 1e-100)
    bounds = np.sum(np.abs(left) * (noise @ np.abs(right)), axis=0) / coupling
    apart = np.abs(found[:, None] - found) + np.diag(np.full(len(found), np.inf))
    order = assignment(values, found)
    return np.where(values == 0, np.inf, bounds[order]), np.where(values == 0, 0.0, apart.min(axis=1)[order])


def _circle(A: np.ndarray, noise: np.ndarray, value: complex, start: float, largest: float, alone: bool) -> float:
    """Radius of a circle about `value` that no eigenvalue can cross, hardly more than the smallest from `start` on."""
    directions = DIRECTIONS[[0, 4]] if alone else DIRECTIONS if value.imag else DIRECTIONS[:4]  # real: mirrored
    radius = start
    while radius < largest:
        reached = next((r for r in (_reach(A, noise, value + radius * d) for d in directions) if r >= 1), 0.0)
        if not reached:
            return radius
        radius *= min(max(reached**0.25, WIDER), 4.0)  # the reach falls with the k-th power in a chain of k
    return radius


def _reach(A: np.ndarray, noise: np.ndarray, z: complex) -> float:
    """Upper bound of the spectral radius of |inv(A - z)| N (Collatz & Wielandt); infinite at an eigenvalue."""
    try:
        inverse = np.linalg.inv(A - z * np.eye(len(A)))
    except np.linalg.LinAlgError:
        return np.inf
    spread, x = np.abs(inverse) @ noise, np.ones(len(A))
    for _ in range(8):
        y = spread @ x
        bound = float(np.max(y / x))
        if bound < 1:
            break
        x = y / y.max()
    return bound


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
