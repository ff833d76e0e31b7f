"""Measures that are a scalar function of scalar products: s = phi(b_1, ..., b_k), by the chain rule to third order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from eigenbody.base.batched import stack
from eigenbody.elements.measures.features import Carriers, ScalarProduct
from eigenbody.spatial.rotations import dot


class OuterFunction(Protocol):
    """What is asked of phi."""

    @property
    def name(self) -> str: ...
    @property
    def counts_turns(self) -> bool: ...
    @property
    def derivatives(self) -> Callable[[np.ndarray, int], tuple[np.ndarray, ...]]: ...


@dataclass(frozen=True, slots=True)
class Outer:
    """phi and its derivatives: `derivatives(b, order)` takes (..., n, k) and returns phi (..., n), its gradient
    (..., n, k), Hessian (..., n, k, k) and third derivative (..., n, k, k, k), as many of them as the order says."""

    name: str
    derivatives: Callable[[np.ndarray, int], tuple[np.ndarray, ...]]
    counts_turns: bool = False


@dataclass(frozen=True, slots=True)
class Composed:
    """Kernel of n measures phi(b_1, ..., b_k), all inner kernels on the same carriers."""

    outer: OuterFunction
    inner: tuple[ScalarProduct, ...]

    @property
    def carriers(self) -> np.ndarray:
        return self.inner[0].carriers

    @property
    def key(self) -> tuple[object, ...]:
        return (self.outer.name, self.carriers.shape[-1])

    @property
    def products(self) -> tuple[ScalarProduct, ...]:
        return self.inner

    def jet(self, at: Carriers) -> ComposedJet:
        return self.jet_of([inner.jet(at) for inner in self.inner])

    def jet_of(self, products: Sequence[Any]) -> ComposedJet:
        """The jet by those of the scalar products: whatever has the same attributes, as far as they are asked for."""
        return ComposedJet(self.outer, products)

    def take(self, index: np.ndarray) -> Composed:
        return Composed(self.outer, tuple(kernel.take(index) for kernel in self.inner))

    def turns(self) -> np.ndarray:
        return np.logical_or.reduce([kernel.turns() for kernel in self.inner])

    @staticmethod
    def concatenate(parts: list[Composed]) -> Composed:
        inner = tuple(ScalarProduct.concatenate(list(group)) for group in zip(*(p.inner for p in parts), strict=True))
        return Composed(parts[0].outer, inner)


class ComposedJet:
    """Chain rule. b: (..., n, k); rows of b by columns of q: (..., n, k, 6K). `slopes` (..., n, k) are dphi/db, `d2`
    (..., n, k, k) those of the slopes."""

    def __init__(self, outer: OuterFunction, products: Sequence[Any], same: ComposedJet | None = None) -> None:
        """`same` is in the same state, whatever accelerates."""
        self._outer, self._jets, self._same = outer, products, same
        self.b: np.ndarray = self._stack("value") if same is None else same.b
        first = outer.derivatives(self.b, 1) if same is None else (same.value, same.slopes)
        self.value: np.ndarray = first[0]
        self.slopes: np.ndarray = first[1]

    def accelerated(self, at: Carriers) -> ComposedJet:
        """The same in the same state with other accelerations."""
        return ComposedJet(self._outer, [jet.accelerated(at) for jet in self._jets], self)

    def _stack(self, what: str) -> np.ndarray:
        return stack([getattr(jet, what) for jet in self._jets], axis=-1)

    def _rows(self, what: str) -> np.ndarray:
        return stack([getattr(jet, what) for jet in self._jets], axis=-2)

    @cached_property
    def d2(self) -> np.ndarray:
        if self._same is not None:
            return self._same.d2
        return self._outer.derivatives(self.b, 2)[2]

    @cached_property
    def _d3(self) -> np.ndarray:
        return self._outer.derivatives(self.b, 3)[3]

    @cached_property
    def b_rate(self) -> np.ndarray:
        return self._stack("rate") if self._same is None else self._same.b_rate

    @cached_property
    def _acceleration(self) -> np.ndarray:
        return self._stack("acceleration")

    @cached_property
    def b_gradient(self) -> np.ndarray:
        return self._rows("gradient") if self._same is None else self._same.b_gradient

    @cached_property
    def _d2_rate(self) -> np.ndarray:
        return (self.d2 @ self.b_rate[..., None])[..., 0]

    @cached_property
    def rate(self) -> np.ndarray:
        return dot(self.slopes, self.b_rate)

    @cached_property
    def acceleration(self) -> np.ndarray:
        along = dot(self.slopes, self._acceleration)
        return along + dot(self._d2_rate, self.b_rate) if self.b_rate.any() else along

    @cached_property
    def gradient(self) -> np.ndarray:
        return _combine(self.slopes, self.b_gradient)

    @property
    def summands(self) -> np.ndarray:
        """What the gradient is the sum of, (..., n, k, 6K)."""
        return self.slopes[..., None] * self.b_gradient

    @cached_property
    def rate_q(self) -> np.ndarray:
        return _combine(self.slopes, self._rows("rate_q")) + _combine(self._d2_rate, self.b_gradient)

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        bb = (self.d2 @ self._acceleration[..., None])[..., 0]
        if not self.b_rate.any():
            return _combine(self.slopes, self._rows("acceleration_q")) + _combine(bb, self.b_gradient)
        third = np.einsum("...ijk,...i,...j->...k", self._d3, self.b_rate, self.b_rate)
        return (
            _combine(self.slopes, self._rows("acceleration_q"))
            + 2 * _combine(self._d2_rate, self._rows("rate_q"))
            + _combine(bb + third, self.b_gradient)
        )

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        return _combine(self.slopes, self._rows("acceleration_u")) + 2 * _combine(self._d2_rate, self.b_gradient)

    @cached_property
    def curvature(self) -> np.ndarray:
        inner = stack([jet.curvature for jet in self._jets], axis=-3)
        bent = np.einsum("...i,...iab->...ab", self.slopes, inner)
        return bent + np.swapaxes(self.b_gradient, -1, -2) @ self.d2 @ self.b_gradient


def _combine(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return (weights[..., None, :] @ rows)[..., 0, :]
