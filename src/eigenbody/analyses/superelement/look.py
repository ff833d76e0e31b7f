"""Superelements: what they print, their document and files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.exchange.punch import Component
from eigenbody.present.axes import DIRECTIONS, MOTIONS, Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.export import matrix_records
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, counted, significant
from eigenbody.present.words import model_name

if TYPE_CHECKING:
    from eigenbody.analyses.superelement import Superelement


def sheet(found: Superelement) -> Sheet:
    """Its interface and its modes."""
    fastened, modes = int((found.freedoms >= 0).sum()), len(found.frequencies)
    whole = counted(found.linear.dof, "degree of freedom", "degrees of freedom")
    at = f"{counted(fastened, 'freedom')} at {counted(len(found.nodes), 'node')}"
    lines = [f"{at}, {counted(modes, 'mode')} with these held, of {whole}"]
    if np.isfinite(found.first_dropped_hz):
        lines.append(f"First mode that was dropped: {significant(found.first_dropped_hz)} Hz")
    below = []
    if found.left_out:
        below.append(f"Left out, since held or moved by the others: {', '.join(found.left_out)}.")
    return Sheet(f"Superelement of {model_name(found.linear.point)}", lines, [_nodes(found), *_modes(found)], below)


def _nodes(found: Superelement) -> Grid:
    rows = tuple(
        (name, *(significant(x) for x in place), " ".join(str(c + 1) if c >= 0 else "-" for c in row))
        for name, place, row in zip(found.nodes, found.places.tolist(), found.freedoms.tolist(), strict=True)
    )
    return Grid(
        "", ("node", "x\nm", "y\nm", "z\nm", "columns of ux uy uz\nrx ry rz"), rows, (False, True, True, True, False)
    )


def _modes(found: Superelement) -> list[Grid]:
    hz = found.frequencies[:MAX_ROWS]
    words = ["runs away" if np.isnan(f) else "free" if f == 0 else "" for f in hz]
    rows = tuple((f"mode {k + 1}", significant(f), word) for k, (f, word) in enumerate(zip(hz, words, strict=True)))
    columns = ("interface held", "frequency\nHz", "")
    return [Grid("", columns, rows, (False, True, False), len(found.frequencies) - len(hz))] if rows else []


def document(found: Superelement) -> dict[str, Any]:
    """`superelement --json`."""
    require_finite(M=found.M, C=found.C, K=found.K)
    return {
        "model": found.linear.point.model.name,
        "nodes": [
            {"name": name, "at": place, "columns": [c if c >= 0 else None for c in row]}
            for name, place, row in zip(found.nodes, found.places.tolist(), found.freedoms.tolist(), strict=True)
        ],
        "freedoms": list(found.names),
        "frequencies_hz": [number(f) for f in found.frequencies.tolist()],
        "first_dropped_hz": number(found.first_dropped_hz),
        "left_out": list(found.left_out),
        **{key: (matrix + 0.0).tolist() for key, matrix in _matrices(found).items()},
    }


def _matrices(found: Superelement) -> dict[str, np.ndarray]:
    return {"M": found.M, "C": found.C, "K": found.K}


def arrays(found: Superelement) -> dict[str, Any]:
    """Matrices, and the interface as `flexible` bodies of type matrices read it."""
    require_finite(**_matrices(found))
    own = {"nodes": found.places, "freedoms": found.freedoms, "names": found.nodes}
    return {**_matrices(found), **own, "columns": found.names, "T": found.T, "frequencies_hz": found.frequencies}


def axes(found: Superelement) -> dict[str, Over]:
    """What the arrays lie over."""
    own = {key: over(force="columns", freedom="columns") for key in "MCK"}
    return {
        **own, "T": over(coordinate=found.linear.coordinates, freedom="columns"), "frequencies_hz": over(mode=""),
        "nodes": over(node="names", direction=DIRECTIONS), "freedoms": over(node="names", motion=MOTIONS),
    }  # fmt: skip


def records(found: Superelement) -> Iterator[list[Any]]:
    """A block for each matrix."""
    for k, (key, matrix) in enumerate(_matrices(found).items()):
        yield from [[]] if k else []
        yield from matrix_records(key, matrix, found.names, found.names)


def component(found: Superelement) -> Component:
    """What a punch file is made of, with Nastran's usual names."""
    require_finite(**_matrices(found))
    matrices = {"KAAX": found.K, "MAAX": found.M, "BAAX": found.C}
    name = found.linear.point.model.name
    return Component(name, found.nodes, found.places, found.freedoms, {k: m for k, m in matrices.items() if m.any()})
