"""At which frequencies: what was asked for, a range from the modes, points near resonances."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError

POINTS = 400
MOST_POINTS = 5_000_000
ADDED = 3000  # points near resonances, at most
AROUND = np.array([0.0, 0.15, 0.3, 0.5, 0.75, 1.0, 1.4, 2.0, 3.0, 5.0, 8.0])  # half-widths beside a resonance
BESIDE_UNDAMPED = np.array([1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2])  # relative; never on it


@dataclass(frozen=True, eq=False)
class Wanted:
    """Exact frequencies in Hz, or a range."""

    values: np.ndarray | None = None
    start: float | None = None
    stop: float | None = None
    points: int = POINTS
    is_log: bool = True


def wanted(asked: tuple[Any, ...] | Sequence[float] | np.ndarray | None, spacing: str) -> Wanted:
    """What the argument `frequencies_hz` means."""
    is_log = spacing == "log"
    if asked is None:
        return Wanted(is_log=is_log)
    if isinstance(asked, tuple):
        if len(asked) != 3:
            what = f"a range has three parts, not {len(asked)}."
            raise InputError(Fault("frequencies_hz", what, "Write (start, stop, points), or a list of frequencies."))
        start, stop, points = asked
        return _range(start, stop, POINTS if points is None else int(points), is_log)
    values = np.atleast_1d(np.asarray(asked, float))
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all() or np.any(values < 0):
        what = "frequencies are finite numbers, zero or positive, at least one."
        raise InputError(Fault("frequencies_hz", what))
    return Wanted(values)


def _range(start: float | None, stop: float | None, points: int, is_log: bool) -> Wanted:
    faults = []
    for value in (start, stop):
        if value is not None and not (np.isfinite(value) and value >= 0):
            faults.append(Fault("frequencies_hz", f"{value:g} Hz is not a frequency, zero or positive."))
    if not faults and start is not None and stop is not None and stop <= start:
        what = f"the range from {start:g} to {stop:g} Hz is empty."
        faults.append(Fault("frequencies_hz", what, "The end lies above the start."))
    if not 2 <= points <= MOST_POINTS:
        faults.append(Fault("points", f"{points} points are asked for.", f"Ask for 2 to {MOST_POINTS}."))
    if start == 0 and is_log:
        what = "a logarithmic range cannot start at 0 Hz."
        faults.append(Fault("frequencies_hz", what, "Start above, or ask for linear spacing."))
    if faults:
        raise InputError(faults)
    return Wanted(None, start, stop, int(points), is_log)


def frequencies(asked: Wanted, resonances: np.ndarray, refine: bool) -> np.ndarray:
    """Frequencies in Hz, rising for a range; `resonances` are eigenvalues (m,)."""
    if asked.values is not None:
        return asked.values
    low, high = _ends(asked, resonances)
    spaced = np.geomspace if asked.is_log else np.linspace
    grid = spaced(low, high, asked.points)
    grid[0], grid[-1] = low, high
    if not refine:
        return grid
    more = near_resonances(resonances) / (2 * np.pi)
    return np.unique(np.concatenate((grid, more[(more > low) & (more < high)])))


def _ends(asked: Wanted, values: np.ndarray) -> tuple[float, float]:
    """A decade beside the oscillations; without any, beside the real eigenvalues; without these, around 1 Hz."""
    oscillating = values[values.imag > 0]
    hz = np.abs(oscillating if len(oscillating) else values) / (2 * np.pi)
    low = asked.start if asked.start is not None else float(hz.min()) / 10 if len(hz) else 0.1
    high = asked.stop if asked.stop is not None else float(hz.max()) * 10 if len(hz) else 10.0
    if high <= low:
        high, low = (high, high / 100) if asked.start is None else (low * 100 if low else 1.0, low)
    if low == 0 and asked.is_log:
        low = high / 1000
    return low, high


def near_resonances(values: np.ndarray, most: int = ADDED) -> np.ndarray:
    """Angular frequencies at and beside each oscillation, in its half-widths; beside undamped ones (real part zero)."""
    values = values[values.imag > 0]
    if not len(values):
        return np.zeros(0)
    each = int(np.clip(most // (2 * len(values)), 2, len(AROUND)))
    steps = AROUND[np.unique(np.linspace(0, len(AROUND) - 1, each).astype(int))]
    width = np.abs(values.real)
    undamped = width == 0
    damped = values[~undamped]
    around = np.concatenate((-steps[::-1], steps))
    beside = np.concatenate((-BESIDE_UNDAMPED[::-1], BESIDE_UNDAMPED))
    out = (damped.imag[:, None] + width[~undamped][:, None] * around).ravel()
    out = np.concatenate((out, (values[undamped].imag[:, None] * (1 + beside)).ravel()))
    return out[out > 0]
