"""Measures that are sums of others: what they are made of, and in what unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from eigenbody.model.description import Entry
from eigenbody.model.faults import Faults
from eigenbody.model.parameters import sort_by_use
from eigenbody.model.source import shown

SUM = "sum"


@dataclass(frozen=True, slots=True)
class Sum:
    """Names of the terms, and the unit where it is given."""

    terms: tuple[str, ...]
    unit: str | None = None


def sums_in(measures: Mapping[str, Any]) -> dict[str, Sum]:
    """The sums in the section `measures` of a file, some of whose entries may be faulty."""
    found = {}
    for name, raw in measures.items():
        if isinstance(raw, dict) and raw.get("type") == SUM and isinstance(raw.get("terms"), dict):
            unit = raw.get("unit")
            found[name] = Sum(tuple(map(str, raw["terms"])), unit if isinstance(unit, str) else None)
    return found


def sums_of(measures: tuple[Entry, ...]) -> dict[str, Sum]:
    """The sums among entries."""
    return {entry.name: Sum(tuple(entry["terms"]), entry.get("unit")) for entry in measures if entry.type == SUM}


def in_order(sums: Mapping[str, Sum]) -> tuple[list[str], list[list[str]]]:
    """Names of the sums, each after those that it is made of, and loops of such that are made of themselves."""
    order, loops = sort_by_use({name: frozenset(item.terms) for name, item in sums.items()})
    return [name for name in order if name in sums], loops


def plain_terms(entry: Entry, sums: Mapping[str, Entry]) -> tuple[dict[str, Any], Any]:
    """Factors of measures that are no sums themselves, and the constant."""
    factors: dict[str, Any] = {}
    constant = entry.get("constant", 0.0)
    for name, factor in entry["terms"].items():
        inner, more = plain_terms(sums[name], sums) if name in sums else ({name: 1.0}, 0.0)
        constant = constant + factor * more
        for own, share in inner.items():
            factors[own] = factors[own] + factor * share if own in factors else factor * share
    return factors, constant


class Dimensions(Protocol):
    """What tells the dimension of a measure by its name."""

    def get(self, name: str) -> str | None: ...


def check_sums(sums: Mapping[str, Sum], dimensions: Dimensions, faults: Faults) -> None:
    """No sum is made of itself, and metres are not added to radians without saying what the sum is."""
    for loop in in_order(sums)[1]:
        chain = " -> ".join([*loop, loop[0]])
        faults.add(("measures", loop[0], "terms"), f"sums are made of themselves: {shown(chain, 200)}.")
        return
    for name, item in sums.items():
        units = dict.fromkeys(unit for term in item.terms if (unit := dimensions.get(term)))
        if item.unit is None and len(units) > 1:
            what = f"its terms are in {' and in '.join(units)}, so the unit of the sum is not known."
            faults.add(("measures", name), what, 'Give it as "unit: m", "unit: rad" or "unit: 1".')
