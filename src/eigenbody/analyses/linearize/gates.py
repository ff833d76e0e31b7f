"""What forces along the coordinates of a linear model do at once: gates by which damping and stiffness are added."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.rows import Rows, algebraic_rows, output_rows, rate_rows


def gates(linear: LinearModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a force along the velocity coordinates does at once: to outputs, to rates of states, and M^-1."""
    frame = linear.point.frame
    inverse = np.linalg.inv(linear.M) if linear.dof else linear.M
    acceleration = frame.Pv @ inverse  # (nq, dof) du' for a unit force
    held = len(linear.chosen.rows) + len(linear.chosen.slip_rows)
    inertia = np.ascontiguousarray(linear.point.mechanics.inertia_times(acceleration.T).T)
    multipliers = -frame.at_velocity.solve_transposed(inertia)[:held]

    def read(rows: Rows) -> np.ndarray:
        return np.asarray(rows.a @ acceleration) + np.asarray(rows.multipliers @ multipliers)

    if linear.point.system.algebraic:  # forces that read what a force does act beside it
        return _gates_in_loop(linear, inverse, read)
    outputs = read(output_rows(linear.point, frame, frame.is_sparse))
    rates = read(rate_rows(linear.point, frame, frame.is_sparse))
    return outputs, rates, inverse


def _gates_in_loop(
    linear: LinearModel, inverse: np.ndarray, read: Callable[[Rows], np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same where forces read accelerations or reactions: z = (I - D)^-1 (what a force does to the readings), and
    what these do to everything else."""
    point, frame, sparse = linear.point, linear.point.frame, linear.point.frame.is_sparse
    rows = algebraic_rows(point.mechanics, point.motion, frame.chosen, sparse)
    shapes, first = VariationalEquations(point).shapes, len(linear.states) + len(linear.inputs)
    z = np.linalg.solve(np.eye(shapes.nz) - shapes.open_through(rows)[:, first:], read(rows))
    outputs, rates = (part(point, frame, sparse) for part in (output_rows, rate_rows))
    along = [shapes.open_through(part)[:, first:] @ z for part in (outputs, rates)]
    return read(outputs) + along[0], read(rates) + along[1], inverse + shapes.open_rates[:, first:] @ z
