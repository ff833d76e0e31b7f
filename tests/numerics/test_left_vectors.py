"""Left eigenvectors from the right ones: by inversion, and where these depend on each other by least squares."""

import numpy as np

from eigenbody.numerics.eigen.graded import left_vectors


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
