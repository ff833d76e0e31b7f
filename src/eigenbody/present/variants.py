"""Variants of a model as text and HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.present.tables import Grid

if TYPE_CHECKING:
    from eigenbody.analyses.variants import VariantModes

MOST = 20  # rows of the table


def variants_text(result: VariantModes) -> str:
    """One line per variant: its values, lowest frequencies and largest real part."""
    head, *rows = _rows(result)
    more = [f"... and {len(result) - MOST} more"] if len(result) > MOST else []
    return "\n".join([_title(result), *map("  ".join, (head, *rows)), *more])


def variants_html(result: VariantModes) -> str:
    """The same for a notebook; every name is escaped."""
    head, *rows = _rows(result)
    filled = tuple((*row, *[""] * (len(head) - len(row))) for row in rows)
    left_out = max(0, len(result) - MOST)
    grid = Grid("", tuple(head), filled, (False,) * len(head), left_out)
    return f"<p><b>{escape(_title(result))}</b></p>{grid.html()}"


def _title(result: VariantModes) -> str:
    return f"{len(result)} variants of {result.model.name}"


def _rows(result: VariantModes) -> list[list[str]]:
    names = list(result.values)
    rows = [[*names, "lowest Hz", "largest real part 1/s"]]
    for i in range(min(len(result), MOST)):
        values = [f"{result.values[name][i]:.6g}" for name in names]
        if i in result.failures:
            rows.append([*values, f"failed: {result.failures[i]}"])
            continue
        upper = result.eigenvalues[i][result.eigenvalues[i].imag > 0]
        lowest = ", ".join(f"{f:.6g}" for f in np.abs(upper[:3]) / (2 * np.pi)) or "-"
        growth = f"{result.eigenvalues[i].real.max():.3g}" if len(result.eigenvalues[i]) else "-"
        rows.append([*values, lowest, growth])
    return rows
