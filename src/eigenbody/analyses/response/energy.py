"""Energy balance of M W' + C W + K S = B u + X x over time.

T + V + dissipated + circulatory = T0 + V0 + work of the inputs + work of the first-order states, with
T = W^T M W / 2, V = S^T K_s S / 2, dissipated = int W^T D W dt, circulatory = int W^T N S dt, K = K_s + N, C = D + G in
symmetric and skew parts; the gyroscopic G does no work.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.response.linear_motion import Trajectory
from eigenbody.linearization.model import LinearModel

CHUNK = 2**21  # numbers held at a time


@dataclass(frozen=True, eq=False)
class EnergyBalance:
    """Energies (J) at every time, counted from the operating point; works from the start on.

    `dissipated` leaves through the damping, `circulatory` through the skew part of the stiffness (negative: it feeds
    energy in); `work` is that of the inputs, `states_work` that of forces from first-order states (controllers).
    """

    kinetic: np.ndarray
    potential: np.ndarray
    dissipated: np.ndarray
    circulatory: np.ndarray
    work: np.ndarray
    states_work: np.ndarray
    at_start: float  # kinetic and potential before anything happens

    def __post_init__(self) -> None:
        for part in (self.kinetic, self.potential, self.dissipated, self.circulatory, self.work, self.states_work):
            part.setflags(write=False)

    @property
    def total(self) -> np.ndarray:
        """Kinetic and potential energy."""
        return self.kinetic + self.potential

    @property
    def missing(self) -> np.ndarray:
        """What the balance lacks at every time: the error of the integrals."""
        return self.total - self.at_start + self.dissipated + self.circulatory - self.work - self.states_work

    @property
    def imbalance(self) -> float:
        """The largest missing energy relative to the largest energy or work; inf where one is beyond all numbers."""
        parts = (self.kinetic, self.potential, self.dissipated, self.circulatory, self.work, self.states_work)
        if not all(np.isfinite(part).all() for part in parts):
            return np.inf
        top = max((float(np.abs(part).max(initial=0.0)) for part in parts), default=0.0)
        return float(np.abs(self.missing).max(initial=0.0)) / top if top > 0 else 0.0


@np.errstate(over="ignore", invalid="ignore")
def energy_balance(linear: LinearModel, B: np.ndarray, path: Trajectory) -> EnergyBalance | None:
    """The balance along a trajectory, or None with non-holonomic rows, where K is not square, and with forces that
    read accelerations or loads, where M and K are not those of the energies.

    The integrals are those of the cubic through values and slopes at both ends of an interval: of fourth order.
    """
    n = linear.dof
    if len(linear.coordinates) != n or linear.Y.any() or linear.point.system.readers:
        return None
    forces = _Forces(linear, B)
    stored, works = np.zeros((2, len(path.times))), np.zeros((4, len(path.times)))
    part = max(1, CHUNK // max(1, path.states.shape[1]))
    for first in range(0, len(path.times), part):
        here = slice(first, min(first + part, len(path.times)))
        stored[:, here] = forces.stored(path.states[here])
        intervals = slice(first, min(first + part, len(path.times) - 1))
        works[:, intervals.start + 1 : intervals.stop + 1] = forces.works(path, intervals)
    dissipated, circulatory, work, states_work = np.cumsum(works, axis=1)
    before = path.states[0] if path.start is None else path.start
    if path.blow is not None:
        work = work + _work_of_blow(path, forces, before)
    kept = path.kept
    return EnergyBalance(
        stored[0, kept], stored[1, kept], dissipated[kept], circulatory[kept], work[kept], states_work[kept],
        at_start=float(forces.stored(before[None]).sum()),
    )  # fmt: skip


def _work_of_blow(path: Trajectory, forces: _Forces, before: np.ndarray) -> np.ndarray:
    """The impulse times the mean velocity, from its time on."""
    n = forces.n
    at_first = path.start is not None  # the blow comes before the first state
    last = before if at_first else path.states[path.blow_at]
    first = path.states[0 if at_first else path.blow_at + 1]
    given = 0.5 * float((last + first)[n : 2 * n] @ forces.B @ path.blow)
    return given * (np.arange(len(path.times)) > (-1 if at_first else path.blow_at))


class _Forces:
    """Matrices of the balance."""

    def __init__(self, linear: LinearModel, B: np.ndarray) -> None:
        self.n = n = linear.dof
        self.M, self.K, self.D, self.N = linear.M, linear.conservative, linear.damping, linear.circulatory
        self.A, self.inputs = linear.A, B
        self.B = linear.M @ B[n : 2 * n]  # forces of the inputs
        self.X = linear.M @ linear.A[n : 2 * n, 2 * n :]  # forces of the first-order states

    def stored(self, states: np.ndarray) -> np.ndarray:
        """Kinetic and potential energy (2, times)."""
        S, W = states[:, : self.n], states[:, self.n : 2 * self.n]
        return np.array([0.5 * _dot(W, W @ self.M), 0.5 * _dot(S, S @ self.K)])

    def works(self, path: Trajectory, here: slice) -> np.ndarray:
        """Work over each of some intervals (4, intervals): of damping, circulatory forces, inputs, states."""
        after = slice(here.start + 1, here.stop + 1)
        h = path.times[after] - path.times[here]
        value0, slope0 = self.powers(path.states[here], path.u_start[here], path.slope_start[here])
        value1, slope1 = self.powers(path.states[after], path.u_end[here], path.slope_end[here])
        return h * (value0 + value1) / 2 + h * h * (slope0 - slope1) / 12

    def powers(self, states: np.ndarray, u: np.ndarray, u_slope: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The four powers and their slopes in time, (4, times) each."""
        n = self.n
        S, W, x = states[:, :n], states[:, n : 2 * n], states[:, 2 * n :]
        rate = states @ self.A[n:].T + u @ self.inputs[n:].T
        dW, dx = rate[:, :n], rate[:, n:]
        loss, turned, pushed, own = W @ self.D, S @ self.N.T, u @ self.B.T, x @ self.X.T
        value = np.array([_dot(W, loss), _dot(W, turned), _dot(W, pushed), _dot(W, own)])
        slope = np.array([2 * _dot(dW, loss), _dot(dW, turned),  # W^T N S' = W^T N W = 0
                          _dot(dW, pushed) + _dot(W, u_slope @ self.B.T),
                          _dot(dW, own) + _dot(W, dx @ self.X.T)])  # fmt: skip
        return value, slope


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("ti,ti->t", a, b)
