"""Stored results: their summary, their document, and their lines as files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, plain
from eigenbody.present.export import Writer, csv_text
from eigenbody.present.tables import Grid, Sheet, counted, listed, significant

if TYPE_CHECKING:
    from eigenbody.analyses.results import StoredResults

MOST = 60  # columns in the table
MOST_REASONS = 5


def sheet(r: StoredResults) -> Sheet:
    """How many points there are, the range of every column, why points failed."""
    title = f"{r.about['analysis']} of {shown(r.about['model'], 100)}, version {r.about['version']}"
    failed = sum(r.failures.values())
    lines = [f"{r.done} of {counted(r.about['points'], 'point')} computed so far" + (f", run {r.place.name}")]
    if r.where:
        lines.append(f"{counted(r.count, 'line')} with {listed(r.where)}")
    rows = tuple(
        (shown(c.name, 60), c.unit, str(c.count), *(significant(v, 7) for v in (c.least, c.mean, c.greatest)))
        for c in r.summary[:MOST]
    )
    columns = ("column", "unit", "known", "least", "mean", "greatest")
    grid = Grid("", columns, rows, (False, False, True, True, True, True), len(r.summary) - len(rows))
    reasons = sorted(r.failures.items(), key=lambda item: -item[1])[:MOST_REASONS]
    below = [f"{failed} failed:"] if failed else []
    return Sheet(title, lines, [grid], [*below, *(f"{n} times: {shown(text, 200)}" for text, n in reasons)])


def document(r: StoredResults) -> dict[str, Any]:
    """`results --json`."""
    return {
        "run": r.place.name,
        "analysis": r.about["analysis"],
        "model": r.about["model"],
        "version": r.about["version"],
        "options": plain(r.about["options"]),
        "points": r.about["points"],
        "done": r.done,
        "where": list(r.where),
        "lines": r.count,
        "failed": sum(r.failures.values()),
        "columns": [
            {
                "name": c.name, "unit": c.unit, "meaning": c.meaning, "known": c.count,
                "least": number(c.least), "mean": number(c.mean), "greatest": number(c.greatest),
            }
            for c in r.summary
        ],
        "failures": [{"reason": reason, "count": count} for reason, count in r.failures.items()],
    }  # fmt: skip


def arrays(r: StoredResults) -> dict[str, Any]:
    """The columns."""
    return {name: r.column(name) for name in r.columns}


def axes(r: StoredResults) -> dict[str, Over]:
    """Every column lies over the points."""
    units = {column["name"]: column["unit"] for column in (*r.about["varied"], *r.about["found"])}
    return {name: over(units.get(name, ""), line="point") for name in r.columns if name != "point"}


def records(r: StoredResults) -> Iterator[list[Any]]:
    """A line for each point."""
    yield list(r.columns)
    for table in r.tables():
        yield from map(list, zip(*(column.to_pylist() for column in table.columns), strict=True))


def _csv(r: StoredResults, path: Path) -> Writer:
    def write(file: BinaryIO) -> None:
        for line in records(r):
            file.write(csv_text([line]).encode("utf-8", errors="backslashreplace"))

    return write


def _json_lines(r: StoredResults, path: Path) -> Writer:
    """A map for each point, on a line of its own; null for what is not known."""

    def write(file: BinaryIO) -> None:
        lines = records(r)
        titles = next(lines)
        for line in lines:
            known = {name: number(v) if isinstance(v, float) else v for name, v in zip(titles, line, strict=True)}
            file.write(json.dumps(known).encode() + b"\n")

    return write


def _parquet(r: StoredResults, path: Path) -> Writer:
    def write(file: BinaryIO) -> None:
        from pyarrow import parquet

        with parquet.ParquetWriter(file, r.schema, compression="zstd") as writer:
            for table in r.tables():
                writer.write_table(table)

    return write


FILES = {"csv": _csv, "jsonl": _json_lines, "parquet": _parquet}
