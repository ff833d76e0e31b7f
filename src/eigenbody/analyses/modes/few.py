"""A few modes of a sparse linear model: which solver fits, one entry per pair."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from eigenbody.analyses.linearize import with_damping
from eigenbody.linearization.forms import SparseForm
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.numerics.eigen.constrained import ConstrainedPencil
from eigenbody.numerics.eigen.sparse import (
    SparseModes,
    condensed,
    is_symmetric,
    judged_entries,
    modes_next_to,
)
from eigenbody.numerics.eigen.sparse_symmetric import lightly_damped_modes, undamped_modes
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives, entry_order

SMALL = 60  # states up to which all eigenvalues are found at once
INDEPENDENT = 1e8  # condition number up to which vectors tell their eigenvalues apart


@dataclass(frozen=True)
class FewModes(SparseModes):
    """Entries sorted by magnitude; motions are those of all bodies."""

    zeros: int = 0  # recognized, returned or not
    stability: str | None = None  # of the whole, where all eigenvalues are known


def few_modes(form: SparseForm, n: int, near: float | None) -> FewModes:
    """The `n` entries nearest to zero, or to the angular frequency `near`."""
    if 2 * form.dof + len(form.point.system.states) <= max(SMALL, 4 * n + 20):
        return _all(form, n, near)
    return _nearest(_solved(form, n, near), n, near)


def _solved(form: SparseForm, n: int, near: float | None) -> SparseModes:
    if not form.is_static:
        return modes_next_to(form.moving_pencil, n, near)
    pencil = form.pencil
    constrained = ConstrainedPencil(pencil.K, pencil.M, pencil.G, pencil.springs, form.noise)
    symmetric = is_symmetric(pencil.K) and is_symmetric(pencil.C)
    if not pencil.C.nnz and symmetric:
        return undamped_modes(constrained, min(n, form.dof), near)
    found = None
    if symmetric and near is None and n + 6 < form.dof:
        found = lightly_damped_modes(constrained, pencil.C, n)
    return found or modes_next_to(form.resting_pencil, n, near)


def _all(form: SparseForm, n: int, near: float | None) -> FewModes:
    """Few freedoms: eliminate the auxiliary unknowns by one sparse factorization and keep the small matrix. Which
    eigenvalues are zero or undamped is told by the dense matrices, whose rounding is known; the others are quotients
    of left and right vectors on the small matrix, which had no part in them."""
    d = form.descriptor
    small, lift = condensed(d.A, d.differential)
    spectrum = spectrum_of(_dense(form))
    values = _quotients(small, spectrum)
    residuals = np.abs(small @ spectrum.right - spectrum.right * values).max(axis=0, initial=0.0)
    residuals = residuals / np.abs(small).max(initial=1e-300)
    entries = conjugate_representatives(spectrum)
    motion = (lift @ spectrum.right[:, entries])[: d.dq.stop - d.dq.start]
    found = judged_entries(spectrum, entries, motion, residuals[entries], spectrum.near_zero)
    found = replace(found, eigenvalues=values[entries], complete=True)
    return replace(_nearest(found, n, near), stability=spectrum.stability)


def _dense(form: SparseForm) -> LinearModel:
    """The linear model with dense matrices, damping that was added included."""
    dense = dense_model(form.point)
    if form.added_damping is None:
        return dense
    return with_damping(dense, matrix=dense.Pv.T @ (form.added_damping @ dense.Pv))


def _quotients(small: np.ndarray, spectrum: Spectrum) -> np.ndarray:
    """Eigenvalues of the small matrix next to those of the spectrum, which they are where vectors nearly coincide."""
    size = np.linalg.norm(spectrum.right, axis=0)
    right = spectrum.right / np.where(size > 0, size, 1.0)
    if not len(right) or np.linalg.cond(right) > INDEPENDENT:
        return spectrum.eigenvalues
    values = np.diagonal(np.linalg.solve(right, small @ right))
    values = np.where(spectrum.on_axis, 1j * values.imag, values)
    values = np.where(spectrum.eigenvalues.imag == 0, values.real, values)
    return np.where(spectrum.is_rigid, 0.0, values)


def _nearest(found: SparseModes, n: int, near: float | None) -> FewModes:
    """The `n` entries nearest to zero or to a frequency, sorted by magnitude."""
    size = np.abs(found.eigenvalues)
    keep = np.argsort(size if near is None else np.abs(size - near), kind="stable")[:n]
    keep = keep[entry_order(found.eigenvalues[keep])]
    parts: dict[str, Any] = {f.name: getattr(found, f.name) for f in fields(SparseModes)}
    chosen: dict[str, Any] = {
        name: part[..., keep] if isinstance(part, np.ndarray) else part for name, part in parts.items()
    }
    return FewModes(**chosen, zeros=int(found.is_zero.sum()))
