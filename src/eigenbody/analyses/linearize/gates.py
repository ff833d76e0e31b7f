"""What forces along the coordinates of a linear model do at once: gates by which damping and stiffness are added."""

from __future__ import annotations

import numpy as np

from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.rows import Rows, output_rows, rate_rows


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

    outputs = read(output_rows(linear.point, frame, frame.is_sparse))
    rates = read(rate_rows(linear.point, frame, frame.is_sparse))
    return outputs, rates, inverse
