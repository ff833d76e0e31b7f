"""A speed given by a formula of measures and their rates, linear in the rates: a general non-holonomic row.

sigma = f(s_1, ..., v_1, ...),   v_i = s_i'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers, every_carrier
from eigenbody.elements.measures.templates import Jet, Kernel
from eigenbody.model.expressions import Expression

Slopes = Mapping[tuple[str, ...], Expression]


@dataclass(frozen=True, eq=False)
class VelocityRow:
    """Kernel of one such speed: measures by name (one each) on the carriers (1, K)."""

    carriers: np.ndarray
    names: tuple[str, ...]
    inner: tuple[Kernel, ...]
    places: tuple[np.ndarray, ...]  # columns of each measure among the 6K
    formula: Expression
    slopes: Slopes  # first and second derivatives by names and rates

    @staticmethod
    def of(formula: Expression, measures: Mapping[str, Kernel]) -> VelocityRow:
        """The row of a formula in the names of `measures` and their rates (name')."""
        names = tuple(measures)
        carriers = np.unique(np.concatenate([kernel.carriers.ravel() for kernel in measures.values()]))
        places = []
        for kernel in measures.values():
            at = np.searchsorted(carriers, kernel.carriers[0])
            places.append((6 * at[:, None] + np.arange(6)).ravel())
        symbols = [*names, *(f"{name}'" for name in names)]
        slopes: dict[tuple[str, ...], Expression] = {}
        for a in symbols:
            slopes[(a,)] = formula.derivative(a)
            slopes |= {(a, b): slopes[(a,)].derivative(b) for b in symbols}
        return VelocityRow(carriers[None], names, tuple(measures.values()), tuple(places), formula, slopes)

    def is_linear(self) -> bool:
        """Whether the rates enter linearly: no second derivative by two of them."""
        rates = [f"{name}'" for name in self.names]
        return all(_is_zero(self.slopes[(a, b)]) for a in rates for b in rates)

    @property
    def key(self) -> tuple[object, ...]:
        return (VelocityRow, self)

    def jet(self, at: Carriers) -> VelocityRowJet:
        return VelocityRowJet(self, at)

    def take(self, index: np.ndarray) -> VelocityRow:
        assert len(index) == 1, "a row of its own formula cannot be split"
        return self

    turns = every_carrier

    @staticmethod
    def concatenate(parts: Sequence[VelocityRow]) -> VelocityRow:
        raise TypeError("rows of different formulas are not joined")


def _is_zero(expression: Expression) -> bool:
    return not expression.names and expression.evaluate({}) == 0


class VelocityRowJet:
    """The speed as a `rate` and its derivatives, by the chain rule."""

    def __init__(self, kernel: VelocityRow, at: Carriers) -> None:
        self._kernel = kernel
        self._jets: list[Jet] = [inner.jet(at) for inner in kernel.inner]
        self._env = {name: jet.value for name, jet in zip(kernel.names, self._jets, strict=True)}
        self._env |= {f"{name}'": jet.rate for name, jet in zip(kernel.names, self._jets, strict=True)}
        self._shape = np.broadcast_shapes(*(np.shape(v) for v in self._env.values()))

    def _slope(self, *symbols: str) -> np.ndarray:
        value = self._kernel.slopes[symbols].evaluate(self._env)
        return np.broadcast_to(value, self._shape)

    def _rows(self, what: str) -> list[np.ndarray]:
        """Derivatives of each measure spread over the columns of all carriers, (..., 1, 6K)."""
        out = []
        for jet, places in zip(self._jets, self._kernel.places, strict=True):
            values = getattr(jet, what)
            row = np.zeros((*values.shape[:-1], 6 * self._kernel.carriers.shape[-1]), dtype=values.dtype)
            row[..., places] = values
            out.append(row)
        return out

    @cached_property
    def _g(self) -> list[np.ndarray]:
        return self._rows("gradient")

    @cached_property
    def _r(self) -> list[np.ndarray]:
        return self._rows("rate_q")

    def _sum(self, coefficients: Sequence[np.ndarray], rows: Sequence[np.ndarray]) -> np.ndarray:
        return sum((c[..., None] * row for c, row in zip(coefficients, rows, strict=True)), start=np.zeros(()))

    @cached_property
    def _by_s(self) -> list[np.ndarray]:
        return [self._slope(name) for name in self._kernel.names]

    @cached_property
    def _by_v(self) -> list[np.ndarray]:
        return [self._slope(f"{name}'") for name in self._kernel.names]

    @cached_property
    def rate(self) -> np.ndarray:
        return np.broadcast_to(self._kernel.formula.evaluate(self._env), self._shape)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._sum(self._by_v, self._g)

    @cached_property
    def rate_q(self) -> np.ndarray:
        return self._sum(self._by_s, self._g) + self._sum(self._by_v, self._r)

    @cached_property
    def acceleration(self) -> np.ndarray:
        pairs = zip(self._by_s, self._by_v, self._jets, strict=True)
        return sum((s * jet.rate + v * jet.acceleration for s, v, jet in pairs), start=np.zeros(()))

    @cached_property
    def _bent(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Derivative of the acceleration by each value and by each rate, through the slopes and the rates."""
        names = self._kernel.names
        by_s, by_v = [], []
        for j, b in enumerate(names):
            total_s = total_v = np.zeros(())
            for a, jet in zip(names, self._jets, strict=True):
                total_s = total_s + self._slope(a, b) * jet.rate + self._slope(f"{a}'", b) * jet.acceleration
                total_v = total_v + self._slope(a, f"{b}'") * jet.rate
            by_s.append(total_s)
            by_v.append(total_v + self._by_s[j])
        return by_s, by_v

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        by_s, by_v = self._bent
        own = self._sum(self._by_v, self._rows("acceleration_q"))
        return self._sum(by_s, self._g) + self._sum(by_v, self._r) + own

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        return self._sum(self._bent[1], self._g) + self._sum(self._by_v, self._rows("acceleration_u"))

    @cached_property
    def curvature(self) -> np.ndarray:
        """d(gradient^T)/dq."""
        width = 6 * self._kernel.carriers.shape[-1]
        total: np.ndarray = np.zeros((*self._shape, width, width))
        for a, jet, places, v, g in zip(
            self._kernel.names, self._jets, self._kernel.places, self._by_v, self._g, strict=True
        ):
            bent = jet.curvature  # type: ignore[attr-defined]
            spread = np.zeros((*bent.shape[:-2], width, width), dtype=bent.dtype)
            spread[..., places[:, None], places] = bent
            turned = self._sum([self._slope(f"{a}'", b) for b in self._kernel.names], self._g)
            total = total + v[..., None, None] * spread + g[..., :, None] * turned[..., None, :]
        return total

    @cached_property
    def value(self) -> np.ndarray:
        """There is no position-level value; zero by convention."""
        return np.zeros(self._shape)
