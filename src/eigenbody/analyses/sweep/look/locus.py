"""The root locus of a sweep as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import Figure

from eigenbody.analyses.sweep.look import in_unit, is_rigid_branch
from eigenbody.analyses.sweep.look.plots import UNSTABLE, axis_name, x_values
from eigenbody.model.source import shown
from eigenbody.present.style import FAINT, INK
from eigenbody.present.tables import plain_text

if TYPE_CHECKING:
    from eigenbody.analyses.sweep.follow import Sweep


def plot_locus(sweep: Sweep, chosen: Sequence[int] | None = None) -> Figure:
    """Eigenvalues in the upper half plane, coloured by the parameter, from a ring (first) to a square (last)."""
    figure = Figure(figsize=(10.5, 7.4), layout="constrained", facecolor="white")
    axes = figure.subplots()
    figure.suptitle(f"Root locus of {plain_text(shown(sweep.model.name, 90))}", fontsize=12, color=INK)
    lines = [k for k in range(len(sweep.labels)) if not is_rigid_branch(sweep, k) and (chosen is None or k in chosen)]
    real, imaginary = sweep.eigenvalues.real[:, lines], np.abs(sweep.eigenvalues.imag[:, lines])
    repeated = sweep.is_lower[lines] & (sweep.eigenvalues.imag[:, lines] < 0)  # drawn with the upper half
    repeated[1:-1] &= repeated[:-2] & repeated[2:]  # but for the point next to where the two meet
    points = np.where(repeated, np.nan, real), np.where(repeated, np.nan, imaginary)
    _locus_scales(axes, *points)
    low, high = axes.get_xlim()
    axes.axvspan(low, 0, color="#eef7ef", zorder=0, lw=0)
    axes.axvspan(0, high, color="#fdecea", zorder=0, lw=0)
    axes.axvline(0, color=FAINT, lw=1.0, zorder=1)
    colours = Normalize(float(x_values(sweep).min()), float(x_values(sweep).max()))
    for x, y, k in zip(points[0].T, points[1].T, lines, strict=True):
        _locus_line(axes, sweep, k, x, y, colours)
    last = np.flatnonzero(~sweep.is_failed)[-1]
    _locus_numbers(axes, lines, points[0][last], points[1][last])
    _locus_boundaries(axes, sweep)
    _locus_axes(figure, axes, sweep, colours)
    return figure


def _locus_scales(axes: Axes, real: np.ndarray, imaginary: np.ndarray) -> None:
    """Linear, or logarithmic on both sides of zero where branches differ by more than two decades."""
    for axis, part in (("x", real), ("y", imaginary)):
        sizes = np.nanmax(np.abs(part), axis=0, initial=0.0)
        sizes = sizes[sizes > 0]
        top, bottom = float(sizes.max(initial=0.0)) or 1.0, float(sizes.min(initial=np.inf))
        spread = bottom < np.inf and top > 100 * bottom
        if spread:
            threshold = 10.0 ** np.floor(np.log10(max(bottom, top * 1e-6)))
            getattr(axes, f"set_{axis}scale")("symlog", linthresh=threshold, linscale=0.9)
        low, high = float(np.nanmin(part, initial=0.0)), float(np.nanmax(part, initial=0.0))
        little = 0.4 * threshold if spread else 0.1 * ((high - low) or 1.0)
        low, high = (2 * low, 2 * high) if spread else (low - 0.8 * little, high + 0.8 * little)
        if axis == "x":
            axes.set_xlim(min(low, -little), max(high, little))
        else:
            axes.set_ylim(-0.4 * little, max(high, little))


def _locus_line(axes: Axes, sweep: Sweep, k: int, x: np.ndarray, y: np.ndarray, colours: Normalize) -> None:
    segments = np.stack((np.column_stack((x[:-1], y[:-1])), np.column_stack((x[1:], y[1:]))), axis=1)
    parameter = x_values(sweep)
    line = LineCollection(segments.tolist(), cmap="viridis", norm=colours, lw=2.0, zorder=3)
    line.set_array((parameter[:-1] + parameter[1:]) / 2)
    axes.add_collection(line, autolim=False)
    known = np.flatnonzero(np.isfinite(x))
    tints = axes.scatter(x[known], y[known], c=parameter[known], cmap="viridis", norm=colours, s=9, zorder=3)
    good = np.flatnonzero(~sweep.is_failed)
    for end, marker in ((good[0], "o"), (good[-1], "s")):
        if np.isfinite(x[end]):
            tint = tints.cmap(colours(parameter[end]))
            face, edge = ("white", tint) if marker == "o" else (tint, INK)
            axes.plot(x[end], y[end], marker, mfc=face, mec=edge, mew=1.4, ms=7.5, zorder=5, clip_on=False)


def _locus_numbers(axes: Axes, lines: list[int], x: np.ndarray, y: np.ndarray) -> None:
    """Numbers of the branches where they end; those that end together share one label."""
    groups: list[tuple[np.ndarray, list[int], tuple[float, float]]] = []
    for k, a, b in zip(lines, x, y, strict=True):
        if not np.isfinite(a):
            continue
        drawn = axes.transData.transform((a, b))
        near = [group for group in groups if np.abs(group[0] - drawn).max() < 14]
        if near:
            near[0][1].append(k + 1)
        else:
            groups.append((drawn, [k + 1], (a, b)))
    for _, numbers, at in groups[:60]:
        text = ", ".join(map(str, numbers[:5])) + (", ..." if len(numbers) > 5 else "")
        axes.annotate(text, at, xytext=(7, 6), textcoords="offset points", fontsize=9, color=INK, zorder=6)


def _locus_boundaries(axes: Axes, sweep: Sweep) -> None:
    for b in sweep.boundaries:
        axes.plot(0, b.frequency, "*", ms=15, mfc="#ffd54f", mec=UNSTABLE, mew=1.2, zorder=6, clip_on=False)
        axes.annotate(
            f"{b.kind} {'begins' if b.begins else 'ends'} at {in_unit(sweep, b.values[sweep.parameter], 6)}",
            (0, b.frequency), xytext=(-10, 9), textcoords="offset points", ha="right", fontsize=9, color=UNSTABLE,
            zorder=7, bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75},
        )  # fmt: skip


def _locus_axes(figure: Figure, axes: Axes, sweep: Sweep, colours: Normalize) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.lines import Line2D

    axes.set_xlabel("real part, 1/s   (left: decays, right: grows)")
    axes.set_ylabel("imaginary part, rad/s   (conjugates not drawn)")
    axes.grid(True, color="white", lw=0.8, zorder=0.5)
    axes.tick_params(labelsize=9)
    bar = figure.colorbar(ScalarMappable(colours, "viridis"), ax=axes, pad=0.02)
    bar.set_label(axis_name(sweep))
    handles = [
        Line2D([], [], marker="o", mfc="white", mec=INK, ls="none", label="first point"),
        Line2D([], [], marker="s", color=INK, ls="none", label="last point, with the number of the branch"),
    ]
    if sweep.boundaries:
        handles.append(
            Line2D([], [], marker="*", ms=12, mfc="#ffd54f", mec=UNSTABLE, ls="none", label="stability boundary")
        )
    axes.legend(
        handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.09), ncols=3, fontsize=9, frameon=False
    )  # fmt: skip
    if sweep.failed:
        axes.set_title(f"{len(sweep.failed)} of {len(sweep)} points failed", fontsize=9, color=UNSTABLE, loc="left")
