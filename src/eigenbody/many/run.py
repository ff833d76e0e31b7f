"""One executor for all work on many independent points.

Points are computed in grains: a fixed number of points from a fixed place on, whoever computes them and however many
travel together. That is why the numbers are the same bit by bit with one worker or a hundred: the points that share a
batch never change. Only where a worker is lost twice with the same grain is that grain divided, to find the point.
"""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.many.alone import Alone
from eigenbody.many.pace import Pace
from eigenbody.many.parcels import CannotWork, Outcome, Piece, Work, Workers

GRAIN = 250  # points in one batch: few enough to be in the cache, enough to share the cost of Python
AGAIN = 2  # times that a worker may be lost with the same piece before it is divided, or given up
PARCEL = 0.5  # seconds that a worker should take for what it is sent at once
MOST = 64  # grains in a parcel
AHEAD = 4  # parcels for each worker that may be out or wait for an earlier one
WORTH = 4.0  # seconds of work from which other processes are started unasked: they take about one to begin


class Crew(NamedTuple):
    """Who computes: processes of this machine (None: as many as it has processors, where that pays), or a cluster."""

    workers: int | None = None
    client: Any = None

    def faults(self) -> list[Fault]:
        """What is wrong with it."""
        if self.workers is not None and self.workers < 1:
            return [Fault("workers", f"{self.workers} processes cannot work.", "Give at least 1.")]
        if self.workers is not None and self.client is not None:
            what = "a cluster has its own number of workers."
            return [Fault("workers", what, "Give workers or a client, not both.")]
        return []


@dataclass(frozen=True)
class Lost:
    """A piece without result."""

    reason: str


@dataclass
class _State:
    """What is still to do, what is out, and what came back before its turn."""

    todo: deque[Piece]
    expected: deque[tuple[int, int]]  # places in the order in which results go on
    again: deque[Piece] = field(default_factory=deque)
    early: dict[int, tuple[int, Any]] = field(default_factory=dict)
    out: int = 0


def in_order(
    work: Work, points: np.ndarray, crew: Crew, grain: int = GRAIN, what: str = "points",
    known: Collection[int] = (), notes: list[str] | None = None,
) -> Generator[tuple[int, int, Any], None, None]:  # fmt: skip
    """(start, stop, result) of all points (n, P), in their order, as soon as they are there; the result is what `work`
    made of these rows, or `Lost`.

    grain   points in one batch; it belongs to the numbers, the crew does not
    known   numbers of grains that are not wanted
    notes   is told where other processes cannot help
    """
    if faults := crew.faults():
        raise InputError(faults)
    places = [(k, min(k + grain, len(points))) for k in range(0, len(points), grain) if k // grain not in known]
    pace = Pace(sum(b - a for a, b in places), what)
    if crew.client is None and crew.workers is None and len(places) > 1 and processors() > 1:
        first = 0
        while first < len(places) and not pace.is_worth(WORTH):
            yield from _run(Alone(work), points, places[first : first + 1], pace)
            first += 1
        places = places[first:]
    if places:
        yield from _shared(work, points, places, crew, pace, notes)


def processors() -> int:
    """How many this process may use; EIGENBODY_PROCESSORS says fewer, where it shares the machine."""
    own = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    said = os.environ.get("EIGENBODY_PROCESSORS", "")
    return min(own, max(1, int(said))) if said.isdecimal() else own


def _shared(
    work: Work, points: np.ndarray, places: list[tuple[int, int]], crew: Crew, pace: Pace, notes: list[str] | None
) -> Iterator[tuple[int, int, Any]]:
    """By the crew; by this process where the others cannot start."""
    done = 0
    try:
        for found in _run(_workers(work, crew, len(places)), points, places, pace):
            yield found
            done = found[1]
    except CannotWork as error:
        if crew.client is not None:
            raise ComputationError(f"The cluster cannot help: {error}.") from error
        if notes is not None:
            notes.append(f"One process did all the work: {error}.")
        left = [(max(a, done), b) for a, b in places if b > done]
        yield from _run(Alone(work), points, left, pace)


def _workers(work: Work, crew: Crew, places: int) -> Workers:
    if crew.client is not None:
        from eigenbody.many.cluster import Cluster

        return Cluster(work, crew.client)
    count = min(crew.workers or processors(), places)
    if count == 1:
        return Alone(work)
    from eigenbody.many.processes import Processes

    return Processes(work, count)


def _run(
    workers: Workers, points: np.ndarray, places: Sequence[tuple[int, int]], pace: Pace
) -> Iterator[tuple[int, int, Any]]:
    """Keep the workers busy, hand results on in order."""
    state = _State(deque(Piece(*place) for place in places), deque(places))
    try:
        while state.expected:
            _feed(workers, points, state, pace)
            parcel = workers.receive()
            state.out -= 1
            good = sum(o.piece.stop - o.piece.start for o in parcel.outcomes if o.fault is None)
            pace.took(good, parcel.seconds)
            for outcome in parcel.outcomes:
                _take(outcome, state)
            yield from _ripe(state, pace)
    finally:
        workers.close()


def _feed(workers: Workers, points: np.ndarray, state: _State, pace: Pace) -> None:
    """A parcel for everyone who waits, unless too much waits for an earlier one already."""
    idle = workers.idle()
    while idle > 0 and (state.again or state.todo):
        size = _size(state, pace, idle + state.out)
        pieces = [state.again.popleft()] if state.again else []
        room = AHEAD * (idle + state.out) * size - len(state.early) - state.out * size
        while not pieces or (len(pieces) < size and pieces[0].lost == 0):
            if not state.todo or (room <= 0 and state.out > 0):
                break
            pieces.append(state.todo.popleft())
        if not pieces:
            return
        workers.send(pieces, [points[piece.start : piece.stop] for piece in pieces])
        state.out += 1
        idle -= 1


def _size(state: _State, pace: Pace, crew: int) -> int:
    """Grains in the next parcel, by what they cost so far; few at the end, so that all end together."""
    if not state.todo or not pace.seconds_each:
        return 1
    grain = state.todo[0].stop - state.todo[0].start
    by_cost = PARCEL / (pace.seconds_each * grain)
    return max(1, min(MOST, math.floor(by_cost), math.ceil(len(state.todo) / (2 * crew))))


def _take(outcome: Outcome, state: _State) -> None:
    """A result waits for its turn; what was lost is tried again, then divided; what fails alone has failed."""
    piece, fault = outcome.piece, outcome.fault
    if fault is None:
        state.early[piece.start] = (piece.stop, outcome.result)
        return
    times = piece.lost + fault.is_lost
    if fault.is_lost and times < AGAIN:
        state.again.append(piece._replace(lost=times))
    elif piece.stop - piece.start > 1:
        middle = (piece.start + piece.stop) // 2
        state.again.extend((Piece(piece.start, middle, 1), Piece(middle, piece.stop, 1)))
    else:
        state.early[piece.start] = (piece.stop, Lost(fault.reason))


def _ripe(state: _State, pace: Pace) -> Iterator[tuple[int, int, Any]]:
    """Results whose turn it is."""
    while state.expected:
        start, stop = state.expected[0]
        if start not in state.early:
            return
        end, result = state.early.pop(start)
        state.expected.popleft()
        if end < stop:
            state.expected.appendleft((end, stop))
        pace.report(end - start)
        yield start, end, result
