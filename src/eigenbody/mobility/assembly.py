"""Assembly of a rough drawing: joints are closed by the least change measured by mass, so heavy bodies move least.

All rows are taken together, redundant ones too, in the damped least-squares sense (Levenberg-Marquardt in the metric of
the mass matrix): [[M, G^T], [G, -mu]] dq = -phi. Where the links fit, the rows close to rounding; where they do not,
what remains is the best compromise, and its gaps name the joints that disagree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.projection import weight
from eigenbody.mobility.treespace import gradient_rows, value_set
from eigenbody.mobility.turns import counted
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, factor, matrix, stack
from eigenbody.system.state import State
from eigenbody.system.system import System

CLOSES = 1e-12  # gaps of a drawing that is exact, in lengths of the mechanism
ITERATIONS = 200
REACH = 0.3  # largest step: rad, or lengths of the mechanism
DAMPING = (1e-12, 1e8)  # of the least squares, relative to the rows


def is_rough(drawn: Mechanics) -> bool:
    """Whether joints are open in the drawing."""
    system, gaps = drawn.system, np.abs(drawn.holonomic.value)
    wide = (gaps > CLOSES * max(system.length, 1e-300)).nonzero()[0]
    return any(system.constraints.rows[i].kind == "joint" for i in wide.tolist())


def remarks_on_assembly(system: System, state: State) -> tuple[str, ...]:
    """How open the joints of a rough drawing are, and how far bodies moved from it to the state."""
    drawn = Mechanics(system, system.reference_state())
    if not is_rough(drawn):
        return ()
    gaps = np.where([row.kind == "joint" for row in system.constraints.rows], np.abs(drawn.holonomic.value), 0.0)
    moved = np.abs(state.r - drawn.state.r).max(axis=-1)
    far, names = int(moved.argmax()), system.description.bodies.names
    worst = system.constraints.rows[int(gaps.argmax())].owner
    return (
        f"Joints of the drawing are open by up to {gaps.max():.3g} (m or rad, {worst})"
        f" and were closed by moving bodies; the farthest from its drawing is {names[far]}, by {moved[far]:.3g} m.",
    )


def _joint_rows(system: System) -> np.ndarray:
    return np.array([i for i, row in enumerate(system.constraints.rows) if row.kind == "joint"], dtype=int)


@dataclass(frozen=True, eq=False)
class Compromise:
    """Where all rows hold as well as they can together: the state and what is left open (rows, then given values)."""

    state: State
    gaps: np.ndarray
    given_gaps: np.ndarray

    @property
    def largest(self) -> float:
        return float(max(self.gaps.max(initial=0.0), self.given_gaps.max(initial=0.0)))


def close_joints(system: System, drawing: State, given: np.ndarray, target: np.ndarray) -> Compromise:
    """Close the joints of a drawing with some measures at their given values; prescribed motions and couplings stay
    as drawn."""
    drawn = np.array(Mechanics(system, drawing).holonomic.value)
    drawn[_joint_rows(system)] = 0.0
    return compromise(system, drawing, drawn, given, target)


def compromise(system: System, state: State, phi: np.ndarray, given: np.ndarray, target: np.ndarray) -> Compromise:
    """The nearest state in which rows have the values `phi` and measures those of `target`, as far as possible."""
    problem = _LeastSquares(system, phi, given, target)
    damping = 1e-3
    gaps, cost = problem.gaps(state)
    for _ in range(ITERATIONS):
        if cost == 0.0 or damping > DAMPING[1]:
            break
        step = problem.step(state, gaps, damping)
        size = float(np.abs(step / problem.unit).max(initial=0.0))
        if not np.isfinite(size):
            damping *= 10
            continue
        ahead = counted(system, state, state.moved(system, step * min(1.0, REACH / max(size, 1e-300))))
        new_gaps, new_cost = problem.gaps(ahead)
        if new_cost < cost:
            stalled = new_cost > (1 - 1e-9) * cost or size < 1e-15
            state, gaps, cost, damping = ahead, new_gaps, new_cost, max(damping * 0.05, DAMPING[0])
            if stalled:
                break
        else:
            damping = max(10 * damping, 1e-9)
    n = system.constraints.count
    return Compromise(state, np.abs(gaps[:n]), np.abs(gaps[n:]))


class _LeastSquares:
    """Rows and given measures as one list of equations."""

    def __init__(self, system: System, phi: np.ndarray, given: np.ndarray, target: np.ndarray) -> None:
        self.system, self.goal = system, np.concatenate((phi, target))
        self.measures = value_set(system, given)
        self.M = weight(system)
        self.unit = np.where(system.is_angular, 1.0, max(system.length, 1e-300))
        self.is_sparse = system.nq > DENSE_LIMIT
        self.scale = self._row_scale(system.reference_state())

    def _row_scale(self, state: State) -> np.ndarray:
        """Gaps in lengths of the mechanism where a row moves with displacements; angles and cosines as they are."""
        moving = abs(self._rows(state)) @ np.where(self.system.is_angular, 0.0, 1.0)
        return np.where(moving > 1e-12, 1.0 / max(self.system.length, 1e-300), 1.0)

    def _rows(self, state: State) -> Any:
        system, mechanics = self.system, Mechanics(self.system, state)
        G = matrix(mechanics.holonomic.rows(), (system.constraints.count, system.nq), self.is_sparse)
        own = matrix([gradient_rows(mechanics, self.measures)], (self.measures.count, system.nq), self.is_sparse)
        return stack([G, own])

    def gaps(self, state: State) -> tuple[np.ndarray, float]:
        """What is open, and the sum of its squares as far as it is beyond rounding."""
        mechanics = Mechanics(self.system, state)
        values = self.measures.jet(mechanics.at, state.turns).value
        gaps = np.real(np.concatenate((mechanics.holonomic.value, values)) - self.goal)
        scaled = gaps * self.scale
        return gaps, float(scaled @ scaled) if np.abs(scaled).max(initial=0.0) > 1e-16 else 0.0

    def step(self, state: State, gaps: np.ndarray, damping: float) -> np.ndarray:
        """The damped least-squares step in the metric of the mass matrix."""
        rows, n, m = self._rows(state), self.system.nq, len(gaps)
        try:
            if isinstance(rows, np.ndarray):
                G = rows * self.scale[:, None]
                mu = damping * float(np.mean((G**2) @ (1 / np.diagonal(self.M))))
                whole: Any = np.block([[self.M, G.T], [G, -mu * np.eye(m)]])
            else:
                from scipy.sparse import block_array, diags_array, eye_array

                G = diags_array(self.scale) @ rows
                mu = damping * float(np.mean(G.power(2) @ (1 / self.M.diagonal())))
                whole = block_array([[self.M, G.T], [G, -mu * eye_array(m)]], format="csc")
            return factor(whole).solve(np.concatenate((np.zeros(n), -gaps * self.scale)))[:n]
        except ComputationError:
            return np.full(n, np.nan)


def gap_faults(system: System, found: Compromise, where: tuple[str, ...], floor: float) -> list[Fault]:
    """One fault for each joint, coupling, driver or given value left open in the best compromise, worst first."""
    worst: dict[str, float] = {}
    places = [row.where for row in system.constraints.rows] + list(where)
    for place, gap in zip(places, np.concatenate((found.gaps, found.given_gaps)), strict=True):
        worst[place] = float(np.hypot(worst.get(place, 0.0), gap))
    ranked = sorted((item for item in worst.items() if item[1] > floor), key=lambda item: -item[1])
    return [
        Fault(
            place,
            f"stays open by {gap:.3g} (m or rad) in the best compromise with the others.",
            "Correct a length, an axis or a given value.",
        )
        for place, gap in ranked[:8]
    ]
