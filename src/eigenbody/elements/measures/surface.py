"""A convex body on a plane: the height of its lowest point, and the speed with which that point slips.

The plane has the normal n (fixed on the first carrier), the body the point c and vectors f_k fixed in it (on the
second). With p_k = n.f_k the lowest point is c + d, and m(p), the support function of the body, says how deep it lies:

    m(p) = min over the body of n.d      dm/dp_k = m_k      d = sum_k m_k f_k       (the gradient of m is the point)
    height   n.(c - o) + m(p)
    slip     e.(v_c + Omega x d) = D' + sum_k m_k(p) C_k'      along e, a direction fixed in the plane
             D = e.(c - o),  C_k = e.f_k, whose rate is e.(Omega x f_k)

with Omega the angular velocity of the body relative to the plane's carrier. An ellipsoid has its half axes as vectors
f_k, and m = -|p| in closed form. Any other convex surface F(x, y, z) = 0 has its unit axes, and its lowest point is
where the outward normal is -n: lambda grad F = -p, F = 0, lambda > 0. It is found by Newton's method while the normal
turns from that of a point on the surface to -n; the derivatives of m are those of implicit functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement
from typing import Any, Protocol

import numpy as np

from eigenbody.base.batched import stack
from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.measures.features import Carriers, ScalarProduct, every_carrier
from eigenbody.model.expressions import Expression, ExpressionError
from eigenbody.spatial.rotations import dot

EYE = np.eye(3)
TURNS = (1, 4, 16, 64, 256)  # steps in which the normal is turned, more where fewer do not do
START = 0.05  # relative error of the first point on the surface
STEPS = 30  # of Newton's method, each
REFINED = 3  # further steps, by which complex numbers follow too
FLAT = 1e-10  # smallest principal curvature, in 1/size of the body, that is told from none


class Support(Protocol):
    """m(p) and its derivatives: `derivatives(p, order)` takes (..., n, 3) and returns m (..., n), its gradient, Hessian
    and third derivative, as many of them as the order says."""

    @property
    def name(self) -> str: ...
    def derivatives(self, p: np.ndarray, order: int) -> tuple[np.ndarray, ...]: ...


@dataclass(frozen=True, slots=True)
class EllipsoidSupport:
    """m = -|p|, with the half axes as the vectors f_k."""

    name: str = "ellipsoid"

    def derivatives(self, p: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
        size = np.sqrt(dot(p, p))[..., None]
        u = p / size
        uu = u[..., :, None] * u[..., None, :]
        out = [-size[..., 0], -u]
        if order > 1:
            out.append((uu - EYE) / size[..., None])
        if order > 2:
            mixed = EYE[:, :, None] * u[..., None, None, :]
            mixed = mixed + EYE[:, None, :] * u[..., None, :, None] + EYE[None, :, :] * u[..., :, None, None]
            out.append((mixed - 3 * uu[..., None] * u[..., None, None, :]) / size[..., None, None] ** 2)
        return tuple(out)


@dataclass(frozen=True, eq=False)
class ImplicitSupport:
    """Of the surface formula(x, y, z) = 0, below zero inside, with the unit axes as the vectors f_k."""

    formula: Expression
    slopes: dict[tuple[int, ...], Expression]  # derivatives to third order by the numbers of the axes, in order
    where: str  # place in the model file, for messages

    @staticmethod
    def of(formula: Expression, where: str) -> ImplicitSupport:
        slopes: dict[tuple[int, ...], Expression] = {(): formula}
        for order in (1, 2, 3):
            for axes in combinations_with_replacement(range(3), order):
                slopes[axes] = slopes[axes[:-1]].derivative("xyz"[axes[-1]])
        return ImplicitSupport(formula, slopes, where)

    @property
    def name(self) -> str:
        return f"{self.where}: {self.formula}"

    def _tensor(self, place: np.ndarray, order: int) -> np.ndarray:
        """The derivative of that order at places (..., n, 3). Numbers of the formula that vary have the batch axis, so
        the axis of the bodies goes first while it is evaluated."""
        lead = place.shape[:-2]
        first = np.moveaxis(place, -2, 0).reshape(-1, *(lead or (1,)), 3)
        env = {name: first[..., k] for k, name in enumerate("xyz")}
        try:
            found = {axes: np.asarray(self.slopes[axes].evaluate(env)) for axes in self.slopes if len(axes) == order}
        except ExpressionError as error:
            what = f"the formula of the surface has no value or slope where it is asked for ({error})."
            remedy = "Write a formula that is smooth all over the surface and around it."
            raise InputError(Fault(self.where, what, remedy)) from error
        shape = np.broadcast_shapes(first.shape[:-1], *(value.shape for value in found.values()))
        out = np.empty((*shape, *(3,) * order), dtype=np.result_type(first, *found.values()))
        for axes in np.ndindex(*(3,) * order):
            out[(..., *axes)] = found[tuple(sorted(axes))]
        out = np.moveaxis(out, 0, len(shape) - 1)
        return out if lead or shape[1:] != (1,) else out[0]

    def derivatives(self, p: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
        place, pull = self.lowest(p)
        out = [dot(p, place), place]
        if order > 1:
            slope, bend = self._tensor(place, 1), self._tensor(place, 2)
            K = _bordered(pull, bend, slope)
            right = np.zeros((4, 3))
            right[:3] = -EYE
            first = np.linalg.solve(K, np.broadcast_to(right, (*K.shape[:-2], 4, 3)))  # d(place, lambda)/dp
            out.append(first[..., :3, :])
        if order > 2:
            move, change = first[..., :3, :], first[..., 3, :]
            third = self._tensor(place, 3)
            bent = np.einsum("...ijk,...ja,...kb->...iab", pull[..., None, None, None] * third, move, move)
            along = np.einsum("...ij,...ja,...b->...iab", bend, move, change)
            own = np.einsum("...ij,...ia,...jb->...ab", bend, move, move)
            right = np.concatenate((bent + along + np.swapaxes(along, -1, -2), own[..., None, :, :]), axis=-3)
            flat = np.linalg.solve(K, -right.reshape(*right.shape[:-2], 9))
            out.append(flat[..., :3, :].reshape(*flat.shape[:-2], 3, 3, 3))
        return tuple(out)

    # The lowest point -------------------------------------------------------------------------------------------------
    def lowest(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The place (..., 3) where lambda grad F = -p, and lambda (...) > 0."""
        goal = np.real(p)
        place = self._below(-goal / np.sqrt(dot(goal, goal))[..., None])
        slope = self._tensor(place, 1)
        size = np.sqrt(dot(slope, slope))
        start = -slope / size[..., None] * np.sqrt(dot(goal, goal))[..., None]
        pull = np.sqrt(dot(goal, goal)) / size
        for turns in TURNS:
            found = self._turned(place, pull, start, goal, turns)
            if found is not None:
                place, pull = found
                break
        else:
            self._refuse_hollow(place)
            raise self._refusal("no lowest point of the surface was found.")
        self._refuse_hollow(place)
        for _ in range(REFINED if np.iscomplexobj(p) or np.iscomplexobj(self._tensor(place, 0)) else 0):
            place, pull = self._step(place, pull, p)
        return place, pull

    def _below(self, direction: np.ndarray) -> np.ndarray:
        """Where a ray from the origin leaves the body: bracketed, then bisected as far as a start needs."""
        inside, outside = np.zeros(direction.shape[:-1]), np.ones(direction.shape[:-1])
        for _ in range(200):
            is_in = self._inside(outside, direction)
            if not is_in.any():
                break
            inside, outside = np.where(is_in, outside, inside), np.where(is_in, 2 * outside, outside)
        else:
            raise self._refusal("the surface is not closed: a ray from its origin does not leave it.")
        while True:  # the radius may be far below the first guess
            middle = (inside + outside) / 2
            is_in = self._inside(middle, direction)
            inside, outside = np.where(is_in, middle, inside), np.where(is_in, outside, middle)
            if np.all(outside - inside <= START * outside):
                return ((inside + outside) / 2)[..., None] * direction

    def _inside(self, distance: np.ndarray, direction: np.ndarray) -> np.ndarray:
        return np.real(self._tensor(distance[..., None] * direction, 0)) < 0

    def _turned(
        self, place: np.ndarray, pull: np.ndarray, start: np.ndarray, goal: np.ndarray, turns: int
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Follow the point while the normal turns from start to goal; None where it gets lost."""
        for share in np.linspace(0.0, 1.0, turns + 1)[1:]:
            p = start + share * (goal - start)
            p = p * np.sqrt(dot(goal, goal) / dot(p, p))[..., None]
            for _ in range(STEPS):
                try:
                    new_place, new_pull = (np.real(part) for part in self._step(place, pull, p))
                except (np.linalg.LinAlgError, InputError):
                    return None
                move = np.abs(new_place - place).max(initial=0.0)
                place, pull = new_place, new_pull
                if not np.isfinite(place).all() or (pull <= 0).any():
                    return None
                if move <= 1e-15 * np.abs(place).max(initial=0.0):
                    break
                if move <= 1e-11 * np.abs(place).max(initial=0.0):  # quadratic: one more is exact to rounding
                    place, pull = (np.real(part) for part in self._step(place, pull, p))
                    break
            else:
                return None
        return place, pull

    def _step(self, place: np.ndarray, pull: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slope, bend = self._tensor(place, 1), self._tensor(place, 2)
        right = np.concatenate((pull[..., None] * slope + p, self._tensor(place, 0)[..., None]), axis=-1)
        d = np.linalg.solve(_bordered(pull, bend, slope), -right[..., None])[..., 0]
        return place + d[..., :3], pull + d[..., 3]

    def _refuse_hollow(self, place: np.ndarray) -> None:
        """The surface curves away from the plane in all directions, and no less than can be told from not at all."""
        slope, bend = np.real(self._tensor(place, 1)), np.real(self._tensor(place, 2))
        steep = np.sqrt(dot(slope, slope))
        normal = slope / steep[..., None]
        across = EYE - normal[..., :, None] * normal[..., None, :]
        shape = across @ (bend / steep[..., None, None]) @ across
        curvature = np.linalg.eigvalsh((shape + np.swapaxes(shape, -1, -2)) / 2 + _lifted(normal, shape))[..., 0]
        size = np.sqrt(dot(place, place))
        if (curvature * size < -FLAT).any():
            raise self._refusal("the surface is hollow where it touches the plane.")
        if (curvature * size < FLAT).any():
            raise self._refusal("the surface has no curvature where it touches the plane.")

    def _refusal(self, what: str) -> InputError:
        return InputError(Fault(self.where, what, "Rolling needs a closed surface that is convex and curved all over."))


def _lifted(normal: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """The normal with a larger curvature than all: what is least is a curvature of the surface then."""
    most = np.abs(shape).sum(axis=(-2, -1))[..., None, None]
    return (1 + most) * normal[..., :, None] * normal[..., None, :]


def _bordered(pull: np.ndarray, bend: np.ndarray, slope: np.ndarray) -> np.ndarray:
    lead = np.broadcast_shapes(pull.shape, slope.shape[:-1])
    K = np.zeros((*lead, 4, 4), dtype=np.result_type(pull, bend, slope))
    K[..., :3, :3] = pull[..., None, None] * bend
    K[..., :3, 3] = K[..., 3, :3] = slope
    return K


@dataclass(frozen=True, slots=True)
class HeightAbove:
    """h + m(p) of (h, p1, p2, p3), as the outer function of a composed measure."""

    support: Support
    counts_turns: bool = False

    @property
    def name(self) -> str:
        return f"height of the {self.support.name}"

    def derivatives(self, b: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
        depth, *inner = self.support.derivatives(b[..., 1:], order)
        out = [b[..., 0] + depth]
        for k, part in enumerate(inner, 1):
            whole = np.zeros((*part.shape[:-k], *(4,) * k), dtype=part.dtype)
            inside: tuple[Any, ...] = (..., *(slice(1, None),) * k)
            whole[inside] = part
            out.append(whole)
        out[1][..., 0] = 1.0
        return tuple(out)


# Slip -----------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True, eq=False)
class SurfaceSlip:
    """Kernel of n slip speeds of bodies with one kind of support: D, the C_k and the p_k as scalar products."""

    support: Support
    products: tuple[ScalarProduct, ...]  # D, C1, C2, C3, p1, p2, p3

    @property
    def carriers(self) -> np.ndarray:
        return self.products[0].carriers

    @property
    def key(self) -> tuple[object, ...]:
        return (SurfaceSlip, self.support.name)

    def jet(self, at: Carriers) -> SurfaceSlipJet:
        return self.jet_of([product.jet(at) for product in self.products])

    def jet_of(self, products: Sequence[Any]) -> SurfaceSlipJet:
        """The jet by those of the scalar products: whatever has the same attributes, as far as they are asked for."""
        return SurfaceSlipJet(self.support, products)

    def take(self, index: np.ndarray) -> SurfaceSlip:
        return SurfaceSlip(self.support, tuple(product.take(index) for product in self.products))

    turns = every_carrier

    @staticmethod
    def concatenate(parts: list[SurfaceSlip]) -> SurfaceSlip:
        groups: Iterable[tuple[ScalarProduct, ...]] = zip(*(part.products for part in parts), strict=True)
        return SurfaceSlip(parts[0].support, tuple(ScalarProduct.concatenate(list(group)) for group in groups))


class SurfaceSlipJet:
    """The slip as a `rate` and its derivatives, by the product rule: rows over the C_k and p_k, columns over q."""

    def __init__(self, support: Support, products: Sequence[Any]) -> None:
        self._support, self._D, self._C, self._places = support, products[0], products[1:4], products[4:]
        self._p = stack([place.value for place in self._places], axis=-1)
        self._m1, self._m2 = support.derivatives(self._p, 2)[1:]

    @cached_property
    def _m3(self) -> np.ndarray:
        return self._support.derivatives(self._p, 3)[3]

    def _of(self, jets: Sequence[Any], what: str) -> np.ndarray:
        """(..., n, 3), or (..., n, 3, 6K) of what has columns."""
        parts = [getattr(jet, what) for jet in jets]
        return stack(parts, axis=-1 if what in ("rate", "acceleration") else -2)

    @cached_property
    def _C1(self) -> np.ndarray:
        return self._of(self._C, "rate")

    @cached_property
    def _p1(self) -> np.ndarray:
        return self._of(self._places, "rate")

    @cached_property
    def slopes(self) -> np.ndarray:
        """By the rates of the scalar products, (..., n, 7)."""
        ones = np.ones_like(self._m1[..., :1])
        return np.concatenate((ones, self._m1, np.zeros_like(self._m1)), axis=-1)

    @cached_property
    def rate(self) -> np.ndarray:
        return self._D.rate + dot(self._m1, self._C1)

    @cached_property
    def _turned(self) -> np.ndarray:
        """d(slip)/dp at fixed rates, m_kl C_k'."""
        return np.einsum("...kl,...k->...l", self._m2, self._C1)

    @cached_property
    def _moved(self) -> np.ndarray:
        """How the lowest point moves in the body, m_kl p_l'."""
        return np.einsum("...kl,...l->...k", self._m2, self._p1)

    @cached_property
    def acceleration(self) -> np.ndarray:
        C2 = self._of(self._C, "acceleration")
        return self._D.acceleration + dot(self._m1, C2) + dot(self._turned, self._p1)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._D.gradient + _rows(self._m1, self._of(self._C, "gradient"))

    @property
    def summands(self) -> np.ndarray:
        """What the gradient is the sum of, (..., n, 4, 6K)."""
        moved = self._m1[..., None] * self._of(self._C, "gradient")
        return np.concatenate((self._D.gradient[..., None, :] + 0 * moved[..., :1, :], moved), axis=-2)

    @cached_property
    def rate_q(self) -> np.ndarray:
        own = self._D.rate_q + _rows(self._m1, self._of(self._C, "rate_q"))
        return own + _rows(self._turned, self._of(self._places, "gradient"))

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        C2 = self._of(self._C, "acceleration")
        bent = np.einsum("...kl,...k->...l", self._m2, C2)
        bent = bent + np.einsum("...klm,...k,...l->...m", self._m3, self._C1, self._p1)
        return (
            self._D.acceleration_q
            + _rows(self._m1, self._of(self._C, "acceleration_q"))
            + _rows(self._moved, self._of(self._C, "rate_q"))
            + _rows(self._turned, self._of(self._places, "rate_q"))
            + _rows(bent, self._of(self._places, "gradient"))
        )

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        return (
            self._D.acceleration_u
            + _rows(self._m1, self._of(self._C, "acceleration_u"))
            + _rows(self._moved, self._of(self._C, "gradient"))
            + _rows(self._turned, self._of(self._places, "gradient"))
        )

    @cached_property
    def curvature(self) -> np.ndarray:
        """d(gradient^T)/dq."""
        own = np.einsum("...k,...kab->...ab", self._m1, stack([jet.curvature for jet in self._C], axis=-3))
        C, p = self._of(self._C, "gradient"), self._of(self._places, "gradient")
        return self._D.curvature + own + np.swapaxes(C, -1, -2) @ self._m2 @ p

    @cached_property
    def value(self) -> np.ndarray:
        """There is no position-level value; zero by convention."""
        return np.zeros(self.rate.shape)


def _rows(weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
    return (weights[..., None, :] @ rows)[..., 0, :]
