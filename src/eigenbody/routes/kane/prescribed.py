"""Prescribed motions and couplings: linear rows on the coordinates of the tree, C x'' = given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.model.description import Description
from eigenbody.model.expressions import Expression
from eigenbody.routes.base import Place
from eigenbody.routes.joints import ROTATIONS, motions, terms_of
from eigenbody.routes.kane.tree import Tree


@dataclass(frozen=True, eq=False)
class Prescribed:
    """Rows C (m, n), the accelerations x'' they give with the free ones zero (n,), and the free motions N (n, f).

    `chosen` (f,) are the coordinates that stay independent: N has the identity there.
    """

    rows: np.ndarray
    particular: np.ndarray
    free: np.ndarray
    chosen: np.ndarray


def prescribed(rows: np.ndarray, given: np.ndarray) -> Prescribed:
    """Solve the rows for as many coordinates as they determine."""
    m, n = rows.shape
    chosen, reduced, rest = list(range(n)), rows.astype(float), given.astype(float)
    pivots: list[int] = []
    size = np.abs(rows).max(initial=0.0)
    for row in range(m):  # Gauss-Jordan with the largest entry of each row
        pivot = int(np.abs(reduced[row]).argmax())
        if abs(reduced[row, pivot]) <= 1e-12 * size:
            raise ComputationError("kane: the prescribed motions and couplings are not independent; remove one.")
        rest[row] /= reduced[row, pivot]
        reduced[row] /= reduced[row, pivot]
        for other in range(m):
            if other != row:
                rest[other] -= reduced[other, pivot] * rest[row]
                reduced[other] -= reduced[other, pivot] * reduced[row]
        pivots.append(pivot)
        chosen.remove(pivot)
    free, particular = np.zeros((n, len(chosen))), np.zeros(n)
    free[chosen, range(len(chosen))] = 1.0
    free[pivots] = -reduced[:, chosen]
    particular[pivots] = rest
    return Prescribed(rows, particular, free, np.array(chosen, dtype=int))


def index_of(tree: Tree, name: str) -> int | None:
    """The scalar coordinate of the tree that a measure is, or None."""
    stem, _, label = name.partition(".")
    for candidate in (name, stem if label in ("angle", "displacement") else name):
        if candidate in tree.coordinates and candidate.rpartition(".")[2] not in ROTATIONS:
            return tree.coordinates.index(candidate)
    return None


def prescribed_of(description: Description, place: Place, tree: Tree) -> Prescribed:
    """All prescribed motions and couplings of a model as rows on its tree."""
    rows, given = [], []
    for name, signal, _ in motions(description):
        row = np.zeros(tree.count)
        index = index_of(tree, name)
        if index is not None:
            row[index] = 1.0
            rows.append(row)
            given.append(_acceleration(signal, place.t))
    for coupling in description.couplings:
        row = np.zeros(tree.count)
        for name, factor in terms_of(coupling).items():
            index = index_of(tree, name)
            if index is not None:
                row[index] += factor
        rows.append(row)
        given.append(0.0)
    return prescribed(np.array(rows).reshape(len(rows), tree.count), np.array(given))


def _acceleration(signal: Any, t: float) -> float:
    if not isinstance(signal, Expression):
        return 0.0
    return float(np.real(signal.derivative("t").derivative("t").evaluate({"t": t})))
