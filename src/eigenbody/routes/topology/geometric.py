"""The geometric stiffness that the constraint-topology formulation neglects.

The paper linearizes constraints and deflections before any force acts. The exact stiffness has, besides
B''^T B'^T K B' B'', the change of the directions in which the forces act that are there already:

    sum of lambda Hess(Phi) + sum of f Hess(s),   projected on the free motions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.routes.deflections import Deflection, Velocities
from eigenbody.routes.drawing import GROUND, Poses
from eigenbody.routes.topology.elements import Load
from eigenbody.spatial.rotations import apply, cross, exp

_STEP = 1e-30


@dataclass(frozen=True, eq=False)
class Pull:
    """A deflection with the tension (m,) that acts along it."""

    deflection: Deflection
    tension: np.ndarray


def gradients(deflection: Deflection, at: Poses) -> tuple[tuple[int, ...], np.ndarray]:
    """Bodies concerned and gradient (..., 6 per body, m) by their displacements, global; poses (..., 1, n + 1)."""
    bodies = tuple(dict.fromkeys(b for b in _bodies(deflection) if b != GROUND))
    v = np.zeros((6 * len(bodies), at.r.shape[-2], 3))
    w = np.zeros_like(v)
    for number, body in enumerate(bodies):
        for i in range(3):
            v[6 * number + i, body, i] = w[6 * number + 3 + i, body, i] = 1.0
    return bodies, deflection.rate(at, Velocities(v, w))


def _bodies(deflection: Deflection) -> tuple[int, ...]:
    carrier = getattr(deflection, "carrier", None)
    return deflection.first.body, deflection.second.body, *(() if carrier is None else (carrier.body,))


def wrenches(pulls: Sequence[Pull], given: Sequence[Load], at: Poses, count: int) -> np.ndarray:
    """Minus the forces and torques (b, 6 count) of tensions and loads on all bodies, at poses (b, 1, n + 1)."""
    total = np.zeros((at.r.shape[0], count, 6), dtype=at.r.dtype)
    for pull in pulls:
        bodies, gradient = gradients(pull.deflection, at)
        share = (gradient @ pull.tension).reshape(len(total), len(bodies), 6)
        total[:, list(bodies)] += share
    for load in given:
        if load.body == GROUND:
            continue
        R = at.R[:, 0, load.body]
        value = apply(R, load.value.astype(R.dtype)) if load.turns else np.broadcast_to(load.value, (len(R), 3))
        if load.is_torque:
            total[:, load.body, 3:] -= value
        else:
            total[:, load.body, :3] -= value
            total[:, load.body, 3:] -= cross(R @ load.point, value)
    return total.reshape(len(total), -1)


def moved(at: Poses, directions: np.ndarray) -> Poses:
    """Poses (b, 1, n + 1) at an imaginary step along displacements (6n, b)."""
    step = directions.T.reshape(directions.shape[1], -1, 6) * (1j * _STEP)
    step = np.concatenate([step, np.zeros((len(step), 1, 6))], axis=1)
    return Poses((at.r + step[..., :3])[:, None], (exp(step[..., 3:]) @ at.R)[:, None])


def geometric_stiffness(pulls: Sequence[Pull], given: Sequence[Load], at: Poses, B: np.ndarray) -> np.ndarray:
    """The neglected term (n'', n'') for free motions B (6n, n''), by complex steps along them."""
    if not B.shape[1]:
        return np.zeros((0, 0))
    change = wrenches(pulls, given, moved(at, B), B.shape[0] // 6).imag / _STEP
    return B.T @ change.T
