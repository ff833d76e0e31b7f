"""The fundamental matrix: what it prints, its document, arrays and picture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number
from eigenbody.present.style import INK
from eigenbody.present.tables import MAX_MATRIX, Grid, Sheet, counted, plain_text, significant
from eigenbody.present.words import model_name, remarks_below

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.fundamental import Fundamental

MAX_TIMES = 6  # whose matrices are printed
MAX_STATES = 12  # with a curve


def sheet(found: Fundamental) -> Sheet:
    """The matrix at every time while it is small, and how well the ways agree."""
    states = found.linear.states
    spread = ", ".join(f"{name} {significant(value, 2)}" for name, value in found.spread.items())
    compared = f"; relative difference of the other ways at the last time: {spread}" if spread else ""
    lines = [
        f"{counted(len(states), 'state')}, {counted(len(found.times), 'time')}, by {found.method}{compared}",
        f"Determinant exp(t trace A): {', '.join(significant(value) for value in found.determinant[:MAX_TIMES])}",
    ]
    grids: list[Grid | str] = []
    if len(states) > MAX_MATRIX:
        grids.append(f"Phi: {len(found.times)} x {len(states)} x {len(states)}, see --json or --out")
    else:
        for t, Phi in list(zip(found.times, found.values, strict=True))[:MAX_TIMES]:
            rows = tuple((s, *(significant(value) for value in row)) for s, row in zip(states, Phi, strict=True))
            grids.append(Grid(f"Phi({significant(t)} s)", ("", *states), rows, (False, *(True for _ in states))))
    return Sheet(f"Fundamental matrix of {model_name(found.linear.point)}", lines, grids, remarks_below(found.linear))


def document(found: Fundamental) -> dict[str, Any]:
    """`fundamental --json`."""
    return {
        "model": found.linear.point.model.name,
        "states": list(found.linear.states),
        "method": found.method,
        "times": [number(t) for t in found.times],
        "matrices": found.values.tolist(),
        "determinant": [number(value) for value in found.determinant],
        "spread": {name: number(value) for name, value in found.spread.items()},
        "certificate": found.linear.certificate.as_dict(),
        "notes": list(found.linear.notes),
        "warnings": list(found.linear.point.warnings),
    }


def arrays(found: Fundamental) -> dict[str, Any]:
    """Times, matrices (times, states, states) and the names of the states."""
    return {"times": found.times, "matrices": found.values, "states": tuple(found.linear.states)}


def axes(found: Fundamental) -> dict[str, Over]:
    """What the arrays lie over."""
    return {"times": over("s", time="times"), "matrices": over(time="times", state="states", start="states")}


def records(found: Fundamental) -> Iterator[list[Any]]:
    """A line for each time and state, with what a unit of each state at the start makes of it."""
    yield ["t", "state", *(f"from {name}" for name in found.linear.states)]
    for t, Phi in zip(found.times, found.values, strict=True):
        for name, row in zip(found.linear.states, Phi, strict=True):
            yield [number(t), name, *map(number, row.tolist())]


def plot(found: Fundamental) -> Figure:
    """What a unit of each state at the start makes of all states, over time; one panel for each start."""
    from matplotlib.figure import Figure

    states = found.linear.states[:MAX_STATES]
    rows = max(1, -(-len(states) // 2))
    figure = Figure(figsize=(11, 1.2 + 2.4 * rows), layout="constrained", facecolor="white")
    few = "" if len(states) == len(found.linear.states) else f", the first {len(states)} of {len(found.linear.states)}"
    name = plain_text(found.linear.point.model.name[:80])
    figure.suptitle(f"{name}: fundamental matrix{few}", fontsize=11, color=INK)
    panels: Any = figure.subplots(rows, 2, sharex=True, squeeze=False)
    mark = "o-" if len(found.times) < 30 else "-"
    for k, axes in enumerate(panels.flat):
        if k >= len(states):
            axes.axis("off")
            continue
        axes.plot(found.times, found.values[:, : len(states), k], mark, markersize=3, lw=1.2)
        axes.set_title(f"from a unit of {plain_text(states[k])}", fontsize=9.5, loc="left", color=INK)
        axes.grid(True, color="#e4e4e4", lw=0.7)
        axes.tick_params(labelsize=8.5)
    for axes in panels[-1]:
        axes.set_xlabel("time, s", fontsize=9)
    if states:
        labels = [plain_text(name) for name in states]
        figure.legend(panels.flat[0].lines, labels, loc="outside lower center", ncols=6, fontsize=8.5, frameon=False)
    return figure
