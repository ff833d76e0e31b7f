"""Oil film of a short journal bearing (Ocvirk) by quadrature: forces, and coefficients by complex steps.

Reynolds' equation without flow around the journal, h = 1 - x cos a - y sin a, positive pressure alone (half a film):
F = eta W R L^3 / (2 c^2) * integral of b / h^3 (cos a, sin a) da over b < 0, b = (x - 2 y') sin a - (y + 2 x') cos a,
x and y over the clearance c, rates over c W. At the ends of the film b = 0: they may stay where they are when the
forces are differentiated.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq

NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)
STEP = 1e-30


@dataclass(frozen=True)
class ShortBearing:
    """Diameter, length, clearance (m), viscosity (Pa s) and the load (N) that presses the journal towards -y."""

    diameter: float
    length: float
    clearance: float
    viscosity: float
    load: float

    def force(self, speed: float, x, y, vx=0.0, vy=0.0) -> np.ndarray:
        """Force of the film on the journal; all in units of the clearance."""
        start = np.arctan2(np.real(y), np.real(x)) + np.pi
        a = start + np.pi / 2 * (NODES + 1)
        b = (x - 2 * vy) * np.sin(a) - (y + 2 * vx) * np.cos(a)
        h = 1 - x * np.cos(a) - y * np.sin(a)
        size = self.viscosity * speed * self.diameter * self.length**3 / (4 * self.clearance**2)
        return size * np.pi / 2 * np.array([np.sum(WEIGHTS * b / h**3 * n) for n in (np.cos(a), np.sin(a))])

    def place(self, speed: float) -> tuple[float, float]:
        """Where the journal runs under the load, over the clearance."""

        def across(angle: float, e: float) -> float:
            return float(self.force(speed, e * np.cos(angle), e * np.sin(angle))[0])

        def carried(e: float) -> float:
            angle = brentq(across, -np.pi / 2, 0, args=(e,), xtol=1e-14)
            return float(self.force(speed, e * np.cos(angle), e * np.sin(angle))[1])

        e = brentq(lambda e: carried(e) / self.load - 1, 1e-4, 0.97, xtol=1e-14)
        angle = brentq(across, -np.pi / 2, 0, args=(e,), xtol=1e-14)
        return e * np.cos(angle), e * np.sin(angle)

    def coefficients(self, speed: float) -> tuple[np.ndarray, np.ndarray]:
        """k and c (2, 2) about the place under load: forces against displacement and velocity."""
        at = np.array([*self.place(speed), 0.0, 0.0])
        columns = [np.imag(self.force(speed, *(at + 1j * STEP * np.eye(4)[j]))) / STEP for j in range(4)]
        slopes = -np.array(columns).T / self.clearance
        return slopes[:, :2], slopes[:, 2:] / speed


def critical_mass(k: np.ndarray, c: np.ndarray) -> tuple[float, float]:
    """Mass on the film at which it begins to whirl, and the whirl frequency: s = i w in det(m s^2 + c s + k) = 0
    (Routh; Lund 1965). A flexible shaft of stiffness ks in series: m w^2 = keq ks / (keq + ks) at the same w."""
    keq = (k[0, 0] * c[1, 1] + k[1, 1] * c[0, 0] - k[0, 1] * c[1, 0] - k[1, 0] * c[0, 1]) / np.trace(c)
    squared = ((keq - k[0, 0]) * (keq - k[1, 1]) - k[0, 1] * k[1, 0]) / np.linalg.det(c)
    return keq / squared, np.sqrt(squared)
