"""Reactions: what they print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, significant

if TYPE_CHECKING:
    from eigenbody.loads.reactions import Reactions

ON_SECOND = "of the first body on the second"


def sheet(found: Reactions) -> Sheet:
    """Joints, then couplings and drives, then force elements."""
    least = "Indeterminate components: redundant constraints share them as they please; the least ones are given."
    return Sheet("", (), reactions_grids(found), [least] if found.indeterminate.any() else [])


def document(found: Reactions) -> dict[str, Any]:
    """Plain data: `{"axes", "joints": [...], "generalized": [...], "elements": [...]}`."""
    return {
        "axes": found.axes,
        "joints": [reaction.as_dict() for reaction in found],
        "generalized": [item.as_dict() for item in found.generalized],
        "elements": [load.as_dict() for load in found.loads],
    }


def reactions_grids(found: Reactions) -> list[Grid]:
    """Joints, then couplings and drives, then force elements."""
    f, m = ("N*s", "N*m*s") if found.impulsive else ("N", "N*m")
    size = max(float(np.abs(found.force).max(initial=0.0)), float(np.abs(found.moment).max(initial=0.0)))
    kind = "Impulsive reactions" if found.impulsive else "Reactions"
    rows = [
        (r.joint, r.type, *cleaned(r.force, size), *cleaned(r.moment, size), " ".join(r.indeterminate)) for r in found
    ]
    columns = ("joint", "type", *(f"F{a}\n{f}" for a in "xyz"), *(f"M{a}\n{m}" for a in "xyz"), "indeterminate")
    right = (False, False, *(True,) * 6, False)
    title = f"{kind} {ON_SECOND}, {found.axes} axes"
    grids = [Grid(title, columns, tuple(rows[:MAX_ROWS]), right, max(0, len(rows) - MAX_ROWS))] if rows else []
    if found.generalized:
        drives = (
            (g.name, g.label, significant(g.value), "indeterminate" if g.indeterminate else "")
            for g in found.generalized
        )
        grids.append(grid_of("Couplings and prescribed motions", ("name", "row", "force", ""), drives, 2))
    if found.loads:
        loads = ((load.name, "  ".join(significant(v) for v in load.tension)) for load in found.loads)
        grids.append(grid_of("Force elements", ("name", "tension along its measures"), loads, 2))
    return grids


def grid_of(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> Grid:
    """Numbers to the right of `words` columns of text."""
    lines = [tuple(row) for row in rows]
    right = tuple(k >= words for k in range(len(columns)))
    return Grid(title, tuple(columns), tuple(lines[:MAX_ROWS]), right, max(0, len(lines) - MAX_ROWS))


def cleaned(values: Any, size: float) -> list[str]:
    """Numbers for the eye; what is rounding of the largest is zero."""
    return [significant(0.0 if abs(v) < 1e-12 * size else float(v)) for v in np.ravel(values)]
