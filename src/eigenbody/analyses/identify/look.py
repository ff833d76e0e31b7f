"""Identified modes: what they print, their document, files and the stabilization diagram."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number
from eigenbody.present.tables import Grid, Sheet, counted, listed, significant
from eigenbody.present.words import noted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.identify import Identified

STATUS = ("new", "frequency", "damping", "stable")
COLUMNS = (
    "index",
    "real",
    "imag",
    "frequency_hz",
    "damping_ratio",
    "frequency_deviation_hz",
    "damping_deviation",
    "share",
)
MARKS = {
    "new": (".", "#c9c9c9", 3),
    "frequency": ("1", "#e0a458", 5),
    "damping": ("2", "#7aa6c2", 5),
    "stable": ("+", "#1f5fbf", 6),
}


def sheet(found: Identified) -> Sheet:
    """A line for each mode, then what was not taken for one."""
    rows = tuple(
        (str(i + 1), significant(hz), significant(off, 2), significant(ratio, 4), significant(loose, 2),
         f"{100 * share:.0f} %")
        for i, (hz, off, ratio, loose, share) in enumerate(zip(
            found.frequency_hz, found.frequency_deviation, found.damping_ratio, found.damping_deviation, found.shares,
            strict=True))
    )  # fmt: skip
    columns = ("#", "frequency\nHz", "scatter", "damping\nratio", "scatter", "found\nagain")
    lines = [f"By {found.method}", f"Outputs: {listed(found.outputs)}"]
    lines += [f"Inputs: {listed(found.inputs)}"] if found.inputs else []
    below = noted(found.notes)
    if len(found.spurious):
        hz = ", ".join(significant(abs(v) / (2 * np.pi), 4) for v in found.spurious[:8])
        more = " ..." if len(found.spurious) > 8 else ""
        below = [f"Spurious, no modes: {counted(len(found.spurious), 'group')} of poles at {hz}{more} Hz", *below]
    return Sheet(f"Modes identified in {shown(found.name, 100)}", lines, [Grid("", columns, rows, (True,) * 6)], below)


def document(found: Identified) -> dict[str, Any]:
    """`identify --json`."""
    return {
        "data": found.name,
        "method": found.method,
        "outputs": list(found.outputs),
        "inputs": list(found.inputs),
        "modes": [
            {**entry, "shape": {"real": shape.real.tolist(), "imag": shape.imag.tolist()}}
            for entry, shape in zip(_entries(found), found.shapes + 0.0, strict=True)
        ],
        "spurious": [{"real": v.real, "imag": v.imag} for v in found.spurious.tolist()],
        "poles": _poles(found),
        "notes": list(found.notes),
    }


def _poles(found: Identified) -> list[dict[str, Any]]:
    columns = (found.poles[key].tolist() for key in ("order", "eigenvalue", "status", "mode"))
    return [
        {"order": o, "real": v.real, "imag": v.imag, "status": STATUS[s], "mode": m + 1 if m >= 0 else None}
        for o, v, s, m in zip(*columns, strict=True)
    ]


def _entries(found: Identified) -> list[dict[str, Any]]:
    return [
        {
            "index": i + 1,
            "real": float(value.real),
            "imag": float(value.imag),
            "frequency_hz": float(found.frequency_hz[i]),
            "damping_ratio": float(found.damping_ratio[i]),
            "frequency_deviation_hz": number(found.frequency_deviation[i]),
            "damping_deviation": number(found.damping_deviation[i]),
            "share": float(found.shares[i]),
        }
        for i, value in enumerate(found.eigenvalues)
    ]


def records(found: Identified) -> Iterator[list[Any]]:
    """A line for each mode."""
    yield list(COLUMNS)
    for entry in _entries(found):
        yield [entry[key] for key in COLUMNS]


def arrays(found: Identified) -> dict[str, Any]:
    """Modes, and every pole of the diagram."""
    return {
        "eigenvalues": found.eigenvalues, "frequency_hz": found.frequency_hz, "damping_ratio": found.damping_ratio,
        "frequency_deviation_hz": found.frequency_deviation, "damping_deviation": found.damping_deviation,
        "shares": found.shares, "shapes": found.shapes, "spurious": found.spurious, "outputs": found.outputs,
        "pole_order": found.poles["order"], "pole_eigenvalue": found.poles["eigenvalue"],
        "pole_status": tuple(STATUS[int(s)] for s in found.poles["status"]), "pole_mode": found.poles["mode"] + 1,
    }  # fmt: skip


def axes(found: Identified) -> dict[str, Over]:
    """What the arrays lie over."""
    units = {"eigenvalues": "1/s", "frequency_hz": "Hz", "damping_ratio": "1", "frequency_deviation_hz": "Hz",
             "damping_deviation": "1", "shares": "1"}  # fmt: skip
    own = {name: over(unit, mode="") for name, unit in units.items()}
    own |= {"shapes": over(mode="", output="outputs"), "spurious": over("1/s", group="")}
    return own | {f"pole_{key}": over(pole="") for key in ("order", "eigenvalue", "status", "mode")}


def plot(found: Identified) -> Figure:
    """Stabilization diagram: poles over frequency and order, marked by what agrees with the order before, above the
    strength of the outputs; lines at the modes."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(10, 5.4), layout="constrained", facecolor="white")
    axes = figure.subplots()
    behind = axes.twinx()
    hz, strength = found.spectrum
    behind.semilogy(hz, np.maximum(strength, 1e-300), color="#b9b2a3", lw=0.9, zorder=0)
    behind.tick_params(which="both", right=False, labelright=False)
    behind.set_zorder(0)
    axes.set_zorder(1)
    axes.patch.set_visible(False)
    for value in found.frequency_hz:
        axes.axvline(value, color="#59a14f", lw=1.0, alpha=0.55, zorder=0)
    place = np.abs(found.poles["eigenvalue"]) / (2 * np.pi)
    for k, name in enumerate(STATUS):
        own = found.poles["status"] == k
        marker, color, size = MARKS[name]
        axes.plot(place[own], found.poles["order"][own], marker, color=color, ms=size, ls="", label=name)
    stray = (found.poles["status"] == 3) & (found.poles["mode"] < 0)
    axes.plot(place[stray], found.poles["order"][stray], "x", color="#c0392b", ms=5, ls="", label="spurious")
    top = float(found.poles["order"].max(initial=2))
    for i, value in enumerate(found.frequency_hz):
        axes.annotate(f"{i + 1}", (value, 1.03 * top), ha="center", fontsize=9, color="#3b7a34", annotation_clip=False)
    axes.set_xlim(float(hz.min()), float(hz.max()))
    axes.set_ylim(0, 1.09 * top)
    axes.set_xlabel("frequency, Hz")
    axes.set_ylabel("order")
    axes.yaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_title(f"{shown(found.name, 60)}: {counted(len(found), 'mode')}", loc="left", fontsize=11)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.11), ncols=5, frameon=False, fontsize=9)
    return figure
