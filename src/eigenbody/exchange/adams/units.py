"""Units of an Adams dataset: what one of its lengths, masses, forces and times is in SI units."""

from __future__ import annotations

from dataclasses import dataclass

from eigenbody.base.errors import suggest
from eigenbody.exchange.adams.statements import Statement, number
from eigenbody.exchange.base import Findings

KNOWN = {
    "LENGTH": {
        "METER": 1.0, "MILLIMETER": 1e-3, "CENTIMETER": 1e-2, "KILOMETER": 1e3, "INCH": 0.0254, "FOOT": 0.3048,
        "MILE": 1609.344,
    },
    "MASS": {
        "KILOGRAM": 1.0, "GRAM": 1e-3, "MEGAGRAM": 1e3, "POUND_MASS": 0.45359237, "OUNCE_MASS": 0.028349523125,
        "SLUG": 14.593902937206364, "KPOUND_MASS": 453.59237, "TONNE": 1e3, "SLINCH": 175.12683524647636,
    },
    "FORCE": {
        "NEWTON": 1.0, "KILONEWTON": 1e3, "MILLINEWTON": 1e-3, "CENTINEWTON": 1e-2, "DYNE": 1e-5,
        "POUND_FORCE": 4.4482216152605, "OUNCE_FORCE": 0.27801385095378, "KILOGRAM_FORCE": 9.80665,
        "KPOUND_FORCE": 4448.2216152605,
    },
    "TIME": {"SECOND": 1.0, "MILLISECOND": 1e-3, "MINUTE": 60.0, "HOUR": 3600.0},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Units:
    """One unit of the dataset in m, kg, N, s."""

    length: float = 1.0
    mass: float = 1.0
    force: float = 1.0
    time: float = 1.0


def units_of(statements: list[Statement], found: Findings) -> Units:
    """Of the statement UNITS; without it the numbers are taken as SI units, and a note says so."""
    given = next((s for s in statements if s.type == "UNITS"), None)
    if given is None:
        found.note("The file has no UNITS: its numbers are taken as kg, m, s, N.")
        return Units()
    if "SYSTEM" in given.values or given.flags & {"NONE"}:
        found.fault(given.title, given.line, "systems of units are not read.", "Give LENGTH, MASS, FORCE and TIME.")
        return Units()
    read = {}
    for kind, known in KNOWN.items():
        word = (given.values.get(kind) or [next((w for w in known if w in given.flags), "")])[0].upper()
        value = known.get(word, number(word) if word else None)
        if value is None:
            what = f'"{word}" is no {kind.lower()}.' if word else f"{kind} is missing."
            found.fault(given.title, given.line, what, suggest(word, list(known)) if word else f"Write {kind}=....")
        read[kind.lower()] = value or 1.0
    return Units(**read)
