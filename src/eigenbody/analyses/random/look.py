"""Random vibration: what it prints, its document, arrays and picture."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.style import INK, LINE
from eigenbody.present.tables import Grid, Sheet, listed, plain_text, significant
from eigenbody.present.words import model_name, noted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eigenbody.analyses.random.drives import Drive
    from eigenbody.analyses.random.result import RandomResponse

MAX_PANELS = 6
DEPTH = 1e-7  # of the highest value of a curve: what lies deeper is not drawn
INPUT, WEIGHTED = "#7a7a7a", "#e07b00"
Levels = Sequence[float]


# Words ----------------------------------------------------------------------------------------------------------------
def valued(value: float, digits: int = 6) -> str:
    """A number; "infinite" for what is, an em dash for what is unknown."""
    return "infinite" if math.isinf(value) else significant(value, digits)


def density_unit(unit: str) -> str:
    """`(m/s²)²/Hz` for `m/s^2`."""
    plain = unit.replace("**", "^").replace("^2", "²")
    if not plain:
        return "1/Hz"
    return f"{plain}²/Hz" if plain.isalpha() else f"({plain})²/Hz"


def _enters(drive: Drive) -> str:
    """Where a source enters, with delays."""
    places = [f"{name} ({drive.delays[name]:g} s later)" if drive.delays.get(name) else name for name in drive.inputs]
    mixed = ""
    if len(drive.inputs) > 1:
        same = "by frequency" if callable(drive.coherence) else f"{drive.coherence:g}"
        mixed = "" if drive.coherence == 1.0 else f", coherence {same}"
    return f"{drive.source}, at {listed(places)}{mixed}"


def _band(low: float, high: float) -> str:
    if low == 0 and math.isinf(high):
        return "all frequencies"
    return f"{low:g} Hz and above" if math.isinf(high) else f"{low:g} to {high:g} Hz"


def sheet(r: RandomResponse, levels: Levels = (), duration: float | None = None) -> Sheet:
    """Root mean squares, crossings and comfort of every output."""
    title, *lines = _head(r)
    return Sheet(title, lines, [_grid(r, levels, duration)], _below(r, duration))


def _head(r: RandomResponse) -> list[str]:
    return [
        f"Random vibration of {model_name(r.linear.point)}",
        *(f"Excitation: {_enters(drive)}" for drive in r.drives),
        f"Band: {_band(*r.band_hz)}",
    ]


def _grid(r: RandomResponse, levels: Levels, duration: float | None) -> Grid:
    units, rms, exact, rates = r.units, r.rms, r.rms_exact, r.zero_crossings_hz
    compare, weighted = r.difference, r.weighted_rms
    columns = [
        "output",
        "unit",
        "RMS\nin the band",
        "RMS exact\nall freq.",
        "relative\ndifference",
        "up-crossings\n1/s",
    ]
    columns += ["weighted\nRMS"] if weighted else []
    columns += [f"greatest in\n{duration:g} s"] if duration else []
    columns += [f"above {level:g}\ntimes/s" for level in levels]
    rows = []
    for name in r.outputs:
        row = [shown(name, 40), units[name], valued(rms[name]), valued(exact[name]), valued(compare[name], 2)]
        row.append(valued(rates[name], 5))
        if weighted:
            row.append(f"{valued(weighted[name])} {r.weighting_of(name).name}" if name in weighted else "—")
        row += [valued(r.expected_peak(name, duration), 5)] if duration else []
        row += [valued(r.level_crossings(name, level), 4) for level in levels]
        rows.append(tuple(row))
    return Grid("", tuple(columns), tuple(rows), (False, False, *(True for _ in columns[2:])))


def _below(r: RandomResponse, duration: float | None) -> list[str]:
    lines = []
    exact = r.weighted_rms_exact
    for name, value in r.weighted_rms.items():
        line = f"{shown(name)}: weighted RMS {valued(value)}"
        line += f" (exact {valued(exact[name])})" if r.is_whole and math.isfinite(exact[name]) else ""
        line += f", {r.comfort[name]} (ISO 2631-1, annex C)" if name in r.comfort else ""
        if duration and math.isfinite(value):
            line += (
                f"; estimated vibration dose value in {duration:g} s: {significant(r.estimated_vdv(name, duration), 4)}"
            )
        lines.append(line)
    error = float(r.moments.relative_error.max(initial=0.0))
    lines.append(f"Integration: {r.moments.points} frequencies, estimated error of the variances {error:.1e}")
    return [*lines, *noted(r.notes)]


# Documents and files --------------------------------------------------------------------------------------------------
def document(r: RandomResponse, levels: Levels = (), duration: float | None = None) -> dict[str, Any]:
    """`psd --json`; null where a number is infinite or unknown, the notes say why."""
    require_finite(density=r.densities, density_of_inputs=r.input_densities)
    whole: dict[str, Any] = {
        "model": r.linear.point.model.name,
        "inputs": list(r.inputs),
        "outputs": list(r.outputs),
        "excitation": [_enters(drive) for drive in r.drives],
        "band_hz": [number(f) for f in r.band_hz],
        "units": r.units,
        "frequency_hz": r.frequency_hz.tolist(),
        "input_psd": {name: r.input_densities[:, i].tolist() for i, name in enumerate(r.inputs)},
        "psd": {name: r.psd(name).tolist() for name in r.outputs},
        "rms": _numbers(r.rms),
        "rms_exact": _numbers(r.rms_exact),
        "difference": _numbers(r.difference),
        "zero_crossings_hz": _numbers(r.zero_crossings_hz),
        "peaks_hz": _numbers(r.peaks_hz),
        "moments": {name: {str(n): number(r.spectral_moment(name, n)) for n in (0, 1, 2, 4)} for name in r.outputs},
        "infinite": [name for name, value in r.rms.items() if math.isinf(value)],
        "weighted_rms": _numbers(r.weighted_rms),
        "weighted_rms_exact": _numbers(r.weighted_rms_exact),
        "weighting": {name: r.weighting_of(name).name for name in r.weighted},
        "comfort": r.comfort,
        "notes": list(r.notes),
        "warnings": list(r.linear.point.warnings),
    }
    if levels:
        whole["level_crossings_hz"] = {
            name: [{"level": level, "per_second": number(r.level_crossings(name, level))} for level in levels]
            for name in r.outputs
        }
    if duration:
        whole["duration"] = duration
        whole["expected_peak"] = {name: number(r.expected_peak(name, duration)) for name in r.outputs}
        whole["estimated_vdv"] = {name: number(r.estimated_vdv(name, duration)) for name in r.weighted}
    return whole


def _numbers(values: dict[str, float]) -> dict[str, float | None]:
    return {name: number(value) for name, value in values.items()}


def records(r: RandomResponse) -> Iterator[Sequence[Any]]:
    """A line for each frequency with the densities of inputs and outputs."""
    require_finite(density=r.densities, density_of_inputs=r.input_densities)
    yield ("frequency_hz", *(f"input {name}" for name in r.inputs), *r.outputs)
    yield from np.column_stack((r.frequency_hz, r.input_densities, r.densities)).tolist()


def arrays(r: RandomResponse) -> dict[str, Any]:
    """Densities over frequency, what was integrated from them, names and units."""
    require_finite(density=r.densities, density_of_inputs=r.input_densities)
    return {
        "frequency_hz": r.frequency_hz,
        "input_psd": r.input_densities,  # (frequencies, inputs)
        "psd": r.densities,  # (frequencies, outputs)
        "inputs": tuple(r.inputs),
        "outputs": tuple(r.outputs),
        "rms": np.array(list(r.rms.values())),
        "rms_exact": np.array(list(r.rms_exact.values())),
        "zero_crossings_hz": np.array(list(r.zero_crossings_hz.values())),
        "moments": r.moments.values,  # (outputs, orders 0 1 2 4)
        "weighted": tuple(r.weighted),
        "weighted_rms": np.array(list(r.weighted_rms.values())),
        "input_units": tuple(r.system.input_units),
        "output_units": tuple(r.system.output_units),
        "model": np.array(r.linear.point.model.name),
    }


def axes(r: RandomResponse) -> dict[str, Over]:
    """What the arrays lie over."""
    single = ("rms", "rms_exact", "output_units")
    return {
        "frequency_hz": over("Hz", frequency_hz=""),
        "input_psd": over(frequency_hz="", input="inputs"),
        "psd": over(frequency_hz="", output="outputs"),
        **{name: over(output="outputs") for name in single},
        "zero_crossings_hz": over("Hz", output="outputs"),
        "moments": over(output="outputs", order=("0", "1", "2", "4")),
        "weighted_rms": over(weighted=""),
        "input_units": over(input="inputs"),
    }


# Pictures -------------------------------------------------------------------------------------------------------------
def plot(r: RandomResponse) -> Figure:
    """Densities over frequency, double logarithmic: the inputs above, then a panel for each output."""
    from matplotlib.figure import Figure

    require_finite(density=r.densities, density_of_inputs=r.input_densities)
    outputs = r.outputs[:MAX_PANELS]
    inputs = list(dict.fromkeys(r.system.input_units))[:2]
    count = len(inputs) + len(outputs)
    figure = Figure(figsize=(9, 1.4 + 2.1 * count), layout="constrained", facecolor="white")
    figure.suptitle(
        "\n".join(plain_text(shown(line, 110)) for line in (_head(r)[0], *_head(r)[1:4])), fontsize=11, color=INK
    )
    panels = np.atleast_1d(figure.subplots(count, 1, sharex=True))
    for panel, unit in zip(panels, inputs, strict=False):
        _input_panel(panel, r, unit)
    for panel, name in zip(panels[len(inputs) :], outputs, strict=True):
        _output_panel(panel, r, name)
    for panel in panels:
        _looks(panel)
    panels[-1].set_xlabel("frequency, Hz")
    panels[-1].set_xlim(r.frequency_hz[0], r.frequency_hz[-1])
    return figure


def _input_panel(panel: Axes, r: RandomResponse, unit: str) -> None:
    names = [name for name, own in zip(r.inputs, r.system.input_units, strict=True) if own == unit]
    for k, name in enumerate(names):
        style = ("-", "--", ":", "-.")[k % 4]
        values = r.input_densities[:, r.inputs.index(name)]
        panel.plot(r.frequency_hz, _drawn(values), style, color=INPUT, lw=1.4, label=f"input {plain_text(name)}")
    panel.set_ylabel(density_unit(unit), fontsize=9)


def _output_panel(panel: Axes, r: RandomResponse, name: str) -> None:
    unit = r.units[name].replace("^2", "²")
    values = r.psd(name)
    label = f"{plain_text(name)}: RMS {valued(r.rms[name], 4)} {unit if math.isfinite(r.rms[name]) else ''}".rstrip()
    panel.plot(r.frequency_hz, _drawn(values), color=LINE, lw=1.4, label=label)
    if name in r.weighted:
        text = f"after {r.weighting_of(name).name}: RMS {valued(r.weighted_rms[name], 4)} {unit}"
        panel.plot(r.frequency_hz, _drawn(r.weighted_psd(name)), "--", color=WEIGHTED, lw=1.3, label=text)
    top = values.max(initial=0.0)
    if top > 0:
        panel.set_ylim(max(DEPTH * top, 0.3 * values[values > 0].min()), 3 * top)
    else:
        panel.text(
            0.5, 0.5, "zero: nothing of the excitation arrives", transform=panel.transAxes, ha="center", color=INK
        )
    panel.set_ylabel(density_unit(r.units[name]), fontsize=9)


def _drawn(values: np.ndarray) -> np.ndarray:
    return np.where(values > 0, values, np.nan)


def _looks(panel: Axes) -> None:
    panel.set_xscale("log")
    panel.set_yscale("log")
    panel.grid(True, which="major", color="#dddddd", lw=0.7)
    panel.grid(True, which="minor", axis="x", color="#f0f0f0", lw=0.5)
    panel.tick_params(which="both", labelsize=8)
    panel.legend(loc="lower left", bbox_to_anchor=(0, 1.0), ncols=3, fontsize=9, frameon=False, borderaxespad=0.1)
    low, high = panel.get_ylim()
    if low <= 0:  # nothing drawn
        panel.set_ylim(0.1, 10)
    elif high < 100 * low:  # a flat line needs room
        panel.set_ylim(10.0 ** np.floor(np.log10(low) - 0.5), 10.0 ** np.ceil(np.log10(high) + 0.5))
