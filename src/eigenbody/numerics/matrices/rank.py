"""Rank decisions: which rows are independent, in a given order of preference or by pivoting.

Rows are scaled by the caller so that a relative tolerance has meaning: a row counts as dependent when what is left of
it, after projection on the rows taken before, is below `TOLERANCE` times its size. Many blocks of the same shape are
decided at once: arrays have a leading axis over blocks.
"""

from __future__ import annotations

import numpy as np

TOLERANCE = 1e-9


class Bases:
    """Growing orthonormal bases of row space, one for each of n blocks of the same width."""

    def __init__(self, blocks: int, width: int) -> None:
        self._rows = np.zeros((blocks, width, width))
        self.rank = np.zeros(blocks, dtype=int)
        self.left = np.zeros(blocks)  # what was left of the row last offered
        self.width = width

    def copy(self) -> Bases:
        other = Bases(0, self.width)
        other._rows, other.rank = self._rows.copy(), self.rank.copy()
        return other

    def _rest(self, rows: np.ndarray) -> np.ndarray:
        """What is left of one row per block (blocks, width); projecting twice is enough."""
        taken = self._rows[:, : self.rank.max(initial=0)]
        for _ in range(2):
            rows = rows - ((taken @ rows[..., None]).swapaxes(-1, -2) @ taken)[:, 0]
        return rows

    def offer(
        self, rows: np.ndarray, size: np.ndarray, wanted: np.ndarray | None = None, least: float = TOLERANCE
    ) -> np.ndarray:
        """Take the row of each block of which at least that part of its size is independent there; returns which were
        taken, (blocks,) bool."""
        rest = self._rest(rows)
        self.left = left = np.sqrt((rest**2).sum(axis=-1))
        taken = (left > least * size) & (self.rank < self.width)
        if wanted is not None:
            taken &= wanted
        at = np.flatnonzero(taken)
        self._rows[at, self.rank[at]] = rest[at] / left[at, None]
        self.rank[at] += 1
        return taken

    def offer_by_weight(
        self, rows: np.ndarray, size: np.ndarray, weight: np.ndarray, wanted: np.ndarray | None = None
    ) -> np.ndarray:
        """Take the independent ones of many rows (blocks, m, width), at each turn the one whose weight times the share
        of it that is left is largest; returns which were taken, (blocks, m) bool."""
        blocks, open_rows = np.arange(len(rows)), np.ones(size.shape, dtype=bool) if wanted is None else wanted.copy()
        taken = np.zeros(size.shape, dtype=bool)
        length = np.maximum(np.sqrt((rows**2).sum(axis=-1)), 1e-300)
        for _ in range(rows.shape[1]):
            rest = np.stack([self._rest(rows[:, i]) for i in range(rows.shape[1])], axis=1)
            share = np.sqrt((rest**2).sum(axis=-1)) / length
            score = np.where(open_rows & (share > TOLERANCE), weight * np.round(share, 9), -1.0)
            best = np.argmax(score, axis=1)
            got = self.offer(rows[blocks, best], size[blocks, best], score[blocks, best] >= 0)
            taken[blocks[got], best[got]] = True
            open_rows[blocks, best] = False
        return taken

    def fill_in_order(self, columns: np.ndarray) -> np.ndarray:
        """Offer unit rows in order, those allowed by `columns` (blocks, width) bool; returns which were taken."""
        taken = np.zeros_like(columns)
        for c in range(self.width):
            unit = np.zeros((len(columns), self.width))
            unit[:, c] = 1.0
            taken[:, c] = self.offer(unit, np.ones(len(columns)), columns[:, c])
        return taken

    def fill_by_pivoting(self, columns: np.ndarray) -> np.ndarray:
        """Complete every basis by unit rows, the most independent first; returns which were taken."""
        taken = np.zeros_like(columns)
        blocks = np.arange(len(columns))
        left = 1 - (self._rows**2).sum(axis=1)  # squared rest of every unit row
        for _ in range(int((self.width - self.rank).max(initial=0))):
            best = np.argmax(np.where(columns & ~taken, np.round(left, 9), -1.0), axis=1)
            unit = np.zeros((len(columns), self.width))
            unit[blocks, best] = 1.0
            before = self.rank.copy()
            got = self.offer(unit, np.ones(len(columns)), columns[blocks, best])
            taken[blocks[got], best[got]] = True
            left[got] -= self._rows[blocks[got], before[got]] ** 2
        return taken


def components(row: np.ndarray, column: np.ndarray, rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels of rows and of columns that hang together through the entries (row, column); loners have labels too.

    Every node points at a lower one that it hangs together with; the lowest of each component is its root.
    """
    first, second = np.asarray(row), rows + np.asarray(column)
    below = np.arange(rows + columns)
    while not np.array_equal(a := below[first], b := below[second]):
        np.minimum.at(below, np.maximum(a, b), np.minimum(a, b))
        while not np.array_equal(below, lower := below[below]):
            below = lower
    label = np.unique(below, return_inverse=True)[1]
    return label[:rows], label[rows:]
