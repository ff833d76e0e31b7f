"""Pictures of time responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from eigenbody.analyses.response.look import ENERGIES, excited_by, headlines
from eigenbody.present.style import FAINT, INK
from eigenbody.present.tables import plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eigenbody.analyses.response.find import TimeResponse

MAX_PANELS = 6
GRID = "#e4e4e4"
LINES = ("#1f5fbf", "#d1495b", "#2a9d5c", "#e08e0b", "#7b4fb5", "#158a96")


def plot_response(r: TimeResponse) -> Figure:
    """A panel for each output, then the inputs, then the energies."""
    shown = list(range(len(r.output_names)))[:MAX_PANELS]
    panels = len(shown) + bool(r.inputs.any()) + (r.energy is not None)
    figure = Figure(figsize=(9, 1.4 + 1.7 * max(panels, 1)), layout="constrained", facecolor="white")
    more = len(r.output_names) - len(shown)
    title = f"{headlines(r)[0]}\n{excited_by(r)}" + (f"; {len(shown)} of {len(r.output_names)} outputs" if more else "")
    figure.suptitle(plain_text(title), fontsize=11, color=INK, x=0.02, ha="left")
    axes = list(np.atleast_1d(figure.subplots(max(panels, 1), 1, sharex=True)))
    for panel, i in zip(axes, shown, strict=False):
        panel.plot(r.times, r.outputs[:, i], color=LINES[0], lw=1.2)
        _axis(panel, _label(r.output_names[i], r.output_units[i]))
    rest = axes[len(shown) :]
    if r.inputs.any():
        _inputs(rest.pop(0), r)
    if r.energy is not None:
        series = [(label, getattr(r.energy, key)) for key, label in ENERGIES if np.any(getattr(r.energy, key))]
        _several(rest.pop(0), r.times, series, "energy, J")
    axes[-1].set_xlabel("time, s")
    figure.align_ylabels(axes)
    axes[-1].set_xlim(r.times[0], r.times[-1])
    return figure


def _inputs(panel: Axes, r: TimeResponse) -> None:
    held = getattr(r.excitation, "hold", "") == "zero"
    named = [_label(name, unit) for name, unit in zip(r.input_names, r.input_units, strict=True)]
    title = f"input {named[0]}" if len(named) == 1 else "inputs"
    _several(panel, r.times, list(zip(named, r.inputs.T, strict=True)), title, "steps-post" if held else "default")


def _several(
    panel: Axes, times: np.ndarray, series: list[tuple[str, np.ndarray]], label: str, style: str = "default"
) -> None:
    """Several curves in one panel, named at its right."""
    for i, (name, y) in enumerate(series[: len(LINES)]):
        colour = LINES[i] if len(series) > 1 else FAINT
        panel.plot(times, y, color=colour, lw=1.2, label=plain_text(name), drawstyle=style)
    _axis(panel, label)
    if len(series) > 1 or label.startswith("energy"):
        panel.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8, frameon=False)


def _axis(panel: Axes, label: str) -> None:
    panel.set_ylabel(plain_text(label), fontsize=9)
    panel.axhline(0, color=FAINT, lw=0.7, zorder=1)
    panel.grid(True, color=GRID, lw=0.7)
    panel.tick_params(labelsize=8)


def _label(name: str, unit: str) -> str:
    return f"{name}, {unit}" if unit and unit != "1" else name
