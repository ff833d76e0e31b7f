"""The result of an optimization: what was changed, what it brought, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.analyses.design.designs import DesignSpace
from eigenbody.analyses.design.identity import Follower
from eigenbody.analyses.design.objectives import Modal, ResponsePeak
from eigenbody.analyses.design.optimize.formulation import Formulation, Point, miss
from eigenbody.analyses.design.problem import Bound, Problem, Variable
from eigenbody.analyses.frequency import FrequencyResponse, frf
from eigenbody.analyses.modes import Modes, modes
from eigenbody.base.result import Drawn
from eigenbody.model.model import InertModel

if TYPE_CHECKING:
    from eigenbody.analyses.design.optimize.find import Run

KEPT = 1e-7  # relative violation of a constraint that counts as none
PLACED = 1e-9  # relative error of an equality that counts as none
TRUSTED = 1e-2  # step, as a share of every range, whose promise is the residual of optimality
SHOWN = 400  # frequencies of a response before and after
OPTIMAL = 1e-5  # residual below which a design is best


@dataclass(frozen=True)
class Changed:
    """A variable before and after; `at_bound` is "lower", "upper" or ""."""

    name: str
    before: float
    after: float
    lower: float
    upper: float
    at_bound: str


@dataclass(frozen=True, eq=False)
class Kept:
    """A constraint before and after: all its parts, the bounds, and whether it holds and is active."""

    label: str
    unit: str
    before: np.ndarray
    after: np.ndarray
    lower: float
    upper: float
    equals: float | None
    holds: bool
    is_active: bool
    miss: float  # relative


@dataclass(frozen=True)
class Optimum(Drawn, look="analyses.design.optimize.look"):
    """The best design that was found, beside the start.

    `residual` is by what share of itself the objective would still fall, to first order, over the best step of at most
    1 % of every range that keeps the constraints: zero where the conditions of optimality (Karush, Kuhn, Tucker) hold;
    nan after an interruption.
    """

    problem: Problem
    model: InertModel
    variables: tuple[Changed, ...]
    objective: str  # what it is, in words
    unit: str
    objective_before: float | None
    objective_after: float | None
    constraints: tuple[Kept, ...]
    modes_before: Modes
    modes_after: Modes
    success: bool
    message: str
    residual: float
    iterations: int
    evaluations: int
    notes: tuple[str, ...]

    @property
    def values(self) -> dict[str, float]:
        """Values of the variables, to be given to `model.with_values`."""
        return {v.name: v.after for v in self.variables}

    def __getitem__(self, name: str) -> float:
        return self.values[name]

    @property
    def peak(self) -> ResponsePeak | None:
        """The first response whose peak is judged."""
        return next((q for q in self.problem.quantities if isinstance(q, ResponsePeak)), None)

    @cached_property
    def responses(self) -> tuple[FrequencyResponse, ...]:
        """The response whose peak is judged, before and after; none where none is."""
        if (peak := self.peak) is None:
            return ()
        before = self.problem.model.with_values({v.name: v.before for v in self.variables})
        band = (peak.start_hz, peak.stop_hz, SHOWN)
        return tuple(frf(model, peak.input, peak.output, band) for model in (before, self.model))

    @property
    def wanted_hz(self) -> tuple[float, ...]:
        """Limits of frequencies that were asked for."""
        asked = [b for b in self.problem.bounds if isinstance(b.quantity, Modal) and b.quantity.kind == "frequency"]
        limits = (limit for b in asked for limit in (b.lower, b.upper, b.equals))
        return tuple(limit for limit in limits if limit is not None and np.isfinite(limit))


def collected(task: Problem, space: DesignSpace, follower: Follower, run: Run, runs: Sequence[Run]) -> Optimum:
    """The result of the best run."""
    assert run.best.u is not None
    form = Formulation(task, space, follower)
    before, after = form.point(task.u(task.start)), form.point(run.best.u)
    constraints = tuple(_kept(form, k, before, after) for k in range(len(task.bounds)))
    missed = [c for c in constraints if not c.holds]
    notes = _notes(task, run, runs, after)
    return Optimum(
        problem=task,
        model=task.model.with_values(dict(zip(task.names, after.design.x.tolist(), strict=True))),
        variables=tuple(_changed(v, x) for v, x in zip(task.variables, after.design.x.tolist(), strict=True)),
        objective=_words(task),
        unit=task.terms[0].quantity.unit if len(task.terms) == 1 else "",
        objective_before=form.objective(before),
        objective_after=form.objective(after),
        constraints=constraints,
        modes_before=modes(task.model.with_values(dict(zip(task.names, before.design.x.tolist(), strict=True)))),
        modes_after=modes(task.model.with_values(dict(zip(task.names, after.design.x.tolist(), strict=True)))),
        success=not missed and bool(np.isfinite(run.residual)),
        message=_message(run, missed),
        residual=run.residual,
        iterations=sum(r.iterations for r in runs),
        evaluations=sum(r.evaluations for r in runs),
        notes=notes,
    )


def _changed(v: Variable, x: float) -> Changed:
    near = 1e-9 * (v.upper - v.lower)
    side = "lower" if x <= v.lower + near else "upper" if x >= v.upper - near else ""
    return Changed(v.name, v.start, x, v.lower, v.upper, side)


def _kept(form: Formulation, k: int, before: Point, after: Point) -> Kept:
    bound = form.problem.bounds[k]
    at = len(form.problem.terms) + k
    values = [_shown_parts(bound, point.values[at], len(point.design.eigenvalues)) for point in (before, after)]
    off = miss(bound, after.values[at])
    holds = off <= (PLACED if bound.equals is not None else KEPT)
    limits = [x for x in (bound.lower, bound.upper, bound.equals) if x is not None and np.isfinite(x)]
    near = any(np.abs(values[1] - x).min(initial=np.inf) <= 1e-6 * max(abs(x), 1e-6) for x in limits)
    return Kept(
        bound.quantity.label,
        bound.quantity.unit,
        values[0],
        values[1],
        bound.lower,
        bound.upper,
        bound.equals,
        holds,
        near,
        off,
    )


def _shown_parts(bound: Bound, values: np.ndarray, modes: int) -> np.ndarray:
    """Of peaks the highest alone, for its bound is that of all; without spare parts."""
    return values.max(keepdims=True) if isinstance(bound.quantity, ResponsePeak) else values[:modes]


def _words(task: Problem) -> str:
    if not task.terms:
        return "smallest change of the variables"
    parts = [(f"{t.weight:g} x " if t.weight != 1 else "") + t.quantity.label for t in task.terms]
    return f"{'maximize' if task.maximize else 'minimize'} {' + '.join(parts)}"


def _message(run: Run, missed: list[Kept]) -> str:
    if run.interrupted:
        return "Interrupted; this is the best design so far."
    if missed:
        lines = []
        for c in missed:
            worst = c.after[int(np.argmax([_distance(c, v) for v in c.after]))]
            unit = f" {c.unit}" if c.unit in ("Hz", "kg", "1/s") else ""
            lines.append(f"{c.label} should be {_wanted(c, unit)}, {worst:.10g}{unit} is as near as it came")
        return f"No design was found in these ranges that keeps all constraints: {'; '.join(lines)}."
    if not np.isfinite(run.residual):
        return "The search stopped where no derivative could be computed. Start elsewhere, or narrow the ranges."
    if run.residual > OPTIMAL:
        return "The constraints hold; the search stopped before the conditions of optimality were met."
    return "A best design was found."


def _distance(c: Kept, value: float) -> float:
    if c.equals is not None:
        return abs(value - c.equals)
    return max(c.lower - value, value - c.upper, 0.0)


def _wanted(c: Kept, unit: str) -> str:
    if c.equals is not None:
        return f"{c.equals:g}{unit}"
    if np.isfinite(c.lower) and np.isfinite(c.upper):
        return f"between {c.lower:g} and {c.upper:g}{unit}"
    return f"{c.lower:g}{unit} or more" if np.isfinite(c.lower) else f"{c.upper:g}{unit} or less"


def _notes(task: Problem, run: Run, runs: Sequence[Run], after: Point) -> tuple[str, ...]:
    notes = []
    if len(runs) > 1:
        found = sum(abs(r.best.objective - run.best.objective) <= 1e-6 * abs(run.best.objective) for r in runs)
        notes.append(f"{found} of {len(runs)} refined starts ended at this objective.")
    if run.doubts:
        notes.append(f"At {run.doubts} designs on the way modes could not be told apart by their shapes.")
    if not after.design.is_stable:
        notes.append("The design found is unstable; add a constraint on real_part: {mode: all}.")
    if np.isfinite(run.residual) and run.residual > OPTIMAL:
        notes.append(
            f"A step of {100 * TRUSTED:g} % of the ranges promises another {100 * run.residual:.2g} % of the "
            "objective: allow more iterations or start elsewhere."
        )
    held = [v.name for v, x in zip(task.variables, after.design.x.tolist(), strict=True) if _changed(v, x).at_bound]
    if held:
        notes.append(f"At the end of their range: {', '.join(held)}. A wider range may give more.")
    return tuple(notes)
