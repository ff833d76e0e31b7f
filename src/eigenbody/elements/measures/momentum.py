"""Angular momentum of a set of bodies along an axis, as a speed: linear in the velocities, without a position.

    sigma = e.H      H = sum_i R_i I_i w_i + m_i (r_i - o) x v_i
    sigma' = e'.H + e.H'      H' = sum_i R_i (I_i w_i' + w_i x I_i w_i) + m_i (r_i - o) x v_i'

about the centre of mass of the set, o = sum m_i r_i / sum m_i, or about a point o at rest; e is fixed in a carrier. H'
is right for both: the velocity of the centre of mass is parallel to the momentum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers, every_carrier
from eigenbody.spatial.rotations import apply, apply_transposed, cross, dot, skew


@dataclass(frozen=True, slots=True, eq=False)
class AngularMomentum:
    """Kernel of one such measure: the bodies are the first of the carriers (1, K), the axis f (..., 3) is fixed in the
    one at the column `own`; `at` (..., 3) is a point at rest, None for the centre of mass."""

    carriers: np.ndarray
    mass: np.ndarray  # (..., bodies)
    inertia: np.ndarray  # (..., bodies, 3, 3)
    f: np.ndarray
    own: int
    at: np.ndarray | None

    @property
    def key(self) -> tuple[object, ...]:
        return (AngularMomentum, self)

    def jet(self, at: Carriers) -> AngularMomentumJet:
        return AngularMomentumJet(self, at)

    def take(self, index: np.ndarray) -> AngularMomentum:
        assert len(index) == 1, "a set of bodies cannot be split"
        return self

    turns = every_carrier

    @staticmethod
    def concatenate(parts: list[AngularMomentum]) -> AngularMomentum:
        if len(parts) > 1:
            raise TypeError("sets of bodies are not joined")
        return parts[0]


class AngularMomentumJet:
    """The angular momentum as a `rate` and its derivatives: arrays (..., 1) and (..., 1, 6K)."""

    def __init__(self, kernel: AngularMomentum, at: Carriers) -> None:
        every, self._count = kernel.carriers[0], kernel.mass.shape[-1]
        i, o = every[: self._count], every[kernel.own]
        self._kernel, self._width = kernel, len(every)
        self._m, self._I = kernel.mass[..., None], kernel.inertia
        self._R, self._w, self._alpha = at.R[..., i, :, :], at.w[..., i, :], at.alpha[..., i, :]
        whole = kernel.mass.sum(axis=-1)[..., None]
        means = [(self._m * x[..., i, :]).sum(axis=-2) / whole for x in (at.r, at.v, at.a)]
        fixed = kernel.at is not None
        centre = kernel.at if kernel.at is not None else means[0]
        self._share = np.zeros_like(self._m) if fixed else self._m / whole[..., None]  # of the place of o
        self._r = at.r[..., i, :] - centre[..., None, :]
        self._v = at.v[..., i, :] - (0.0 if fixed else means[1][..., None, :])
        self._a = at.a[..., i, :] - (0.0 if fixed else means[2][..., None, :])
        self._v_whole, self._a_whole = at.v[..., i, :], at.a[..., i, :]
        self._Ro, self._f1 = at.R[..., o, :, :], cross(at.w[..., o, :], kernel.f)
        self._e, self._e1 = apply(self._Ro, kernel.f), apply(self._Ro, self._f1)

    # Vectors ----------------------------------------------------------------------------------------------------------
    @cached_property
    def _spin(self) -> np.ndarray:
        """I w (..., bodies, 3), body axes."""
        return apply(self._I, self._w)

    @cached_property
    def _spin1(self) -> np.ndarray:
        return apply(self._I, self._alpha) + cross(self._w, self._spin)

    @cached_property
    def _H(self) -> np.ndarray:
        return (apply(self._R, self._spin) + self._m * cross(self._r, self._v_whole)).sum(axis=-2)

    @cached_property
    def _H1(self) -> np.ndarray:
        return (apply(self._R, self._spin1) + self._m * cross(self._r, self._a_whole)).sum(axis=-2)

    # Rows by bodies, and by the carrier of e
    def _by_place(self, e: np.ndarray, v: np.ndarray, spin: np.ndarray) -> np.ndarray:
        """e.dH/dq (..., bodies, 6) for H = sum R spin + m r x v: e.(dr x v) = dr.(v x e), e.(R [dtheta] s)."""
        e = e[..., None, :]
        return _six(self._m * cross(v, e), cross(spin, apply_transposed(self._R, e)))

    def _by_speed(self, e: np.ndarray) -> np.ndarray:
        """e.dH/du."""
        e = e[..., None, :]
        return _six(self._m * cross(e, self._r), apply(self._I, apply_transposed(self._R, e)))

    def _rows(self, of_bodies: np.ndarray, of_axis: np.ndarray | None = None) -> np.ndarray:
        own = np.zeros(3) if of_axis is None else of_axis
        lead = np.broadcast_shapes(of_bodies.shape[:-2], own.shape[:-1])
        out = np.zeros((*lead, self._width, 6), dtype=np.result_type(of_bodies, own))
        out[..., : self._count, :] = of_bodies
        out[..., self._kernel.own, 3:] += own
        return out.reshape(*lead, 1, 6 * self._width)

    def _axis(self, f: np.ndarray, x: np.ndarray) -> np.ndarray:
        """d(R_o f).x by dtheta_o: f x R_o^T x."""
        return cross(f, apply_transposed(self._Ro, x))

    @cached_property
    def rate(self) -> np.ndarray:
        return dot(self._e, self._H)[..., None]

    @cached_property
    def acceleration(self) -> np.ndarray:
        return (dot(self._e1, self._H) + dot(self._e, self._H1))[..., None]

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._rows(self._by_speed(self._e))

    @cached_property
    def rate_q(self) -> np.ndarray:
        own = self._axis(self._kernel.f, self._H)
        return self._rows(self._by_place(self._e, self._v, self._spin), own)

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        own = self._axis(self._f1, self._H) + self._axis(self._kernel.f, self._H1)
        bodies = self._by_place(self._e1, self._v, self._spin) + self._by_place(self._e, self._a, self._spin1)
        return self._rows(bodies, own)

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        """H' has w x I w in it; e' has the angular velocity of its carrier."""
        b = apply_transposed(self._R, self._e[..., None, :])
        turned = cross(self._spin, b) + apply(self._I, cross(b, self._w))  # e.(dw x I w + w x I dw)
        bodies = self._by_speed(self._e1) + _six(np.zeros_like(turned), turned)
        return self._rows(bodies, self._axis(self._kernel.f, self._H))

    @cached_property
    def curvature(self) -> np.ndarray:
        """d(gradient^T)/dq: of m e x (r - o) and of I R^T e."""
        n, own = self._count, self._kernel.own
        e = self._e[..., None, :]
        across, b = skew(self._e), apply_transposed(self._R, e)
        lead = np.broadcast_shapes(self._m.shape[:-2], self._r.shape[:-2], e.shape[:-2], self._I.shape[:-3])
        H = np.zeros((*lead, self._width, 6, self._width, 6), dtype=np.result_type(self._m, self._r, e, self._I))
        for k in range(n):
            H[..., k, :3, k, :3] += self._m[..., k, :, None] * across
            for j in range(n):
                both = self._m[..., k, :, None] * self._share[..., j, :, None]
                H[..., k, :3, j, :3] -= both * across
            H[..., k, 3:, k, 3:] += self._I[..., k, :, :] @ skew(b[..., k, :])
            turned = -(self._Ro @ skew(self._kernel.f))  # de by dtheta_o
            H[..., k, :3, own, 3:] -= self._m[..., k, :, None] * (skew(self._r[..., k, :]) @ turned)
            H[..., k, 3:, own, 3:] += self._I[..., k, :, :] @ np.swapaxes(self._R[..., k, :, :], -1, -2) @ turned
        return H.reshape(*lead, 1, 6 * self._width, 6 * self._width)

    @cached_property
    def value(self) -> np.ndarray:
        """There is no position-level value; zero by convention."""
        return np.zeros(self.rate.shape)


def _six(move: np.ndarray, turn: np.ndarray) -> np.ndarray:
    return np.concatenate(np.broadcast_arrays(move, turn), axis=-1)
