"""Left eigenvectors from the right ones: by inversion, and where these depend on each other by least squares; both by
substitution in a Schur form."""

import numpy as np
import pytest

from eigenbody.numerics.eigen.graded import left_vectors
from eigenbody.numerics.eigen.invariant import schur_pairs


def test_independent_vectors_are_inverted():
    A = np.random.default_rng(4).normal(size=(7, 7))
    values, right = np.linalg.eig(A)
    left = left_vectors(right)
    np.testing.assert_allclose(left @ A, values[:, None] * left, atol=1e-12)
    np.testing.assert_allclose(left @ right, np.eye(7), atol=1e-12)


def test_dependent_vectors_and_few_of_them_are_taken_by_least_squares():
    right = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1e-12, 0.0]])
    for vectors in (right, np.array([[1.0, 1.0], [1.0, 1.0]]), right[:, [0, 2]]):
        np.testing.assert_allclose(left_vectors(vectors), np.linalg.pinv(vectors), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 30])
def test_pairs_by_schur_form(n):
    A = np.random.default_rng(n).normal(size=(2, n, n))
    values, left, right = schur_pairs(A)
    np.testing.assert_allclose(A @ right, right * values[:, None, :], atol=1e-12 * n)
    np.testing.assert_allclose(A.mT @ left, left * values.conj()[:, None, :], atol=1e-12 * n)


def test_vectors_of_a_long_chain_stay_finite():
    """All eigenvalues are zero: substitution divides by rounding again and again."""
    A = np.triu(1 + np.random.default_rng(1).random((1, 40, 40)), 1)
    _, left, right = schur_pairs(A)
    for vectors in (left, right):
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0)
