"""A folder that keeps the results of many points, chunk by chunk, so that no point is computed twice.

    FOLDER/KEY/_about.json           what was asked: model, names, options, version, columns with units
    FOLDER/KEY/rows-A-B.parquet      points A to B (without B): one line each

KEY is made of everything that the numbers depend on. Files appear whole or not at all, and are never changed: whoever
reads while a run goes on sees what is done so far. Results come in order, so that a run has at most one place where it
goes on. Now and then what is done is written as a small file; when a chunk is complete, one file takes the place of its
small ones. The chunks are the same however often the run was stopped, and so are their bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.many.parcels import Work
from eigenbody.many.run import Crew, Lost, in_order

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 16_000  # points in a file, about
OFTEN = 2.0  # seconds after which what is done is written, were it little
FORMAT = 1
ABOUT = "_about.json"  # readers of Parquet pass over names that begin so
NAME = re.compile(r"rows-(\d+)-(\d+)\.parquet")
INDEX, FAILURE = "point", "failure"
WHOLE = "whole"  # column of bytes from which a result is made again
Table = Mapping[str, np.ndarray | Sequence[str | None] | Sequence[bytes]]


@dataclass(frozen=True)
class Column:
    """A column of numbers: its name, unit and what it means."""

    name: str
    unit: str
    meaning: str


@dataclass(frozen=True)
class Request:
    """What is asked of many points: everything that the numbers depend on, but for the points themselves."""

    analysis: str
    version: str  # of eigenbody
    model: str  # its name
    document: Mapping[str, Any]  # of the model
    files: Mapping[str, str]  # that it names, with their SHA-256
    varied: tuple[Column, ...]  # columns of the points
    found: tuple[Column, ...]  # columns of the results
    grain: int  # points in one batch
    options: Mapping[str, Any] = field(default_factory=dict)
    is_whole: bool = False  # whether results are kept as bytes too

    @property
    def chunk(self) -> int:
        """Points in a file: whole grains."""
        return max(1, ROWS // self.grain) * self.grain

    def about(self, points: np.ndarray) -> dict[str, Any]:
        """The request and its points as plain data."""
        return {
            "format": FORMAT, "analysis": self.analysis, "version": self.version, "model": self.model,
            "document": self.document, "files": self.files, "varied": [asdict(column) for column in self.varied],
            "found": [asdict(column) for column in self.found], "grain": self.grain, "options": self.options,
            "points": len(points), "chunk": self.chunk,
            "digest": hashlib.sha256(np.ascontiguousarray(points, dtype="<f8").tobytes()).hexdigest(),
        }  # fmt: skip

    def place(self, folder: str | Path, points: np.ndarray) -> Path:
        """Where the run of these points is in a folder."""
        return Path(folder) / hashlib.sha256(text_of(self.about(points)).encode()).hexdigest()[:16]


def text_of(about: Mapping[str, Any]) -> str:
    """The same text for the same request."""
    return json.dumps(about, indent=1, sort_keys=True, default=_plain) + "\n"


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as plain data, what else a document may hold as text."""
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else repr(value)


def keep(folder: str | Path, request: Request, work: Work, points: np.ndarray, crew: Crew, notes: list[str]) -> Path:
    """Compute the points that the folder does not have, and keep them there; the place of this run in it.

    `work` gives the columns of its rows by name, and `failure`: None, or the reason.
    """
    require_parquet()
    place = request.place(folder, points)
    with _opened(place, text_of(request.about(points))):
        _tidy(place)
        done = {k // request.grain for a, b in ranges(place) for k in range(a, b, request.grain)}
        outcomes = in_order(work, points, crew, request.grain, "points", done, notes)
        with closing(outcomes), closing(_Writer(place, request, len(points))) as writer:
            writer.unite_complete()
            for start, stop, found in outcomes:
                given = {INDEX: np.arange(start, stop), **_given(request, points[start:stop])}
                writer.put(start, stop, {**given, **_found(request, found, stop - start)})
    return place


def require_parquet() -> None:
    """InputError where the library is missing."""
    if find_spec("pyarrow") is None:
        raise InputError(Fault("store", "it needs the package pyarrow.", 'Run: pip install "eigenbody[parquet]".'))


def _given(request: Request, rows: np.ndarray) -> dict[str, np.ndarray]:
    return {column.name: rows[:, k] for k, column in enumerate(request.varied)}


def _found(request: Request, found: Any, count: int) -> Table:
    names = [column.name for column in request.found]
    if not isinstance(found, Lost):
        return {name: found[name] for name in (*names, *([WHOLE] if request.is_whole else []), FAILURE)}
    whole: Table = {WHOLE: [b""] * count} if request.is_whole else {}
    return {**{name: np.full(count, np.nan) for name in names}, **whole, FAILURE: [found.reason] * count}


def column_name(name: str, found: Sequence[Column] = ()) -> str:
    """Of a parameter or path: its own, unless a column of the results is called so."""
    return f"parameter.{name}" if name in (INDEX, FAILURE, WHOLE, *(column.name for column in found)) else name


# Files ----------------------------------------------------------------------------------------------------------------
def ranges(place: Path) -> list[tuple[int, int]]:
    """Points (from, to) of every file, in order; without small files whose points stand in a larger one."""
    found = sorted(
        ((int(m[1]), int(m[2])) for name in os.listdir(place) if (m := NAME.fullmatch(name))),
        key=lambda span: (span[0], -span[1]),
    )
    kept: list[tuple[int, int]] = []
    for a, b in found:
        if not kept or b > kept[-1][1]:
            kept.append((a, b))
    return kept


def file_of(place: Path, span: tuple[int, int]) -> Path:
    """The file with these points."""
    return place / f"rows-{span[0]:012d}-{span[1]:012d}.parquet"


@contextmanager
def _opened(place: Path, about: str) -> Iterator[None]:
    """The place of a run, with what it is about, for this process alone."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with open(place / ".lock", "wb") as lock:
            _hold(lock, place)
            if not (place / ABOUT).exists():
                _put(place / ABOUT, lambda file: file.write(about.encode()))
            yield
    except OSError as error:
        what = f"the folder cannot be written: {error.strerror or error}."
        raise InputError(Fault(str(place.parent), what, "Choose another place, or make room.")) from error


def _hold(lock: IO[bytes], place: Path) -> None:
    """Held until this process ends, however it ends."""
    try:
        import fcntl
    except ImportError:  # Windows: files appear whole, so that two runs waste time and break nothing
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise ComputationError(f"Another process is computing the same points into {place}. Wait for it.") from error


def _put(path: Path, write: Any) -> None:
    """A file, whole or not at all, also where the machine stops."""
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _tidy(place: Path) -> None:
    """What a run that was killed left behind."""
    kept = {file_of(place, span) for span in ranges(place)}
    for path in place.iterdir():
        if path.suffix == ".tmp" or (NAME.fullmatch(path.name) and path not in kept):
            path.unlink()


class _Writer:
    """Takes results in order and writes them in chunks; what is not a whole grain yet is not written."""

    def __init__(self, place: Path, request: Request, count: int) -> None:
        self._place, self._request, self._count = place, request, count
        self._start = self._stop = 0  # of what is held
        self._tables: list[Table] = []
        self._whole = 0  # tables that belong to whole grains
        self._written = time.monotonic()

    def put(self, start: int, stop: int, table: Table) -> None:
        """Results of points start to stop."""
        if not self._tables:
            self._start = start
        elif start % self._request.grain == 0 and start != self._stop:  # what stands between is in the folder already
            self.close()
            self._start = start
        self._tables.append(table)
        if stop % self._request.grain == 0 or stop == self._count:
            self._stop, self._whole = stop, len(self._tables)
            is_end = stop % self._request.chunk == 0 or stop == self._count
            if is_end or time.monotonic() - self._written > OFTEN:
                self.close()

    def close(self) -> None:
        """Write the whole grains; a chunk that is complete becomes one file."""
        if self._whole:
            import pyarrow as pa

            self._save((self._start, self._stop), pa.concat_tables([_arrow(t) for t in self._tables[: self._whole]]))
            self._unite(self._start // self._request.chunk * self._request.chunk)
        self._tables, self._whole, self._written = [], 0, time.monotonic()

    def unite_complete(self) -> None:
        """Chunks that a run had in pieces when it was killed, the last piece written, become one file each."""
        for first in range(0, self._count, self._request.chunk):
            self._unite(first)

    def _unite(self, first: int) -> None:
        """One file of the pieces of the chunk that begins there, if all are there."""
        import pyarrow as pa

        last = min(first + self._request.chunk, self._count)
        inside = [span for span in ranges(self._place) if first <= span[0] < last]
        if len(inside) > 1 and sum(b - a for a, b in inside) == last - first:
            self._save((first, last), pa.concat_tables([read(self._place, span) for span in inside]))
            for span in inside:
                file_of(self._place, span).unlink()

    def _save(self, span: tuple[int, int], table: pa.Table) -> None:
        from pyarrow import parquet

        whole = table.combine_chunks()
        numbers = [name for name in whole.column_names if name not in (INDEX, FAILURE, WHOLE)]
        options = {"compression": "zstd", "use_dictionary": [FAILURE], "use_byte_stream_split": numbers}
        _put(file_of(self._place, span), lambda file: parquet.write_table(whole, file, **options))


def _arrow(table: Table) -> pa.Table:
    import pyarrow as pa

    schema = schema_of(list(table))
    return pa.table([pa.array(column, kind) for column, kind in zip(table.values(), schema.types, strict=True)], schema)


def schema_of(names: Sequence[str]) -> pa.Schema:
    """Names and types: whole numbers for the point, text or null for the failure, bytes of a result, else numbers."""
    import pyarrow as pa

    kinds = {INDEX: pa.int64(), FAILURE: pa.string(), WHOLE: pa.binary()}
    return pa.schema([(name, kinds.get(name, pa.float64())) for name in names])


def read(place: Path, span: tuple[int, int]) -> pa.Table:
    """The table of one file."""
    from pyarrow import parquet

    return parquet.read_table(file_of(place, span), partitioning=None)
