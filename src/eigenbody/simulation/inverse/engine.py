"""Inverse dynamics by the engine: prescribed motions are constraint rows, the drive forces their multipliers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import at_state
from eigenbody.loads.reactions import least_multipliers, self_stress
from eigenbody.loads.wrenches import JointWrenches, body_wrench
from eigenbody.mobility.angles import chart_limits
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.motion import solve_motion
from eigenbody.mobility.partition import Selection, select
from eigenbody.mobility.projection import closed, consistent, weight
from eigenbody.mobility.turns import counted
from eigenbody.model.model import InertModel
from eigenbody.simulation.inverse.instant import Instant, at_arm, completed
from eigenbody.simulation.inverse.prescribe import Prescribed
from eigenbody.simulation.result import Simulation, SimulationError, SimulationInterrupted
from eigenbody.system.state import State
from eigenbody.system.system import System

HALVINGS = 12  # of a step between two times along which prescribed motions are followed
HOLDS = 1e-7  # how well redundant prescribed motions must agree, relative to the mechanism's length


@dataclass(frozen=True)
class ByEngine:
    """States and forces of a plan."""

    model: InertModel
    plan: Prescribed
    notes: tuple[str, ...] = ()

    def walk(self, instants: np.ndarray, tolerance: float, max_steps: float | None) -> Iterator[State]:
        """States at the instants: followed where everything is prescribed, integrated where something is free."""
        return _walk(self.model, self.plan, instants, tolerance, max_steps)

    def instant(self, state: State) -> Instant:
        """Accelerations and drive forces at one state."""
        return _instant(self.plan, state)


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


# The forces -------------------------------------------------------------------------------------------------------
def _instant(plan: Prescribed, state: State) -> Instant:
    """Accelerations and drive forces at one state."""
    system = plan.system
    still = Mechanics(system, state)
    chosen = select(still, system.coordinates)
    frame = MotionFrame(still, chosen)
    motion = solve_motion(frame)
    mechanics = motion.mechanics(still)
    _refuse_contradiction(mechanics, chosen)
    multipliers, is_open = motion.multipliers, np.zeros(system.constraints.count, dtype=bool)
    if len(chosen.redundant):
        wrenches = JointWrenches(mechanics)
        multipliers, _ = least_multipliers(frame, wrenches, (motion.multipliers, motion.slip_multipliers))
        probes = np.abs([probe[0] * np.sqrt(wrenches.row_weight) for probe in self_stress(frame, wrenches)]).max(axis=0)
        is_open = probes > 1e-9 * probes.max()
    wrenches_of = [body_wrench(mechanics, hold.rows, multipliers, hold.body) for hold in plan.holds]
    held = [at_arm(state, hold, wrench) for hold, wrench in zip(plan.holds, wrenches_of, strict=True)]
    forces = 0.0 - multipliers[[drive.row for drive in plan.drives]]
    moments = np.array([0.0 - multipliers[ball.rows] for ball in plan.balls]).reshape(-1, 3)
    return completed(plan, mechanics, forces, moments, held, is_open, chosen.velocities)


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
