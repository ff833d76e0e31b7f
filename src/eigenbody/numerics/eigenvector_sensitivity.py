"""Derivatives of eigenvectors by many parameters at once: one factorization for each mode, a right side for each.

A simple eigenvector z with component m held at one (bordered system; Nelson 1976):

    [A - lambda  -z] [dz      ]   [-dA z]            [Q(lambda)  Q'(lambda) z] [dz      ]   [-dQ z]
    [e_m^T        0] [d lambda] = [  0  ]     and    [e_m^T           0      ] [d lambda] = [  0  ]

with Q = lambda^2 M + lambda C + K. Other normalizations follow from this one. The vectors of a semisimple cluster are
not unique; those that stay eigenvectors as the parameter moves (the adapted basis) depend on the parameter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.errors import ComputationError
from eigenbody.numerics.eigen_clusters import Cluster, EigenBasis
from eigenbody.numerics.eigen_sensitivity import images, slope_order
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.numerics.transfer import chunks

DISTINCT = 1e-6
"""Slopes of a repeated eigenvalue closer than this part of the largest leave its vectors undetermined."""


@dataclass(frozen=True, slots=True)
class EigenvectorDerivatives:
    """Chosen eigenvectors and their derivatives by P parameters.

    vectors       (n, k) complex, normalized as asked
    derivatives   (P, n, k) complex; nan for a member of a cluster
    eigenvalues   (P, k) complex d lambda, a by-product; nan for a member of a cluster
    component     (k,) the component that is held real (and at one when it is `largest`)
    notes         (k,) reason where something is nan, else ""
    """

    vectors: np.ndarray
    derivatives: np.ndarray
    eigenvalues: np.ndarray
    component: np.ndarray
    notes: tuple[str, ...]


@on_one_thread
def eigenvector_derivatives(
    basis: EigenBasis, A: np.ndarray, dA: np.ndarray, modes: Sequence[int] | np.ndarray, normalization: str = "largest"
) -> EigenvectorDerivatives:
    """Of the states of x' = A x, for chosen modes; dA (P, n, n) real.

    `largest`: the component that is largest now is one and stays one. `unit`: r^H r = 1, that component real positive.
    """
    from scipy.linalg import matrix_balance

    _require(normalization, ("largest", "unit"))
    modes = np.asarray(modes, int)
    simple = basis.cluster_of[modes] < 0
    values, shapes = basis.eigenvalues[modes], basis.right[:, modes]
    shapes, component = _largest_at_one(shapes)
    B, (scale, _) = matrix_balance(A, permute=False, separate=True)
    chosen = np.flatnonzero(simple)
    steps, slopes = _blank(len(dA), shapes)
    load = images(dA, shapes[:, chosen]) / scale[:, None]
    for part in chunks(len(chosen), 32.0 * (len(A) + 1) * (len(A) + 1 + len(dA))):
        own = chosen[part]
        matrices = B - values[own, None, None] * np.eye(len(A))
        columns = -(shapes[:, own] / scale[:, None]).T
        dz, slope = _bordered(matrices, columns, component[own], load[:, :, part])
        steps[:, :, own], slopes[:, own] = dz * scale[:, None], slope
    if normalization == "unit":
        shapes, steps = _of_unit_size(shapes, steps, np.eye(len(A)), None)
    notes = tuple("" if is_simple else "member of a repeated eigenvalue: see adapted_basis" for is_simple in simple)
    return EigenvectorDerivatives(shapes, steps, slopes, component, notes)


@on_one_thread
def second_order_eigenvector_derivatives(
    M: np.ndarray,
    C: np.ndarray,
    K: np.ndarray,
    eigenvalues: np.ndarray,
    right_q: np.ndarray,
    dM: np.ndarray | None,
    dC: np.ndarray | None,
    dK: np.ndarray | None,
    normalization: str = "largest",
) -> EigenvectorDerivatives:
    """Of simple modes (lambda^2 M + lambda C + K) q = 0.

    eigenvalues (k,), right_q (n, k), real M, C, K (n, n), their derivatives (P, n, n), or None where zero.
    `largest`: the component that is largest now is one and stays one. `mass`: q^H M q = 1 with M symmetric, that
    component real positive. Left vectors are not needed, whatever C and K.
    """
    _require(normalization, ("largest", "mass"))
    n, k = right_q.shape
    every = np.arange(k)
    shapes, component = _largest_at_one(right_q)
    P = next(len(d) for d in (dM, dC, dK) if d is not None)
    steps, slopes = _blank(P, shapes)
    load = np.zeros((P, n, k), complex)
    for derivative, power in ((dM, 2), (dC, 1), (dK, 0)):
        if derivative is not None:
            load += images(derivative, shapes * eigenvalues**power)
    for part in chunks(k, 32.0 * (n + 1) * (n + 1 + P)):
        own = every[part]
        value = eigenvalues[own, None, None]
        columns = np.einsum("kij,jk->ki", 2 * value * M + C, shapes[:, own])
        dz, slope = _bordered(value**2 * M + value * C + K, columns, component[own], load[:, :, own])
        steps[:, :, own], slopes[:, own] = dz, slope
    if normalization == "mass":
        shapes, steps = _of_unit_size(shapes, steps, M, dM)
    return EigenvectorDerivatives(shapes, steps, slopes, component, ("",) * k)


def _require(normalization: str, allowed: tuple[str, ...]) -> None:
    if normalization not in allowed:
        raise ComputationError(f"Eigenvectors are normalized by {' or '.join(allowed)}, not {normalization!r}.")


def _largest_at_one(vectors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns with their largest component exactly one, and which it is."""
    component, every = np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])
    scaled = vectors / vectors[component, every]
    scaled[component, every] = 1.0
    return scaled, component


def _blank(P: int, shapes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.full((P, *shapes.shape), np.nan, complex), np.full((P, shapes.shape[1]), np.nan, complex)


def _bordered(
    matrices: np.ndarray, columns: np.ndarray, component: np.ndarray, load: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """dz (P, n, k) and d lambda (P, k) from matrices (k, n, n), border columns (k, n) and loads (P, n, k)."""
    k, n, _ = matrices.shape
    every = np.arange(k)
    size = np.linalg.norm(matrices, axis=(1, 2))
    stretch = size / np.linalg.norm(columns, axis=1)  # the border is made as large as the matrix
    whole = np.zeros((k, n + 1, n + 1), complex)
    whole[:, :n, :n], whole[:, :n, n] = matrices, columns * stretch[:, None]
    whole[every, n, component] = size
    right = np.zeros((k, n + 1, len(load)), complex)
    right[:, :n] = -np.moveaxis(load, 0, 2).transpose(1, 0, 2)
    found = np.linalg.solve(whole, right)
    found[every, component] = 0.0
    return found[:, :n].transpose(2, 1, 0), (found[:, n] * stretch[:, None]).T


def _of_unit_size(
    shapes: np.ndarray, steps: np.ndarray, weight: np.ndarray, d_weight: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """z / sqrt(z^H W z) and its derivative from z (n, k), dz (P, n, k), W (n, n) symmetric and dW (P, n, n)."""
    weighted = weight @ shapes
    square = np.sum(shapes.conj() * weighted, axis=0).real
    growth = np.einsum("ik,pik->pk", weighted.conj(), steps).real
    if d_weight is not None:
        growth = growth + 0.5 * np.einsum("ik,pik->pk", shapes.conj(), images(d_weight, shapes)).real
    size = np.sqrt(square)
    unit = shapes / size
    return unit, steps / size - unit * (growth / square)[:, None, :]


# ---------------------------------------------------------------- clusters


@dataclass(frozen=True, slots=True)
class AdaptedBasis:
    """Vectors of a repeated eigenvalue (k members) that each of P parameters singles out, and their derivatives.

    slopes       (P, k) complex d lambda
    vectors      (P, n, k) complex, largest component one; nan where slopes coincide
    derivatives  (P, n, k) complex; nan where slopes coincide
    curvatures   (P, k) complex second derivatives of the eigenvalues; nan without the second derivative of A
    distinct     (P,) bool: slopes are distinct, so that the vectors are determined
    complete     whether `derivatives` contains the motion within the subspace, with the largest component held at one;
                 else it is the motion out of it alone, L^H dX = 0
    """

    slopes: np.ndarray
    vectors: np.ndarray
    derivatives: np.ndarray
    curvatures: np.ndarray
    distinct: np.ndarray
    complete: bool


@on_one_thread
def adapted_basis(
    basis: EigenBasis, A: np.ndarray, cluster: Cluster, dA: np.ndarray, ddA: np.ndarray | None = None
) -> AdaptedBasis:
    """Derivatives of the vectors of a semisimple cluster by each parameter: dA, ddA (P, n, n) real.

    The motion within the subspace follows from the second derivative d2A/dp2 = `ddA`; without it the derivative of
    the subspace is given.
    """
    if cluster.defective:
        raise ComputationError("The vectors of a defective eigenvalue have no derivative.")
    left, right = basis.left[:, cluster.members], basis.right[:, cluster.members]
    P, n, k = len(dA), len(A), len(cluster.members)
    pushed = images(dA, right)
    slopes, inner = np.linalg.eig(left.conj().T @ pushed)
    order = slope_order(slopes, cluster.eigenvalue)
    slopes, inner = np.take_along_axis(slopes, order, 1), np.take_along_axis(inner, order[:, None, :], 2)
    distinct = _distinct(slopes)
    inner = np.where(distinct[:, None, None], inner, np.eye(k))
    vectors = right @ inner
    place = np.abs(vectors).argmax(axis=1)[:, None, :]
    unit = np.take_along_axis(vectors, place, 1)
    vectors, inner = vectors / unit, inner / unit
    out = _out_of_subspace(A, cluster.eigenvalue, left, right, pushed @ inner)
    curvatures = np.full((P, k), np.nan, complex)
    if ddA is not None:
        # second-order terms: Z (L^H dA w + L^H ddA x / 2), Z the inverse of the inner vectors
        drive = left.conj().T @ (dA @ out + 0.5 * ddA @ vectors)
        drive = np.linalg.solve(inner, drive)
        apart = slopes[:, None, :] - slopes[:, :, None] + np.eye(k)
        curvatures = 2.0 * np.diagonal(drive, axis1=1, axis2=2)
        within = np.where(np.eye(k, dtype=bool), 0.0, drive / np.where(apart == 0, np.nan, apart))
        out = out + vectors @ within
        out = out - vectors * np.take_along_axis(out, place, 1)
    for array in (vectors, out):
        array[~distinct] = np.nan
    curvatures = np.where(distinct[:, None], curvatures, np.nan)
    return AdaptedBasis(slopes, vectors.reshape(P, n, k), out, curvatures, distinct, ddA is not None)


def _distinct(slopes: np.ndarray) -> np.ndarray:
    """(P,) whether all slopes (P, k) of a parameter differ."""
    apart = np.abs(slopes[:, :, None] - slopes[:, None, :])
    apart[:, np.arange(slopes.shape[1]), np.arange(slopes.shape[1])] = np.inf
    return apart.min(axis=(1, 2)) > DISTINCT * np.abs(slopes).max(axis=1)


def _out_of_subspace(
    A: np.ndarray, value: complex, left: np.ndarray, right: np.ndarray, load: np.ndarray
) -> np.ndarray:
    """w (P, n, k) with (A - lambda) w = -load outside the cluster's subspace and L^H w = 0: one factorization."""
    P, n, k = load.shape
    size = np.linalg.norm(A) or 1.0
    whole = np.zeros((n + k, n + k), complex)
    whole[:n, :n], whole[:n, n:], whole[n:, :n] = A - value * np.eye(n), size * right, size * left.conj().T
    flat = np.zeros((n + k, P * k), complex)
    flat[:n] = -load.transpose(1, 0, 2).reshape(n, -1)
    return np.linalg.solve(whole, flat)[:n].reshape(n, P, k).transpose(1, 0, 2)
