"""Eigenvalues of the linear model."""

from __future__ import annotations

from eigenbody.linearization.model import LinearModel
from eigenbody.numerics.eigen.dense import spectrum_first_order, spectrum_second_order
from eigenbody.numerics.eigen.spectrum import Spectrum


def spectrum_of(linear: LinearModel) -> Spectrum:
    """All eigenvalues, by the second-order form where it says everything."""
    if linear.is_second_order:
        return spectrum_second_order(linear.M, linear.C, linear.K, linear.noise_K, linear.noise_C)
    return spectrum_first_order(linear.A, linear.noise_A)
