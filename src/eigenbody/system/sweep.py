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


class Sweep:
    """Values and rates of every set of a geometry at one state, (n,) each, by NumPy or by compiled `loops`; `pull` goes
    back."""

    def __init__(self, geometry: Geometry, at: Carriers, loops: ModuleType | None = None) -> None:
        self._products, self._at, self._loops = geometry.products, at, loops
        value, rate = self._swept() if loops is None else self._swept_by_loops(loops)
        products = PlainJet(value, rate, value, value)  # accelerations and gradients are not asked for
        self._made: list[list[tuple[Part, Positions, Any]]] = [
            [(part, positions, part.jet(products, at, loops)) for part, positions in made] for made in geometry.made
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

    def _swept_by_loops(self, loops: ModuleType) -> tuple[np.ndarray, np.ndarray]:
        n, at = self._products.count, self._at
        self._both, value, rate = np.empty((2 * n, 3)), np.empty(n), np.empty(n)
        loops.features(*self._products.rows, at.r, at.R, at.v, at.w, self._both, value, rate)
        return value, rate

    def pull(self, forces: list[np.ndarray]) -> np.ndarray:
        """sum f ds/dq of the forces along the measures of every set, (carriers, 6)."""
        weights, out = np.zeros(self._products.count), np.zeros((len(self._at.r), 6))
        for made, force in zip(self._made, forces, strict=True):
            for part, positions, jet in made:
                part.pull(jet, force[positions], weights, out)
        if self._loops is None:
            return out + self._products.pull(self._at, self._both, weights)
        self._loops.pulled(*self._products.rows, self._at.R, self._both, weights, out)
        return out
