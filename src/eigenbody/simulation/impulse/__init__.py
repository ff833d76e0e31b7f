"""Impulses: what a blow does to all velocities and how hard it strikes the joints.

    M du + G^T L + N^T K = I,   G du = 0,   N du = 0

(Passerello & Huston, Eq. 4.9, with the joints kept.) The bodies' equations are never singular; the coordinates in which
the jump is read may be: angles in gimbal lock, or chains of hinges whose massless links can move without moving mass.
Then the rates of least norm are given, and the coordinates and the motion that stay indeterminate are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.arrays import frozen
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.result import Drawn
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, at_state, system_of
from eigenbody.loads.reactions import Reactions, at_frame, independent_multipliers
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.initial import initial_state
from eigenbody.mobility.motion import DENSE_FREEDOMS
from eigenbody.mobility.partition import select
from eigenbody.mobility.treespace import value_set
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.linear import KKT, matrix
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.simulation.angles import AngleRates, angle_rates, read_sequence
from eigenbody.simulation.impulse.blows import Blow, generalized_impulse, read_blows
from eigenbody.simulation.kane.chain import METHOD, NOTE
from eigenbody.simulation.momentum import Momentum, momentum
from eigenbody.spatial.rotations import apply
from eigenbody.system.algebraic import reading_forces
from eigenbody.system.state import State, carriers, spread
from eigenbody.system.system import System

MASSLESS = 1e-12  # eigenvalue of the balanced mass matrix below which a motion moves no mass
NO_MOTION = np.zeros((0, 0))
BLOCKED = 1e-9  # share of the impulse along such a motion above which nothing can take it


@dataclass(frozen=True, slots=True, eq=False)
class Indeterminate:
    """Coordinates whose rates this configuration leaves open: any multiple of `vector` may be added."""

    coordinates: tuple[str, ...]
    vector: np.ndarray  # of unit length
    reason: str

    def as_dict(self) -> dict[str, Any]:
        vector = (self.vector + 0.0).tolist()
        return {"coordinates": list(self.coordinates), "vector": vector, "reason": self.reason}


@dataclass(frozen=True, eq=False)
class Impulse(Drawn, look="simulation.impulse.look"):
    """Jump of all velocities, impulsive reactions, energy and momentum before and after."""

    model: InertModel
    bodies: tuple[str, ...]
    velocity_jump: np.ndarray  # (bodies, 3) of the centres of mass, ground axes
    angular_velocity_jump: np.ndarray  # (bodies, 3) ground axes
    coordinates: tuple[str, ...]
    rate_before: np.ndarray  # (coordinates,)
    jump: np.ndarray  # (coordinates,) of least norm where indeterminate
    indeterminate: tuple[Indeterminate, ...]
    reactions: Reactions  # impulsive: N*s and N*m*s
    before: Momentum
    after: Momentum
    work: float  # of the impulses, J: the change of kinetic energy unless prescribed motions take part
    balance: float  # imbalance of all bodies, relative to the impulse
    state: State  # after the blow
    notes: tuple[str, ...]

    @property
    def point(self) -> OperatingPoint:
        """The operating point after the blow."""
        return at_state(self.model, system_of(self.model), self.state)

    @property
    def rate_after(self) -> np.ndarray:
        """(coordinates,) rates after the blow."""
        return self.rate_before + self.jump

    def __getitem__(self, coordinate: str) -> float:
        """Jump of the rate of a coordinate."""
        if coordinate not in self.coordinates:
            what = f'there is no coordinate "{coordinate}".'
            raise InputError(Fault("impulse", what, suggest(coordinate, self.coordinates)))
        return float(self.jump[self.coordinates.index(coordinate)])


@on_one_thread
def strike(
    model: InertModel | OperatingPoint,
    impulses: Mapping[str, Any] | Sequence[Mapping[str, Any] | Blow],
    angles: str | None = None,
    axes: str = "joint",
    method: str | None = None,
) -> Impulse:
    """Strike a model in its initial state, or a mechanism at its operating point; by the engine, or by "kane"."""
    sequence = None if angles is None else read_sequence(angles)
    point_model, system, state = _place(model)
    if system.readers:
        what = f"{reading_forces(system)} read accelerations or loads, which are beyond all bounds in a blow."
        raise InputError(Fault("forces", what, "Take these forces out, or simulate a short push."))
    blows = read_blows(impulses, system, point_model)
    mechanics = Mechanics(system, state)
    chosen = select(mechanics, system.coordinates)
    frame = MotionFrame(mechanics, chosen)
    given = generalized_impulse(system, mechanics, blows)
    du, idle = _jump(frame, given) if method is None else (_other_jump(method, system, state, blows), NO_MOTION)
    rest = given - mechanics.inertia_times(du)
    reactions = at_frame(frame, independent_multipliers(frame, rest), axes, impulsive=True)
    after = state.with_velocity(system, state.velocity(system) + du)
    both, own = spread(system, du), system.description.bodies.is_material
    read = _rates(system, state, after) if sequence is None else _angles(system, state, after, du, sequence)
    return Impulse(
        model=point_model,
        bodies=system.description.bodies.material_names,
        velocity_jump=frozen(both[own, :3], float),
        angular_velocity_jump=frozen(apply(state.R, both[:, 3:])[own], float),
        coordinates=tuple(read.rates),
        rate_before=frozen([before for before, _ in read.rates.values()], float),
        jump=frozen([jump for _, jump in read.rates.values()], float),
        indeterminate=(*_idle_coordinates(frame, idle), *read.open),
        reactions=reactions,
        before=momentum(system, state),
        after=momentum(system, after),
        work=float(given @ (state.velocity(system) + 0.5 * du)),
        balance=_balance(frame, rest, given),
        state=after,
        notes=read.notes if method is None else (*read.notes, NOTE.format(what="the jumps", rest="reactions")),
    )


def _other_jump(method: str, system: System, state: State, blows: Sequence[Blow]) -> np.ndarray:
    """du (nq,) by Kane's equations."""
    from eigenbody.simulation.kane.jump import jump

    if method != METHOD:
        raise InputError(Fault("method", f'"{method}" is not known.', f"Give {METHOD}, or leave it out."))
    return jump(system, state, blows)


def _place(model: InertModel | OperatingPoint) -> tuple[InertModel, System, State]:
    """Model, system and state to strike."""
    if isinstance(model, OperatingPoint):
        return model.model, model.system, model.state
    system = system_of(model)
    return model, system, initial_state(system)


# The jump -----------------------------------------------------------------------------------------------------------
def _jump(frame: MotionFrame, given: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """du (nq,) and the motions without mass (velocities, k) in the frame's coordinates."""
    system = frame.system
    M = matrix(frame.mechanics.mass(), (system.nq, system.nq), frame.is_sparse)
    if frame.speeds.count > DENSE_FREEDOMS:
        saddle = KKT(M, frame.held("gradient"))
        if not saddle.is_regular():
            raise ComputationError(
                "The mechanism can move without moving any mass or inertia; it is too large to say which coordinates do"
                " so. Give every body mass and inertia."
            )
        return saddle.solve_refined(given, 2), np.zeros((frame.speeds.count, 0))
    push = frame.Pv.T @ given
    rate, idle = _least_rates(frame, frame.Pv.T @ (M @ frame.Pv), push)
    return frame.Pv @ rate, idle


def _least_rates(frame: MotionFrame, mass: np.ndarray, push: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rates of least norm (lengths counted in those of the mechanism) of mass rate = push, and the null space."""
    if not len(push):
        return push, np.zeros((0, 0))
    size = np.sqrt(np.abs(np.diagonal(mass)))
    heavy = np.where(size > 1e-150, size, 1.0)
    balanced = mass / heavy[:, None] / heavy
    values, vectors = np.linalg.eigh(0.5 * (balanced + balanced.T))
    light = values < MASSLESS * len(values)
    moving = vectors[:, ~light]
    rate = (moving @ ((moving.T @ (push / heavy)) / values[~light])) / heavy
    rate = rate + (moving @ ((moving.T @ ((push - mass @ rate) / heavy)) / values[~light])) / heavy  # refined once
    if not light.any():
        return rate, np.zeros((len(push), 0))
    unit = _units(frame)
    idle, _ = np.linalg.qr((vectors[:, light] / heavy[:, None]) / unit[:, None])
    _refuse_blocked(frame, idle, push * unit)
    scaled = rate / unit
    return unit * (scaled - idle @ (idle.T @ scaled)), unit[:, None] * idle


def _units(frame: MotionFrame) -> np.ndarray:
    """Length of the mechanism for displacements, one for angles."""
    system = frame.system
    return np.array([system.length if system.dimensions[i] == "m" else 1.0 for i in frame.chosen.velocities])


def _refuse_blocked(frame: MotionFrame, idle: np.ndarray, push: np.ndarray) -> None:
    """An impulse along a motion without mass would give it infinite speed."""
    if np.abs(idle.T @ push).max() <= BLOCKED * np.abs(push).max(initial=0.0):
        return
    names = [frame.system.names[i] for i in frame.chosen.velocities[np.abs(idle).max(axis=1) > 1e-9]]
    raise InputError(
        Fault(
            "impulse",
            f"it acts along a motion ({', '.join(names[:6])}) that moves no mass: its speed would be infinite.",
            "Give the bodies mass and inertia, or strike elsewhere.",
        )
    )


def _idle_coordinates(frame: MotionFrame, idle: np.ndarray) -> tuple[Indeterminate, ...]:
    names = [frame.system.names[i] for i in frame.chosen.velocities]
    reason = "these coordinates can move here without moving any mass"
    return tuple(_indeterminate(names, column, reason) for column in idle.T)


def _indeterminate(names: Sequence[str], vector: np.ndarray, reason: str) -> Indeterminate:
    vector = vector / np.sqrt(vector @ vector)
    moving = np.flatnonzero(np.abs(vector) > 1e-9).tolist()
    first = vector[moving[0]] if len(moving) else 1.0
    return Indeterminate(tuple(names[i] for i in moving), vector[moving] * np.sign(first), reason)


# Reading it ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class _Reading:
    """Rate before and jump by coordinate, what the coordinates leave open, and remarks."""

    rates: dict[str, tuple[float, float]]
    open: tuple[Indeterminate, ...] = ()
    notes: tuple[str, ...] = ()


def _rates(system: System, before: State, after: State) -> _Reading:
    """All named measures."""
    measures = value_set(system, np.arange(system.named.count))
    old, new = (np.real(measures.jet(carriers(system, s), s.turns).rate) for s in (before, after))
    return _Reading(dict(zip(system.names, zip(old.tolist(), (new - old).tolist(), strict=True), strict=True)))


def _angles(system: System, before: State, after: State, du: np.ndarray, sequence: str) -> _Reading:
    """The same with angles of a sequence in place of rotation vectors."""
    were = angle_rates(system, carriers(system, before), sequence)
    alone = before.with_velocity(system, du)  # angle rates are linear in the velocities: the jump by itself
    jumps = angle_rates(system, carriers(system, alone), sequence)
    turned = {was.owner: (was, by) for was, by in zip(were, jumps, strict=True)}
    rates: dict[str, tuple[float, float]] = {}
    for name, pair in _rates(system, before, after).rates.items():
        owner, _, label = name.rpartition(".")
        if owner in turned and label in ("rx", "ry", "rz"):
            was, by = turned[owner]
            rates |= dict(zip(was.names, zip(was.rate.tolist(), by.rate.tolist(), strict=True), strict=True))
        else:
            rates[name] = pair
    return _Reading(rates, *_open_angles(jumps, sequence))


def _open_angles(jumps: list[AngleRates], sequence: str) -> tuple[tuple[Indeterminate, ...], tuple[str, ...]]:
    marks, notes = [], []
    for by in jumps:
        if by.null is not None:
            at = f"{np.degrees(by.angle[1]):g} deg"
            marks.append(
                _indeterminate(by.names, by.null, f"the {sequence} angles are in gimbal lock ({by.names[1]} = {at})")
            )
            if by.rest > 1e-9 * max(1.0, float(np.abs(by.rate).max())):
                notes.append(
                    f"{by.owner}: {by.rest:.6g} rad/s of the jump of its angular velocity cannot be written as rates of"
                    f" {sequence} angles in gimbal lock; the velocities of the bodies are right."
                )
    return tuple(marks), tuple(notes)


def _balance(frame: MotionFrame, rest: np.ndarray, given: np.ndarray) -> float:
    """What constraints cannot take of I - M du, relative to the largest generalized impulse."""
    multipliers, slips = independent_multipliers(frame, rest)
    nq, mechanics = frame.system.nq, frame.mechanics
    left = rest - mechanics.holonomic.force(multipliers, nq)
    if frame.system.slips.count:
        left = left - mechanics.non_holonomic.force(slips, nq)
    size = np.abs(given).max(initial=0.0)
    return float(np.abs(left).max(initial=0.0) / size) if size > 0 else 0.0
