"""Bodies in space by the components of their vectors: each formula once, for NumPy and for compiled loops.

A vector is read as `a[i]`, a matrix as `R[i][j]`, results are tuples. With NumPy these are arrays, real or complex, of
many bodies at once. The loops below go from body to body with plain numbers, by the same formulas; they are worth
calling only as Numba compiles them (simulation.compiled). That they stand here lets its cache see every change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

FAR = -0.8  # trace of a rotation by 154 degrees: beyond, half a turn is near
TINY = 1e-300  # added to squares so that nothing is divided by zero; far below the square of a complex step

Vector = Any  # three components
Matrix = Any  # three rows


def dot(a: Vector, b: Vector) -> Any:
    """a . b, without conjugation."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """a x b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def times(R: Matrix, a: Vector) -> Vector:
    """R a."""
    return dot(R[0], a), dot(R[1], a), dot(R[2], a)


def transposed_times(R: Matrix, a: Vector) -> Vector:
    """R^T a."""
    return (
        R[0][0] * a[0] + R[1][0] * a[1] + R[2][0] * a[2],
        R[0][1] * a[0] + R[1][1] * a[1] + R[2][1] * a[2],
        R[0][2] * a[0] + R[1][2] * a[1] + R[2][2] * a[2],
    )


def transposed(A: Matrix) -> Matrix:
    """A^T."""
    return (A[0][0], A[1][0], A[2][0]), (A[0][1], A[1][1], A[2][1]), (A[0][2], A[1][2], A[2][2])


def product(A: Matrix, B: Matrix) -> Matrix:
    """A B; with NumPy, `@` is faster."""
    return transposed_times(B, A[0]), transposed_times(B, A[1]), transposed_times(B, A[2])


def product_rate(x: Vector, x1: Vector, y: Vector, y1: Vector) -> Any:
    """(x . y)' where x and y have the rates x1 and y1."""
    return dot(x1, y) + dot(x, y1)


def moment(arm: Vector, R: Matrix, force: Vector) -> Vector:
    """Moment in the axes of a carrier with the rotation R, of a force in global axes on an arm of the carrier."""
    return cross(arm, transposed_times(R, force))


def skew_polynomial(a: Vector, first: Any, second: Any) -> Matrix:
    """I + first [a] + second [a]^2 with [a] b = a x b."""
    s0, s1, s2 = first * a[0], first * a[1], first * a[2]
    b0, b1, b2 = second * a[0], second * a[1], second * a[2]
    p0, p1, p2 = b0 * a[0], b1 * a[1], b2 * a[2]
    q0, q1, q2 = b1 * a[2], b2 * a[0], b0 * a[1]
    return (1.0 - (p1 + p2), q2 - s2, q1 + s1), (q2 + s2, 1.0 - (p2 + p0), q0 - s0), (q1 - s1, q0 + s0, 1.0 - (p0 + p1))


def exp(a: Vector) -> Matrix:
    """The rotation matrix of a rotation vector."""
    x = dot(a, a) + TINY
    half = 0.5 * np.sqrt(x)
    sine = np.sin(half)
    return skew_polynomial(a, sine * np.cos(half) / half, 2.0 * sine * sine / x)


def log(R: Matrix) -> Vector:
    """The rotation vector of a rotation matrix that is not near half a turn."""
    v0, v1, v2 = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    sine = 0.5 * np.sqrt(v0 * v0 + v1 * v1 + v2 * v2 + TINY)
    scale = np.arctan(sine / (0.5 * (1.0 + R[0][0] + R[1][1] + R[2][2]))) / sine
    return scale * v0, scale * v1, scale * v2


def cotangent(x: Any) -> Any:
    """c = (1 - (a/2) cot(a/2)) / a^2 with x = a^2. Where a is small it loses digits, but c a^2 does not.

    Real numbers only: rotations.cotangent_coefficient keeps the digits of complex steps, and has derivatives.
    """
    x = x + TINY
    half = 0.5 * np.sqrt(x)
    return (1.0 - half / np.tan(half)) / x


def inverse_jacobian(s: Vector) -> Matrix:
    """B(s) = I - [s]/2 + c [s]^2: s' = B(s) omega of a rotation vector s, omega in the axes that do not turn."""
    return skew_polynomial(s, -0.5, cotangent(dot(s, s)))


def vector_rate(a: Vector, w: Vector) -> Vector:
    """a' = B(-a) w of the rotation vector of R0 exp([a]) that turns at w in the axes that turn with it."""
    c = cotangent(dot(a, a))
    b0, b1, b2 = cross(a, w)
    d0, d1, d2 = cross(a, (b0, b1, b2))
    return w[0] + 0.5 * b0 + c * d0, w[1] + 0.5 * b1 + c * d1, w[2] + 0.5 * b2 + c * d2


# Loops ----------------------------------------------------------------------------------------------------------------
def features(
    start: np.ndarray, column: np.ndarray, factor: np.ndarray, arm: np.ndarray, carrier: np.ndarray,
    r: np.ndarray, R: np.ndarray, v: np.ndarray, w: np.ndarray, both: np.ndarray, value: np.ndarray, rate: np.ndarray,
) -> None:  # fmt: skip
    """Scalar products x . y and their rates; x and y (2 n, 3) are left in `both`.

    Rows `start`, `column`, `factor` (CSR) make the features of positions and arms.
    """
    bodies, n = len(r), len(value)
    table = np.empty((bodies + len(arm), 6))
    table[:bodies, :3], table[:bodies, 3:] = r, v
    for k, c in enumerate(carrier):
        own, own1 = times(R[c], arm[k]), times(R[c], cross(w[c], arm[k]))
        for i in range(3):
            table[bodies + k, i], table[bodies + k, 3 + i] = own[i], own1[i]
    f = np.empty((2, 6))
    x, x1, y, y1 = f[0, :3], f[0, 3:], f[1, :3], f[1, 3:]
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
        value[p], rate[p] = dot(x, y), product_rate(x, x1, y, y1)


def product_jets(
    start: np.ndarray, column: np.ndarray, factor: np.ndarray, arm: np.ndarray, carrier: np.ndarray,
    rides: np.ndarray, c: np.ndarray, own: np.ndarray, r: np.ndarray, R: np.ndarray, v: np.ndarray, w: np.ndarray,
    value: np.ndarray, rate: np.ndarray, acceleration: np.ndarray, gradient: np.ndarray,
) -> None:  # fmt: skip
    """Scalar products with rates, accelerations while bodies do not accelerate, and gradients (n, K, 6).

    Each rides on K carriers, `rides` (n, K), with the shares c (2, K, n) and arms own (3, 2, K, n) of x and y.
    """
    bodies, n = len(r), len(value)
    table = np.zeros((bodies + len(arm), 9))
    table[:bodies, :3], table[:bodies, 3:6] = r, v
    for k, body in enumerate(carrier):
        first = cross(w[body], arm[k])
        own0, own1, own2 = times(R[body], arm[k]), times(R[body], first), times(R[body], cross(w[body], first))
        for i in range(3):
            table[bodies + k, i], table[bodies + k, 3 + i], table[bodies + k, 6 + i] = own0[i], own1[i], own2[i]
    f = np.empty((2, 9))
    x, x1, x2, y, y1, y2 = f[0, :3], f[0, 3:6], f[0, 6:], f[1, :3], f[1, 3:6], f[1, 6:]
    for p in range(n):
        for side in range(2):
            row = p + side * n
            for i in range(9):
                f[side, i] = 0.0
            for e in range(start[row], start[row + 1]):
                for i in range(9):
                    f[side, i] += factor[e] * table[column[e], i]
        value[p], rate[p] = dot(x, y), product_rate(x, x1, y, y1)
        acceleration[p] = dot(x2, y) + 2.0 * dot(x1, y1) + dot(x, y2)
        for k in range(rides.shape[1]):
            frame = R[rides[p, k]]
            by_x, by_y = moment(own[:, 0, k, p], frame, y), moment(own[:, 1, k, p], frame, x)
            for i in range(3):
                gradient[p, k, i] = c[0, k, p] * y[i] + c[1, k, p] * x[i]
                gradient[p, k, 3 + i] = by_x[i] + by_y[i]


def angle_slopes(S: Any, C: Any) -> tuple[Any, Any]:
    """Slopes of atan2(S, C) by S and C."""
    n = S * S + C * C
    return C / n, -S / n


def angle_jets(sine: np.ndarray, cosine: np.ndarray, jets: np.ndarray, slopes: np.ndarray) -> None:
    """atan2(S, C) of S and C (3, n) with two rates each: value, rate, acceleration (3, n), slopes by S and C (n, 2)."""
    for k in range(len(slopes)):
        S, C = sine[0, k], cosine[0, k]
        by_sine, by_cosine = angle_slopes(S, C)
        rate = by_sine * sine[1, k] + by_cosine * cosine[1, k]
        growth = by_sine * cosine[1, k] - by_cosine * sine[1, k]  # of the length, relative to it
        jets[0, k], jets[1, k] = np.arctan2(S + 0.0, C), rate
        jets[2, k] = by_sine * sine[2, k] + by_cosine * cosine[2, k] - 2.0 * rate * growth
        slopes[k, 0], slopes[k, 1] = by_sine, by_cosine


def pulled(
    start: np.ndarray, column: np.ndarray, factor: np.ndarray, arm: np.ndarray, carrier: np.ndarray,
    R: np.ndarray, both: np.ndarray, force: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Adds what forces along the scalar products do to the carriers, (carriers, 6)."""
    bodies, n = len(R), len(force)
    down = np.zeros((bodies + len(arm), 3))
    for p in range(n):
        for side in range(2):
            row, other = p + side * n, p + (1 - side) * n
            for e in range(start[row], start[row + 1]):
                pull = factor[e] * force[p]
                for i in range(3):
                    down[column[e], i] += pull * both[other, i]
    out[:, :3] += down[:bodies]
    for k, c in enumerate(carrier):
        turn = moment(arm[k], R[c], down[bodies + k])
        for i in range(3):
            out[c, 3 + i] += turn[i]


def turned_pairs(
    i: np.ndarray, j: np.ndarray, first: np.ndarray, second: np.ndarray, R: np.ndarray, w: np.ndarray,
    s: np.ndarray, rate: np.ndarray, by_first: np.ndarray, by_second: np.ndarray,
) -> bool:  # fmt: skip
    """Rotation vectors s of pairs of frames, their rates, and these by the turning of the first and second carrier.

    False where a pair is near half a turn: that needs more care.
    """
    for k in range(len(i)):
        Q = product(transposed(product(R[i[k]], first[k])), R[j[k]])
        E = product(Q, second[k])
        if E[0][0] + E[1][1] + E[2][2] < FAR:
            return False
        vector = log(E)
        B = inverse_jacobian(vector)
        F, S = product(B, transposed(first[k])), product(B, Q)
        for a in range(3):
            s[k, a], rate[k, a] = vector[a], dot(S[a], w[j[k]]) - dot(F[a], w[i[k]])
            for b in range(3):
                by_first[k, a, b], by_second[k, a, b] = -F[a][b], S[a][b]
    return True


def swept(
    start: np.ndarray, column: np.ndarray, factor: np.ndarray, arm: np.ndarray, carrier: np.ndarray,
    plain: np.ndarray, angles: np.ndarray, parts: np.ndarray, i: np.ndarray, j: np.ndarray, first: np.ndarray,
    second: np.ndarray, r: np.ndarray, R: np.ndarray, v: np.ndarray, w: np.ndarray, both: np.ndarray,
    products: np.ndarray, measures: np.ndarray, slopes: np.ndarray, by_first: np.ndarray, by_second: np.ndarray,
) -> bool:  # fmt: skip
    """Scalar products (2, n) and measures (2, m), values and rates, with the slopes of angles and of rotation vectors:
    `plain` (2, k) are measures that are products, `angles` (3, k) those of a sine and a cosine, `parts` (2, k) those
    that are components of rotation vectors. False where a rotation vector needs more care."""
    features(start, column, factor, arm, carrier, r, R, v, w, both, products[0], products[1])
    for k in range(plain.shape[1]):
        for level in range(2):
            measures[level, plain[0, k]] = products[level, plain[1, k]]
    for k in range(angles.shape[1]):
        m, S, C = angles[0, k], angles[1, k], angles[2, k]
        slopes[k, 0], slopes[k, 1] = angle_slopes(products[0, S], products[0, C])
        measures[0, m] = np.arctan2(products[0, S] + 0.0, products[0, C])
        measures[1, m] = slopes[k, 0] * products[1, S] + slopes[k, 1] * products[1, C]
    if len(i) == 0:
        return True
    s, rate = np.empty((len(i), 3)), np.empty((len(i), 3))
    is_near = turned_pairs(i, j, first, second, R, w, s, rate, by_first, by_second)
    for k in range(parts.shape[1]):
        pair, axis = parts[1, k] // 3, parts[1, k] % 3
        measures[0, parts[0, k]], measures[1, parts[0, k]] = s[pair, axis], rate[pair, axis]
    return is_near


def swept_many(
    start: np.ndarray, column: np.ndarray, factor: np.ndarray, arm: np.ndarray, carrier: np.ndarray,
    plain: np.ndarray, angles: np.ndarray, parts: np.ndarray, i: np.ndarray, j: np.ndarray, first: np.ndarray,
    second: np.ndarray, r: np.ndarray, R: np.ndarray, v: np.ndarray, w: np.ndarray, measures: np.ndarray,
) -> bool:  # fmt: skip
    """Measures (states, 2, m) as by `swept` of carriers (states, n, ...)."""
    n = (len(start) - 1) // 2
    both, products, slopes = np.empty((2 * n, 3)), np.empty((2, n)), np.empty((angles.shape[1], 2))
    by_first, by_second = np.empty((len(i), 3, 3)), np.empty((len(i), 3, 3))
    for k in range(len(r)):
        if not swept(
            start, column, factor, arm, carrier, plain, angles, parts, i, j, first, second, r[k], R[k], v[k], w[k],
            both, products, measures[k], slopes, by_first, by_second,
        ):  # fmt: skip
            return False
    return True


def swept_back(
    start: np.ndarray, column: np.ndarray, factor: np.ndarray, arm: np.ndarray, carrier: np.ndarray,
    plain: np.ndarray, angles: np.ndarray, parts: np.ndarray, i: np.ndarray, j: np.ndarray, R: np.ndarray,
    both: np.ndarray, slopes: np.ndarray, by_first: np.ndarray, by_second: np.ndarray, force: np.ndarray,
    weights: np.ndarray, out: np.ndarray,
) -> None:  # fmt: skip
    """Adds what forces (m,) along the measures of `swept` do to the carriers, (carriers, 6); `weights` (n,) are forces
    along the products from elsewhere."""
    for k in range(plain.shape[1]):
        weights[plain[1, k]] += force[plain[0, k]]
    for k in range(angles.shape[1]):
        for side in range(2):
            weights[angles[1 + side, k]] += slopes[k, side] * force[angles[0, k]]
    for k in range(parts.shape[1]):
        pair, axis = parts[1, k] // 3, parts[1, k] % 3
        for b in range(3):
            out[i[pair], 3 + b] += force[parts[0, k]] * by_first[pair, axis, b]
            out[j[pair], 3 + b] += force[parts[0, k]] * by_second[pair, axis, b]
    pulled(start, column, factor, arm, carrier, R, both, weights, out)


def move(r: np.ndarray, R: np.ndarray, step: np.ndarray) -> None:
    """r + dr and R exp([a]) in place, for steps (dr, a), (n, 6)."""
    for n in range(len(r)):
        E = exp(step[n, 3:])
        for i in range(3):
            r[n, i] += step[n, i]
            row = transposed_times(E, R[n, i])
            R[n, i, 0], R[n, i, 1], R[n, i, 2] = row


def vector_steps(d: np.ndarray, step: np.ndarray) -> np.ndarray:
    """Changes of (dr, a), (n, 6), that move the configuration by `step`."""
    out = step.copy()
    for n in range(len(d)):
        out[n, 3], out[n, 4], out[n, 5] = vector_rate(d[n, 3:], step[n, 3:])
    return out


def between(
    x: float, h: float, r0: np.ndarray, R0: np.ndarray, u0: np.ndarray, a0: np.ndarray, r1: np.ndarray, R1: np.ndarray,
    u1: np.ndarray, a1: np.ndarray, r: np.ndarray, R: np.ndarray, u: np.ndarray,
) -> None:  # fmt: skip
    """Poses and velocities (n, 6) at the share x of a step h between states with accelerations, by Hermite's cubics."""
    rise, out, into = x * x * (3.0 - 2.0 * x), x * (1.0 - x) ** 2 * h, x * x * (x - 1.0) * h
    step = np.empty((len(r), 6))
    r[:], R[:] = r0, R0
    for n in range(len(r)):
        turn = log(product(transposed(R0[n]), R1[n]))
        turning = vector_rate(turn, u1[n, 3:])
        for i in range(3):
            step[n, i] = out * u0[n, i] + rise * (r1[n, i] - r0[n, i]) + into * u1[n, i]
            step[n, 3 + i] = out * u0[n, 3 + i] + rise * turn[i] + into * turning[i]
        for i in range(6):
            u[n, i] = (1.0 - rise) * u0[n, i] + out * a0[n, i] + rise * u1[n, i] + into * a1[n, i]
    move(r, R, step)


def inertial(mass: np.ndarray, inertia: np.ndarray, rate: np.ndarray, w: np.ndarray) -> np.ndarray:
    """M u' + h of rigid bodies, (n, 6)."""
    out = np.empty(rate.shape)
    for n in range(len(mass)):
        turned, spun = times(inertia[n], rate[n, 3:]), cross(w[n], times(inertia[n], w[n]))
        for i in range(3):
            out[n, i], out[n, 3 + i] = mass[n] * rate[n, i], turned[i] + spun[i]
    return out


def bent_inertia(
    columns: np.ndarray, J1: np.ndarray, J2: np.ndarray, b: np.ndarray, eta: np.ndarray, rate: np.ndarray,
    w: np.ndarray, mass: np.ndarray, force: np.ndarray,
) -> None:  # fmt: skip
    """Adds what bending by eta (m,) changes in the inertia of a body (dynamics.flexible), with `columns` of (w, eta):
    D and B to the mass matrix (nq, nq), and the force without accelerations (nq,). A column nq is left out."""
    m, nq = len(eta), len(force)
    D, turned, coriolis = np.zeros((3, 3)), np.zeros((m, 3)), np.zeros((m, 3))
    momentum, growth = np.zeros(3), np.zeros(3)
    for k in range(m):
        own = columns[3 + k]
        for i in range(3):
            B = 0.0
            for n in range(m):
                B += eta[n] * b[n, k, i]
                coriolis[k, i] += rate[n] * b[n, k, i]
            momentum[i] += B * rate[k]
            if own < nq and columns[i] < nq:
                mass[own, columns[i]] += B
                mass[columns[i], own] += B
            for j in range(3):
                slope = J1[k, i, j]
                for n in range(m):
                    slope += 2.0 * eta[n] * J2[k, n, i, j]
                D[i, j] += 0.5 * eta[k] * (J1[k, i, j] + slope)
                turned[k, i] += slope * w[j]
            growth[i] += turned[k, i] * rate[k]
        if own < nq:
            force[own] += 2.0 * dot(coriolis[k], w) - 0.5 * dot(turned[k], w)
    momentum += np.array(times(D, w))
    gyroscopic = cross(w, momentum)
    for i in range(3):
        if columns[i] < nq:
            force[columns[i]] += growth[i] + gyroscopic[i]
            for j in range(3):
                if columns[j] < nq:
                    mass[columns[i], columns[j]] += D[i, j]
