"""The compiled mechanism: arrays and batches of like elements, ready for the kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from eigenbody.base.copies import LeanCopies
from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.forces.base import Coupling, Stop
from eigenbody.elements.places import Places
from eigenbody.model.description import Description, Entry, owner_of
from eigenbody.spatial.rotations import (
    from_quaternion,
    from_sequence,
    turning_quaternion,
    turning_sequence,
    turning_vector,
)
from eigenbody.system.arguments import AnySignal, Quantities
from eigenbody.system.armature import Armature
from eigenbody.system.joints import JointGroup
from eigenbody.system.lengths import drawn_length, mean_gyration
from eigenbody.system.measureset import MeasureSet, apart
from eigenbody.system.state import State
from eigenbody.system.topology import Tree


class Row(NamedTuple):
    """What a constraint row is called: the joint, coupling or driver it belongs to and its own label."""

    owner: str
    label: str
    kind: str  # "joint", "coupling" or "driver"

    @property
    def where(self) -> str:
        """Place in the model file."""
        if "." in self.owner:
            return f"flexible.{owner_of(self.owner)}"
        section = "joints" if self.label.startswith("motion ") else f"{self.kind}s"
        return f"{section}.{self.owner}"

    def as_dict(self) -> dict[str, str]:
        return {"joint": self.owner, "row": self.label}

    def __str__(self) -> str:
        return f"{self.owner} ({self.label})"


@dataclass(frozen=True, slots=True)
class PrescribedMotion:
    """Prescribed value of a constraint row: f(t) and its first two time derivatives."""

    row: int
    value: AnySignal
    rate: AnySignal
    acceleration: AnySignal


QUATERNION = "wxyz"  # in place of a sequence of axes
UNIT = 1e-6  # deviation of the length of a quaternion from one, beyond which it is no rounding of a unit quaternion


def sequence_of(entry: Entry) -> str:
    """Axes of a measure of angles, "wxyz" for a quaternion."""
    return QUATERNION if entry.type == "quaternion" else str(entry["sequence"])


def refuse_other_lengths(q: np.ndarray, where: str) -> None:
    """Quaternions (..., 4) are normalized, but only where nothing else than rounding makes them longer or shorter."""
    length = np.sqrt((np.real(q) ** 2).sum(axis=-1))
    if (np.abs(length - 1) > UNIT).any():
        worst = float(np.ravel(length)[np.argmax(np.abs(np.ravel(length) - 1))])
        what = f"the quaternion has the length {worst:.6g}, not 1."
        raise InputError(Fault(where, what, "Divide its four components by their length."))


@dataclass(frozen=True, slots=True, eq=False)
class Turned:
    """A rotation prescribed in all its coordinates: components of a rotation vector (`sequence` None), angles of a
    sequence, or the components of a quaternion ("wxyz"). Its three rows have no f(t): they measure how far the rotation
    is from the prescribed one (elements.measures.turned)."""

    motions: tuple[int, ...]  # numbers of its motions
    sequence: str | None
    where: str = ""  # who prescribes it, for messages
    held: np.ndarray | None = None  # (..., 3 or 4) coordinates at which it is held still

    def at(self, motions: Sequence[PrescribedMotion], t: float | complex) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The rotation, its angular velocity and angular acceleration in the axes of what is turned."""
        return self.pose(*(self.coordinates(motions, t, level) for level in ("value", "rate", "acceleration")))

    def pose(self, a: np.ndarray, a1: np.ndarray, a2: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same from the coordinates (..., 3 or 4) and their time derivatives."""
        if self.sequence is None:
            return turning_vector(a, a1, a2)
        if self.sequence == QUATERNION:
            refuse_other_lengths(a, self.where)
            return turning_quaternion(a, a1, a2)
        return turning_sequence(self.sequence, a, a1, a2)

    def coordinates(self, motions: Sequence[PrescribedMotion], t: float | complex, level: str = "value") -> np.ndarray:
        """(..., 3 or 4) the prescribed coordinates or their time derivatives."""
        if self.held is not None:
            return self.held if level == "value" else np.zeros_like(self.held)
        empty = np.zeros(0)
        now = Quantities(empty, empty, empty, empty, t)
        return np.stack(np.broadcast_arrays(*(getattr(motions[k], level).value(now) for k in self.motions)), axis=-1)


@dataclass(frozen=True, slots=True, eq=False)
class Constraints:
    """Holonomic rows Phi_r = sum_m L_rm s_m - constant_r - f_r(t).

    L is stored as (row, measure, coefficient), which for most rows is the identity.
    """

    measures: MeasureSet
    row: np.ndarray
    measure: np.ndarray
    coefficient: np.ndarray
    constant: np.ndarray  # (rows,)
    motions: tuple[PrescribedMotion, ...]
    rows: Sequence[Row]
    turned: tuple[Turned, ...] = ()  # in the order of their targets among the carriers

    @property
    def count(self) -> int:
        return len(self.rows)

    @property
    def shifts(self) -> tuple[PrescribedMotion, ...]:
        """Motions that are the f(t) of their row."""
        own = {k for turned in self.turned for k in turned.motions}
        return tuple(motion for k, motion in enumerate(self.motions) if k not in own) if own else self.motions


@dataclass(frozen=True, slots=True, eq=False)
class Forces:
    """Channels with their measures, linear laws and signals; inputs act along channels with weights."""

    measures: MeasureSet
    linear: Coupling
    signals: tuple[AnySignal, ...]
    constant: np.ndarray  # (channels,) constant tension
    constant_owner: np.ndarray  # (n,) owner, channel, value of each constant share
    input_channel: np.ndarray  # (n,) channels on which inputs act
    input_index: np.ndarray  # (n,) which input
    input_weight: np.ndarray  # (n,)
    owners: tuple[str, ...]
    state_rates: tuple[AnySignal, ...]  # x' = g, target: state
    stops: tuple[Stop, ...]  # elements that act on one side only


@dataclass(frozen=True, slots=True, eq=False)
class JointRows:
    """Where a joint is and what holds it: its carriers, its point in the axes of the second, its axes in those of the
    first, its holonomic rows and where these stand among the constraints' terms, and its slip rows."""

    first: int
    second: int
    origin: np.ndarray  # (..., 3)
    axes: np.ndarray  # (..., 3, 3)
    rows: np.ndarray
    terms: np.ndarray
    slips: np.ndarray


@dataclass(frozen=True, slots=True)
class Reaction:
    """A component (0 to 5: fx fy fz mx my mz) of the force and moment in a joint, in axes "joint" or "ground"."""

    joint: int
    component: int
    axes: str
    held: JointRows


@dataclass(frozen=True, slots=True)
class Load:
    """The tension of a force element along one of its channels."""

    owner: int
    channel: int


@dataclass(frozen=True, slots=True)
class Algebraic:
    """A variable of expressions that follows from accelerations and forces: the second rate of a channel's measure, a
    reaction or an element's tension. `where` is the place in the model that reads it first."""

    name: str
    where: str
    channel: int = -1
    reaction: Reaction | None = None
    load: Load | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A named output: a measure's value, rate or acceleration (order), a signal, a reaction or an element's tension."""

    name: str
    measure: int  # index among the named measures, -1 for the other kinds
    order: int
    signal: AnySignal | None
    reaction: Reaction | None = None
    load: Load | None = None
    unit: str = ""
    where: str = ""  # place in the model file, for messages


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """Initial values that the user gave: named measures, their values and who asked."""

    measure: np.ndarray
    value: np.ndarray
    where: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AngleSequence:
    """A measure of angles, or of a quaternion: its entry, and the named measures that are its angles (components) and
    the rotation vector beside."""

    entry: Entry
    angles: np.ndarray  # (3,), or (4,) of a quaternion
    vector: np.ndarray  # (3,), or none
    used: bool = False  # whether anything needs derivatives of the angles
    held: bool = False  # whether rows hold some of the angles

    @property
    def sequence(self) -> str:
        """Axes of the angles, or "wxyz"."""
        return sequence_of(self.entry)

    @property
    def labels(self) -> str:
        return QUATERNION if self.sequence == QUATERNION else "123"

    def rotation(self, values: np.ndarray) -> np.ndarray:
        """R (..., 3, 3) of given angles or components (..., 3 or 4)."""
        if self.sequence != QUATERNION:
            return from_sequence(self.sequence, values)
        refuse_other_lengths(values, f"{self.entry.where}: position")
        return from_quaternion(values)


@dataclass(frozen=True, slots=True, eq=False)
class FlexibleBatch:
    """n flexible bodies with m modes each (docs/theory/flexible.md). `frame` (n,) are the bodies that are their
    floating frames, with mass and undeformed inertia; `modal` (n, m) are the places of the modal coordinates among the
    positions of all bodies, (bodies, 3) flattened."""

    frame: np.ndarray
    modal: np.ndarray
    J1: np.ndarray  # (..., n, m, 3, 3)
    J2: np.ndarray  # (..., n, m, m, 3, 3)
    b: np.ndarray  # (..., n, m, m, 3)
    mass: np.ndarray  # (..., n, m, m)


@dataclass(frozen=True, eq=False)
class System(LeanCopies):
    """Everything the dynamics need; immutable. Carriers are bodies, moving frames, ground (last)."""

    description: Description
    places: Places
    dof: np.ndarray  # (carriers, 6) velocity coordinate of each carrier direction, -1 for none
    mass: np.ndarray
    inertia: np.ndarray
    flexible: tuple[FlexibleBatch, ...]
    armature: Armature | None
    gravity: np.ndarray
    constraints: Constraints
    slips: MeasureSet
    slip_rows: tuple[Row, ...]
    forces: Forces
    named: MeasureSet
    variations: MeasureSet  # the named measures as coordinates of linearization
    names: tuple[str, ...]  # of the named measures
    dimensions: tuple[str, ...]  # "m", "rad" or "1" of the named measures
    sequences: tuple[AngleSequence, ...]  # angles among the named measures
    speeds: frozenset[int]  # named measures that are velocities: what they are is their rate
    joints: tuple[JointGroup, ...]  # those that can be branches of the tree
    tree: Tree
    tree_rows: np.ndarray  # constraint rows that belong to tree joints, body by body
    tree_row_body: np.ndarray  # the body that each of them hangs on the tree
    tree_coordinates: np.ndarray  # named measures: the walk
    tree_coordinate_body: np.ndarray  # the body that each of them moves
    positions: Given
    velocities: Given
    states: tuple[str, ...]
    state_units: tuple[str, ...]
    initial_states: np.ndarray
    inputs: tuple[str, ...]
    input_units: tuple[str, ...]
    outputs: tuple[Output, ...]
    algebraic: tuple[Algebraic, ...]
    coordinates: np.ndarray  # named measures the user wants to linearize in
    warnings: tuple[str, ...]
    aliases: dict[str, int]

    @property
    def bodies(self) -> int:
        return self.mass.shape[-1]

    @property
    def value_units(self) -> tuple[str, ...]:
        """Units of the values of the named measures; those of a speed are units of the speed."""
        return tuple(f"{unit}/s" if i in self.speeds else unit for i, unit in enumerate(self.dimensions))

    @property
    def one_sided(self) -> dict[str, str]:
        """One-sided constraints by name: "open" or "closed" at the start."""
        drivers = [e for e in self.description.drivers if e.get("side") is not None]
        return {e.name: "closed" if e.get("closed") else "open" for e in drivers}

    @cached_property
    def nq(self) -> int:
        return int(self.dof.max(initial=-1)) + 1

    @cached_property
    def body_columns(self) -> np.ndarray:
        """(nq,) position of each coordinate in the flattened (bodies, 6)."""
        order = np.argsort(self.dof[: self.bodies], axis=None, kind="stable")  # -1 first, then every coordinate once
        return order[order.size - self.nq :]

    @cached_property
    def loop_rows(self) -> np.ndarray:
        """Constraint rows that are not rows of tree joints."""
        outside = np.ones(self.constraints.count, dtype=bool)
        outside[self.tree_rows] = False
        return outside.nonzero()[0]

    @cached_property
    def loop_owners(self) -> np.ndarray:
        """(loop rows,) ascending number of the joint, coupling or driver that each belongs to."""
        owners = [(row.owner, row.kind) for row in (self.constraints.rows[int(r)] for r in self.loop_rows)]
        return np.cumsum([k == 0 or owner != owners[k - 1] for k, owner in enumerate(owners)], dtype=int)

    @cached_property
    def has_mass_everywhere(self) -> bool:
        """Whether every coordinate of every body moves mass, so that no motion can be without."""
        turning = self.dof[: self.bodies, 3] >= 0
        try:
            np.linalg.cholesky(np.real(self.inertia[..., turning, :, :]))
        except np.linalg.LinAlgError:  # not positive definite
            return False
        return bool(np.real(self.mass).min(initial=np.inf) > 0)

    @cached_property
    def is_angular(self) -> np.ndarray:
        """(nq,) bool: rotation coordinates."""
        return self.body_columns % 6 >= 3

    @cached_property
    def length(self) -> float:
        """A length by which rotations are compared with displacements, m."""
        return drawn_length(self)

    @cached_property
    def readers(self) -> tuple[AnySignal, ...]:
        """Signals of forces that read algebraic variables."""
        return tuple(s for s in self.forces.signals if any(a.kind == "z" for a in s.arguments))

    @cached_property
    def read_channels(self) -> np.ndarray:
        """Channels along which they act."""
        return np.unique([signal.target for signal in self.readers]).astype(int)

    @cached_property
    def gyration(self) -> float:
        """A length of the bodies themselves by which rotations are shown beside displacements, m."""
        return mean_gyration(self)

    def reference_state(self) -> State:
        """The drawing at rest."""
        d = self.description
        zero = np.zeros((self.bodies, 3))
        turns = np.zeros(int(self.named.turn_counter.max(initial=-1)) + 1)
        u_in = np.array([entry.get("value", 0.0) for entry in d.inputs])
        z = np.zeros(len(self.algebraic))
        return State(d.bodies.position, d.bodies.rotation, zero, zero, self.initial_states, turns, u_in, 0.0, z)


def varying_apart(system: System) -> System:
    """The system with the measures of constraints and forces that vary in kernels of their own."""
    c, f = system.constraints, system.forces
    constraints, forces = replace(c, measures=apart(c.measures)), replace(f, measures=apart(f.measures))
    return replace(system, constraints=constraints, forces=forces)
