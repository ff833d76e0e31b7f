"""What designs are judged by: frequencies, damping, response peaks, RMS values, mass; each with exact derivatives.

A quantity may have several parts (the frequencies of several modes, the local peaks of a response). It is bounded by
bounding every part, minimized by lowering the highest and maximized by raising the lowest part, so that an optimum at
which several parts are equal is found as such.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eigenbody.analyses.design.designs import Design
from eigenbody.analyses.frequency import DenseEquations, Poles
from eigenbody.analyses.modes import damping_ratios, frequencies_hz
from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.noise import noise_of
from eigenbody.numerics.signals.peaks import local_maxima, refine_minima

TWO_PI = 2 * np.pi
GRID = 300  # frequencies of a band among which peaks are looked for
BARELY_DAMPED = 1e-9  # damping ratio below which rounding may have made it
SPARE_PEAKS = 2
NEARLY = 0.05  # relative distance of modes that may turn into each other within a step


class Parts(NamedTuple):
    """Values (m,) of a quantity at a design, and slopes (m, P) by the variables where asked for."""

    values: np.ndarray
    slopes: np.ndarray | None


class Quantity(ABC):
    """A number, or several, that a design has."""

    label: str
    unit: str
    logarithmic: bool = False  # positive, over many orders of magnitude

    @abstractmethod
    def parts(self, design: Design, places: dict[int, int], slopes: bool = False) -> Parts:
        """Values, and slopes where asked for; `places` says where the followed modes stand."""

    def mixed(self, design: Design, places: dict[int, int]) -> Parts:
        """The same for combinations of nearly repeated modes, whose shapes turn into each other with the design."""
        return Parts(np.zeros(0), np.zeros((0, len(design.x))))

    def wanted_modes(self) -> tuple[int, ...]:
        """Modes of the first design to follow."""
        return ()

    @property
    def ports(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Inputs and outputs that it needs."""
        return (), ()

    def worst(self, values: np.ndarray, highest: bool) -> float:
        """The part that counts."""
        return float(values.max() if highest else values.min())


# Modes ----------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Modal(Quantity):
    """Frequency (Hz), damping ratio or real part of modes.

    `numbers` are modes of the first design, followed by their shapes; without them `order` is the place among all
    modes sorted by frequency, whichever mode stands there; without either all modes count, or those between `band`.
    """

    kind: str
    label: str
    numbers: tuple[int, ...] = ()
    order: int | None = None
    count: int = 0  # of parts where all modes count: as many as there can be

    @property
    def unit(self) -> str:  # type: ignore[override]
        return {"frequency": "Hz", "damping_ratio": "", "real_part": "1/s"}[self.kind]

    def wanted_modes(self) -> tuple[int, ...]:
        return self.numbers

    def parts(self, design: Design, places: dict[int, int], slopes: bool = False) -> Parts:
        at = self._at(design, places)
        value = design.eigenvalues[at]
        values = modal_value(self.kind, value)
        if not slopes:
            return Parts(values, None)
        return Parts(values, modal_slope(self.kind, value, design.eigenvalue_slopes[:, at]).T)

    def mixed(self, design: Design, places: dict[int, int]) -> Parts:
        at = self._at(design, places)
        value, slope = combinations(design, np.unique(at))
        return Parts(modal_value(self.kind, value), modal_slope(self.kind, value, slope).T)

    def _at(self, design: Design, places: dict[int, int]) -> np.ndarray:
        if self.numbers:
            return np.array([places[i] for i in self.numbers], dtype=int)
        have = len(design.eigenvalues)
        if self.order is not None:
            return np.array([min(self.order, have - 1)])
        return np.minimum(np.arange(self.count), have - 1)  # spare ones repeat the last


def combinations(design: Design, among: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalue (m,) and slopes (P, m) along the sums of the shapes of each two modes that are nearly repeated.

    The smallest and the largest eigenvalue of a matrix bound its products with all unit vectors, not those with the
    eigenvectors of this design alone.
    """
    values = design.eigenvalues[among]
    near = np.abs(values[:, None] - values[None, :]) < NEARLY * np.abs(values[:, None])
    pairs = [(i, j) for i, j in np.argwhere(near) if i < j]
    if not pairs:
        return np.zeros(0, dtype=complex), np.zeros((len(design.x), 0))
    first, second = (among[[pair[k] for pair in pairs]] for k in (0, 1))
    size = np.sqrt(np.linalg.norm(design.left, axis=0) / np.linalg.norm(design.right, axis=0))
    left, right = design.left / size, design.right * size
    turns = np.repeat([1.0, -1.0, 1j, -1j], len(pairs))
    i, j = np.tile(first, 4), np.tile(second, 4)
    ahead, behind = right[:, i] + turns * right[:, j], left[:, i] + turns * left[:, j]
    slope = 0.5 * np.einsum("sn,pst,tn->pn", behind.conj(), design.slopes.A, ahead, optimize=True)
    return 0.5 * (design.eigenvalues[i] + design.eigenvalues[j]), slope


def modal_value(kind: str, value: np.ndarray) -> np.ndarray:
    """Frequency in Hz, damping ratio or real part of eigenvalues."""
    if kind == "frequency":
        return frequencies_hz(value)
    return damping_ratios(value) if kind == "damping_ratio" else value.real


def modal_slope(kind: str, value: np.ndarray, slope: np.ndarray) -> np.ndarray:
    """Derivative of it from that of the eigenvalue."""
    size = np.abs(value)
    growth = (value.conj() * slope).real / size
    if kind == "frequency":
        return growth / TWO_PI
    return -slope.real / size + value.real * growth / size**2 if kind == "damping_ratio" else slope.real


@dataclass(frozen=True)
class Outside(Quantity):
    """How far (Hz) each mode is outside of a band of frequencies; positive outside.

    As many modes as now have lower frequencies than the middle of the band stay below it, the others above; the
    frequencies are taken in their order, so that modes may pass each other.
    """

    low: float
    high: float
    below: int
    count: int
    label: str
    unit: str = "Hz"

    def parts(self, design: Design, places: dict[int, int], slopes: bool = False) -> Parts:
        at = np.minimum(np.arange(self.count), len(design.eigenvalues) - 1)
        hz = design.frequency_hz[at]
        sign = np.where(np.arange(self.count) < self.below, -1.0, 1.0)
        values = np.where(sign < 0, self.low - hz, hz - self.high)
        if not slopes:
            return Parts(values, None)
        rise = modal_slope("frequency", design.eigenvalues[at], design.eigenvalue_slopes[:, at]).T
        return Parts(values, sign[:, None] * rise)


# Frequency response ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ResponseValue(Quantity):
    """|output / input| at one frequency."""

    input: str
    output: str
    frequency_hz: float
    label: str
    unit: str = ""
    logarithmic = True

    @property
    def ports(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (self.input,), (self.output,)

    def parts(self, design: Design, places: dict[int, int], slopes: bool = False) -> Parts:
        return _magnitudes(design, self.input, self.output, np.array([TWO_PI * self.frequency_hz]), slopes)


@dataclass(frozen=True)
class ResponsePeak(Quantity):
    """The local maxima of |output / input| between two frequencies, the ends of the band included.

    There are always `count` parts, ordered by frequency as far as there are so many peaks; spare ones repeat the
    highest.
    """

    input: str
    output: str
    start_hz: float
    stop_hz: float
    count: int
    label: str
    unit: str = ""
    logarithmic = True

    @property
    def ports(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (self.input,), (self.output,)

    def parts(self, design: Design, places: dict[int, int], slopes: bool = False) -> Parts:
        self._refuse_undamped(design)
        return _magnitudes(design, self.input, self.output, TWO_PI * design.peaks_of(self), slopes)

    def worst(self, values: np.ndarray, highest: bool) -> float:
        return float(values.max())

    def _refuse_undamped(self, design: Design) -> None:
        """The peak is infinite where the input drives an undamped mode in the band that the output sees."""
        low, high, value = TWO_PI * self.start_hz, TWO_PI * self.stop_hz, design.eigenvalues
        doubtful = np.abs(value.real) <= BARELY_DAMPED * np.abs(value)
        if not np.any(doubtful & (low <= value.imag) & (value.imag <= high)):
            return
        j, i = _entry(design, self.input, self.output)
        ports = design.B[:, [j]], design.C[[i]], design.D[[i]][:, [j]]
        equations = DenseEquations(design.A, *ports, noise_of(design.A, None), None)
        lasting = equations.spectrum.on_axis & ~equations.spectrum.is_rigid
        if any(pole.part.felt.any() for pole in Poles(equations).among(lasting, low, high)):
            raise _infinite(self.output)

    def peaks(self, design: Design) -> np.ndarray:
        """Frequencies (count,) of the highest local maxima."""
        grid = self._grid(design)
        size = np.abs(_response(design, self.input, self.output, TWO_PI * grid))
        inner = local_maxima(size)
        found, heights = grid[inner], size[inner]
        if len(inner):

            def softness(hz: np.ndarray, which: np.ndarray) -> np.ndarray:
                with np.errstate(divide="ignore"):
                    return np.abs(_response(design, self.input, self.output, TWO_PI * hz)) ** -2.0

            found, least = refine_minima(softness, grid[inner - 1], grid[inner], grid[inner + 1])
            heights = 1.0 / np.sqrt(least)
        ends = [k for k, beside in ((0, 1), (-1, -2)) if size[k] > size[beside]]
        found, heights = np.append(found, grid[ends]), np.append(heights, size[ends])
        if not len(found):  # a flat response
            found, heights = grid[:1], size[:1]
        kept = np.argsort(-heights, kind="stable")[: self.count]
        spare = np.full(self.count - len(kept), found[kept[0]])
        return np.append(np.sort(found[kept]), spare)

    def _grid(self, design: Design) -> np.ndarray:
        even = np.geomspace(self.start_hz, self.stop_hz, GRID)
        value = design.eigenvalues
        centre, width = np.abs(value.imag) / TWO_PI, np.abs(value.real) / TWO_PI
        offsets = np.concatenate((-np.geomspace(30, 0.3, 12), [0.0], np.geomspace(0.3, 30, 12)))
        near = (centre[:, None] + np.maximum(width, 1e-9 * centre)[:, None] * offsets).ravel()
        inside = near[(near > self.start_hz) & (near < self.stop_hz)]
        return np.unique(np.concatenate((even, inside)))


def _entry(design: Design, input: str, output: str) -> tuple[int, int]:
    return design.space.inputs[input], design.space.outputs[output]


def _response(design: Design, input: str, output: str, omega: np.ndarray) -> np.ndarray:
    """H (nf,) by one factorization for all frequencies."""
    j, i = _entry(design, input, output)
    try:
        return design.transfer(i, j)(1j * omega)[:, 0, 0]
    except np.linalg.LinAlgError as error:
        raise _infinite(output) from error


def _solved(matrices: np.ndarray, right: np.ndarray, output: str) -> np.ndarray:
    """(m, n) solutions of all matrices (m, n, n) with one right side (n,)."""
    try:
        return np.linalg.solve(matrices, np.broadcast_to(right[:, None], (len(matrices), len(right), 1)))[..., 0]
    except np.linalg.LinAlgError as error:
        raise _infinite(output) from error


def _infinite(output: str) -> ComputationError:
    return ComputationError(
        f'The peak of "{output}" is infinite: an undamped mode is excited in the band. Start with a little damping.'
    )


def _magnitudes(design: Design, input: str, output: str, omega: np.ndarray, slopes: bool) -> Parts:
    """|H| at the frequencies (m,) and its slopes (m, P) at these frequencies; at a peak these are those of the peak."""
    j, i = _entry(design, input, output)
    s = 1j * omega[:, None, None] * np.eye(len(design.A)) - design.A
    b, c = design.B[:, j], design.C[i]
    state = _solved(s, b, output)
    H = state @ c + design.D[i, j]
    if not np.isfinite(H).all():
        raise _infinite(output)
    values = np.abs(H)
    if not slopes:
        return Parts(values, None)
    d = design.slopes
    seen = _solved(np.swapaxes(s, -1, -2), c, output)
    dH = np.einsum("ms,pst,mt->mp", seen, d.A, state, optimize=True)
    dH = dH + seen @ d.B[:, :, j].T + state @ d.C[:, i].T + d.D[:, i, j]
    return Parts(values, (H.conj()[:, None] * dH).real / np.maximum(values, 1e-300)[:, None])


# The rest -------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Rms(Quantity):
    """RMS of an output under white noise of one-sided density `level` (unit of the input squared per Hz)."""

    input: str
    output: str
    level: float
    label: str
    unit: str = ""
    logarithmic = True

    @property
    def ports(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (self.input,), (self.output,)

    def parts(self, design: Design, places: dict[int, int], slopes: bool = False) -> Parts:
        from scipy.linalg import solve_continuous_lyapunov as lyapunov

        j, i = _entry(design, self.input, self.output)
        A, b, c = self._settled(design, design.B[:, j], design.C[i], design.D[i, j])
        strength = 0.5 * self.level
        spread = lyapunov(A, -strength * np.outer(b, b))
        rms = float(np.sqrt(max(c @ spread @ c, 0.0)))
        if not slopes:
            return Parts(np.array([rms]), None)
        d = design.slopes
        effect = lyapunov(A.T, -np.outer(c, c))
        by_A = 2 * np.einsum("st,pst->p", effect @ spread, d.A)
        slope = by_A + 2 * strength * (d.B[:, :, j] @ (effect @ b)) + 2 * (d.C[:, i] @ (spread @ c))
        return Parts(np.array([rms]), slope[None] / (2 * max(rms, 1e-300)))

    def _settled(
        self, design: Design, b: np.ndarray, c: np.ndarray, d: float
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A, b, c of a motion that stays bounded; zeros that the output does not see are moved to the left."""
        if d != 0:
            raise ComputationError(f'The RMS of "{self.output}" is infinite: white noise reaches it directly.')
        if (design.eigenvalues.real >= 0).any():
            raise ComputationError(
                f'The RMS of "{self.output}" is infinite: not every motion is damped. Start with damping.'
            )
        A = design.A
        if design.rigid:
            left, small, right = np.linalg.svd(A)
            left, right = left[:, -design.rigid :], right[-design.rigid :].T
            if np.abs(c @ right).max() > 1e-9 * np.linalg.norm(c) or small[-design.rigid - 1] < 1e-12 * small[0]:
                raise ComputationError(f'The RMS of "{self.output}" is infinite: a free motion wanders away.')
            shift = np.abs(design.eigenvalues).min()
            A = A - shift * right @ np.linalg.solve(left.T @ right, left.T)
        return A, b, c


@dataclass(frozen=True)
class Mass(Quantity):
    """Total mass of bodies."""

    bodies: tuple[str, ...]
    label: str
    unit: str = "kg"

    def parts(self, design: Design, places: dict[int, int], slopes: bool = False) -> Parts:
        total, slope = design.space.mass(design.x, self.bodies)
        return Parts(np.array([total]), slope[None] if slopes else None)


@dataclass(frozen=True)
class Linear(Quantity):
    """A sum of variables, each with its factor."""

    factors: tuple[tuple[int, float], ...]  # number of the variable, factor
    label: str
    unit: str = ""

    def parts(self, design: Design, places: dict[int, int], slopes: bool = False) -> Parts:
        row = np.zeros(len(design.x))
        for i, factor in self.factors:
            row[i] += factor
        return Parts(np.array([row @ design.x]), row[None] if slopes else None)
