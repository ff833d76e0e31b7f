"""Noise of an expression: a random function of its argument, the same wherever and in whatever order it is evaluated.

Points lie on the argument at equal distances, each with a number of the normal distribution that is made of the seed
and the point's own number alone: nothing is drawn one after the other, nothing repeats, any argument is as near as any
other. The function is the sum of the points' numbers times one smooth kernel of finite length,

    kernel(a) = cos(a/2)^6 sum_{|m| <= 16} cos(m a),   -pi <= a <= pi,   a = 2 pi x / LENGTH,

the kernel of a low-pass filter. It is a sum of 20 cosines, so that all derivatives and values at complex arguments are
closed formulas; at its ends it goes to zero with the sixth power, so that five derivatives have no jumps. Its products
have fewer waves (2 x 19) than there are points over its length (48): the variance is 1 at every argument, exactly.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

POINTS = 48  # points under the kernel
FLAT = 16  # highest wave of the filter before the window rounds its edge
_WINDOW = np.array([1, 6, 15, 20, 15, 6, 1]) / 64  # cos(a/2)^6 as waves -3 ... 3
_TWO_SIDED = np.convolve(np.ones(2 * FLAT + 1), _WINDOW)
_WAVE = np.arange(FLAT + 4)
_AMPLITUDE = _TWO_SIDED[FLAT + 3 :] * np.where(_WAVE, 2.0, 1.0) / np.sqrt(POINTS * np.sum(_TWO_SIDED**2))

#: length of the kernel where the bandwidth is 1: there the spectral density below it is 1, too
LENGTH = float(np.sum(_TWO_SIDED**2) / 2)

_STEP = (2 * np.pi / POINTS) * _WAVE  # phase of the waves from a point to the next
_RATE = (2 * np.pi / LENGTH) * _WAVE  # and for an argument of 1
_PLACE = (np.arange(POINTS) - POINTS // 2 + 1) * (2 * np.pi / POINTS)  # of the points, as seen from the one before
_WAVES = np.exp(-1j * np.outer(_WAVE, _PLACE)) * _AMPLITUDE[:, None]


def noise(x: Any, seed: Any, bandwidth: Any, order: int = 0) -> Any:
    """Value, or derivative of `order` by x * bandwidth: mean 0, variance 1, one-sided density 1/bandwidth below it."""
    place = np.multiply(x, bandwidth) * (POINTS / LENGTH)
    cell = np.floor(np.real(place))
    waves = _waves_at(np.real(seed), cell, order)
    angle = np.asarray(place - cell)[..., None] * _STEP
    return np.sum(np.cos(angle) * waves.real - np.sin(angle) * waves.imag, axis=-1)


def _waves_at(seed: Any, cell: Any, order: int) -> np.ndarray:
    """Amplitudes of the waves for numbers or arrays of seeds and points, (..., 20)."""
    if np.ndim(seed) == np.ndim(cell) == 0:
        return _waves_of(int(seed), int(cell), order)
    seeds, cells = np.broadcast_arrays(seed, cell)
    pairs = zip(seeds.ravel().tolist(), cells.ravel().tolist(), strict=True)
    return np.array([_waves_of(int(s), int(c), order) for s, c in pairs]).reshape(*cells.shape, len(_WAVE))


@lru_cache(maxsize=4096)
def _waves_of(seed: int, cell: int, order: int) -> np.ndarray:
    """Complex amplitudes of the waves between point `cell` and the next, or of their derivative, (20,)."""
    waves = (1j * _RATE) ** order * (_WAVES @ _normal(seed, cell + np.arange(POINTS) - POINTS // 2 + 1))
    waves.flags.writeable = False
    return waves


def _normal(seed: int, points: np.ndarray) -> np.ndarray:
    """Numbers of the normal distribution, each made of the seed and the number of its point (Box and Muller)."""
    with np.errstate(over="ignore"):
        start = _mixed(np.array(seed % 2**64, np.uint64)) + 2 * points.astype(np.int64).view(np.uint64)
        first, second = _mixed(start), _mixed(start + np.uint64(1))
    uniform = ((first >> np.uint64(11)).astype(float) + 0.5) / 2**53
    angle = (second >> np.uint64(11)).astype(float) * (2 * np.pi / 2**53)
    return np.sqrt(-2 * np.log(uniform)) * np.cos(angle)


def _mixed(value: np.ndarray) -> np.ndarray:
    """64 bits from 64 bits, all of which change half of the others (splitmix64: Steele, Lea and Flood 2014)."""
    value = value + np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
