"""Impulses: what they print, their document, arrays and picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.loads.look import cleaned, grid_of, reactions_grids
from eigenbody.model.source import shown
from eigenbody.present.axes import DIRECTIONS, Over, over
from eigenbody.present.documents import require_finite
from eigenbody.present.style import FAINT, INK, LINE
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, plain_text, significant

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.simulation.impulse import Impulse


def sheet(found: Impulse) -> Sheet:
    """Coordinates, bodies, reactions; what is indeterminate, energy and momentum."""
    return Sheet("", (), _grids(found), _below(found))


def _grids(found: Impulse) -> list[Grid]:
    """Coordinates, bodies, reactions."""
    size = float(np.abs(found.jump).max(initial=0.0))
    opened = {name for mark in found.indeterminate for name in mark.coordinates}
    rows = [
        (name, *cleaned((before, jump, before + jump), size), "indeterminate" if name in opened else "")
        for name, before, jump in zip(found.coordinates, found.rate_before, found.jump, strict=True)
    ]
    columns = ("coordinate", "rate before", "jump", "rate after", "")
    coordinates = Grid("Rates of coordinates (m/s, rad/s)", columns, tuple(rows[:MAX_ROWS]),
                       (False, True, True, True, False), max(0, len(rows) - MAX_ROWS))  # fmt: skip
    jumps = np.concatenate((found.velocity_jump, found.angular_velocity_jump), axis=1)
    most = float(np.abs(jumps).max(initial=0.0))
    bodies = grid_of(
        "Jump of velocities, ground axes",
        ("body", *(f"v{a}\nm/s" for a in "xyz"), *(f"w{a}\nrad/s" for a in "xyz")),
        ((name, *cleaned(row, most)) for name, row in zip(found.bodies, jumps, strict=True)),
    )
    return [coordinates, bodies, *reactions_grids(found.reactions)]


def _below(found: Impulse) -> list[str]:
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
            f" momentum ({', '.join(cleaned(state.linear, size))}) kg*m/s,"
            f" angular momentum ({', '.join(cleaned(state.angular, turn))}) kg*m^2/s about the origin"
        )
    return lines


def document(found: Impulse) -> dict[str, Any]:
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


def arrays(found: Impulse) -> dict[str, Any]:
    """Jumps of coordinates and bodies, reactions, and their names."""
    return {
        "coordinates": tuple(found.coordinates),
        "before": found.rate_before,
        "jump": found.jump,
        "bodies": tuple(found.bodies),
        "velocity_jump": found.velocity_jump,
        "angular_velocity_jump": found.angular_velocity_jump,
        "joints": tuple(found.reactions.joints),
        "reaction_impulse": found.reactions.force,
        "reaction_angular_impulse": found.reactions.moment,
    }


def axes(found: Impulse) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        "before": over(coordinate="coordinates"),
        "jump": over(coordinate="coordinates"),
        "velocity_jump": over("m/s", body="bodies", direction=DIRECTIONS),
        "angular_velocity_jump": over("rad/s", body="bodies", direction=DIRECTIONS),
        "reaction_impulse": over("N*s", joint="joints", direction=DIRECTIONS),
        "reaction_angular_impulse": over("N*m*s", joint="joints", direction=DIRECTIONS),
    }


def records(found: Impulse) -> Iterator[Sequence[Any]]:
    """A line for each coordinate."""
    yield "coordinate", "before", "jump", "after"
    yield from zip(found.coordinates, found.rate_before, found.jump, found.rate_after, strict=True)


def plot(found: Impulse) -> Figure:
    """Jumps of the rates of all coordinates that jump; indeterminate ones in another colour."""
    from matplotlib.figure import Figure

    size = float(np.abs(found.jump).max(initial=0.0))
    moving = [k for k in range(len(found.jump)) if abs(found.jump[k]) > 1e-9 * size][:40]
    opened = {name for mark in found.indeterminate for name in mark.coordinates}
    figure = Figure(figsize=(9, 1.6 + 0.32 * max(4, len(moving))), layout="constrained", facecolor="white")
    axes = figure.subplots()
    names = [found.coordinates[k] for k in moving]
    colours = ["#b26a00" if name in opened else LINE for name in names]
    axes.barh(range(len(moving)), found.jump[moving], color=colours, height=0.65)
    axes.set_yticks(range(len(moving)), [plain_text(name) for name in names], fontsize=9)
    axes.invert_yaxis()
    axes.axvline(0, color=FAINT, lw=0.9)
    axes.set_xlabel("jump of the rate, m/s or rad/s")
    axes.grid(True, axis="x", color="#e6e6e6", lw=0.8)
    axes.set_axisbelow(True)
    figure.suptitle(f"{plain_text(shown(found.model.name, 90))}: after the blow", fontsize=12, color=INK)
    return figure
