"""Springs that act on one side of a gap only: one-sided spring, bump stop, and backlash (play between two of them).

With d = max(0, side (s - gap)): f = side (k d^n) + c v while in contact; `smooth` replaces the corner by one of that
width. Which side of its corner each stands on is part of the operating point and is said there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eigenbody.elements.checks import Wrong, real
from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.forces.law import law, own_channels, positive_part
from eigenbody.elements.forces.spring import DAMPING, ENDS, LENGTH, STIFFNESS, ends_given
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

SIDES = {"above": 1, "below": -1}


def build_one_sided(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """One-sided springs and bump stops."""
    for entry, channel in own_channels(entries, builder):
        side = SIDES[entry["side"]]
        _add(entry, channel, side, entry["gap"], builder)


def build_backlash(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Play of the width `gap` about the centre: nothing inside, a spring at either end."""
    for entry, channel in own_channels(entries, builder):
        for side in (1, -1):
            _add(entry, channel, side, entry.get("centre", 0.0) + side * entry["gap"] / 2, builder)


def _add(entry: Entry, channel: int, side: int, gap: float, builder: ForceBuilder) -> None:
    smooth = entry.get("smooth", 0.0)
    depth = positive_part("side * (s - g)", smooth)
    contact = "(1 + side * (s - g) / sqrt((s - g)**2 + w**2)) / 2" if smooth else "step(side * (s - g))"
    text = f"side * k * ({depth})**n + c * v * {contact}"
    numbers = {"k": entry["k"], "c": entry.get("c", 0.0), "n": entry.get("exponent", 1.0)}
    builder.characteristic(channel, 1.0, law(text, side=float(side), g=gap, w=smooth, **numbers), entry.name)
    builder.stop(channel, side, gap, entry.name, is_sharp=not smooth and numbers["n"] == 1)


def sides_complete(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """Ends, and exponents and widths that make sense."""
    yield from ends_given(values, is_marker)
    exponent = real(values.get("exponent"))
    if exponent is not None and exponent < 1:
        yield "exponent", "an exponent of at least one is expected.", "1 is a linear spring, 1.5 a Hertzian contact."
    for key in ("smooth", "k"):
        value = real(values.get(key))
        if value is not None and value < 0:
            yield key, "a number above or equal to zero is expected.", "Correct it."


COMMON = (
    Field("k", Kind.NUMBER, STIFFNESS, required=True, doc="stiffness in contact (force at one unit of depth)"),
    Field("c", Kind.NUMBER, DAMPING, doc="damping in contact"),
    Field("exponent", Kind.NUMBER, "1", default=1.0, doc="power of the depth"),
    Field("smooth", Kind.NUMBER, LENGTH, doc="width of the corner, default sharp"),
)
ONE_SIDED = ForceType(
    TypeSpec(
        "one_sided",
        (
            *ENDS,
            Field("gap", Kind.NUMBER, LENGTH, required=True, doc="value of the measure at which contact begins"),
            Field("side", Kind.CHOICE, choices=tuple(SIDES), default="above", doc="side of the gap on which it acts"),
            *COMMON,
        ),
        one_of=(("between", "along"),),
        check=sides_complete,
        doc=__doc__ or "",
    ),
    build_one_sided,
)
BACKLASH = ForceType(
    TypeSpec(
        "backlash",
        (
            *ENDS,
            Field("gap", Kind.NUMBER, LENGTH, required=True, doc="whole play"),
            Field("centre", Kind.NUMBER, LENGTH, doc="middle of the play, default 0"),
            *COMMON,
        ),
        one_of=(("between", "along"),),
        check=sides_complete,
        doc="Play between two one-sided springs.",
    ),
    build_backlash,
)
