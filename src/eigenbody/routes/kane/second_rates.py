"""Second rates of deflections, by products: what a row on the speeds needs of the accelerations.

With s' = G x' a row of s reads G x'' = given - G' x', and G' x' is the second rate of s in the motion with x'' = 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from eigenbody.routes.deflections import (
    Angle,
    Cosine,
    Deflection,
    Displacement,
    DisplacementIn,
    Distance,
    Part,
    RotationVector,
    Several,
    Tilt,
    Velocities,
)
from eigenbody.routes.drawing import Attachment, Poses
from eigenbody.spatial.rotations import apply, apply_transposed, cotangent_coefficient, cross, dot, skew


class Motion(NamedTuple):
    """Poses, velocities and accelerations (b, 1, N + 1, 3) of the centres of mass, of all bodies and ground."""

    at: Poses
    velocity: Velocities
    acceleration: Velocities

    def turn(self, end: Attachment) -> tuple[np.ndarray, np.ndarray]:
        """Angular velocity and angular acceleration (b, 1, 3) of a frame."""
        return self.velocity.w[..., end.body, :], self.acceleration.w[..., end.body, :]

    def point(self, end: Attachment) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and acceleration (b, 1, 3) of a frame's origin."""
        return self.fixed(end.body, self.at.R[..., end.body, :, :] @ end.point)

    def fixed(self, body: int, arm: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The same of the point of a body at an arm (b, 1, 3) from its centre of mass, global axes."""
        w, alpha = self.velocity.w[..., body, :], self.acceleration.w[..., body, :]
        r, v, a = self.at.r[..., body, :], self.velocity.v[..., body, :], self.acceleration.v[..., body, :]
        return r + arm, v + cross(w, arm), a + cross(alpha, arm) + cross(w, cross(w, arm))

    def gap(self, first: Attachment, second: Attachment) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """d, d', d'' from one origin to the other."""
        p, q = self.point(first), self.point(second)
        return q[0] - p[0], q[1] - p[1], q[2] - p[2]

    def direction(self, end: Attachment, axis: int = 2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """z, z', z'' of an axis of a frame."""
        w, alpha = self.turn(end)
        z = self.at.axes(end)[..., axis]
        return z, cross(w, z), cross(alpha, z) + cross(w, cross(w, z))

    def turning(self, first: Attachment, second: Attachment) -> tuple[np.ndarray, np.ndarray]:
        """Relative angular velocity in the axes of the first frame, and its rate as seen there."""
        (w1, alpha1), (w2, alpha2) = self.turn(first), self.turn(second)
        F1 = self.at.axes(first)
        return apply_transposed(F1, w2 - w1), apply_transposed(F1, alpha2 - alpha1 - cross(w1, w2 - w1))


def second_rate(deflection: Any, motion: Motion) -> np.ndarray:
    """s'' (b, m) of a deflection in a motion."""
    return np.asarray(_SECOND[type(deflection)](deflection, motion))[:, 0]


def _products(
    x: tuple[np.ndarray, np.ndarray, np.ndarray], y: tuple[np.ndarray, np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x . y and its first two rates."""
    return dot(x[0], y[0]), dot(x[1], y[0]) + dot(x[0], y[1]), dot(x[2], y[0]) + 2 * dot(x[1], y[1]) + dot(x[0], y[2])


def _distance(s: Distance, motion: Motion) -> np.ndarray:
    d = motion.gap(s.first, s.second)
    square, half, curved = _products(d, d)
    length = np.sqrt(square)
    return (curved / (2 * length) - half**2 / (4 * length**3))[..., None]


def _displacement(s: Displacement, motion: Motion) -> np.ndarray:
    d, d1, d2 = motion.gap(s.first, s.second)
    w, alpha = motion.turn(s.first)
    seen = d2 - cross(alpha, d) - 2 * cross(w, d1) + cross(w, cross(w, d))
    return apply_transposed(motion.at.axes(s.first), seen)


def _displacement_in(s: DisplacementIn, motion: Motion) -> np.ndarray:
    return _products(motion.direction(s.carrier), motion.gap(s.first, s.second))[2][..., None]


def _rotation_vector(s: RotationVector, motion: Motion) -> np.ndarray:
    """s'' = B turning' + B' turning, B(s) = 1 - [s]/2 + c(s.s) [s]^2."""
    value = s.value(motion.at)
    turning, change = motion.turning(s.first, s.second)
    c, slope, *_ = cotangent_coefficient(dot(value, value))
    S = skew(value)
    B = np.eye(3) - S / 2 + c[..., None, None] * (S @ S)
    rate = apply(B, turning)
    S1 = skew(rate)
    B1 = -S1 / 2 + (2 * slope * dot(value, rate))[..., None, None] * (S @ S) + c[..., None, None] * (S1 @ S + S @ S1)
    return apply(B, change) + apply(B1, turning)


def _tilt(s: Tilt, motion: Motion) -> np.ndarray:
    z = motion.direction(s.second)
    x, y = (_products(motion.direction(s.first, axis), z)[2] for axis in (0, 1))
    return np.stack([-y, x], axis=-1)


def _cosine(s: Cosine, motion: Motion) -> np.ndarray:
    return _products(motion.direction(s.first), motion.direction(s.second))[2][..., None]


def _angle(s: Angle, motion: Motion) -> np.ndarray:
    """Of the arctangent of sine over cosine."""
    pairs = ((2, 1), (2, 2)) if s.second_angle else ((1, 0), (0, 0))
    sine, cosine = (_products(motion.direction(s.first, i), motion.direction(s.second, j)) for i, j in pairs)
    size = sine[0] ** 2 + cosine[0] ** 2
    rate = (cosine[0] * sine[1] - sine[0] * cosine[1]) / size
    growth = 2 * (sine[0] * sine[1] + cosine[0] * cosine[1])
    return ((cosine[0] * sine[2] - sine[0] * cosine[2] - rate * growth) / size)[..., None]


@dataclass(frozen=True, eq=False)
class SequenceAngle:
    """One of the three angles of an intrinsic sequence, R_rel = R1(a) R2(b) R3(c), between 0 and pi or -pi/2 and pi/2
    for the middle one."""

    first: Attachment
    second: Attachment
    sequence: str
    index: int

    def _axes(self, at: Poses) -> tuple[list[np.ndarray], np.ndarray]:
        """The angles, and the axes of the three turns (..., 3, 3) as columns in the axes of the first frame."""
        R = np.swapaxes(at.axes(self.first), -1, -2) @ at.axes(self.second)
        i, j, k = ("xyz".index(letter) for letter in self.sequence)
        m, sign = 3 - i - j, 1 if (j - i) % 3 == 1 else -1
        if i == k:
            a, middle = _arctangent(R[..., j, i], -sign * R[..., m, i]), R[..., i, i]
            b, c = np.arccos(middle), _arctangent(R[..., i, j], sign * R[..., i, m])
        else:
            a, middle = _arctangent(-sign * R[..., j, k], R[..., k, k]), sign * R[..., i, k]
            b, c = np.arcsin(middle), _arctangent(-sign * R[..., i, j], R[..., i, i])
        E = np.eye(3)
        n2 = _turned(E[i], a, E[j])
        n3 = _turned(E[i], a, _turned(E[j], b, E[k]))
        return [a, b, c], np.stack(np.broadcast_arrays(E[i].astype(n3.dtype), n2, n3), axis=-1)

    def value(self, at: Poses) -> np.ndarray:
        """The angle."""
        return self._axes(at)[0][self.index][..., None]

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """Of the angles: N^-1 turning."""
        turning = field.w[..., self.second.body, :] - field.w[..., self.first.body, :]
        seen = apply_transposed(at.axes(self.first), turning)
        rows = np.linalg.inv(self._axes(at)[1])[..., self.index, :]
        return dot(rows, seen)[..., None]

    def second_rate(self, motion: Motion) -> np.ndarray:
        """N^-1 (turning' - N' rates)."""
        turning, change = motion.turning(self.first, self.second)
        N = self._axes(motion.at)[1]
        back = np.linalg.inv(N)
        u = apply(back, turning)
        n1, n2, n3 = (N[..., k] for k in range(3))
        carried = u[..., :1] * u[..., 1:2] * cross(n1, n2)
        carried = carried + u[..., 2:] * cross(u[..., :1] * n1 + u[..., 1:2] * n2, n3)
        return apply(back, change - carried)[..., self.index, None]


def _arctangent(sine: np.ndarray, cosine: np.ndarray) -> np.ndarray:
    """On the branch of the real part."""
    near = np.arctan2(np.real(sine), np.real(cosine))
    s, c = np.sin(near), np.cos(near)
    return np.asarray(near + np.arctan((sine * c - cosine * s) / (cosine * c + sine * s)))


def _turned(axis: np.ndarray, angle: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """A vector turned about a unit axis."""
    vector = np.broadcast_to(vector, (*angle.shape, 3))
    along = dot(vector, axis)[..., None] * axis
    sine, cosine = np.sin(angle)[..., None], np.cos(angle)[..., None]
    return along + cosine * (vector - along) + sine * cross(np.broadcast_to(axis, vector.shape), vector)


@dataclass(frozen=True, eq=False)
class Counted:
    """An angle on the branch nearest to what it is at the place: full turns are counted."""

    whole: Deflection
    known: float

    @property
    def first(self) -> Attachment:
        return self.whole.first

    @property
    def second(self) -> Attachment:
        return self.whole.second

    def value(self, at: Poses) -> np.ndarray:
        """The value with its turns."""
        value = self.whole.value(at)
        return value - 2 * np.pi * np.round((np.real(value) - self.known) / (2 * np.pi))

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """As of the angle itself."""
        return self.whole.rate(at, field)


_SECOND: dict[type, Callable[[Any, Motion], np.ndarray]] = {
    Distance: _distance,
    Displacement: _displacement,
    DisplacementIn: _displacement_in,
    RotationVector: _rotation_vector,
    Tilt: _tilt,
    Cosine: _cosine,
    Angle: _angle,
    SequenceAngle: lambda s, motion: s.second_rate(motion),
    Counted: lambda s, motion: _SECOND[type(s.whole)](s.whole, motion),
    Part: lambda s, motion: _SECOND[type(s.whole)](s.whole, motion)[..., list(s.index)],
    Several: lambda s, motion: np.concatenate([_SECOND[type(p)](p, motion) for p in s.parts], axis=-1),
}
