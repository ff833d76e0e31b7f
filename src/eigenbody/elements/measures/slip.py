"""Velocity-level measures: speed of a point of the second carrier over the first, along a direction fixed in either or
in a third.

    sigma = sum_k c_k D_k',   c_k = e_k . b,   D_k = e_k . (p - r_1)

with e_k the axes of the first carrier, b the direction and p the point on the second. No position-level value exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.batched import stack
from eigenbody.elements.measures.features import Carriers, Feature, ScalarProduct, every_carrier
from eigenbody.elements.measures.templates import Pairs


@dataclass(frozen=True, slots=True)
class Edge:
    """Speed of the second point along the axis fixed in the second body."""

    label: str = "no slip"

    def kernel(self, pairs: Pairs) -> Slip:
        return Slip.along(pairs, 1, pairs.axis("z2"))


@dataclass(frozen=True, slots=True)
class Slip:
    """Kernel of n slip speeds on carriers (n, K): cosines c_k and displacements D_k as scalar products."""

    cosines: tuple[ScalarProduct, ...]
    displacements: tuple[ScalarProduct, ...]

    @staticmethod
    def along(pairs: Pairs, column: int, direction: np.ndarray, third: np.ndarray | None = None) -> Slip:
        """Velocity of the second point relative to the first carrier along a `direction` (..., n, 3) fixed in the
        carrier at that column: the first, the second, or a third (n,)."""
        carriers = pairs.carriers if third is None else np.concatenate((pairs.carriers, third[:, None]), axis=-1)
        n, width = carriers.shape
        c, arms = np.zeros((n, width)), np.zeros((*pairs.origin2.shape[:-1], width, 3), dtype=pairs.origin2.dtype)
        c[:, :2], arms[..., 1, :] = (-1.0, 1.0), pairs.origin2
        b, p = _on(carriers, column, direction), Feature(c, arms)
        axes = [_on(carriers, 0, np.broadcast_to(e, (n, 3))) for e in np.eye(3)]
        return Slip(
            tuple(ScalarProduct(carriers, e, b) for e in axes), tuple(ScalarProduct(carriers, e, p) for e in axes)
        )

    @property
    def carriers(self) -> np.ndarray:
        return self.cosines[0].carriers

    @property
    def key(self) -> tuple[object, ...]:
        return (Slip, self.carriers.shape[-1])

    @property
    def products(self) -> tuple[ScalarProduct, ...]:
        return (*self.cosines, *self.displacements)

    def jet(self, at: Carriers) -> SlipJet:
        return self.jet_of([product.jet(at) for product in self.products])

    def jet_of(self, products: Sequence[Any]) -> SlipJet:
        """The jet by those of the scalar products: whatever has the same attributes, as far as they are asked for."""
        return SlipJet(products)

    def take(self, index: np.ndarray) -> Slip:
        return Slip(tuple(c.take(index) for c in self.cosines), tuple(d.take(index) for d in self.displacements))

    turns = every_carrier

    @staticmethod
    def concatenate(parts: list[Slip]) -> Slip:
        def join(groups: Iterable[tuple[ScalarProduct, ...]]) -> tuple[ScalarProduct, ...]:
            return tuple(ScalarProduct.concatenate(list(group)) for group in zip(*groups, strict=True))

        return Slip(join(p.cosines for p in parts), join(p.displacements for p in parts))


class SlipJet:
    """sigma as a `rate` and its derivatives: what a rate-level row needs, in the names that every jet uses."""

    def __init__(self, products: Sequence[Any]) -> None:
        self._c, self._d = products[:3], products[3:]

    def _each(self) -> zip[tuple[Any, Any]]:
        return zip(self._c, self._d, strict=True)

    @cached_property
    def slopes(self) -> np.ndarray:
        """By the rates of the scalar products, (..., n, 6)."""
        c = stack([c.value for c in self._c], axis=-1)
        return np.concatenate((np.zeros_like(c), c), axis=-1)

    @cached_property
    def rate(self) -> np.ndarray:
        return sum((c.value * d.rate for c, d in self._each()), start=np.zeros(()))

    @cached_property
    def acceleration(self) -> np.ndarray:
        return sum((c.rate * d.rate + c.value * d.acceleration for c, d in self._each()), start=np.zeros(()))

    @cached_property
    def gradient(self) -> np.ndarray:
        return sum((c.value[..., None] * d.gradient for c, d in self._each()), start=np.zeros(()))

    @cached_property
    def rate_q(self) -> np.ndarray:
        return sum(
            (d.rate[..., None] * c.gradient + c.value[..., None] * d.rate_q for c, d in self._each()),
            start=np.zeros(()),
        )

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        return sum(
            (
                d.rate[..., None] * c.rate_q + c.rate[..., None] * d.rate_q
                + d.acceleration[..., None] * c.gradient + c.value[..., None] * d.acceleration_q
                for c, d in self._each()
            ),
            start=np.zeros(()),
        )  # fmt: skip

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        return sum(
            (
                d.rate[..., None] * c.gradient + c.rate[..., None] * d.gradient
                + c.value[..., None] * d.acceleration_u
                for c, d in self._each()
            ),
            start=np.zeros(()),
        )  # fmt: skip

    @cached_property
    def curvature(self) -> np.ndarray:
        """d(gradient^T)/dq."""
        return sum(
            (
                c.value[..., None, None] * d.curvature + d.gradient[..., :, None] * c.gradient[..., None, :]
                for c, d in self._each()
            ),
            start=np.zeros(()),
        )

    @cached_property
    def value(self) -> np.ndarray:
        """There is no position-level value; zero by convention."""
        return np.zeros(self.rate.shape)


def _on(carriers: np.ndarray, column: int, direction: np.ndarray) -> Feature:
    """A direction (..., n, 3) fixed in the carrier at a column."""
    arms = np.zeros((*direction.shape[:-1], carriers.shape[-1], 3), dtype=direction.dtype)
    arms[..., column, :] = direction
    return Feature(np.zeros(carriers.shape), arms)
