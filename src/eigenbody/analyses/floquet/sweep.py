"""Floquet exponents over a parameter, and where stability begins and ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.analyses.floquet.find import Floquet, floquet_of_model
from eigenbody.analyses.results import request_of
from eigenbody.analyses.sweep import SweepInterrupted, path_of, unit_of
from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.linearization.point import system_of
from eigenbody.linearization.subject import Subject
from eigenbody.many.run import Crew, Lost
from eigenbody.many.store import Column
from eigenbody.many.whole import Arrays, Form, Keeping, each_point
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for

NARROW = 1e-10  # part of the range to which a boundary is found
UNDAMPED = 1e-9  # logarithm of a multiplier below which it tells nothing of the distance to a boundary
BESIDE, EDGE = 0.03, 1e-3  # parts of the distances to the expected boundary by which values are chosen beside it
SLOW = 0.3  # part of its width to which two steps must bring the interval, else it is halved
BISECTIONS = 60
ELSEWHERE = (0.5, 0.25, 0.75, 0.1, 0.9)  # parts of an interval that are tried where a value in it fails
WINDOWS = (
    "Boundaries are sought between points of different verdict; a window between two points of the same verdict is not"
    " seen."
)


@dataclass(frozen=True)
class FloquetBoundary:
    """Where growth begins or ends, going along the values: the last value known to be on either side of it. `stopped`
    says why these are further apart than asked for."""

    value: float
    below: float
    above: float
    begins: bool
    frequency_hz: float  # of the exponent that grows beside it
    stopped: str = ""


@dataclass(frozen=True, eq=False)
class FloquetSweep(Drawn, look="analyses.floquet.look.sweep"):
    """Exponents over a parameter.

    values       (points,) of the parameter, SI
    exponents    (points, n) complex, 1/s, of all states, fastest growing first; nan at failed points
    growth       (points,) largest real part; nan where the multipliers are too small to be told
    stabilities  of each point; "" where it failed
    boundaries   where `unstable` begins or ends between two points
    """

    model: InertModel
    parameter: str
    values: np.ndarray
    period: np.ndarray
    exponents: np.ndarray
    growth: np.ndarray
    stabilities: tuple[str, ...]
    boundaries: tuple[FloquetBoundary, ...]
    failed: tuple[tuple[int, str], ...]
    convergence: float  # the worst of the certificates
    notes: tuple[str, ...] = (WINDOWS,)

    @property
    def unit(self) -> tuple[str, float]:
        """Unit in which the model gives the parameter, and its SI value; ("", 1) for a plain number."""
        return unit_of(self.model, self.parameter)


@on_one_thread
def floquet_sweep(
    model: Subject,
    parameter: str,
    values: Sequence[float | str] | np.ndarray,
    period: float | str | None = None,
    guess: float | str | None = None,
    settle: float | str | None = None,
    workers: int | None = None,
    client: Any = None,
    store: str | Path | None = None,
) -> FloquetSweep:
    """Floquet exponents at each value of a parameter; boundaries of stability between them are found by bisection.

    The period is the one that the model asks for at each value, one turn of what turns, or the one given. `workers`
    processes (default: as many as the machine has processors, where that pays) or those of a `dask.distributed.Client`
    share the values, a folder as `store` keeps them as they come; the numbers do not depend on it. Ctrl-C ends it with
    what was computed: `SweepInterrupted` carries it as `partial`.
    """
    model = model_asking_for(model)
    given = {"period": period, "guess": guess, "settle": settle}
    system_of(model)  # faults of the model itself, before anything else
    grid = path_of(model, parameter, values).values[parameter]

    def at(value: float) -> Point:
        return _point(floquet_of_model(model.with_values({parameter: float(value)}), given))

    outcomes: list[Point | Lost] = []
    work = partial(_found, model, parameter, given)
    keeping = None if store is None else _keeping(store, model, parameter, given)
    try:
        every = each_point(work, grid[:, None], Crew(workers, client), 1, f"values of {parameter}", keeping)
        with closing(every) as found:
            outcomes.extend(found)
        if isinstance(first := outcomes[0], Lost) and not any(isinstance(one, Point) for one in outcomes):
            raise ComputationError(f"No point of the sweep could be found: {first.reason}")
        return _collected(model, parameter, grid, outcomes, _boundaries(at, grid, outcomes))
    except KeyboardInterrupt as stopped:
        if not any(isinstance(one, Point) for one in outcomes):
            raise
        partial_sweep = _collected(model, parameter, grid[: len(outcomes)], outcomes, ())
        told = f"Interrupted: {len(outcomes)} of {len(grid)} values, and no boundaries between them."
        raise SweepInterrupted(replace(partial_sweep, notes=(told,))) from stopped


@dataclass(frozen=True, eq=False)
class Point:
    """What a sweep keeps of `Floquet` at one value; `fastest` is the exponent of the entry that grows most."""

    exponents: np.ndarray
    period: float
    growth: float
    stability: str
    convergence: float
    fastest: complex


def _point(found: Floquet) -> Point:
    entries = found.eigenvalues
    fastest = entries[int(np.nanargmax(entries.real))] if np.isfinite(entries.real).any() else 0.0
    return Point(
        found.exponents, found.period, found.growth, found.stability, found.certificate.convergence, complex(fastest)
    )


def _found(
    model: InertModel, parameter: str, given: Mapping[str, float | str | None], rows: np.ndarray
) -> list[Point | Lost]:
    """What each value (k, 1) gives, or why it gives nothing."""
    out: list[Point | Lost] = []
    for (value,) in rows.tolist():
        try:
            out.append(_point(floquet_of_model(model.with_values({parameter: value}), dict(given))))
        except EigenbodyError as error:
            out.append(Lost(str(error)))
    return out


def _keeping(store: str | Path, model: InertModel, parameter: str, given: Mapping[str, float | str | None]) -> Keeping:
    columns = [
        Column("period", "s", "period of the motion"), Column("growth", "1/s", "largest real part of an exponent"),
        Column("frequency", "Hz", "frequency of the exponent that grows most"),
        Column("convergence", "", "change of the transition in the last refinement"),
    ]  # fmt: skip
    request = request_of("floquet", model, [parameter], columns, 1, given, is_whole=True)
    return Keeping(store, request, Form(_numbers, _arrays, _made_of))


def _numbers(point: Point) -> dict[str, float]:
    frequency = abs(point.fastest.imag) / (2 * np.pi)
    return {
        "period": point.period, "growth": point.growth, "frequency": frequency, "convergence": point.convergence
    }  # fmt: skip


def _arrays(point: Point) -> Arrays:
    return {name: np.asarray(value) for name, value in vars(point).items()}


def _made_of(arrays: Arrays) -> Point:
    one: dict[str, Any] = {name: array if array.ndim else array.item() for name, array in arrays.items()}
    return Point(**one)


def _boundaries(
    at: Callable[[float], Point], grid: np.ndarray, found: Sequence[Point | Lost]
) -> tuple[FloquetBoundary, ...]:
    out = []
    for k in range(len(grid) - 1):
        here, there = found[k], found[k + 1]
        if isinstance(here, Point) and isinstance(there, Point) and _grows(here) != _grows(there):
            report(f"boundary between {grid[k]:.6g} and {grid[k + 1]:.6g}")
            out.append(_boundary(at, (float(grid[k]), here), (float(grid[k + 1]), there), float(np.ptp(grid))))
    return tuple(out)


def _grows(found: Point) -> bool:
    return found.stability == "unstable"


def _boundary(
    at: Callable[[float], Point], first: tuple[float, Point], last: tuple[float, Point], span: float
) -> FloquetBoundary:
    """Where growth begins, between a value where nothing grows and one where something does."""
    begins = _grows(last[1])
    calm, growing = (first, last) if begins else (last, first)
    before: tuple[float, float] | None = None  # another value where something grows
    known = [(value, point.growth) for value, point in (first, last) if np.isfinite(point.growth)]
    widths: list[float] = []
    stopped = ""
    is_damped = abs(calm[1].growth) * calm[1].period > UNDAMPED
    for step in range(BISECTIONS):
        widths.append(abs(growing[0] - calm[0]))
        if widths[-1] <= NARROW * span:
            break
        if not is_damped:
            middle = _guess_undamped(calm, growing, before, step)
        elif len(widths) > 2 and widths[-1] > SLOW * widths[-3]:
            middle, widths = 0.5 * (calm[0] + growing[0]), []
        else:
            middle = _guess(known, calm[0], growing[0], NARROW * span)
        others = [calm[0] + part * (growing[0] - calm[0]) for part in ELSEWHERE]
        found, middle, why = _first_found(at, [middle, *others])
        if found is None:  # nothing is known in between: the interval stays as wide as it is
            stopped = why
            break
        if np.isfinite(found.growth):
            known.append((middle, found.growth))
        if _grows(found):
            before, growing = (growing[0], growing[1].growth), (middle, found)
        else:
            calm = (middle, found)
    frequency = growing[1].fastest.imag / (2 * np.pi)
    ends = sorted((calm[0], growing[0]))
    return FloquetBoundary(0.5 * sum(ends), ends[0], ends[1], begins, frequency, stopped)


def _first_found(at: Callable[[float], Point], values: Sequence[float]) -> tuple[Point | None, float, str]:
    """At the first of the values at which a motion is found: what, the value, and why not at the first of all."""
    why = ""
    for value in values:
        try:
            return at(value), value, why
        except EigenbodyError as error:
            why = why or f"at {value:.6g}: {error}"
    return None, values[0], why


def _guess(known: Sequence[tuple[float, float]], calm: float, growing: float, narrow: float) -> float:
    """The next value to look at where the largest real part passes zero: beside the place where it is expected to, by
    as much as two expectations differ, on the side of the end that is further away."""
    low, high = min(calm, growing), max(calm, growing)
    ends = [one for one in known if one[0] in (calm, growing)]
    near = sorted(known, key=lambda one: abs(one[1]))[:3]
    chord, bent = _zero(ends), _zero(near)
    if len(near) < 3 or not low < bent < high:
        bent, aside = chord, BESIDE * (high - low)
    else:
        aside = abs(bent - chord)
    aside = max(aside, 0.25 * narrow)
    guess = bent - aside if bent - low > high - bent else bent + aside
    margin = min(0.02 * (high - low), 0.25 * narrow)
    return float(np.clip(guess, low + margin, high - margin))


def _zero(known: Sequence[tuple[float, float]]) -> float:
    """Where the polynomial of the value by the growth through these is, at no growth; nan where two are the same."""
    x, y = np.array(known).T
    with np.errstate(all="ignore"):
        parts = [x[i] * np.prod([y[j] / (y[j] - y[i]) for j in range(len(y)) if j != i]) for i in range(len(y))]
    return float(np.sum(parts))


def _guess_undamped(
    calm: tuple[float, Point], growing: tuple[float, Point], before: tuple[float, float] | None, step: int
) -> float:
    """The next value to look at where the largest real part rises from zero like the square root of the distance.
    Values a little to this and to that side of where it would be zero close in on it; every third time the interval is
    halved."""
    (a, _), (b, found) = calm, growing
    if step % 3 == 2 or before is None or not before[1] > found.growth:
        return 0.5 * (a + b)
    zero = b - found.growth**2 * (before[0] - b) / (before[1] ** 2 - found.growth**2)
    aside = BESIDE * (b - zero) + EDGE * (b - a)
    return float(
        np.clip(
            zero - aside if step % 3 == 0 else zero + aside,
            min(a, b) + 0.02 * abs(b - a),
            max(a, b) - 0.02 * abs(b - a),
        )
    )


def _collected(
    model: InertModel, parameter: str, grid: np.ndarray, found: Sequence[Point | Lost],
    boundaries: tuple[FloquetBoundary, ...],
) -> FloquetSweep:  # fmt: skip
    count = max(len(one.exponents) for one in found if isinstance(one, Point))
    exponents = np.full((len(grid), count), np.nan + 0j)
    growth, period = np.full(len(grid), np.nan), np.full(len(grid), np.nan)
    for k, one in enumerate(found):
        if isinstance(one, Point):
            exponents[k, : len(one.exponents)] = one.exponents
            growth[k], period[k] = one.growth, one.period
    words = tuple(one.stability if isinstance(one, Point) else "" for one in found)
    failed = tuple((k, one.reason) for k, one in enumerate(found) if isinstance(one, Lost))
    worst = max(one.convergence for one in found if isinstance(one, Point))
    for array in (exponents, growth, period):
        array.setflags(write=False)
    notes = _notes(grid, growth, [isinstance(one, Point) for one in found], boundaries)
    return FloquetSweep(model, parameter, grid, period, exponents, growth, words, boundaries, failed, worst, notes)


def _notes(
    grid: np.ndarray, growth: np.ndarray, is_found: Sequence[bool], boundaries: Sequence[FloquetBoundary]
) -> tuple[str, ...]:
    notes = [
        f"The boundary between {b.below:.6g} and {b.above:.6g} was not closed in on: no motion was found between them"
        f" ({b.stopped})"
        for b in boundaries
        if b.stopped
    ]
    hidden = grid[np.isnan(growth) & np.array(is_found)]
    if len(hidden):
        places = ", ".join(f"{value:.6g}" for value in hidden[:4]) + (", ..." if len(hidden) > 4 else "")
        notes.append(
            f"At {places} the largest real part is not told: all deviations are gone after a period, their multipliers"
            " hidden by rounding."
        )
    return (*notes, WINDOWS)
