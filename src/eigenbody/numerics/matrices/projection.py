"""left^T X right, as in Pv^T K P: what the free motion feels of a matrix X between all coordinates of the bodies.

A small X is written out, batch axes and all: `left.mT @ (X @ right)`, springs as (x left)^T f (y right) with rows x, y.
A large one is all rows: it stays the sum of couplings between them that it is made of,

    X = sum_k f_k x_{i_k}^T y_{j_k}      so that      left^T X right = sum_k f_k (x_{i_k} left)^T (y_{j_k} right)

where x and y are the rows of springs (`Product`) or unit rows (`Triplets`), most of which do not move.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from eigenbody.base.arrays import as_dense
from eigenbody.numerics.matrices.assembly import Part, Product, Triplets, absolute, dense, row_matrix
from eigenbody.numerics.matrices.linear import DENSE_LIMIT
from eigenbody.numerics.matrices.thin import SPARSE, thinned


class Projection:
    """left^T X right for sums X of parts. What was found of a motion is kept as long as this lives: stiffness and
    damping share the rows of their springs."""

    def __init__(self) -> None:
        self._seen: list[_Motion] = []
        self._moved: list[tuple[Triplets, np.ndarray, bool, np.ndarray]] = []
        self._dense: list[tuple[Sequence[Part], bool, np.ndarray]] = []

    def of(self, parts: Sequence[Part], left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """left^T X right."""
        if is_large(parts, left, right):
            return self._by_rows(parts, left, right)
        return self._written_out(parts, left, right)

    def sizes(self, parts: Sequence[Part], left: np.ndarray, right: np.ndarray) -> np.ndarray:
        """The same of the absolute values of everything: the size of what is summed, however it cancels."""
        if is_large(parts, left, right):
            return self._by_rows(parts, left, right, sizes=True)
        return self._written_out(parts, left, right, sizes=True)

    def _written_out(
        self, parts: Sequence[Part], left: np.ndarray, right: np.ndarray, sizes: bool = False
    ) -> np.ndarray:
        """left^T X right, batch axes and all."""
        out: Any = 0.0
        if not parts or any(isinstance(p, Triplets) for p in parts):
            X = self._blocks(parts, (left.shape[-2], right.shape[-2]), sizes)
            a, b = (abs(left), abs(right)) if sizes else (left, right)
            out = (a.mT @ X) @ b if X.ndim < b.ndim else a.mT @ (X @ b)  # many motions meet the smaller matrix
        for p in parts:
            if isinstance(p, Product):
                a, b = self._rows(p.left, p.count, left, sizes), self._rows(p.right, p.count, right, sizes)
                out = out + p.coupled(a, b, sizes)
        return out

    def _blocks(self, parts: Sequence[Part], shape: tuple[int, int], sizes: bool) -> np.ndarray:
        """What is no product among the parts, written out."""
        for seen, of_sizes, found in self._dense:
            if seen is parts and of_sizes == sizes:
                return found
        blocks = [p for p in parts if isinstance(p, Triplets)]
        found = dense(absolute(blocks) if sizes else blocks, shape)
        self._dense.append((parts, sizes, found))
        return found

    def _rows(self, rows: Triplets, count: int, motion: np.ndarray, sizes: bool) -> np.ndarray:
        """Rows of a product times a motion (..., count, n), or their sizes; stiffness and damping share them."""
        for seen, moving, of_sizes, found in self._moved:
            if seen is rows and moving is motion and of_sizes == sizes:
                return found
        own = absolute([rows]) if sizes else [rows]
        found = dense(own, (count, motion.shape[-2])) @ (abs(motion) if sizes else motion)
        self._moved.append((rows, motion, sizes, found))
        return found

    def _by_rows(self, parts: Sequence[Part], left: np.ndarray, right: np.ndarray, sizes: bool = False) -> np.ndarray:
        thin: Any = None  # sum of what is sparse
        out: np.ndarray = np.zeros((left.shape[1], right.shape[1]))
        first, second = self._of(left), self._of(right)
        for p in parts:
            if isinstance(p, Triplets):
                a, b, i, j, values = first.moving(sizes), second.moving(sizes), p.rows, p.cols, p.values
            else:
                a, b = first.by_rows(p.left, p.count, sizes), second.by_rows(p.right, p.count, sizes)
                i, j, values = p.i, p.j, p.factor
            term = _coupled(a, b, i, j, np.abs(values) if sizes else values)
            if not isinstance(term, np.ndarray):
                thin = term if thin is None else thin + term
            elif term.shape == out.shape and term.dtype == out.dtype:
                out += term
            else:
                out = out + term
        return out if thin is None else out + thin.toarray()

    def _of(self, motion: np.ndarray) -> _Motion:
        for seen in self._seen:
            if seen.motion is motion:
                return seen
        self._seen.append(_Motion(motion))
        return self._seen[-1]


def is_large(parts: Sequence[Part], left: np.ndarray, right: np.ndarray) -> bool:
    """Whether X is large, and nothing but its values has batch axes."""
    rows = [rows.values for p in parts if isinstance(p, Product) for rows in (p.left, p.right)]
    return left.shape[-2] > DENSE_LIMIT and left.ndim == right.ndim == 2 and all(values.ndim == 1 for values in rows)


class Moving(NamedTuple):
    """Rows of which many are zero: the place of each among those that are not (zero rows: -1), and these."""

    place: np.ndarray
    rows: Any  # dense, or sparse where most of it is zero

    @staticmethod
    def of(matrix: Any) -> Moving:
        is_there = matrix.any(axis=1) if isinstance(matrix, np.ndarray) else np.diff(matrix.indptr) > 0
        rows = matrix if is_there.all() else matrix[is_there]
        place = np.where(is_there, np.cumsum(is_there) - 1, -1)
        place = np.append(place, -1)  # columns that are to be dropped point behind the last
        return Moving(place, thinned(rows, SPARSE))


class _Motion:
    """A motion (nq, k) and what was found of it, for the numbers themselves and for their sizes."""

    def __init__(self, motion: np.ndarray) -> None:
        self.motion = motion
        self._moving: dict[bool, Moving] = {}
        self._products: dict[tuple[Triplets, bool], Moving] = {}

    def moving(self, sizes: bool) -> Moving:
        if sizes not in self._moving:
            place, rows = self.moving(False) if sizes else Moving.of(self.motion)
            self._moving[sizes] = Moving(place, abs(rows) if sizes else rows)
        return self._moving[sizes]

    def by_rows(self, rows: Triplets, count: int, sizes: bool) -> Moving:
        """The rows times the motion."""
        if (rows, sizes) not in self._products:
            place, moving = self.moving(sizes)
            self._products[rows, sizes] = Moving.of(row_matrix(rows, count, place, moving.shape[0], sizes) @ moving)
        return self._products[rows, sizes]


def _coupled(a: Moving, b: Moving, i: np.ndarray, j: np.ndarray, values: np.ndarray) -> Any:
    """sum_k values_k a[i_k]^T b[j_k] for values (..., k); sparse where the rows are."""
    from scipy.sparse import csr_array

    if values.ndim > 1:
        if np.iscomplexobj(values) and not np.any(values.real != values[:1].real):  # complex steps: few numbers vary
            return as_dense(_coupled(a, b, i, j, values[0].real)) + 1j * _coupled(a, b, i, j, values.imag)
        return np.stack([as_dense(_coupled(a, b, i, j, own)) for own in values])
    i, j = a.place[i], b.place[j]
    felt = np.flatnonzero((i >= 0) & (j >= 0) & (values != 0))
    felt = felt[np.argsort(i[felt], kind="stable")]
    count = np.bincount(i[felt], minlength=a.rows.shape[0])
    used = np.flatnonzero(count)
    start = np.concatenate(([0], np.cumsum(count[used])))
    F = csr_array((values[felt], j[felt], start), shape=(len(used), b.rows.shape[0]))
    return (a.rows if len(used) == len(count) else a.rows[used]).T @ (F @ b.rows)
