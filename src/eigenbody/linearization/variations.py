"""How bodies move beyond P dS and Pv dW when the mechanism moves."""

from __future__ import annotations

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.matrices.linear import beside


class Variations:
    """D, A_S and A_W: what the bodies do, beyond P and Pv, when the mechanism moves.

    `others` (k, nq) are further accelerations of a mechanism at rest, all evaluated together: `A_S_of_others`
    (k, nq, positions).
    """

    def __init__(self, frame: MotionFrame, others: np.ndarray | None = None) -> None:
        nS, nW = frame.positions.count, frame.speeds.count
        n = frame.system.nq
        mechanics = frame.mechanics
        moving = bool(mechanics.state.v.any() or mechanics.state.w.any() or frame.system.description.frames)
        accelerated = moving or bool(mechanics.acceleration.any())
        self.is_moving, self.is_accelerated = moving, accelerated  # else D and A_W, and A_S too, are zero
        self.D, self.A_S, self.A_W = np.zeros((n, nS)), np.zeros((n, nS)), np.zeros((n, nW))
        self.A_S_of_others: np.ndarray | None = None
        if moving:
            self.D = _solved(frame, frame.velocity_rows("rate_q") @ frame.P)
            by_speed = frame.velocity_rows("acceleration_u")
            of_S = frame.velocity_rows("acceleration_q") @ frame.P + by_speed @ self.D
            both = _solved(frame, beside([of_S, by_speed @ frame.Pv]))
            self.A_S, self.A_W = both[..., :nS], both[..., nS:]
        elif others is not None:
            all_of_them = np.concatenate((mechanics.acceleration[None], others))
            every = frame.accelerated(Mechanics(frame.system, mechanics.state, all_of_them, still=mechanics))
            rows = every.velocity_rows("acceleration_q") @ frame.P
            self.A_S, self.A_S_of_others = _solved(frame, rows[0]), _solved(frame, rows[1:])
        elif accelerated:
            self.A_S = _solved(frame, frame.velocity_rows("acceleration_q") @ frame.P)


def _solved(frame: MotionFrame, moved: np.ndarray) -> np.ndarray:
    """The motion that makes up for rows that move by `moved` (..., nq, k). Refined once: an error is then of the size
    of the entries that a row meets, whatever pivoting mixes."""
    found = frame.at_velocity.solve(-moved)
    if found.ndim > 2 or np.iscomplexobj(found) or not np.any(found):
        return found
    return found - frame.at_velocity.solve(np.asfortranarray(frame.rows_at_velocity @ found + moved))
