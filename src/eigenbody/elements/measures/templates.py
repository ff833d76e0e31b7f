"""Measures between two frames, vectorized over pairs of frames: the vocabulary in which joint types are written.

Frame 1 rides on the first carrier, frame 2 on the second; "x1" is the x axis of frame 1. Signs: a displacement is that
of the second point seen from the first, an angle that of the second frame, right-handed about the named axis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from eigenbody.base.batched import stack
from eigenbody.elements.measures.compose import Composed, Outer
from eigenbody.elements.measures.features import Carriers, Feature, ScalarProduct
from eigenbody.elements.measures.rotation import RotationComponent


class Jet(Protocol):
    """What the engine asks of n measures at a state; columns are (dr, dtheta) of each carrier."""

    @property
    def value(self) -> np.ndarray: ...  # (..., n)
    @property
    def rate(self) -> np.ndarray: ...
    @property
    def acceleration(self) -> np.ndarray: ...
    @property
    def gradient(self) -> np.ndarray: ...  # (..., n, 6K)  ds/dq = ds'/du = ds''/du'
    @property
    def rate_q(self) -> np.ndarray: ...
    @property
    def acceleration_q(self) -> np.ndarray: ...
    @property
    def acceleration_u(self) -> np.ndarray: ...


class Kernel(Protocol):
    """n measures of one type as arrays. Jets of what is held or pushed also have a `curvature` (..., n, 6K, 6K)."""

    @property
    def carriers(self) -> np.ndarray: ...
    @property
    def key(self) -> tuple[object, ...]: ...
    def jet(self, at: Carriers) -> Jet: ...
    def take(self, index: np.ndarray) -> Kernel: ...
    def turns(self) -> np.ndarray: ...
    @staticmethod
    def concatenate(parts: list[Any]) -> Kernel: ...


@dataclass(frozen=True, eq=False)
class Pairs:
    """n pairs of frames: carrier indices (n,), origins (..., n, 3) and axes (..., n, 3, 3) in carrier axes. Features
    are made once: the measures of a joint share them."""

    first: np.ndarray
    second: np.ndarray
    origin1: np.ndarray
    origin2: np.ndarray
    axes1: np.ndarray
    axes2: np.ndarray
    keys: Mapping[str, np.ndarray] = field(default_factory=dict)  # further numbers (n,), unit directions on the first

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def carriers(self) -> np.ndarray:
        return stack((self.first, self.second), axis=-1)

    def axis(self, name: str) -> np.ndarray:
        """Axis such as "x1" or "z2" in the axes of its carrier, (..., n, 3)."""
        axes = self.axes1 if name[1] == "1" else self.axes2
        return axes[..., :, "xyz".index(name[0])]

    @cached_property
    def _directions(self) -> dict[str, Feature]:
        return {}

    def direction(self, name: str) -> Feature:
        """The axis as a feature on both carriers."""
        if name not in self._directions:
            arm = self.axis(name)
            arms = np.zeros((*arm.shape[:-1], 2, 3), dtype=arm.dtype)
            arms[..., 0 if name[1] == "1" else 1, :] = arm
            self._directions[name] = Feature(np.zeros((len(self), 2)), arms)
        return self._directions[name]

    @cached_property
    def separation(self) -> Feature:
        """Vector from origin 1 to origin 2 as a feature."""
        c = np.ones((len(self), 2))
        c[:, 0] = -1.0
        return Feature(c, stack((-self.origin1, self.origin2), axis=-2))

    def take(self, index: np.ndarray) -> Pairs:
        return Pairs(
            self.first[index], self.second[index], self.origin1[..., index, :], self.origin2[..., index, :],
            self.axes1[..., index, :, :], self.axes2[..., index, :, :],
            {name: value[index] for name, value in self.keys.items()},
        )  # fmt: skip


class Template(Protocol):
    """A measure that can be taken between the frames of every pair."""

    @property
    def label(self) -> str: ...
    @property
    def dimension(self) -> str: ...
    def kernel(self, pairs: Pairs) -> Kernel: ...


class SlipTemplate(Protocol):
    """A speed that can be taken between the frames of every pair; it has no value."""

    @property
    def label(self) -> str: ...
    def kernel(self, pairs: Pairs) -> Kernel: ...


@dataclass(frozen=True, slots=True)
class Displacement:
    """Displacement of origin 2 from origin 1 along an axis of frame 1."""

    axis: str
    label: str = ""
    dimension: str = "m"

    def kernel(self, pairs: Pairs) -> ScalarProduct:
        return ScalarProduct(pairs.carriers, pairs.direction(self.axis + "1"), pairs.separation)


@dataclass(frozen=True, slots=True)
class Cosine:
    """Cosine between an axis of frame 1 and an axis of frame 2; zero when they are perpendicular."""

    axis1: str
    axis2: str
    label: str = ""
    dimension: str = "1"

    def kernel(self, pairs: Pairs) -> ScalarProduct:
        return ScalarProduct(pairs.carriers, pairs.direction(self.axis1), pairs.direction(self.axis2))


def _square_root(b: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    root = np.sqrt(b)
    out = [root[..., 0], 0.5 / root]
    if order > 1:
        out.append(-0.25 / (b * root)[..., None])
    if order > 2:
        out.append(0.375 / (b * b * root)[..., None, None])
    return tuple(out)


def arctangent(b: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    """atan2(S, C) of b = (S, C). It is the imaginary part of log z, z = C + i S, hence harmonic:
    its derivatives are those of 1/z, -1/z^2 and 2/z^3, written here in real arithmetic to stay complex-safe."""
    S, C = b[..., 0], b[..., 1]
    n = S * S + C * C
    u, v = C / n, -S / n  # 1/z = u + i v
    out = [_angle(S, C), _tensor(S, 1, u, v)]
    # d/dC = d/dz, d/dS = i d/dz applied to log z; the imaginary part of i^k f is taken by hand
    if order > 1:
        u2, v2 = u * u - v * v, 2 * u * v  # 1/z^2
        ss, sc, cc = v2, -u2, -v2
        out.append(_tensor(S, 2, ss, sc, sc, cc))
    if order > 2:
        u3, v3 = u2 * u - v2 * v, u2 * v + v2 * u  # 1/z^3
        sss, ssc, scc, ccc = -2 * u3, -2 * v3, 2 * u3, 2 * v3
        out.append(_tensor(S, 3, sss, ssc, ssc, scc, ssc, scc, scc, ccc))
    return tuple(out)


def _tensor(S: np.ndarray, order: int, *entries: np.ndarray) -> np.ndarray:
    """(..., 2, 2, ...) of its entries, each of the shape of S; np.stack takes far longer where they are few."""
    out = np.empty((*S.shape, len(entries)), dtype=S.dtype)
    for k, entry in enumerate(entries):
        out[..., k] = entry
    return out.reshape(*S.shape, *(2,) * order)


def _angle(S: np.ndarray, C: np.ndarray) -> np.ndarray:
    """atan2(S, C) in (-pi, pi]; of complex numbers that of the real parts, and on from there."""
    S0, C0 = np.real(S) + 0.0, np.real(C)
    angle = np.arctan2(S0, C0)
    return angle + np.arctan((S * C0 - C * S0) / (C * C0 + S * S0)) if np.iscomplexobj(S) else angle


SQUARE_ROOT = Outer("distance", _square_root)
ARCTANGENT = Outer("angle", arctangent, counts_turns=True)


@dataclass(frozen=True, slots=True)
class Distance:
    """Distance between the two origins."""

    label: str = ""
    dimension: str = "m"

    def kernel(self, pairs: Pairs) -> Composed:
        d = pairs.separation
        return Composed(SQUARE_ROOT, (ScalarProduct(pairs.carriers, d, d),))


@dataclass(frozen=True, slots=True)
class Angle:
    """Angle of frame 2 about "z1" (z axis of frame 1) or about "x2" (x axis of frame 2: second of a universal)."""

    about: str = "z1"
    label: str = ""
    dimension: str = "rad"

    def kernel(self, pairs: Pairs) -> Composed:
        sine, cosine = (("y1", "x2"), ("x1", "x2")) if self.about == "z1" else (("z1", "y2"), ("z1", "z2"))
        inner = tuple(ScalarProduct(pairs.carriers, pairs.direction(a), pairs.direction(b)) for a, b in (sine, cosine))
        return Composed(ARCTANGENT, inner)


@dataclass(frozen=True, slots=True)
class Rotation:
    """Component of the relative rotation vector along an axis of frame 1; small rotations as a variation."""

    axis: str
    label: str = ""
    dimension: str = "rad"

    def kernel(self, pairs: Pairs) -> RotationComponent:
        e = np.zeros(pairs.origin1.shape)
        e[..., "xyz".index(self.axis)] = 1.0
        return RotationComponent(pairs.carriers, pairs.axes1, pairs.axes2, e)


def displacement_in(pairs: Pairs, carrier: np.ndarray, direction: np.ndarray) -> ScalarProduct:
    """Displacement of origin 2 from origin 1 along a direction (..., n, 3) fixed in a third carrier (n,)."""
    d = pairs.separation
    zero = np.zeros((*d.arm.shape[:-2], 1, 3))
    y = Feature(np.concatenate((d.c, np.zeros((len(pairs), 1))), axis=-1), np.concatenate((d.arm, zero), axis=-2))
    arms = np.zeros((*direction.shape[:-1], 3, 3), dtype=direction.dtype)
    arms[..., 2, :] = direction
    x = Feature(np.zeros((len(pairs), 3)), arms)
    return ScalarProduct(np.concatenate((pairs.carriers, carrier[:, None]), axis=-1), x, y)
