"""Modal coordinates of a body that is symmetric about the axis it turns about, as variations that do not turn with it.

eta are the modal coordinates, a the axis and w the angular velocity of the body in its own axes, G the generator of its
symmetry (structures/symmetry.py): G^3 = -G, since displacements and rotations on the axis turn as vectors do. Seen from
the ground they are zeta = T eta, T = exp(theta G) = I + sin(theta) G + (1 - cos(theta)) G^2, theta being the turn of the
body about a since the drawing, theta' = a . w. With c = G eta, D = d/dt + (a . w) G, and b = a . dtheta,
b' = a . (dw - w x dtheta):

    dS = T (d eta + c b),   dS' = T (D d eta + (D c) b + c b'),   dS'' = T (D^2 d eta + (D^2 c) b + 2 (D c) b' + c b'')
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.spatial.rotations import cross, dot, skew


@dataclass(frozen=True, slots=True, eq=False)
class GroundModal:
    """Kernel of n modal coordinates on the carriers (n, K): the frame of the body, then those of its modal coordinates.

    own, first, second (..., n, 3 (K - 1)) are the rows of I, G and G^2; axis (..., n, 3).
    """

    carriers: np.ndarray
    axis: np.ndarray
    own: np.ndarray
    first: np.ndarray
    second: np.ndarray

    @property
    def key(self) -> tuple[object, ...]:
        return (GroundModal, self.carriers.shape[-1])

    def jet(self, at: Carriers) -> GroundModalJet:
        return GroundModalJet(self, at)

    def take(self, index: np.ndarray) -> GroundModal:
        rows = (a[..., index, :] for a in (self.axis, self.own, self.first, self.second))
        return GroundModal(self.carriers[index], *rows)

    def turns(self) -> np.ndarray:
        """(n, K) bool: the frame's rotation matters, carriers of modal coordinates do not turn."""
        out = np.zeros(self.carriers.shape, dtype=bool)
        out[:, 0] = True
        return out

    @staticmethod
    def concatenate(parts: list[GroundModal]) -> GroundModal:
        rows = (
            np.concatenate([getattr(p, name) for p in parts], axis=-2)
            for name in ("axis", "own", "first", "second")
        )
        return GroundModal(np.concatenate([p.carriers for p in parts]), *rows)


class GroundModalJet:
    """Values and rows; see the formulas above."""

    def __init__(self, kernel: GroundModal, at: Carriers) -> None:
        self._k, self._at = kernel, at
        self._frame, self._modal = kernel.carriers[:, 0], kernel.carriers[:, 1:]

    @cached_property
    def _powers(self) -> tuple[np.ndarray, ...]:
        """Rows of T, T G, T G^2 and T G^3."""
        k = self._k
        cosine, sine = (part[..., None] for part in _turn_about(np.real(self._at.R[..., self._frame, :, :]), k.axis))
        first = cosine * k.first + sine * k.second
        second = cosine * k.second - sine * k.first
        return k.own + sine * k.first + (1 - cosine) * k.second, first, second, -first

    def _flat(self, values: np.ndarray) -> np.ndarray:
        """Of the carriers of modal coordinates, (..., n, 3 (K - 1))."""
        taken = values[..., self._modal, :]
        return taken.reshape(*taken.shape[:-2], -1)

    @cached_property
    def _eta(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self._flat(self._at.r), self._flat(self._at.v), self._flat(self._at.a)

    @cached_property
    def _w(self) -> np.ndarray:
        return self._at.w[..., self._frame, :]

    @cached_property
    def _alpha(self) -> np.ndarray:
        return self._at.alpha[..., self._frame, :]

    @cached_property
    def _spin(self) -> tuple[np.ndarray, np.ndarray]:
        """a . w and a . w', (..., n)."""
        return dot(self._k.axis, self._w), dot(self._k.axis, self._alpha)

    def _along(self, first: np.ndarray, second: np.ndarray, third: np.ndarray) -> tuple[np.ndarray, ...]:
        """A row times eta, and its first two derivatives by D; the rows are those of one power of G and the next."""
        (eta, rate, gain), (spin, more) = self._eta, self._spin
        turned = dot(second, eta)
        return (
            dot(first, eta),
            dot(first, rate) + spin * turned,
            dot(first, gain) + 2 * spin * dot(second, rate) + more * turned + spin**2 * dot(third, eta),
        )

    @cached_property
    def _zeta(self) -> tuple[np.ndarray, ...]:
        return self._along(*self._powers[:3])

    @cached_property
    def _c(self) -> tuple[np.ndarray, ...]:
        return self._along(*self._powers[1:])

    @property
    def value(self) -> np.ndarray:
        return self._zeta[0]

    @property
    def rate(self) -> np.ndarray:
        return self._zeta[1]

    @property
    def acceleration(self) -> np.ndarray:
        return self._zeta[2]

    def _rows(self, turn: np.ndarray, modal: np.ndarray) -> np.ndarray:
        """Columns (dr, dtheta) of the frame, then of the carriers of modal coordinates, (..., n, 6 K)."""
        lead = np.broadcast_shapes(turn.shape[:-1], modal.shape[:-1])
        count = modal.shape[-1] // 3
        out = np.zeros((*lead, 1 + count, 6), dtype=np.result_type(turn, modal))
        out[..., 0, 3:] = turn
        out[..., 1:, :3] = np.broadcast_to(modal, (*lead, modal.shape[-1])).reshape(*lead, count, 3)
        return out.reshape(*lead, -1)

    @cached_property
    def _across(self) -> np.ndarray:
        """a x w."""
        return cross(self._k.axis, self._w)

    @cached_property
    def gradient(self) -> np.ndarray:
        return self._rows(self._c[0][..., None] * self._k.axis, self._powers[0])

    @cached_property
    def rate_q(self) -> np.ndarray:
        c, Dc, _ = (part[..., None] for part in self._c)
        return self._rows(Dc * self._k.axis - c * self._across, self._spin[0][..., None] * self._powers[1])

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        c, Dc, D2c = (part[..., None] for part in self._c)
        spin, more = (part[..., None] for part in self._spin)
        bent = cross(self._across, self._w) - cross(self._k.axis, self._alpha)
        return self._rows(
            D2c * self._k.axis - 2 * Dc * self._across + c * bent,
            more * self._powers[1] + spin**2 * self._powers[2],
        )

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        c, Dc, _ = (part[..., None] for part in self._c)
        return self._rows(2 * Dc * self._k.axis - c * self._across, 2 * self._spin[0][..., None] * self._powers[1])


def _turn_about(R: np.ndarray, axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cosine and sine of the turn about the axis in a rotation R (its twist), (..., n)."""
    a = np.real(axis)
    across = np.sum(R * skew(a), axis=(-2, -1))  # sum of R_ij [a]_ij: 2 sin(theta) where R turns about a alone
    trace = R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2] - np.einsum("...i,...ij,...j->...", a, R, a)
    size = np.hypot(across, trace)
    safe = np.where(size > 0, size, 1.0)
    return np.where(size > 0, trace / safe, 1.0), across / safe
