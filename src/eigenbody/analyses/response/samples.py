"""Sampled signals from CSV files; every fault names its line."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from eigenbody.base.errors import Fault, InputError

MOST_FAULTS = 10


def read_samples(path: str | Path) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Times and the other columns of a CSV file with a heading: `t` in seconds and any names."""
    lines = _lines(path)
    rows = [(i, row) for i, row in enumerate(csv.reader(lines), 1) if any(cell.strip() for cell in row)]
    if len(rows) < 3:
        raise InputError(Fault(str(path), "holds no samples.", "Write a heading (t, push) and at least two lines."))
    names = [cell.strip() for cell in rows[0][1]]
    _check_heading(path, names)
    table = _numbers(path, names, rows[1:])
    if not np.isfinite(table).all() or np.any(np.diff(table[:, names.index("t")]) <= 0):
        _explain(path, names, table, [i for i, _ in rows[1:]])
    columns = dict(zip(names, table.T, strict=True))
    return columns.pop("t"), columns


def _lines(path: str | Path) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not a text file"
        raise InputError(Fault(str(path), f"the samples cannot be read: {reason}.")) from error


def _check_heading(path: str | Path, names: Sequence[str]) -> None:
    if "t" not in names:
        what = f"the heading ({', '.join(names[:6])}) has no column t."
        raise InputError(Fault(f"{path}, line 1", what, "Call the column of the times, in seconds, t."))
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise InputError(Fault(f"{path}, line 1", f'there are several columns "{twice[0]}".'))
    if len(names) < 2:
        what = "there is no column beside t."
        raise InputError(Fault(f"{path}, line 1", what, "Add a column named as the input it excites."))


def _numbers(path: str | Path, names: Sequence[str], rows: Sequence[tuple[int, list[str]]]) -> np.ndarray:
    """(lines, columns), or every fault with its line."""
    if all(len(row) == len(names) for _, row in rows):
        try:
            return np.array([row for _, row in rows], dtype=float)
        except ValueError:
            pass  # find out which
    faults: list[Fault] = []
    for i, row in rows:
        if len(row) != len(names):
            faults.append(Fault(f"{path}, line {i}", f"has {len(row)} of {len(names)} cells."))
            continue
        for name, cell in zip(names, row, strict=True):
            try:
                float(cell)
            except ValueError:
                faults.append(Fault(f"{path}, line {i}", f'column "{name}": "{cell.strip()}" is not a number.'))
    raise InputError(faults[:MOST_FAULTS])


def _explain(path: str | Path, names: Sequence[str], table: np.ndarray, lines: Sequence[int]) -> None:
    faults = [
        Fault(f"{path}, line {lines[int(r)]}", f'column "{names[int(c)]}": {table[r, c]} is not a finite number.')
        for r, c in np.argwhere(~np.isfinite(table))
    ]
    times = table[:, names.index("t")]
    faults += [
        Fault(f"{path}, line {lines[int(r) + 1]}", f"the time {times[r + 1]:g} s does not come after {times[r]:g} s.")
        for r in np.flatnonzero(np.diff(times) <= 0)
    ]
    raise InputError(faults[:MOST_FAULTS])
