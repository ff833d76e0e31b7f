"""Triplets (row, column, value) and their assembly into dense or sparse matrices.

Values may carry leading batch axes; row and column indices may not. Indices equal to the size are dropped: that is how
columns of ground and other carriers without coordinates vanish.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

ALL = slice(None)
CACHED = 16_384  # numbers of a batch that are summed at a time
ROWS = 32_768  # of a product that are multiplied at a time where they are many


@dataclass(frozen=True, slots=True, eq=False)
class Triplets:
    """rows, cols (n,) and values (..., n); the same as itself alone."""

    rows: np.ndarray
    cols: np.ndarray
    values: np.ndarray

    @staticmethod
    def of_rows(rows: np.ndarray, columns: np.ndarray, values: np.ndarray) -> Triplets:
        """Each row r has values (..., n, w) at columns (n, w)."""
        return Triplets(rows.repeat(columns.shape[1]), columns.ravel(), values.reshape(*values.shape[:-2], -1))

    @staticmethod
    def of_blocks(rows: np.ndarray, cols: np.ndarray, values: np.ndarray) -> Triplets:
        """Blocks (..., n, a, b) at rows (n, a) and columns (n, b)."""
        r, c = rows.ravel().repeat(cols.shape[1]), cols.repeat(rows.shape[1], axis=0).ravel()
        return Triplets(r, c, values.reshape(*values.shape[:-3], -1))

    def times(self, vectors: np.ndarray) -> np.ndarray:
        """The square matrix times vectors (..., size); indices equal to the size are dropped."""
        return dense_vector(self.rows, self.values * _padded(vectors)[..., self.cols], vectors.shape[-1])


@dataclass(frozen=True, slots=True, eq=False)
class Product:
    """sum_k factor_k left[i_k]^T right[j_k] with `left` and `right` given as `count` rows each, by `Triplets.of_rows`;
    cheaper to multiply as matrices than to write out when the rows are many."""

    count: int
    i: np.ndarray
    j: np.ndarray
    factor: np.ndarray  # (..., k)
    left: Triplets
    right: Triplets

    def dense(self, shape: tuple[int, int]) -> np.ndarray:
        left, right = (dense([rows], (self.count, n)) for rows, n in zip((self.left, self.right), shape, strict=True))
        return self.coupled(left, right)

    def coupled(self, a: np.ndarray, b: np.ndarray, sizes: bool = False) -> np.ndarray:
        """sum_k factor_k a[i_k]^T b[j_k] for rows a, b (..., count, n), or by the sizes of the factors."""
        factor = np.abs(self.factor) if sizes else self.factor
        return a[..., self.i, :].mT @ (factor[..., None] * b[..., self.j, :])

    def sparse(self, shape: tuple[int, int]) -> Any:
        if not np.array_equal(self.i, self.j):
            left, right = (self._rows(t, n) for t, n in zip((self.left, self.right), shape, strict=True))
            return left.T @ (sparse([Triplets(self.i, self.j, self.factor)], (self.count,) * 2, "csr") @ right)
        weights = dense_vector(self.i, self.factor, self.count)
        used = np.flatnonzero(weights)
        left = self._rows(self.left, shape[0], used)
        right = left if self.right is self.left else self._rows(self.right, shape[1], used)
        return left.T.tocsr() @ _weighted(right, weights[used])

    def _rows(self, rows: Triplets, size: int, chosen: np.ndarray | slice = ALL) -> Any:
        return row_matrix(rows, self.count, np.append(np.arange(size), -1), size, chosen=chosen)

    def times(self, vector: np.ndarray) -> np.ndarray:
        """The square matrix times a vector (size,)."""
        right = (self.right.values * _padded(vector)[self.right.cols]).reshape(self.count, -1).sum(axis=-1)
        pull = dense_vector(self.i, self.factor * right[self.j], self.count)
        values = self.left.values.reshape(self.count, -1) * pull[:, None]
        return dense_vector(self.left.cols, values.ravel(), len(vector))

    @property
    def is_diagonal(self) -> bool:
        """Whether every row acts by its own value only, without batch axes."""
        return (
            self.left is self.right
            and self.factor.ndim == self.left.values.ndim == 1
            and np.array_equal(self.i, self.j)
        )

    def size_form(self, X: np.ndarray) -> np.ndarray:
        """X^T A X (k, k) of the absolute values A of a diagonal product, for X (size, k); some rows at a time."""
        weights, place = dense_vector(self.i, np.abs(self.factor), self.count), np.append(np.arange(len(X)), -1)
        rows, out = self.left, np.zeros((X.shape[1],) * 2)
        width = len(rows.cols) // max(self.count, 1)
        for first in range(0, self.count, ROWS):
            last = min(first + ROWS, self.count)
            own = slice(first * width, last * width)
            some = Triplets(rows.rows[own], rows.cols[own], rows.values[own])
            moved = row_matrix(some, last - first, place, len(X), sizes=True) @ X
            out += moved.T @ (weights[first:last, None] * moved)
        return out

    def absolute(self) -> Product:
        left = Triplets(self.left.rows, self.left.cols, np.abs(self.left.values))
        same = self.right is self.left
        right = left if same else Triplets(self.right.rows, self.right.cols, np.abs(self.right.values))
        return Product(self.count, self.i, self.j, np.abs(self.factor), left, right)


Part = Triplets | Product


def absolute(parts: Sequence[Part]) -> list[Part]:
    """The same with absolute values: the size of what is summed, however it cancels."""
    return [p.absolute() if isinstance(p, Product) else Triplets(p.rows, p.cols, np.abs(p.values)) for p in parts]


def _padded(values: np.ndarray) -> np.ndarray:
    """Values (..., n) with a zero at the end, where columns point that are to be dropped."""
    return np.concatenate((values, np.zeros((*values.shape[:-1], 1), dtype=values.dtype)), axis=-1)


def row_matrix(
    rows: Triplets, count: int, place: np.ndarray, size: int, sizes: bool = False, chosen: np.ndarray | slice = ALL
) -> Any:
    """Rows of a product (count, size), or the chosen ones, as a sparse matrix, or their absolute values; each column
    stands at its place (-1: left out)."""
    from scipy.sparse import csr_array

    values, columns = (each.reshape(count, -1)[chosen] for each in (rows.values, rows.cols))
    columns = place[columns]
    there = (values != 0) & (columns >= 0)
    start = np.concatenate(([0], np.cumsum(there.sum(axis=1))))
    values = np.abs(values[there]) if sizes else values[there]
    return csr_array((values, columns[there], start), shape=(len(columns), size))


def _weighted(rows: Any, weights: np.ndarray) -> Any:
    """The rows of a sparse matrix (CSR), each times its weight."""
    out = rows.copy()
    out.data *= np.repeat(weights, np.diff(rows.indptr))
    return out


def are_plain(parts: Sequence[Part]) -> bool:
    """Whether no part has batch axes or complex numbers."""
    values = [v for p in parts for v in ((p.values,) if isinstance(p, Triplets) else _values(p))]
    return all(v.ndim == 1 and not np.iscomplexobj(v) for v in values)


def _values(part: Product) -> tuple[np.ndarray, ...]:
    return part.factor, part.left.values, part.right.values


def join(parts: Sequence[Triplets]) -> Triplets:
    """Concatenate triplets; batch axes are broadcast."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return Triplets(np.zeros(0, dtype=int), np.zeros(0, dtype=int), np.zeros(0))
    values = [p.values for p in parts]
    if any(each.ndim > 1 for each in values):
        lead = np.broadcast_shapes(*(each.shape[:-1] for each in values))
        values = [np.broadcast_to(each, (*lead, each.shape[-1])) for each in values]
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
    if not parts:
        return np.zeros(shape)
    t, rows, width = join(parts), shape[0] + 1, shape[1] + 1  # one more of each for what is to be dropped
    summed = _sums(t.rows.astype(int, copy=False) * width + t.cols, t.values, rows * width)
    return summed.reshape(*summed.shape[:-1], rows, width)[..., :-1, :-1]


def _sums(index: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Sum of values (..., n) at index (n,) into (..., size)."""
    if np.iscomplexobj(values):
        return np.asarray(_sums(index, values.real, size) + 1j * _sums(index, values.imag, size))
    if values.ndim == 1:
        return np.bincount(index, values, size).astype(float, copy=False)
    count = math.prod(values.shape[:-1])
    many, out = values.reshape(count, len(index)), np.empty((count, size))
    some = max(CACHED // max(len(index), size, 1), 1)  # members at a time: what is made for them stays in the cache
    everywhere = size * np.arange(min(some, count))[:, None] + index
    for first in range(0, count, some):
        own = many[first : first + some]
        summed = np.bincount(everywhere[: len(own)].ravel(), own.ravel(), size * len(own))
        out[first : first + some] = summed.reshape(len(own), size)
    return out.reshape(*values.shape[:-1], size)


def sparse(parts: Sequence[Part], shape: tuple[int, int], layout: str = "csc") -> Any:
    """Sum of the parts as a scipy CSC (or CSR) array."""
    from scipy.sparse import coo_array

    t = join([p for p in parts if isinstance(p, Triplets)])
    keep = (t.rows < shape[0]) & (t.cols < shape[1]) & (t.values != 0)
    out = coo_array((t.values[keep], (t.rows[keep], t.cols[keep])), shape=shape).asformat(layout)
    for p in parts:
        if isinstance(p, Product):
            out = out + p.sparse(shape).asformat(layout)
    return out


def dense_vector(index: np.ndarray, values: np.ndarray, size: int) -> np.ndarray:
    """Sum of values (..., n) at index (n,) into (..., size); an index equal to the size is dropped."""
    return _sums(index, values, size + 1)[..., :size]
