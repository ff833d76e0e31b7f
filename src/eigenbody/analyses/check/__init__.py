"""What `check` tells: bodies, constraints and their class, the Gruebler count and the actual degrees of freedom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.result import Result
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject
from eigenbody.mobility.assembly import remarks_on_assembly
from eigenbody.mobility.independence import remarks_on_loops
from eigenbody.model.description import Entry, is_internal
from eigenbody.operating.find import operating_point
from eigenbody.system.system import Row, System


@dataclass(frozen=True, slots=True)
class ConstraintRow:
    """One scalar constraint: whose it is, what it holds, how it is classed."""

    owner: str
    kind: str  # "joint", "coupling" or "driver"
    label: str
    is_holonomic: bool
    is_rheonomic: bool
    is_redundant: bool

    @property
    def classed(self) -> str:
        return _classed(self.is_holonomic, not self.is_holonomic, self.is_rheonomic)


@dataclass(frozen=True, slots=True)
class Constraint:
    """A joint (with its prescribed motion), a coupling or a driver and the rows it holds."""

    name: str
    type: str
    between: tuple[str, ...]
    rows: tuple[ConstraintRow, ...]

    @property
    def classed(self) -> str:
        """`holonomic, scleronomic` and the like; `none` when it holds nothing."""
        if not self.rows:
            return "none"
        holonomic = any(row.is_holonomic for row in self.rows)
        non_holonomic = any(not row.is_holonomic for row in self.rows)
        return _classed(holonomic, non_holonomic, any(row.is_rheonomic for row in self.rows))

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "type": self.type,
            "between": list(self.between),
            "rows": len(self.rows),
            "class": self.classed,
            "redundant": sum(row.is_redundant for row in self.rows),
        }


@dataclass(frozen=True, slots=True, eq=False)
class CountedBody:
    """A body with its coordinates; a flexible one with the frequencies (modes,) of its modes when nothing holds it."""

    name: str
    mass: float
    coordinates: int
    frequency_hz: np.ndarray | None = None

    def as_dict(self) -> dict[str, Any]:
        own = {"name": self.name, "mass": self.mass + 0.0, "coordinates": self.coordinates}
        return own if self.frequency_hz is None else own | {"frequency_hz": (self.frequency_hz + 0.0).tolist()}


@dataclass(frozen=True, slots=True)
class Inspection(Result, look="analyses.check.look"):
    """The mechanism as counted. `gruebler` = coordinates of all bodies - rows; `dof` = what really moves."""

    point: OperatingPoint
    joints: tuple[Constraint, ...]
    couplings: tuple[Constraint, ...]
    drivers: tuple[Constraint, ...]

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return (*self.joints, *self.couplings, *self.drivers)

    @property
    def rows(self) -> int:
        """Rows of all constraints, of those that join sections of flexible bodies too; not of nodes on their bodies."""
        system = self.point.system
        return system.constraints.count + len(system.slip_rows) - self._nodes

    @property
    def body_coordinates(self) -> int:
        """Six for each body, three for a point mass that does not turn; a flexible body has modal ones besides."""
        return self.point.system.nq - self._nodes

    @property
    def _nodes(self) -> int:
        """Coordinates of nodes, which as many rows tie to their bodies."""
        is_node = self.point.system.description.bodies.is_node
        return 0 if is_node is None else 6 * int(is_node.sum())

    @property
    def bodies(self) -> tuple[CountedBody, ...]:
        """All bodies; of flexible ones also modes and the frequencies of the free body."""
        system = self.point.system
        table, flexible = system.description.bodies, {body.name: body for body in system.description.flexible}
        free = (system.dof[: system.bodies] >= 0).sum(axis=1)
        out = []
        for i in np.flatnonzero(table.is_material).tolist():
            body = flexible.get(table.names[i])
            hz = None if body is None else np.real(body.reduced.frequencies) / (2 * np.pi)
            modes = 0 if hz is None else len(hz)
            out.append(CountedBody(table.names[i], float(np.real(table.mass[i])), int(free[i]) + modes, hz))
        return tuple(out)

    @property
    def gruebler(self) -> int:
        return self.body_coordinates - self.rows

    @property
    def dof(self) -> int:
        return len(self.point.chosen.velocities)

    @property
    def redundant(self) -> tuple[dict[str, str], ...]:
        return self.point.redundant

    @property
    def notes(self) -> tuple[str, ...]:
        """What reading a file of another format left out or repaired, how a rough drawing was assembled, rows that take
        freedom away by a small share."""
        assembled = remarks_on_assembly(self.point.system, self.point.state)
        return (*self.point.model.notes, *assembled, *remarks_on_loops(self.point))

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Measures in which the model would be linearized."""
        return tuple(self.point.system.names[i] for i in self.point.chosen.positions)


def check(model: Subject) -> Inspection:
    """Count bodies, constraints and freedom at the operating point."""
    point = operating_point(model)
    description = point.system.description
    written = {entry.name: entry for entry in point.model.description.joints}  # before joints open by rounding closed
    held: dict[tuple[str, str], list[ConstraintRow]] = {}
    for row in _rows(point):
        held.setdefault((row.kind, row.owner), []).append(row)

    def taken(entries: tuple[Entry, ...], kind: str, type_of_driver: str = "") -> tuple[Constraint, ...]:
        return tuple(
            Constraint(
                entry.name,
                entry.type or type_of_driver,
                tuple(written.get(entry.name, entry).get("between") or ()),
                tuple(held.get((kind, entry.name), ())),
            )
            for entry in entries
            if not is_internal(entry)
        )

    return Inspection(
        point,
        taken(description.joints, "joint"),
        taken(description.couplings, "coupling"),
        taken(description.drivers, "driver", "driver"),
    )


def _classed(holonomic: bool, non_holonomic: bool, rheonomic: bool) -> str:
    level = (
        "holonomic and non-holonomic" if holonomic and non_holonomic else "holonomic" if holonomic else "non-holonomic"
    )
    return f"{level}, {'rheonomic' if rheonomic else 'scleronomic'}"


def _rows(point: OperatingPoint) -> Iterator[ConstraintRow]:
    """Every row in the engine's order; the prescribed motion of a joint counts as a row of that joint."""
    system, chosen = point.system, point.chosen
    timed, carried = _timed(system), _carried(system)
    motion_of_joint = _joint_motions(system)
    redundant = {int(r) for r in chosen.redundant}
    for r, row in enumerate(system.constraints.rows):
        kind = "joint" if r in motion_of_joint else row.kind
        yield _row(row, kind, True, r in timed or r in carried, r in redundant)
    moved = _touching_frames(system, system.slips.batches)
    redundant = {int(r) for r in chosen.redundant_slips}
    for r, row in enumerate(system.slip_rows):
        yield _row(row, row.kind, False, r in moved, r in redundant)


def _row(row: Row, kind: str, holonomic: bool, rheonomic: bool, redundant: bool) -> ConstraintRow:
    return ConstraintRow(row.owner, kind, row.label, holonomic, rheonomic, redundant)


def _joint_motions(system: System) -> set[int]:
    """Rows that prescribe a joint's own motion: the engine lists them before those of the drivers."""
    count = sum(s is not None for entry in system.description.joints for s in entry.get("motion", ()))
    return {motion.row for motion in system.constraints.motions[:count]}


def _timed(system: System) -> set[int]:
    """Rows whose prescribed value changes with time."""
    return {motion.row for motion in system.constraints.motions if motion.value.arguments}


def _carried(system: System) -> set[int]:
    """Rows on a measure that is taken from a moving reference frame."""
    moving = _touching_frames(system, system.constraints.measures.batches)
    if not moving:
        return set()
    c = system.constraints
    return {int(row) for row, measure in zip(c.row, c.measure, strict=True) if int(measure) in moving}


def _touching_frames(system: System, batches: Any) -> set[int]:
    """Positions of the measures of which a carrier is a moving reference frame (they stand after the bodies)."""
    found: set[int] = set()
    if system.description.frames:
        for kernel, positions in batches:
            carriers = np.asarray(kernel.carriers)
            last = system.bodies + len(system.description.frames)
            touching = ((carriers >= system.bodies) & (carriers < last)).any(axis=-1)
            found.update(int(p) for p in np.asarray(positions)[touching])
    return found
