"""Eigenvalues of the linear model."""

from __future__ import annotations

from eigenbody.linearization.model import LinearModel
from eigenbody.numerics.eigen.spectrum import Spectrum


def spectrum_of(linear: LinearModel) -> Spectrum:
    """All eigenvalues, by the second-order form where it says everything; found once."""
    return linear.dense.second_order_spectrum if linear.is_second_order else linear.dense.first_order_spectrum
