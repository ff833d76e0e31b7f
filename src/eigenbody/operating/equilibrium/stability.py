"""Stability of an equilibrium, and the motions in which it is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.linearization.certificate import Certificate
from eigenbody.linearization.forms import SparseForm
from eigenbody.linearization.linearize import dense_model, sparse_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.pencil import StaticPencil
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.numerics.eigen.constrained import ConstrainedPencil
from eigenbody.numerics.eigen.sparse import SparseModes, is_symmetric, modes_next_to
from eigenbody.numerics.eigen.sparse_symmetric import SOFT_ENOUGH, undamped_modes
from eigenbody.numerics.eigen.spectrum import conjugate_representatives
from eigenbody.numerics.eigen.stability import verdict
from eigenbody.numerics.matrices.linear import KKT

ALL_MODES = 150  # freedoms up to which every eigenvalue is found
FEW = 4  # eigenvalues next to zero that are found beyond
KRYLOV = 40  # directions searched for negative stiffness
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Verdict:
    """Stability with the eigenvalues known (one of each pair, sorted by magnitude) and the growing motions (k, nq)."""

    stability: str  # "stable", "marginal", "drifting" or "unstable"
    eigenvalues: np.ndarray
    growing: np.ndarray
    certificate: Certificate
    is_partial: bool  # only the eigenvalues next to zero and the softest motions were looked at: that none grows, or
    # that all decay, is known of these alone

    @property
    def is_stable(self) -> bool:
        """Whether no motion grows; an undamped oscillation or a free rotation does not."""
        return self.stability != "unstable"


def judge(point: OperatingPoint) -> Verdict:
    """Linearize at the point and look at the eigenvalues: all of them, or those that decide where there are many."""
    if len(point.chosen.velocities) <= ALL_MODES:
        return _by_all_modes(dense_model(point))
    linear = sparse_model(point)
    form = linear.sparse
    conservative = form.is_static and is_symmetric(form.pencil.K, ROUNDING)
    return (_by_stiffness if conservative else _by_few_modes)(form, linear.certificate)


def _by_all_modes(linear: LinearModel) -> Verdict:
    spectrum = spectrum_of(linear)
    entries = conjugate_representatives(spectrum)
    values = spectrum.eigenvalues[entries]
    grows = entries[(values.real > 0) & ~spectrum.on_axis[entries] & ~spectrum.is_rigid[entries]]
    grows = grows[np.argsort(-spectrum.eigenvalues[grows].real, kind="stable")]
    motions = (linear.shape_q @ spectrum.right[:, grows]).T
    return Verdict(spectrum.stability, values, _real_motions(motions), linear.certificate, is_partial=False)


def _real_motions(motions: np.ndarray) -> np.ndarray:
    """Real and imaginary parts that move anything."""
    both = np.concatenate((motions.real, motions.imag)) if np.any(motions.imag) else motions.real
    return both[np.abs(both).max(axis=1, initial=0.0) > 1e-12 * np.abs(both).max(initial=0.0)]


def _by_stiffness(form: SparseForm, certificate: Certificate) -> Verdict:
    """Conservative and at rest: a negative stiffness is an unstable motion, and nothing else is."""
    p = form.pencil
    pencil = ConstrainedPencil((p.K + p.K.T) / 2, p.M, p.G, p.springs, form.noise)
    found = undamped_modes(pencil, FEW)
    growing = found.vectors.real[:, _grows(found)].T
    below = -ROUNDING * pencil.typical
    counted = pencil.counted(below)
    none_below = any(counted.below(soft) == 0 for soft in SOFT_ENOUGH)  # counted: nothing can be missed
    if not len(growing) and not none_below:
        growing = _softest(p.M, p.K, p.G)
    all_alike = True  # undamped: none decays
    if p.C.nnz:
        found = modes_next_to(form.resting_pencil, FEW)
        all_alike = _all_lose_power(p)
    word = "unstable" if len(growing) else _word(found)
    return Verdict(word, found.eigenvalues, growing, certificate, is_partial=not (none_below and all_alike))


def _all_lose_power(p: StaticPencil) -> bool:
    """Whether damping is counted to resist every motion: then all of them decay."""
    damping = ConstrainedPencil((p.C + p.C.T) / 2, p.M, p.G)
    counted = damping.counted(ROUNDING * damping.typical)
    return any(counted.below(soft) == 0 for soft in SOFT_ENOUGH)


def _grows(found: SparseModes) -> np.ndarray:
    """Which modes grow beyond doubt."""
    return (found.eigenvalues.real > 0) & ~found.on_axis


def _word(found: SparseModes) -> str:
    return verdict(found.eigenvalues, found.on_axis, found.defective)


def _softest(M: Any, K: Any, G: Any) -> np.ndarray:
    """A motion of negative stiffness (1, nq), or none (0, nq): the lowest Ritz vector of M^-1 K in the free motion. A
    negative Ritz value proves instability; eigenvalues next to zero are found otherwise."""
    from scipy.sparse import diags_array

    diagonal = np.abs(M.diagonal())
    metric = M + diags_array(1e-6 * (float(diagonal.mean()) or 1.0) * np.ones(len(diagonal)))
    kkt = KKT(metric, G)
    basis: list[np.ndarray] = []
    images: list[np.ndarray] = []
    v = kkt.solve(np.random.default_rng(11).normal(size=M.shape[0]))
    for _ in range(KRYLOV):
        for _ in range(2):  # orthogonal to rounding
            for b, mb in zip(basis, images, strict=True):
                v = v - (mb @ v) * b
        length = float(np.sqrt(max(v @ (metric @ v), 0.0)))
        if length < 1e-10:
            break
        basis.append(v / length)
        images.append(metric @ basis[-1])
        v = kkt.solve(K @ basis[-1])
        v = v / max(float(np.abs(v).max()), 1e-300)
    V = np.array(basis)
    projected = V @ (K @ V.T)
    values, vectors = np.linalg.eigh((projected + projected.T) / 2)
    if values[0] >= -ROUNDING * np.abs(values).max(initial=0.0):
        return np.zeros((0, M.shape[0]))
    return (V.T @ vectors[:, 0])[None]


def _by_few_modes(form: SparseForm, certificate: Certificate) -> Verdict:
    """Not conservative: the eigenvalues next to zero decide as far as they can."""
    found = modes_next_to(form.resting_pencil if form.is_static else form.moving_pencil, FEW)
    growing = _real_motions(found.vectors[:, _grows(found)].T)
    return Verdict(_word(found), found.eigenvalues, growing, certificate, is_partial=True)
