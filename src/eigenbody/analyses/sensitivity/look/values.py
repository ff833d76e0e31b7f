"""Derivatives of one quantity: what they print and their document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.documents import number
from eigenbody.present.tables import Grid, Sheet, significant

if TYPE_CHECKING:
    from eigenbody.analyses.sensitivity.responses import ValueSensitivity


def sheet(result: ValueSensitivity) -> Sheet:
    """The strongest first."""
    order = np.argsort(-np.nan_to_num(np.abs(result.relative), nan=-1.0), kind="stable")
    rows = tuple(
        (shown(result.names[i], 40), significant(result.numbers[i]), _cell_of(result.relative[i]),
         _cell_of(result.derivatives[i]))
        for i in order
    )  # fmt: skip
    columns = ("number", "its value\nSI", "relative\n% per %", "derivative\nper unit")
    grid = Grid("", columns, rows, (False, True, True, True))
    return Sheet(f"{result.label}: {significant(result.value, 8)}", (), [grid])


def _cell_of(value: float) -> str:
    return "-" if np.isnan(value) else significant(float(value), 5)


def document(result: ValueSensitivity) -> dict[str, Any]:
    """Derivatives of one quantity as plain data."""
    rows = zip(result.names, result.numbers, result.derivatives, result.relative, strict=True)
    return {
        "quantity": result.label,
        "value": number(result.value),
        "derivatives": [
            {"name": name, "value": number(value), "derivative": number(d), "relative": number(relative)}
            for name, value, d, relative in rows
        ],
    }
