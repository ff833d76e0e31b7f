"""Joints of a description grouped by type, with their frames on the bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from eigenbody.elements.joints import ALL_JOINTS, JointType
from eigenbody.elements.measures.templates import Kernel, Pairs
from eigenbody.elements.places import Places
from eigenbody.model.description import Description, Entry
from eigenbody.model.vocabulary import Kind
from eigenbody.spatial.rotations import apply_transposed, unit


@dataclass(frozen=True, slots=True, eq=False)
class JointGroup:
    """Joints of one type whose measures are of the same kinds: their numbers in the file, their frames, and the
    named measures (n, k) that are their coordinates."""

    type: JointType
    index: np.ndarray
    pairs: Pairs
    coordinates: np.ndarray


@dataclass(eq=False)
class JointTable:
    """Joints grouped by type and form, with their frames; ranges of rows and coordinates in file order."""

    description: Description
    places: Places
    types: list[JointType] = field(init=False)
    groups: list[JointGroup] = field(init=False)
    row_start: np.ndarray = field(init=False)
    coordinate_start: np.ndarray = field(init=False)
    first: np.ndarray = field(init=False)
    second: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        entries = self.description.joints
        known = {name: ALL_JOINTS[name] for name in {entry.type for entry in entries}}
        self.types = [known[entry.type] for entry in entries]
        self.first = self.places.carriers([entry["between"][0] for entry in entries])
        self.second = self.places.carriers([entry["between"][1] for entry in entries])
        self.row_start = np.concatenate(([0], np.cumsum([len(t.held) for t in self.types], dtype=int)))
        self.coordinate_start = np.concatenate(([0], np.cumsum([len(t.free) for t in self.types], dtype=int)))
        alike: dict[tuple[str, str], list[int]] = {}
        for i, (entry, joint) in enumerate(zip(entries, self.types, strict=True)):
            alike.setdefault((entry.type, joint.form(entry) if joint.form else ""), []).append(i)
        self.groups = []
        for (name, _), index in alike.items():
            chosen = [entries[i] for i in index]
            pairs = self.places.pairs(chosen)
            pairs = replace(pairs, keys=self._keys(known[name], chosen, pairs))
            coordinates = self.coordinate_start[index][:, None] + np.arange(len(known[name].free))
            self.groups.append(JointGroup(known[name], np.array(index), pairs, coordinates))

    def _keys(self, joint: JointType, entries: list[Entry], pairs: Pairs) -> dict[str, np.ndarray]:
        """Further keys of a joint type as arrays; directions as unit vectors in the axes of the first carrier."""
        keys = {}
        for item in joint.keys:
            if entries[0][item.name] is None:  # a key of another form
                continue
            values = np.array([entry[item.name] for entry in entries])
            if item.kind is Kind.DIRECTION:
                values = unit(apply_transposed(self.places.R[pairs.first], values))
            keys[item.name] = values
        return keys


def slip_kernels(joints: JointTable) -> tuple[list[Kernel], list[tuple[np.ndarray, str]]]:
    """Velocity-level rows: kernels, the joints they belong to and what the rows are called."""
    kernels: list[Kernel] = []
    owners: list[tuple[np.ndarray, str]] = []
    for group in joints.groups:
        for item in group.type.slips:
            kernels.append(item.kernel(group.pairs))
            owners.append((group.index, item.label))
    return kernels, owners


def bushings_across_spin(description: Description, joints: JointTable) -> Iterator[str]:
    """A bushing between two bodies that a joint lets spin would wind up: a bearing is meant."""
    spinning = {}
    for i, entry in enumerate(description.joints):
        driven, velocity = entry.values.get("motion") is not None, entry.values.get("velocity") or ()
        if not (driven or velocity):
            continue
        turns = [k for k, template in enumerate(joints.types[i].free) if template.dimension == "rad"]
        if turns and (driven or any(k < len(velocity) and velocity[k] for k in turns)):
            spinning[frozenset((int(joints.first[i]), int(joints.second[i])))] = entry.name
    for entry in description.forces if spinning else ():
        if entry.type == "bushing":
            pair = frozenset(int(c) for c in joints.places.carriers(entry["between"]))
            if pair in spinning and any(bool(stiffness) for row in entry["k"][3:] for stiffness in row[3:]):
                yield (
                    f"{entry.where}: the bushing acts across the joint {spinning[pair]}, which turns; it would wind up."
                    " Use type: bearing, which lets the second body spin."
                )
