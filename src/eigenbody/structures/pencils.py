"""Modes of a held body: K x = omega^2 M x, all at once or a few."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.numerics.eigen.inertia import InertiaCount
from eigenbody.numerics.eigen.lanczos import WIDTH, largest_ritz
from eigenbody.structures.ordering import dissection

EQUAL = 1e-6  # relative distance of omega^2 below which modes belong together and are kept or left out together
MASSLESS = 1e-14  # part of the largest 1/omega^2 that counts as none
WIDER, WIDEST = 4, 100  # blocks are made so many times wider where a mode was missed, the last wider than this
SINGULAR = 1e-14  # part of the stiffness of a freedom that is left when all others may yield


class DensePencil:
    """All modes at once; K positive definite at the real part, M may lack mass."""

    def __init__(self, M: np.ndarray, K: np.ndarray) -> None:
        from scipy.linalg import cholesky, eigh

        self.M, self.K = M, K
        real = np.real(K)
        if len(K):
            pivots = np.diag(cholesky(real, check_finite=False)) ** 2
            if np.any(pivots < SINGULAR * np.diag(real)):
                raise np.linalg.LinAlgError("singular")
            inverse, vectors = eigh(even(np.real(M)), even(real), check_finite=False)
            self.inverse, self.vectors = inverse[::-1], vectors[:, ::-1]  # 1/omega^2 falling, V^T K V = 1
        else:
            self.inverse, self.vectors = np.zeros(0), np.zeros((0, 0))

    def solve(self, load: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.K, load)

    def lowest(self, modes: int | None, upto: float | None) -> np.ndarray:
        """Modes (n, k), with first-order changes out of their span as imaginary part."""
        count = _number(self.inverse, modes, upto)
        V, rest = self.vectors[:, :count], self.vectors[:, count:]
        if not (np.iscomplexobj(self.M) or np.iscomplexobj(self.K)):
            return V
        force = np.imag(self.M) @ V - np.imag(self.K) @ (V * self.inverse[:count])
        return V + 1j * (rest @ ((rest.T @ force) / (self.inverse[:count] - self.inverse[count:, None])))


class SparsePencil:
    """A few modes by block Lanczos on one factorization of K; real."""

    def __init__(self, M: Any, K: Any, rigid: tuple[np.ndarray, np.ndarray] | None, order: np.ndarray) -> None:
        from scipy.sparse.linalg import splu

        self.M, self.K, self.rigid, self._order = M, K, rigid, order
        options = {"SymmetricMode": True}
        try:
            self._lu = splu(K[order][:, order].tocsc(), permc_spec="NATURAL", diag_pivot_thresh=0.0, options=options)
        except RuntimeError as error:
            raise np.linalg.LinAlgError(str(error)) from error
        self._check_regular()

    def _check_regular(self) -> None:
        unit = np.sqrt(np.maximum(self.K.diagonal(), 0.0))
        load = np.random.default_rng(2).normal(size=len(unit))
        moved = unit * self._once(unit * load)
        if not np.linalg.norm(moved) * SINGULAR < np.linalg.norm(load):
            raise np.linalg.LinAlgError("singular")

    def _once(self, load: np.ndarray) -> np.ndarray:
        x = np.empty_like(load)
        x[self._order] = self._lu.solve(load[self._order])
        return x

    def solve(self, load: np.ndarray) -> np.ndarray:
        x = self._once(load)
        return x + self._once(load - self.K @ x)

    def mass(self, x: np.ndarray) -> np.ndarray:
        y = self.M @ x
        return y if self.rigid is None else y - self.rigid[0] @ np.linalg.solve(self.rigid[1], self.rigid[0].T @ x)

    def lowest(self, modes: int | None, upto: float | None) -> np.ndarray:
        """Modes (n, k); more are sought until one lies clearly beyond the last that is wanted, and by wider blocks
        where one before it was missed: a block finds a repeated frequency as often as it is wide."""
        if modes == 0:
            return np.zeros((self.K.shape[0], 0))
        sought, width, n = (20 if modes is None else modes) + 4, WIDTH, self.K.shape[0]
        while True:
            inverse, X = self._sought(min(sought, n), min(width, n))
            count = _number(inverse, modes, upto)
            if count == len(inverse) >= sought:
                sought *= 2
            elif width <= WIDEST and self._is_one_missed(inverse, count):
                width *= WIDER
            else:
                return X[:, :count]

    def _is_one_missed(self, inverse: np.ndarray, count: int) -> bool:
        """Whether an inertia count finds more than `count` modes before the next that was found, or next to these."""
        from scipy.sparse import csc_array

        if not count:
            return False
        last = inverse[count - 1]
        square = float(1 / np.sqrt(last * max(last / 4, *inverse[count : count + 1])))
        rows = np.zeros((0, self.K.shape[0]))
        if self.rigid is not None:
            rows = np.linalg.solve(np.linalg.cholesky(self.rigid[1]), self.rigid[0].T) * np.sqrt(square)
        found = InertiaCount(self.K - square * self.M, csc_array(rows), 1.0).below(1.0)
        return found is not None and found > count

    def _sought(self, count: int, width: int) -> tuple[np.ndarray, np.ndarray]:
        from scipy.linalg import eigh

        n = self.K.shape[0]
        start = self._once(self.mass(np.random.default_rng(5).normal(size=(n, width))))
        X = self.solve(self.mass(largest_ritz(self._once, self.mass, count, start, n)))
        k, m = X.T @ (self.K @ X), X.T @ self.mass(X)
        if np.any(np.diag(k) <= 0):
            raise np.linalg.LinAlgError("negative energy")
        scale = 1 / np.sqrt(np.diag(k))
        inverse, turn = eigh(even(m * np.outer(scale, scale)), even(k * np.outer(scale, scale)))
        return inverse[::-1], (X * scale) @ turn[:, ::-1]


class StepPencil:
    """A few modes where derivatives are wanted (dense, imaginary parts are steps): those of the real part by Lanczos's
    method, and how they turn towards the modes left out by one bordered solution each."""

    def __init__(self, M: np.ndarray, K: np.ndarray, node: np.ndarray, places: np.ndarray) -> None:
        from scipy.sparse import csc_array

        self.M, self.K = M, K
        real = csc_array(even(K.real))
        self._real = SparsePencil(csc_array(even(M.real)), real, None, dissection(real, node, places))

    def solve(self, load: np.ndarray) -> np.ndarray:
        x = self._real.solve(np.real(load))
        return x + 1j * self._real.solve(np.imag(load) - self.K.imag @ x)

    def lowest(self, modes: int | None, upto: float | None) -> np.ndarray:
        """Modes (n, k), with first-order changes out of their span as imaginary part."""
        V = self._real.lowest(modes, upto)
        inverse = np.einsum("ij,ij->j", V, self._real.mass(V))  # 1 / omega^2, V^T K V = 1
        force = self.M.imag @ V - self.K.imag @ (V * inverse)
        change = [self._out_of_span(V, *each) for each in zip(inverse, force.T, strict=True)]
        return V + 1j * np.array(change).reshape(V.shape[1], len(V)).T

    def _out_of_span(self, V: np.ndarray, inverse: float, force: np.ndarray) -> np.ndarray:
        """x with (K inverse - M) x = force but for what acts on V, and V^T K x = 0."""
        from scipy.sparse import block_array, csc_array
        from scipy.sparse.linalg import splu

        K, M, k = self._real.K, self._real.M, V.shape[1]
        scale = 1 / np.sqrt(K.diagonal() * inverse)  # rotations and displacements alike
        border = csc_array(scale[:, None] * (K @ V))
        inner = csc_array((K * inverse - M).multiply(scale[:, None]).multiply(scale[None, :]))
        both = block_array([[inner, border], [border.T, None]], format="csc")
        return scale * splu(both).solve(np.append(scale * force, np.zeros(k)))[: len(V)]


def _number(inverse: np.ndarray, modes: int | None, upto: float | None) -> int:
    """How many of the modes with 1/omega^2 = `inverse`, falling, are kept."""
    massive = int(np.count_nonzero(inverse > MASSLESS * inverse.max(initial=0.0)))
    count = massive if modes is None else min(modes, massive)
    if upto is not None:
        count = min(count, int(np.count_nonzero(inverse[:massive] * upto**2 * (1 + 2 * EQUAL) >= 1)))
    while 0 < count < massive and inverse[count] > inverse[count - 1] * (1 - EQUAL):
        count += 1
    return count


def even(matrix: np.ndarray) -> np.ndarray:
    """The symmetric part."""
    return (matrix + matrix.T) / 2
