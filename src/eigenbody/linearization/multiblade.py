"""Multi-blade coordinates: blades that are equal, counted in patterns that stand still in the fixed frame.

Turning a rotor of N equal blades on by 2 pi / N maps it onto itself. On its coordinates S that is a matrix Gamma with
eigenvalues exp(2 pi i n / N): n = 0 all blades alike (collective), n = 1 and -1 patterns once round the rotor, that
whirl with the spin and against it, and so on, N / 2 for even N blades that go alternately. A pattern that stands still
in the fixed frame turns backward on the rotor, at n times its rate, so that with phi' = rate

    S = exp(phi F) Z,    F = -i n on the patterns of order n (0 on those of order N / 2)

which for blades b = 1 ... N is the transform of Coleman: Z_b = a0 + a1c cos psi_b + a1s sin psi_b + ... The equations
in Z follow at the instant phi = 0, where Z = S and only rates differ:

    M Z'' + (C + 2 rate M F) Z' + (K + rate C F + rate^2 M F^2) Z = 0

Coordinates that are not of the rotor, or are seen from the ground already, have no part in F.
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
    """

    joint: str
    count: int
    bodies: tuple[tuple[str, ...], ...]
    rate: float
    axis: np.ndarray
    at: np.ndarray
    symmetry: np.ndarray
    generator: np.ndarray

    @property
    def orders(self) -> range:
        """Orders n of the patterns, -(N - 1) // 2 to N // 2."""
        return range(-((self.count - 1) // 2), self.count // 2 + 1)

    def pattern(self, order: int) -> np.ndarray:
        """Projector (S, S), complex, on the patterns of an order: 1/N sum exp(-2 pi i n k / N) Gamma^k."""
        return _projector(self.symmetry, self.count, order)


def pattern_generator(symmetry: np.ndarray, count: int) -> np.ndarray:
    """F (S, S), real, of a symmetry Gamma whose N-th power is one where it is not zero."""
    out = np.zeros_like(symmetry)
    for order in range(1, (count - 1) // 2 + 1):
        out += 2 * order * _projector(symmetry, count, order).imag  # -i n (Pi - conj Pi)
    return out


def _projector(symmetry: np.ndarray, count: int, order: int) -> np.ndarray:
    power = np.linalg.matrix_power(symmetry, count)  # one on the coordinates of the rotor, zero elsewhere
    out = np.zeros(symmetry.shape, dtype=complex)
    for k in range(count):
        out += np.exp(-2j * np.pi * order * k / count) * power / count
        power = power @ symmetry
    return out


def in_fixed_frame(A: np.ndarray, generator: np.ndarray, rate: float, phase: float = 0.0) -> np.ndarray:
    """A of x' = A x over [S, S', x] in [Z, Z', x] when the rotor has turned by `phase`."""
    from scipy.linalg import expm

    n, rest = len(generator), len(A) - 2 * len(generator)
    T, F = expm(phase * generator), rate * generator
    zero = np.zeros((n, n))
    X, back, turn = np.eye(len(A)), np.eye(len(A)), np.zeros((len(A), len(A)))
    X[: 2 * n, : 2 * n] = np.block([[T, zero], [T @ F, T]])
    inverse = expm(-phase * generator)
    back[: 2 * n, : 2 * n] = np.block([[inverse, zero], [-F @ inverse, inverse]])
    turn[: 2 * n, : 2 * n] = np.block([[T @ F, zero], [T @ F @ F, T @ F]])
    assert rest >= 0
    return back @ (A @ X - turn)


def in_multiblade(linear: LinearModel, blades: MultiBlade) -> LinearModel:
    """The linear model in multi-blade coordinates, which have the names of the coordinates that they are at this
    instant. Inputs and outputs on the rotor are those of the instant too."""
    form, n = linear.dense, len(linear.coordinates)
    F, size = blades.rate * blades.generator, abs(blades.rate) * np.abs(blades.generator)
    M, C = np.abs(form.M), np.abs(form.C)
    A, B, outputs, D = form.state_space
    into = np.eye(len(A))
    into[n : 2 * n, :n] = F
    back = np.eye(len(A))
    back[n : 2 * n, :n] = -F
    space = StateSpace(in_fixed_frame(A, blades.generator, blades.rate), back @ B, outputs @ into, D)
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
        source=KnownStateSpace(space),
    )
    note = (
        f"{blades.count} equal blades on {blades.joint}: multi-blade coordinates (collective, whirling with the spin"
        " and against it) make the equations constant; eigenvalues are those seen from the fixed frame."
    )
    others = (one for one in linear.notes if not one.startswith(MOVES))
    point = replace(linear.point, is_steady=True)
    return replace(linear, point=point, form=turned, notes=(note, *others), blades=blades)
