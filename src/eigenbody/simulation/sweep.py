"""Forces of all measures without their gradients: forwards for values and rates, backwards for what they do to bodies.

A force f along a scalar product x . y pulls with f y on the feature x and with f x on y; the features are a constant
matrix times positions and arms, so its transpose hands these pulls down to bodies and arms. Nothing of the size of a
gradient is formed, which is what an implicit method that keeps its factors needs.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from eigenbody.elements.measures.compose import Composed
from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.slip import Slip
from eigenbody.simulation.geometry import Geometry, Recipe, components, dot3
from eigenbody.simulation.vectors import chained

Share = tuple[np.ndarray, np.ndarray]  # flat places in (carriers, 6) and values


class Sweep:
    """Values and rates of every set of a geometry at one state, (n,) each, by NumPy or by compiled `loops`; `pull` goes
    back."""

    def __init__(self, geometry: Geometry, at: Carriers, loops: ModuleType | None = None) -> None:
        self._products, self._at, self._loops = geometry.products, at, loops
        value, rate = self._swept() if loops is None else self._swept_by_loops(loops)
        self._kept: list[list[tuple[Recipe, Any, Any]]] = []
        self.values, self.rates = [], []
        for measures, made in zip(geometry.sets, geometry.made, strict=True):
            s, v = np.zeros(measures.count), np.zeros(measures.count)
            kept = []
            for recipe, positions in made:
                s[positions], v[positions], rest = _forwards(recipe, value, rate, at, loops)
                kept.append((recipe, positions, rest))
            self.values.append(s)
            self.rates.append(v)
            self._kept.append(kept)

    def _swept(self) -> tuple[np.ndarray, np.ndarray]:
        """Values and rates of the scalar products."""
        features = self._products.features(self._at, 2)
        self._x, self._y = x, y = features[0, :, 0], features[0, :, 1]
        return dot3(x, y), dot3(features[1, :, 0], y) + dot3(x, features[1, :, 1])

    def _swept_by_loops(self, loops: ModuleType) -> tuple[np.ndarray, np.ndarray]:
        n, at = self._products.count, self._at
        self._both, value, rate = np.empty((2 * n, 3)), np.empty(n), np.empty(n)
        loops.features(*self._products.rows, at.r, at.R, at.v, at.w, self._both, value, rate)
        return value, rate

    def pull(self, forces: list[np.ndarray]) -> np.ndarray:
        """sum f ds/dq of the forces along the measures of every set, (carriers, 6)."""
        weights, out = np.zeros(self._products.count), np.zeros((len(self._at.r), 6))
        shares: list[Share] = []
        for kept, force in zip(self._kept, forces, strict=True):
            for recipe, positions, rest in kept:
                share = _backwards(recipe, rest, force[positions], weights, out, self._loops)
                if share is not None:
                    shares.append(share)
        if self._loops is None:
            shares += self._of_products(weights)
        else:
            self._loops.pulled(*self._products.rows, self._at.R, self._both, weights, out)
        if not shares:
            return out
        place = np.concatenate([p for p, _ in shares])
        return out + np.bincount(place, np.concatenate([v for _, v in shares]), out.size).reshape(out.shape)

    def _of_products(self, weights: np.ndarray) -> list[Share]:
        p = self._products
        pulls = np.concatenate((weights * self._y, weights * self._x), axis=1).T
        down = p.transposed @ pulls
        n = len(self._at.r)
        pulled = np.ascontiguousarray(down[n:].T)
        local = np.einsum("ijn,in->jn", np.take(components(self._at.R), p.arm_carrier, axis=2), pulled)
        a, moment = p.arm_components, np.empty_like(local)
        for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
            moment[i] = a[j] * local[k] - a[k] * local[j]
        return [(p.carrier_places, down[:n].ravel()), (p.arm_places, moment.ravel())]


def _forwards(
    recipe: Recipe, value: np.ndarray, rate: np.ndarray, at: Carriers, loops: ModuleType | None
) -> tuple[Any, Any, Any]:
    """Value, rate and what the way back needs."""
    if recipe.turning is not None:
        s, v, matrices = recipe.turning.sweep(at, loops)
        return s, v, matrices
    if recipe.plain is not None:
        return value[recipe.plain], rate[recipe.plain], None
    if recipe.index is None:
        jet = recipe.kernel.jet(at)
        return jet.value, jet.rate, jet.gradient
    b, b1 = value[recipe.index], rate[recipe.index]
    if isinstance(recipe.kernel, Composed):
        s, d1, _ = chained(recipe.kernel.outer, b, b1)
        return s, (d1 * b1).sum(0), d1
    return np.zeros(b.shape[1]), (b[:3] * b1[3:]).sum(0), b[:3]  # slip


def _backwards(
    recipe: Recipe, kept: Any, force: np.ndarray, weights: np.ndarray, out: np.ndarray, loops: ModuleType | None
) -> Share | None:
    """Adds to the weights of the scalar products, or adds or gives the share of the bodies at once."""
    if recipe.turning is not None:
        return recipe.turning.pull(kept, force, out, loops)
    if recipe.plain is not None:
        weights[recipe.plain] += force
        return None
    if recipe.index is None:
        carriers = recipe.kernel.carriers
        place = (6 * carriers[..., None] + np.arange(6)).reshape(len(carriers), -1)
        return place.ravel(), (force[:, None] * kept).ravel()
    if isinstance(recipe.kernel, Slip):
        weights[recipe.index[3:]] += kept * force
    else:
        weights[recipe.index] += kept * force
    return None
