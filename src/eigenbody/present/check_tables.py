"""What `check` found, as readable tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eigenbody.model.source import shown
from eigenbody.present.tables import MAX_ROWS, Grid, counted, listed, model_name, redundancy, significant, wrapped

LOWEST = 4  # frequencies of a flexible body that are listed

if TYPE_CHECKING:
    from rich.console import RenderableType

    from eigenbody.analyses.inspection import Constraint, CountedBody, Inspection


def _check_grids(found: Inspection) -> list[Grid]:
    bodies = found.bodies
    few = bodies[:MAX_ROWS]
    rows = tuple((shown(body.name, 40), significant(body.mass), str(body.coordinates)) for body in few)
    grids = [Grid("Bodies", ("name", "mass\nkg", "coordinates"), rows, (False, True, True), len(bodies) - len(few))]
    grids += _flexible_grids([body for body in bodies if body.frequency_hz is not None])
    for title, items in (("Joints", found.joints), ("Couplings", found.couplings), ("Drivers", found.drivers)):
        if items:
            grids.append(_constraint_grid(title, items))
    return grids


def _flexible_grids(bodies: Sequence[CountedBody]) -> list[Grid]:
    """Modes of flexible bodies, when nothing holds them."""
    rows = []
    for body in bodies[:MAX_ROWS]:
        hz = body.frequency_hz
        assert hz is not None
        lowest = ", ".join(significant(float(value), 5) for value in hz[:LOWEST])
        rows.append((shown(body.name, 40), str(len(hz)), lowest + (", ..." if len(hz) > LOWEST else "")))
    columns = ("name", "modes", "free, nothing held\nHz")
    right = (False, True, False)
    return [Grid("Flexible bodies", columns, tuple(rows), right, len(bodies) - len(rows))] if rows else []


def _constraint_grid(title: str, items: Sequence[Constraint]) -> Grid:
    rows = tuple(
        (
            shown(item.name, 40),
            item.type,
            shown(" - ".join(item.between), 50),
            str(len(item.rows)),
            item.classed,
            ", ".join(row.label for row in item.rows if row.is_redundant),
        )
        for item in items[:MAX_ROWS]
    )
    columns = ("name", "type", "between", "rows", "class", "redundant rows")
    return Grid(title, columns, rows, (False, False, False, True, False, False), len(items) - len(rows))


def _check_below(found: Inspection) -> list[str]:
    surplus = len(found.redundant)
    redundant = f" ({counted(surplus, 'redundant row')} held by others already)" if surplus else ""
    return [
        f"Gruebler count: {found.body_coordinates} coordinates - {counted(found.rows, 'row')} = {found.gruebler}",
        f"Degrees of freedom: {found.dof}{redundant}",
        f"Coordinates: {listed(found.coordinates) or 'none'}",
        redundancy(found.redundant),
        *wrapped(f"Note: {note}" for note in found.notes),
    ]


def check_text(found: Inspection) -> str:
    """What `check` found, as plain text."""
    parts = [grid.text() for grid in _check_grids(found)]
    return "\n\n".join([f"{model_name(found.point)}: no faults", *parts, "\n".join(_check_below(found))])


def check_rich(found: Inspection) -> RenderableType:
    """What `check` found, for the terminal."""
    from rich.console import Group
    from rich.text import Text

    lines: list[RenderableType] = [Text(f"{model_name(found.point)}: no faults", style="bold"), Text()]
    for grid in _check_grids(found):
        lines += [grid.rich(), Text()]
    return Group(*lines, *map(Text, _check_below(found)))
