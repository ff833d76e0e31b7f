"""Spectra of signals: amplitude over frequency, and over time and frequency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Drawn
from eigenbody.simulation.result import Simulation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("map", "waterfall")  # of pictures
SHORTEST = 64  # samples of a piece by default
WINDOWS = ("hann", "blackmanharris", "boxcar")
FLOOR = 1e-3  # of the highest peak: lower ones are not listed unless asked for


@dataclass(frozen=True, slots=True)
class Peak:
    """A line of a spectrum: frequency between the bins (Hz) and amplitude."""

    frequency_hz: float
    amplitude: float


@dataclass(frozen=True, eq=False)
class Spectrum(Drawn, look="analyses.response.look.spectra"):
    """Amplitude (n,) of a signal over frequency (n,); a sine of amplitude a shows as a."""

    name: str
    frequency_hz: np.ndarray
    amplitude: np.ndarray
    window: str

    @property
    def resolution(self) -> float:
        """Distance of the bins in Hz."""
        return float(self.frequency_hz[1] - self.frequency_hz[0])

    def peaks(self, count: int | None = None, floor: float = FLOOR) -> tuple[Peak, ...]:
        """Local maxima above `floor` times the highest, by frequency; with `count` the highest ones only.

        The frequency lies between the bins: the vertex of the parabola through the logarithms around the maximum.
        """
        a = self.amplitude
        inside = (a[1:-1] > a[:-2]) & (a[1:-1] >= a[2:]) & (a[1:-1] > floor * a.max(initial=0.0))
        found = [self._vertex(int(i)) for i in np.flatnonzero(inside) + 1]
        if count is not None:
            found = sorted(found, key=lambda p: -p.amplitude)[:count]
        return tuple(sorted(found, key=lambda p: p.frequency_hz))

    def _vertex(self, i: int) -> Peak:
        left, top, right = np.log(np.maximum(self.amplitude[i - 1 : i + 2], 1e-300))
        bend = left - 2 * top + right
        shift = 0.5 * (left - right) / bend if bend < 0 else 0.0
        height = np.exp(top - 0.25 * (left - right) * shift)
        return Peak(float(self.frequency_hz[i] + shift * self.resolution), float(height))


@dataclass(frozen=True, eq=False)
class Spectrogram(Drawn, look="analyses.response.look.spectrogram"):
    """Amplitude (times, frequencies) of a signal in short pieces of `length` seconds; `t` are their middles. `unit` is
    that of the signal and its amplitudes, "" where none is known."""

    name: str
    t: np.ndarray
    frequency_hz: np.ndarray
    amplitude: np.ndarray
    length: float
    window: str
    unit: str = ""

    def __len__(self) -> int:
        return len(self.t)

    def spectrum(self, i: int) -> Spectrum:
        """The piece of index i."""
        return Spectrum(self.name, self.frequency_hz, self.amplitude[i], self.window)

    def plot(self, kind: str = "map") -> Figure:
        """Amplitude in decibels over time and frequency ("map"), or spectra one behind the other ("waterfall")."""
        if kind not in KINDS:
            raise InputError(Fault("kind", f'there is no picture "{kind}" of a spectrogram.', suggest(kind, KINDS)))
        return self.look.plot(self, kind)


def fft(
    simulation: Simulation, name: str, window: str = "hann", detrend: bool = True, start: float | None = None
) -> Spectrum:
    """Amplitude spectrum of a signal from the time `start` on; `detrend` takes out the straight line through it.

    The times must be equidistant. The spectrum is padded to twice the length, so that peaks are well placed.
    """
    t, y = _even(simulation, name, start)
    return amplitude_spectrum(name, float(t[1] - t[0]), y, window, detrend)


def amplitude_spectrum(
    name: str, interval: float, y: np.ndarray, window: str = "hann", detrend: bool = True
) -> Spectrum:
    """Amplitude spectrum of samples `interval` seconds apart."""
    weights = _window(window, len(y))
    y = _without_trend(y) if detrend else y
    n = 2 * len(y)
    amplitude = 2 * np.abs(np.fft.rfft(y * weights, n)) / weights.sum()
    amplitude[0] /= 2
    return Spectrum(name, np.fft.rfftfreq(n, interval), amplitude, window)


def spectrogram(
    simulation: Simulation, name: str, length: float | None = None, overlap: float = 0.75, window: str = "hann"
) -> Spectrogram:
    """Spectra of overlapping pieces of a signal (short-time Fourier transform).

    length   of a piece in s: frequencies closer than about 2 / length are not told apart, times closer than length
             neither; by default an eighth of the signal, 64 samples at least
    overlap  part of a piece that the next one shares
    window   "hann", "blackmanharris" or "boxcar"; the straight line through each piece is taken out
    """
    t, y = _even(simulation, name, None)
    interval = float(t[1] - t[0])
    length = interval * min(max(len(y) // 8, SHORTEST), len(y)) if length is None else length
    n = round(length / interval) if np.isfinite(length) else 0
    if not 8 <= n <= len(y):
        what = f"a piece of {length:g} s holds {n} of the {len(y)} samples."
        raise InputError(Fault("length", what, "Choose a piece of at least 8 samples, not longer than the signal."))
    if not 0 <= overlap < 1:
        raise InputError(Fault("overlap", f"{overlap:g} is not between 0 and 1."))
    starts = np.arange(0, len(y) - n + 1, max(1, round(n * (1 - overlap))))
    pieces = [amplitude_spectrum(name, interval, y[i : i + n], window) for i in starts]
    middles = t[starts] + 0.5 * (n - 1) * interval
    stacked = np.stack([p.amplitude for p in pieces])
    return Spectrogram(
        name, middles, pieces[0].frequency_hz, stacked, n * interval, window, simulation.look.unit_of(simulation, name)
    )


def _even(simulation: Simulation, name: str, start: float | None) -> tuple[np.ndarray, np.ndarray]:
    y, t = simulation.signal(name), simulation.t
    if start is not None:
        y, t = y[t >= start], t[t >= start]
    if len(t) < 8:
        raise InputError(Fault("fft", f"{len(t)} samples are too few.", "Ask for more output times."))
    step = np.diff(t)
    if np.ptp(step) > 1e-6 * step.mean():
        raise InputError(Fault("fft", "the output times are not equidistant.", "Give an interval instead of times."))
    return t, y


def _window(name: str, n: int) -> np.ndarray:
    if name not in WINDOWS:
        raise InputError(Fault("window", f'"{name}" is not known.', f"Known: {', '.join(WINDOWS)}."))
    from scipy.signal import get_window

    return get_window(name, n)


def _without_trend(y: np.ndarray) -> np.ndarray:
    x = np.linspace(-1, 1, len(y))
    return y - y.mean() - x * (x @ y) / (x @ x)
