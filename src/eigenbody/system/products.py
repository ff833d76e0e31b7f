"""All scalar products of a system in one table: values, rates and accelerations are one matrix product.

A feature (elements.measures.features) is a sum of positions and arms of carriers, so that the features x and y of all
products are a constant matrix times the positions and the arms in global axes. NumPy multiplies it, compiled loops
(spatial.components) run along its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from eigenbody.elements.measures.features import Carriers, Feature, ScalarProduct
from eigenbody.spatial.components import cross, dot, moment, product_rate

DENSE_ENTRIES = 40_000  # up to this size the constant matrix of features is multiplied as a dense one


class PlainJet(NamedTuple):
    """What forward dynamics asks of n measures: (n,), (n,), (n,) and (n, width)."""

    value: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    gradient: np.ndarray

    def part(self, which: slice) -> PlainJet:
        """The same of some of them."""
        return PlainJet(self.value[which], self.rate[which], self.acceleration[which], self.gradient[which])


class Products:
    """n scalar products x . y, and where the features of each ride."""

    def __init__(self, kernels: Sequence[ScalarProduct], carriers: int) -> None:
        self.count = sum(len(kernel.carriers) for kernel in kernels)
        self.width = max((kernel.carriers.shape[-1] for kernel in kernels), default=2)
        empty = np.zeros((0, self.width))
        none = Feature(empty, np.zeros((*empty.shape, 3)))
        parts = [ScalarProduct(empty.astype(int), none, none), *(_padded(k, self.width, carriers - 1) for k in kernels)]
        whole = ScalarProduct.concatenate(parts)
        self.carriers = whole.carriers
        c, arms = np.stack((whole.x.c, whole.y.c)), np.stack((whole.x.arm, whole.y.arm))
        self._c = np.ascontiguousarray(c.transpose(0, 2, 1))  # (2, K, n)
        self._own = np.ascontiguousarray(arms.transpose(3, 0, 2, 1))  # (3, 2, K, n): arms of x and of y
        rides = np.any(arms != 0, axis=-1)
        table = np.concatenate((np.broadcast_to(self.carriers, rides.shape)[rides][:, None], arms[rides]), axis=1)
        first, index = distinct(table)
        self._arm, self._arm_carrier = np.ascontiguousarray(table[first, 1:].T), table[first, 0].astype(np.int64)
        self._positions = carriers
        self._table = np.zeros((carriers + len(first), 3, 3))  # of positions and arms: value, rate, acceleration
        side, product, slot = np.nonzero(c)
        arm_side, arm_product, _ = np.nonzero(rides)
        row = np.concatenate((side * self.count + product, arm_side * self.count + arm_product))
        column = np.concatenate((self.carriers[product, slot], carriers + index))
        value = np.concatenate((c[side, product, slot], np.ones(len(index))))
        self._matrix = _constant(row, column, value, (2 * self.count, len(self._table)))
        self._transposed = self._matrix.T if isinstance(self._matrix, np.ndarray) else self._matrix.T.tocsr()
        self._places = np.concatenate(  # of positions and arms in (carriers, 6)
            ((6 * np.arange(carriers)[:, None] + np.arange(3)).ravel(),
             (6 * self._arm_carrier + np.arange(3, 6)[:, None]).ravel())
        )  # fmt: skip

    @cached_property
    def rows(self) -> tuple[np.ndarray, ...]:
        """The constant matrix by rows for compiled loops, the arms and their carriers."""
        from scipy.sparse import csr_array

        rows, arms = csr_array(self._matrix), np.ascontiguousarray(self._arm.T)
        return rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data, arms, self._arm_carrier

    def features(self, at: Carriers, levels: int) -> np.ndarray:
        """x and y with rate and acceleration, (levels, 3, 2, n)."""
        table, first = self._table, self._positions
        table[:first, 0], table[:first, 1] = at.r, at.v
        arms, w = np.empty((levels, *self._arm.shape)), at.w.T[:, self._arm_carrier]
        arms[0] = self._arm
        for level in range(1, levels):
            arms[level] = cross(w, arms[level - 1])
        table[first:, :levels] = np.einsum("ijn,ljn->nli", self._arm_frames(at), arms)
        flat = table[:, :levels].reshape(-1, 3 * levels)
        return np.ascontiguousarray((self._matrix @ flat).T).reshape(levels, 3, 2, self.count)

    def _arm_frames(self, at: Carriers) -> np.ndarray:
        return np.take(_components(at.R), self._arm_carrier, axis=2)

    def jet(self, at: Carriers, levels: int, loops: ModuleType | None = None) -> PlainJet:
        """All products, by NumPy or by compiled `loops`; what belongs to higher levels is zero."""
        if loops is not None:
            return self._jet_by_loops(at, loops)
        f = self.features(at, levels)
        (x, y), nothing = (f[0, :, 0], f[0, :, 1]), np.zeros(self.count)
        if levels == 1:
            return PlainJet(dot(x, y), nothing, nothing, nothing)
        x1, y1 = f[1, :, 0], f[1, :, 1]
        rate, gradient = product_rate(x, x1, y, y1), self._gradient(at, f[0])
        acceleration = dot(f[2, :, 0], y) + 2 * dot(x1, y1) + dot(x, f[2, :, 1]) if levels > 2 else nothing
        return PlainJet(dot(x, y), rate, acceleration, gradient)

    def _jet_by_loops(self, at: Carriers, loops: ModuleType) -> PlainJet:
        n = self.count
        (value, rate, acceleration), gradient = np.empty((3, n)), np.empty((n, self.width, 6))
        shares = (self.carriers, self._c, self._own)
        loops.product_jets(*self.rows, *shares, at.r, at.R, at.v, at.w, value, rate, acceleration, gradient)
        return PlainJet(value, rate, acceleration, gradient.reshape(n, 6 * self.width))

    def _gradient(self, at: Carriers, both: np.ndarray) -> np.ndarray:
        """(n, 6 K) by (dr, dtheta) of each carrier: x pulls on the carriers of y and y on those of x."""
        pull = both[:, ::-1, None]  # (3, 2, 1, n)
        out = np.empty((self.count, self.width, 6))
        frames = np.take(_components(at.R), self.carriers.T, axis=2)[:, :, None]
        turn = moment(self._own, frames, pull)
        for i in range(3):
            out[..., i] = (self._c * pull[i]).sum(0).T
            out[..., 3 + i] = turn[i].sum(0).T
        return out.reshape(self.count, 6 * self.width)

    def pull(self, at: Carriers, both: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """What forces along the products do to the carriers, (carriers, 6); `both` (3, 2, n) are x and y."""
        down = self._transposed @ (forces * both[:, ::-1]).reshape(3, -1).T
        turn = moment(self._arm, self._arm_frames(at), down[self._positions :].T)
        values = np.concatenate((down[: self._positions].ravel(), *turn))
        return np.bincount(self._places, values, 6 * self._positions).reshape(-1, 6)


def _components(R: np.ndarray) -> np.ndarray:
    """(n, 3, 3) -> (3, 3, n), contiguous: many long vectors are faster than many small matrices."""
    return np.ascontiguousarray(R.transpose(1, 2, 0))


def distinct(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the rows that are different (the first of each kind), and which of them each row is."""
    key = table @ np.random.default_rng(1).normal(size=table.shape[1])  # equal rows have equal keys
    _, first, index = np.unique(key, return_index=True, return_inverse=True)
    if np.array_equal(table[first][index], table):
        return first, index
    _, first, index = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, index.ravel()


def _padded(kernel: ScalarProduct, width: int, still: int) -> ScalarProduct:
    """The kernel on `width` carriers; those added stand still and carry nothing."""
    n, missing = len(kernel.carriers), width - kernel.carriers.shape[-1]
    if not missing:
        return kernel
    more = np.zeros((n, missing, 3))
    x, y = (
        Feature(np.concatenate((f.c, more[..., 0]), axis=1), np.concatenate((f.arm, more), axis=1))
        for f in (kernel.x, kernel.y)
    )
    return ScalarProduct(np.concatenate((kernel.carriers, np.full((n, missing), still)), axis=1), x, y)


def _constant(row: np.ndarray, column: np.ndarray, value: np.ndarray, shape: tuple[int, int]) -> Any:
    if shape[0] * shape[1] <= DENSE_ENTRIES:
        out = np.zeros(shape)
        np.add.at(out, (row, column), value)
        return out
    from scipy.sparse import csr_array

    return csr_array((value, (row, column)), shape=shape)
