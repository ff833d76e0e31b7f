"""Block Lanczos, the inertia count and modes from undamped ones, against dense LAPACK."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh, null_space
from scipy.sparse import block_diag, csc_array, kron

from eigenbody.numerics.eigen.constrained import ConstrainedPencil
from eigenbody.numerics.eigen.lanczos import largest_ritz
from eigenbody.numerics.eigen.sparse import SparseModes
from eigenbody.numerics.eigen.sparse_symmetric import lightly_damped_modes, undamped_modes


def constrained(n: int = 120, rows: int = 30, copies: int = 1, seed: int = 0) -> tuple[csc_array, csc_array, csc_array]:
    """K, M and G of a random sparse system, repeated `copies` times so that every eigenvalue is."""
    rng = np.random.default_rng(seed)
    spring = rng.normal(size=(2 * n, n)) * (rng.random((2 * n, n)) < 6 / n)
    K = csc_array(spring.T @ spring + 1e-3 * np.eye(n))
    blocks = rng.normal(size=(n // 3, 3, 3))
    M = csc_array(block_diag([b @ b.T + np.eye(3) for b in blocks]))
    G = csc_array(rng.normal(size=(rows, n)) * (rng.random((rows, n)) < 8 / n))
    one = csc_array(np.eye(copies))
    return tuple(csc_array(kron(one, part)) for part in (K, M, G))  # type: ignore[return-value]


def squares(found: SparseModes) -> np.ndarray:
    """omega^2 of undamped modes."""
    return -(found.eigenvalues**2).real


def exact(K: csc_array, M: csc_array, G: csc_array) -> np.ndarray:
    free = null_space(G.toarray())
    return eigh(free.T @ K.toarray() @ free, free.T @ M.toarray() @ free, eigvals_only=True)


@pytest.mark.parametrize("copies", [1, 2, 5, 9])
def test_every_copy_of_a_repeated_eigenvalue_is_found(copies: int) -> None:
    """More copies than the block is wide, too."""
    K, M, G = constrained(copies=copies)
    found = undamped_modes(ConstrainedPencil(K, M, G), 20)
    np.testing.assert_allclose(squares(found), exact(K, M, G)[:20], rtol=1e-10)
    assert found.complete is True
    assert found.residuals.max() < 1e-9


@pytest.mark.parametrize("count", [40, 60, 88])
def test_nearly_all_modes(count: int) -> None:
    """The Krylov space is exhausted before it holds what was asked for twice."""
    K, M, G = constrained()
    found = undamped_modes(ConstrainedPencil(K, M, G), count)
    np.testing.assert_allclose(squares(found), exact(K, M, G)[:count], rtol=1e-9)


def test_modes_near_a_frequency() -> None:
    K, M, G = constrained()
    all_ = exact(K, M, G)
    near = np.sqrt(0.5 * (all_[30] + all_[31]))
    found = undamped_modes(ConstrainedPencil(K, M, G), 8, near)
    expected = np.sort(all_[np.argsort(np.abs(all_ - near**2))[:8]])
    np.testing.assert_allclose(squares(found), expected, rtol=1e-9)
    assert found.complete is None


def test_the_count_is_sylvesters() -> None:
    K, M, G = constrained()
    pencil, values = ConstrainedPencil(K, M, G), exact(K, M, G)
    for below in (1, 7, 40, 80):
        assert pencil.counted(float(np.sqrt(values[below - 1] * values[below]))).below(1e-10) == below


def test_a_missed_mode_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The iteration is made to lose the second mode; the count tells."""
    from eigenbody.numerics.eigen import sparse_symmetric

    def forgetful(operate, mass, count, start, most):  # type: ignore[no-untyped-def]
        return np.delete(largest_ritz(operate, mass, count + 1, start, most), 1, axis=1)

    monkeypatch.setattr(sparse_symmetric, "largest_ritz", forgetful)
    K, M, G = constrained()
    assert undamped_modes(ConstrainedPencil(K, M, G), 20).complete is False


@pytest.mark.parametrize("proportional", [True, False])
def test_light_damping(proportional: bool) -> None:
    K, M, G = constrained()
    rng = np.random.default_rng(1)
    C = 1e-3 * K + 0.01 * M
    if not proportional:
        C = C + csc_array(np.diag(1e-9 * rng.random(K.shape[0])))
    found = lightly_damped_modes(ConstrainedPencil(K, M, G), C, 12)
    assert found is not None
    free = null_space(G.toarray())
    k, c, m = (free.T @ part.toarray() @ free for part in (K, C, M))
    n = len(k)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(m, k), -np.linalg.solve(m, c)]])
    values = np.linalg.eigvals(A)
    values = values[values.imag > 0]
    expected = values[np.argsort(np.abs(values))[:12]]
    np.testing.assert_allclose(found.eigenvalues, expected, rtol=1e-8)


def test_strong_damping_is_left_to_the_general_method() -> None:
    K, M, G = constrained()
    rng = np.random.default_rng(1)
    assert lightly_damped_modes(ConstrainedPencil(K, M, G), csc_array(np.diag(rng.random(K.shape[0]))), 12) is None
