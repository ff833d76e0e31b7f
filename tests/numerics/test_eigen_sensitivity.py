"""Derivatives of eigenvalues and eigenvectors: closed forms, and Cauchy's integral on a circle in the complex plane of
the parameter (the complex step with many directions), which differentiates an eigen-solution to 13 digits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.clusters import EigenBasis, confluence, eigen_basis, matching
from eigenbody.numerics.eigen.dense import spectrum_first_order, spectrum_second_order
from eigenbody.numerics.eigen.sensitivity import eigenvalue_derivatives, frequency_derivatives
from eigenbody.numerics.eigen.vector_sensitivity import eigenvector_derivatives

rng = np.random.default_rng(8)
P = 4


def circle(
    f: Callable[[complex], np.ndarray], radius: float = 0.02, order: int = 1, agree: float = 1e-10
) -> np.ndarray:
    """Derivative of that order (0: value) at 0 of an analytic f by Cauchy's integral with 16 points.

    The error is (radius / distance to the nearest singularity)^16 and eps / radius: the circle shrinks until two agree.
    """
    roots = np.exp(2j * np.pi * np.arange(16) / 16)

    def estimate(r: float) -> np.ndarray:
        return np.mean([f(r * w) * w ** (-order) for w in roots], axis=0) * (1, 1, 2)[order] / r**order

    last = estimate(radius)
    for _ in range(8):
        radius /= 2
        now = estimate(radius)
        if np.abs(now - last).max() <= agree * np.abs(now).max():
            return now  # truncation is 2^16 times less than the difference
        last = now
    raise AssertionError("the reference itself does not converge")


def followed(values: np.ndarray, near: np.ndarray) -> np.ndarray:
    return values[matching(values, near)]


def off(found: np.ndarray, exact: np.ndarray) -> float:
    """Largest error relative to each entry."""
    assert np.isfinite(found).all()
    return float(np.max(np.abs(found - exact) / np.abs(exact)))


def companion(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    n = len(M)
    A = np.zeros((2 * n, 2 * n), np.result_type(M, C, K))
    A[:n, n:], A[n:, :n], A[n:, n:] = np.eye(n), -np.linalg.solve(M, K), -np.linalg.solve(M, C)
    return A


def companion_derivatives(M, C, K, dM, dC, dK) -> np.ndarray:
    n = len(M)
    A, dA = companion(M, C, K), np.zeros((len(dM), 2 * n, 2 * n))
    dA[:, n:, :n] = np.linalg.solve(M, -dK - dM @ A[n:, :n])
    dA[:, n:, n:] = np.linalg.solve(M, -dC - dM @ A[n:, n:])
    return dA


class Family:
    """A(p) = A + sin(p) dA + p^2 ddA / 2 for each of P parameters."""

    def __init__(self, A: np.ndarray, scale: float = 1.0) -> None:
        self.A, (self.dA, self.ddA) = A, scale * rng.normal(size=(2, P, *A.shape))

    def at(self, j: int, p: complex) -> np.ndarray:
        return self.A + np.sin(p) * self.dA[j] + 0.5 * p * p * self.ddA[j]


class MechanicalFamily:
    """Random M (symmetric), unsymmetric C and K, each depending on every parameter."""

    def __init__(self, n: int = 4) -> None:
        X = rng.normal(size=(n, n))
        self.M, self.C, self.K = X @ X.T + n * np.eye(n), rng.normal(size=(n, n)), 30 * np.eye(n)
        self.K = self.K + 8 * rng.normal(size=(n, n))
        self.dM, self.dC, self.dK = (rng.normal(size=(P, n, n)) for _ in range(3))
        self.dM = self.dM + self.dM.transpose(0, 2, 1)

    def at(self, j: int, p: complex) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return self.M + np.sin(p) * self.dM[j], self.C + p * self.dC[j], self.K + np.expm1(p) * self.dK[j]


def oscillating(n: int) -> np.ndarray:
    """A random matrix with conjugate pairs near 3i, 6i, ... and a real eigenvalue for odd n."""
    turn = np.diag(3.0 * (1 + np.arange(n - 1) // 2) * (np.arange(n - 1) % 2 == 0), 1)
    return turn - turn.T + 0.4 * rng.normal(size=(n, n))


def similar(J: np.ndarray, spread: float = 0.4) -> np.ndarray:
    """J in random coordinates of condition up to 10^(2 spread)."""
    n = len(J)
    U, V = (np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(2))
    X = U * 10 ** rng.uniform(-spread, spread, n) @ V
    return X @ J @ np.linalg.inv(X)


def jordan(*blocks: tuple[float, int]) -> np.ndarray:
    n, at = sum(size for _, size in blocks), 0
    J = np.zeros((n, n))
    for value, size in blocks:
        J[at : at + size, at : at + size] = value * np.eye(size) + np.eye(size, k=1)
        at += size
    return J


def beside(J: np.ndarray, n: int) -> np.ndarray:
    """J and other eigenvalues between 1 and 5, up to n in all."""
    others = 1.0 + np.arange(n - len(J)) * min(1.0, 4.0 / max(n - len(J), 1))
    whole = np.diag(np.concatenate([np.zeros(len(J)), others]))
    whole[: len(J), : len(J)] = J
    return whole


# ---------------------------------------------------------------- simple eigenvalues


def test_damped_oscillator_closed_form() -> None:
    """m = 2, c = 0.8, k = 50: lambda = (-c + sqrt(c^2 - 4 m k)) / 2m and its derivatives in closed form."""
    M, C, K = (np.array([[x]]) for x in (2.0, 0.8, 50.0))
    dM, dC, dK = (np.array([[[float(i == j)]] for i in range(3)]) for j in range(3))
    A = companion(M, C, K)
    basis = eigen_basis(A)
    exact = np.array([0.1 - 1.2469979977571162j, -0.25 - 0.010008009612817947j, 0.05004004806408973j])
    assert basis.eigenvalues[0] == pytest.approx(-0.2 + 4.995998398718719j, rel=1e-15)
    first = eigenvalue_derivatives(basis, companion_derivatives(M, C, K, dM, dC, dK))
    assert np.abs(first.values[:, 0] - exact).max() < 1e-14
    assert np.abs(first.values[:, 1] - exact.conj()).max() < 1e-14
    # frequency sqrt(k/m) and damping ratio c / (2 sqrt(k m)), closed forms
    derived = frequency_derivatives(basis.eigenvalues[:1], first.values[:, :1])
    assert derived.magnitude[:, 0] == pytest.approx([-5.0 / 4, 0.0, 5.0 / 100], abs=1e-14)
    assert derived.frequency_hz[2, 0] == pytest.approx(0.05 / (2 * np.pi), rel=1e-13)
    assert derived.damping_ratio[:, 0] == pytest.approx([-0.04 / 4, 0.05, -0.04 / 100], abs=1e-15)
    assert derived.real_part[:, 0] == pytest.approx([0.1, -0.25, 0.0], abs=1e-14)
    assert derived.damped_frequency_hz[0, 0] == pytest.approx(-1.2469979977571162 / (2 * np.pi), rel=1e-13)


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_random_unsymmetric_matrices(n: int) -> None:
    family = Family(rng.normal(size=(n, n)) + np.diag(1.5 * np.arange(n)))
    basis = eigen_basis(family.A)
    found = eigenvalue_derivatives(basis, family.dA)
    assert not basis.clusters
    assert found.notes == ("",) * n
    for j in range(P):
        exact = circle(lambda p, j=j: followed(np.linalg.eigvals(family.at(j, p)), basis.eigenvalues), 0.01)
        assert off(found.values[j], exact) < 1e-9
    assert np.array_equal(found.values, found.mean)


def test_mechanical_systems_unsymmetric() -> None:
    family = MechanicalFamily()
    basis = eigen_basis(companion(family.M, family.C, family.K))
    dA = companion_derivatives(family.M, family.C, family.K, family.dM, family.dC, family.dK)
    found = eigenvalue_derivatives(basis, dA)
    for j in range(P):
        exact = circle(
            lambda p, j=j: followed(np.linalg.eigvals(companion(*family.at(j, p))), basis.eigenvalues), 0.005
        )
        assert off(found.values[j], exact) < 1e-9


def test_frequency_and_damping_ratio_against_differences() -> None:
    """|lambda| and -Re/|lambda| are analytic in the pair (lambda, conj): lambda conj(lambda) continues them."""
    family = Family(oscillating(7))
    basis = eigen_basis(family.A)
    derived = frequency_derivatives(basis.eigenvalues, eigenvalue_derivatives(basis, family.dA).values)

    def continued(j: int, p: complex) -> np.ndarray:
        values = followed(np.linalg.eigvals(family.at(j, p)), basis.eigenvalues)
        pair = values[basis.partner]
        size = np.sqrt(values * pair) * np.sign((np.sqrt(values * pair) / np.abs(basis.eigenvalues)).real)
        return np.array([size, -(values + pair) / 2 / size, (values + pair) / 2])

    for j in range(P):
        size, ratio, real = circle(lambda p, j=j: continued(j, p), 0.01).real
        paired = basis.eigenvalues.imag != 0
        assert off(derived.magnitude[j], size) < 1e-9
        assert off(derived.real_part[j], real) < 1e-9
        assert off(derived.damping_ratio[j, paired], ratio[paired]) < 1e-9
        assert np.all(derived.damping_ratio[j, ~paired] == 0)


def test_chosen_modes_are_those_of_all() -> None:
    family = Family(similar(beside(-np.eye(2), 7)))
    basis = eigen_basis(family.A)
    every = eigenvalue_derivatives(basis, family.dA)
    some = eigenvalue_derivatives(basis, family.dA, [5, 0, 2])
    assert np.array_equal(some.values, every.values[:, [5, 0, 2]])
    assert some.notes == tuple(every.notes[i] for i in (5, 0, 2))
    assert np.array_equal(some.cluster, every.cluster[[5, 0, 2]])


def test_untouched_rows_and_many_parameters_in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    A = rng.normal(size=(6, 6))
    dA = np.zeros((50, 6, 6))
    dA[:, 3:, 1:4] = rng.normal(size=(50, 3, 3))
    basis = eigen_basis(A)
    exact = np.einsum("ik,pij,jk->pk", basis.left.conj(), dA, basis.right)
    monkeypatch.setattr("eigenbody.numerics.signals.transfer.CHUNK_BYTES", 1500)
    assert off(eigenvalue_derivatives(basis, dA).values, exact) < 1e-11
    assert not eigenvalue_derivatives(basis, np.zeros((3, 6, 6))).values.any()
    assert eigenvalue_derivatives(basis, np.zeros((0, 6, 6))).values.shape == (0, 6)


# ---------------------------------------------------------------- the basis


@pytest.mark.parametrize(
    "A",
    [
        rng.normal(size=(9, 9)),
        similar(jordan((-1.0, 3), (-1.0, 1), (2.0, 2), (0.5, 1))),
        similar(np.kron(np.eye(2), np.array([[0.0, 3.0], [-3.0, 0.0]]))),
        companion(np.eye(3), 0.1 * np.ones((3, 3)), np.diag([1e8, 1.0, 1e-4])),
        np.diag([1e12, -3.0, 1e-9]) + np.diag([1e6, 1e-5], 1),
        np.zeros((3, 3)),
        -2.0 * np.eye(4),
    ],
    ids=["random", "jordan", "repeated pair", "stiff", "units apart", "zero", "multiple of one"],
)
def test_left_and_right_are_dual_and_invariant(A: np.ndarray) -> None:
    basis = eigen_basis(A)
    n = len(A)
    assert np.abs(basis.left.conj().T @ basis.right - np.eye(n)).max() < 1e-9
    assert np.allclose(np.linalg.norm(basis.right, axis=0), 1.0)
    assert np.array_equal(basis.eigenvalues[basis.partner], basis.eigenvalues.conj())
    assert np.array_equal(basis.right[:, basis.partner], basis.right.conj()) or basis.clusters
    same = basis.cluster_of[:, None] == basis.cluster_of
    same &= (basis.cluster_of[:, None] >= 0) | np.eye(n, dtype=bool)
    middle = basis.left.conj().T @ A @ basis.right
    assert np.abs(np.where(same, 0.0, middle)).max() <= 1e-9 * max(np.abs(middle).max(), 1e-300)


def test_order_is_that_of_the_spectrum() -> None:
    A = rng.normal(size=(11, 11))
    assert np.allclose(eigen_basis(A).eigenvalues, spectrum_first_order(A).eigenvalues, rtol=1e-12)


def test_known_zeros_of_a_free_chain() -> None:
    """Two masses on a spring: a chain of two zeros by structure; the elastic mode is not disturbed by it."""
    M, C, K = np.diag([1.0, 3.0]), np.zeros((2, 2)), 12.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    spectrum = spectrum_second_order(M, C, K)
    assert spectrum.zero_chains == (2,)
    basis = eigen_basis(companion(M, C, K), zero_chains=spectrum.zero_chains)
    assert basis.defective.tolist() == [True, True, False, False]
    assert basis.eigenvalues[:2].tolist() == [0, 0]
    dK = (K / 12.0)[None]
    dA = companion_derivatives(M, C, K, 0 * dK, 0 * dK, dK)
    found = eigenvalue_derivatives(basis, dA)
    assert found.values[0, 2] == pytest.approx(4j / 24.0, abs=1e-13)  # omega = sqrt(4 k / 3), k = 12
    assert np.isnan(found.values[0, :2]).all()
    derived = frequency_derivatives(basis.eigenvalues, found.values)
    assert derived.notes[0].startswith("rigid")
    assert np.isnan(derived.magnitude[0, :2]).all()
    assert derived.magnitude[0, 2] == pytest.approx(1.0 / 6.0, rel=1e-12)


def test_wrong_matrices_are_refused() -> None:
    for A in (np.ones((2, 3)), np.array([[np.nan]]), np.array([[1j]])):
        with pytest.raises(ComputationError, match="real, finite, square"):
            eigen_basis(A)
    assert eigen_basis(np.zeros((0, 0))).eigenvalues.shape == (0,)


# ---------------------------------------------------------------- repeated eigenvalues


def test_repeated_pair_of_the_plane() -> None:
    """M = 1, K = [[2+p, p], [p, 2-p]]: omega^2 = 2 +- sqrt(2) p, not 2 +- p as the diagonal of dK suggests."""
    K, dK = 2.0 * np.eye(2), np.array([[[1.0, 1.0], [1.0, -1.0]]])
    zero, slope = np.zeros((1, 2, 2)), 1.0 / (2 * np.sqrt(2.0)) * np.sqrt(2.0)  # d omega = d(omega^2) / (2 omega)
    basis = eigen_basis(companion(np.eye(2), np.zeros((2, 2)), K))
    assert [c.index for c in basis.clusters] == [1, 1]
    found = eigenvalue_derivatives(basis, companion_derivatives(np.eye(2), np.zeros((2, 2)), K, zero, zero, dK))
    upper = basis.eigenvalues.imag > 0
    assert found.values[0, upper] == pytest.approx([-1j * slope, 1j * slope], abs=1e-14)
    assert found.values[0, ~upper] == pytest.approx([1j * slope, -1j * slope], abs=1e-14)
    assert np.abs(found.mean).max() < 1e-14
    assert all(text.startswith("repeated: 2") for text in found.notes)


@pytest.mark.parametrize(("n", "k"), [(2, 2), (6, 2), (6, 3), (12, 4)])
def test_semisimple_slopes_against_the_split_eigenvalues(n: int, k: int) -> None:
    """Symmetric functions of the split set are analytic: sums of powers of the slopes from those of the eigenvalues."""
    family = Family(similar(beside(-0.7 * np.eye(k), n)))
    basis = eigen_basis(family.A)
    assert [(c.index, len(c.members)) for c in basis.clusters] == [(1, k)]
    members = basis.clusters[0].members
    slopes = eigenvalue_derivatives(basis, family.dA).values[:, members]
    mean = eigenvalue_derivatives(basis, family.dA).mean[:, members[0]]
    for j in range(P):

        def quotients(p: complex, power: int, j: int = j) -> complex:
            values = np.linalg.eigvals(family.at(j, p))
            split = values[np.argsort(np.abs(values + 0.7))[:k]]
            return np.sum(((split + 0.7) / p) ** power)

        for power in range(1, k + 1):
            exact = circle(lambda p, power=power: quotients(p, power), 0.01, order=0)
            assert abs(np.sum(slopes[j] ** power) - exact) < 1e-9 * np.sum(np.abs(slopes[j]) ** power)
        assert mean[j] == pytest.approx(slopes[j].mean(), rel=1e-11)
        along = (-slopes[j]).real  # d|lambda| of a negative eigenvalue
        assert np.all(np.diff(along) > -1e-9 * np.abs(slopes[j]).max())


def test_repeated_oscillation_in_an_unsymmetric_system() -> None:
    """A conjugate pair twice: the conjugate cluster carries conjugate slopes."""
    pair = np.array([[-0.3, 2.0], [-2.0, -0.3]])
    J = beside(np.kron(np.eye(2), pair), 7)
    family = Family(similar(J))
    basis = eigen_basis(family.A)
    assert sorted(len(c.members) for c in basis.clusters) == [2, 2]
    found = eigenvalue_derivatives(basis, family.dA).values
    upper, lower = (c.members for c in sorted(basis.clusters, key=lambda c: -c.eigenvalue.imag))
    assert np.array_equal(np.sort(found[:, upper].conj()), np.sort(found[:, lower]))
    for j in range(P):

        def split(p: complex, j: int = j) -> np.ndarray:
            values = np.linalg.eigvals(family.at(j, p))
            moved = (values[np.argsort(np.abs(values - (-0.3 + 2j)))[:2]] + 0.3 - 2j) / p
            return np.array([moved.sum(), moved.prod()])

        total, product = circle(split, 0.01, order=0)
        assert abs(found[j, upper].sum() - total) < 1e-9 * abs(total)
        assert abs(found[j, upper].prod() - product) < 1e-9 * abs(product)


# ---------------------------------------------------------------- defective eigenvalues, and close ones that are not


def kinds(basis: EigenBasis) -> list[tuple[int, int]]:
    return sorted((len(c.members), c.index) for c in basis.clusters)


def test_critically_damped_oscillator() -> None:
    """m = 1, c = 2, k = 1: -1 twice with one vector; lambda + 1 = sqrt(1 - k) has no derivative, the mean has -c/2m."""
    one = np.ones((1, 1))
    basis = eigen_basis(companion(one, 2 * one, one))
    assert kinds(basis) == [(2, 2)]
    unit, zero = np.ones((1, 1, 1)), np.zeros((1, 1, 1))
    found = eigenvalue_derivatives(basis, companion_derivatives(one, 2 * one, one, zero, unit, zero))
    assert np.isnan(found.values).all()
    assert found.defective.all()
    assert found.mean[0] == pytest.approx([-0.5, -0.5], rel=1e-14)
    assert "Jordan chain of length 2" in found.notes[0]
    derived = frequency_derivatives(basis.eigenvalues, found.values)
    assert np.isnan(derived.frequency_hz).all()
    assert derived.notes[0]


@pytest.mark.parametrize("others", [0, 1, 4, 10, 27])
@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([(-1.0, 2)], [(2, 2)]),
        ([(-1.0, 3)], [(3, 3)]),
        ([(-1.0, 4)], [(4, 4)]),
        ([(-1.0, 2), (-1.0, 2), (-1.0, 1)], [(5, 2)]),
        ([(-1.0, 3), (-2.5, 2)], [(2, 2), (3, 3)]),
        ([(-1.0, 1), (-1.0, 1), (-2.5, 2)], [(2, 1), (2, 2)]),
        ([(0.0, 2), (0.0, 1)], [(3, 2)]),
    ],
    ids=str,
)
def test_random_jordan_blocks(others: int, blocks: list[tuple[float, int]], expected: list[tuple[int, int]]) -> None:
    J = jordan(*blocks)
    n = len(J) + others
    for _ in range(6):
        basis = eigen_basis(similar(beside(J, n)))
        assert kinds(basis) == expected
        for cluster in basis.clusters:
            value = min((b for b, _ in blocks), key=lambda b, c=cluster: abs(b - c.eigenvalue))
            assert abs(cluster.eigenvalue - value) < 1e-11 * n


def test_defective_oscillation() -> None:
    """Two equal oscillators, one driving the other: a conjugate pair of chains."""
    turn = np.array([[0.0, 3.0], [-3.0, 0.0]])
    J = beside(np.block([[turn, np.eye(2)], [np.zeros((2, 2)), turn]]), 7)
    basis = eigen_basis(similar(J))
    assert kinds(basis) == [(2, 2), (2, 2)]
    assert {round(c.eigenvalue.imag, 9) for c in basis.clusters} == {3.0, -3.0}


@pytest.mark.parametrize("n", [2, 3, 6, 12, 30])
@pytest.mark.parametrize("coupling", [0.0, 1e-3, 1.0])
def test_close_eigenvalues_are_not_defective(n: int, coupling: float) -> None:
    """A gap of 1e-6, vectors at right angles or nearly parallel: simple, with a derivative."""
    for _ in range(6):
        basis = eigen_basis(similar(beside(np.array([[-1.0, coupling], [0.0, -1.0 + 1e-6]]), n)))
        assert not basis.clusters


def test_derivative_of_close_eigenvalues() -> None:
    """lambda = -1 + 5e-7 +- sqrt(2.5e-13 + p): slopes +-1e6 at p = 0."""
    A, dA = np.array([[-1.0, 1.0], [0.0, -1.0 + 1e-6]]), np.array([[[0.0, 0.0], [1.0, 0.0]]])
    found = eigenvalue_derivatives(eigen_basis(A), dA).values[0]
    assert np.sort(found.real) == pytest.approx([-1e6, 1e6], rel=1e-9)


def test_derivatives_beside_a_defective_eigenvalue() -> None:
    family = Family(similar(beside(jordan((-1.0, 3)), 7)))
    basis = eigen_basis(family.A)
    found = eigenvalue_derivatives(basis, family.dA)
    simple = np.flatnonzero(found.cluster < 0)
    three = basis.clusters[0].members
    for j in range(P):

        def moved(p: complex, j: int = j) -> np.ndarray:
            values = np.linalg.eigvals(family.at(j, p))
            near = values[np.argsort(np.abs(values + 1.0))[:3]]
            return np.append(followed(values, basis.eigenvalues[simple]), near.mean())

        exact = circle(moved, 0.004)
        assert off(found.values[j, simple], exact[:-1]) < 1e-9
        assert off(found.mean[j, three], exact[-1:]) < 1e-9


def test_confluence_of_blocks() -> None:
    assert confluence(np.zeros((3, 3)), 1e-15) == 1
    assert confluence(np.eye(4, k=1), 1e-15) == 4
    assert confluence(np.diag([1.0, 0.0, 0.0], 1), 1e-15) == 2
    assert confluence(np.diag([1e-3, -1e-3]), 1e-15) == 0


def test_entry_noise_joins_what_it_could_have_parted() -> None:
    A = np.diag([-1.0, -1.0 + 1e-9, 4.0])
    assert not eigen_basis(A).clusters
    assert kinds(eigen_basis(A, noise=np.full((3, 3), 1e-8))) == [(2, 1)]


# ---------------------------------------------------------------- eigenvectors


def shaped(A: np.ndarray, near: complex, component: int) -> np.ndarray:
    """The eigenvector of the eigenvalue nearest to `near`, its component one."""
    values, vectors = np.linalg.eig(A)
    vector = vectors[:, np.argmin(np.abs(values - near))]
    return vector / vector[component]


@pytest.mark.parametrize("n", [2, 5, 10])
def test_eigenvectors_of_random_matrices(n: int) -> None:
    family = Family(rng.normal(size=(n, n)) + np.diag(1.5 * np.arange(n)))
    basis = eigen_basis(family.A)
    found = eigenvector_derivatives(basis, family.A, family.dA, np.arange(n))
    assert off(found.eigenvalues, eigenvalue_derivatives(basis, family.dA).values) < 1e-10
    for k in range(n):
        m = found.component[k]
        assert found.vectors[m, k] == 1
        for j in range(P):
            exact = circle(lambda p, j=j, k=k, m=m: shaped(family.at(j, p), basis.eigenvalues[k], m), 0.01)
            assert np.abs(found.derivatives[j, :, k] - exact).max() < 1e-9 * np.abs(exact).max()


def test_members_of_a_cluster_have_no_vector_derivative_of_their_own() -> None:
    family = Family(similar(beside(-np.eye(2), 5)))
    basis = eigen_basis(family.A)
    members = basis.clusters[0].members
    found = eigenvector_derivatives(basis, family.A, family.dA, np.arange(5))
    assert np.isnan(found.derivatives[:, :, members]).all()
    assert np.isfinite(np.delete(found.derivatives, members, axis=2)).all()
    assert all("repeated" in found.notes[i] for i in members)
