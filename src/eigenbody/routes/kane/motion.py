"""Motion by Kane's equations in the charts of one place: rates of the coordinates, speeds and first-order states, and
the way back to the rows that are prescribed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.routes.kane.arrays import Arrays
from eigenbody.routes.kane.dynamics import ChainSystem, Mixed

_ROUNDS = 20  # of Newton's method
_CLOSED = 1e-14  # a correction of coordinates that is none


class Bodies(NamedTuple):
    """Poses and velocities of all bodies: r, v (N, 3) global, R (N, 3, 3), w (N, 3) in body axes."""

    r: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray


class ChainMotion:
    """A chain system in motion: y holds the deviations x (n,) from the place, speeds x' (n,) and first-order states."""

    def __init__(self, system: ChainSystem) -> None:
        self.system = system
        self._open = system.gap(system.here, system.place.t)[0]  # what the place itself leaves open

    @property
    def origin(self) -> np.ndarray:
        """y at the place."""
        return np.concatenate([np.zeros(self.system.tree.count), self.system.speeds, self.system.place.x])

    def _arrays(self, y: np.ndarray) -> tuple[Arrays, np.ndarray]:
        n = self.system.tree.count
        return self.system.arrays(y[None, :n], y[None, n : 2 * n]), y[None, 2 * n :]

    def rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """y'."""
        arrays, states = self._arrays(y)
        found = self.solved(t, arrays, states)
        return np.concatenate([arrays.speeds[0], found.acceleration, self.system.state_rates(arrays, states, t)[0]])

    def solved(self, t: float, arrays: Arrays, states: np.ndarray) -> Mixed:
        """Accelerations, and the forces in the rows: (3.27) in the motions that the rows leave (3.30, 3.31)."""
        system = self.system
        A = system.mass(arrays)[0]
        load = (system.active_forces(arrays, states, t) - system.inertia_forces(arrays))[0]
        G = system.gradient(arrays)[0]
        held, N, R = self._split(G)
        given = held @ np.linalg.solve(R.T, system.given(t)[1] - system.bias(arrays)[0]) if len(G) else np.zeros(len(A))
        reduced = N.T @ A @ N
        system.refuse_singular(reduced, N)
        acceleration = given + N @ np.linalg.solve(reduced, N.T @ (load - A @ given))
        force = np.linalg.solve(R, held.T @ (A @ acceleration - load)) if len(G) else np.zeros(0)
        return Mixed(acceleration, force)

    def _split(self, G: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Orthonormal motions that the rows hold (n, m) and leave (n, n - m), and R with G^T = held R."""
        m, n = G.shape
        if m > n:
            raise self._dependent(n)
        Q, R = np.linalg.qr(G.T, mode="complete")
        weak = np.abs(np.diag(R)) < 1e-10 * np.linalg.norm(G, axis=1)
        if weak.any():
            raise self._dependent(int(np.argmax(weak)))
        return Q[:, :m], Q[:, m:], R[:m]

    def _dependent(self, row: int) -> ComputationError:
        name = self.system.row_names[row]
        return ComputationError(f'kane: the row "{name}" is determined by the others already; remove one.')

    # ---- the rows at the levels of position and velocity

    def closed(self, t: float, y: np.ndarray) -> np.ndarray:
        """y with its coordinates and speeds brought back to the rows, by the least change."""
        if not self.system.constraints:
            return y
        n, y = self.system.tree.count, y.copy()
        holonomic = self.system.is_holonomic
        before = np.inf
        for _ in range(_ROUNDS if holonomic.any() else 0):
            arrays = self._arrays(y)[0]
            off = self.system.gap(arrays, t)[0] - self._open
            step = np.linalg.lstsq(self.system.gradient(arrays)[0][holonomic], off, rcond=None)[0]
            y[:n] -= step
            size = float(np.abs(step).max(initial=0.0))
            if size < _CLOSED or (size < 1e-10 and size > 0.3 * before):
                break
            before = size
        else:
            if holonomic.any():
                raise ComputationError(f"kane: the prescribed motion cannot be followed at t = {t:.6g} s.")
        arrays = self._arrays(y)[0]
        G = self.system.gradient(arrays)[0]
        y[n : 2 * n] -= np.linalg.lstsq(G, G @ y[n : 2 * n] - self.system.given(t)[0], rcond=None)[0]
        return y

    # ---- bodies

    def bodies(self, y: np.ndarray) -> Bodies:
        """Where all bodies are and how they move."""
        arrays = self._arrays(y)[0]
        velocity = arrays.motion.velocity
        R = arrays.at.R[0, 0, :-1]
        w = np.einsum("nji,nj->ni", R, velocity.w[0, 0, :-1])
        return Bodies(arrays.at.r[0, 0, :-1], R, velocity.v[0, 0, :-1], w)

    def turned(self, y: np.ndarray) -> float:
        """The largest angle by which a body has turned since the place."""
        R = self._arrays(y)[0].at.R[0, 0, :-1]
        cosine = (np.einsum("nij,nij->n", R, self.system.here.at.R[0, 0, :-1]) - 1) / 2
        return float(np.arccos(np.clip(cosine, -1, 1)).max(initial=0.0))
