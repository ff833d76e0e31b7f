"""How frequency responses, their peaks and stationary root mean squares move with numbers of the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.sensitivity.derivatives import Derivatives
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.result import Result
from eigenbody.numerics.signals.sensitivity import (
    StateSpace,
    StateSpaceDerivatives,
    covariance_derivatives,
    frf_derivatives,
    magnitude_derivatives,
    peak_derivatives,
)

REACH = 2.0  # a peak is sought from near / REACH to near * REACH
STEPS = 400  # frequencies of that search, beside those of the poles


@dataclass(frozen=True, eq=False)
class ValueSensitivity(Result, look="analyses.sensitivity.look.values"):
    """One quantity and its derivatives (numbers,) by the named numbers, whose values are `numbers`."""

    label: str
    value: float
    names: tuple[str, ...]
    numbers: np.ndarray
    derivatives: np.ndarray

    @property
    def relative(self) -> np.ndarray:
        """d ln value / d ln p; nan where the number or the quantity is zero."""
        zero = (self.numbers == 0) | (self.value == 0)
        return np.where(zero, np.nan, self.derivatives * self.numbers / (self.value or np.nan))


@dataclass(frozen=True)
class PeakSensitivity:
    """A maximum of |H| over frequency: how high it is and where, each with its derivatives."""

    height: ValueSensitivity
    frequency_hz: ValueSensitivity

    def __str__(self) -> str:
        return f"{self.height}\n\n{self.frequency_hz}"


@dataclass(frozen=True, eq=False)
class FrfSensitivity:
    """A frequency response and its derivatives.

    values       (nf,) complex H
    derivatives  (numbers, nf) complex dH / dp
    magnitude    (numbers, nf) d|H| / dp; nan where H is zero
    """

    input: str
    output: str
    names: tuple[str, ...]
    frequency_hz: np.ndarray
    values: np.ndarray
    derivatives: np.ndarray

    @property
    def magnitude(self) -> np.ndarray:
        """d|H| / dp."""
        return magnitude_derivatives(self.values, self.derivatives)


def frf_sensitivity(found: Derivatives, frequencies_hz: Any, input: str, output: str) -> FrfSensitivity:
    """Derivatives of H from one input to one output of the model, at frequencies in Hz."""
    hz = np.atleast_1d(np.asarray(frequencies_hz, float))
    H, dH = frf_derivatives(*_channel(found, input, output), 2j * np.pi * hz)
    return FrfSensitivity(input, output, found.names, hz, H[:, 0, 0], dH[:, :, 0, 0])


def peak_sensitivity(found: Derivatives, input: str, output: str, near_hz: float) -> PeakSensitivity:
    """Of the maximum of |H| nearest to a frequency in Hz."""
    system, changes = _channel(found, input, output)
    peak = peak_derivatives(system, changes, _peak_near(system, 2 * np.pi * near_hz))
    label, turn = f"peak of |{output} / {input}|", 2 * np.pi
    return PeakSensitivity(
        ValueSensitivity(label, peak.value, found.names, found.values, peak.d_value),
        ValueSensitivity(f"its frequency, Hz ({label})", peak.omega / turn, found.names, found.values,
                         peak.d_omega / turn),
    )  # fmt: skip


def rms_sensitivity(found: Derivatives, input: str, output: str, density: float) -> ValueSensitivity:
    """Of the stationary root mean square of an output under white noise of a one-sided density (unit^2 / Hz)."""
    if not np.isfinite(density) or density <= 0:
        raise InputError(Fault("density", f"{density:g} is no density of a noise.", "Give a positive number."))
    system, changes = _channel(found, input, output)
    if np.any(system.D):
        what = f"{output} follows {input} at once, so white noise makes its root mean square infinite."
        raise ComputationError(what + " Choose another output, or filter the noise.")
    moved = covariance_derivatives(system, changes, np.array([[0.5 * density]]))
    rms, d_rms = moved.rms
    return ValueSensitivity(f"rms of {output}", float(rms[0]), found.names, found.values, d_rms[:, 0])


def _channel(found: Derivatives, input: str, output: str) -> tuple[StateSpace, StateSpaceDerivatives]:
    """The state space from one input to one output, and its derivatives."""
    i = _place("input", input, found.linear.inputs)
    o = _place("output", output, found.linear.outputs)
    A, B, C, D = found.linear.state_space
    one = StateSpace(A, B[:, i : i + 1], C[o : o + 1], D[o : o + 1, i : i + 1])
    dB, dC, dD = found.dB[:, :, i : i + 1], found.dC_out[:, o : o + 1], found.dD[:, o : o + 1, i : i + 1]
    return one, StateSpaceDerivatives(found.dA, dB, dC, dD)


def _place(kind: str, name: str, known: tuple[str, ...]) -> int:
    if name in known:
        return known.index(name)
    remedy = suggest(name, list(known)) if known else f"Add it in the section `{kind}s`."
    raise InputError(Fault(kind, f'the model has no {kind} "{name}".', remedy))


def _peak_near(system: StateSpace, omega: float) -> float:
    """The local maximum of |H| on a grid that is nearest to `omega`."""
    if not np.isfinite(omega) or omega <= 0:
        raise InputError(
            Fault("near_hz", f"{omega / 2 / np.pi:g} Hz is no place of a peak.", "Give a positive number.")
        )
    low, high = omega / REACH, omega * REACH
    poles = np.abs(np.linalg.eigvals(system.A))
    grid = np.unique(np.concatenate((np.geomspace(low, high, STEPS), poles[(poles > low) & (poles < high)])))
    H, _ = frf_derivatives(system, StateSpaceDerivatives(), 1j * grid)
    size = np.abs(H[:, 0, 0])
    tops = 1 + np.flatnonzero((size[1:-1] > size[:-2]) & (size[1:-1] >= size[2:]))
    if not len(tops):
        raise ComputationError(
            f"|H| has no maximum between {low / 2 / np.pi:.4g} and {high / 2 / np.pi:.4g} Hz."
            " `eb.frf` shows where its peaks are."
        )
    return float(grid[tops[np.argmin(np.abs(np.log(grid[tops] / omega)))]])
