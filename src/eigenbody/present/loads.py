"""Reactions, inverse dynamics and impulses as tables, JSON documents and files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.present.documents import as_json, require_finite
from eigenbody.present.export import Writer, array_file, csv_text, names_array, text_file
from eigenbody.present.tables import MAX_ROWS, Grid, significant

if TYPE_CHECKING:
    from rich.console import RenderableType

    from eigenbody.operation.reactions import Reactions
    from eigenbody.simulation.impulse import Impulse
    from eigenbody.simulation.inverse import InverseDynamics

MAX_TIMES = 25  # lines of a printed history
MAX_COLUMNS = 10
ON_SECOND = "of the first body on the second"


def _grid(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> Grid:
    """Numbers to the right of `words` columns of text."""
    lines = [tuple(row) for row in rows]
    right = tuple(k >= words for k in range(len(columns)))
    return Grid(title, tuple(columns), tuple(lines[:MAX_ROWS]), right, max(0, len(lines) - MAX_ROWS))


def _clean(values: Any, size: float) -> list[str]:
    """Numbers for the eye; what is rounding of the largest is zero."""
    return [significant(0.0 if abs(v) < 1e-12 * size else float(v)) for v in np.ravel(values)]


# Reactions ----------------------------------------------------------------------------------------------------------
def reactions_grids(found: Reactions) -> list[Grid]:
    """Joints, then couplings and drives, then force elements."""
    f, m = ("N*s", "N*m*s") if found.impulsive else ("N", "N*m")
    size = max(float(np.abs(found.force).max(initial=0.0)), float(np.abs(found.moment).max(initial=0.0)))
    kind = "Impulsive reactions" if found.impulsive else "Reactions"
    rows = [
        (r.joint, r.type, *_clean(r.force, size), *_clean(r.moment, size), " ".join(r.indeterminate)) for r in found
    ]
    columns = ("joint", "type", *(f"F{a}\n{f}" for a in "xyz"), *(f"M{a}\n{m}" for a in "xyz"), "indeterminate")
    right = (False, False, *(True,) * 6, False)
    title = f"{kind} {ON_SECOND}, {found.axes} axes"
    grids = [Grid(title, columns, tuple(rows[:MAX_ROWS]), right, max(0, len(rows) - MAX_ROWS))] if rows else []
    if found.generalized:
        drives = (
            (g.name, g.label, significant(g.value), "indeterminate" if g.indeterminate else "")
            for g in found.generalized
        )
        grids.append(_grid("Couplings and prescribed motions", ("name", "row", "force", ""), drives, 2))
    if found.loads:
        loads = ((load.name, "  ".join(significant(v) for v in load.tension)) for load in found.loads)
        grids.append(_grid("Force elements", ("name", "tension along its measures"), loads, 2))
    return grids


def _remarks(found: Reactions) -> list[str]:
    if not found.indeterminate.any():
        return []
    return ["Indeterminate components: redundant constraints share them as they please; the least ones are given."]


def reactions_text(found: Reactions) -> str:
    """The reactions as plain text."""
    return _joined(reactions_grids(found), _remarks(found))


def reactions_html(found: Reactions) -> str:
    """The reactions for notebooks."""
    return _html(reactions_grids(found), _remarks(found))


def _joined(grids: Iterable[Grid], remarks: Sequence[str]) -> str:
    return "\n\n".join([*(grid.text() for grid in grids), *(["\n".join(remarks)] if remarks else [])])


def _html(grids: Iterable[Grid], remarks: Sequence[str]) -> str:
    from html import escape

    return "".join([*(grid.html() for grid in grids), *(f"<p>{escape(line)}</p>" for line in remarks)])


def _rich(grids: Iterable[Grid], remarks: Sequence[str]) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    parts: list[Any] = []
    for grid in grids:
        parts += [grid.rich(), Text("")]
    return Group(*parts, *(Text(line) for line in remarks))


# Impulse ------------------------------------------------------------------------------------------------------------
def impulse_grids(found: Impulse) -> list[Grid]:
    """Coordinates, bodies, reactions."""
    size = float(np.abs(found.jump).max(initial=0.0))
    opened = {name for mark in found.indeterminate for name in mark.coordinates}
    rows = [
        (name, *_clean((before, jump, before + jump), size), "indeterminate" if name in opened else "")
        for name, before, jump in zip(found.coordinates, found.rate_before, found.jump, strict=True)
    ]
    columns = ("coordinate", "rate before", "jump", "rate after", "")
    coordinates = Grid("Rates of coordinates (m/s, rad/s)", columns, tuple(rows[:MAX_ROWS]),
                       (False, True, True, True, False), max(0, len(rows) - MAX_ROWS))  # fmt: skip
    jumps = np.concatenate((found.velocity_jump, found.angular_velocity_jump), axis=1)
    most = float(np.abs(jumps).max(initial=0.0))
    bodies = _grid(
        "Jump of velocities, ground axes",
        ("body", *(f"v{a}\nm/s" for a in "xyz"), *(f"w{a}\nrad/s" for a in "xyz")),
        ((name, *_clean(row, most)) for name, row in zip(found.bodies, jumps, strict=True)),
    )
    return [coordinates, bodies, *reactions_grids(found.reactions)]


def impulse_remarks(found: Impulse) -> list[str]:
    """What is indeterminate, energy and momentum."""
    lines = []
    for mark in found.indeterminate:
        vector = ", ".join(significant(v) for v in mark.vector)
        names = ", ".join(mark.coordinates)
        lines.append(f"Indeterminate: {names}, by any multiple of ({vector}): {mark.reason}. Least rates are given.")
    lines += list(found.notes)
    for label, state in (("before", found.before), ("after", found.after)):
        size = max(float(np.abs(found.after.linear).max()), float(np.abs(found.before.linear).max()), 1e-300)
        turn = max(float(np.abs(found.after.angular).max()), size)
        lines.append(
            f"{label}: kinetic energy {significant(state.energy, 10)} J,"
            f" momentum ({', '.join(_clean(state.linear, size))}) kg*m/s,"
            f" angular momentum ({', '.join(_clean(state.angular, turn))}) kg*m^2/s about the origin"
        )
    return lines


def impulse_text(found: Impulse) -> str:
    """The effect of the impulses as plain text."""
    return _joined(impulse_grids(found), impulse_remarks(found))


def impulse_html(found: Impulse) -> str:
    """The effect of the impulses for notebooks."""
    return _html(impulse_grids(found), impulse_remarks(found))


def impulse_rich(found: Impulse) -> RenderableType:
    """The effect of the impulses for the terminal."""
    return _rich(impulse_grids(found), impulse_remarks(found))


def impulse_document(found: Impulse) -> dict[str, Any]:
    """`impulse --json`."""
    require_finite(jump=found.jump, reactions=found.reactions.force, velocity_jump=found.velocity_jump)
    return {
        "model": found.model.name,
        "coordinates": [
            {
                "name": name,
                "before": float(before) + 0.0,
                "jump": float(jump) + 0.0,
                "after": float(before + jump) + 0.0,
            }
            for name, before, jump in zip(found.coordinates, found.rate_before, found.jump, strict=True)
        ],
        "bodies": [
            {"name": name, "velocity": (v + 0.0).tolist(), "angular_velocity": (w + 0.0).tolist()}
            for name, v, w in zip(found.bodies, found.velocity_jump, found.angular_velocity_jump, strict=True)
        ],
        "indeterminate": [mark.as_dict() for mark in found.indeterminate],
        "reactions": found.reactions.as_dict(),
        "before": found.before.as_dict(),
        "after": found.after.as_dict(),
        "work": found.work,
        "balance": found.balance,
        "notes": list(found.notes),
    }


def impulse_writer(found: Impulse, ending: str) -> Writer:
    """Writes an impulse: csv is the table of coordinates."""
    if ending == "json":
        return text_file(as_json(impulse_document(found)) + "\n")
    if ending == "csv":
        rows = zip(found.coordinates, found.rate_before, found.jump, found.rate_after, strict=True)
        lines = [(name, *(repr(float(v)) for v in values)) for name, *values in rows]
        return text_file(csv_text([("coordinate", "before", "jump", "after"), *lines]))
    arrays = {
        "coordinates": names_array(found.coordinates),
        "before": found.rate_before,
        "jump": found.jump,
        "bodies": names_array(found.bodies),
        "velocity_jump": found.velocity_jump,
        "angular_velocity_jump": found.angular_velocity_jump,
        "joints": names_array(found.reactions.joints),
        "reaction_impulse": found.reactions.force,
        "reaction_angular_impulse": found.reactions.moment,
    }
    return array_file(arrays, ending)


# Inverse dynamics ---------------------------------------------------------------------------------------------------
def force_columns(found: InverseDynamics) -> tuple[list[str], np.ndarray]:
    """Titles `name\\nunit` and numbers (n, columns): drives, moments of ball joints, holding forces and moments."""
    titles = [f"{name}\n{unit}" for name, unit in zip(found.coordinates, found.units, strict=True)]
    parts = [found.force]
    for k, name in enumerate(found.balls):
        titles += [f"{name} M{a}\nN*m" for a in "xyz"]
        parts.append(found.ball_moment[:, k])
    for k, name in enumerate(found.held):
        titles += [f"{name} F{a}\nN" for a in "xyz"] + [f"{name} M{a}\nN*m" for a in "xyz"]
        parts += [found.holding_force[:, k], found.holding_moment[:, k]]
    return titles, np.concatenate(parts, axis=1)


def inverse_grids(found: InverseDynamics) -> list[Grid]:
    """Forces over time (thinned out) and their extremes."""
    titles, numbers = force_columns(found)
    step = max(1, -(-len(found.t) // MAX_TIMES))
    largest = float(np.abs(numbers).max(initial=0.0))
    numbers = np.where(np.abs(numbers) < 1e-12 * largest, 0.0, numbers)
    rows = [(significant(float(found.t[i])), *_clean(numbers[i], largest)) for i in range(0, len(found.t), step)]
    pieces = range(0, len(titles), MAX_COLUMNS)
    history = [
        _grid(
            "Forces along driven coordinates, and on held bodies" if start == 0 else "",
            ("t\ns", *titles[start : start + MAX_COLUMNS]),
            ((row[0], *row[1 + start : 1 + start + MAX_COLUMNS]) for row in rows),
            0,
        )
        for start in pieces
    ]
    extremes = (
        (*title.split("\n"), significant(float(v.min())), significant(float(v.max())),
         significant(float(np.sqrt(np.mean(v**2)))))
        for title, v in zip(titles, numbers.T, strict=True)
    )  # fmt: skip
    return [*history, _grid("Extremes", ("force", "unit", "least", "most", "rms"), extremes, 2)]


def inverse_remarks(found: InverseDynamics) -> list[str]:
    """What was free, what is indeterminate, the work done."""
    lines = []
    if found.free:
        lines.append(f"Free, integrated: {', '.join(found.free[:12])}{', ...' if len(found.free) > 12 else ''}.")
    if found.indeterminate:
        lines.append(f"Indeterminate by redundancy, least ones given: {', '.join(found.indeterminate)}.")
    if len(found.t) > 1 and found.coordinates:
        power = np.abs(found.power).max(axis=0)
        k = int(np.argmax(power))
        lines.append(f"Largest power: {significant(float(power[k]))} W at {found.coordinates[k]}.")
    return lines


def inverse_text(found: InverseDynamics) -> str:
    """The forces as plain text."""
    return _joined(inverse_grids(found), inverse_remarks(found))


def inverse_html(found: InverseDynamics) -> str:
    """The forces for notebooks."""
    return _html(inverse_grids(found), inverse_remarks(found))


def inverse_rich(found: InverseDynamics) -> RenderableType:
    """The forces for the terminal."""
    return _rich(inverse_grids(found), inverse_remarks(found))


def inverse_document(found: InverseDynamics) -> dict[str, Any]:
    """`inverse --json`."""
    require_finite(force=found.force, holding_force=found.holding_force, positions=found.positions)
    listed = lambda array: (array + 0.0).tolist()  # noqa: E731
    return {
        "model": found.model.name,
        "t": listed(found.t),
        "driven": [
            {
                "coordinate": name,
                "unit": unit,
                "value": listed(found.value[:, k]),
                "rate": listed(found.rate[:, k]),
                "acceleration": listed(found.acceleration[:, k]),
                "force": listed(found.force[:, k]),
                "indeterminate": name in found.indeterminate,
            }
            for k, (name, unit) in enumerate(zip(found.coordinates, found.units, strict=True))
        ],
        "moments": [{"joint": name, "moment": listed(found.ball_moment[:, k])} for k, name in enumerate(found.balls)],
        "held": [
            {
                "body": name,
                "force": listed(found.holding_force[:, k]),
                "moment": listed(found.holding_moment[:, k]),
                "indeterminate": name in found.indeterminate,
            }
            for k, name in enumerate(found.held)
        ],
        "free": list(found.free),
        "measures": {name: listed(found.positions[:, k]) for k, name in enumerate(found.measures)},
        "warnings": list(found.warnings),
    }


def inverse_writer(found: InverseDynamics, ending: str) -> Writer:
    """Writes inverse dynamics: csv has a column for each force over time."""
    if ending == "json":
        return text_file(as_json(inverse_document(found)) + "\n")
    titles, numbers = force_columns(found)
    if ending == "csv":
        head = ("t", *(" ".join(title.split("\n")) for title in titles))
        lines = np.column_stack((found.t, numbers)).tolist()
        return text_file(csv_text([head, *(tuple(map(repr, line)) for line in lines)]))
    arrays = {
        "t": found.t,
        "coordinates": names_array(found.coordinates),
        "value": found.value,
        "rate": found.rate,
        "acceleration": found.acceleration,
        "force": found.force,
        "balls": names_array(found.balls),
        "ball_moment": found.ball_moment,
        "held": names_array(found.held),
        "holding_force": found.holding_force,
        "holding_moment": found.holding_moment,
        "measures": names_array(found.measures),
        "positions": found.positions,
    }
    return array_file(arrays, ending)
