"""Vibrations of a mechanism about a state: what is stiff in its equations, for methods that solve for their stages.

    phi^T M phi = 1,  H phi = 0,  K phi ~ M phi omega^2        K with the stiffness of loaded joints, its even part

A correction of the stages' rates k of y' = f(y) by Newton's method takes f' for that of the vibrations alone, each
damped by its own share phi^T C phi. Everything else must be slow against the step, and is found by repetition.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.numerics.matrices.assembly import dense
from eigenbody.simulation.forward import Evaluation, Forward
from eigenbody.system.state import State


class Vibrations:
    """Shapes phi (nq, m) with omega^2 > 0, squares (m,) and damping (m,) at a state."""

    def __init__(self, forward: Forward, state: State, now: Evaluation) -> None:
        from scipy.linalg import eigh

        system, n = forward.system, forward.nq
        mechanics = Mechanics(system, now.on(state), now.acceleration)
        loads = Multipliers.of(system, forward.chosen, now.multipliers)
        K = dense(mechanics.stiffness(loads.held, loads.slip), (n, n))
        C = dense(mechanics.damping(), (n, n))
        M, H = forward.mass(state), forward.rows(state)
        free = np.linalg.qr(H.T, mode="complete")[0][:, len(H) :]
        stiffness = free.T @ (0.5 * (K + K.T)) @ free
        squares, own = eigh(stiffness, free.T @ M @ free)
        stiff = squares > 0
        self.squares, self.shapes = squares[stiff], free @ own[:, stiff]
        self.damping = np.einsum("ij,ij->j", self.shapes, C @ self.shapes)
        self.momenta = self.shapes.T @ M  # (m, nq): amplitudes of a velocity
        self.pull = self.shapes.T @ K  # (m, nq): modal forces of a displacement, also of one that leaves the constraints

    def accelerations(self, d: np.ndarray, u: np.ndarray) -> np.ndarray:
        """(s, nq) that displacements and velocities (s, nq) bring about."""
        return -(d @ self.pull.T + (u @ self.momenta.T) * self.damping) @ self.shapes.T

    @cached_property
    def fastest(self) -> float:
        """The largest omega (rad/s)."""
        return float(np.sqrt(self.squares.max(initial=0.0)))
