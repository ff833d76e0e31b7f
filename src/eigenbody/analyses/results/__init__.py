"""Results of many points that a store keeps: counted, filtered, exported without the model at hand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.results.request import request_of
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Result
from eigenbody.many.reading import column_names, place_of, runs, tables
from eigenbody.many.store import FAILURE, INDEX, schema_of

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class ColumnSummary:
    """A column of numbers over the lines that are wanted: how many are known, and their range; nan where none is."""

    name: str
    unit: str
    meaning: str
    count: int
    least: float
    mean: float
    greatest: float


@dataclass(frozen=True)
class StoredResults(Result, look="analyses.results.look"):
    """One run of a store: a line for each point, in files that are read when something is asked for.

    place  folder of the run
    about  what was asked: analysis, version, model, document, varied, found, options, points
    where  conditions that lines must keep
    """

    place: Path
    about: Mapping[str, Any]
    where: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns: point, what varied, what was found, failure."""
        return tuple(column_names(dict(self.about)))

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns, as Arrow has them."""
        return schema_of(self.columns)

    def filtered(self, *where: str) -> StoredResults:
        """The lines that keep these conditions too: "real_1 > 0", "failed", "computed"."""
        found = replace(self, where=(*self.where, *where))
        next(found.tables([INDEX]), None)  # refuses what is no condition
        return found

    def tables(self, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Arrow tables of some thousand lines each, in the order of the points: memory stays small."""
        names = list(self.columns if columns is None else columns)
        if unknown := [name for name in names if name not in self.columns]:
            raise InputError(Fault("columns", f'there is no "{unknown[0]}".', suggest(unknown[0], self.columns)))
        return tables(self.place, dict(self.about), names, self.where)

    def column(self, name: str) -> np.ndarray:
        """One column (lines,): numbers, or text for `failure` (empty where nothing failed)."""
        parts = [table[name] for table in self.tables([name])]
        if name == FAILURE:
            return np.array([text or "" for part in parts for text in part.to_pylist()], dtype="U")
        kind = np.int64 if name == INDEX else np.float64
        return np.concatenate([np.zeros(0, kind), *(part.to_numpy() for part in parts)])

    @cached_property
    def failures(self) -> Mapping[str, int]:
        """How many of the lines failed, by reason."""
        return Counter(text for table in self.tables([FAILURE]) for text in table[FAILURE].to_pylist() if text)

    @cached_property
    def count(self) -> int:
        """Lines there are so far that keep the conditions."""
        return sum(table.num_rows for table in self.tables([INDEX]))

    @cached_property
    def done(self) -> int:
        """Lines there are so far, of about["points"]."""
        return self.count if not self.where else replace(self, where=()).count

    @cached_property
    def summary(self) -> tuple[ColumnSummary, ...]:
        """Range and mean of every column of numbers."""
        given = [*self.about["varied"], *self.about["found"]]
        names = [column["name"] for column in given]
        least, greatest = np.full(len(names), np.inf), np.full(len(names), -np.inf)
        total, count = np.zeros(len(names)), np.zeros(len(names), dtype=int)
        for table in self.tables(names):
            block = (
                np.stack([table[name].to_numpy() for name in names]) if table.num_rows else np.zeros((len(names), 0))
            )
            known = ~np.isnan(block)
            count += known.sum(axis=1)
            total += np.where(known, block, 0.0).sum(axis=1)
            least = np.minimum(least, np.where(known, block, np.inf).min(axis=1, initial=np.inf))
            greatest = np.maximum(greatest, np.where(known, block, -np.inf).max(axis=1, initial=-np.inf))
        return tuple(
            ColumnSummary(
                column["name"], column["unit"], column["meaning"], int(n),
                *(float(v) if n else np.nan for v in (low, s / max(n, 1), high)),
            )
            for column, n, low, s, high in zip(given, count, least, total, greatest, strict=True)
        )  # fmt: skip


def results(folder: str | Path, run: str | None = None, where: Sequence[str] = ()) -> StoredResults:
    """What a store has, complete or not: also while another process is filling it.

    run    the key of one run, or its beginning, where the folder has several
    where  conditions that lines must keep: "real_1 > 0", "failed", "computed"
    """
    known = runs(folder)
    keys = [key for key in known if run is None or key.startswith(run)]
    if len(keys) != 1:
        listed = "; ".join(
            f"{key} ({about['analysis']} of {about['model']}, {about['points']} points)" for key, about in known.items()
        )
        what = f"it has {len(known)} runs." if run is None else f'"{run}" is the beginning of {len(keys)} keys.'
        raise InputError(Fault("run", f"{what} They are: {listed}.", "Give the beginning of one key (--run)."))
    return StoredResults(place_of(folder, keys[0]), known[keys[0]]).filtered(*where)
