"""`eb.report` and `model.view()`: from a model to a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from eigenbody.analyses.drawing import scene_of
from eigenbody.analyses.report import charts as charts_of
from eigenbody.analyses.report.motions import mode_documents, motion_document, packed_bends, packed_shapes
from eigenbody.analyses.report.page import Page
from eigenbody.analyses.report.results import any_section, charts_of_result, linear_sections, tried
from eigenbody.analyses.report.sections import (
    Section,
    certificate_section,
    chart_section,
    model_section,
    modes_section,
    paragraph,
    result_section,
    stability_section,
    summary,
)
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.base.progress import report as progress
from eigenbody.linearization.subject import Subject
from eigenbody.model.model import InertModel
from eigenbody.operating.asked import model_asking_for
from eigenbody.operating.find import operating_point
from eigenbody.present.words import verdict

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes
    from eigenbody.linearization.point import OperatingPoint
    from eigenbody.simulation.result import Simulation

MODES = 40  # shown where no number is asked for
ALL_UP_TO = 200  # degrees of freedom: all modes are found, so that the verdict covers them all
FRAMES = 600  # of a simulated motion
SENSITIVE = 12  # modes whose sensitivities are shown
SIMULATION = "Simulation"

Range = tuple[str, float | str, float | str] | tuple[str, float | str, float | str, int]


def report(
    model: Subject,
    file: str | Path | None = None,
    *,
    n: int | None = None,
    campbell: Range | None = None,
    response: float | None = None,
    simulate: float | None = None,
    sensitivity: str | Sequence[str] | None = None,
    optimize: str | Path | Mapping[str, Any] | None = None,
    results: Sequence[Any] = (),
    max_steps: float | None = None,
) -> str:
    """One self-contained page: the mechanism in 3-D with its modes moving, tables, stability, charts, certificate.

    n            modes to show, lowest first; by default 40
    campbell     (parameter, from, to) or with a number of points: frequencies and damping over a parameter
    response     end (s) of the response to a unit step at every input; by default a few periods of the lowest mode,
                 0 leaves it out. It needs inputs and outputs, as the frequency response does
    simulate     end (s) of a simulated motion to play
    sensitivity  parameters whose influence on the modes is shown; an empty list: those of the model
    optimize     problem to be solved, as for `optimize`: the design before and after
    results      further results of any analysis; each brings its table and chart
    max_steps    steps that the simulated motion may take, as for `simulate`

    What was asked for and cannot be computed says why on the page, and IncompleteReportError, whose `partial` is the
    page, is raised at the end. Returns the HTML; writes it to `file` too, if one is named.
    """
    wanted = Wanted(n, campbell, response, simulate, sensitivity, optimize, results, max_steps)
    page = build(model_asking_for(model), wanted)
    text = page.html()
    if file is not None:
        from eigenbody.present.export import ending_of, write_atomically

        ending_of(file, ("html", "htm"))
        write_atomically(file, lambda stream: stream.write(text.encode()))
    refuse_incomplete(page, text)
    return text


class IncompleteReportError(ComputationError):
    """A part that was asked for could not be computed; `partial` is the page, which says so in its place."""

    def __init__(self, text: str, partial: str) -> None:
        super().__init__(text)
        self.partial = partial


def refuse_incomplete(page: Page, text: str) -> None:
    """IncompleteReportError where parts of the page that were asked for failed."""
    if page.failed:
        raise IncompleteReportError(" ".join(f"{part} failed: {why}" for part, why in page.failed), text)


@dataclass(frozen=True)
class Wanted:
    """What `report` was asked for."""

    n: int | None = None
    campbell: Range | None = None
    response: float | None = None
    simulate: float | None = None
    sensitivity: str | Sequence[str] | None = None
    optimize: str | Path | Mapping[str, Any] | None = None
    results: Sequence[Any] = ()
    max_steps: float | None = None


def build(model: InertModel, wanted: Wanted) -> Page:
    """The page of `report`, not yet written."""
    _check(wanted)
    n = wanted.n
    point = operating_point(model)
    modes = _modes(point, n)
    _require_finite(modes)
    found = modes.explain() if len(modes) else None
    count = min(len(modes), n or MODES)
    progress("drawing the mechanism")
    scene = scene_of(point)
    labels = found.labels[:count] if found is not None else ()
    failed: list[tuple[str, str]] = []
    simulation = None if wanted.simulate is None else _simulate(point, wanted.simulate, wanted.max_steps, failed)
    sections = [stability_section(modes, charts_of.eigenvalue_chart(modes, labels)), modes_section(modes, found, count)]
    sections += linear_sections(modes, wanted.response)
    sections += _asked_sections(model, wanted, point, simulation, failed)
    sections += [any_section(result, k) for k, result in enumerate(wanted.results)]
    sections += [model_section(point), certificate_section(modes)]
    return Page(
        name=model.name,
        summary=summary(point, modes),
        scene=scene.document(),
        modes=mode_documents(modes, found, count, scene),
        shapes=packed_shapes(modes, count, scene),
        bends=packed_bends(modes, count, scene),
        motion=motion_document(simulation, scene) if simulation is not None else None,
        first=_first(modes, count),
        stability=modes.stability,
        verdict=verdict(modes),
        sections=sections,
        footer=_footer(),
        warnings=(*point.warnings, *scene.notes),
        notes=scene.notes,
        failed=failed,
    )


def view(model: InertModel, modes: int = 0) -> View:
    """The mechanism at its operating point in 3-D, and its lowest modes if asked for; shows itself in a notebook."""
    if modes < 0:
        raise InputError(Fault("modes", f"{modes} modes cannot be shown.", "Ask for zero or more."))
    point = operating_point(model)
    scene = scene_of(point)
    page = Page(model.name, summary(point, None), scene.document(), notes=scene.notes, is_compact=True)
    if modes:
        found = _modes(point, modes)
        _require_finite(found)
        count = min(len(found), modes)
        page.modes = mode_documents(found, found.explain() if len(found) else None, count, scene)
        page.shapes = packed_shapes(found, count, scene)
        page.bends = packed_bends(found, count, scene)
        page.first = _first(found, count)
    return View(page.html())


@dataclass(frozen=True)
class View:
    """A page for a notebook: shows itself in a frame of its own, from which it reaches nothing else."""

    html: str
    height: int = 560

    def _repr_html_(self) -> str:
        return (
            f'<iframe title="Mechanism" sandbox="allow-scripts" style="width:100%;height:{self.height}px;border:0"'
            f' srcdoc="{escape(self.html)}"></iframe>'
        )

    def write(self, file: str | Path) -> None:
        """Write the page to a file."""
        from eigenbody.present.export import write_atomically

        write_atomically(file, lambda stream: stream.write(self.html.encode()))


def figure(result: Any) -> Any:
    """An interactive plotly figure of a result; the first where it has several units."""
    import plotly.graph_objects as go

    charts = charts_of_result(result)
    if not charts:
        what = f"a {type(result).__name__} has no interactive chart."
        raise InputError(
            Fault("result", what, "Give modes, a frequency response, a sweep, a response or a simulation.")
        )
    return go.Figure(charts_of.with_colours(charts[0][1]))


# ---- parts


def _check(wanted: Wanted) -> None:
    faults = []
    if wanted.n is not None and wanted.n < 1:
        faults.append(Fault("n", f"{wanted.n} modes cannot be shown.", "Ask for at least one."))
    for name, value in (("response", wanted.response), ("simulate", wanted.simulate)):
        if value is not None and not (np.isfinite(value) and value >= 0 and (value > 0 or name == "response")):
            faults.append(Fault(name, f"{value:g} is not a positive time.", "Give its end in seconds."))
    if faults:
        raise InputError(faults)


def _modes(point: OperatingPoint, n: int | None) -> Modes:
    from eigenbody.analyses.modes import modes

    few = None if len(point.chosen.velocities) <= ALL_UP_TO else n or MODES
    return modes(point, n=few)


def _require_finite(modes: Modes) -> None:
    from eigenbody.present.documents import require_finite_modes

    require_finite_modes(modes)


def _first(modes: Modes, count: int) -> int:
    """The first mode that oscillates: it says more than a free motion."""
    return next((i for i in range(count) if modes.kinds[i] == "oscillatory"), 0)


def _asked_sections(
    model: InertModel,
    wanted: Wanted,
    point: OperatingPoint,
    simulation: Simulation | None,
    failed: list[tuple[str, str]],
) -> list[Section]:
    """Sections that were asked for by name; one that fails says why and is noted in `failed`."""
    makers: list[tuple[str, str, Callable[[], Section]]] = []
    if (swept := wanted.campbell) is not None:
        makers.append(("campbell", f"Modes over {swept[0]}", lambda: _campbell_section(model, swept)))
    if simulation is not None:
        makers.append(("simulation", SIMULATION, lambda: _simulation_section(simulation, failed)))
    if (names := wanted.sensitivity) is not None:
        makers.append(("sensitivity", "Sensitivities", lambda: _sensitivity_section(model, names, point)))
    if (problem := wanted.optimize) is not None:
        makers.append(("optimization", "Optimization", lambda: _optimize_section(model, problem)))
    return [tried(id_, title, make, failed) for id_, title, make in makers]


def _simulate(
    point: OperatingPoint, until: float, max_steps: float | None, failed: list[tuple[str, str]]
) -> Simulation:
    """The motion, as far as it came."""
    from eigenbody.simulation.result import SimulationError
    from eigenbody.simulation.run import simulate

    begin = float(np.real(point.state.t))
    try:
        return simulate(point, until=begin + until, points=FRAMES + 1, max_steps=max_steps)
    except SimulationError as stopped:
        failed.append((SIMULATION, str(stopped)))
        return cast("Simulation", stopped.partial)


def _simulation_section(simulation: Simulation, failed: Sequence[tuple[str, str]]) -> Section:
    found = charts_of.simulation_charts(simulation)
    words = "It can be played above." if found else "Nothing moves: it starts at rest in equilibrium."
    intro = f"The nonlinear motion from the operating point to {simulation.t[-1]:g} s, by {simulation.method}. {words}"
    below = "".join(paragraph(why, "warning") for part, why in failed if part == SIMULATION)
    below += "".join(paragraph(remark, "quiet") for remark in simulation.remarks)
    return chart_section("simulation", SIMULATION, intro, found, below)


def _campbell_section(model: InertModel, wanted: Range) -> Section:
    from eigenbody.analyses.sweep import campbell, value_range

    name, start, stop, *rest = wanted
    points = int(rest[0]) if rest else 41
    if points < 2:
        raise InputError(Fault("campbell", f"{points} points make no curve.", "Ask for at least two."))
    return any_section(campbell(model, name, value_range(model, name, start, stop, points)), 0)


def _sensitivity_section(model: InertModel, names: str | Sequence[str], point: OperatingPoint) -> Section:
    from eigenbody.analyses.sensitivity import sensitivity

    few = min(len(point.chosen.velocities), SENSITIVE)
    found = sensitivity(model, names or None, n=max(few, 1), at=point)
    return result_section(found, "sensitivity", "Sensitivities")


def _optimize_section(model: InertModel, problem: str | Path | Mapping[str, Any]) -> Section:
    from eigenbody.analyses.design.optimize import optimize

    return result_section(optimize(model, problem), "optimization", "Before and after optimization")


def _footer() -> str:
    from datetime import date
    from importlib.metadata import version

    return f"Made by eigenbody {version('eigenbody')} on {date.today().isoformat()}. SI units, global axes."
