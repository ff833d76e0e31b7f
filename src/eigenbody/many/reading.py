"""What a store has, without the model at hand: also while it grows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.many.store import ABOUT, FAILURE, FORMAT, INDEX, file_of, ranges, require_parquet

if TYPE_CHECKING:
    import pyarrow as pa

TRIES = 20  # times that a file may have become part of a larger one between looking and reading
WORDS = {"failed": True, "computed": False}
CONDITION = re.compile(r"\s*(.+?)\s*(<=|>=|==|!=|<|>)\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*")
SIGNS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal", "!=": "not_equal"}


def runs(folder: str | Path) -> dict[str, dict[str, Any]]:
    """What each run in a folder is about, by its key; the folder may be that of one run."""
    root = Path(folder)
    if not root.is_dir():
        raise InputError(Fault(str(folder), "there is no such folder.", "Name the one that was given as --store."))
    places = [root] if (root / ABOUT).exists() else sorted(path for path in root.iterdir() if (path / ABOUT).exists())
    found = {place.name: _about(place) for place in places}
    if not found:
        raise InputError(Fault(str(folder), "the folder holds no results.", "Name the one that was given as --store."))
    return found


def place_of(folder: str | Path, key: str) -> Path:
    """Where a run is."""
    root = Path(folder)
    return root if (root / ABOUT).exists() else root / key


def _about(place: Path) -> dict[str, Any]:
    try:
        about = json.loads((place / ABOUT).read_text(encoding="utf-8"))
        version = about["format"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(Fault(str(place / ABOUT), "the file is damaged.", "Compute the points again.")) from error
    if version != FORMAT:
        what = f"its format is {version}; this version of eigenbody reads {FORMAT}."
        raise InputError(Fault(str(place), what, "Read it with the version that wrote it."))
    return about


def column_names(about: dict[str, Any]) -> list[str]:
    """Columns of the files, in their order."""
    return [INDEX, *(c["name"] for c in about["varied"]), *(c["name"] for c in about["found"]), FAILURE]


def tables(place: Path, about: dict[str, Any], columns: Sequence[str], where: Sequence[str]) -> Iterator[pa.Table]:
    """The lines that keep all conditions, file by file in the order of the points."""
    require_parquet()
    conditions = [_condition(text, column_names(about)) for text in where]
    reached = 0
    while True:
        span = next((span for span in ranges(place) if span[0] >= reached), None)
        if span is None:
            return
        yield _read(place, span, columns, conditions)
        reached = span[1]


def _condition(text: str, known: Sequence[str]) -> tuple[str, str, float]:
    if text.strip() in WORDS:
        return FAILURE, "", float(WORDS[text.strip()])
    found = CONDITION.fullmatch(text)
    if found is None:
        remedy = 'Write for example "real_1 > 0", "failed" or "computed".'
        raise InputError(Fault("where", f'"{text}" is no condition.', remedy))
    name, sign, number = found.groups()
    if name not in known[:-1]:
        raise InputError(Fault("where", f'there is no column "{name}" of numbers.', suggest(name, known[:-1])))
    return name, sign, float(number)


def _read(
    place: Path, span: tuple[int, int], columns: Sequence[str], conditions: Sequence[tuple[str, str, float]]
) -> pa.Table:
    from pyarrow import compute, parquet

    needed = list(dict.fromkeys([*columns, *(name for name, _, _ in conditions)]))
    table = _whole(parquet, place, span, needed)
    for name, sign, number in conditions:
        column = table[name]
        mask = getattr(compute, SIGNS[sign])(column, number) if sign else compute.is_valid(column)
        table = table.filter(mask if sign or number else compute.invert(mask))
    return table.select(list(columns))


def _whole(parquet: Any, place: Path, span: tuple[int, int], columns: Sequence[str]) -> pa.Table:
    """A file of these points, or that part of the larger file which has taken its place meanwhile."""
    for _ in range(TRIES):
        holder = next((own for own in ranges(place) if own[0] <= span[0] and span[1] <= own[1]), None)
        if holder is None:
            break
        try:
            table = parquet.read_table(file_of(place, holder), columns=list(columns), partitioning=None)
        except FileNotFoundError:
            continue
        return table.slice(span[0] - holder[0], span[1] - span[0])
    raise InputError(Fault(str(place), "files of the store have gone.", "Compute the points again."))
