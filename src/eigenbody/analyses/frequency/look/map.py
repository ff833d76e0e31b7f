"""Frequency responses over a parameter: table, document, arrays and picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, plain
from eigenbody.present.style import INK
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, Styled, counted, plain_text, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.frequency.map import FrequencyMap

DRAWN = 4  # entries in one picture
DEPTH = 1e4  # of the colours below the largest magnitude


def sheet(found: FrequencyMap) -> Sheet:
    """The highest magnitude of each entry at each value."""
    title = f"Frequency responses of {shown(found.model.name, 100)} over {shown(found.parameter)}"
    hz = found.frequency_hz
    span = f"{significant(hz.min())} to {significant(hz.max())} Hz"
    line = f"{counted(len(found.values), 'point')}, {counted(len(hz), 'frequency', 'frequencies')}, {span}"
    rows = tuple(row for k in range(len(found.values)) for row in _rows(found, k))
    columns = (plain_text(found.parameter), "input", "output", "highest at\nHz", "magnitude", "unit")
    right = (True, False, False, True, True, False)
    grid = Grid("", columns, rows[:MAX_ROWS], right, max(len(rows) - MAX_ROWS, 0))
    failed = [
        Styled(f"failed at {significant(found.values[k])}: {shown(text, 200)}", "red") for k, text in found.failed
    ]
    return Sheet(title, [line], [grid], [*failed, *_notes(found)])


def _notes(found: FrequencyMap) -> list[str | Styled]:
    return [Styled(note, "yellow") if note in found.cautions else f"Note: {note}" for note in found.notes]


def _rows(found: FrequencyMap, k: int) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for j, name in enumerate(found.inputs):
        for i, output in enumerate(found.outputs):
            size = np.abs(found.response[k, :, i, j])
            if np.isnan(size).all():
                continue
            at = int(np.nanargmax(size))
            cells = (significant(found.values[k]), shown(name, 40), shown(output, 40))
            rows.append((*cells, significant(found.frequency_hz[at]), significant(size[at]), found.unit(i, j)))
    return rows


def document(found: FrequencyMap) -> dict[str, Any]:
    """`frf --over ... --json`."""
    return {
        "model": found.model.name, "parameter": found.parameter, "values": plain(found.values),
        "inputs": list(found.inputs), "outputs": list(found.outputs),
        "units": {"inputs": list(found.input_units), "outputs": list(found.output_units)},
        "frequency_hz": plain(found.frequency_hz), "real": plain(found.response.real),
        "imag": plain(found.response.imag), "magnitude": plain(found.magnitude),
        "failed": [{"index": k, "value": number(found.values[k]), "message": text} for k, text in found.failed],
        "notes": list(found.notes),
    }  # fmt: skip


def arrays(found: FrequencyMap) -> dict[str, Any]:
    """Values, frequencies and the response (points, frequencies, outputs, inputs)."""
    names = ("values", "frequency_hz", "response", "inputs", "outputs", "input_units", "output_units")
    return {"parameter": np.array(found.parameter), **{name: getattr(found, name) for name in names}}


def axes(found: FrequencyMap) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        "response": over(values="values", frequency_hz="frequency_hz", output="outputs", input="inputs"),
        "output_units": over(output="outputs"),
        "input_units": over(input="inputs"),
    }


def records(found: FrequencyMap) -> Any:
    """A line for each value and frequency."""
    pairs = [(i, j) for i in range(len(found.outputs)) for j in range(len(found.inputs))]
    named = [f"{found.outputs[i]}/{found.inputs[j]}" for i, j in pairs]
    yield [found.parameter, "frequency_hz", *(f"{name} {part}" for name in named for part in ("real", "imag"))]
    for k, value in enumerate(found.values.tolist()):
        for m, hz in enumerate(found.frequency_hz.tolist()):
            entries = (complex(found.response[k, m, i, j]) for i, j in pairs)
            yield [value, hz, *(part for entry in entries for part in (entry.real, entry.imag))]


def plot(found: FrequencyMap) -> Figure:
    """Magnitude as colour over parameter and frequency, a panel for each of the first entries."""
    from matplotlib.colors import LogNorm
    from matplotlib.figure import Figure

    pairs = [(i, j) for j in range(len(found.inputs)) for i in range(len(found.outputs))][:DRAWN]
    wide = min(len(pairs), 2)
    figure = Figure(figsize=(6.4 * wide, 4.8 * -(-len(pairs) // wide)), layout="constrained", facecolor="white")
    panels = figure.subplots(-(-len(pairs) // wide), wide, squeeze=False).ravel()
    figure.suptitle(plain_text(f"Frequency responses of {shown(found.model.name, 70)}"), fontsize=12)
    for panel, (i, j) in zip(panels, pairs, strict=False):
        size = np.abs(found.response[:, :, i, j].T)
        finite = size[np.isfinite(size) & (size > 0)]
        highest = float(finite.max()) if finite.size else 1.0
        bounds = LogNorm(max(float(finite.min(initial=highest)), highest / DEPTH), highest)
        shown_ = np.where(np.isinf(size), highest, size)
        order, rising = np.argsort(found.values), np.argsort(found.frequency_hz)
        mesh = panel.pcolormesh(
            found.values[order], found.frequency_hz[rising], shown_[np.ix_(rising, order)], norm=bounds, cmap="viridis",
            shading="nearest",
        )  # fmt: skip
        title = f"{shown(found.outputs[i], 30)} / {shown(found.inputs[j], 30)}"
        panel.set_title(plain_text(title), fontsize=10, color=INK)
        panel.set(xlabel=plain_text(found.parameter) + " (SI)", ylabel="frequency, Hz")
        if _is_log(found.frequency_hz):
            panel.set_yscale("log")
        figure.colorbar(mesh, ax=panel, label=plain_text(f"magnitude, {found.unit(i, j)}"))
    for panel in panels[len(pairs) :]:
        panel.set_axis_off()
    return figure


def _is_log(hz: np.ndarray) -> bool:
    """Whether frequencies are spaced more evenly by their ratios."""
    if len(hz) < 3 or hz.min() <= 0:
        return False
    steps, ratios = np.diff(np.sort(hz)), np.diff(np.log(np.sort(hz)))
    return bool(np.std(ratios) / np.mean(ratios) < np.std(steps) / np.mean(steps))
