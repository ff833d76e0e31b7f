"""What excites a linear model: step, impulse, harmonic, periodic or sampled inputs.

Steps, harmonic and periodic inputs are sums of lines u(t) = Re(sum U_k exp(i Omega_k t)); a step has the one line
Omega = 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eigenbody.base.arrays import frozen
from eigenbody.base.errors import Fault, InputError, suggest

HOLDS = ("first", "zero")
Numbers = Sequence[float] | np.ndarray


class Lines(NamedTuple):
    """u(t) = Re(sum_k amplitude_k exp(i omega_k t)): omega (k,) >= 0, amplitude (k, inputs) complex."""

    omega: np.ndarray
    amplitude: np.ndarray

    def values(self, times: np.ndarray) -> np.ndarray:
        """u (times, inputs)."""
        return self._sum(times, self.amplitude)

    def slopes(self, times: np.ndarray) -> np.ndarray:
        """du/dt (times, inputs)."""
        return self._sum(times, 1j * self.omega[:, None] * self.amplitude)

    def _sum(self, times: np.ndarray, amplitude: np.ndarray) -> np.ndarray:
        out = np.zeros((len(times), amplitude.shape[1]))
        part = max(1, 2**21 // max(1, len(self.omega)))
        for first in range(0, len(times), part):
            here = slice(first, first + part)
            out[here] = (np.exp(1j * np.outer(times[here], self.omega)) @ amplitude).real
        return out


@dataclass(frozen=True)
class FreeMotion:
    """Nothing excites the model: it moves from its initial conditions."""

    kind = "free"
    at = 0.0

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind}


@dataclass(frozen=True)
class _AtOnce:
    """Inputs that something happens to at the time `at`."""

    inputs: str | Mapping[str, float]
    value: float = 1.0
    at: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", _amounts(self.inputs, self.value, real=True))
        _require_start(self.at)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.inputs)


@dataclass(frozen=True)
class StepInput(_AtOnce):
    """Inputs that jump from zero to a constant value at the time `at`: `StepInput("push", 10)` or a map of values."""

    kind = "step"

    def lines(self) -> Lines:
        """One line of frequency zero."""
        return Lines(np.zeros(1), _row(self))

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "value": {n: float(np.real(v)) for n, v in sizes_of(self).items()}, "at": self.at}


@dataclass(frozen=True)
class ImpulseInput(_AtOnce):
    """Blows: the time integral of each input (N s, N m s) is given at once at the time `at`."""

    kind = "impulse"

    @property
    def blow(self) -> np.ndarray:
        """(inputs,)."""
        return _row(self)[0].real

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "impulse": {n: float(np.real(v)) for n, v in sizes_of(self).items()}, "at": self.at}


@dataclass(frozen=True)
class HarmonicInput:
    """u(t) = amplitude cos(2 pi f t + phase), phase in rad; from t = 0 on. Complex amplitudes: u = Re(U exp(i W t))."""

    inputs: str | Mapping[str, complex]
    frequency_hz: float
    amplitude: complex = 1.0
    phase: float = 0.0
    kind = "harmonic"
    at = 0.0

    def __post_init__(self) -> None:
        _require_frequency(self.frequency_hz)
        if not np.isfinite(self.phase):
            raise InputError(Fault("phase", f"{self.phase} is not a finite angle."))
        object.__setattr__(self, "inputs", _amounts(self.inputs, self.amplitude, real=False))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.inputs)

    def lines(self) -> Lines:
        """One line."""
        turned = _row(self) * np.exp(1j * self.phase)
        return Lines(np.array([2 * np.pi * self.frequency_hz]), turned)

    def as_dict(self) -> dict[str, Any]:
        turned = {name: complex(value) * np.exp(1j * self.phase) for name, value in sizes_of(self).items()}
        size = {n: {"amplitude": float(np.abs(v)), "phase": float(np.angle(v))} for n, v in turned.items()}
        return {"kind": self.kind, "frequency_hz": self.frequency_hz, "inputs": size}


@dataclass(frozen=True)
class PeriodicInput:
    """u(t) = mean + sum_v (cosine_v cos(2 pi v f t) + sine_v sin(2 pi v f t)), v = 1, 2, ...; from t = 0 on.

    Maps from names of inputs to a number (mean) and to lists (cosine, sine). `complex_form` takes coefficients of
    exp(i 2 pi v f t) instead, `from_period` the samples of one period.
    """

    frequency_hz: float
    mean: Mapping[str, float]
    cosine: Mapping[str, Numbers]
    sine: Mapping[str, Numbers]
    kind = "periodic"
    at = 0.0

    def __post_init__(self) -> None:
        _require_frequency(self.frequency_hz)
        if not self.names:
            raise InputError(Fault("periodic", "no input is excited.", "Name an input and its Fourier coefficients."))
        for name in self.names:
            if not np.isfinite(self._coefficients(name)).all():
                raise InputError(Fault("periodic", f'the coefficients of "{name}" are not finite.'))

    @classmethod
    def complex_form(
        cls, frequency_hz: float, coefficients: Mapping[str, Sequence[complex] | np.ndarray]
    ) -> PeriodicInput:
        """From c_0, c_1, ... of u = sum over v = ..., -1, 0, 1, ... of c_v exp(i 2 pi v f t) with c_-v = conj(c_v)."""
        given = {name: np.asarray(c, complex) for name, c in coefficients.items()}
        for name, c in given.items():
            if c.ndim != 1 or not len(c):
                raise InputError(Fault("periodic", f'"{name}" needs a list of coefficients c_0, c_1, ...'))
            if c[0].imag:
                raise InputError(Fault("periodic", f'the mean c_0 of "{name}" is not real.'))
        return cls(
            frequency_hz,
            {name: float(c[0].real) for name, c in given.items()},
            {name: 2 * c[1:].real for name, c in given.items()},
            {name: -2 * c[1:].imag for name, c in given.items()},
        )

    @classmethod
    def from_period(cls, period: float, samples: Mapping[str, Numbers], harmonics: int | None = None) -> PeriodicInput:
        """From samples at t = 0, T/n, ... (n-1) T/n of one period T; with `harmonics` the lowest ones alone."""
        if not (np.isfinite(period) and period > 0):
            raise InputError(Fault("period", f"{period} is not a positive time in seconds."))
        coefficients = {}
        for name, values in samples.items():
            y = _signal(name, values)
            c = np.fft.rfft(y) / len(y)
            if len(y) % 2 == 0 and len(y) > 1:
                c[-1] /= 2  # the highest line of an even number of samples stands for both of its halves
            coefficients[name] = c if harmonics is None else c[: harmonics + 1]
        return cls.complex_form(1.0 / period, coefficients)

    @classmethod
    def from_samples(cls, samples: SampledInput) -> PeriodicInput:
        """From equidistant samples of one period from t = 0 to T, the last of which repeats the first."""
        step = np.diff(samples.times)
        if samples.times[0] != 0 or np.ptp(step) > 1e-6 * step.mean():
            what = "one period is to be sampled at equal distances from t = 0 on."
            raise InputError(Fault("samples", what, "Write t = 0, T/n, 2T/n, ... T."))
        for name, y in samples.inputs.items():
            if abs(y[-1] - y[0]) > 1e-9 * np.abs(y).max(initial=0.0):
                what = f'"{name}" ends one period at {y[-1]:g} but began it at {y[0]:g}.'
                raise InputError(Fault("samples", what, "Let the last line, at t = T, repeat the values of the first."))
        return cls.from_period(float(samples.times[-1]), {name: y[:-1] for name, y in samples.inputs.items()})

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.mean, *self.cosine, *self.sine)))

    def lines(self) -> Lines:
        """The mean and every harmonic."""
        columns = [self._coefficients(name) for name in self.names]
        amplitude = np.zeros((max(map(len, columns)), len(columns)), complex)
        for i, column in enumerate(columns):
            amplitude[: len(column), i] = column
        kept = np.any(amplitude != 0, axis=1)
        kept[0] = True
        return Lines(2 * np.pi * self.frequency_hz * np.flatnonzero(kept), amplitude[kept])

    def _coefficients(self, name: str) -> np.ndarray:
        """U_v = cosine_v - i sine_v after the mean."""
        c, s = (np.atleast_1d(np.asarray(part.get(name, ()), float)) for part in (self.cosine, self.sine))
        out = np.zeros(1 + max(len(c), len(s)), complex)
        out[0] = self.mean.get(name, 0.0)
        out[1 : 1 + len(c)] += c
        out[1 : 1 + len(s)] -= 1j * s
        return out

    def as_dict(self) -> dict[str, Any]:
        lines = self.lines()
        return {"kind": self.kind, "frequency_hz": self.frequency_hz, "inputs": list(self.names),
                "harmonics": int(np.count_nonzero(lines.omega))}  # fmt: skip


@dataclass(frozen=True, eq=False)
class SampledInput:
    """Inputs given at increasing times, joined by straight lines (`hold` "first") or held ("zero")."""

    times: np.ndarray
    inputs: Mapping[str, np.ndarray]
    hold: str = "first"
    kind = "sampled"
    at = 0.0

    def __post_init__(self) -> None:
        if self.hold not in HOLDS:
            raise InputError(Fault("hold", f'"{self.hold}" is not known.', suggest(self.hold, HOLDS)))
        times = _signal("t", self.times)
        columns = {name: _signal(name, values) for name, values in self.inputs.items()}
        if not columns:
            raise InputError(Fault("samples", "there is no input beside the time."))
        short = [name for name, values in columns.items() if len(values) != len(times)]
        if short:
            what = f'"{short[0]}" has {len(columns[short[0]])} samples for {len(times)} times.'
            raise InputError(Fault("samples", what))
        if len(times) < 2:
            raise InputError(Fault("samples", "at least two samples are needed."))
        back = np.flatnonzero(np.diff(times) <= 0)
        if len(back):
            what = f"the times do not increase: {times[back[0]]:g} s is followed by {times[back[0] + 1]:g} s"
            raise InputError(Fault("samples", f"{what} (sample {back[0] + 2}).", "Sort them and drop repeated ones."))
        object.__setattr__(self, "times", frozen(times))
        object.__setattr__(self, "inputs", {name: frozen(values) for name, values in columns.items()})

    @classmethod
    def from_csv(cls, path: str | Path, hold: str = "first") -> SampledInput:
        """From a file with a heading: column `t` in seconds, the others named as the inputs."""
        from eigenbody.analyses.response.samples import read_samples

        times, columns = read_samples(path)
        return cls(times, columns, hold)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.inputs)

    @property
    def table(self) -> np.ndarray:
        """(times, inputs)."""
        return np.column_stack([self.inputs[name] for name in self.names])

    def between(self, times: np.ndarray) -> np.ndarray:
        """u (times, inputs) between the samples."""
        if self.hold == "zero":
            return self.table[np.clip(np.searchsorted(self.times, times, side="right") - 1, 0, None)]
        return np.column_stack([np.interp(times, self.times, self.inputs[name]) for name in self.names])

    def as_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "inputs": list(self.names), "samples": len(self.times), "hold": self.hold}


Excitation = FreeMotion | StepInput | ImpulseInput | HarmonicInput | PeriodicInput | SampledInput


# ---- what was given


def _amounts(inputs: str | Mapping[str, Any], value: Any, real: bool) -> dict[str, Any]:
    amounts = dict(inputs) if isinstance(inputs, Mapping) else {inputs: value}
    if not amounts:
        raise InputError(Fault("inputs", "no input is excited.", "Name one."))
    for name, amount in amounts.items():
        if not np.isscalar(amount) or not np.isfinite(amount) or (real and np.imag(amount)):
            raise InputError(Fault("inputs", f'"{name}" = {amount!r} is not a finite{" real" * real} number.'))
    return amounts


def sizes_of(excitation: StepInput | ImpulseInput | HarmonicInput) -> dict[str, complex]:
    """What was given for every input: value, impulse or amplitude."""
    inputs: Any = excitation.inputs
    return dict(inputs)


def _row(excitation: StepInput | ImpulseInput | HarmonicInput) -> np.ndarray:
    return np.array([list(sizes_of(excitation).values())], complex)


def _require_start(at: float) -> None:
    if not (np.isfinite(at) and at >= 0):
        raise InputError(Fault("at", f"{at} is not a time from 0 on."))


def _require_frequency(hz: float) -> None:
    if not (np.isfinite(hz) and hz > 0):
        raise InputError(Fault("frequency", f"{hz} is not a positive frequency in Hz."))


def _signal(name: str, values: Any) -> np.ndarray:
    try:
        y = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(Fault("samples", f'"{name}" is not a list of numbers.')) from error
    if y.ndim != 1 or not len(y):
        raise InputError(Fault("samples", f'"{name}" is not a list of numbers.'))
    wrong = np.flatnonzero(~np.isfinite(y))
    if len(wrong):
        raise InputError(Fault("samples", f'"{name}": sample {wrong[0] + 1} is {y[wrong[0]]}, not a finite number.'))
    return y
