"""Pictures of studies: scatter, parallel coordinates, where instability is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from eigenbody.analyses.design.optimize.look import plain_unit
from eigenbody.analyses.design.study import look
from eigenbody.model.source import shown
from eigenbody.present.style import INK, LINE
from eigenbody.present.tables import plain_text, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eigenbody.analyses.design.study.result import Study

MOST_DOTS, MOST_LINES = 4000, 400
MOST_ROWS, MOST_COLUMNS, MOST_AXES = 6, 6, 12
BINS = 12
UNSTABLE = "#c23b22"
REACH = 1.96  # standard errors of a share, 95 %


def _head(r: Study, figure: Figure) -> None:
    text = [f"Study of {shown(r.model, 80)}: {look.WORDS[r.method]}, {r.done} points", *look.likelihood(r)]
    figure.suptitle("\n".join(plain_text(shown(line, 140)) for line in text), fontsize=10.5, color=INK)


def _thinned(r: Study, most: int) -> np.ndarray:
    """Points that are drawn: all, or as many evenly out of them."""
    return np.unique(np.linspace(0, r.done - 1, min(r.done, most)).astype(int))


def _is_unstable(r: Study, kept: np.ndarray) -> np.ndarray:
    return r.column("unstable")[kept] == 1


def _titled(r: Study, name: str) -> str:
    units = {column["name"]: column["unit"] for column in r.about["found"]}
    unit = plain_unit(units.get(name, ""))
    return plain_text(shown(name, 40)) + (f" ({unit})" if unit else "")


def scatter(r: Study) -> Figure:
    """Every quantity over every number; unstable designs in red."""
    kept = _thinned(r, MOST_DOTS)
    bad = _is_unstable(r, kept)
    names, quantities = r.varied[:MOST_COLUMNS], [q.name for q in r.quantities[:MOST_ROWS]]
    size = (1.2 + 2.7 * len(names), 1.3 + 2.2 * len(quantities))
    figure = Figure(figsize=(max(size[0], 6.0), size[1]), layout="constrained", facecolor="white")
    _head(r, figure)
    grid = figure.subplots(len(quantities), len(names), squeeze=False, sharex="col", sharey="row")
    for row, quantity in enumerate(quantities):
        y = r.column(quantity)[kept]
        for column, name in enumerate(names):
            axes: Axes = grid[row, column]
            x = r.column(name)[kept]
            for which, colour, label in ((~bad, LINE, "stable"), (bad, UNSTABLE, "unstable")):
                axes.plot(x[which], y[which], ".", ms=3, alpha=0.6, color=colour, mec="none", label=label)
            axes.grid(True, color="#e4e4e4", lw=0.6)
        grid[row, 0].set_ylabel(_titled(r, quantity), fontsize=9)
    for axes, name in zip(grid[-1], names, strict=True):
        axes.set_xlabel(plain_text(shown(name, 40)), fontsize=9)
    if bad.any():
        grid[0, 0].legend(fontsize=8, markerscale=3, frameon=False)
    return figure


def parallel(r: Study) -> Figure:
    """A line through all axes for each design, coloured by the last quantity; unstable designs in red."""
    kept = _thinned(r, MOST_LINES)
    names = [*r.varied, *(q.name for q in r.quantities)]
    names = names if len(names) <= MOST_AXES else [*names[: MOST_AXES - 1], names[-1]]
    data = np.column_stack([r.column(name)[kept] for name in names])
    low, high = np.nanmin(data, axis=0), np.nanmax(data, axis=0)
    places = (data - low) / np.where(high > low, high - low, 1.0)
    bad = _is_unstable(r, kept)
    figure = Figure(figsize=(max(7.0, 1.5 * len(names)), 4.6), layout="constrained", facecolor="white")
    _head(r, figure)
    axes = figure.add_subplot()
    from matplotlib import colormaps

    scale, shades = Normalize(0.0, 1.0), colormaps["viridis"]
    for line, is_bad in zip(places, bad, strict=True):
        colour = UNSTABLE if is_bad else shades(scale(line[-1])) if np.isfinite(line[-1]) else "#999999"
        axes.plot(np.arange(len(names)), line, color=colour, lw=0.7, alpha=0.55)
    for k in range(len(names)):
        axes.plot([k, k], [0, 1], color=INK, lw=0.8)
        for y, value, side in ((-0.03, low[k], "top"), (1.03, high[k], "bottom")):
            axes.text(k, y, significant(float(value), 4), ha="center", va=side, fontsize=8, color=INK)
    axes.set(xlim=(-0.4, len(names) - 0.6), ylim=(-0.12, 1.12), yticks=[])
    axes.set_xticks(range(len(names)), [_titled(r, name) for name in names], fontsize=8.5, rotation=15)
    axes.spines[:].set_visible(False)
    unstable = "; unstable designs red" if bad.any() else ""
    axes.set_title(f"coloured by {_titled(r, names[-1])}{unstable}", fontsize=9, color=INK)
    return figure


def instability(r: Study) -> Figure:
    """Share of unstable designs over each number, in parts with equally many designs, with 95 % intervals."""
    names = r.varied[:MOST_ROWS]
    wide = 2 if len(names) == 4 else min(len(names), 3)
    figure = Figure(
        figsize=(max(6.0, 1.2 + 3.4 * wide), 1.3 + 2.7 * -(-len(names) // wide)),
        layout="constrained",
        facecolor="white",
    )
    _head(r, figure)
    grid = figure.subplots(-(-len(names) // wide), wide, squeeze=False, sharey=True).ravel()
    known = np.isfinite(r.column("unstable"))
    if r.instability is None or not known.any():
        grid[0].text(0.5, 0.5, "not judged", ha="center", va="center", transform=grid[0].transAxes)
    else:
        bad = r.column("unstable")[known]
        for axes, name in zip(grid, names, strict=False):
            _shares(axes, r.column(name)[known], bad)
    for axes, name in zip(grid, names, strict=False):
        axes.set_xlabel(plain_text(shown(name, 40)), fontsize=9)
        axes.set_ylim(-3, 103)
        axes.grid(True, color="#e4e4e4", lw=0.6)
    for axes in grid[len(names) :]:
        axes.set_visible(False)
    grid[0].set_ylabel("unstable designs, %")
    return figure


def _shares(axes: Axes, x: np.ndarray, bad: np.ndarray) -> None:
    """Of parts with equally many points, or of each level; Wilson's interval."""
    levels = np.unique(x)
    if len(levels) <= BINS:
        parts = [np.flatnonzero(x == level) for level in levels]
    else:
        parts = [part for part in np.array_split(np.argsort(x, kind="stable"), BINS) if len(part)]
    place = np.array([np.median(x[part]) for part in parts])
    n = np.array([len(part) for part in parts])
    p = np.array([bad[part].mean() for part in parts])
    middle = (p + REACH**2 / (2 * n)) / (1 + REACH**2 / n)
    reach = REACH / (1 + REACH**2 / n) * np.sqrt(p * (1 - p) / n + REACH**2 / (4 * n**2))
    ends = np.maximum(np.stack((p - (middle - reach), middle + reach - p)), 0.0)
    axes.errorbar(place, 100 * p, yerr=100 * ends, fmt="o-", color=UNSTABLE, ms=4, lw=1.2, ecolor="#888888", capsize=2)
