"""Dense spectra against closed forms, known Jordan structures and their own residuals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.dense import (
    spectrum_first_order,
    spectrum_second_order,
)
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives

SPIN = np.array([[0.0, 1.0], [-1.0, 0.0]])


def frequencies(spectrum: Spectrum) -> np.ndarray:
    """Positive imaginary parts, rising."""
    return np.sort(spectrum.eigenvalues.imag[spectrum.eigenvalues.imag > 0])


def chain(n: int, free: bool = True) -> np.ndarray:
    """Stiffness of n unit masses joined by unit springs; both ends free, or both tied to ground."""
    K = 2.0 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    if free:
        K[0, 0] -= 1.0
        K[-1, -1] -= 1.0
    return K


def assert_consistent(s: Spectrum, M: np.ndarray, C: np.ndarray, K: np.ndarray, tolerance: float = 1e-12) -> None:
    """Shapes [q, lambda q] that solve the quadratic problem; exact conjugates; rigid vectors in the null spaces."""
    n = len(M)
    assert s.eigenvalues.shape == (2 * n,)
    assert s.right.shape == (2 * n, 2 * n)
    assert sum(s.zero_chains) == s.is_rigid.sum()
    pairs = np.flatnonzero(s.eigenvalues.imag > 0)
    assert np.array_equal(s.eigenvalues[pairs].conj(), s.eigenvalues[pairs + 1])
    assert np.array_equal(s.right[:, pairs].conj(), s.right[:, pairs + 1])
    for value, x in zip(s.eigenvalues[~s.is_rigid], s.right[:, ~s.is_rigid].T, strict=True):
        q, v = x[:n], x[n:]
        assert v == pytest.approx(value * q, rel=1e-12, abs=1e-12 * np.abs(value * q).max())
        size = np.linalg.norm(q) * (
            abs(value) ** 2 * np.linalg.norm(M) + abs(value) * np.linalg.norm(C) + np.linalg.norm(K)
        )
        assert np.linalg.norm((value**2 * M + value * C + K) @ q) <= tolerance * size
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    if s.is_rigid.any():
        power = np.linalg.matrix_power(A, s.zero_chains[0])
        assert np.linalg.norm(power @ s.right[:, s.is_rigid]) <= 1e-11 * np.linalg.norm(A) ** s.zero_chains[0]


def random_spd(rng: np.random.Generator, n: int) -> np.ndarray:
    Q = rng.normal(size=(n, n))
    return Q @ Q.T + n * np.eye(n)


# ---------------------------------------------------------------- oscillators and free masses: one line of algebra


def test_single_oscillator_is_exact_on_the_axis():
    s = spectrum_second_order(np.array([[2.0]]), np.zeros((1, 1)), np.array([[18.0]]))
    assert frequencies(s) == pytest.approx([3.0], rel=1e-15)  # sqrt(k/m)
    assert np.all(s.eigenvalues.real == 0)
    assert s.on_axis.all()
    assert s.stability == "marginal"


def test_inverted_pendulum_has_a_real_pair():
    s = spectrum_second_order(np.eye(1), np.zeros((1, 1)), -4.0 * np.eye(1))
    assert s.eigenvalues.tolist() == pytest.approx([-2.0, 2.0])
    assert s.stability == "unstable"
    assert len(conjugate_representatives(s)) == 2


def test_free_particle_drifts():
    for s in (
        spectrum_second_order(np.eye(1), np.zeros((1, 1)), np.zeros((1, 1))),
        spectrum_first_order(np.eye(2, k=1)),
    ):
        assert np.all(s.eigenvalues == 0)
        assert s.zero_chains == (2,)
        assert s.defective.all()
        assert s.stability == "drifting"
        assert np.array_equal(np.abs(s.right), np.eye(2))  # [1, 0], then the generalized [0, 1]


def test_free_particle_with_viscous_damping_is_marginal():
    s = spectrum_second_order(np.array([[2.0]]), np.array([[6.0]]), np.zeros((1, 1)))
    assert s.eigenvalues.tolist() == pytest.approx([0.0, -3.0])  # 0 and -c/m
    assert s.zero_chains == (1,)
    assert s.stability == "marginal"


@pytest.mark.parametrize("asymmetry", [0.0, 1.0])
def test_singular_stiffness_with_regular_damping_gives_one_semisimple_zero(asymmetry: float):
    # det(lambda^2 + lambda C + K) = lambda (lambda^3 + tr C lambda^2 + (det C + tr K) lambda + mixed), K of rank one
    C, K = np.array([[1.0, 0.2], [0.3, 2.0]]), np.array([[1.0, -1.0], [-1.0 - asymmetry, 1.0 + asymmetry]])
    s = spectrum_second_order(np.eye(2), C, K)
    mixed = C[0, 0] * K[1, 1] + C[1, 1] * K[0, 0] - C[0, 1] * K[1, 0] - C[1, 0] * K[0, 1]
    exact = np.roots([1.0, np.trace(C), np.linalg.det(C) + np.trace(K), mixed])
    assert s.zero_chains == (1,)
    assert s.stability == "marginal"
    assert np.sort_complex(s.eigenvalues[~s.is_rigid]) == pytest.approx(np.sort_complex(exact), rel=1e-12)
    assert_consistent(s, np.eye(2), C, K)


def test_critical_damping_is_defective_but_stable():
    s = spectrum_second_order(np.eye(1), 2.0 * np.eye(1), np.eye(1))  # (lambda + 1)^2
    assert s.eigenvalues.tolist() == pytest.approx([-1.0, -1.0], rel=1e-14)
    assert np.all(s.eigenvalues.imag == 0)
    assert s.stability == "stable"
    assert not s.defective.any()
    assert_consistent(s, np.eye(1), 2.0 * np.eye(1), np.eye(1))


# ---------------------------------------------------------------- chains with rigid modes


@pytest.mark.parametrize("n", [2, 3, 12, 150])
def test_free_free_chain(n: int):
    s = spectrum_second_order(np.eye(n), np.zeros((n, n)), 1e6 * chain(n))
    exact = 2e3 * np.sin(np.arange(1, n) * np.pi / (2 * n))  # Thomson, Theory of Vibration: repeated structures
    assert frequencies(s) == pytest.approx(exact, rel=1e-11)
    assert s.zero_chains == (2,)
    assert s.stability == "drifting"
    assert_consistent(s, np.eye(n), np.zeros((n, n)), 1e6 * chain(n))


def test_damped_free_free_chain_keeps_its_defective_zero():
    n, K = 40, 1e4 * chain(40)
    C = 1e-5 * K
    s = spectrum_second_order(np.eye(n), C, K)
    omega = 200.0 * np.sin(np.arange(1, n) * np.pi / (2 * n))
    zeta = 0.5e-5 * omega  # stiffness-proportional damping
    assert s.zero_chains == (2,)
    assert s.stability == "drifting"
    assert np.sort(s.eigenvalues.imag)[-(n - 1) :] == pytest.approx(omega * np.sqrt(1 - zeta**2), rel=1e-11)
    assert np.sort(s.eigenvalues.real)[::2][: n - 1] == pytest.approx(np.sort(-zeta * omega), rel=1e-9)
    assert_consistent(s, np.eye(n), C, K)


def test_grounding_the_chain_by_a_weak_damper_leaves_one_zero():
    n, K = 40, 1e4 * chain(40)
    C = 1e-5 * K
    C[0, 0] += 1e-6
    s = spectrum_second_order(np.eye(n), C, K)
    assert s.zero_chains == (1,)
    assert s.stability == "marginal"
    slow = s.eigenvalues[~s.is_rigid][0]
    assert slow == pytest.approx(-1e-6 / n, rel=1e-5)  # the whole chain on its damper


def test_rigid_body_in_mixed_units_has_six_chains():
    rng = np.random.default_rng(3)
    units = np.diag([1.0, 1e3, 1e-3, 57.3, 1.0, 1e3] * 2)
    K = np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), random_spd(rng, 6) * 1e5)
    M = block_diag(random_spd(rng, 6), random_spd(rng, 6))
    s = spectrum_second_order(units @ M @ units, np.zeros((12, 12)), units @ K @ units)
    assert s.zero_chains == (2,) * 6
    assert frequencies(s) == pytest.approx(frequencies(spectrum_second_order(M, np.zeros((12, 12)), K)), rel=1e-9)


def test_noise_estimate_decides_what_is_rigid():
    K = np.diag([1e8, 1e-7])  # 1e-7 may be what is left of a sum of 1e8s, or a genuinely soft spring
    zero = np.zeros((2, 2))
    assert spectrum_second_order(np.eye(2), zero, K).zero_chains == ()
    assert spectrum_second_order(np.eye(2), zero, K, noise_K=np.full((2, 2), 1e-6)).zero_chains == (2,)


# ---------------------------------------------------------------- rotors


def test_rotor_of_the_design_page():
    M, C, K = 0.6 * np.eye(2), 50.0 * SPIN, 500.0 * np.eye(2)
    s = spectrum_second_order(M, C, K)
    exact = np.roots([0.6, -50.0, -500.0])  # It w^2 - Ip Omega w - k = 0, Ip = 1, It = 0.6, Omega = 50
    assert frequencies(s) == pytest.approx(np.sort(np.abs(exact)), rel=1e-13)
    assert frequencies(s) == pytest.approx([9.023, 92.356], abs=5e-4)  # It w^2 - Ip W w - k = 0
    assert np.all(s.eigenvalues.real == 0)
    assert s.stability == "marginal"
    assert_consistent(s, M, C, K)


def test_fast_undamped_rotor_is_marginal_and_at_rest_it_is_repeated():
    fast = spectrum_second_order(np.eye(2), 1e4 * SPIN, 1e8 * np.eye(2))
    assert np.all(fast.eigenvalues.real == 0)
    assert fast.stability == "marginal"
    rest = spectrum_second_order(np.eye(2), np.zeros((2, 2)), 1e8 * np.eye(2))
    assert rest.eigenvalues.tolist() == [1e4j, -1e4j, 1e4j, -1e4j]
    assert rest.stability == "marginal"
    assert not rest.defective.any()


def test_free_rigid_rotor():
    # A free disc tilts anyhow (two semisimple zeros) and nutates at Ip Omega / It; its translation drifts.
    M = np.diag([0.6, 0.6, 3.0])
    C = block_diag(50.0 * SPIN, 0.0)
    s = spectrum_second_order(M, C, np.zeros((3, 3)))
    assert frequencies(s) == pytest.approx([50.0 / 0.6], rel=1e-14)
    assert s.zero_chains == (2, 1, 1)
    assert s.stability == "drifting"
    alone = spectrum_second_order(M[:2, :2], C[:2, :2], np.zeros((2, 2)))
    assert alone.zero_chains == (1, 1)
    assert alone.stability == "marginal"
    assert_consistent(s, M, C, np.zeros((3, 3)))


def test_elastically_coupled_free_gyro_keeps_its_rigid_structure():
    # Two equal free discs joined by a tilt spring: common tilt w (w - G) = 0, opposite tilt w^2 - G w - 2 k = 0
    k, G = 30.0, 7.0
    K = np.kron(np.array([[1.0, -1.0], [-1.0, 1.0]]), k * np.eye(2))
    C = np.kron(np.eye(2), G * SPIN)
    s = spectrum_second_order(np.eye(4), C, K)
    exact = np.sort(np.abs(np.concatenate([[G], np.roots([1.0, -G, -2.0 * k])])))
    assert s.zero_chains == (1, 1)
    assert frequencies(s) == pytest.approx(exact, rel=1e-13)
    assert np.all(s.eigenvalues.real == 0)
    assert_consistent(s, np.eye(4), C, K)


def test_gyroscopic_stabilization_its_boundary_and_its_loss():
    # M = 1, K = -1, C = g SPIN: lambda^4 + (g^2 - 2) lambda^2 + 1 = 0; Merkin, Theory of Stability: stable for g > 2
    verdicts = {g: spectrum_second_order(np.eye(2), g * SPIN, -np.eye(2)) for g in (3.0, 2.0, 1.9)}
    assert {g: s.stability for g, s in verdicts.items()} == {3.0: "marginal", 2.0: "drifting", 1.9: "unstable"}
    assert verdicts[2.0].eigenvalues == pytest.approx(np.array([1j, -1j, 1j, -1j]), abs=1e-14)
    assert verdicts[2.0].defective.all()
    golden = (np.sqrt(5.0) - 1) / 2
    assert frequencies(verdicts[3.0]) == pytest.approx([golden**2, golden**-2], rel=1e-13)


# ---------------------------------------------------------------- weak damping, slow beside fast


@pytest.mark.parametrize(("zeta", "expected"), [(1e-9, "stable"), (-1e-9, "unstable"), (0.0, "marginal")])
@pytest.mark.parametrize("gyroscopic", [0.0, 1.0])
def test_damping_ratio_of_a_billionth_is_seen(zeta: float, expected: str, gyroscopic: float):
    omega = 1e4
    C = 2 * zeta * omega * np.eye(2) + gyroscopic * omega * SPIN
    s = spectrum_second_order(np.eye(2), C, omega**2 * np.eye(2))
    assert s.stability == expected
    if not gyroscopic and zeta:
        assert s.eigenvalues.real == pytest.approx(-zeta * omega, rel=1e-6)


def test_weak_negative_damping_beside_a_rigid_mode_and_unsymmetric_stiffness():
    T = np.array([[1.0, 0.3, 0.1], [0.0, 1.0, -0.4], [0.2, 0.0, 1.0]])
    inverse = np.linalg.inv(T)
    for zeta, expected in ((1e-9, "drifting"), (-1e-9, "unstable")):
        C = T @ np.diag([0.0, 2 * zeta * 10.0, 0.5]) @ inverse
        K = T @ np.diag([0.0, 100.0, 900.0]) @ inverse
        s = spectrum_second_order(np.eye(3), C, K)
        assert s.zero_chains == (2,)
        assert s.stability == expected


@pytest.mark.parametrize("zeta", [0.0, 1e-9, 0.02])
@pytest.mark.parametrize("coupling", [0.0, 0.5])
def test_slow_beside_fast_is_neither_rigid_nor_blurred(zeta: float, coupling: float):
    slow, fast = 1e-3, 1e6
    M = np.array([[1.0, coupling], [coupling, 1.0]])
    K = np.diag([fast**2, slow**2])
    C = 2 * zeta * np.diag([fast, slow])
    s = spectrum_second_order(M, C, K)
    # Stiff coordinate held: k/m. Soft coordinate free: k over the condensed mass. Both exact to (slow/fast)^2.
    assert np.abs(s.eigenvalues[[0, 2]]) == pytest.approx([slow, fast / np.sqrt(1 - coupling**2)], rel=1e-10)
    assert s.eigenvalues[0].real == pytest.approx(-zeta * slow, rel=1e-6)
    assert s.zero_chains == ()
    assert s.stability == ("stable" if zeta else "marginal")


def test_very_slow_modes_are_not_rigid():
    s = spectrum_second_order(np.eye(2), np.zeros((2, 2)), np.diag([1e8, 1e-8]))
    assert frequencies(s) == pytest.approx([1e-4, 1e4], rel=1e-14)
    overdamped = spectrum_second_order(np.eye(1), 1e4 * np.eye(1), 1e-8 * np.eye(1))
    assert overdamped.eigenvalues.tolist() == pytest.approx([-1e-12, -1e4], rel=1e-12)
    assert overdamped.stability == "stable"


# ---------------------------------------------------------------- circulatory forces


@pytest.mark.parametrize(("follower", "expected"), [(0.4, "marginal"), (0.5, "drifting"), (0.6, "unstable")])
def test_follower_flutter_and_its_boundary(follower: float, expected: str):
    # K = [[1, s], [-s, 2]]: mu = 3/2 +- sqrt(1/4 - s^2), frequencies merge at s = 1/2 (Bolotin 1963, ch. 1)
    K = np.array([[1.0, follower], [-follower, 2.0]])
    s = spectrum_second_order(np.eye(2), np.zeros((2, 2)), K)
    assert s.stability == expected
    exact = np.sqrt(1.5 + np.sqrt(0.25 - follower**2 + 0j))
    assert np.min(np.abs(s.eigenvalues - 1j * exact)) < 1e-14
    assert_consistent(s, np.eye(2), np.zeros((2, 2)), K)


def test_internal_damping_of_a_rotor_destabilizes_above_critical_speed():
    # Jeffcott: c_i Omega < (c_e + c_i) omega_n is stable (Genta, Dynamics of Rotating Systems, 4.3)
    k, inner, outer = 100.0, 0.2, 0.1
    limit = 10.0 * (inner + outer) / inner
    for speed, expected in ((0.999 * limit, "stable"), (1.001 * limit, "unstable")):
        s = spectrum_second_order(np.eye(2), (inner + outer) * np.eye(2), k * np.eye(2) + inner * speed * SPIN)
        assert s.stability == expected


def test_one_way_coupling_gives_long_chains():
    s = spectrum_second_order(np.eye(3), np.zeros((3, 3)), np.eye(3, k=1))  # q1'' = -q2, q2'' = -q3, q3'' = 0
    assert s.zero_chains == (6,)
    assert s.stability == "drifting"
    assert_consistent(s, np.eye(3), np.zeros((3, 3)), np.eye(3, k=1))


# ---------------------------------------------------------------- known Jordan structures behind a similarity


def jordan(value: float, size: int) -> np.ndarray:
    return value * np.eye(size) + np.eye(size, k=1)


def oscillating(omega: float, size: int, real: float = 0.0) -> np.ndarray:
    """Real Jordan blocks of real +- i omega."""
    return np.kron(np.eye(size), real * np.eye(2) + omega * SPIN) + np.kron(np.eye(size, k=1), np.eye(2))


def block_values(blocks: list[np.ndarray]) -> np.ndarray:
    """Eigenvalues of `jordan` and `oscillating` blocks, read off their entries."""
    values: list[complex] = []
    for block in blocks:
        if len(block) > 1 and block[1, 0]:
            values += [complex(block[0, 0], block[0, 1]), complex(block[0, 0], block[1, 0])] * (len(block) // 2)
        else:
            values += np.diag(block).tolist()
    return np.array(values, complex)


def unimodular(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """An integer matrix and its integer inverse: similarities without rounding."""
    S, inverse = np.eye(n), np.eye(n)
    for _ in range(2 * n):
        i, j = rng.choice(n, 2, replace=False)
        sign = rng.integers(-1, 2)
        S[:, j] += sign * S[:, i]
        inverse[i] -= sign * inverse[j]
    assert np.array_equal(S @ inverse, np.eye(n))
    return S, inverse


STABLE = np.diag([-1.0, -2.0, -3.0])
STRUCTURES = {
    "zeros (2, 1)": ([jordan(0, 2), jordan(0, 1), STABLE, oscillating(2, 1, -1)], (2, 1), "drifting"),
    "zeros (3,)": ([jordan(0, 3), STABLE, oscillating(2, 1, -1)], (3,), "drifting"),
    "zeros (2, 2)": ([jordan(0, 2), jordan(0, 2), STABLE, oscillating(3, 1)], (2, 2), "drifting"),
    "zeros (1, 1)": ([np.zeros((2, 2)), STABLE], (1, 1), "marginal"),
    "axis semisimple": ([oscillating(3, 1), oscillating(3, 1), STABLE], (), "marginal"),
    "axis defective": ([oscillating(3, 2), STABLE], (), "drifting"),
    "axis triple": ([oscillating(3, 3), STABLE], (), "drifting"),
    "axis and zero": ([oscillating(3, 2), jordan(0, 2), STABLE], (2,), "drifting"),
    "left defective": ([jordan(-1, 2), oscillating(2, 2, -1)], (), "stable"),
    "right defective": ([jordan(0, 2), oscillating(2, 2, 1)], (2,), "unstable"),
}


@pytest.mark.parametrize("kind", ["integer", "orthogonal", "gaussian"])
@pytest.mark.parametrize("name", STRUCTURES)
def test_jordan_structure_survives_similarity(name: str, kind: str):
    blocks, chains, expected = STRUCTURES[name]
    J = block_diag(*blocks)
    n = len(J)
    rng = np.random.default_rng(11)
    for _ in range(10):
        S, inverse = unimodular(rng, n) if kind == "integer" else (rng.normal(size=(n, n)), np.eye(n))
        if kind == "orthogonal":
            S = np.linalg.qr(S)[0]
            inverse = S.T
        elif kind == "gaussian":
            inverse = np.linalg.inv(S)
        # The rounding of S J S^-1 is the caller's to know; the integer one has none.
        noise = None if kind == "integer" else n * 2e-16 * np.abs(S) @ np.abs(J) @ np.abs(inverse)
        s = spectrum_first_order(S @ J @ inverse, noise)
        assert s.zero_chains == chains
        assert s.stability == expected
        exact = np.sort_complex(block_values(blocks))
        found = np.sort_complex(np.round(s.eigenvalues, 6))
        assert found == pytest.approx(exact, abs=1e-6)


def test_flutter_pair_and_identical_oscillators_differ():
    zero = np.zeros((2, 2))
    assert spectrum_first_order(np.block([[SPIN, np.eye(2)], [zero, SPIN]])).stability == "drifting"
    assert spectrum_first_order(np.block([[SPIN, zero], [zero, SPIN]])).stability == "marginal"
    damped = np.block([[SPIN, np.eye(2)], [zero, SPIN]]) - 1e-9 * np.eye(4)
    assert spectrum_first_order(damped).stability == "stable"


# ---------------------------------------------------------------- conventions


def test_representatives_are_sorted_and_one_per_pair():
    A = block_diag(oscillating(3, 1), [[-3.0]], [[0.0]], oscillating(1, 1, -0.1), [[-0.5]])
    s = spectrum_first_order(A)
    chosen = s.eigenvalues[conjugate_representatives(s)]
    assert chosen == pytest.approx(np.array([0.0, -0.5, -0.1 + 1j, -3.0, 3j]), abs=1e-14)
    assert s.is_rigid.tolist() == [True] + [False] * 6
    assert not s.eigenvalues.flags.writeable


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.eye(2), np.zeros((2, 2)), np.diag([1.0, np.nan])), "K has a non-finite entry .nan. in row 1, column 1"),
        ((np.diag([1.0, -1.0]), np.zeros((2, 2)), np.eye(2)), "not positive definite"),
        ((np.array([[1.0, 2.0], [2.0, 1.0]]), np.zeros((2, 2)), np.eye(2)), "not positive definite"),
        ((np.eye(2), np.zeros((3, 3)), np.eye(2)), "must have one shape"),
    ],
)
def test_bad_matrices_are_named(arguments: tuple[np.ndarray, ...], message: str):
    with pytest.raises(ComputationError, match=message):
        spectrum_second_order(*arguments)
    with pytest.raises(ComputationError, match="A has a non-finite entry"):
        spectrum_first_order(np.array([[np.inf]]))


# ---------------------------------------------------------------- any system, any units


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 8),
    kind=st.sampled_from(["undamped", "gyroscopic", "damped", "any"]),
)
def test_eigenvalues_do_not_depend_on_units(seed: int, n: int, kind: str):
    rng = np.random.default_rng(seed)
    M, K, C = random_spd(rng, n), 1e4 * random_spd(rng, n), rng.normal(size=(n, n))
    C = {"undamped": 0 * C, "gyroscopic": 30 * (C - C.T), "damped": C @ C.T, "any": 10 * C}[kind]
    if kind == "any":
        K = K + 1e3 * rng.normal(size=(n, n))
    unit = 10.0 ** rng.integers(-3, 4, size=n)
    original = spectrum_second_order(M, C, K)
    scaled = spectrum_second_order(M * np.outer(unit, unit), C * np.outer(unit, unit), K * np.outer(unit, unit))
    distance = np.abs(original.eigenvalues[:, None] - scaled.eigenvalues).min(axis=1)
    assert np.all(distance <= 1e-10 * np.abs(original.eigenvalues))
    assert original.stability == scaled.stability
    assert_consistent(original, M, C, K)
    # Trace: the sum of all eigenvalues is -tr(M^-1 C).
    assert np.sum(original.eigenvalues).real == pytest.approx(
        -np.trace(np.linalg.solve(M, C)), abs=1e-9 * np.abs(original.eigenvalues).max()
    )


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 8),
    rigid=st.integers(1, 3),
    damped=st.booleans(),
    skewed=st.booleans(),
)
def test_rigid_modes_are_found_in_any_coordinates(seed: int, n: int, rigid: int, damped: bool, skewed: bool):
    rng = np.random.default_rng(seed)
    rigid = min(rigid, n - 1)
    relative = rng.normal(size=(n - rigid, n))  # elastic deflections: their null space is rigid
    M, inner = random_spd(rng, n), random_spd(rng, n - rigid)
    law = inner + (0.1 * rng.normal(size=inner.shape) if skewed else 0.0)
    K = 1e4 * relative.T @ law @ relative
    C = 0.1 * relative.T @ inner @ relative if damped else np.zeros((n, n))
    unit = 10.0 ** rng.integers(-3, 4, size=n)
    weight = np.outer(unit, unit)
    size = np.abs(relative)
    noise = 1e4 * n * 2e-16 * size.T @ np.abs(law) @ size * weight
    s = spectrum_second_order(M * weight, C * weight, K * weight, noise)
    assert s.zero_chains == (2,) * rigid
    assert s.stability == "drifting" or skewed


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("overdamped", [False, True])
def test_proportional_damping_over_many_decades(copies: int, overdamped: bool) -> None:
    """Chains in several copies (repeated frequencies) with C = a M + b K: every pair obeys its own quadratic."""
    n = 60
    K = block_diag(*[chain(n, free=False) * 1e6] * copies)
    M = block_diag(*[np.diag(np.linspace(1.0, 3.0, n))] * copies)
    a, b = 1e-3, (1e-2 if overdamped else 1e-5)
    C = a * M + b * K
    s = spectrum_second_order(M, C, K)
    assert_consistent(s, M, C, K)
    square = np.linalg.eigvalsh(K / np.sqrt(np.outer(np.diag(M), np.diag(M))))
    half = (a + b * square) / 2
    root = np.sqrt(half**2 - square + 0j)
    slow = np.where(half**2 > square, -square / (half + root), -half + root)
    expected = np.concatenate((slow, np.where(half**2 > square, -half - root, slow.conj())))
    expected = expected[np.lexsort((expected.real, np.abs(expected.imag), np.round(np.abs(expected), 6)))]
    found = s.eigenvalues[
        np.lexsort((s.eigenvalues.real, np.abs(s.eigenvalues.imag), np.round(np.abs(s.eigenvalues), 6)))
    ]
    assert np.abs(np.sort(found.real) - np.sort(expected.real)).max() <= 1e-10 * np.abs(expected).max()
    assert np.sort(np.abs(found)) == pytest.approx(np.sort(np.abs(expected)), rel=1e-9)
    assert s.stability == "stable"
