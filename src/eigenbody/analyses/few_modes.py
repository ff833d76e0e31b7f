"""A few modes of a sparse linear model: which solver fits, which eigenvalues are zero, one entry per pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.analyses.modal import DampedSparseLinearModel, with_damping
from eigenbody.analyses.spectrum import spectrum_of
from eigenbody.linearization.large import SparseLinearModel
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.pencil import StaticPencil
from eigenbody.numerics.sparse_eigen import (
    SparseModes,
    condensed,
    damped_modes,
    descriptor_modes,
    is_symmetric,
)
from eigenbody.numerics.sparse_symmetric import ConstrainedPencil, lightly_damped_modes, undamped_modes
from eigenbody.numerics.spectrum import Spectrum, entry_order

ROUNDING = 256 * np.finfo(float).eps
RESOLVED = 1e-9  # damping ratio that Arnoldi iteration resolves in unsymmetric and moving systems
SMALL = 60  # states up to which all eigenvalues are found at once
INDEPENDENT = 1e8  # condition number up to which vectors tell their eigenvalues apart


@dataclass(frozen=True, slots=True)
class FewModes:
    """Entries sorted by magnitude: eigenvalues (n,), body motion dq (n, nq), recognized zeros, residuals."""

    eigenvalues: np.ndarray
    motion: np.ndarray
    is_rigid: np.ndarray
    is_defective: np.ndarray
    on_axis: np.ndarray
    residuals: np.ndarray
    stability: str | None = None  # of the whole, where all eigenvalues are known
    complete: bool | None = None  # whether a count confirms that no lower one was missed; None where it cannot be told


def few_modes(linear: SparseLinearModel, n: int, near: float | None) -> FewModes:
    """The `n` entries nearest to zero, or to the angular frequency `near`."""
    if 2 * linear.dof + len(linear.point.system.states) <= max(SMALL, 4 * n + 20):
        return _all(linear, n, near)
    if not linear.is_static:
        return _moving(linear, n, near)
    pencil = linear.pencil
    symmetric = is_symmetric(pencil.K) and is_symmetric(pencil.C)
    if not pencil.C.nnz and symmetric:
        return _undamped(pencil, min(n, linear.dof), n, near)
    found = None
    if symmetric and near is None and n + 6 < linear.dof:
        found = lightly_damped_modes(_constrained(pencil), pencil.C, n)
    if found is None:
        found = damped_modes(pencil.M, pencil.C, pencil.K, pencil.G, _pairs(n, 2 * linear.dof), near)
    rigid = _rigid(pencil, found)
    elastic = found.vectors[:, ~rigid]
    zeros, doubled = _rigid_motions(pencil, found.vectors[:, rigid])
    undamped = _near_axis(found.eigenvalues[~rigid])
    if symmetric:
        suspect = np.abs(found.eigenvalues[~rigid].real) <= 1e-6 * np.abs(found.eigenvalues[~rigid])
        undamped[:] = False
        undamped[suspect] = _lossless(pencil, elastic[:, suspect])
    free = zeros.shape[1]
    entries = _entries(
        np.concatenate((np.zeros(free), found.eigenvalues[~rigid])),
        np.hstack((zeros, elastic)).T,
        np.arange(free + elastic.shape[1]) < free,
        np.concatenate((doubled, np.zeros(elastic.shape[1], dtype=bool))),
        np.concatenate((np.ones(free, dtype=bool), undamped)),
        np.concatenate((np.zeros(free), found.residuals[~rigid])),
        n,
        near,
    )
    return replace(entries, complete=found.complete)


def _constrained(pencil: StaticPencil) -> ConstrainedPencil:
    return ConstrainedPencil(pencil.K, pencil.M, pencil.G, pencil.springs)


def _lossless(pencil: StaticPencil, vectors: np.ndarray) -> np.ndarray:
    """Which motions lose no power, within rounding."""
    springs = pencil.springs() if vectors.size else None
    return _strainless(pencil.C, vectors) if springs is None else springs.lose_nothing(vectors)


def _rigid_motions(pencil: StaticPencil, found: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Motions of the zero eigenvalue, one column per state, and which are defective.

    The strainless vectors span the rigid motions X; each is a zero, and a second one where X^T C X does not resist it.
    """
    both = np.hstack((found.real, found.imag))
    size = np.sqrt(np.abs((both * (pencil.M @ both)).sum(axis=0)))
    kept = both[:, size > 0] / size[size > 0]
    if not kept.shape[1]:
        return np.zeros((found.shape[0], 0)), np.zeros(0, dtype=bool)
    strength, turn = np.linalg.eigh(kept.T @ (pencil.M @ kept))
    X = kept @ (turn[:, strength > 1e-9] / np.sqrt(strength[strength > 1e-9]))
    loss = X.T @ (pencil.C @ X)
    bound = np.abs(X).T @ (abs(pencil.C) @ np.abs(X))
    power, mix = np.linalg.eigh((loss + loss.T) / 2)
    loose = np.abs(power) <= ROUNDING * max(float(np.linalg.norm(bound, 2)), 1e-300)
    X = X @ mix
    return np.hstack((X, X[:, loose])), np.concatenate((loose, np.ones(np.count_nonzero(loose), dtype=bool)))


def _all(linear: SparseLinearModel, n: int, near: float | None) -> FewModes:
    """Few freedoms: eliminate the auxiliary unknowns by one sparse factorization and keep the small matrix. Which
    eigenvalues are zero or undamped is told by the dense matrices, whose rounding is known; the others are quotients
    of left and right vectors on the small matrix, which had no part in them."""
    d = linear.descriptor
    small, lift = condensed(d.A, d.differential)
    spectrum = spectrum_of(_dense(linear))
    values = _quotients(small, spectrum)
    residuals = np.abs(small @ spectrum.right - spectrum.right * values).max(axis=0, initial=0.0)
    residuals = np.where(spectrum.is_rigid, 0.0, residuals / np.abs(small).max(initial=1e-300))
    motion = (lift @ spectrum.right)[: d.dq.stop - d.dq.start]
    kept = (spectrum.is_rigid, spectrum.defective, spectrum.on_axis, residuals)
    return replace(_entries(values, motion.T, *kept, n, near), stability=spectrum.stability, complete=True)


def _dense(linear: SparseLinearModel) -> LinearModel:
    """The same linear model with dense matrices, damping that was added included."""
    dense = dense_model(linear.point, linear.chosen)
    if not isinstance(linear, DampedSparseLinearModel):
        return dense
    added = with_damping(dense, matrix=dense.Pv.T @ (linear.added_damping @ dense.Pv))
    assert isinstance(added, LinearModel)
    return added


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


def _pairs(n: int, most: int) -> int:
    return max(1, min(2 * n + 4, most - 2))


def _undamped(pencil: StaticPencil, k: int, n: int, near: float | None) -> FewModes:
    found: SparseModes = undamped_modes(_constrained(pencil), k, near)
    rigid = _rigid(pencil, found)
    root = np.sqrt(np.where(rigid, 0.0, found.eigenvalues.real).astype(complex))
    values, columns = [], []
    for i, (r, zero) in enumerate(zip(root, rigid, strict=True)):
        single = r.imag > 0  # omega^2 < 0 gives a real pair, 0 a double zero, both two entries
        of_mode = [0.0, 0.0] if zero else [1j * r.real] if not single else [r.imag, -r.imag]
        values.extend(of_mode)
        columns.extend([i] * len(of_mode))
    index = np.array(columns, dtype=int)
    on_axis = np.abs(np.real(values)) == 0
    kept = (rigid[index], rigid[index], on_axis, found.residuals[index])
    entries = _entries(np.array(values, dtype=complex), found.vectors.T[index], *kept, n, near)
    return replace(entries, complete=found.complete)


def _moving(linear: SparseLinearModel, n: int, near: float | None) -> FewModes:
    d = linear.descriptor
    speed = max(float(np.abs(linear.point.state.w).max(initial=0.0)), 1.0)
    count = _pairs(n, d.differential)
    found = descriptor_modes(d.E, d.A, np.arange(d.differential), count, near, speed)
    scale = max(float(np.abs(found.eigenvalues).max(initial=0.0)), speed)
    rigid = np.abs(found.eigenvalues) < 1e-6 * scale
    values = np.where(rigid, 0.0, found.eigenvalues)
    on_axis = _near_axis(values)
    return _entries(values, found.vectors[d.dq].T, rigid, _doubled(rigid), on_axis, found.residuals, n, near)


def _near_axis(values: np.ndarray) -> np.ndarray:
    """Where nothing but the eigenvalue can tell: a damping ratio below what the iteration resolves counts as none."""
    return np.abs(values.real) <= RESOLVED * np.abs(values)


def _rigid(pencil: StaticPencil, found: SparseModes) -> np.ndarray:
    """Which modes strain nothing; none where K is regular in the free motion."""
    if not found.loose:
        return np.zeros(len(found.eigenvalues), dtype=bool)
    return _strainless(pencil.K, found.vectors)


def _strainless(K: Any, vectors: np.ndarray) -> np.ndarray:
    """For which motions x^H K x (energy stored, or power lost) vanishes within the rounding of its own summands."""
    energy = np.abs((vectors.conj() * (K @ vectors)).sum(axis=0))
    size = (np.abs(vectors) * (abs(K) @ np.abs(vectors))).sum(axis=0)
    return energy <= ROUNDING * size


def _doubled(rigid: np.ndarray) -> np.ndarray:
    """Zeros that come in twos are defective: a free coordinate."""
    return rigid & (np.count_nonzero(rigid) > 1)


def _entries(
    values: np.ndarray,
    motion: np.ndarray,
    rigid: np.ndarray,
    defective: np.ndarray,
    on_axis: np.ndarray,
    residuals: np.ndarray,
    n: int,
    near: float | None,
) -> FewModes:
    """One entry per pair, sorted by magnitude."""
    keep = np.flatnonzero(values.imag >= 0)
    distance = np.abs(values[keep]) if near is None else np.abs(np.abs(values[keep]) - near)
    keep = keep[np.argsort(distance, kind="stable")[:n]]
    keep = keep[entry_order(values[keep])]
    return FewModes(values[keep], motion[keep], rigid[keep], defective[keep], on_axis[keep], residuals[keep])
