"""Components of relative rotation vectors at one real state: log of each pair of frames once, then its components."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.simulation.vectors import IDENTITY, TINY, distinct, rotation_vector, turning

Matrices = tuple[np.ndarray, np.ndarray]


class Turning:
    """The kernel's pairs of frames without repetition, and which pair each component belongs to."""

    def __init__(self, kernel: RotationComponent) -> None:
        n = len(kernel.carriers)
        frames = np.concatenate((kernel.carriers, kernel.first.reshape(n, 9), kernel.second.reshape(n, 9)), axis=1)
        chosen, self._pair = distinct(frames)
        self._first, self._second = (np.ascontiguousarray(f[chosen]) for f in (kernel.first, kernel.second))
        self._i, self._j = np.ascontiguousarray(kernel.carriers[chosen].T)
        self._e, self._kernel = kernel.e, kernel

        axis = np.argmax(np.abs(self._e), axis=1)
        is_axis = np.array_equal(self._e, np.eye(3)[axis])
        self._row = 3 * self._pair + axis if is_axis else None  # of the stacked rows of all pairs
        turn = np.arange(3, 6)
        self._places = np.concatenate([(6 * carrier[:, None] + turn).ravel() for carrier in (self._i, self._j)])
        self._first_t = np.ascontiguousarray(np.swapaxes(self._first, -1, -2))

    def value(self, at: Carriers) -> np.ndarray:
        return self._of_components(self._vectors(at)[0])

    def _vectors(self, at: Carriers) -> tuple[np.ndarray, np.ndarray]:
        """Rotation vectors, and the second carriers' axes in the first frames."""
        second = np.swapaxes(at.R[self._i] @ self._first, -1, -2) @ at.R[self._j]
        return rotation_vector(second @ self._second), second

    def _of_components(self, vectors: np.ndarray) -> np.ndarray:
        """e . v of the pair of each component."""
        if self._row is not None:
            return vectors.reshape(-1)[self._row]
        return (self._e * vectors[self._pair]).sum(-1)

    def _rows(self, matrices: np.ndarray) -> np.ndarray:
        """e^T M of the pair of each component."""
        if self._row is not None:
            return matrices.reshape(-1, 3)[self._row]
        return np.einsum("ni,nij->nj", self._e, matrices[self._pair])

    def jet(
        self, at: Carriers, accelerated: bool, loops: ModuleType | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Value, rate, acceleration (zero unless asked for) and gradient.

        s' = B(s) (w_j - w_i) in the axes of the first frame (elements.measures.rotation).
        """
        s, rate, (by_first, by_second) = self._pairs(at, loops)
        gradient = np.zeros((len(self._e), 12))
        gradient[:, 3:6], gradient[:, 9:] = self._rows(by_first), self._rows(by_second)
        acceleration = self._kernel.jet(at).acceleration if accelerated else np.zeros(len(self._e))
        return self._of_components(s), self._of_components(rate), acceleration, gradient

    def sweep(self, at: Carriers, loops: ModuleType | None) -> tuple[np.ndarray, np.ndarray, Matrices]:
        """Value, rate, and the matrices that `pull` asks for."""
        s, rate, matrices = self._pairs(at, loops)
        return self._of_components(s), self._of_components(rate), matrices

    def pull(
        self, matrices: Matrices, force: np.ndarray, out: np.ndarray, loops: ModuleType | None
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Moments on the carriers of forces along the components: flat places in (carriers, 6) and values, or added to
        `out` at once."""
        if loops is not None and self._row is not None:
            loops.pulled_pairs(self._row, np.ascontiguousarray(force), self._i, self._j, *matrices, out)
            return None
        if self._row is not None:
            along: np.ndarray = np.bincount(self._row, force, 3 * len(self._i)).reshape(-1, 3)
        else:
            along = np.zeros((len(self._i), 3))
            np.add.at(along, self._pair, force[:, None] * self._e)
        both = [(along[:, None, :] @ matrix)[:, 0].ravel() for matrix in matrices]
        return self._places, np.concatenate(both)

    def _pairs(self, at: Carriers, loops: ModuleType | None) -> tuple[np.ndarray, np.ndarray, Matrices]:
        """Rotation vectors of the pairs, their rates, and these by the turning of the first and second carrier."""
        if loops is not None:
            n = len(self._i)
            s, rate, by_first, by_second = np.empty((n, 3)), np.empty((n, 3)), np.empty((n, 3, 3)), np.empty((n, 3, 3))
            frames = (self._i, self._j, self._first, self._second)
            if loops.turned_pairs(*frames, at.R, at.w, s, rate, by_first, by_second):
                return s, rate, (by_first, by_second)
        s, second = self._vectors(at)
        x = np.einsum("ij,ij->i", s, s) + TINY
        half = 0.5 * np.sqrt(x)
        S = turning(s)
        B = IDENTITY - 0.5 * S + ((1 - half / np.tan(half)) / x)[:, None, None] * (S @ S)
        by_first, by_second = -(B @ self._first_t), B @ second
        rate = (by_first @ at.w[self._i][..., None] + by_second @ at.w[self._j][..., None])[..., 0]
        return s, rate, (by_first, by_second)
