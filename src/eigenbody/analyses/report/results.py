"""Sections of results: any that is handed in, and the responses that every model with inputs and outputs has."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.report import charts as charts_of
from eigenbody.analyses.report.sections import Section, chart_section, paragraph, result_section, scrolling
from eigenbody.base.errors import EigenbodyError, InputError
from eigenbody.present.tables import counted, listed

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes
    from eigenbody.linearization.model import LinearModel

STEP, STEPS = "Response to a unit step", 12  # inputs whose step responses are shown


def linear_sections(modes: Modes, end: float | None) -> list[Section]:
    """Frequency response and step responses, where the model has inputs and outputs."""
    linear = modes.linear
    if not linear.inputs or not linear.outputs:
        return []
    from eigenbody.analyses.frequency import frf

    parts = [tried("frf", "Frequency response", lambda: any_section(frf(linear), 0))]
    until = step_time(modes) if end is None else end
    return [*parts, *_step_sections(linear, until)] if until > 0 else parts


def _step_sections(linear: LinearModel, until: float) -> list[Section]:
    """The response to a step of every input; where there are too many, the last says which are not shown."""
    from eigenbody.analyses.response import StepInput, response

    def section(k: int, name: str) -> Section:
        charts = charts_of.response_charts(response(linear, StepInput(name), times=(until, 801)))
        return chart_section(f"step-{k}", f"{STEP} of {name}", "Deviations from the operating point.", charts)

    few = 0 if linear.is_sparse else STEPS
    parts = [
        tried(f"step-{k}", f"{STEP} of {name}", partial(section, k, name)) for k, name in enumerate(linear.inputs[:few])
    ]
    rest = linear.inputs[few:]
    if rest:
        why = "A model of this size has none on the page" if linear.is_sparse else f"{few} inputs are shown"
        words = (
            f"{why}. To see {listed(rest)}: eigenbody response MODEL --step NAME --until {until:.3g} --plot step.png"
        )
        parts.append(Section("steps", f"{STEP} of {counted(len(rest), 'other input')}", paragraph(words)))
    return parts


def tried(id_: str, title: str, make: Callable[[], Section], failed: list[tuple[str, str]] | None = None) -> Section:
    """The section, or why there is none: one part does not spoil the page. A part that was asked for by name (`failed`
    is given) is noted there; what was asked wrongly is refused."""
    try:
        return make()
    except EigenbodyError as error:
        if failed is not None:
            if isinstance(error, InputError):
                raise
            failed.append((title, str(error)))
        return Section(id_, title, paragraph(str(error), "warning"))


def step_time(modes: Modes) -> float:
    """Ten periods of the lowest mode; shorter where a mode grows."""
    rates = np.abs(modes.eigenvalues[~modes.is_rigid])
    if not len(rates):
        return 1.0
    growth = float(modes.eigenvalues.real.max(initial=0.0))
    return float(min(20 * np.pi / rates.min(), 6.0 / growth if growth > 0 else np.inf))


def charts_of_result(result: Any) -> list[tuple[str, charts_of.Chart]]:
    """Charts of a result of a kind that is known here."""
    from eigenbody.analyses.frequency import FrequencyResponse
    from eigenbody.analyses.modes import Modes
    from eigenbody.analyses.response import TimeResponse
    from eigenbody.analyses.sweep import Sweep
    from eigenbody.simulation.result import Simulation

    if isinstance(result, Modes):
        return [("", charts_of.eigenvalue_chart(result, [str(kind) for kind in result.kinds]))]
    makers: tuple[tuple[type, Callable[[Any], list[tuple[str, charts_of.Chart]]]], ...] = (
        (FrequencyResponse, charts_of.frf_charts),
        (Sweep, lambda sweep: [("", charts_of.sweep_chart(sweep))]),
        (TimeResponse, charts_of.response_charts),
        (Simulation, charts_of.simulation_charts),
    )
    return next((make(result) for kind, make in makers if isinstance(result, kind)), [])


def any_section(result: Any, number: int) -> Section:
    """Section of any result: charts and the result's own table."""
    from eigenbody.analyses.frequency import FrequencyResponse
    from eigenbody.analyses.sweep import Sweep

    found = charts_of_result(result)
    if not found:
        return result_section(result, f"result-{number}")
    below = scrolling(result._repr_html_()) if hasattr(result, "_repr_html_") else ""
    if isinstance(result, FrequencyResponse):
        return chart_section(
            "frf", "Frequency response", "", found, f"<details><summary>Peaks and notes</summary>{below}</details>"
        )
    if isinstance(result, Sweep):
        title = f"Modes over {result.parameter}"
        return chart_section(
            "campbell",
            title,
            "",
            found,
            f"<details><summary>Branches, critical speeds, boundaries</summary>{below}</details>",
        )
    return chart_section(f"result-{number}", type(result).__name__, "", found, below)
