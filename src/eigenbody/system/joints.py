"""Joints of a description grouped by type, with their frames on the bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from eigenbody.elements.joints import JOINTS, JointType
from eigenbody.elements.measures.slip import Slip
from eigenbody.elements.measures.templates import Kernel, Pairs
from eigenbody.elements.places import Places
from eigenbody.model.description import Description


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
            self.groups[name] = (np.array(index), self.places.pairs(chosen))


def slip_kernels(joints: JointTable) -> tuple[list[Kernel], list[np.ndarray]]:
    """Velocity-level rows: kernels and the joints they belong to."""
    kernels: list[Kernel] = []
    owners: list[np.ndarray] = []
    for name, (index, pairs) in joints.groups.items():
        for axis in JOINTS[name].slips:
            kernels.append(Slip.along(pairs.carriers, pairs.origin2, pairs.axis(axis + "2")))
            owners.append(index)
    return kernels, owners
