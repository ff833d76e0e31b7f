"""Inertia on joint coordinates: which named measures have one, and how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Description
from eigenbody.model.values import freeze
from eigenbody.system.joints import JointTable
from eigenbody.system.measureset import MeasureSet, merge


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
    return Armature(measures, freeze([value for _, value, _ in found]), np.array([body for _, _, body in found]))
