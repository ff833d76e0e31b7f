"""Springs and dampers between two points or along any measure: f = k (s - s0) + c s' + force(s, v)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.checks import Wrong
from eigenbody.elements.forces.base import ForceBuilder, ForceType, column
from eigenbody.elements.measures.templates import Distance
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec
from eigenbody.spatial.rotations import dot

STIFFNESS = {"m": "N/m", "rad": "N*m/rad", "1": "N"}
DAMPING = {"m": "N*s/m", "rad": "N*m*s/rad", "1": "N*s"}
LENGTH = {"m": "m", "rad": "rad", "1": "1"}
FORCE = {"m": "N", "rad": "N*m", "1": "N"}

ENDS = (
    Field("between", Kind.BETWEEN, doc="two bodies or markers: point to point"),
    Field("at", Kind.POINTS, "m", doc="the two end points"),
    Field("along", Kind.MEASURE, doc="the measure along which it acts"),
)


def channels(entries: Sequence[Entry], builder: ForceBuilder) -> np.ndarray:
    """Channel of each entry: its own distance, or the measure it names."""
    out = np.empty(len(entries), dtype=int)
    points = [i for i, e in enumerate(entries) if e.get("along") is None]
    named = [i for i, e in enumerate(entries) if e.get("along") is not None]
    if points:
        chosen = [entries[i] for i in points]
        pairs = builder.places.pairs(chosen)
        _refuse_zero_length(chosen, builder)
        out[points] = builder.private(Distance().kernel(pairs))
    out[named] = builder.along([entries[i]["along"] for i in named])
    return out


def _refuse_zero_length(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    faults = []
    for entry in entries:
        at = entry.get("at")
        ends = at if at is not None else np.stack([builder.places.origin(name) for name in entry["between"]])
        if abs(dot(ends[1] - ends[0], ends[1] - ends[0])) < 1e-24:
            faults.append(
                Fault(entry.where, "its two points coincide, so its direction is undefined.", "Use a bushing instead.")
            )
    if faults:
        raise InputError(faults)


def ends_given(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """An element between two bodies needs its points; markers bring theirs."""
    ends = values.get("between")
    if ends is not None and values.get("at") is None and not all(map(is_marker, ends)):
        yield "", "between two bodies it needs its two end points.", 'Give them as "at: [[..], [..]]".'


def spring_complete(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """Points, free length and something that resists."""
    yield from ends_given(values, is_marker)
    if values.get("between") is not None and values.get("free_length") is None:
        yield "", "a spring between two points needs its free_length.", 'Add "free_length: ..." in metres.'
    if all(values.get(key) is None for key in ("k", "c", "force")):
        yield "", "has neither k, c nor force.", 'Give at least one, for example "k: 1000".'


def build_spring(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Springs with damping and, if given, a further characteristic."""
    owner = builder.own([entry.name for entry in entries])
    where = channels(entries, builder)
    free = np.array([e.get("free", 0.0) if e.get("along") is not None else e["free_length"] for e in entries])
    builder.couple(where, where, column(entries, "k"), column(entries, "c"), owner, free)
    for entry, channel, s0 in zip(entries, where, free, strict=True):
        if entry.get("force") is not None:
            builder.characteristic(int(channel), 1.0, entry["force"], entry.name, s0)


def build_damper(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Dampers alone."""
    owner = builder.own([entry.name for entry in entries])
    c = column(entries, "c")
    where = channels(entries, builder)
    builder.couple(where, where, np.zeros_like(c), c, owner)


SPRING = ForceType(
    TypeSpec(
        "spring",
        (
            *ENDS,
            Field("k", Kind.NUMBER, STIFFNESS, doc="stiffness"),
            Field("c", Kind.NUMBER, DAMPING, doc="viscous damping"),
            Field("free_length", Kind.NUMBER, "m", doc="free length (point to point)"),
            Field("free", Kind.NUMBER, LENGTH, doc="value of the measure without force, default 0"),
            Field(
                "force", Kind.SIGNAL, FORCE, doc="further tension: expression of s (deflection) and v (rate), or table"
            ),
        ),
        one_of=(("between", "along"),),
        check=spring_complete,
        doc=__doc__ or "",
    ),
    build_spring,
)
DAMPER = ForceType(
    TypeSpec(
        "damper",
        (*ENDS, Field("c", Kind.NUMBER, DAMPING, required=True, doc="viscous damping")),
        one_of=(("between", "along"),),
        check=ends_given,
        doc="Viscous damper between two points or along any measure.",
    ),
    build_damper,
)
