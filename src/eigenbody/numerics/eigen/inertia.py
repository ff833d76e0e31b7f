"""How many eigenvalues of a symmetric constrained system lie below a shift, by Sylvester's law of inertia."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.numerics.matrices.linear import SMALL_BLOCKS, bordered, column_of
from eigenbody.numerics.matrices.ordering import nested_dissection

MET = 1e-2  # of the right side: a factorization that misses it by more has lost its signs


class InertiaCount:
    """An upper bound of the number of omega^2 of K x = omega^2 M x on G x = 0 below a shift, from A = K - shift M.

    The constraints get a little flexibility, which can only lower frequencies. Then the matrix [[A, G^T], [G, -soft]]
    has a triangular factorization with its pivots on the diagonal, and their signs count the eigenvalues. Fill depends
    on where the entries are, not on the flexibility: one ordering serves all counts.
    """

    def __init__(self, A: Any, G: Any, top: float) -> None:
        self._n, self._rows, self._top = A.shape[0], G.shape[0], top
        self._order = np.arange(self._n + self._rows)
        self._whole = bordered(A, G, np.ones(self._rows))
        self._is_ordered = False
        self._better = None if self._rows else nested_dissection(self._whole)  # an order for the next count

    def below(self, soft: float) -> int | None:
        """The bound at a flexibility relative to the stiffness `top`, None where it cannot be told."""
        from scipy.sparse.linalg import splu

        if self._better is not None:
            self._put_in_order(self._better)
        whole = self._whole
        whole.data[self._held] = -soft * self._top
        ordering = "NATURAL" if self._is_ordered else "MMD_AT_PLUS_A"
        symmetric = {"SymmetricMode": True}
        try:
            blocks = SMALL_BLOCKS if self._rows else {}
            lu = splu(whole, permc_spec=ordering, diag_pivot_thresh=0.0, options=symmetric, **blocks)
        except RuntimeError:
            return None
        rhs = np.concatenate((np.random.default_rng(3).normal(size=self._n), np.zeros(self._rows)))[self._order]
        is_met = bool(np.abs(whole @ lu.solve(rhs) - rhs).max() < MET)
        count = None
        if is_met and np.array_equal(lu.perm_r, lu.perm_c):
            count = int(np.count_nonzero(lu.U.diagonal() < 0)) - self._rows
        if not self._is_ordered:
            self._better = np.argsort(lu.perm_c)
        return count

    @property
    def _held(self) -> np.ndarray:
        """Places of the flexibilities among the entries."""
        whole = self._whole
        return np.flatnonzero((whole.indices == column_of(whole)) & (self._order[whole.indices] >= self._n))

    def _put_in_order(self, order: np.ndarray) -> None:
        self._order, self._whole, self._is_ordered = self._order[order], self._whole[order][:, order].tocsc(), True
        self._better = None
