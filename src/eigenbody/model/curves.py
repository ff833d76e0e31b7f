"""Curves through points. Smooth ones: cubic pieces that share values and slopes at the points.

As an expression a curve is `_curve(x, order, x0, y0, m0, x1, y1, m1, ...)` with points (x, y), slopes m and the order
of the derivative. Between the points it is exact in value and in all derivatives; beyond them it has no value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eigenbody.base.batched import over_variants
from eigenbody.model.expression_tree import ZERO, Expression, Number, build

SPLINE, MONOTONE = "spline", "monotone"
SMOOTH = (SPLINE, MONOTONE)


def curve(x: np.ndarray, y: np.ndarray, argument: Expression, how: str = SPLINE) -> Expression:
    """The curve through the points (x, y), both (n,), n >= 2, x increasing, at the argument."""
    points = zip(x.tolist(), y.tolist(), slopes(x, y, how).tolist(), strict=True)
    numbers: list[Number] = [number for point in points for number in point]
    return build("_curve", argument, ZERO, *map(Expression.number, numbers))


def lines(x: np.ndarray, y: np.ndarray, argument: Expression) -> Expression:
    """Straight lines through the points (x, y), both (n,), n >= 2, x increasing, at the argument: `_line(x, order, x0,
    y0, x1, y1, ...)`. The first and the last go on beyond the points."""
    numbers: list[Number] = [number for point in zip(x.tolist(), y.tolist(), strict=True) for number in point]
    return build("_line", argument, ZERO, *map(Expression.number, numbers))


def slopes(x: np.ndarray, y: np.ndarray, how: str = SPLINE) -> np.ndarray:
    """Slopes (..., n) at the points: of the cubic spline whose second derivative is continuous (the two pieces at each
    end are one cubic), or of the monotone curve, which has no extremum between points."""
    return _RULES[how](x, y)


@over_variants
def _spline(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Cubic spline, not-a-knot (de Boor, A Practical Guide to Splines, IV); a parabola through three points."""
    n = x.shape[-1]
    h, d = _pieces(x, y)
    if n == 2:
        return np.concatenate((d, d), axis=-1)
    A = np.zeros((*d.shape[:-1], n, n), dtype=d.dtype)
    b = np.zeros((*d.shape[:-1], n), dtype=d.dtype)
    for i in range(1, n - 1):
        A[..., i, i - 1], A[..., i, i], A[..., i, i + 1] = h[..., i], 2 * (h[..., i - 1] + h[..., i]), h[..., i - 1]
        b[..., i] = 3 * (h[..., i] * d[..., i - 1] + h[..., i - 1] * d[..., i])
    if n == 3:
        A[..., 0, :2] = A[..., 2, 1:] = 1.0
        b[..., 0], b[..., 2] = 2 * d[..., 0], 2 * d[..., 1]
    else:
        for end, beside, first, second in ((0, 1, 0, 1), (n - 1, n - 2, n - 2, n - 3)):
            both = h[..., first] + h[..., second]
            A[..., end, end], A[..., end, beside] = h[..., second], both
            b[..., end] = (h[..., first] + 2 * both) * h[..., second] * d[..., first] + h[..., first] ** 2 * d[
                ..., second
            ]
            b[..., end] /= both
    return np.linalg.solve(A, b[..., None])[..., 0]


@over_variants
def _monotone(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Weighted harmonic means of the neighbouring secants, zero where these differ in sign (Fritsch & Butland 1984)."""
    h, d = _pieces(x, y)
    if x.shape[-1] == 2:
        return np.concatenate((d, d), axis=-1)
    before, after = d[..., :-1], d[..., 1:]
    same = np.real(before) * np.real(after) > 0
    w1, w2 = 2 * h[..., 1:] + h[..., :-1], h[..., 1:] + 2 * h[..., :-1]
    means = (w1 + w2) / (w1 / np.where(same, before, 1.0) + w2 / np.where(same, after, 1.0))
    ends = [_end(*(part[..., k] for part in (h, d) for k in pair)) for pair in ((0, 1), (-1, -2))]
    return np.concatenate((ends[0][..., None], np.where(same, means, 0.0), ends[1][..., None]), axis=-1)


def _end(h0: Any, h1: Any, d0: Any, d1: Any) -> np.ndarray:
    """Slope at an end by the parabola through three points, kept so that the end piece is monotone."""
    m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
    turns, steep = np.real(d0) * np.real(d1) <= 0, np.abs(np.real(m)) > 3 * np.abs(np.real(d0))
    return np.where(np.real(m) * np.real(d0) <= 0, 0.0, np.where(turns & steep, 3 * d0, m))


def _pieces(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Widths and secants (..., n - 1)."""
    x, y = np.broadcast_arrays(x, y)
    h = np.diff(x)
    return h, np.diff(y) / h


_RULES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {SPLINE: _spline, MONOTONE: _monotone}
