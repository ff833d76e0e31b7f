"""Euler parameters: components of the unit quaternion (w, x, y, z) of a relative rotation.

q and -q are the same rotation; the one with w >= 0 is meant, so that all components change sign at half a turn. With a
and b the angular velocities of the first and the second frame, each in its own axes, quaternion products and a, b as
quaternions without real part:

    q' = L(q; a, b) = (q b - a q)/2       e.L(q; a, b) = -q.L(e; a, b)

so that every derivative of the component e.q is that of another direction e, and the same formula:

    s = q.e    s' = q.e1    s'' = q.e2       e1 = -L(e; a, b)    e2 = L(L(e; a, b); a, b) - L(e; a', b')
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers, every_carrier
from eigenbody.elements.measures.templates import Pairs
from eigenbody.spatial.rotations import apply, apply_transposed, cross, dot, quaternion, skew

LABELS = "wxyz"


def quaternion_kernels(pairs: Pairs) -> tuple[QuaternionComponent, ...]:
    """The four components between the frames of every pair."""
    return tuple(
        QuaternionComponent(pairs.carriers, pairs.axes1, pairs.axes2, np.broadcast_to(e, (len(pairs), 4)))
        for e in np.eye(4)
    )


@dataclass(frozen=True, slots=True, eq=False)
class QuaternionComponent:
    """Kernel of n components along e (n, 4): frames (..., n, 3, 3) on carriers (n, 2)."""

    carriers: np.ndarray
    first: np.ndarray
    second: np.ndarray
    e: np.ndarray

    @property
    def key(self) -> tuple[object, ...]:
        return (QuaternionComponent,)

    def jet(self, at: Carriers) -> QuaternionJet:
        return QuaternionJet(self, at)

    def take(self, index: np.ndarray) -> QuaternionComponent:
        first, second = self.first[..., index, :, :], self.second[..., index, :, :]
        return QuaternionComponent(self.carriers[index], first, second, self.e[index])

    turns = every_carrier

    @staticmethod
    def concatenate(parts: list[QuaternionComponent]) -> QuaternionComponent:
        first, second = (np.concatenate([getattr(p, name) for p in parts], axis=-3) for name in ("first", "second"))
        carriers, e = (np.concatenate([getattr(p, name) for p in parts]) for name in ("carriers", "e"))
        return QuaternionComponent(carriers, first, second, e)


class QuaternionJet:
    """Value, rates and their derivatives; rotations of the carriers are the only columns that matter."""

    def __init__(self, kernel: QuaternionComponent, at: Carriers) -> None:
        i, j = kernel.carriers.T
        self._F, self._S, self._e = kernel.first, kernel.second, kernel.e
        P, Q = at.R[..., i, :, :] @ kernel.first, at.R[..., j, :, :] @ kernel.second
        self._q = quaternion(np.swapaxes(P, -1, -2) @ Q)
        self._u = apply_transposed(self._F, at.w[..., i, :]), apply_transposed(self._S, at.w[..., j, :])
        self._u1 = apply_transposed(self._F, at.alpha[..., i, :]), apply_transposed(self._S, at.alpha[..., j, :])

    @cached_property
    def _e1(self) -> np.ndarray:
        return -_turned(self._e, *self._u)

    @cached_property
    def _e2(self) -> np.ndarray:
        return -_turned(self._e1, *self._u) - _turned(self._e, *self._u1)

    def _row(self, q: np.ndarray, e: np.ndarray) -> np.ndarray:
        """e.L(q; F^T dtheta_i, S^T dtheta_j) by (dr_i, dtheta_i, dr_j, dtheta_j)."""
        w, v, e0, ev = q[..., :1], q[..., 1:], e[..., :1], e[..., 1:]
        same, around = w * ev - e0 * v, cross(v, ev)
        turns = apply(self._F, -(same + around) / 2), apply(self._S, (same - around) / 2)
        zero = np.zeros_like(turns[0])
        return np.concatenate(np.broadcast_arrays(zero, turns[0], zero, turns[1]), axis=-1)

    @cached_property
    def value(self) -> np.ndarray:
        return dot(self._q, self._e)

    @cached_property
    def rate(self) -> np.ndarray:
        return dot(self._q, self._e1)

    @cached_property
    def acceleration(self) -> np.ndarray:
        return dot(self._q, self._e2)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._row(self._q, self._e)

    @cached_property
    def rate_q(self) -> np.ndarray:
        return self._row(self._q, self._e1)

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        return self._row(self._q, self._e2)

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        return self._row(self._q, self._e1) + self._row(_turned(self._q, *self._u), self._e)

    @cached_property
    def curvature(self) -> np.ndarray:
        """d(gradient^T)/dq: the gradient is linear in q, whose own derivatives are the rows of all four components."""
        e0, ev = self._e[..., :1, None], self._e[..., 1:]
        same = np.concatenate((ev[..., None], np.broadcast_to(-e0 * np.eye(3), (*ev.shape, 3))), axis=-1)
        around = np.concatenate((np.zeros_like(ev)[..., None], -skew(ev)), axis=-1)  # v x ev = -[ev] v
        slopes = np.stack([self._row(self._q, e) for e in np.eye(4)], axis=-2)  # (..., n, 4, 12)
        turn_i = self._F @ (-(same + around) / 2) @ slopes
        turn_j = self._S @ ((same - around) / 2) @ slopes
        zero = np.zeros_like(turn_i)
        return np.concatenate(np.broadcast_arrays(zero, turn_i, zero, turn_j), axis=-2)


def _turned(q: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """L(q; a, b) = (q b - a q)/2."""
    w, v = q[..., :1], q[..., 1:]
    real = dot(v, a - b)[..., None]
    return np.concatenate((real, w * (b - a) + cross(v, a + b)), axis=-1) / 2
