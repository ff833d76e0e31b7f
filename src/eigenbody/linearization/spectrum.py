"""Eigenvalues of linear models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.linearization.model import LinearModel
from eigenbody.numerics.eigen.dense import spectra_first_order, spectra_second_order
from eigenbody.numerics.eigen.spectrum import Spectrum


def spectrum_of(linear: LinearModel) -> Spectrum:
    """All eigenvalues, by the second-order form where it says everything; found once."""
    return linear.dense.second_order_spectrum if linear.is_second_order else linear.dense.first_order_spectrum


def spectra_of(linears: Sequence[LinearModel]) -> list[Spectrum | EigenbodyError]:
    """The same of many linear models, those of one order together; or why one has none."""
    alike: dict[tuple[bool, int], list[int]] = {}
    for k, linear in enumerate(linears):
        alike.setdefault((linear.is_second_order, len(linear.states)), []).append(k)
    found: dict[int, Spectrum | EigenbodyError] = {}
    for members in alike.values():
        found.update(zip(members, _of_one_order([linears[k] for k in members]), strict=True))
    return [found[k] for k in range(len(linears))]


def _of_one_order(linears: Sequence[LinearModel]) -> Sequence[Spectrum | EigenbodyError]:
    try:
        if linears[0].is_second_order:
            names = ("M", "C", "K", "noise_K", "noise_C")
            return spectra_second_order(*(np.stack([getattr(one, name) for one in linears]) for name in names))
        return spectra_first_order(np.stack([one.A for one in linears]), np.stack([one.noise_A for one in linears]))
    except (EigenbodyError, np.linalg.LinAlgError) as error:  # one by one each says for itself what is wrong
        if len(linears) > 1:
            return [_of_one_order([linear])[0] for linear in linears]
        return [error if isinstance(error, EigenbodyError) else ComputationError(str(error))]
