"""Comfort and health of people in vibration: frequency weightings and measures of ISO 2631-1:1997.

A weighting is a band limit (second-order Butterworth high-pass at f1, low-pass at f2), a transition from acceleration
to velocity (f3, f4, Q4) and an upward step (f5, Q5, f6, Q6), given by the standard as transfer functions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.linearization.forms import StateSpace

COMFORT = (  # ISO 2631-1, C.2.3: the ranges overlap; m/s^2
    (0.0, 0.315, "not uncomfortable"),
    (0.315, 0.63, "a little uncomfortable"),
    (0.5, 1.0, "fairly uncomfortable"),
    (0.8, 1.6, "uncomfortable"),
    (1.25, 2.5, "very uncomfortable"),
    (2.0, math.inf, "extremely uncomfortable"),
)
AXES = {  # multiplying factors k
    "health": {"x": 1.4, "y": 1.4, "z": 1.0},  # 7.2.3, seated
    "comfort": {"x": 1.0, "y": 1.0, "z": 1.0},  # 8.2.2.1, supporting seat surface
    "seat rotation": {"rx": 0.63, "ry": 0.4, "rz": 0.2},  # m/rad
    "backrest": {"x": 0.8, "y": 0.5, "z": 0.4},
    "feet": {"x": 0.25, "y": 0.25, "z": 0.4},
}


@dataclass(frozen=True, slots=True)
class Weighting:
    """A frequency weighting by the parameters of its transfer function, frequencies in Hz; inf leaves a part out."""

    name: str
    meant_for: str
    f1: float = 0.4
    f2: float = 100.0
    f3: float = math.inf
    f4: float = math.inf
    Q4: float = 1.0
    f5: float = math.inf
    Q5: float = 1.0
    f6: float = math.inf
    Q6: float = 1.0

    def __call__(self, frequency_hz: np.ndarray) -> np.ndarray:
        """Complex factor at frequencies in Hz."""
        s = 2j * np.pi * np.asarray(frequency_hz, dtype=float)
        out = np.ones_like(s)
        for numerator, denominator in self._parts():
            out = out * np.polyval(numerator, s) / np.polyval(denominator, s)
        return out

    @property
    def corners_hz(self) -> tuple[float, ...]:
        """Where the curve bends."""
        return tuple(f for f in (self.f1, self.f2, self.f3, self.f4, self.f5, self.f6) if math.isfinite(f))

    @property
    def transfer_function(self) -> tuple[np.ndarray, np.ndarray]:
        """Numerator and denominator in s (rad/s), highest power first."""
        numerator: np.ndarray = np.ones(1)
        denominator: np.ndarray = np.ones(1)
        for above, below in self._parts():
            numerator, denominator = np.polymul(numerator, above), np.polymul(denominator, below)
        return numerator / denominator[0], denominator / denominator[0]

    @property
    def state_space(self) -> StateSpace:
        """A, B, C, D of the weighting: its parts in series, each scaled by its own frequency."""
        space = StateSpace(np.zeros((0, 0)), np.zeros((0, 1)), np.zeros((1, 0)), np.ones((1, 1)))
        for numerator, denominator in self._parts():
            space = _in_series(space, _second_order(numerator, denominator))
        return space

    def _parts(self) -> list[tuple[list[float], list[float]]]:
        """Numerator and denominator of each part, quadratics in s."""
        w1, w2, w3, w4, w5, w6 = (2 * math.pi * f for f in (self.f1, self.f2, self.f3, self.f4, self.f5, self.f6))
        root = math.sqrt(2)
        parts = [([1.0, 0.0, 0.0], [1.0, root * w1, w1**2]), ([0.0, 0.0, w2**2], [1.0, root * w2, w2**2])]
        if math.isfinite(w4):
            parts.append(([0.0, w4**2 / w3, w4**2], [1.0, w4 / self.Q4, w4**2]))
        if math.isfinite(w6):
            parts.append(([1.0, w5 / self.Q5, w5**2], [1.0, w6 / self.Q6, w6**2]))
        return parts


def _second_order(numerator: list[float], denominator: list[float]) -> StateSpace:
    """b0 s^2 + b1 s + b2 over s^2 + a1 s + a2 with states x and x'/w, w^2 = a2."""
    (b0, b1, b2), (_, a1, a2) = numerator, denominator
    w = math.sqrt(a2)
    A = np.array([[0.0, w], [-w, -a1]])
    C = np.array([[(b2 - b0 * a2) / a2, (b1 - b0 * a1) / w]])
    return StateSpace(A, np.array([[0.0], [w]]), C, np.array([[b0]]))


def _in_series(first: StateSpace, second: StateSpace) -> StateSpace:
    A = np.block([[first.A, np.zeros((len(first.A), len(second.A)))], [second.B @ first.C, second.A]])
    B = np.vstack((first.B, second.B @ first.D))
    return StateSpace(A, B, np.hstack((second.D @ first.C, second.C)), second.D @ first.D)


WEIGHTINGS = {  # ISO 2631-1, Tables A.1 and A.2
    w.name: w
    for w in (
        Weighting("Wk", "z of a seat, z of a standing or lying person", f3=12.5, f4=12.5, Q4=0.63, f5=2.37, Q5=0.91,
                  f6=3.35, Q6=0.91),
        Weighting("Wd", "x and y of a seat, y and z of a backrest", f3=2.0, f4=2.0, Q4=0.63),
        Weighting("Wf", "motion sickness, vertical", f1=0.08, f2=0.63, f4=0.25, Q4=0.86, f5=0.0625, Q5=0.80, f6=0.10,
                  Q6=0.80),
        Weighting("Wc", "x of a backrest", f3=8.0, f4=8.0, Q4=0.63),
        Weighting("We", "rotation of a seat", f3=1.0, f4=1.0, Q4=0.63),
        Weighting("Wj", "head of a lying person", f5=3.75, Q5=0.91, f6=5.32, Q6=0.91),
    )
}  # fmt: skip


def weighting(name: str) -> Weighting:
    """A weighting of ISO 2631-1 by name: Wk, Wd, Wf, Wc, We, Wj."""
    if name not in WEIGHTINGS:
        raise InputError(Fault("weighting", f'"{name}" is not known.', suggest(name, WEIGHTINGS)))
    return WEIGHTINGS[name]


def comfort_verdict(total: float) -> str:
    """The words of ISO 2631-1, C.2.3 for a vibration total value in m/s^2; where its ranges overlap, both."""
    if not total >= 0:
        raise InputError(Fault("comfort", f"{total:g} m/s^2 is no vibration value.", "It is zero or positive."))
    return " to ".join(words for low, high, words in COMFORT if low <= total < high)


def total_value(weighted: Mapping[str, float], factors: str | Mapping[str, float] = "comfort") -> float:
    """Vibration total value sqrt(sum of (k a_w)^2) of weighted RMS accelerations by axis (x, y, z or rx, ry, rz).

    `factors` are the k by axis, or "health", "comfort", "seat rotation", "backrest", "feet".
    """
    if isinstance(factors, str):
        if factors not in AXES:
            raise InputError(Fault("factors", f'"{factors}" is not known.', suggest(factors, AXES)))
        factors = AXES[factors]
    unknown = [axis for axis in weighted if axis not in factors]
    if unknown:
        raise InputError(Fault("axis", f'there is no factor for "{unknown[0]}".', suggest(unknown[0], factors)))
    return math.sqrt(sum((factors[axis] * value) ** 2 for axis, value in weighted.items()))


def estimated_vdv(weighted_rms: float, duration: float) -> float:
    """Estimated vibration dose value 1.4 a_w T^(1/4) in m/s^1.75 (ISO 2631-1, B.3.1 note; for crest factors below 6).

    The expected value for a Gaussian process is a little less: 3^(1/4) = 1.316 instead of 1.4.
    """
    return 1.4 * weighted_rms * duration**0.25


@dataclass(frozen=True, eq=False)
class WeightedHistory:
    """A weighted acceleration over time and its measures."""

    weighting: str
    t: np.ndarray
    acceleration: np.ndarray

    @property
    def duration(self) -> float:
        return float((self.t[1] - self.t[0]) * len(self.t))

    @property
    def rms(self) -> float:
        """Weighted RMS acceleration a_w."""
        return float(np.sqrt(np.mean(self.acceleration**2)))

    @property
    def vdv(self) -> float:
        """Fourth-power vibration dose value, m/s^1.75."""
        return float((np.mean(self.acceleration**4) * self.duration) ** 0.25)

    @property
    def crest_factor(self) -> float:
        """Peak over RMS; above 9 the RMS says too little (ISO 2631-1, 6.2.1)."""
        return float(np.abs(self.acceleration).max()) / self.rms if self.rms > 0 else math.nan

    @property
    def mtvv(self) -> float:
        """Maximum transient vibration value: greatest running RMS over 1 s (the whole history where it is shorter)."""
        interval = float(self.t[1] - self.t[0])
        n = min(len(self.t), max(1, round(1.0 / interval)))
        power = np.concatenate(([0.0], np.cumsum(self.acceleration**2)))
        return float(np.sqrt(max(0.0, (power[n:] - power[:-n]).max() / n)))

    def __str__(self) -> str:
        return (
            f"{self.weighting}: weighted RMS {self.rms:.6g} m/s², VDV {self.vdv:.6g} m/s^1.75,"
            f" MTVV {self.mtvv:.6g} m/s², crest factor {self.crest_factor:.4g}: {comfort_verdict(self.rms)}"
        )


def weighted_history(
    t: np.ndarray, acceleration: np.ndarray, name: str = "Wk", periodic: bool = False
) -> WeightedHistory:
    """A measured or simulated acceleration after a weighting, by FFT; the times must be equidistant.

    `periodic` says that the history repeats itself; else it is filtered from rest, with silence before and after. What
    lies above half the sampling rate is not in the samples: weightings reach to 100 Hz, sample at 250 Hz or faster.
    """
    t, a = np.asarray(t, dtype=float), np.asarray(acceleration, dtype=float)
    if t.ndim != 1 or t.shape != a.shape or len(t) < 8:
        what = f"times {t.shape} and accelerations {a.shape} are not two like rows of at least 8 numbers."
        raise InputError(Fault("history", what))
    if not (np.isfinite(t).all() and np.isfinite(a).all()):
        raise InputError(Fault("history", "a number is not finite."))
    steps = np.diff(t)
    interval = float(steps.mean())
    if interval <= 0 or np.ptp(steps) > 1e-6 * interval:
        raise InputError(Fault("history", "the times are not equidistant.", "Give samples at a constant interval."))
    n = len(a) if periodic else 2 * len(a)
    spectrum = np.fft.rfft(a, n) * weighting(name)(np.fft.rfftfreq(n, interval))
    return WeightedHistory(name, t, np.fft.irfft(spectrum, n)[: len(a)])
