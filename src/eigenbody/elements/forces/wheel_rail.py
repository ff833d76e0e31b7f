"""Conical wheel on a rail: creep forces linear in creepage (Kalker's coefficients given), rolling radius by conicity.

The rail runs along the heading of the wheel as drawn. y is the displacement of the centre of the wheel across the rail;
the wheel touches below its centre at the radius r + conicity y. With the slip of that point over the forward speed V:

    Fx = -longitudinal sx/|V|     Fy = -(lateral sy + lateral_spin wn)/|V|     Mz = -(spin wn - lateral_spin sy)/|V|

Wheels are held in height by joints; the lateral part of the normal force (gravity stiffness) is a spring of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eigenbody.elements.checks import Wrong, positive
from eigenbody.elements.forces.base import ForceBuilder, ForceType, column
from eigenbody.elements.forces.law import law
from eigenbody.elements.forces.wheel import WHEEL, Wheels, say_still, speed_text, wheel_complete
from eigenbody.elements.measures.contact import ALONG_RAIL, DRIFTING_ON_RAIL, SLIDING_ON_RAIL, TURNING
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

REMEDY = 'Give the vehicle a speed, or the wheel a "low_speed".'


def build_wheel_rail(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Creep forces along the rail, across it, and the spin moment."""
    builder.own([entry.name for entry in entries])
    wheels = Wheels.of(entries, builder.places, ("radius",))
    wheels.size["cone"] = column(entries, "conicity")
    kernels = {"vx": ALONG_RAIL, "sx": SLIDING_ON_RAIL, "sy": DRIFTING_ON_RAIL, "wn": TURNING}
    channels = {local: builder.private(wheels.speed(speed)) for local, speed in kernels.items()}
    for i, entry in enumerate(entries):
        say_still(builder, entry, REMEDY)
        for local, channel in channels.items():
            builder.call(local, "v", int(channel[i]), entry.name)
        for local, text in _laws(entry).items():
            numbers = {key: entry.get(key, 0.0) for key in ("longitudinal", "lateral", "lateral_spin", "spin")}
            formula = law(f"({text}) / {speed_text(entry)}", low=entry.get("low_speed", 0.0), **numbers)
            builder.characteristic(int(channels[local][i]), 1.0, formula, entry.name)


def _laws(entry: Entry) -> dict[str, str]:
    laws = {"sx": "longitudinal * own.sx", "sy": "lateral * own.sy + lateral_spin * own.wn"}
    if entry.get("spin") is not None or entry.get("lateral_spin") is not None:
        laws["wn"] = "spin * own.wn - lateral_spin * own.sy"
    return laws


def wheel_rail_complete(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """A place, a radius, coefficients that resist."""
    yield from wheel_complete(values, is_marker)
    yield from positive(values, ("longitudinal", "lateral", "low_speed"))


WHEEL_RAIL = ForceType(
    TypeSpec(
        "wheel_rail",
        (
            *WHEEL,
            Field("conicity", Kind.NUMBER, "1", default=0.0, doc="growth of the radius per displacement to the left"),
            Field("longitudinal", Kind.NUMBER, "N", required=True, doc="Kalker's longitudinal coefficient (f33)"),
            Field("lateral", Kind.NUMBER, "N", required=True, doc="Kalker's lateral coefficient (f11)"),
            Field("lateral_spin", Kind.NUMBER, "N*m", doc="coefficient of lateral force by spin (f12)"),
            Field("spin", Kind.NUMBER, "N*m*m", doc="spin coefficient (f22)"),
        ),
        check=wheel_rail_complete,
        doc=__doc__ or "",
    ),
    build_wheel_rail,
)
