"""All eigenvalues of a linear model."""

from __future__ import annotations

import numpy as np

from eigenbody.linearization.model import LinearModel
from eigenbody.numerics.eigen.dense import spectrum_first_order, spectrum_second_order
from eigenbody.numerics.eigen.spectrum import Spectrum


def frequencies_hz(eigenvalues: np.ndarray) -> np.ndarray:
    """|eigenvalue| / 2 pi."""
    return np.abs(eigenvalues) / (2 * np.pi)


def damping_ratios(eigenvalues: np.ndarray) -> np.ndarray:
    """-real / |eigenvalue|; nan for zeros."""
    size = np.abs(eigenvalues)
    return np.where(size > 0, 0.0 - eigenvalues.real / np.where(size > 0, size, 1.0), np.nan)


def spectrum_of(linear: LinearModel) -> Spectrum:
    """All eigenvalues, by the second-order form where it says everything."""
    if linear.is_second_order:
        return spectrum_second_order(linear.M, linear.C, linear.K, linear.noise_K, linear.noise_C)
    return spectrum_first_order(linear.A, linear.noise_A)
