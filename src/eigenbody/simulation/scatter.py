"""Where the gradients of measures stand in the matrix of constraint rows; found once, used at every state."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.dynamics.constraints import prescribed
from eigenbody.mobility.partition import Selection
from eigenbody.numerics.matrices.assembly import Triplets
from eigenbody.numerics.matrices.linear import matrix
from eigenbody.system.products import DENSE_ENTRIES
from eigenbody.system.system import System


class _Places:
    """Entries of H = [G; N] in the chosen rows: row, column, which gradient entry, coefficient."""

    def __init__(self, system: System, chosen: Selection) -> None:
        c = system.constraints
        number = np.full(c.count, -1)
        number[chosen.rows] = np.arange(len(chosen.rows))
        self.held = self._of(number[c.row], c.measures.columns[c.measure], c.measure, c.coefficient, system.nq)
        slip_number = np.full(system.slips.count, -1)
        slip_number[chosen.slip_rows] = np.arange(len(chosen.slip_rows))
        slip_number[chosen.slip_rows] += len(chosen.rows)
        every = np.arange(system.slips.count)
        self.slip = self._of(slip_number, system.slips.columns, every, np.ones(len(every)), system.nq)
        self.count = len(chosen.rows) + len(chosen.slip_rows)

    @staticmethod
    def _of(
        row: np.ndarray, columns: np.ndarray, measure: np.ndarray, coefficient: np.ndarray, nq: int
    ) -> tuple[np.ndarray, ...]:
        width = columns.shape[1]
        rows = np.broadcast_to(row[:, None], columns.shape)
        take = measure[:, None] * width + np.arange(width)
        factor = np.broadcast_to(coefficient[:, None], columns.shape)
        keep = (rows >= 0) & (columns < nq)
        return rows[keep], columns[keep], take[keep], factor[keep]

    def values(self, gradient: np.ndarray, slips: np.ndarray) -> np.ndarray:
        """Entries in the order held, slip."""
        held = gradient.ravel()[self.held[2]] * self.held[3]
        return np.concatenate((held, slips.ravel()[self.slip[2]])) if len(self.slip[0]) else held

    def values_of_many(self, gradient: np.ndarray, slips: np.ndarray) -> np.ndarray:
        """The same (n, entries) of n states."""
        held, slip = (part.reshape(len(part), -1) for part in (gradient, slips))
        return np.concatenate((held[:, self.held[2]] * self.held[3], slip[:, self.slip[2]]), axis=1)

    @property
    def row(self) -> np.ndarray:
        return np.concatenate((self.held[0], self.slip[0]))

    @property
    def column(self) -> np.ndarray:
        return np.concatenate((self.held[1], self.slip[1]))


class ChosenRows:
    """The chosen rows Phi = L s - c - f(t) of the measures s."""

    def __init__(self, system: System, chosen: Selection) -> None:
        c, self._slips, self._chosen = system.constraints, system.slips.count, chosen
        entries = Triplets(c.row, c.measure, c.coefficient)
        shape = (c.count, c.measures.count)
        self._L = matrix([entries], shape, shape[0] * shape[1] > DENSE_ENTRIES)[chosen.rows]
        self._L_t = self._L.T if isinstance(self._L, np.ndarray) else self._L.T.tocsr()
        self._constraints, self._constant, self._is_driven = c, c.constant[chosen.rows], bool(c.motions)

    def combined(self, measures: np.ndarray, t: Any, level: str) -> np.ndarray:
        """Phi, its rate or acceleration ("value", "rate", "acceleration") from those of all measures (..., n)."""
        rows = self._L @ measures if measures.ndim == 1 else (self._L @ measures.T).T
        if level == "value":
            rows = rows - self._constant
        return rows - prescribed(self._constraints, t, level)[..., self._chosen.rows] if self._is_driven else rows

    def along(self, multipliers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Forces along all measures of constraints and along all slip rows, L^T l, of the multipliers of the chosen
        rows and slip rows."""
        n, slip = len(self._chosen.rows), np.zeros(self._slips)
        slip[self._chosen.slip_rows] = multipliers[n : n + len(self._chosen.slip_rows)]
        return self._L_t @ multipliers[:n], slip


class DenseRows:
    """H as a dense array."""

    def __init__(self, system: System, chosen: Selection) -> None:
        self._places = _Places(system, chosen)
        self._shape = (self._places.count, system.nq)
        self._flat = self._places.row * system.nq + self._places.column

    def matrix(self, gradient: np.ndarray, slips: np.ndarray) -> np.ndarray:
        """H (rows, nq)."""
        size = self._shape[0] * self._shape[1]
        if not size:
            return np.zeros(self._shape)
        return np.bincount(self._flat, self._places.values(gradient, slips), size).reshape(self._shape)

    def matrices(self, gradient: np.ndarray, slips: np.ndarray) -> np.ndarray:
        """H (n, rows, nq) of n states."""
        n, size = len(gradient), self._shape[0] * self._shape[1]
        if not size:
            return np.zeros((n, *self._shape))
        places = size * np.arange(n)[:, None] + self._flat
        values = self._places.values_of_many(gradient, slips)
        return np.bincount(places.ravel(), values.ravel(), n * size).reshape(n, *self._shape)


class SparseSaddlePattern:
    """[[M, H^T], [H, 0]] in compressed columns: the pattern is found once, the entries are summed in.

    M of flexible bodies has zeros that fill as they bend: the pattern grows by those that do, and never shrinks.
    """

    def __init__(self, system: System, chosen: Selection) -> None:
        self._places, self._nq = _Places(system, chosen), system.nq
        self._filled = self._empty = np.zeros(0, dtype=bool)  # entries of M in the pattern; those that may still join

    def matrix(self, mass: Triplets, gradient: np.ndarray, slips: np.ndarray) -> Any:
        """The matrix; M always comes with its entries at the same places."""
        from scipy.sparse import csc_array

        if len(self._filled) != len(mass.values) or mass.values[self._empty].any():
            self._find(mass)
        own = self._places.values(gradient, slips)
        entries = np.concatenate((mass.values[self._filled], own, own))
        data = np.bincount(self._slot, entries, len(self._indices))
        return csc_array((data, self._indices, self._start), shape=self._shape)

    def _find(self, mass: Triplets) -> None:
        """The pattern with every entry of M that is or was not zero."""
        inside = (mass.rows < self._nq) & (mass.cols < self._nq)
        now = inside & (mass.values != 0)
        self._filled = now | self._filled if len(self._filled) else now
        self._empty = inside & ~self._filled
        row, column = self._places.row + self._nq, self._places.column
        rows = np.concatenate((mass.rows[self._filled], row, column))
        columns = np.concatenate((mass.cols[self._filled], column, row))
        self._shape = (self._nq + self._places.count,) * 2
        key = columns.astype(np.int64) * self._shape[0] + rows
        entries, self._slot = np.unique(key, return_inverse=True)
        self._indices = (entries % self._shape[0]).astype(np.int32)
        starts = np.searchsorted(entries, np.arange(self._shape[0] + 1) * np.int64(self._shape[0]))
        self._start = starts.astype(np.int32)
