"""Defective eigenvalues other than zero: clusters without independent vectors, whose mean is well determined."""

from __future__ import annotations

import numpy as np

from eigenbody.numerics.matrices.noise import BACKWARD, EPS

INDEPENDENT = 1e-3
"""Unit eigenvectors whose smallest singular value exceeds this are independent (defective ones give below 1e-4)."""


def merge_defective(
    B: np.ndarray,
    noise: np.ndarray,
    values: np.ndarray,
    right: np.ndarray,
    bounds: np.ndarray,
    gap: np.ndarray,
    partner: np.ndarray,
    on_axis: np.ndarray,
    defective: np.ndarray,
    stated: np.ndarray,
) -> None:
    """Replace the members of defective clusters by their mean and its eigenvectors, and the bounds that are `stated` of
    each alone, which say nothing there, by how far an error parts them, in place."""
    schur: tuple[np.ndarray, np.ndarray] | None = None
    for members in _clusters(values, bounds, gap):
        if values[members].imag.mean() < -bounds[members].max() or _are_independent(right[:, members]):
            continue
        schur = schur or _complex_schur(B)
        found = _confluent(*schur, values[members], partner[members], members, noise, float(np.linalg.norm(B)))
        if found is None:
            continue
        mean, error, vectors, spread = found
        for index, value, columns in ((members, mean, vectors), (partner[members], mean.conjugate(), vectors.conj())):
            values[index], right[:, index] = value, columns
            on_axis[index] = abs(mean.real) <= error
            defective[index] = abs(mean.real) <= error
            stated[index] = np.minimum(stated[index], spread)


def _clusters(values: np.ndarray, bounds: np.ndarray, gap: np.ndarray) -> list[np.ndarray]:
    """Index arrays of eigenvalues (two or more) that their own bounds cannot tell apart."""
    pending = set(np.flatnonzero(gap <= 2.0 * bounds).tolist())
    clusters = []
    while pending:
        members, front = set(), [pending.pop()]
        while front:
            current = front.pop()
            members.add(current)
            others = np.fromiter(pending, int, len(pending))
            reach = 2.0 * np.maximum(bounds[current], bounds[others])
            near = set(others[np.abs(values[others] - values[current]) <= reach].tolist())
            pending -= near
            front.extend(near)
        if len(members) > 1:
            clusters.append(np.array(sorted(members)))
    return clusters


def _are_independent(vectors: np.ndarray) -> bool:
    """Whether unit columns (m, k) are linearly independent beyond doubt."""
    return bool(np.linalg.svd(vectors, compute_uv=False)[-1] > INDEPENDENT)


def _complex_schur(B: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    from scipy.linalg import schur

    form, basis = schur(B, output="complex", check_finite=False)
    return form, basis


def _confluent(
    form: np.ndarray,
    basis: np.ndarray,
    values: np.ndarray,
    partner: np.ndarray,
    members: np.ndarray,
    noise: np.ndarray,
    norm: float,
) -> tuple[complex, float, np.ndarray, float] | None:
    """Mean, error of the mean, eigenvectors (m, k) and distance of each from the mean when the cluster is one defective
    eigenvalue, else None.

    With the cluster's k-by-k Schur block T and mean mu, a perturbation of size `error` makes a Jordan structure out of
    T exactly when (T - mu)^k is of the order error * |T - mu|^(k-1); it is semisimple when T - mu itself is that small.
    Such a perturbation parts the k eigenvalues by the k-th root of that.
    """
    from scipy.linalg.lapack import ztrsen

    m, k = len(form), len(members)
    chosen = np.zeros(m, np.int32)
    chosen[np.argsort(np.abs(np.diag(form) - values.mean()), kind="stable")[:k]] = 1
    ordered, rotated, _, _, condition, _, info = ztrsen(chosen, form, basis, job="E", lwork=max(1, k * (m - k)))
    if info:
        return None
    block, vectors = ordered[:k, :k], rotated[:, :k]
    mean = complex(np.trace(block) / k)
    if np.array_equal(np.sort(partner), members):
        mean = complex(mean.real)
    size = np.abs(vectors)
    error = float((BACKWARD * EPS * norm + np.max(size.T @ noise @ size)) / max(condition, EPS))
    nilpotent = np.triu(block) - mean * np.eye(k)
    _, strength, directions = np.linalg.svd(nilpotent)
    if strength[0] <= 10.0 * error:
        return None
    if np.linalg.norm(np.linalg.matrix_power(nilpotent, k), 2) > 10.0 * k * error * strength[0] ** (k - 1):
        return None
    independent = max(1, int(np.sum(strength <= 10.0 * error)))
    kernel = vectors @ directions[-independent:].conj().T
    if mean.imag == 0.0:
        kernel = _real_columns(kernel)
    spread = (10.0 * k * error * strength[0] ** (k - 1)) ** (1 / k)
    return mean, error, kernel[:, np.arange(k) % independent], spread


def _real_columns(vectors: np.ndarray) -> np.ndarray:
    """Real orthonormal basis, stored complex, of a span (m, k) that is closed under conjugation."""
    left, _, _ = np.linalg.svd(np.hstack([vectors.real, vectors.imag]), full_matrices=False)
    return left[:, : vectors.shape[1]].astype(complex)
