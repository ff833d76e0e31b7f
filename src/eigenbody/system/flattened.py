"""Measures evaluated again and again at neighbouring states: all scalar products of the system in one pass.

Nearly every measure is made of scalar products of features (elements.measures.features). Here those of several sets of
measures are collected once (system.products); their jets then make the measures, as in `MeasureSet.jet`, by the
kernels' own formulas. Components of rotation vectors go by pairs of frames (system.pairs), and kernels of any other
kind are asked for their own jet. The numbers are those of `MeasureSet.jet`; only the bookkeeping is saved.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from eigenbody.elements.measures.compose import Composed
from eigenbody.elements.measures.features import Carriers, ScalarProduct
from eigenbody.elements.measures.modal_form import ModalForm
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.elements.measures.slip import Slip
from eigenbody.elements.measures.surface import SurfaceSlip
from eigenbody.elements.measures.templates import ARCTANGENT, Kernel
from eigenbody.system.measureset import MeasureSet
from eigenbody.system.pairs import RotationPairs, added
from eigenbody.system.products import PlainJet, Products

Positions = np.ndarray | slice


@dataclass(frozen=True, slots=True)
class Plain:
    """Measures that are scalar products themselves."""

    which: slice

    def jet(self, products: PlainJet, at: Carriers, loops: ModuleType | None) -> PlainJet:
        return products.part(self.which)

    def pull(self, jet: Any, force: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        weights[self.which] += force


@dataclass(frozen=True, slots=True)
class OfProducts:
    """Measures that are made of scalar products."""

    kernel: Composed | Slip | SurfaceSlip
    which: tuple[slice, ...]

    def jet(self, products: PlainJet, at: Carriers, loops: ModuleType | None) -> Any:
        parts = [products.part(which) for which in self.which]
        if loops is not None and isinstance(self.kernel, Composed) and self.kernel.outer is ARCTANGENT:
            return AngleJet(parts[0], parts[1], loops)
        return self.kernel.jet_of(parts)

    def pull(self, jet: Any, force: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        for which, slope in zip(self.which, jet.slopes.T, strict=True):
            weights[which] += slope * force


class AngleJet:
    """atan2(S, C) as `ComposedJet` has it, by compiled loops."""

    def __init__(self, sine: PlainJet, cosine: PlainJet, loops: ModuleType) -> None:
        self._gradients = sine.gradient, cosine.gradient
        jets, self.slopes = np.empty((3, len(sine.value))), np.empty((len(sine.value), 2))
        loops.angle_jets(np.array(sine[:3]), np.array(cosine[:3]), jets, self.slopes)
        self.value, self.rate, self.acceleration = jets

    @property
    def gradient(self) -> np.ndarray:
        return self.slopes[:, :1] * self._gradients[0] + self.slopes[:, 1:] * self._gradients[1]


@dataclass(frozen=True, slots=True)
class OfOwnKind:
    """Measures of any other kind."""

    kernel: Kernel

    def jet(self, products: PlainJet, at: Carriers, loops: ModuleType | None) -> Any:
        return self.kernel.jet(at)

    def pull(self, jet: Any, force: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        place = 6 * self.kernel.carriers[..., None] + np.arange(6)
        added(out, place.ravel(), (force[:, None] * jet.gradient).ravel())


@dataclass(frozen=True, slots=True)
class OfModes:
    """Forms of modal coordinates."""

    kernel: ModalForm

    def jet(self, products: PlainJet, at: Carriers, loops: ModuleType | None) -> Any:
        if loops is None:
            return self.kernel.jet(at)
        n, K = self.kernel.carriers.shape
        (value, rate, acceleration), gradient = np.empty((3, n)), np.zeros((n, 6 * K))
        jet = PlainJet(value, rate, acceleration, gradient)
        self.fill(at, loops, np.arange(n), jet)
        return jet

    def fill(self, at: Carriers, loops: ModuleType, positions: np.ndarray, out: PlainJet) -> None:
        """The same written to its positions in a set, by compiled loops."""
        loops.modal_forms(positions, self.kernel.carriers, self.kernel.form, at.r, at.v, *out)

    def pull(self, jet: Any, force: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
        place = 6 * self.kernel.carriers[..., None] + np.arange(6)
        added(out, place.ravel(), (force[:, None] * jet.gradient).ravel())


Part = Plain | OfProducts | OfOwnKind | OfModes | RotationPairs


class Geometry:
    """Sets of measures of a system (constraints, slip rows, force channels), evaluated together.

    Only the first `accelerated` sets have accelerations, those of the others stay zero. Of the set i only the measures
    `needed[i]` (bool) are evaluated, the others stay zero.
    """

    def __init__(
        self,
        sets: tuple[MeasureSet, ...],
        carriers: int,
        accelerated: int = 1,
        needed: dict[int, np.ndarray] | None = None,
    ) -> None:
        self.sets, self.accelerated = sets, accelerated
        self.kernels: list[ScalarProduct] = []
        self._count = 0
        self.made: list[list[tuple[Part, Positions]]] = []
        for i, s in enumerate(sets):
            wanted = (needed or {}).get(i, np.ones(s.count, dtype=bool))
            placed = s.batches if wanted.all() else s.subset(np.flatnonzero(wanted))
            where = np.flatnonzero(wanted)
            self.made.append([self._placed(kernel, where[at]) for kernel, at in placed])
        self.products = Products(self.kernels, carriers)

    def _placed(self, kernel: Kernel, positions: np.ndarray) -> tuple[Part, Positions]:
        """The kernel registered; measures that stand together in the set do so here, and are copied as a slice."""
        order = np.argsort(positions)
        if np.array_equal(positions[order], np.arange(positions.min(), positions.min() + len(positions))):
            kernel, first = kernel.take(order), int(positions.min())
            return self._part(kernel), slice(first, first + len(positions))
        return self._part(kernel), positions

    def _part(self, kernel: Kernel) -> Part:
        if isinstance(kernel, ScalarProduct):
            return Plain(self._registered(kernel))
        if isinstance(kernel, Composed | Slip | SurfaceSlip):
            return OfProducts(kernel, tuple(self._registered(product) for product in kernel.products))
        if isinstance(kernel, RotationComponent) and not kernel.small:
            return RotationPairs(kernel)
        return OfModes(kernel) if isinstance(kernel, ModalForm) else OfOwnKind(kernel)

    def _registered(self, kernel: ScalarProduct) -> slice:
        self.kernels.append(kernel)
        self._count += len(kernel.carriers)
        return slice(self._count - len(kernel.carriers), self._count)

    def jets(self, at: Carriers, levels: int = 3, loops: ModuleType | None = None) -> list[PlainJet]:
        """Value, rate, acceleration (zero with `levels` 2) and gradient of every set."""
        products = self.products.jet(at, levels, loops)
        return [
            _in_set_order(s, made, products, at, levels > 2 and i < self.accelerated, loops)
            for i, (s, made) in enumerate(zip(self.sets, self.made, strict=True))
        ]

    def values(self, at: Carriers, which: int = 0, loops: ModuleType | None = None) -> np.ndarray:
        """Values alone, of one set."""
        products = self.products.jet(at, 1, loops)
        out = np.zeros(self.sets[which].count)
        for part, positions in self.made[which]:
            out[positions] = part.jet(products, at, loops).value
        return out


def _in_set_order(
    measures: MeasureSet, made: list[tuple[Part, Positions]], products: PlainJet, at: Carriers, accelerated: bool,
    loops: ModuleType | None,
) -> PlainJet:  # fmt: skip
    width = measures.columns.shape[1]
    if len(made) == 1 and isinstance(made[0][0], Plain) and made[0][1] == slice(0, measures.count):
        only = products.part(made[0][0].which)
        return PlainJet(only.value, only.rate, only.acceleration, only.gradient[:, :width])
    s, v, a = np.zeros((3, measures.count))
    gradient = np.zeros(measures.columns.shape)
    for part, positions in made:
        if loops is not None and isinstance(part, OfModes) and isinstance(positions, np.ndarray):
            part.fill(at, loops, positions, PlainJet(s, v, a if accelerated else np.empty_like(a), gradient))
            continue
        jet = part.jet(products, at, loops)
        s[positions], v[positions] = jet.value, jet.rate
        if accelerated:
            a[positions] = jet.acceleration
        own = jet.gradient[:, :width]
        gradient[positions, : own.shape[1]] = own
    return PlainJet(s, v, a, gradient)
