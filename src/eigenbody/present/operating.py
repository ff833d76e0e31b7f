"""Equilibria as tables, JSON documents and files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.description import is_inner
from eigenbody.model.source import shown
from eigenbody.present.documents import as_json, number, require_finite
from eigenbody.present.export import Writer, array_file, csv_text, names_array, text_file
from eigenbody.present.loads import reactions_grids
from eigenbody.present.tables import COLOURS, MAX_ROWS, Grid, certified, counted, redundancy, significant, wrapped
from eigenbody.spatial.rotations import quaternion

if TYPE_CHECKING:
    from rich.console import RenderableType

    from eigenbody.operation.point import OperatingPoint
    from eigenbody.points.equilibrium import Equilibrium

WORDS = {
    "stable": "stable",
    "marginal": "stable, but some of its oscillations are not damped",
    "drifting": "at rest, but free to drift: a motion that nothing opposes",
    "unstable": "unstable",
}
NEARLY_ZERO = 1e-14  # of the largest value in a table: rounding


# ---- documents


def equilibrium_document(found: Equilibrium) -> dict[str, Any]:
    """`equilibrium --json`; the wanted equilibrium comes first."""
    return {
        "model": found.point.model.name,
        "equilibria": [_entry(one) for one in found.all],
        "iterations": found.iterations,
        "how": found.how,
        "certificate": found.verdict.certificate.as_dict(),
        "warnings": list(found.point.warnings),
    }


def _entry(one: Equilibrium) -> dict[str, Any]:
    point, state = one.point, one.point.state
    require_finite(positions=state.r, rotations=state.R, certificate=[point.residual, *point.drift])
    turned = quaternion(np.real(state.R))
    return {
        "stable": one.is_stable,
        "stability": one.stability,
        "all_modes": not one.verdict.is_partial,
        "coordinates": {name: number(value) for name, value in one.coordinates().items()},
        "states": {name: number(x) for name, x in zip(point.system.states, state.x, strict=True)},
        "bodies": {
            name: {"at": (np.real(state.r[i]) + 0.0).tolist(), "rotation": (turned[i] + 0.0).tolist()}
            for i, name in enumerate(point.system.description.bodies.names)
            if point.system.description.bodies.is_material[i]
        },
        **_nodes(point),
        "eigenvalues": [{"real": number(v.real), "imag": number(v.imag)} for v in one.eigenvalues],
        "distance": number(one.distance),
        "residual": point.residual,
        "drift": list(point.drift),
        "reactions": one.reactions.as_dict(),
    }


def _nodes(point: OperatingPoint) -> dict[str, Any]:
    """Where the nodes of flexible bodies are that the model names; nothing without flexible bodies."""
    if not point.system.description.flexible:
        return {}
    index, r = point.system.places.index, np.real(point.state.r)
    named = [node for body in point.system.description.flexible for node in body.nodes if not is_inner(node)]
    return {"nodes": {node: (r[index[node]] + 0.0).tolist() for node in named}}


# ---- tables


def _head(found: Equilibrium) -> list[str]:
    if found.iterations:
        way = f"found in {counted(found.iterations, 'step')} ({found.how})"
        way += f", {significant(found.distance, 3)} from the start (rad, lengths of the mechanism)"
    else:
        way = "the start is this equilibrium"
    return [f"Equilibrium of {shown(found.point.model.name, 100)}", f"{_verdict(found)}; {way}"]


def _verdict(one: Equilibrium) -> str:
    rates = one.eigenvalues.real[one.eigenvalues.real > 0]
    grows = ""
    if not one.is_stable and len(rates):
        grows = f": {counted(len(rates), 'growing mode')}, the fastest doubles every"
        grows += f" {significant(math.log(2) / float(rates.max()), 3)} s"
    partly = " (by the softest motions)" if one.verdict.is_partial else ""
    return f"{WORDS[one.stability]}{grows}{partly}"


def _grids(found: Equilibrium) -> list[Grid]:
    shown_ones = found.all
    grids = [_coordinates(found)]
    if len(shown_ones) > 1:
        grids.append(_equilibria(shown_ones))
    return [*grids, *reactions_grids(found.reactions)]


def _coordinates(found: Equilibrium) -> Grid:
    system = found.point.system
    units = dict(zip(system.names, system.dimensions, strict=True))
    values = list(found.coordinates().items())
    largest = max((abs(value) for _, value in values), default=0.0)
    rows = [(shown(n, 40), _rounded(v, largest), units[n]) for n, v in values[:MAX_ROWS]]
    states = zip(system.states, np.real(found.point.state.x), strict=True)
    rows += [(shown(name, 40), significant(float(x)), "state") for name, x in list(states)[:MAX_ROWS]]
    return Grid("", ("measure", "value", "unit"), tuple(rows), (False, True, False), max(0, len(values) - MAX_ROWS))


def _rounded(value: float, largest: float) -> str:
    return significant(0.0 if abs(value) < NEARLY_ZERO * largest else value, 9)


def _equilibria(found: Sequence[Equilibrium]) -> Grid:
    """All that were found, with the coordinates of the linear model."""
    names = [found[0].point.system.names[i] for i in found[0].point.chosen.positions][:4]
    rows = []
    for i, one in enumerate(found[:MAX_ROWS]):
        values = one.coordinates()
        largest = max(abs(values[name]) for name in names) if names else 0.0
        eigenvalue = max(one.eigenvalues, key=lambda v: v.real, default=0j)
        turning = f" ± {significant(abs(eigenvalue.imag))}i" if eigenvalue.imag else ""
        least = significant(eigenvalue.real) + turning
        rows.append(
            (str(i + 1), one.stability, significant(one.distance, 4), least,
             *(_rounded(values[name], largest) for name in names))
        )  # fmt: skip
    columns = ("#", "stability", "distance", "least stable\neigenvalue", *(shown(name, 24) for name in names))
    right = (True, False, True, True, *(True for _ in names))
    return Grid("All equilibria found", columns, tuple(rows), right, max(0, len(found) - MAX_ROWS))


def _below(found: Equilibrium, with_warnings: bool = True) -> list[str]:
    warnings = [f"Warning: {warning}" for warning in found.point.warnings] if with_warnings else []
    notes = wrapped(f"Note: {note}" for note in found.verdict.certificate.notes)
    return [*warnings, *notes, redundancy(found.point.redundant), certified(found.verdict.certificate)]


def equilibrium_text(found: Equilibrium) -> str:
    """The equilibrium as plain text: coordinates, other equilibria, reactions, certificate."""
    parts = [grid.text() for grid in _grids(found)]
    return "\n\n".join(["\n".join(_head(found)), *parts, "\n".join(_below(found))])


def equilibrium_html(found: Equilibrium) -> str:
    """The equilibrium as HTML; every name is escaped."""
    title, line = _head(found)
    below = "<br>".join(escape(line) for line in _below(found))
    grids = "".join(grid.html() for grid in _grids(found))
    return f"<p><b>{escape(title)}</b><br>{escape(line)}</p>{grids}<p>{below}</p>"


def equilibrium_rich(found: Equilibrium) -> RenderableType:
    """The equilibrium for the terminal."""
    from rich.console import Group
    from rich.text import Text

    title, line = _head(found)
    lines: list[RenderableType] = [Text(title, style="bold"), Text(line, style=COLOURS.get(found.stability, ""))]
    for grid in _grids(found):
        lines += [Text(), grid.rich()]
    return Group(*lines, Text(), *(Text(line, style="dim") for line in _below(found, with_warnings=False)))


# ---- files


def equilibrium_writer(found: Equilibrium, ending: str) -> Writer:
    """Writes equilibria: npz and mat hold arrays, csv a line for each coordinate, json the document."""
    if ending == "json":
        return text_file(as_json(equilibrium_document(found)) + "\n")
    shown_ones = found.all
    if ending == "csv":
        lines: list[tuple[str, ...]] = [("equilibrium", "stability", "coordinate", "value")]
        for i, one in enumerate(shown_ones):
            values = one.coordinates().items()
            lines += [(str(i + 1), one.stability, name, repr(float(value))) for name, value in values]
        return text_file(csv_text(lines))
    return array_file(_as_arrays(shown_ones), ending)


def _as_arrays(found: Sequence[Equilibrium]) -> dict[str, np.ndarray]:
    first, system = found[0], found[0].point.system
    own = system.description.bodies.is_material
    return {
        "coordinates": names_array(system.names),
        "values": np.array([list(one.coordinates().values()) for one in found]),  # (equilibria, coordinates)
        "bodies": names_array(system.description.bodies.material_names),
        "at": np.array([np.real(one.point.state.r)[own] for one in found]),  # (equilibria, bodies, 3)
        "rotation": np.array([quaternion(np.real(one.point.state.R)[own]) for one in found]),  # w, x, y, z
        "stability": names_array(one.stability for one in found),
        "distance": np.array([one.distance for one in found]),
        "residual": np.array([one.point.residual for one in found]),
        "states": names_array(system.states),
        "states_value": np.array([np.real(one.point.state.x) for one in found]),
        "eigenvalues": first.eigenvalues,  # of the first
        "model": np.array(first.point.model.name),
    }
