"""Exact derivatives of forward dynamics: accelerations and state rates by configuration, velocity and states."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.rows import algebraic_rows
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.numerics.matrices.assembly import Triplets, dense
from eigenbody.numerics.matrices.linear import matrix, stack
from eigenbody.simulation.forward import Evaluation, Forward
from eigenbody.spatial.rotations import skew
from eigenbody.system.state import State


def jacobian(forward: Forward, state: State, now: Evaluation) -> np.ndarray:
    """d(d', u', x')/d(d, u, x) at d = 0 in the chart of the state, (2 nq + states) square.

    From the derivative of M u' + h - Q + H^T l = 0 and of the rows at acceleration level:
    [[M, H^T], [H, 0]] (du', dl) = -(K dq + C du - X dx, gamma_q dq + gamma_u du).
    """
    system, n, nx = forward.system, forward.nq, len(forward.system.states)
    mechanics = Mechanics(system, now.on(state), now.acceleration)
    loads = Multipliers.of(system, forward.chosen, now.multipliers)
    square = (n, n)
    right = np.hstack(
        (
            -dense(mechanics.stiffness(loads.held, loads.slip), square),
            -dense(mechanics.damping(), square),
            dense(mechanics.applied.state_matrix(), (n, nx)),
        )
    )
    rows = np.hstack(
        (held_matrix(forward, mechanics, "acceleration_q"), held_matrix(forward, mechanics, "acceleration_u"))
    )
    rows = np.hstack((-rows, np.zeros((len(rows), nx))))
    J = np.zeros((2 * n + nx, 2 * n + nx))
    J[:n, n : 2 * n] = np.eye(n)
    dof = np.where(system.dof < 0, n, system.dof)[: system.bodies, 3:]
    J[:n, :n] = dense([Triplets.of_blocks(dof, dof, -0.5 * skew(state.w))], square)
    J[n : 2 * n], multipliers = _solved(now, right, rows)
    z = np.zeros((0, 2 * n + nx))
    if system.algebraic:
        read = algebraic_rows(mechanics, loads, forward.chosen, False)
        push, pull = _solved(now, dense(mechanics.applied.algebraic_matrix(), (n, len(read.z))), None)
        by = np.hstack((read.q, read.u, read.x)) + read.a @ J[n : 2 * n] + read.multipliers @ multipliers
        z = np.linalg.solve(np.eye(len(by)) - read.z - read.a @ push - read.multipliers @ pull, by)
        J[n : 2 * n] += push @ z
    if nx:
        J[2 * n :] = _state_rates(forward, mechanics, z)
    return J


def _solved(now: Evaluation, right: np.ndarray, rows: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations and multipliers for forces `right` (nq, k) and accelerations `rows` of the rows, one each."""
    none = np.zeros((len(now.multipliers), right.shape[1])) if rows is None else rows
    columns = [now.solver.solve(f, g) for f, g in zip(right.T, none.T, strict=True)]
    found = (np.array([column[k] for column in columns]).T for k in range(2))
    acceleration, multipliers = found
    return acceleration.reshape(len(right), right.shape[1]), multipliers.reshape(len(none), right.shape[1])


def held_matrix(forward: Forward, mechanics: Mechanics, what: str) -> Any:
    """Rows of the independent constraints, dense or sparse as the system is."""
    system, chosen, n, is_sparse = forward.system, forward.chosen, forward.nq, forward.is_sparse
    G = matrix(mechanics.holonomic.rows(what), (system.constraints.count, n), is_sparse)[chosen.rows]
    if not len(chosen.slip_rows):
        return G
    N = matrix(mechanics.non_holonomic.rows(what), (system.slips.count, n), is_sparse)[chosen.slip_rows]
    return stack([G, N])


def _state_rates(forward: Forward, mechanics: Mechanics, z: np.ndarray) -> np.ndarray:
    """dx'/d(q, u, x); z are those of the algebraic variables."""
    system, n, nx = forward.system, forward.nq, len(forward.system.states)
    applied, measures = mechanics.applied, forward.system.forces.measures
    out = np.zeros((nx, 2 * n + nx))
    number = np.arange(measures.count)
    by = {
        what: dense([Triplets.of_rows(number, measures.columns, getattr(applied.jet, what))], (measures.count, n))
        for what in ("gradient", "rate_q")
    }
    for k, signal in enumerate(system.forces.state_rates):
        for argument, slope in signal.partials(applied.now):
            i = argument.index
            if argument.kind == "x":
                out[k, 2 * n + i] += slope
            elif argument.kind == "s":
                out[k, :n] += slope * by["gradient"][i]
            elif argument.kind == "v":
                out[k, :n] += slope * by["rate_q"][i]
                out[k, n : 2 * n] += slope * by["gradient"][i]
            elif argument.kind == "z":
                out[k] += slope * z[i]
    return out
