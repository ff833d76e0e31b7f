"""Derivatives of eigenvectors by many parameters at once: one factorization for each mode, a right side for each.

A simple eigenvector z with component m held at one (bordered system; Nelson 1976):

    [A - lambda  -z] [dz      ]   [-dA z]
    [e_m^T        0] [d lambda] = [  0  ]

The vectors of a semisimple cluster are not unique: they have no derivative of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.numerics.eigen.clusters import EigenBasis
from eigenbody.numerics.eigen.sensitivity import images
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.numerics.signals.transfer import chunks


@dataclass(frozen=True, slots=True, eq=False)
class EigenvectorDerivatives:
    """Chosen eigenvectors and their derivatives by P parameters.

    vectors       (n, k) complex, their largest component one
    derivatives   (P, n, k) complex; nan for a member of a cluster
    eigenvalues   (P, k) complex d lambda, a by-product; nan for a member of a cluster
    component     (k,) the component that is held at one
    notes         (k,) reason where something is nan, else ""
    """

    vectors: np.ndarray
    derivatives: np.ndarray
    eigenvalues: np.ndarray
    component: np.ndarray
    notes: tuple[str, ...]


@on_one_thread
def eigenvector_derivatives(
    basis: EigenBasis, A: np.ndarray, dA: np.ndarray, modes: Sequence[int] | np.ndarray
) -> EigenvectorDerivatives:
    """Of the states of x' = A x, for chosen modes; dA (P, n, n) real. The component largest now is and stays one."""
    from scipy.linalg import matrix_balance

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
    notes = tuple("" if is_simple else "member of a repeated eigenvalue" for is_simple in simple)
    return EigenvectorDerivatives(shapes, steps, slopes, component, notes)


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
