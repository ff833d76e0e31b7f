"""Multipliers by coordinates and rates, and equations of motion written as such."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.routes.base import Place
from eigenbody.routes.symbolic.about import solved
from eigenbody.routes.symbolic.equations import SymbolicEquations
from eigenbody.routes.symbolic.linear import reference

MOST_SOLVED = 3  # constraints up to which the multipliers are written out, and
MOST_OPERATIONS = 80  # in the matrices that they are made of


def solved_multipliers(eqs: SymbolicEquations, place: Place, M: Any, rest: Any, G: Any, gamma: Any) -> Any:
    """(m, 1) lambda = -(G M^-1 G^T)^-1 (G M^-1 rest + gamma) with rest = d - g; None where constraints are redundant,
    more than three, or the expressions long."""
    import sympy

    count = len(eqs.constraints)
    length = sum(entry.count_ops() for matrix in (M, G, rest, gamma) for entry in matrix)
    if not 0 < count <= MOST_SOLVED or length > MOST_OPERATIONS or len(reference(eqs, place).independent) < count:
        return None
    through = solved(sympy.Matrix(M), sympy.Matrix.hstack(sympy.Matrix(G).T, sympy.Matrix(rest)))
    found = -solved(G * through[:, :count], G * through[:, count:] + gamma)
    return np.array(found.tolist(), object)


def as_equations(M: Any, a: tuple[Any, ...], g: Any, right: Any) -> tuple[Any, ...]:
    """M a + g = right, one SymPy equation for each row."""
    import sympy

    left = M * sympy.Matrix(a) + g
    return tuple(sympy.Eq(left[k], right[k], evaluate=False) for k in range(len(a)))
