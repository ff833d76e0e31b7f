"""Periodic functions that are known at many times, as finite Fourier series where these say all to rounding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EMPTY = 64 * np.finfo(float).eps
"""What the upper half of a series may hold, relative to the size of the row."""
ROUNDED = 1024 * np.finfo(float).eps
"""What a series may leave of the values, as roundings of theirs, relative to the size of the row."""
ENTRIES = 4_000_000  # numbers that are evaluated at a time


@dataclass(frozen=True, eq=False)
class FourierSeries:
    """Real coefficients (2 K + 1, m, n) of 1, cos and sin of 1 to K times the base frequency; `rounding` (m, n) is the
    most by which it misses the values that it was found from."""

    start: float
    period: float
    coefficients: np.ndarray
    rounding: np.ndarray

    def at(self, times: np.ndarray) -> np.ndarray:
        """Values (times, m, n)."""
        return np.tensordot(_waves(times - self.start, self.period, len(self.coefficients) // 2), self.coefficients, 1)


def exact_series(times: np.ndarray, values: np.ndarray, start: float, period: float) -> FourierSeries | None:
    """The series of matrices (times, m, n) known at times spread over a period; None unless it meets all of them to
    rounding and its upper half is empty, so that nothing hides between the times.

    A quarter as many harmonics as there are times are fitted: half as many coefficients as conditions.
    """
    orders = len(times) // 4
    if orders < 4 or not np.isfinite(values).all() or values.size > ENTRIES:
        return None
    waves = _waves(times - start, period, orders)
    flat = values.reshape(len(times), -1)
    found = np.linalg.lstsq(waves, flat, rcond=None)[0]
    size = np.abs(values).max(axis=(0, 2), keepdims=True, initial=0.0)
    size = np.broadcast_to(size, (1, *values.shape[1:])).reshape(-1)
    lower, upper = np.split(found, [1 + 2 * (orders // 2)])
    if np.any(np.abs(waves @ found - flat) > ROUNDED * size) or np.any(np.abs(upper) > EMPTY * size):
        return None
    rounding = np.abs(waves[:, : len(lower)] @ lower - flat).max(axis=0)
    return FourierSeries(
        start, period, lower.reshape(len(lower), *values.shape[1:]), rounding.reshape(values.shape[1:])
    )


def _waves(times: np.ndarray, period: float, orders: int) -> np.ndarray:
    """(times, 2 orders + 1): 1, then cos and sin of each order."""
    angle = 2 * np.pi / period * np.outer(times, np.arange(1, orders + 1))
    both = np.stack((np.cos(angle), np.sin(angle)), axis=-1).reshape(len(times), -1)
    return np.hstack((np.ones((len(times), 1)), both))
