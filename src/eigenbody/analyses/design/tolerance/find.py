"""Tolerance bands: how far frequencies, damping ratios and response peaks scatter with the numbers of a model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.analyses.design.designs import Design, DesignSpace
from eigenbody.analyses.design.evaluation import evaluated
from eigenbody.analyses.design.objectives import SPARE_PEAKS, Modal, Quantity, ResponsePeak
from eigenbody.analyses.design.problem import value_of
from eigenbody.analyses.results import request_of, results
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.linearization.subject import Subject
from eigenbody.many.run import GRAIN, Crew, Lost, in_order
from eigenbody.many.store import FAILURE, Column, Table, keep
from eigenbody.model.model import InertModel
from eigenbody.model.units import UnitError, parse_quantity
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for

METHODS = ("first-order", "monte-carlo")
SHAPES = ("uniform", "normal")
LEVELS = (0.5, 2.5, 50.0, 97.5, 99.5)  # percentiles that are kept
NORMAL_REACH = 2.0  # a tolerance is this many standard deviations of a normal distribution
MOST_MODES = 40
NOTHING = 1e-13  # relative deviation that is rounding
Vary = Mapping[str, str | float]


@dataclass(frozen=True, eq=False)
class Band:
    """How one quantity scatters: nominal value, its limits and standard deviation; `samples` of Monte Carlo.

    First order: `lower` and `upper` are the worst case, all numbers at the ends of their tolerances, `deviation` the
    root of the sum of squares. Monte Carlo: the 0.5 and 99.5 percentiles and the deviation of the samples.
    `shares` says which part of the variance each number brings (first order).
    """

    label: str
    unit: str
    nominal: float
    lower: float
    upper: float
    deviation: float
    shares: Mapping[str, float]
    samples: np.ndarray | None = None  # (n,) nan where a variant failed


@dataclass(frozen=True)
class Tolerance(Drawn, look="analyses.design.tolerance.look"):
    """Bands of all modes (frequency, damping ratio) and of response peaks."""

    model: InertModel
    tolerances: Mapping[str, tuple[float, float]]  # nominal value and half width
    method: str
    distribution: str
    bands: tuple[Band, ...]
    count: int  # samples
    failed: int
    seed: int
    notes: tuple[str, ...]

    def band(self, label: str) -> Band:
        """The band of a quantity by its label."""
        for band in self.bands:
            if band.label == label:
                return band
        raise InputError(Fault("band", f'there is no "{label}".', suggest(label, [b.label for b in self.bands])))


@on_one_thread
def tolerance(
    model: Subject,
    vary: Vary,
    method: str = "first-order",
    samples: int = 2000,
    seed: int = 1,
    distribution: str = "uniform",
    peaks: Sequence[tuple[str, str, float, float]] = (),
    workers: int | None = None,
    client: Any = None,
    store: str | Path | None = None,
) -> Tolerance:
    """Bands of frequencies, damping ratios and response peaks while numbers of the model scatter.

    vary          half width of the tolerance of each parameter or path: "5 %" or a number in its unit
    method        "first-order" (exact derivatives) or "monte-carlo" (`samples` variants, the same for a `seed`)
    distribution  "uniform" within the tolerance, or "normal" with the tolerance as two standard deviations
    peaks         (input, output, from, to): highest response in a band of frequencies (Hz)
    workers       processes of a large Monte Carlo run (default: as many as the machine has processors)
    client        a `dask.distributed.Client`: its workers compute the variants
    store         a folder that keeps the variants as they come (`eigenbody.results`): an interrupted run goes on
                  where it was
    The result does not depend on who computes.
    """
    model = model_asking_for(model)
    crew = Crew(workers, client)
    widths = _checked(model, vary, method, samples, distribution, crew)
    names = tuple(widths)
    space = DesignSpace.of(model, names, [p[0] for p in peaks], [p[1] for p in peaks])
    nominal = space.at(np.array([value for value, _ in widths.values()]))
    quantities = _quantities(nominal, peaks)
    half = np.array([width for _, width in widths.values()])
    if method == "first-order":
        if store is not None:
            raise InputError(Fault("store", "first-order bands have no variants to keep.", "Ask for monte-carlo."))
        return _first_order(model, widths, nominal, quantities, half, distribution)
    x = _drawn(nominal.x, half, samples, seed, distribution)
    if store is None:
        table, notes = _sampled(space, nominal, quantities, x, crew)
    else:
        table, notes = _stored(space, nominal, quantities, x, crew, store)
    found = _collected(model, widths, nominal, quantities, table, seed, distribution)
    return replace(found, notes=(*found.notes, *notes))


def _checked(
    model: InertModel, vary: Vary, method: str, samples: int, distribution: str, crew: Crew
) -> dict[str, tuple[float, float]]:
    faults: list[Fault] = []
    if method not in METHODS:
        faults.append(Fault("method", f'"{method}" is not known.', suggest(method, METHODS)))
    if distribution not in SHAPES:
        faults.append(Fault("distribution", f'"{distribution}" is not known.', suggest(distribution, SHAPES)))
    if samples < 2:
        faults.append(Fault("samples", f"{samples} samples are no distribution.", "Ask for 1000 or more."))
    faults += crew.faults()
    if not vary:
        faults.append(Fault("vary", "nothing varies.", 'Give for example {"k": "5 %"}, or --vary k=5%.'))
    widths: dict[str, tuple[float, float]] = {}
    for name, given in vary.items():
        try:
            widths[name] = width_of(model, name, given)
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return widths


def width_of(model: InertModel, name: str, given: str | float) -> tuple[float, float]:
    """Nominal value and half width of the tolerance of one number."""
    model.with_values({name: 0.0})  # refuses unknown names
    value = value_of(model, name)
    if value is None:
        raise InputError(Fault(name, "its value is an expression.", "Vary the parameters in it."))
    text = given.strip() if isinstance(given, str) else ""
    try:
        if text.endswith("%"):
            if value == 0:
                raise InputError(Fault(name, "its value is zero, of which no part can be taken.", "Give a number."))
            width = abs(value) * float(text[:-1]) / 100
        else:
            width = float(parse_quantity(text, None)) if text else float(given)
    except (UnitError, ValueError) as error:
        raise InputError(Fault(name, f'"{given}" is no tolerance.', 'Write "5 %" or a number.')) from error
    if not (math.isfinite(width) and width > 0):
        raise InputError(Fault(name, f'the tolerance "{given}" is not positive.', 'Write "5 %" or a number.'))
    return value, width


def _quantities(nominal: Design, peaks: Sequence[tuple[str, str, float, float]]) -> list[Quantity]:
    """Frequency and damping ratio of each mode, and the peaks."""
    found: list[Quantity] = []
    for k in range(min(len(nominal.eigenvalues), MOST_MODES)):
        number = k + 1 + nominal.rigid
        found.append(Modal("frequency", f"frequency of mode {number}", (k,)))
        if abs(nominal.damping_ratio[k]) > 1e-9:
            found.append(Modal("damping_ratio", f"damping ratio of mode {number}", (k,)))
    for input_, output, low, high in peaks:
        if not 0 < low < high:
            raise InputError(Fault("peaks", f"from {low:g} to {high:g} Hz is no band."))
        units = nominal.space.units
        label = f"peak of {output}/{input_} from {low:g} to {high:g} Hz"
        count = len(nominal.eigenvalues) + SPARE_PEAKS
        found.append(ResponsePeak(input_, output, low, high, count, label, f"({units[output]})/({units[input_]})"))
    if not found:
        what = "no mode of the model vibrates or decays, and no peak is asked for: there is nothing to have a band."
        raise InputError(Fault("tolerance", what, "Ask for the peak of a response (--peak), or free the mechanism."))
    return found


# First order ----------------------------------------------------------------------------------------------------------
def _first_order(
    model: InertModel, widths: Mapping[str, tuple[float, float]], nominal: Design, quantities: list[Quantity],
    half: np.ndarray, distribution: str,
) -> Tolerance:  # fmt: skip
    report("derivatives")
    places = {k: k for k in range(len(nominal.eigenvalues))}
    sigma = half / (math.sqrt(3.0) if distribution == "uniform" else NORMAL_REACH)
    bands = []
    for quantity in quantities:
        parts = quantity.parts(nominal, places, True)
        assert parts.slopes is not None
        at = int(np.argmax(parts.values))
        value, slope = float(parts.values[at]), parts.slopes[at]
        variance = (slope * sigma) ** 2
        total = float(variance.sum())
        worst = float(np.abs(slope * half).sum())
        moves = math.sqrt(total) > NOTHING * abs(value)
        shares = variance / total if moves else np.zeros(len(half))
        bands.append(
            Band(
                quantity.label, quantity.unit, value, value - worst, value + worst, math.sqrt(total),
                dict(zip(widths, shares.tolist(), strict=True)),
            )
        )  # fmt: skip
    return Tolerance(
        model,
        widths,
        "first-order",
        distribution,
        tuple(bands),
        0,
        0,
        0,
        (*_meeting(nominal), *_level(nominal, quantities)),
    )


def _meeting(nominal: Design) -> tuple[str, ...]:
    value = nominal.eigenvalues
    gap = np.abs(value[1:] - value[:-1]) / np.maximum(np.abs(value[1:]), 1e-300)
    if not len(gap) or gap.min() > 1e-3:
        return ()
    k = int(np.argmin(gap)) + 1 + nominal.rigid
    return (f"Modes {k} and {k + 1} are nearly repeated: first-order bands do not hold far there; use monte-carlo.",)


def _level(nominal: Design, quantities: list[Quantity]) -> tuple[str, ...]:
    """Peaks that another one is about to overtake."""
    notes = []
    for quantity in quantities:
        if isinstance(quantity, ResponsePeak):
            size = np.unique(np.round(quantity.parts(nominal, {}).values, 12))
            if len(size) > 1 and size[-2] > 0.95 * size[-1]:
                notes.append(
                    f"{quantity.label}: another peak is nearly as high; first-order bands show one of them alone."
                )
    return tuple(notes)


# Monte Carlo ----------------------------------------------------------------------------------------------------------
def _drawn(x: np.ndarray, half: np.ndarray, samples: int, seed: int, distribution: str) -> np.ndarray:
    """Values (samples, P), the same for a seed."""
    random = np.random.default_rng(seed)
    if distribution == "uniform":
        return x + half * random.uniform(-1.0, 1.0, size=(samples, len(x)))
    return x + half / NORMAL_REACH * random.normal(size=(samples, len(x)))


def _sampled(
    space: DesignSpace, nominal: Design, quantities: list[Quantity], x: np.ndarray, crew: Crew
) -> tuple[np.ndarray, list[str]]:
    """(samples, quantities), nan where a variant failed, and notes."""
    table = np.full((len(x), len(quantities)), np.nan)
    notes: list[str] = []
    work = partial(evaluated, space, nominal, quantities)
    lost: Counter[str] = Counter()
    with closing(in_order(work, x, crew, what="variants", notes=notes)) as outcomes:
        for start, stop, found in outcomes:
            if isinstance(found, Lost):
                lost[found.reason] += stop - start
            else:
                table[start:stop] = found.values
    return table, [*notes, *(f"{count} of them: {reason}" for reason, count in lost.items())]


def _stored(
    space: DesignSpace, nominal: Design, quantities: list[Quantity], x: np.ndarray, crew: Crew, store: str | Path
) -> tuple[np.ndarray, list[str]]:
    """The same by way of a store, whose columns are called like the bands."""
    notes: list[str] = []
    columns = [Column(quantity.label, quantity.unit, quantity.label) for quantity in quantities]
    options = {"nominal": nominal.x.tolist(), "quantities": [repr(quantity) for quantity in quantities]}
    request = request_of("tolerance", space.model, space.names, columns, GRAIN, options)
    place = keep(store, request, partial(_columns, space, nominal, quantities), x, crew, notes)
    found = results(place)
    return np.column_stack([found.column(column.name) for column in columns]), notes


def _columns(space: DesignSpace, nominal: Design, quantities: list[Quantity], x: np.ndarray) -> Table:
    found = evaluated(space, nominal, quantities, x)
    return {**{quantity.label: found.values[:, k] for k, quantity in enumerate(quantities)}, FAILURE: found.reasons}


def _collected(
    model: InertModel, widths: Mapping[str, tuple[float, float]], nominal: Design, quantities: list[Quantity],
    table: np.ndarray, seed: int, distribution: str,
) -> Tolerance:  # fmt: skip
    failed = int(np.isnan(table).all(axis=1).sum())
    if failed == len(table):
        raise ComputationError(f"None of the {failed} variants could be computed. Try smaller tolerances.")
    bands = []
    places = {k: k for k in range(len(nominal.eigenvalues))}
    for column, quantity in enumerate(quantities):
        samples = table[:, column]
        good = samples[~np.isnan(samples)]
        value = float(quantity.parts(nominal, places).values.max())
        low, high = np.percentile(good, (LEVELS[0], LEVELS[-1]))
        bands.append(
            Band(quantity.label, quantity.unit, value, float(low), float(high), float(good.std()), {}, samples)
        )
    notes = (f"{failed} of {len(table)} variants could not be computed and are left out.",) if failed else ()
    return Tolerance(model, widths, "monte-carlo", distribution, tuple(bands), len(table), failed, seed, notes)
