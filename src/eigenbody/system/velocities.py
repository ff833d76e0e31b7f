"""Couplings of speeds: their formulas with names turned into measures."""

from __future__ import annotations

from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.measures.velocity_row import VelocityRow
from eigenbody.model.description import Description, Entry
from eigenbody.model.expressions import Expression
from eigenbody.model.operating import HELD
from eigenbody.system.named import NamedMeasures


def velocity_rows(description: Description, named: NamedMeasures) -> dict[str, VelocityRow]:
    """The rows of all couplings that hold a speed, by name."""
    return {entry.name: _row(entry, named) for entry in description.couplings if entry.get("speed") is not None}


def _row(entry: Entry, named: NamedMeasures) -> VelocityRow:
    formula = entry["speed"]
    inputs = (e for e in named.description.inputs if e.type != HELD)
    others = {"t", *(e.name for e in (*named.description.states, *inputs))} & formula.names
    others |= {e.name for e in named.description.variables} & formula.names
    if others:
        what = f"{', '.join(sorted(others))} cannot stand in the speed of a coupling."
        raise InputError(Fault(f"{entry.where}.speed", what, "Use measures, their rates and parameters."))
    speeds = {name: Expression.symbol(f"{name}'") for name in formula.names if named.is_speed(name)}
    formula = formula.substitute(speeds)  # a speed is the rate of its own measure
    names = dict.fromkeys(name.removesuffix("'") for name in sorted(formula.names))
    row = VelocityRow.of(formula, {name: named.kernel(name) for name in names}) if names else None
    if row is None or not any(name.endswith("'") for name in formula.names):
        what = "contains no rate of a measure."
        raise InputError(Fault(f"{entry.where}.speed", what, "Write rates with a prime: a' - 2*b'."))
    if not row.is_linear():
        raise InputError(Fault(f"{entry.where}.speed", "is not linear in the rates.", "Only such can be held."))
    return row
