"""Many systems M q'' + C q' + K q = 0 in coordinates of unit mass, softest first, and the modes of symmetric ones.

All arrays have a leading axis for the systems (g), or none for one of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.graded import NOT_DEFINITE, graded_eigh, mass_basis, symmetric_null_spaces
from eigenbody.numerics.matrices.noise import equilibrate, noise_of
from eigenbody.numerics.matrices.stacks import outer, part_of, parts_of

SYMMETRIC = 1e-12
"""K is symmetric, and C skew, when the deviation is below this part of the equilibrated size of the entry."""
UNDAMPED = 1e-14
"""C is zero when its entries are below this part of the equilibrated sqrt(K): a damping ratio of 5e-15."""


@dataclass(frozen=True, slots=True, eq=False)
class Scaled:
    """Systems in coordinates of unit mass, softest first: user coordinates q[order] = unit * q_scaled."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    noise_C: np.ndarray
    noise_K: np.ndarray
    order: np.ndarray
    unit: np.ndarray
    symmetric: np.ndarray
    undamped: np.ndarray

    def of(self, members: np.ndarray | int) -> Scaled:
        """Some of the systems, by rising numbers, or one."""
        if isinstance(members, np.ndarray) and len(members) == len(self.M):
            return self
        return Scaled(*(getattr(self, name)[members] for name in self.__slots__))

    @property
    def skew(self) -> np.ndarray:
        """Whether C is skew: nothing is lost."""
        gyroscopic, _ = equilibrate(np.abs(self.C) + np.abs(self.C.mT))
        return np.all(np.abs(self.C + self.C.mT) <= SYMMETRIC * outer(gyroscopic, gyroscopic), axis=(-2, -1))

    def rigid_states(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """User states (..., 2n, m) complex from scaled coordinates and rates (..., n, m) of the zero eigenvalue."""
        mass = np.sqrt(np.sum(q.conj() * (self.M @ q) + v.conj() * (self.M @ v), axis=-2, keepdims=True).real)
        return self._user(q / mass, v / mass)

    def states(self, q: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
        """User states [q, lambda q] (..., 2n, m) complex of unit modal mass from scaled coordinates (..., n, m)."""
        q = q / np.sqrt(np.sum(q.conj() * (self.M @ q), axis=-2, keepdims=True).real)
        return self._user(q, q * eigenvalues[..., None, :])

    def pairs(self, q: np.ndarray, eigenvalues: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """The chosen ones of these (..., 2n, 2m) for real modes (..., n, m), two adjacent each."""
        return self.states(q[..., chosen // 2], eigenvalues[..., chosen])

    def _user(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        x = np.empty((*q.shape[:-2], 2 * q.shape[-2], q.shape[-1]), complex)
        n, order, unit = q.shape[-2], self.order[..., None], self.unit[..., None]
        np.put_along_axis(x[..., :n, :], order, q * unit, axis=-2)
        np.put_along_axis(x[..., n:, :], order, v * unit, axis=-2)
        return x


def scaled(
    M: np.ndarray, C: np.ndarray, K: np.ndarray, noise_K: np.ndarray | None, noise_C: np.ndarray | None
) -> Scaled:
    """Systems (g, n, n) that were checked."""
    mass = np.diagonal(M, axis1=-2, axis2=-1)
    if np.any(mass <= 0):
        raise ComputationError(NOT_DEFINITE)
    unit = 1.0 / np.sqrt(mass)
    weight = outer(unit, unit)
    M, C, K = (M + M.mT) / 2 * weight, C * weight, K * weight
    noise = noise_of(K, None if noise_K is None else noise_K * weight)
    loss = noise_of(C, None if noise_C is None else noise_C * weight)
    rows, columns = equilibrate(K)
    stiff = np.sqrt(rows * columns)
    order = np.argsort(stiff, axis=-1, kind="stable")
    if np.any(order[:, 1:] < order[:, :-1]):
        M, C, K, noise, loss = parts_of((M, C, K, noise, loss), order, order)
        stiff, unit = (np.take_along_axis(a, order, axis=-1) for a in (stiff, unit))
    size = outer(stiff, stiff)
    symmetric = np.all(np.abs(K - K.mT) <= np.maximum(SYMMETRIC * size, noise + noise.mT), axis=(-2, -1))
    undamped = np.all(np.abs(C) <= UNDAMPED * np.sqrt(size), axis=(-2, -1)) if C.any() else np.ones(len(C), bool)
    if symmetric.all():
        K, noise = (K + K.mT) / 2, np.maximum(noise, noise.mT)
    elif symmetric.any():
        even = symmetric[:, None, None]
        K, noise = np.where(even, (K + K.mT) / 2, K), np.where(even, np.maximum(noise, noise.mT), noise)
    return Scaled(M, C, K, loss, noise, order, unit, symmetric, undamped)


@dataclass(frozen=True, slots=True, eq=False)
class ModalBasis:
    """Mass-normalized modes of (K, M), K symmetric: `rigid` (..., n, r), `elastic` (..., n, e), omega^2 = `stiffness`
    (..., e)."""

    rigid: np.ndarray
    elastic: np.ndarray
    stiffness: np.ndarray

    def of(self, members: np.ndarray | int) -> ModalBasis:
        """Those of some systems, by rising numbers, or of one."""
        if isinstance(members, np.ndarray) and len(members) == len(self.stiffness):
            return self
        return ModalBasis(self.rigid[members], self.elastic[members], self.stiffness[members])


def modal_bases(system: Scaled) -> Iterator[tuple[np.ndarray, ModalBasis]]:
    """Of symmetric systems (g); those with as many rigid modes come together, with their numbers."""
    for members, null, own in symmetric_null_spaces(system.K, system.noise_K):
        own_system, r = system.of(members), own.shape[1]
        M, K = own_system.M, own_system.K
        if not r:
            stiffness, elastic = graded_eigh(K, mass_basis(M))
            yield members, ModalBasis(np.zeros((*M.shape[:2], 0)), elastic, stiffness)
            continue
        # Hold r coordinates; M-orthogonality to the null space restores them. K u = 0 leaves the rest of K as it is.
        held = np.zeros(M.shape[:2], bool)
        np.put_along_axis(held, own, True, axis=1)
        rest = np.argsort(held, axis=1, kind="stable")[:, : M.shape[-1] - r]
        null = null / np.sqrt(np.sum(null * (M @ null), axis=-2, keepdims=True))
        rigid = null @ mass_basis(null.mT @ M @ null)
        share = rigid.mT @ np.take_along_axis(M, rest[:, None, :], axis=2)
        stiffness, moved = graded_eigh(part_of(K, rest, rest), mass_basis(part_of(M, rest, rest) - share.mT @ share))
        elastic = -rigid @ (share @ moved)
        there = np.take_along_axis(elastic, rest[:, :, None], axis=1)
        np.put_along_axis(elastic, rest[:, :, None], there + moved, axis=1)
        yield members, ModalBasis(rigid, elastic, stiffness)
