"""Pictures of forces over time and of what a blow does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eigenbody.model.source import shown
from eigenbody.present.inverse import force_columns
from eigenbody.present.tables import plain_text

if TYPE_CHECKING:
    from eigenbody.simulation.impulse import Impulse
    from eigenbody.simulation.inverse import InverseDynamics

MAX_CURVES = 14
INK, FAINT = "#222222", "#777777"


def plot_inverse(found: InverseDynamics) -> Figure:
    """Forces and moments over time, one panel for each unit; curves that stay zero are left out."""
    titles, numbers = force_columns(found)
    largest = np.abs(numbers).max(initial=0.0)
    by_unit: dict[str, list[int]] = {}
    for k, title in enumerate(titles):
        if np.abs(numbers[:, k]).max(initial=0.0) > 1e-9 * largest:
            by_unit.setdefault(title.split("\n")[1], []).append(k)
    figure = Figure(figsize=(10, 1.2 + 3.2 * max(1, len(by_unit))), layout="constrained", facecolor="white")
    panels = figure.subplots(max(1, len(by_unit)), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (unit, columns) in zip(panels, by_unit.items(), strict=False):
        columns = sorted(columns, key=lambda k: -float(np.abs(numbers[:, k]).max()))
        for number, k in enumerate(columns[:MAX_CURVES]):
            line = "-" if number < 10 else "--"  # colours repeat after ten
            axes.plot(found.t, numbers[:, k], line, lw=1.6, label=plain_text(titles[k].split("\n")[0]))
        axes.set_ylabel(unit)
        _finish(axes)
    if not by_unit:
        panels[0].set_title("no forces are needed", fontsize=10, color=FAINT)
    panels[-1].set_xlabel("time, s")
    figure.suptitle(
        f"{plain_text(shown(found.model.name, 90))}: forces of the prescribed motion", fontsize=12, color=INK
    )
    return figure


def plot_impulse(found: Impulse) -> Figure:
    """Jumps of the rates of all coordinates that jump; indeterminate ones in another colour."""
    size = float(np.abs(found.jump).max(initial=0.0))
    moving = [k for k in range(len(found.jump)) if abs(found.jump[k]) > 1e-9 * size][:40]
    opened = {name for mark in found.indeterminate for name in mark.coordinates}
    figure = Figure(figsize=(9, 1.6 + 0.32 * max(4, len(moving))), layout="constrained", facecolor="white")
    axes = figure.subplots()
    names = [found.coordinates[k] for k in moving]
    colours = ["#b26a00" if name in opened else "#1f5fbf" for name in names]
    axes.barh(range(len(moving)), found.jump[moving], color=colours, height=0.65)
    axes.set_yticks(range(len(moving)), [plain_text(name) for name in names], fontsize=9)
    axes.invert_yaxis()
    axes.axvline(0, color=FAINT, lw=0.9)
    axes.set_xlabel("jump of the rate, m/s or rad/s")
    axes.grid(True, axis="x", color="#e6e6e6", lw=0.8)
    axes.set_axisbelow(True)
    figure.suptitle(f"{plain_text(shown(found.model.name, 90))}: after the blow", fontsize=12, color=INK)
    return figure


def _finish(axes: Axes) -> None:
    axes.axhline(0, color=FAINT, lw=0.8)
    axes.grid(True, color="#e6e6e6", lw=0.8)
    axes.tick_params(labelsize=9)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9, frameon=False)
