"""Recursive positions, the velocity transformation B, its time derivative, and their exact partial derivatives.

Each coordinate a has a rotation w_a about a pole p_a and a translation t_a. Body i beyond it moves by
(Trom 1990, Table 2.2)

    B_ia = [w_a x d_ia + t_a; w_a],  d_ia = r_i - p_a .

Vectors fixed beyond coordinate b turn by w_b, points move by t_b + w_b x (p - p_b): with these two rules all partial
derivatives of Tables 3.2 to 3.4 and of Sec. 5.1.2 follow by the product rule. Positions accept complex steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.routes.relative.euler import direction_cosines, euler_parameters, product
from eigenbody.routes.relative.measures import Pose, Twists
from eigenbody.routes.relative.topology import Branch, Tree
from eigenbody.spatial.rotations import cross


@dataclass(frozen=True, eq=False)
class Columns:
    """Rotations w, translations t and poles p (n, 3) of all coordinates, global axes."""

    w: np.ndarray
    t: np.ndarray
    p: np.ndarray


def columns_at(tree: Tree, pose: Pose) -> Columns:
    """The columns of a configuration."""
    w, t, p = (np.zeros((tree.count, 3), dtype=pose.r.dtype) for _ in range(3))
    for branch in tree.branches:
        for k, carrier in enumerate(branch.carriers):
            w[branch.start + k] = pose.R[carrier] @ branch.rotation[k]
            t[branch.start + k] = pose.R[carrier] @ branch.translation[k]
        p[branch.columns] = _pole(branch, pose)
    return Columns(w, t, p)


def _pole(branch: Branch, pose: Pose) -> np.ndarray:
    """The point of the joint's second body: translations of the second seen from the first come before its turning."""
    c = branch.second.carrier
    return pose.r[c] + pose.R[c] @ branch.second.point


def velocity_transformation(tree: Tree, pose: Pose) -> np.ndarray:
    """B (carriers, 6, n): [v; w] of every body, global axes (ground last, zero)."""
    return _blocks(tree, pose, columns_at(tree, pose))


def _blocks(tree: Tree, pose: Pose, columns: Columns) -> np.ndarray:
    d = pose.r[:, None, :] - columns.p  # (carriers, n, 3)
    linear = cross(columns.w[None], d) + columns.t
    both = np.concatenate((linear, np.broadcast_to(columns.w, linear.shape)), axis=-1)
    return (both * tree.path.T[..., None]).swapaxes(1, 2)


def moved(tree: Tree, pose: Pose, dq: np.ndarray) -> Pose:
    """The configuration after finite changes of the coordinates (n,), body by body outwards (Sec. 2.4.1).

    A ball joint turns by the rotation vector of its three changes. Complex steps are allowed.
    """
    kind = np.result_type(pose.r, dq)
    r, R = pose.r.astype(kind), pose.R.astype(kind)
    for branch in tree.branches:
        carry = R[branch.parent] @ pose.R[branch.parent].T  # what the parent has turned
        step = dq[branch.columns]
        turn = _turn(branch, pose, carry, step)
        inner = _pole(branch, pose) - pose.r[branch.parent]
        pole = r[branch.parent] + carry @ inner
        shift = carry @ sum(
            (s * (pose.R[c] @ t) for s, c, t in zip(step, branch.carriers, branch.translation, strict=True)),
            start=np.zeros(3),
        )
        outward = carry @ (pose.r[branch.body] - _pole(branch, pose))
        shift = shift if branch.forward else turn @ shift
        r[branch.body] = pole + shift + turn @ outward
        R[branch.body] = turn @ carry @ pose.R[branch.body]
    return Pose(r, R)


def _turn(branch: Branch, pose: Pose, carry: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Rotation (3, 3) of the body on its parent: Euler parameters of each stage and their product (Eq. 2.21)."""
    total = np.array((1.0, 0.0, 0.0, 0.0))
    for stage in branch.stages:
        axes = [carry @ pose.R[branch.carriers[k]] @ branch.rotation[k] for k in stage]
        vector = sum((step[k] * axis for k, axis in zip(stage, axes, strict=True)), start=np.zeros(3))
        total = product(total, euler_parameters(vector))
    return direction_cosines(total)


class Kinematics:
    """Everything about the motion of the bodies at a configuration with generalized velocities nu (n,)."""

    def __init__(self, tree: Tree, pose: Pose, nu: np.ndarray) -> None:
        self.tree, self.pose, self.nu = tree, pose, nu
        self.columns = columns_at(tree, pose)
        self.B = _blocks(tree, pose, self.columns)
        both = self.B @ nu
        self.v, self.w = both[:, :3], both[:, 3:]
        carriers = [c for branch in tree.branches for c in branch.carriers]
        self._axis = np.array(carriers, dtype=int)
        poles = [branch.second.carrier for branch in tree.branches for _ in branch.names]
        self._pole = np.array(poles, dtype=int)

    @property
    def motion(self) -> Twists:
        """Velocities of the bodies."""
        return Twists(self.v, self.w)

    @property
    def directions(self) -> Twists:
        """The motion that each coordinate gives, (n, carriers, 3)."""
        both = np.moveaxis(self.B, -1, 0)
        return Twists(both[..., :3], both[..., 3:])

    # ---- time derivative (Table 2.3)

    @cached_property
    def _rates(self) -> Columns:
        w, p, axis, pole = self.columns.w, self.columns.p, self._axis, self._pole
        t, r = self.columns.t, self.pose.r
        spin = self.w[axis]
        return Columns(cross(spin, w), cross(spin, t), self.v[pole] + cross(self.w[pole], p - r[pole]))

    @cached_property
    def B_rate(self) -> np.ndarray:
        """dB/dt (carriers, 6, n)."""
        now, rate = self.columns, self._rates
        d = self.pose.r[:, None] - now.p
        d_rate = self.v[:, None] - rate.p
        linear = rate.t + cross(rate.w[None], d) + cross(now.w[None], d_rate)
        return self._assembled(linear, rate.w)

    def _assembled(self, linear: np.ndarray, angular: np.ndarray) -> np.ndarray:
        """(..., carriers, n, 3) and (..., n, 3) -> (..., carriers, 6, n) along the path."""
        angular = np.broadcast_to(angular[..., None, :, :], linear.shape)
        both = np.concatenate((linear, angular), axis=-1) * self.tree.path.T[..., None]
        return np.moveaxis(both, -1, -2)

    # ---- partial derivatives by the coordinates: leading axis b

    @cached_property
    def _partials(self) -> Columns:
        """Tables 3.2 (joint axes, poles): (b, a, 3)."""
        now, path = self.columns, self.tree.path
        axis, pole = path[:, self._axis, None], path[:, self._pole, None]
        w = cross(now.w[:, None], now.w[None]) * axis
        t = cross(now.w[:, None], now.t[None]) * axis
        p = (now.t[:, None] + cross(now.w[:, None], now.p[None] - now.p[:, None])) * pole
        return Columns(w, t, p)

    @cached_property
    def B_partial(self) -> np.ndarray:
        """dB/dq_b (b, carriers, 6, n): Tables 3.3 and 3.4. Also the derivative of dB/dt by the velocities."""
        now, by = self.columns, self._partials
        d = self.pose.r[:, None] - now.p
        d_by = self.directions.v[:, :, None] - by.p[:, None]
        linear = by.t[:, None] + cross(by.w[:, None], d) + cross(now.w, d_by)
        return self._assembled(linear, by.w)

    @cached_property
    def B_rate_partial(self) -> np.ndarray:
        """d(dB/dt)/dq_b at constant velocities (b, carriers, 6, n): Sec. 5.1.2 with the rate of a translated vector,
        which the text after Eq. 5.12 takes as zero."""
        now, rate, by = self.columns, self._rates, self._partials
        axis, pole, r = self._axis, self._pole, self.pose.r
        both = self.B_partial @ self.nu
        v_by, w_by = both[..., :3], both[..., 3:]  # (b, carriers, 3)
        r_by = self.directions.v
        spin, spin_by = self.w[axis], w_by[:, axis]
        w_rate = cross(spin_by, now.w) + cross(spin, by.w)
        t_rate = cross(spin_by, now.t) + cross(spin, by.t)
        arm, arm_by = now.p - r[pole], by.p - r_by[:, pole]
        p_rate = v_by[:, pole] + cross(w_by[:, pole], arm) + cross(self.w[pole], arm_by)
        d, d_rate = r[:, None] - now.p, self.v[:, None] - rate.p
        d_by, d_rate_by = r_by[:, :, None] - by.p[:, None], v_by[:, :, None] - p_rate[:, None]
        linear = t_rate[:, None] + cross(w_rate[:, None], d) + cross(rate.w, d_by)
        linear = linear + cross(by.w[:, None], d_rate) + cross(now.w, d_rate_by)
        return self._assembled(linear, w_rate)

    def B_second_rate(self, nu_rate: np.ndarray) -> np.ndarray:
        """d2B/dt2 (carriers, 6, n) along the motion with accelerations nu_rate."""
        return np.tensordot(self.nu, self.B_rate_partial, 1) + np.tensordot(nu_rate, self.B_partial, 1)
