"""Knobs of a model: its parameters, or where it has none its masses and stiffnesses, with a range to turn them in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from eigenbody.analyses.sensitivity import design_numbers
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.model import InertModel
from eigenbody.model.units import UnitError, parse_quantity, quantity_dimensionality, split_quantity

MOST = 60
FACTOR = 5.0  # range of a number that only factors make sense of, to both sides


@dataclass(frozen=True)
class Knob:
    """A number to turn: its name or path, its value, unit and range as the file writes them."""

    name: str
    value: float
    unit: str
    low: float
    high: float
    scale: str  # "log" or "linear"

    def si(self, value: float) -> float:
        """The number in SI units, by the same arithmetic as the file is read with."""
        return parse_quantity(f"{value!r} {self.unit}", None) if self.unit else float(value)

    def written(self, si: float) -> float:
        """A number in SI units as the file would write it."""
        return si / self.si(1.0)


def knobs_of(model: InertModel) -> tuple[Knob, ...]:
    """The knobs of a model, in its own order."""
    try:
        names = design_numbers(model)[:MOST]
    except InputError:
        return ()
    ranges = (model.document.get("optimization") or {}).get("variables") or {}
    return tuple(_knob(name, model.written(name), ranges.get(name)) for name in names)


def as_documents(knobs: tuple[Knob, ...]) -> list[dict[str, Any]]:
    """For the page."""
    return [asdict(knob) for knob in knobs]


def si_values(knobs: tuple[Knob, ...], values: Mapping[str, float]) -> dict[str, float]:
    """Numbers of the page in SI units; InputError where one is of no knob."""
    known = {knob.name: knob for knob in knobs}
    wrong = [name for name in values if name not in known]
    if wrong:
        raise InputError(Fault(wrong[0], f'"{wrong[0]}" is no knob of the model.', suggest(wrong[0], list(known))))
    return {name: known[name].si(float(value)) for name, value in values.items()}


def _knob(name: str, written: Any, given: Any) -> Knob:
    value, unit = split_quantity(written) if isinstance(written, str) else (float(written), "")
    low, high, scale = _range(value, unit)
    if isinstance(given, Mapping) and {"from", "to"} <= given.keys():
        own = Knob(name, value, unit, low, high, scale)
        try:
            low, high = (_as_written(own, given[end]) for end in ("from", "to"))
            scale = "log" if given.get("scale") == "log" and low > 0 else "linear"
        except (UnitError, TypeError, ValueError):
            low, high, scale = _range(value, unit)
    return Knob(name, value, unit, min(low, value), max(high, value), scale)


def _as_written(knob: Knob, given: Any) -> float:
    """The end of a range of the section `optimization`: a number is in SI units."""
    return knob.written(parse_quantity(given, None) if isinstance(given, str) else float(given))


def _range(value: float, unit: str) -> tuple[float, float, str]:
    of = dict(quantity_dimensionality(f"1 {unit}") or ()) if unit else {}
    if value > 0 and ("[mass]" in of or (not unit and value >= 10)):  # masses, stiffnesses, dampings
        return value / FACTOR, value * FACTOR, "log"
    if value == 0:
        return -1.0, 1.0, "linear"
    return (0.0, 2 * value, "linear") if value > 0 else (2 * value, 0.0, "linear")
