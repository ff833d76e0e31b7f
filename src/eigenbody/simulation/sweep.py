"""Forces of all measures without their gradients: forwards for values and rates, backwards for what they do to bodies.

A force f along a scalar product x . y pulls with f y on the feature x and with f x on y; the features are a constant
matrix times positions and arms, so its transpose hands these pulls down to bodies and arms. Nothing of the size of a
gradient is formed, which is what an implicit method that keeps its factors needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.elements.measures.compose import Composed
from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.slip import Slip
from eigenbody.simulation.geometry import Geometry, Recipe, components, dot3
from eigenbody.simulation.vectors import chained

Share = tuple[np.ndarray, np.ndarray]  # flat places in (carriers, 6) and values


class Sweep:
    """Values and rates of every set of a geometry at one state, (n,) each; `pull` goes back."""

    def __init__(self, geometry: Geometry, at: Carriers) -> None:
        self._products, self._at = geometry.products, at
        features = geometry.products.features(at, 2)
        self._x, self._y = features[0, :, 0], features[0, :, 1]
        x1, y1 = features[1, :, 0], features[1, :, 1]
        value, rate = dot3(self._x, self._y), dot3(x1, self._y) + dot3(self._x, y1)
        self._kept: list[list[tuple[Recipe, Any, Any]]] = []
        self.values, self.rates = [], []
        for measures, made in zip(geometry.sets, geometry.made, strict=True):
            s, v = np.zeros(measures.count), np.zeros(measures.count)
            kept = []
            for recipe, positions in made:
                s[positions], v[positions], rest = _forwards(recipe, value, rate, at)
                kept.append((recipe, positions, rest))
            self.values.append(s)
            self.rates.append(v)
            self._kept.append(kept)

    def pull(self, forces: list[np.ndarray]) -> np.ndarray:
        """sum f ds/dq of the forces along the measures of every set, (carriers, 6)."""
        weights = np.zeros(self._products.count)
        shares: list[Share] = []
        for kept, force in zip(self._kept, forces, strict=True):
            for recipe, positions, rest in kept:
                share = _backwards(recipe, rest, force[positions], weights)
                if share is not None:
                    shares.append(share)
        shares += self._of_products(weights)
        n = len(self._at.r)
        place = np.concatenate([p for p, _ in shares])
        return np.bincount(place, np.concatenate([v for _, v in shares]), 6 * n).reshape(n, 6)

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


def _forwards(recipe: Recipe, value: np.ndarray, rate: np.ndarray, at: Carriers) -> tuple[Any, Any, Any]:
    """Value, rate and what the way back needs."""
    if recipe.turning is not None:
        s, v, matrices = recipe.turning.sweep(at)
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


def _backwards(recipe: Recipe, kept: Any, force: np.ndarray, weights: np.ndarray) -> Share | None:
    """Adds to the weights of the scalar products, or gives the share of the bodies at once."""
    if recipe.turning is not None:
        return recipe.turning.pull(kept, force)
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
