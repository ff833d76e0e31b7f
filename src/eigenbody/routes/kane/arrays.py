"""Partial velocities, partial angular velocities and their rates (Passerello & Huston, chapter II).

    omega^i = omega_ijk x_j' n_0k,   V^Gi = V_ijk x_j' n_0k                          (2.24), (2.27)
    alpha^i = (omega_ijk x_j'' + omega_ijk' x_j') n_0k,   a^Gi likewise              (2.25), (2.28)

Shifter matrices lead from body axes to inertial axes; their rates are products, S' = W S (1.28). One leading axis holds
many states at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.routes.deflections import Velocities
from eigenbody.routes.drawing import GROUND, Poses
from eigenbody.routes.kane.charts import Step
from eigenbody.routes.kane.tree import Tree
from eigenbody.spatial.rotations import cross, exp


@dataclass(eq=False)
class _Walk:
    """A frame on the way along a chart: origin P, shifter S, and the arrays of P's and the frame's motion.

    P (b, 3), S (b, 3, 3), velocities V, turning W (b, n, 3) per unit speed and their rates dV, dW.
    """

    P: np.ndarray
    S: np.ndarray
    V: np.ndarray
    W: np.ndarray
    dV: np.ndarray
    dW: np.ndarray


@dataclass(frozen=True, eq=False)
class Arrays:
    """omega_ijk, V_ijk and their rates, shapes (b, n coordinates, N bodies + ground, 3), with poses and speeds (b, n).

    `alpha` and `a` (b, N + 1, 3) are what remains of the accelerations without x''.
    """

    at: Poses
    speeds: np.ndarray
    V: np.ndarray
    W: np.ndarray
    dV: np.ndarray
    dW: np.ndarray

    @property
    def omega(self) -> np.ndarray:
        """Angular velocities (b, N + 1, 3)."""
        return _contracted(self.W, self.speeds)

    @property
    def a(self) -> np.ndarray:
        """V_ijk' x_j' (2.29)."""
        return _contracted(self.dV, self.speeds)

    @property
    def alpha(self) -> np.ndarray:
        """omega_ijk' x_j' (2.26)."""
        return _contracted(self.dW, self.speeds)

    def fields(self) -> Velocities:
        """The motion itself, then the field of each unit speed: (b, 1 + n, N + 1, 3)."""
        moving = (_contracted(array, self.speeds)[:, None] for array in (self.V, self.W))
        v, w = (np.concatenate([m, array], axis=1) for m, array in zip(moving, (self.V, self.W), strict=True))
        return Velocities(v, w)


def _contracted(array: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sum over the coordinates: (b, n, ..., 3), (b, n) -> (b, ..., 3)."""
    return np.einsum("bj...k,bj->b...k", array, values)


def arrays_at(tree: Tree, bodies: int, x: np.ndarray, speeds: np.ndarray) -> Arrays:
    """All arrays at coordinates and speeds (b, n), real or complex."""
    b, n = x.shape
    kind = np.result_type(x, speeds)
    P, S = np.zeros((b, bodies + 1, 3), kind), np.zeros((b, bodies + 1, 3, 3), kind)
    S[:, GROUND] = np.eye(3)
    V, W, dV, dW = (np.zeros((b, n, bodies + 1, 3), kind) for _ in range(4))
    for branch in tree.branches:
        parent = branch.parent
        walk = _Walk(P[:, parent], S[:, parent], *(array[:, :, parent].copy() for array in (V, W, dV, dW)))
        for step in branch.chart.steps:
            _advance(walk, step, branch.start + step.coordinate, x, speeds)
        i = branch.body
        P[:, i], S[:, i] = walk.P, walk.S
        V[:, :, i], W[:, :, i], dV[:, :, i], dW[:, :, i] = walk.V, walk.W, walk.dV, walk.dW
    return Arrays(Poses(P[:, None], S[:, None]), speeds, V, W, dV, dW)


def _advance(walk: _Walk, step: Step, j: int, x: np.ndarray, speeds: np.ndarray) -> None:
    """Take one step of a chart; j is its coordinate."""
    if step.kind == "fixed":
        walk.S = walk.S @ step.axis
    elif step.kind == "shift":
        _carry(walk, walk.S @ step.axis, speeds, 0.0)
    else:
        n = step.factor * (walk.S @ step.axis)  # in inertial axes
        turning = cross(_contracted(walk.W, speeds), n)  # its rate
        if step.kind == "turn":
            walk.W[:, j] += n
            walk.dW[:, j] += turning
            walk.S = walk.S @ exp(step.factor * step.axis * x[:, j, None])
        else:
            _carry(walk, n * x[:, j, None], speeds, n * speeds[:, j, None])
            walk.V[:, j] += n
            walk.dV[:, j] += turning


def _carry(walk: _Walk, arm: np.ndarray, speeds: np.ndarray, growth: np.ndarray | float) -> None:
    """Move on by an arm (b, 3) that turns with the frame and grows along itself (2.16)-(2.23)."""
    arm_rate = cross(_contracted(walk.W, speeds), arm) + growth
    walk.P = walk.P + arm
    walk.V += cross(walk.W, arm[:, None])
    walk.dV += cross(walk.dW, arm[:, None]) + cross(walk.W, arm_rate[:, None])
