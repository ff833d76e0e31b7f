"""Subspace identification from histories: how future outputs depend on the past gives the poles and shapes of a system.

With inputs the method is PO-MOESP (Verhaegen 1994): future outputs, without what future inputs do, projected on past
inputs and outputs. Without inputs it is data-driven stochastic subspace identification (Van Overschee and De Moor
1996), right for ambient vibration and for free decay: noise of the past and of the future have nothing in common.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np


class Poles(NamedTuple):
    """Of one order: eigenvalues (k,) with positive imaginary part, rad/s, shapes (k, ny) as outputs show them, and how
    much (k,) of the data each explains, in parts of the noise in them."""

    order: int
    eigenvalues: np.ndarray
    shapes: np.ndarray
    strengths: np.ndarray


def block_hankel(values: np.ndarray, rows: int) -> np.ndarray:
    """(rows * n, columns) of samples (N, n): column j holds samples j ... j + rows - 1 below each other."""
    columns = len(values) - rows + 1
    return np.concatenate([values[k : k + columns].T for k in range(rows)])


def observability(outputs: np.ndarray, inputs: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Left singular vectors (rows * ny, k) times the root of the singular values, and these: their leading columns are
    the extended observability matrix [C; C A; C A^2; ...] of each order."""
    y, u = block_hankel(outputs, 2 * rows), block_hankel(inputs, 2 * rows)
    ny, nu = rows * outputs.shape[1], rows * inputs.shape[1]
    stacked = np.concatenate((u[nu:], u[:nu], y[:ny], y[ny:]))  # future inputs, past inputs and outputs, future outputs
    L = np.asarray(np.linalg.qr(stacked.T, mode="r")).T
    past = L[2 * nu + ny :, nu : 2 * nu + ny]
    U, s, _ = np.linalg.svd(past, full_matrices=False)
    return U * np.sqrt(s), s


def poles_by_order(wide: np.ndarray, s: np.ndarray, ny: int, dt: float, orders: range) -> Iterator[Poles]:
    """Poles of every order from the shift of the observability matrix.

    The projection of the future on the past is a sum of a part for each pole; the size of that part against the
    singular values beyond all orders, which are noise, is its strength.
    """
    noise = max(float(s[min(len(s) - 1, max(orders[-1], len(s) // 2))]), 1e-14 * float(s[0]))
    for order in orders:
        O = wide[:, :order]  # noqa: E741
        A = np.linalg.lstsq(O[:-ny], O[ny:], rcond=None)[0]
        values, vectors = np.linalg.eig(A)
        with np.errstate(divide="ignore"):
            poles = np.log(values.astype(complex)) / dt
        parts = np.linalg.norm(O @ vectors, axis=0) * np.linalg.norm(
            np.linalg.pinv(vectors) * np.sqrt(s[:order]), axis=1
        )
        yield Poles(order, *oscillating(poles, (O[:ny] @ vectors).T, parts / noise))


def oscillating(
    poles: np.ndarray, shapes: np.ndarray, strengths: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One of each pair, sorted by frequency; what is no number, and real poles, are left out."""
    own = np.isfinite(poles) & (poles.imag > 1e-9 * np.abs(poles))
    order = np.argsort(np.abs(poles[own]))
    return poles[own][order], shapes[own][order], strengths[own][order]
