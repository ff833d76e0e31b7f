"""Universal files (.uff, .unv): nodes (dataset 15), lines (82), modes (55) and functions (58).

Written by their formats of fixed columns: coordinates and shapes have six digits there, functions (58 binary) all.
Read by pyuff, which knows how other programs bend the format.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import content_of
from eigenbody.exchange.measured import Functions, NodeShapes
from eigenbody.model.source import shown

START = "    -1\n"
OURS = "eigenbody"
DIRECTIONS = {1: "x", 2: "y", 3: "z", 4: "rx", 5: "ry", 6: "rz"}
TIME_RESPONSE, FREQUENCY_RESPONSE = 1, 4  # types of functions
UNITS = f"{1:10d}{'SI: m, N':<20}{2:10d}\n{1:25.17e}{1:25.17e}{1:25.17e}\n{0:25.17e}\n".replace("e", "D")
KNOWN = (15, 55, 58, 82, 2411)  # datasets that are read; others are passed over


# ---- writing


def write_uff(sets: Sequence[NodeShapes | Functions], path: Path) -> bytes:
    """The bytes of a file with these sets, after a dataset 164 that says: SI units."""
    parts = [f"{START}   164\n{UNITS}{START}".encode()]
    for one in sets:
        parts += _shapes(one) if isinstance(one, NodeShapes) else _functions(one)
    return b"".join(parts)


def _shapes(own: NodeShapes) -> Iterator[bytes]:
    nodes = (f"{n:10d}{0:10d}{0:10d}{0:10d}{_fixed(p)}\n" for n, p in zip(own.numbers, own.position, strict=True))
    yield f"{START}    15\n{''.join(nodes)}{START}".encode()
    for k, (name, numbers) in enumerate(own.traces, 1):
        lines = "".join(f"{number:10d}" + ("\n" if i % 8 == 7 else "") for i, number in enumerate(numbers))
        end = "" if lines.endswith("\n") else "\n"
        yield f"{START}    82\n{k:10d}{len(numbers):10d}{0:10d}\n{_line(name)}{lines}{end}{START}".encode()
    for k, (value, shape) in enumerate(zip(own.eigenvalues, own.shapes, strict=True), 1):
        yield _mode(own, k, complex(value), shape).encode()


def _mode(own: NodeShapes, k: int, value: complex, shape: np.ndarray) -> str:
    """Dataset 55, a complex mode: eigenvalue, then the displacement of each node."""
    ids = (own.name, f"mode {k}", "NONE", OURS, "NONE")
    rows = []
    for number, move in zip(own.numbers, shape[:, :3], strict=True):
        rows.append(f"{number:10d}\n{_fixed(np.column_stack((move.real, move.imag)).ravel())}\n")
    numbers = "".join(f"{n:10d}" for n in (1, 3, 2, 8, 5, 3))  # structural, complex, 3 translations, displacement
    head = "".join(f"{n:10d}" for n in (2, 6, 0, k))
    return (
        f"{START}    55\n{''.join(map(_line, ids))}{numbers}\n{head}\n"
        f"{_fixed((value.real, value.imag, 1, 0, 1, 0))}\n{''.join(rows)}{START}"
    )


def _functions(own: Functions) -> Iterator[bytes]:
    is_time = own.over == "time"
    order = 1 if sys.byteorder == "little" else 2
    for k, (response, reference) in enumerate(zip(own.responses, own.references, strict=True)):
        y = own.values[:, k]
        columns = (own.x, y) if is_time else (own.x, y.real, y.imag)
        data = np.column_stack(columns).astype(float).tobytes()  # uneven spacing: every abscissa in full
        kind = TIME_RESPONSE if is_time else FREQUENCY_RESPONSE
        head = [
            f"{START}    58b{order:6d}{2:6d}{11:12d}{len(data):12d}{0:6d}{0:6d}{0:12d}{0:12d}\n",
            *map(_line, (response, reference or "NONE", own.name, OURS, "NONE")),
            f"{kind:5d}{k + 1:10d}{0:5d}{0:10d} {'NONE':>10}{k + 1:10d}{0:4d} {'NONE':>10}{0:10d}{0:4d}\n",
            f"{4 if is_time else 6:10d}{len(own.x):10d}{0:10d}{_fixed((0, 0, 0))}\n",
            _axis(17 if is_time else 18, "Time" if is_time else "Frequency", "s" if is_time else "Hz"),
            _axis(0, "Response", own.units[k]),
            _axis(0, "NONE", "NONE"),
            _axis(0, "NONE", "NONE"),
        ]
        yield "".join(head).encode() + data + START.encode()


def _axis(kind: int, label: str, unit: str) -> str:
    return f"{kind:10d}{0:5d}{0:5d}{0:5d} {label:<20} {_ascii(unit)[:20]:<20}\n"


def _fixed(values: Iterable[float]) -> str:
    return "".join(f"{float(v) + 0.0:13.5e}" for v in values)


def _line(text: str) -> str:
    return f"{_ascii(text)[:80] or 'NONE':<80}\n"


def _ascii(text: str) -> str:
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text)


# ---- reading


def read_uff(path: str | Path) -> tuple[NodeShapes | None, tuple[Functions, ...]]:
    """The modes of a file, where there are some, and its functions: those over the same places are one set."""
    sets = _sets(Path(path))
    label = shown(Path(path).name)
    modes = [s for s in sets if s.get("type") == 55 and s.get("analysis_type") in (2, 3, 7)]
    functions = [s for s in sets if s.get("type") == 58]
    if not modes and not functions:
        what = "the file has neither modes (dataset 55) nor functions (dataset 58)."
        raise InputError(Fault(label, what, "Export these from the program that measured."))
    return (_read_shapes(sets, modes, label) if modes else None), _read_functions(functions, label)


def _sets(path: Path) -> list[dict[str, Any]]:
    from importlib.util import find_spec

    label = shown(path.name)
    if find_spec("pyuff") is None:
        what = "reading universal files needs the package pyuff."
        raise InputError(Fault(label, what, "Install it: pip install 'eigenbody[uff]'."))
    content_of(path, label)
    import pyuff

    try:
        file = pyuff.UFF(str(path))
        return [file.read_sets(k) for k, kind in enumerate(file.get_set_types()) if int(kind) in KNOWN]
    except Exception as problem:  # pyuff raises nothing more precise
        what = f"this is no universal file that can be read ({problem})."
        raise InputError(Fault(label, what, "Export it anew: datasets 15, 82, 55 and 58 are read.")) from problem


def _read_shapes(sets: Sequence[dict[str, Any]], modes: Sequence[dict[str, Any]], label: str) -> NodeShapes:
    places: dict[int, np.ndarray] = {}
    for one in sets:
        if one.get("type") in (15, 2411):
            numbers = one.get("node_nums", one.get("grid_global", ()))
            for number, *p in zip(numbers, one["x"], one["y"], one["z"], strict=True):
                places[int(number)] = np.array(p, dtype=float)
    used = sorted({int(n) for one in modes for n in one["node_nums"]})
    row = {number: k for k, number in enumerate(used)}
    is_full = any("r4" in one for one in modes)
    shapes = np.zeros((len(modes), len(used), 6 if is_full else 3), complex)
    for k, one in enumerate(modes):
        at = [row[int(n)] for n in one["node_nums"]]
        for axis in range(shapes.shape[2]):
            shapes[k, at, axis] = one.get(f"r{axis + 1}", 0.0)
    values = np.array([_eigenvalue(one) for one in modes])
    if not np.isfinite(values).all() or not np.isfinite(shapes).all():
        raise InputError(Fault(label, "a mode has values that are no numbers.", "Export it anew."))
    position = np.array([places.get(n, np.full(3, np.nan)) for n in used]).reshape(-1, 3)
    traces = tuple(
        (str(one["id"]).strip(), tuple(int(n) for n in one["nodes"])) for one in sets if one.get("type") == 82
    )
    order = np.argsort(np.abs(values), kind="stable")
    return NodeShapes(str(modes[0]["id1"]).strip(), np.array(used), position, traces, values[order], shapes[order])


def _eigenvalue(one: dict[str, Any]) -> complex:
    """Of a complex mode as it says; of a normal mode from frequency and damping ratio."""
    if one["analysis_type"] != 2:
        return complex(one["eig"])
    omega, ratio = 2 * math.pi * float(one["freq"]), float(one.get("modal_damp_vis", 0.0))
    ratio = ratio or 0.5 * float(one.get("modal_damp_his", 0.0))
    return complex(-ratio * omega, omega * math.sqrt(max(1 - ratio**2, 0.0)))


def _read_functions(sets: Sequence[dict[str, Any]], label: str) -> tuple[Functions, ...]:
    groups: dict[tuple[str, bytes], list[dict[str, Any]]] = {}
    for one in sets:
        if one["func_type"] in (TIME_RESPONSE, FREQUENCY_RESPONSE):
            over = "time" if one["func_type"] == TIME_RESPONSE else "frequency"
            groups.setdefault((over, np.asarray(one["x"]).tobytes()), []).append(one)
    out = []
    for (over, _), own in groups.items():
        values = np.column_stack([one["data"] for one in own])
        if not np.isfinite(values).all():
            raise InputError(Fault(label, "a function has values that are no numbers.", "Export it anew."))
        responses, references = zip(*(_names_of(one) for one in own), strict=True)
        units = tuple(str(one.get("ordinate_axis_units_lab", "")).strip().replace("NONE", "") for one in own)
        x = np.asarray(own[0]["x"], dtype=float)
        out.append(Functions(str(own[0]["id3"]).strip(), over, x, values, responses, references, units))
    return tuple(out)


def _names_of(one: dict[str, Any]) -> tuple[str, str]:
    """Response and reference: as we wrote them, else node and direction, "3:z"."""
    if str(one["id4"]).strip() == OURS:
        first, second = (str(one[key]).strip() for key in ("id1", "id2"))
        return first, "" if second == "NONE" else second
    return tuple(_place(one[f"{key}_node"], one[f"{key}_dir"]) for key in ("rsp", "ref"))  # type: ignore[return-value]


def _place(node: float, direction: float) -> str:
    sign = "-" if direction < 0 else ""
    name = DIRECTIONS.get(abs(int(direction)), "")
    return f"{int(node)}:{sign}{name}" if name else str(int(node)) if node else ""
