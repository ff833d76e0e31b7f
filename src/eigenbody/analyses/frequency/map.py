"""Frequency responses at many operating points: one map over a parameter and the frequency."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eigenbody.analyses.frequency.find import frf
from eigenbody.analyses.frequency.poles import cautions_among
from eigenbody.analyses.frequency.result import FrequencyResponse, unit_of_entry
from eigenbody.analyses.results import request_of
from eigenbody.base.arrays import frozen
from eigenbody.base.errors import ComputationError, EigenbodyError, in_one_line
from eigenbody.base.result import Drawn
from eigenbody.linearization.subject import Subject
from eigenbody.many.run import Crew, Lost
from eigenbody.many.store import Column
from eigenbody.many.whole import Arrays, Form, Keeping, each_point
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for
from eigenbody.operating.family import checked_values

NUMBER = re.compile(r"[-+]?\d[\d.]*(e[-+]?\d+)?")


@dataclass(frozen=True, eq=False)
class FrequencyMap(Drawn, look="analyses.frequency.look.map"):
    """H (points, nf, ny, nu) complex over a parameter and the frequency; nan at points that failed."""

    model: InertModel
    parameter: str
    values: np.ndarray  # (points,) SI
    frequency_hz: np.ndarray
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    response: np.ndarray
    failed: tuple[tuple[int, str], ...]
    notes: tuple[str, ...]

    @property
    def cautions(self) -> tuple[str, ...]:
        """The notes that take the response its meaning."""
        return cautions_among(self.notes)

    @property
    def magnitude(self) -> np.ndarray:
        """|H|; infinite on undamped poles."""
        return np.abs(self.response)

    def unit(self, output: int, input: int) -> str:
        """Unit of one entry, output per input."""
        return unit_of_entry(self.output_units[output], self.input_units[input])


@on_one_thread
def frf_map(
    model: Subject,
    parameter: str,
    values: Sequence[float] | np.ndarray,
    inputs: str | Sequence[str] | None = None,
    outputs: str | Sequence[str] | None = None,
    frequencies_hz: tuple[float, float, int] | Sequence[float] | np.ndarray | None = None,
    workers: int | None = None,
    client: Any = None,
    store: str | Path | None = None,
    **how: Any,
) -> FrequencyMap:
    """The frequency response at the operating point of every value (SI) of a parameter, at the same frequencies.

    Frequencies, inputs, outputs and what else is asked for (`how`: method, base, unbalance, damping, ...) are those of
    `frf`. A point that fails is listed. `workers` processes (default: as many as the machine has processors, where that
    pays) or those of a `dask.distributed.Client` share the points, a folder as `store` keeps them as they come; the
    numbers do not depend on it.
    """
    model = model_asking_for(model)
    grid = checked_values(model, {parameter: values})[parameter]
    asked = {"inputs": inputs, "outputs": outputs, **how}
    first = _first(model, parameter, grid, {**asked, "frequencies_hz": frequencies_hz})
    hz = first.frequency_hz
    work = partial(_found, model, parameter, {**asked, "frequencies_hz": hz})
    names = [f"{output}/{input}" for output in first.outputs for input in first.inputs]
    keeping = None
    if store is not None:
        kinds = (("peak", "", "largest magnitude"), ("peak Hz", "Hz", "its frequency"))
        columns = [Column(f"{what} of {n}", unit, f"{text} of {n}") for n in names for what, unit, text in kinds]
        request = request_of("frf", model, [parameter], columns, 1, {**asked, "frequencies_hz": hz}, is_whole=True)
        keeping = Keeping(store, request, Form(partial(_numbers, names, hz), _arrays, _made_of))
    with closing(each_point(work, grid[:, None], Crew(workers, client), 1, f"values of {parameter}", keeping)) as found:
        outcomes = list(found)
    response = np.full((len(grid), *first.values.shape), complex(np.nan, np.nan))
    told: dict[str, tuple[str, list[int]]] = {}  # notes that differ in their numbers alone are one
    for k, one in enumerate(outcomes):
        if not isinstance(one, Lost):
            response[k] = one.values
            for note in one.notes:
                told.setdefault(NUMBER.sub("#", note), (note, []))[1].append(k)
    failed = tuple((k, one.reason) for k, one in enumerate(outcomes) if isinstance(one, Lost))
    return FrequencyMap(
        model, parameter, frozen(grid), frozen(hz), first.inputs, first.outputs, first.input_units, first.output_units,
        frozen(response), failed, tuple(_note(text, grid[own], len(grid)) for text, own in told.values()),
    )  # fmt: skip


class _Answer(NamedTuple):
    """The response at one value, and what is to be said of it."""

    values: np.ndarray
    notes: tuple[str, ...]


def _note(text: str, values: np.ndarray, count: int) -> str:
    """What is said of some of the points, with where they are; its numbers are those of the first of them."""
    if len(values) == count == 1:
        return text
    span = f"from {values.min():.6g} to {values.max():.6g}"
    return f"{text} (At {len(values)} of {count} values, {span}; said of {values[0]:.6g}.)"


def _first(model: InertModel, parameter: str, grid: np.ndarray, asked: dict[str, Any]) -> FrequencyResponse:
    """The response of the first value that has one: it tells frequencies, names and units."""
    reason = ""
    for value in grid.tolist():
        try:
            return frf(model.with_values({parameter: value}), **asked, refine=False)
        except ComputationError as error:
            reason = reason or in_one_line(error)
    raise ComputationError(f"None of the {len(grid)} points could be computed: {reason}")


def _found(model: InertModel, parameter: str, asked: dict[str, Any], rows: np.ndarray) -> list[_Answer | Lost]:
    out: list[_Answer | Lost] = []
    for (value,) in rows.tolist():
        try:
            found = frf(model.with_values({parameter: value}), **asked, refine=False)
            out.append(_Answer(found.values, found.notes))
        except EigenbodyError as error:
            out.append(Lost(in_one_line(error)))
    return out


# Kept -----------------------------------------------------------------------------------------------------------------
def _numbers(names: Sequence[str], hz: np.ndarray, answer: _Answer) -> dict[str, float]:
    size = np.abs(answer.values).reshape(len(hz), -1)
    at = np.where(np.isnan(size), -1.0, size).argmax(axis=0)
    peaks = {f"peak of {name}": float(size[at[k], k]) for k, name in enumerate(names)}
    return peaks | {f"peak Hz of {name}": float(hz[at[k]]) for k, name in enumerate(names)}


def _arrays(answer: _Answer) -> Arrays:
    return {"values": answer.values, "notes": np.array(answer.notes, "U")}


def _made_of(arrays: Arrays) -> _Answer:
    return _Answer(arrays["values"], tuple(arrays["notes"].tolist()))
