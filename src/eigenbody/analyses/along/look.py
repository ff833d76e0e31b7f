"""Linear time-varying equations as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.style import INK, LINE
from eigenbody.present.tables import Grid, Sheet, counted, listed, plain_text, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.along import TimeVarying

ENDINGS = ("npz", "mat", "json")
EPS = np.finfo(float).eps
MAX_TIMES = 12
ROUNDING = 1e-9  # of the largest entry: a curve below it is drawn as zero
MATRICES = ("M", "C", "K", "h", "A", "B")


def sheet(found: TimeVarying) -> Sheet:
    """Sizes of the matrices at a few of the times."""
    index = np.unique(np.linspace(0, len(found) - 1, min(len(found), MAX_TIMES)).round().astype(int))
    least = {"C": EPS * float(np.sqrt(np.abs(found.K).max(initial=0.0) * np.abs(found.M).max(initial=0.0)))}

    def size(name: str, i: int) -> str:
        largest = float(np.abs(getattr(found, name)[i]).max(initial=0.0))
        return significant(largest if largest > least.get(name, 0.0) else 0.0, 5)  # of C less is rounding

    rows = tuple((significant(found.t[i]), *(size(name, i) for name in ("M", "C", "K", "h", "A"))) for i in index)
    titles = ("t\ns", "M\nlargest", "C\nlargest", "K\nlargest", "h\nlargest", "A\nlargest")
    kind = "solves the equations of motion (h is rounding)" if found.is_solution else "is prescribed (h is missing)"
    title = f"Linear equations of {shown(found.model.name, 100)} along a motion"
    lines = [
        f"{counted(len(found), 'time')} from {significant(found.t[0])} to {significant(found.t[-1])} s,"
        f" {counted(len(found.states), 'state')}; the reference motion {kind}",
        f"Coordinates: {listed(found.coordinates) or 'none'}",
    ]
    drift = ", ".join(significant(value, 2) for value in found.drift)
    worst = significant(found.tangent_error, 2)
    below = f"Certificate: constraint drift {drift}, tangent error {worst}; the largest of all times"
    return Sheet(title, lines, [Grid("", titles, rows, (True,) * 6)], [below])


def arrays(found: TimeVarying) -> dict[str, Any]:
    """The matrices over time, (times, ...), and their names."""
    matrices = {name: getattr(found, name) for name in ("t", "M", "C", "K", "h", "A", "B")}
    names = {name: getattr(found, name) for name in ("coordinates", "velocities", "states", "inputs")}
    return {**matrices, **names, "model": np.array(found.model.name)}


def axes(found: TimeVarying) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        "t": over("s", t=""),
        "M": over(t="", force="velocities", velocity="velocities"),
        "C": over(t="", force="velocities", velocity="velocities"),
        "K": over(t="", force="velocities", coordinate="coordinates"),
        "h": over(t="", force="velocities"),
        "A": over(t="", rate="states", state="states"),
        "B": over(t="", rate="states", input="inputs"),
    }


def document(found: TimeVarying, transition: np.ndarray | None = None) -> dict[str, Any]:
    """Matrices for each time, and the transition over all of them where it was computed."""
    require_finite(**{name: getattr(found, name) for name in MATRICES})
    return {
        "model": found.model.name,
        **{name: list(getattr(found, name)) for name in ("coordinates", "velocities", "states", "inputs")},
        "is_solution": found.is_solution,
        "t": found.t.tolist(),
        **{name: getattr(found, name).tolist() for name in MATRICES},
        **({} if transition is None else {"transition": transition.tolist()}),
        "certificate": {"drift": [number(d) for d in found.drift], "tangent_error": number(found.tangent_error)},
    }


def plot(found: TimeVarying) -> Figure:
    """Stiffness and damping of each coordinate over time (diagonals of K and C over those of M), and h if
    something is missing."""
    from matplotlib.figure import Figure

    mass = np.diagonal(found.M, axis1=1, axis2=2)
    square = found.K[:, :, : found.M.shape[1]]
    panels = [
        ("K / M, 1/s\u00b2", np.diagonal(square, axis1=1, axis2=2) / mass, np.abs(square) / mass[:, None]),
        ("C / M, 1/s", np.diagonal(found.C, axis1=1, axis2=2) / mass, np.abs(found.C) / mass[:, None]),
    ]
    if not found.is_solution:
        panels.append(("h, N or N m", found.h, np.abs(found.h)))
    figure = Figure(figsize=(9, 2.6 * len(panels) + 1), layout="constrained")
    rows = figure.subplots(len(panels), 1, sharex=True)
    for axes, (title, values, entries) in zip(rows, panels, strict=True):
        size = float(entries.max(initial=0.0))
        for k, name in enumerate(found.velocities):
            seen = np.where(np.abs(values[:, k]) > ROUNDING * size, values[:, k], 0.0)
            axes.plot(found.t, seen, color=LINE if len(found.velocities) == 1 else None, label=plain_text(name))
        axes.axhline(0, color=INK, linewidth=0.6)
        axes.set_ylabel(title)
        axes.grid(alpha=0.3)
    rows[-1].set_xlabel("t, s")
    if 1 < len(found.velocities) <= 12:
        rows[0].legend(fontsize="small", ncols=3)
    figure.suptitle(plain_text(f"Linear equations of {shown(found.model.name, 60)} along a motion: diagonal entries"))
    return figure
