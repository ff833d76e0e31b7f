"""Algebraic variables along a motion: multipliers of all rows, and the loop in which forces read what they bring about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from eigenbody.dynamics.algebraic import AlgebraicVariables, Response
from eigenbody.mobility.partition import Selection
from eigenbody.system.system import System

Solve = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers:
    """Multipliers of all rows, zero on the redundant ones; further axes may follow."""

    held: np.ndarray
    slip: np.ndarray

    @staticmethod
    def of(system: System, chosen: Selection, chosen_rows: np.ndarray) -> Multipliers:
        """From those of the chosen rows, holonomic ones first."""
        held, slip = (np.zeros((n, *chosen_rows.shape[1:])) for n in (system.constraints.count, system.slips.count))
        held[chosen.rows] = chosen_rows[: len(chosen.rows)]
        slip[chosen.slip_rows] = chosen_rows[len(chosen.rows) :]
        return Multipliers(held, slip)

    @property
    def multipliers(self) -> np.ndarray:
        """Of the holonomic rows."""
        return self.held

    @property
    def slip_multipliers(self) -> np.ndarray:
        """Of the slip rows."""
        return self.slip


def loop_solved(
    system: System, chosen: Selection, variables: AlgebraicVariables, without: tuple[np.ndarray, np.ndarray], solve: Solve
) -> np.ndarray:
    """z (n,): `without` are the accelerations and multipliers without the forces that read z, `solve` answers forces
    (nq,) and accelerations of the chosen rows by such."""
    first = Multipliers.of(system, chosen, without[1])
    none = np.zeros(len(without[1]))
    answers = [solve(np.ascontiguousarray(push), none) for push in variables.pushes().T]
    if not answers:
        return variables.solved(variables.values(first.held, first.slip, without[0]))
    acceleration, rows = (np.stack([answer[k] for answer in answers], axis=-1) for k in range(2))
    m = Multipliers.of(system, chosen, rows)
    Y = variables.through(Response(acceleration, m.held, m.slip))
    return variables.solved(variables.values(first.held, first.slip, without[0]), Y)
