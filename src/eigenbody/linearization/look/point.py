"""What an operating point prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eigenbody.model.source import shown
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, counted, significant
from eigenbody.present.words import model_name, redundancy, warned

if TYPE_CHECKING:
    from eigenbody.linearization.point import OperatingPoint


def sheet(point: OperatingPoint) -> Sheet:
    """What it is, the values of all measures, how well the equations hold."""
    at_rest = "at rest, in equilibrium" if point.is_equilibrium else "at rest, accelerating"
    moving = at_rest if point.is_at_rest else "moving steadily" if point.is_steady else "moving"
    units = dict(zip(point.system.names, point.system.value_units, strict=True))
    values, rates = list(point.coordinates().items()), point.rates()
    rows: tuple[tuple[str, ...], ...] = tuple(
        (shown(name, 40), significant(value), units[name]) for name, value in values[:MAX_ROWS]
    )
    head: tuple[str, ...] = ("measure", "value", "unit")
    if not point.is_at_rest:
        head = (*head, "rate\nper s")
        rows = tuple((*row, significant(rates[name])) for row, (name, _) in zip(rows, values, strict=False))
    grid = Grid("", head, rows, (False, True, False, True)[: len(head)], len(values) - len(rows))
    drift = ", ".join(significant(d, 2) for d in point.drift)
    line = f"{moving}; {counted(len(point.chosen.velocities), 'degree')} of freedom"
    below = [
        *warned(point),
        *(["Contact: " + ", ".join(f"{n} {s}" for n, s in point.contacts.items())] if point.contacts else []),
        redundancy(point.redundant),
        f"Residual {significant(point.residual, 2)}, constraint drift {drift} (position, velocity, acceleration)",
    ]
    return Sheet(f"Operating point of {model_name(point)}", [line], [grid, *held_grid(point)], below)


def held_grid(point: OperatingPoint) -> list[Grid]:
    """What holds the pose, if anything does."""
    units = dict(zip(point.system.inputs, point.system.input_units, strict=True))
    held = list(point.held.items())
    rows = tuple((shown(name, 40), significant(value), units[name]) for name, value in held[:MAX_ROWS])
    columns = ("coordinate", "force, torque", "unit")
    return [Grid("Held by", columns, rows, (False, True, False), len(held) - len(rows))] if held else []
