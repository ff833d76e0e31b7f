"""Spectral moments of densities: adaptive between resonances, power laws at both ends, infinite where they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.random.comfort import Weighting
from eigenbody.analyses.random.paths import OutputDensities
from eigenbody.numerics.signals.quadrature import integrate

ORDERS = (0, 1, 2, 4)
TOLERANCE = 1e-10
FAR = 1e4  # so far beyond the outermost mode a density is a power of the frequency
WAVES = 500  # of interference between delayed signals that are integrated; beyond they cancel
CLOSEST = 1e-13  # distance of two edges in the logarithm of the frequency
MARGIN = 0.1  # by which an exponent must be on the right side


@dataclass(frozen=True, eq=False)
class Span:
    """The band in Hz (to may be inf), poles (n,) in rad/s, corners (m,) in Hz, differences of delays in s."""

    low: float
    high: float
    poles: np.ndarray
    corners: np.ndarray
    gaps: tuple[float, ...]

    @property
    def marks(self) -> tuple[float, float]:
        """Lowest and highest frequency at which something happens."""
        marks = np.concatenate((np.abs(self.poles) / (2 * np.pi), self.corners[self.corners > 0]))
        return (float(marks.min()), float(marks.max())) if len(marks) else (1.0, 1.0)

    @property
    def shown(self) -> tuple[float, float]:
        """The band, or a decade around what happens where it is open."""
        swings = np.abs(self.poles) / (2 * np.pi)
        first, last = (float(swings.min()), float(swings.max())) if len(swings) else self.marks
        low = self.low if self.low > 0 else 0.1 * min(first, 0.5 * self.high)
        return low, self.high if math.isfinite(self.high) else 10 * max(last, low)

    @property
    def whole(self) -> tuple[float, float]:
        """The band, or so far that only power laws are left where it is open."""
        first, last = self.marks
        low = self.low if self.low > 0 else min(first, self.high) / FAR
        return low, self.high if math.isfinite(self.high) else FAR * max(last, low)

    @property
    def busy(self) -> tuple[float, float]:
        """The part of the band around what happens: from a decade below to two above."""
        (first, last), (low, high) = self.marks, self.whole
        return max(low, 0.1 * first), min(high, 100 * last)

    @property
    def calm(self) -> float:
        """Above this frequency the interference of delayed signals is left out."""
        if not self.gaps:
            return math.inf
        longest = sum(self.gaps)
        return min(max(10 * self.marks[1], WAVES / longest), 10 * WAVES / longest)


@dataclass(frozen=True, eq=False)
class Moments:
    """Integrals of f^n G(f) over the band.

    values         (outputs, 4) for n = 0, 1, 2, 4; inf where they diverge
    weighted       (outputs,) variances after the weightings; zero without one
    relative_error (outputs,) of the variances, estimated
    endless_below  (outputs,) bool: infinite by low frequencies
    endless_above  (outputs,) bool: infinite by high frequencies
    """

    values: np.ndarray
    weighted: np.ndarray
    relative_error: np.ndarray
    endless_below: np.ndarray
    endless_above: np.ndarray
    points: int
    converged: bool


def moments_of(densities: OutputDensities, span: Span, weightings: Sequence[Weighting | None]) -> Moments:
    """Moments of all outputs, and of the weighted densities."""
    low, high = span.whole
    ends = []
    if span.low == 0:
        ends.append(_end(densities, low, 1 / 3, weightings, True))
    if math.isinf(span.high):
        ends.append(_end(densities, high, 3.0, weightings, span.calm >= high))
    tails = np.zeros((densities.outputs, len(ORDERS)))
    weighted = np.zeros(densities.outputs)
    for end in ends:
        tails += end.tails
        weighted += end.weighted_tails
    whole = integrate(_integrand(densities, span, weightings, np.isfinite(tails)), _edges(span), TOLERANCE)
    values = whole.value[: tails.size].reshape(tails.shape) + tails
    error = whole.error[: tails.size].reshape(tails.shape)[:, 0] + _left_out(densities, span)
    known = np.isfinite(values[:, 0]) & (values[:, 0] > 0)
    endless = {end.below: np.isinf(end.tails[:, 0]) for end in ends}
    nowhere = np.zeros(densities.outputs, dtype=bool)
    return Moments(
        values=values,
        weighted=whole.value[tails.size :] + weighted,
        relative_error=np.where(known, error / np.where(known, values[:, 0], 1.0), 0.0),
        endless_below=endless.get(True, nowhere),
        endless_above=endless.get(False, nowhere),
        points=whole.points,
        converged=whole.converged,
    )


@dataclass(frozen=True, eq=False)
class _End:
    """What lies beyond one end: integrals (outputs, orders) of f^n G and (outputs,) of the weighted G; inf if so."""

    below: bool
    tails: np.ndarray
    weighted_tails: np.ndarray


def _end(
    densities: OutputDensities, at: float, towards: float, weightings: Sequence[Weighting | None], mixed: bool
) -> _End:
    """Beyond `at` (a third or thrice of it: `towards`) densities are taken for powers of the frequency."""
    f = np.array([at, at / towards])  # the second nearer to the modes
    G = densities(f, mixed)
    tails = _power_law(G, at, towards, np.array(ORDERS))
    weighted = _power_law(G * _weights(weightings, f), at, towards, np.zeros(1))
    return _End(towards < 1, tails, weighted[:, 0])


def _power_law(G: np.ndarray, at: float, towards: float, orders: np.ndarray) -> np.ndarray:
    """Integral (outputs, orders) of f^n G beyond `at`, G = (f/at)^slope there; G (2, outputs) at `at` and before."""
    present = np.all(G > 0, axis=0)
    ratio = np.where(present, G[0], 1.0) / np.where(present, G[1], 1.0)
    slope = np.log(ratio) / math.log(towards)
    room = (1 if towards < 1 else -1) * (orders + 1 + slope[:, None])  # positive where the integral is finite
    finite = room > MARGIN
    part = G[0][:, None] * at ** (orders + 1.0) / np.where(finite, room, 1.0)
    return np.where(present[:, None], np.where(finite, part, np.inf), 0.0)


def _weights(weightings: Sequence[Weighting | None], f: np.ndarray) -> np.ndarray:
    """|W|^2 (n, outputs); zero without a weighting."""
    return np.column_stack([np.zeros(len(f)) if w is None else np.abs(w(f)) ** 2 for w in weightings])


def _integrand(
    densities: OutputDensities, span: Span, weightings: Sequence[Weighting | None], finite: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    """f G f^n and f G |W|^2 over the logarithm of f: (n,) -> (n, outputs * 5)."""

    def heights(logarithm: np.ndarray) -> np.ndarray:
        f = np.exp(logarithm)
        G = np.empty((len(f), densities.outputs))
        for mixed in (True, False):
            part = (f <= span.calm) == mixed
            if part.any():
                G[part] = densities(f[part], mixed)
        powers = f[:, None] ** (np.array(ORDERS) + 1.0)
        moments = np.where(finite, G[:, :, None] * powers[:, None, :], 0.0).reshape(len(f), -1)
        return np.hstack((moments, G * _weights(weightings, f) * f[:, None]))

    return heights


def _edges(span: Span) -> np.ndarray:
    """Logarithms of frequencies between which the densities are smooth."""
    low, high = span.whole
    f, width = np.abs(span.poles.imag) / (2 * np.pi), np.abs(span.poles.real) / (2 * np.pi)
    sides = (0, 1, 5, 30) if len(f) <= 50 else (5,)
    sharpest = float((f[width > 0] / width[width > 0]).max(initial=1.0))
    flanks = 30.0 * 10.0 ** np.arange(1, np.log10(max(sharpest, 1.0)))  # of a resonance that is a needle
    around = [f + sign * side * width for side in (*sides, *flanks) for sign in (-1, 1)]
    marks = [np.abs(span.poles) / (2 * np.pi), *around, span.corners]
    if span.gaps and (calm := min(span.calm, high)) > low:
        wave = 1 / sum(span.gaps)
        marks.append(np.append(np.arange(max(1.0, low / wave), calm / wave) * wave, calm))
    decades = math.log10(high / low)
    marks.append(np.geomspace(low, high, 2 + int(2 * decades)))
    everything = np.concatenate(marks)
    logs = np.unique(np.log(everything[(everything > low) & (everything < high)]))
    logs = np.concatenate(([math.log(low)], logs, [math.log(high)]))
    return logs[np.append(True, np.diff(logs) > CLOSEST)]


def _left_out(densities: OutputDensities, span: Span) -> np.ndarray:
    """Bound of the interference beyond the calm frequency: a wave of the frequency under a falling envelope."""
    if not span.gaps or span.whole[1] <= span.calm:
        return np.zeros(densities.outputs)
    return densities(np.array([span.calm]), mixed=False)[0] / (2 * np.pi * min(span.gaps))
