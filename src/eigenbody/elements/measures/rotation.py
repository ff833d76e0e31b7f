"""Three-dimensional relative rotation: as a value the rotation vector, as a variation small rotations.

With first frame P and second frame Q (global axes), R_rel = P^T Q and s = log R_rel in the axes of the first frame;
omega = P^T (Omega_Q - Omega_P). The component along a fixed direction e of the first frame is the measure:

    s' = B(s) omega,   e . B(s) w = F(s; e, w) = e.w - e.(s x w)/2 + c(s.s) [(e.s)(s.w) - (s.s)(e.w)]
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers, every_carrier
from eigenbody.spatial.components import skew_polynomial
from eigenbody.spatial.rotations import (
    apply,
    apply_transposed,
    components,
    cotangent_coefficient,
    cross,
    dot,
    log,
    matrix,
    skew,
)


@dataclass(frozen=True, slots=True, eq=False)
class RotationComponent:
    """Kernel of n rotation components: frames (..., n, 3, 3) on carriers (n, 2), directions e (..., n, 3)."""

    carriers: np.ndarray
    first: np.ndarray
    second: np.ndarray
    e: np.ndarray
    small: bool = False  # True: variations are small rotations about the axes of the first frame
    repeats: int = 1  # how often the same pairs of frames follow each other: once for each component

    @property
    def key(self) -> tuple[object, ...]:
        return (RotationComponent, self.small)

    def jet(self, at: Carriers) -> RotationVectorJet | SmallRotationJet:
        return SmallRotationJet(self, at) if self.small else RotationVectorJet(self, at)

    def as_variation(self) -> RotationComponent:
        return RotationComponent(self.carriers, self.first, self.second, self.e, True, self.repeats)

    def take(self, index: np.ndarray) -> RotationComponent:
        first, second = self.first[..., index, :, :], self.second[..., index, :, :]
        return RotationComponent(
            self.carriers[index], first, second, self.e[..., index, :], self.small, self._repeats_in(index)
        )

    def _repeats_in(self, index: np.ndarray) -> int:
        """How often the same pairs follow each other among the chosen ones: as often as here, or not at all."""
        if self.repeats == 1 or len(index) % self.repeats:
            return 1
        pairs = (index % (len(self.carriers) // self.repeats)).reshape(self.repeats, -1)
        return self.repeats if np.all(pairs == pairs[0]) else 1

    turns = every_carrier

    @staticmethod
    def concatenate(parts: list[RotationComponent]) -> RotationComponent:
        one = parts[0]
        repeat = all(p.first is one.first and p.second is one.second and p.repeats == 1 for p in parts)
        repeat = repeat and all(np.array_equal(p.carriers, one.carriers) for p in parts)
        return RotationComponent(
            np.concatenate([p.carriers for p in parts]),
            np.concatenate([p.first for p in parts], axis=-3),
            np.concatenate([p.second for p in parts], axis=-3),
            np.concatenate([p.e for p in parts], axis=-2),
            one.small,
            len(parts) if repeat else 1,
        )


class _RelativeRotation:
    """Frames and angular velocities that both kinds of rotation share."""

    def __init__(self, kernel: RotationComponent, at: Carriers) -> None:
        i, j = kernel.carriers[:, 0], kernel.carriers[:, 1]
        self._at, self._i, self._j = at, i, j
        self.e = kernel.e
        self.frame = kernel.first  # first frame in its carrier's axes
        self.Ri, self.Rj = np.take(at.R, i, axis=-3), np.take(at.R, j, axis=-3)
        self.P = self.Ri @ kernel.first
        self._kernel = kernel

    @cached_property
    def s(self) -> np.ndarray:
        """Rotation vector in the axes of the first frame, (..., n, 3)."""
        repeats = self._kernel.repeats
        pairs = slice(0, len(self._i) // repeats)
        P, Rj, second = (R[..., pairs, :, :] for R in (self.P, self.Rj, self._kernel.second))
        vectors = log(np.swapaxes(P, -1, -2) @ (Rj @ second))
        return np.concatenate([vectors] * repeats, axis=-2) if repeats > 1 else vectors

    @cached_property
    def wi(self) -> np.ndarray:
        return self._at.w[..., self._i, :]

    @cached_property
    def wj(self) -> np.ndarray:
        return self._at.w[..., self._j, :]

    @cached_property
    def Oi(self) -> np.ndarray:
        return apply(self.Ri, self.wi)

    @cached_property
    def O(self) -> np.ndarray:  # noqa: E743 - capital omega, the relative angular velocity in global axes
        return apply(self.Rj, self.wj) - self.Oi

    @cached_property
    def Oi1(self) -> np.ndarray:
        return apply(self.Ri, self._at.alpha[..., self._i, :])

    @cached_property
    def O1(self) -> np.ndarray:
        return apply(self.Rj, self._at.alpha[..., self._j, :]) - self.Oi1

    def rows(self, turn_i: np.ndarray, turn_j: np.ndarray) -> np.ndarray:
        """Columns (dr_i, dtheta_i, dr_j, dtheta_j) from the two rotation parts; (..., n, [m,] 12)."""
        turn_i, turn_j = np.broadcast_arrays(turn_i, turn_j)
        zero = np.zeros_like(turn_i)
        return np.concatenate((zero, turn_i, zero, turn_j), axis=-1)

    def relative(self, a: np.ndarray) -> np.ndarray:
        """Columns of a . (turn of the second - turn of the first), a in global axes; (..., n, 12)."""
        return self.rows(-apply_transposed(self.Ri, a), apply_transposed(self.Rj, a))

    @cached_property
    def value(self) -> np.ndarray:
        return dot(self.e, self.s)


class RotationVectorJet(_RelativeRotation):
    """The rotation vector component as an ordinary (holonomic) measure."""

    @cached_property
    def _c(self) -> tuple[np.ndarray, ...]:
        c = cotangent_coefficient(dot(self.s, self.s))
        return tuple(part[..., None] for part in c)

    def _pull(self, e: np.ndarray) -> np.ndarray:
        """y with e . B(s) w = y . w."""
        s, c = self.s, self._c[0]
        return e - 0.5 * cross(e, s) + c * (_d(e, s) * s - _d(s, s) * e)

    def _slope(self, e: np.ndarray, w: np.ndarray) -> np.ndarray:
        """dF/ds (s; e, w)."""
        s, (c, c1, _) = self.s, self._c
        G = _d(e, s) * _d(s, w) - _d(s, s) * _d(e, w)
        return -0.5 * cross(w, e) + 2 * c1 * G * s + c * self._Gs(e, w)

    def _Gs(self, e: np.ndarray, w: np.ndarray) -> np.ndarray:
        s = self.s
        return _d(s, w) * e + _d(e, s) * w - 2 * _d(e, w) * s

    def _bend(self, e: np.ndarray, w: np.ndarray, a: np.ndarray) -> np.ndarray:
        """d2F/ds2 a."""
        s, (c, c1, c2) = self.s, self._c
        G = _d(e, s) * _d(s, w) - _d(s, s) * _d(e, w)
        Gs = self._Gs(e, w)
        return (
            4 * c2 * _d(s, a) * G * s + 2 * c1 * (G * a + _d(Gs, a) * s + _d(s, a) * Gs)
            + c * (_d(a, w) * e + _d(e, a) * w - 2 * _d(e, w) * a)
        )  # fmt: skip

    def _slope_w(self, e: np.ndarray, a: np.ndarray) -> np.ndarray:
        """z with dF/ds(s; e, w) . a = z . w."""
        s, (c, c1, _) = self.s, self._c
        return (
            -0.5 * cross(e, a) + 2 * c1 * _d(s, a) * (_d(e, s) * s - _d(s, s) * e)
            + c * (_d(e, a) * s + _d(e, s) * a - 2 * _d(s, a) * e)
        )  # fmt: skip

    @cached_property
    def _y(self) -> np.ndarray:
        return self._pull(self.e)

    @cached_property
    def omega(self) -> np.ndarray:
        return apply_transposed(self.P, self.O)

    @cached_property
    def omega1(self) -> np.ndarray:
        return apply_transposed(self.P, self.O1 - cross(self.Oi, self.O))

    @cached_property
    def _B(self) -> np.ndarray:
        """B(s), (..., n, 3, 3)."""
        return matrix(skew_polynomial(components(self.s), -0.5, self._c[0][..., 0]))

    @cached_property
    def _s1(self) -> np.ndarray:
        return apply(self._B, self.omega)

    @cached_property
    def rate(self) -> np.ndarray:
        return dot(self._y, self.omega)

    @cached_property
    def acceleration(self) -> np.ndarray:
        return dot(self._y, self.omega1) + dot(self._slope(self.e, self.omega), self._s1)

    # Variations as matrices on the twelve columns -------------------------------------------------------------
    @cached_property
    def _dphi(self) -> np.ndarray:
        Pt = np.swapaxes(self.P, -1, -2)
        return self.rows(-(Pt @ self.Ri), Pt @ self.Rj)

    @cached_property
    def _ds(self) -> np.ndarray:
        return self._B @ self._dphi

    @cached_property
    def _domega(self) -> np.ndarray:
        """d omega/dq."""
        Pt = np.swapaxes(self.P, -1, -2)
        turn_i = Pt @ (self.Ri @ skew(self.wi) + skew(self.O) @ self.Ri)
        return self.rows(turn_i, -(Pt @ self.Rj @ skew(self.wj)))

    @cached_property
    def _domega1(self) -> tuple[np.ndarray, np.ndarray]:
        """d omega'/dq and d omega'/du."""
        at, Pt = self._at, np.swapaxes(self.P, -1, -2)
        ai, aj = at.alpha[..., self._i, :], at.alpha[..., self._j, :]
        Oi, Or = skew(self.Oi), skew(self.O)
        dOi, dOj = -self.Ri @ skew(self.wi), -self.Rj @ skew(self.wj)  # d Omega/dtheta
        turn_i = self.Ri @ skew(ai) + Or @ dOi + Oi @ dOi + skew(self.O1 - cross(self.Oi, self.O)) @ self.Ri
        turn_j = -self.Rj @ skew(aj) - Oi @ dOj
        q = self.rows(Pt @ turn_i, Pt @ turn_j)
        u = self.rows(Pt @ (Or @ self.Ri + Oi @ self.Ri), -(Pt @ Oi @ self.Rj))
        return q, u

    @cached_property
    def gradient(self) -> np.ndarray:
        return self.relative(apply(self.P, self._y))

    @cached_property
    def rate_q(self) -> np.ndarray:
        return _row(self._slope(self.e, self.omega), self._ds) + _row(self._y, self._domega)

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        e, w = self.e, self.omega
        D = np.stack([self._slope(np.broadcast_to(np.eye(3)[k], self.s.shape), w) for k in range(3)], axis=-2)
        ds1 = self._B @ self._domega + D @ self._ds
        return (
            _row(self._y, self._domega1[0])
            + _row(self._slope(e, self.omega1) + self._bend(e, w, self._s1), self._ds)
            + _row(self._slope_w(e, self._s1), self._domega)
            + _row(self._slope(e, w), ds1)
        )

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        e, w = self.e, self.omega
        z = self._slope_w(e, self._s1) + apply_transposed(self._B, self._slope(e, w))
        return _row(self._y, self._domega1[1]) + _row(z, self._dphi)

    @cached_property
    def curvature(self) -> np.ndarray:
        e, s, (c, c1, _) = self.e, self.s, self._c
        bracket = _d(e, s) * s - _d(s, s) * e
        Ys = -0.5 * skew(e) + _outer(2 * c1 * bracket, s)
        Ys = Ys + c[..., None] * (_outer(s, e) + _d(e, s)[..., None] * np.eye(3) - 2 * _outer(e, s))
        dy = Ys @ self._ds
        eta = apply(self.P, self._y)
        top = -(self.frame @ dy)
        bottom = np.swapaxes(self.Rj, -1, -2) @ (self.P @ dy)
        bottom[..., :, 3:6] -= np.swapaxes(self.Rj, -1, -2) @ skew(eta) @ self.Ri
        bottom[..., :, 9:12] += skew(apply_transposed(self.Rj, eta))
        zero = np.zeros_like(bottom)
        return np.concatenate((zero, np.broadcast_to(top, bottom.shape), zero, bottom), axis=-2)


class SmallRotationJet(_RelativeRotation):
    """The same rotation with dS = e . dphi, R_rel <- exp(dphi) R_rel, and dW = d/dt dS (docs/conventions.md).

    With a the direction e in global axes: dS = a.(R dtheta)_rel, dW = a'.(R dtheta)_rel + a.(R dw)_rel, and so on.
    """

    @cached_property
    def _a(self) -> np.ndarray:
        return apply(self.P, self.e)

    @cached_property
    def _a1(self) -> np.ndarray:
        return cross(self.Oi, self._a)

    @cached_property
    def _a2(self) -> np.ndarray:
        return cross(self.Oi1, self._a) + cross(self.Oi, self._a1)

    @cached_property
    def rate(self) -> np.ndarray:
        return dot(self._a, self.O)

    @cached_property
    def acceleration(self) -> np.ndarray:
        return dot(self._a, self.O1) + dot(self._a1, self.O)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self.relative(self._a)

    @cached_property
    def rate_q(self) -> np.ndarray:
        return self.relative(self._a1)

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        return self.relative(self._a2)

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        spin_i = cross(self.wi, apply_transposed(self.Ri, self._a))
        spin_j = -cross(self.wj, apply_transposed(self.Rj, self._a))
        return 2 * self.relative(self._a1) + self.rows(spin_i, spin_j)


def _d(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return dot(a, b)[..., None]


def _outer(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[..., :, None] * b[..., None, :]


def _row(y: np.ndarray, matrix: np.ndarray) -> np.ndarray:
    return (y[..., None, :] @ matrix)[..., 0, :]
