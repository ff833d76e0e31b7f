"""Torsional lines, plain and geared, against Holzer's table and chains reflected to one speed."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

import eigenbody as eb


def frequencies(model: eb.Model) -> np.ndarray:
    """Those that are not zero, rad/s."""
    found = eb.modes(model)
    assert found.stability == "drifting"  # it turns freely
    return found.eigenvalues[2:].imag


def holzer(inertias: list[float], stiffnesses: list[float], w: float) -> float:
    """Torque that is left at the far end of a line that swings at w with one radian at its head (Holzer 1921)."""
    angle, torque = 1.0, 0.0
    for inertia, stiffness in zip(inertias, [*stiffnesses, np.inf], strict=True):
        torque += inertia * w**2 * angle
        angle -= torque / stiffness
    return torque


def test_a_line_of_six_stations_has_the_frequencies_of_holzers_table():
    rng = np.random.default_rng(4)
    J, k = rng.uniform(0.1, 2, 6).tolist(), rng.uniform(1e4, 1e6, 5).tolist()
    words = [str(J[0]), *(f"{stiffness} {inertia}" for stiffness, inertia in zip(k, J[1:], strict=True))]
    grid = np.linspace(1, 6000, 20001)
    residual = [holzer(J, k, w) for w in grid]
    wanted = [brentq(lambda w: holzer(J, k, w), *ends, xtol=1e-12) for ends, (a, b) in
              zip(pairwise(grid), pairwise(residual), strict=True) if a * b < 0]  # fmt: skip
    np.testing.assert_allclose(frequencies(eb.new("torsion", " ".join(words))), wanted, rtol=1e-9)


def test_two_wheels_on_a_shaft():
    """w^2 = k (1/J1 + 1/J2)."""
    assert frequencies(eb.new("torsion", "2 1e5 0.5")) == pytest.approx([np.sqrt(1e5 * (1 / 2 + 1 / 0.5))], rel=1e-12)


def test_a_geared_line_is_the_chain_reflected_by_the_square_of_the_ratio():
    """J1 k1 (J2 + n^2 J3) n^2 k2 n^2 J4: both roots of the quadratic in w^2."""
    J1, k1, J2, n, J3, k2, J4 = 0.5, 1e5, 0.2, 2.0, 0.1, 4e4, 0.3
    a, b, c, p, q = J1, J2 + n**2 * J3, n**2 * J4, k1, n**2 * k2
    trace = p * (1 / a + 1 / b) + q * (1 / b + 1 / c)
    product = p * q * (a + b + c) / (a * b * c)
    wanted = np.sqrt([trace / 2 - np.sqrt(trace**2 / 4 - product), trace / 2 + np.sqrt(trace**2 / 4 - product)])
    found = frequencies(eb.new("torsion", f"{J1} {k1} {J2} x {n} {J3} {k2} {J4}"))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_two_branches_on_one_gear():
    J, k = (0.5, 0.2, 0.1, 0.3, 0.15, 0.25), (1e5, 4e4, 5e4)
    M = np.diag([J[0], J[1] + 4 * J[2] + 9 * J[4], 4 * J[3], 9 * J[5]])
    K = np.zeros((4, 4))
    for i, j, stiffness in ((0, 1, k[0]), (1, 2, 4 * k[1]), (1, 3, 9 * k[2])):
        K[np.ix_([i, j], [i, j])] += stiffness * np.array([[1, -1], [-1, 1]])
    wanted = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)[1:])
    line = f"{J[0]} {k[0]} {J[1]} x 2 {J[2]} {k[1]} {J[3]} / x 3 {J[4]} {k[2]} {J[5]}"
    np.testing.assert_allclose(frequencies(eb.new("torsion", line)), wanted, rtol=1e-10)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", "the kind torsion needs a name"),
        ("1 2", "the inertia at the end is missing"),
        ("1 -2 3", '"-2" is no stiffness'),
        ("1 2 3 x", "the ratio of the gear at the end is missing"),
        ("1 2 3 / 4", '"/" stands before a further "x"'),
        ("one", '"one" is no inertia'),
    ],
)
def test_what_is_wrong_with_a_line_is_said(line, words):
    with pytest.raises(eb.InputError, match=words):
        eb.new("torsion", line)
