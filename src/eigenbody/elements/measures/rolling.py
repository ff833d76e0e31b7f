"""A wheel on a plane: the height of its lowest point, and the speed with which that point slips.

The plane has the normal n (fixed on the first carrier), the wheel the axis a and centre c (on the second), radius r
and, for a torus, the radius t of the tube. With b = n.a the lowest point is c + d,
d = -r (n - b a) / sqrt(1 - b^2) - t n:

    height   n.(c - o) - r sqrt(1 - b^2) - t
    slip     e.(v_c + Omega x d) = D' + beta(b) C' - alpha(b) W      along e, a direction fixed in the plane
             D = e.(c - o),  C = e.a,  W = (n x e).Omega,  alpha = r / sqrt(1 - b^2) + t,  beta = r b / sqrt(1 - b^2)

with Omega the angular velocity of the wheel relative to the plane's carrier: (a x e).Omega is the rate of C. Exact at
any lean; only a wheel that lies flat (b = 1) has no lowest point.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.base.batched import over_variants
from eigenbody.elements.measures.compose import Composed, Outer
from eigenbody.elements.measures.features import Carriers, Feature, ScalarProduct, every_carrier
from eigenbody.elements.measures.surface import EllipsoidSupport, HeightAbove, ImplicitSupport, Support, SurfaceSlip
from eigenbody.elements.measures.templates import Pairs
from eigenbody.elements.measures.turning import AngularSpeed
from eigenbody.spatial.rotations import cross, dot, unit


# Height ---------------------------------------------------------------------------------------------------------------
def _height(b: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    """h - sqrt(q - p^2) of (h, p, q) and its derivatives; q does not vary, so its derivatives are left zero."""
    h, p, q = (b[..., k] for k in range(3))
    root = np.sqrt(q - p * p)
    first, second, third = (np.zeros((*b.shape, *(3,) * k), dtype=b.dtype) for k in range(3))
    first[..., 0] = 1.0
    first[..., 1] = p / root
    second[..., 1, 1] = q / root**3
    third[..., 1, 1, 1] = 3 * p * q / root**5
    return (h - root, first, second, third)[: order + 1]


HEIGHT = Outer("height of a wheel", _height)


def _on_first(pairs: Pairs, direction: np.ndarray) -> Feature:
    zero = np.zeros_like(direction)
    return Feature(np.zeros((len(pairs), 2)), np.stack((direction, zero), axis=-2))


def _on_second(pairs: Pairs, direction: np.ndarray) -> Feature:
    zero = np.zeros_like(direction)
    return Feature(np.zeros((len(pairs), 2)), np.stack((zero, direction), axis=-2))


@dataclass(frozen=True, slots=True)
class Height:
    """Height of the lowest point of the wheel, or of another surface, above the plane."""

    label: str = "contact"
    dimension: str = "m"

    def kernel(self, pairs: Pairs) -> Composed | ScalarProduct:
        if "surface" in pairs.keys:
            return _surface_height(pairs)
        n, axle = _on_first(pairs, pairs.keys["normal"]), _on_second(pairs, _axle(pairs))
        inner = (
            ScalarProduct(pairs.carriers, n, pairs.separation),
            ScalarProduct(pairs.carriers, n, axle),
            ScalarProduct(pairs.carriers, axle, axle),
        )
        return Composed(HEIGHT, inner)


def _surface_height(pairs: Pairs) -> Composed | ScalarProduct:
    """Of a ball the height of its centre: its lowest point is always as far below."""
    n = _on_first(pairs, pairs.keys["normal"])
    if _form(pairs) == "sphere":
        return ScalarProduct(pairs.carriers, n, pairs.separation)
    support, vectors = _supported(pairs)
    return Composed(
        HeightAbove(support), tuple(ScalarProduct(pairs.carriers, n, y) for y in (pairs.separation, *vectors))
    )


def _form(pairs: Pairs) -> str:
    """The form of the surfaces, which is the same for all pairs."""
    return str(pairs.keys["surface"][0].form)


def _axle(pairs: Pairs) -> np.ndarray:
    """Axis of the wheel, as long as its radius."""
    return pairs.keys["radius"][..., None] * pairs.axis("z2")


# Slip -----------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class NoSlip:
    """Slip of the lowest point along the plane's direction x or y."""

    along: str
    label: str

    def kernel(self, pairs: Pairs) -> RollingSlip | SurfaceSlip:
        n = pairs.keys["normal"]
        e = _tangent(n) if self.along == "x" else cross(n, _tangent(n))
        if "surface" not in pairs.keys:
            return _wheel_slip(pairs, n, e, pairs.axis("z2"), pairs.keys["radius"], pairs.keys["tube"])
        if _form(pairs) == "sphere":  # a tube about nothing: no axle, whatever the attitude
            radius = np.array([surface.size[0] for surface in pairs.keys["surface"]])
            return _wheel_slip(pairs, n, e, np.zeros((len(pairs), 3)), np.zeros(len(pairs)), radius)
        return _surface_slip(pairs, n, e)


def _wheel_slip(
    pairs: Pairs, n: np.ndarray, e: np.ndarray, axis: np.ndarray, radius: np.ndarray, tube: np.ndarray
) -> RollingSlip:
    def product(x: Feature, y: Feature) -> ScalarProduct:
        return ScalarProduct(pairs.carriers, x, y)

    on_e, axle = _on_first(pairs, e), _on_second(pairs, axis)
    on_n = _on_first(pairs, n)
    return RollingSlip(
        product(on_e, pairs.separation), product(on_e, axle), product(on_n, axle), cross(n, e), radius, tube
    )


def _surface_slip(pairs: Pairs, n: np.ndarray, e: np.ndarray) -> SurfaceSlip:
    support, vectors = _supported(pairs)
    on_n, on_e = _on_first(pairs, n), _on_first(pairs, e)
    factors = [(on_e, pairs.separation), *((on_e, f) for f in vectors), *((on_n, f) for f in vectors)]
    return SurfaceSlip(support, tuple(ScalarProduct(pairs.carriers, x, y) for x, y in factors))


def _supported(pairs: Pairs) -> tuple[Support, list[Feature]]:
    """The support function that the surfaces of all pairs share, and the vectors of each that it is a function of."""
    surfaces, axes = pairs.keys["surface"].tolist(), [pairs.axis(f"{name}2") for name in "xyz"]
    if surfaces[0].form == "implicit":
        return ImplicitSupport.of(surfaces[0].formula, surfaces[0].where), [_on_second(pairs, axis) for axis in axes]
    sizes = np.array([surface.size for surface in surfaces])
    return EllipsoidSupport(), [_on_second(pairs, sizes[:, k, None] * axis) for k, axis in enumerate(axes)]


@over_variants
def _tangent(n: np.ndarray) -> np.ndarray:
    """A unit vector normal to n: the projection of the axis least aligned with it. Branches look at the real part."""
    least = np.eye(3)[np.argmin(np.abs(np.real(n)), axis=-1)]
    return unit(least - dot(least, n)[..., None] * n)


@dataclass(frozen=True, slots=True, eq=False)
class RollingSlip:
    """Kernel of n slip speeds: D, C and b as scalar products, the direction n x e of W (on the first carrier)."""

    D: ScalarProduct
    C: ScalarProduct
    b: ScalarProduct
    turn: np.ndarray
    radius: np.ndarray
    tube: np.ndarray

    @property
    def carriers(self) -> np.ndarray:
        return self.D.carriers

    @property
    def key(self) -> tuple[object, ...]:
        return (RollingSlip,)

    def jet(self, at: Carriers) -> RollingSlipJet:
        return RollingSlipJet(self, at)

    def take(self, index: np.ndarray) -> RollingSlip:
        D, C, b = (p.take(index) for p in (self.D, self.C, self.b))
        return RollingSlip(D, C, b, self.turn[..., index, :], self.radius[..., index], self.tube[..., index])

    turns = every_carrier

    @staticmethod
    def concatenate(parts: list[RollingSlip]) -> RollingSlip:
        D, C, b = (ScalarProduct.concatenate([getattr(p, name) for p in parts]) for name in ("D", "C", "b"))
        turn = np.concatenate([p.turn for p in parts], axis=-2)
        radius, tube = (np.concatenate([getattr(p, name) for p in parts], axis=-1) for name in ("radius", "tube"))
        return RollingSlip(D, C, b, turn, radius, tube)


class RollingSlipJet:
    """The slip as a `rate` and its derivatives, by the product rule."""

    def __init__(self, kernel: RollingSlip, at: Carriers) -> None:
        self.D, self.C, self.b = kernel.D.jet(at), kernel.C.jet(at), kernel.b.jet(at)
        self.W = AngularSpeed(kernel.carriers, kernel.turn, 0).jet(at)
        b = self.b.value
        r, level = kernel.radius, 1 - b * b
        self._alpha = r / np.sqrt(level) + kernel.tube
        self._alpha1 = r * b / level**1.5
        self._alpha2 = r * (1 + 2 * b * b) / level**2.5
        self._beta = r * b / np.sqrt(level)
        self._beta1 = r / level**1.5
        self._beta2 = 3 * r * b / level**2.5

    @cached_property
    def rate(self) -> np.ndarray:
        return self.D.rate + self._beta * self.C.rate - self._alpha * self.W.rate

    @cached_property
    def acceleration(self) -> np.ndarray:
        turning = self.b.rate * (self._beta1 * self.C.rate - self._alpha1 * self.W.rate)
        return self.D.acceleration + self._beta * self.C.acceleration - self._alpha * self.W.acceleration + turning

    def _linear(self, what: str) -> np.ndarray:
        D, C, W = (getattr(part, what) for part in (self.D, self.C, self.W))
        return D + self._beta[..., None] * C - self._alpha[..., None] * W

    @cached_property
    def _by_b(self) -> np.ndarray:
        """d(slip)/db at fixed rates."""
        return (self._beta1 * self.C.rate - self._alpha1 * self.W.rate)[..., None]

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._linear("gradient")

    @cached_property
    def rate_q(self) -> np.ndarray:
        return self._linear("rate_q") + self._by_b * self.b.gradient

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        b, C, W = self.b, self.C, self.W
        b1, beta1, alpha1 = b.rate[..., None], self._beta1[..., None], self._alpha1[..., None]
        bent = (b.rate * (self._beta2 * C.rate - self._alpha2 * W.rate)
                + self._beta1 * C.acceleration - self._alpha1 * W.acceleration)[..., None]  # fmt: skip
        return (
            self._linear("acceleration_q") + bent * b.gradient + self._by_b * b.rate_q
            + b1 * (beta1 * C.rate_q - alpha1 * W.rate_q)
        )  # fmt: skip

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        turned = self._beta1[..., None] * self.C.gradient - self._alpha1[..., None] * self.W.gradient
        return self._linear("acceleration_u") + self._by_b * self.b.gradient + self.b.rate[..., None] * turned

    @cached_property
    def curvature(self) -> np.ndarray:
        """d(gradient^T)/dq."""
        beta, alpha = self._beta[..., None, None], self._alpha[..., None, None]
        turned = self._beta1[..., None] * self.C.gradient - self._alpha1[..., None] * self.W.gradient
        bent = turned[..., :, None] * self.b.gradient[..., None, :]
        return self.D.curvature + beta * self.C.curvature - alpha * self.W.curvature + bent

    @cached_property
    def value(self) -> np.ndarray:
        """There is no position-level value; zero by convention."""
        return np.zeros(self.rate.shape)
