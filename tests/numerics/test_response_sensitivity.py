"""Derivatives of frequency responses, peaks and covariances: closed forms of the oscillator, and Cauchy's integral in
the complex plane of the parameter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.signals.sensitivity import (
    StateSpace,
    StateSpaceDerivatives,
    covariance_derivatives,
    frf_derivatives,
    magnitude_derivatives,
    peak_derivatives,
)

rng = np.random.default_rng(88)
P = 3


def circle(f: Callable[[complex], np.ndarray], radius: float = 0.02, points: int = 16) -> np.ndarray:
    roots = np.exp(2j * np.pi * np.arange(points) / points)
    return np.mean([f(radius * w) / w for w in roots], axis=0) / radius


class Family:
    """A stable random system, every matrix a function of every parameter."""

    def __init__(self, n: int = 6, nu: int = 2, ny: int = 3) -> None:
        A = rng.normal(size=(n, n))
        A -= (np.linalg.eigvals(A).real.max() + 0.4) * np.eye(n)
        self.system = StateSpace(A, rng.normal(size=(n, nu)), rng.normal(size=(ny, n)), rng.normal(size=(ny, nu)))
        self.derivatives = StateSpaceDerivatives(*(rng.normal(size=(P, *part.shape)) for part in self.system))

    def at(self, j: int, p: complex) -> StateSpace:
        parts = zip(self.system, self.derivatives, (np.sin(p), p, np.expm1(p), p + p * p), strict=True)
        return StateSpace(*(part + f * d[j] for part, d, f in parts))


def transfer(system: StateSpace, s: complex) -> np.ndarray:
    return system.C @ np.linalg.solve(s * np.eye(len(system.A)) - system.A, system.B) + system.D


@pytest.mark.parametrize(("nu", "ny"), [(1, 1), (2, 3), (3, 2)])
def test_frequency_response_of_random_systems(nu: int, ny: int, monkeypatch: pytest.MonkeyPatch) -> None:
    family = Family(6, nu, ny)
    s = np.array([0.3j, 1.7j, 0.5 + 2j, 40j])
    H, dH = frf_derivatives(family.system, family.derivatives, s)
    for f, value in enumerate(s):
        assert np.abs(H[f] - transfer(family.system, value)).max() < 1e-12
        for j in range(P):
            exact = circle(lambda p, j=j, value=value: transfer(family.at(j, p), value))
            assert np.abs(dH[j, f] - exact).max() < 1e-10 * np.abs(exact).max()
    monkeypatch.setattr("eigenbody.numerics.signals.transfer.CHUNK_BYTES", 2000)
    again = frf_derivatives(family.system, family.derivatives, s)[1]
    assert np.abs(again - dH).max() < 1e-12 * np.abs(dH).max()


def test_each_matrix_alone_adds_up() -> None:
    family = Family()
    s = np.array([0.9j])
    whole = frf_derivatives(family.system, family.derivatives, s)[1]
    parts = sum(
        frf_derivatives(family.system, StateSpaceDerivatives(**{name: part}), s)[1]
        for name, part in family.derivatives._asdict().items()
    )
    assert np.abs(parts - whole).max() < 1e-12 * np.abs(whole).max()


def test_magnitude() -> None:
    """|H|^2 = H(i w) H(-i w) is analytic in the parameter."""
    family = Family()
    omega = np.array([0.4, 3.0])
    found = magnitude_derivatives(*frf_derivatives(family.system, family.derivatives, 1j * omega))
    for f, w in enumerate(omega):
        size = np.abs(transfer(family.system, 1j * w))
        for j in range(P):
            square = circle(lambda p, j=j, w=w: transfer(family.at(j, p), 1j * w) * transfer(family.at(j, p), -1j * w))
            exact = square.real / (2 * size)
            assert np.abs(found[j, f] - exact).max() < 1e-9 * np.abs(exact).max()
    assert np.isnan(magnitude_derivatives(np.array([0j]), np.ones((1, 1)))).all()


def oscillator(m: float, c: float, k: float) -> tuple[StateSpace, StateSpaceDerivatives]:
    """Force to displacement, derivatives by m, c, k."""
    A = np.array([[0.0, 1.0], [-k / m, -c / m]])
    system = StateSpace(A, np.array([[0.0], [1.0 / m]]), np.array([[1.0, 0.0]]), np.zeros((1, 1)))
    dA = np.array([[[0, 0], [k / m**2, c / m**2]], [[0, 0], [0, -1 / m]], [[0, 0], [-1 / m, 0]]])
    dB = np.array([[[0.0], [-1.0 / m**2]], [[0], [0]], [[0], [0]]])
    return system, StateSpaceDerivatives(dA, dB)


def test_peak_of_the_oscillator() -> None:
    """Peak 1 / (c sqrt(k/m - c^2/4m^2)) at omega^2 = k/m - c^2/2m^2, differentiated by hand."""
    m, c, k = 2.0, 0.8, 50.0
    system, derivatives = oscillator(m, c, k)
    found = peak_derivatives(system, derivatives, 4.95)
    damped = np.sqrt(k / m - c * c / (4 * m * m))
    omega = np.sqrt(k / m - c * c / (2 * m * m))
    assert found.omega == pytest.approx(omega, rel=1e-12)
    assert found.value == pytest.approx(1 / (c * damped), rel=1e-13)
    d_square = np.array([-k / m**2 + c * c / (2 * m**3), -c / (2 * m * m), 1 / m])
    by_c = np.array([0.0, -1 / (c * c * damped), 0.0])
    assert found.d_value == pytest.approx(by_c - d_square / (2 * c * damped**3), rel=1e-11)
    d_omega = np.array([-k / m**2 + c * c / m**3, -c / m**2, 1 / m]) / (2 * omega)
    assert found.d_omega == pytest.approx(d_omega, rel=1e-9)


def test_peak_of_a_random_system_against_continued_stationary_point() -> None:
    """omega(p) and |H|^2 at the stationary point of H(i w) H(-i w), by Newton's method for complex parameters."""
    family = Family(6, 2, 2)
    A = family.system.A.copy()
    A[:2, :2] = [[-0.05, 4.0], [-4.0, -0.05]]
    A[:2, 2:] *= 0.05
    A[2:, :2] *= 0.05
    family.system = family.system._replace(A=A, D=0 * family.system.D)
    grid = np.linspace(3.5, 4.5, 4001)
    sizes = np.abs([transfer(family.system, 1j * w)[1, 0] for w in grid])
    found = peak_derivatives(family.system, family.derivatives, float(grid[sizes.argmax()]), output=1, input=0)

    def stationary(j: int, p: complex) -> np.ndarray:
        """g = H(iw) H(-iw); slopes in w by a circle, the root of dg/dw by the secant of exact derivatives."""
        system = family.at(j, p)
        eye = np.eye(len(system.A))

        def series(s: complex) -> tuple[complex, complex, complex]:
            R = np.linalg.inv(s * eye - system.A)
            b, c = system.B[:, 0], system.C[1]
            return c @ R @ b + system.D[1, 0], -(c @ R @ R @ b), 2 * (c @ R @ R @ R @ b)

        w = found.omega + 0j
        for _ in range(12):
            (h, h1, h2), (k, k1, k2) = series(1j * w), series(-1j * w)
            slope = 1j * (h1 * k - h * k1)
            bend = -(h2 * k - 2 * h1 * k1 + h * k2)
            w = w - slope / bend
        return np.array([w, np.sqrt(series(1j * w)[0] * series(-1j * w)[0])])

    for j in range(P):
        d_omega, d_value = circle(lambda p, j=j: stationary(j, p), 0.002).real
        assert found.d_omega[j] == pytest.approx(d_omega, rel=1e-9)
        assert abs(found.d_value[j]) == pytest.approx(abs(d_value), rel=1e-9)
    assert not found.at_edge


def test_peak_at_the_edge_of_a_band_and_where_there_is_none() -> None:
    system, derivatives = oscillator(2.0, 0.8, 50.0)
    found = peak_derivatives(system, derivatives, 4.0, band=(1.0, 4.0))
    H, dH = frf_derivatives(system, derivatives, np.array([4j]))
    assert found.at_edge
    assert found.omega == 4.0
    assert not found.d_omega.any()
    assert found.d_value == pytest.approx(magnitude_derivatives(H, dH)[:, 0, 0, 0], rel=1e-13)
    assert not peak_derivatives(system, derivatives, 4.98, band=(1.0, 6.0)).at_edge
    with pytest.raises(ComputationError, match="no maximum near"):
        peak_derivatives(system, derivatives, 9.0)


def test_covariance_of_the_oscillator() -> None:
    """Force of intensity W: var q = W / 2ck, var q' = W / 2cm, uncorrelated."""
    m, c, k, W = 2.0, 0.8, 50.0, 3.0
    system, derivatives = oscillator(m, c, k)
    system = system._replace(C=np.eye(2), D=np.zeros((2, 1)))
    found = covariance_derivatives(system, derivatives, np.array([[W]]), pairs=[(0, 0), (1, 1), (0, 1)])
    assert found.values == pytest.approx([W / (2 * c * k), W / (2 * c * m), 0.0], abs=1e-14)
    exact = [
        [0, -W / (2 * c * m * m), 0],
        [-W / (2 * c * c * k), -W / (2 * c * c * m), 0],
        [-W / (2 * c * k * k), 0, 0],
    ]
    assert found.d_values == pytest.approx(np.array(exact), abs=1e-13)
    rms, d_rms = found.rms
    assert rms == pytest.approx(np.sqrt([W / (2 * c * k), W / (2 * c * m)]), rel=1e-13)
    assert d_rms[1] == pytest.approx(-rms / (2 * c), rel=1e-12)


def test_covariance_of_random_systems() -> None:
    family = Family(7, 2, 3)
    W = np.array([[2.0, 0.3], [0.3, 1.0]])
    dW = rng.normal(size=(P, 2, 2))
    dW = dW + dW.transpose(0, 2, 1)
    pairs = [(0, 0), (1, 1), (2, 2), (0, 2)]
    found = covariance_derivatives(family.system, family.derivatives, W, dW, pairs)

    def outputs(j: int, p: complex) -> np.ndarray:
        system = family.at(j, p)
        n, Q = len(system.A), system.B @ (W + p * dW[j]) @ system.B.T
        left = np.kron(system.A, np.eye(n)) + np.kron(np.eye(n), system.A)  # A S + S A^T without conjugation
        S = np.linalg.solve(left, -Q.ravel()).reshape(n, n)
        return np.array([system.C[a] @ S @ system.C[b] for a, b in pairs])

    assert np.abs(found.values - outputs(0, 0)).max() < 1e-12 * np.abs(found.values).max()
    exact = np.array([circle(lambda p, j=j: outputs(j, p), 0.01).real for j in range(P)])
    assert np.abs(found.d_values - exact).max() < 1e-9 * np.abs(exact).max()
    S = solve_continuous_lyapunov(family.system.A, -family.system.B @ W @ family.system.B.T)
    assert np.abs(found.states - S).max() < 1e-12 * np.abs(S).max()
    default = covariance_derivatives(family.system, family.derivatives, W, dW)
    assert np.allclose(default.d_values, found.d_values[:, :3], rtol=1e-13)


def test_covariance_in_absurd_units() -> None:
    """The same system in other units of state: same outputs."""
    family = Family(5, 1, 2)
    unit = 10.0 ** np.array([-6, 5, 0, 3, -4])
    A, B, C, D = family.system
    dA, dB, dC, _ = family.derivatives
    other = StateSpace(A * unit / unit[:, None], B / unit[:, None], C * unit, D)
    turned = StateSpaceDerivatives(dA * unit / unit[:, None], dB / unit[:, None], dC * unit)
    one = covariance_derivatives(family.system, family.derivatives, np.eye(1))
    two = covariance_derivatives(other, turned, np.eye(1))
    assert two.values == pytest.approx(one.values, rel=1e-11)
    assert np.abs(two.d_values - one.d_values).max() < 1e-10 * np.abs(one.d_values).max()


def test_undamped_motion_has_no_covariance() -> None:
    system, derivatives = oscillator(1.0, 0.0, 4.0)
    with pytest.raises(ComputationError, match="does not decay"):
        covariance_derivatives(system, derivatives, np.eye(1))
    silent = covariance_derivatives(oscillator(1.0, 1.0, 4.0)[0], oscillator(1.0, 1.0, 4.0)[1], np.zeros((1, 1)))
    assert np.isnan(silent.rms[1]).all()
