"""What needs no element: bodies, markers, moving frames, and the ways to find an operating point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from eigenbody.model.vocabulary import Field, Kind, TypeSpec

_ORIGIN = np.zeros(3)
_ORIGIN.setflags(write=False)

BODY = TypeSpec(
    "",
    (
        Field("mass", Kind.NUMBER, "kg", doc="mass; not negative; required unless it is a disc or fills a mesh"),
        Field(
            "inertia", Kind.INERTIA, "kg*m^2", doc="about the centre of mass, body axes: 3, 6 or 3x3; none: point mass;"
            " or {mesh, density, scale, at}: that of what a mesh encloses, which gives mass and place, too"
        ),
        Field("disc", Kind.DISC, doc="in place of mass and inertia: {mass, Id, Ip} or {diameter, width, density}"),
        Field("at", Kind.POINT, "m", doc="centre of mass in the reference configuration, global axes; required unless"
              " it is on a node or fills a mesh"),
        Field("on", Kind.BODY, doc="body, marker or node that it is fixed on"),
        Field("rotation", Kind.ROTATION, doc="body axes in the reference configuration, default global axes"),
        Field("shape", Kind.ANY, doc="for drawing only"),
    ),
    doc="A rigid body.",
)  # fmt: skip
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
ROTOR = TypeSpec(
    "",
    (
        Field("joint", Kind.TEXT, required=True, doc="joint whose second body is the hub that turns"),
        Field("blades", Kind.NAMES, required=True, doc="the same body of each blade, three or more"),
    ),
    doc="Equal blades on a hub, named by hand.",
)
BUILTIN: dict[str, dict[str, TypeSpec]] = {
    "bodies": {"": BODY}, "markers": {"": MARKER}, "frames": {"": FRAME}, "rotors": {"": ROTOR},
}  # fmt: skip

SECTIONS = (
    "bodies", "flexible", "frames", "markers", "joints", "couplings", "drivers", "measures", "forces", "states",
    "variables", "blocks", "inputs", "outputs", "rotors",
)  # fmt: skip
TOP_LEVEL = ("eigenbody", "name", "parameters", "gravity", *SECTIONS, "coordinates", "poses", "pose",
             "tolerance", "operating_point", "optimization")  # fmt: skip


def _after_the_start(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[tuple[str, str, str]]:
    until = values.get("until")
    if isinstance(until, float) and until <= 0:
        yield "until", "the end of the simulation must come after its start at t = 0.", "Give a positive time."
    most = values.get("max_steps")
    if isinstance(most, float) and most < 1:
        yield "max_steps", f"{most:g} is not a number of steps.", "Give 1 or more."


OPERATING_POINTS = {
    "reference": TypeSpec("reference", (), doc="The initial state, made consistent."),
    "equilibrium": TypeSpec(
        "equilibrium",
        (
            Field(
                "which", Kind.CHOICE, choices=("stable", "nearest"), default="stable",
                doc="the stable one nearest to the initial state, or the first one found, stable or not",
            ),
        ),
        doc="The static equilibrium.",
    ),
    "held": TypeSpec(
        "held",
        (Field("joints", Kind.ANY, default="all", doc="joints or coordinates that hold the pose: a list, or all"),),
        doc="The initial state at rest, held by forces and torques along joints, which are inputs of the linear model.",
    ),
    "steady": TypeSpec(
        "steady",
        (
            Field("prescribed", Kind.ANY, doc="values of measures (name) and of their rates (name') that are held"),
            Field("adjust", Kind.ANY, doc="measures, rates (name'), inputs and parameters that may change"),
        ),
        doc="A steady motion.",
    ),
    "simulate": TypeSpec(
        "simulate",
        (
            Field("until", Kind.NUMBER, "s", required=True, doc="time at which the motion is taken"),
            Field("max_steps", Kind.NUMBER, "1", doc="steps that it may take, 5000 if not given"),
        ),
        check=_after_the_start,
        doc="The end of a simulation.",
    ),
    "periodic": TypeSpec(
        "periodic",
        (
            Field("period", Kind.ANY, required=True, doc='time after which the motion comes back, or "free": a cycle'),
            Field("guess", Kind.NUMBER, "s", doc="of the period of a cycle; default that of the growing mode"),
            Field("settle", Kind.NUMBER, "s", doc="time that the mechanism runs before the search begins"),
        ),
        doc="A periodic motion, at the start of its period.",
    ),
}  # fmt: skip
VERSION = 1
