"""Euler parameters: of a rotation, their product, and the direction cosine matrix (Trom 1990, Sec. 2.2 and 2.4.1)."""

from __future__ import annotations

import numpy as np


def euler_parameters(rotation: np.ndarray) -> np.ndarray:
    """e0 = cos(phi/2), e = u sin(phi/2) of the rotation vector phi u (Eq. 2.1). (3,) -> (4,), real or complex."""
    square = (rotation * rotation).sum() / 4
    if abs(square) < 1e-4:
        cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)))
        sine = 1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72)))
    else:
        half = np.sqrt(square)
        cosine, sine = np.cos(half), np.sin(half) / half
    return np.concatenate(([cosine], sine * rotation / 2))


def product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Euler parameters of the rotation q followed by p, both about global axes: A(p q) = A(p) A(q).

    A 4 x 4 matrix on q. Eqs. 2.21 and 2.22 as printed have a 3 x 4 matrix, which cannot map four parameters on four.
    """
    e0, e1, e2, e3 = p
    matrix = np.array([[e0, -e1, -e2, -e3], [e1, e0, -e3, e2], [e2, e3, e0, -e1], [e3, -e2, e1, e0]])
    return matrix @ q


def direction_cosines(p: np.ndarray) -> np.ndarray:
    """A(p) (3, 3), Eq. 2.3."""
    e0, e1, e2, e3 = p
    half = np.array(
        [
            [e0 * e0 + e1 * e1 - 0.5, e1 * e2 - e0 * e3, e1 * e3 + e0 * e2],
            [e1 * e2 + e0 * e3, e0 * e0 + e2 * e2 - 0.5, e2 * e3 - e0 * e1],
            [e1 * e3 - e0 * e2, e2 * e3 + e0 * e1, e0 * e0 + e3 * e3 - 0.5],
        ]
    )
    return 2 * half
