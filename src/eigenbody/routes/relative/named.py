"""Joint coordinates and named measures by name, and the constraint rows of every joint type (Trom 1990, Table 2.4)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.routes.base import Unsupported
from eigenbody.routes.joints import COORDINATES, JOINTS
from eigenbody.routes.relative.combined import SumOf
from eigenbody.routes.relative.measures import (
    Angle,
    Channel,
    Cosine,
    Displacement,
    Distance,
    Measure,
    RotationComponent,
    SequenceAngle,
    SmallRotation,
)
from eigenbody.routes.relative.sides import Drawing, Side

X, Y, Z = range(3)
SPEEDS = ("velocity", "angular_velocity", "angular_momentum")
Row = list[tuple[float, Measure]]  # a sum of measures held at a value


def cosine(first: Side, second: Side, a: int, b: int) -> Cosine:
    """Scalar product of axis a of the first side and axis b of the second."""
    return Cosine(first.carrier, second.carrier, first.axes[:, a], second.axes[:, b])


def displacement(first: Side, second: Side, axis: int) -> Displacement:
    """Along an axis of the first side."""
    return Displacement(first, second, first.carrier, first.axes[:, axis])


def coordinate(first: Side, second: Side, label: str) -> Measure:
    """A joint coordinate as a measure."""
    if label in ("rx", "ry", "rz"):
        return RotationComponent(first, second, "xyz".index(label[1]))
    if label in ("x", "y", "z", "displacement"):
        return displacement(first, second, Z if label == "displacement" else "xyz".index(label))
    if label == "angle2":
        return Angle(cosine(first, second, Z, Y), cosine(first, second, Z, Z))
    return Angle(cosine(first, second, Y, X), cosine(first, second, X, X))


def variation(first: Side, second: Side, label: str) -> Channel:
    """A joint coordinate as a coordinate of the linearization: rotations of ball joints are small rotations."""
    if label in ("rx", "ry", "rz"):
        return SmallRotation(first, second, "xyz".index(label[1]))
    return coordinate(first, second, label)


def held(kind: str, first: Side, second: Side, ground: int, pitch: float = 0.0) -> list[Row]:
    """Rows of a cut joint; points coincide in global axes.

    The rows of the translational joint are those of Table 2.6: the last one of Table 2.4 as printed, u_iy . u_jx = 0,
    repeats that the axes are parallel and leaves the rotation free.
    """
    point = [Displacement(first, second, ground, axis) for axis in np.eye(3)]
    along = [displacement(first, second, k) for k in (X, Y, Z)]
    tilt = [cosine(first, second, X, Z), cosine(first, second, Y, Z)]
    words: dict[str, list[Measure]] = {
        "point": list(point),
        "sideways": list(along[:2]),
        "along": [along[Z]],
        "tilt": list(tilt),
        "rotation": [*tilt, cosine(first, second, X, Y)],
        "crossed": [cosine(first, second, Z, X)],
        "distance": [Distance(first, second)],
    }
    asked = JOINTS[kind].held
    rows: list[Row] = [[(1.0, measure)] for word in asked if word != "pitch" for measure in words[word]]
    if "pitch" in asked:
        rows.append([(1.0, along[Z]), (-pitch, coordinate(first, second, "angle"))])
    return rows


class Names:
    """Measures by name: joint coordinates, entries of `measures`, and the coordinates of bodies."""

    def __init__(self, drawing: Drawing) -> None:
        description = drawing.description
        self.drawing = drawing
        self.joints = {entry.name: entry for entry in description.joints}
        self.measures = {entry.name: entry for entry in description.measures}

    def measure(self, name: str) -> Measure:
        """The measure called `name`."""
        return self._find(name, coordinate)  # type: ignore[return-value]

    def variation(self, name: str) -> Channel:
        """What varies when the linear coordinate `name` does."""
        if name in self.measures and self.measures[name].type == "rotation":
            return SmallRotation(*self.drawing.sides(self.measures[name]), Z)
        return self._find(name, variation)

    def _find(self, name: str, make: Callable[[Side, Side, str], Channel]) -> Channel:
        if name in self.measures:
            return self._named(self.measures[name])
        owner, _, label = name.rpartition(".")
        if name in self.joints:
            owner, label = name, COORDINATES[self.joints[name].type][0]
        if owner in self.measures:
            entry = self.measures[owner]
            if entry.type != "angles":
                raise Unsupported(f'measures of type "{entry.type}"')
            return SequenceAngle(*self._angle_sides(entry), entry["sequence"], int(label) - 1)
        if owner in self.joints and label in COORDINATES.get(self.joints[owner].type, ()):
            return make(*self.drawing.sides(self.joints[owner]), label)
        return make(*self.drawing.body_sides(owner), label)

    def _angle_sides(self, entry: Entry) -> tuple[Side, Side]:
        return self.drawing.sides(entry if entry.get("of") is None else self.joints[entry["of"]])

    def _named(self, entry: Entry) -> Measure:
        if entry.type in SPEEDS:
            raise Unsupported(f'measures of type "{entry.type}"')
        if entry.type == "sum":
            terms = tuple((factor, self.measure(name)) for name, factor in entry["terms"].items())
            return SumOf(terms, entry.get("constant", 0.0))
        first, second = self.drawing.sides(entry)
        if entry.type == "distance":
            return Distance(first, second)
        if entry.type == "angle":
            return coordinate(first, second, "angle")
        if entry.type == "rotation":
            return RotationComponent(first, second, Z)
        if entry.type == "displacement":
            return self._displacement(entry, first, second)
        if entry.type == "cosine":
            return self._cosine(entry, first, second)
        raise Unsupported(f'measures of type "{entry.type}"')

    def _displacement(self, entry: Entry, first: Side, second: Side) -> Measure:
        """Along an axis that another body may carry."""
        inside = entry.get("in")
        if inside is None:
            return displacement(first, second, Z)
        drawn = self.drawing.R[first.carrier] @ first.axes[:, Z]
        carrier = self.drawing.carrier(inside)
        return Displacement(first, second, carrier, self.drawing.R[carrier].T @ drawn)

    def _cosine(self, entry: Entry, first: Side, second: Side) -> Measure:
        """Between `axis` on the first and `axis2` (default the same direction) on the second body."""
        axis2 = entry.get("axis2")
        if axis2 is None:
            return cosine(first, second, Z, Z)
        b = self.drawing.R[second.carrier].T @ axis2 / np.linalg.norm(axis2)
        return Cosine(first.carrier, second.carrier, first.axes[:, Z], b)
