"""Local coordinates around a state: displacements, and rotation vectors in body axes from the state's rotation on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.simulation.forward import Forward
from eigenbody.spatial.rotations import log, vector_rate
from eigenbody.system.state import State

IDENTITY = np.eye(3)


@dataclass(frozen=True, slots=True)
class Chart:
    """y = (d (nq,), u (nq,), x) around `base`, with y' from forward dynamics."""

    forward: Forward
    base: State

    @property
    def origin(self) -> np.ndarray:
        """y of the base itself."""
        f, base = self.forward, self.base
        u = f.collect(np.concatenate((base.v, base.w), axis=1))
        return np.concatenate((np.zeros(f.nq), u, base.x))

    def state(self, t: float, y: np.ndarray) -> State:
        """The state at y."""
        f, n, base = self.forward, self.forward.nq, self.base
        d, u = f.spread(y[:n]), f.spread(y[n : 2 * n])
        r, R = f.placed(base, d)
        return State(r, R, u[:, :3], u[:, 3:], y[2 * n :], base.turns, base.u_in, t, base.z)

    def coordinates(self, state: State) -> np.ndarray:
        """y of a state close by."""
        f, base = self.forward, self.base
        d = np.concatenate((state.r - base.r, log(np.swapaxes(base.R, -1, -2) @ state.R)), axis=1)
        u = np.concatenate((state.v, state.w), axis=1)
        return np.concatenate((f.collect(d), f.collect(u), state.x))

    def rate(self, y: np.ndarray, acceleration: np.ndarray, state_rate: np.ndarray) -> np.ndarray:
        """y' where the accelerations are known."""
        f, n = self.forward, self.forward.nq
        d, u = f.spread(y[:n]), f.spread(y[n : 2 * n])
        if f.loops is None:
            change = np.concatenate((u[:, :3], vector_rate(d[:, 3:], u[:, 3:])), axis=1)
        else:
            change = f.loops.vector_steps(d, u)
        return np.concatenate((f.collect(change), acceleration, state_rate))

    def derivative(self, t: float, y: np.ndarray) -> np.ndarray:
        """y'."""
        now = self.forward.evaluate(self.state(t, y))
        return self.rate(y, now.acceleration, now.state_rate)


def orthonormal(state: State) -> State:
    """Rounding taken out of the rotation matrices by one Newton step of the polar decomposition."""
    R = state.R
    return replace(state, R=R @ (1.5 * IDENTITY - 0.5 * (np.swapaxes(R, -1, -2) @ R)))
