"""Measured functions of time or frequency from tables (.csv), arrays (.npz) and universal files (.uff, .unv)."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import content_of
from eigenbody.exchange.measured import Functions
from eigenbody.exchange.uff import read_uff
from eigenbody.model.source import shown

ENDINGS = (".csv", ".npz", ".uff", ".unv")
TIMES = ("t", "time", "time_s", "t [s]", "time [s]")
FREQUENCIES = ("frequency_hz", "frequency", "hz", "f", "f [hz]", "frequency [hz]")
ENTRY = re.compile(r"(?P<response>.+?)(?: / (?P<reference>.+?))?(?: \[(?P<unit>[^\]]*)\])? (?P<part>real|imag)")
LAYOUT = (
    "The first column is t (s) or frequency_hz, the others are signals; of frequency responses"
    ' "y / u real" and "y / u imag".'
)


def read_functions(path: str | Path) -> tuple[Functions, ...]:
    """The functions of a file, by its ending; sets over the same times or frequencies."""
    path = Path(path)
    kind, label = path.suffix.lower(), shown(path.name)
    if kind not in ENDINGS:
        what = f'the ending "{shown(kind)}" is not one of measured data.' if kind else "the name has no ending."
        raise InputError(Fault(label, what, f"Read are {', '.join(ENDINGS)}."))
    if kind == ".csv":
        return (_of_table(content_of(path, label), label),)
    if kind == ".npz":
        return (_of_arrays(_npz(path, label), label),)
    found = read_uff(path)[1]
    if not found:
        what = "the file has modes (dataset 55), but no functions (dataset 58)."
        raise InputError(Fault(label, what, "Read them: eb.measured_modes(path)."))
    return found


def functions_of(data: Mapping[str, Any], label: str = "data") -> Functions:
    """Functions of a map: {"t": times, name: values, ...}, or {"frequency_hz", "response" (nf, ny, nu), "outputs",
    "inputs"}, or as `write` makes .npz files."""
    return _of_arrays({key: np.asarray(value) for key, value in data.items()}, label)


# ---- tables


def _of_table(content: bytes, label: str) -> Functions:
    try:
        lines = [line for line in csv.reader(io.StringIO(content.decode("utf-8-sig"))) if line]
        titles, rows = [cell.strip() for cell in lines[0]], np.array([[float(c) for c in line] for line in lines[1:]])
    except (UnicodeDecodeError, csv.Error, ValueError, IndexError) as problem:
        raise InputError(Fault(label, f"this is no table of numbers below titles ({problem}).", LAYOUT)) from problem
    if rows.ndim != 2 or rows.shape[1] != len(titles) or len(titles) < 2:
        raise InputError(Fault(label, "the lines are not as long as the titles.", LAYOUT))
    first = titles[0].lower()
    if first in TIMES:
        return _histories(label, rows[:, 0], dict(zip(titles[1:], rows[:, 1:].T, strict=True)))
    if first not in FREQUENCIES:
        raise InputError(Fault(label, f'the first column is "{shown(titles[0])}".', LAYOUT))
    parts: dict[tuple[str, str, str], dict[str, np.ndarray]] = {}
    for title, column in zip(titles[1:], rows[:, 1:].T, strict=True):
        found = ENTRY.fullmatch(title)
        if found is not None:
            key = (found["response"], found["reference"] or "", found["unit"] or "")
            parts.setdefault(key, {})[found["part"]] = column
    whole = {key: own["real"] + 1j * own["imag"] for key, own in parts.items() if len(own) == 2}
    if not whole:
        raise InputError(Fault(label, "there is no pair of columns with real and imaginary parts.", LAYOUT))
    names = zip(*whole, strict=True)
    return _checked(Functions(label, "frequency", rows[:, 0], np.column_stack(list(whole.values())), *names), label)


# ---- arrays


def _npz(path: Path, label: str) -> dict[str, np.ndarray]:
    content_of(path, label)
    try:
        with np.load(path, allow_pickle=False) as held:
            return {name: held[name] for name in held.files}
    except (ValueError, OSError, KeyError, zipfile.BadZipFile) as problem:
        raise InputError(
            Fault(label, f"this is no file of arrays ({problem}).", "Write it with numpy.savez.")
        ) from problem


def _of_arrays(arrays: Mapping[str, np.ndarray], label: str) -> Functions:
    if "response" in arrays and "frequency_hz" in arrays:
        return _responses(arrays, label)
    times = next((name for name in arrays if name.lower() in TIMES), None)
    if times is None:
        what = "there is neither an array t (s) nor frequency_hz with response."
        raise InputError(Fault(label, what, "Name them so."))
    signals: dict[str, np.ndarray] = {}
    for group in ("input", "output"):
        if f"{group}s" in arrays and f"{group}_names" in arrays:
            columns = np.asarray(arrays[f"{group}s"])
            signals |= dict(zip((str(n) for n in arrays[f"{group}_names"]), columns.T, strict=False))
    if not signals:
        count = len(np.atleast_1d(arrays[times]))
        signals = {n: a for n, a in arrays.items() if n != times and np.shape(a) == (count,) and a.dtype.kind in "fiu"}
    return _histories(label, arrays[times], signals)


def _histories(label: str, t: np.ndarray, signals: Mapping[str, np.ndarray]) -> Functions:
    if not signals:
        raise InputError(Fault(label, "there is no signal beside the time.", LAYOUT))
    values = np.column_stack([np.asarray(v, dtype=float) for v in signals.values()])
    none = ("",) * len(signals)
    return _checked(Functions(label, "time", np.asarray(t, dtype=float), values, tuple(signals), none, none), label)


def _responses(arrays: Mapping[str, np.ndarray], label: str) -> Functions:
    hz, H = np.asarray(arrays["frequency_hz"], dtype=float), np.asarray(arrays["response"], dtype=complex)
    if H.ndim != 3 or len(H) != len(hz):
        what = f"the response has shape {H.shape}, not (frequencies, outputs, inputs) = ({len(hz)}, ...)."
        raise InputError(Fault(label, what))
    outputs, inputs = (
        [str(n) for n in arrays[key]] if key in arrays else [f"{key[0]}{k + 1}" for k in range(size)]
        for key, size in (("outputs", H.shape[1]), ("inputs", H.shape[2]))
    )
    pairs = [(i, j) for j in range(H.shape[2]) for i in range(H.shape[1])]
    names = tuple(outputs[i] for i, _ in pairs), tuple(inputs[j] for _, j in pairs), ("",) * len(pairs)
    return _checked(Functions(label, "frequency", hz, np.column_stack([H[:, i, j] for i, j in pairs]), *names), label)


def _checked(found: Functions, label: str) -> Functions:
    if found.x.ndim != 1 or len(found.x) != len(found.values):
        raise InputError(Fault(label, "there are not as many values as times or frequencies."))
    if not (np.isfinite(found.x).all() and np.isfinite(found.values).all()):
        raise InputError(Fault(label, "some values are no numbers.", "Leave out, or fill in, what was not measured."))
    if not (np.diff(found.x) > 0).all():
        raise InputError(Fault(label, "times or frequencies do not rise.", "Sort the lines."))
    return found
