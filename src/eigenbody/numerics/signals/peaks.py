"""Maxima of many smooth curves at once, located between the points of a grid."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

EPS = float(np.finfo(float).eps)
GOLDEN = 0.381966011250105
ITERATIONS = 40
SHARP = 1e-9  # relative width at which a maximum is found: values cannot tell more than the root of rounding
SHARPER = 1e-4  # the same as part of the first bracket, where that is narrower


def local_maxima(values: np.ndarray) -> np.ndarray:
    """Inner indices at which a finite curve (n,) is higher than before and not lower than after."""
    before, here, after = values[:-2], values[1:-1], values[2:]
    with np.errstate(invalid="ignore"):
        return np.flatnonzero((here > before) & (here >= after) & np.isfinite(before + here + after)) + 1


def refine_minima(
    curve: Callable[[np.ndarray, np.ndarray], np.ndarray], a: np.ndarray, b: np.ndarray, c: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Minima (k,) of k curves inside a < b < c, b below both ends: parabolas through the three best points, golden
    sections where these fail. `curve` takes x and the numbers of the curves wanted there. Gives x and value.
    """
    every = np.arange(len(b))
    ends = np.concatenate((a, b, c))
    points = np.stack((a, b, c, *np.split(curve(ends, np.tile(every, 3)), 3)))
    last = np.full(len(b), np.inf)  # the step before
    sharp = np.maximum(np.minimum(SHARP * np.abs(b), SHARPER * (c - a)), 4 * EPS * np.abs(b))
    open_ = every
    for _ in range(ITERATIONS):
        now = points[:, open_]
        x, done, was_golden = _next(now, last[open_], sharp[open_])
        last[open_] = np.where(was_golden, now[2] - now[0], np.abs(x - now[1]))
        open_, now, x = open_[~done], now[:, ~done], x[~done]
        if not len(open_):
            break
        points[:, open_] = _bracket(now, x, curve(x, open_))
    return points[1], points[4]


def _next(points: np.ndarray, last: np.ndarray, sharp: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where to look next, which minima are sharp enough, and where the parabola was not trusted."""
    a, b, c = points[:3]
    bend, slope = parabola(points[:3], points[3:])
    with np.errstate(invalid="ignore", divide="ignore"):
        vertex = b - slope / (2 * bend)
    golden = np.where(b - a > c - b, b - GOLDEN * (b - a), b + GOLDEN * (c - b))
    slow = ~np.isfinite(vertex) | (vertex <= a) | (vertex >= c) | (np.abs(vertex - b) > 0.5 * last)
    x = np.where(slow, golden, vertex)
    step = np.abs(x - b)
    done = (~slow & (step <= sharp)) | (c - a <= sharp)
    least = 0.1 * sharp  # a point on b itself would tell nothing
    return np.where(step < least, b + np.where(c - b > b - a, least, -least), x), done, slow


def parabola(t: np.ndarray, f: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Curvature a and slope b of f[1] + b s + a s^2, s = t - t[1], through three points t, f (3, ...)."""
    before, after = t[1] - t[0], t[2] - t[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        a = ((f[2] - f[1]) / after - (f[1] - f[0]) / before) / (before + after)
        return a, (f[1] - f[0]) / before + a * before


def _bracket(points: np.ndarray, x: np.ndarray, fx: np.ndarray) -> np.ndarray:
    """The smaller bracket (a, b, c and their values) after a new point x."""
    a, b, c, fa, fb, fc = points
    better, right = fx < fb, x > b
    new_a = np.where(better & right, b, np.where(~better & ~right, x, a))
    new_fa = np.where(better & right, fb, np.where(~better & ~right, fx, fa))
    new_c = np.where(better & ~right, b, np.where(~better & right, x, c))
    new_fc = np.where(better & ~right, fb, np.where(~better & right, fx, fc))
    return np.stack((new_a, np.where(better, x, b), new_c, new_fa, np.where(better, fx, fb), new_fc))
