"""First-order equations: what they print, their document and matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eigenbody.exchange.block import LinearBlock
from eigenbody.linearization.look import matrix_grid
from eigenbody.present.axes import Over, over
from eigenbody.present.documents import number, require_finite
from eigenbody.present.export import matrix_records
from eigenbody.present.tables import Sheet, counted, listed, significant
from eigenbody.present.words import model_name, remarks_below

if TYPE_CHECKING:
    import numpy as np

    from eigenbody.linearization.first_order import FirstOrderModel

_MOMENTA = {"m/s": "kg*m/s", "rad/s": "kg*m^2/s"}
TITLES = {"A": "State matrix A", "B": "Input matrix B", "C": "Output matrix C", "D": "Feedthrough D"}


def sheet(found: FirstOrderModel) -> Sheet:
    """The matrices while they are small."""
    lines = [f"{counted(len(found.states), 'state')} by {found.form}: {listed(found.states) or 'none'}"]
    if found.hamiltonian is not None:
        defect = significant(found.hamiltonian, 2)
        lines.append(f"Defect of a Hamiltonian matrix, J A - (J A)^T relative to J A: {defect}")
    grids = [matrix_grid(TITLES[key], *parts) for key, parts in _matrices(found).items() if parts[0].size]
    title = f"First-order equations of {model_name(found.linear.point)}"
    return Sheet(title, lines, grids, remarks_below(found.linear))


def _matrices(found: FirstOrderModel) -> dict[str, tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]]:
    x, u, y = found.states, found.linear.inputs, found.linear.outputs
    return {"A": (found.A, x, x), "B": (found.B, x, u), "C": (found.C, y, x), "D": (found.D, y, u)}


def document(found: FirstOrderModel) -> dict[str, Any]:
    """`linearize --form momenta --json`."""
    require_finite(A=found.A, B=found.B, C=found.C, D=found.D)
    linear = found.linear
    return {
        "model": linear.point.model.name,
        "form": found.form,
        "dof": linear.dof,
        "coordinates": list(linear.coordinates),
        "velocities": list(linear.velocities),
        "states": list(found.states),
        "inputs": list(linear.inputs),
        "outputs": list(linear.outputs),
        **{key: (parts[0] + 0.0).tolist() for key, parts in _matrices(found).items()},
        "hamiltonian": None if found.hamiltonian is None else number(found.hamiltonian),
        "certificate": linear.certificate.as_dict(),
        "notes": list(linear.notes),
        "warnings": list(linear.point.warnings),
    }


def arrays(found: FirstOrderModel) -> dict[str, Any]:
    """The matrices and their names."""
    names = {"states": found.states, "inputs": found.linear.inputs, "outputs": found.linear.outputs}
    return {"A": found.A, "B": found.B, "C_out": found.C, "D": found.D, **names}


def block(found: FirstOrderModel) -> LinearBlock:
    """What an FMU or a Modelica block is made of; momenta have the units of momentum."""
    linear, units = found.linear, found.linear.units
    first, n = len(linear.coordinates), len(linear.velocities)
    own = units.states if found.form == "velocities" else (
        *units.states[:first], *(_MOMENTA.get(unit, "") for unit in units.states[first : first + n]),
        *units.states[first + n :])  # fmt: skip
    space = (found.A, found.B, found.C, found.D)
    names = (found.states, linear.inputs, linear.outputs)
    return LinearBlock(linear.point.model.name, *space, *names, own, units.inputs, units.outputs)


def axes(found: FirstOrderModel) -> dict[str, Over]:
    """What the matrices lie over."""
    return {
        "A": over(rate="states", state="states"),
        "B": over(rate="states", input="inputs"),
        "C_out": over(output="outputs", state="states"),
        "D": over(output="outputs", input="inputs"),
    }


def records(found: FirstOrderModel) -> Iterator[list[Any]]:
    """A block for each matrix."""
    blocks = [(key, *parts) for key, parts in _matrices(found).items() if parts[0].size]
    for k, (key, matrix, rows, columns) in enumerate(blocks):
        if k:
            yield []
        yield from matrix_records(key, matrix, rows, columns)
