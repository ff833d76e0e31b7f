"""Linear time-varying equations as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.tables import Grid, Sheet, counted, listed, significant

if TYPE_CHECKING:
    from eigenbody.analyses.along import TimeVarying

MAX_TIMES = 12


def sheet(found: TimeVarying) -> Sheet:
    """Sizes of the matrices at a few of the times."""
    index = np.unique(np.linspace(0, len(found) - 1, min(len(found), MAX_TIMES)).round().astype(int))
    size = lambda array: significant(float(np.abs(array).max(initial=0.0)), 5)  # noqa: E731
    rows = tuple(
        (significant(found.t[i]), *(size(getattr(found, name)[i]) for name in ("M", "C", "K", "h", "A"))) for i in index
    )
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
