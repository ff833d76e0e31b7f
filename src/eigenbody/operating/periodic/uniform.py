"""Motion at constant rates of the coordinates, without integration: rotors at speed, mechanisms that rest while
something else changes with time, and those that are driven throughout."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.along import at_states, chunks
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.coordinates import ahead_of, configured, place_of, rates_of, unit_of, with_rates
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.mobility.turns import counted
from eigenbody.operating.constancy import STILL, is_unaccelerated
from eigenbody.spatial.rotations import apply, apply_transposed, cross, dot, exp, versine_coefficients
from eigenbody.system.state import ARRAYS, State, joined_states

STEPS = (1, 4, 16, 64)  # in which the mechanism is moved along, as many as are needed
LOOKS = (0.0, 0.09, 0.21, 0.37, 0.55, 0.71)  # parts of a turn at which accelerations are looked at
MOVES = 1e-6  # part of the speed at which bodies turn from which on a coordinate moves
KEPT = 1e-3  # part of its rate that one that keeps turning may gain within a turn at the acceleration of a place
SPEED = 1e-9  # part of what bodies do that a coordinate may move by and still count as held


def uniform_motion(point: OperatingPoint, times: np.ndarray) -> tuple[State, OperatingPoint | None] | None:
    """The states at the times if the motion from the point is one at constant rates of its coordinates and of nothing
    else; None where it is not. Beside them the operating points as one with a leading axis, if they fit into memory."""
    system, chosen, state = point.system, point.chosen, point.state
    if system.slips.count or np.any(np.abs(point.mechanics.applied.state_rate()) > STILL):
        return None
    speed = max(np.abs(state.w).max(initial=0.0), np.abs(state.v).max(initial=0.0) / system.length)
    unit = unit_of(system, chosen.velocities)
    rates = rates_of(system, state, chosen.velocities)
    rates = np.where(np.abs(rates / unit) > SPEED * speed, rates, 0.0)
    if not is_unaccelerated(point, speed):
        return None
    parts, placed, batch = chunks(point, len(times)), list[State](), None
    for part in parts:
        try:
            placed.append(placed_along(point, times[part], rates))
        except ComputationError:  # too far for constant rates: not such a motion
            return None
        batch = at_states(point, placed[-1])
        held = not system.states or not np.any(np.abs(batch.mechanics.applied.state_rate()) > STILL)
        if not (held and is_unaccelerated(batch, speed)):
            return None
    return joined_states(placed), batch if len(parts) == 1 else None


def keeps_turning(point: OperatingPoint, turn: float) -> bool:
    """Whether the free coordinates that move at the start keep their rates, on their own, through the time of a turn;
    others may be set in motion by it."""
    system, chosen = point.system, point.chosen
    rates, unit = rates_of(system, point.state, chosen.velocities), unit_of(system, chosen.velocities)
    moving = np.abs(rates / unit) > MOVES * np.abs(point.state.w).max(initial=0.0)
    if not moving.any():
        return True
    times = float(np.real(point.state.t)) + turn * np.array(LOOKS)
    try:
        many = at_states(point, placed_along(point, times, np.where(moving, rates, 0.0)))
    except ComputationError:  # too far for constant rates
        return False
    gained = turn * np.real(many.frame.speed_jet.acceleration)[..., moving]
    return bool(np.all(np.abs(gained) <= KEPT * np.abs(rates[moving])))


def placed_along(point: OperatingPoint, times: np.ndarray, rates: np.ndarray) -> State:
    """States where the coordinates move on at constant rates, all at once; in as few steps as let the constraints be
    closed after each."""
    for steps in STEPS[:-1]:
        try:
            return _moved_along(point, times, rates, steps)
        except ComputationError:  # too far for one step
            continue
    return _moved_along(point, times, rates, STEPS[-1])


def _moved_along(point: OperatingPoint, times: np.ndarray, rates: np.ndarray, steps: int) -> State:
    system, chosen = point.system, point.chosen
    begin = float(np.real(point.state.t))
    dt = (times - begin) / steps
    measures = coordinate_set(system, chosen.positions)
    state = _repeated(point.state, len(times))
    place = place_of(measures, Mechanics(system, state))
    for k in range(1, steps + 1):
        guess = replace(_screwed(state, dt), t=begin + k * dt)  # type: ignore[arg-type]
        guess = counted(system, state, guess, dt[:, None])
        goal = ahead_of(measures, place, (k * dt)[:, None] * rates)
        state = with_rates(system, chosen, configured(system, chosen, guess, goal), rates)
    return state


def _screwed(state: State, dt: np.ndarray) -> State:
    """Every body moved on at its present twist for the times dt (n,): exact where it turns about a fixed axis."""
    turn, own = state.w * dt[:, None, None], apply_transposed(state.R, state.v) * dt[:, None, None]
    (f, _), (g, _) = versine_coefficients(dot(turn, turn)[..., None])
    across = cross(turn, own)
    moved = state.r + apply(state.R, own + f * across + g * cross(turn, across))
    return replace(state, r=moved, R=state.R @ exp(turn))


def _repeated(state: State, count: int) -> State:
    many = {name: np.repeat(getattr(state, name)[None], count, axis=0) for name in ARRAYS}
    return State(**many, t=np.full(count, float(np.real(state.t))))  # type: ignore[arg-type]
