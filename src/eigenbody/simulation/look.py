"""Simulations: what they print, their document, histories and pictures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.export import Writer
from eigenbody.present.style import INK, LINE
from eigenbody.present.tables import Grid, Sheet, counted, plain_text, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.response import Spectrogram, Spectrum
    from eigenbody.simulation.result import Simulation

ENDINGS = ("npz", "csv", "json", "parquet")
MAX_SIGNALS = 40  # rows of the printed table
MAX_PANELS = 8


# Tables ---------------------------------------------------------------------------------------------------------------
def sheet(s: Simulation) -> Sheet:
    """What happened to each output, and what it cost."""
    end = "" if s.finished else " (not finished)"
    times = f"t = {s.t[0]:.6g} to {s.t[-1]:.6g} s, {counted(len(s), 'output time')}{end}"
    return Sheet(f"{shown(s.model.name)}: {times}", (), [_grid(s)], _below(s))


def _grid(s: Simulation) -> Grid:
    rows = []
    for name in s.outputs[:MAX_SIGNALS]:
        y = s.signal(name)
        rows.append((name, *(significant(float(v)) for v in (y[0], y[-1], y.min(), y.max()))))
    columns = ("signal", "start", "end", "least", "greatest")
    return Grid("", columns, tuple(rows), (False, True, True, True, True), max(0, len(s.outputs) - MAX_SIGNALS))


def _below(s: Simulation) -> list[str]:
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


# Documents and files --------------------------------------------------------------------------------------------------
def document(
    s: Simulation, names: Sequence[str] | None = None, spectra: Sequence[Spectrum] = (),
    spectrograms: Sequence[Spectrogram] = (),
) -> dict[str, Any]:  # fmt: skip
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
        **({"spectrograms": [found.document() for found in spectrograms]} if spectrograms else {}),
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
    return {name: number(v) for name, v in s.final.items()}


def arrays(s: Simulation) -> dict[str, Any]:
    """t and the outputs."""
    return {**s.as_dict(), "model": np.array(s.model.name)}


def axes(s: Simulation) -> dict[str, Over]:
    """Everything over time."""
    return {"t": over("s", t=""), **{name: over(unit_of(s, name), t="") for name in s.outputs}}


def records(s: Simulation) -> Iterator[Sequence[Any]]:
    """A line for each output time."""
    columns = s.as_dict()
    yield tuple(columns)
    yield from np.column_stack(list(columns.values())).tolist()


def _parquet(s: Simulation, path: Path) -> Writer:
    columns = s.as_dict()

    def write(file: BinaryIO) -> None:
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.table({name: np.array(values) for name, values in columns.items()}), file)

    return write


FILES = {"parquet": _parquet}


# Pictures -------------------------------------------------------------------------------------------------------------
def plot(simulation: Simulation, names: Sequence[str] | None = None) -> Figure:
    """One panel for each signal, over time."""
    from matplotlib.figure import Figure

    wanted = list(names) if names is not None else _varied(simulation)
    figure = Figure(figsize=(9, 1.2 + 1.7 * len(wanted)), layout="constrained", facecolor="white")
    figure.suptitle(f"{plain_text(shown(simulation.model.name, 90))}", fontsize=12, color=INK)
    axes = np.atleast_1d(figure.subplots(len(wanted), 1, sharex=True))
    for panel, name in zip(axes, wanted, strict=True):
        panel.plot(simulation.t, simulation.signal(name), color=LINE, lw=1.1)
        panel.set_ylabel(plain_text(with_unit(simulation, name)), fontsize=9)
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
    unit = unit_of(s, name)
    return f"{name}, {unit}" if unit else name


def unit_of(s: Simulation, name: str) -> str:
    """Unit of a signal; empty where there is none or none is known."""
    plain = name.rstrip("'")
    if name.startswith(("energy", "power")):
        return "J" if name.startswith("energy") else "W"
    order = len(name) - len(plain)
    if plain in s.system.aliases:
        index = s.system.aliases[plain]
        unit, order = s.system.dimensions[index], order + (index in s.system.speeds)
    elif not (unit := s.body_dimension(plain)):
        return ""
    per = ("", "/s", "/s²")[min(order, 2)]
    return f"{unit}{per}" if unit != "1" or per else ""
