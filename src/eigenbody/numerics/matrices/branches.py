"""Columns of an inverse that have no row in common are solved for together.

Where a sparse matrix J couples blocks of unknowns like the branches of a tree, J x = e_j moves only what hangs on the
place of e_j. Blocks that determine each other are one knot; a knot hangs on the one from which its equations take what
they do not determine themselves. Knots at the same depth move different rows, so that one right side serves all of
them: as many solutions as the tree is deep take the place of as many as it has knots.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Branches:
    """How `count` columns of the inverse of an (n, n) matrix share `width` right sides.

    column    (n, width) which column each entry of a shared solution belongs to, -1 for none
    equation  (n, width) the same of each entry of a shared right side
    own       (2, count) row and right side at which each column has its one
    """

    column: np.ndarray
    equation: np.ndarray
    own: np.ndarray

    @property
    def width(self) -> int:
        """Right sides."""
        return self.column.shape[1]

    def units(self) -> np.ndarray:
        """Right sides (n, width) of all columns."""
        out = np.zeros(self.column.shape, order="F")
        out[self.own[0], self.own[1]] = 1.0
        return out

    def shared(self, columns: np.ndarray) -> np.ndarray:
        """Columns (n, count) as shared solutions (n, width)."""
        rows, sides = self._entries
        out = np.zeros(self.column.shape)
        out[rows, sides] = columns[rows, self.column[rows, sides]]
        return out

    def spread(self, shared: np.ndarray) -> np.ndarray:
        """Shared solutions (n, width) as columns (n, count)."""
        rows, sides = self._entries
        out = np.zeros((len(shared), self.own.shape[1]))
        out[rows, self.column[rows, sides]] = shared[rows, sides]
        return out

    def largest(self, shared: np.ndarray) -> np.ndarray:
        """Largest entry of the column that each entry of a shared solution belongs to, (n, width); 0 for none."""
        rows, sides = self._entries
        column = self.column[rows, sides]
        most = np.zeros(self.own.shape[1])
        np.maximum.at(most, column, shared[rows, sides])
        out = np.zeros(shared.shape)
        out[rows, sides] = most[column]
        return out

    @cached_property
    def _entries(self) -> tuple[np.ndarray, np.ndarray]:
        rows, sides = (self.column >= 0).nonzero()
        return rows, sides


def branches_of(J: Any, block: np.ndarray, count: int, most: int) -> Branches | None:
    """How the last `count` columns of the inverse of a sparse J (n, n) share right sides; None where it does not couple
    its blocks like branches, or would need more than `most` right sides. `block` (n,) numbers those of the unknowns."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = J.shape[0]
    entries = J.tocoo()
    there = entries.data != 0
    row, unknown = entries.coords[0][there], entries.coords[1][there]
    solves = full_matching(row, unknown, n)  # the unknown that each equation is for
    if solves is None:
        return None
    order = np.argsort(block, kind="stable")
    together = block[order[1:]] == block[order[:-1]]
    one, next_one = order[:-1][together], order[1:][together]
    ends = np.concatenate((unknown, one, next_one)), np.concatenate((solves[row], next_one, one))
    feeds = coo_array((np.ones(len(ends[0]), dtype=bool), ends), shape=J.shape)
    knots, knot = connected_components(feeds, directed=True, connection="strong")
    above = _above(knots, knot[unknown], knot[solves[row]])
    if above is None:
        return None
    where = knot[solves[n - count :]]
    table = _shared_sides(above, where, most)
    if table is None:
        return None
    sides = (table[where] == np.arange(count)[:, None]).argmax(axis=1)
    return Branches(table[knot], table[knot[solves]], np.stack((np.arange(n - count, n), sides)))


def full_matching(row: np.ndarray, column: np.ndarray, n: int) -> np.ndarray | None:
    """The column (n,) of each row of an (n, n) pattern so that none is taken twice; None where there is no such choice.

    Each row takes a free column, or one that is passed on along a path on which no column is looked at twice (Duff
    1981): O(n entries). The ones of SciPy 1.17 search some patterns of loops without end.
    """
    order = np.argsort(row, kind="stable")
    ends, flat = np.searchsorted(row[order], np.arange(n + 1)).tolist(), column[order].tolist()
    columns = [flat[first:last] for first, last in pairwise(ends)]
    taken_by, asked_by = [-1] * n, [-1] * n
    for start in range(n):
        for c in columns[start]:
            if taken_by[c] < 0:
                taken_by[c] = start
                break
        else:
            if not _passed_on(start, columns, taken_by, asked_by):
                return None
    return np.argsort(taken_by)


def _passed_on(start: int, columns: list[list[int]], taken_by: list[int], asked_by: list[int]) -> bool:
    """Give a row a column that is taken, and the one that has it another, and so on; whether that goes."""
    came_from: dict[int, tuple[int, int]] = {}
    path = [start]
    while path:
        here = path.pop()
        free = next((c for c in columns[here] if taken_by[c] < 0), None)
        if free is not None:
            taken_by[free] = here
            while here != start:
                here, c = came_from[here]
                taken_by[c] = here
            return True
        for c in columns[here]:
            if asked_by[c] != start:
                asked_by[c], came_from[taken_by[c]] = start, (here, c)
                path.append(taken_by[c])
    return False


def _above(knots: int, upper: np.ndarray, lower: np.ndarray) -> np.ndarray | None:
    """The knot that each one hangs on, -1 for none; None where one hangs on several."""
    apart = upper != lower
    upper, lower = upper[apart], lower[apart]
    above = np.full(knots, -1)
    above[lower] = upper
    return above if (above[lower] == upper).all() else None


def _shared_sides(above: np.ndarray, where: np.ndarray, most: int) -> np.ndarray | None:
    """(knots, sides) the column that each knot feels of each shared right side, -1 for none. `where` (count,) is the
    knot of each column. Knots are gone through by depth; None where more than `most` sides are needed."""
    order = np.argsort(where, kind="stable")
    own = np.bincount(where, minlength=len(above))
    start = np.concatenate(([0], np.cumsum(own)))
    table = np.full((len(above), most), -1)
    level, used = (above < 0).nonzero()[0], 0
    hanging = np.argsort(above, kind="stable")
    first = np.searchsorted(above[hanging], np.arange(len(above) + 1))
    while len(level):
        wide = int(own[level].max(initial=0))
        if used + wide > most:
            return None
        for k in range(wide):
            having = level[own[level] > k]
            table[having, used + k] = order[start[having] + k]
        used += wide
        below = np.concatenate([hanging[first[knot] : first[knot + 1]] for knot in level.tolist()])
        table[below] = table[above[below]]
        level = below
    return table[:, :used]
