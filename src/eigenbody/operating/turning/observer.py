"""Whether the equations are constant for an observer who turns with a part of the mechanism, and stable there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.linearization.linearize import DENSE_FREEDOMS, dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.linearization.turning import (
    flexible_that_turn,
    has_carried_hinges,
    turning_coordinates,
    turning_flexible,
)
from eigenbody.mobility.turns import counted
from eigenbody.model.description import is_internal
from eigenbody.model.names import GROUND
from eigenbody.operating.comparison import same_equations
from eigenbody.operating.constancy import (
    has_constant_coefficients,
    is_unaccelerated,
    parts_of_a_turn,
    reads_what_moves,
    stays_along,
)
from eigenbody.operating.turning.frame import SAME, TurningFrame, charted, turning_frame
from eigenbody.spatial.rotations import about_axis, apply, cross
from eigenbody.system.state import State
from eigenbody.system.system import System

PHASES = (0.7, 2.1)  # rad: where constancy of the equations is tried
STEADY = 1e-8  # second rates of the coordinates that count as none, in natural units
TRIED = 4  # joints whose turning frames are tried


def constant_frame(point: OperatingPoint) -> tuple[str, OperatingPoint] | None:
    """The first joint in whose turning frame the equations are constant, and the same point in coordinates measured
    there; None without one."""
    for turning in turning_frames(point):
        try:
            there = charted(point, turning, False)
            if _is_steady_in(there, turning):
                return turning.name, replace(there, is_steady=True)
        except EigenbodyError:  # its motion has no such coordinates
            continue
    return None


def _from_ground(point: OperatingPoint) -> tuple[str, OperatingPoint] | None:
    """The point in coordinates measured from ground where the equations are constant in them; shapes that turn are not
    seen from there."""
    if turning_flexible(point) or not turning_coordinates(point):
        return None
    for turning in turning_frames(point):
        try:
            there = charted(point, turning, True)
            if _is_steady_in(there, turning):
                return GROUND, replace(there, is_steady=True)
        except EigenbodyError:  # its motion has no such coordinates
            continue
    return None


def turning_frames(point: OperatingPoint) -> list[TurningFrame]:
    """A few frames that turn with joints, each another one, of a mechanism small enough that they are looked at."""
    found: list[TurningFrame] = []
    if point.is_at_rest or len(point.chosen.velocities) > DENSE_FREEDOMS:
        return found
    for entry in point.model.description.joints:
        if is_internal(entry) or len(found) == TRIED:
            continue
        try:
            turning = turning_frame(point, entry.name)
        except EigenbodyError:  # the joint does not turn
            continue
        if not any(alike(turning, other) for other in found):
            found.append(turning)
    return found


def from_constant_frame(linear: LinearModel, is_constant: Callable[[], bool]) -> LinearModel:
    """The linear model in coordinates measured from ground, or in a turning frame, where its equations are constant
    there and not in its own, and flexible bodies turn, or some coordinates do or turn about hinges that are carried
    round: those are of no observer. Else, and where its coordinates or its damping were asked for, as it is."""
    of_none = _may_be_of_no_observer(linear) or (_is_free(linear) and has_carried_hinges(linear.point))
    if not of_none or is_constant():
        return linear
    return _seen(linear, _from_ground(linear.point) or constant_frame(linear.point))


def from_ground(linear: LinearModel) -> LinearModel:
    """The same for the observer at rest alone."""
    if not _may_be_of_no_observer(linear) or has_constant_coefficients(linear):
        return linear
    return _seen(linear, _from_ground(linear.point))


def _seen(linear: LinearModel, found: tuple[str, OperatingPoint] | None) -> LinearModel:
    return linear if found is None else replace(dense_model(found[1]), seen_from=found[0])


def _may_be_of_no_observer(linear: LinearModel) -> bool:
    return _is_free(linear) and bool(flexible_that_turn(linear.point) or turning_coordinates(linear.point))


def _is_free(linear: LinearModel) -> bool:
    """Whether others may take the place of its coordinates."""
    point, is_as_found = linear.point, linear.by_route is None and linear.added_damping is None
    is_own = not linear.is_sparse and not point.is_steady and linear.blades is None
    return is_own and is_as_found and not point.model.description.coordinates


def alike(one: TurningFrame, other: TurningFrame) -> bool:
    """Whether two frames turn about the same axis at the same rate."""
    spins, places = (one.angular_velocity, other.angular_velocity), (one.at, other.at)
    return all(bool((np.abs(a - b) <= 1e-8 + 1e-5 * np.abs(b)).all()) for a, b in (spins, places))


def is_constant_in(point: OperatingPoint, turning: TurningFrame) -> bool | None:
    """Whether the equations in the coordinates of a point stay the same while a frame turns; None unless every body
    rests or turns with it, and goes on to do so."""
    if not keeps_turning(point, turning):
        return None
    here = dense_model(point)
    for phase in PHASES:
        state = later_state(point, turning, phase)
        if state is None:
            return None
        there = at_state(point.model, point.system, state).choosing(point.chosen)
        if not same_equations(here, dense_model(there.choosing(point.chosen))):
            return False
    return not reads_what_moves(point) or stays_along(here, states_of_a_turn(point, turning))


def _is_steady_in(point: OperatingPoint, turning: TurningFrame) -> bool:
    """Whether the equations in the coordinates of a point stay the same; where bodies turn at several rates they are
    followed along the motion."""
    found = is_constant_in(point, turning)
    if found is None and keeps_turning(point, turning):
        return has_constant_coefficients(dense_model(point))
    return bool(found)


def states_of_a_turn(point: OperatingPoint, turning: TurningFrame) -> list[State]:
    """Many states of the steady motion over one turn of the frame, of whose bodies each rests or turns with it."""
    phases = 2 * np.pi * parts_of_a_turn(len(point.chosen.velocities))
    found = (later_state(point, turning, float(phase)) for phase in phases)
    return [state for state in found if state is not None]


def later_state(point: OperatingPoint, turning: TurningFrame, phase: float) -> State | None:
    """The steady motion when the frame has turned on; None unless every body rests or turns with the frame."""
    along = turning_bodies(point, turning)
    return None if along is None else turned_state(point.system, point.state, turning, along, phase)


def turned_state(system: System, state: State, turning: TurningFrame, along: np.ndarray, phase: float) -> State:
    """A state with the bodies `along` (bool) turned on; batch axes may lead, complex steps pass through."""
    turn = np.where(along[:, None, None], about_axis(turning.about, phase)[..., None, :, :], np.eye(3))
    at = turning.at[..., None, :]
    moved = replace(
        state,
        r=np.where(along[:, None], at + apply(turn, state.r - at), state.r),
        R=turn @ state.R,
        v=apply(turn, state.v),
        t=state.t + phase / turning.rate,
    )
    return counted(system, state, moved)


def keeps_turning(point: OperatingPoint, turning: TurningFrame) -> bool:
    """Whether the coordinates of a motion with the frame keep their rates: a steady motion, not an instant of one."""
    speed = turning.rate + float(np.abs(point.state.v).max(initial=0.0)) / point.system.length
    return is_unaccelerated(point, speed, STEADY)


def turning_bodies(point: OperatingPoint, turning: TurningFrame) -> np.ndarray | None:
    """(bodies,) bool: those that turn with the frame; None unless every other body rests."""
    state, spin = point.state, turning.angular_velocity
    omega = apply(state.R, state.w)
    speed = np.abs(state.v).max(initial=0.0) + turning.rate * point.system.length
    carried = cross(np.broadcast_to(spin, state.r.shape), state.r - turning.at)

    def close(velocity: np.ndarray, turn: np.ndarray) -> np.ndarray:
        slow = np.abs(state.v - velocity).max(axis=-1) <= SAME * speed
        return slow & (np.abs(omega - turn).max(axis=-1) <= SAME * turning.rate)

    resting, along = close(np.zeros(3), np.zeros(3)), close(carried, spin)
    return along if turning.rate and np.all(resting | along) else None
