"""Equilibria: what they print, their document and arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.loads.look import reactions_grids
from eigenbody.model.description import is_inner
from eigenbody.model.source import shown
from eigenbody.present.axes import DIRECTIONS, Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.tables import COLOURS, MAX_ROWS, Grid, Sheet, Styled, counted, significant
from eigenbody.present.words import certified, model_name, noted, redundancy, warned
from eigenbody.spatial.rotations import quaternion

if TYPE_CHECKING:
    from eigenbody.linearization.point import OperatingPoint
    from eigenbody.operating.equilibrium import Equilibrium

WORDS = {
    "stable": "stable",
    "marginal": "stable, but some of its oscillations are not damped",
    "drifting": "at rest, but free to drift: a motion that nothing opposes",
    "unstable": "unstable",
}


# ---- documents


def document(found: Equilibrium) -> dict[str, Any]:
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


def sheet(found: Equilibrium) -> Sheet:
    """Coordinates, other equilibria, reactions, certificate."""
    if found.iterations:
        way = f"found in {counted(found.iterations, 'step')} ({found.how})"
        way += f", {significant(found.distance, 3)} from the start (rad, lengths of the mechanism)"
    else:
        way = "the start is this equilibrium"
    certificate = found.verdict.certificate
    below = [*warned(found.point), *noted(certificate.notes), redundancy(found.point.redundant), certified(certificate)]
    line = Styled(f"{_verdict(found)}; {way}", COLOURS.get(found.stability, ""))
    return Sheet(f"Equilibrium of {model_name(found.point)}", [line], _grids(found), below)


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
    units = dict(zip(system.names, system.value_units, strict=True))
    values = list(found.coordinates().items())
    largest = max((abs(value) for _, value in values), default=0.0)
    rows = [(shown(n, 40), significant(v, 9, largest), units[n]) for n, v in values[:MAX_ROWS]]
    states = zip(system.states, np.real(found.point.state.x), strict=True)
    rows += [(shown(name, 40), significant(float(x)), "state") for name, x in list(states)[:MAX_ROWS]]
    return Grid("", ("measure", "value", "unit"), tuple(rows), (False, True, False), max(0, len(values) - MAX_ROWS))


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
             *(significant(values[name], 9, largest) for name in names))
        )  # fmt: skip
    columns = ("#", "stability", "distance", "least stable\neigenvalue", *(shown(name, 24) for name in names))
    right = (True, False, True, True, *(True for _ in names))
    return Grid("All equilibria found", columns, tuple(rows), right, max(0, len(found) - MAX_ROWS))


# ---- files


def arrays(first: Equilibrium) -> dict[str, Any]:
    """Values of all equilibria found, the wanted one first."""
    found, system = first.all, first.point.system
    own = system.description.bodies.is_material
    return {
        "coordinates": tuple(system.names),
        "values": np.array([list(one.coordinates().values()) for one in found]),  # (equilibria, coordinates)
        "bodies": tuple(system.description.bodies.material_names),
        "at": np.array([np.real(one.point.state.r)[own] for one in found]),  # (equilibria, bodies, 3)
        "rotation": np.array([quaternion(np.real(one.point.state.R)[own]) for one in found]),  # w, x, y, z
        "stability": tuple(one.stability for one in found),
        "distance": np.array([one.distance for one in found]),
        "residual": np.array([one.point.residual for one in found]),
        "states": tuple(system.states),
        "states_value": np.array([np.real(one.point.state.x) for one in found]),
        "eigenvalues": first.eigenvalues,  # of the first
        "model": np.array(first.point.model.name),
    }


def axes(first: Equilibrium) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        "values": over(equilibrium="", coordinate="coordinates"),
        "at": over("m", equilibrium="", body="bodies", direction=DIRECTIONS),
        "rotation": over("1", equilibrium="", body="bodies", component=("w", "x", "y", "z")),
        "stability": over(equilibrium=""),
        "distance": over(equilibrium=""),
        "residual": over("1", equilibrium=""),
        "states_value": over(equilibrium="", state="states"),
        "eigenvalues": over("1/s", eigenvalue=""),
    }


def records(found: Equilibrium) -> Iterator[Sequence[Any]]:
    """A line for each coordinate of each equilibrium."""
    yield "equilibrium", "stability", "coordinate", "value"
    for i, one in enumerate(found.all):
        yield from ((i + 1, one.stability, name, value) for name, value in one.coordinates().items())
