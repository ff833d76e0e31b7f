"""Multipliers of all constraint rows, from those of the independent ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.mobility.partition import Selection
from eigenbody.system.system import System


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers:
    """Multipliers of all holonomic and of all slip rows (..., rows), zero on the redundant ones."""

    held: np.ndarray
    slip: np.ndarray

    @staticmethod
    def of(system: System, chosen: Selection, rows: np.ndarray) -> Multipliers:
        """From those of the chosen rows (..., n), holonomic ones first; what comes after is left out."""
        n, m = len(chosen.rows), len(chosen.slip_rows)
        counts = (system.constraints.count, system.slips.count)
        held, slip = (np.zeros((*rows.shape[:-1], count), dtype=rows.dtype) for count in counts)
        held[..., chosen.rows], slip[..., chosen.slip_rows] = rows[..., :n], rows[..., n : n + m]
        return Multipliers(held, slip)

    @staticmethod
    def of_columns(system: System, chosen: Selection, rows: np.ndarray) -> Multipliers:
        """The same for k forces: (..., n, k) and (..., rows, k)."""
        found = Multipliers.of(system, chosen, np.swapaxes(rows, -1, -2))
        return Multipliers(np.swapaxes(found.held, -1, -2), np.swapaxes(found.slip, -1, -2))

    @property
    def multipliers(self) -> np.ndarray:
        """Of the holonomic rows."""
        return self.held

    @property
    def slip_multipliers(self) -> np.ndarray:
        """Of the slip rows."""
        return self.slip
