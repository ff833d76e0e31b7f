"""Multi-blade coordinates: blades that are equal, counted in patterns that stand still in the fixed frame.

Turning a rotor of N equal blades on by 2 pi / N maps it onto itself. On its coordinates S that is a matrix Gamma with
eigenvalues exp(2 pi i n / N): n = 0 all blades alike (collective), n = 1 and -1 patterns once round the rotor, that
whirl with the spin and against it, and so on, N / 2 for even N blades that go alternately. A pattern that stands still
in the fixed frame turns backward on the rotor, at n times its rate, so that with phi' = rate

    S = exp(phi F) Z,    F = -i n on the patterns of order n (0 on those of order N / 2)

which for blades b = 1 ... N is the transform of Coleman: Z_b = a0 + a1c cos psi_b + a1s sin psi_b + ... The equations
in Z follow at the instant phi = 0, where Z = S and only rates differ:

    M Z'' + (C + 2 rate M F) Z' + (K + rate C F + rate^2 M F^2) Z = 0

Coordinates that are not of the rotor, or are seen from the ground already, have no part in F. First-order states of
the blades x = exp(phi Fx) xi are counted in the same way. An input or output is constant in these coordinates where it
belongs to the fixed frame: a force on the tower, the mean of all blades; a force on one blade is not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.copies import Known
from eigenbody.linearization.forms import KnownStateSpace, StateSpace
from eigenbody.linearization.model import LinearModel
from eigenbody.numerics.matrices.noise import EPS

ROUNDED = 8  # units in the last place of a sum of a few products
MOVES = "The mechanism moves:"  # begin of the note that does not hold in the fixed frame


@dataclass(frozen=True, eq=False)
class MultiBlade:
    """Equal blades on one hub, and the coordinates that count their patterns in the fixed frame.

    joint      that turns the rotor
    count      N, how many times the rotor maps onto itself in one turn
    bodies     names of the bodies that take each other's places, N in each group, in the order of their azimuths
    rate       of turning, rad/s; axis (3,) its direction, at (3,) a point of it
    symmetry   Gamma (S, S): what the coordinates become when the rotor turns on by 2 pi / N; zero on those not of it
    generator  F (S, S)
    states     Fx (x, x), the same of first-order states
    fixed_inputs, fixed_outputs   bool of each: whether it is constant in multi-blade coordinates
    """

    joint: str
    count: int
    bodies: tuple[tuple[str, ...], ...]
    rate: float
    axis: np.ndarray
    at: np.ndarray
    symmetry: np.ndarray
    generator: np.ndarray
    states: np.ndarray
    fixed_inputs: tuple[bool, ...] = ()
    fixed_outputs: tuple[bool, ...] = ()

    @property
    def chart(self) -> Chart:
        """The coordinates."""
        return Chart(self.generator, self.states, self.rate)

    @property
    def orders(self) -> range:
        """Orders n of the patterns, -(N - 1) // 2 to N // 2."""
        return range(-((self.count - 1) // 2), self.count // 2 + 1)

    def pattern(self, order: int) -> np.ndarray:
        """Projector (S, S), complex, on the patterns of an order: 1/N sum exp(-2 pi i n k / N) Gamma^k."""
        return _projector(self.symmetry, self.count, order)


def pattern_generator(symmetry: np.ndarray, count: int) -> np.ndarray:
    """F (S, S), real, of a symmetry Gamma whose N-th power is one where it is not zero; complex steps pass through."""
    out, power = np.zeros_like(symmetry), symmetry
    orders = np.arange(1, (count - 1) // 2 + 1)
    for k in range(1, count):
        out = out - 2 / count * float(orders @ np.sin(2 * np.pi * orders * k / count)) * power  # 2 n Im Pi_n
        power = power @ symmetry
    return out


def _projector(symmetry: np.ndarray, count: int, order: int) -> np.ndarray:
    power = np.linalg.matrix_power(symmetry, count)  # one on the coordinates of the rotor, zero elsewhere
    out = np.zeros(symmetry.shape, dtype=complex)
    for k in range(count):
        out += np.exp(-2j * np.pi * order * k / count) * power / count
        power = power @ symmetry
    return out


@dataclass(frozen=True, eq=False)
class Chart:
    """[S, S', x] = X(phi) [Z, Z', xi] with S = exp(phi F) Z, x = exp(phi Fx) xi and phi' = rate.

    F (S, S), Fx (x, x); the rate (rad/s) may be complex and have leading axes, as the equations that are charted."""

    F: np.ndarray
    Fx: np.ndarray
    rate: float | np.ndarray

    @property
    def G(self) -> np.ndarray:
        """rate F (..., S, S)."""
        return np.asarray(self.rate)[..., None, None] * self.F

    @property
    def Gx(self) -> np.ndarray:
        """rate Fx (..., x, x)."""
        return np.asarray(self.rate)[..., None, None] * self.Fx

    def into(self, phase: float = 0.0) -> np.ndarray:
        """X (..., states, states)."""
        T, Tx = _exponential(phase, self.F), _exponential(phase, self.Fx)
        return _blocks(T, T @ self.G, Tx)

    def back(self, phase: float = 0.0) -> np.ndarray:
        """X^-1."""
        T, Tx = _exponential(-phase, self.F), _exponential(-phase, self.Fx)
        return _blocks(T, -self.G @ T, Tx)

    def into_rate(self, phase: float = 0.0) -> np.ndarray:
        """X'."""
        T, Tx = _exponential(phase, self.F), _exponential(phase, self.Fx)
        return _blocks(T @ self.G, T @ self.G @ self.G, Tx @ self.Gx)

    def space(self, there: StateSpace, phase: float = 0.0) -> StateSpace:
        """A, B, C, D over [S, S', x] in [Z, Z', xi] when the rotor has turned by `phase`."""
        X, back = self.into(phase), self.back(phase)
        return StateSpace(back @ (there.A @ X - self.into_rate(phase)), back @ there.B, there.C @ X, there.D)


def _blocks(T: np.ndarray, below: np.ndarray, Tx: np.ndarray) -> np.ndarray:
    n, m = T.shape[-1], Tx.shape[-1]
    lead = np.broadcast_shapes(T.shape[:-2], below.shape[:-2], Tx.shape[:-2])
    out = np.zeros((*lead, 2 * n + m, 2 * n + m), dtype=np.result_type(T, below, Tx))
    out[..., :n, :n] = out[..., n : 2 * n, n : 2 * n] = T
    out[..., n : 2 * n, :n] = below
    out[..., 2 * n :, 2 * n :] = Tx
    return out


def _exponential(phase: float, F: np.ndarray) -> np.ndarray:
    if not phase:
        return np.eye(len(F))
    from scipy.linalg import expm

    return np.asarray(expm(phase * F))


def in_multiblade(linear: LinearModel, blades: MultiBlade) -> LinearModel:
    """The linear model in multi-blade coordinates, which have the names of the coordinates that they are at this
    instant. Inputs and outputs that are not `fixed` are those of the instant too."""
    form = linear.dense
    F, size = blades.rate * blades.generator, abs(blades.rate) * np.abs(blades.generator)
    M, C = np.abs(form.M), np.abs(form.C)
    turned = replace(
        form,
        C=form.C + 2 * form.M @ F,
        K=form.K + form.C @ F + form.M @ F @ F,
        noise=Known(
            form.noise()._replace(
                C=form.noise_C + ROUNDED * EPS * 2 * M @ size,
                K=form.noise_K + form.noise_C @ size + ROUNDED * EPS * (C @ size + M @ size @ size),
            )
        ),
        drag=form.drag + form.Pv @ F,
        source=KnownStateSpace(blades.chart.space(form.state_space)),
    )
    note = (
        f"{blades.count} equal blades on {blades.joint}: multi-blade coordinates (collective, whirling with the spin"
        " and against it) make the equations constant; eigenvalues are those seen from the fixed frame."
    )
    others = (one for one in linear.notes if not one.startswith(MOVES))
    point = replace(linear.point, is_steady=True)
    return replace(linear, point=point, form=turned, notes=(note, *others), blades=blades)
