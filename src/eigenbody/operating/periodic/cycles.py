"""Cycles of unknown period: a first guess, whether what was found moves at all, and its shortest period."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.numerics.signals.transition import Mesh
from eigenbody.operating.periodic.shooting import RESTING, Lap
from eigenbody.simulation.run import simulate
from eigenbody.system.state import one_state

GROWN = 8.0  # logarithm of the growth that a limit cycle is given time for
CYCLES = (8, 100)  # least and most periods of that time
LAPS = 3  # periods of a guess in which a cycle must have come back once
TRACES = 60  # times of each of them that are looked at first
MOST_TRACES = 20_000  # times that are looked at where the motion is faster than the guess
LONGER = (1, 4, 16, 64)  # times a guess of our own that are looked into
NEARBY = 1.5  # part by which a period may differ from the guess that was given
FAR = 0.2  # part of its size that the motion may go between two times
SMALLEST = 1e-7  # size of a motion, in natural units, beside which tolerances are still chosen
IS_REST = 1e-3  # what a motion misses of its size where it does not come back to itself
SHORTEST = 1e-6  # rad that the fastest motion must make in a period
PARTS = 120  # of the period that are tried
CLOSES = 1e-5  # how well a part must close, beside the size of the motion
TURN = 2 * np.pi


def growth(point: OperatingPoint, guess: float | None) -> tuple[float, float]:
    """A first guess of the period, if none is given, and how many periods a cycle needs to come out: those of the mode
    that grows fastest; of the slowest that oscillates where none grows; where none does, as in the slow part of a
    relaxation, a mean of the times that the motions of the start have."""
    found = spectrum_of(dense_model(point)).eigenvalues
    swinging, sizes = found[found.imag > 0], np.abs(found[found != 0])
    if not len(sizes) and guess is None:
        remedy = "Give a guess of the period (guess: time) and time to settle (settle: time)."
        raise InputError(Fault("period", "nothing oscillates at the start, so there is no first guess.", remedy))
    if not len(swinging):
        return guess or TURN / float(np.sqrt(sizes.min() * sizes.max())), float(CYCLES[0])
    growing = swinging[swinging.real > 0]
    if not len(growing):
        return guess or TURN / float(swinging[0].imag), float(CYCLES[0])
    chosen = growing[np.argmax(growing.real)]
    period = TURN / float(chosen.imag)
    return guess or period, float(np.clip(GROWN / (float(chosen.real) * period), *CYCLES))


def reach_of(point: OperatingPoint) -> float:
    """How large the motion at the start is in natural units, at most one: what tolerances are relative to."""
    system, state, rest = point.system, point.state, float(np.abs(point.motion.acceleration).max(initial=0.0))
    speeds = (np.abs(state.v).max(initial=0.0) / system.length, np.abs(state.w).max(initial=0.0), rest)
    size = max(float(one) for one in speeds)
    return float(np.clip(size, SMALLEST, 1.0)) if size > RESTING else 1.0


def return_time(point: OperatingPoint, guess: float, is_given: bool, tolerance: float) -> float:
    """When the motion comes back near its start: for the first time, sought in longer and longer times, or nearest to
    a guess that was given. The guess where it does not."""
    for longer in (1.0,) if is_given else LONGER:
        found = _returns(point, longer * guess, tolerance)
        if is_given:
            found = found[(found > guess / NEARBY) & (found < guess * NEARBY)]
            found = found[np.argsort(np.abs(np.log(found / guess)))]
        if len(found):
            return float(found[0])
    return guess


def _returns(point: OperatingPoint, guess: float, tolerance: float) -> np.ndarray:
    """Times after which the motion is near its start, within some periods of a guess."""
    begin, count = float(np.real(point.state.t)), TRACES * LAPS
    while True:
        times = begin + np.linspace(0, LAPS * guess, count + 1)
        traces = _traces(point, times, tolerance)
        step = np.linalg.norm(np.diff(traces, axis=0), axis=1).max(initial=0.0)
        if step < FAR or 4 * count > MOST_TRACES:
            break
        count *= 4
    away = np.linalg.norm(traces - traces[0], axis=1)
    left = np.flatnonzero(away > 0.3)
    if not len(left):
        return np.zeros(0)
    later = away[left[0] :]
    dips = np.flatnonzero((later[1:-1] < later[:-2]) & (later[1:-1] <= later[2:]) & (later[1:-1] < 0.15)) + 1
    return np.asarray(times[left[0] + dips] - begin)


def _traces(point: OperatingPoint, times: np.ndarray, tolerance: float) -> np.ndarray:
    """Coordinates, rates and states (times, n) that move, in parts of what they move by; of angles that count turns
    sine and cosine, for a turn later the mechanism is where it was."""
    found = simulate(point, until=float(times[-1]), times=times, tolerance=tolerance, max_steps=1e6)
    system, chosen = point.system, point.chosen
    signals = [f"{system.names[i]}'" for i in chosen.velocities]
    columns = [*(found.signal(name) for name in signals), *found.states.x.T]
    for i in chosen.positions:
        place = found.signal(system.names[i])
        columns += [np.cos(place), np.sin(place)] if system.named.turn_counter[i] >= 0 else [place]
    traces = np.column_stack(columns)
    size = np.ptp(traces, axis=0)
    return np.asarray(traces[:, size > 0] / size[size > 0])


def refuse_rest(lap: Lap) -> None:
    """A point at rest comes back after any time; it is no cycle. What is nearly one misses its start by much of what it
    moves, however little that is."""
    if lap.size <= RESTING or lap.own_residual > IS_REST:
        raise ComputationError(
            "From this start only a point of rest was found, no cycle. Start on the cycle (position, velocity), or let"
            " the mechanism run longer first (settle: time)."
        )


def refuse_too_short(lap: Lap) -> None:
    """Within a period that is far shorter than whatever happens every motion comes back, and no multiplier differs from
    one by more than rounding."""
    fastest = float(np.abs(np.linalg.eigvals(lap.matrices[0])).max(initial=0.0)) if lap.matrices.size else 0.0
    speed = float(np.abs(lap.states.w).max(initial=0.0))
    if 0 < max(fastest, speed) * lap.period < SHORTEST or (lap.size > RESTING and lap.own_residual > IS_REST):
        what = f"within {lap.period:.6g} s hardly anything happens, and what happens does not come back."
        raise InputError(Fault("period", what, "Give the period of the motion, for example 2*pi/speed."))


def parts_of(lap: Lap) -> int:
    """The largest number of equal parts of the period of which each is one already."""
    begin, tolerance = lap.mesh.start, float(np.clip(1e-9 * lap.size, 1e-15, 1e-9))
    numbers = np.arange(PARTS, 1, -1)
    times = begin + lap.period / numbers
    found = simulate(lap.point, until=float(times[-1]), times=times, tolerance=tolerance, max_steps=1e6)
    for k, parts in enumerate(numbers.tolist()):
        shorter = replace(lap, mesh=Mesh(begin, lap.period / parts, 1), end=one_state(found.states, k))
        if shorter.own_residual < CLOSES:
            return parts
    return 1
