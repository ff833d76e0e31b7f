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
    """Forces over time (thinned out) and their extremes, and what the free coordinates do."""
    return Sheet("", (), [*_grids(found), *_free_grids(found)], _below(found))


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


def free_columns(found: InverseDynamics) -> tuple[list[str], np.ndarray]:
    """Titles `name\\nunit` and numbers (n, 2 free): values of the free coordinates, then their rates."""
    named = list(zip(found.free, found.free_units, strict=True))
    titles = [f"{name}\n{unit}" for name, unit in named] + [f"{name}'\n{_per_second(unit)}" for name, unit in named]
    return titles, np.concatenate((found.free_value, found.free_rate), axis=1)


def _per_second(unit: str) -> str:
    return f"{unit}/s" if unit not in ("", "1") else "1/s"


def _free_grids(found: InverseDynamics) -> list[Grid]:
    """What the free coordinates do: over time (thinned out), and its extremes."""
    if not found.free:
        return []
    titles, numbers = free_columns(found)
    numbers = np.where(np.abs(numbers) < 1e-12 * np.abs(numbers).max(initial=0.0), 0.0, numbers)
    count, step = len(found.free), max(1, -(-len(found.t) // MAX_TIMES))
    history = []
    for start in range(0, count, MAX_COLUMNS):
        part = slice(start, min(start + MAX_COLUMNS, count))
        rows = (
            (significant(float(found.t[i])), *(significant(float(v)) for v in numbers[i, part]))
            for i in range(0, len(found.t), step)
        )
        title = "Motion of the free coordinates" if start == 0 else ""
        history.append(grid_of(title, ("t\ns", *titles[part]), rows, 0))
    ends = (
        (*title.split("\n"), *(significant(float(x)) for x in (v[0], v[-1], v.min(), v.max())))
        for title, v in zip(titles, numbers.T, strict=True)
    )
    return [*history, grid_of("Free coordinates", ("coordinate", "unit", "start", "end", "least", "most"), ends, 2)]


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
        "free_motion": [
            {"coordinate": name, "unit": unit, "value": listed(value), "rate": listed(rate)}
            for name, unit, value, rate in zip(
                found.free, found.free_units, found.free_value.T, found.free_rate.T, strict=True
            )
        ],
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
        "free": tuple(found.free),
        "free_value": found.free_value,
        "free_rate": found.free_rate,
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
        **{name: over(t="", free_coordinate="free") for name in ("free_value", "free_rate")},
        "positions": over(t="", measure="measures"),
    }


def records(found: InverseDynamics) -> Iterator[Sequence[Any]]:
    """A line for each time with all forces, and the free coordinates and their rates."""
    titles, numbers = force_columns(found)
    free, motion = free_columns(found)
    yield ("t", *(" ".join(title.split("\n")) for title in (*titles, *free)))
    yield from np.column_stack((found.t, numbers, motion)).tolist()


def plot(found: InverseDynamics) -> Figure:
    """Forces and moments over time, one panel for each unit, then what the free coordinates do; curves that stay zero
    are left out."""
    from matplotlib.figure import Figure

    parts = [(word, *columns) for word, columns in (("", force_columns(found)), ("free, ", _free_values(found)))]
    panels = [(word, unit, own) for word, titles, numbers in parts for unit, own in _by_unit(titles, numbers).items()]
    figure = Figure(figsize=(10, 1.2 + 3.2 * max(1, len(panels))), layout="constrained", facecolor="white")
    rows = figure.subplots(max(1, len(panels)), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (word, unit, curves) in zip(rows, panels, strict=False):
        for number, (name, values) in enumerate(curves[:MAX_CURVES]):
            line = "-" if number < 10 else "--"  # colours repeat after ten
            axes.plot(found.t, values, line, lw=1.6, label=plain_text(name))
        axes.set_ylabel(word + unit)
        _finish(axes)
    if not any(not word for word, _, _ in panels):
        rows[0].set_title("no forces are needed", fontsize=10, color=FAINT)
    rows[-1].set_xlabel("time, s")
    what = "forces of the prescribed motion" + (", and what is free" if found.free else "")
    figure.suptitle(f"{plain_text(shown(found.model.name, 90))}: {what}", fontsize=12, color=INK)
    return figure


def _free_values(found: InverseDynamics) -> tuple[list[str], np.ndarray]:
    titles, numbers = free_columns(found)
    return titles[: len(found.free)], numbers[:, : len(found.free)]


def _by_unit(titles: list[str], numbers: np.ndarray) -> dict[str, list[tuple[str, np.ndarray]]]:
    """Name and values of every curve that does not stay zero, by unit, the largest first."""
    largest = np.abs(numbers).max(initial=0.0)
    out: dict[str, list[tuple[str, np.ndarray]]] = {}
    for title, values in zip(titles, numbers.T, strict=True):
        name, unit = title.split("\n")
        if np.abs(values).max(initial=0.0) > 1e-9 * largest:
            out.setdefault(unit, []).append((name, values))
    return {unit: sorted(curves, key=lambda curve: -float(np.abs(curve[1]).max())) for unit, curves in out.items()}


def _finish(axes: Axes) -> None:
    axes.axhline(0, color=FAINT, lw=0.8)
    axes.grid(True, color="#e6e6e6", lw=0.8)
    axes.tick_params(labelsize=9)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=9, frameon=False)
