"""Forces of all measures without their gradients: forwards for values and rates, backwards for what they do to bodies.

A force f along a scalar product x . y pulls with f y on the feature x and with f x on y; the features are a constant
matrix times positions and arms, so its transpose hands these pulls down to bodies and arms. Nothing of the size of a
gradient is formed, which is what an implicit method that keeps its factors needs.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.spatial.components import dot, product_rate
from eigenbody.system.flattened import Geometry, Part, Positions
from eigenbody.system.products import PlainJet
from eigenbody.system.tables import Tables


class Sweep:
    """Values and rates of every set of a geometry at one state, (n,) each; `pull` goes back."""

    def __init__(self, geometry: Geometry, at: Carriers) -> None:
        self._products, self._at = geometry.products, at
        value, rate = self._swept()
        products = PlainJet(value, rate, value, value)  # accelerations and gradients are not asked for
        self._made: list[list[tuple[Part, Positions, Any]]] = [
            [(part, positions, part.jet(products, at, None)) for part, positions in made] for made in geometry.made
        ]
        self.values, self.rates = [], []
        for measures, made in zip(geometry.sets, self._made, strict=True):
            s, v = np.zeros((2, measures.count))
            for _, positions, jet in made:
                s[positions], v[positions] = jet.value, jet.rate
            self.values.append(s)
            self.rates.append(v)

    def _swept(self) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates of the scalar products."""
        f = self._products.features(self._at, 2)
        self._both = f[0]
        x, y, x1, y1 = f[0, :, 0], f[0, :, 1], f[1, :, 0], f[1, :, 1]
        return dot(x, y), product_rate(x, x1, y, y1)

    def pull(self, forces: list[np.ndarray]) -> np.ndarray:
        """sum f ds/dq of the forces along the measures of every set, (carriers, 6)."""
        weights, out = np.zeros(self._products.count), np.zeros((len(self._at.r), 6))
        for made, force in zip(self._made, forces, strict=True):
            for part, positions, jet in made:
                part.pull(jet, force[positions], weights, out)
        return out + self._products.pull(self._at, self._both, weights)


class CompiledSweep:
    """The same in two calls of compiled `loops`; what is in no table is asked for its own."""

    def __init__(self, geometry: Geometry, tables: Tables, at: Carriers, loops: ModuleType) -> None:
        t, n = tables, geometry.products.count
        self._rows, self._tables, self._at, self._loops = geometry.products.rows, tables, at, loops
        self._both, products, measures = np.empty((2 * n, 3)), np.empty((2, n)), np.zeros((2, t.starts[-1]))
        self._slopes, by_first = np.empty((t.angles.shape[1], 2)), np.empty((len(t.pairs[0]), 3, 3))
        self._turning = by_first, np.empty_like(by_first)
        self.is_near = loops.swept(
            *self._rows, t.plain, t.angles, t.parts, *t.pairs, at.r, at.R, at.v, at.w, self._both, products, measures,
            self._slopes, *self._turning,
        )  # fmt: skip
        self._others: list[tuple[Part, Positions, Any]] = []
        if t.others:
            jets = PlainJet(products[0], products[1], products[0], products[0])
            self._others = [(part, where, part.jet(jets, at, loops)) for part, where in t.others]
            for _, where, jet in self._others:
                measures[0, where], measures[1, where] = jet.value, jet.rate
        value, rate = measures
        self.values, self.rates = [value[own] for own in t.sets], [rate[own] for own in t.sets]

    def pull(self, forces: list[np.ndarray]) -> np.ndarray:
        """sum f ds/dq of the forces along the measures of every set, (carriers, 6)."""
        t, force = self._tables, np.concatenate(forces)
        weights, out = np.zeros(len(self._both) // 2), np.zeros((len(self._at.r), 6))
        for part, where, jet in self._others:
            part.pull(jet, force[where], weights, out)
        self._loops.swept_back(
            *self._rows, t.plain, t.angles, t.parts, *t.pairs[:2], self._at.R, self._both, self._slopes, *self._turning,
            force, weights, out,
        )  # fmt: skip
        return out


def sweep_of(
    geometry: Geometry, tables: Tables | None, at: Carriers, loops: ModuleType | None
) -> Sweep | CompiledSweep:
    """By NumPy, also near half a turn of a rotation vector, or by compiled loops."""
    if loops is None or tables is None:
        return Sweep(geometry, at)
    compiled = CompiledSweep(geometry, tables, at, loops)
    return compiled if compiled.is_near else Sweep(geometry, at)
