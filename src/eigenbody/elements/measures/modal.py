"""Modal coordinates of a body that is symmetric about the axis it turns about, as coordinates that do not turn with it.

eta are the modal coordinates, a the axis and w the angular velocity of the body in its own axes, G the generator of its
symmetry (structures/symmetry.py): G^3 = -G, since displacements and rotations on the axis turn as vectors do. Seen from
the ground they are zeta = T eta, T = exp(theta G) = I + sin(theta) G + (1 - cos(theta)) G^2, theta being the turn of
the body about a since the drawing (the twist of R), theta' = k . w with k = a where the axis points as drawn. With
c = G eta, D = d/dt + theta' G and b = k . dtheta (b' = k' . dtheta + k . (dw - w x dtheta), and so on):

    dS = T (d eta + c b),   dS' = T (D d eta + (D c) b + c b'),   dS'' = T (D^2 d eta + (D^2 c) b + 2 (D c) b' + c b'')
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.spatial.rotations import cross, dot, skew, unit

OVER = -0.999  # cosine of the tilt of an axis from which the turn about it is counted since the drawing tipped over


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
            np.concatenate([getattr(p, name) for p in parts], axis=-2) for name in ("axis", "own", "first", "second")
        )
        return GroundModal(np.concatenate([p.carriers for p in parts]), *rows)


class GroundModalJet:
    """Values and rows; see the formulas above."""

    def __init__(self, kernel: GroundModal, at: Carriers) -> None:
        self._k, self._at = kernel, at
        self._frame, self._modal = kernel.carriers[:, 0], kernel.carriers[:, 1:]

    @cached_property
    def _twist(self) -> _Twist:
        return _Twist(self._at.R[..., self._frame, :, :], self._w, self._alpha, self._k.axis)

    @cached_property
    def _powers(self) -> tuple[np.ndarray, ...]:
        """Rows of T, T G, T G^2 and T G^3."""
        k = self._k
        cosine, sine = self._twist.cosine[..., None], self._twist.sine[..., None]
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
        """theta' and theta'', (..., n)."""
        k, k1, _ = self._twist.gradients
        return dot(k, self._w), dot(k1, self._w) + dot(k, self._alpha)

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

    @cached_property
    def value(self) -> np.ndarray:
        return dot(self._powers[0], self._flat(self._at.r))

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
    def gradient(self) -> np.ndarray:
        c = dot(self._powers[1], self._flat(self._at.r))
        return self._rows(c[..., None] * self._twist.gradient, self._powers[0])

    @cached_property
    def rate_q(self) -> np.ndarray:
        c, Dc, _ = (part[..., None] for part in self._c)
        k, k1, _ = self._twist.gradients
        return self._rows(Dc * k + c * (k1 - cross(k, self._w)), self._spin[0][..., None] * self._powers[1])

    @cached_property
    def acceleration_q(self) -> np.ndarray:
        c, Dc, D2c = (part[..., None] for part in self._c)
        spin, more = (part[..., None] for part in self._spin)
        (k, k1, k2), w = self._twist.gradients, self._w
        across = cross(k, w)
        bent = k2 - 2 * cross(k1, w) - cross(k, self._alpha) + cross(across, w)
        return self._rows(
            D2c * k + 2 * Dc * (k1 - across) + c * bent, more * self._powers[1] + spin**2 * self._powers[2]
        )

    @cached_property
    def acceleration_u(self) -> np.ndarray:
        c, Dc, _ = (part[..., None] for part in self._c)
        k, k1, _ = self._twist.gradients
        turn = 2 * Dc * k + c * (2 * k1 - cross(k, self._w))
        return self._rows(turn, 2 * self._spin[0][..., None] * self._powers[1])


class _Twist:
    """Turn theta about an axis in rotations R: cosine and sine, and k with theta' = k . w, k' and k'' along the motion.

    y = sum R_ij [a]_ij and x = tr R - a.R a are proportional to sine and cosine, and linear in R; R' = R [w]. Both
    vanish where the axis is tipped over: near there the turn is counted since the drawing tipped over, half a turn
    about a direction across the axis.
    """

    def __init__(self, R: np.ndarray, w: np.ndarray, alpha: np.ndarray, axis: np.ndarray) -> None:
        over = _is_tipped_over(R, axis)
        self._R = np.where(over, _half_turn(axis) @ R, R) if over.any() else R
        self._w, self._alpha = w, alpha
        self._A = skew(axis)
        self._B = np.eye(3) - axis[..., :, None] * axis[..., None, :]
        x, y = self._sums(self._R)
        self._size = np.sqrt(x**2 + y**2)
        self.cosine, self.sine = (x / self._size)[..., 0], (y / self._size)[..., 0]

    def _sums(self, one: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x and y of R or of one of its derivatives, (..., n, 1)."""
        y = np.sum(one * self._A, axis=(-2, -1))[..., None]
        return np.einsum("...ij,...ji->...", one, self._B)[..., None], y

    def _pulls(self, one: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """u and v of R or of one of its derivatives, (..., n, 3)."""
        return _axial(np.swapaxes(one, -1, -2) @ self._A), _axial(self._B @ one)

    @cached_property
    def gradient(self) -> np.ndarray:
        """k alone."""
        (x, y), (u, v) = self._sums(self._R), self._pulls(self._R)
        return (x * u + y * v) / self._size**2

    @cached_property
    def gradients(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """k = (x u + y v) / (x^2 + y^2) with y' = u . w and x' = -v . w; its first and second derivative."""
        R, w = self._R, skew(self._w)
        rates = (R, R @ w, R @ (w @ w + skew(self._alpha)))
        x, y = zip(*map(self._sums, rates), strict=True)
        u, v = zip(*map(self._pulls, rates), strict=True)
        top, square = (
            (
                p[0] * a[0] + q[0] * b[0],
                p[1] * a[0] + p[0] * a[1] + q[1] * b[0] + q[0] * b[1],
                p[2] * a[0] + 2 * p[1] * a[1] + p[0] * a[2] + q[2] * b[0] + 2 * q[1] * b[1] + q[0] * b[2],
            )
            for p, a, q, b in ((x, u, y, v), (x, x, y, y))
        )
        k = top[0] / self._size**2
        k1 = (top[1] - square[1] * k) / self._size**2
        return k, k1, (top[2] - square[2] * k - 2 * square[1] * k1) / self._size**2


def _is_tipped_over(R: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """Whether the axis points against its direction in the drawing, nearly, (..., 1, 1)."""
    return (np.real(np.einsum("...i,...ij,...j->...", axis, R, axis)) < OVER)[..., None, None]


def _half_turn(axis: np.ndarray) -> np.ndarray:
    """Rotation by pi about a direction across the axis, (..., 3, 3)."""
    least = np.eye(3)[np.argmin(np.abs(np.real(axis)), axis=-1)]
    across = unit(cross(axis, least))
    return 2 * across[..., :, None] * across[..., None, :] - np.eye(3)


def _axial(X: np.ndarray) -> np.ndarray:
    """(X32 - X23, X13 - X31, X21 - X12), (..., 3, 3) -> (..., 3)."""
    return np.stack((X[..., 2, 1] - X[..., 1, 2], X[..., 0, 2] - X[..., 2, 0], X[..., 1, 0] - X[..., 0, 1]), axis=-1)
