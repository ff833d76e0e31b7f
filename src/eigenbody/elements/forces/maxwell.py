"""Maxwell element: a spring and a damper in series. Its state x is the deflection of the damper.

k (s - s0 - x) = c x', the tension of both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eigenbody.elements.checks import Wrong, positive
from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.forces.law import free_value, law, own_channels
from eigenbody.elements.forces.spring import DAMPING, ENDS, LENGTH, STIFFNESS, ends_given
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec


def build_maxwell(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Spring and damper in series, with the state `x`."""
    for entry, channel in own_channels(entries, builder):
        k, c, free = entry["k"], entry["c"], free_value(entry)
        builder.characteristic(channel, 1.0, law("k * (s - x)", k=k), entry.name, free)
        builder.state("x", entry.get("initial", 0.0), law("k / c * (s - x)", k=k, c=c), channel, entry.name, free, "s")


def maxwell_complete(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """Ends, free length, positive constants."""
    yield from ends_given(values, is_marker)
    if values.get("between") is not None and values.get("free_length") is None:
        yield "", "an element between two points needs its free_length.", 'Add "free_length: ..." in metres.'
    yield from positive(values, ("k", "c"))


MAXWELL = ForceType(
    TypeSpec(
        "maxwell",
        (
            *ENDS,
            Field("k", Kind.NUMBER, STIFFNESS, required=True, doc="stiffness of the spring"),
            Field("c", Kind.NUMBER, DAMPING, required=True, doc="damper in series"),
            Field("free_length", Kind.NUMBER, "m", doc="free length (point to point)"),
            Field("free", Kind.NUMBER, LENGTH, doc="value of the measure without force, default 0"),
            Field("initial", Kind.NUMBER, LENGTH, doc="deflection of the damper at the start, default 0"),
        ),
        one_of=(("between", "along"),),
        check=maxwell_complete,
        doc=__doc__ or "",
    ),
    build_maxwell,
)
