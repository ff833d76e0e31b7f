"""Angular speeds: components of relative angular velocity along a direction fixed in one of the carriers.

    sigma = sum_k c_k f.omega_k      f fixed in the carrier `own`, c_k = -1 for the first, 1 for the second, else 0

With w the angular velocity in carrier axes and f_k the direction in the axes of carrier k, f.omega_k = f_k.w_k.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers, every_carrier
from eigenbody.spatial.rotations import apply, apply_transposed, cross, dot, skew

RELATIVE = (-1.0, 1.0, 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class AngularSpeed:
    """Kernel of n angular speeds of the second of the carriers (n, K) relative to the first, along f (..., n, 3) fixed
    in the one at the column `own`."""

    carriers: np.ndarray
    f: np.ndarray
    own: int

    @property
    def key(self) -> tuple[object, ...]:
        return (AngularSpeed, self.carriers.shape[-1], self.own)

    def jet(self, at: Carriers) -> AngularSpeedJet:
        return AngularSpeedJet(self, at)

    def take(self, index: np.ndarray) -> AngularSpeed:
        return AngularSpeed(self.carriers[index], self.f[..., index, :], self.own)

    turns = every_carrier

    @staticmethod
    def concatenate(parts: list[AngularSpeed]) -> AngularSpeed:
        carriers, f = np.concatenate([p.carriers for p in parts]), np.concatenate([p.f for p in parts], axis=-2)
        return AngularSpeed(carriers, f, parts[0].own)


class AngularSpeedJet:
    """The speed as a `rate` and its derivatives; there is no position-level value."""

    def __init__(self, kernel: AngularSpeed, at: Carriers) -> None:
        self._f, self._own, self._width = kernel.f, kernel.own, kernel.carriers.shape[-1]
        self._c = RELATIVE[: self._width]
        columns = kernel.carriers.T
        self._R = [at.R[..., i, :, :] for i in columns]
        self._w = [at.w[..., i, :] for i in columns]
        self._alpha = [at.alpha[..., i, :] for i in columns]
        self._f1 = cross(self._w[self._own], self._f)  # f' in the axes of its carrier

    def _to(self, k: int, x: np.ndarray) -> np.ndarray:
        """x of the own carrier in the axes of carrier k."""
        return x if k == self._own else apply_transposed(self._R[k], apply(self._R[self._own], x))

    def _from(self, k: int, x: np.ndarray) -> np.ndarray:
        """x of carrier k in the axes of the own one."""
        return x if k == self._own else apply_transposed(self._R[self._own], apply(self._R[k], x))

    @property
    def _others(self) -> list[int]:
        """Moving carriers whose rotation relative to the own one matters."""
        return [k for k in range(self._width) if k != self._own and self._c[k]]

    def _columns(self, turn: dict[int, np.ndarray]) -> np.ndarray:
        """Rows (..., n, 6K) of what belongs to the rotations of some carriers."""
        lead = np.broadcast_shapes(*(part.shape for part in turn.values()), self._R[0].shape[:-1])
        out = np.zeros((*lead[:-1], 6 * self._width), dtype=np.result_type(*turn.values(), self._R[0]))
        for k, part in turn.items():
            out[..., 6 * k + 3 : 6 * k + 6] += part
        return out

    @cached_property
    def rate(self) -> np.ndarray:
        parts = (self._c[k] * dot(self._to(k, self._f), self._w[k]) for k in range(self._width) if self._c[k])
        return sum(parts, start=np.zeros(()))

    @cached_property
    def acceleration(self) -> np.ndarray:
        out: np.ndarray = np.zeros(())
        for k in range(self._width):
            if self._c[k]:
                bent = dot(self._to(k, self._f1), self._w[k]) + dot(self._to(k, self._f), self._alpha[k])
                out = out + self._c[k] * bent
        return out

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._columns({k: self._c[k] * self._to(k, self._f) for k in range(self._width) if self._c[k]})

    @cached_property
    def rate_q(self) -> np.ndarray:
        turn = {k: self._c[k] * cross(self._w[k], self._to(k, self._f)) for k in self._others}
        turn[self._own] = sum(
            (self._c[k] * cross(self._f, self._from(k, self._w[k])) for k in self._others), start=np.zeros(3)
        )
        return self._columns(turn)

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        turn: dict[int, np.ndarray] = {self._own: np.zeros(3)}
        for k in self._others:
            f, f1 = self._to(k, self._f), self._to(k, self._f1)
            turn[k] = self._c[k] * (cross(self._w[k], f1) + cross(self._alpha[k], f))
            w, alpha = self._from(k, self._w[k]), self._from(k, self._alpha[k])
            turn[self._own] = turn[self._own] + self._c[k] * (cross(self._f1, w) + cross(self._f, alpha))
        return self._columns(turn)

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        turn: dict[int, np.ndarray] = {self._own: np.zeros(3)}
        for k in self._others:
            turn[k] = self._c[k] * self._to(k, self._f1)
            turn[self._own] = turn[self._own] + self._c[k] * cross(self._f, self._from(k, self._w[k]))
        return self._columns(turn)

    @cached_property
    def curvature(self) -> np.ndarray:
        """d(gradient^T)/dq."""
        blocks = {}
        for k in self._others:
            to_k = np.swapaxes(self._R[k], -1, -2) @ self._R[self._own]
            blocks[k, self._own] = -self._c[k] * (to_k @ skew(self._f))
            blocks[k, k] = self._c[k] * skew(self._to(k, self._f))
        shape = np.broadcast_shapes(*(block.shape for block in blocks.values()))
        H = np.zeros((*shape[:-2], 6 * self._width, 6 * self._width), dtype=np.result_type(*blocks.values()))
        for (i, j), block in blocks.items():
            H[..., 6 * i + 3 : 6 * i + 6, 6 * j + 3 : 6 * j + 6] = block
        return H

    @cached_property
    def value(self) -> np.ndarray:
        """There is no position-level value; zero by convention."""
        return np.zeros(self.rate.shape)
