"""Equations of motion as expressions: what they print, their document and files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigenbody.analyses.verify.look.route import eigenvalue_entries, eigenvalue_lines, matrix_rows
from eigenbody.present.export import Writer, text_file
from eigenbody.present.tables import Grid, Sheet
from eigenbody.present.words import model_name, noted

if TYPE_CHECKING:
    from eigenbody.analyses.symbolic import SymbolicModel

SOURCE = "lecture notes on multibody vibration"
LONGEST = 2000  # characters of an equation that are printed


def _file(language: str) -> Any:
    def writer(found: SymbolicModel, path: Path) -> Writer:
        return text_file(found.text(language))

    return writer


FILES = {"tex": _file("latex"), "py": _file("python"), "c": _file("c"), "mo": _file("modelica")}


def sheet(found: SymbolicModel) -> Sheet:
    """Coordinates, parameters, equations of motion, linear equations."""
    lines = [found.title, f"Source: {SOURCE}"]
    linear = found.linear
    reference = [_reference(found, k) for k in range(len(found.q))]
    rows = tuple((str(q), name, at) for q, name, at in zip(found.q, found.coordinates, reference, strict=True))
    grids: list[Grid | str] = [Grid("Coordinates", ("symbol", "name", "reference"), rows, (False,) * 3)]
    if found.parameters:
        values = tuple((name, f"{value:.12g}") for name, value in found.parameters.items())
        grids.append(Grid("Parameters, SI units", ("symbol", "value"), values, (False, True)))
    held = " + G^T lambda" if found.held_by else ""
    grids.append(_block(f"Equations of motion M q'' + g = d{held}", {"M": found.M, "g": found.g, "d": found.d}))
    if found.held_by:
        grids.append(_block("Constraints", {"Phi": found.constraints, "G": found.G, "gamma": found.gamma}))
    x = ", ".join(linear.coordinates)
    beside = "" if linear.is_reduced else ", with G x = 0"
    parts = {"M": linear.M, "D": linear.D, "G": linear.G, "C": linear.C, "N": linear.N}
    grids.append(_block(f"Linear equations M x'' + (D + G) x' + (C + N) x = 0{beside}, x = {x}", parts))
    grids.append("\n".join(("Eigenvalues, 1/s", *eigenvalue_lines(found.numbers.eigenvalues))))
    return Sheet(f"{model_name(found.point)}: equations of motion", lines, grids, noted(found.notes))


def _reference(found: SymbolicModel, k: int) -> str:
    known = found.linear.reference.get(found.q[k])
    return f"{found.eqs.kin.coordinates.reference[k]:.6g}" if known is None else str(known)


def _block(title: str, matrices: dict[str, Any]) -> str:
    lines = [title]
    for name, matrix in matrices.items():
        rows = [[str(matrix[i, j]) for j in range(matrix.shape[1])] for i in range(matrix.shape[0])]
        if all(entry == "0" for row in rows for entry in row):
            lines.append(f"  {name} = 0")
            continue
        for i, row in enumerate(rows):
            head = f"  {name} = " if not i else " " * (len(name) + 5)
            text = f"{head}[{', '.join(row)}]"
            lines.append(text if len(text) <= LONGEST else f"{text[:LONGEST]} ... (all of it: --code, --out)")
    return "\n".join(lines)


def document(found: SymbolicModel) -> dict[str, Any]:
    """`linearize --method symbolic --json`: that of every route, and the expressions as text."""
    linear = found.linear
    return {
        "model": found.point.model.name,
        "method": "symbolic",
        "form": found.form,
        "title": found.title,
        "source": SOURCE,
        "is_exact": True,
        "notes": list(found.notes),
        "matrices": {name: matrix_rows(matrix) for name, matrix in found.numbers.matrices.items()},
        "eigenvalues": eigenvalue_entries(found.numbers.eigenvalues),
        "coordinates": list(found.coordinates),
        "symbols": {name: list(map(str, getattr(found, name))) for name in ("q", "u", "a", "multipliers")},
        "parameters": dict(found.parameters),
        "energies": {"kinetic": str(found.kinetic_energy), "potential": str(found.potential_energy)},
        "equations": {name: _texts(getattr(found, name)) for name in ("M", "g", "d", "constraints", "G", "gamma")},
        "held_by": list(found.held_by),
        "linear": {
            "coordinates": list(linear.coordinates),
            "is_reduced": linear.is_reduced,
            **{name: _texts(getattr(linear, name)) for name in ("M", "D", "G", "C", "N")},
            "A": None if linear.A is None else _texts(linear.A),
        },
    }


def _texts(matrix: Any) -> list[list[str]]:
    return [[str(entry) for entry in row] for row in matrix.tolist()]
