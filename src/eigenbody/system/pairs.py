"""Components of relative rotation vectors at one real state: log of each pair of frames once, then its components."""

from __future__ import annotations

from functools import cached_property
from types import ModuleType

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.spatial.rotations import inverse_jacobian, log
from eigenbody.system.products import PlainJet, distinct

Matrices = tuple[np.ndarray, np.ndarray]


class RotationPairs:
    """The kernel's pairs of frames without repetition, and which pair each component belongs to."""

    def __init__(self, kernel: RotationComponent) -> None:
        n = len(kernel.carriers)
        frames = np.concatenate((kernel.carriers, kernel.first.reshape(n, 9), kernel.second.reshape(n, 9)), axis=1)
        chosen, self._pair = distinct(frames)
        self._first, self._second = (np.ascontiguousarray(f[chosen]) for f in (kernel.first, kernel.second))
        self._i, self._j = np.ascontiguousarray(kernel.carriers[chosen].T)
        self.kernel, self._e = kernel, kernel.e
        axis = np.argmax(np.abs(self._e), axis=1)
        is_axis = np.array_equal(self._e, np.eye(3)[axis])
        self._row = 3 * self._pair + axis if is_axis else None  # of the stacked rows of all pairs
        turn = np.arange(3, 6)
        self._places = np.concatenate([(6 * carrier[:, None] + turn).ravel() for carrier in (self._i, self._j)])
        self._first_t = np.ascontiguousarray(np.swapaxes(self._first, -1, -2))

    def jet(self, products: PlainJet, at: Carriers, loops: ModuleType | None) -> PairsJet:
        return PairsJet(self, at, loops)

    def pull(self, jet: PairsJet, force: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        """Adds the moments on the carriers of forces along the components."""
        if self._row is not None:
            along: np.ndarray = np.bincount(self._row, force, 3 * len(self._i)).reshape(-1, 3)
        else:
            along = np.zeros((len(self._i), 3))
            np.add.at(along, self._pair, force[:, None] * self._e)
        both = [(along[:, None, :] @ matrix)[:, 0].ravel() for matrix in jet.matrices]
        added(out, self._places, np.concatenate(both))

    @property
    def table(self) -> tuple[np.ndarray, ...] | None:
        """Carriers and frames of the pairs, and which row of all their components each measure is; None where one is
        along no axis."""
        return None if self._row is None else (self._i, self._j, self._first, self._second, self._row)

    def of_components(self, vectors: np.ndarray) -> np.ndarray:
        """e . v of the pair of each component."""
        if self._row is not None:
            return vectors.reshape(-1)[self._row]
        return (self._e * vectors[self._pair]).sum(-1)

    def rows(self, matrices: np.ndarray) -> np.ndarray:
        """e^T M of the pair of each component."""
        if self._row is not None:
            return matrices.reshape(-1, 3)[self._row]
        return np.einsum("ni,nij->nj", self._e, matrices[self._pair])

    def turned(self, at: Carriers, loops: ModuleType | None) -> tuple[np.ndarray, np.ndarray, Matrices]:
        """Rotation vectors s of the pairs, s' = B(s) (w_j - w_i) in the axes of the first frame, and s' by the turning
        of the first and second carrier (elements.measures.rotation)."""
        if loops is not None:
            n = len(self._i)
            s, rate, by_first, by_second = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((n, 3, 3))
            frames = (self._i, self._j, self._first, self._second)
            if loops.turned_pairs(*frames, at.R, at.w, s, rate, by_first, by_second):
                return s, rate, (by_first, by_second)
        second = np.swapaxes(at.R[self._i] @ self._first, -1, -2) @ at.R[self._j]
        s = log(second @ self._second)
        B = inverse_jacobian(s)
        by_first, by_second = -(B @ self._first_t), B @ second
        rate = (by_first @ at.w[self._i][..., None] + by_second @ at.w[self._j][..., None])[..., 0]
        return s, rate, (by_first, by_second)


class PairsJet:
    """The components at a state."""

    def __init__(self, pairs: RotationPairs, at: Carriers, loops: ModuleType | None) -> None:
        self._pairs, self._at = pairs, at
        s, rate, self.matrices = pairs.turned(at, loops)
        self.value, self.rate = pairs.of_components(s), pairs.of_components(rate)

    @cached_property
    def acceleration(self) -> np.ndarray:
        return self._pairs.kernel.jet(self._at).acceleration

    @cached_property
    def gradient(self) -> np.ndarray:
        out = np.zeros((len(self.value), 12))
        out[:, 3:6], out[:, 9:] = (self._pairs.rows(matrix) for matrix in self.matrices)
        return out


def added(out: np.ndarray, places: np.ndarray, values: np.ndarray) -> None:
    """Adds values at flat places, which may occur more than once."""
    out += np.bincount(places, values, out.size).reshape(out.shape)
