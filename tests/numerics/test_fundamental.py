"""Fundamental matrix exp(A t): three ways of the lecture notes against each other, 50-digit arithmetic and its six
properties, on random, repeated, defective, rigid and stiff matrices."""

from __future__ import annotations

import numpy as np
import pytest

from eigenbody.base.errors import ComputationError, InputError
from eigenbody.numerics.matrices.balance import balanced
from eigenbody.numerics.signals.confluent import block_diagonal
from eigenbody.numerics.signals.fundamental import METHODS, exponential_differences, fundamental_matrix, leja_order
from eigenbody.numerics.signals.recursion import discretize, even_recursion, respond_to_samples, uneven_recursion

rng = np.random.default_rng(11)


def similar(J: np.ndarray) -> np.ndarray:
    Q = np.linalg.qr(rng.normal(size=J.shape))[0]
    return Q @ J @ Q.T


def jordan(*blocks: tuple[float, int]) -> np.ndarray:
    n = sum(size for _, size in blocks)
    J, at = np.zeros((n, n)), 0
    for value, size in blocks:
        J[at : at + size, at : at + size] = value * np.eye(size) + np.eye(size, k=1)
        at += size
    return J


UNITS = np.array([1.0, 1e5, 1e-4])
ROTATION = np.array([[0.0, 3.0], [-3.0, 0.0]])
MATRICES = {
    "random": rng.normal(size=(7, 7)),
    "repeated": similar(np.diag([-1.0, -1.0, -1.0, 0.5, 0.5])),
    "defective": similar(jordan((-0.7, 4), (-0.7, 1), (0.3, 2))),
    "defective pair": similar(np.block([[ROTATION, np.eye(2)], [np.zeros((2, 2)), ROTATION]])),  # a resonance
    "rigid": similar(jordan((0.0, 2), (0.0, 2), (0.0, 1), (-2.0, 1))),
    "nearly equal": similar(jordan((-1.0, 1), (-1.0 + 1e-9, 1), (-1.0 - 1e-7, 1)) + 0.5 * np.eye(3, k=1)),
    "nilpotent": np.eye(5, k=1),
    "zero": np.zeros((3, 3)),
    "multiple of one": -2.0 * np.eye(4),
    "units apart": UNITS[:, None] * rng.normal(size=(3, 3)) / UNITS,
}
every_matrix = pytest.mark.parametrize("A", MATRICES.values(), ids=MATRICES.keys())
every_method = pytest.mark.parametrize("method", METHODS)
TIMES = (0.3, 1.0, 7.0)


def taylor(A: np.ndarray, t: float) -> np.ndarray:
    """exp(A t) in rational arithmetic of Python integers: 2^-400 units, no rounding worth mentioning."""
    one = 1 << 400
    size = len(A)
    squarings = max(0, int(np.ceil(np.log2(max(np.abs(A * t).sum(axis=1).max(), 1e-300)))) + 4)
    X = [[int(a.as_integer_ratio()[0]) * one // int(a.as_integer_ratio()[1]) for a in row] for row in A.tolist()]
    p, q = float(t).as_integer_ratio()
    X = [[(x * p // q) >> squarings for x in row] for row in X]

    def product(P: list[list[int]], R: list[list[int]]) -> list[list[int]]:
        return [[sum(P[i][k] * R[k][j] for k in range(size)) // one for j in range(size)] for i in range(size)]

    term = [[one if i == j else 0 for j in range(size)] for i in range(size)]
    total = [row[:] for row in term]
    for k in range(1, 60):
        term = [[x // k for x in row] for row in product(term, X)]
        total = [[a + b for a, b in zip(r, s, strict=True)] for r, s in zip(total, term, strict=True)]
    for _ in range(squarings):
        total = product(total, total)
    return np.array([[x / one for x in row] for row in total])


@every_method
@every_matrix
def test_against_exact_arithmetic(A: np.ndarray, method: str) -> None:
    for t in (*TIMES, -0.5):
        exact, unit = taylor(A, t), UNITS if A is MATRICES["units apart"] else np.ones(len(A))
        off = (fundamental_matrix(A, t, method) - exact) / unit[:, None] * unit
        assert np.abs(off).max() < 1e-12 * np.abs(exact / unit[:, None] * unit).max()


@every_method
def test_slider_pendulum_of_the_lecture_notes(method: str) -> None:
    M, K, C = np.array([[30.0, 20.0], [20.0, 35.0]]), np.diag([20.0, 196.2]), np.diag([20.0, 0.0])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    printed = np.array([
        [0.71253514063371, 0.78533782439978, 0.59605450350647, 0.4644934575779],
        [0.080054824097837, -0.78986911137266, 0.12740380040547, 0.1222709678492],
        [-0.3560627221898, -0.60783172237559, 0.35647241844391, 0.78533782439978],
        [-0.061960420221773, -0.3380836984143, 0.018094403876064, -0.78986911137266],
    ])  # fmt: skip
    Phi = fundamental_matrix(A, 1.0, method)
    np.testing.assert_allclose(Phi, printed, rtol=0, atol=2e-14)
    np.testing.assert_allclose(Phi, fundamental_matrix(A, 1.0), rtol=0, atol=1e-13)
    motion = Phi @ [0.1, -0.05, 0, 0.2]
    np.testing.assert_allclose(
        motion, [0.124885314359, 0.071953131548, 0.15185287878, -0.147265679376], rtol=0, atol=1e-12
    )


# ---- the six properties


@every_method
@every_matrix
def test_properties(A: np.ndarray, method: str) -> None:
    one = np.eye(len(A))
    Phi = lambda t: fundamental_matrix(A, t, method)  # noqa: E731
    size = float(np.abs(Phi(1.0)).max() * np.abs(Phi(0.6)).max() + 1.0)
    close = lambda a, b, tolerance=1e-12: np.abs(a - b).max() <= tolerance * size * max(1.0, np.abs(A).max())  # noqa: E731
    assert np.array_equal(Phi(0.0), one) or close(Phi(0.0), one, 1e-14)  # 1. Phi(0) = E
    assert close(A @ Phi(1.0), Phi(1.0) @ A)  # 2. A Phi = Phi A ...
    h = 1e-3  # ... = Phi': sixth-order central difference
    ahead = [Phi(1.0 + k * h) - Phi(1.0 - k * h) for k in (1, 2, 3)]
    slope = (45 * ahead[0] - 9 * ahead[1] + ahead[2]) / (60 * h)
    assert close(slope, A @ Phi(1.0), 1e-8)
    assert close(Phi(1.0) @ Phi(0.6), Phi(1.6))  # 3. semigroup
    assert close(Phi(0.6) @ Phi(-0.6), one)  # 4. inverse = motion backwards
    assert np.linalg.det(Phi(0.6)) == pytest.approx(np.exp(0.6 * np.trace(A)), rel=1e-9)  # 5. Liouville
    integral = discretize(A, one, np.array([0.6]), "zero").G0[0]  # 6. A int Phi = Phi - E, for singular A too
    assert close(A @ integral, Phi(0.6) - one)


@every_method
def test_similarity(method: str) -> None:
    A = MATRICES["defective"]
    T = rng.normal(size=A.shape) + 3 * np.eye(len(A))
    B = np.linalg.solve(T, A @ T)
    np.testing.assert_allclose(
        fundamental_matrix(B, 2.0, method), np.linalg.solve(T, fundamental_matrix(A, 2.0, method) @ T), atol=1e-11
    )


# ---- hard cases


@every_method
def test_stiff_stable_matrix_at_large_times(method: str) -> None:
    A = np.array([[-1e5, 2.0, 0.0], [0.0, -1.0, 1.0], [0.0, 0.0, -1.0]])
    Phi = fundamental_matrix(A, np.array([0.0, 1.0, 40.0, 1e3]), method)
    # series and polynomial see the whole norm: eps * |A| t of absolute error, not more
    for k, t in enumerate((0.0, 1.0, 40.0, 1e3)):
        assert Phi[k, 1, 2] == pytest.approx(t * np.exp(-t), abs=2e-15 * 1e5 * max(t, 1))
        assert np.isfinite(Phi[k]).all()


def test_modal_and_pade_are_relatively_exact_on_stiff_matrices() -> None:
    A = np.array([[-1e5, 2.0, 0.0], [0.0, -1.0, 1.0], [0.0, 0.0, -1.0]])
    for method in ("modal", "pade"):
        Phi = fundamental_matrix(A, 40.0, method)
        assert Phi[1, 2] == pytest.approx(40 * np.exp(-40.0), rel=1e-12)


@every_method
def test_rigid_body_at_large_times(method: str) -> None:
    A = np.zeros((4, 4))
    A[0, 2] = A[1, 3] = 1.0
    A[3, 1], A[3, 3] = -4.0, -1.0
    Phi = fundamental_matrix(A, 1e4, method)
    assert Phi[0, 2] == pytest.approx(1e4, rel=1e-12)
    assert np.abs(Phi[1:2, 1:]).max() < 1e-11


@every_method
def test_many_times_equal_one_by_one(method: str) -> None:
    A, times = MATRICES["random"], np.linspace(-1, 3, 9)
    many = fundamental_matrix(A, times, method)
    assert many.shape == (9, 7, 7)
    for Phi, t in zip(many, times, strict=True):
        np.testing.assert_allclose(Phi, fundamental_matrix(A, float(t), method), rtol=1e-12, atol=1e-12)


@every_method
def test_overflow_is_said(method: str) -> None:
    with pytest.raises(ComputationError, match=r"exp\(2 t\)"):
        fundamental_matrix(np.diag([2.0, -1.0]), 1e4, method)


def test_wrong_input() -> None:
    with pytest.raises(InputError, match="Known: pade, modal"):
        fundamental_matrix(np.eye(2), 1.0, "magic")
    with pytest.raises(InputError, match="square"):
        fundamental_matrix(np.ones((2, 3)), 1.0)
    with pytest.raises(InputError, match="finite"):
        fundamental_matrix(np.array([[np.nan]]), 1.0)
    with pytest.raises(InputError, match="finite time"):
        fundamental_matrix(np.eye(2), np.inf)
    assert fundamental_matrix(np.zeros((0, 0)), 1.0).shape == (0, 0)


# ---- parts


def test_defective_eigenvalues_share_a_block_and_others_do_not() -> None:
    found = block_diagonal(MATRICES["defective"])
    assert sorted(len(block) for block in found.blocks) == [2, 5]
    assert all(len(block) == 1 for block in block_diagonal(MATRICES["random"]).blocks)
    A = found.vectors @ _assembled(found.blocks) @ found.inverse
    np.testing.assert_allclose(A, MATRICES["defective"], atol=1e-12)


def _assembled(blocks: tuple[np.ndarray, ...]) -> np.ndarray:
    from scipy.linalg import block_diag

    return block_diag(*blocks)


def test_divided_differences_with_equal_nodes() -> None:
    """exp[x, x, x] = e^x / 2; exp[0, 1] = e - 1; exp[0, 0, 1] = e - 2."""
    scale = np.array([1.0])
    np.testing.assert_allclose(exponential_differences(np.full(3, 0.5 + 0j), scale)[0, 2], np.exp(0.5) / 2, rtol=1e-15)
    differences = exponential_differences(np.array([0, 0, 1], complex), scale)[0]
    np.testing.assert_allclose(differences, [1, 1, np.e - 2], rtol=1e-15)
    differences = exponential_differences(np.array([0, 1], complex), np.array([0.5]))[0]
    np.testing.assert_allclose(differences, [1, np.exp(0.5) - 1], rtol=1e-15)


def test_leja_order_takes_distinct_nodes_first() -> None:
    nodes = leja_order(np.array([1, 1, -1, 0.5, -1], complex))
    assert set(nodes[:3].real) == {1.0, -1.0, 0.5}
    assert sorted(nodes.real) == [-1, -1, 0.5, 1, 1]


def test_balance_evens_out_units_but_does_not_chase_noise() -> None:
    core = np.array([[-1.0, 2.0, 0.5], [-2.0, -1.0, 1.0], [0.3, 1.0, -2.0]])
    units = np.array([1.0, 1e6, 1e-5])
    scaled, unit = balanced(units[:, None] * core / units)
    np.testing.assert_allclose(np.log10(unit / units), np.log10(unit / units)[0], atol=0.7)  # one common factor
    assert np.abs(scaled).max() < 10
    assert np.array_equal(scaled * unit[:, None] / unit, units[:, None] * core / units)  # powers of two: exact
    cyclic = np.array([[0.0, 1.0, 0.0], [1e-17, 0.0, 0.0], [0.0, 0.0, -5.0]])  # a free coordinate and rounding noise
    assert np.ptp(np.log2(balanced(cyclic)[1])) < 8


@pytest.mark.parametrize("steps", [1, 2, 3, 10, 97, 100])
def test_blocked_recursion_equals_one_step_after_the_other(steps: int) -> None:
    F, c, x = 0.4 * rng.normal(size=(3, 3)), rng.normal(size=(steps, 3)), rng.normal(size=3)
    plain = uneven_recursion(F[None], np.zeros(steps, int), x, c)
    np.testing.assert_allclose(even_recursion(F, x, c, steps), plain, rtol=1e-12, atol=1e-12)
    free = uneven_recursion(F[None], np.zeros(steps, int), x, 0 * c)
    np.testing.assert_allclose(even_recursion(F, x, None, steps), free, rtol=1e-12, atol=1e-13)


def test_first_order_hold_with_rigid_body_is_exact() -> None:
    """x'' = u, u = t: x = t^3 / 6, for even and uneven steps."""
    A, B = np.array([[0.0, 1.0], [0.0, 0.0]]), np.array([[0.0], [1.0]])
    for times in (np.linspace(0, 2, 5), np.array([0, 0.1, 0.7, 1.9, 2.0])):
        states = respond_to_samples(A, B, np.zeros(2), times, times[:, None], "first")
        np.testing.assert_allclose(states, np.column_stack((times**3 / 6, times**2 / 2)), atol=1e-14)
