"""Results as files: npz, mat, csv, json, netCDF or a format of `exchange`, by the ending of the name; whole or not at
all."""

from __future__ import annotations

import csv
import io
import math
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange import RESULT_WRITERS, result_written_as
from eigenbody.present.documents import as_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from eigenbody.base.result import Result

Writer = Callable[[BinaryIO], Any]
MADE_OF = {
    "npz": "arrays", "mat": "arrays", "csv": "records", "json": "document", "nc": "axes",
    **{ending: source for ending, (source, _) in RESULT_WRITERS.items()},
}  # fmt: skip
NEEDS = {"parquet": ("pyarrow", "parquet"), "nc": ("xarray", "xarray")}  # installed on demand: package and extra
PICTURE_ENDINGS = ("png", "svg", "pdf")


# ---- files


def ending_of(path: str | Path, known: Iterable[str]) -> str:
    """Ending of the name in lower case; InputError that names the known ones when it is another."""
    known = tuple(known)
    name = Path(path).name.lower()
    ending = max((e for e in known if name.endswith(f".{e}")), key=len, default=Path(name).suffix.removeprefix("."))
    if ending not in known:
        what = f'the ending ".{ending}" is not known.' if ending else "the name has no ending that tells the format."
        raise InputError(Fault(str(path), what, f"Use one of: {', '.join('.' + e for e in known)}."))
    package, extra = NEEDS.get(ending, ("", ""))
    if package and find_spec(package) is None:
        what = f"writing {ending} needs the package {package}."
        raise InputError(Fault(f".{ending}", what, f"Install eigenbody[{extra}], or write .npz or .csv."))
    return ending


def refuse_unwritable(path: str | Path) -> None:
    """InputError when a file cannot be put there; to be asked before a long computation, and checked by it again."""
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise InputError(Fault(str(path), "this is a folder, not a file name."))
        if target.exists() and not target.is_file():
            raise InputError(Fault(str(path), "this is no regular file.", "Write to a file and copy it there."))
        if not target.parent.is_dir():
            raise InputError(Fault(str(path), f'there is no folder "{target.parent}".', "Create it first."))
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise InputError(
                Fault(str(path), f'the folder "{target.parent}" is not writable.', "Choose another place.")
            )
    except (OSError, ValueError) as error:
        raise _cannot_write(path, error) from error


def write_atomically(path: str | Path, write: Writer) -> None:
    """Let `write` fill a temporary file in the same folder, then put it in place; nothing is left behind on failure."""
    refuse_unwritable(path)
    target = os.path.realpath(path)
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(prefix=".eigenbody-", suffix=".tmp", dir=os.path.dirname(target))
        with os.fdopen(handle, "wb") as file:
            write(file)
        os.chmod(temporary, _mode_of(target))
        os.replace(temporary, target)
        temporary = ""
    except OSError as error:
        raise _cannot_write(path, error) from error
    finally:
        if temporary:
            Path(temporary).unlink(missing_ok=True)


def _mode_of(target: str) -> int:
    """Permissions of the file that is replaced, or those of a new file."""
    try:
        return stat.S_IMODE(os.stat(target).st_mode)
    except OSError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def _cannot_write(path: str | Path, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    return InputError(Fault(str(path), f"the file cannot be written: {reason}.", "Choose another place."))


# ---- results


def endings_of(look: Any) -> tuple[str, ...]:
    """Endings of the files that a result with these looks can be written to."""
    if hasattr(look, "ENDINGS"):
        return tuple(look.ENDINGS)
    own = getattr(look, "FILES", {})
    made = [ending for ending, source in MADE_OF.items() if hasattr(look, source) or ending in (*own, "json")]
    return (*made, *(ending for ending in own if ending not in made))


def result_writer(result: Result, path: str | Path, document: Callable[[], Any] | None = None) -> Writer:
    """Writes a result by the ending of the name: npz and mat hold the arrays, csv the records, json the document."""
    ending = ending_of(path, endings_of(result.look))
    own = getattr(result.look, "FILES", {})
    if ending in own:
        return own[ending](result, Path(path))
    if ending == "json":
        return text_file(as_json((document or result.document)()) + "\n")
    if ending == "csv":
        return text_file(csv_text(result.look.records(result)))
    if ending == "nc":
        return netcdf_file(result)
    if ending in RESULT_WRITERS:
        content = result_written_as(ending)(getattr(result.look, RESULT_WRITERS[ending][0])(result), Path(path))
        return lambda file: file.write(content)
    return array_file(result.arrays(), ending)


def as_frame(result: Result) -> DataFrame:
    """The records of a result, the first of which has the titles, as a DataFrame."""
    titles, *lines = result.look.records(result) if hasattr(result.look, "records") else [()]
    if not titles or any(len(line) != len(titles) for line in lines):  # matrices below each other, for one
        what = f"{type(result).__name__} is not one table."
        raise InputError(Fault("to_pandas", what, "Use .arrays() or .as_dict()."))
    need("pandas", "to_pandas")
    from pandas import DataFrame

    return DataFrame([list(line) for line in lines], columns=list(titles))


def need(package: str, where: str) -> None:
    """InputError where a package that is installed on demand is missing; the extra is called like the package."""
    if find_spec(package) is None:
        remedy = f"Install it: pip install 'eigenbody[{package}]'."
        raise InputError(Fault(where, f"the package {package} is not installed.", remedy))


def write_result(result: Result, path: str | Path) -> None:
    """Write a file of a result, whole or not at all."""
    write_atomically(path, result_writer(result, path))


def figure_writer(figure: Figure, ending: str) -> Writer:
    """Writes a picture; the same figure gives the same bytes."""
    dates: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    return lambda file: figure.savefig(file, format=ending, dpi=150, metadata=dates.get(ending))


def text_file(text: str) -> Writer:
    """Writes text."""
    return lambda file: file.write(text.encode("utf-8", errors="backslashreplace"))


def array_file(arrays: Mapping[str, Any], ending: str) -> Writer:
    """Writes arrays by name as .npz or .mat."""
    arrays = as_arrays(arrays)
    if ending == "npz":
        return lambda file: np.savez(file, **arrays)

    def write(file: BinaryIO) -> None:
        from scipy.io import savemat

        text = lambda a: isinstance(a, np.ndarray) and a.dtype.kind == "U" and a.ndim  # noqa: E731
        cells = {n: a.astype(object) if text(a) else a for n, a in arrays.items()}
        savemat(file, cells, oned_as="column", long_field_names=True)

    return write


def netcdf_file(result: Result) -> Writer:
    """Writes the arrays over named axes as netCDF (classic, 64-bit offsets); of complex ones the two parts."""
    from eigenbody.present.axes import as_dataset, in_real_parts

    content = bytes(in_real_parts(as_dataset(result)).to_netcdf(None, format="NETCDF3_64BIT", engine="scipy"))
    return lambda file: file.write(content)


def as_arrays(values: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays by name; tuples of names become arrays of text."""
    return {name: np.array(value, dtype="U" if value else "U1") if isinstance(value, tuple) else value
            for name, value in values.items()}  # fmt: skip


def matrix_records(name: str, matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> list[list[Any]]:
    """Lines of a matrix: its name and the names of its columns, then a line for each row."""
    lines = zip(rows, np.asarray(matrix).tolist(), strict=True)
    return [[name, *columns], *([row, *values] for row, values in lines)]


def csv_text(lines: Iterable[Iterable[Any]]) -> str:
    """Lines of values as comma-separated text in full precision; empty cells for what is unknown."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(map(_cell, line) for line in lines)
    return out.getvalue()


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else repr(float(value))
    return "" if value is None else str(value)
