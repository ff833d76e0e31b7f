"""The Campbell diagram as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eigenbody.analyses.sweep.look import as_campbell, in_unit, is_rigid_branch, seen_from
from eigenbody.analyses.sweep.look.placing import Label, Placing
from eigenbody.model.source import shown
from eigenbody.present.style import FAINT, INK
from eigenbody.present.tables import plain_text, significant

if TYPE_CHECKING:
    from eigenbody.analyses.sweep.campbell import Campbell, CriticalSpeed
    from eigenbody.analyses.sweep.follow import StabilityBoundary, Sweep

TINT = {"forward": "#1f5fbf", "backward": "#d9720a", "none": "#2a7f4f", "mixed": "#8e44ad"}
DASH: dict[str, Any] = {"forward": "-", "backward": (0, (6, 1.6)), "none": "-", "mixed": (0, (4, 1.5, 1, 1.5))}
MEANING = {"forward": "forward whirl", "backward": "backward whirl", "none": "no whirl", "mixed": "mixed whirl"}
CRITICAL, UNSTABLE, LINE = "#c2185b", "#c62828", "#9a9a9a"
FAR = 4.0  # ratio to the branch below from which on a branch is too high to draw
MAX_NAMES = 24
MAX_NOTES = 20  # critical speeds told below the picture


# Campbell diagram -----------------------------------------------------------------------------------------------------
def plot_campbell(speed: Campbell, signed: bool = False, chosen: Sequence[int] | None = None) -> Figure:
    """Frequencies over the parameter with excitation lines and critical speeds, damping ratios below; of the chosen
    branches (counted from 0) that vibrate, or of all that are not far above the rest."""
    drawn, left_out = _in_view(speed)
    if chosen is not None:
        drawn, left_out = [k for k in (*drawn, *left_out) if k in chosen], []
    damped = _is_damped(speed, drawn)
    figure = Figure(figsize=(11.5, 8.2 if damped else 6.4), layout="constrained", facecolor="white")
    panels = list(np.atleast_1d(figure.subplots(1 + damped, 1, sharex=True, height_ratios=(2.6, 1)[: 1 + damped])))
    top = panels[0]
    hz = _heights(speed, signed)
    title = f"{plain_text(shown(speed.model.name, 90))}\nmodes {plain_text(seen_from(speed))}"
    figure.suptitle(title, fontsize=12, color=INK)
    _spans(speed, panels)
    for k in drawn:
        _branch_line(top, speed, k, hz[:, k])
    _limits(top, speed, hz[:, drawn], signed)
    orders = _excitation(top, speed, signed)
    rings = _criticals(top, speed, drawn, signed)
    _names_at_the_end(top, speed, drawn, hz)
    if damped:
        _damping_panel(panels[1], speed, drawn)
    _failed_marks(panels, speed)
    _campbell_axes(panels, speed, drawn, left_out, signed)
    by_value = np.argsort(x_values(speed))
    curves = [(x_values(speed)[by_value], hz[by_value, k]) for k in drawn]
    unwritten = _write(top, speed, curves, orders, rings)
    if unwritten:
        _told_below(figure, speed, unwritten)
    return figure


def x_values(sweep: Sweep) -> np.ndarray:
    """The parameter in the unit of the model file."""
    return sweep.values / sweep.unit[1]


def axis_name(sweep: Sweep) -> str:
    """What the horizontal axis is called."""
    unit = sweep.unit[0]
    name = plain_text(shown(sweep.parameter, 40))
    others = ", ".join(plain_text(shown(n, 20)) for n in list(sweep.parameters)[1:])
    along = f" (with {others})" if others else ""
    return f"{name}, {plain_text(unit)}{along}" if unit else f"{name}{along}"


def _heights(speed: Campbell, signed: bool) -> np.ndarray:
    """Frequencies in Hz (points, branches); signed by the whirl where there is one. nan where nothing vibrates."""
    hz = speed.frequency_hz
    if signed:
        hz = np.where(np.isnan(speed.whirl_frequency), hz, speed.whirl_frequency / (2 * np.pi))
    through_zero = _passes_zero(speed)
    return np.where((speed.eigenvalues.imag == 0) & ~through_zero, np.nan, hz)


def _passes_zero(speed: Campbell) -> np.ndarray:
    """(points, branches) real for a moment between vibrations: a whirl that stands still in the frame."""
    moving = speed.eigenvalues.imag != 0
    around = np.zeros_like(moving)
    around[1:-1] = moving[:-2] & moving[2:]
    return around & ~moving


def _in_view(speed: Campbell) -> tuple[list[int], list[int]]:
    """Branches that vibrate somewhere, from low to high; those far above the rest and all excitation lines apart."""
    hz = np.where(speed.eigenvalues.imag == 0, np.nan, speed.frequency_hz)
    moving = [
        k for k in range(hz.shape[1])
        if not is_rigid_branch(speed, k) and not speed.is_lower[k] and np.isfinite(hz[:, k]).any()
    ]  # fmt: skip
    moving.sort(key=lambda k: float(np.nanmin(hz[:, k])))
    lines = np.nanmax(speed.spin, initial=0.0) / (2 * np.pi) * max(speed.per_rev, default=0.0)
    top = lines
    for i, k in enumerate(moving):
        if i and np.nanmin(hz[:, k]) > FAR * max(top, 1e-300):
            return moving[:i], moving[i:]
        top = max(top, float(np.nanmax(hz[:, k])))
    return moving, []


def _colour(sweep: Sweep, k: int) -> str:
    speed = as_campbell(sweep)
    return TINT[speed.whirl[k] if speed is not None else "none"]


def _branch_line(axes: Axes, speed: Campbell, k: int, y: np.ndarray) -> None:
    axes.plot(
        x_values(speed), y, color=_colour(speed, k), ls=DASH[speed.whirl[k]], lw=1.9, zorder=3, solid_capstyle="round"
    )
    if len(speed) <= 60:
        asked = ~speed.is_added
        axes.plot(x_values(speed)[asked], y[asked], ".", color=_colour(speed, k), ms=3.5, zorder=3)


def _limits(axes: Axes, speed: Campbell, hz: np.ndarray, signed: bool) -> None:
    high = float(np.nanmax(np.abs(hz), initial=0.0)) or 1.0
    low = float(np.nanmin(hz, initial=0.0)) if signed else 0.0
    standing = any(c.order == 0 for c in speed.critical_speeds)  # their values stand below
    axes.set_ylim(1.06 * low if low < 0 else (-0.1 if standing else -0.02) * high, 1.06 * high)
    x = x_values(speed)
    axes.set_xlim(x.min(), x.max())


def _excitation(axes: Axes, speed: Campbell, signed: bool) -> list[tuple[str, np.ndarray, np.ndarray]]:
    """Lines of frequency order * spin: the name and the curve of each."""
    x, spin = x_values(speed), speed.spin / (2 * np.pi)
    order_x = np.argsort(x)
    lines = []
    for order in speed.per_rev:
        for side in (1, -1) if signed and order else (1,):
            y = side * order * spin
            axes.plot(x, y, color=LINE, lw=1.1, ls="--", zorder=2)
            lines.append((f"{significant(order, 4)}×", x[order_x], y[order_x]))
    return lines


def _criticals(axes: Axes, speed: Campbell, drawn: list[int], signed: bool) -> list[tuple[CriticalSpeed, Label]]:
    """Rings where a branch meets an excitation line; the values to stand beside them, from left to right."""
    factor, name = speed.unit[1], speed.parameter
    rings = []
    for c in speed.critical_speeds:
        if c.branch not in drawn:
            continue
        backward = speed.whirl[c.branch] == "backward"
        x, y = c.values[name] / factor, c.frequency / (2 * np.pi) * (-1 if signed and backward else 1)
        face = "white" if backward else CRITICAL
        axes.plot(x, y, "o", ms=8, mfc=face, mec=CRITICAL, mew=1.6, zorder=6, clip_on=False)
        value = in_unit(speed, c.values[name], 6)
        rings.append((c, Label(value, x, y, (1 if backward else -1, -1 if backward else 1))))
    return sorted(rings, key=lambda ring: ring[1].x)


def _write(
    axes: Axes, speed: Campbell, curves: list[tuple[np.ndarray, np.ndarray]],
    orders: list[tuple[str, np.ndarray, np.ndarray]], rings: list[tuple[CriticalSpeed, Label]],
) -> list[CriticalSpeed]:  # fmt: skip
    """Orders, values of boundaries and of critical speeds, clear of each other and of the curves; returns the critical
    speeds for whose values there is no room."""
    placing = Placing(axes, curves, 8.5)
    placing.put_in_rows([_border(speed, border) for border in speed.boundaries], color=UNSTABLE, zorder=6)
    placing.mark([label for _, label in rings])
    lines = [(x, y) for _, x, y in orders]
    for k, (name, _, _) in enumerate(orders):
        placing.put_on(name, lines, k, color="#666666", zorder=5)
    unwritten = placing.put_where_free([label for _, label in rings], color=CRITICAL, zorder=7)
    return [rings[k][0] for k in unwritten]


def _told_below(figure: Figure, speed: Campbell, unwritten: list[CriticalSpeed]) -> None:
    """A line under the picture with the critical speeds whose values do not stand in it."""
    by_order: dict[float, list[str]] = {}
    for c in unwritten[:MAX_NOTES]:
        value = in_unit(speed, c.values[speed.parameter], 6)
        by_order.setdefault(c.order, []).append(f"{value} (branch {c.branch + 1})")
    told = [f"{significant(order, 4)}× at {', '.join(places)}" for order, places in sorted(by_order.items())]
    more = f"; and {len(unwritten) - MAX_NOTES} more in the table" if len(unwritten) > MAX_NOTES else ""
    text = f"critical speeds without a value in the picture: {'; '.join(told)}{more}"
    figure.supxlabel(fill(text, 150), fontsize=9, color=CRITICAL)


def _border(sweep: Sweep, border: StabilityBoundary) -> Label:
    value = border.values[sweep.parameter]
    word = f"{border.kind} {'begins' if border.begins else 'ends'}\n{in_unit(sweep, value, 6)}"
    return Label(word, value / sweep.unit[1], 0.0)


def _names_at_the_end(axes: Axes, speed: Campbell, drawn: list[int], hz: np.ndarray) -> None:
    """Names right of the picture at the height of the last value, moved apart where they would overlap."""
    last = []
    for k in drawn[:MAX_NAMES]:
        known = np.flatnonzero(np.isfinite(hz[:, k]))
        last.append((float(hz[known[np.argmax(x_values(speed)[known])], k]), k))
    last.sort()
    low, high = axes.get_ylim()
    wanted = np.array([(y - low) / (high - low) for y, _ in last])
    for (y, k), height in zip(last, _apart(wanted, 0.043), strict=True):
        axes.annotate(
            f"{k + 1}  {plain_text(shown(speed.labels[k], 40))}",
            xy=(1.0, (y - low) / (high - low)), xytext=(1.03, height),
            xycoords="axes fraction", textcoords="axes fraction", fontsize=9, color=_colour(speed, k), va="center",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": _colour(speed, k), "lw": 0.7, "shrinkB": 0, "relpos": (0, 0.5)},
        )  # fmt: skip


def _apart(wanted: np.ndarray, least: float) -> np.ndarray:
    """Heights in ascending order moved until neighbours are apart, inside 0 to 1 where there is room."""
    placed = wanted.copy()
    for _ in range(200):
        close = np.flatnonzero(np.diff(placed) < least - 1e-9)
        if not len(close):
            break
        for i in close:
            middle = (placed[i] + placed[i + 1]) / 2
            placed[i], placed[i + 1] = middle - least / 2, middle + least / 2
        placed = np.clip(placed, 0.0, max(1.0, least * len(placed)))
    return placed


def _percent(speed: Campbell, drawn: list[int]) -> np.ndarray:
    """Damping ratio (points, drawn) in percent of what vibrates."""
    return 100 * np.where(speed.eigenvalues.imag == 0, np.nan, speed.damping_ratio)[:, drawn]


def _is_damped(speed: Campbell, drawn: list[int]) -> bool:
    return bool(np.nanmax(np.abs(_percent(speed, drawn)), initial=0.0) > 1e-9)


def _damping_panel(axes: Axes, speed: Campbell, drawn: list[int]) -> None:
    ratio = _percent(speed, drawn)
    known = ratio[np.isfinite(ratio)]
    size = np.abs(known)
    axes.set_ylabel("damping ratio, %")
    for column, k in zip(ratio.T, drawn, strict=True):
        axes.plot(x_values(speed), column, color=_colour(speed, k), ls=DASH[speed.whirl[k]], lw=1.6, zorder=3)
    if known.min() > 0 and known.max() > 50 * known.min():
        axes.set_yscale("log")
        return
    axes.axhline(0, color=FAINT, lw=0.9, zorder=1)
    if size.max() > 50 * np.median(size) > 0:
        axes.set_yscale("symlog", linthresh=float(np.median(size)), linscale=0.7)


def _spans(sweep: Sweep, panels: Sequence[Axes]) -> None:
    """Unstable ranges in red, their borders with a line."""
    x = x_values(sweep)
    edges = sorted(b.values[sweep.parameter] / sweep.unit[1] for b in sweep.boundaries)
    unstable = np.array([s == "unstable" for s in sweep.stability])
    for axes in panels:
        for a, b in _ranges(x, unstable, edges):
            axes.axvspan(a, b, color="#fdecea", zorder=0, lw=0)
        for edge in edges:
            axes.axvline(edge, color=UNSTABLE, lw=1.0, ls=":", zorder=1.5)


def _ranges(x: np.ndarray, unstable: np.ndarray, edges: list[float]) -> list[tuple[float, float]]:
    """Unstable ranges of x: between neighbouring points and borders, where the nearest point is unstable."""
    order = np.argsort(x)
    x, unstable = x[order], unstable[order]
    cuts = np.unique(np.concatenate((x, [e for e in edges if x[0] < e < x[-1]])))
    found: list[tuple[float, float]] = []
    for a, b in pairwise(cuts):
        ends = [unstable[np.searchsorted(x, e)] for e in (a, b) if e in x]
        if ends and all(ends):
            joined = bool(found) and found[-1][1] == a
            found = [*found[:-1], (found[-1][0], b)] if joined else [*found, (a, b)]
    return found


def _failed_marks(panels: Sequence[Axes], sweep: Sweep) -> None:
    """A grey cross on the axis at every point that failed."""
    at = [f.values[sweep.parameter] / sweep.unit[1] for f in sweep.failed]
    for axes in panels if at else ():
        axes.plot(
            at, np.full(len(at), 0.015), "x", color=UNSTABLE, ms=7, mew=1.8, transform=axes.get_xaxis_transform(),
            zorder=7, clip_on=False, label="failed point",
        )  # fmt: skip


def _campbell_axes(
    panels: Sequence[Axes], speed: Campbell, drawn: list[int], left_out: list[int], signed: bool
) -> None:
    from matplotlib.lines import Line2D

    top, bottom = panels[0], panels[-1]
    top.set_ylabel("frequency, Hz" + ("   (negative: backward whirl)" if signed else ""))
    bottom.set_xlabel(axis_name(speed))
    for axes in panels:
        axes.grid(True, color="#eeeeee", lw=0.8, zorder=0.5)
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=9)
    kinds = [kind for kind in TINT if speed.joint and kind in {speed.whirl[k] for k in drawn}]
    handles = [Line2D([], [], color=TINT[kind], ls=DASH[kind], lw=1.9, label=MEANING[kind]) for kind in kinds]
    if speed.per_rev:
        handles.append(Line2D([], [], color=LINE, lw=1.1, ls="--", label="order × spin"))
    ring: dict[str, Any] = {"marker": "o", "ls": "none", "mec": CRITICAL, "mew": 1.6}
    backward = {speed.whirl[c.branch] == "backward" for c in speed.critical_speeds}
    if False in backward:
        handles.append(Line2D([], [], mfc=CRITICAL, label="critical speed", **ring))
    if True in backward:
        handles.append(Line2D([], [], mfc="white", label="of backward whirl", **ring))
    if speed.failed:
        handles.append(Line2D([], [], marker="x", ls="none", color=UNSTABLE, label="failed point"))
    if handles:
        below = (0.5, -0.28 if len(panels) > 1 else -0.1)
        bottom.legend(
            handles=handles, loc="upper center", bbox_to_anchor=below, ncols=len(handles), fontsize=9, frameon=False
        )
    if left_out:
        names = "; ".join(
            f"{k + 1} {plain_text(shown(speed.labels[k], 30))},"
            f" {significant(np.nanmin(speed.frequency_hz[:, k]), 4)} Hz"
            for k in left_out[:3]
        )
        more = f" and {len(left_out) - 3} more" if len(left_out) > 3 else ""
        top.set_title(f"above the picture: {names}{more}", fontsize=9, color=FAINT, loc="left")
