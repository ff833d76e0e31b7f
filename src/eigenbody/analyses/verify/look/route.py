"""The linear equations of one route: what they print, their document and files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.verify.look import complex_text, pair
from eigenbody.linearization.look import matrix_grid
from eigenbody.present.export import Writer, text_file
from eigenbody.present.tables import Grid, Sheet
from eigenbody.present.words import model_name, noted

if TYPE_CHECKING:
    from eigenbody.analyses.verify.find import RouteModel


def _equations(found: RouteModel, path: Path) -> Writer:
    return text_file(found.exported(path.suffix.removeprefix(".").lower()))


FILES = {"tex": _equations, "py": _equations}


def sheet(found: RouteModel) -> Sheet:
    """Matrices and eigenvalues."""
    route, linear = found.route, found.linear
    grids: list[Grid | str] = []
    for name, matrix in linear.matrices.items():
        if np.iscomplexobj(matrix):
            grids.append("\n".join((f"{name}, 1/s", *_listed(matrix))))
            continue
        whole = np.atleast_2d(np.asarray(matrix, float))
        labels = [[str(i + 1) for i in range(size)] for size in whole.shape]
        grids.append(matrix_grid(name, whole, labels[0], labels[1]))
    grids.append("\n".join(("Eigenvalues, 1/s", *_listed(linear.eigenvalues))))
    title = f"{model_name(found.point)} by {route.name}: {route.title}"
    return Sheet(title, [f"Source: {route.source}"], grids, noted(linear.notes))


def document(found: RouteModel) -> dict[str, Any]:
    """`linearize --method NAME --json`."""
    route, linear = found.route, found.linear
    return {
        "model": found.point.model.name,
        "method": route.name,
        "title": route.title,
        "source": route.source,
        "is_exact": linear.is_exact,
        "notes": list(linear.notes),
        "matrices": {name: _entries(matrix) for name, matrix in linear.matrices.items()},
        "eigenvalues": _entries(_sorted(linear.eigenvalues)),
    }


def _entries(array: np.ndarray) -> list[Any]:
    """Rows of a matrix or a vector; complex entries with both parts."""
    if np.iscomplexobj(array):
        return [_entries(row) if np.ndim(row) else pair(complex(row)) for row in array]
    rows: list[Any] = np.asarray(array, float).tolist()
    return rows


def _listed(values: np.ndarray) -> list[str]:
    return [f"  {complex_text(value, 12)}" for value in _sorted(values)]


def _sorted(eigenvalues: np.ndarray) -> np.ndarray:
    values = np.asarray(eigenvalues, complex).ravel()
    return values[np.lexsort((values.imag, values.real, np.round(np.abs(values), 9)))]
