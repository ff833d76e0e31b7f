"""Small vector kernels for real arrays on the hot path; elements and spatial have the general ones."""

from __future__ import annotations

import numpy as np

from eigenbody.elements.measures.compose import Outer
from eigenbody.elements.measures.templates import ARCTANGENT
from eigenbody.spatial.rotations import log

TINY = 1e-300
IDENTITY = np.eye(3)


def distinct(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the rows that are different (the first of each kind), and which of them each row is."""
    key = table @ np.random.default_rng(1).normal(size=table.shape[1])  # equal rows have equal keys
    _, first, index = np.unique(key, return_index=True, return_inverse=True)
    if np.array_equal(table[first][index], table):
        return first, index
    _, first, index = np.unique(table, axis=0, return_index=True, return_inverse=True)
    return first, index.ravel()


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product along the last axis of arrays of the same shape."""
    out = np.empty(a.shape)
    a0, a1, a2 = a[..., 0], a[..., 1], a[..., 2]
    b0, b1, b2 = b[..., 0], b[..., 1], b[..., 2]
    out[..., 0] = a1 * b2 - a2 * b1
    out[..., 1] = a2 * b0 - a0 * b2
    out[..., 2] = a0 * b1 - a1 * b0
    return out


def turning(w: np.ndarray) -> np.ndarray:
    """Matrices [w] with [w] b = w x b, (n, 3) -> (n, 3, 3)."""
    out = np.zeros((len(w), 3, 3))
    out[:, 2, 1], out[:, 0, 2], out[:, 1, 0] = w.T
    return out - np.swapaxes(out, 1, 2)


def rotation(a: np.ndarray) -> np.ndarray:
    """exp([a]) for real rotation vectors, (n, 3) -> (n, 3, 3)."""
    x = np.einsum("ij,ij->i", a, a) + TINY
    half = 0.5 * np.sqrt(x)
    sine = np.sin(half)
    versine = 2 * sine * sine / x
    S = turning(a)
    return IDENTITY + (sine * np.cos(half) / half)[:, None, None] * S + versine[:, None, None] * (S @ S)


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """The rotation vector of rotation matrices, (n, 3, 3) -> (n, 3)."""
    cosine = 0.5 * (R[:, 0, 0] + R[:, 1, 1] + R[:, 2, 2] - 1)
    if cosine.min(initial=1.0) < -0.9:  # near half a turn the direction has to be found with more care
        return log(R)
    v = np.empty((len(R), 3))
    v[:, 0], v[:, 1], v[:, 2] = R[:, 2, 1] - R[:, 1, 2], R[:, 0, 2] - R[:, 2, 0], R[:, 1, 0] - R[:, 0, 1]
    sine = 0.5 * np.sqrt(np.einsum("ij,ij->i", v, v)) + TINY
    return (0.5 * np.arctan2(sine, cosine) / sine)[:, None] * v


def vector_rate(a: np.ndarray, w: np.ndarray) -> np.ndarray:
    """a' of the rotation vector a of R0 exp([a]) that turns at w in body axes: w + a x w / 2 + c a x (a x w)."""
    x = np.einsum("ij,ij->i", a, a) + TINY
    half = 0.5 * np.sqrt(x)
    c = (1 - half / np.tan(half)) / x  # loses digits for small a, where it counts for nothing
    A = turning(a)
    first = A @ w[..., None]
    return w + (0.5 * first + c[:, None, None] * (A @ first))[..., 0]


def chained(outer: Outer, b: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """phi, its gradient (parts, n) and rate^T Hessian rate of an outer function of b (parts, n)."""
    if outer == ARCTANGENT:
        S, C = b
        n = S * S + C * C
        u, v = C / n, -S / n
        p, q = rate
        bent = 2 * u * v * (p * p - q * q) - 2 * (u * u - v * v) * p * q
        return np.arctan2(S, C), np.stack((u, v)), bent
    value, d1, d2, _ = outer.derivatives(b.T)
    return value, d1.T, np.einsum("ijk,ji,ki->i", d2, rate, rate)
