"""The named measures of a model as deflections: joint coordinates, places of bodies, and the measures section."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place, Unsupported
from eigenbody.routes.deflections import (
    Angle,
    Cosine,
    Deflection,
    Displacement,
    DisplacementIn,
    Distance,
    Part,
    RotationVector,
)
from eigenbody.routes.drawing import GROUND, Attachment, attached, drawn_point, ends, poses_of
from eigenbody.routes.joints import COORDINATES, ROTATIONS, SIX
from eigenbody.spatial.rotations import frame


def coordinate(first: Attachment, second: Attachment, label: str) -> Deflection:
    """One coordinate of a joint as a deflection of its two frames."""
    if label in SIX:
        whole: Deflection = (RotationVector if label in ROTATIONS else Displacement)(first, second)
        return Part(whole, (SIX.index(label) % 3,))
    if label == "displacement":
        return Part(Displacement(first, second), (2,))
    return Angle(first, second, second_angle=label == "angle2")


class Measures:
    """Finds a measure by its name; angles count the full turns that the place knows."""

    def __init__(self, description: Description, place: Place) -> None:
        self.description, self.place = description, place
        self._joints = {joint.name: joint for joint in description.joints}
        self._measures = {measure.name: measure for measure in description.measures}
        self._known: dict[str, Deflection] = {}

    def __getitem__(self, name: str) -> Deflection:
        if name not in self._known:
            self._known[name] = self._with_turns(name, self._find(name))
        return self._known[name]

    def _find(self, name: str) -> Deflection:
        if name in self._measures:
            return measure(self.description, self._measures[name])
        owner, _, label = name.partition(".")
        if owner in self._measures:
            raise Unsupported(f'the {self._measures[owner].type} "{owner}"')
        if owner in self._joints:
            joint = self._joints[owner]
            return coordinate(*ends(self.description, joint), label or COORDINATES[joint.type][0])
        return self.of_body(owner, label)

    def of_body(self, body: str, label: str) -> Deflection:
        """Place of a body relative to its drawn place, global axes."""
        here = Attachment(GROUND, drawn_point(self.description, body), np.eye(3))
        there = attached(self.description, body, drawn_point(self.description, body), np.eye(3))
        whole: Deflection = RotationVector(here, there) if label.startswith("r") else Displacement(here, there)
        return Part(whole, (SIX.index(label) % 3,))

    def _with_turns(self, name: str, found: Deflection) -> Deflection:
        known = self.place.coordinates.get(name)
        if known is None or not isinstance(found, Angle):
            return found
        at = poses_of(self.place)
        value = float(np.real(found.value(at)[0]))
        return replace(found, turns=2 * math.pi * round((known - value) / (2 * math.pi)))


def measure(description: Description, entry: Entry) -> Deflection:
    """A measure of the measures section."""
    if entry.get("between") is None:
        raise Unsupported(f'measures of type "{entry.type}"')
    first, second = ends(description, entry)
    if entry.type == "distance":
        return Distance(first, second)
    if entry.type == "displacement":
        carrier = entry.get("in")
        if carrier is None:
            return Part(Displacement(first, second), (2,))
        axes = first.axes if entry.get("axis") is None else frame(np.asarray(entry["axis"]))
        return DisplacementIn(first, second, attached(description, carrier, drawn_point(description, carrier), axes))
    if entry.type == "rotation":
        return Part(RotationVector(first, second), (2,))
    if entry.type == "cosine":
        return _cosine(description, entry, first, second)
    if entry.type == "angle":
        return Angle(first, second)
    raise Unsupported(f'measures of type "{entry.type}"')


def _cosine(description: Description, entry: Entry, first: Attachment, second: Attachment) -> Deflection:
    direction = entry.get("axis2")
    if direction is None:
        return Cosine(first, second)
    axis = np.asarray(entry.get("axis", (0.0, 0.0, 1.0)))
    first = attached(description, entry["between"][0], np.zeros(3), frame(axis))
    return Cosine(first, attached(description, entry["between"][1], np.zeros(3), frame(np.asarray(direction))))
