"""Sums of products whose digits survive cancellation, against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from eigenbody.numerics.matrices.exact_products import summed_products


def by_fractions(pairs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The same sum without any rounding but the last."""
    exact = [[[Fraction(x) for x in row] for row in part] for pair in pairs for part in (pair[0], pair[1].T)]
    rows, columns = exact[0::2], exact[1::2]
    n, m = len(rows[0]), len(columns[0])
    return np.array([
        [
            float(sum(x * y for r, c in zip(rows, columns, strict=True) for x, y in zip(r[i], c[j], strict=True)))
            for j in range(m)
        ]
        for i in range(n)
    ])  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_residual_of_a_rounded_product_is_exact(seed: int) -> None:
    """A B - fl(A B): all is rounding, 1e-16 of the terms, and comes out to the 2^-3b of rows and columns that slices of
    b = 24 bits leave away, three for each factor, 6 terms in each sum."""
    rng = np.random.default_rng(seed)
    A, B = (rng.normal(size=(6, 6)) * 10.0 ** rng.integers(-3, 4, size=(6, 6)) for _ in range(2))
    pairs = [(A, B), (-(A @ B), np.eye(6))]
    found, expected = summed_products(pairs), by_fractions(pairs)
    reach = np.abs(A).max(axis=1)[:, None] * np.abs(B).max(axis=0)
    assert np.abs(expected).max() > 1e-18 * reach.max()  # rounding is there to be found
    assert (np.abs(found - expected) <= 4 * 6 * 2.0**-66 * reach + 1e-15 * np.abs(expected)).all()


def test_numbers_at_the_end_of_the_floats_are_no_division_by_zero() -> None:
    tiny = np.array([[1e-300, 3e-310], [0.0, 0.0]])
    with np.errstate(divide="raise", invalid="raise"):
        found = summed_products([(tiny, np.eye(2))])
    np.testing.assert_allclose(found, tiny, rtol=0, atol=np.finfo(float).tiny)  # what is below normal floats is nothing


def test_products_of_different_lengths_and_zeros_are_summed() -> None:
    rng = np.random.default_rng(1)
    x, A = rng.normal(size=(5, 1)), np.zeros((5, 5))
    A[1, 2] = 3.0
    pairs = [(A, A.T), (x, x.T), (-x, x.T)]
    np.testing.assert_array_equal(summed_products(pairs), by_fractions(pairs))
