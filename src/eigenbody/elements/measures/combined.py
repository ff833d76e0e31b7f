"""Measures that are made of other measures: s = sum_i P_i(m_i) with polynomials P_i, by the chain rule to third order.

Sums have polynomials of first degree. Angles among the m_i count full turns: those of the state are in the carriers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.templates import Jet, Kernel

NONE = np.zeros(0, dtype=int)


@dataclass(frozen=True, slots=True, eq=False)
class Combined:
    """Kernel of n measures of k others each, on the carriers (n, K) of all of them."""

    carriers: np.ndarray
    inner: tuple[Kernel, ...]  # k kernels of n measures
    places: tuple[np.ndarray, ...]  # columns of each of them among the 6K
    coefficients: np.ndarray  # (..., n, k, degree + 1) of the powers, lowest first
    counters: np.ndarray  # (n, k) into the full turns that are counted, -1 for measures that do not count

    @staticmethod
    def of(inner: Sequence[Kernel], coefficients: np.ndarray, counters: Sequence[int]) -> Combined:
        """One measure of k single ones with coefficients (k, degree + 1)."""
        carriers = np.unique(np.concatenate([kernel.carriers.ravel() for kernel in inner]))
        starts = [6 * np.searchsorted(carriers, kernel.carriers[0]) for kernel in inner]
        places = tuple((start[:, None] + np.arange(6)).ravel() for start in starts)
        return Combined(carriers[None], tuple(inner), places, coefficients[None], np.array(counters)[None])

    @property
    def key(self) -> tuple[object, ...]:
        pattern = tuple(tuple(place.tolist()) for place in self.places)
        return (Combined, tuple(kernel.key for kernel in self.inner), pattern, self.coefficients.shape[-1])

    def jet(self, at: Carriers) -> CombinedJet:
        return CombinedJet(self, at)

    def take(self, index: np.ndarray) -> Combined:
        return Combined(
            self.carriers[index], tuple(kernel.take(index) for kernel in self.inner), self.places,
            self.coefficients[..., index, :, :], self.counters[index],
        )  # fmt: skip

    def turns(self) -> np.ndarray:
        """(n, K) bool: carriers whose rotation any of the measures feels."""
        out = np.zeros(self.carriers.shape, dtype=bool)
        for kernel, place in zip(self.inner, self.places, strict=True):
            out[:, place[::6] // 6] |= kernel.turns()
        return out

    @staticmethod
    def concatenate(parts: list[Combined]) -> Combined:
        groups = zip(*(part.inner for part in parts), strict=True)
        return Combined(
            np.concatenate([part.carriers for part in parts]),
            tuple(type(group[0]).concatenate(list(group)) for group in groups),
            parts[0].places,
            np.concatenate([part.coefficients for part in parts], axis=-3),
            np.concatenate([part.counters for part in parts]),
        )


def combines_angles(kernel: Kernel) -> bool:
    """Whether measures of the kernel are made of angles that count full turns."""
    inner: tuple[Kernel, ...] = getattr(kernel, "inner", ())
    return bool((getattr(kernel, "counters", NONE) >= 0).any()) or any(map(combines_angles, inner))


class CombinedJet:
    """Chain rule. Slopes P', P'', P''' are (..., n, k)."""

    def __init__(self, kernel: Combined, at: Carriers) -> None:
        self._kernel = kernel
        self._jets: list[Jet] = [inner.jet(at) for inner in kernel.inner]
        self._powers: list[np.ndarray] = [kernel.coefficients]
        counters = kernel.counters
        self._whole = (
            2 * np.pi * np.where(counters >= 0, at.turns[..., counters], 0.0) if (counters >= 0).any() else 0.0
        )

    def _stack(self, what: str) -> np.ndarray:
        return np.stack(np.broadcast_arrays(*(getattr(jet, what) for jet in self._jets)), axis=-1)

    @cached_property
    def _s(self) -> np.ndarray:
        return self._stack("value") + self._whole

    @cached_property
    def _rate(self) -> np.ndarray:
        return self._stack("rate")

    @cached_property
    def _acceleration(self) -> np.ndarray:
        return self._stack("acceleration")

    def _slope(self, order: int) -> np.ndarray:
        """The derivative of that order of every polynomial, by Horner's rule."""
        while len(self._powers) <= order:
            last = self._powers[-1]
            self._powers.append(last[..., 1:] * np.arange(1, last.shape[-1]))
        powers = self._powers[order]
        out = np.zeros_like(self._s)
        for j in reversed(range(powers.shape[-1])):
            out = out * self._s + powers[..., j]
        return out

    @cached_property
    def _p1(self) -> np.ndarray:
        return self._slope(1)

    @cached_property
    def _p2(self) -> np.ndarray:
        return self._slope(2)

    @property
    def _is_sum(self) -> bool:
        return self._kernel.coefficients.shape[-1] <= 2

    def _rows(self, weights: np.ndarray, what: str) -> np.ndarray:
        """Weighted sum (..., n, 6K) of rows of the measures."""
        parts = [weights[..., i, None] * getattr(jet, what) for i, jet in enumerate(self._jets)]
        lead = np.broadcast_shapes(*(part.shape[:-1] for part in parts))
        out = np.zeros((*lead, 6 * self._kernel.carriers.shape[-1]), dtype=np.result_type(*parts))
        for part, place in zip(parts, self._kernel.places, strict=True):
            out[..., place] += part
        return out

    @cached_property
    def value(self) -> np.ndarray:
        return self._slope(0).sum(axis=-1)

    @cached_property
    def rate(self) -> np.ndarray:
        return (self._p1 * self._rate).sum(axis=-1)

    @cached_property
    def acceleration(self) -> np.ndarray:
        straight = self._p1 * self._acceleration
        return (straight if self._is_sum else straight + self._p2 * self._rate**2).sum(axis=-1)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._rows(self._p1, "gradient")

    @cached_property
    def rate_q(self) -> np.ndarray:
        straight = self._rows(self._p1, "rate_q")
        return straight if self._is_sum else straight + self._rows(self._p2 * self._rate, "gradient")

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        straight = self._rows(self._p1, "acceleration_q")
        if self._is_sum:
            return straight
        bent = self._p2 * self._acceleration + self._slope(3) * self._rate**2
        return straight + self._rows(2 * self._p2 * self._rate, "rate_q") + self._rows(bent, "gradient")

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        straight = self._rows(self._p1, "acceleration_u")
        return straight if self._is_sum else straight + self._rows(2 * self._p2 * self._rate, "gradient")

    @cached_property
    def curvature(self) -> np.ndarray:
        """d(gradient^T)/dq."""
        parts = []
        for i, jet in enumerate(self._jets):
            bent = self._p1[..., i, None, None] * jet.curvature  # type: ignore[attr-defined]
            if not self._is_sum:
                g = jet.gradient
                bent = bent + self._p2[..., i, None, None] * g[..., :, None] * g[..., None, :]
            parts.append(bent)
        lead = np.broadcast_shapes(*(part.shape[:-2] for part in parts))
        width = 6 * self._kernel.carriers.shape[-1]
        out = np.zeros((*lead, width, width), dtype=np.result_type(*parts))
        for part, place in zip(parts, self._kernel.places, strict=True):
            out[..., place[:, None], place] += part
        return out
