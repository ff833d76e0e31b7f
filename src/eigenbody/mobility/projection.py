"""Back to the constraints by the smallest change, measured by mass: heavy bodies move least."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.bent import stay_below_a_quarter_turn
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.turns import counted
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, Saddle, matrix, stack
from eigenbody.system.state import State
from eigenbody.system.system import System

ITERATIONS = 20
CLOSED = 1e-13  # change of the configuration, in lengths of the mechanism and rad, at which positions are closed
STIFF = 1e8  # and of a modal coordinate that is to be kept
LIGHT = 1e-6  # weight of a coordinate without mass, relative to the mean


def weight(system: System, keep_bent: bool = False) -> Any:
    """The mass matrix, with a small share for coordinates that move no mass so that it is positive definite.

    `keep_bent`: modal coordinates count so much that flexible bodies keep their shape where they can; closing a joint
    must not strain what is stiff.
    """
    M = matrix(Mechanics(system, system.reference_state()).mass(), (system.nq, system.nq), system.nq > DENSE_LIMIT)
    scale = np.where(system.is_angular, system.length**2, 1.0)
    mean = float(np.mean(np.abs(M.diagonal()) / scale)) if system.nq else 0.0
    light = LIGHT * (mean or 1.0) * scale
    if keep_bent and system.description.bodies.modal is not None:
        columns = system.dof[np.flatnonzero(system.description.bodies.modal)]
        light[columns[columns >= 0]] = STIFF * (mean or 1.0)
    if isinstance(M, np.ndarray):
        return M + np.diag(light)
    from scipy.sparse import diags_array

    return (M + diags_array(light)).tocsc()


def held_rows(mechanics: Mechanics, chosen: Selection, what: str = "gradient") -> Any:
    """Independent constraint rows, holonomic then non-holonomic, as a matrix."""
    system = mechanics.system
    is_sparse = system.nq > DENSE_LIMIT
    G = matrix(mechanics.holonomic.rows(what), (system.constraints.count, system.nq), is_sparse)[chosen.rows]
    if not len(chosen.slip_rows):
        return G
    N = matrix(mechanics.non_holonomic.rows(what), (system.slips.count, system.nq), is_sparse)
    return stack([G, N[chosen.slip_rows]])


def closed(system: System, state: State, chosen: Selection, M: Any | None = None) -> State:
    """The nearest configuration in which the chosen holonomic rows hold; raises where Newton's method does not."""
    M = weight(system, keep_bent=True) if M is None else M
    unit = np.where(system.is_angular, 1.0, system.length)
    size, start = np.inf, state
    for _ in range(ITERATIONS):
        mechanics = Mechanics(system, state)
        phi = mechanics.holonomic.value[chosen.rows]
        if not np.any(phi):
            return state
        G = matrix(mechanics.holonomic.rows(), (system.constraints.count, system.nq), system.nq > DENSE_LIMIT)
        step, _ = Saddle(M, G[chosen.rows]).solve(np.zeros(system.nq), -phi)
        before, size = size, float(np.abs(step / unit).max(initial=0.0))
        if not np.isfinite(size) or size > 1.5:
            break
        state = counted(system, state, state.moved(system, step))
        if size < CLOSED or (size < 1e-11 and size > 0.5 * before):  # rounding decides
            stay_below_a_quarter_turn(system, start, state)
            return state
    raise ComputationError("The constraints could not be closed near the configuration reached.")


def consistent(system: System, state: State, chosen: Selection, M: Any | None = None) -> State:
    """The same configuration with the nearest velocities that the constraints allow."""
    M = weight(system) if M is None else M
    mechanics = Mechanics(system, state)
    rate = np.concatenate((mechanics.holonomic.rate[chosen.rows], mechanics.non_holonomic.rate[chosen.slip_rows]))
    if not np.any(rate):
        return state
    change, _ = Saddle(M, held_rows(mechanics, chosen)).solve(np.zeros(system.nq), -rate)
    return state.with_velocity(system, state.velocity(system) + change)
