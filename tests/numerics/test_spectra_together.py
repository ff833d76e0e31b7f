"""Eigenvalues of many systems together are those of each alone: values, vectors, bounds, chains, verdicts."""

from collections.abc import Callable

import numpy as np
import pytest

from eigenbody.numerics.eigen.dense import (
    spectra_first_order,
    spectra_second_order,
    spectrum_first_order,
    spectrum_second_order,
)
from eigenbody.numerics.eigen.spectrum import Spectrum

N = 6
System = tuple[np.ndarray, np.ndarray, np.ndarray]


def definite(rng: np.random.Generator, n: int = N) -> np.ndarray:
    X = rng.normal(size=(n, n))
    return X @ X.T + n * np.eye(n)


def skew(rng: np.random.Generator) -> np.ndarray:
    X = rng.normal(size=(N, N))
    return X - X.T


def with_rigid(rng: np.random.Generator, count: int) -> np.ndarray:
    """Springs between coordinates that feel no motion of the first `count` directions."""
    D = np.zeros((N, N))
    D[:, count:] = rng.normal(size=(N, N - count))
    return np.asarray(D.T @ D)


def unsymmetric(rng: np.random.Generator) -> np.ndarray:
    return definite(rng) + 3 * skew(rng)


def repeated(rng: np.random.Generator) -> System:
    """Pairs of equal frequencies, one of them damped critically: a defective pair beside semisimple ones."""
    C = np.diag([4.0, 0, 0, 0, 0.1, 0.1])
    return np.eye(N), C, np.diag([4.0, 9, 9, 16, 25, 25])


def flutter(rng: np.random.Generator) -> System:
    """A chain of integrators: x''' = 0 in the middle of others."""
    K = np.diag([0.0, 0, 5, 6, 7, 8])
    K[0, 1] = 3.0
    return np.eye(N), np.zeros((N, N)), K


KINDS: dict[str, Callable[[np.random.Generator], System]] = {
    "undamped": lambda r: (definite(r), np.zeros((N, N)), definite(r)),
    "undamped, free": lambda r: (definite(r), np.zeros((N, N)), with_rigid(r, 2)),
    "damped": lambda r: (definite(r), definite(r), definite(r)),
    "uncoupled": lambda r: (np.diag([1.0, 2, 3, 4, 5, 6]), 0.1 * np.eye(N), np.diag([9.0, 8, 7, 6, 5, 4])),
    "damped, free": lambda r: (definite(r), with_rigid(r, 1), with_rigid(r, 2)),
    "damped freedoms": lambda r: (definite(r), definite(r), with_rigid(r, 2)),
    "gyroscopic": lambda r: (definite(r), skew(r), definite(r)),
    "gyroscopic, free": lambda r: (definite(r), skew(r), with_rigid(r, 3)),
    "gyroscopic, unstable": lambda r: (definite(r), skew(r), definite(r) - 20 * np.eye(N)),
    "circulatory": lambda r: (definite(r), definite(r), unsymmetric(r)),
    "circulatory, free": lambda r: (definite(r), with_rigid(r, 1), with_rigid(r, 1) @ np.diag([1.0, 1, 1, 2, 3, 4])),
    "repeated": repeated,
    "chain": flutter,
}


def assert_same(one: Spectrum, other: Spectrum) -> None:
    assert one.stability == other.stability
    assert one.zero_chains == other.zero_chains
    assert one.near_zero == other.near_zero
    for name in ("is_rigid", "on_axis", "defective", "undecided"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    size = np.abs(other.eigenvalues).max(initial=1.0)
    np.testing.assert_allclose(one.eigenvalues, other.eigenvalues, rtol=1e-13, atol=1e-15 * size)
    np.testing.assert_allclose(one.bounds, other.bounds, rtol=1e-6, atol=1e-18 * size)
    np.testing.assert_allclose(one.right, other.right, rtol=1e-9, atol=1e-12 * np.abs(other.right).max(initial=1.0))


@pytest.mark.parametrize("seed", range(6))
def test_systems_of_every_kind_together_are_those_alone(seed: int) -> None:
    rng = np.random.default_rng(seed)
    systems = [make(rng) for make in KINDS.values() for _ in range(3)]
    mixed = [systems[k] for k in rng.permutation(len(systems))]
    stacks = [np.stack(parts) for parts in zip(*mixed, strict=True)]
    alone = [spectrum_second_order(*system) for system in mixed]
    for one, other in zip(spectra_second_order(*stacks), alone, strict=True):
        assert_same(one, other)
    assert {s.stability for s in alone} == {"stable", "marginal", "drifting", "unstable"}


@pytest.mark.parametrize("seed", range(6))
def test_first_order_systems_together_are_those_alone(seed: int) -> None:
    """Chains of zeros of every shape, beside complex and real eigenvalues."""
    rng = np.random.default_rng(seed)
    shapes = ((), (1,), (2,), (1, 1), (2, 1), (3,), (2, 2), (3, 2))
    matrices = []
    for shape in shapes:
        J = np.diag(rng.uniform(-3, -1, 9))
        J[6:8, 6:8] = [[0, 2.5], [-2.5, 0]] if seed % 2 else [[-0.1, 2.5], [-2.5, -0.1]]
        place = 0
        for length in shape:
            J[place : place + length] = 0.0
            J[place : place + length, place : place + length] = np.eye(length, k=1)
            place += length
        S = np.linalg.qr(rng.normal(size=(9, 9)))[0] + 0.1 * rng.normal(size=(9, 9))
        matrices.append(S @ J @ np.linalg.inv(S))
    stack = np.stack(matrices)
    noise = 1e-13 * np.abs(stack).max(axis=(1, 2), keepdims=True) * np.ones_like(stack)
    found = spectra_first_order(stack, noise)
    for k, one in enumerate(found):
        assert one.zero_chains == tuple(sorted(shapes[k], reverse=True))
        assert_same(one, spectrum_first_order(stack[k], noise[k]))


def test_a_matrix_that_is_not_finite_is_named() -> None:
    with pytest.raises(Exception, match="Matrix K has a non-finite entry"):
        spectra_second_order(np.stack([np.eye(2)] * 2), np.zeros((2, 2, 2)), np.full((2, 2, 2), np.nan))


def test_large_stacks_are_worked_on_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    systems = [make(rng) for make in KINDS.values()]
    stacks = [np.stack(parts) for parts in zip(*systems, strict=True)]
    first = np.stack([-K for _, _, K in systems])
    whole = spectra_second_order(*stacks), spectra_first_order(first, 1e-13 * np.abs(first))
    monkeypatch.setattr("eigenbody.numerics.matrices.stacks.MANY", 3 * N * N)
    parts = spectra_second_order(*stacks), spectra_first_order(first, 1e-13 * np.abs(first))
    for one, other in zip((*whole[0], *whole[1]), (*parts[0], *parts[1]), strict=True):
        assert_same(one, other)
