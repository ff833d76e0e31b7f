"""Sensitivities of dependent quantities as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eigenbody.model.source import shown
from eigenbody.present.tables import MAX_MATRIX, MAX_ROWS, Grid, Sheet, significant

if TYPE_CHECKING:
    from eigenbody.linearization.dependents import Dependents


def sheet(found: Dependents) -> Sheet:
    """A row for each measure and its rate, a column for each state; a line for each entry where there are many."""
    rows = [
        (name + suffix, matrix[i])
        for i, name in enumerate(found.measures)
        for suffix, matrix in (("", found.value), ("'", found.rate))
    ]
    if len(found.states) <= MAX_MATRIX:
        cells = tuple((shown(name, 40), *(significant(value) for value in row)) for name, row in rows)
        columns = ("", *(shown(state, 24) for state in found.states))
        right = (False, *(True,) * len(found.states))
        return Sheet("", (), [Grid("Derivatives by the linear state", columns, cells, right)])
    lines = tuple(
        (shown(name, 40), shown(state, 40), significant(value))
        for name, row in rows
        for state, value in zip(found.states, row, strict=True)
        if value
    )
    title = "Derivatives by the linear state, those not zero"
    right, few = (False, False, True), lines[:MAX_ROWS]
    return Sheet("", (), [Grid(title, ("of", "by", ""), few, right, len(lines) - len(few))])
