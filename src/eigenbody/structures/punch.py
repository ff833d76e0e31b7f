"""Matrices (DMIG) and nodes (GRID) from the bulk data of Nastran, such as a punch file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError

Place = tuple[int, int]  # number of the node and component 1 to 6; component 0 of a scalar point

_BARE_EXPONENT = re.compile(r"(?<=[0-9.])([+-]\d+)$")


@dataclass
class Punch:
    """What a file holds: entries of its matrices by name, and places of its nodes."""

    matrices: dict[str, dict[tuple[Place, Place], float]] = field(default_factory=dict)
    forms: dict[str, int] = field(default_factory=dict)
    grids: dict[int, tuple[float, float, float]] = field(default_factory=dict)


def read_punch(text: str, file: str, where: str, known: Punch | None = None) -> Punch:
    """DMIG and GRID entries in small, large or free field format, added to what is known; all else is passed over."""
    punch = known or Punch()
    for line, name, fields in _entries(text):
        try:
            if name == "DMIG":
                _matrix_entry(punch, fields)
            elif name == "GRID":
                _grid_entry(punch, fields)
        except (ValueError, IndexError) as error:
            what = f"{file}, line {line}: this {name} entry cannot be read: {error}."
            raise InputError(Fault(where, what, "Write it as Nastran does.")) from error
    return punch


def assembled(punch: Punch, name: str, places: dict[Place, int]) -> Any:
    """Sparse matrix (n, n) of the DMIG `name` with the rows of `places`; symmetric where half of it is given."""
    from scipy.sparse import csc_array

    entries = punch.matrices[name]
    rows = np.array([places[row] for row, _ in entries], dtype=int)
    columns = np.array([places[column] for _, column in entries], dtype=int)
    data = np.array(list(entries.values()), dtype=float)
    if punch.forms.get(name) == 6:
        beside = rows != columns
        rows, columns = np.concatenate([rows, columns[beside]]), np.concatenate([columns, rows[beside]])
        data = np.concatenate([data, data[beside]])
    return csc_array((data, (rows, columns)), shape=(len(places),) * 2)


def _entries(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Line number, name and fields of each entry, with its continuations."""
    start, name, fields = 0, "", []
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("$", 1)[0].rstrip()
        if not line.strip():
            continue
        head, rest = _split(line)
        if head[:1] in ("", "+", "*") and name:
            fields += rest
            continue
        if name:
            yield start, name, fields
        start, name, fields = number, head.rstrip("*").upper(), rest
    if name:
        yield start, name, fields


def _split(line: str) -> tuple[str, list[str]]:
    """Name and data fields of a line: eight small, four large, or eight between commas."""
    if "," in line:
        parts = [part.strip() for part in line.split(",")]
        return parts[0], (parts[1:9] + [""] * 8)[: 4 if parts[0].endswith("*") or parts[0].startswith("*") else 8]
    line = line.expandtabs(8)
    head = line[:8].strip()
    width, count = (16, 4) if "*" in head else (8, 8)
    return head, [line[8 + width * k : 8 + width * (k + 1)].strip() for k in range(count)]


def _matrix_entry(punch: Punch, fields: list[str]) -> None:
    name = fields[0].upper()
    if fields[1] == "0":  # the header
        kind = int(fields[3] or 2)
        if kind > 2:
            raise ValueError("it is complex; a real one is needed")
        punch.forms[name] = int(fields[2])
        punch.matrices.setdefault(name, {})
        return
    column = (int(fields[1]), int(fields[2] or 0))
    matrix = punch.matrices.setdefault(name, {})
    for k in range(4, len(fields) - 2, 4):
        if fields[k]:
            matrix[(int(fields[k]), int(fields[k + 1] or 0)), column] = _number(fields[k + 2])


def _grid_entry(punch: Punch, fields: list[str]) -> None:
    if fields[1] not in ("", "0") or (len(fields) > 5 and fields[5] not in ("", "0")):
        raise ValueError("it is not in basic coordinates")
    x, y, z = (_number(value) if value else 0.0 for value in fields[2:5])
    punch.grids[int(fields[0])] = (x, y, z)


def _number(text: str) -> float:
    """A number as Nastran writes it: 1.5D+01 and 1.5+1 are 15."""
    text = text.strip().upper().replace("D", "E")
    return float(text if "E" in text else _BARE_EXPONENT.sub(r"E\1", text))
