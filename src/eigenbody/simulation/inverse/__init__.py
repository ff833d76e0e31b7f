"""Inverse and mixed dynamics: some coordinates move as prescribed, the others under given forces; what drives them?

Prescribed motions are constraint rows; the drive forces are their multipliers (Passerello & Huston, Eqs. 3.30-3.31,
misprints in docs/theory/errata.md). Where everything is prescribed each instant is algebra; where coordinates are
free they are integrated as `simulate` does, with the constraints kept at position and velocity level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.result import Drawn
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject, is_same_state, subject
from eigenbody.loads.reactions import Reactions, at_acceleration
from eigenbody.mobility.partition import select
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.simulation.inverse.engine import ByEngine
from eigenbody.simulation.inverse.instant import Instant, Way
from eigenbody.simulation.inverse.prescribe import Prescribed, input_laws, positions_of, prescribe, rates_of_values
from eigenbody.simulation.kane.chain import METHOD
from eigenbody.simulation.momentum import momentum
from eigenbody.simulation.result import SimulationError, SimulationInterrupted
from eigenbody.simulation.start import initial_point
from eigenbody.system.state import State
from eigenbody.system.system import System

POINTS = 101


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
    method: str | None = None,
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
    method     "kane": motion and forces by Kane's equations of a tree in place of the engine's

    A motion that cannot be continued raises SimulationError, Ctrl-C raises SimulationInterrupted: both carry the
    forces up to there as `partial`.
    """
    model = _starting(subject(model))
    instants = _instants(until, points, times)
    plan = prescribe(model, motion or {}, holds, inputs or {}, instants)
    way = _way(model, plan, inputs or {}, instants, method)
    states: list[State] = []
    found: list[Instant] = []
    try:
        for state in way.walk(instants, tolerance, max_steps):
            found.append(way.instant(state))
            states.append(state)
    except ComputationError as error:
        if not states:
            raise
        raise SimulationError(str(error), _ended_early(model, plan, way, states, found, str(error))) from error
    except KeyboardInterrupt:
        if not states:
            raise
        raise SimulationInterrupted(_ended_early(model, plan, way, states, found, "interrupted")) from None
    return _collected(model, plan, way, instants, states, found)


def _way(
    model: InertModel, plan: Prescribed, inputs: Mapping[str, Any], instants: np.ndarray, method: str | None
) -> Way:
    if method is None:
        return ByEngine(model, plan)
    if method != METHOD:
        raise InputError(Fault("method", f'"{method}" is not known.', f"Give {METHOD}, or leave it out."))
    from eigenbody.simulation.inverse.by_kane import by_kane

    return by_kane(model, plan, input_laws(model, inputs, instants))


def _ended_early(
    model: InertModel, plan: Prescribed, way: Way, states: list[State], found: list[Instant], why: str
) -> InverseDynamics:
    times = np.array([float(np.real(state.t)) for state in states])
    partial = _collected(model, plan, way, times, states, found[: len(states)])
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


def _collected(
    model: InertModel,
    plan: Prescribed,
    way: Way,
    instants: np.ndarray,
    states: list[State],
    found: list[Instant],
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
        warnings=(*system.warnings, *way.notes),
        **arrays,
    )
