"""Vibrations of a mechanism about a state: what is stiff in its equations, for methods that solve for their stages.

    H phi = 0,  phi^T M phi = 1,  K phi ~ M phi omega^2      K = g^T k g of elements with the slopes k, its even part

A correction of the stages' rates takes for f' that of these vibrations alone, each damped by its own share phi^T C phi
of the elements' damping. Whatever else f depends on (loaded joints, gyroscopic moments) is found by repetition.
"""

from __future__ import annotations

import numpy as np

from eigenbody.simulation.forward import Applied, Evaluation, Forward
from eigenbody.system.state import State
from eigenbody.system.system import System

SLOWLY = 30.0  # times as fast as bodies turn: shapes keep for a vibration or more
GONE = 5.0  # decay in which a vibration is taken to die away, e^-5


class Vibrations:
    """Shapes phi (nq, m) of omega^2 > 0, squares omega^2 (m,) and damping (m,) at a state."""

    def __init__(self, forward: Forward, state: State, now: Evaluation) -> None:
        from scipy.linalg import eigh

        held, slips, pushed = forward.jets(state)
        applied = Applied(forward.system, pushed, now.on(state))
        g = _rows(forward, pushed.gradient)
        M, H = forward.inertia(state).mass, forward.matrix_of_rows(held.gradient, slips.gradient)
        free = np.linalg.qr(H.T, mode="complete")[0][:, len(H) :]
        i, j, k = _slopes(applied, "s")
        bent = g @ free
        K = bent[i].T @ (k[:, None] * bent[j])
        squares, own = eigh(0.5 * (K + K.T), free.T @ M @ free)
        stiff = squares > 0
        self.squares, self.shapes = squares[stiff], free @ own[:, stiff]
        self.momenta = self.shapes.T @ M  # (m, nq): amplitudes of a velocity
        along = g @ self.shapes
        self.pull = (k[:, None] * along[i]).T @ g[j]  # (m, nq): phi^T K, off the constraints too
        i, j, c = _slopes(applied, "v")
        self.damping = (c[:, None] * along[i] * along[j]).sum(axis=0)

    @property
    def fastest(self) -> float:
        """The largest omega (rad/s)."""
        return float(np.sqrt(self.squares.max(initial=0.0)))

    def accelerations(self, d: np.ndarray, u: np.ndarray) -> np.ndarray:
        """(s, nq) that displacements and velocities (s, nq) bring about."""
        return -(d @ self.pull.T + (u @ self.momenta.T) * self.damping) @ self.shapes.T


def lasting_radians(forward: Forward, state: State, duration: float) -> float:
    """Radians that the fastest vibration about a state makes in a time (s); zero where it dies away within it, or where
    bodies turn so fast that it is no vibration of a mechanism that moves slowly."""
    found = Vibrations(forward, state, forward.evaluate(state))
    if not len(found.squares):
        return 0.0
    k, turning = int(np.argmax(found.squares)), float(np.abs(state.w).max(initial=0.0))
    lasts = 0.5 * found.damping[k] * duration < GONE
    return found.fastest * duration if lasts and found.fastest > SLOWLY * turning else 0.0


def is_smooth(system: System) -> bool:
    """Whether nothing but springs, dampers and constant loads acts, so that the motion has derivatives of any order."""
    acts = system.forces.signals or system.states or system.algebraic or system.constraints.motions
    return not acts and not system.description.frames


def _rows(forward: Forward, gradient: np.ndarray) -> np.ndarray:
    """Gradients of the force channels (n, nq)."""
    columns = forward.system.forces.measures.columns
    out = np.zeros((len(columns), forward.nq + 1))
    np.add.at(out, (np.arange(len(columns))[:, None], np.minimum(columns, forward.nq)), gradient)
    return out[:, :-1]


def _slopes(applied: Applied, kind: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Channels i and j with df_i/ds_j of all elements that is not zero, or df_i/ds_j' where the kind is v."""
    law = applied.system.forces.linear
    signals = [(i, a.index, float(d)) for i, a, d in applied.slopes if a.kind == kind]
    own = np.array([(i, j, d) for i, j, d in signals if d != 0]).reshape(-1, 3)
    slope = np.real(law.k if kind == "s" else law.c)
    keep = slope != 0
    i, j = (np.concatenate((part[keep], own[:, n].astype(int))) for n, part in enumerate((law.i, law.j)))
    return i, j, np.concatenate((slope[keep], own[:, 2]))
