"""Work that takes longer than a turn of a knob, in a process of its own: find, paint a map, simulate, report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from eigenbody.analyses.compiled import compiled
from eigenbody.analyses.design.optimize import optimize
from eigenbody.analyses.drawing import scene_of
from eigenbody.analyses.report import motion_document, report, simulation_charts
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.pages.studio.knobs import Knob
from eigenbody.pages.studio.movie import movie
from eigenbody.pages.studio.protocol import finite_numbers
from eigenbody.pages.studio.studies import compare, model_and_knobs, over_speed
from eigenbody.simulation.result import SimulationError
from eigenbody.simulation.run import simulate

if TYPE_CHECKING:
    from eigenbody.simulation.result import Simulation

Request = dict[str, Any]
Messages = Iterator[tuple[str, dict[str, Any]]]
FRAMES = 300  # of a simulated motion
MAP = 60  # most points along a side
DIGITS = 12  # of a number that is proposed
NOISE = 1e-9  # damping ratios below are rounding


# ---- find

GOALS: dict[str, Callable[[Mapping[str, float], int], dict[str, Any]]] = {
    "frequency": lambda goal, mode: {"frequency": {"mode": mode}, "equals": goal["value"]},
    "frequency_min": lambda goal, mode: {"frequency": {"mode": mode}, "min": goal["value"]},
    "frequency_max": lambda goal, mode: {"frequency": {"mode": mode}, "max": goal["value"]},
    "damping_min": lambda goal, mode: {"damping_ratio": {"mode": mode}, "min": goal["value"]},
    "damping_all": lambda goal, mode: {"damping_ratio": {"mode": "all"}, "min": goal["value"]},
    "outside": lambda goal, mode: {"frequencies_outside": [goal["low"], goal["high"]]},
}
"""What can be asked for, as a constraint of `optimize`; `mode` is the selected one, counted from 1."""


def problem_of(goals: list[Any], vary: Mapping[str, Any], knobs: tuple[Knob, ...], mode: int) -> dict[str, Any]:
    """The problem of `optimize`: the smallest change of the knobs, within their ranges, that reaches all goals."""
    constraints = []
    for goal in goals:
        kind = goal.get("of") if isinstance(goal, dict) else None
        if kind not in GOALS:
            raise InputError(Fault("goal", f'"{kind}" cannot be asked for.', f"Known: {', '.join(GOALS)}."))
        numbers = finite_numbers({name: value for name, value in goal.items() if name != "of"})
        wanted = {"low", "high"} if kind == "outside" else {"value"}
        if numbers.keys() != wanted:
            raise InputError(Fault("goal", f"{kind} needs {' and '.join(sorted(wanted))}."))
        constraints.append(GOALS[kind](numbers, mode))
    if not constraints:
        raise InputError(Fault("goal", "nothing is asked for.", "Add a goal."))
    known = {knob.name: knob for knob in knobs}
    variables: dict[str, dict[str, Any]] = {}
    for name, ends in vary.items():
        if name not in known or not isinstance(ends, list) or len(ends) != 2:
            raise InputError(Fault(str(name), "it is no knob with a range."))
        low, high = (known[name].si(end) for end in finite_numbers(dict(zip("ab", ends, strict=True))).values())
        variables[name] = {"from": min(low, high), "to": max(low, high)}
        if known[name].scale == "log" and min(low, high) > 0:
            variables[name]["scale"] = "log"
    if not variables:
        raise InputError(Fault("vary", "no knob may be turned.", "Tick at least one."))
    return {"variables": variables, "constraints": constraints}


def find(request: Request) -> Messages:
    """The smallest change that reaches the goals, as a proposal."""
    model, knobs = model_and_knobs(request)
    yield "busy", {"what": "find", "stage": "searching", "share": None}
    found = optimize(model, problem_of(request["goals"], request["vary"], knobs, request["selected"] + 1), workers=1)
    known = {knob.name: knob for knob in knobs}
    changes = [
        {"name": v.name, "unit": known[v.name].unit, "before": known[v.name].written(v.before),
         "after": float(f"{known[v.name].written(v.after):.{DIGITS}g}"), "at_bound": v.at_bound}
        for v in found.variables
    ]  # fmt: skip
    kept = [
        {"label": one.label, "unit": one.unit, "holds": one.holds,
         "before": [float(v) for v in np.atleast_1d(one.before)], "after": [float(v) for v in np.atleast_1d(one.after)]}
        for one in found.constraints
    ]  # fmt: skip
    yield "proposal", {"changes": changes, "goals": kept, "success": found.success, "message": found.message}


# ---- map


def paint(request: Request) -> Messages:
    """Smallest damping ratio over two knobs, row by row; below zero it is unstable, None where there is no answer."""
    model, knobs = model_and_knobs(request)
    (x_name, *x_ends), (y_name, *y_ends) = request["x"], request["y"]
    known = {knob.name: knob for knob in knobs}
    count = max(2, min(int(request["points"]), MAP))
    if x_name not in known or y_name not in known or x_name == y_name:
        raise InputError(Fault("map", "two different knobs are needed.", "Choose another one."))
    evaluator = compiled(model, [x_name, y_name])
    xs, ys = (
        _spread(known[name], finite_numbers({"from": a, "to": b}), count)
        for name, (a, b) in ((x_name, x_ends), (y_name, y_ends))
    )
    yield "map", {
        "x": xs.tolist(), "y": ys.tolist(), "row": -1, "values": [],
        "names": [x_name, y_name], "units": [known[x_name].unit, known[y_name].unit],
        "scales": [known[x_name].scale, known[y_name].scale],
    }  # fmt: skip
    along = np.array([known[x_name].si(float(x)) for x in xs])
    for k, y in enumerate(ys):
        row = evaluator.many({x_name: along, y_name: np.full(count, known[y_name].si(float(y)))})
        yield "map", {"row": k, "values": [least_damping(own) for own in row.eigenvalues]}
        yield "busy", {"what": "map", "stage": "painting", "share": (k + 1) / count}


def least_damping(eigenvalues: np.ndarray) -> float | None:
    """Smallest -Re / |eigenvalue| of all that are not zero; rounding counts as zero, None where it failed."""
    if not np.all(np.isfinite(eigenvalues)):
        return None
    size = np.abs(eigenvalues)
    ratios = -eigenvalues.real[size > 0] / size[size > 0]
    if not len(ratios):
        return 0.0
    least = float(ratios.min())
    return 0.0 if abs(least) < NOISE else least


def _spread(knob: Knob, ends: Mapping[str, float], count: int) -> np.ndarray:
    low, high = sorted(ends.values())
    if knob.scale == "log" and low > 0:
        return np.geomspace(low, high, count)
    return np.linspace(low, high, count)


# ---- simulate, report


def play(request: Request) -> Messages:
    """A simulated motion from the operating point, as far as it came."""
    model, _ = model_and_knobs(request)
    until = float(request["until"])
    if not 0 < until <= 1e6:
        raise InputError(Fault("until", f"{until:g} is no time to simulate to.", "Give seconds, more than none."))
    yield "busy", {"what": "simulate", "stage": "simulating", "share": None}
    note = ""
    try:
        found = simulate(model, until=until, points=FRAMES + 1)
    except SimulationError as stopped:
        if stopped.partial is None:
            raise ComputationError(str(stopped)) from stopped
        found, note = cast("Simulation", stopped.partial), str(stopped)
    from eigenbody.operating.find import operating_point

    scene = scene_of(operating_point(model))
    charts = [chart for _, chart in simulation_charts(found)]
    yield "motion", {"motion": motion_document(found, scene), "charts": charts, "note": note}


def page(request: Request) -> Messages:
    """The report of the model at the numbers of now."""
    model, _ = model_and_knobs(request)
    yield "busy", {"what": "report", "stage": "writing the report", "share": None}
    yield "page", {"html": report(model)}


JOBS: dict[str, Callable[[Request], Messages]] = {
    "find": find, "map": paint, "simulate": play, "report": page, "campbell": over_speed, "compare": compare,
    "movie": movie,
}  # fmt: skip
