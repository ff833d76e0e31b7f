"""Couplings: combinations of measures held constant, linear ones and polynomials. One function and one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.elements.checks import Wrong
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec


@dataclass(frozen=True, slots=True)
class CouplingType:
    """`terms(entry)` gives the coefficients of the measures; their sum, less polynomials of further measures, equals
    `constant(entry)`. Without `terms` the coupling holds a speed at zero, its key `speed`."""

    spec: TypeSpec
    terms: Callable[[Entry], dict[str, float]] | None
    polynomials: Callable[[Entry], dict[str, Sequence[float]]] = lambda entry: {}


def _ratio(entry: Entry) -> dict[str, float]:
    first, second = entry["joints"]
    return {first: 1.0, second: entry["ratio"]}


def _linear(entry: Entry) -> dict[str, float]:
    return dict(entry["terms"])


def _first(entry: Entry) -> dict[str, float]:
    return {entry["joints"][0]: 1.0}


def _polynomial(entry: Entry) -> dict[str, Sequence[float]]:
    return {entry["joints"][1]: list(entry["coefficients"])}


def _two(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    joints = values.get("joints")
    if isinstance(joints, tuple | list) and len(joints) != 2:
        yield "joints", f"two measures are coupled, but here are {len(joints)}.", "Write joints: [a, b]."


def _two_others(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    yield from _two(values, is_marker)
    joints, coefficients = values.get("joints"), values.get("coefficients")
    if isinstance(joints, tuple | list) and len(joints) == 2 and joints[0] == joints[1]:
        yield "joints", "a measure is no function of itself.", "Name two measures."
    if isinstance(coefficients, np.ndarray) and not 1 <= len(coefficients) <= MOST:
        yield "coefficients", f"1 to {MOST} coefficients are expected, not {len(coefficients)}.", "Correct them."


MOST = 20  # coefficients of a polynomial
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
COUPLINGS["polynomial"] = CouplingType(
    TypeSpec("polynomial",
             (Field("joints", Kind.MEASURES, required=True, doc="two measures, the first a function of the second"),
              Field("coefficients", Kind.NUMBERS, required=True, doc="c0, c1, c2, ... of the powers, in SI units")),
             check=_two_others, doc="first = c0 + c1 * second + c2 * second^2 + ..."),
    _first, _polynomial,
)  # fmt: skip
COUPLINGS["velocity"] = CouplingType(
    TypeSpec("velocity",
             (Field("speed", Kind.EXPRESSION, required=True, doc="held at zero; linear in the rates: a' - r(b)*b'"),),
             doc="A general non-holonomic constraint."),
    None,
)  # fmt: skip
