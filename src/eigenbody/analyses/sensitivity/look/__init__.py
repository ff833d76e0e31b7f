"""Sensitivities: what they print, their document, arrays and tornado pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, Places, over
from eigenbody.present.documents import number
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, counted, significant
from eigenbody.present.words import model_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.sensitivity.find import Sensitivity

LOWEST = 6  # modes shown at once
BARS = 12  # numbers shown for each mode in a picture
TOP = 4  # numbers shown for each mode in the table
NOISE = 1e-12  # relative sensitivity that counts as zero in tables and pictures; the numbers themselves are kept
COLOURS = ("#2f6fab", "#c8553d")  # rises and falls with the number


def sheet(result: Sensitivity, mode: int | None = None) -> Sheet:
    """For each mode the numbers that move it most, or all numbers for one mode (counted from one)."""
    modes = counted(len(result.modes), "mode") if mode is None else f"mode {mode} of {len(result.modes)}"
    most = f", the {TOP} strongest for each mode" if mode is None and len(result.names) > TOP else ""
    numbers = counted(len(result.names), "number")
    line = f"{modes}, {numbers}{most}; relative: % of frequency for each % of the number"
    title = f"Sensitivities of {model_name(result.modes.linear.point)}"
    return Sheet(title, [line], [_grid(result, mode)], _remarks(result, mode))


def _remarks(result: Sensitivity, mode: int | None) -> list[str]:
    lines = [*result.modes.on_constancy, *result.left_out]
    if not result.is_exact:
        lines.append("The shift of the operating point was found by differences, extrapolated to step zero.")
    for note in dict.fromkeys(note for note in (result.notes[k] for k in _shown_modes(result, mode)) if note):
        which = ", ".join(str(k + 1) for k, own in enumerate(result.notes) if own == note)
        lines.append(f"Mode {which}: {note}.")
    return lines


def _shown_modes(result: Sensitivity, mode: int | None) -> range:
    """All modes, or the one asked for, counted from one."""
    return range(len(result.modes)) if mode is None else range(mode - 1, mode)


def _grid(result: Sensitivity, mode: int | None) -> Grid:
    """For each mode the numbers that move it most, or all numbers for one mode."""
    rows: list[tuple[str, ...]] = []
    shown_modes = _shown_modes(result, mode)
    for k in shown_modes[:MAX_ROWS]:
        own = (str(k + 1), significant(result.modes.frequency_hz[k]))
        if np.isnan(result.eigenvalues[:, k]).all():
            rows.append((*own, f"({result.notes[k].partition(':')[0]})", *["-"] * 5))
            continue
        for i in result.ranking(k)[: TOP if mode is None else MAX_ROWS]:
            rows.append((*own, shown(result.names[i], 40), significant(result.values[i]), *_numbers(result, i, k)))
            own = ("", "")
    columns = ("#", "frequency\nHz", "number", "its value\nSI", "relative\n% per %", "df/dp\nHz per unit",
               "d(real)/dp\n1/s per unit", "d(damping)/dp\nper unit")  # fmt: skip
    right = (True, True, False, True, True, True, True, True)
    return Grid("", columns, tuple(rows), right, left_out=max(len(shown_modes) - MAX_ROWS, 0))


def _numbers(result: Sensitivity, i: int, k: int) -> tuple[str, ...]:
    """Cells of one number and mode; what is rounding beside the derivative of the eigenvalue is shown as zero."""
    slope = result.eigenvalues[i, k]
    size = float(np.abs(result.modes.eigenvalues[k]))
    moves = abs(slope) * (abs(result.values[i]) or 1.0) > NOISE * size
    bound = NOISE * abs(slope) if moves else np.inf
    cells = (
        (result.relative_frequency[i, k], bound * abs(result.values[i]) / size),
        (result.frequency_hz[i, k], bound / (2 * np.pi)),
        (slope.real, bound),
        (result.damping_ratio[i, k], bound / size),
    )
    return tuple("-" if np.isnan(v) else "0" if abs(v) <= least else significant(float(v), 5) for v, least in cells)


def document(result: Sensitivity) -> dict[str, Any]:
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
        "notes": list(_remarks(result, None)),
    }


def arrays(result: Sensitivity) -> dict[str, Any]:
    """Derivatives of eigenvalues, frequencies and damping ratios, and those of the matrices where they are dense."""
    own = {
        "parameters": tuple(result.names), "values": result.values, "eigenvalues": result.modes.eigenvalues,
        "d_eigenvalues": result.eigenvalues, "d_frequency_hz": result.frequency_hz,
        "d_damping_ratio": result.damping_ratio, "relative_frequency": result.relative_frequency,
    }  # fmt: skip
    d = result.derivatives
    if d is not None:
        own |= {key: getattr(d, key) for key in ("dM", "dC", "dK", "dA", "dB", "dC_out", "dD")}
    return own


def axes(result: Sensitivity) -> dict[str, Over]:
    """What the arrays lie over."""
    both: dict[str, Places] = {"parameter": "parameters", "mode": ""}
    names = ("d_eigenvalues", "d_frequency_hz", "d_damping_ratio", "relative_frequency")
    own = {"values": over(parameter="parameters"), "eigenvalues": over("1/s", mode=""),
           **{name: over(**both) for name in names}}  # fmt: skip
    if result.derivatives is None:
        return own
    linear = result.derivatives.linear
    state, rate, force, velocity = linear.states, linear.states, linear.velocities, linear.velocities
    coordinate, inputs, outputs = linear.coordinates, linear.inputs, linear.outputs
    return own | {
        "dM": over(parameter="parameters", force=force, velocity=velocity),
        "dC": over(parameter="parameters", force=force, velocity=velocity),
        "dK": over(parameter="parameters", force=force, coordinate=coordinate),
        "dA": over(parameter="parameters", rate=rate, state=state),
        "dB": over(parameter="parameters", rate=rate, input=inputs),
        "dC_out": over(parameter="parameters", output=outputs, state=state),
        "dD": over(parameter="parameters", output=outputs, input=inputs),
    }


def records(result: Sensitivity) -> Iterator[Sequence[Any]]:
    """A line for each mode and number."""
    yield ("mode", "frequency_hz", "parameter", "value", "d_real", "d_imag", "d_frequency_hz", "d_damping_ratio",
           "relative_frequency")  # fmt: skip
    yield from (
        (
            k + 1, number(result.modes.frequency_hz[k]), name, number(result.values[i]),
            number(result.eigenvalues[i, k].real), number(result.eigenvalues[i, k].imag),
            number(result.frequency_hz[i, k]), number(result.damping_ratio[i, k]),
            number(result.relative_frequency[i, k]),
        )
        for k in range(len(result.modes))
        for i, name in enumerate(result.names)
    )  # fmt: skip


def plot(result: Sensitivity, mode: int | None = None) -> Figure:
    """Tornado of relative sensitivities: of one mode (counted from 1), or of the lowest that have a frequency."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    if mode is None:
        modes = [k for k in range(len(result.modes)) if not result.modes.is_rigid[k]][:LOWEST]
    else:
        modes = [mode - 1]
    panels = [_strongest(result, k) for k in modes]
    bars = max((len(panel) for panel in panels), default=1)
    columns = min(3, max(1, len(modes)))
    rows = max(1, -(-len(modes) // columns))
    size = (max(6.0, 4.6 * columns), 1.0 + rows * (0.9 + 0.28 * max(2, bars)))
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, sharex=True).ravel()
    for axis, k, panel in zip(axes, modes, panels, strict=False):
        _tornado(axis, result, k, panel)
    for axis in axes[len(modes) :]:
        axis.set_axis_off()
    reach = max((abs(result.relative_frequency[i, k]) for k, panel in zip(modes, panels, strict=True) for i in panel),
                default=1.0)  # fmt: skip
    axes[0].set_xlim(-1.35 * reach, 1.35 * reach)
    figure.suptitle(f"Which number moves which mode: {shown(result.modes.linear.point.model.name, 60)}", fontsize=11)
    figure.supxlabel("change of frequency, % for each % of the number", fontsize=9)
    words = ("a larger number raises the frequency", "lowers it")
    handles = [Patch(color=colour, label=word) for colour, word in zip(COLOURS, words, strict=True)]
    figure.legend(handles=handles, loc="outside lower right", fontsize=8, ncols=2, frameon=False)
    return figure


def _strongest(result: Sensitivity, k: int) -> list[int]:
    """Numbers worth a bar, the strongest first: no rounding, nothing a thousand times weaker than the first."""
    size = np.abs(result.relative_frequency[:, k])
    order = [i for i in result.ranking(k) if not np.isnan(size[i]) and size[i] > NOISE]
    return [i for i in order[:BARS] if size[i] >= 1e-3 * size[order[0]]]


def _tornado(axis: Any, result: Sensitivity, k: int, chosen: list[int]) -> None:
    size = np.array([result.relative_frequency[i, k] for i in chosen])
    places = np.arange(len(chosen))[::-1]
    axis.barh(places, size, color=[COLOURS[0] if s >= 0 else COLOURS[1] for s in size], height=0.72)
    axis.set_yticks(places, [shown(result.names[i], 28) for i in chosen], fontsize=8)
    axis.axvline(0, color="0.3", linewidth=0.8)
    for place, value in zip(places, size, strict=True):
        axis.annotate(f"{value:+.2g}", (value, place), xytext=(3 if value >= 0 else -3, 0), va="center",
                      textcoords="offset points", ha="left" if value >= 0 else "right", fontsize=7)  # fmt: skip
    axis.set_title(f"mode {k + 1}: {significant(result.modes.frequency_hz[k], 5)} Hz", fontsize=9)
    axis.tick_params(axis="x", labelsize=8, labelbottom=True)
    axis.grid(axis="x", color="0.9")
    axis.set_axisbelow(True)
    weak = len(result.names) - len(chosen)
    text = f"{weak} more: weaker" if chosen else result.notes[k].partition(":")[0] or "no number moves it"
    if weak or not chosen:
        axis.annotate(text, (0.98, 0.03), xycoords="axes fraction", ha="right", fontsize=7, color="0.45")
    if not chosen:
        axis.set_ylim(-0.5, 0.5)
