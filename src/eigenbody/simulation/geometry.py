"""Measures evaluated again and again at neighbouring states: all scalar products of the system in one pass.

Nearly every measure is made of scalar products of features (elements.measures.features). Here the features of all
constraints, slip rows and force channels are collected once; their values, rates and accelerations (with the bodies'
own accelerations zero) are then one matrix product, and the gradients a handful of array operations. Kernels of any
other kind are asked for their own jet. The numbers are those of `MeasureSet.jet`; only the bookkeeping is saved.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from eigenbody.elements.measures.compose import Composed
from eigenbody.elements.measures.features import Carriers, Feature, ScalarProduct
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.elements.measures.slip import Slip
from eigenbody.elements.measures.templates import Kernel
from eigenbody.simulation.turning import Turning
from eigenbody.simulation.vectors import chained, distinct, turning
from eigenbody.system.measureset import MeasureSet

DENSE_ENTRIES = 40_000  # up to this size the constant matrix of features is multiplied as a dense one


@dataclass(frozen=True, slots=True)
class PlainJet:
    """What forward dynamics asks of the measures of a set, in set order: (n,), (n,), (n,) and (n, width)."""

    value: np.ndarray
    rate: np.ndarray
    acceleration: np.ndarray
    gradient: np.ndarray


class Products:
    """All scalar products x . y, and where the features of each ride."""

    def __init__(self, kernels: list[ScalarProduct], carriers: int) -> None:
        self.count = sum(len(kernel.carriers) for kernel in kernels)
        self.width = max((kernel.carriers.shape[-1] for kernel in kernels), default=2)
        parts = [_padded(kernel, self.width, carriers - 1) for kernel in kernels]
        K = self.width
        self.carriers = np.concatenate([p.carriers for p in parts]) if parts else np.zeros((0, K), dtype=int)
        x, y = (
            Feature.concatenate([getattr(p, name) for p in parts]) if parts else Feature(np.zeros((0, K)), _none(K))
            for name in ("x", "y")
        )
        self._coefficients = np.stack((x.c, y.c))[..., None]
        self._arms(np.stack((x.arm, y.arm)), carriers)

    def _arms(self, arms: np.ndarray, carriers: int) -> None:
        """Distinct arms, and the constant matrix from positions and arms to features, (2 n, carriers + arms)."""
        place = np.broadcast_to(self.carriers, arms.shape[:-1])
        rides = np.any(arms != 0, axis=-1)
        table = np.concatenate((place[rides][:, None], arms[rides]), axis=1)
        first, index = distinct(table)
        self.arm, self.arm_carrier = np.ascontiguousarray(table[first, 1:]), table[first, 0].astype(np.int64)
        width = carriers + len(first)
        side, product, slot = np.nonzero(self._coefficients[..., 0])
        arm_side, arm_product, _ = np.nonzero(rides)
        row = np.concatenate((side * self.count + product, arm_side * self.count + arm_product))
        column = np.concatenate((self.carriers[product, slot], carriers + index))
        value = np.concatenate((self._coefficients[side, product, slot, 0], np.ones(int(rides.sum()))))
        self._matrix = _constant(row, column, value, (2 * self.count, width))
        self._rows = carriers
        self.transposed = self._matrix.T if isinstance(self._matrix, np.ndarray) else self._matrix.T.tocsr()
        self.arm_components = self._arm = np.ascontiguousarray(self.arm.T)
        self.carrier_places = (6 * np.arange(carriers)[:, None] + np.arange(3)).ravel()  # in (carriers, 6)
        self.arm_places = (6 * self.arm_carrier + np.arange(3, 6)[:, None]).ravel()
        self._table = np.zeros((width, 3, 3))  # of positions and arms: value, rate, acceleration
        self._own = np.ascontiguousarray(np.moveaxis(arms, (2, 3), (1, 2)))  # (2, K, 3, n): arms of x and of y

    @cached_property
    def rows(self) -> tuple[np.ndarray, ...]:
        """The constant matrix by rows for compiled loops, the arms and their carriers."""
        from scipy.sparse import csr_array

        rows = csr_array(self._matrix)
        return rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data, self.arm, self.arm_carrier

    def features(self, at: Carriers, levels: int = 3) -> np.ndarray:
        """x and y with rate and acceleration, (levels, 3, 2, n)."""
        table, rows = self._table, self._rows
        table[:rows, 0] = at.r
        frame, spin = at.R, None
        for level in range(levels):
            if level == 1:
                table[:rows, 1] = at.v
                spin = turning(at.w)
            if spin is not None:
                frame = frame @ spin
            of_arms = np.take(components(frame), self.arm_carrier, axis=2)
            table[rows:, level] = np.einsum("ijn,jn->ni", of_arms, self._arm)
        flat = table[:, :levels].reshape(-1, 3 * levels)
        return np.ascontiguousarray((self._matrix @ flat).T).reshape(levels, 3, 2, self.count)

    def gradient(self, at: Carriers, features: np.ndarray) -> np.ndarray:
        """(n, 6 K) by (dr, dtheta) of each carrier."""
        x, y = features[0, :, 0], features[0, :, 1]
        out = np.empty((self.count, self.width, 6))
        R = components(at.R)
        for k in range(self.width):
            cx, cy = self._coefficients[:, :, k, 0]
            out[:, k, :3] = (cx * y + cy * x).T
            own = np.take(R, self.carriers[:, k], axis=2)
            ax, ay = self._own[:, k]
            _add_cross(out[:, k, 3:].T, ax, np.einsum("ijn,in->jn", own, y), ay, np.einsum("ijn,in->jn", own, x))
        return out.reshape(self.count, 6 * self.width)


def components(R: np.ndarray) -> np.ndarray:
    """(n, 3, 3) -> (3, 3, n), contiguous: many long vectors are faster than many small matrices."""
    return np.ascontiguousarray(R.transpose(1, 2, 0))


def _add_cross(out: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray, d: np.ndarray) -> None:
    """out = a x b + c x d, components along the first axis."""
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[i] = a[j] * b[k] - a[k] * b[j] + c[j] * d[k] - c[k] * d[j]


def _none(K: int) -> np.ndarray:
    return np.zeros((0, K, 3))


def _padded(kernel: ScalarProduct, width: int, still: int) -> ScalarProduct:
    """The kernel on `width` carriers; those added stand still and carry nothing."""
    missing = width - kernel.carriers.shape[-1]
    if not missing:
        return kernel
    n = len(kernel.carriers)
    more = Feature(np.zeros((n, missing)), np.zeros((n, missing, 3)))
    x, y = (
        Feature(np.concatenate((f.c, more.c), axis=1), np.concatenate((f.arm, more.arm), axis=1))
        for f in (kernel.x, kernel.y)
    )
    return ScalarProduct(np.concatenate((kernel.carriers, np.full((n, missing), still)), axis=1), x, y)


def _constant(row: np.ndarray, column: np.ndarray, value: np.ndarray, shape: tuple[int, int]) -> Any:
    if shape[0] * shape[1] <= DENSE_ENTRIES:
        out = np.zeros(shape)
        np.add.at(out, (row, column), value)
        return out
    from scipy.sparse import csr_array

    return csr_array((value, (row, column)), shape=shape)


class Geometry:
    """Constraints, slip rows and force channels of a system, evaluated together.

    Accelerations are those of the first `accelerated` sets; in the others those of rotations are left out. Of the set
    i only the measures `needed[i]` (bool) are evaluated, the others stay zero.
    """

    def __init__(
        self,
        sets: tuple[MeasureSet, ...],
        carriers: int,
        accelerated: int = 1,
        needed: dict[int, np.ndarray] | None = None,
    ) -> None:
        self.sets = sets
        self._kernels: list[ScalarProduct] = []
        self.made = []
        for i, s in enumerate(sets):
            wanted = (needed or {}).get(i, np.ones(s.count, dtype=bool))
            placed = s.batches if wanted.all() else s.subset(np.flatnonzero(wanted))
            where = np.arange(s.count) if wanted.all() else np.flatnonzero(wanted)
            self.made.append([self._placed(kernel, where[at], i < accelerated) for kernel, at in placed])
        self.products = Products(self._kernels, carriers)

    def _placed(self, kernel: Kernel, positions: np.ndarray, accelerated: bool) -> tuple[Recipe, Positions]:
        """The kernel registered; measures that stand together in the set do so here, and are copied as a slice."""
        order = np.argsort(positions)
        if np.array_equal(positions[order], np.arange(positions.min(), positions.min() + len(positions))):
            kernel, first = kernel.take(order), int(positions.min())
            return self._register(kernel, accelerated), slice(first, first + len(positions))
        return self._register(kernel, accelerated), positions

    def _register(self, kernel: Kernel, accelerated: bool) -> Recipe:
        start = sum(len(k.carriers) for k in self._kernels)
        n = len(kernel.carriers)
        if isinstance(kernel, ScalarProduct):
            self._kernels.append(kernel)
            return Recipe(kernel, np.arange(start, start + n)[None], plain=slice(start, start + n))
        if isinstance(kernel, Composed | Slip):
            inner = kernel.inner if isinstance(kernel, Composed) else (*kernel.cosines, *kernel.displacements)
            self._kernels.extend(inner)
            return Recipe(kernel, start + np.arange(n * len(inner)).reshape(len(inner), n))
        turning = Turning(kernel) if isinstance(kernel, RotationComponent) and not kernel.small else None
        return Recipe(kernel, None, turning, accelerated)

    def jets(self, at: Carriers, levels: int = 3, loops: ModuleType | None = None) -> list[PlainJet]:
        """Value, rate, acceleration (zero with `levels` 2) and gradient of every set."""
        features = self.products.features(at, levels)
        x, y = features[:, :, 0], features[:, :, 1]
        out = np.zeros((3, self.products.count))
        out[0] = dot3(x[0], y[0])
        out[1] = dot3(x[1], y[0]) + dot3(x[0], y[1])
        if levels > 2:
            out[2] = dot3(x[2], y[0]) + 2 * dot3(x[1], y[1]) + dot3(x[0], y[2])
        g = self.products.gradient(at, features)
        more = at, out, g, levels > 2, loops
        return [self._set(s, made, *more) for s, made in zip(self.sets, self.made, strict=True)]

    def values(self, at: Carriers, which: int = 0) -> np.ndarray:
        """Values alone, of one set."""
        features = self.products.features(at, levels=1)[0]
        products = dot3(features[:, 0], features[:, 1])
        out = np.zeros(self.sets[which].count)
        for recipe, positions in self.made[which]:
            out[positions] = recipe.value(products, at)
        return out

    @staticmethod
    def _set(
        measures: MeasureSet, made: list[tuple[Recipe, Positions]], at: Carriers, levels: np.ndarray, g: np.ndarray,
        accelerated: bool, loops: ModuleType | None,
    ) -> PlainJet:  # fmt: skip
        recipe, positions = made[0] if len(made) == 1 else (None, None)
        if (
            recipe
            and recipe.plain is not None
            and isinstance(positions, slice)
            and positions == slice(0, measures.count)
        ):
            only = recipe.plain
            return PlainJet(levels[0, only], levels[1, only], levels[2, only], g[only, : measures.columns.shape[1]])
        s, v, a = np.zeros((3, measures.count))
        gradient = np.zeros(measures.columns.shape)
        for recipe, positions in made:
            value, rate, acceleration, own = recipe.jet(levels, g, at, accelerated, loops)
            s[positions], v[positions], a[positions] = value, rate, acceleration
            width = min(own.shape[1], measures.columns.shape[1])
            gradient[positions, :width] = own[:, :width]
        return PlainJet(s, v, a, gradient)


def dot3(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Scalar products of vectors whose components run along the first axis."""
    return np.einsum("in,in->n", a, b)


Positions = np.ndarray | slice
Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How the measures of a kernel come from the scalar products at `index` (parts, n); None: from its own jet."""

    kernel: Kernel
    index: np.ndarray | None
    turning: Turning | None = None
    accelerated: bool = True
    plain: slice | None = None  # the products themselves

    def value(self, products: np.ndarray, at: Carriers) -> np.ndarray:
        if self.turning is not None:
            return self.turning.value(at)
        if self.index is None or isinstance(self.kernel, Slip):
            return self.kernel.jet(at).value
        if isinstance(self.kernel, Composed):
            b = products[self.index]
            return chained(self.kernel.outer, b, b)[0]
        return products[self.plain]

    def jet(
        self, levels: np.ndarray, gradient: np.ndarray, at: Carriers, accelerated: bool, loops: ModuleType | None
    ) -> Parts:
        if self.turning is not None:
            return self.turning.jet(at, self.accelerated and accelerated, loops)
        if self.index is None:
            jet = self.kernel.jet(at)
            return jet.value, jet.rate, jet.acceleration, jet.gradient
        if isinstance(self.kernel, Composed):
            return self._composed(levels[:, self.index], gradient[self.index])
        if isinstance(self.kernel, Slip):
            return self._slip(levels[:, self.index], gradient[self.index])
        own = self.plain
        return levels[0, own], levels[1, own], levels[2, own], gradient[own]

    def _composed(self, levels: np.ndarray, gradient: np.ndarray) -> Parts:
        """The chain rule; levels (3, parts, n), gradient (parts, n, 6K)."""
        assert isinstance(self.kernel, Composed)
        b, rate, acceleration = levels
        value, d1, bent = chained(self.kernel.outer, b, rate)
        own = (d1[..., None] * gradient).sum(0)
        return value, (d1 * rate).sum(0), (d1 * acceleration).sum(0) + bent, own

    @staticmethod
    def _slip(levels: np.ndarray, gradient: np.ndarray) -> Parts:
        """sum c D' with cosines c and displacements D (elements.measures.slip)."""
        c, d = levels[:, :3], levels[:, 3:]
        rate = (c[0] * d[1]).sum(0)
        acceleration = (c[1] * d[1] + c[0] * d[2]).sum(0)
        return np.zeros_like(rate), rate, acceleration, (c[0][..., None] * gradient[3:]).sum(0)
