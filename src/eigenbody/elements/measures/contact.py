"""Speeds at the contact of a wheel with a plane: directions along which tyre and creep forces act.

The plane has the axes e1, e2 and the normal n = e1 x e2 on the first carrier; the wheel has the centre c and the axis a
on the second. Every speed is a combination of plain rates with coefficients that depend on the attitude of the wheel:

    sigma = sum_j phi_j(p) rho_j      rho = X', Y', b', W1, W2, Wn       p = Y, A1, A2, b
    X = e1.(c - o),  Y = e2.(c - o),  A1 = e1.a,  A2 = e2.a,  b = n.a,  W = components of the relative angular velocity

The gradient of sigma by the velocities is the virtual displacement on which a force along its direction does work, with
the opposite force at the same point of the first carrier. With m = sqrt(1 - b^2) the heading of the wheel is
h = a x n / m = (A2 e1 - A1 e2) / m, its lateral direction l = n x h, and its lowest point lies at
d = r b l - (r m + t) n from the centre (r radius, t tube):

    forward   h.v                                of the centre
    sliding   h.(v + Omega x d) = h.v - (r + t/m) (A1 W1 + A2 W2) - r b Wn
    drifting  l.(v + Omega x d) = l.v + (r + t/m) b'
    rolling   h.Omega = b' / m
    turning   n.Omega
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers, Feature, ScalarProduct, ScalarProductJet, every_carrier
from eigenbody.elements.measures.templates import Pairs
from eigenbody.elements.measures.turning import AngularSpeed, AngularSpeedJet
from eigenbody.spatial.rotations import cross, dot, unit

# Coefficients phi_j (..., n) by the name of the rate, and their derivatives by (rate, place)
Coefficients = tuple[dict[str, np.ndarray], dict[tuple[str, str], np.ndarray]]


@dataclass(frozen=True, slots=True)
class Speed:
    """A speed by its coefficients: `rule(p, size)` takes the places by name and the numbers of the wheel by name."""

    name: str
    rule: Callable[[dict[str, np.ndarray], dict[str, np.ndarray]], Coefficients]


def _lean(p: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """1/m and its derivative by b."""
    m = np.sqrt(1 - p["b"] * p["b"])
    return 1 / m, p["b"] / m**3


def _forward(p: dict[str, np.ndarray], size: dict[str, np.ndarray]) -> Coefficients:
    m1, m1_b = _lean(p)
    return (
        {"X": p["A2"] * m1, "Y": -p["A1"] * m1},
        {("X", "A2"): m1, ("X", "b"): p["A2"] * m1_b, ("Y", "A1"): -m1, ("Y", "b"): -p["A1"] * m1_b},
    )


def _sliding(p: dict[str, np.ndarray], size: dict[str, np.ndarray]) -> Coefficients:
    phi, slopes = _forward(p, size)
    m1, m1_b = _lean(p)
    arm, arm_b = size["radius"] + size["tube"] * m1, size["tube"] * m1_b
    phi |= {"W1": -arm * p["A1"], "W2": -arm * p["A2"], "Wn": -size["radius"] * p["b"]}
    slopes |= {
        ("W1", "A1"): -arm, ("W1", "b"): -arm_b * p["A1"], ("W2", "A2"): -arm, ("W2", "b"): -arm_b * p["A2"],
        ("Wn", "b"): -size["radius"] + 0 * p["b"],
    }  # fmt: skip
    return phi, slopes


def _drifting(p: dict[str, np.ndarray], size: dict[str, np.ndarray]) -> Coefficients:
    m1, m1_b = _lean(p)
    return (
        {"X": p["A1"] * m1, "Y": p["A2"] * m1, "b": size["radius"] + size["tube"] * m1},
        {
            ("X", "A1"): m1, ("X", "b"): p["A1"] * m1_b, ("Y", "A2"): m1, ("Y", "b"): p["A2"] * m1_b,
            ("b", "b"): size["tube"] * m1_b,
        },
    )  # fmt: skip


def _rolling(p: dict[str, np.ndarray], size: dict[str, np.ndarray]) -> Coefficients:
    m1, m1_b = _lean(p)
    return {"b": m1}, {("b", "b"): m1_b}


def _turning(p: dict[str, np.ndarray], size: dict[str, np.ndarray]) -> Coefficients:
    return {"Wn": np.ones_like(p["b"])}, {}


FORWARD = Speed("forward", _forward)
SLIDING = Speed("sliding", _sliding)
DRIFTING = Speed("drifting", _drifting)
ROLLING = Speed("rolling", _rolling)
TURNING = Speed("turning", _turning)


# A conical wheel on a rail along e1: it touches below its centre, where its radius is r + cone Y ---------------------
def _along(p: dict[str, np.ndarray], size: dict[str, np.ndarray]) -> Coefficients:
    return {"X": np.ones_like(p["Y"])}, {}


def _sliding_on_rail(p: dict[str, np.ndarray], size: dict[str, np.ndarray]) -> Coefficients:
    slope = -size["cone"] + 0 * p["Y"]
    return {"X": np.ones_like(p["Y"]), "W2": -(size["radius"] + size["cone"] * p["Y"])}, {("W2", "Y"): slope}


def _drifting_on_rail(p: dict[str, np.ndarray], size: dict[str, np.ndarray]) -> Coefficients:
    slope = size["cone"] + 0 * p["Y"]
    return {"Y": np.ones_like(p["Y"]), "W1": size["radius"] + size["cone"] * p["Y"]}, {("W1", "Y"): slope}


ALONG_RAIL = Speed("along the rail", _along)
SLIDING_ON_RAIL = Speed("sliding on a rail", _sliding_on_rail)
DRIFTING_ON_RAIL = Speed("drifting on a rail", _drifting_on_rail)

PRODUCTS = ("X", "Y", "A1", "A2", "b")
TURNS = {"W1": 0, "W2": 1, "Wn": 2}


@dataclass(frozen=True, slots=True, eq=False)
class ContactSpeed:
    """Kernel of n such speeds: scalar products by name, axes of the plane (..., n, 3, 3) as columns, sizes by name."""

    speed: Speed
    products: dict[str, ScalarProduct]
    axes: np.ndarray
    size: dict[str, np.ndarray]

    @staticmethod
    def of(speed: Speed, pairs: Pairs, axes: np.ndarray, size: dict[str, np.ndarray]) -> ContactSpeed:
        """`axes` (..., n, 3, 3): e1, e2, n as columns in the axes of the first carrier; the wheel's axis is z2."""
        e1, e2, n = (_on_first(pairs, axes[..., :, k]) for k in range(3))
        axle, centre = pairs.direction("z2"), pairs.separation
        named = {"X": (e1, centre), "Y": (e2, centre), "A1": (e1, axle), "A2": (e2, axle), "b": (n, axle)}
        products = {name: ScalarProduct(pairs.carriers, x, y) for name, (x, y) in named.items()}
        return ContactSpeed(speed, products, axes, size)

    @property
    def carriers(self) -> np.ndarray:
        return self.products["X"].carriers

    @property
    def key(self) -> tuple[object, ...]:
        return (ContactSpeed, self.speed.name, *sorted(self.size))  # wheels on rails have other sizes than tyres

    def jet(self, at: Carriers) -> ContactSpeedJet:
        return ContactSpeedJet(self, at)

    def take(self, index: np.ndarray) -> ContactSpeed:
        products = {name: product.take(index) for name, product in self.products.items()}
        size = {name: number[..., index] for name, number in self.size.items()}
        return ContactSpeed(self.speed, products, self.axes[..., index, :, :], size)

    turns = every_carrier

    @staticmethod
    def concatenate(parts: list[ContactSpeed]) -> ContactSpeed:
        products = {name: ScalarProduct.concatenate([p.products[name] for p in parts]) for name in PRODUCTS}
        size = {name: np.concatenate([p.size[name] for p in parts], axis=-1) for name in parts[0].size}
        return ContactSpeed(parts[0].speed, products, np.concatenate([p.axes for p in parts], axis=-3), size)


class ContactSpeedJet:
    """The speed as a `rate` with its gradients, by the product rule. Nothing reads its second rate."""

    def __init__(self, kernel: ContactSpeed, at: Carriers) -> None:
        self._places = {name: product.jet(at) for name, product in kernel.products.items()}
        self._phi, self._slopes = kernel.speed.rule({k: p.value for k, p in self._places.items()}, kernel.size)
        turns = {
            k: AngularSpeed(kernel.carriers, kernel.axes[..., :, TURNS[k]], 0).jet(at) for k in self._phi if k in TURNS
        }
        self._rates: dict[str, ScalarProductJet | AngularSpeedJet] = {**self._places, **turns}

    def _combined(self, what: str, axes: int) -> np.ndarray:
        parts = (_lift(phi, axes) * getattr(self._rates[j], what) for j, phi in self._phi.items())
        return sum(parts, start=np.zeros(()))

    @cached_property
    def rate(self) -> np.ndarray:
        return self._combined("rate", 0)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._combined("gradient", 1)

    @cached_property
    def rate_q(self) -> np.ndarray:
        out = self._combined("rate_q", 1)
        for (j, i), slope in self._slopes.items():
            out = out + _lift(slope * self._rates[j].rate, 1) * self._places[i].gradient
        return out

    @cached_property
    def curvature(self) -> np.ndarray:
        """d(gradient^T)/dq."""
        out = self._combined("curvature", 2)
        for (j, i), slope in self._slopes.items():
            g, by = self._rates[j].gradient, self._places[i].gradient
            out = out + _lift(slope, 2) * g[..., :, None] * by[..., None, :]
        return out

    @property
    def value(self) -> np.ndarray:
        """There is no position-level value; zero by convention."""
        return np.zeros(self.rate.shape)

    @property
    def acceleration_q(self) -> np.ndarray:
        return np.zeros_like(self.gradient)

    acceleration = value
    acceleration_u = acceleration_q


def _lift(x: np.ndarray, axes: int) -> np.ndarray:
    return x[(..., *(None,) * axes)]


def _on_first(pairs: Pairs, direction: np.ndarray) -> Feature:
    return Feature(np.zeros((len(pairs), 2)), np.stack((direction, np.zeros_like(direction)), axis=-2))


def plane_axes(normal: np.ndarray, along: np.ndarray) -> np.ndarray:
    """(..., n, 3, 3) with columns e1 (the projection of `along`), e2, n."""
    n = unit(normal)
    e1 = unit(along - dot(along, n)[..., None] * n)
    return np.stack((e1, cross(n, e1), n), axis=-1)
