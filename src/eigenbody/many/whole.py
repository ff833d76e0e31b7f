"""Results that are more than a line of numbers: computed by a crew, and kept whole in a store beside their numbers."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from eigenbody.many.reading import runs, tables
from eigenbody.many.run import Crew, Lost, in_order
from eigenbody.many.store import ABOUT, FAILURE, WHOLE, Request, Table, keep

T = TypeVar("T")
Arrays = Mapping[str, np.ndarray]
Each = Callable[[np.ndarray], Sequence[T]]
"""From rows (k, P) of points to the result of each, or why it has none. It must pickle."""


@dataclass(frozen=True)
class Form:
    """How a result is kept: its numbers by the name of their column (nan for one that is not there), and the arrays of
    numbers or words from which it is made again. The functions must pickle."""

    numbers: Callable[[Any], Mapping[str, float]]
    arrays: Callable[[Any], Arrays]
    made_of: Callable[[Arrays], Any]


@dataclass(frozen=True)
class Keeping:
    """Where results are kept, and how."""

    folder: str | Path
    request: Request
    form: Form


def each_point(
    work: Each[T], points: np.ndarray, crew: Crew, grain: int, what: str, keeping: Keeping | None = None
) -> Generator[T | Lost, None, None]:
    """The results of all points (n, P), in their order. What a store has is not computed again; Ctrl-C comes after
    those that it has then."""
    if keeping is None:
        with closing(in_order(work, points, crew, grain, what)) as outcomes:
            for start, stop, found in outcomes:
                yield from [found] * (stop - start) if isinstance(found, Lost) else found
        return
    lines = partial(_lines, work, keeping.form, tuple(column.name for column in keeping.request.found))
    try:
        keep(keeping.folder, keeping.request, lines, points, crew, [])
    except KeyboardInterrupt:
        yield from _read(keeping, points)
        raise
    yield from _read(keeping, points)


def _lines(work: Each[T], form: Form, names: Sequence[str], rows: np.ndarray) -> Table:
    """The columns of one batch."""
    found = work(rows)
    good = {k: one for k, one in enumerate(found) if not isinstance(one, Lost)}
    numbers = {k: form.numbers(one) for k, one in good.items()}
    columns = {name: np.array([numbers.get(k, {}).get(name, np.nan) for k in range(len(rows))]) for name in names}
    whole = [_bytes_of(form.arrays(good[k])) if k in good else b"" for k in range(len(rows))]
    return {**columns, WHOLE: whole, FAILURE: [one.reason if isinstance(one, Lost) else None for one in found]}


def _read(keeping: Keeping, points: np.ndarray) -> Iterator[Any]:
    """Those that the store has, up to the first that it has not."""
    place = keeping.request.place(keeping.folder, points)
    if not (place / ABOUT).exists():
        return
    (about,) = runs(place).values()
    for table in tables(place, about, [WHOLE, FAILURE], []):
        for whole, failure in zip(*(table[name].to_pylist() for name in (WHOLE, FAILURE)), strict=True):
            yield Lost(failure) if failure is not None else keeping.form.made_of(_arrays_of(whole))


def _bytes_of(arrays: Arrays) -> bytes:
    file, named = BytesIO(), dict[str, Any](arrays)
    np.savez(file, **named)
    return file.getvalue()


def _arrays_of(whole: bytes) -> Arrays:
    with np.load(BytesIO(whole), allow_pickle=False) as found:
        return dict(found)
