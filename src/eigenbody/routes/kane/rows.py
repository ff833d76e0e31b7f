"""Rows on the speeds: G(x) x' = given(t). Prescribed motions and couplings, rotations prescribed as a whole, bodies
that are held, and non-holonomic rows.

A row contributes G^T times its force to the generalized active forces: its partial velocities constrain those of the
tree (Passerello & Huston, Eqs. 3.30, 3.31, for rows of any form).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from eigenbody.model.expressions import Expression
from eigenbody.routes.deflections import Deflection
from eigenbody.routes.drawing import Attachment
from eigenbody.routes.kane.arrays import Arrays
from eigenbody.routes.kane.second_rates import second_rate
from eigenbody.spatial.rotations import (
    apply_transposed,
    cross,
    dot,
    log,
    turning_sequence,
    turning_vector,
)

Law = Callable[[float], np.ndarray]
"""Value, rate and second rate (3,) of a prescribed quantity at a time."""


def still(t: float) -> np.ndarray:
    """The law of what does not move."""
    return np.zeros(3)


class Row(Protocol):
    """One or more rows. `gap` is what a holonomic one leaves open, up to a constant; None for a non-holonomic one."""

    @property
    def names(self) -> tuple[str, ...]:
        """What each row holds, for messages."""
        ...

    @property
    def motions(self) -> tuple[int, ...]:
        """Numbers of the prescribed motions that the rows are."""
        ...

    def gradient(self, arrays: Arrays) -> np.ndarray:
        """G (b, m, n)."""
        ...

    def bias(self, arrays: Arrays) -> np.ndarray:
        """G' x' (b, m)."""
        ...

    def given(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """G x' (m,) and (G x')' (m,) as prescribed."""
        ...

    def gap(self, arrays: Arrays, t: float) -> np.ndarray | None:
        """Value minus what is prescribed (b, m)."""
        ...


@dataclass(frozen=True, eq=False)
class Linear:
    """A combination of coordinates of the tree, C (n,), that follows a law."""

    names: tuple[str, ...]
    C: np.ndarray
    law: Law = still
    motions: tuple[int, ...] = ()

    def gradient(self, arrays: Arrays) -> np.ndarray:
        """C."""
        return np.broadcast_to(self.C, (len(arrays.speeds), 1, len(self.C)))

    def bias(self, arrays: Arrays) -> np.ndarray:
        """None."""
        return np.zeros((len(arrays.speeds), 1))

    def given(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Rates of the law."""
        _, rate, second = self.law(t)
        return np.array([rate]), np.array([second])

    def gap(self, arrays: Arrays, t: float) -> np.ndarray:
        """C x - law."""
        return (arrays.x @ self.C)[:, None] - self.law(t)[0]


@dataclass(frozen=True, eq=False)
class Along:
    """A combination of deflections that follows a law."""

    names: tuple[str, ...]
    terms: tuple[tuple[float, Deflection], ...]
    law: Law = still
    motions: tuple[int, ...] = ()

    def gradient(self, arrays: Arrays) -> np.ndarray:
        """Rates in the unit fields."""
        fields = arrays.fields
        return np.asarray(sum(c * s.rate(arrays.at, fields)[:, None, 1:, 0] for c, s in self.terms))

    def bias(self, arrays: Arrays) -> np.ndarray:
        """Second rates without x''."""
        motion = arrays.motion
        return np.asarray(sum(c * second_rate(s, motion) for c, s in self.terms))

    def given(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Rates of the law."""
        _, rate, second = self.law(t)
        return np.array([rate]), np.array([second])

    def gap(self, arrays: Arrays, t: float) -> np.ndarray:
        """Value minus the law."""
        return np.asarray(sum(c * s.value(arrays.at)[:, 0] for c, s in self.terms)) - self.law(t)[0]


@dataclass(frozen=True, eq=False)
class Turned:
    """A rotation prescribed as a whole, by any number of turns: the relative angular velocity in the axes of the first
    frame is that of exp(s(t)), or of a sequence of angles."""

    names: tuple[str, ...]
    first: Attachment
    second: Attachment
    laws: tuple[Law, Law, Law]
    sequence: str | None
    motions: tuple[int, ...] = ()

    def target(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rotation, angular velocity and angular acceleration in the axes of the first frame."""
        a, a1, a2 = np.stack([law(t) for law in self.laws], axis=-1)
        turning = turning_vector if self.sequence is None else lambda *levels: turning_sequence(self.sequence, *levels)
        R, w, alpha = turning(a, a1, a2)
        return R, R @ w, R @ alpha

    def gradient(self, arrays: Arrays) -> np.ndarray:
        """Partial angular velocities of the second body less those of the first."""
        turning = arrays.W[:, :, self.second.body] - arrays.W[:, :, self.first.body]
        return np.swapaxes(apply_transposed(arrays.at.axes(self.first), turning), 1, 2)

    def bias(self, arrays: Arrays) -> np.ndarray:
        """Relative angular acceleration without x''."""
        return arrays.motion.turning(self.first, self.second)[1][:, 0]

    def given(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """As prescribed."""
        _, w, alpha = self.target(t)
        return w, alpha

    def gap(self, arrays: Arrays, t: float) -> np.ndarray:
        """Rotation vector from where it is to be to where it is."""
        at = arrays.at
        R = np.swapaxes(at.axes(self.first), -1, -2) @ at.axes(self.second)
        return log(R @ self.target(t)[0].T)[:, 0]


@dataclass(frozen=True, eq=False)
class Held:
    """A body that stays where it is: force on it at its centre of mass and moment, global axes."""

    names: tuple[str, ...]
    body: int
    at_start: tuple[np.ndarray, np.ndarray]  # its place (3,) and rotation (3, 3)
    motions: tuple[int, ...] = ()

    def gradient(self, arrays: Arrays) -> np.ndarray:
        """Its partial velocities and partial angular velocities."""
        return np.concatenate([np.swapaxes(part[:, :, self.body], 1, 2) for part in (arrays.V, arrays.W)], axis=1)

    def bias(self, arrays: Arrays) -> np.ndarray:
        """Its accelerations without x''."""
        return np.concatenate([arrays.a[:, self.body], arrays.alpha[:, self.body]], axis=-1)

    def given(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """It rests."""
        return np.zeros(6), np.zeros(6)

    def gap(self, arrays: Arrays, t: float) -> np.ndarray:
        """How far it has gone."""
        r, R = self.at_start
        moved = arrays.at.r[:, 0, self.body] - r
        return np.concatenate([moved, log(arrays.at.R[:, 0, self.body] @ R.T)], axis=-1)


@dataclass(frozen=True, eq=False)
class KnifeEdge:
    """The second point does not move over the first body along the z axis of its own frame."""

    names: tuple[str, ...]
    first: Attachment
    second: Attachment
    motions: tuple[int, ...] = ()

    def gradient(self, arrays: Arrays) -> np.ndarray:
        """Partial velocities of the point over the first body, along the edge."""
        at, fields = arrays.at, arrays.fields
        over = fields.of(at, self.second) - _carried(fields.v, fields.w, at, self.first.body, at.point(self.second))
        return dot(at.axes(self.second)[..., 2], over)[:, None, 1:]

    def bias(self, arrays: Arrays) -> np.ndarray:
        """e' . v + e . v'."""
        motion = arrays.motion
        e, e1, _ = motion.direction(self.second)
        v, v1 = _over(motion, self.first.body, *motion.point(self.second))
        return dot(e1, v) + dot(e, v1)

    def given(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """No slip."""
        return np.zeros(1), np.zeros(1)

    def gap(self, arrays: Arrays, t: float) -> None:
        """It is non-holonomic."""
        return


@dataclass(frozen=True, eq=False)
class Rolling:
    """The lowest point of a wheel (disc, or torus with a tube) rests on a plane of the first body: velocity of the
    wheel's material there, v + Omega x d, along two directions of the plane; `is_height`: along its normal, which is
    the rate of the height."""

    names: tuple[str, ...]
    first: Attachment  # its z axis is the normal
    second: Attachment  # its z axis is that of the wheel
    radius: float
    tube: float
    is_height: bool
    motions: tuple[int, ...] = ()

    @property
    def _axes(self) -> slice:
        return slice(2, 3) if self.is_height else slice(0, 2)

    def _lowest(self, n: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """b = n.a, the root of 1 - b^2, q = n - b a, and d from the centre to the lowest point."""
        b = dot(n, a)[..., None]
        root = np.sqrt(1 - b * b)
        q = n - b * a
        return b, root, q, -self.radius * q / root - self.tube * n

    def gradient(self, arrays: Arrays) -> np.ndarray:
        """Partial velocities of the wheel's lowest point over the plane."""
        at, fields = arrays.at, arrays.fields
        F, centre = at.axes(self.first), at.point(self.second)
        d = self._lowest(F[..., 2], at.axes(self.second)[..., 2])[3]
        over = fields.of(at, self.second) - _carried(fields.v, fields.w, at, self.first.body, centre)
        spin = fields.w[..., self.second.body, :] - fields.w[..., self.first.body, :]
        return np.swapaxes(apply_transposed(F, over + cross(spin, d))[:, 1:, self._axes], 1, 2)

    def bias(self, arrays: Arrays) -> np.ndarray:
        """Their rate without x''."""
        motion = arrays.motion
        (w1, alpha1), (w2, alpha2) = motion.turn(self.first), motion.turn(self.second)
        (n, n1, _), (a, a1, _) = motion.direction(self.first), motion.direction(self.second)
        b, root, q, d = self._lowest(n, a)
        b1 = (dot(n1, a) + dot(n, a1))[..., None]
        q1 = n1 - b1 * a - b * a1
        d1 = -self.radius * (q1 / root + q * b * b1 / root**3) - self.tube * n1
        v, v1 = _over(motion, self.first.body, *motion.point(self.second))
        speed, change = v + cross(w2 - w1, d), v1 + cross(alpha2 - alpha1, d) + cross(w2 - w1, d1)
        return apply_transposed(motion.at.axes(self.first), change - cross(w1, speed))[:, 0, self._axes]

    def given(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Nothing moves there."""
        zero = np.zeros(1 if self.is_height else 2)
        return zero, zero

    def gap(self, arrays: Arrays, t: float) -> np.ndarray | None:
        """The height of the lowest point, up to a constant; the speeds are non-holonomic."""
        if not self.is_height:
            return None
        at = arrays.at
        n = at.axes(self.first)[..., 2]
        d = self._lowest(n, at.axes(self.second)[..., 2])[3]
        return dot(n, at.point(self.second) + d - at.point(self.first))


@dataclass(frozen=True, eq=False)
class Speed:
    """A formula of measures s and their rates v, linear in the rates, is zero."""

    names: tuple[str, ...]
    formula: Expression
    measures: Mapping[str, Deflection]
    motions: tuple[int, ...] = ()

    def _values(self, arrays: Arrays, rates: Mapping[str, np.ndarray]) -> dict[str, Any]:
        values = {name: s.value(arrays.at)[:, 0, 0] for name, s in self.measures.items()}
        return values | {f"{name}'": rate for name, rate in rates.items()}

    def gradient(self, arrays: Arrays) -> np.ndarray:
        """Slopes by the rates, times the partial velocities of these."""
        fields = arrays.fields
        rates = {name: s.rate(arrays.at, fields)[..., 0] for name, s in self.measures.items()}
        values = self._values(arrays, {name: rate[:, 0] for name, rate in rates.items()})
        total = np.zeros((len(arrays.speeds), arrays.speeds.shape[1]), fields.v.dtype)
        for name, rate in rates.items():
            slope = np.asarray(self.formula.derivative(f"{name}'").evaluate(values))
            total = total + slope[..., None] * rate[:, 1:]
        return total[:, None]

    def bias(self, arrays: Arrays) -> np.ndarray:
        """Slopes by the rates, times second rates, and by the measures, times rates."""
        motion = arrays.motion
        rates = {name: s.rate(motion.at, motion.velocity)[:, 0, 0] for name, s in self.measures.items()}
        values = self._values(arrays, rates)
        total = np.zeros(len(arrays.speeds), motion.velocity.v.dtype)
        for name, s in self.measures.items():
            by_rate, by_value = (self.formula.derivative(of).evaluate(values) for of in (f"{name}'", name))
            total = total + by_rate * second_rate(s, motion)[:, 0] + by_value * rates[name]
        return total[:, None]

    def given(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Zero."""
        return np.zeros(1), np.zeros(1)

    def gap(self, arrays: Arrays, t: float) -> None:
        """It is non-holonomic."""
        return


def _carried(v: np.ndarray, w: np.ndarray, at: Any, body: int, point: np.ndarray) -> np.ndarray:
    """Velocities of the point of a body that is at a global point now."""
    return v[..., body, :] + cross(w[..., body, :], point - at.r[..., body, :])


def _over(
    motion: Any, body: int, point: np.ndarray, velocity: np.ndarray, acceleration: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Velocity of a point over a body, v - v1 - w1 x (p - r1), and the rate of this vector."""
    w, alpha = motion.velocity.w[..., body, :], motion.acceleration.w[..., body, :]
    arm = point - motion.at.r[..., body, :]
    v, a = motion.velocity.v[..., body, :], motion.acceleration.v[..., body, :]
    return velocity - v - cross(w, arm), acceleration - a - cross(alpha, arm) - cross(w, velocity - v)
