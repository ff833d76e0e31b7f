"""Sweeps: modes over a parameter, followed as branches, with what happens on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path as FilePath
from typing import Any, ClassVar, TypeVar

import numpy as np

from eigenbody.analyses.modes import damping_ratios, modes, tracked_rows
from eigenbody.analyses.sweep.boundaries import stability_crossings
from eigenbody.analyses.sweep.crossings import meetings
from eigenbody.analyses.sweep.describe import motion_words
from eigenbody.analyses.sweep.observed import constant_observer, modes_in_frame, who_sees
from eigenbody.analyses.sweep.points import modes_along
from eigenbody.analyses.sweep.settle import settle_crossings
from eigenbody.analyses.sweep.shared import shared_points
from eigenbody.analyses.sweep.told import told_once
from eigenbody.analyses.sweep.tracking import Failure, PointModes, folded
from eigenbody.analyses.sweep.values import Values, few_of, path_of, unit_of
from eigenbody.analyses.sweep.walk import Evaluate, Outcome, Path, Walk
from eigenbody.analyses.sweep.windows import seek_windows
from eigenbody.base.arrays import frozen
from eigenbody.base.result import Drawn
from eigenbody.linearization.linearize import linear_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import system_of
from eigenbody.linearization.stiffening import strained_beams
from eigenbody.linearization.subject import Subject
from eigenbody.many.run import Crew
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for
from eigenbody.operating.compiled import compiled_model
from eigenbody.operating.constancy import has_constant_coefficients
from eigenbody.operating.find import operating_point
from eigenbody.operating.steady.found import Parting
from eigenbody.operating.turning.constant_form import in_blade_patterns
from eigenbody.operating.turning.observer import from_constant_frame

HALVINGS = 8
INSTANT = (
    "The equations change along the motion, in these coordinates and in every turning frame tried: eigenvalues are"
    " those of an instant and say nothing about stability, nor do boundaries. Where the motion repeats itself use"
    " Floquet's theory: campbell --floquet, eb.floquet_sweep(...)."
)
LISTED = 6  # places in a note
SweepT = TypeVar("SweepT", bound="Sweep")
Found = InertModel | LinearModel  # of a point: its linear equations where they are at hand


@dataclass(frozen=True)
class FailedPoint:
    """A point of the sweep without modes: index among the points, parameter values, why."""

    index: int
    values: dict[str, float]
    message: str


@dataclass(frozen=True)
class Event:
    """Two branches meet: "crossing", "veering", "split" (a pair becomes two real eigenvalues), "joining" (the reverse),
    "collision" (two pairs become one and part again) or "doubt" (even the shortest step does not tell them apart)."""

    kind: str
    values: dict[str, float]
    branches: tuple[int, int]


@dataclass(frozen=True)
class StabilityBoundary:
    """A branch crosses the imaginary axis: "flutter" with a frequency, "divergence" without."""

    branch: int
    values: dict[str, float]
    kind: str
    begins: bool  # whether growth begins here (True) or ends, going along the sweep
    frequency: float  # rad/s


@dataclass(frozen=True, eq=False)
class Sweep(Drawn, look="analyses.sweep.look"):
    """Modes along a path of parameter values.

    parameters   (points,) SI values by name, points added between those asked for included (`is_added`)
    eigenvalues  (points, branches) complex, rad/s; a branch keeps its identity over all points. nan at failed points
                 and where a branch is not among the modes found
    is_rigid     (points, branches) recognized zeros
    stability    of each point: stable, marginal, drifting, unstable, frozen (see is_frozen), or failed
    labels       of each branch: what moves
    is_lower     (branches,) the lower half of a pair that is two real eigenvalues elsewhere
    sought       where stability boundaries were sought: "between points" (wherever parabolas through neighbours let
                 expect that a real part reaches zero), "at points" alone or "nowhere"
    is_frozen    whether the equations change along the motion: boundaries are then those of an instant's equations
    """

    model: InertModel
    parameters: Mapping[str, np.ndarray]
    eigenvalues: np.ndarray
    is_rigid: np.ndarray
    is_added: np.ndarray
    is_lower: np.ndarray
    stability: tuple[str, ...]
    labels: tuple[str, ...]
    events: tuple[Event, ...]
    boundaries: tuple[StabilityBoundary, ...]
    sought: str
    is_frozen: bool
    failed: tuple[FailedPoint, ...]
    notes: tuple[str, ...]
    is_over_speed: ClassVar[bool] = False

    @property
    def parameter(self) -> str:
        """Name of the parameter; of the first where several change."""
        return next(iter(self.parameters))

    @property
    def values(self) -> np.ndarray:
        """(points,) values of the parameter in SI units; of the first where several change."""
        return self.parameters[self.parameter]

    @property
    def frequency_hz(self) -> np.ndarray:
        """(points, branches) |imaginary part| / 2 pi."""
        return np.abs(self.eigenvalues.imag) / (2 * np.pi)

    @property
    def damping_ratio(self) -> np.ndarray:
        """(points, branches) -real / |eigenvalue|; nan for zeros."""
        return damping_ratios(self.eigenvalues)

    @property
    def is_failed(self) -> np.ndarray:
        """(points,) bool."""
        return np.array([s == "failed" for s in self.stability], dtype=bool)

    @property
    def unit(self) -> tuple[str, float]:
        """Unit in which the model gives the parameter, and its SI value; ("", 1) for a plain number."""
        return self.unit_of(self.parameter)

    def unit_of(self, name: str) -> tuple[str, float]:
        """The same of any of the parameters."""
        return unit_of(self.model, name)

    def __len__(self) -> int:
        return len(self.values)


class SweepInterrupted(KeyboardInterrupt):
    """Ctrl-C; `partial` is the sweep (`Sweep`, `FloquetSweep`) as far as it came."""

    def __init__(self, partial: Any) -> None:
        super().__init__("interrupted")
        self.partial = partial

    def __reduce__(self) -> tuple[type, tuple[Any]]:
        return type(self), (self.partial,)


@on_one_thread
def sweep(
    model: Subject,
    parameter: str | Mapping[str, Values],
    values: Values | None = None,
    n: int | None = None,
    refine: int = HALVINGS,
    boundaries: bool = True,
    workers: int | None = None,
    client: Any = None,
    store: str | FilePath | None = None,
) -> Sweep:
    """Operating point, linearization and modes over a parameter, modes followed as branches.

    `parameter` names one parameter with its `values` (SI numbers or quantities like "3 kN/m"), or maps several names to
    arrays of equal length: a path along which all change at once. `n` asks for the lowest modes of each point alone.
    Steps over which modes cannot be told apart are halved up to `refine` times, and points are added where a real part
    may reach zero between two; 0 adds none. A point that fails is marked, the sweep goes on. Stability boundaries are
    closed in to rounding unless `boundaries` is False.

    `workers` processes (default: this one alone) or those of a `dask.distributed.Client` share the points;
    `store` is a folder that keeps them as they come, so that an interrupted sweep goes on where it was
    (`eigenbody.results`). The numbers do not depend on it. Steady motions, which are found from one another, are found
    by this process.
    """
    model = model_asking_for(model)
    path = path_of(model, parameter, values)
    few = few_of(model, n)

    def seen(observer: str | None) -> Sweep:
        evaluate = partial(modes_along, model, n=few)
        if observer is not None:
            evaluate = partial(modes_in_frame, model, frame=observer)
        points = shared_points(model, path, evaluate, Crew(workers, client), store, {"n": few, "frame": observer})
        walk = walked(model, path, evaluate, refine, points=points)
        return finished(lambda: collected(walk, model, boundaries, in_frame=observer is not None), walk)

    found = seen(None)
    observer = constant_observer(found)
    if observer is None:
        return found
    own = seen(observer)
    return replace(own, notes=(who_sees(observer), *own.notes))


# Result ---------------------------------------------------------------------------------------------------------------
def walked(
    model: InertModel,
    path: Path,
    evaluate: Evaluate,
    refine: int,
    expected: Callable[[Walk], Sequence[float]] = lambda walk: (),
    points: Iterable[Outcome] | None = None,
) -> Walk:
    """All points evaluated, unless `points` are those, and branches followed; `expected` are places that the result
    will ask for."""
    system = system_of(model)
    rows = tracked_rows(system)
    walk = Walk(path, evaluate, (rows.mass, rows.inertia))
    walk.begin(points)
    try:
        walk.refine(refine)
        if refine:
            settle_crossings(walk, expected)
            walk.refine(refine)
            walk.unsettled = seek_windows(walk)
            walk.sought = "between points"
    except KeyboardInterrupt:
        walk.interrupted = True
    return walk


def values_at(walk: Walk, t: float) -> dict[str, float]:
    """Parameter values at a place of the path."""
    return {name: float(v[0]) for name, v in walk.path.at(np.array([t])).items()}


def collected(
    walk: Walk, model: InertModel, with_boundaries: bool, axes: np.ndarray | None = None, in_frame: bool = False
) -> Sweep:
    """The result: points in order, branches sorted by size, conjugates left out; `in_frame` of a turning frame."""
    shown, lower = branches_of(walk)
    shape = (len(walk.t), len(shown))
    values, rigid = np.full(shape, complex(np.nan, np.nan)), np.zeros(shape, dtype=bool)
    values[walk.good], rigid[walk.good] = walk.track.values[:, shown], walk.track.is_rigid[:, shown]
    rows = tracked_rows(system_of(model))
    subject_at = cache(partial(_subject_at, walk, model))
    closing = with_boundaries and not walk.interrupted
    sought = walk.sought if closing else "nowhere"
    is_frozen = not walk.interrupted and _is_frozen(walk, subject_at, in_frame)
    return Sweep(
        model=model,
        parameters={name: frozen(v) for name, v in walk.path.at(walk.t).items()},
        eigenvalues=frozen(values),
        is_rigid=frozen(rigid),
        is_added=frozen(walk.t % 1 != 0),
        is_lower=frozen(lower),
        stability=tuple(_verdict(o, is_frozen) for o in walk.outcomes),
        labels=motion_words(walk.track.fronts, shown, rows, axes),
        events=tuple(Event(m.kind, values_at(walk, m.t), m.branches) for m in meetings(walk, shown, lower, closing)),
        boundaries=tuple(
            StabilityBoundary(c.branch, values_at(walk, c.t), c.kind, c.begins, c.frequency)
            for c in (stability_crossings(walk, shown, lower) if closing else ())
        ),
        sought=sought,
        is_frozen=is_frozen,
        failed=tuple(
            FailedPoint(i, values_at(walk, walk.t[i]), o.message)
            for i, o in enumerate(walk.outcomes)
            if isinstance(o, Failure)
        ),
        notes=(
            *([INSTANT] if is_frozen else []),
            *_notes(walk, shown),
            *(_unsettled(walk) if sought == "between points" else ()),
            *_few_shapes(walk, model, subject_at),
        ),
    )


def branches_of(walk: Walk) -> tuple[np.ndarray, np.ndarray]:
    """Columns of the track in the order of the result (rigid branches first, then by the first eigenvalue that is
    known), and which are lower halves."""
    shown, lower = folded(walk.track)
    values = walk.track.values[:, shown]
    known = np.argmax(~np.isnan(values.real), axis=0)
    first = values[known, np.arange(len(shown))]
    rigid = (walk.track.is_rigid[:, shown] | np.isnan(values.real)).all(axis=0)
    order = np.lexsort((lower, first.real, np.round(np.abs(first), 12), ~rigid))
    return shown[order], lower[order]


def _verdict(outcome: Outcome, is_frozen: bool) -> str:
    """Of a point: nothing is said of one that turns where the equations change along the motion."""
    if not isinstance(outcome, PointModes):
        return "failed"
    return "frozen" if is_frozen and np.any(outcome.spins) else outcome.stability


def _is_frozen(walk: Walk, subject_at: Callable[[int], Found], in_frame: bool) -> bool:
    """Whether the equations of the first or of the last point change along the motion."""
    ends = sorted({int(walk.good[0]), int(walk.good[-1])}) if len(walk.good) else []
    there = [subject_at(i) for i in ends]
    if in_frame:
        return any(modes(subject).stability == "frozen" for subject in there)
    return not all(_is_constant(subject) for subject in there)


def _is_constant(subject: Found) -> bool:
    linear = subject if isinstance(subject, LinearModel) else linear_model(operating_point(subject))
    return has_constant_coefficients(linear) or in_blade_patterns(linear).blades is not None


def _few_shapes(walk: Walk, model: InertModel, subject_at: Callable[[int], Found]) -> Iterator[str]:
    """What `modes` says of beams whose load needs more modes, at the last point; no cost where none is strained."""
    beams = any(body.reduced.bow is not None for body in model.description.flexible)
    if walk.interrupted or not beams or not len(walk.good):
        return
    there = subject_at(int(walk.good[-1]))
    linear = there if isinstance(there, LinearModel) else linear_model(operating_point(there))
    if linear.is_sparse or not strained_beams(linear.point):
        return
    from eigenbody.analyses.modes import remarks_on_few_shapes  # others need none of it

    at = values_at(walk, walk.t[walk.good[-1]])
    seen = from_constant_frame(in_blade_patterns(linear), partial(has_constant_coefficients, linear))
    place = ", ".join(f"{name} = {value:.6g}" for name, value in at.items())
    for remark in remarks_on_few_shapes(model.with_values(at), modes(seen)):
        yield f"At {place} (SI): {remark[0].lower()}{remark[1:]}"


def _subject_at(walk: Walk, model: InertModel, i: int) -> Found:
    """The linear equations of a point where they are at hand, or its model."""
    outcome = walk.outcomes[i]
    if isinstance(outcome, PointModes) and outcome.steady is not None:
        return outcome.steady.linear
    if isinstance(outcome, PointModes) and outcome.linear is not None:
        return outcome.linear()
    values = values_at(walk, walk.t[i])
    return compiled_model(model, tuple(values)).model_at(list(values.values())) or model.with_values(values)


def _notes(walk: Walk, shown: np.ndarray) -> tuple[str, ...]:
    notes: list[str] = []
    added = int((walk.t % 1 != 0).sum())
    if added:
        what = "point was" if added == 1 else "points were"
        notes.append(f"{added} {what} added where modes come near to each other or a real part may reach zero.")
    if walk.interrupted:
        notes.append(f"Interrupted: {len(walk.t) - added} of {len(walk.path)} points, no search between them.")
    absent = np.isnan(walk.track.values[:, shown].real).any(axis=0)
    if absent.any():
        notes.append(f"{int(absent.sum())} branches are not among the modes found at every point.")
    modes_ = [outcome for outcome in walk.outcomes if isinstance(outcome, PointModes)]
    changes = _changes_of_branch(modes_)
    every = {parting.note for outcome in modes_ if outcome.steady is not None for parting in outcome.steady.partings}
    others = told_once(note for outcome in modes_ for note in outcome.notes if note not in every)
    return (*notes, *changes, *others)


def _changes_of_branch(modes_: Sequence[PointModes]) -> list[str]:
    """Where the steady motion changes to another branch, each place by itself, as narrow as it is known."""
    found = [parting for outcome in modes_ if outcome.steady is not None for parting in outcome.steady.partings]
    found = sorted(set(found), key=lambda one: (one.low, one.high))
    return [one.note for one in found if not any(_is_inside(other, one) for other in found)]


def _is_inside(inner: Parting, outer: Parting) -> bool:
    return inner != outer and outer.low <= inner.low and inner.high <= outer.high


def _unsettled(walk: Walk) -> Iterator[str]:
    """Where a sign may change within a step that is too short to be looked into."""
    near = [values_at(walk, t) for t in walk.unsettled]
    if near:
        places = "; ".join(", ".join(f"{name} = {value:.6g}" for name, value in at.items()) for at in near[:LISTED])
        more = f" and {len(near) - LISTED} more places" if len(near) > LISTED else ""
        yield (
            f"Near {places}{more} (SI) a real part may change its sign and come back within a step too short to be "
            "looked into: ask for points there."
        )


def finished(result: Callable[[], SweepT], walk: Walk) -> SweepT:
    """The result; after Ctrl-C the interruption that carries what there is, without searches between points."""
    try:
        found = result()
    except KeyboardInterrupt:
        walk.interrupted = True
        found = result()
    if walk.interrupted:
        raise SweepInterrupted(found)
    return found
