"""Deflections between two frames: their values and, for any field of velocities, their rates.

Poses have the shape (..., 1, n + 1, ...), fields of velocities (..., k, n + 1, 3): k fields at once, for instance one
for each generalized speed. A rate is linear in the field, so the rates of unit fields are the gradient. Everything is
analytic and takes complex numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from eigenbody.routes.drawing import Attachment, Poses
from eigenbody.spatial.rotations import apply_transposed, cotangent_coefficient, cross, dot, log, skew


class Velocities(NamedTuple):
    """Fields of velocities of the centres of mass and of angular velocities (..., k, n + 1, 3), global axes."""

    v: np.ndarray
    w: np.ndarray

    def of(self, at: Poses, end: Attachment) -> np.ndarray:
        """Velocity (..., k, 3) of a frame's origin."""
        arm = at.R[..., end.body, :, :] @ end.point
        return self.v[..., end.body, :] + cross(self.w[..., end.body, :], arm)


class Deflection(Protocol):
    """One or more scalars s (..., 1, m) and their rates (..., k, m)."""

    @property
    def first(self) -> Attachment:
        """The frame on the first body."""
        ...

    @property
    def second(self) -> Attachment:
        """The frame on the second body."""
        ...

    def value(self, at: Poses) -> np.ndarray:
        """Values at a pose."""
        ...

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """Rates in fields of velocities."""
        ...


def _gap(at: Poses, first: Attachment, second: Attachment) -> np.ndarray:
    return at.point(second) - at.point(first)


def _gap_rate(at: Poses, field: Velocities, first: Attachment, second: Attachment) -> np.ndarray:
    """Rate of the gap as seen from the first body, in global axes."""
    seen = cross(field.w[..., first.body, :], _gap(at, first, second))
    return field.of(at, second) - field.of(at, first) - seen


def _turning(field: Velocities, first: Attachment, second: Attachment) -> np.ndarray:
    return field.w[..., second.body, :] - field.w[..., first.body, :]


@dataclass(frozen=True)
class Distance:
    """Distance of two points."""

    first: Attachment
    second: Attachment

    def value(self, at: Poses) -> np.ndarray:
        """|d|."""
        d = _gap(at, self.first, self.second)
        return np.sqrt(dot(d, d))[..., None]

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """d . d' / |d|."""
        d = _gap(at, self.first, self.second)
        speed = field.of(at, self.second) - field.of(at, self.first)
        return (dot(d, speed) / np.sqrt(dot(d, d)))[..., None]


@dataclass(frozen=True)
class Displacement:
    """Displacement of the second point from the first in axes (columns of `axes`) of the first body."""

    first: Attachment
    second: Attachment

    def value(self, at: Poses) -> np.ndarray:
        """F1^T d."""
        return apply_transposed(at.axes(self.first), _gap(at, self.first, self.second))

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """F1^T (d' - w1 x d)."""
        return apply_transposed(at.axes(self.first), _gap_rate(at, field, self.first, self.second))


@dataclass(frozen=True)
class DisplacementIn:
    """Displacement of the second point from the first along the z axis of a frame on a third body."""

    first: Attachment
    second: Attachment
    carrier: Attachment

    def value(self, at: Poses) -> np.ndarray:
        """z . d."""
        return dot(at.axes(self.carrier)[..., 2], _gap(at, self.first, self.second))[..., None]

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """z . d' + (w x z) . d."""
        z, d = at.axes(self.carrier)[..., 2], _gap(at, self.first, self.second)
        speed = field.of(at, self.second) - field.of(at, self.first)
        return (dot(z, speed) + dot(cross(field.w[..., self.carrier.body, :], z), d))[..., None]


@dataclass(frozen=True)
class RotationVector:
    """Components of the relative rotation vector in the axes of the first frame."""

    first: Attachment
    second: Attachment

    def value(self, at: Poses) -> np.ndarray:
        """log(F1^T F2)."""
        F1 = at.axes(self.first)
        return log(np.swapaxes(F1, -1, -2) @ at.axes(self.second))

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """B(s) F1^T (w2 - w1) with the inverse left Jacobian B of the rotation vector."""
        s = self.value(at)
        S = skew(s)
        B = np.eye(3) - S / 2 + cotangent_coefficient(dot(s, s))[0][..., None, None] * (S @ S)
        turning = apply_transposed(at.axes(self.first), _turning(field, self.first, self.second))
        return (B @ turning[..., None])[..., 0]


@dataclass(frozen=True)
class Tilt:
    """z1 x z2 about x and y of the first frame."""

    first: Attachment
    second: Attachment

    def value(self, at: Poses) -> np.ndarray:
        """(-y1 . z2, x1 . z2)."""
        z2 = apply_transposed(at.axes(self.first), at.axes(self.second)[..., 2])
        return np.stack([-z2[..., 1], z2[..., 0]], axis=-1)

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """The same of the rate of z2 seen from the first body."""
        z2 = at.axes(self.second)[..., 2]
        rate = apply_transposed(at.axes(self.first), cross(_turning(field, self.first, self.second), z2))
        return np.stack([-rate[..., 1], rate[..., 0]], axis=-1)


@dataclass(frozen=True)
class Angle:
    """Angle from x1 to the projection of x2 in the plane x1, y1 (`second_angle`: from z1 to z2 about x2)."""

    first: Attachment
    second: Attachment
    turns: float = 0.0  # full turns counted, in radians
    second_angle: bool = False

    def _parts(self, F1: np.ndarray, F2: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Vectors (a, b, c, d) such that the angle has the sine a.b and the cosine c.d."""
        if self.second_angle:
            return F1[..., 2], F2[..., 1], F1[..., 2], F2[..., 2]
        return F1[..., 1], F2[..., 0], F1[..., 0], F2[..., 0]

    def value(self, at: Poses) -> np.ndarray:
        """The arctangent, on the branch of the real part."""
        a, b, c, d = self._parts(at.axes(self.first), at.axes(self.second))
        sine, cosine = dot(a, b), dot(c, d)
        near = np.arctan2(np.real(sine), np.real(cosine))
        s, c0 = np.sin(near), np.cos(near)
        return (near + np.arctan((sine * c0 - cosine * s) / (cosine * c0 + sine * s)) + self.turns)[..., None]

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """(cosine sine' - sine cosine') / (sine^2 + cosine^2)."""
        a, b, c, d = self._parts(at.axes(self.first), at.axes(self.second))
        turning = _turning(field, self.first, self.second)
        sine, cosine = dot(a, b), dot(c, d)
        rates = dot(a, cross(turning, b)), dot(c, cross(turning, d))
        return ((cosine * rates[0] - sine * rates[1]) / (sine**2 + cosine**2))[..., None]


@dataclass(frozen=True)
class Cosine:
    """Cosine of z1 and a direction fixed in the second body (the z axis of its frame)."""

    first: Attachment
    second: Attachment

    def value(self, at: Poses) -> np.ndarray:
        """z1 . z2."""
        return dot(at.axes(self.first)[..., 2], at.axes(self.second)[..., 2])[..., None]

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """z1 . ((w2 - w1) x z2)."""
        z1, z2 = at.axes(self.first)[..., 2], at.axes(self.second)[..., 2]
        return dot(z1, cross(_turning(field, self.first, self.second), z2))[..., None]


@dataclass(frozen=True)
class Part:
    """Some components of a deflection."""

    whole: Deflection
    index: tuple[int, ...]

    @property
    def first(self) -> Attachment:
        return self.whole.first

    @property
    def second(self) -> Attachment:
        return self.whole.second

    def value(self, at: Poses) -> np.ndarray:
        """The chosen values."""
        return self.whole.value(at)[..., list(self.index)]

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """The chosen rates."""
        return self.whole.rate(at, field)[..., list(self.index)]


@dataclass(frozen=True)
class Several:
    """Deflections one after another."""

    parts: tuple[Deflection, ...]

    @property
    def first(self) -> Attachment:
        return self.parts[0].first

    @property
    def second(self) -> Attachment:
        return self.parts[0].second

    def value(self, at: Poses) -> np.ndarray:
        """All values."""
        return self._joined(lambda part: part.value(at))

    def rate(self, at: Poses, field: Velocities) -> np.ndarray:
        """All rates."""
        return self._joined(lambda part: part.rate(at, field))

    def _joined(self, what: Callable[[Deflection], np.ndarray]) -> np.ndarray:
        return np.concatenate([what(part) for part in self.parts], axis=-1)


def bushing(first: Attachment, second: Attachment) -> Deflection:
    """The six deflections of a bushing: displacement and rotation vector."""
    return Several((Displacement(first, second), RotationVector(first, second)))


def bearing(first: Attachment, second: Attachment) -> Deflection:
    """The five deflections of a bearing: displacement and tilt."""
    return Several((Displacement(first, second), Tilt(first, second)))
