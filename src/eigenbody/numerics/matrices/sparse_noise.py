"""Rounding in the entries of large sparse systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class SparseNoise:
    """Error (n, n sparse, none negative) of the entries of K, by the rounding of its summands and of the loads that it
    carries, and of C; each formed when it is needed. `strain` and `loss` are X^T K X and X^T C X of them for X (n, k)
    without negative entries, for which they need not be formed."""

    of_summands: Callable[[], Any]
    of_loads: Callable[[], Any]
    of_C: Callable[[], Any]
    strain_of_summands: Callable[[np.ndarray], np.ndarray]
    loss: Callable[[np.ndarray], np.ndarray]

    @cached_property
    def loads(self) -> Any:
        return self.of_loads()

    @cached_property
    def K(self) -> Any:
        return self.of_summands() + self.loads

    def strain(self, X: np.ndarray) -> np.ndarray:
        return self.strain_of_summands(X) + self.strain_of_loads(X)

    def strain_of_loads(self, X: np.ndarray) -> np.ndarray:
        return X.T @ (self.loads @ X)

    @cached_property
    def C(self) -> Any:
        return self.of_C()
