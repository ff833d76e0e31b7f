"""The kernels of curves through points: one cubic on each piece, given by values and slopes at its ends, or straight
lines."""

from __future__ import annotations

from typing import Any

import numpy as np

EDGE = 1e-9  # of the whole width: how far beyond an end rounding may take the argument
PER_POINT = 3  # x, y, slope


class OutsideCurve(ArithmeticError):
    """The argument lies beyond the points."""


def piecewise_cubic(x: Any, order: int, points: tuple[Any, ...]) -> Any:
    """Derivative of an order (0 to 3) at x (...) of the curve through points x0, y0, m0, x1, y1, m1, ..., each of which
    may have batch axes too. Pieces are chosen by the real part."""
    shape = np.broadcast_shapes(np.shape(x), *(np.shape(point) for point in points))
    columns = np.stack([np.broadcast_to(point, shape) for point in points], axis=-1)
    knots, real = np.real(columns[..., ::PER_POINT]), np.broadcast_to(np.real(x), shape)
    _refuse_outside(real, knots)
    piece = np.sum(real[..., None] >= knots[..., 1:-1], axis=-1)[..., None] * PER_POINT
    x0, y0, m0, x1, y1, m1 = (np.take_along_axis(columns, piece + k, axis=-1)[..., 0] for k in range(2 * PER_POINT))
    h = x1 - x0
    t, secant = (x - x0) / h, (y1 - y0) / h
    square, cube = 3 * secant - 2 * m0 - m1, m0 + m1 - 2 * secant  # of h times the value, over t^2 and t^3
    if order == 0:
        return y0 + h * t * (m0 + t * (square + t * cube))
    if order == 1:
        return m0 + t * (2 * square + 3 * t * cube)
    if order == 2:
        return (2 * square + 6 * t * cube) / h
    return 6 * cube / h**2


def straight_pieces(x: Any, order: int, points: tuple[Any, ...]) -> Any:
    """Value (order 0) or slope (1) at x (...) of straight lines through points x0, y0, x1, y1, ..., each of which may
    have batch axes too. The end pieces go on beyond the points; pieces are chosen by the real part."""
    shape = np.broadcast_shapes(np.shape(x), *{np.shape(point) for point in points})
    if all(np.ndim(point) == 0 for point in points):
        columns = np.broadcast_to(np.array(points), (*shape, len(points)))
    else:
        columns = np.stack([np.broadcast_to(point, shape) for point in points], axis=-1)
    knots = np.real(columns[..., ::2])
    piece = 2 * np.sum(np.broadcast_to(np.real(x), shape)[..., None] >= knots[..., 1:-1], axis=-1)[..., None]
    x0, y0, x1, y1 = (np.take_along_axis(columns, piece + k, axis=-1)[..., 0] for k in range(4))
    slope = (y1 - y0) / (x1 - x0)
    return slope if order else y0 + slope * (x - x0)


def _refuse_outside(x: np.ndarray, knots: np.ndarray) -> None:
    low, high = knots[..., 0], knots[..., -1]
    slack = EDGE * (high - low)
    wrong = (x < low - slack) | (x > high + slack)
    if np.any(wrong):
        x, low, high = (np.asarray(part)[wrong].ravel()[0] for part in (x, low, high))
        raise OutsideCurve(f"{x:.6g} lies outside of its table, which goes from {low:.6g} to {high:.6g}")
