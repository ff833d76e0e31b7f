"""Couplings: linear combinations of measures held constant. One function and one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from eigenbody.elements.checks import Wrong
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec


@dataclass(frozen=True, slots=True)
class CouplingType:
    """`terms(entry)` gives the coefficients of the measures; their sum equals `constant(entry)`. Without `terms` the
    coupling holds a speed at zero, its key `speed`."""

    spec: TypeSpec
    terms: Callable[[Entry], dict[str, float]] | None


def _ratio(entry: Entry) -> dict[str, float]:
    first, second = entry["joints"]
    return {first: 1.0, second: entry["ratio"]}


def _linear(entry: Entry) -> dict[str, float]:
    return dict(entry["terms"])


def _two(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    joints = values.get("joints")
    if isinstance(joints, tuple | list) and len(joints) != 2:
        yield "joints", f"two measures are coupled, but here are {len(joints)}.", "Write joints: [a, b]."


CONSTANT = Field("constant", Kind.NUMBER, default=0.0, doc="value of the combination, default 0")
RATIO_KEYS = (
    Field("joints", Kind.MEASURES, required=True, doc="two measures"),
    Field("ratio", Kind.NUMBER, required=True, doc="first + ratio * second = 0"),
    CONSTANT,
)

COUPLINGS: dict[str, CouplingType] = {
    name: CouplingType(TypeSpec(name, RATIO_KEYS, check=_two, doc="first + ratio * second = 0"), _ratio)
    for name in ("gear", "worm", "rack", "screw")
}
COUPLINGS["linear"] = CouplingType(
    TypeSpec("linear", (Field("terms", Kind.TERMS, required=True, doc="{measure: coefficient}"), CONSTANT),
             doc="sum of coefficient * measure = constant"),
    _linear,
)  # fmt: skip
COUPLINGS["velocity"] = CouplingType(
    TypeSpec("velocity",
             (Field("speed", Kind.EXPRESSION, required=True, doc="held at zero; linear in the rates: a' - r(b)*b'"),),
             doc="A general non-holonomic constraint."),
    None,
)  # fmt: skip
