"""Triplets (row, column, value) and their assembly into dense or sparse matrices.

Values may carry leading batch axes; row and column indices may not. Indices equal to the size are dropped: that is how
columns of ground and other carriers without coordinates vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

SPARSE = 0.04  # share of entries that are not zero up to which a dense motion is multiplied as a sparse one


@dataclass(frozen=True, slots=True, eq=False)
class Triplets:
    """rows, cols (n,) and values (..., n); the same as itself alone."""

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
        return dense_vector(self.rows, self.values * _padded(vectors)[..., self.cols], vectors.shape[-1])


@dataclass(frozen=True, slots=True)
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
        left = dense([self.left], (self.count, shape[0]))[..., self.i, :]
        right = dense([self.right], (self.count, shape[1]))[..., self.j, :]
        return np.swapaxes(left, -1, -2) @ (self.factor[..., None] * right)

    def sparse(self, shape: tuple[int, int]) -> Any:
        if not np.array_equal(self.i, self.j):
            left, right = (_row_matrix(t, self.count, n) for t, n in zip((self.left, self.right), shape, strict=True))
            return left.T @ (sparse([Triplets(self.i, self.j, self.factor)], (self.count,) * 2, "csr") @ right)
        weights = dense_vector(self.i, self.factor, self.count)
        used = np.flatnonzero(weights)
        left = _row_matrix(self.left, self.count, shape[0], chosen=used)
        right = left if self.right is self.left else _row_matrix(self.right, self.count, shape[1], chosen=used)
        return left.T.tocsr() @ _weighted(right, weights[used])

    def times(self, vector: np.ndarray) -> np.ndarray:
        """The square matrix times a vector (size,)."""
        right = (self.right.values * _padded(vector)[self.right.cols]).reshape(self.count, -1).sum(axis=-1)
        pull = dense_vector(self.i, self.factor * right[self.j], self.count)
        values = self.left.values.reshape(self.count, -1) * pull[:, None]
        return dense_vector(self.left.cols, values.ravel(), len(vector))

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


class Projection:
    """left^T X right for sums X of plain parts, without forming X. Products of rows of parts with motions
    are kept as long as it lives: stiffness and damping share theirs.
    """

    def __init__(self) -> None:
        self._moved: list[_Moved] = []

    def of(self, parts: Sequence[Part], left: np.ndarray, right: np.ndarray, sizes: bool = False) -> np.ndarray:
        """left^T X right, or, where `sizes` are asked for, of the absolute values of everything."""
        shape, out = (len(left), len(right)), np.zeros((left.shape[1], right.shape[1]))
        written: list[Part] = [p for p in parts if isinstance(p, Triplets)]
        if written:
            whole = sparse(absolute(written) if sizes else written, shape, "csr")
            out += _onto(self._of(left).matrix(sizes), whole @ self._of(right).matrix(sizes))
        for p in parts:
            if isinstance(p, Product):
                factor = np.abs(p.factor) if sizes else p.factor
                a = self._of(left).by_rows(p.left, p.count, sizes)
                if p.left is p.right and left is right:
                    out += _squared(p, factor, a)
                    continue
                out += _of_moving_rows(p, factor, a, self._of(right).matrix(sizes), sizes)
        return out

    def _of(self, motion: np.ndarray) -> _Moved:
        for moved in self._moved:
            if moved.motion is motion:
                return moved
        self._moved.append(_Moved(motion))
        return self._moved[-1]


class _Moved:
    """One motion (nq, k) and what was found of it, for the numbers themselves and for their sizes.

    Motions of which most is zero, as in trees and along what joints hold, are multiplied as sparse matrices.
    """

    def __init__(self, motion: np.ndarray) -> None:
        self.motion = motion
        self._matrices: dict[bool, Any] = {}
        self._products: dict[tuple[Triplets, bool], Any] = {}

    def matrix(self, sizes: bool) -> Any:
        """The motion, or its absolute value; sparse where it mostly vanishes."""
        if sizes not in self._matrices:
            self._matrices[sizes] = abs(self.matrix(False)) if sizes else thinned(self.motion)
        return self._matrices[sizes]

    def by_rows(self, rows: Triplets, count: int, sizes: bool) -> Any:
        """The rows times the motion."""
        if (rows, sizes) not in self._products:
            self._products[rows, sizes] = _row_matrix(rows, count, len(self.motion), sizes) @ self.matrix(sizes)
        return self._products[rows, sizes]


def thinned(matrix: np.ndarray) -> Any:
    """As a sparse matrix if few entries are not zero."""
    from scipy.sparse import csr_array

    flat = matrix.ravel()
    there = flat != 0
    if np.count_nonzero(there) > SPARSE * len(flat):
        return matrix
    place = np.flatnonzero(there)
    rows, columns = np.divmod(place, matrix.shape[1])
    start = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(matrix)))))
    return csr_array((flat[place], columns, start), shape=matrix.shape)


def _row_matrix(
    rows: Triplets, count: int, size: int, sizes: bool = False, chosen: np.ndarray | slice = slice(None)
) -> Any:
    """Rows of a product (count, size), or the chosen ones, as a sparse matrix."""
    from scipy.sparse import csr_array

    values, columns = (each.reshape(count, -1)[chosen] for each in (rows.values, rows.cols))
    there = (values != 0) & (columns < size)
    start = np.concatenate(([0], np.cumsum(there.sum(axis=1))))
    values = np.abs(values[there]) if sizes else values[there]
    return csr_array((values, columns[there], start), shape=(len(columns), size))


def _of_moving_rows(p: Product, factor: np.ndarray, a: Any, motion: Any, sizes: bool) -> Any:
    """a^T F (right motion) for a product with rows `right`, where it acts on moving rows of `a` alone."""
    is_felt: np.ndarray = np.any(a, axis=1) if isinstance(a, np.ndarray) else np.diff(a.indptr) > 0
    pairs = np.flatnonzero(is_felt[p.i] & (factor != 0))
    used = np.zeros(p.count, dtype=bool)
    used[p.i[pairs]] = used[p.j[pairs]] = True
    rows, place = np.flatnonzero(used), np.cumsum(used) - 1
    moved = _row_matrix(p.right, p.count, motion.shape[0], sizes, rows) @ motion
    few = Product(len(rows), place[p.i[pairs]], place[p.j[pairs]], factor[pairs], p.left, p.right)
    return (a if len(rows) == p.count else a[rows]).T @ _coupled(few, few.factor, moved)


def _coupled(p: Product, factor: np.ndarray, rows: Any) -> Any:
    """sum_k factor_k rows[j_k] at i_k; most often no row is coupled to another."""
    if not np.array_equal(p.i, p.j):
        return sparse([Triplets(p.i, p.j, factor)], (p.count, p.count), "csr") @ rows
    weights = dense_vector(p.i, factor, p.count)
    return weights[:, None] * rows if isinstance(rows, np.ndarray) else _weighted(rows, weights)


def _weighted(rows: Any, weights: np.ndarray) -> Any:
    """The rows of a sparse matrix (CSR), each times its weight."""
    out = rows.copy()
    out.data *= np.repeat(weights, np.diff(rows.indptr))
    return out


def _squared(p: Product, factor: np.ndarray, rows: Any) -> Any:
    """rows^T F rows; the product of a matrix with itself takes half the time and is exactly symmetric."""
    if isinstance(rows, np.ndarray) and np.array_equal(p.i, p.j):
        weights = dense_vector(p.i, factor, p.count)
        used = np.flatnonzero((weights != 0) & rows.any(axis=1))
        if np.all(weights[used] > 0):
            half = np.sqrt(weights[used])[:, None] * rows[used]
            return half.T @ half
    return _onto(rows, _coupled(p, factor, rows))


def _onto(motion: Any, force: Any) -> Any:
    """motion^T force; rows in which nothing moves are left out."""
    if not isinstance(motion, np.ndarray):
        return motion.T @ force
    moved = np.flatnonzero(motion.any(axis=1))
    return motion.T @ force if 2 * len(moved) > len(motion) else motion[moved].T @ force[moved]


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
