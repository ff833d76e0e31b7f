"""Sparse matrices whose entries stand symmetric, factorized in an order that keeps fill low.

A saddle point has zeros on its diagonal, so its pivots are chosen while it is factorized, and columns are ordered for
any such choice. A stiffness matrix alone needs no such freedom: pivots stay on the diagonal, and an order of the graph
serves rows and columns alike: nested dissection (METIS, extra `large`) where it is installed, minimum degree elsewhere.
Of a lattice of 8000 bodies that is about a sixth, or half, of the work (benchmarks/README.md).
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError

ON_DIAGONAL = 1e-3  # of the largest entry of a column: from here on the diagonal is the pivot


class SymmetricFactor:
    """SuperLU of a square matrix (n, n) whose entries stand symmetric, CSC."""

    def __init__(self, matrix: Any) -> None:
        from scipy.sparse.linalg import splu

        self._order = nested_dissection(matrix)
        whole = matrix if self._order is None else matrix[self._order][:, self._order].tocsc()
        ordering = "MMD_AT_PLUS_A" if self._order is None else "NATURAL"
        symmetric = {"SymmetricMode": True}
        try:
            self._lu = splu(whole, permc_spec=ordering, diag_pivot_thresh=ON_DIAGONAL, options=symmetric)
        except RuntimeError as error:
            raise ComputationError("A linear system that should be regular is singular.") from error

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        return self._solve(rhs, "N")

    def solve_transposed(self, rhs: np.ndarray) -> np.ndarray:
        return self._solve(rhs, "T")

    def _solve(self, rhs: np.ndarray, transposed: str) -> np.ndarray:
        if self._order is None or not rhs.size:
            return self._lu.solve(rhs, transposed) if rhs.size else np.zeros_like(rhs)
        found = self._lu.solve(np.asfortranarray(rhs[self._order]), transposed)
        out = np.empty_like(found, order="F")
        out[self._order] = found
        return out


def nested_dissection(matrix: Any) -> np.ndarray | None:
    """Order (n,) of the rows and columns of a square sparse matrix by nested dissection of its graph, None where the
    package `pymetis` is not installed."""
    if find_spec("pymetis") is None:
        return None
    from pymetis import CSRAdjacency
    from pymetis import nested_dissection as dissected
    from scipy.sparse import coo_array

    entries = matrix.tocoo()
    place, first = alike_columns(matrix)  # the coordinates of a body are one knot of the graph
    row, column = (np.concatenate(pair) for pair in ((entries.row, entries.col), (entries.col, entries.row)))
    row, column = place[row], place[column]
    apart = row != column
    shape = (len(first), len(first))
    graph = coo_array((np.ones(np.count_nonzero(apart), bool), (row[apart], column[apart])), shape=shape).tocsr()
    order, _ = dissected(CSRAdjacency(graph.indptr.astype(np.int32), graph.indices.astype(np.int32)))
    rank = np.empty(len(first), dtype=int)
    rank[order] = np.arange(len(first))
    return np.argsort(rank[place], kind="stable")


def alike_columns(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    """Columns of a CSC matrix (n, n) with entries in the same rows: the number of the group of each (n,), and the first
    column of each group. Such rows are told by sums of random integers: two that differ are taken for one once in 1e16,
    which costs fill and no digit."""
    mark = np.random.default_rng(8).integers(0, 2**62, matrix.shape[0], dtype=np.uint64)
    sums = np.zeros(len(matrix.indices) + 1, dtype=np.uint64)
    np.cumsum(mark[matrix.indices], out=sums[1:])  # overflow wraps: differences hold
    own = sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]]
    _, first, place = np.unique(own, return_index=True, return_inverse=True)
    return place, first
