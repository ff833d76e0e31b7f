"""Coefficients of a bearing or seal by their names, kxx kxy ... cyy, each a number, an expression or a list over speed.

Lists, in the file or as columns of a csv file, become smooth curves over the speed. All end up in the 6 x 6 matrices
`k` and `c` from which the element is built.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.elements.checks import Wrong
from eigenbody.model.coefficients import SPEED
from eigenbody.model.curves import SMOOTH, curve
from eigenbody.model.expressions import Expression, OutsideTable
from eigenbody.model.units import UnitError, parse_quantity
from eigenbody.model.values import freeze
from eigenbody.model.vocabulary import Field, Kind

PLACES = {"xx": (0, 0), "xy": (0, 1), "xz": (0, 2), "yx": (1, 0), "yy": (1, 1), "yz": (1, 2), "zx": (2, 0),
          "zy": (2, 1), "zz": (2, 2)}  # fmt: skip
UNITS = {"k": "N/m", "c": "N*s/m"}
NAMES = tuple(matrix + place for matrix in UNITS for place in PLACES)
COLUMNS = {"speed": "rad/s"} | {name: UNITS[name[0]] for name in NAMES}
OF = Expression.symbol(SPEED)

KEYS = (
    *(
        Field(name, Kind.COEFFICIENT, UNITS[name[0]], doc=f"force along {name[1]} by {how} along {name[2]}: number,"
              " expression, table, or list over `speed`")
        for name in NAMES for how in ("displacement" if name[0] == "k" else "velocity",)
    ),
    Field("speed", Kind.NUMBERS, "rad/s", doc="speeds for which lists of coefficients are given, increasing"),
    Field("table", Kind.FILE, doc="csv file with columns speed, kxx, ..., units in brackets: speed [rpm]"),
    Field("of", Kind.SPEED, "rad/s", doc="speed that lists and table are over; default that of the second body about"
          " the axis, relative to the first"),
    Field("interpolation", Kind.CHOICE, choices=SMOOTH, default=SMOOTH[0], doc="of lists and table: cubic spline, or"
          " monotone cubic pieces"),
)  # fmt: skip


class TableProblem(Exception):
    """What is wrong with a table of coefficients, and what to do."""

    def __init__(self, key: str, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.wrong: Wrong = (key, what, remedy)


def complete(values: Mapping[str, Any]) -> Iterator[Wrong]:
    """Coefficients are given, in one way, and tables fit."""
    named = [name for name in NAMES if values.get(name) is not None]
    if values.get("k") is None and not named and values.get("table") is None:
        yield "", 'the required key "k" is missing.', 'Give k, or kxx, kyy, ..., or a "table" of them over the speed.'
    for key in ("k", "c"):
        if values.get(key) is not None and (named or values.get("table") is not None):
            what = f'"{key}" and coefficients by their names ({named[0] if named else "table"}) exclude each other.'
            yield key, what, "Give the whole matrices k and c, or names alone."
    if any(isinstance(values.get(key), str | list | dict) for key in (*NAMES, "speed", "of", "table")):
        return  # what could not be read is said already
    try:
        matrices(values)
    except TableProblem as problem:
        yield problem.wrong


def settled(values: dict[str, Any]) -> dict[str, Any]:
    """The values with the matrices `k` and `c` in place of what they were given by."""
    if values.get("k") is not None:
        return values
    return values | matrices(values)


def matrices(values: Mapping[str, Any]) -> dict[str, Any]:
    """`k` and `c` (6, 6) of coefficients given by their names: arrays, or rows of signals where one varies."""
    given = _curves(values)
    out: dict[str, Any] = {}
    for matrix in UNITS:
        rows = [[0.0] * 6 for _ in range(6)]
        for place, (i, j) in PLACES.items():
            if given.get(matrix + place) is not None:
                rows[i][j] = given[matrix + place]
        varies = any(isinstance(entry, Expression) for row in rows for entry in row)
        out[matrix] = tuple(map(tuple, rows)) if varies else freeze(rows)
    return out


def _curves(values: Mapping[str, Any]) -> dict[str, Any]:
    """Each coefficient as a number or expression."""
    given: dict[str, Any] = {name: values.get(name) for name in NAMES}
    lists = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
    speed, key = values.get("speed"), "speed"
    if isinstance(values.get("table"), Path):
        if lists or speed is not None:
            raise TableProblem("table", "lists of coefficients are given beside the file.", "Give one or the other.")
        lists, key = read_columns(values["table"]), "table"
        speed = lists.pop("speed")
        if both := [name for name in lists if given[name] is not None]:
            raise TableProblem(both[0], "it is given here and in the table.", "Give one or the other.")
    if lists:
        _check_speeds(speed, key)
    elif speed is not None:
        raise TableProblem("speed", "no coefficient is given as a list over the speed.", "Give for example kxx: [..].")
    argument = values["of"] if isinstance(values.get("of"), Expression) else OF
    how = values["interpolation"] if values.get("interpolation") in SMOOTH else SMOOTH[0]
    for name, value in lists.items():
        if len(value) != len(speed):  # type: ignore[arg-type]
            raise TableProblem(name, f"{len(value)} values are given for {len(speed)} speeds.")  # type: ignore[arg-type]
        given[name] = _number(curve(speed, value, argument, how), name if key == "speed" else key)  # type: ignore[arg-type]
    return given


def _check_speeds(speed: Any, key: str) -> None:
    if not isinstance(speed, np.ndarray):
        raise TableProblem("speed", "the speeds of the lists of coefficients are missing.", "Give speed: [..].")
    if len(speed) < 2:
        raise TableProblem(key, "a table needs at least two speeds.", "A coefficient that does not vary is one number.")
    if np.any(np.diff(np.real(speed)) <= 0):
        at = int(np.argmax(np.diff(np.real(speed)) <= 0)) + 2
        raise TableProblem(key, f"the speeds must increase; number {at} does not.")


def _number(signal: Expression, key: str) -> Any:
    """The value of a curve whose argument is a number, else the curve."""
    if signal.op == "number":
        return signal.value
    try:
        return signal if signal.names else signal.evaluate({})
    except OutsideTable as problem:
        raise TableProblem(key, f"{problem} (rad/s).", "Stay within the table, or give it more points.") from problem


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """Columns of a csv file in SI: `speed` and coefficients, units in brackets behind the names."""
    try:
        lines = [line for line in csv.reader(path.read_text(encoding="utf-8-sig").splitlines()) if any(line)]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise TableProblem("table", f"{path.name} cannot be read: {problem}.") from problem
    lines = [line for line in lines if not line[0].lstrip().startswith("#")]
    heads = [_head(cell) for cell in lines[0]] if lines else []
    if "speed" not in (name for name, _ in heads) or len(heads) < 2:
        what = f"{path.name} has no line of names with speed and coefficients."
        raise TableProblem("table", what, "Begin it with: speed [rpm], kxx, kxy, ...")
    columns: dict[str, np.ndarray] = {}
    for k, (name, factor) in enumerate(heads):
        if name in columns:
            raise TableProblem("table", f'{path.name} has the column "{name}" twice.')
        columns[name] = factor * np.array([_cell(path, n, line, k) for n, line in enumerate(lines[1:], 1)])
    return columns


def _head(cell: str) -> tuple[str, float]:
    name, _, unit = cell.strip().partition("[")
    name, unit = name.strip(), unit.strip().removesuffix("]").strip()
    if name not in COLUMNS:
        raise TableProblem("table", f'there is no coefficient "{name}".', f"Columns: {', '.join(COLUMNS)}.")
    try:
        return name, float(np.real(parse_quantity(f"1 {unit}", COLUMNS[name]))) if unit else 1.0
    except UnitError as problem:
        raise TableProblem("table", f'"{cell.strip()}": {problem}') from problem


def _cell(path: Path, number: int, line: list[str], column: int) -> float:
    try:
        value = float(line[column])
    except (IndexError, ValueError) as problem:
        raise TableProblem(
            "table", f"{path.name}: line {number} of numbers has no number in column {column + 1}."
        ) from problem
    if not np.isfinite(value):
        raise TableProblem("table", f"{path.name}: line {number} of numbers has a value that is not finite.")
    return value
