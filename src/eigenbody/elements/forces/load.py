"""Forces and torques at one body, in ground or body axes; actuators and expression forces along a measure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.forces.spring import ENDS, FORCE, channels, ends_given
from eigenbody.elements.measures.loads import LoadDirection
from eigenbody.elements.places import Places
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec


def load_directions(places: Places, entry: Entry, is_torque: bool) -> LoadDirection:
    """The three directions of a load given by its keys `body`, `at`, `axes`, `frame`."""
    carrier = places.carriers([entry["body"]] * 3)
    at = entry.get("at")
    if at is None:
        arm = places.local_points(carrier, np.broadcast_to(places.origin(entry["body"]), (3, 3)))
    elif entry.get("frame", "ground") == "body":
        arm = np.broadcast_to(at, (3, 3))
    else:
        arm = places.local_points(carrier, np.broadcast_to(at, (3, 3)))
    marker = places.description.markers.get(entry["body"])
    in_body = entry.get("axes", "ground") == "body"
    e = np.eye(3)
    if in_body and marker is not None:
        e = places.local_axes(carrier[:1], marker.rotation[None])[0].T  # body axes of a marker are the marker's own
    return LoadDirection(carrier[:, None], arm, e, is_torque, in_body)


def _build(entries: Sequence[Entry], builder: ForceBuilder, is_torque: bool) -> None:
    builder.own([entry.name for entry in entries])
    for entry in entries:
        where = builder.private(load_directions(builder.places, entry, is_torque))
        for channel, signal in zip(where, entry["value"], strict=True):
            builder.characteristic(int(channel), -1.0, signal, entry.name, is_along=False)


def build_force(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Forces at points of bodies."""
    _build(entries, builder, is_torque=False)


def build_torque(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Torques on bodies."""
    _build(entries, builder, is_torque=True)


def build_along(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """A positive value increases the measure."""
    builder.own([entry.name for entry in entries])
    for entry, channel in zip(entries, channels(entries, builder), strict=True):
        builder.characteristic(int(channel), -1.0, entry["value"], entry.name)


def _keys(unit: str) -> tuple[Field, ...]:
    return (
        Field("body", Kind.BODY, required=True, doc="body or marker on which it acts"),
        Field("at", Kind.POINT, "m", doc="point of application, default the marker or the centre of mass"),
        Field("value", Kind.SIGNALS, unit, required=True, doc="three components: numbers, expressions or tables"),
        Field("axes", Kind.CHOICE, choices=("ground", "body"), default="ground", doc="axes of the components"),
        Field("frame", Kind.CHOICE, choices=("ground", "body"), default="ground", doc="body: `at` is local"),
    )


ACTING_ALONG = (*ENDS, Field("value", Kind.SIGNAL, FORCE, required=True, doc="force; positive increases the measure"))
ALONG = (("between", "along"),)

POINT_FORCE = ForceType(TypeSpec("force", _keys("N"), doc="Force at a point of a body."), build_force)
TORQUE = ForceType(TypeSpec("torque", _keys("N*m"), doc="Torque on a body."), build_torque)
EXPRESSION = ForceType(
    TypeSpec(
        "expression", ACTING_ALONG, one_of=ALONG, check=ends_given, doc="Force along a measure given by an expression."
    ),
    build_along,
)
ACTUATOR = ForceType(
    TypeSpec(
        "actuator", ACTING_ALONG, one_of=ALONG, check=ends_given, doc="Force along a measure or between two points."
    ),
    build_along,
)
