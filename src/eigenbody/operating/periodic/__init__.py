"""Periodic motion: the motion from the start is improved until it comes back after a period (docs/floquet.md)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError, Fault, InputError
from eigenbody.base.progress import report
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.mobility.coordinates import rates_of, unit_of
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.numerics.signals.transition import Mesh
from eigenbody.operating.constancy import depends_on_time
from eigenbody.operating.periodic.cycles import growth, parts_of, reach_of, refuse_rest, refuse_too_short, return_time
from eigenbody.operating.periodic.places import layout_of, refuse_signals_of_other_period
from eigenbody.operating.periodic.shooting import (
    RESTING,
    Lap,
    lap_from,
    moved_point,
    refuse_other_period,
    serving_coordinates,
)
from eigenbody.simulation.run import simulate

MOST_STATES = 300
TOLERANCE = 1e-12  # of the simulation
ROUGH = 1e-7  # of the simulations that begin the search
CLOSED = 1e-10  # how well a period closes, in natural units
NEARLY = 1e-7  # as well as it must where rounding ends Newton's method earlier
ITERATIONS = 30
FEWEST, MOST = 8, 96  # segments of a first lap
FEWEST_SIMULATED = 32  # where the motion is simulated, which takes longer than to linearize
TURN_OF_FASTEST = 3.0  # rad that the fastest motion makes in a segment
SETTLING = 30  # periods that a forced motion is given to settle where Newton's method fails from the start
SETTLED = 1e-6  # tolerance of the simulation that settles
SMALL = 1e-2  # size of a motion in natural units from which on its own closes well enough
FAR = 0.1  # part of the largest rate at the given start by which one may change
LEAST = 1e-15  # tolerance of a simulation
SAME_PERIOD = 1e-3  # part by which a period may differ from the one that it is a part of
LOOKS = 3  # at most, after which a first lap is begun with what was seen


@dataclass(frozen=True, eq=False)
class PeriodicMotion:
    """A motion that comes back after `period`: its start, and how well it closes.

    is_free        whether the period was found too: a limit cycle
    is_autonomous  whether nothing depends on time: the start may lie anywhere on the way
    """

    lap: Lap
    is_free: bool
    is_autonomous: bool
    iterations: int
    segments: int  # equal ones of the first mesh
    remarks: tuple[str, ...] = ()

    @property
    def point(self) -> OperatingPoint:
        """The start of the period, in coordinates that serve all the way round."""
        return self.lap.point

    @property
    def period(self) -> float:
        """s."""
        return self.lap.period


def periodic_point(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """The operating point: the start of the period."""
    return find_periodic(model, **{key: options[key] for key in ("period", "guess", "settle") if key in options}).point


@on_one_thread
def find_periodic(
    model: InertModel,
    period: float | str,
    guess: float | None = None,
    settle: float | None = None,
    start: OperatingPoint | None = None,
) -> PeriodicMotion:
    """The periodic motion that Newton's method finds from the initial state, or from the point given.

    `period` in s, or "free" for a limit cycle, whose period is found too, from `guess` (default: the growing mode of
    the linear equations at the start). `settle` (s) lets the mechanism run that long before the search begins.
    """
    is_free = isinstance(period, str)
    start = initial_point(model) if start is None else replace(start, model=model)
    is_autonomous = not depends_on_time(start)
    if len(start.chosen.positions) + len(start.chosen.velocities) + len(start.system.states) > MOST_STATES:
        raise ComputationError(f"Periodic motions are sought for up to {MOST_STATES} states.")
    if is_free and not is_autonomous:
        remedy = "Give the period of what drives it, for example 2*pi/speed."
        raise InputError(Fault("period", "something depends on time, which has a period of its own.", remedy))
    if not is_free:
        found = _forced(_after(start, settle) if settle else start, float(period), is_autonomous)
        return found if settle else replace(found, remarks=_moved_far(start, found.point))
    return _cycle(start, guess, settle)


def _cycle(start: OperatingPoint, guess: float | None, settle: float | None) -> PeriodicMotion:
    """The limit cycle that the motion from the start leads to, over its shortest period."""
    tolerance = SETTLED * reach_of(start)
    if settle:
        start = _after(start, settle, tolerance)
    first, periods = growth(start, guess)
    if settle is None:
        start = _after(start, periods * first, tolerance)
    found = _refined(_solved(start, return_time(start, first, guess is not None, tolerance), True, True))
    refuse_rest(found.lap)
    parts = parts_of(found.lap)
    if parts == 1:
        return found
    shorter = _refined(_solved(found.point, found.period / parts, True, True))
    return shorter if abs(shorter.period * parts / found.period - 1) < SAME_PERIOD else found


def _refined(found: PeriodicMotion) -> PeriodicMotion:
    """A small motion closed to what counts beside its own size."""
    best = found.lap
    if not found.is_free and best.size > SMALL:
        return found
    for _ in range(ITERATIONS):
        if not RESTING < best.size < 1 or best.own_residual <= CLOSED:
            break
        point, longer = best.improved_start(found.is_free)
        mesh = layout_of(best, found.segments)
        lap = lap_from(point, longer, mesh, tolerance_for(best, found.is_free))
        if lap.own_residual > 0.5 * best.own_residual and lap.size > 0.1 * best.size:  # rounding decides
            break
        best = lap
    return replace(found, lap=best)


def tolerance_for(lap: Lap, is_free: bool) -> float:
    """Of a simulation of this motion, whose errors count beside its size; of a cycle even where it is not small, for
    its period is found from it."""
    return float(np.clip(TOLERANCE * (lap.size if is_free else lap.size / SMALL), LEAST, TOLERANCE))


def initial_point(model: InertModel) -> OperatingPoint:
    """The initial state of the model, as an operating point of this model."""
    from eigenbody.operating.find import operating_point

    return replace(operating_point(model.set(operating_point="reference")), model=model)


def _after(point: OperatingPoint, duration: float, tolerance: float = SETTLED) -> OperatingPoint:
    """The point after some time, where clocks begin anew if nothing depends on them."""
    report("settling")
    begin = float(np.real(point.state.t))
    end = simulate(point, until=begin + duration, points=2, tolerance=tolerance, max_steps=1e6).state
    if not depends_on_time(point):
        end = replace(end, t=begin)
    return at_state(point.model, point.system, end)


def _forced(start: OperatingPoint, period: float, is_autonomous: bool) -> PeriodicMotion:
    if not (np.isfinite(period) and period > 0):
        raise InputError(Fault("period", f"{period:g} s is not a positive time."))
    try:
        found = _solved(start, period, False, is_autonomous)
    except ComputationError as error:
        try:
            settled = _after(start, SETTLING * period)
            found = _solved(settled, period, False, is_autonomous)
        except ComputationError:
            raise error from None
    found = _refined(found)
    refuse_too_short(found.lap)
    return found


def _moved_far(start: OperatingPoint, found: OperatingPoint) -> tuple[str, ...]:
    """Says where the motion found is another one than that which was given, by the free rate that changed most."""
    system, chosen = start.system, start.chosen.velocities
    given, now = (rates_of(system, state, chosen) for state in (start.state, found.state))
    unit = unit_of(system, chosen)
    largest = float(np.abs(given / unit).max(initial=0.0))
    speed = max(np.abs(start.state.w).max(initial=0.0), np.abs(start.state.v).max(initial=0.0) / system.length)
    off = np.abs(now - given) / unit
    if largest <= FAR * speed or off.max() <= FAR * largest:  # at rest beside what is driven
        return ()
    k = int(np.argmax(off))
    return (
        f"The motion that was found is far from the start: the rate of {system.names[chosen[k]]} is {now[k]:.6g} where"
        f" the start has {given[k]:.6g}. Is the period that of the motion that is meant?",
    )


# Newton's method ------------------------------------------------------------------------------------------------------
def _solved(start: OperatingPoint, period: float, is_free: bool, is_autonomous: bool) -> PeriodicMotion:
    report("looking for a periodic motion")
    segments, tolerance = _first_segments(start, period), ROUGH
    best = lap_from(start, period, Mesh(0.0, period, segments), tolerance)
    best = _seen(best, segments, tolerance)
    if best.is_uniform:
        tolerance = TOLERANCE
    elif segments < FEWEST_SIMULATED:
        segments = FEWEST_SIMULATED
        best = lap_from(start, period, Mesh(0.0, period, segments), tolerance)
        best = _seen(best, segments, tolerance)
    best = replace(best, point=serving_coordinates(best))
    share, iterations, failed = 1.0, 0, ""
    while (best.residual > CLOSED or tolerance > TOLERANCE) and iterations < ITERATIONS and share > 0.01:
        iterations += 1
        tolerance = float(np.clip(1e-4 * best.residual**2, TOLERANCE, tolerance))  # what the next step deserves
        change, longer = best.correction(is_free)
        if not 0.2 * period < best.period + share * longer < 5 * period:
            raise ComputationError(_not_found(best, is_free, is_autonomous))
        try:
            point = moved_point(best.point, share * change)
            lap = lap_from(point, best.period + share * longer, layout_of(best, segments), tolerance)
        except EigenbodyError as error:  # a place that cannot be taken, or from which the motion does not go on
            share, failed = share / 2, str(error)
            continue
        if tolerance <= TOLERANCE and best.residual < NEARLY and lap.residual > 0.5 * best.residual:  # rounding decides
            break
        if lap.residual < best.residual or best.residual < ROUGH:
            best, share = lap, min(1.0, 2 * share)
        else:
            share /= 2
    if best.residual > NEARLY:
        raise ComputationError(_not_found(best, is_free, is_autonomous, failed))
    if not is_free:
        refuse_signals_of_other_period(best)
        refuse_other_period(best)
    return PeriodicMotion(best, is_free, is_autonomous, iterations, segments)


def _seen(lap: Lap, segments: int, tolerance: float) -> Lap:
    """The lap on segments that see what the signals do along it."""
    for _ in range(LOOKS):
        mesh = layout_of(lap, segments)
        if mesh == lap.mesh:
            break
        lap = lap_from(lap.point, lap.period, mesh, tolerance)
    return lap


def _first_segments(point: OperatingPoint, period: float) -> int:
    """Segments of a period that are short enough for the fastest motion, within reason."""
    fastest = np.abs(np.linalg.eigvals(VariationalEquations(point).state_space.A)).max(initial=0.0)
    return int(np.clip(np.ceil(fastest * period / TURN_OF_FASTEST), FEWEST, MOST))


def _not_found(lap: Lap, is_free: bool, is_autonomous: bool, failed: str = "") -> str:
    """What to do, and what ended the last trial that `failed`."""
    kind = "a cycle" if is_free else f"a motion of period {lap.period:.6g} s"
    own = " Nothing depends on time: a cycle has a period of its own, which is found too by period: free."
    return (
        f"From this start {kind} was not found: the best one misses its start by {lap.residual:.2g} (in {lap.worst},"
        " relative to the mechanism's size). Start nearer to it (position, velocity), let it settle first"
        " (settle: time), or correct the period."
        + (own if is_autonomous and not is_free else "")
        + (f" On the way to a better one: {failed}" if failed else "")
    )
