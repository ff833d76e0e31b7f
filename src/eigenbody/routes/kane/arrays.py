"""Partial velocities, partial angular velocities and their rates (Passerello & Huston, chapter II).

    omega^i = omega_ijk x_j' n_0k,   V^Gi = V_ijk x_j' n_0k                          (2.24), (2.27)
    alpha^i = (omega_ijk x_j'' + omega_ijk' x_j') n_0k,   a^Gi likewise              (2.25), (2.28)

Shifter matrices lead from body axes to inertial axes; their rates are products, S' = W S (1.28). One leading axis holds
many states at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.routes.deflections import Velocities
from eigenbody.routes.drawing import GROUND, Poses
from eigenbody.routes.kane.charts import Bend, Shape, Step
from eigenbody.routes.kane.second_rates import Motion
from eigenbody.routes.kane.tree import Tree
from eigenbody.spatial.rotations import cross, dot, exp, skew


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
    """omega_ijk, V_ijk and their rates, shapes (b, n coordinates, N bodies + ground, 3), with poses, and
    coordinates and speeds (b, n).

    `alpha` and `a` (b, N + 1, 3) are what remains of the accelerations without x''.
    """

    at: Poses
    x: np.ndarray
    speeds: np.ndarray
    V: np.ndarray
    W: np.ndarray
    dV: np.ndarray
    dW: np.ndarray

    @cached_property
    def omega(self) -> np.ndarray:
        """Angular velocities (b, N + 1, 3)."""
        return _contracted(self.W, self.speeds)

    @cached_property
    def a(self) -> np.ndarray:
        """V_ijk' x_j' (2.29)."""
        return _contracted(self.dV, self.speeds)

    @cached_property
    def alpha(self) -> np.ndarray:
        """omega_ijk' x_j' (2.26)."""
        return _contracted(self.dW, self.speeds)

    @cached_property
    def fields(self) -> Velocities:
        """The motion itself, then the field of each unit speed: (b, 1 + n, N + 1, 3)."""
        moving = self.motion.velocity
        v, w = (np.concatenate(pair, axis=1) for pair in ((moving.v, self.V), (moving.w, self.W)))
        return Velocities(v, w)

    @cached_property
    def motion(self) -> Motion:
        """Velocities of all bodies, and accelerations without x''."""
        velocity = Velocities(_contracted(self.V, self.speeds)[:, None], self.omega[:, None])
        return Motion(self.at, velocity, Velocities(self.a[:, None], self.alpha[:, None]))

    def accelerated(self, acceleration: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Linear and angular accelerations (b, N + 1, 3) by x'' (n,)."""
        both = np.broadcast_to(acceleration, self.speeds.shape)
        return _contracted(self.V, both), _contracted(self.W, both)

    def generalized(self, force: np.ndarray, moment: np.ndarray) -> np.ndarray:
        """Forces and moments (b, N, 3) on the bodies, times their partial velocities: (b, n)."""
        return _projected(self.V[:, :, :-1], force) + _projected(self.W[:, :, :-1], moment)


def _projected(array: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Sum over bodies and axes: (b, n, N, 3), (b, N, 3) -> (b, n)."""
    b, n = array.shape[:2]
    return (array.reshape(b, n, -1) @ vectors.reshape(b, -1, 1))[..., 0]


def _contracted(array: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Sum over the coordinates: (b, n, ..., 3), (b, n) -> (b, ..., 3)."""
    b, n = values.shape
    return (values[:, None] @ array.reshape(b, n, -1)).reshape(b, *array.shape[2:])


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
            if isinstance(step, Bend):
                _bend(walk, step, x, speeds)
                continue
            _advance(walk, step, branch.start + step.coordinate, x, speeds)
        i = branch.body
        P[:, i], S[:, i] = walk.P, walk.S
        V[:, :, i], W[:, :, i], dV[:, :, i], dW[:, :, i] = walk.V, walk.W, walk.dV, walk.dW
    return Arrays(Poses(P[:, None], S[:, None]), x, speeds, V, W, dV, dW)


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


def _bend(walk: _Walk, step: Bend, x: np.ndarray, speeds: np.ndarray) -> None:
    """From a floating frame to a node of the body, or back."""
    eta, rate = step.start + x[:, step.modes], speeds[:, step.modes]
    turn, partial, partial_rate = node_turn(step.turn, eta, rate)
    if step.outward:
        _shift_by_modes(walk, step, eta, rate, speeds, 1.0)
        _turn_by_modes(walk, step, partial, partial_rate, speeds, 1.0)
        walk.S = walk.S @ turn
    else:
        walk.S = walk.S @ np.swapaxes(turn, -1, -2)
        _turn_by_modes(walk, step, partial, partial_rate, speeds, -1.0)
        _shift_by_modes(walk, step, eta, rate, speeds, -1.0)


def _shift_by_modes(
    walk: _Walk, step: Bend, eta: np.ndarray, rate: np.ndarray, speeds: np.ndarray, sign: float
) -> None:
    """Move on by the arm from the frame to the node; each modal speed moves its end along its shape."""
    own = step.move.slopes(eta), step.move.slope_rates(rate)
    shapes, change = (sign * np.einsum("bij,bkj->bki", walk.S, part) for part in own)
    arm = sign * np.einsum("bij,bj->bi", walk.S, step.position + step.move.value(eta))
    turning = cross(_contracted(walk.W, speeds)[:, None], shapes)
    _carry(walk, arm, speeds, np.einsum("bki,bk->bi", shapes, rate))
    walk.V[:, step.modes] += shapes
    walk.dV[:, step.modes] += turning + change


def _turn_by_modes(
    walk: _Walk, step: Bend, partial: np.ndarray, partial_rate: np.ndarray, speeds: np.ndarray, sign: float
) -> None:
    """Partial angular velocities of the modal speeds; walk.S holds the axes of the frame."""
    axes, change = (sign * np.einsum("bij,bkj->bki", walk.S, part) for part in (partial, partial_rate))
    if sign > 0:
        turning = _contracted(walk.W, speeds)
        walk.W[:, step.modes] += axes
    else:
        walk.W[:, step.modes] += axes
        turning = _contracted(walk.W, speeds)
    walk.dW[:, step.modes] += change + cross(turning[:, None], axes)


def node_turn(shape: Shape, eta: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rotation (b, 3, 3) with the axial vector a of a shape, its partial angular velocities by the modal speeds
    and the rates of these (b, m, 3), in the axes before the turn.

    By Euler parameters: c = sqrt(1 - a.a), e0 = sqrt((1 + c)/2), e = a/(2 e0), w = 2 (e0 e' - e0' e + e x e').
    """
    a, ak, ak1 = shape.value(eta), shape.slopes(eta), shape.slope_rates(rate)
    a1 = np.einsum("bki,bk->bi", ak, rate)
    c = np.sqrt(1 - dot(a, a))[:, None]
    e0 = np.sqrt((1 + c) / 2)
    along = dot(a[:, None], ak)
    ck, c1 = -along / c, -dot(a, a1)[:, None] / c
    ck1 = -(dot(a1[:, None], ak) + dot(a[:, None], ak1)) / c + along * c1 / c**2
    zk, z1 = ck / (4 * e0), c1 / (4 * e0)  # of e0
    zk1 = ck1 / (4 * e0) - ck * z1 / (4 * e0**2)
    a, a1, e0, z1 = a[:, None], a1[:, None], e0[..., None], z1[..., None]
    zk, zk1 = zk[..., None], zk1[..., None]
    e, e1 = a / (2 * e0), a1 / (2 * e0) - a * z1 / (2 * e0**2)
    ek = ak / (2 * e0) - a * zk / (2 * e0**2)
    ek1 = ak1 / (2 * e0) - (ak * z1 + a1 * zk + a * zk1) / (2 * e0**2) + a * zk * z1 / e0**3
    partial = 2 * (e0 * ek - zk * e + cross(e, ek))
    change = 2 * (z1 * ek + e0 * ek1 - zk1 * e - zk * e1 + cross(e1, ek) + cross(e, ek1))
    A = skew(a[:, 0])
    return np.eye(3) + A + A @ A / (1 + c[..., None]), partial, change
