"""Relative rotation seen from a prescribed one: how far the second frame is from where it is to be.

With T(t) the prescribed rotation, s = log(R_rel T^T) in the axes of the first frame: zero where R_rel = T, whatever T,
so that a prescribed rotation may make any number of turns. T^T is the rotation of a third carrier, the target, that
moves by itself; the second frame turned by it rides on a virtual carrier j* = j C with C = S T^T, and s is an ordinary
rotation vector (elements.measures.rotation) from the first carrier to j*:

    R* = R_j C,   w* = C^T w_j + w_T,   w*' = C^T w_j' - w_T x C^T w_j + w_T'
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.rotation import RotationComponent, RotationVectorJet
from eigenbody.spatial.rotations import apply_transposed, cross


@dataclass(frozen=True, slots=True, eq=False)
class TurnedRotation:
    """Kernel of n components along e (n, 3) of log(R_rel T^T): frames as of `RotationComponent`, T^T the rotation of
    the carriers `target` (n,)."""

    carriers: np.ndarray  # (n, 2)
    target: np.ndarray
    first: np.ndarray  # (..., n, 3, 3)
    second: np.ndarray
    e: np.ndarray

    @property
    def key(self) -> tuple[object, ...]:
        return (TurnedRotation,)

    def jet(self, at: Carriers) -> TurnedRotationJet:
        return TurnedRotationJet(self, at)

    def take(self, index: np.ndarray) -> TurnedRotation:
        first, second = self.first[..., index, :, :], self.second[..., index, :, :]
        return TurnedRotation(self.carriers[index], self.target[index], first, second, self.e[index])

    def turns(self) -> np.ndarray:
        return np.ones_like(self.carriers, dtype=bool)

    @staticmethod
    def concatenate(parts: list[TurnedRotation]) -> TurnedRotation:
        return TurnedRotation(
            np.concatenate([p.carriers for p in parts]),
            np.concatenate([p.target for p in parts]),
            np.concatenate([p.first for p in parts], axis=-3),
            np.concatenate([p.second for p in parts], axis=-3),
            np.concatenate([p.e for p in parts]),
        )


class TurnedRotationJet:
    """The rotation vector to the virtual carriers, and its columns taken back to the second carriers: a variation
    dtheta_j of the second is C^T dtheta_j of the virtual one."""

    def __init__(self, kernel: TurnedRotation, at: Carriers) -> None:
        n, (i, j) = len(kernel.carriers), kernel.carriers.T
        self._C = kernel.second @ at.R[..., kernel.target, :, :]
        self._spin = at.w[..., kernel.target, :]
        w = apply_transposed(self._C, at.w[..., j, :])
        alpha = apply_transposed(self._C, at.alpha[..., j, :]) - cross(self._spin, w) + at.alpha[..., kernel.target, :]
        R = _beside(at.R[..., i, :, :], at.R[..., j, :, :] @ self._C, -3)
        w, alpha = _beside(at.w[..., i, :], w + self._spin, -2), _beside(at.alpha[..., i, :], alpha, -2)
        zero = np.zeros_like(w)
        carriers = np.stack((np.arange(n), np.arange(n, 2 * n)), axis=-1)
        second = np.broadcast_to(np.eye(3), (n, 3, 3))
        inner = RotationComponent(carriers, kernel.first, second, kernel.e)
        self._jet = RotationVectorJet(inner, Carriers(zero, R, zero, w, zero, alpha))

    @property
    def value(self) -> np.ndarray:
        return self._jet.value

    @property
    def rate(self) -> np.ndarray:
        return self._jet.rate

    @property
    def acceleration(self) -> np.ndarray:
        return self._jet.acceleration

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._taken_back(self._jet.gradient)

    @cached_property
    def rate_q(self) -> np.ndarray:
        return self._taken_back(self._jet.rate_q)

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        return self._taken_back(self._jet.acceleration_q)

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        """w*' has w_j by the turning of the target as well: -w_T x C^T w_j."""
        rows = np.array(self._jet.acceleration_u)
        rows[..., 9:] += cross(self._spin, self._jet.gradient[..., 9:])
        return self._taken_back(rows)

    @cached_property
    def curvature(self) -> np.ndarray:
        half = self._taken_back(self._jet.curvature, self._C[..., None, :, :])
        return np.swapaxes(self._taken_back(np.swapaxes(half, -1, -2), self._C[..., None, :, :]), -1, -2)

    def _taken_back(self, rows: np.ndarray, C: np.ndarray | None = None) -> np.ndarray:
        """Columns 9 to 11 by C^T."""
        turn = np.einsum("...ij,...j->...i", self._C if C is None else C, rows[..., 9:])
        lead = np.broadcast_shapes(rows.shape[:-1], turn.shape[:-1])
        return np.concatenate((np.broadcast_to(rows[..., :9], (*lead, 9)), np.broadcast_to(turn, (*lead, 3))), axis=-1)


def _beside(first: np.ndarray, second: np.ndarray, axis: int) -> np.ndarray:
    """The two one after the other along an axis, batch axes broadcast."""
    return np.concatenate(np.broadcast_arrays(first, second), axis=axis)
