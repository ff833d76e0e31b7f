"""The points of a sweep by a crew, and kept in a store: those that do not follow from one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.analyses.modes import BladePattern, damping_ratios
from eigenbody.analyses.results import request_of
from eigenbody.analyses.sweep.tracking import Failure, PointModes
from eigenbody.analyses.sweep.walk import BATCH, Evaluate, Outcome, Stretch
from eigenbody.analyses.sweep.walk import Path as Places
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.linearization.point import system_of
from eigenbody.many.run import Crew, Lost
from eigenbody.many.store import Column
from eigenbody.many.whole import Arrays, Form, Keeping, each_point
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.linear import DENSE_LIMIT
from eigenbody.operating.steady.along import asks_for_steady

PARTS = {
    "real": ("1/s", "real part of mode {}"),
    "imag": ("rad/s", "imaginary part of mode {}"),
    "damping": ("", "damping ratio of mode {}"),
}
ARRAYS = ("eigenvalues", "shapes", "extra", "is_rigid", "spins", "is_complete")
PATTERN = tuple(field.name for field in fields(BladePattern))


def shared_points(
    model: InertModel,
    path: Places,
    evaluate: Evaluate,
    crew: Crew,
    store: str | Path | None,
    options: Mapping[str, Any],
) -> Iterator[Outcome] | None:
    """Outcomes at the points of a path, in order; None where they are found from one another, by one process. `options`
    are those that the numbers depend on; `evaluate` must pickle."""
    if faults := crew.faults():
        raise InputError(faults)
    if asks_for_steady(model):
        if store is not None:
            what = "steady motions are found from one another: a part of them cannot be gone on from."
            raise InputError(Fault("store", what, "Leave it out."))
        return None
    if crew == Crew():
        crew = Crew(1)  # modes are followed by one process, which is often the larger part
    names, rows = tuple(path.values), np.stack(list(path.values.values()), axis=-1)
    grain = BATCH if system_of(model).nq <= DENSE_LIMIT else 1
    work = partial(_found, evaluate, names)
    keeping = None
    if store is not None:
        request = request_of("sweep", model, names, _columns(work, rows), grain, options, is_whole=True)
        keeping = Keeping(store, request, Form(_numbers, _arrays, _made_of))
    found = each_point(work, rows, crew, grain, "points", keeping)
    return (Failure(one.reason) if isinstance(one, Lost) else one for one in found)


def _found(evaluate: Evaluate, names: Sequence[str], rows: np.ndarray) -> list[PointModes | Lost]:
    stretch = Stretch(np.arange(len(rows)), {name: rows[:, k] for k, name in enumerate(names)})
    return [Lost(one.message) if isinstance(one, Failure) else one for one in evaluate(stretch)]


# Kept -----------------------------------------------------------------------------------------------------------------
def _columns(work: partial[list[PointModes | Lost]], rows: np.ndarray) -> list[Column]:
    """For as many modes as there can be: all states, or those that are asked for."""
    reason = ""
    for k in range(len(rows)):
        (one,) = work(rows[k : k + 1])
        if isinstance(one, PointModes):
            count = len(one.eigenvalues) + (int((one.eigenvalues.imag > 0).sum()) if one.is_complete else 0)
            every = ((k, part) for k in range(1, count + 1) for part in PARTS)
            return [Column(f"{part}_{k}", PARTS[part][0], PARTS[part][1].format(k)) for k, part in every]
        reason = reason or one.reason
    raise ComputationError(f"None of the {len(rows)} points could be computed: {reason}")


def _numbers(point: PointModes) -> dict[str, float]:
    values = point.eigenvalues
    parts = zip(PARTS, (values.real, values.imag, damping_ratios(values)), strict=True)
    return {f"{part}_{k}": float(x) for part, numbers in parts for k, x in enumerate(numbers, 1)}


def _arrays(point: PointModes) -> Arrays:
    words = {"stabilities": point.stabilities, "notes": point.notes, "stability": point.stability}
    out = {name: np.array(value, "U") for name, value in words.items()}
    out |= {name: np.asarray(getattr(point, name)) for name in ARRAYS}
    if point.patterns is not None:
        out |= {f"pattern_{name}": np.array([getattr(one, name) for one in point.patterns]) for name in PATTERN}
    return out


def _made_of(arrays: Arrays) -> PointModes:
    patterns = [arrays[f"pattern_{name}"].tolist() for name in PATTERN] if f"pattern_{PATTERN[0]}" in arrays else None
    given: dict[str, Any] = {name: arrays[name] for name in ARRAYS}
    return PointModes(
        **given | {"is_complete": bool(arrays["is_complete"])},
        stabilities=tuple(arrays["stabilities"].tolist()),
        stability=str(arrays["stability"]),
        notes=tuple(arrays["notes"].tolist()),
        patterns=None if patterns is None else tuple(BladePattern(*one) for one in zip(*patterns, strict=True)),
    )
