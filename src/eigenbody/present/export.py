"""Results as files: npz, mat, csv or json by the ending of the name, written whole or not at all."""

from __future__ import annotations

import csv
import io
import os
import stat
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from eigenbody.errors import Fault, InputError
from eigenbody.present.documents import (
    as_json,
    dense,
    has_second_order_matrices,
    linear_document,
    mode_entries,
    modes_document,
    require_finite_linear,
    require_finite_modes,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.modes import Modes
    from eigenbody.linearization.large import SparseLinearModel
    from eigenbody.linearization.model import LinearModel

Writer = Callable[[BinaryIO], Any]
DATA_ENDINGS = ("npz", "mat", "csv", "json")
PICTURE_ENDINGS = ("png", "svg", "pdf")


# ---- files


def ending_of(path: str | Path, known: Iterable[str]) -> str:
    """Ending of the name in lower case; InputError that names the known ones when it is another."""
    known = tuple(known)
    ending = Path(path).suffix.removeprefix(".").lower()
    if ending not in known:
        what = f'the ending ".{ending}" is not known.' if ending else "the name has no ending that tells the format."
        raise InputError(Fault(str(path), what, f"Use one of: {', '.join('.' + e for e in known)}."))
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


def modes_writer(modes: Modes, ending: str) -> Writer:
    """Writes modes: npz and mat hold the arrays, csv the table, json the document of `modes --json`."""
    require_finite_modes(modes)
    if ending == "csv":
        return text_file(_modes_csv(modes))
    if ending == "json":
        return text_file(as_json(modes_document(modes)) + "\n")
    return array_file(modes_arrays(modes), ending)


def linear_writer(linear: LinearModel | SparseLinearModel, ending: str) -> Writer:
    """Writes a linear model: npz and mat hold the matrices, csv a labelled block for each, json the document.

    A large model is written in its sparse descriptor form E z' = A z.
    """
    require_finite_linear(linear)
    if ending == "json":
        return text_file(as_json(linear_document(linear)) + "\n")
    full = dense(linear)
    if full is None:
        return _sparse_writer(linear, ending)  # type: ignore[arg-type]
    if ending == "csv":
        return text_file(_linear_csv(full))
    output, damping = ("C", "Cd") if ending == "mat" else ("C_out", "C")
    arrays = _linear_arrays(full, output, damping) | _linear_names(full)
    if ending == "mat":
        form = full.descriptor
        parts = {name: getattr(form, name).tocsc() for name in "EABCD"}
        arrays["descriptor"] = {**parts, "unknowns": names_array(form.unknowns).astype(object)}
    return array_file(arrays, ending)


def _sparse_writer(linear: SparseLinearModel, ending: str) -> Writer:
    if ending == "csv":
        what = f"a model of {linear.dof} degrees of freedom is kept sparse, which a table cannot hold."
        raise InputError(Fault(".csv", what, "Write .npz, .mat or .json, or ask for --solver dense."))
    form = linear.descriptor
    arrays: dict[str, Any] = {"differential": np.array(form.differential)}
    for name in "EABCD":
        matrix = getattr(form, name)
        coo = matrix.tocoo()
        parts = {f"{name}_row": coo.row, f"{name}_column": coo.col, f"{name}_value": coo.data}
        arrays |= {name: matrix.tocsc()} if ending == "mat" else {**parts, f"{name}_shape": np.array(coo.shape)}
    return array_file(arrays | _linear_names(linear), ending)


def figure_writer(figure: Figure, ending: str) -> Writer:
    """Writes a picture; the same figure gives the same bytes."""
    dates: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    return lambda file: figure.savefig(file, format=ending, dpi=150, metadata=dates.get(ending))


def text_file(text: str) -> Writer:
    """Writes text."""
    return lambda file: file.write(text.encode("utf-8", errors="backslashreplace"))


def array_file(arrays: Mapping[str, Any], ending: str) -> Writer:
    """Writes arrays by name as .npz or .mat."""
    if ending == "npz":
        return lambda file: np.savez(file, **arrays)

    def write(file: BinaryIO) -> None:
        from scipy.io import savemat

        text = lambda a: isinstance(a, np.ndarray) and a.dtype.kind == "U" and a.ndim  # noqa: E731
        cells = {n: a.astype(object) if text(a) else a for n, a in arrays.items()}
        savemat(file, cells, oned_as="column", long_field_names=True)

    return write


def names_array(names: Iterable[str]) -> np.ndarray:
    """Names as an array of text."""
    listed = list(names)
    return np.array(listed, dtype=str) if listed else np.zeros(0, dtype="U1")


def modes_arrays(modes: Modes) -> dict[str, np.ndarray]:
    """What a file of arrays holds of modes."""
    states = {} if modes.states_shape is None else {"states_shape": modes.states_shape}  # (modes, states)
    return {
        "eigenvalues": modes.eigenvalues,
        "frequency_hz": modes.frequency_hz,
        "damped_frequency_hz": modes.damped_frequency_hz,
        "damping_ratio": modes.damping_ratio,  # nan where it is undefined: rigid modes
        "kind": names_array(modes.kinds),
        "stability": names_array(modes.stabilities),
        "error": modes.bounds,  # 1/s
        "shapes": modes.shapes,  # (modes, bodies, 6)
        **states,
        "bodies": names_array(modes.bodies),
        **_node_arrays(modes),
        "states": names_array(modes.linear.states),
        "model": np.array(modes.linear.point.model.name),
        "verdict": np.array(modes.stability),
    }


def _node_arrays(modes: Modes) -> dict[str, np.ndarray]:
    """Nodes of flexible bodies, where there are some."""
    nodes = modes.deformations
    if not len(nodes):
        return {}
    return {
        "nodes": names_array(f"{body}.{name}" for body, name in zip(nodes.bodies, nodes.names, strict=True)),
        "node_position": nodes.position,  # (nodes, 3)
        "node_shapes": np.concatenate((nodes.move, nodes.turn), axis=-1),  # (modes, nodes, 6)
    }


def _linear_arrays(linear: LinearModel, output: str, damping: str) -> dict[str, Any]:
    space = linear.state_space
    arrays = {"A": space.A, "B": space.B, output: space.C, "D": space.D, "E": np.eye(len(space.A))}
    if has_second_order_matrices(linear):
        arrays |= {"M": linear.M, damping: linear.C, "K": linear.K}
    return arrays


def _linear_names(linear: LinearModel | SparseLinearModel) -> dict[str, np.ndarray]:
    return {
        "coordinates": names_array(linear.coordinates),
        "velocities": names_array(linear.velocities),
        "states": names_array(linear.states),
        "inputs": names_array(linear.inputs),
        "outputs": names_array(linear.outputs),
        "state_units": names_array(linear.units.states),
        "input_units": names_array(linear.units.inputs),
        "output_units": names_array(linear.units.outputs),
        "model": np.array(linear.point.model.name),
    }


def _modes_csv(modes: Modes) -> str:
    entries = mode_entries(modes)
    columns = ["index", "real", "imag", "frequency_hz", "damped_frequency_hz", "damping_ratio", "kind", "stability"]
    columns += ["error"]
    return csv_text([columns, *([csv_cell(entry[c]) for c in columns] for entry in entries)])


def _linear_csv(linear: LinearModel) -> str:
    """A block for each matrix: its name and the column names, then a line for each row; a blank line between blocks."""
    space = linear.state_space
    x, u, y = linear.states, linear.inputs, linear.outputs
    s, w = linear.coordinates, linear.velocities
    blocks: list[tuple[str, np.ndarray, tuple[str, ...], tuple[str, ...]]] = []
    if has_second_order_matrices(linear):
        blocks += [("mass", linear.M, w, w), ("damping", linear.C, w, w), ("stiffness", linear.K, w, s)]
    blocks += [("A", space.A, x, x), ("B", space.B, x, u), ("C", space.C, y, x), ("D", space.D, y, u)]
    lines: list[Iterable[str]] = []
    for name, matrix, rows, columns in blocks:
        if lines:
            lines.append(())
        lines.append((name, *columns))
        for row, values in zip(rows, np.asarray(matrix).tolist(), strict=True):
            lines.append((row, *map(csv_cell, values)))
    return csv_text(lines)


def csv_cell(value: Any) -> str:
    """A value as a cell; empty for none."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def csv_text(lines: Iterable[Iterable[str]]) -> str:
    """Lines of cells as comma-separated text."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()
