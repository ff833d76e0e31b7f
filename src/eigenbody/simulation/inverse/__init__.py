"""Inverse and mixed dynamics: some coordinates move as prescribed, the others under given forces; what drives them?

Prescribed motions are constraint rows; the drive forces are their multipliers (Passerello & Huston, Eqs. 3.30-3.31,
misprints in docs/theory/errata.md). Where everything is prescribed each instant is algebra; where coordinates are
free they are integrated as `simulate` does, with the constraints kept at position and velocity level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.result import Drawn
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.linearization.subject import Subject, is_same_state, subject
from eigenbody.loads.reactions import (
    Reactions,
    at_acceleration,
    least_multipliers,
    self_stress,
)
from eigenbody.loads.wrenches import JointWrenches, body_wrench
from eigenbody.mobility.angles import chart_limits
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.motion import solve_motion
from eigenbody.mobility.partition import Selection, select
from eigenbody.mobility.projection import closed, consistent, weight
from eigenbody.mobility.turns import counted
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.simulation.inverse.prescribe import Hold, Prescribed, positions_of, prescribe, rates_of_values
from eigenbody.simulation.momentum import momentum
from eigenbody.simulation.result import Simulation, SimulationError, SimulationInterrupted
from eigenbody.simulation.start import initial_point
from eigenbody.spatial.rotations import apply, cross
from eigenbody.system.state import State
from eigenbody.system.system import System

POINTS = 101
HALVINGS = 12  # of a step between two times along which prescribed motions are followed
HOLDS = 1e-7  # how well redundant prescribed motions must agree, relative to the mechanism's length


@dataclass(frozen=True, eq=False)
class InverseDynamics(Drawn, look="simulation.inverse.look"):
    """Forces that a prescribed motion needs. n times, k driven coordinates, h held bodies; SI units."""

    model: InertModel
    t: np.ndarray  # (n,)
    coordinates: tuple[str, ...]  # driven ones
    units: tuple[str, ...]  # of the forces along them
    value: np.ndarray  # (n, k)
    rate: np.ndarray
    acceleration: np.ndarray
    force: np.ndarray  # (n, k) along each coordinate; positive increases it
    balls: tuple[str, ...]  # joints (and floating bodies) whose three rotations are driven
    ball_moment: np.ndarray  # (n, balls, 3) of the first body on the second, axes of the joint on the first
    held: tuple[str, ...]
    holding_force: np.ndarray  # (n, h, 3) on the held body, ground axes
    holding_moment: np.ndarray  # (n, h, 3) about its centre of mass (or the marker named), ground axes
    indeterminate: tuple[str, ...]  # drives and holds that redundancy leaves open: minimum norm
    free: tuple[str, ...]  # coordinates that were integrated
    measures: tuple[str, ...]
    positions: np.ndarray  # (n, measures)
    states: tuple[State, ...] = field(repr=False)
    body_acceleration: np.ndarray = field(repr=False)  # (n, nq) u'
    system: System = field(repr=False)
    warnings: tuple[str, ...] = ()

    @property
    def power(self) -> np.ndarray:
        """(n, k) power of each drive."""
        return self.force * self.rate

    @property
    def free_value(self) -> np.ndarray:
        """(n, free) what the free coordinates do: the motion that forces and prescribed motions make of them."""
        return self.positions[:, [self.measures.index(name) for name in self.free]]

    @cached_property
    def free_rate(self) -> np.ndarray:
        """(n, free) their rates."""
        index = np.array([self.measures.index(name) for name in self.free], dtype=int)
        rows = [rates_of_values(self.system, state, index) for state in self.states]
        return np.array(rows).reshape(len(self.t), len(self.free))

    @property
    def free_units(self) -> tuple[str, ...]:
        """Units of the free coordinates."""
        return tuple(self.system.dimensions[self.measures.index(name)] for name in self.free)

    @cached_property
    def linear_momentum(self) -> np.ndarray:
        """(n, 3)."""
        return np.array([momentum(self.system, state).linear for state in self.states])

    @cached_property
    def angular_momentum(self) -> np.ndarray:
        """(n, 3) about the origin of ground."""
        return np.array([momentum(self.system, state).angular for state in self.states])

    @cached_property
    def kinetic_energy(self) -> np.ndarray:
        """(n,)."""
        return np.array([momentum(self.system, state).energy for state in self.states])

    def __getitem__(self, coordinate: str) -> np.ndarray:
        """Force along a driven coordinate, (n,)."""
        if coordinate not in self.coordinates:
            what = f'"{coordinate}" is not a driven coordinate.'
            raise InputError(Fault("inverse", what, suggest(coordinate, self.coordinates)))
        return self.force[:, self.coordinates.index(coordinate)]

    def reactions(self, index: int, axes: str = "joint") -> Reactions:
        """Forces and moments in all joints at the time `t[index]`."""
        state, acceleration = self.states[index], self.body_acceleration[index]
        chosen = select(Mechanics(self.system, state), self.system.coordinates)
        return at_acceleration(self.system, state, acceleration, chosen, axes)


@on_one_thread
def inverse(
    model: Subject,
    motion: Mapping[str, Any] | None = None,
    *,
    until: float | None = None,
    points: int = POINTS,
    times: Sequence[float] | np.ndarray | None = None,
    holds: Sequence[str] = (),
    inputs: Mapping[str, Any] | None = None,
    tolerance: float = 1e-12,
    max_steps: float | None = None,
) -> InverseDynamics:
    """Forces that prescribed motions need, and the motion of everything that is left free.

    motion     measure -> law: `cycloid(...)` and the like, a number, text ("=expression of t", "cycloid(0, 90 deg,
               2 s)"), a function, three functions (s, s', s''), an array over the times or three of them;
               motions and drivers of the model count as well
    until      end of the motion in s, with `points` times from 0 on; or `times` themselves
    holds      bodies (or markers) held where they start: force and moment that this takes
    inputs     values of inputs over time, in the same forms: given forces
    tolerance  of the integration where coordinates are free, relative
    max_steps  of that integration, as in `simulate`

    A motion that cannot be continued raises SimulationError, Ctrl-C raises SimulationInterrupted: both carry the
    forces up to there as `partial`.
    """
    model = _starting(subject(model))
    instants = _instants(until, points, times)
    plan = prescribe(model, motion or {}, holds, inputs or {}, instants)
    states: list[State] = []
    found: list[_Instant] = []
    try:
        for state in _walk(model, plan, instants, tolerance, max_steps):
            found.append(_instant(plan, state))
            states.append(state)
    except ComputationError as error:
        if not states:
            raise
        raise SimulationError(str(error), _ended_early(model, plan, states, found, str(error))) from error
    except KeyboardInterrupt:
        if not states:
            raise
        raise SimulationInterrupted(_ended_early(model, plan, states, found, "interrupted")) from None
    return _collected(model, plan, instants, states, found)


def _ended_early(
    model: InertModel, plan: Prescribed, states: list[State], found: list[_Instant], why: str
) -> InverseDynamics:
    times = np.array([float(np.real(state.t)) for state in states])
    partial = _collected(model, plan, times, states, found[: len(states)])
    return replace(partial, warnings=(*partial.warnings, f"The motion ends at t = {times[-1]:.6g} s: {why}"))


def _starting(found: InertModel | OperatingPoint) -> InertModel:
    """The model, from whose initial state the motion begins; other points are refused."""
    if isinstance(found, InertModel):
        return found
    if not is_same_state(found, initial_point(found.model)[0].state):
        what = "the motion begins at the initial state of the model, which is not the operating point given."
        raise InputError(Fault("inverse", what, "Give the model, with the positions of its joints."))
    return found.model


def _instants(until: float | None, points: int, times: Sequence[float] | np.ndarray | None) -> np.ndarray:
    if (until is None) == (times is None):
        raise InputError(Fault("inverse", 'exactly one of "until" and "times" is expected.'))
    if until is not None:
        if not (np.isfinite(until) and until > 0):
            raise InputError(Fault("until", f"a positive time in s is expected, not {until}."))
        if points < 2:
            raise InputError(Fault("points", f"at least two points are needed, not {points}."))
        return np.linspace(0.0, float(until), int(points))
    instants = np.atleast_1d(np.asarray(times, dtype=float))
    if instants.ndim != 1 or not len(instants) or not np.isfinite(instants).all():
        raise InputError(Fault("times", "a list of finite times is expected."))
    if instants[0] < 0 or np.any(np.diff(instants) <= 0):
        raise InputError(Fault("times", "times must increase, from zero or later.", "The motion starts at t = 0."))
    return instants


# The motion ---------------------------------------------------------------------------------------------------------
def _walk(
    model: InertModel, plan: Prescribed, instants: np.ndarray, tolerance: float, max_steps: float | None
) -> Iterator[State]:
    """States at the instants: followed where everything is prescribed, integrated where something is free."""
    system = plan.system
    chosen = select(Mechanics(system, plan.start), system.coordinates)
    if len(chosen.velocities) or len(chosen.positions) or system.states:
        yield from _integrated(model, plan, instants, tolerance, max_steps)
        return
    state, M = plan.start, weight(system)
    for t in instants:
        state = _followed(system, state, float(t), chosen, M, HALVINGS)
        yield state


def _followed(system: System, state: State, t: float, chosen: Selection, M: Any, halvings: int) -> State:
    """The state at time t of a fully prescribed motion, from a state before it."""
    h = t - float(np.real(state.t))
    if h == 0:
        return state
    try:
        ahead = replace(counted(system, state, state.moved(system, h * state.velocity(system))), t=t)
        return consistent(system, closed(system, ahead, chosen, M), chosen, M)
    except ComputationError as error:
        if not halvings:
            why = f"{error} The mechanism may not reach it; check the ends of its motion."
            why = chart_limits(system, state) or why
            raise ComputationError(
                f"The prescribed motion cannot be followed beyond t = {np.real(state.t):.6g} s: {why}"
            ) from error
        chosen = select(Mechanics(system, state), system.coordinates)  # other rows may be the independent ones by now
        middle = _followed(system, state, float(np.real(state.t)) + 0.5 * h, chosen, M, halvings - 1)
        return _followed(system, middle, t, chosen, M, halvings - 1)


def _integrated(
    model: InertModel, plan: Prescribed, instants: np.ndarray, tolerance: float, max_steps: float | None
) -> Iterator[State]:
    """The free coordinates integrated; the prescribed ones are constraints like all others."""
    from eigenbody.simulation.run import simulate

    if instants[-1] == 0:
        yield plan.start
        return
    point = at_state(model, plan.system, plan.start)
    stopped: SimulationError | SimulationInterrupted | None = None
    try:
        path = simulate(
            point, float(instants[-1]), tolerance=tolerance, times=instants, outputs=(), max_steps=max_steps
        )
    except (SimulationError, SimulationInterrupted) as why:
        path, stopped = cast(Simulation, why.partial), why
    yield from (path.state_at(i) for i in range(len(path)))
    if stopped is not None:
        raise stopped


# The forces ---------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, eq=False)
class _Instant:
    acceleration: np.ndarray  # (nq,)
    forces: np.ndarray  # (k,) along the driven coordinates
    wrenches: np.ndarray  # (holds, 6)
    moments: np.ndarray  # (balls, 3)
    open: np.ndarray  # (rows,) bool
    measured: np.ndarray  # (3, k) value, rate, acceleration of the driven coordinates
    free: np.ndarray  # named measures


def _collected(
    model: InertModel, plan: Prescribed, instants: np.ndarray, states: list[State], found: list[_Instant]
) -> InverseDynamics:
    system = plan.system
    open_rows = np.any([now.open for now in found], axis=0)
    marks = [drive.name for drive in plan.drives if open_rows[drive.row]]
    marks += [hold.name for hold in plan.holds if open_rows[hold.rows].any()]
    measured = np.stack([now.measured for now in found], axis=1)  # (3, n, k)
    wrenches = np.stack([now.wrenches for now in found])
    arrays = {
        "t": instants,
        "value": measured[0],
        "rate": measured[1],
        "acceleration": measured[2],
        "force": np.stack([now.forces for now in found]),
        "holding_force": wrenches[..., :3],
        "holding_moment": wrenches[..., 3:],
        "ball_moment": np.stack([now.moments for now in found]),
        "positions": np.stack([positions_of(system, state) for state in states]),
        "body_acceleration": np.stack([now.acceleration for now in found]),
    }
    for array in arrays.values():
        array.setflags(write=False)
    return InverseDynamics(
        model=model,
        coordinates=tuple(drive.name for drive in plan.drives),
        units=tuple(drive.unit for drive in plan.drives),
        balls=tuple(ball.name for ball in plan.balls),
        held=tuple(hold.name for hold in plan.holds),
        indeterminate=tuple(marks),
        free=tuple(system.names[i] for i in found[0].free),
        measures=system.names,
        states=tuple(states),
        system=system,
        warnings=system.warnings,
        **arrays,
    )


def _instant(plan: Prescribed, state: State) -> _Instant:
    """Accelerations and drive forces at one state."""
    system = plan.system
    still = Mechanics(system, state)
    chosen = select(still, system.coordinates)
    frame = MotionFrame(still, chosen)
    motion = solve_motion(frame)
    mechanics = Mechanics(system, state, motion.acceleration)
    _refuse_contradiction(mechanics, chosen)
    multipliers, is_open = motion.multipliers, np.zeros(system.constraints.count, dtype=bool)
    if len(chosen.redundant):
        wrenches = JointWrenches(mechanics)
        multipliers, _ = least_multipliers(frame, wrenches, (motion.multipliers, motion.slip_multipliers))
        probes = np.abs([probe[0] * np.sqrt(wrenches.row_weight) for probe in self_stress(frame, wrenches)]).max(axis=0)
        is_open = probes > 1e-9 * probes.max()
    index = np.array([drive.measure for drive in plan.drives], dtype=int)
    jet = system.named.jet(mechanics.at, state.turns)
    measured = np.real(np.stack((jet.value[index], jet.rate[index], jet.acceleration[index])))
    held = np.array([_holding(mechanics, multipliers, hold) for hold in plan.holds]).reshape(-1, 6)
    forces = 0.0 - multipliers[[drive.row for drive in plan.drives]]
    moments = np.array([0.0 - multipliers[ball.rows] for ball in plan.balls]).reshape(-1, 3)
    for ball, moment in zip(plan.balls, moments, strict=True):
        measured[:, ball.drives] = ball.coordinates(system, state.t)
        forces[ball.drives] = ball.along_coordinates(moment, measured[0, ball.drives])
    return _Instant(motion.acceleration, forces, held, moments, is_open, measured, chosen.velocities)


def _holding(mechanics: Mechanics, multipliers: np.ndarray, hold: Hold) -> np.ndarray:
    """Force and moment on a held body, ground axes, at its reported point."""
    wrench = body_wrench(mechanics, hold.rows, multipliers, hold.body)
    arm = apply(mechanics.state.R[hold.body], hold.arm)
    return np.concatenate((wrench[:3], wrench[3:] - cross(arm, wrench[:3])))


def _refuse_contradiction(mechanics: Mechanics, chosen: Selection) -> None:
    """Prescribed motions that the other constraints make redundant must agree with them at all levels."""
    h, system, rows = mechanics.holonomic, mechanics.system, chosen.redundant
    if not len(rows):
        return
    speed = 1.0 + np.abs(mechanics.state.velocity(system)).max(initial=0.0)
    push = speed**2 + np.abs(mechanics.acceleration).max(initial=0.0)
    off = np.abs(np.stack((h.value[rows] / system.length, h.rate[rows] / speed, h.acceleration[rows] / push)))
    bad = np.flatnonzero((off > HOLDS).any(axis=0))
    if len(bad):
        level = ("position", "velocity", "acceleration")[int(np.argmax(off.max(axis=1) > HOLDS))]
        names = dict.fromkeys(system.constraints.rows[r].owner for r in rows[bad])
        raise InputError(
            Fault(
                f"motion of {', '.join(names)}",
                f"the prescribed motion contradicts the other constraints in {level} at t = {mechanics.state.t:.6g} s.",
                "Prescribe fewer coordinates, or motions that fit together.",
            )
        )
