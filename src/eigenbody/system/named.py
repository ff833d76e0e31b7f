"""Named measures: joint coordinates, measures of the file, coordinates of bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.elements.joints import ALL_JOINTS
from eigenbody.elements.measures.combined import Combined
from eigenbody.elements.measures.modal import GroundModal
from eigenbody.elements.measures.templates import Displacement, Kernel, Pairs, Rotation
from eigenbody.elements.measures.types import MEASURES, angle_pairs
from eigenbody.elements.places import Places
from eigenbody.model.description import Description, Entry, FlexibleBody, owner_of
from eigenbody.model.operating import measures_asked_for
from eigenbody.model.sums import SUM, in_order, plain_terms, sums_of
from eigenbody.system.joints import JointTable
from eigenbody.system.measureset import MeasureSet, Placed, as_variations, counts_turns, merge
from eigenbody.system.system import AngleSequence, sequence_of
from eigenbody.system.topology import Tree

FREE = ALL_JOINTS["free"]


@dataclass(eq=False)
class NamedMeasures:
    """Joint coordinates, measures of the file, and body coordinates where a body floats or is asked for by name."""

    description: Description
    places: Places
    joints: JointTable
    tree: Tree
    names: list[str] = field(default_factory=list)
    dimensions: list[str] = field(default_factory=list)
    placed: list[Placed] = field(default_factory=list)
    index: dict[str, int] = field(default_factory=dict)
    sequences: list[AngleSequence] = field(default_factory=list)
    from_ground: list[Placed] = field(default_factory=list)  # modal coordinates of symmetric bodies, as variations
    speeds: set[int] = field(default_factory=set)  # measures that are velocities
    sums: dict[str, Entry] = field(init=False)
    joint_start: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        types = self.joints.types
        entries = self.description.joints
        self.joint_start = self.joints.coordinate_start
        for entry, joint in zip(entries, types, strict=True):
            for template in joint.free:
                alone = len(joint.free) == 1
                full = f"{entry.name}.{template.label}"
                self.index[full] = len(self.names)
                if alone:
                    self.index[entry.name] = len(self.names)
                self.names.append(entry.name if alone else full)
                self.dimensions.append(template.dimension)
        for group in self.joints.groups:
            for k, template in enumerate(group.type.free):
                self.placed.append((template.kernel(group.pairs), group.coordinates[:, k]))
        for entry in self.description.measures:
            if entry.type != SUM:
                self._measure(entry)
        self.sums = {entry.name: entry for entry in self.description.measures if entry.type == SUM}
        for name in in_order(sums_of(self.description.measures))[0]:
            self._sum(self.sums[name])
        modal = {carrier for body in self.description.flexible for carrier in body.carriers}
        for body in self.tree.roots:
            if self.places.names[body] not in modal:
                self.body(self.places.names[body])
        for flexible in self.description.flexible:
            self._modal(flexible)

    def _measure(self, entry: Entry) -> None:
        """The measures of an entry; angles may have a rotation vector beside them: that of the joint where it has one,
        else one of their own where all of them are given at the start."""
        measure = MEASURES[entry.type]
        dimensions = [c.dimension for c in measure.spec.coordinates] or [str(measure.spec.dimension)]
        names, kernels = measure.names(entry), measure.kernels(entry, self.places)
        for name, dimension, kernel in zip(names, dimensions, kernels, strict=True):
            self._add(name, dimension, kernel)
        self.speeds |= {self.index[name] for name in names if measure.spec.is_speed}
        if entry.type not in ("angles", "quaternion"):
            return
        owner = entry.get("of") if f"{entry.get('of')}.rx" in self.index else entry.name
        asked = {*self.description.pose, *measures_asked_for(self.description.operating_point)}
        given = None not in (entry.get("position") or (None,)) or asked.issuperset(names)
        for axis in "xyz" if owner == entry.name and given else "":
            kernel = Rotation(axis).kernel(angle_pairs(entry, self.places))
            self._add(f"{owner}.r{axis}", "rad", kernel)
        vector = [self.index[f"{owner}.r{axis}"] for axis in "xyz" if f"{owner}.r{axis}" in self.index]
        self.sequences.append(AngleSequence(entry, np.array([self.index[name] for name in names]), np.array(vector)))

    def _sum(self, entry: Entry) -> None:
        """A weighted sum of measures; sums among them are those of their own terms."""
        terms, constant = plain_terms(entry, self.sums)
        parts = [self._single(name) for name in terms]
        coefficients = np.array([[constant if k == 0 else 0.0, f] for k, f in enumerate(terms.values())])
        kernel = Combined.of([part for part, _ in parts], coefficients, [counter for _, counter in parts])
        self._add(entry.name, entry.get("unit") or self.dimensions[self.of(next(iter(entry["terms"])))], kernel)

    def is_speed(self, name: str) -> bool:
        """Whether a measure is a velocity that is the rate of nothing."""
        return self.index.get(name) in self.speeds

    def _add(self, name: str, dimension: str, kernel: Kernel) -> None:
        self.index[name] = len(self.names)
        self.placed.append((kernel, np.array([len(self.names)])))
        self.names.append(name)
        self.dimensions.append(dimension)

    def _of_ground(self, name: str) -> Pairs:
        """Ground and a body as drawn."""
        body, ground, eye = self.places.index[name], self.places.ground, np.eye(3)[None]
        return Pairs(
            np.array([ground]), np.array([body]), self.places.r[[body]], np.zeros((1, 3)),
            eye, self.places.local_axes(np.array([body]), eye),
        )  # fmt: skip

    def rotation(self, owner: str) -> tuple[Pairs, str | None]:
        """The frames between which a joint, a body or a measure of angles turns, and the sequence of the angles ("wxyz"
        of a quaternion)."""
        for group in self.joints.groups:
            own = np.array([self.description.joints[i].name == owner for i in group.index])
            if own.any():
                return group.pairs.take(np.flatnonzero(own)), None
        for entry in self.description.measures:
            if entry.name == owner:
                return angle_pairs(entry, self.places), sequence_of(entry)
        return self._of_ground(owner), None

    def used_sequences(self, held: set[int], used: set[int]) -> tuple[AngleSequence, ...]:
        """Measures of angles, and whether rows hold some of the angles or anything else needs their derivatives."""
        used = used | held | {self.of(name) for name in self.description.coordinates}
        used |= {self.of(name) for entry in self.sums.values() for name in entry["terms"]}
        out = []
        for item in self.sequences:
            own = set(item.angles.tolist())
            out.append(replace(item, used=not used.isdisjoint(own), held=not held.isdisjoint(own)))
        return tuple(out)

    def body(self, name: str) -> list[int]:
        """The six coordinates of a body relative to its drawn place."""
        if f"{name}.x" not in self.index or f"{name}.rz" not in self.index:
            pairs = self._of_ground(name)
            for template in FREE.free:
                if f"{name}.{template.label}" not in self.index:
                    self._add(f"{name}.{template.label}", template.dimension, template.kernel(pairs))
        return [self.index[f"{name}.{template.label}"] for template in FREE.free]

    def _modal(self, flexible: FlexibleBody) -> None:
        """Modal coordinates: the positions of their carriers."""
        ground, eye, zero = self.places.ground, np.eye(3)[None], np.zeros((1, 3))
        for k, name in enumerate(flexible.coordinates):
            carrier = self.places.index[flexible.carriers[k // 3]]
            pairs = Pairs(np.array([ground]), np.array([carrier]), zero, zero, eye, eye)
            self._add(name, "m", Displacement("xyz"[k % 3]).kernel(pairs))
        if flexible.symmetry is not None:
            index = np.array([self.index[name] for name in flexible.coordinates])
            self.from_ground.append((self._seen_from_ground(flexible, *flexible.symmetry), index))

    def _seen_from_ground(self, flexible: FlexibleBody, axis: np.ndarray, generator: np.ndarray) -> GroundModal:
        """All modal coordinates of a body that is symmetric about the axis."""
        m, width = len(generator), 3 * len(flexible.carriers)
        bodies = [self.places.index[name] for name in (flexible.name, *flexible.carriers)]
        powers = [np.eye(m), generator, generator @ generator]
        rows = [np.concatenate((power, np.zeros((m, width - m))), axis=-1) for power in powers]
        return GroundModal(np.tile(bodies, (m, 1)), np.tile(axis, (m, 1)), *rows)

    def of_root(self, name: str) -> list[int]:
        """The coordinates of a body that floats, or the modal ones that a carrier stands for."""
        for flexible in self.description.flexible:
            if name in flexible.carriers:
                start = 3 * flexible.carriers.index(name)
                return [self.index[q] for q in flexible.coordinates[start : start + 3]]
        return self.body(name)

    def of(self, name: str) -> int:
        """Index of a measure by name; body coordinates come into being when asked for."""
        body = name.rpartition(".")[0]
        if name not in self.index and body in self.places.index:
            self.body(body)
        if name not in self.index:
            self._refuse_of_flexible(name)
        return self.index[name]

    def _refuse_of_flexible(self, name: str) -> None:
        """How many modes and sections a flexible body has is known only when it is built."""
        owner = owner_of(name)
        parts = f"{owner}."  # no other name of a body has a dot
        if any(part.startswith(parts) for part in self.places.names):
            known = [measure for measure in self.index if measure.startswith(parts)]
            raise InputError(Fault(f"flexible.{owner}", f'it has no "{name}".', suggest(name, known)))

    def kernel(self, name: str) -> Kernel:
        """A single measure by name, to be part of another: with the full turns that it counts."""
        kernel, counter = self._single(name)
        return kernel if counter < 0 else Combined.of([kernel], np.array([[0.0, 1.0]]), [counter])

    def polynomial(self, name: str, coefficients: Sequence[float]) -> Combined:
        """c0 + c1 s + c2 s^2 + ... of a measure."""
        kernel, counter = self._single(name)
        return Combined.of([kernel], np.array([coefficients]), [counter])

    def _single(self, name: str) -> tuple[Kernel, int]:
        """The kernel of a measure alone, and where it counts turns."""
        index = self.of(name)
        kernel, positions = next((k, p) for k, p in self.placed if index in p)
        return kernel.take(np.flatnonzero(positions == index)), int(self.counter[index])

    @property
    def counter(self) -> np.ndarray:
        """Turn counter of every named measure."""
        out = np.full(len(self.names), -1)
        counted = np.concatenate([p for k, p in self.placed if counts_turns(k)] or [np.zeros(0, dtype=int)])
        out[np.sort(counted)] = np.arange(len(counted))
        return out

    def merged(self, dof: np.ndarray) -> MeasureSet:
        return merge(self.placed, len(self.names), dof, self.counter)

    def as_coordinates(self, named: MeasureSet, dof: np.ndarray) -> MeasureSet:
        """All of them as coordinates of linearization: rotations as small ones, modal coordinates of symmetric bodies
        as they are seen from the ground."""
        varied = as_variations(named)
        if not self.from_ground:
            return varied
        taken = np.concatenate([positions for _, positions in self.from_ground])
        others = np.setdiff1d(np.arange(len(self.names)), taken)
        kept = [(kernel, others[positions]) for kernel, positions in varied.subset(others)]
        return merge([*kept, *self.from_ground], len(self.names), dof, self.counter)
