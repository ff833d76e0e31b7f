"""Measured modes: what they print, their document and files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eigenbody.exchange.measured import NodeShapes
from eigenbody.model.source import shown
from eigenbody.present.axes import DIRECTIONS, MOTIONS, Over, over
from eigenbody.present.documents import number
from eigenbody.present.tables import Grid, Sheet, counted, significant

if TYPE_CHECKING:
    from eigenbody.analyses.modes.measured import MeasuredModes

COLUMNS = ("index", "real", "imag", "frequency_hz", "damping_ratio")
MAX_ROWS = 60


def sheet(found: MeasuredModes) -> Sheet:
    """A line for each mode."""
    rows = tuple(
        (str(i + 1), significant(hz), significant(ratio, 5), significant(value.real), significant(value.imag))
        for i, (hz, ratio, value) in enumerate(
            zip(found.frequency_hz, found.damping_ratio, found.eigenvalues, strict=True)
        )
    )
    columns = ("#", "frequency\nHz", "damping\nratio", "real\n1/s", "imag\nrad/s")
    title = f"Measured modes of {shown(found.name, 100)}"
    line = f"{counted(len(found), 'mode')} at {counted(len(found.nodes), 'node')}"
    return Sheet(title, [line], [Grid("", columns, rows[:MAX_ROWS], (True,) * 5, max(0, len(rows) - MAX_ROWS))])


def document(found: MeasuredModes) -> dict[str, Any]:
    """Plain data."""
    return {
        "name": found.name,
        "modes": [
            {**entry, "shape": {"real": shape.real.tolist(), "imag": shape.imag.tolist()}}
            for entry, shape in zip(_entries(found), found.shapes + 0.0, strict=True)
        ],
        "nodes": found.nodes.tolist(),
        "position": [[number(x) for x in p] for p in found.position.tolist()],
        "traces": [{"name": name, "nodes": list(numbers)} for name, numbers in found.traces],
    }


def _entries(found: MeasuredModes) -> list[dict[str, Any]]:
    values = zip(found.eigenvalues.tolist(), found.frequency_hz, found.damping_ratio, strict=True)
    return [{"index": i + 1, "real": v.real, "imag": v.imag, "frequency_hz": float(hz), "damping_ratio": number(ratio)}
            for i, (v, hz, ratio) in enumerate(values)]  # fmt: skip


def records(found: MeasuredModes) -> Iterator[list[Any]]:
    """A line for each mode."""
    yield list(COLUMNS)
    for entry in _entries(found):
        yield [entry[key] for key in COLUMNS]


def arrays(found: MeasuredModes) -> dict[str, Any]:
    """Eigenvalues, shapes and places."""
    return {
        "eigenvalues": found.eigenvalues, "frequency_hz": found.frequency_hz, "damping_ratio": found.damping_ratio,
        "shapes": found.shapes, "nodes": found.nodes, "position": found.position,
    }  # fmt: skip


def axes(found: MeasuredModes) -> dict[str, Over]:
    """What the arrays lie over."""
    motions = MOTIONS[: found.shapes.shape[2]]
    return {
        "eigenvalues": over("1/s", mode=""), "frequency_hz": over("Hz", mode=""), "damping_ratio": over("1", mode=""),
        "shapes": over(mode="", node="nodes", motion=motions),
        "position": over("m", node="nodes", direction=DIRECTIONS),
    }  # fmt: skip


def universal(found: MeasuredModes) -> list[NodeShapes]:
    """What a universal file is made of."""
    return [NodeShapes(found.name, found.nodes, found.position, found.traces, found.eigenvalues, found.shapes)]
