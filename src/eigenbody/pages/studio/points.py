"""Points of a model that the hand may move: places that the file writes as plain numbers or quantities."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eigenbody.model.source import Source
from eigenbody.model.units import UnitError, parse_quantity, split_quantity

SECTIONS = ("joints", "bodies", "markers", "forces")
MOST = 120


def movable_points(source: Source) -> list[dict[str, Any]]:
    """Path, place (m, global axes of the drawing) and unit of each coordinate (m). What is written as an expression, or
    in the axes of a body, is left out."""
    points = []
    for path, written in _written(source):
        found = [pair for pair in map(_coordinate, written) if pair is not None]
        if len(found) == 3:
            points.append({"path": path, "at": [value for value, _ in found], "unit": [unit for _, unit in found]})
    return points[:MOST]


def _written(source: Source) -> Iterator[tuple[str, list[Any]]]:
    for section in SECTIONS:
        entries = source.data.get(section)
        for name, entry in entries.items() if isinstance(entries, dict) else ():
            at = entry.get("at") if isinstance(entry, dict) and "frame" not in entry else None
            if not isinstance(at, list) or not at:
                continue
            several = isinstance(at[0], list)
            for k, point in enumerate(at if several else [at]):
                if isinstance(point, list) and len(point) == 3:
                    yield f"{section}.{name}.at" + (f"[{k}]" if several else ""), point


def _coordinate(written: Any) -> tuple[float, float] | None:
    """A coordinate and its unit, m."""
    if isinstance(written, int | float) and not isinstance(written, bool):
        return float(written), 1.0
    if not isinstance(written, str) or written.strip().startswith("="):
        return None
    try:
        unit = split_quantity(written)[1]
        return parse_quantity(written, "m"), parse_quantity(f"1 {unit}", "m") if unit else 1.0
    except UnitError:
        return None
