"""Finite elements of a shaft by hand: Timoshenko beams with rotary inertia and gyroscopic terms, seen from the ground.

Matrices of Friswell, Penny, Garvey & Lees, Dynamics of Rotating Machines, 5.4. Nodes have (x, y, slope of x, slope of
y); with z = x + i y one plane serves both: M z'' - i W G z' + K z = 0, G from the polar inertia.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Shaft:
    """A round shaft of equal elements along z; bearings and discs at nodes."""

    length: float
    diameter: float
    elements: int
    E: float
    nu: float
    density: float

    def planes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """M, G (per rad/s) and K (2 n, 2 n) of one plane, [displacement, slope] of each node."""
        shear = 6 * (1 + self.nu) / (7 + 6 * self.nu)  # Cowper 1966, solid circle
        moving, turning, K = self.plane(np.pi * self.diameter**2 / 4, np.pi * self.diameter**4 / 64, shear)
        return moving + turning, 2 * turning, K

    def plane(self, area: float, inertia: float, shear: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mass by displacement, mass by turning of the sections, and stiffness (2 n, 2 n) of a plane in which sections
        have this area, moment of inertia and shear coefficient."""
        L = self.length / self.elements
        phi = 12 * self.E * inertia / (self.E / (2 * (1 + self.nu)) * shear * area * L**2)
        k = self.E * inertia / ((1 + phi) * L**3)
        K = k * np.array([
            [12, 6 * L, -12, 6 * L], [6 * L, (4 + phi) * L**2, -6 * L, (2 - phi) * L**2],
            [-12, -6 * L, 12, -6 * L], [6 * L, (2 - phi) * L**2, -6 * L, (4 + phi) * L**2],
        ])  # fmt: skip
        a, b = 312 + 588 * phi + 280 * phi**2, (44 + 77 * phi + 35 * phi**2) * L
        c, d = 108 + 252 * phi + 140 * phi**2, -(26 + 63 * phi + 35 * phi**2) * L
        e, f = (8 + 14 * phi + 7 * phi**2) * L**2, -(6 + 14 * phi + 7 * phi**2) * L**2
        moving = np.array([[a, b, c, d], [b, e, -d, f], [c, -d, a, -b], [d, f, -b, e]])
        moving = moving * self.density * area * L / (840 * (1 + phi) ** 2)
        g, h = 36.0, (3 - 15 * phi) * L
        m, n = (4 + 5 * phi + 10 * phi**2) * L**2, (-1 - 5 * phi + 5 * phi**2) * L**2
        turning = np.array([[g, h, -g, h], [h, m, -h, n], [-g, -h, g, -h], [h, n, -h, m]])
        turning = turning * self.density * inertia / (30 * (1 + phi) ** 2 * L)
        size = 2 * (self.elements + 1)
        out = np.zeros((3, size, size))
        for i in range(self.elements):
            at = slice(2 * i, 2 * i + 4)
            out[:, at, at] += (moving, turning, K)
        return out[0], out[1], out[2]


def both_planes(
    shaft: Shaft,
    bearings: dict[int, tuple[np.ndarray, np.ndarray]],
    discs: dict[int, tuple[float, float, float]] | None = None,
    rotating_damping: float = 0.0,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """M, C, G, K and N of M q'' + (C + W G) q' + (K + W N) q = 0, q = [plane x, plane y]. `bearings` are k and c (2, 2)
    by node, `discs` mass, diametral and polar inertia; `rotating_damping` times K damps what turns with the shaft."""
    M, G, K = (np.array(part) for part in shaft.planes())
    for node, (mass, diametral, polar) in (discs or {}).items():
        M[2 * node, 2 * node] += mass
        M[2 * node + 1, 2 * node + 1] += diametral
        G[2 * node + 1, 2 * node + 1] += polar
    n, zero = len(M), np.zeros_like(M)
    inner = rotating_damping * K
    whole = [np.block([[part, zero], [zero, part]]) for part in (M, inner, K)]
    gyroscopic = np.block([[zero, G], [-G, zero]])
    circulatory = np.block([[zero, inner], [-inner, zero]])
    for node, (k, c) in bearings.items():
        at = np.ix_([2 * node, n + 2 * node], [2 * node, n + 2 * node])
        whole[1][at] += c
        whole[2][at] += k
    return whole[0], whole[1], gyroscopic, whole[2], circulatory


def eigenvalues(parts: tuple[np.ndarray, ...], speed: float) -> np.ndarray:
    """With positive imaginary part, lowest first."""
    M, C, G, K, N = parts
    n = len(M)
    A = np.block([
        [np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K + speed * N), -np.linalg.solve(M, C + speed * G)],
    ])  # fmt: skip
    found = np.linalg.eigvals(A)
    found = found[found.imag > 1e-6]
    return found[np.argsort(np.abs(found))]
