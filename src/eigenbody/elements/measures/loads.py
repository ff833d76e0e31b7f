"""Directions along which a force or torque acts at one body: work-conjugate pseudo-measures.

They have a gradient (virtual work per unit force) and a curvature (how it turns with the body), but no value: only
inputs, constant loads and expression loads act along them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers, every_carrier
from eigenbody.spatial.rotations import apply, apply_transposed, cross, skew


@dataclass(frozen=True, slots=True, eq=False)
class LoadDirection:
    """n directions e (..., n, 3) of a force at `arm` (..., n, 3) (or of a torque) on carriers (n, 1).

    In ground axes the direction stays fixed in space; in body axes it follows the body.
    """

    carriers: np.ndarray
    arm: np.ndarray
    e: np.ndarray
    is_torque: bool
    in_body: bool

    @property
    def key(self) -> tuple[object, ...]:
        return (LoadDirection, self.is_torque, self.in_body)

    def jet(self, at: Carriers) -> LoadJet:
        return LoadJet(self, at)

    def take(self, index: np.ndarray) -> LoadDirection:
        arm, e = self.arm[..., index, :], self.e[..., index, :]
        return LoadDirection(self.carriers[index], arm, e, self.is_torque, self.in_body)

    def turns(self) -> np.ndarray:
        if self.is_torque or self.in_body:
            return every_carrier(self)
        return np.abs(self.arm).max(axis=-1)[..., None] > 0

    @staticmethod
    def concatenate(parts: list[LoadDirection]) -> LoadDirection:
        arm, e = (np.concatenate([getattr(p, name) for p in parts], axis=-2) for name in ("arm", "e"))
        return LoadDirection(np.concatenate([p.carriers for p in parts]), arm, e, parts[0].is_torque, parts[0].in_body)


class LoadJet:
    """Gradient and curvature of the load directions; rate is the power per unit force."""

    def __init__(self, kernel: LoadDirection, at: Carriers) -> None:
        self._k, self._at = kernel, at
        self._i = kernel.carriers[:, 0]
        self._R = at.R[..., self._i, :, :]

    @cached_property
    def _local(self) -> np.ndarray:
        return self._k.e if self._k.in_body else apply_transposed(self._R, self._k.e)

    @cached_property
    def gradient(self) -> np.ndarray:
        k = self._k
        if k.is_torque:
            turn = self._local
            move = np.zeros_like(turn)
        else:
            turn = cross(k.arm, self._local)
            move = apply(self._R, k.e) if k.in_body else k.e
        move, turn = np.broadcast_arrays(move, turn)
        return np.concatenate((move, turn), axis=-1)

    @cached_property
    def rate(self) -> np.ndarray:
        u = np.concatenate((self._at.v[..., self._i, :], self._at.w[..., self._i, :]), axis=-1)
        return (self.gradient * u).sum(-1)

    @property
    def value(self) -> np.ndarray:
        return np.zeros(self.gradient.shape[:-1])

    @property
    def rate_q(self) -> np.ndarray:
        return np.zeros_like(self.gradient)

    acceleration = value
    acceleration_q = acceleration_u = rate_q

    @cached_property
    def curvature(self) -> np.ndarray:
        k = self._k
        H = np.zeros((*self.gradient.shape, 6), dtype=self.gradient.dtype)
        if k.in_body:
            if not k.is_torque:
                H[..., :3, 3:] = -(self._R @ skew(k.e))
        else:
            turn = skew(self._local)
            H[..., 3:, 3:] = turn if k.is_torque else skew(k.arm) @ turn
        return H
