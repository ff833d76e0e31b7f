"""Inertia on joint coordinates: which named measures have one, and how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.elements.measures.templates import Kernel
from eigenbody.elements.measures.turning import AngularSpeed
from eigenbody.model.description import Description
from eigenbody.model.values import freeze
from eigenbody.spatial.rotations import apply
from eigenbody.system.joints import JointTable
from eigenbody.system.measureset import MeasureSet, exchanged, merge

ROTATIONS = ("rx", "ry", "rz")


@dataclass(frozen=True, slots=True, eq=False)
class Armature:
    """Inertia on n joint coordinates themselves, (..., n) in kg m^2 or kg, and the bodies (n,) that they move."""

    measures: MeasureSet
    inertia: np.ndarray
    body: np.ndarray


def armature_of(
    description: Description, joints: JointTable, start: np.ndarray, named: MeasureSet, dof: np.ndarray
) -> Armature | None:
    """The armatures of all joints; None where no joint has one. `start` is the first named measure of each joint."""
    found = [
        (int(start[i]) + k, value, int(second if second < len(description.bodies) else first))
        for i, (entry, first, second) in enumerate(zip(description.joints, joints.first, joints.second, strict=True))
        for k, value in enumerate(entry.get("armature") or ())
        if value is not None
    ]
    if not found:
        return None
    index = np.array([measure for measure, _, _ in found])
    measures = merge(named.subset(index), len(index), dof, named.turn_counter[index])
    round_ones = np.flatnonzero(np.isin(index, _round(description, joints, start)))
    if len(round_ones):
        turning = [(_speed(kernel), round_ones[positions]) for kernel, positions in named.subset(index[round_ones])]
        measures = exchanged(measures, merge(turning, len(index), dof), round_ones, dof)
    return Armature(measures, freeze([value for _, value, _ in found]), np.array([body for _, _, body in found]))


def _speed(rotation: Kernel) -> AngularSpeed:
    """Angular speeds about the axes of components of a rotation vector."""
    assert isinstance(rotation, RotationComponent)
    return AngularSpeed(rotation.carriers, apply(rotation.first, rotation.e), own=0)


def _round(description: Description, joints: JointTable, start: np.ndarray) -> list[int]:
    """Rotations of joints whose armature about the three axes is the same: the inertia of a ball, whose energy is that
    of the relative angular velocity w, 1/2 a w^2. Then F = a w' as if w were the rate of a coordinate, for
    w x a w = 0."""
    out: list[int] = []
    for i, entry in enumerate(description.joints):
        labels = [template.label for template in joints.types[i].free]
        if entry.get("armature") and all(label in labels for label in ROTATIONS):
            own = [labels.index(label) for label in ROTATIONS]
            values = [entry["armature"][k] for k in own]
            if None not in values and all(np.real(value) == np.real(values[0]) for value in values):
                out += [int(start[i]) + k for k in own]
    return out
