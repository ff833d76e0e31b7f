"""Scalars between two bodies: value, gradient by small motions of the bodies, and the rate of the gradient.

A gradient is a row of Trom's modified Cartesian Jacobian (1990, Table 2.6): for each body that is touched, six numbers
[g, m] with ds = g . dr + m . dtheta, all in global axes. `gradient_rate` is its derivative along a motion (v, w) of the
bodies; it is linear in the motion, so that with the columns of B as motions it gives the partial derivatives by the
generalized coordinates, and with the velocities the time derivative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from eigenbody.routes.relative.sides import Side
from eigenbody.spatial.rotations import apply, cotangent_coefficient, cross, dot, log, skew

Terms = list[tuple[int, np.ndarray]]  # carrier and six numbers (..., 6)


@dataclass(frozen=True, eq=False)
class Pose:
    """Centres of mass r (carriers, 3) and rotations R (carriers, 3, 3); ground is the last carrier."""

    r: np.ndarray
    R: np.ndarray


@dataclass(frozen=True, eq=False)
class Twists:
    """Velocities v, w (..., carriers, 3), both in global axes; or any variation of the poses."""

    v: np.ndarray
    w: np.ndarray


class Channel(Protocol):
    """What a force can act along."""

    def gradient(self, pose: Pose) -> Terms:
        """Six numbers for each body touched."""

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Their derivative along a motion."""


class Measure(Channel, Protocol):
    """A channel with a value."""

    def value(self, pose: Pose) -> complex:
        """The scalar itself (angles within half a turn)."""


def rate_along(channel: Channel, pose: Pose, motion: Twists) -> np.ndarray:
    """Rate of a channel along motions."""
    both = np.concatenate((motion.v, motion.w), axis=-1)
    rates = [(both[..., carrier, :] * row).sum(axis=-1) for carrier, row in channel.gradient(pose)]
    return np.sum(rates, axis=0)


def point_at(side: Side, pose: Pose) -> np.ndarray:
    """Where the point of a side is."""
    return pose.r[side.carrier] + pose.R[side.carrier] @ side.point


def point_rate(side: Side, pose: Pose, motion: Twists) -> np.ndarray:
    """Its velocity along motions."""
    c = side.carrier
    return motion.v[..., c, :] + cross(motion.w[..., c, :], pose.R[c] @ side.point)


def arctangent(sine: complex, cosine: complex) -> complex:
    """Angle within half a turn, on the branch of the real parts."""
    near = np.arctan2(np.real(sine), np.real(cosine))
    s, c = np.sin(near), np.cos(near)
    return near + np.arctan((sine * c - cosine * s) / (cosine * c + sine * s))


def turned(carrier: int, vector: np.ndarray, motion: Twists) -> np.ndarray:
    """Rate of a vector fixed on a body."""
    return cross(motion.w[..., carrier, :], vector)


def six(force: np.ndarray, moment: np.ndarray) -> np.ndarray:
    """[g, m] (..., 6)."""
    if force.shape != moment.shape:
        force, moment = np.broadcast_arrays(force, moment)
    return np.concatenate((force, moment), axis=-1)


@dataclass(frozen=True, eq=False)
class Displacement:
    """a . (P2 - P1), the axis a (body axes) fixed on `carrier`."""

    first: Side
    second: Side
    carrier: int
    axis: np.ndarray

    def value(self, pose: Pose) -> complex:
        """Displacement along the axis."""
        d = point_at(self.second, pose) - point_at(self.first, pose)
        return pose.R[self.carrier] @ self.axis @ d

    def gradient(self, pose: Pose) -> Terms:
        """Trom Table 2.6, rows of the translational joint."""
        p, q = point_at(self.first, pose), point_at(self.second, pose)
        i, j = self.first.carrier, self.second.carrier
        a = pose.R[self.carrier] @ self.axis
        return [
            (j, six(a, cross(q - pose.r[j], a))),
            (i, six(-a, -cross(p - pose.r[i], a))),
            (self.carrier, six(np.zeros(3), cross(a, q - p))),
        ]

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Product rule."""
        p, q = point_at(self.first, pose), point_at(self.second, pose)
        dp, dq = point_rate(self.first, pose, motion), point_rate(self.second, pose, motion)
        i, j = self.first.carrier, self.second.carrier
        a = pose.R[self.carrier] @ self.axis
        da = turned(self.carrier, a, motion)
        arms = (dq - motion.v[..., j, :], dp - motion.v[..., i, :])
        return [
            (j, six(da, cross(arms[0], a) + cross(q - pose.r[j], da))),
            (i, six(-da, -cross(arms[1], a) - cross(p - pose.r[i], da))),
            (self.carrier, six(np.zeros(3), cross(da, q - p) + cross(a, dq - dp))),
        ]


@dataclass(frozen=True)
class Distance:
    """|P2 - P1|; a translational spring (Trom 1990, Eqs. 3.22 to 3.29)."""

    first: Side
    second: Side

    def value(self, pose: Pose) -> complex:
        """Length."""
        d = point_at(self.second, pose) - point_at(self.first, pose)
        return np.sqrt(dot(d, d))

    def gradient(self, pose: Pose) -> Terms:
        """The unit vector u and its moments."""
        p, q = point_at(self.first, pose), point_at(self.second, pose)
        u = (q - p) / np.sqrt(dot(q - p, q - p))
        i, j = self.first.carrier, self.second.carrier
        return [(j, six(u, cross(q - pose.r[j], u))), (i, six(-u, -cross(p - pose.r[i], u)))]

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """du = (dd - u u.dd) / l (Eq. 3.29)."""
        p, q = point_at(self.first, pose), point_at(self.second, pose)
        dp, dq = point_rate(self.first, pose, motion), point_rate(self.second, pose, motion)
        length = np.sqrt(dot(q - p, q - p))
        u = (q - p) / length
        du = ((dq - dp) - u * dot(dq - dp, u)[..., None]) / length
        i, j = self.first.carrier, self.second.carrier
        second = cross(dq - motion.v[..., j, :], u) + cross(q - pose.r[j], du)
        first = cross(dp - motion.v[..., i, :], u) + cross(p - pose.r[i], du)
        return [(j, six(du, second)), (i, six(-du, -first))]


@dataclass(frozen=True, eq=False)
class Cosine:
    """a . b of an axis of the first side and one of the second (body axes); perpendicular axes of Trom's Table 2.4."""

    i: int
    j: int
    a: np.ndarray
    b: np.ndarray

    def value(self, pose: Pose) -> complex:
        """The scalar product."""
        return self.product(pose)

    def product(self, pose: Pose) -> complex:
        """The scalar product, of complex poses too."""
        return (pose.R[self.i] @ self.a) @ (pose.R[self.j] @ self.b)

    def moment(self, pose: Pose) -> np.ndarray:
        """Gradient by a rotation of the second body; that of the first is its negative."""
        return cross(pose.R[self.j] @ self.b, pose.R[self.i] @ self.a)

    def moment_rate(self, pose: Pose, motion: Twists) -> np.ndarray:
        """Derivative of the moment along a motion."""
        a, b = pose.R[self.i] @ self.a, pose.R[self.j] @ self.b
        return cross(turned(self.j, b, motion), a) + cross(b, turned(self.i, a, motion))

    def rate(self, pose: Pose, motion: Twists) -> np.ndarray:
        """Derivative of the value along a motion."""
        return dot(self.moment(pose), motion.w[..., self.j, :] - motion.w[..., self.i, :])

    def gradient(self, pose: Pose) -> Terms:
        """Trom Table 2.6, rows of the revolute joint."""
        return moments(self.i, self.j, self.moment(pose))

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Product rule."""
        return moments(self.i, self.j, self.moment_rate(pose, motion))


def moments(i: int, j: int, moment: np.ndarray) -> Terms:
    """Moments of equal size on two bodies."""
    row = six(np.zeros(3), moment)
    return [(j, row), (i, -row)]


@dataclass(frozen=True)
class Angle:
    """atan2(sine, cosine) of two scalar products."""

    sine: Cosine
    cosine: Cosine
    counts_turns: ClassVar[bool] = True

    def value(self, pose: Pose) -> complex:
        """Angle within half a turn."""
        return arctangent(self.sine.product(pose), self.cosine.product(pose))

    def gradient(self, pose: Pose) -> Terms:
        """(c ds - s dc) / (c^2 + s^2)."""
        s, c = self.sine.product(pose), self.cosine.product(pose)
        moment = (c * self.sine.moment(pose) - s * self.cosine.moment(pose)) / (c * c + s * s)
        return moments(self.sine.i, self.sine.j, moment)

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Quotient rule."""
        s, c = self.sine.product(pose), self.cosine.product(pose)
        ds, dc = (part.rate(pose, motion)[..., None] for part in (self.sine, self.cosine))
        ms, mc = self.sine.moment(pose), self.cosine.moment(pose)
        dms, dmc = self.sine.moment_rate(pose, motion), self.cosine.moment_rate(pose, motion)
        square = c * c + s * s
        top, dtop = c * ms - s * mc, dc * ms + c * dms - ds * mc - s * dmc
        rate = dtop / square - top * (2 * c * dc + 2 * s * ds) / square**2
        return moments(self.sine.i, self.sine.j, rate)


@dataclass(frozen=True)
class RotationComponent:
    """Component of the rotation vector of the second frame relative to the first, in the axes of the first."""

    first: Side
    second: Side
    component: int

    def _relative(self, pose: Pose) -> tuple[np.ndarray, np.ndarray]:
        """Rotation vector (3,) and the axes of the first side (3, 3)."""
        E1 = pose.R[self.first.carrier] @ self.first.axes
        return log(E1.T @ pose.R[self.second.carrier] @ self.second.axes), E1

    def value(self, pose: Pose) -> complex:
        """Component of the rotation vector."""
        return self._relative(pose)[0][self.component]

    def gradient(self, pose: Pose) -> Terms:
        """s' = T(s) w with T = 1 - [s]/2 + c(s.s) [s]^2 and w the relative angular velocity in the first axes."""
        s, E1 = self._relative(pose)
        c, _, _ = cotangent_coefficient(dot(s, s))
        T = np.eye(3) - skew(s) / 2 + c * skew(s) @ skew(s)
        return moments(self.first.carrier, self.second.carrier, E1 @ T[self.component])

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Product rule, the coefficient c included."""
        i, j = self.first.carrier, self.second.carrier
        s, E1 = self._relative(pose)
        c, slope, _ = cotangent_coefficient(dot(s, s))
        S = skew(s)
        T = np.eye(3) - S / 2 + c * S @ S
        ds = apply(T @ E1.T, motion.w[..., j, :] - motion.w[..., i, :])
        dS = skew(ds)
        dT = -dS / 2 + c * (dS @ S + S @ dS) + (2 * slope * dot(ds, s))[..., None, None] * (S @ S)
        row = apply(E1, dT[..., self.component, :]) + turned(i, E1 @ T[self.component], motion)
        return moments(i, j, row)


@dataclass(frozen=True)
class SmallRotation:
    """Variation of the relative rotation about an axis of the first frame; a coordinate, which has no finite value."""

    first: Side
    second: Side
    component: int

    def gradient(self, pose: Pose) -> Terms:
        """The axis itself."""
        axis = pose.R[self.first.carrier] @ self.first.axes[:, self.component]
        return moments(self.first.carrier, self.second.carrier, axis)

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """The axis turns with the first body."""
        axis = pose.R[self.first.carrier] @ self.first.axes[:, self.component]
        rate = turned(self.first.carrier, axis, motion)
        return moments(self.first.carrier, self.second.carrier, rate)


@dataclass(frozen=True, eq=False)
class Component:
    """One component of a force at a point of a body, or of a torque; the axis turns with the body or stays."""

    side: Side
    axis: np.ndarray  # body axes if it turns, else global
    turns: bool
    is_torque: bool

    def _axis(self, pose: Pose) -> np.ndarray:
        return pose.R[self.side.carrier] @ self.axis if self.turns else self.axis

    def gradient(self, pose: Pose) -> Terms:
        """Virtual displacement of the point along the axis, or rotation about it."""
        axis, c = self._axis(pose), self.side.carrier
        if self.is_torque:
            return [(c, six(np.zeros(3), axis))]
        return [(c, six(axis, cross(point_at(self.side, pose) - pose.r[c], axis)))]

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Product rule."""
        axis, c = self._axis(pose), self.side.carrier
        rate = turned(c, axis, motion) if self.turns else np.zeros_like(motion.w[..., c, :])
        if self.is_torque:
            return [(c, six(np.zeros(3), rate))]
        arm = pose.R[c] @ self.side.point
        return [(c, six(rate, cross(turned(c, arm, motion), axis) + cross(arm, rate)))]


@dataclass(frozen=True)
class SequenceAngle:
    """One angle of an intrinsic sequence ijk: the relative angular velocity is w = E (a', b', c') with the axes
    E = [e_i, n, R e_k] of the three rotations in the first frame, n perpendicular to the outer two."""

    first: Side
    second: Side
    sequence: str
    number: int
    counts_turns: ClassVar[bool] = True

    def _axes(self, pose: Pose) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """E, the axes of the first side, and the vector along n with its length."""
        i, j, k = ("xyz".index(letter) for letter in self.sequence)
        E1 = pose.R[self.first.carrier] @ self.first.axes
        x, z = np.eye(3)[i], E1.T @ pose.R[self.second.carrier] @ self.second.axes[:, k]
        along = cross(x, z) if i == k or (j - i) % 3 == 2 else cross(z, x)
        size = np.sqrt(dot(along, along))
        return np.stack((x, along / size, z), axis=-1), E1, along, size

    def value(self, pose: Pose) -> complex:
        """The angle within half a turn, from e_j to n, from e_i to R e_k, and from n on."""
        _, j, k = ("xyz".index(letter) for letter in self.sequence)
        (x, n, z), E1 = self._axes(pose)[0].T, self._axes(pose)[1]
        y = E1.T @ pose.R[self.second.carrier] @ self.second.axes[:, j]
        axis, start, end = ((x, np.eye(3)[j], n), (n, np.eye(3)[k], z), (z, n, y))[self.number]
        return arctangent(axis @ cross(start, end), start @ end)

    def gradient(self, pose: Pose) -> Terms:
        """The row of the inverse of E."""
        E, E1, _, _ = self._axes(pose)
        return moments(self.first.carrier, self.second.carrier, E1 @ np.linalg.inv(E)[self.number])

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """The inverse changes by -inv(E) E' inv(E)."""
        i, j = self.first.carrier, self.second.carrier
        E, E1, along, size = self._axes(pose)
        inverse, n = np.linalg.inv(E), E[:, 1]
        dz = cross(apply(E1.T, motion.w[..., j, :] - motion.w[..., i, :]), E[:, 2])
        dn = np.sign(np.real(along @ cross(E[:, 0], E[:, 2]))) * cross(E[:, 0], dz) / size
        dn = dn - dot(n, dn)[..., None] * n
        dE = np.stack((np.zeros_like(dz), dn, dz), axis=-1)
        row = -(inverse[self.number] @ dE @ inverse)
        return moments(i, j, apply(E1, row) + turned(i, E1 @ inverse[self.number], motion))
