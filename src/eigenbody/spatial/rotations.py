"""Rotation matrices, rotation vectors and their differentials.

Every function takes leading batch axes and complex input (complex steps), so none uses abs, norm or comparison on the
imaginary part; branches look at the real part alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from eigenbody.base.batched import over_variants, stack
from eigenbody.spatial import components as by_components

# (1 - (a/2) cot(a/2)) / a^2 = sum_k 2 zeta(2k) / (2 pi)^(2k) x^(k-1), x = a^2: 32 terms are exact to rounding up to pi
_TERMS = 32
_ZETA = [math.pi**2 / 6, math.pi**4 / 90, math.pi**6 / 945]
_ZETA += [math.fsum(n ** (-2.0 * k) for n in range(1, 250)) for k in range(4, _TERMS + 1)]
_COT = np.array([2.0 * z / (2 * math.pi) ** (2 * k) for k, z in enumerate(_ZETA, 1)])
_COT1 = _COT[1:] * np.arange(1, _TERMS)
_COT2 = _COT1[1:] * np.arange(1, _TERMS - 1)
_VERSINE = np.array([(-1.0) ** k / math.factorial(2 * k + 2) for k in range(12)])  # (1 - cos a)/a^2 by powers of a^2
_SINE = np.array([(-1.0) ** k / math.factorial(2 * k + 3) for k in range(12)])  # (1 - sin(a)/a)/a^2
_ENOUGH = ((1e-2, 7), (1.0, 14), (np.inf, _TERMS))  # largest x, and as many terms as are exact to rounding
_MANY = 4  # vectors for one matrix from which they are worth gathering


def skew(a: np.ndarray) -> np.ndarray:
    """Matrix [a] with [a] b = a x b. (..., 3) -> (..., 3, 3)."""
    out = np.zeros((*a.shape, 3), dtype=a.dtype)
    out[..., 0, 1] = -a[..., 2]
    out[..., 0, 2] = a[..., 1]
    out[..., 1, 0] = a[..., 2]
    out[..., 1, 2] = -a[..., 0]
    out[..., 2, 0] = -a[..., 1]
    out[..., 2, 1] = a[..., 0]
    return out


def components(a: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(..., 3) -> three arrays (...)."""
    return a[..., 0], a[..., 1], a[..., 2]


def rows(R: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray, np.ndarray], ...]:
    """(..., 3, 3) -> three rows of three arrays (...)."""
    return components(R[..., 0, :]), components(R[..., 1, :]), components(R[..., 2, :])


def vector(a: Sequence[np.ndarray]) -> np.ndarray:
    """Three arrays (...) of the same shape -> (..., 3)."""
    out = np.empty((*a[0].shape, 3), dtype=a[0].dtype)
    out[..., 0], out[..., 1], out[..., 2] = a
    return out


def matrix(R: Sequence[Sequence[np.ndarray]]) -> np.ndarray:
    """Three rows of three arrays (...) of the same shape -> (..., 3, 3)."""
    out = np.empty((*R[0][0].shape, 3, 3), dtype=R[0][0].dtype)
    for i, row in enumerate(R):
        out[..., i, 0], out[..., i, 1], out[..., i, 2] = row
    return out


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product along the last axis; faster than numpy's for the many short vectors here."""
    shape = a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape)
    out = np.empty(shape, dtype=np.result_type(a, b))
    out[..., 0], out[..., 1], out[..., 2] = by_components.cross(components(a), components(b))
    return out


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Scalar product along the last axis, without conjugation."""
    return np.einsum("...i,...i->...", a, b)


def apply(R: np.ndarray, a: np.ndarray) -> np.ndarray:
    """R a for (..., 3, 3) and (..., 3)."""
    return _times_many(R.mT, a) if _are_many(R, a) else np.einsum("...ij,...j->...i", R, a)


def apply_transposed(R: np.ndarray, a: np.ndarray) -> np.ndarray:
    """R^T a for (..., 3, 3) and (..., 3)."""
    return _times_many(R, a) if _are_many(R, a) else np.einsum("...ij,...i->...j", R, a)


def _are_many(R: np.ndarray, a: np.ndarray) -> bool:
    """Whether there are many vectors (..., n, ..., 3) for each matrix (n, ..., 3, 3)."""
    first = a.ndim - R.ndim + 1
    return first > 0 and R.ndim > 2 and a.shape[first:-1] == R.shape[:-2] and math.prod(a.shape[:first]) >= _MANY


def _times_many(R: np.ndarray, a: np.ndarray) -> np.ndarray:
    """a R for row vectors (..., n, ..., 3): all of them that meet one matrix (n, ..., 3, 3) at once."""
    lead = a.shape[: a.ndim - R.ndim + 1]
    out = np.moveaxis(np.moveaxis(a.reshape(-1, *a.shape[len(lead) :]), 0, -2) @ R, -2, 0)
    return out.reshape(*lead, *out.shape[1:])


@over_variants
def unit(a: np.ndarray) -> np.ndarray:
    """The direction of a as a unit vector."""
    a = a / np.abs(np.real(a)).max(axis=-1, keepdims=True)  # squares of the components neither over- nor underflow
    return a / np.sqrt(dot(a, a))[..., None]


def exp(a: np.ndarray) -> np.ndarray:
    """Rotation matrix of the rotation vector a. (..., 3) -> (..., 3, 3)."""
    return matrix(by_components.exp(components(a)))


def turning_vector(a: np.ndarray, a1: np.ndarray, a2: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R = exp(a), its angular velocity and angular acceleration in body axes, of a rotation vector a of any length with
    its first two time derivatives: w = J a', J = I - f(a.a) [a] + g(a.a) [a]^2 (`versine_coefficients`)."""
    x, y = dot(a, a)[..., None], 2 * dot(a, a1)[..., None]
    (f, f1), (g, g1) = versine_coefficients(x)
    once, twice = cross(a, a1), cross(a, cross(a, a1))
    turn = -f * cross(a, a2) + g * (cross(a1, once) + cross(a, cross(a, a2)))  # a' x a' = 0
    return exp(a), a1 - f * once + g * twice, a2 + turn - f1 * y * once + g1 * y * twice


def versine_coefficients(x: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """f(x) = (1 - cos a)/a^2 and g(x) = (1 - sin(a)/a)/a^2 of x = a^2 >= 0, each with its derivative by x."""
    small = np.real(x) < 1.0  # series: 12 terms are exact to rounding there
    safe = np.where(small, 1.0, x)
    a = np.sqrt(safe)
    sine, cosine = np.sin(a), np.cos(a)
    f, g = (1 - cosine) / safe, (1 - sine / a) / safe
    f1, g1 = (sine / (2 * a) - f) / safe, ((sine / a - cosine) / (2 * safe) - g) / safe
    polyval, near = np.polynomial.polynomial.polyval, np.where(small, x, 0.0)
    series = (_VERSINE, _VERSINE[1:] * np.arange(1, 12), _SINE, _SINE[1:] * np.arange(1, 12))
    out = [np.where(small, polyval(near, c), far) for c, far in zip(series, (f, f1, g, g1), strict=True)]
    return (out[0], out[1]), (out[2], out[3])


def turning_sequence(
    sequence: str, a: np.ndarray, a1: np.ndarray, a2: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R = R1 R2 R3 of an intrinsic sequence, its angular velocity and angular acceleration in body axes."""
    R, w, alpha = np.eye(3), np.zeros(3), np.zeros(3)
    for k, letter in enumerate(sequence):
        axis = np.eye(3)["xyz".index(letter)]
        step = exp(a[..., k, None] * axis)
        w, alpha, own = apply_transposed(step, w), apply_transposed(step, alpha), a1[..., k, None] * axis
        R, w, alpha = R @ step, w + own, alpha + a2[..., k, None] * axis + cross(w, own)
    return R, w, alpha


def turning_quaternion(q: np.ndarray, q1: np.ndarray, q2: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R of a quaternion (w, x, y, z) of any length but zero, its angular velocity w = 2 conj(q) q'/(q.q) and angular
    acceleration in body axes."""
    square = dot(q, q)[..., None]
    w = 2 * _imaginary(q, q1) / square
    return from_quaternion(q), w, 2 * (_imaginary(q, q2) - dot(q, q1)[..., None] * w) / square


def _imaginary(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Imaginary part of conj(p) q."""
    return p[..., :1] * q[..., 1:] - q[..., :1] * p[..., 1:] - cross(p[..., 1:], q[..., 1:])


def quaternion(R: np.ndarray) -> np.ndarray:
    """Unit quaternion (w, x, y, z) with real(w) >= 0 of a rotation matrix. (..., 3, 3) -> (..., 4)."""
    d = R[..., [0, 1, 2], [0, 1, 2]]
    trace = d.sum(axis=-1)
    four = np.concatenate((1 + trace[..., None], 1 - trace[..., None] + 2 * d), axis=-1)  # 4 times the squares
    a = R[..., [2, 0, 1], [1, 2, 0]] - R[..., [1, 2, 0], [2, 0, 1]]  # 4 w (x, y, z)
    s = R[..., [2, 0, 1], [1, 2, 0]] + R[..., [1, 2, 0], [2, 0, 1]]  # 4 (y z, z x, x y)
    P = np.empty((*R.shape[:-2], 4, 4), dtype=R.dtype)  # 4 q q^T, from which the best row is taken
    P[..., range(4), range(4)] = four
    P[..., 0, 1:] = P[..., 1:, 0] = a
    for (i, j), k in (((2, 3), 0), ((3, 1), 1), ((1, 2), 2)):
        P[..., i, j] = P[..., j, i] = s[..., k]
    best = np.argmax(np.real(four), axis=-1)
    row = np.take_along_axis(P, best[..., None, None], axis=-2)[..., 0, :]
    q = row / (2 * np.sqrt(np.take_along_axis(four, best[..., None], axis=-1)))
    return np.where(np.real(q[..., :1]) < 0, -q, q)


def log(R: np.ndarray) -> np.ndarray:
    """Rotation vector of a rotation matrix, angle in [0, pi]. (..., 3, 3) -> (..., 3)."""
    far = np.real(R[..., 0, 0] + R[..., 1, 1] + R[..., 2, 2]) < by_components.FAR
    if not far.any():
        return vector(by_components.log(rows(R)))
    near = vector(by_components.log(rows(np.where(far[..., None, None], np.eye(3), R))))
    return np.where(far[..., None], _log_near_half_a_turn(R), near)


def _log_near_half_a_turn(R: np.ndarray) -> np.ndarray:
    """The same where the direction has to be found with more care: by the quaternion."""
    q = quaternion(R)
    w, v = q[..., 0], q[..., 1:]
    sine = np.sqrt(dot(v, v) + by_components.TINY)
    return ((np.pi - 2 * np.arctan(w / sine)) / sine)[..., None] * v


def inverse_jacobian(s: np.ndarray) -> np.ndarray:
    """B(s) with s' = B(s) omega for real rotation vectors s, omega in the axes that do not turn. -> (n, 3, 3)."""
    return matrix(by_components.inverse_jacobian(components(s)))


def vector_rate(a: np.ndarray, w: np.ndarray) -> np.ndarray:
    """a' of real rotation vectors a, of R0 exp([a]) that turns at w in body axes. (n, 3) -> (n, 3)."""
    return vector(by_components.vector_rate(components(a), components(w)))


def cotangent_coefficient(x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """c(x) = (1 - (a/2) cot(a/2)) / a^2 with x = a^2 <= pi^2, and its first two derivatives by x.

    The inverse left Jacobian of the rotation vector s is B(s) = I - [s]/2 + c(s.s) [s]^2: s' = B(s) omega with omega
    in the axes of the first frame.
    """
    polyval = np.polynomial.polynomial.polyval
    largest = np.abs(x).max(initial=0.0)
    terms = next((count for up_to, count in _ENOUGH if largest <= up_to), len(_COT))  # also of what is no number
    return polyval(x, _COT[:terms]), polyval(x, _COT1[:terms]), polyval(x, _COT2[:terms])


@over_variants
def about_axis(axis: np.ndarray, angle: np.ndarray | float | complex) -> np.ndarray:
    """Rotation matrix about a direction (need not be a unit vector) by an angle."""
    return exp(unit(np.asarray(axis)) * np.asarray(angle)[..., None])


@over_variants
def from_quaternion(q: np.ndarray) -> np.ndarray:
    """Rotation matrix of a quaternion (w, x, y, z) of any length but zero."""
    q = unit(q)
    S = skew(q[..., 1:])
    return np.eye(3) + 2 * q[..., 0, None, None] * S + 2 * S @ S


def from_sequence(sequence: str, angles: np.ndarray | Sequence[float]) -> np.ndarray:
    """R = R1 R2 R3 for an intrinsic sequence such as "zxz"; capital letters mean extrinsic, R = R3 R2 R1."""
    R = np.eye(3)
    for letter, angle in zip(sequence, np.moveaxis(np.asarray(angles), -1, 0), strict=True):
        step = about_axis(np.eye(3)["xyz".index(letter.lower())], angle)
        R = step @ R if letter.isupper() else R @ step
    return R


@over_variants
def frame(z: np.ndarray, x: np.ndarray | None = None) -> np.ndarray:
    """Frame (columns x, y, z) with z along `z` and x the projection of `x` normal to it.

    Without `x`, the global axis least aligned with z is projected. (..., 3) -> (..., 3, 3).
    """
    z = unit(np.asarray(z))
    if x is None:
        x = np.eye(3)[np.abs(z.real).round(12).argmin(axis=-1)]
    x = unit(x - z * dot(z, x)[..., None])
    return stack((x, cross(z, x), z), axis=-1)
