"""Measure types of the model file: one function and one registry line each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.elements.measures.angles import SEQUENCES, angle_kernels
from eigenbody.elements.measures.features import ScalarProduct
from eigenbody.elements.measures.templates import (
    Angle,
    Cosine,
    Displacement,
    Distance,
    Kernel,
    Pairs,
    Rotation,
    displacement_in,
)
from eigenbody.elements.places import Places
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Coordinate, Field, Kind, TypeSpec
from eigenbody.spatial.rotations import frame


@dataclass(frozen=True, slots=True)
class MeasureType:
    """A type of the `measures` section: its keys and the kernel of one entry."""

    spec: TypeSpec
    kernel: Callable[[Entry, Places], Kernel | tuple[Kernel, ...]]  # one for each of the coordinates of the spec

    def kernels(self, entry: Entry, places: Places) -> tuple[Kernel, ...]:
        """The kernel of every measure of an entry."""
        made = self.kernel(entry, places)
        return made if isinstance(made, tuple) else (made,)

    def names(self, entry: Entry) -> list[str]:
        """Their names."""
        return [f"{entry.name}.{c.label}" for c in self.spec.coordinates] or [entry.name]


BETWEEN = Field("between", Kind.BETWEEN, required=True, doc="first and second body or marker")
AT = Field("at", Kind.POINTS, "m", doc="points on the two, default their markers or centres of mass")
AXIS = Field("axis", Kind.DIRECTION, doc="direction, default the first marker's z or global z")
AXIS2 = Field("axis2", Kind.DIRECTION, doc="second direction")
IN = Field("in", Kind.BODY, doc="body, marker or frame in which the axis is fixed, default the first")


def _with_points(entry: Entry, places: Places) -> Entry:
    """The entry with its points spelled out: each end at its own marker or centre of mass."""
    if entry.get("at") is not None:
        return entry
    at = np.stack([places.origin(name) for name in entry["between"]])
    return Entry(entry.name, entry.type, {**entry.values, "at": at}, entry.where)


def _displacement(entry: Entry, places: Places) -> Kernel:
    pairs = places.pairs([_with_points(entry, places)])
    fixed_in = entry.get("in")
    carrier = pairs.first if fixed_in is None else places.carriers([fixed_in])
    if carrier[0] == pairs.first[0]:
        return Displacement("z").kernel(pairs)
    direction = places.R[pairs.first] @ pairs.axes1[..., :, 2:]
    local = (np.swapaxes(places.R[carrier], -1, -2) @ direction)[..., 0]
    if carrier[0] == pairs.second[0]:
        return _along_second(pairs, local)
    return displacement_in(pairs, carrier, local)


def _along_second(pairs: Pairs, local: np.ndarray) -> Kernel:
    axes2 = np.array(pairs.axes2, dtype=np.result_type(pairs.axes2, local))
    axes2[..., :, 2] = local
    return ScalarProduct(pairs.carriers, replace(pairs, axes2=axes2).direction("z2"), pairs.separation)


def _distance(entry: Entry, places: Places) -> Kernel:
    return Distance().kernel(places.pairs([_with_points(entry, places)]))


def _angle(entry: Entry, places: Places) -> Kernel:
    return Angle("z1").kernel(places.pairs([_with_points(entry, places)]))


def _cosine(entry: Entry, places: Places) -> Kernel:
    """The two directions as they are: `axis2` need not be perpendicular to `axis`, and is `axis` where not given."""
    plain = {key: value for key, value in entry.values.items() if key != "axis2"}
    pairs = places.pairs([_with_points(Entry(entry.name, entry.type, plain, entry.where), places)])
    if entry.get("axis2") is not None:
        pairs = replace(pairs, axes2=places.local_axes(pairs.second, frame(entry["axis2"])[None]))
    return Cosine("z1", "z2").kernel(pairs)


def _rotation(entry: Entry, places: Places) -> Kernel:
    return Rotation("z").kernel(places.pairs([_with_points(entry, places)]))


def angle_pairs(entry: Entry, places: Places) -> Pairs:
    """The frames of a measure of angles: those of the joint that it is of, else its own."""
    if entry.get("of") is None:
        return places.pairs([_with_points(entry, places)])
    joints = {joint.name: joint for joint in places.description.joints}
    if entry["of"] not in joints:
        known = [name for name in joints if "." not in name]
        raise InputError(Fault(entry.where, f'there is no joint "{entry["of"]}".', suggest(entry["of"], known)))
    return places.pairs([joints[entry["of"]]])


def _angles(entry: Entry, places: Places) -> tuple[Kernel, ...]:
    return angle_kernels(angle_pairs(entry, places), entry["sequence"])


ANGLES = TypeSpec(
    "angles",
    (
        Field("of", Kind.TEXT, doc="joint whose second body turns relative to the first"),
        replace(BETWEEN, required=False, doc="first and second body or marker, in place of a joint"),
        AT,
        AXIS,
        AXIS2,
        Field("sequence", Kind.CHOICE, choices=SEQUENCES, default="xyz", doc="axes of the rotations, each in the frame"
              " turned by those before (intrinsic)"),
        Field("position", Kind.COORDINATES, "coordinate", doc="initial angles"),
        Field("velocity", Kind.COORDINATES, "coordinate/s", doc="initial rates of the angles"),
    ),
    coordinates=tuple(Coordinate(label, "rad") for label in "123"),
    one_of=(("of", "between"),),
    doc="three angles of the second relative to the first, `name.1 name.2 name.3`: Euler, Cardan, any sequence",
)  # fmt: skip

MEASURES: dict[str, MeasureType] = {
    measure.spec.name: measure
    for measure in (
        MeasureType(TypeSpec("displacement", (BETWEEN, AT, AXIS, IN), dimension="m",
                             doc="displacement of the second point from the first along the axis"), _displacement),
        MeasureType(TypeSpec("distance", (BETWEEN, AT), dimension="m", doc="distance of two points"), _distance),
        MeasureType(TypeSpec("angle", (BETWEEN, AT, AXIS, AXIS2), dimension="rad",
                             doc="angle of the second about the axis fixed in the first; counts full turns"), _angle),
        MeasureType(TypeSpec("rotation", (BETWEEN, AT, AXIS, AXIS2), dimension="rad",
                             doc="component of the relative rotation vector along the axis of the first"), _rotation),
        MeasureType(TypeSpec("cosine", (BETWEEN, AT, AXIS, AXIS2), dimension="1",
                             doc="cosine between axis of the first and axis2 of the second"), _cosine),
        MeasureType(ANGLES, _angles),
    )
}  # fmt: skip
