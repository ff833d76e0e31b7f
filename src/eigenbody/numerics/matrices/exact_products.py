"""Sums of matrix products to more digits than floats have: for residuals in which nearly everything cancels.

Ozaki, Ogita, Oishi and Rump 2012: each factor is cut into slices of so few bits that the products of slices, and their
sums over the inner index, are exact in floats whatever the order of summation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

SLICES = 3  # with about 22 bits each: the product to 2^-66 of the largest entries of row and column


def summed_products(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The sum of left @ right over real pairs of matrices, rounded once: what is left where they cancel has digits."""
    terms = []
    for left, right in pairs:
        bits = (53 - math.ceil(math.log2(max(left.shape[1], 2)))) // 2
        rows, columns = _slices(left, bits), [part.T for part in _slices(right.T, bits)]
        terms += [rows[i] @ columns[k] for i in range(SLICES) for k in range(SLICES - i)]
    high, low = np.zeros_like(terms[0]), np.zeros_like(terms[0])
    for term in terms:  # Knuth's sum of two: high + term = whole + what is lost, exactly
        whole = high + term
        back = whole - high
        low += (high - (whole - back)) + (term - back)
        high = whole
    return high + low


def _slices(matrix: np.ndarray, bits: int) -> list[np.ndarray]:
    """SLICES parts (their sum the matrix but for 2^(-bits SLICES) of the largest of each row), multiples of a power of
    two and at most 2^bits times that."""
    out, rest = [], matrix
    for _ in range(SLICES):
        size = np.abs(rest).max(axis=1, keepdims=True, initial=0.0)
        unit = np.maximum(np.ldexp(1.0, np.frexp(size)[1] - bits), np.finfo(float).tiny)
        part = np.where(size > 0, np.rint(rest / unit) * unit, 0.0)
        out.append(part)
        rest = rest - part
    return out
