"""Stiffness and damping kept as deflections: K = K_rest + B^T diag(k) B, C = C_rest + B^T diag(c) B.

Formed, K x of a soft motion is a difference of large forces: a chain of ten thousand bodies bends with deflections of a
ten-thousandth of its rotations, and their squares drown in the rounding of K. B x keeps the digits of the deflections,
and with the forces f = k B x as unknowns so does a solve: [[K_rest, B^T], [B, -1/k]].
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.numerics.matrices.linear import scaled
from eigenbody.numerics.matrices.noise import ENTRY_NOISE


@dataclass(frozen=True, eq=False)
class Springs:
    """B (m, n) sparse, k (m,) none of them zero, c (m,), and what is not a spring (n, n sparse)."""

    B: Any
    k: np.ndarray
    c: np.ndarray
    K_rest: Any
    C_rest: Any

    def scaled(self, unit: np.ndarray) -> Springs:
        """The same in coordinates x = unit * x_scaled."""
        K, C = (scaled(matrix, unit, unit) for matrix in (self.K_rest, self.C_rest))
        return replace(self, B=scaled(self.B, np.ones(len(self.k)), unit), K_rest=K, C_rest=C)

    def stiffness_times(self, X: np.ndarray) -> np.ndarray:
        """K X."""
        return self.K_rest @ X + self.B.T @ (self.k[:, None] * (self.B @ X))

    def damping_times(self, X: np.ndarray) -> np.ndarray:
        """C X."""
        return self.C_rest @ X + self.B.T @ (self.c[:, None] * (self.B @ X))

    def strain(self, X: np.ndarray) -> np.ndarray:
        """X^T K X."""
        deflection = self.B @ X
        return X.T @ (self.K_rest @ X) + deflection.T @ (self.k[:, None] * deflection)

    def loss(self, X: np.ndarray) -> np.ndarray:
        """X^T C X."""
        deflection = self.B @ X
        return X.T @ (self.C_rest @ X) + deflection.T @ (self.c[:, None] * deflection)

    def strain_error(self, X: np.ndarray) -> np.ndarray:
        """Error (k, k) of `strain` by the rounding of deflections and of the rest."""
        return self._error(X, np.abs(self.k), self.K_rest)

    def loss_error(self, X: np.ndarray) -> np.ndarray:
        """The same of `loss`."""
        return self._error(X, np.abs(self.c), self.C_rest)

    def _error(self, X: np.ndarray, factor: np.ndarray, rest: Any) -> np.ndarray:
        moved = np.abs(X)
        deflection, rounding = np.abs(self.B @ X), ENTRY_NOISE * (abs(self.B) @ moved)
        half = (deflection + rounding / 2).T @ (factor[:, None] * rounding)
        return half + half.T + ENTRY_NOISE * (moved.T @ (abs(rest) @ moved))
