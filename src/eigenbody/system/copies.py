"""Measures at several states at once: as if all carriers stood there as many times, in one table.

What calling NumPy costs is paid once for all states. The formulas are those of `flattened`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from eigenbody.elements.measures.features import Carriers, ScalarProduct
from eigenbody.elements.measures.modal_form import ModalForm
from eigenbody.system.flattened import Geometry, OfModes, OfProducts, Part, Plain, Positions
from eigenbody.system.products import PlainJet, Products


def can_be_copied(geometry: Geometry) -> bool:
    """Whether all measures are made of scalar products or are forms of modal coordinates."""
    return all(isinstance(part, Plain | OfProducts | OfModes) for made in geometry.made for part, _ in made)


class Copies:
    """A geometry on `carriers` carriers, `count` times."""

    def __init__(self, geometry: Geometry, carriers: int, count: int) -> None:
        self.count, self._carriers, self._geometry = count, carriers, geometry
        self._products = Products([self._product(kernel) for kernel in geometry.kernels], carriers * count)
        self._made = [[(self._part(part), positions) for part, positions in made] for made in geometry.made]

    def _index(self, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Which of n measures each copy is one of, and by how many carriers it is shifted (count n, 1)."""
        shift = self._carriers * np.repeat(np.arange(self.count), n)
        return np.tile(np.arange(n), self.count), shift[:, None]

    def _product(self, kernel: ScalarProduct) -> ScalarProduct:
        index, shift = self._index(len(kernel.carriers))
        many = kernel.take(index)
        return ScalarProduct(many.carriers + shift, many.x, many.y)

    def _part(self, part: Part) -> Part:
        if isinstance(part, Plain):
            return Plain(self._slice(part.which))
        index, shift = self._index(len(part.kernel.carriers))
        if isinstance(part, OfProducts):
            return OfProducts(part.kernel.take(index), tuple(self._slice(which) for which in part.which))
        assert isinstance(part, OfModes)
        many = part.kernel.take(index)
        return OfModes(ModalForm(np.ascontiguousarray(many.carriers + shift), np.ascontiguousarray(many.form)))

    def _slice(self, which: slice) -> slice:
        return slice(self.count * which.start, self.count * which.stop)

    def jets(self, at: Carriers, loops: ModuleType | None = None) -> list[PlainJet]:
        """Of every set values, rates, accelerations (count, n) and gradients (count, n, width), accelerations only
        where the geometry has them; the carriers of `at` are those of the first copy, of the second, ..."""
        products, out = self._products.jet(at, 3, loops), []
        for i, (measures, made) in enumerate(zip(self._geometry.sets, self._made, strict=True)):
            levels = np.zeros((3, self.count, measures.count))
            gradient = np.zeros((self.count, *measures.columns.shape))
            for part, positions in made:
                self._place(part.jet(products, at, loops), positions, levels, gradient, i < self._geometry.accelerated)
            out.append(PlainJet(levels[0], levels[1], levels[2], gradient))
        return out

    def _place(
        self, jet: Any, positions: Positions, levels: np.ndarray, gradient: np.ndarray, accelerated: bool
    ) -> None:
        for level, what in enumerate(("value", "rate", "acceleration")[: 3 if accelerated else 2]):
            levels[level][:, positions] = getattr(jet, what).reshape(self.count, -1)
        own = jet.gradient[:, : gradient.shape[-1]]
        gradient[:, positions, : own.shape[-1]] = own.reshape(self.count, -1, own.shape[-1])
