"""Linear equations along a motion, as they are returned."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.base.result import Drawn
from eigenbody.model.model import InertModel


@dataclass(frozen=True, eq=False)
class TimeVarying(Drawn, look="analyses.along.look"):
    """Linear equations along a motion; arrays have a leading axis over the times.

    M W' + C W + K S = h, and x' = A x + B u + [0; M^-1 h] for the whole linear state [S, W, first-order states].
    """

    model: InertModel
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    t: np.ndarray  # (n,)
    M: np.ndarray  # (n, W, W)
    C: np.ndarray  # (n, W, W)
    K: np.ndarray  # (n, W, S)
    h: np.ndarray  # (n, W)
    A: np.ndarray  # (n, states, states)
    B: np.ndarray  # (n, states, inputs)
    is_solution: bool  # whether the reference motion solves the equations of motion (h is then rounding)
    tangent_error: float  # largest of the certificates on the way
    drift: tuple[float, float, float]  # largest violation of the constraints on the way

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import make_interp_spline

        order = min(5, len(self.t) - 1)
        return make_interp_spline(self.t, self.A, k=order - 1 + order % 2 if order > 1 else order)

    def A_at(self, t: float) -> np.ndarray:
        """A at any time in between, by a spline of fifth order through the given times."""
        return self._spline(t)

    def transition(self, start: float | None = None, end: float | None = None) -> np.ndarray:
        """The transition matrix x(end) = Phi x(start) of x' = A(t) x; over a period it is the monodromy matrix.

        As exact as the spline through A: halve the interval of the times to see how far it has converged.
        """
        from scipy.integrate import solve_ivp

        begin, stop = (float(self.t[i]) if t is None else t for i, t in ((0, start), (-1, end)))
        n = len(self.states)
        out = solve_ivp(
            lambda t, y: (self.A_at(t) @ y.reshape(n, n)).ravel(),
            (begin, stop), np.eye(n).ravel(), method="DOP853", rtol=1e-11, atol=1e-13,
        )  # fmt: skip
        if not out.success:
            raise ComputationError(f"The transition matrix was followed to {out.t[-1]:g} s only: {out.message}")
        return out.y[:, -1].reshape(n, n)


class AlongError(ComputationError):
    """The coordinates serve only part of the way; `partial` has the times up to there, None if there are none."""

    def __init__(self, text: str, partial: TimeVarying | None) -> None:
        super().__init__(text)
        self.partial = partial

    def __reduce__(self) -> tuple[type, tuple[str, TimeVarying | None]]:
        return type(self), (str(self), self.partial)
