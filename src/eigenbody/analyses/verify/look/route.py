"""The linear equations of one route: what they print, their document and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.verify.look import complex_text, pair
from eigenbody.linearization.look import matrix_grid
from eigenbody.present.tables import Grid, Sheet
from eigenbody.present.words import model_name, noted

if TYPE_CHECKING:
    from eigenbody.analyses.verify.find import RouteModel


def sheet(found: RouteModel) -> Sheet:
    """Matrices and eigenvalues."""
    route, linear = found.route, found.linear
    grids: list[Grid | str] = []
    for name, matrix in linear.matrices.items():
        if np.iscomplexobj(matrix):
            grids.append("\n".join((f"{name}, 1/s", *eigenvalue_lines(matrix))))
            continue
        whole = np.atleast_2d(np.asarray(matrix, float))
        labels = [[str(i + 1) for i in range(size)] for size in whole.shape]
        grids.append(matrix_grid(name, whole, labels[0], labels[1]))
    grids.append("\n".join(("Eigenvalues, 1/s", *eigenvalue_lines(linear.eigenvalues))))
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
        "matrices": {name: matrix_rows(matrix) for name, matrix in linear.matrices.items()},
        "eigenvalues": eigenvalue_entries(linear.eigenvalues),
    }


def matrix_rows(array: np.ndarray) -> list[Any]:
    """Rows of a matrix or a vector; complex entries with both parts."""
    if np.iscomplexobj(array):
        return [matrix_rows(row) if np.ndim(row) else pair(complex(row)) for row in array]
    rows: list[Any] = np.asarray(array, float).tolist()
    return rows


def eigenvalue_entries(values: np.ndarray) -> list[Any]:
    """Eigenvalues in the order in which they are listed."""
    return matrix_rows(_sorted(values))


def eigenvalue_lines(values: np.ndarray) -> list[str]:
    """Eigenvalues, one on a line."""
    return [f"  {complex_text(value, 12)}" for value in _sorted(values)]


def _sorted(eigenvalues: np.ndarray) -> np.ndarray:
    values = np.asarray(eigenvalues, complex).ravel()
    return values[np.lexsort((values.imag, values.real, np.round(np.abs(values), 9)))]
