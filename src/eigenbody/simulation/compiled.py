"""The innermost loops of a simulation, compiled by Numba (extra `fast`); `kernels` loads them when that pays.

They compute what geometry.Products, sweep, turning and vectors compute with NumPy, body by body instead of operation by
operation, which is what small mechanisms need: there the time goes into calling NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np

F = TypeVar("F", bound=Callable[..., Any])


def _compiled(function: F) -> F:
    return cast("F", numba.njit(cache=True, error_model="numpy")(function))


@_compiled
def features(
    start: np.ndarray, column: np.ndarray, factor: np.ndarray, arm: np.ndarray, carrier: np.ndarray,
    r: np.ndarray, R: np.ndarray, v: np.ndarray, w: np.ndarray, both: np.ndarray, value: np.ndarray, rate: np.ndarray,
) -> None:  # fmt: skip
    """Scalar products x . y and their rates; x and y (2 n, 3) are left in `both`.

    Rows `start`, `column`, `factor` (CSR) make the features of positions and arms.
    """
    bodies, arms, n = r.shape[0], arm.shape[0], value.shape[0]
    table = np.empty((bodies + arms, 6))
    for c in range(bodies):
        for i in range(3):
            table[c, i] = r[c, i]
            table[c, 3 + i] = v[c, i]
    for k in range(arms):
        c = carrier[k]
        a0, a1, a2 = arm[k, 0], arm[k, 1], arm[k, 2]
        b0, b1, b2 = w[c, 1] * a2 - w[c, 2] * a1, w[c, 2] * a0 - w[c, 0] * a2, w[c, 0] * a1 - w[c, 1] * a0
        for i in range(3):
            table[bodies + k, i] = R[c, i, 0] * a0 + R[c, i, 1] * a1 + R[c, i, 2] * a2
            table[bodies + k, 3 + i] = R[c, i, 0] * b0 + R[c, i, 1] * b1 + R[c, i, 2] * b2
    f = np.empty((2, 6))
    for p in range(n):
        for side in range(2):
            row = p + side * n
            for i in range(6):
                f[side, i] = 0.0
            for e in range(start[row], start[row + 1]):
                for i in range(6):
                    f[side, i] += factor[e] * table[column[e], i]
            for i in range(3):
                both[row, i] = f[side, i]
        value[p] = f[0, 0] * f[1, 0] + f[0, 1] * f[1, 1] + f[0, 2] * f[1, 2]
        rate[p] = (
            f[0, 3] * f[1, 0] + f[0, 4] * f[1, 1] + f[0, 5] * f[1, 2]
            + f[0, 0] * f[1, 3] + f[0, 1] * f[1, 4] + f[0, 2] * f[1, 5]
        )  # fmt: skip


@_compiled
def pulled(
    start: np.ndarray, column: np.ndarray, factor: np.ndarray, arm: np.ndarray, carrier: np.ndarray,
    R: np.ndarray, both: np.ndarray, force: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Adds what forces along the scalar products do to the carriers, (carriers, 6)."""
    bodies, arms, n = R.shape[0], arm.shape[0], force.shape[0]
    down = np.zeros((bodies + arms, 3))
    for p in range(n):
        for side in range(2):
            row, other = p + side * n, p + (1 - side) * n
            for e in range(start[row], start[row + 1]):
                f = factor[e] * force[p]
                for i in range(3):
                    down[column[e], i] += f * both[other, i]
    for c in range(bodies):
        for i in range(3):
            out[c, i] += down[c, i]
    for k in range(arms):
        c, d = carrier[k], down[bodies + k]
        l0 = R[c, 0, 0] * d[0] + R[c, 1, 0] * d[1] + R[c, 2, 0] * d[2]
        l1 = R[c, 0, 1] * d[0] + R[c, 1, 1] * d[1] + R[c, 2, 1] * d[2]
        l2 = R[c, 0, 2] * d[0] + R[c, 1, 2] * d[1] + R[c, 2, 2] * d[2]
        out[c, 3] += arm[k, 1] * l2 - arm[k, 2] * l1
        out[c, 4] += arm[k, 2] * l0 - arm[k, 0] * l2
        out[c, 5] += arm[k, 0] * l1 - arm[k, 1] * l0


@_compiled
def turned_pairs(
    i: np.ndarray, j: np.ndarray, first: np.ndarray, second: np.ndarray, R: np.ndarray, w: np.ndarray,
    s: np.ndarray, rate: np.ndarray, by_first: np.ndarray, by_second: np.ndarray,
) -> bool:  # fmt: skip
    """Rotation vectors s of pairs of frames, their rates, and these by the turning of the first and second carrier.

    False where a pair is near half a turn: that needs more care.
    """
    P, Q, E, B = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for k in range(i.shape[0]):
        _product(R[i[k]], first[k], P)
        for a in range(3):
            for b in range(3):
                Q[a, b] = P[0, a] * R[j[k], 0, b] + P[1, a] * R[j[k], 1, b] + P[2, a] * R[j[k], 2, b]
        _product(Q, second[k], E)
        cosine = 0.5 * (E[0, 0] + E[1, 1] + E[2, 2] - 1.0)
        if cosine < -0.9:
            return False
        v0, v1, v2 = E[2, 1] - E[1, 2], E[0, 2] - E[2, 0], E[1, 0] - E[0, 1]
        sine = 0.5 * math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
        scale = 0.5 * math.atan2(sine, cosine) / sine if sine > 0.0 else 0.5
        s0, s1, s2 = scale * v0, scale * v1, scale * v2
        s[k, 0], s[k, 1], s[k, 2] = s0, s1, s2
        x = s0 * s0 + s1 * s1 + s2 * s2
        c = _cotangent(x)
        d = 1.0 - c * x
        B[0, 0], B[1, 1], B[2, 2] = d + c * s0 * s0, d + c * s1 * s1, d + c * s2 * s2
        B[0, 1], B[1, 0] = c * s0 * s1 + 0.5 * s2, c * s0 * s1 - 0.5 * s2
        B[0, 2], B[2, 0] = c * s0 * s2 - 0.5 * s1, c * s0 * s2 + 0.5 * s1
        B[1, 2], B[2, 1] = c * s1 * s2 + 0.5 * s0, c * s1 * s2 - 0.5 * s0
        for a in range(3):
            total = 0.0
            for b in range(3):
                f = -(B[a, 0] * first[k, b, 0] + B[a, 1] * first[k, b, 1] + B[a, 2] * first[k, b, 2])
                g = B[a, 0] * Q[0, b] + B[a, 1] * Q[1, b] + B[a, 2] * Q[2, b]
                by_first[k, a, b], by_second[k, a, b] = f, g
                total += f * w[i[k], b] + g * w[j[k], b]
            rate[k, a] = total
    return True


@_compiled
def pulled_pairs(
    row: np.ndarray, force: np.ndarray, i: np.ndarray, j: np.ndarray, by_first: np.ndarray, by_second: np.ndarray,
    out: np.ndarray,
) -> None:  # fmt: skip
    """Adds the moments of forces along components of rotation vectors, `row` = 3 pair + axis, (carriers, 6)."""
    for n in range(row.shape[0]):
        k, a = row[n] // 3, row[n] % 3
        for b in range(3):
            out[i[k], 3 + b] += force[n] * by_first[k, a, b]
            out[j[k], 3 + b] += force[n] * by_second[k, a, b]


@_compiled
def move(r: np.ndarray, R: np.ndarray, step: np.ndarray) -> None:
    """r + dr and R exp([a]) in place, for steps (dr, a), (n, 6)."""
    E, before = np.empty((3, 3)), np.empty((3, 3))
    for n in range(r.shape[0]):
        for i in range(3):
            r[n, i] += step[n, i]
        a0, a1, a2 = step[n, 3], step[n, 4], step[n, 5]
        x = a0 * a0 + a1 * a1 + a2 * a2
        half = 0.5 * math.sqrt(x)
        s, c = math.sin(half), math.cos(half)
        sine = s * c / half if half > 0.0 else 1.0
        versine = 2.0 * s * s / x if x > 0.0 else 0.5
        d = 1.0 - versine * x
        E[0, 0], E[1, 1], E[2, 2] = d + versine * a0 * a0, d + versine * a1 * a1, d + versine * a2 * a2
        E[0, 1], E[1, 0] = versine * a0 * a1 - sine * a2, versine * a0 * a1 + sine * a2
        E[0, 2], E[2, 0] = versine * a0 * a2 + sine * a1, versine * a0 * a2 - sine * a1
        E[1, 2], E[2, 1] = versine * a1 * a2 - sine * a0, versine * a1 * a2 + sine * a0
        before[:] = R[n]
        _product(before, E, R[n])


@_compiled
def vector_steps(d: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Changes of (dr, a), (n, 6), that move the configuration by `step`: vectors.vector_rate of the rotations."""
    out = step.copy()
    for n in range(d.shape[0]):
        a0, a1, a2 = d[n, 3], d[n, 4], d[n, 5]
        w0, w1, w2 = step[n, 3], step[n, 4], step[n, 5]
        x, along = a0 * a0 + a1 * a1 + a2 * a2, a0 * w0 + a1 * w1 + a2 * w2
        c = _cotangent(x)
        out[n, 3] = w0 + 0.5 * (a1 * w2 - a2 * w1) + c * (a0 * along - w0 * x)
        out[n, 4] = w1 + 0.5 * (a2 * w0 - a0 * w2) + c * (a1 * along - w1 * x)
        out[n, 5] = w2 + 0.5 * (a0 * w1 - a1 * w0) + c * (a2 * along - w2 * x)
    return out


@_compiled
def inertial(mass: np.ndarray, inertia: np.ndarray, rate: np.ndarray, w: np.ndarray) -> np.ndarray:
    """M u' + h of rigid bodies, (n, 6)."""
    out, spun = np.empty(rate.shape), np.empty(3)
    for n in range(mass.shape[0]):
        for i in range(3):
            out[n, i] = mass[n] * rate[n, i]
            J = inertia[n, i]
            spun[i] = J[0] * w[n, 0] + J[1] * w[n, 1] + J[2] * w[n, 2]
            out[n, 3 + i] = J[0] * rate[n, 3] + J[1] * rate[n, 4] + J[2] * rate[n, 5]
        out[n, 3] += w[n, 1] * spun[2] - w[n, 2] * spun[1]
        out[n, 4] += w[n, 2] * spun[0] - w[n, 0] * spun[2]
        out[n, 5] += w[n, 0] * spun[1] - w[n, 1] * spun[0]
    return out


@_compiled
def _product(A: np.ndarray, B: np.ndarray, out: np.ndarray) -> None:
    for i in range(3):
        for k in range(3):
            out[i, k] = A[i, 0] * B[0, k] + A[i, 1] * B[1, k] + A[i, 2] * B[2, k]


@_compiled
def _cotangent(x: float) -> float:
    """(1 - (a/2) cot(a/2)) / a^2, x = a^2."""
    if x < 1e-2:
        return (1.0 + x * (1 / 60 + x * (1 / 2520 + x * (1 / 100800 + x / 3991680)))) / 12.0
    half = 0.5 * math.sqrt(x)
    return (1.0 - half / math.tan(half)) / x
