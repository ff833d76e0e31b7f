"""Modes: what they print, their document, arrays and picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.present.axes import DIRECTIONS, MOTIONS, Over, over
from eigenbody.present.documents import number, require_finite_modes
from eigenbody.present.tables import COLOURS, MAX_ROWS, Grid, Sheet, Styled, counted, significant
from eigenbody.present.words import certified_modes, model_name, remarks_below, verdict

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes.blade_labels import BladePattern
    from eigenbody.analyses.modes.result import Modes
    from eigenbody.exchange.measured import NodeShapes
    from eigenbody.exchange.moving import Moving

MAX_NODES = 60  # of a flexible body that are all listed
COLUMNS = ("index", "real", "imag", "frequency_hz", "damped_frequency_hz", "damping_ratio", "kind", "stability")


def sheet(modes: Modes) -> Sheet:
    """The table of modes."""
    dof = counted(modes.dof, "degree of freedom", "degrees of freedom")
    line = Styled(f"{dof}, {counted(modes.states, 'state')}; {verdict(modes)}", COLOURS.get(modes.stability, ""))
    below = [*remarks_below(modes.linear, modes.notes), certified_modes(modes.check)]
    by = f" by the route {modes.linear.by_route}" if modes.linear.by_route else ""
    return Sheet(f"Modes of {model_name(modes.linear.point)}{by}", [line], [_grid(modes)], below)


def _grid(modes: Modes) -> Grid:
    hz, damped, ratio, kinds = modes.frequency_hz, modes.damped_frequency_hz, modes.damping_ratio, modes.kinds
    shown_rows = min(len(modes), MAX_ROWS)
    blades = [pattern.label for pattern in modes.patterns or ()]
    rows = tuple(
        (
            str(i + 1),
            significant(hz[i]),
            significant(damped[i]),
            significant(ratio[i], 5),
            significant(modes.eigenvalues[i].real),
            significant(modes.eigenvalues[i].imag),
            kinds[i],
            modes.stabilities[i],
            *blades[i : i + 1],
        )
        for i in range(shown_rows)
    )
    columns = ("#", "frequency\nHz", "damped\nHz", "damping\nratio", "real\n1/s", "imag\nrad/s", "kind", "stability")
    own = ("blades",) if blades else ()
    return Grid("", columns + own, rows, (True,) * 6 + (False,) * (2 + len(own)), len(modes) - shown_rows)


def mode_entries(modes: Modes) -> list[dict[str, Any]]:
    """One map for each mode, in the order of docs/cli.md."""
    hz, damped, ratio, kinds = modes.frequency_hz, modes.damped_frequency_hz, modes.damping_ratio, modes.kinds
    return [
        {
            "index": i + 1,
            "real": number(value.real),
            "imag": number(value.imag),
            "frequency_hz": number(hz[i]),
            "damped_frequency_hz": number(damped[i]),
            "damping_ratio": number(ratio[i]),
            "kind": kinds[i],
            "stability": modes.stabilities[i],
            "error": number(modes.bounds[i]),
            **({} if modes.patterns is None else {"blades": _pattern(modes.patterns[i])}),
        }
        for i, value in enumerate(modes.eigenvalues)
    ]


def _pattern(pattern: BladePattern) -> dict[str, Any]:
    """What the blades do in a mode."""
    return {"label": pattern.label, "order": pattern.order, "whirl": pattern.whirl, "share": number(pattern.share)}


def _blades(modes: Modes) -> dict[str, Any]:
    """The blades in whose coordinates the modes are, where there are some."""
    blades = modes.linear.blades
    if blades is None:
        return {}
    groups = [list(group) for group in blades.bodies]
    return {"multiblade": {"blades": blades.count, "joint": blades.joint, "rate": blades.rate, "bodies": groups}}


def document(modes: Modes) -> dict[str, Any]:
    """`modes --json`."""
    require_finite_modes(modes)
    linear = modes.linear
    return {
        "model": linear.point.model.name,
        "dof": modes.dof,
        "states": modes.states,
        "stability": modes.stability,
        "solver": modes.solver,
        **({"route": linear.by_route} if linear.by_route else {}),
        **({"seen_from": linear.seen_from} if linear.seen_from else {}),
        "coordinates": list(linear.coordinates),
        **_blades(modes),
        "modes": [entry | _deformed(modes, i) for i, entry in enumerate(mode_entries(modes))],
        "certificate": _with_residuals(modes),
        "notes": list(modes.notes),
        "warnings": [*linear.point.warnings, *modes.contradictions],
    }


def _with_residuals(modes: Modes) -> dict[str, Any]:
    """The certificate, on the sparse path with the residual of every mode."""
    certificate = {**modes.linear.certificate.as_dict(), "modes": modes.check.as_dict()}
    if modes.residuals is not None:
        certificate["mode_residuals"] = [float(value) for value in modes.residuals]
        certificate["modes_complete"] = modes.complete
    return certificate


def _deformed(modes: Modes, i: int) -> dict[str, Any]:
    """Of a model with flexible bodies: displacement of their nodes in a mode, real and imaginary part; of bodies with
    very many nodes those that the model uses."""
    nodes, flexible = modes.deformations, modes.linear.point.system.description.flexible
    if not flexible:
        return {}
    every = {body.name: len(body.reduced.names) <= MAX_NODES for body in flexible}
    used = {(body.name, body.reduced.names[number]) for body in flexible for number in body.nodes.values()}
    out: dict[str, dict[str, Any]] = {body.name: {} for body in flexible}
    for k, (body, name) in enumerate(zip(nodes.bodies, nodes.names, strict=True)):
        if not every[body] and (body, name) not in used:
            continue
        move = nodes.move[i, k] + 0.0
        out[body][name] = {"real": move.real.tolist(), "imag": move.imag.tolist()}
    return {"nodes": out}


def arrays(modes: Modes) -> dict[str, Any]:
    """What a file of arrays holds of modes."""
    require_finite_modes(modes)
    states = {} if modes.states_shape is None else {"states_shape": modes.states_shape}  # (modes, states)
    return {
        "eigenvalues": modes.eigenvalues,
        "frequency_hz": modes.frequency_hz,
        "damped_frequency_hz": modes.damped_frequency_hz,
        "damping_ratio": modes.damping_ratio,  # nan where it is undefined: rigid modes
        "kind": tuple(modes.kinds),
        "stability": tuple(modes.stabilities),
        "error": modes.bounds,  # 1/s
        "shapes": modes.shapes,  # (modes, bodies, 6)
        **states,
        "bodies": tuple(modes.bodies),
        **_node_arrays(modes),
        "states": tuple(modes.linear.states),
        "model": np.array(modes.linear.point.model.name),
        "verdict": np.array(modes.stability),
    }


def universal(modes: Modes) -> list[NodeShapes]:
    """What a universal file is made of: the motion of centres, of points where bodies are held, of flexible nodes."""
    from eigenbody.analyses.drawing import wireframe_shapes

    require_finite_modes(modes)
    return [wireframe_shapes(modes)]


def moving(modes: Modes) -> Moving:
    """What scenes that move are made of: the mechanism, and a period of each mode."""
    from eigenbody.analyses.drawing import moving_modes

    require_finite_modes(modes)
    return moving_modes(modes)


def axes(modes: Modes) -> dict[str, Over]:
    """What the arrays lie over."""
    units = {"eigenvalues": "1/s", "frequency_hz": "Hz", "damped_frequency_hz": "Hz", "damping_ratio": "1",
             "error": "1/s", "kind": "", "stability": ""}  # fmt: skip
    own = {name: over(unit, mode="") for name, unit in units.items()}
    own["shapes"] = over(mode="", body="bodies", motion=MOTIONS)
    if modes.states_shape is not None:
        own["states_shape"] = over(mode="", state="states")
    if len(modes.deformations):
        own["node_position"] = over("m", node="nodes", direction=DIRECTIONS)
        own["node_shapes"] = over(mode="", node="nodes", motion=MOTIONS)
    return own


def _node_arrays(modes: Modes) -> dict[str, Any]:
    """Nodes of flexible bodies, where there are some."""
    nodes = modes.deformations
    if not len(nodes):
        return {}
    return {
        "nodes": tuple(f"{body}.{name}" for body, name in zip(nodes.bodies, nodes.names, strict=True)),
        "node_position": nodes.position,  # (nodes, 3)
        "node_shapes": np.concatenate((nodes.move, nodes.turn), axis=-1),  # (modes, nodes, 6)
    }


def records(modes: Modes) -> Iterator[list[Any]]:
    """A line for each mode."""
    require_finite_modes(modes)
    columns = [*COLUMNS, "error"]
    yield columns
    for entry in mode_entries(modes):
        yield [entry[c] for c in columns]


def plot(modes: Modes, kind: str = "plane", chosen: Sequence[int] | None = None) -> Figure:
    """Eigenvalues in the complex plane and the motion of every body ("plane"), or bars of the coordinates ("bars"), in
    the chosen modes (counted from 0) or the lowest."""
    from eigenbody.analyses.modes.look.plots import lowest, plot_modes

    if kind == "plane":
        return plot_modes(modes, chosen)
    from eigenbody.analyses.modes.look.eigenvectors import plot_eigenvectors

    return plot_eigenvectors(modes, lowest(modes) if chosen is None else chosen)
