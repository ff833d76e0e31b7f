"""Linear models: what they print, their document, matrices and files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.block import LinearBlock
from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import require_finite, require_finite_linear
from eigenbody.present.export import Writer, array_file, matrix_records
from eigenbody.present.tables import MAX_MATRIX, Grid, Sheet, counted, listed, significant
from eigenbody.present.words import model_name, remarks_below

if TYPE_CHECKING:
    from eigenbody.linearization.model import LinearModel
    from eigenbody.linearization.pencil import Descriptor

TITLES = {"mass": "Mass M", "damping": "Damping C", "stiffness": "Stiffness K", "A": "State matrix A",
          "B": "Input matrix B", "C": "Output matrix C", "D": "Feedthrough D"}  # fmt: skip


def sheet(linear: LinearModel) -> Sheet:
    """Names and units, and the matrices while they are small."""
    dof = counted(linear.dof, "degree of freedom", "degrees of freedom")
    lines = [
        f"{dof}, {counted(len(linear.states), 'state')}, {counted(len(linear.inputs), 'input')},"
        f" {counted(len(linear.outputs), 'output')}",
        f"Coordinates: {listed(linear.coordinates) or 'none'}",
    ]
    if len(linear.velocities) != len(linear.coordinates):
        lines.append(f"Velocities (non-holonomic constraints leave fewer): {listed(linear.velocities) or 'none'}")
    if linear.inputs:
        lines.append(f"Inputs: {listed(_with_units(linear.inputs, linear.units.inputs))}")
    if linear.outputs:
        lines.append(f"Outputs: {listed(_with_units(linear.outputs, linear.units.outputs))}")
    lines += _split_line(linear)
    return Sheet(f"Linear model of {model_name(linear.point)}", lines, _grids(linear), remarks_below(linear))


def _split(linear: LinearModel) -> dict[str, np.ndarray]:
    """Symmetric and skew parts of C and K, where there are such; what rounding may have left of one is zero."""
    if linear.is_sparse or len(linear.coordinates) != len(linear.velocities):
        return {}
    parts = {
        "dissipative": (linear.damping, linear.noise_C), "gyroscopic": (linear.gyroscopic, linear.noise_C),
        "conservative": (linear.conservative, linear.noise_K), "circulatory": (linear.circulatory, linear.noise_K),
    }  # fmt: skip
    return {name: np.where(np.abs(part) > noise + noise.T, part, 0.0) for name, (part, noise) in parts.items()}


def _split_line(linear: LinearModel) -> list[str]:
    sizes = {name: float(np.abs(part).max(initial=0.0)) for name, part in _split(linear).items()}
    told = [f"{name} {significant(size, 4)}" for name, size in sizes.items() if size]
    return [f"Largest entries of the parts of C and K: {', '.join(told)}"] if told else []


def _with_units(names: Iterable[str], units: Iterable[str]) -> list[str]:
    return [f"{name} [{unit}]" if unit else name for name, unit in zip(names, units, strict=True)]


def _grids(linear: LinearModel) -> list[Grid | str]:
    """Every matrix with names, or its size where it is large."""
    if linear.is_sparse:
        form = linear.descriptor
        return [f"Kept sparse: E z' = A z + B u of order {form.A.shape[0]} with {form.A.nnz} entries in A, see --out"]
    return [matrix_grid(TITLES[key], *parts) for key, parts in _matrices(linear).items() if parts[0].size]


def _matrices(linear: LinearModel) -> dict[str, tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]]:
    """The dense matrices, each with the names of its rows and columns; with non-holonomic constraints, where there are
    fewer velocities than coordinates, A, B, C, D alone."""
    if linear.is_sparse:
        return {}
    space, x, u, y = linear.state_space, linear.states, linear.inputs, linear.outputs
    first = {"A": (space.A, x, x), "B": (space.B, x, u), "C": (space.C, y, x), "D": (space.D, y, u)}
    s, w = linear.coordinates, linear.velocities
    if len(s) != len(w):
        return first
    return {"mass": (linear.M, w, w), "damping": (linear.C, w, w), "stiffness": (linear.K, w, s), **first}


def matrix_grid(title: str, matrix: np.ndarray, rows: Sequence[str], columns: Sequence[str]) -> Grid | str:
    """A matrix with its names; only its size where it is large."""
    if max(matrix.shape) > MAX_MATRIX:
        return f"{title}: {matrix.shape[0]} x {matrix.shape[1]}, see --json or --out"
    cells = tuple(
        (shown(name, 24), *(significant(value) for value in line)) for name, line in zip(rows, matrix, strict=True)
    )
    return Grid(title, ("", *(shown(c, 24) for c in columns)), cells, (False, *(True for _ in columns)))


def document(linear: LinearModel) -> dict[str, Any]:
    """`linearize --json`; a large model has null for the dense matrices and its sparse descriptor form instead."""
    require_finite_linear(linear)
    rows = dict.fromkeys(TITLES) | {key: (parts[0] + 0.0).tolist() for key, parts in _matrices(linear).items()}
    return {
        "model": linear.point.model.name,
        "dof": linear.dof,
        "coordinates": list(linear.coordinates),
        "velocities": list(linear.velocities),
        **{key: rows[key] for key in ("mass", "damping", "stiffness")},
        "split": {name: part.tolist() for name, part in _split(linear).items()} or None,
        "states": list(linear.states),
        "inputs": list(linear.inputs),
        **({"held": held} if (held := linear.point.held) else {}),
        "outputs": list(linear.outputs),
        "units": linear.units.as_dict(),
        **{key: rows[key] for key in "ABCD"},
        **(_descriptor(linear.descriptor) if linear.is_sparse else {}),
        "certificate": linear.certificate.as_dict(),
        "notes": list(linear.notes),
        "warnings": list(linear.point.warnings),
    }


def _descriptor(form: Descriptor) -> dict[str, Any]:
    parts = {name: _entries(getattr(form, name)) for name in "EABCD"}
    return {"descriptor": {**parts, "differential": form.differential}}


def _entries(matrix: Any) -> dict[str, Any]:
    """A sparse matrix by its entries; rows and columns count from zero."""
    coo = matrix.tocoo()
    require_finite(descriptor=coo.data)
    return {
        "shape": list(coo.shape),
        "row": coo.row.tolist(),
        "column": coo.col.tolist(),
        "value": coo.data.tolist(),
    }


def arrays(linear: LinearModel) -> dict[str, Any]:
    """Matrices and names; a large model in its sparse descriptor form E z' = A z, by the entries."""
    require_finite_linear(linear)
    if not linear.is_sparse:
        return _state_space(linear, "C_out", "C") | _names(linear)
    form = linear.descriptor
    parts: dict[str, Any] = {"differential": np.array(form.differential)}
    for name in "EABCD":
        coo = getattr(form, name).tocoo()
        parts |= {f"{name}_row": coo.row, f"{name}_column": coo.col, f"{name}_value": coo.data}
        parts[f"{name}_shape"] = np.array(coo.shape)
    return parts | _names(linear)


def axes(linear: LinearModel) -> dict[str, Over]:
    """What the matrices lie over: forces, rates and outputs by velocities, coordinates, states and inputs."""
    if linear.is_sparse:
        what = f"a model of {linear.dof} degrees of freedom is kept sparse."
        raise InputError(Fault("to_xarray", what, "Use .descriptor, or ask for the solver dense."))
    own = {
        "A": over(rate="states", state="states"),
        "B": over(rate="states", input="inputs"),
        "C_out": over(output="outputs", state="states"),
        "D": over(output="outputs", input="inputs"),
        "E": over(rate="states", state="states"),
        "state_units": over(state="states"),
        "input_units": over(input="inputs"),
        "output_units": over(output="outputs"),
    }
    if len(linear.coordinates) == len(linear.velocities):
        own |= {name: over(force="velocities", velocity="velocities") for name in ("M", "C")}
        own["K"] = over(force="velocities", coordinate="coordinates")
    return own


def _matlab(linear: LinearModel, path: Path) -> Writer:
    """The matrices as MATLAB has them: sparse ones as such, the damping as Cd beside the output matrix C."""
    require_finite_linear(linear)
    form = linear.descriptor
    parts: dict[str, Any] = {name: getattr(form, name).tocsc() for name in "EABCD"}
    if linear.is_sparse:
        return array_file({"differential": np.array(form.differential), **parts} | _names(linear), "mat")
    unknowns = np.array(form.unknowns, dtype=object)
    own = _state_space(linear, "C", "Cd") | _names(linear)
    return array_file({**own, "descriptor": {**parts, "unknowns": unknowns}}, "mat")


FILES = {"mat": _matlab}


def block(linear: LinearModel) -> LinearBlock:
    """What an FMU or a Modelica block is made of."""
    require_finite_linear(linear)
    if linear.is_sparse:
        what = f"a model of {linear.dof} degrees of freedom is kept sparse."
        raise InputError(Fault("--out", what, "Reduce it first: eigenbody reduce, or eb.reduce(model, n=20)."))
    names = (linear.states, linear.inputs, linear.outputs)
    return LinearBlock(linear.point.model.name, *linear.state_space, *names, *linear.units)


def _state_space(linear: LinearModel, output: str, damping: str) -> dict[str, Any]:
    names = {"mass": "M", "damping": damping, "stiffness": "K", "C": output}
    own = {names.get(key, key): parts[0] for key, parts in _matrices(linear).items()}
    return {**own, "E": np.eye(len(linear.states))}


def _names(linear: LinearModel) -> dict[str, Any]:
    return {
        "coordinates": tuple(linear.coordinates),
        "velocities": tuple(linear.velocities),
        "states": tuple(linear.states),
        "inputs": tuple(linear.inputs),
        "outputs": tuple(linear.outputs),
        "state_units": tuple(linear.units.states),
        "input_units": tuple(linear.units.inputs),
        "output_units": tuple(linear.units.outputs),
        "model": np.array(linear.point.model.name),
    }


def records(linear: LinearModel) -> Iterator[Sequence[Any]]:
    """A block for each matrix: its name and the column names, then a line for each row; a blank line between blocks."""
    require_finite_linear(linear)
    if linear.is_sparse:
        what = f"a model of {linear.dof} degrees of freedom is kept sparse, which a table cannot hold."
        raise InputError(Fault(".csv", what, "Write .npz, .mat or .json, or ask for --solver dense."))
    for k, (key, parts) in enumerate(_matrices(linear).items()):
        yield from [()] if k else []
        yield from matrix_records(key, *parts)
