"""Inverse dynamics: what it prints, its document, arrays and picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.loads.look import cleaned, grid_of
from eigenbody.model.source import shown
from eigenbody.present.axes import DIRECTIONS, Over, over
from eigenbody.present.documents import require_finite
from eigenbody.present.style import FAINT, INK
from eigenbody.present.tables import Grid, Sheet, plain_text, significant

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from eigenbody.simulation.inverse import InverseDynamics

MAX_TIMES = 25  # lines of a printed history
MAX_COLUMNS = 10
MAX_CURVES = 14


def sheet(found: InverseDynamics) -> Sheet:
    """Forces over time (thinned out) and their extremes."""
    return Sheet("", (), _grids(found), _below(found))


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


def _grids(found: InverseDynamics) -> list[Grid]:
    """Forces over time (thinned out) and their extremes."""
    titles, numbers = force_columns(found)
    step = max(1, -(-len(found.t) // MAX_TIMES))
    largest = float(np.abs(numbers).max(initial=0.0))
    numbers = np.where(np.abs(numbers) < 1e-12 * largest, 0.0, numbers)
    rows = [(significant(float(found.t[i])), *cleaned(numbers[i], largest)) for i in range(0, len(found.t), step)]
    pieces = range(0, len(titles), MAX_COLUMNS)
    history = [
        grid_of(
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
    return [*history, grid_of("Extremes", ("force", "unit", "least", "most", "rms"), extremes, 2)]


def _below(found: InverseDynamics) -> list[str]:
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


def document(found: InverseDynamics) -> dict[str, Any]:
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


def arrays(found: InverseDynamics) -> dict[str, Any]:
    """The motion, the forces along it, and their names."""
    return {
        "t": found.t,
        "coordinates": tuple(found.coordinates),
        "value": found.value,
        "rate": found.rate,
        "acceleration": found.acceleration,
        "force": found.force,
        "balls": tuple(found.balls),
        "ball_moment": found.ball_moment,
        "held": tuple(found.held),
        "holding_force": found.holding_force,
        "holding_moment": found.holding_moment,
        "measures": tuple(found.measures),
        "positions": found.positions,
    }


def axes(found: InverseDynamics) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        "t": over("s", t=""),
        **{name: over(t="", coordinate="coordinates") for name in ("value", "rate", "acceleration", "force")},
        "ball_moment": over("N*m", t="", ball="balls", direction=DIRECTIONS),
        "holding_force": over("N", t="", body="held", direction=DIRECTIONS),
        "holding_moment": over("N*m", t="", body="held", direction=DIRECTIONS),
        "positions": over(t="", measure="measures"),
    }


def records(found: InverseDynamics) -> Iterator[Sequence[Any]]:
    """A line for each time with all forces."""
    titles, numbers = force_columns(found)
    yield ("t", *(" ".join(title.split("\n")) for title in titles))
    yield from np.column_stack((found.t, numbers)).tolist()


def plot(found: InverseDynamics) -> Figure:
    """Forces and moments over time, one panel for each unit; curves that stay zero are left out."""
    from matplotlib.figure import Figure

    titles, numbers = force_columns(found)
    largest = np.abs(numbers).max(initial=0.0)
    by_unit: dict[str, list[int]] = {}
    for k, title in enumerate(titles):
        if np.abs(numbers[:, k]).max(initial=0.0) > 1e-9 * largest:
            by_unit.setdefault(title.split("\n")[1], []).append(k)
    figure = Figure(figsize=(10, 1.2 + 3.2 * max(1, len(by_unit))), layout="constrained", facecolor="white")
    panels = figure.subplots(max(1, len(by_unit)), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (unit, columns) in zip(panels, by_unit.items(), strict=False):
        columns = sorted(columns, key=lambda k: -float(np.abs(numbers[:, k]).max()))
        for number, k in enumerate(columns[:MAX_CURVES]):
            line = "-" if number < 10 else "--"  # colours repeat after ten
            axes.plot(found.t, numbers[:, k], line, lw=1.6, label=plain_text(titles[k].split("\n")[0]))
        axes.set_ylabel(unit)
        _finish(axes)
    if not by_unit:
        panels[0].set_title("no forces are needed", fontsize=10, color=FAINT)
    panels[-1].set_xlabel("time, s")
    figure.suptitle(
        f"{plain_text(shown(found.model.name, 90))}: forces of the prescribed motion", fontsize=12, color=INK
    )
    return figure


def _finish(axes: Axes) -> None:
    axes.axhline(0, color=FAINT, lw=0.8)
    axes.grid(True, color="#e6e6e6", lw=0.8)
    axes.tick_params(labelsize=9)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9, frameon=False)
