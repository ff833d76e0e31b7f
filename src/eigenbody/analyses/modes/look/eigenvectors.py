"""Eigenvectors over the generalized coordinates: bars of magnitude with marks of phase."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from eigenbody.analyses.modes.look.plots import mode_title
from eigenbody.model.source import shown
from eigenbody.present.documents import require_finite_modes
from eigenbody.present.style import FAINT, INK
from eigenbody.present.tables import plain_text, significant

if TYPE_CHECKING:
    from eigenbody.analyses.modes.result import Modes

MAX_COORDINATES = 40  # with a bar of their own
VISIBLE = 1e-3  # magnitude below which a phase is not marked
BAR, TURN, STATE, MARK = "#3f5573", "#8fa3bd", "#b0893a", "#c62828"


def plot_eigenvectors(modes: Modes, chosen: Sequence[int]) -> Figure:
    """A row for each mode (counted from 0): magnitude of every coordinate, largest = 1, and its phase."""
    require_finite_modes(modes)
    vectors = modes.coordinate_shapes[list(chosen)]
    names, colours = _named(modes)
    most = _most(vectors)
    figure = Figure(
        figsize=(max(8.0, 2.5 + 0.32 * len(most)), 2.4 + 1.5 * max(len(chosen), 1)), layout="constrained",
        facecolor="white",
    )  # fmt: skip
    name = plain_text(shown(modes.linear.point.model.name, 80))
    few = "" if len(most) == len(names) else f"; the {len(most)} of {len(names)} coordinates that move most"
    length = significant(modes.linear.point.system.gyration, 3)
    figure.suptitle(
        f"{name}: eigenvectors\nlargest = 1, coordinates in rad times {length} m{few}", fontsize=11, color=INK
    )
    if not len(chosen) or not len(most):
        axes = figure.subplots()
        axes.axis("off")
        axes.text(0.5, 0.5, "No degree of freedom: nothing moves", ha="center", va="center", color=FAINT, fontsize=12)
        return figure
    rows: Any = figure.subplots(len(chosen), 1, sharex=True, squeeze=False)[:, 0]
    for axes, i, vector in zip(rows, chosen, vectors, strict=True):
        _draw(axes, vector[most], [colours[k] for k in most])
        axes.set_title(plain_text(mode_title(modes, i)), fontsize=9.5, loc="left", pad=3, color=INK)
    labels = [plain_text(shown(names[k], 26)) for k in most]
    upright = max(map(len, labels)) * len(labels) > 70
    turned = {"rotation": 60, "ha": "right", "rotation_mode": "anchor"} if upright else {}
    rows[-1].set_xticks(range(len(most)), labels=labels, fontsize=8.5, **turned)
    _legend(figure, colours)
    return figure


def _named(modes: Modes) -> tuple[list[str], list[str]]:
    """Names of the coordinates and of first-order states, and their colours by dimension."""
    linear = modes.linear
    count, units = len(linear.coordinates), linear.units.states
    names = [*linear.coordinates, *linear.states[count + len(linear.velocities) :]]
    kinds = [TURN if unit == "rad" else BAR for unit in units[:count]]
    return names, kinds + [STATE] * (len(names) - count)


def _most(vectors: np.ndarray) -> list[int]:
    """All coordinates while they are few, else those that move most."""
    count = vectors.shape[1]
    if count <= MAX_COORDINATES or not len(vectors):
        return list(range(min(count, MAX_COORDINATES)))
    return sorted(np.argsort(-np.abs(vectors).max(axis=0), kind="stable")[:MAX_COORDINATES].tolist())


def _draw(axes: Axes, vector: np.ndarray, colours: list[str]) -> None:
    size, place = np.abs(vector), np.arange(len(vector))
    axes.bar(place, size, width=0.7, color=colours)
    axes.set_ylim(0, 1.08)
    axes.set_yticks([0, 0.5, 1])
    axes.set_xlim(-0.6, len(vector) - 0.4)
    axes.tick_params(labelsize=8.5)
    axes.tick_params(axis="x", length=0)
    axes.spines["top"].set_visible(False)
    seen = size > VISIBLE
    phase = np.degrees(np.angle(np.where(seen, vector, 1.0)))
    phase = np.where(phase <= -179, phase + 360, phase)  # opposite is drawn one way
    right = axes.twinx()
    look: dict[str, Any] = {"color": MARK, "markersize": 5, "markeredgecolor": "white", "clip_on": False, "zorder": 4}
    right.plot(place[seen], phase[seen], "D", **look)
    right.axhline(0, color=FAINT, lw=0.5, ls=":")
    right.set_ylim(-195, 195)
    right.set_yticks([-180, -90, 0, 90, 180], labels=["-180°", "-90°", "0°", "90°", "180°"], fontsize=8)
    right.tick_params(colors=MARK)
    right.spines["top"].set_visible(False)


def _legend(figure: Figure, colours: list[str]) -> None:
    kinds = {BAR: "magnitude, m", TURN: "magnitude, rad times length", STATE: "first-order state"}
    handles: list[Any] = [Patch(color=tint, label=word) for tint, word in kinds.items() if tint in colours]
    handles.append(Line2D([], [], color=MARK, marker="D", ls="none", markersize=5, label="phase (right scale)"))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, fontsize=9, frameon=False)
