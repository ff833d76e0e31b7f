"""Laws written as formulas: a text with the numbers of an entry put in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eigenbody.elements.forces.base import ForceBuilder
from eigenbody.elements.forces.spring import channels
from eigenbody.model.description import Entry
from eigenbody.model.expressions import Expression, parse


def law(text: str, **numbers: Any) -> Expression:
    """The formula with the named numbers (or expressions) put in. What is left are names of the element: `s` and `v`,
    the deflection and its rate, and its states. They become `own.s`, ..., which no expression of a user means."""
    formula = parse(text)
    left = {name for name in formula.names - numbers.keys() if "." not in name}
    return formula.substitute({**numbers, **{name: Expression.symbol(f"own.{name}") for name in left}})


def positive_part(text: str, smooth: float) -> str:
    """Formula of max(0, x), or of its smooth stand-in (x + sqrt(x^2 + w^2)) / 2, which is w/2 at the corner."""
    return f"max(0, {text})" if not smooth else f"(({text}) + sqrt(({text})**2 + w**2)) / 2"


def free_value(entry: Entry) -> float:
    """Value of the measure without force: `free_length` between two points, `free` along a measure."""
    return float(entry["free_length"]) if entry.get("along") is None else entry.get("free", 0.0)


def own_channels(entries: Sequence[Entry], builder: ForceBuilder) -> list[tuple[Entry, int]]:
    """Register the entries and find the channel of each."""
    builder.own([entry.name for entry in entries])
    return [(entry, int(c)) for entry, c in zip(entries, channels(entries, builder), strict=True)]
