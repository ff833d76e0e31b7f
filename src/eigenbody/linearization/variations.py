"""How bodies move beyond P dS and Pv dW when the mechanism moves."""

from __future__ import annotations

import numpy as np

from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.matrices.linear import stack


class Variations:
    """D, A_S and A_W: what the bodies do, beyond P and Pv, when the mechanism moves."""

    def __init__(self, frame: MotionFrame) -> None:
        nS, nW = frame.positions.count, frame.speeds.count
        n = frame.system.nq
        mechanics = frame.mechanics
        moving = bool(mechanics.state.v.any() or mechanics.state.w.any() or frame.system.description.frames)
        accelerated = moving or bool(mechanics.acceleration.any())
        self.is_moving, self.is_accelerated = moving, accelerated  # else D and A_W, and A_S too, are zero
        zero = np.zeros((n, nS))
        self.D = self._solve(frame, "rate_q", frame.P) if moving else zero
        if not accelerated:
            self.A_S, self.A_W = zero, np.zeros((n, nW))
            return
        self.A_S = self._solve(frame, "acceleration_q", frame.P)
        if moving:
            self.A_S = self.A_S + self._solve(frame, "acceleration_u", self.D)
            self.A_W = self._solve(frame, "acceleration_u", frame.Pv)
        else:
            self.A_W = np.zeros((n, nW))

    @staticmethod
    def _solve(frame: MotionFrame, what: str, motion: np.ndarray) -> np.ndarray:
        """Refined once: an error is then of the size of the entries that a row meets, whatever pivoting mixes."""
        wanted = -stack([frame.held(what) @ motion, frame.speed_rows(what) @ motion])
        found = frame.at_velocity.solve(wanted)
        if found.ndim > 2 or np.iscomplexobj(found) or not np.any(found):
            return found
        return found - frame.at_velocity.solve(np.asfortranarray(frame.rows_at_velocity @ found - wanted))
