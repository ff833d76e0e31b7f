"""Features: vectors that ride on bodies, and the scalar product of two of them with all its derivatives.

Nearly every measure is built from scalar products of features, so the derivatives of geometry are written once, here.
A carrier is anything with a pose: a body, ground, a moving frame. A feature rides on K carriers:

    f = sum_k  c_k r_k + R_k a_k          c_k in {-1, 0, 1}, a_k fixed in carrier k (the arm)

With w the angular velocity in carrier axes, `a1 = w x a` and `a2 = w' x a + w x a1` are the arms of f' and f''.
Variations are dr (global) and dtheta (carrier axes), R <- R exp(dtheta); columns are ordered (dr, dtheta) per carrier.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from eigenbody.spatial.rotations import apply, apply_transposed, cross, dot, skew


@dataclass(frozen=True, eq=False)
class Carriers:
    """Poses, velocities and accelerations of all carriers; angular quantities in carrier axes. (..., n, 3). `turns`
    (..., k) are the full turns that angles have counted, for measures that are made of angles."""

    r: np.ndarray
    R: np.ndarray  # (..., n, 3, 3)
    v: np.ndarray
    w: np.ndarray
    a: np.ndarray
    alpha: np.ndarray
    turns: np.ndarray = field(default_factory=lambda: np.zeros(0))

    @cached_property
    def moves(self) -> bool:
        """Whether anything has a velocity; else no measure has a rate."""
        return bool(self.v.any() or self.w.any())

    @cached_property
    def accelerates(self) -> bool:
        """Whether anything has an acceleration."""
        return bool(self.a.any() or self.alpha.any())


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """A vector riding on carriers: coefficients `c` (n, K) of the positions and arms `arm` (..., n, K, 3)."""

    c: np.ndarray
    arm: np.ndarray

    def take(self, index: np.ndarray) -> Feature:
        return Feature(self.c[index], self.arm[..., index, :, :])

    @staticmethod
    def concatenate(parts: list[Feature]) -> Feature:
        return Feature(np.concatenate([p.c for p in parts]), np.concatenate([p.arm for p in parts], axis=-3))


class FeatureJet:
    """Value, rate and acceleration of a feature and the transposed action of their Jacobians. `same` is that of the
    same feature in the same state, whatever accelerates."""

    def __init__(
        self, feature: Feature, at: Carriers, carriers: np.ndarray, R: np.ndarray, same: FeatureJet | None = None
    ) -> None:
        self.c = feature.c[..., None]
        self.arm = feature.arm
        self.R = R  # of the carriers, (..., n, K, 3, 3)
        self._at = at
        self._carriers = carriers
        self._same = same

    @cached_property
    def w(self) -> np.ndarray:
        return np.take(self._at.w, self._carriers, axis=-2)

    @cached_property
    def arm1(self) -> np.ndarray:
        return cross(self.w, self.arm)

    @cached_property
    def arm2(self) -> np.ndarray:
        gained = cross(np.take(self._at.alpha, self._carriers, axis=-2), self.arm)
        return gained + cross(self.w, self.arm1) if self._at.moves else gained

    @cached_property
    def _has_position(self) -> bool:
        return bool(self.c.any())

    def _sum(self, position: np.ndarray, arm: np.ndarray) -> np.ndarray:
        parts = apply(self.R, arm)
        if self._has_position:  # points first: where two of them meet, their difference vanishes to the last digit
            parts = parts + self.c * np.take(position, self._carriers, axis=-2)
        return np.einsum("...ki->...i", parts)

    @cached_property
    def value(self) -> np.ndarray:
        return self._sum(self._at.r, self.arm) if self._same is None else self._same.value

    @cached_property
    def rate(self) -> np.ndarray:
        return self._sum(self._at.v, self.arm1) if self._same is None else self._same.rate

    @cached_property
    def acceleration(self) -> np.ndarray:
        return self._sum(self._at.a, self.arm2)

    @cached_property
    def local(self) -> np.ndarray:
        """The value in the axes of every carrier, (..., n, K, 3)."""
        return self._local(self.value) if self._same is None else self._same.local

    def pull_value(self, y: FeatureJet) -> np.ndarray:
        """(df/dq)^T y, (..., n, K, 6), y on the same carriers."""
        return _columns(self.c * y.value[..., None, :], cross(self.arm, y.local))

    def pull_at_rest(self, y: FeatureJet) -> np.ndarray:
        """(df/dq)^T y'' + (df''/dq)^T y of what accelerates from rest, y on the same carriers."""
        turn = cross(self.arm, self._local(y.acceleration)) + cross(self.arm2, y.local)
        return _columns(self.c * y.acceleration[..., None, :], turn)

    def pull(self, y: np.ndarray) -> np.ndarray:
        """(df/dq)^T y, (..., n, K, 6)."""
        return _columns(self.c * y[..., None, :], cross(self.arm, self._local(y)))

    def pull_rate(self, y: np.ndarray) -> np.ndarray:
        """(df'/dq)^T y."""
        return self._turn(self.arm1, y)

    def pull_acceleration(self, y: np.ndarray) -> np.ndarray:
        """(df''/dq)^T y."""
        return self._turn(self.arm2, y)

    def pull_acceleration_u(self, y: np.ndarray) -> np.ndarray:
        """(df''/du)^T y."""
        local = self._local(y)
        turn = cross(self.arm1, local) - cross(self.arm, cross(self.w, local))
        return _columns(np.zeros_like(turn), turn)

    def _turn(self, arm: np.ndarray, y: np.ndarray) -> np.ndarray:
        turn = cross(arm, self._local(y))
        return _columns(np.zeros_like(turn), turn)

    def _local(self, y: np.ndarray) -> np.ndarray:
        """y in the axes of every carrier, (..., n, K, 3)."""
        if y.ndim > 2 and self.R.ndim == 4:  # many in one pose: in the axes of all carriers at once
            n, K = self.R.shape[:2]
            beside = np.moveaxis(self.R, 1, 2).reshape(n, 3, 3 * K)
            return apply_transposed(beside, y).reshape(*y.shape[:-2], n, K, 3)
        return np.einsum("...kij,...i->...kj", self.R, y)

    @cached_property
    def jacobian(self) -> np.ndarray:
        """df/dq, (..., n, 3, 6K)."""
        turn = -(self.R @ skew(self.arm))
        move = np.broadcast_to(self.c[..., None] * np.eye(3), turn.shape)
        J = np.concatenate((move, turn), axis=-1)  # (..., n, K, 3, 6)
        return np.moveaxis(J, -3, -2).reshape(*J.shape[:-3], 3, -1)

    def curvature(self, y: np.ndarray) -> np.ndarray:
        """d((df/dq)^T y)/dq at fixed y, one 3x3 rotation block per carrier: (..., n, K, 3, 3)."""
        return skew(self.arm) @ skew(self._local(y))


def _columns(move: np.ndarray, turn: np.ndarray) -> np.ndarray:
    shape = move.shape if move.shape == turn.shape else np.broadcast_shapes(move.shape, turn.shape)
    dtype = move.dtype if move.dtype == turn.dtype else np.result_type(move, turn)
    out = np.empty((*shape[:-1], 6), dtype=dtype)
    out[..., :3], out[..., 3:] = move, turn
    return out


class Riding(Protocol):
    """What rides on carriers (n, K)."""

    @property
    def carriers(self) -> np.ndarray: ...


def every_carrier(kernel: Riding) -> np.ndarray:
    """The `turns` of kernels that feel the rotation of all their carriers, (n, K)."""
    return np.ones_like(kernel.carriers, dtype=bool)


@dataclass(frozen=True, slots=True, eq=False)
class ScalarProduct:
    """Kernel of n scalar products x . y of features on the carriers (n, K)."""

    carriers: np.ndarray
    x: Feature
    y: Feature

    @property
    def key(self) -> tuple[object, ...]:
        return (ScalarProduct, self.carriers.shape[-1])

    def jet(self, at: Carriers) -> ScalarProductJet:
        return ScalarProductJet(self, at)

    def take(self, index: np.ndarray) -> ScalarProduct:
        return ScalarProduct(self.carriers[index], self.x.take(index), self.y.take(index))

    def turns(self) -> np.ndarray:
        """(n, K) bool: whether the rotation of each carrier matters."""
        return (np.abs(self.x.arm).max(axis=-1) > 0) | (np.abs(self.y.arm).max(axis=-1) > 0)

    @staticmethod
    def concatenate(parts: list[ScalarProduct]) -> ScalarProduct:
        x, y = Feature.concatenate([p.x for p in parts]), Feature.concatenate([p.y for p in parts])
        return ScalarProduct(np.concatenate([p.carriers for p in parts]), x, y)


class ScalarProductJet:
    """s = x . y and every partial derivative the engine asks for, by the product rule."""

    def __init__(self, kernel: ScalarProduct, at: Carriers, same: ScalarProductJet | None = None) -> None:
        self._kernel, self._at, self._same = kernel, at, same
        R = np.take(at.R, kernel.carriers, axis=-3) if same is None else same.x.R
        x, y = (None, None) if same is None else (same.x, same.y)
        self.x: FeatureJet = FeatureJet(kernel.x, at, kernel.carriers, R, x)
        self.y: FeatureJet = FeatureJet(kernel.y, at, kernel.carriers, R, y)

    def accelerated(self, at: Carriers) -> ScalarProductJet:
        """The same in the same state with other accelerations."""
        return ScalarProductJet(self._kernel, at, self)

    @cached_property
    def value(self) -> np.ndarray:
        return dot(self.x.value, self.y.value) if self._same is None else self._same.value

    @cached_property
    def rate(self) -> np.ndarray:
        if self._same is not None:
            return self._same.rate
        if not self._at.moves:
            return np.zeros_like(self.value)
        return dot(self.x.rate, self.y.value) + dot(self.x.value, self.y.rate)

    @cached_property
    def acceleration(self) -> np.ndarray:
        x, y = self.x, self.y
        if not (self._at.moves or self._at.accelerates):
            return np.zeros_like(self.value)
        if not self._at.moves:
            return dot(x.acceleration, y.value) + dot(x.value, y.acceleration)
        return dot(x.acceleration, y.value) + 2 * dot(x.rate, y.rate) + dot(x.value, y.acceleration)

    @cached_property
    def gradient(self) -> np.ndarray:
        if self._same is not None:
            return self._same.gradient
        return _flat(self.x.pull_value(self.y) + self.y.pull_value(self.x))

    @cached_property
    def rate_q(self) -> np.ndarray:
        if self._same is not None:
            return self._same.rate_q
        x, y = self.x, self.y
        return _flat(x.pull(y.rate) + x.pull_rate(y.value) + y.pull(x.rate) + y.pull_rate(x.value))

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        x, y = self.x, self.y
        if not self._at.moves:
            return _flat(x.pull_at_rest(y) + y.pull_at_rest(x))
        return _flat(
            x.pull(y.acceleration) + 2 * x.pull_rate(y.rate) + x.pull_acceleration(y.value)
            + y.pull(x.acceleration) + 2 * y.pull_rate(x.rate) + y.pull_acceleration(x.value)
        )  # fmt: skip

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        x, y = self.x, self.y
        return _flat(
            2 * x.pull(y.rate) + x.pull_acceleration_u(y.value) + 2 * y.pull(x.rate) + y.pull_acceleration_u(x.value)
        )

    @cached_property
    def curvature(self) -> np.ndarray:
        X, Y = self.x.jacobian, self.y.jacobian
        XY = np.swapaxes(X, -1, -2) @ Y
        blocks = self.x.curvature(self.y.value) + self.y.curvature(self.x.value)
        H = XY + np.swapaxes(XY, -1, -2)
        lead = np.broadcast_shapes(H.shape[:-2], blocks.shape[:-3])
        H = np.array(np.broadcast_to(H, (*lead, *H.shape[-2:])), dtype=np.result_type(H, blocks))
        for k in range(blocks.shape[-3]):
            turn = slice(6 * k + 3, 6 * k + 6)
            H[..., turn, turn] += blocks[..., k, :, :]
        return H


def _flat(columns: np.ndarray) -> np.ndarray:
    """(..., n, K, 6) -> (..., n, 6K)."""
    return columns.reshape(*columns.shape[:-2], -1)
