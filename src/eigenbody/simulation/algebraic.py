"""The loop in which forces read what they bring about, at one state after another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eigenbody.dynamics.algebraic import AlgebraicVariables, Response
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.mobility.partition import Selection
from eigenbody.system.system import System

Solve = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def loop_solved(
    system: System,
    chosen: Selection,
    variables: AlgebraicVariables,
    without: tuple[np.ndarray, np.ndarray],
    solve: Solve,
) -> np.ndarray:
    """z (n,): `without` are the accelerations and multipliers without the forces that read z, `solve` answers forces
    (nq,) and accelerations of the chosen rows by such."""
    first = Multipliers.of(system, chosen, without[1])
    none = np.zeros(len(without[1]))
    answers = [solve(np.ascontiguousarray(push), none) for push in variables.pushes().T]
    if not answers:
        return variables.solved(variables.values(first.held, first.slip, without[0]))
    acceleration, rows = (np.stack([answer[k] for answer in answers], axis=-1) for k in range(2))
    m = Multipliers.of_columns(system, chosen, rows)
    Y = variables.through(Response(acceleration, m.held, m.slip))
    return variables.solved(variables.values(first.held, first.slip, without[0]), Y)
