"""Gauss points along an element, and integrals up to each of them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np


@lru_cache
def gauss(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gauss points and weights on (0, 1), and the matrix of the integrals from 0 to each point."""
    x, w = np.polynomial.legendre.leggauss(n)
    x, w = (x + 1) / 2, w / 2
    powers = np.arange(n)
    upto = (x[:, None] ** (powers + 1) / (powers + 1)) @ np.linalg.inv(x[:, None] ** powers)
    return x, w, upto
