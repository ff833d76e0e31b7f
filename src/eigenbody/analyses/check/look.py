"""What `check` found: its tables and its document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eigenbody.linearization.look.point import held_grid
from eigenbody.model.source import shown
from eigenbody.present.documents import require_finite
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, Styled, counted, listed, significant
from eigenbody.present.words import model_name, noted, redundancy

LOWEST = 4  # frequencies of a flexible body that are listed

if TYPE_CHECKING:
    from eigenbody.analyses.check import Constraint, CountedBody, Inspection


def sheet(found: Inspection) -> Sheet:
    """Bodies, what constrains them, the count of freedoms."""
    below = [Styled(line, "") for line in _below(found)]
    return Sheet(f"{model_name(found.point)}: no faults", (), _grids(found), below)


def _grids(found: Inspection) -> list[Grid]:
    bodies = found.bodies
    few = bodies[:MAX_ROWS]
    rows = tuple((shown(body.name, 40), significant(body.mass), str(body.coordinates)) for body in few)
    grids = [Grid("Bodies", ("name", "mass\nkg", "coordinates"), rows, (False, True, True), len(bodies) - len(few))]
    grids += _flexible_grids([body for body in bodies if body.frequency_hz is not None])
    for title, items in (("Joints", found.joints), ("Couplings", found.couplings), ("Drivers", found.drivers)):
        if items:
            grids.append(_constraint_grid(title, items))
    return [*grids, *held_grid(found.point)]


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


def _below(found: Inspection) -> list[str]:
    surplus = len(found.redundant)
    redundant = f" ({counted(surplus, 'redundant row')} held by others already)" if surplus else ""
    return [
        f"Gruebler count: {found.body_coordinates} coordinates - {counted(found.rows, 'row')} = {found.gruebler}",
        f"Degrees of freedom: {found.dof}{redundant}",
        f"Coordinates: {listed(found.coordinates) or 'none'}",
        redundancy(found.redundant),
        *noted(found.notes),
    ]


def document(found: Inspection) -> dict[str, Any]:
    """`check --json`."""
    point = found.point
    require_finite(certificate=[point.residual, *point.drift], mass=[body.mass for body in found.bodies])
    return {
        "model": point.model.name,
        "bodies": [body.as_dict() for body in found.bodies],
        "joints": [joint.as_dict() for joint in found.joints],
        "couplings": [coupling.as_dict() for coupling in found.couplings],
        "drivers": [driver.as_dict() for driver in found.drivers],
        "body_coordinates": found.body_coordinates,
        "rows": found.rows,
        "gruebler": found.gruebler,
        "dof": found.dof,
        "coordinates": list(found.coordinates),
        "held": point.held,
        "constraints": [
            {"of": row.owner, "row": row.label, "class": row.classed, "redundant": row.is_redundant}
            for constraint in found.constraints
            for row in constraint.rows
        ],
        "redundant": [dict(row) for row in found.redundant],
        "residual": point.residual,
        "drift": list(point.drift),
        "notes": list(found.notes),
        "warnings": list(point.warnings),
    }
