"""Eigenvalues of a transition matrix: which are one, on the unit circle or outside, as far as errors allow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.numerics.eigen.dense import spectrum_first_order


@dataclass(frozen=True, eq=False)
class Multipliers:
    """Multipliers (n,), largest first, conjugates next to each other; those recognized as 1 are exactly 1."""

    values: np.ndarray
    vectors: np.ndarray  # (n, n) columns
    bounds: np.ndarray
    partner: np.ndarray  # of a conjugate pair; a real one is its own
    is_one: np.ndarray
    is_defective_one: bool

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
            return "marginal"
        return "unstable" if off > 0 else "stable"


def judged_multipliers(transition: np.ndarray, noise: np.ndarray) -> Multipliers:
    """Of a real transition matrix (n, n) whose entries are known to `noise`.

    Phi - I has a zero for each multiplier 1, which are those that come in chains (a free coordinate and its rate).
    """
    n = len(transition)
    found = spectrum_first_order(transition - np.eye(n), noise) if n else None
    if found is None:
        empty = np.zeros(0)
        return Multipliers(empty.astype(complex), np.zeros((0, 0)), empty, empty.astype(int), empty.astype(bool), False)
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
    chains = found.zero_chains
    vectors = _own_vectors(transition, values[order], found.right[:, order], (found.is_rigid & ~hidden)[order])
    return Multipliers(
        values[order],
        vectors,
        found.bounds[order],
        np.array(partner),
        (found.is_rigid & ~hidden)[order],
        bool(chains) and chains[0] > 1 and not hidden.any(),
    )


def _own_vectors(transition: np.ndarray, values: np.ndarray, judged: np.ndarray, is_one: np.ndarray) -> np.ndarray:
    """Eigenvectors of the plain problem next to each value; of multipliers 1 those of their chains."""
    plain, right = np.linalg.eig(transition)
    out = judged.astype(complex)
    for i in np.flatnonzero(~is_one):
        out[:, i] = right[:, int(np.argmin(np.abs(plain - values[i])))]
    return out
