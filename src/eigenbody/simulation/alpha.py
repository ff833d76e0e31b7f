"""The numbers of the generalized-alpha method, of steps that are like the last one and of steps that are longer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Parameters:
    """am, af, gamma, beta of the method."""

    am: float
    af: float
    gamma: float
    beta: float

    @staticmethod
    def of(rho: float, hht: bool) -> Parameters:
        """By the spectral radius at infinity, 0 to 1 (hht: 1/2 to 1)."""
        am, af = (0.0, (1 - rho) / (1 + rho)) if hht else ((2 * rho - 1) / (rho + 1), rho / (rho + 1))
        gamma = 0.5 + af - am
        return Parameters(am, af, gamma, 0.25 * (gamma + 0.5) ** 2)

    def after(self, ratio: float) -> Parameters:
        """Of a step whose a0 is that of a step shorter by `ratio`: second order, and the same memory of a0."""
        now = self.am - self.af
        then = ratio * now  # times of a after t1 and t0, in steps
        gamma = (0.5 - then) / (1 + now - then)
        return Parameters(self.am, 1 - (1 - self.am) * (1 + now) - self.am * then, gamma, 0.25 * (gamma + 0.5) ** 2)

    def guess(self, h: float) -> np.ndarray:
        """d, u and a of the end of a step whose u' stays as it is, as sums (3, 3) of u, a and u' at its start."""
        old, rate = -self.am / (1 - self.am), 1 / (1 - self.am)
        return np.array(
            (
                (h, h * h * (0.5 - self.beta + self.beta * old), h * h * self.beta * rate),
                (1.0, h * (1 - self.gamma + self.gamma * old), h * self.gamma * rate),
                (0.0, old, rate),
            )
        )
