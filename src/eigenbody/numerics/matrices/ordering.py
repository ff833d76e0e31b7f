"""Sparse matrices whose entries stand symmetric, factorized in an order that keeps fill low.

A saddle point has zeros on its diagonal, so its pivots are chosen while it is factorized, and columns are ordered for
any such choice. A stiffness matrix alone needs no such freedom: pivots stay on the diagonal, and an order of the graph
serves rows and columns alike: nested dissection (METIS, extra `large`) where it is installed, minimum degree elsewhere.
Of a lattice of 8000 bodies that is about a fifth, or half, of the work (benchmarks/README.md).
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
    row, column = (np.concatenate(pair) for pair in ((entries.row, entries.col), (entries.col, entries.row)))
    apart = row != column
    graph = coo_array((np.ones(np.count_nonzero(apart), bool), (row[apart], column[apart])), shape=matrix.shape).tocsr()
    order, _ = dissected(CSRAdjacency(graph.indptr.astype(np.int32), graph.indices.astype(np.int32)))
    return np.asarray(order)
