"""Model updating as tables, pictures and JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.documents import number
from eigenbody.present.tables import Grid, Sheet, counted, plain_text, significant
from eigenbody.present.words import noted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.design.update import Update


def sheet(r: Update) -> Sheet:
    """Parameters and modes before and after the fit."""
    title = f"Update of {shown(r.model.name, 100)} to {counted(len(r.modes), 'measured mode')}"
    below = [f"{r.message} {counted(r.evaluations, 'design')} computed.", *noted(r.notes)]
    return Sheet(title, (), _grids(r), below)


def _grids(r: Update) -> list[Grid]:
    rows = tuple(
        (
            shown(n, 40),
            significant(b, 8),
            significant(a, 8),
            f"{100 * (a / b - 1):+.3g} %" if b else "—",
            significant(d, 3),
        )
        for n, b, a, d in zip(r.names, r.before, r.after, r.deviations, strict=True)
    )
    values = Grid(
        "Parameters", ("name", "before", "after", "change", "standard\ndeviation"), rows, (False, *(True,) * 4)
    )
    hz = r.measured.frequencies
    error = lambda f, k: f"{100 * (f[k] / hz[k] - 1):+.3g} %"  # noqa: E731
    lines = []
    for k in range(len(hz)):
        line = [str(k + 1), significant(hz[k], 8), significant(r.frequencies_after[k], 8)]
        line += [error(r.frequencies_before, k), error(r.frequencies_after, k)]
        if r.mac_before is not None and r.mac_after is not None:
            line += [f"{r.mac_before[k]:.4f}", f"{r.mac_after[k]:.4f}"]
        lines.append(tuple(line))
    columns = ["#", "measured\nHz", "fitted\nHz", "error\nbefore", "error\nafter"]
    columns += ["MAC\nbefore", "MAC\nafter"] if r.mac_after is not None else []
    return [values, Grid("Modes", tuple(columns), tuple(lines), (True,) * len(columns))]


def document(r: Update) -> dict[str, Any]:
    """Plain data; null where a deviation is not known."""
    listed = lambda values: None if values is None else [number(v) for v in values]  # noqa: E731
    rows = zip(r.names, r.before, r.after, r.deviations, strict=True)
    return {
        "model": r.model.name,
        "success": r.success,
        "message": r.message,
        "variables": [
            {"name": n, "before": number(b), "after": number(a), "deviation": number(d)} for n, b, a, d in rows
        ],
        "measured_hz": listed(r.measured.frequencies),
        "before_hz": listed(r.frequencies_before),
        "after_hz": listed(r.frequencies_after),
        "mac_before": listed(r.mac_before),
        "mac_after": listed(r.mac_after),
        "evaluations": r.evaluations,
        "notes": list(r.notes),
    }


def plot(r: Update) -> Figure:
    """Errors of the frequencies before and after, mode by mode."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained", facecolor="white")
    axes = figure.subplots()
    place = np.arange(1, len(r.modes) + 1)
    for hz, colour, label, shift in (
        (r.frequencies_before, "#9a9a9a", "before", -0.2), (r.frequencies_after, "#1f5fbf", "after", 0.2),
    ):  # fmt: skip
        axes.bar(place + shift, 100 * (hz / r.measured.frequencies - 1), 0.38, color=colour, label=label)
    axes.axhline(0, color="#222222", lw=0.8)
    axes.set_xticks(place)
    axes.set_xlabel("measured mode")
    axes.set_ylabel("error of the frequency, %")
    axes.set_title(plain_text(shown(r.model.name, 70)), fontsize=11)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.08), ncols=2, frameon=False)
    return figure
