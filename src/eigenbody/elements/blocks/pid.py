"""PID controller: y = kp e + ki integral(e) + kd e_filtered', the derivative by a filter of time constant `filter`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from eigenbody.elements.blocks.base import BlockState, BlockType, Expansion, combination, name
from eigenbody.elements.blocks.transfer import INPUT
from eigenbody.elements.checks import Wrong, at_most
from eigenbody.model.description import Entry
from eigenbody.model.expressions import Expression
from eigenbody.model.vocabulary import Field, Kind, TypeSpec


def expand_pid(entry: Entry) -> Expansion:
    """State `integral` with an integral part, state `filtered` with a derivative part."""
    error: Expression = entry["input"]
    states, coefficients, terms = [], [entry["kp"]], [error]
    if entry["ki"] != 0:
        states.append(BlockState("integral", 0.0, error))
        coefficients.append(entry["ki"])
        terms.append(name(entry, "integral"))
    if entry["kd"] != 0:
        rate = combination([1 / entry["filter"], -1 / entry["filter"]], [error, name(entry, "filtered")])
        states.append(BlockState("filtered", 0.0, rate))
        coefficients.append(entry["kd"])
        terms.append(rate)
    return Expansion(tuple(states), {"": combination(coefficients, terms)})


def filter_given(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """A derivative needs its filter."""
    if values.get("kd") and values.get("filter") is None:
        yield "", "a derivative part needs the time constant of its filter.", 'Add for example "filter: 1 ms".'
    if at_most(values.get("filter"), 0):
        yield "filter", "a time above zero is expected.", "Write for example 1 ms."


PID = BlockType(
    TypeSpec(
        "pid",
        (
            INPUT,
            Field("kp", Kind.NUMBER, default=0.0, doc="proportional gain"),
            Field("ki", Kind.NUMBER, default=0.0, doc="integral gain"),
            Field("kd", Kind.NUMBER, default=0.0, doc="derivative gain"),
            Field("filter", Kind.NUMBER, "s", doc="time constant of the derivative's filter"),
        ),
        check=filter_given,
        doc=__doc__ or "",
    ),
    expand_pid,
)
