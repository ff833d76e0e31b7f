"""Iterative refinement of [[A, G^T], [G, 0]]: what badly scaled rows cost the factors it brings back."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csc_array

from eigenbody.numerics.matrices.linear import KKT

SPREAD = 6  # coordinates and rows are in units from 1e-6 to 1e6
SEEDS = (2, 3, 20, 32)


def badly_scaled(seed: int, n: int = 8, m: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A positive definite, G and f, coordinates and rows in units far apart."""
    rng = np.random.default_rng(seed)
    B, unit = rng.normal(size=(n, n)), 10.0 ** rng.uniform(-SPREAD, SPREAD, n)
    G = rng.normal(size=(m, n)) * 10.0 ** rng.uniform(-SPREAD, SPREAD, m)[:, None]
    return (B @ B.T + np.eye(n)) * unit * unit[:, None], G, np.random.default_rng(seed + 9).normal(size=n) * unit


def exactly(A: np.ndarray, G: np.ndarray, f: np.ndarray) -> np.ndarray:
    """x by elimination in rational numbers."""
    n, m = len(f), len(G)
    whole = np.block([[A, G.T, f[:, None]], [G, np.zeros((m, m + 1))]])
    rows = [[Fraction(float(value)) for value in row] for row in whole]
    for i in range(n + m):
        pivot = next(k for k in range(i, n + m) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(n + m):
            if k != i and rows[k][i]:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i], strict=True)]
    return np.array([float(row[-1]) for row in rows[:n]])


@pytest.mark.parametrize("seed", SEEDS)
def test_one_step_brings_every_digit_back(seed: int) -> None:
    A, G, f = badly_scaled(seed)
    saddle, exact = KKT(csc_array(A), csc_array(G)), exactly(A, G, f)
    plain, refined = (np.abs(x / exact - 1).max() for x in (saddle.solve(f), saddle.solve_refined(f)))
    assert plain > 1e-11
    assert refined < 1e-13


def test_it_bears_complex_right_sides() -> None:
    A, G, f = badly_scaled(SEEDS[0])
    saddle, exact = KKT(csc_array(A), csc_array(G)), exactly(A, G, f)
    np.testing.assert_allclose(saddle.solve_refined((2 - 3j) * f), (2 - 3j) * exact, rtol=1e-13)
