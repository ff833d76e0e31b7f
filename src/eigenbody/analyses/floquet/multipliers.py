"""Eigenvalues of a transition matrix: which are one, on the unit circle or outside, as far as errors allow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.numerics.eigen.dense import spectrum_first_order
from eigenbody.numerics.matrices.noise import balancing_scale

CHAINED = 10.0  # times the spread of equal multipliers, from which what they do not leave alone couples them


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Multipliers (n,), largest first, conjugates next to each other; those recognized as 1 are exactly 1."""

    values: np.ndarray
    vectors: np.ndarray  # (n, n) columns
    bounds: np.ndarray
    partner: np.ndarray  # of a conjugate pair; a real one is its own
    is_one: np.ndarray
    is_defective_one: bool
    is_chained: (
        np.ndarray
    )  # of others on the unit circle: equal ones that have too few vectors, or cannot be told from it

    @property
    def index(self) -> np.ndarray:
        """Of one of each pair (positive imaginary part), each real one and each 1."""
        return np.flatnonzero(self.values.imag >= 0)

    def word(self, i: int) -> str:
        """stable, marginal, drifting or unstable."""
        if self.is_one[i]:
            return "drifting" if self.is_defective_one else "marginal"
        off = abs(self.values[i]) - 1
        if abs(off) <= self.bounds[i]:
            return "drifting" if self.is_chained[i] else "marginal"
        return "unstable" if off > 0 else "stable"


def judged_multipliers(transition: np.ndarray, noise: np.ndarray) -> Multipliers:
    """Of a real transition matrix (n, n) whose entries are known to `noise`.

    Phi - I has a zero for each multiplier 1, which are those that come in chains (a free coordinate and its rate).
    """
    n = len(transition)
    found = spectrum_first_order(transition - np.eye(n), noise) if n else None
    if found is None:
        empty = np.zeros(0)
        no = empty.astype(bool)
        return Multipliers(empty.astype(complex), np.zeros((0, 0)), empty, empty.astype(int), no, False, no)
    values = found.eigenvalues + 1.0
    hidden = found.is_rigid & (found.bounds >= 1.0)  # beside far larger ones: anything within the circle, not 1
    values = np.where(hidden, 0.0, values)
    upper = np.flatnonzero(values.imag >= 0)
    order: list[int] = []
    partner: list[int] = []
    for i in upper[np.lexsort((values[upper].imag, -np.abs(values[upper])))]:  # pairs are adjacent in a spectrum
        members = [i, i + 1] if values[i].imag > 0 else [i]
        partner += [len(order) + len(members) - 1 - k for k in range(len(members))]
        order += members
    chains, values, bounds, is_one = found.zero_chains, values[order], found.bounds[order], found.is_rigid & ~hidden
    is_one = is_one[order]
    vectors = _own_vectors(transition, values, found.right[:, order], is_one)
    return Multipliers(
        values,
        vectors,
        bounds,
        np.array(partner),
        is_one,
        bool(chains) and chains[0] > 1 and not hidden.any(),
        _chained(transition, noise, values, bounds, is_one),
    )


def _chained(
    transition: np.ndarray, noise: np.ndarray, values: np.ndarray, bounds: np.ndarray, is_one: np.ndarray
) -> np.ndarray:
    """(n,) which multipliers on the unit circle, but for 1, are several that the errors do not part and that have fewer
    vectors than they are: Phi - mu I of m equal ones leaves m directions alone, of a chain fewer."""
    out = np.zeros(len(values), dtype=bool)
    on_circle = (np.abs(np.abs(values) - 1) <= bounds) & ~is_one
    if np.count_nonzero(on_circle) < 2:
        return out
    scale = balancing_scale(transition, noise)
    balanced, errors = (part * scale / scale[:, None] for part in (transition, noise))
    away = np.abs(values[:, None] - values)
    for i in np.flatnonzero(on_circle):
        equal = np.flatnonzero(on_circle & (away[i] <= bounds[i] + bounds))
        if len(equal) > 1:
            mean = values[equal].mean()
            spread = np.abs(values[equal] - mean).max() + np.linalg.norm(errors)
            left = np.linalg.svd(balanced - mean * np.eye(len(values)), compute_uv=False)[-len(equal) :]
            out[i] = left.max() > CHAINED * spread
    return out


def _own_vectors(transition: np.ndarray, values: np.ndarray, judged: np.ndarray, is_one: np.ndarray) -> np.ndarray:
    """Eigenvectors of the plain problem next to each value; of multipliers 1 those of their chains."""
    plain, right = np.linalg.eig(transition)
    out = judged.astype(complex)
    for i in np.flatnonzero(~is_one):
        out[:, i] = right[:, int(np.argmin(np.abs(plain - values[i])))]
    return out
