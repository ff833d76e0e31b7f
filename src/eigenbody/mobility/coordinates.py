"""Moving about in coordinates: a state from the change of its coordinates and their new rates, constraints held.

The coordinates of three-dimensional rotations are small rotations about the axes of the first body; their rates are
the components of the angular velocity. Turning by dphi means R_rel <- exp(dphi) R_rel. States may be many at once, by
leading axes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.posing import square
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.mobility.turns import counted
from eigenbody.numerics.matrices.linear import factor, joined, solve_vector
from eigenbody.spatial.rotations import exp, log
from eigenbody.system.measureset import MeasureSet
from eigenbody.system.state import State
from eigenbody.system.system import System

ITERATIONS = 25
MOMENT = "kg*m^2"
CLOSED = 1e-13  # change of the configuration, in lengths of the mechanism and rad, at which it is closed
TOO_FAR = 1.5  # correction, in the same units, beyond which a step has left the neighbourhood


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Where the mechanism is in its coordinates: their values, and relative rotations of those that are rotations."""

    values: np.ndarray  # (..., coordinates)
    rotations: tuple[np.ndarray, ...]  # for each batch of rotation components, (..., n, 3, 3)


def rotation_batches(measures: MeasureSet) -> list[tuple[RotationComponent, np.ndarray]]:
    """The small rotations among the coordinates."""
    return [(k, where) for k, where in measures.batches if isinstance(k, RotationComponent)]


def place_of(measures: MeasureSet, mechanics: Mechanics) -> Place:
    """The coordinates' own place."""
    here = complex_place_of(measures, mechanics)
    return replace(here, values=np.real(here.values))


def complex_place_of(measures: MeasureSet, mechanics: Mechanics) -> Place:
    """The same with the complex steps that the state carries."""
    values = measures.jet(mechanics.at, mechanics.state.turns).value
    return Place(values, tuple(_relative(kernel, mechanics.at) for kernel, _ in rotation_batches(measures)))


def _relative(kernel: RotationComponent, at: Carriers) -> np.ndarray:
    first = at.R[..., kernel.carriers[:, 0], :, :] @ kernel.first
    return np.swapaxes(first, -1, -2) @ (at.R[..., kernel.carriers[:, 1], :, :] @ kernel.second)


def ahead_of(measures: MeasureSet, place: Place, change: np.ndarray) -> Place:
    """The place after a finite change of the coordinates."""
    turned = []
    for (kernel, where), R in zip(rotation_batches(measures), place.rotations, strict=True):
        turned.append(exp(_turn(kernel, change[..., where])) @ R)
    return Place(place.values + change, tuple(turned))


def _turn(kernel: RotationComponent, change: np.ndarray) -> np.ndarray:
    """dphi (..., n, 3) of the pair of bodies that each component belongs to: the sum over its components."""
    share = kernel.e * change[..., None]
    n = len(kernel.carriers)
    key = np.hstack((kernel.carriers, np.round(kernel.first.reshape(n, 9), 9) + 0.0))
    _, pair = np.unique(key, axis=0, return_inverse=True)
    together = (pair.ravel()[:, None] == pair.ravel()).astype(float)
    return together @ share


def difference(measures: MeasureSet, goal: Place, here: Place) -> np.ndarray:
    """Change of the coordinates from `here` to `goal`."""
    out = goal.values - here.values
    for (kernel, where), Rg, Rh in zip(rotation_batches(measures), goal.rotations, here.rotations, strict=True):
        out[..., where] = np.sum(kernel.e * log(Rg @ np.swapaxes(Rh, -1, -2)), axis=-1)
    return out


def unit_of(system: System, index: np.ndarray) -> np.ndarray:
    """Natural unit of measures: the length of the mechanism for displacements, its moment of inertia for what angular
    momentum is the rate of, one for angles."""
    units = {"m": system.length}
    if any(system.dimensions[i] == MOMENT for i in index):
        units[MOMENT] = float(np.max(np.real(system.mass))) * system.length**2 + float(np.abs(system.inertia).max())
    return np.array([units.get(system.dimensions[i], 1.0) for i in index])


def configured(system: System, chosen: Selection, state: State, goal: Place) -> State:
    """The configuration whose coordinates are at the goal, constraints closed; `state` is where to start."""
    measures = coordinate_set(system, chosen.positions)
    scale = np.where(system.is_angular, 1.0, max(system.length, 1e-300))
    size = np.inf
    for _ in range(ITERATIONS):
        mechanics = Mechanics(system, state)
        off = difference(measures, goal, place_of(measures, mechanics))
        rhs = joined(-mechanics.holonomic.value[..., chosen.rows], off)
        if not np.any(rhs):
            return state
        step = solve_vector(factor(square(mechanics, chosen, measures)), rhs)
        before, size = size, float(np.max(np.abs(step / scale), initial=0.0))
        if not np.isfinite(size) or size > TOO_FAR:
            break
        state = counted(system, state, state.moved(system, step))
        if size < CLOSED or (size < 1e-11 and size > 0.5 * before):  # rounding decides
            return state
    worst = np.abs(off).reshape(-1, len(chosen.positions)).max(axis=0, initial=0.0) / unit_of(system, chosen.positions)
    where = f": {system.names[chosen.positions[int(np.argmax(worst))]]} does not get there" if worst.size else ""
    raise ComputationError(
        f"The mechanism could not be moved to the next trial position{where}. Start nearer to what is sought"
        " (`position` and `velocity` of the joints), or give coordinates that serve there (coordinates: [...])."
    )


def with_rates(system: System, chosen: Selection, state: State, rates: np.ndarray) -> State:
    """The configuration with its velocity coordinates moving at `rates`; all other velocities as constraints ask."""
    lead = state.r.shape[:-2]
    still = state.with_velocity(system, np.zeros((*lead, system.nq)))
    mechanics = Mechanics(system, still)  # at rest: rates are explicit time derivatives
    frame = MotionFrame(mechanics, chosen, is_sparse=False if lead else None)
    held = mechanics.holonomic.rate[..., chosen.rows]
    if frame.has_slips:
        held = joined(held, mechanics.non_holonomic.rate[..., chosen.slip_rows])
    own = frame.speeds.jet(mechanics.at, still.turns).rate
    rhs = joined(-held, rates - own)
    return still.with_velocity(system, solve_vector(frame.at_velocity, rhs)) if np.any(rhs) else still


def rates_of(system: System, state: State, index: np.ndarray) -> np.ndarray:
    """Rates of measures as coordinates."""
    return np.real(coordinate_set(system, index).jet(Mechanics(system, state).at, state.turns).rate)


def advanced(system: System, chosen: Selection, state: State, duration: float | np.ndarray, steps: int) -> State:
    """The state after some time of motion at constant rates of the coordinates; each of many has a time of its own."""
    measures = coordinate_set(system, chosen.positions)
    rates = rates_of(system, state, chosen.velocities)
    dt = np.asarray(duration / steps)
    for _ in range(steps):
        place = place_of(measures, Mechanics(system, state))
        goal = ahead_of(measures, place, dt[..., None] * rates_of(system, state, chosen.positions))
        guess = state.moved(system, dt[..., None] * state.velocity(system))
        guess = counted(system, state, replace(guess, t=state.t + dt))  # type: ignore[arg-type]
        state = with_rates(system, chosen, configured(system, chosen, guess, goal), rates)
    return state
