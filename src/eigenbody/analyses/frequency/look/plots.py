"""Bode and Nyquist diagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from eigenbody.analyses.frequency.look import require_known
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.source import shown
from eigenbody.present.style import FAINT, INK
from eigenbody.present.tables import plain_text, significant

if TYPE_CHECKING:
    from eigenbody.analyses.frequency.find import FrequencyResponse

KINDS = ("bode", "nyquist")
COLOURS = ("#1f5fbf", "#d1495b", "#2a9d5c", "#e07b00", "#8e44ad", "#17a2b8", "#6d4c41", "#444444")
MAX_CURVES = 8
DASHES = ("-", (0, (5, 2.5)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)))  # curves that lie on each other stay visible


def plot_frf(response: FrequencyResponse, kind: str = "bode") -> Figure:
    """The diagram of that kind; one column of panels for each unit of the entries."""
    if kind not in KINDS:
        raise InputError(Fault("kind", f'"{kind}" is not known.', suggest(kind, KINDS)))
    require_known(response)
    groups = _groups(response)
    tall = 6.4 if kind == "bode" else 6.0
    figure = Figure(figsize=(max(8.5, 6.2 * len(groups)), tall), layout="constrained", facecolor="white")
    figure.suptitle(plain_text(f"Frequency response of {shown(response.linear.point.model.name, 70)}"), fontsize=12)
    draw = _bode if kind == "bode" else _nyquist
    draw(figure, response, groups)
    return figure


def _groups(response: FrequencyResponse) -> dict[str, list[tuple[int, int]]]:
    """Entries (output, input) by unit, as many as are readable."""
    groups: dict[str, list[tuple[int, int]]] = {}
    for j in range(len(response.inputs)):
        for i in range(len(response.outputs)):
            groups.setdefault(response.unit(i, j), []).append((i, j))
    return {unit: entries[:MAX_CURVES] for unit, entries in list(groups.items())[:4]}


def _label(response: FrequencyResponse, i: int, j: int) -> str:
    return plain_text(f"{shown(response.outputs[i], 30)} / {shown(response.inputs[j], 30)}")


def _legend(axes: Axes, response: FrequencyResponse, entries: list[tuple[int, int]]) -> None:
    """Above the panel, as narrow as it."""
    longest = max(len(_label(response, i, j)) for i, j in entries)
    columns = max(1, min(len(entries), 3, 70 // (longest + 6)))
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns, fontsize=9, frameon=False, handlelength=3)


# ---- Bode


def _bode(figure: Figure, response: FrequencyResponse, groups: dict[str, list[tuple[int, int]]]) -> None:
    panels: Any = figure.subplots(2, len(groups), sharex="col", squeeze=False, height_ratios=(1.7, 1))
    hz, order = _sorted(response)
    logarithmic = _is_log(hz)
    marker = "o" if len(hz) < 3 else ""
    phase = np.degrees(response.phase)[order]
    for column, (unit, entries) in enumerate(groups.items()):
        top, bottom = panels[:, column]
        for k, (i, j) in enumerate(entries):
            style: dict[str, Any] = {
                "color": COLOURS[k % len(COLOURS)], "ls": DASHES[k % len(DASHES)], "lw": 1.4, "marker": marker,
            }  # fmt: skip
            size = response.magnitude[order, i, j]
            visible = np.where(np.isfinite(size) & (size > 0), size, np.nan)
            top.plot(hz, visible, label=_label(response, i, j), **style)
            bottom.plot(hz, _folded(np.where(np.isfinite(visible), phase[:, i, j], np.nan)), **style)
        _magnitude_axis(top, response, entries, order, unit)
        _mark_peaks(top, response, entries)
        _mark_poles(top, bottom, response, entries)
        _phase_axis(bottom)
        if logarithmic:
            bottom.set_xscale("log")
        if len(hz) > 1:
            bottom.set_xlim(hz[0], hz[-1])
        bottom.set_xlabel("frequency, Hz")
        _legend(top, response, entries)
        if not column:
            bottom.set_ylabel("phase, degrees")


def _magnitude_axis(
    axes: Axes, response: FrequencyResponse, entries: list[tuple[int, int]], order: np.ndarray, unit: str
) -> None:
    sizes = np.concatenate([response.magnitude[order, i, j] for i, j in entries])
    sizes = sizes[np.isfinite(sizes) & (sizes > 0)]
    if len(sizes):
        axes.set_yscale("log")
        high, low = float(sizes.max()), float(sizes.min())
        low = max(low, high * 1e-12)
        room = max((high / low) ** 0.12, 1.3)
        axes.set_ylim(low / room**0.5, high * room)
    else:
        axes.text(0.5, 0.5, "no response: nothing leads from the input to the output", transform=axes.transAxes,
                  ha="center", color=FAINT)  # fmt: skip
    axes.set_ylabel(f"magnitude, {plain_text(unit)}")
    axes.grid(True, which="major", color="#dcdcdc", lw=0.8)
    axes.grid(True, which="minor", axis="x", color="#f0f0f0", lw=0.6)


def _phase_axis(axes: Axes) -> None:
    axes.set_ylim(-190, 190)
    axes.set_yticks([-180, -90, 0, 90, 180])
    axes.grid(True, which="major", color="#dcdcdc", lw=0.8)
    axes.grid(True, which="minor", axis="x", color="#f0f0f0", lw=0.6)


def _folded(phase: np.ndarray) -> np.ndarray:
    """Phase between -180 and 180 degrees, cut where it jumps from one to the other."""
    folded = np.where(np.abs(phase) < 1e-9, 0.0, (phase + 180.0) % 360.0 - 180.0)
    with np.errstate(invalid="ignore"):
        jump = np.flatnonzero(np.abs(np.diff(folded)) > 270)
    folded[jump] = np.nan
    return folded


def _mark_peaks(axes: Axes, response: FrequencyResponse, entries: list[tuple[int, int]]) -> None:
    """The frequencies of the highest peaks, one label where several are close."""
    names = {(response.outputs[i], response.inputs[j]): COLOURS[k % len(COLOURS)] for k, (i, j) in enumerate(entries)}
    own = [p for p in response.peaks if (p.output, p.input) in names and np.isfinite(p.magnitude)]
    labelled: list[float] = []
    span = np.log(response.frequency_hz.max() / max(response.frequency_hz[response.frequency_hz > 0].min(), 1e-300))
    for peak in sorted(own, key=lambda p: -p.magnitude)[:40]:
        axes.plot(peak.frequency_hz, peak.magnitude, "o", ms=4, color=names[peak.output, peak.input], zorder=4)
        if len(labelled) >= 8 or any(abs(np.log(peak.frequency_hz / other)) < 0.07 * span for other in labelled):
            continue
        labelled.append(peak.frequency_hz)
        axes.annotate(
            f"{significant(peak.frequency_hz, 4)} Hz", (peak.frequency_hz, peak.magnitude), xytext=(0, 6),
            textcoords="offset points", ha="center", fontsize=8, color=INK, clip_on=True,
        )  # fmt: skip


def _mark_poles(top: Axes, bottom: Axes, response: FrequencyResponse, entries: list[tuple[int, int]]) -> None:
    """Undamped resonances as dotted lines, where the response is infinite."""
    own = {(response.outputs[i], response.inputs[j]) for i, j in entries}
    sharp = {p.frequency_hz for p in response.peaks if not np.isfinite(p.magnitude) and (p.output, p.input) in own}
    sharp |= {p.frequency_hz for p in response.poles if p.frequency_hz > 0}
    for hz in sorted(sharp):
        for axes in (top, bottom):
            axes.axvline(hz, color=FAINT, lw=0.9, ls=":", zorder=1)
    for hz in sorted(sharp)[:12]:
        top.annotate(
            f"∞ {significant(hz, 4)} Hz", (hz, 0.0), xycoords=("data", "axes fraction"), xytext=(3, 5),
            textcoords="offset points", rotation=90, va="bottom", ha="left", fontsize=8, color=INK,
        )  # fmt: skip


# ---- Nyquist


def _nyquist(figure: Figure, response: FrequencyResponse, groups: dict[str, list[tuple[int, int]]]) -> None:
    panels: Any = figure.subplots(1, len(groups), squeeze=False)[0]
    hz, order = _sorted(response)
    for axes, (unit, entries) in zip(panels, groups.items(), strict=True):
        for k, (i, j) in enumerate(entries):
            value = response.values[order, i, j]
            value = np.where(np.isfinite(value), value, np.nan)
            colour = COLOURS[k % len(COLOURS)]
            axes.plot(value.real, value.imag, color=colour, lw=1.4, label=_label(response, i, j))
            _mark_frequencies(axes, hz, value, colour)
        axes.axhline(0, color=FAINT, lw=0.8)
        axes.axvline(0, color=FAINT, lw=0.8)
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.12)
        axes.grid(True, color="#e4e4e4", lw=0.7)
        axes.set_xlabel(f"real part, {plain_text(unit)}")
        axes.set_ylabel(f"imaginary part, {plain_text(unit)}")
        axes.ticklabel_format(style="sci", scilimits=(-3, 4))
        _legend(axes, response, entries)


def _mark_frequencies(axes: Axes, hz: np.ndarray, value: np.ndarray, colour: str) -> None:
    """Frequencies at points spread evenly along the curve."""
    known = np.flatnonzero(np.isfinite(value))
    if not len(known):
        return
    along = np.concatenate(([0.0], np.cumsum(np.abs(np.diff(value[known])))))
    places = np.unique(np.searchsorted(along, np.linspace(0, along[-1], 9)[:-1] + 1e-12 * along[-1]))
    extent = np.abs(value[known]).max()
    shown_at: list[complex] = []
    for k in known[np.minimum(places, len(known) - 1)]:
        if any(abs(value[k] - other) < 0.09 * extent for other in shown_at):
            continue
        shown_at.append(complex(value[k]))
        axes.plot(value[k].real, value[k].imag, "o", ms=4, color=colour)
        outward = value[k] / abs(value[k]) if abs(value[k]) > 0.05 * extent else -1 + 0.5j
        axes.annotate(
            f"{significant(hz[k], 3)} Hz", (value[k].real, value[k].imag), fontsize=8, color=INK,
            xytext=(8 * outward.real, 8 * outward.imag), textcoords="offset points",
            ha="left" if outward.real > 0 else "right", va="center",
        )  # fmt: skip


# ---- both


def _sorted(response: FrequencyResponse) -> tuple[np.ndarray, np.ndarray]:
    order = np.argsort(response.frequency_hz, kind="stable")
    return response.frequency_hz[order], order


def _is_log(hz: np.ndarray) -> bool:
    """Whether the frequencies are spread over decades: then half of them lie in the lower part."""
    return bool(len(hz) > 1 and hz[0] > 0 and hz[-1] > 5 * hz[0] and np.median(hz) < 0.35 * hz[-1])
