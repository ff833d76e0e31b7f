"""Adaptive Gauss-Kronrod quadrature of vector functions, all intervals of a round in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

# nodes and weights of the 7-point Gauss rule inside the 15-point Kronrod rule (QUADPACK, qk15)
_NODES = np.array([
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926,
    0.741531185599394439863864773280788, 0.586087235467691130294144691693020, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0,
])  # fmt: skip
_KRONROD = np.array([
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518,
    0.140653259715525918745189590510238, 0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
])  # fmt: skip
_GAUSS = np.array([
    0.129484966168869693270611432679082, 0.279705391489276667901467771423780, 0.381830050505118944950369775488975,
    0.417959183673469387755102040816327,
])  # fmt: skip
NODES = np.concatenate((-_NODES[:-1], _NODES[::-1]))
KRONROD = np.concatenate((_KRONROD[:-1], _KRONROD[::-1]))
GAUSS = np.zeros(15)
GAUSS[1::2] = np.concatenate((_GAUSS[:-1], _GAUSS[::-1]))


class Integral(NamedTuple):
    """Value (m,), estimate of its error (m,), number of points, and whether the tolerance was met."""

    value: np.ndarray
    error: np.ndarray
    points: int
    converged: bool


def integrate(
    function: Callable[[np.ndarray], np.ndarray], edges: np.ndarray, tolerance: float = 1e-10, most: int = 300_000
) -> Integral:
    """Integral of `function` ((n,) -> (n, m)) from the first edge to the last, begun with the intervals between them.

    `tolerance` is relative, for each component; at most about `most` points are evaluated.
    """
    low, high = np.asarray(edges[:-1], dtype=float), np.asarray(edges[1:], dtype=float)
    value, error = _rule(function, low, high)
    points = 15 * len(low)
    while True:
        total, wrong = value.sum(axis=0), error.sum(axis=0)
        allowed = tolerance * np.abs(total)
        poor = (error > allowed / len(error)).any(axis=1) & (high - low > 1e-13 * np.maximum(abs(low), abs(high)))
        if (wrong <= allowed).all() or not poor.any():
            return Integral(total, wrong, points, bool((wrong <= allowed).all()))
        if points + 30 * np.count_nonzero(poor) > most:
            return Integral(total, wrong, points, False)
        middle = 0.5 * (low[poor] + high[poor])
        new_low = np.concatenate((low[poor], middle))
        new_high = np.concatenate((middle, high[poor]))
        new_value, new_error = _rule(function, new_low, new_high)
        points += 15 * len(new_low)
        low, high = np.concatenate((low[~poor], new_low)), np.concatenate((high[~poor], new_high))
        value, error = np.concatenate((value[~poor], new_value)), np.concatenate((error[~poor], new_error))


def _rule(
    function: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Integral over each interval (n, m), and its error as QUADPACK estimates it."""
    half = 0.5 * (high - low)
    places = 0.5 * (low + high)[:, None] + half[:, None] * NODES
    heights = function(places.ravel()).reshape(len(low), 15, -1)
    fine = np.einsum("k,nkm->nm", KRONROD, heights)
    coarse = np.einsum("k,nkm->nm", GAUSS, heights)
    spread = np.einsum("k,nkm->nm", KRONROD, np.abs(heights - 0.5 * fine[:, None]))
    raw = np.abs(fine - coarse)
    error = np.where(spread > 0, spread * np.minimum(1.0, (200 * raw / np.where(spread > 0, spread, 1.0)) ** 1.5), raw)
    return half[:, None] * fine, half[:, None] * error
