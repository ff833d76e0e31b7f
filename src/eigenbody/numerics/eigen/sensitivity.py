"""Derivatives of eigenvalues, frequencies and damping ratios by many parameters at once.

Of x' = A x: d lambda = l^H dA r with l^H r = 1. A semisimple multiple eigenvalue splits: its slopes by one parameter
are the eigenvalues of L^H dA R, a small matrix. A defective one has no derivative: a chain of length m moves with the
m-th root of the parameter. Only the mean of its members has one. Derivation and tolerances: docs/theory/sensitivity.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from eigenbody.numerics.eigen.clusters import Cluster, EigenBasis
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.numerics.signals.transfer import chunks

TIED = 1e-9
"""Slopes nearer than this part of the largest are equal when they are put in order."""


@dataclass(frozen=True, slots=True, eq=False)
class EigenvalueDerivatives:
    """Derivatives of chosen eigenvalues by P parameters.

    modes      (k,) indices of the eigenvalues
    values     (P, k) complex d lambda / dp; nan for a defective eigenvalue. In a semisimple cluster the slopes of
               each parameter on its own, in order: slowest rise of |lambda| first
    mean       (P, k) complex derivative of the mean of the cluster; that of the eigenvalue itself when it is simple
    cluster    (k,) number of the cluster, -1 for a simple eigenvalue
    defective  (k,) bool
    notes      (k,) what to know about the mode, "" for a simple one
    """

    modes: np.ndarray
    values: np.ndarray
    mean: np.ndarray
    cluster: np.ndarray
    defective: np.ndarray
    notes: tuple[str, ...]


@on_one_thread
def eigenvalue_derivatives(
    basis: EigenBasis, dA: np.ndarray, modes: Sequence[int] | np.ndarray | None = None
) -> EigenvalueDerivatives:
    """d lambda / dp from dA (P, n, n) real, of all eigenvalues or the chosen `modes`."""
    n, P = len(basis.eigenvalues), len(dA)
    modes = np.arange(n) if modes is None else np.asarray(modes, int)
    cluster_of = basis.cluster_of
    wanted = np.union1d(modes, basis.partner[modes])
    wanted = wanted[basis.eigenvalues[wanted].imag >= 0]
    groups = [cluster for i, cluster in enumerate(basis.clusters) if i in cluster_of[wanted]]
    simple = wanted[cluster_of[wanted] < 0]
    own, blocks = _projections(basis, dA, simple, groups)
    own[:, basis.eigenvalues[simple].imag == 0] = own[:, basis.eigenvalues[simple].imag == 0].real
    values, mean = np.full((P, n), np.nan, complex), np.full((P, n), np.nan, complex)
    for out in (values, mean):
        _set_both(out, basis.partner, simple, own)
    for cluster, small in zip(groups, blocks, strict=True):
        slopes, middle = _cluster_slopes(cluster, small)
        _set_both(values, basis.partner, cluster.members, slopes)
        _set_both(mean, basis.partner, cluster.members, middle)
    notes = tuple(note(basis, i) for i in modes.tolist())
    flags = basis.defective[modes]
    return EigenvalueDerivatives(modes, values[:, modes], mean[:, modes], cluster_of[modes], flags, notes)


def note(basis: EigenBasis, mode: int) -> str:
    """What to know about the derivative of an eigenvalue; "" for a simple one."""
    number = basis.cluster_of[mode]
    if number < 0:
        return ""
    cluster = basis.clusters[number]
    count = len(cluster.members)
    if cluster.defective:
        return (
            f"defective: {count} equal eigenvalues with a Jordan chain of length {cluster.index}; "
            f"they move with root {cluster.index} of a parameter, so the derivative does not exist"
        )
    return f"repeated: {count} equal eigenvalues; the slopes belong to the set, in order for each parameter"


def _projections(
    basis: EigenBasis, dA: np.ndarray, simple: np.ndarray, groups: Sequence[Cluster]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """l^H dA_p r of the simple modes (P, k) and L^H dA_p R of each cluster (P, m, m), in one pass over dA."""
    columns = np.concatenate([simple, *(cluster.members for cluster in groups)]).astype(int)
    left, right = basis.left[:, columns].conj(), basis.right[:, columns]
    edges = np.cumsum([len(simple), *(len(cluster.members) for cluster in groups)])
    own = np.zeros((len(dA), len(simple)), complex)
    blocks = [np.zeros((len(dA), len(c.members), len(c.members)), complex) for c in groups]
    for part, rows, found in _images(dA, right):
        own[part] = np.einsum("ik,pik->pk", left[rows, : len(simple)], found[:, :, : len(simple)])
        for block, (a, b) in zip(blocks, pairwise(edges.tolist()), strict=True):
            block[part] = left[rows, a:b].T @ found[:, :, a:b]
    return own, blocks


def touched(dA: np.ndarray) -> tuple[slice, slice]:
    """Range of rows and of columns of dA (P, n, m) outside of which everything is zero."""
    rows, columns = np.flatnonzero(dA.any(axis=(0, 2))), np.flatnonzero(dA.any(axis=(0, 1)))
    if not len(rows):
        return slice(0, 0), slice(0, 0)
    return slice(int(rows[0]), int(rows[-1]) + 1), slice(int(columns[0]), int(columns[-1]) + 1)


def _images(dA: np.ndarray, right: np.ndarray) -> Iterator[tuple[slice, slice, np.ndarray]]:
    """dA_p right (c, rows, k) complex for chunks of parameters; only the range of rows that any parameter touches."""
    rows, columns = touched(dA)
    flat = np.ascontiguousarray(right[columns]).view(float)  # real and imaginary parts side by side
    height = rows.stop - rows.start
    if not height or not flat.shape[1]:
        return
    for part in chunks(len(dA), 8.0 * height * flat.shape[1]):
        yield part, rows, (dA[part, rows, columns] @ flat).view(complex)


def images(dA: np.ndarray, right: np.ndarray) -> np.ndarray:
    """dA_p right (P, n, k) complex, dA (P, n, n) real, right (n, k) complex."""
    out = np.zeros((*dA.shape[:2], right.shape[1]), complex)
    for part, rows, found in _images(dA, np.asarray(right, complex)):
        out[part, rows] = found
    return out


def _set_both(out: np.ndarray, partner: np.ndarray, members: np.ndarray, found: np.ndarray) -> None:
    """Enter (P, k) at the members, and its conjugate at their partners where these are others."""
    other = partner[members]
    out[:, members] = found
    if not np.array_equal(np.sort(other), members):
        out[:, other] = np.where(other == members, found, found.conj())


# ---------------------------------------------------------------- clusters


def _cluster_slopes(cluster: Cluster, small: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Slopes (P, k) and derivative of the mean (P, 1) from L^H dA R (P, k, k)."""
    k = len(cluster.members)
    middle = np.trace(small, axis1=1, axis2=2)[:, None] / k
    if cluster.eigenvalue.imag == 0:
        middle = middle.real.astype(complex)
    if cluster.defective:
        return np.full((len(small), k), np.nan, complex), middle
    return in_order(np.linalg.eigvals(small), cluster.eigenvalue), middle


def in_order(slopes: np.ndarray, eigenvalue: complex) -> np.ndarray:
    """Slopes (P, k) of one multiple eigenvalue, ascending by the part along it, d|lambda|, then by that across it.

    Of a zero eigenvalue: by real, then by imaginary part.
    """
    direction = eigenvalue.conjugate() / abs(eigenvalue) if eigenvalue else 1.0
    turned = slopes * direction
    unit = TIED * np.maximum(np.abs(slopes).max(axis=1, keepdims=True, initial=0.0), np.finfo(float).tiny)
    along, across = np.round(turned.real / unit), np.round(turned.imag / unit)
    return np.take_along_axis(slopes, np.lexsort((across, along), axis=1), axis=1)


# ---------------------------------------------------------------- frequencies and damping


@dataclass(frozen=True, slots=True, eq=False)
class FrequencyDerivatives:
    """What an engineer reads from d lambda, each (P, k) real; nan where it does not exist, see `notes`.

    magnitude            d|lambda|, rad/s
    frequency_hz         d|lambda| / 2 pi
    damped_frequency_hz  d Im lambda / 2 pi
    real_part            d Re lambda, 1/s
    damping_ratio        d(-Re lambda / |lambda|); zero for a real eigenvalue, whose ratio is 1 or -1
    notes                (k,) the reason where something is nan, else ""
    """

    magnitude: np.ndarray
    frequency_hz: np.ndarray
    damped_frequency_hz: np.ndarray
    real_part: np.ndarray
    damping_ratio: np.ndarray
    notes: tuple[str, ...]


def frequency_derivatives(eigenvalues: np.ndarray, derivatives: np.ndarray) -> FrequencyDerivatives:
    """From eigenvalues (k,) and d lambda (P, k). A zero (rigid) eigenvalue has no d|lambda| and no damping ratio."""
    size = np.abs(eigenvalues)
    size = np.where(size > 0, size, np.nan)
    turned = eigenvalues.conj() * derivatives
    magnitude = turned.real / size
    damping = eigenvalues.imag * turned.imag / size**3
    unknown = np.isnan(derivatives).any(axis=0)
    notes = tuple(
        "rigid: |lambda| has a corner at zero" if zero else "the eigenvalue has no derivative" if lost else ""
        for zero, lost in zip(np.isnan(size), unknown, strict=True)
    )
    turn = 2.0 * np.pi
    return FrequencyDerivatives(
        magnitude, magnitude / turn, derivatives.imag / turn, derivatives.real.copy(), damping, notes
    )
