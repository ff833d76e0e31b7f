"""Joints of a description grouped by type, with their frames on the bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from eigenbody.elements.joints import JOINTS, JointType
from eigenbody.elements.measures.slip import Slip
from eigenbody.elements.measures.templates import Kernel, Pairs
from eigenbody.elements.places import Places
from eigenbody.errors import Fault, InputError
from eigenbody.model.description import Description, Entry


@dataclass
class JointTable:
    """Joints grouped by type, with their frames; row ranges in file order."""

    description: Description
    places: Places
    types: list[JointType] = field(init=False)
    groups: dict[str, tuple[np.ndarray, Pairs]] = field(init=False)
    row_start: np.ndarray = field(init=False)
    first: np.ndarray = field(init=False)
    second: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        entries = self.description.joints
        self.types = [JOINTS[entry.type] for entry in entries]
        self.first = self.places.carriers([entry["between"][0] for entry in entries])
        self.second = self.places.carriers([entry["between"][1] for entry in entries])
        self.row_start = np.concatenate(([0], np.cumsum([len(t.held) for t in self.types], dtype=int)))
        by_type: dict[str, list[int]] = {}
        for i, entry in enumerate(entries):
            by_type.setdefault(entry.type, []).append(i)
        self.groups = {}
        for name, index in by_type.items():
            chosen = [entries[i] for i in index]
            _check_axes(chosen, JOINTS[name])
            self.groups[name] = (np.array(index), self.places.pairs(chosen, JOINTS[name].needs_point))


def _check_axes(entries: Sequence[Entry], joint: JointType) -> None:
    if not joint.right_angle:
        return
    faults = []
    for entry in entries:
        axis, axis2 = entry.get("axis"), entry["axis2"]
        axis = np.array([0.0, 0.0, 1.0]) if axis is None else axis
        cosine = np.real(axis @ axis2) / np.sqrt(np.real(axis @ axis) * np.real(axis2 @ axis2))
        if abs(cosine) > 1e-9:
            degrees = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
            what = f"axis2 must be perpendicular to axis, but the angle between them is {degrees:.6g} deg."
            faults.append(Fault(entry.where, what, "Correct one of the two."))
    if faults:
        raise InputError(faults)


def slip_kernels(joints: JointTable) -> tuple[list[Kernel], list[np.ndarray]]:
    """Velocity-level rows: kernels and the joints they belong to."""
    kernels: list[Kernel] = []
    owners: list[np.ndarray] = []
    for name, (index, pairs) in joints.groups.items():
        for axis in JOINTS[name].slips:
            kernels.append(Slip.along(pairs.carriers, pairs.origin2, pairs.axis(axis + "2")))
            owners.append(index)
    return kernels, owners
