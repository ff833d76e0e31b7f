"""What one eigenvalue of A contributes to C (s - A)^-1 B + D, and whether that is more than rounding.

About an eigenvalue mu with the spectral projector P, the nilpotent part N = (A - mu) P and the inverse S of A - mu on
the rest of the space,

    C (s - A)^-1 B = sum_k C N^k P B / (s - mu)^(k+1)  -  C S B  -  (s - mu) C S^2 B - ...

An error E of A moves N^k P, to first order, by the sum of r_a E r_b over a + b = -k-1, where r are the coefficients of
this series without B and C (Kato, Perturbation Theory for Linear Operators, II.1 and II.2): r_(-m-1) = N^m P, r_(m-1) =
-S^m. With the size of E entry by entry that bounds the error of every term. A term within its bound is zero as far as
anyone can tell: the inputs do not drive the eigenvalue, or the outputs do not see it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.numerics.matrices.balance import lapack_balanced
from eigenbody.numerics.matrices.noise import ENTRY_NOISE, EPS, equilibrate
from eigenbody.numerics.signals.covariance import split_along, split_nearest

SAFETY = 64.0
"""Of the bounds: entries of reduced flexible bodies carry the rounding of their reduction, of which the model knows
nothing. Terms that should vanish reached 13 of the plain bound there, true ones began at 4e7."""


@dataclass(frozen=True, eq=False)
class Realization:
    """x' = A x + B u, y = C x + D u, and the size of the error to expect in each entry of A, B and C."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    noise: np.ndarray
    noise_B: np.ndarray
    noise_C: np.ndarray


def realization(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray, noise: np.ndarray) -> Realization:
    """With the noise of B and C, and what entries of A, B and C that should be zero may be left with: rounding of the
    largest ones beside them, where states are of like size."""
    scale = lapack_balanced(A)[1] if len(A) else np.ones(0)
    column = np.abs(B / scale[:, None]).max(axis=0, initial=0.0)
    row = np.abs(C * scale).max(axis=1, initial=0.0)
    noise_B = ENTRY_NOISE * np.abs(B) + ENTRY_NOISE * np.outer(scale, column)
    noise_C = ENTRY_NOISE * np.abs(C) + ENTRY_NOISE * np.outer(row, 1 / scale)
    rows, columns = equilibrate(A)
    floor = np.where(A != 0, ENTRY_NOISE * np.outer(rows, columns), 0.0)
    return Realization(A, B, C, D, noise + floor, noise_B, noise_C)


@dataclass(frozen=True, eq=False)
class Subspace:
    """The invariant subspace of an eigenvalue, or of a tight cluster about it.

    V (n, k) and W (k, n)  right and left vectors, W V = 1
    left, right            C S^p (ny, n) and S^p B (n, nu) for p = 1, 2, ..., as many as chains are long
    """

    value: complex
    V: np.ndarray
    W: np.ndarray
    left: Sequence[np.ndarray]
    right: Sequence[np.ndarray]


@dataclass(frozen=True, eq=False)
class PrincipalPart:
    """The eigenvalue between inputs and outputs.

    terms, bounds   (ny, nu) each, of 1/(s - mu), 1/(s - mu)^2, ...: value and error
    rest, slope     (ny, nu) the response at mu without it, and its derivative by s
    drive           (k, nu) W B, how the inputs move it, and drive_error
    states          (n, nu) -S B, the states at mu without it
    seen            (ny,) bool: whether an output would show it
    """

    value: complex
    terms: tuple[np.ndarray, ...]
    bounds: tuple[np.ndarray, ...]
    rest: np.ndarray
    slope: np.ndarray
    drive: np.ndarray
    drive_error: np.ndarray
    states: np.ndarray
    seen: np.ndarray

    @property
    def driven(self) -> np.ndarray:
        """Which inputs (nu,) move it at all."""
        return (np.abs(self.drive) > self.drive_error).any(axis=0)

    @property
    def felt(self) -> np.ndarray:
        """Which entries (ny, nu) of the response become infinite at mu."""
        return np.any([np.abs(t) > bound for t, bound in zip(self.terms, self.bounds, strict=True)], axis=0)


def principal_part(given: Realization, space: Subspace) -> PrincipalPart:
    """Terms at the eigenvalue with their bounds."""
    A, V, W, depth = given.A, space.V, space.W, len(space.left)
    block = W @ (A @ V)
    N = block - space.value * np.eye(len(block))
    off_right, off_left = np.abs(A @ V - V @ block), np.abs(W @ A - block @ W)  # what the vectors lack
    powers = [np.linalg.matrix_power(N, m) for m in range(depth)]
    c, b = given.C @ V, W @ given.B
    near_left, near_right = [np.abs(c @ p @ W) for p in powers], [np.abs(V @ p @ b) for p in powers]
    far_left, far_right = [np.abs(x) for x in space.left], [np.abs(x) for x in space.right]

    def disturbed(rows: np.ndarray) -> np.ndarray:
        """rows |E|, E the error of A for which the vectors are right."""
        return rows @ given.noise + (rows @ off_right) @ np.abs(W) + (rows @ np.abs(V)) @ off_left

    near, far = [disturbed(x) for x in near_left], [disturbed(x) for x in far_left]
    bounds = []
    for k in range(depth):
        bound = near_left[k] @ given.noise_B + given.noise_C @ near_right[k]
        for m in range(k, depth):
            bound = bound + near[m] @ far_right[m - k] + far[m - k] @ near_right[m]
        for m in range(k):
            bound = bound + near[m] @ near_right[k - 1 - m]
        bounds.append(SAFETY * bound)
    entered, shown = np.abs(W) @ given.noise_B, given.noise_C @ np.abs(V)
    for m, p in enumerate(powers):
        entered = entered + disturbed(np.abs(p @ W)) @ far_right[m]
        shown = shown + far[m] @ np.abs(V @ p)
    return PrincipalPart(
        space.value,
        tuple(c @ p @ b for p in powers),
        tuple(bounds),
        given.D - space.left[0] @ given.B,
        -space.left[0] @ space.right[0],
        b,
        SAFETY * entered,
        -space.right[0],
        (np.abs(c) > SAFETY * shown).any(axis=1),
    )


def subspace_of(given: Realization, value: complex, V: np.ndarray, depth: int) -> Subspace:
    """The subspace spanned by V (n, k), whatever the other eigenvectors are like; where the columns of V are dependent
    (a defective eigenvalue), that of the k eigenvalues nearest to `value`."""
    A, scale = lapack_balanced(given.A)
    V = V / scale[:, None]
    V = V / np.linalg.norm(V, axis=0)
    is_whole = np.linalg.svd(V, compute_uv=False)[-1] > np.sqrt(EPS)
    parts = split_along(A, V) if is_whole else split_nearest(A, value, V.shape[1])
    rest = parts.A2 - value * np.eye(len(parts.A2))
    C, B = given.C * scale @ parts.V2, parts.W2 @ (given.B / scale[:, None])
    left, right = [], []
    for _ in range(depth):
        C, B = np.linalg.solve(rest.T, C.T).T, np.linalg.solve(rest, B)
        left.append(C @ parts.W2 / scale)
        right.append(scale[:, None] * (parts.V2 @ B))
    return Subspace(value, scale[:, None] * parts.V1, parts.W1 / scale, left, right)
