"""Coefficients of bearings, seals and bushings: numbers, or signals where they vary with the speed."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.model.description import Signal
from eigenbody.model.expressions import Expression, ExpressionError, parse
from eigenbody.model.faults import Path
from eigenbody.model.values import Values, row_units
from eigenbody.model.varying import Scope, Signals

SPEED = "own.speed"  # the speed of the second body about the axis, relative to the first, inside the element
SCOPE = Scope(own=frozenset((SPEED,)), loads=False, argument=SPEED, only_smooth=True)

Rows = tuple[tuple[Signal | None, ...], ...]


class Coefficients:
    """Reads coefficients; faults are remembered, and None returned for what cannot be read."""

    def __init__(self, values: Values, signals: Signals) -> None:
        self.values, self.signals, self.faults = values, signals, values.faults

    def six(self, value: Any, kind: str | None, path: Path) -> np.ndarray | Rows | None:
        """Six values (the diagonal) or 6x6: an array where all are numbers, else rows of signals."""
        known = self.values.known_six(value, kind)
        if known is not None:
            return known
        if not isinstance(value, list) or len(value) != 6 or not any(map(self._varies, value)):
            return self.values.six(value, kind, path)
        if not isinstance(value[0], list):
            own = [row_units(kind, i)[i] for i in range(6)]
            diagonal = [self._signal(item, own[i], (*path, i)) for i, item in enumerate(value)]
            return tuple(tuple(diagonal[i] if i == j else 0.0 for j in range(6)) for i in range(6))
        rows = []
        for i, row in enumerate(value):
            if not isinstance(row, list) or len(row) != 6:
                self.faults.add((*path, i), "a list of 6 numbers, expressions or tables is expected.")
                return None
            units = row_units(kind, i)
            rows.append(tuple(self._signal(item, units[j], (*path, i, j)) for j, item in enumerate(row)))
        return tuple(rows)

    def one(self, value: Any, dimension: str | None, path: Path) -> np.ndarray | Signal | None:
        """A signal, or a list of numbers, one for each speed."""
        return (
            self.values.row(value, dimension, path) if isinstance(value, list) else self._signal(value, dimension, path)
        )

    def speed(self, value: Any, path: Path) -> Expression | None:
        """The speed that tables are over, as an expression."""
        return self.signals.formula(value, "rad/s", path, SCOPE)

    def _signal(self, value: Any, dimension: str | None, path: Path) -> Signal | None:
        if callable(value):
            what = "a coefficient cannot be a Python function."
            self.faults.add(path, what, "Give it as an expression or as a table over the speed.")
            return None
        return self.signals.signal(value, dimension, path, SCOPE)

    def _varies(self, value: Any) -> bool:
        if isinstance(value, list):
            return any(map(self._varies, value))
        if not isinstance(value, str) or not value.lstrip().startswith("="):
            return isinstance(value, dict) or callable(value)
        try:
            names = parse(value.strip()[1:]).names
        except ExpressionError:
            return False  # what is wrong is said where it is read
        return any(
            name == SPEED or self.signals.names.is_dynamic(name) for name in names - self.values.parameters.keys()
        )
