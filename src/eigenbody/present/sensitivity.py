"""Sensitivities as tables, JSON documents, files and tornado pictures."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.documents import as_json, number
from eigenbody.present.export import Writer, _arrays, _cell, _csv, _names, _text
from eigenbody.present.tables import MAX_ROWS, Grid, _wrapped, counted, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType

    from eigenbody.analyses.sensitivity import Sensitivity

LOWEST = 6  # modes shown at once
BARS = 12  # numbers shown for each mode in a picture
TOP = 4  # numbers shown for each mode in the table
COLOURS = ("#2f6fab", "#c8553d")  # rises and falls with the number


def _head(result: Sensitivity) -> list[str]:
    modes = counted(len(result.modes), "mode")
    return [
        f"Sensitivities of {shown(result.modes.linear.point.model.name, 100)}",
        f"{modes}, {counted(len(result.names), 'number')}; relative: per cent of frequency per per cent of the number",
    ]


def _remarks(result: Sensitivity) -> list[str]:
    lines = []
    if not result.is_exact:
        lines.append("The shift of the operating point was found by differences, extrapolated to step zero.")
    for note in dict.fromkeys(note for note in result.notes if note):
        which = ", ".join(str(k + 1) for k, own in enumerate(result.notes) if own == note)
        lines.append(f"Mode {which}: {note}.")
    return lines


def _grid(result: Sensitivity) -> Grid:
    """For each mode the numbers that move it most."""
    rows = []
    shown_modes = min(len(result.modes), MAX_ROWS)
    for k in range(shown_modes):
        first = True
        for i in result.ranking(k)[:TOP]:
            mode = (str(k + 1), significant(result.modes.frequency_hz[k])) if first else ("", "")
            rows.append((*mode, shown(result.names[i], 40), significant(result.values[i]), *_numbers(result, i, k)))
            first = False
    columns = ("#", "frequency\nHz", "number", "its value\nSI", "relative\n% per %", "df/dp\nHz per unit",
               "d(real)/dp\n1/s per unit", "d(damping)/dp\nper unit")  # fmt: skip
    right = (True, True, False, True, True, True, True, True)
    return Grid("", columns, tuple(rows), right, left_out=len(result.modes) - shown_modes)


def _numbers(result: Sensitivity, i: int, k: int) -> tuple[str, ...]:
    cells = (
        result.relative_frequency[i, k], result.frequency_hz[i, k], result.eigenvalues[i, k].real,
        result.damping_ratio[i, k],
    )  # fmt: skip
    return tuple("-" if np.isnan(cell) else significant(float(cell), 5) for cell in cells)


def sensitivity_text(result: Sensitivity) -> str:
    """The table as plain text."""
    return "\n".join([*_head(result), "", _grid(result).text(), "", *_wrapped(_remarks(result))]).rstrip()


def sensitivity_html(result: Sensitivity) -> str:
    """The table as HTML."""
    title, line = _head(result)
    remarks = "".join(f"<p>{escape(remark)}</p>" for remark in _remarks(result))
    return f"<p><b>{escape(title)}</b><br>{escape(line)}</p>{_grid(result).html()}{remarks}"


def sensitivity_rich(result: Sensitivity) -> RenderableType:
    """The table for the terminal."""
    from rich.console import Group
    from rich.text import Text

    title, line = _head(result)
    remarks = [Text(remark, style="dim") for remark in _remarks(result)]
    return Group(Text(title, style="bold"), Text(line), Text(), _grid(result).rich(), Text(), *remarks)


def sensitivity_document(result: Sensitivity) -> dict[str, Any]:
    """The document of `sensitivity --json`."""
    modes = result.modes
    entries = []
    for k in range(len(modes)):
        by_number = {
            name: {
                "real": number(result.eigenvalues[i, k].real),
                "imag": number(result.eigenvalues[i, k].imag),
                "frequency_hz": number(result.frequency_hz[i, k]),
                "damping_ratio": number(result.damping_ratio[i, k]),
                "relative_frequency": number(result.relative_frequency[i, k]),
            }
            for i, name in enumerate(result.names)
        }
        value = modes.eigenvalues[k]
        entries.append(
            {
                "index": k + 1, "real": number(value.real), "imag": number(value.imag),
                "frequency_hz": number(modes.frequency_hz[k]), "damping_ratio": number(modes.damping_ratio[k]),
                "kind": modes.kinds[k], "note": result.notes[k], "derivatives": by_number,
                "ranking": [result.names[i] for i in result.ranking(k)],
            }
        )  # fmt: skip
    return {
        "model": modes.linear.point.model.name,
        "parameters": [{"name": n, "value": number(v)} for n, v in zip(result.names, result.values, strict=True)],
        "modes": entries,
        "exact": result.is_exact,
        "certificate": modes.certificate.as_dict(),
        "notes": list(_remarks(result)),
    }


def sensitivity_writer(result: Sensitivity, ending: str) -> Writer:
    """Writes the result: csv has a line for each mode and number, npz and mat hold the arrays."""
    if ending == "json":
        return _text(as_json(sensitivity_document(result)) + "\n")
    if ending == "csv":
        return _text(_table(result))
    arrays = {
        "parameters": _names(result.names), "values": result.values, "eigenvalues": result.modes.eigenvalues,
        "d_eigenvalues": result.eigenvalues, "d_frequency_hz": result.frequency_hz,
        "d_damping_ratio": result.damping_ratio, "relative_frequency": result.relative_frequency,
    }  # fmt: skip
    d = result.derivatives
    if d is not None:
        arrays |= {key: getattr(d, key) for key in ("dM", "dC", "dK", "dA", "dB", "dC_out", "dD")}
    return _arrays(arrays, ending)


def _table(result: Sensitivity) -> str:
    columns = ("mode", "frequency_hz", "parameter", "value", "d_real", "d_imag", "d_frequency_hz", "d_damping_ratio",
               "relative_frequency")  # fmt: skip
    rows = [
        (
            k + 1, number(result.modes.frequency_hz[k]), name, number(result.values[i]),
            number(result.eigenvalues[i, k].real), number(result.eigenvalues[i, k].imag),
            number(result.frequency_hz[i, k]), number(result.damping_ratio[i, k]),
            number(result.relative_frequency[i, k]),
        )
        for k in range(len(result.modes))
        for i, name in enumerate(result.names)
    ]  # fmt: skip
    return _csv([columns, *([_cell(value) for value in row] for row in rows)])


def plot_sensitivity(result: Sensitivity, mode: int | None = None) -> Figure:
    """Tornado of relative sensitivities: of one mode (counted from 1), or of the lowest that have a frequency."""
    from matplotlib.figure import Figure

    if mode is None:
        modes = [k for k in range(len(result.modes)) if not result.modes.is_rigid[k]][:LOWEST]
    else:
        modes = [mode - 1]
    bars = min(BARS, len(result.names))
    columns = min(3, max(1, len(modes)))
    rows = -(-len(modes) // columns)
    figure = Figure(figsize=(4.6 * columns, rows * (1.1 + 0.28 * bars)), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis, k in zip(axes, modes, strict=False):
        _tornado(axis, result, k, bars)
    for axis in axes[len(modes) :]:
        axis.set_axis_off()
    figure.suptitle(f"Which number moves which mode: {shown(result.modes.linear.point.model.name, 60)}", fontsize=11)
    figure.supxlabel("change of frequency, % per % of the number", fontsize=9)
    return figure


def _tornado(axis: Any, result: Sensitivity, k: int, bars: int) -> None:
    chosen = [i for i in result.ranking(k)[:bars] if not np.isnan(result.relative_frequency[i, k])]
    size = np.array([result.relative_frequency[i, k] for i in chosen])
    places = np.arange(len(chosen))[::-1]
    axis.barh(places, size, color=[COLOURS[0] if s >= 0 else COLOURS[1] for s in size], height=0.72)
    axis.set_yticks(places, [shown(result.names[i], 28) for i in chosen], fontsize=8)
    axis.axvline(0, color="0.3", linewidth=0.8)
    axis.margins(x=0.18)
    for place, value in zip(places, size, strict=True):
        axis.annotate(f"{value:+.3g}", (value, place), xytext=(3 if value >= 0 else -3, 0), va="center",
                      textcoords="offset points", ha="left" if value >= 0 else "right", fontsize=7)  # fmt: skip
    axis.set_title(f"mode {k + 1}: {significant(result.modes.frequency_hz[k], 5)} Hz", fontsize=9)
    axis.tick_params(axis="x", labelsize=8)
    axis.grid(axis="x", color="0.9")
    axis.set_axisbelow(True)
