"""Studies: many designs of a model, computed by whoever there is, kept where that is asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.analyses.design.designs import Design, DesignSpace
from eigenbody.analyses.design.evaluation import evaluated
from eigenbody.analyses.design.objectives import Quantity
from eigenbody.analyses.design.study.result import DOUBTFUL, GROWTH, UNSTABLE, Lines, LinesInMemory, Study, summarized
from eigenbody.analyses.design.study.task import Task, model_file, read_task
from eigenbody.analyses.modes import modes as modes_of
from eigenbody.analyses.results import request_of, results
from eigenbody.base.errors import ComputationError, EigenbodyError, Fault, InputError
from eigenbody.base.progress import report
from eigenbody.linearization.subject import Subject
from eigenbody.many.run import Crew, Lost, in_order
from eigenbody.many.store import FAILURE, INDEX, Column, Request, Table, keep
from eigenbody.model.model import InertModel
from eigenbody.model.source import Source, read
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for

GRAIN = 64  # points in one batch: response peaks cost much more than what a batch saves
LOOKS = 5  # points at which is looked whether the equations are constant
FURTHER = {
    GROWTH: ("1/s", "largest real part of the eigenvalues that are no recognized zeros"),
    UNSTABLE: ("", "1 where something grows, else 0; nan where eigenvalues do not judge stability"),
    DOUBTFUL: ("", "1 where it could not be told for sure which mode is which, else 0"),
}
CHANGING = (
    "The equations change along the motion: eigenvalues are those of an instant, and no probability of instability is"
    " told. Floquet's theory (eigenbody floquet) judges a motion that repeats itself."
)


@on_one_thread
def study(
    model: Subject,
    vary: Mapping[str, Any] | None = None,
    of: Sequence[str | Mapping[str, Any]] = (),
    method: str = "latin",
    points: int | None = None,
    seed: int = 1,
    correlation: Sequence[tuple[str, str, float]] = (),
    modes: Mapping[str, Any] | None = None,
    workers: int | None = None,
    client: Any = None,
    store: str | Path | None = None,
) -> Study:
    """Many designs of a model, and what explains their scatter.

    vary         what each parameter or path does: "5 %", "100..200", [100, 150, 200], {"from": 1, "to": 2},
                 {"mean": 150, "deviation": 10}, ...
    of           quantities: "frequency[1]", "damping[weave]", "real[2]", "peak(y/u)", "gain(y/u, 10 Hz)", "rms(y/u)",
                 "mass", or as `optimize` writes them. Modes are those of the model as it is, followed by their shapes
    method       "latin" (hypercube), "factorial" (all combinations of levels), "sobol" (sequence), "monte-carlo", or
                 "saltelli" (Sobol indices; `points` base points make points times (numbers + 2) designs)
    correlation  (name, name, r) of normal scores
    modes        names of modes: {"weave": 9}, numbers as in the table of modes, or {"hop": {"near": "10 Hz"}}
    workers      processes (default: as many as the machine has processors, where that pays)
    client       a `dask.distributed.Client`: its workers compute the points
    store        a folder that keeps the points as they come: an interrupted run goes on where it was
    The result does not depend on who computes. A point that fails is kept with its reason.

    Without `vary`, `model` is a study file (YAML: model, vary, of, ...), a map of the same, or a folder that was given
    as `store`: then nothing is computed.
    """
    if vary is None and _is_folder(model):
        return _kept(model)
    if vary is None:
        source = read(model)
        model = model_file(source)
        if model is None:
            what = "the study names no model, or this is no study."
            raise InputError(Fault(source.where(("model",)), what, "Write `model: FILE`, or give a model and vary."))
    else:
        given = {"vary": vary, "of": of, "method": method, "seed": seed, "correlation": correlation, "modes": modes}
        source = read({**given, **({} if points is None else {"points": points})})
    return study_of(model_asking_for(model), source, Crew(workers, client), store)


def study_of(model: InertModel, source: Source, crew: Crew, store: str | Path | None) -> Study:
    """The study that a source describes."""
    if faults := crew.faults():
        raise InputError(faults)
    report("reading the study")
    task = read_task(model, source)
    notes: list[str] = []
    request = _request(task)
    work = partial(study_columns, task.space, task.nominal, task.quantities, request.options["judges_stability"])
    if store is not None:
        lines: Lines = results(keep(store, request, work, task.points, crew, notes))
    else:
        lines = _computed(request, work, task.points, crew, notes)
    if not np.isfinite(lines.column(DOUBTFUL)).any():
        reason = next(iter(text for text in lines.column(FAILURE) if text))
        raise ComputationError(f"None of the {len(task.points)} points could be computed: {reason}")
    return summarized(lines, notes)


def _is_folder(given: Any) -> bool:
    return isinstance(given, str | os.PathLike) and Path(given).is_dir()


def _kept(folder: Any) -> Study:
    """The study of a store, without the model at hand."""
    found = results(folder)
    if found.about["analysis"] != "study":
        what = f"its results are those of {found.about['analysis']}, not of a study."
        raise InputError(Fault(str(folder), what, "Use `eigenbody results`."))
    if not found.done:
        raise InputError(Fault(str(folder), "no point is computed yet.", "Wait for the first."))
    return summarized(found)


def _request(task: Task) -> Request:
    """Everything that the numbers depend on."""
    columns = [Column(name, quantity.unit, quantity.label) for name, quantity in task.quantities.items()]
    columns += [Column(name, unit, meaning) for name, (unit, meaning) in FURTHER.items()]
    judges = _judges_stability(task)
    options = {
        "method": task.method, "seed": task.seed, "correlation": [list(pair) for pair in task.correlation],
        "vary": [{**asdict(spread), "numbers": list(spread.numbers)} for spread in task.spreads],
        "quantities": _nominal(task), "nominal": task.nominal.x.tolist(),
        "asked": [repr(quantity) for quantity in task.quantities.values()], "judges_stability": judges,
        "notes": [*task.notes, *([] if judges else [CHANGING])],
    }  # fmt: skip
    return request_of("study", task.space.model, task.space.names, columns, GRAIN, options)


def _nominal(task: Task) -> dict[str, float | None]:
    """Quantities of the model as it is; None where one is not known there."""
    places = {k: k for k in range(len(task.nominal.eigenvalues))}
    found: dict[str, float | None] = {}
    for name, quantity in task.quantities.items():
        try:
            found[name] = float(quantity.parts(task.nominal, places).values.max())
        except ComputationError:
            found[name] = None
    return found


def _judges_stability(task: Task) -> bool:
    """Whether the eigenvalues are those of constant equations, at the nominal point and at some of the others."""
    some = np.unique(np.linspace(0, len(task.points) - 1, LOOKS - 1).astype(int))
    for x in (task.nominal.x, *task.points[some]):
        try:
            found = modes_of(task.space.model.with_values(dict(zip(task.space.names, x.tolist(), strict=True))))
        except EigenbodyError:  # the point says so itself when its turn comes
            continue
        if not found.is_constant and found.patterns is None:
            return False
    return True


def _computed(request: Request, work: Any, points: np.ndarray, crew: Crew, notes: list[str]) -> LinesInMemory:
    """All points in memory."""
    given = {column.name: points[:, k] for k, column in enumerate(request.varied)}
    found = {column.name: np.full(len(points), np.nan) for column in request.found}
    failure = np.full(len(points), "", dtype=object)
    with closing(in_order(work, points, crew, GRAIN, "points", notes=notes)) as outcomes:
        for start, stop, table in outcomes:
            if isinstance(table, Lost):
                failure[start:stop] = table.reason
                continue
            for name, array in found.items():
                array[start:stop] = table[name]
            failure[start:stop] = [reason or "" for reason in table[FAILURE]]
    arrays = {INDEX: np.arange(len(points)), **given, **found, FAILURE: failure.astype("U")}
    return LinesInMemory(request.about(points), arrays)


def study_columns(
    space: DesignSpace, nominal: Design, quantities: Mapping[str, Quantity], judges: bool, x: np.ndarray
) -> Table:
    """The columns of one batch."""
    found = evaluated(space, nominal, list(quantities.values()), x)
    own = {name: found.values[:, k] for k, name in enumerate(quantities)}
    unstable = found.unstable if judges else np.full(len(x), np.nan)
    return {**own, GROWTH: found.growth, UNSTABLE: unstable, DOUBTFUL: found.doubtful, FAILURE: found.reasons}
