"""Floquet exponents over a parameter: table, document, arrays and picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number
from eigenbody.present.style import INK, LINE
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, counted, plain_text, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.floquet.sweep import FloquetBoundary, FloquetSweep

GROWS = "#c0392b"


def sheet(found: FloquetSweep) -> Sheet:
    """Largest growth at each point, and the boundaries."""
    title = f"Floquet exponents of {shown(found.model.name, 100)} over {shown(found.parameter)}"
    unstable = sum(word == "unstable" for word in found.stabilities)
    line = f"{counted(len(found.values), 'point')}, {unstable} of them unstable"
    rows = tuple(
        (
            significant(value),
            significant(found.period[k]),
            significant(found.growth[k]),
            found.stabilities[k] or "failed",
        )
        for k, value in enumerate(found.values[:MAX_ROWS])
    )
    titles = (plain_text(found.parameter), "period\ns", "largest real part\n1/s", "stability")
    more = max(len(found.values) - MAX_ROWS, 0)
    grids = [Grid("", titles, rows, (True, True, True, False), more)]
    if found.boundaries:
        edges = tuple(
            (_place(b), "begins" if b.begins else "ends", significant(b.frequency_hz)) for b in found.boundaries
        )
        grids.append(
            Grid("Stability boundaries", (plain_text(found.parameter), "growth", "Hz"), edges, (True, False, True))
        )
    failed = [f"Failed at {significant(found.values[k])}: {message}" for k, message in found.failed[:8]]
    notes = [f"Note: {note}" for note in found.notes]
    return Sheet(
        title, [line], grids, [*failed, *notes, f"Certificate: last refinement {significant(found.convergence, 2)}"]
    )


def _place(boundary: FloquetBoundary) -> str:
    """Its value, or the values between which it is."""
    if not boundary.stopped:
        return significant(boundary.value, 10)
    return f"{significant(boundary.below)} to {significant(boundary.above)}"


def document(found: FloquetSweep) -> dict[str, Any]:
    """`floquet --parameter ... --json`."""
    exponents = [[[number(v.real), number(v.imag)] if np.isfinite(v) else None for v in row] for row in found.exponents]
    return {
        "model": found.model.name,
        "parameter": found.parameter,
        "values": found.values.tolist(),
        "period": [number(value) for value in found.period],
        "exponents": exponents,
        "growth": [number(value) for value in found.growth],
        "stability": list(found.stabilities),
        "stability_boundaries": [
            {
                "value": b.value,
                "between": [b.below, b.above],
                "begins": b.begins,
                "frequency_hz": number(b.frequency_hz),
            }
            for b in found.boundaries
        ],
        "failed": [{"index": k, "value": float(found.values[k]), "message": text} for k, text in found.failed],
        "certificate": {"convergence": number(found.convergence)},
        "notes": list(found.notes),
    }


def records(found: FloquetSweep) -> list[tuple[Any, ...]]:
    """A line for each point."""
    titles = (found.parameter, "period_s", "growth", "stability")
    return [titles, *zip(found.values, found.period, found.growth, found.stabilities, strict=True)]


def arrays(found: FloquetSweep) -> dict[str, Any]:
    """Values and exponents."""
    return {
        "values": found.values,
        "period": found.period,
        "exponents": found.exponents,
        "growth": found.growth,
        "stability": found.stabilities,
        "boundary_values": np.array([b.value for b in found.boundaries]),
        "parameter": np.array(found.parameter),
        "model": np.array(found.model.name),
    }


def axes(found: FloquetSweep) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        "values": Over("", {"values": ""}, found.parameter),
        "period": over("s", values=""),
        "exponents": over("1/s", values="", multiplier=""),
        "growth": over("1/s", values=""),
        "stability": over(values=""),
        "boundary_values": over(boundary=""),
    }


def plot(found: FloquetSweep) -> Figure:
    """Frequencies and real parts over the parameter in the unit of the model file, boundaries marked."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6.5), layout="constrained")
    upper, lower = figure.subplots(2, 1, sharex=True)
    unit, factor = found.unit
    x = np.repeat(found.values[:, None] / factor, found.exponents.shape[1], axis=1)
    grows = found.exponents.real > 1e-9 * np.nanmax(np.abs(found.exponents), initial=1.0)
    seen = found.exponents.imag >= 0
    for chosen, colour in ((seen & ~grows, LINE), (seen & grows, GROWS)):
        upper.plot(x[chosen], found.exponents.imag[chosen] / (2 * np.pi), ".", color=colour, markersize=4)
        lower.plot(x[chosen], found.exponents.real[chosen], ".", color=colour, markersize=4)
    lower.axhline(0, color=INK, linewidth=0.6)
    for edge in found.boundaries:
        for panel in (upper, lower):
            panel.axvline(edge.value / factor, color=GROWS, linewidth=0.8, linestyle="--")
    upper.set_ylabel("frequency, Hz")
    lower.set_ylabel("real part, 1/s")
    lower.set_xlabel(plain_text(f"{found.parameter}, {unit}" if unit else found.parameter))
    for panel in (upper, lower):
        panel.grid(alpha=0.3)
    figure.suptitle(plain_text(f"Floquet exponents of {shown(found.model.name, 60)}; growing ones red"))
    return figure
