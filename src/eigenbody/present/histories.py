"""Simulations and spectra as tables, pictures, JSON documents and files."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from matplotlib.figure import Figure

from eigenbody.errors import Fault, InputError
from eigenbody.model.source import shown
from eigenbody.present.documents import as_json, number, require_finite
from eigenbody.present.export import Writer, array_file, csv_text, ending_of, text_file, write_atomically
from eigenbody.present.tables import Grid, counted, significant

if TYPE_CHECKING:
    from rich.console import RenderableType

    from eigenbody.analyses.signals import Spectrogram, Spectrum
    from eigenbody.simulation.result import Simulation

HISTORY_ENDINGS = ("npz", "csv", "json", "parquet")
MAX_SIGNALS = 40  # rows of the printed table
MAX_PANELS = 8
INK, FAINT, LINE = "#222222", "#999999", "#1f5fbf"


# Tables ---------------------------------------------------------------------------------------------------------------
def history_text(simulation: Simulation) -> str:
    """What happened to each output, and what it cost."""
    return "\n".join((_headline(simulation), _history_grid(simulation).text(), *_lines(simulation)))


def history_html(simulation: Simulation) -> str:
    """The same for a notebook; every name is escaped."""
    below = "<br>".join(map(escape, _lines(simulation)))
    return f"<p><b>{escape(_headline(simulation))}</b></p>{_history_grid(simulation).html()}<p>{below}</p>"


def history_rich(simulation: Simulation) -> RenderableType:
    """The same for the terminal."""
    from rich.console import Group
    from rich.text import Text

    rest = [Text(line) for line in _lines(simulation)]
    return Group(Text(_headline(simulation), style="bold"), _history_grid(simulation).rich(), *rest)


def _headline(s: Simulation) -> str:
    end = "" if s.finished else " (not finished)"
    return f"{shown(s.model.name)}: t = {s.t[0]:.6g} to {s.t[-1]:.6g} s, {counted(len(s), 'output time')}{end}"


def _history_grid(s: Simulation) -> Grid:
    rows = []
    for name in s.outputs[:MAX_SIGNALS]:
        y = s.signal(name)
        rows.append((name, *(significant(float(v)) for v in (y[0], y[-1], y.min(), y.max()))))
    columns = ("signal", "start", "end", "least", "greatest")
    return Grid("", columns, tuple(rows), (False, True, True, True, True), max(0, len(s.outputs) - MAX_SIGNALS))


def _lines(s: Simulation) -> list[str]:
    n, drift = s.statistics, s.drift
    cost = f"{s.method}: {counted(int(n['steps']), 'step')}, {int(n['rejected'])} rejected, "
    cost += (
        f"{counted(int(n['evaluations']), 'evaluation')}, step {n['smallest_step']:.3g} to {n['largest_step']:.3g} s"
    )
    lines = [cost, f"constraints hold to {drift[0]:.1e} (position) and {drift[1]:.1e} (velocity)", _balance_line(s)]
    return lines + ([s.message] if s.message else [])


def _balance_line(s: Simulation) -> str:
    b = s.balance
    if b.relative is None:
        return f"energy balance not closed: {b.open}"
    return f"energy balance closes to {b.relative:.1e} of {significant(b.scale)} J"


def spectrum_text(spectrum: Spectrum) -> str:
    """The peaks of a spectrum."""
    return _spectrum_grid(spectrum).text()


def _spectrum_grid(spectrum: Spectrum) -> Grid:
    rows = tuple((significant(p.frequency_hz, 7), significant(p.amplitude)) for p in spectrum.peaks(30))
    return Grid(f"Peaks of {spectrum.name}", ("frequency\nHz", "amplitude"), rows, (True, True))


# Documents and files --------------------------------------------------------------------------------------------------
def history_document(
    s: Simulation, names: Sequence[str] | None = None, spectra: Sequence[Spectrum] = ()
) -> dict[str, Any]:
    """The JSON document of `simulate --json`."""
    wanted = s.outputs if names is None else names
    signals = {name: s.signal(name) for name in wanted}
    require_finite(**{f"signal {name}": values for name, values in signals.items()})
    energy = {name: s.signal(name) for name in ("energy", "energy.kinetic", "energy.gravity", "energy.stored")}
    return {
        "model": s.model.name,
        "method": s.method,
        "finished": s.finished,
        "message": s.message,
        "t": s.t.tolist(),
        "signals": {name: [number(v) for v in values] for name, values in signals.items()},
        "final": final_coordinates(s),
        "drift": [number(v) for v in s.drift],
        "certificate": _certificate(s),
        "energy": {
            name.removeprefix("energy.") if "." in name else "total": {
                "start": number(values[0]), "end": number(values[-1]), "least": number(values.min()),
                "greatest": number(values.max()),
            }
            for name, values in energy.items()
        },
        "spectra": {
            spectrum.name: [{"frequency_hz": p.frequency_hz, "amplitude": p.amplitude} for p in spectrum.peaks(50)]
            for spectrum in spectra
        },
        "statistics": {name: number(v) for name, v in s.statistics.items()},
        "warnings": list(s.remarks),
    }  # fmt: skip


def _certificate(s: Simulation) -> dict[str, Any]:
    """How well constraints and energy were kept; the energy's defect and what is allowed are shares of its scale."""
    b = s.balance
    whole = b.scale if b.scale > 0 else 1.0
    return {
        "drift": [number(v) for v in s.drift],
        "energy": None if b.relative is None else number(b.relative),
        "energy_allowed": number(b.asked / whole),
        "energy_scale": number(b.scale),
        "energy_fed": number(b.work),
    }


def final_coordinates(s: Simulation) -> dict[str, float | None]:
    """All named measures and first-order states at the end."""
    from eigenbody.operation.turns import values_of

    values = np.real(values_of(s.system, s.state, np.arange(s.system.named.count)))
    named = dict(zip(s.system.names, (number(v) for v in values), strict=True))
    return named | {name: number(v) for name, v in zip(s.system.states, s.state.x, strict=True)}


def write_history(simulation: Simulation, path: str | Path) -> None:
    """Write t and the outputs, whole or not at all."""
    write_atomically(path, history_writer(simulation, ending_of(path, HISTORY_ENDINGS)))


def history_writer(simulation: Simulation, ending: str) -> Writer:
    """Writes a history: npz, csv and parquet hold t and the outputs as columns, json the document."""
    if ending == "json":
        return text_file(as_json(history_document(simulation)) + "\n")
    columns = simulation.as_dict()
    if ending == "parquet":
        return _parquet(columns)
    if ending == "csv":
        table = np.column_stack(list(columns.values()))
        return text_file(csv_text([tuple(columns), *(tuple(map(repr, row)) for row in table.tolist())]))
    return array_file(columns | {"model": np.array(simulation.model.name)}, ending)


def refuse_parquet_without_library(ending: str) -> None:
    """InputError where the library for parquet is missing; to be asked before a long computation."""
    if ending != "parquet":
        return
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        what = "writing parquet needs the package pyarrow."
        raise InputError(Fault(".parquet", what, "Install eigenbody[parquet], or write .npz or .csv.")) from error


def _parquet(columns: dict[str, np.ndarray]) -> Writer:
    refuse_parquet_without_library("parquet")

    def write(file: BinaryIO) -> None:
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table({name: np.array(values) for name, values in columns.items()}), file)

    return write


# Pictures -------------------------------------------------------------------------------------------------------------
def plot_history(simulation: Simulation, names: Sequence[str] | None = None) -> Figure:
    """One panel for each signal, over time."""
    wanted = list(names) if names is not None else _varied(simulation)
    figure = Figure(figsize=(9, 1.2 + 1.7 * len(wanted)), layout="constrained", facecolor="white")
    figure.suptitle(f"{_plain(shown(simulation.model.name, 90))}", fontsize=12, color=INK)
    axes = np.atleast_1d(figure.subplots(len(wanted), 1, sharex=True))
    for panel, name in zip(axes, wanted, strict=True):
        panel.plot(simulation.t, simulation.signal(name), color=LINE, lw=1.1)
        panel.set_ylabel(_plain(with_unit(simulation, name)), fontsize=9)
        panel.grid(True, color="#e4e4e4", lw=0.7)
        panel.tick_params(labelsize=8)
    axes[-1].set_xlabel("time, s")
    return figure


def _varied(s: Simulation) -> list[str]:
    """Outputs that change, as many as fit."""
    moving = [name for name in s.outputs if np.ptp(s.signal(name)) > 1e-9 * (1e-9 + np.abs(s.signal(name)).max())]
    return (moving or list(s.outputs))[:MAX_PANELS] or ["energy"]


def with_unit(s: Simulation, name: str) -> str:
    """The name of a signal with its unit."""
    plain = name.rstrip("'")
    if name.startswith(("energy", "power")):
        return f"{name}, {'J' if name.startswith('energy') else 'W'}"
    if plain not in s.system.aliases:
        return name
    unit = s.system.dimensions[s.system.aliases[plain]]
    per = ("", "/s", "/s²")[min(len(name) - len(plain), 2)]
    return f"{name}, {unit}{per}" if unit != "1" or per else name


def plot_spectrum(spectrum: Spectrum) -> Figure:
    """Amplitude over frequency, with the highest peaks named."""
    figure = Figure(figsize=(9, 4.5), layout="constrained", facecolor="white")
    axes = figure.subplots()
    axes.semilogy(spectrum.frequency_hz, np.maximum(spectrum.amplitude, 1e-300), color=LINE, lw=1.0)
    top = spectrum.amplitude.max(initial=1e-300)
    axes.set_ylim(1e-8 * top, 3 * top)
    for peak in spectrum.peaks(8):
        axes.annotate(f"{peak.frequency_hz:.4g}", (peak.frequency_hz, peak.amplitude), fontsize=8, ha="center",
                      xytext=(0, 4), textcoords="offset points", color=INK)  # fmt: skip
    axes.set_xlabel("frequency, Hz")
    axes.set_ylabel(f"amplitude of {_plain(spectrum.name)}")
    axes.grid(True, color="#e4e4e4", lw=0.7)
    return figure


def plot_spectrogram(found: Spectrogram) -> Figure:
    """Amplitude in decibels over time and frequency."""
    figure = Figure(figsize=(9, 5), layout="constrained", facecolor="white")
    axes = figure.subplots()
    level = 20 * np.log10(np.maximum(found.amplitude, 1e-12 * found.amplitude.max(initial=1e-300)))
    mesh = axes.pcolormesh(found.t, found.frequency_hz, level.T, shading="nearest", cmap="viridis",
                           vmin=level.max() - 100, vmax=level.max())  # fmt: skip
    figure.colorbar(mesh, ax=axes, label="amplitude, dB")
    axes.set_xlabel("time, s")
    axes.set_ylabel("frequency, Hz")
    axes.set_title(_plain(found.name), fontsize=11, loc="left")
    return figure


def _plain(text: str) -> str:
    """Text that matplotlib does not take for a formula."""
    return text.replace("$", r"\$")
