"""The sections that need no element: bodies, markers and moving frames."""

from __future__ import annotations

import numpy as np

from eigenbody.model.vocabulary import Field, Kind, TypeSpec

_ORIGIN = np.zeros(3)
_ORIGIN.setflags(write=False)

BODY = TypeSpec(
    "",
    (
        Field("mass", Kind.NUMBER, "kg", required=True, doc="mass; not negative"),
        Field(
            "inertia", Kind.INERTIA, "kg*m^2", doc="about the centre of mass, body axes: 3, 6 or 3x3; none: point mass"
        ),
        Field("at", Kind.POINT, "m", required=True, doc="centre of mass in the reference configuration, global axes"),
        Field("rotation", Kind.ROTATION, doc="body axes in the reference configuration, default global axes"),
        Field("shape", Kind.ANY, doc="for drawing only"),
    ),
    doc="A rigid body.",
)
MARKER = TypeSpec(
    "",
    (
        Field("body", Kind.BODY, required=True, doc="body, moving frame or ground that carries the marker"),
        Field("at", Kind.POINT, "m", doc="position; may be left out with `frame: body` (centre of mass)"),
        Field("rotation", Kind.ROTATION, doc="axes of the marker, default those of its frame"),
        Field("frame", Kind.CHOICE, choices=("ground", "body"), default="ground", doc="axes in which these are given"),
    ),
    doc="A frame fixed on a body.",
)
FRAME = TypeSpec(
    "",
    (
        Field("about", Kind.DIRECTION, required=True, doc="axis of rotation"),
        Field("at", Kind.POINT, "m", default=_ORIGIN, doc="a point on the axis, default the origin"),
        Field("rate", Kind.NUMBER, "rad/s", required=True, doc="angular velocity"),
    ),
    doc="A moving reference frame with prescribed rotation.",
)
BUILTIN: dict[str, dict[str, TypeSpec]] = {"bodies": {"": BODY}, "markers": {"": MARKER}, "frames": {"": FRAME}}

SECTIONS = (
    "bodies", "frames", "markers", "joints", "couplings", "drivers", "measures", "forces", "states", "variables",
    "inputs", "outputs",
)  # fmt: skip
TOP_LEVEL = ("eigenbody", "name", "parameters", "gravity", *SECTIONS, "coordinates", "operating_point")
OPERATING_POINTS = ("reference", "equilibrium", "steady", "simulate")
VERSION = 1
