"""Whether the linear equations stay the same along the motion: only then do their eigenvalues tell its stability.

A mechanism in equilibrium stays where it is. One that moves or accelerates is followed a good way along its own
accelerations, and linearized there again in the same coordinates. Linear mechanisms and rotors of constant speed come
out the same; a pendulum let go does not, nor an unsymmetric shaft on unsymmetric bearings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.along import state_matrices
from eigenbody.linearization.linearize import dense_model, sparse_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.mobility.coordinates import ahead_of, configured, place_of, rates_of, unit_of, with_rates
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.mobility.turns import counted
from eigenbody.numerics.eigen.sparse import SparseModes
from eigenbody.operating.comparison import same_equations, same_for_modes, same_matrices, vibrations
from eigenbody.system.state import State, one_state, stacked_states

WAYS = (0.9, -0.4)  # rad, or lengths of the mechanism, that the fastest coordinate goes
SHORTER = (1.0, 0.1, 0.01)  # parts of that way which are tried where the mechanism does not reach so far
STEPS = 8  # of a way along which loops are closed or wheels roll; joints of a tree are led there at once
NOTHING = 1e-9  # part of what the bodies do that a coordinate may move by and still count as held
MOMENTS = (2**0.5 / 4, 1.1 * 3**0.5)  # s, where nothing moves but something depends on time: multiples of no period
PLACES, LEAST_PLACES, FEW = 256, 16, 20  # looked at where forces read what moves, of up to 20 degrees of freedom
TIMES = (1.0, 10.0, 100.0, 1e3)  # s, over which time is followed where nothing moves
SMALL = 300  # degrees of freedom up to which all equations are compared
PORTS = 1e-6  # difference of what an input pushes and an output reads, relative to the largest, that counts as none
STILL = 1e-11  # second rates that count as none, in natural units of the motion


def has_constant_coefficients(linear: LinearModel, found: SparseModes | None = None) -> bool:
    """Whether the linear equations are the same further on and further back along the motion: all of them, or where a
    large model has only some modes `found`, as random states and these modes have them."""
    point = linear.point
    if point.is_steady or not linear.states:
        return True
    if not depends_on_time(point) and point.is_equilibrium and not np.any(point.mechanics.applied.state_rate()):
        return True
    here = linear if linear.added_damping is None else _at(linear, point.state)  # of the mechanism alone
    if here.is_sparse and len(here.velocities) <= SMALL:
        here = dense_model(here.point)
    point = point.choosing(linear.chosen)
    try:
        if here.is_sparse:
            states = chain(_further_on(point), _all_along(point) if reads_what_moves(point) else ())
            return all(_is_same_large(here, _at(linear, state), found) for state in states)
        stays = stays_along(here, [*_further_on(point)])
        return stays and (not reads_what_moves(point) or stays_along(here, _all_along(point)))
    except EigenbodyError:  # nothing can be claimed of a motion that cannot be followed
        return False


def _is_same_large(here: LinearModel, there: LinearModel, found: SparseModes | None) -> bool:
    return same_equations(here, there) and (found is None or same_for_modes(found, here, there))


def reads_what_moves(point: OperatingPoint) -> bool:
    """Whether a force or a state reads time, or a measure that changes: then a pulse may pass that few places miss."""
    forces, now = point.system.forces, point.mechanics.applied.now
    arguments = [a for signal in (*forces.signals, *forces.state_rates) for a in signal.arguments]
    least = NOTHING * float(np.abs(now.v).max(initial=0.0))
    return any(a.kind == "t" or (a.kind == "s" and bool(abs(now.v[a.index]) > least)) for a in arguments)


def stays_along(linear: LinearModel, states: Sequence[State]) -> bool:
    """Whether the linear equations are the same at many states."""
    found = state_matrices(linear.point.choosing(linear.chosen), stacked_states(states))
    own = vibrations(linear)
    return all(same_matrices(linear.A, A, lambda: 2 * linear.noise_A, own) for A in found)


def parts_of_a_turn(freedoms: int) -> np.ndarray:
    """Irregular places in (0, 1), as many as a mechanism of some degrees of freedom is worth."""
    count = int(np.clip(PLACES * FEW // max(freedoms, 1), LEAST_PLACES, PLACES))
    return np.sort((np.arange(1, count + 1) * (5**0.5 - 1) / 2) % 1.0)


def _all_along(point: OperatingPoint) -> list[State]:
    """States over one turn of what moves fastest, or over times of every size where nothing does."""
    rates, growth = _rates(point)
    unit = unit_of(point.system, point.chosen.velocities)
    speed = float(np.abs(rates / unit).max(initial=0.0)) or float(np.abs(point.state.w).max(initial=0.0))
    spans = np.array([2 * np.pi / speed] if speed else TIMES)
    ends = np.sort((spans * parts_of_a_turn(len(rates))[:, None]).ravel()[:: len(spans)])
    state, done, found = point.state, 0.0, []
    for end in ends.tolist():
        try:
            now = rates + 0.5 * (done + end) * growth
            state = _stepped(point, with_rates(point.system, point.chosen, state, now), end - done, now)
        except ComputationError:  # further than this mechanism reaches
            break
        found.append(with_rates(point.system, point.chosen, state, rates + end * growth))
        done = end
    return found


def has_constant_ports(linear: LinearModel, inputs: Sequence[int], outputs: Sequence[int]) -> bool:
    """Whether inputs push and outputs are read alike further on along the motion, by their numbers. An output that is a
    coordinate is: of small rotations the small rotation is meant."""
    point = linear.point
    if point.is_at_rest or linear.is_sparse:
        return True
    try:
        there = [_at(linear, state) for state in _further_on(point.choosing(linear.chosen))]
    except EigenbodyError:  # nothing can be claimed of a motion that cannot be followed
        return False
    coordinates = set(linear.coordinates)
    entries = {entry.name: entry for entry in point.model.description.outputs}
    read = [i for i in outputs if entries[linear.outputs[i]].get("measure") not in coordinates]
    own, pushed = linear.state_space, list(inputs)
    return all(
        _alike(own.B[:, pushed], other.B[:, pushed], 0)
        and _alike(own.C[read], other.C[read], 1)
        and _alike(own.D[np.ix_(read, pushed)], other.D[np.ix_(read, pushed)], 0)
        for other in (model.state_space for model in there)
    )


def _alike(one: np.ndarray, other: np.ndarray, axis: int) -> bool:
    """Whether columns (axis 0) or rows (1) of two matrices are equal beside their largest entries."""
    size = np.maximum(np.abs(one), np.abs(other)).max(axis=axis, keepdims=True, initial=0.0)
    return bool((np.abs(one - other) <= PORTS * size).all())


def _at(linear: LinearModel, state: State) -> LinearModel:
    point = linear.point
    there = at_state(point.model, point.system, state).choosing(linear.chosen)
    return sparse_model(there) if linear.is_sparse else dense_model(there)


def depends_on_time(point: OperatingPoint) -> bool:
    """Whether time stands in a force, a state or a prescribed motion, or a frame turns."""
    system = point.system
    signals = (*system.forces.signals, *system.forces.state_rates)
    turning = any(frame["rate"] for frame in system.description.frames)
    return bool(
        turning or system.constraints.motions or any(a.kind == "t" for signal in signals for a in signal.arguments)
    )


def is_unaccelerated(point: OperatingPoint, speed: float, still: float = STILL) -> bool:
    """Whether the coordinates keep their rates, to rounding of the forces, or to `still` in natural units."""
    system = point.system
    unit = unit_of(system, point.chosen.velocities)
    own = np.abs(np.real(point.frame.speed_jet.acceleration) / unit).max(initial=0.0)
    turn = np.where(system.is_angular, 1.0, system.length)
    gain = np.abs(point.motion.acceleration / turn).max(initial=0.0)
    return bool(own <= still * (speed**2 + gain + _pull(point)))


def _pull(point: OperatingPoint) -> float:
    """Acceleration that single forces would give: what cancels to rounding."""
    weight = float(np.linalg.norm(np.real(point.system.gravity))) / point.system.length
    stiff = point.mechanics.force_size(point.motion.multipliers, point.motion.slip_multipliers)
    mass = max(float(np.max(point.system.mass, initial=0.0)), 1e-300)
    return weight + float(np.abs(stiff).max(initial=0.0)) / (mass * point.system.length)


def _further_on(point: OperatingPoint) -> Iterator[State]:
    """States further along the motion and back, found together where both can be reached and the mechanism is small."""
    rates, growth = _rates(point)
    tries = _durations(point, rates, growth)
    if not point.frame.is_sparse:
        here, farthest = stacked_states([point.state] * len(tries)), np.array([own[0] for own in tries])
        try:
            both = _moved(point, here, farthest, rates, growth)
        except ComputationError:  # further than this mechanism reaches on one side
            pass
        else:
            yield from (one_state(both, k) for k in range(len(tries)))
            return
    for own in tries:
        yield _reached(point, own, rates, growth)


def _durations(point: OperatingPoint, rates: np.ndarray, growth: np.ndarray) -> list[list[float]]:
    """Times after which to look, for each way: the farthest first, less where the mechanism does not reach as far."""
    unit = unit_of(point.system, point.chosen.velocities)
    speed, gain = (np.abs(a / unit).max(initial=0.0) for a in (rates, growth))
    if not (speed or gain):
        turn = float(np.abs(point.state.w).max(initial=0.0))  # of what is driven; it may not reach as far, either
        ends = [[way / turn] if turn else [] for way in WAYS]
        return [[part * time for part in SHORTER] + end for time, end in zip(MOMENTS, ends, strict=True)]
    times = [np.sign(way) * 2 * abs(way) / (speed + np.sqrt(speed**2 + 2 * abs(way) * gain)) for way in WAYS]
    return [[part * time for part in SHORTER] for time in times]


def _rates(point: OperatingPoint) -> tuple[np.ndarray, np.ndarray]:
    """Rates of the velocity coordinates, and their own rates beyond what rounding of the forces leaves."""
    system, state = point.system, point.state
    unit = unit_of(system, point.chosen.velocities)
    rates, growth = rates_of(system, state, point.chosen.velocities), np.real(point.frame.speed_jet.acceleration)
    speed = max(np.abs(state.w).max(initial=0.0), np.abs(state.v).max(initial=0.0) / system.length)
    gain = np.abs(point.motion.acceleration / np.where(system.is_angular, 1.0, system.length)).max(initial=0.0)
    rates = np.where(np.abs(rates / unit) > NOTHING * speed, rates, 0.0)
    growth = np.where(np.abs(growth / unit) > NOTHING * (gain + speed**2), growth, 0.0)
    return rates, np.zeros_like(growth) if point.is_equilibrium else growth


def _reached(point: OperatingPoint, durations: Sequence[float], rates: np.ndarray, growth: np.ndarray) -> State:
    """The state after the first of these times that the mechanism reaches."""
    for duration in durations[:-1]:
        try:
            return _moved(point, point.state, duration, rates, growth)
        except ComputationError:  # further than this mechanism reaches
            continue
    return _moved(point, point.state, durations[-1], rates, growth)


def _moved(
    point: OperatingPoint, state: State, duration: float | np.ndarray, rates: np.ndarray, growth: np.ndarray
) -> State:
    """The state after some time at constant acceleration of the coordinates; first-order states at constant rates. Of
    many states each has a time of its own."""
    system, chosen = point.system, point.chosen
    steps = STEPS if len(system.loop_rows) or system.slips.count else 1
    dt = duration / steps
    every = np.asarray(dt)[..., None]
    for k in range(steps):
        now = rates + (k + 0.5) * every * growth
        middle = with_rates(system, chosen, state, now) if k or growth.any() else state
        state = _stepped(point, middle, dt, now)
    return with_rates(system, chosen, state, rates + steps * every * growth)


def _stepped(point: OperatingPoint, state: State, dt: float | np.ndarray, now: np.ndarray) -> State:
    """The state a step later, whose velocity is that of its middle, at rates `now` of the velocity coordinates."""
    system, chosen, every = point.system, point.chosen, np.asarray(dt)[..., None]
    measures = coordinate_set(system, chosen.positions)
    place = place_of(measures, Mechanics(system, state))
    if system.slips.count:  # else these are the rates of all coordinates
        now = rates_of(system, state, chosen.positions)
    ahead = replace(state.moved(system, every * state.velocity(system)), t=state.t + dt)  # type: ignore[arg-type]
    guess = counted(system, state, ahead, every)
    state = configured(system, chosen, guess, ahead_of(measures, place, every * now))
    return replace(state, x=state.x + every * np.real(point.mechanics.applied.state_rate()))
