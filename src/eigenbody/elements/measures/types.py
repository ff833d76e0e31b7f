"""Measure types of the model file: one function and one registry line each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.elements.measures.angles import SEQUENCES, angle_kernels
from eigenbody.elements.measures.features import ScalarProduct
from eigenbody.elements.measures.momentum import AngularMomentum
from eigenbody.elements.measures.quaternion import LABELS, quaternion_kernels
from eigenbody.elements.measures.slip import Slip
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
from eigenbody.elements.measures.turning import AngularSpeed
from eigenbody.elements.places import GLOBAL_Z, GROUND, Places
from eigenbody.model.description import Entry, owner_of
from eigenbody.model.sums import SUM
from eigenbody.model.vocabulary import Coordinate, Field, Kind, TypeSpec
from eigenbody.spatial.rotations import apply_transposed, frame, unit


@dataclass(frozen=True, slots=True)
class MeasureType:
    """A type of the `measures` section: its keys and the kernel of one entry."""

    spec: TypeSpec
    kernel: Callable[[Entry, Places], Kernel | tuple[Kernel, ...]] | None  # one for each of the coordinates of the
    # spec; None for a type that is made of other measures (system/named.py)

    def kernels(self, entry: Entry, places: Places) -> tuple[Kernel, ...]:
        """The kernel of every measure of an entry."""
        assert self.kernel is not None, "it is made of other measures"
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


def _direction(entry: Entry, places: Places, pairs: Pairs) -> tuple[int, np.ndarray, np.ndarray | None]:
    """The axis in the carrier that it is fixed in: the column of that carrier, the direction (1, 3) in its axes, and
    the carrier (1,) where it is neither of the two."""
    fixed_in = entry.get("in")
    carrier = pairs.first if fixed_in is None else places.carriers([fixed_in])
    drawn = places.R[pairs.first] @ pairs.axes1[..., :, 2:]
    local = (np.swapaxes(places.R[carrier], -1, -2) @ drawn)[..., 0]
    column = next((k for k, c in enumerate((pairs.first, pairs.second)) if c[0] == carrier[0]), 2)
    return column, local, carrier if column == 2 else None


def _velocity(entry: Entry, places: Places) -> Kernel:
    pairs = places.pairs([_with_points(entry, places)])
    return Slip.along(pairs, *_direction(entry, places, pairs))


def _angular_velocity(entry: Entry, places: Places) -> Kernel:
    pairs = places.pairs([_with_points(entry, places)])
    column, local, third = _direction(entry, places, pairs)
    carriers = pairs.carriers if third is None else np.concatenate((pairs.carriers, third[:, None]), axis=-1)
    return AngularSpeed(carriers, local, column)


def _angular_momentum(entry: Entry, places: Places) -> Kernel:
    bodies = places.description.bodies
    names = entry.get("of") or bodies.names
    unknown = [name for name in names if name not in bodies.known_names]
    if unknown:
        what = f'there is no body "{unknown[0]}".'
        raise InputError(Fault(f"{entry.where}.of", what, suggest(unknown[0], bodies.known_names)))
    flexible = {body.name for body in places.description.flexible}
    bent = [name for name in names if owner_of(name) in {owner_of(f) for f in flexible}]
    if bent:
        what = f"{owner_of(bent[0])} is flexible, and the angular momentum of what bends is not known here."
        raise InputError(Fault(f"{entry.where}.of", what, "Name rigid bodies."))
    index = np.array([places.index[name] for name in names])
    fixed_in = places.carrier(entry.get("in", GROUND))
    carriers = index if fixed_in in index else np.append(index, fixed_in)
    axis = unit(np.asarray(entry.get("axis", GLOBAL_Z)))
    local = apply_transposed(places.R[fixed_in], axis)
    own, at = int(np.flatnonzero(carriers == fixed_in)[0]), entry.get("at")
    return AngularMomentum(carriers[None], bodies.mass[index], bodies.inertia[index], local, own, at)


def angle_pairs(entry: Entry, places: Places) -> Pairs:
    """The frames of a measure of angles or of a quaternion: those of the joint that it is of, else its own."""
    if entry.get("of") is None:
        return places.pairs([_with_points(entry, places)])
    joints = {joint.name: joint for joint in places.description.joints}
    if entry["of"] not in joints:
        known = [name for name in joints if "." not in name]
        raise InputError(Fault(entry.where, f'there is no joint "{entry["of"]}".', suggest(entry["of"], known)))
    return places.pairs([joints[entry["of"]]])


def _angles(entry: Entry, places: Places) -> tuple[Kernel, ...]:
    return angle_kernels(angle_pairs(entry, places), entry["sequence"])


def _quaternion(entry: Entry, places: Places) -> tuple[Kernel, ...]:
    return quaternion_kernels(angle_pairs(entry, places))


OF_ROTATION = (
    Field("of", Kind.TEXT, doc="joint whose second body turns relative to the first"),
    replace(BETWEEN, required=False, doc="first and second body or marker, in place of a joint"),
    AT,
    AXIS,
    AXIS2,
)
QUATERNION = TypeSpec(
    "quaternion",
    (*OF_ROTATION, Field("position", Kind.COORDINATES, "coordinate", doc="initial components [w, x, y, z]")),
    coordinates=tuple(Coordinate(label, "1") for label in LABELS),
    one_of=(("of", "between"),),
    doc="Euler parameters of the second relative to the first, `name.w name.x name.y name.z`, with w >= 0",
)
ANGLES = TypeSpec(
    "angles",
    (
        *OF_ROTATION,
        Field("sequence", Kind.CHOICE, choices=SEQUENCES, default="xyz", doc="axes of the rotations, each in the frame"
              " turned by those before (intrinsic)"),
        Field("position", Kind.COORDINATES, "coordinate", doc="initial angles"),
        Field("velocity", Kind.COORDINATES, "coordinate/s", doc="initial rates of the angles"),
    ),
    coordinates=tuple(Coordinate(label, "rad") for label in "123"),
    one_of=(("of", "between"),),
    doc="three angles of the second relative to the first, `name.1 name.2 name.3`: Euler, Cardan, any sequence",
)  # fmt: skip

IN_BODY = replace(IN, doc="body, marker or frame in which the axis is fixed, default the first; the second gives"
                  " components in its own axes")  # fmt: skip
ANGULAR_MOMENTUM = TypeSpec(
    "angular_momentum",
    (
        Field("of", Kind.NAMES, doc="bodies, default all"),
        Field("at", Kind.POINT, "m", doc="point at rest about which it is taken, default their centre of mass"),
        Field("axis", Kind.DIRECTION, doc="direction, default global z"),
        replace(IN, doc="body, marker or frame in which the axis is fixed, default ground"),
        Field("initial", Kind.NUMBER, "kg*m^2/s", doc="value at the start"),
    ),
    dimension="kg*m^2",
    is_speed=True,
    doc="angular momentum of bodies along the axis",
)  # fmt: skip

SUM_OF_MEASURES = TypeSpec(
    SUM,
    (
        Field("terms", Kind.TERMS, required=True, doc="{measure: factor}"),
        Field("constant", Kind.NUMBER, default=0.0, doc="added to the sum"),
        Field("unit", Kind.CHOICE, choices=("m", "rad", "1"), doc="unit of the sum, default that of its terms"),
    ),
    doc="sum of factor * measure, and a constant: a cable over pulleys, a differential, a mean",
)

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
        MeasureType(QUATERNION, _quaternion),
        MeasureType(TypeSpec("velocity", (BETWEEN, AT, AXIS, IN_BODY,
                                          Field("initial", Kind.NUMBER, "m/s", doc="value at the start")),
                             dimension="m", is_speed=True,
                             doc="velocity of the second point relative to the first body, along the axis"), _velocity),
        MeasureType(TypeSpec("angular_velocity", (BETWEEN, AT, AXIS, IN_BODY,
                                                  Field("initial", Kind.NUMBER, "rad/s", doc="value at the start")),
                             dimension="rad", is_speed=True,
                             doc="angular velocity of the second relative to the first, along the axis"),
                    _angular_velocity),
        MeasureType(ANGULAR_MOMENTUM, _angular_momentum),
        MeasureType(SUM_OF_MEASURES, None),
    )
}  # fmt: skip
