"""Triplets (row, column, value) and their assembly into dense or sparse matrices.

Values may carry leading batch axes; row and column indices may not. Indices equal to the size are dropped: that is how
columns of ground and other carriers without coordinates vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Triplets:
    """rows, cols (n,) and values (..., n)."""

    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray

    @staticmethod
    def of_rows(rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> Triplets:
        """Each row r has values (..., n, w) at columns (n, w)."""
        index = np.broadcast_to(rows[:, None], columns.shape)
        return Triplets(index.ravel(), columns.ravel(), values.reshape(*values.shape[:-2], -1))

    @staticmethod
    def of_blocks(rows: np.ndarray, cols: np.ndarray, values: np.ndarray) -> Triplets:
        """Blocks (..., n, a, b) at rows (n, a) and columns (n, b)."""
        shape = (len(rows), rows.shape[1], cols.shape[1])
        r = np.broadcast_to(rows[:, :, None], shape)
        c = np.broadcast_to(cols[:, None, :], shape)
        return Triplets(r.ravel(), c.ravel(), values.reshape(*values.shape[:-3], -1))

    def times(self, vectors: np.ndarray) -> np.ndarray:
        """The square matrix times vectors (..., size); indices equal to the size are dropped."""
        size = vectors.shape[-1]
        padded = np.concatenate((vectors, np.zeros((*vectors.shape[:-1], 1), dtype=vectors.dtype)), axis=-1)
        return dense_vector(self.rows, self.values * padded[..., self.cols], size)


@dataclass(frozen=True, slots=True)
class Product:
    """sum_k factor_k left[i_k]^T right[j_k] with `left` and `right` given as `count` rows each; cheaper to multiply as
    matrices than to write out when the rows are many."""

    count: int
    i: np.ndarray
    j: np.ndarray
    factor: np.ndarray  # (..., k)
    left: Triplets
    right: Triplets

    def dense(self, shape: tuple[int, int]) -> np.ndarray:
        left = dense([self.left], (self.count, shape[0]))[..., self.i, :]
        right = dense([self.right], (self.count, shape[1]))[..., self.j, :]
        return np.swapaxes(left, -1, -2) @ (self.factor[..., None] * right)

    def sparse(self, shape: tuple[int, int]) -> Any:
        left, right = sparse([self.left], (self.count, shape[0])), sparse([self.right], (self.count, shape[1]))
        middle = sparse([Triplets(self.i, self.j, self.factor)], (self.count, self.count))
        return left.T @ (middle @ right)

    def absolute(self) -> Product:
        left, right = (Triplets(t.rows, t.cols, np.abs(t.values)) for t in (self.left, self.right))
        return Product(self.count, self.i, self.j, np.abs(self.factor), left, right)


Part = Triplets | Product


def absolute(parts: Sequence[Part]) -> list[Part]:
    """The same with absolute values: the size of what is summed, however it cancels."""
    return [p.absolute() if isinstance(p, Product) else Triplets(p.rows, p.cols, np.abs(p.values)) for p in parts]


def join(parts: Sequence[Triplets]) -> Triplets:
    """Concatenate triplets; batch axes are broadcast."""
    lead = np.broadcast_shapes(*(p.values.shape[:-1] for p in parts)) if parts else ()
    values = [np.broadcast_to(p.values, (*lead, p.values.shape[-1])) for p in parts]
    if not parts:
        return Triplets(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))
    return Triplets(
        np.concatenate([p.rows for p in parts]),
        np.concatenate([p.cols for p in parts]),
        np.concatenate(values, axis=-1),
    )


def dense(parts: Sequence[Part], shape: tuple[int, int]) -> np.ndarray:
    """Sum of the parts as an array (..., rows, cols)."""
    products = [p.dense(shape) for p in parts if isinstance(p, Product)]
    return sum(products, start=_dense_triplets([p for p in parts if isinstance(p, Triplets)], shape))


def _dense_triplets(parts: Sequence[Triplets], shape: tuple[int, int]) -> np.ndarray:
    t = join(parts)
    keep = (t.rows < shape[0]) & (t.cols < shape[1])
    flat = t.rows[keep] * shape[1] + t.cols[keep]
    summed = _sums(flat, t.values[..., keep], shape[0] * shape[1])
    return summed.reshape(*summed.shape[:-1], *shape)


def _sums(index: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Sum of values (..., n) at index (n,) into (..., size)."""
    lead = values.shape[:-1]
    if not lead and not np.iscomplexobj(values):
        return np.bincount(index, weights=values, minlength=size).astype(float)
    out = np.zeros((*lead, size), dtype=values.dtype)
    if len(index):
        order = np.argsort(index, kind="stable")
        ordered = index[order]
        first = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        out[..., ordered[first]] = np.add.reduceat(values[..., order], first, axis=-1)
    return out


def projected(parts: Sequence[Part], left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """left^T X right for the sum X of parts of which only the values have batch axes, without forming X for each."""
    shape = (len(left), len(right))
    out = np.zeros((left.shape[1], right.shape[1]))
    for part in parts:
        if isinstance(part, Product):
            a, b = (
                dense([part.left], (part.count, shape[0])) @ left,
                dense([part.right], (part.count, shape[1])) @ right,
            )
            values, i, j = part.factor, part.i, part.j
        else:
            keep = (part.rows < shape[0]) & (part.cols < shape[1])
            a, b, values, i, j = left, right, part.values[..., keep], part.rows[keep], part.cols[keep]
        out = out + _weighted_products(a, b, values, i, j)
    return out


def _weighted_products(a: np.ndarray, b: np.ndarray, values: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """sum_k values_k a[i_k]^T b[j_k] for values (..., k)."""
    if values.ndim == 2 and np.iscomplexobj(values) and not np.any(values.real != values[:1].real):
        real = a[i].T @ (values[0].real[:, None] * b[j])  # complex steps: one real part for all
        return real + 1j * _few_products(a, b, values.imag, i, j) if values.imag.any() else real
    outer = (a[i][:, :, None] * b[j][:, None, :]).reshape(len(i), a.shape[1] * b.shape[1])
    summed = values @ outer
    return summed.reshape(*summed.shape[:-1], a.shape[1], b.shape[1])


def _few_products(a: np.ndarray, b: np.ndarray, values: np.ndarray, i: np.ndarray, j: np.ndarray) -> np.ndarray:
    """The same for values (n, k) of which each row has few that are not zero."""
    out = np.zeros((len(values), a.shape[1], b.shape[1]))
    for own, total in zip(values, out, strict=True):
        used = np.flatnonzero(own)
        if len(used):
            total[:] = a[i[used]].T @ (own[used, None] * b[j[used]])
    return out


def only_values_vary(parts: Sequence[Part]) -> bool:
    """Whether some values have batch axes but no rows of products: what `projected` is made for."""
    products = [p for p in parts if isinstance(p, Product)]
    lead = any((p.factor if isinstance(p, Product) else p.values).ndim > 1 for p in parts)
    return lead and all(p.left.values.ndim == 1 == p.right.values.ndim for p in products)


def sparse(parts: Sequence[Part], shape: tuple[int, int]) -> Any:
    """Sum of the parts as a scipy CSC array."""
    from scipy.sparse import coo_array

    t = join([p for p in parts if isinstance(p, Triplets)])
    keep = (t.rows < shape[0]) & (t.cols < shape[1]) & (t.values != 0)
    out = coo_array((t.values[keep], (t.rows[keep], t.cols[keep])), shape=shape).tocsc()
    for p in parts:
        if isinstance(p, Product):
            out = out + p.sparse(shape).tocsc()
    return out


def dense_vector(index: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Sum of values (..., n) at index (n,) into (..., size); an index equal to the size is dropped."""
    return _sums(index, values, size + 1)[..., :size]
