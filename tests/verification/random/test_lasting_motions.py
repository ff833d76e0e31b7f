"""Random vibration of models with motions that last: what takes no part leaves the variance finite and exact."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from scipy.linalg import solve_continuous_lyapunov

import eigenbody as eb
from eigenbody.numerics.signals.covariance import impulse_energy

EXAMPLES = Path(__file__).parents[3] / "examples"
ROAD = eb.Road("B", 20.0)


def free_chain(m: Any, k: Any, c: Any) -> eb.Model:
    """Masses on a rail with springs and dampers between them, free as a whole: x0, x1, ..., gaps g0, g1, ..."""
    line: dict[str, Any] = {"type": "prismatic", "axis": [1, 0, 0]}
    document: dict[str, Any] = {"eigenbody": 1, "bodies": {}, "joints": {}, "measures": {}, "forces": {}}
    for i, mass in enumerate(m):
        document["bodies"][f"b{i}"] = {"mass": float(mass), "at": [i, 0, 0]}
        document["joints"][f"x{i}"] = {**line, "between": ["ground", f"b{i}"], "at": [i, 0, 0]}
    for i, (stiffness, damping) in enumerate(zip(k, c, strict=True)):
        document["measures"][f"g{i}"] = {
            "type": "displacement", "between": [f"b{i}", f"b{i + 1}"], "axis": [1, 0, 0],
        }  # fmt: skip
        document["forces"][f"s{i}"] = {
            "type": "spring", "along": f"g{i}", "k": float(stiffness), "c": float(damping), "free": 1.0,
        }  # fmt: skip
    return eb.load(document)


def variance_in_40_digits(m: Any, k: Any, c: Any) -> float:
    """Of the first gap under a white force (density 1) on the first mass: the Lyapunov equation of the gaps and their
    rates as linear equations. Tensions t = k g + c g' make g_i'' = (t_(i+1) - t_i)/m_(i+1) - (t_i - t_(i-1))/m_i."""
    mp.mp.dps = 40
    n = len(k)
    m, k, c = ([mp.mpf(float(v)) for v in values] for values in (m, k, c))
    A, b = mp.zeros(2 * n), mp.zeros(2 * n, 1)
    for i in range(n):
        A[i, n + i] = 1
        for j, share in ((i - 1, 1 / m[i]), (i, -1 / m[i] - 1 / m[i + 1]), (i + 1, 1 / m[i + 1])):
            if 0 <= j < n:
                A[n + i, j], A[n + i, n + j] = share * k[j], share * c[j]
    b[n] = -1 / m[0]
    size = 2 * n
    whole, right = mp.zeros(size * size), mp.zeros(size * size, 1)
    for i in range(size):
        for j in range(size):
            right[i * size + j] = -b[i] * b[j] / 2  # a one-sided density of 1 is an intensity of 1/2
            for p in range(size):
                whole[i * size + j, p * size + j] += A[i, p]
                whole[i * size + j, i * size + p] += A[j, p]
    return float(mp.lu_solve(whole, right)[0])


@pytest.mark.parametrize("seed", range(40))
def test_gaps_of_free_chains_have_a_finite_exact_rms(seed: int) -> None:
    """The chain as a whole drifts away; the output does not see it."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    m, k = rng.uniform(0.5, 3, n), rng.uniform(10, 1000, n - 1)
    c = rng.uniform(0.1, 2, n - 1) * 10.0 ** rng.integers(-3, 1)
    found = eb.psd(free_chain(m, k, c), eb.White(1.0), "x0", "g0")
    expected = math.sqrt(variance_in_40_digits(m, k, c))
    assert found.rms_exact["g0"] == pytest.approx(expected, rel=1e-10)
    assert found.rms["g0"] == pytest.approx(expected, rel=1e-8)
    assert found.notes == ()
    assert found.exact is not None
    assert abs(found.rms_exact["g0"] / expected - 1) < found.exact.relative_error[0] + 1e-15


def test_two_free_masses_under_white_force() -> None:
    """g'' + c/mu g' + k/mu g = -w/m0, mu the reduced mass: variance (mu/m0)^2 G / (4 c k) (textbook)."""
    m0, m1, k, c, G = 1.5, 4.0, 70.0, 0.3, 2.0
    mu = m0 * m1 / (m0 + m1)
    model = free_chain([m0, m1], [k], [c])
    found = eb.psd(model, eb.White(G), "x0", ["g0", "x1''"])
    assert found.rms_exact["g0"] == pytest.approx(mu / m0 * math.sqrt(G / (4 * c * k)), rel=1e-12)
    assert found.difference["x1''"] < 1e-9
    inside = eb.psd(model, eb.White(G), "g0", "x0")  # a force between the masses leaves their centre where it is
    assert inside.rms_exact["x0"] == pytest.approx(mu / m0 * math.sqrt(G / (4 * c * k)), rel=1e-10)
    with pytest.raises(eb.InputError, match="x0"):
        eb.psd(model, eb.White(G), "x0", "x0")


def test_delayed_roads_beside_a_free_mass() -> None:
    """What drifts and takes no part stands beside what drifts and cancels by its delay."""
    document = eb.load(EXAMPLES / "half_car.yaml").document
    document["bodies"]["loose"] = {"mass": 3, "at": [0, 9, 0]}
    document["joints"]["loose slide"] = {
        "type": "prismatic", "between": ["ground", "loose"], "at": [0, 9, 0], "axis": [1, 0, 0],
    }  # fmt: skip
    alone = eb.psd(eb.load(EXAMPLES / "half_car.yaml"), ROAD, delays={"rear": 0.13})
    found = eb.psd(eb.load(document), ROAD, outputs=list(alone.outputs), delays={"rear": 0.13})
    assert found.rms_exact == pytest.approx(alone.rms_exact, rel=1e-8)


def test_only_the_undamped_mode_that_takes_part_is_named() -> None:
    """Two undamped oscillators beside each other, one of them pushed and watched."""
    line: dict[str, Any] = {"type": "prismatic", "axis": [1, 0, 0]}
    model = eb.load({
        "eigenbody": 1,
        "bodies": {"a": {"mass": 1, "at": [0, 0, 0]}, "b": {"mass": 1, "at": [0, 1, 0]}},
        "joints": {
            "xa": {**line, "between": ["ground", "a"], "at": [0, 0, 0]},
            "xb": {**line, "between": ["ground", "b"], "at": [0, 1, 0]},
        },
        "forces": {
            "sa": {"type": "spring", "along": "xa", "k": 4}, "sb": {"type": "spring", "along": "xb", "k": 100},
        },
    })  # fmt: skip
    with pytest.raises(eb.InputError) as refused:
        eb.psd(model, eb.White(1.0), "xb", ["xa", "xb"])
    assert "mode 2" in str(refused.value)
    assert "mode 1" not in str(refused.value)
    assert '"xa"' not in str(refused.value)


def test_the_error_of_an_energy_covers_what_the_noise_of_the_matrix_does() -> None:
    """Random entries of A moved by their noise, against the estimate."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(6, 6)) - 3.5 * np.eye(6)
    b, C, noise = rng.normal(size=6), rng.normal(size=(2, 6)), 1e-7 * np.abs(rng.normal(size=(6, 6)))
    value, error = impulse_energy(A, C, [(0.0, b)], 0, noise)
    moved = [impulse_energy(A + noise * rng.choice([-1, 1], (6, 6)), C, [(0.0, b)], 0)[0] for _ in range(50)]
    worst = np.abs(moved - value).max(axis=0)
    assert (worst <= error).all()
    assert (error <= 30 * worst).all()


def mirrored_masses() -> eb.Model:
    """Masses 1, 2, 1 on four springs of 100, a damper of 3 on the middle one: the outer two swing undamped."""
    line: dict[str, Any] = {"type": "prismatic", "axis": [1, 0, 0]}
    document: dict[str, Any] = {"eigenbody": 1, "bodies": {}, "joints": {}, "measures": {}, "forces": {}}
    for i, mass in enumerate((1, 2, 1)):
        document["bodies"][f"b{i}"] = {"mass": mass, "at": [i, 0, 0]}
        document["joints"][f"x{i}"] = {**line, "between": ["ground", f"b{i}"], "at": [i, 0, 0]}
    for i in range(2):
        pair = [f"b{i}", f"b{i + 1}"]
        document["measures"][f"g{i}"] = {"type": "displacement", "between": pair, "axis": [1, 0, 0]}
        document["forces"][f"s{i}"] = {"type": "spring", "along": f"g{i}", "k": 100, "free": 1}
    document["forces"] |= {
        "left": {"type": "spring", "along": "x0", "k": 100}, "right": {"type": "spring", "along": "x2", "k": 100},
        "loss": {"type": "damper", "along": "x1", "c": 3},
    }  # fmt: skip
    return eb.load(document)


def test_one_signal_on_both_sides_of_a_mirror_leaves_its_undamped_mode_at_rest() -> None:
    """Both outer masses are pushed alike: x0 = x2 = y. With the force 2 w on y (mass 2, spring 200) and the middle one
    (mass 2, spring 200, damper 3), coupled by 200: the Lyapunov equation of these two."""
    found = eb.psd(mirrored_masses(), eb.White(1.0), ["x0", "x2"], "x0")
    M, K = np.diag([2.0, 2.0]), np.array([[400.0, -200.0], [-200.0, 200.0]])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), np.diag([0.0, -1.5])]])
    b = np.array([0, 0, 1.0, 0])
    expected = math.sqrt(solve_continuous_lyapunov(A, -0.5 * np.outer(b, b))[0, 0])
    assert found.rms_exact["x0"] == pytest.approx(expected, rel=1e-10)
    assert found.rms["x0"] == pytest.approx(expected, rel=1e-8)
    with pytest.raises(eb.InputError, match="undamped"):  # two signals are not alike
        eb.psd(mirrored_masses(), eb.White(1.0), ["x0", "x2"], "x0", coherence=0.9)


def test_a_split_along_dependent_vectors_is_real() -> None:
    """A drift (a double zero with one vector) beside a decaying oscillation: the rest is real and decays."""
    from eigenbody.numerics.signals.covariance import decaying_part

    A = np.array([[0.0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, -4, -0.4]])
    parts = decaying_part(A, np.array([[1.0, 0, 0, 0], [1, 0, 0, 0]]).T)
    assert not any(np.iscomplexobj(part) for part in (parts.A2, parts.V2, parts.W2))
    assert np.linalg.eigvals(parts.A2) == pytest.approx(np.roots([1, 0.4, 4]), rel=1e-12)
    assert pytest.approx(np.eye(2), abs=1e-14) == parts.W2 @ parts.V2
