"""Rank decisions: which rows are independent, in a given order of preference or by pivoting.

Rows are scaled by the caller so that a relative tolerance has meaning: a row counts as dependent when what is left of
it, after projection on the rows taken before, is below `tolerance` times its scale.
"""

from __future__ import annotations

import numpy as np

TOLERANCE = 1e-9


class Basis:
    """A growing orthonormal basis of row space."""

    def __init__(self, width: int, tolerance: float = TOLERANCE) -> None:
        self._rows = np.empty((width, width))
        self.rank = 0
        self.tolerance = tolerance

    def offer(self, row: np.ndarray, scale: float) -> bool:
        """Take the row if it is independent of the rows taken so far."""
        if self.rank == len(self._rows):
            return False
        taken = self._rows[: self.rank]
        rest = row - taken.T @ (taken @ row)
        rest -= taken.T @ (taken @ rest)  # twice is enough
        size = float(np.sqrt(rest @ rest))
        if size <= self.tolerance * scale:
            return False
        self._rows[self.rank] = rest / size
        self.rank += 1
        return True

    def complement(self) -> np.ndarray:
        """Orthonormal basis (width, width - rank) of what the rows leave free."""
        width = self._rows.shape[1]
        if self.rank == 0:
            return np.eye(width)
        q = np.linalg.qr(self._rows[: self.rank].T, mode="complete")[0]
        return q[:, self.rank :]


def pivot_rows(matrix: np.ndarray, count: int) -> np.ndarray:
    """The `count` rows of an (m, count) matrix that are best conditioned together, by QR with pivoting."""
    from scipy.linalg import qr

    return np.sort(qr(matrix.T, mode="r", pivoting=True)[1][:count])


def components(pattern: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Groups of rows and columns of a boolean pattern that hang together: [(rows, columns), ...].

    Columns without any entry are in no group.
    """
    rows, cols = np.nonzero(pattern)
    m, n = pattern.shape
    if not len(rows):
        return []
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(rows)), (rows, m + cols)), shape=(m + n, m + n))
    label = connected_components(graph, directed=False)[1]
    order = np.argsort(label, kind="stable")
    cuts = np.flatnonzero(np.diff(label[order])) + 1
    groups = []
    for members in np.split(order, cuts):
        own_rows, own_cols = members[members < m], members[members >= m] - m
        if len(own_rows) and len(own_cols):
            groups.append((own_rows, own_cols))
    return groups
