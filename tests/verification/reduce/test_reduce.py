"""Reduced models: Hankel singular values by closed forms, bounds that hold at every frequency, gains at rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.numerics.signals.balancing import (
    Space,
    apart,
    balanced,
    beside,
    difference,
    dropped,
    gain,
    gramians,
    integrals,
    largest_gain,
)

CAR = "examples/active_suspension.yaml"


def chain(n: int = 8, c: float = 0.4) -> dict[str, Any]:
    """Masses on springs along x, pushed at the first, seen at the last and as force in the foot."""
    names = [f"m{i}" for i in range(n)]
    slide = {"type": "prismatic", "axis": [1, 0, 0]}
    return {
        "eigenbody": 1, "name": "chain",
        "bodies": {m: {"mass": 1 + 0.1 * i, "at": [i, 0, 0]} for i, m in enumerate(names)},
        "joints": {f"s{i}": {**slide, "between": [names[i - 1] if i else "ground", m], "at": [i, 0, 0]}
                   for i, m in enumerate(names)},
        "forces": {f"f{i}": {"type": "spring", "along": f"s{i}", "k": 100 + 20 * i, "c": c} for i in range(n)},
        "inputs": {"push": {"body": names[0], "at": [0, 0, 0], "direction": [1, 0, 0]},
                   "pull": {"along": f"s{n - 1}"}},
        "outputs": {"end": {"measure": f"s{n - 1}"}, "foot": {"expression": "=100*s0", "unit": "N"},
                    "speed": {"measure": "s1", "order": 1}},
    }  # fmt: skip


def random_space(seed: int, n: int = 12, nu: int = 2, ny: int = 3) -> Space:
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(n, n))
    A -= (np.linalg.eigvals(A).real.max() + rng.uniform(0.02, 1)) * np.eye(n)
    return Space(A, rng.normal(size=(n, nu)), rng.normal(size=(ny, n)), rng.normal(size=(ny, nu)))


def grid(space: Space) -> np.ndarray:
    """Frequencies where something happens, and between: rad/s."""
    poles = np.abs(np.linalg.eigvals(space.A))
    return np.concatenate(([0.0], np.geomspace(0.01 * poles.min(), 100 * poles.max(), 400), poles))


# ---- closed forms


def test_hankel_values_of_a_lag_and_an_oscillator() -> None:
    """g / (s + a) has g / 2a; w^2 / (s^2 + 2 z w s + w^2) has (sqrt(1 + z^2) +- z) / 4z: their difference is half the
    gain at rest, their product 1 / 16 z^2."""
    lag = Space(np.array([[-3.0]]), np.array([[2.0]]), np.array([[5.0]]), np.zeros((1, 1)))
    assert balanced(lag).hankel == pytest.approx([10 / 6], rel=1e-14)
    w, z = 7.0, 0.05
    oscillator = Space(np.array([[0, 1], [-(w**2), -2 * z * w]]), np.array([[0.0], [w**2]]), np.array([[1.0, 0]]),
                       np.zeros((1, 1)))  # fmt: skip
    root = np.sqrt(1 + z**2)
    assert balanced(oscillator).hankel == pytest.approx([(root + z) / (4 * z), (root - z) / (4 * z)], rel=1e-12)
    peak, at = largest_gain(oscillator)
    assert peak == pytest.approx(1 / (2 * z * np.sqrt(1 - z**2)), rel=2e-6)
    assert at == pytest.approx(w * np.sqrt(1 - 2 * z**2), rel=1e-3)


def test_hankel_values_of_a_mechanism_are_those_of_its_oscillator() -> None:
    """One mass: the same closed form through the whole path, and relative to the peak of the gain."""
    m, k, c = 2.0, 800.0, 4.0
    model = {
        "eigenbody": 1, "name": "one", "bodies": {"a": {"mass": m, "at": [0, 0, 0]}},
        "joints": {"s": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "forces": {"f": {"type": "spring", "along": "s", "k": k, "c": c}},
        "inputs": {"push": {"along": "s"}}, "outputs": {"y": {"measure": "s"}},
    }  # fmt: skip
    z = c / (2 * np.sqrt(k * m))
    root = np.sqrt(1 + z**2)
    expected = np.array([root + z, root - z]) / (4 * z * k)
    assert eb.reduce(model, 1, relative=False).hankel == pytest.approx(expected, rel=1e-11)
    found = eb.reduce(model, 2)
    assert found.hankel * found.gains[0, 0] == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_gramians_solve_their_equations_and_balance(seed: int) -> None:
    space = random_space(seed)
    found = balanced(space)
    P, Q = gramians(found.space)
    np.testing.assert_allclose(P, np.diag(found.hankel), atol=1e-9 * found.hankel[0])
    np.testing.assert_allclose(Q, np.diag(found.hankel), atol=1e-9 * found.hankel[0])
    P, Q = gramians(space)
    values = np.sqrt(np.sort(np.linalg.eigvals(P @ Q).real)[::-1])
    np.testing.assert_allclose(found.hankel, values, atol=1e-7 * values[0])  # roots of eigenvalues of a product


# ---- bounds


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_no_gain_is_off_by_more_than_the_bound(seed: int, static: bool) -> None:
    space = random_space(seed)
    found = balanced(space)
    for count in (0, 1, 4, 9, 12):
        small, _ = dropped(found, count, static)
        bound = 2 * found.hankel[count:].sum()
        error = difference(space, small)
        off = [gain(error, w) for w in grid(space)]
        assert max(off) <= bound * (1 + 1e-9) + 1e-9
        peak, _ = largest_gain(error)
        assert max(off) <= peak * (1 + 1e-5) + 1e-12
        assert peak <= bound * (1 + 1e-6) + 1e-9
        assert peak >= found.hankel[count] * (1 - 1e-6) if count < 12 else True  # no model of that order does better
        if static:
            np.testing.assert_allclose(
                small.D - small.C @ np.linalg.solve(small.A, small.B) if count else small.D,
                space.D - space.C @ np.linalg.solve(space.A, space.B), atol=1e-8,
            )  # fmt: skip
        elif count < 12:
            np.testing.assert_array_equal(small.D, space.D)


@pytest.mark.parametrize("seed", range(5))
def test_what_does_not_decay_is_kept_apart(seed: int) -> None:
    """A double integrator, an unstable pair and an undamped pair mixed into a decaying system come out again."""
    decaying, rng = random_space(seed), np.random.default_rng(seed)
    A = np.zeros((6, 6))
    A[0, 1] = 1.0
    A[2:4, 2:4], A[4:, 4:] = [[0.3, 2], [-2, 0.3]], [[0, 5], [-5, 0]]
    free = Space(A, rng.normal(size=(6, 2)), rng.normal(size=(3, 6)), np.zeros((3, 2)))
    both = beside(free, decaying)
    T = rng.normal(size=(18, 18))
    mixed = Space(np.linalg.solve(T, both.A @ T), np.linalg.solve(T, both.B), both.C @ T, both.D)
    parts = apart(mixed)
    found, wanted = (v[np.lexsort((v.real, v.imag))] for v in (parts.eigenvalues, np.linalg.eigvals(A)))
    np.testing.assert_allclose(found, wanted, atol=1e-5)  # a double zero
    whole = np.hstack((parts.T_kept, parts.T_decaying))
    assert np.linalg.cond(whole) < 1e8
    for w in (0.3, 1.7, 40.0):
        for one, other in ((beside(parts.kept, parts.decaying), mixed), (parts.decaying, decaying)):
            H, G = (s.C @ np.linalg.solve(1j * w * np.eye(len(s.A)) - s.A, s.B) + s.D for s in (one, other))
            np.testing.assert_allclose(H, G, atol=1e-6 * np.abs(G).max())


@pytest.mark.parametrize("model", [CAR, "examples/quarter_car.yaml", "examples/half_car.yaml", chain()])
def test_bounds_of_mechanisms_hold_entry_by_entry(model: Any) -> None:
    """Also with a road at any height (a zero, kept) and outputs in N beside outputs in m."""
    linear = eb.linearize(model)
    fewest = len(eb.reduce(linear, tolerance=0.999).kept)
    hz = np.geomspace(1e-3, 1e3, 500)
    for n in range(fewest, len(linear.states) + 1, 2):
        found = eb.reduce(linear, n)
        off = np.abs(found.frequency_response(hz) - found.full_response(hz)).max(axis=0)
        assert (off <= found.bound * found.gains * (1 + 1e-6)).all()
        assert found.error <= found.bound
        assert len(found.states) <= n
        assert np.isfinite(found.A).all()


def evaluation_noise(space: Any, hz: np.ndarray) -> np.ndarray:
    """What C S^-1 B with S = i w - A may be off by, (frequencies, outputs, inputs): of LU of n unknowns the forward
    error 3 n eps |S^-1| |S| |x| (Higham 2002, Theorem 9.4, without growth), with as much for the decomposition of what
    is kept, and both of complex numbers: 10 n eps in all."""
    A, B, C, D = space
    out = []
    for w in 2 * np.pi * hz:
        S = 1j * w * np.eye(len(A)) - A
        x = np.abs(np.linalg.solve(S, B))
        out.append(np.abs(C) @ (np.abs(np.linalg.inv(S)) @ (np.abs(S) @ x)) + np.abs(D))
    return 10 * len(A) * np.finfo(float).eps * np.array(out)


@pytest.mark.parametrize("model", [CAR, "examples/quarter_car.yaml", "examples/half_car.yaml"])
def test_bounds_hold_however_slow_the_road(model: Any) -> None:
    """The heights of the roads are integrals of inputs, zeros kept as zeros: d instead would be d / w^2 in the gain,
    1400 times the gains of the half car at 1e-9 Hz with d = 2e-14."""
    linear, hz = eb.linearize(model), np.geomspace(1e-9, 1e-3, 40)
    noise = evaluation_noise(linear.state_space, hz)
    for n in (len(linear.states) - 2, len(linear.states)):
        found = eb.reduce(linear, n)
        assert not found.kept.any()
        off = np.abs(found.frequency_response(hz) - found.full_response(hz))
        assert (off <= found.bound * found.gains + noise).all()


@pytest.mark.parametrize("seed", range(4))
def test_integrals_of_inputs_stay_what_they_are(seed: int) -> None:
    """Of u1 the integral and its integral, of u2 the integral; the states in any order. At 1e-6 rad/s against 1 / s^2
    and 1 / s by hand, followed by x = (s - F)^-1 (G z + B u)."""
    inner, rng = random_space(seed), np.random.default_rng(seed)
    G, N, W = rng.normal(size=(12, 3)), np.zeros((3, 3)), np.array([[0.0, 0], [1, 0], [0, 1]])
    N[0, 1] = 1.0
    whole = Space(
        np.block([[inner.A, G], [np.zeros((3, 12)), N]]), np.vstack((inner.B, W)),
        np.hstack((inner.C, rng.normal(size=(3, 3)))), inner.D,
    )  # fmt: skip
    order = rng.permutation(15)
    mixed = Space(whole.A[np.ix_(order, order)], whole.B[order], whole.C[:, order], whole.D)
    assert sorted(order[integrals(mixed.A)]) == [12, 13, 14]
    parts = apart(mixed)
    assert not parts.eigenvalues.any()
    assert (parts.kept.A @ parts.kept.A @ parts.kept.A == 0).all()
    back = np.hstack((parts.T_kept, parts.T_decaying))
    np.testing.assert_allclose(mixed.A @ parts.T_kept, parts.T_kept @ parts.kept.A, atol=1e-11 * np.abs(back).max())
    np.testing.assert_allclose(
        mixed.A @ parts.T_decaying, parts.T_decaying @ parts.decaying.A, atol=1e-11 * np.abs(back).max()
    )
    both = beside(parts.kept, parts.decaying)
    np.testing.assert_allclose(back @ both.B, mixed.B, atol=1e-10 * np.abs(back).max())
    s = 1e-6j
    z = np.array([[1 / s**2, 0], [1 / s, 0], [0, 1 / s]])
    by_hand = inner.C @ np.linalg.solve(s * np.eye(12) - inner.A, inner.B + G @ z) + whole.C[:, 12:] @ z + inner.D
    H = both.C @ np.linalg.solve(s * np.eye(15) - both.A, both.B) + both.D
    np.testing.assert_allclose(H, by_hand, atol=0, rtol=1e-10)


def test_a_tolerance_is_kept_and_loose_ones_need_fewer_states() -> None:
    linear = eb.linearize(chain())
    counts = []
    for tolerance in (0.5, 0.1, 1e-2, 1e-4):
        found = eb.reduce(linear, tolerance=tolerance)
        assert found.bound <= tolerance * found.hankel[0] + 1e-9
        counts.append(len(found.states))
    assert counts == sorted(counts)
    assert counts[0] < counts[-1] <= 16


def test_the_gain_at_rest_stays() -> None:
    linear = eb.linearize(chain())
    full = eb.reduce(linear, 6).full_response([0.0])
    for found in (eb.reduce(linear, 6), eb.reduce(linear, 5, method="second-order")):
        np.testing.assert_allclose(found.frequency_response([0.0]), full, rtol=1e-9, atol=1e-12 * np.abs(full).max())
    off = eb.reduce(linear, 6, static=False).frequency_response([0.0]) - full
    assert np.abs(off).max() > 1e-6 * np.abs(full).max()


# ---- second order


def test_second_order_reduction_is_a_mechanism_again() -> None:
    """Symmetric, definite, stable; all motions give the whole model back; errors are what is said."""
    linear = eb.linearize(chain())
    for n in (5, 6, 8):
        found = eb.reduce(linear, n, method="second-order")
        assert found.M is not None and found.K is not None and found.damping is not None  # noqa: PT018
        for matrix in (found.M, found.K, found.damping):
            np.testing.assert_allclose(matrix, matrix.T, atol=1e-9 * np.abs(matrix).max())
            assert np.linalg.eigvalsh(0.5 * (matrix + matrix.T)).min() > 0
        np.testing.assert_allclose(found.M, np.eye(n), atol=1e-10)
        assert found.eigenvalues.real.max() < 0
        hz = np.geomspace(1e-3, 1e2, 400)
        off = (found.frequency_response(hz) - found.full_response(hz)) / found.gains
        assert np.linalg.norm(off, 2, axis=(1, 2)).max() <= found.error * (1 + 1e-4) + 1e-9
    assert found.error < 1e-8


def test_second_order_reduction_refuses_what_has_no_measure() -> None:
    for model, said in ((CAR, "not M, C, K alone"), (chain(c=0.0), "does not decay")):
        with pytest.raises(eb.InputError, match=said):
            eb.reduce(model, 3, method="second-order")
    with pytest.raises(eb.InputError, match="needs 2 motions"):
        eb.reduce(chain(), 1, method="second-order")
    assert len(eb.reduce(chain(), 1, method="second-order", static=False).states) == 2


@pytest.mark.parametrize(("more", "said"), [
    ({"method": "balance"}, "balanced"), ({"n": 3, "tolerance": 0.1}, "or a tolerance"),
    ({"tolerance": 2.0}, "between"),
    ({"method": "second-order"}, "needs a number"), ({"n": 0, "model": CAR}, "1 states do not decay"),
])  # fmt: skip
def test_what_cannot_be_asked_is_said(more: dict[str, Any], said: str) -> None:
    given = {"model": chain(), **more}
    with pytest.raises(eb.InputError, match=said):
        eb.reduce(**given)


def test_models_without_inputs_are_sent_to_modes() -> None:
    with pytest.raises(eb.InputError, match="truncate by modes"):
        eb.reduce("examples/hanging_pendulum.yaml", 1)


def test_reduced_models_are_exported_the_same_ways(tmp_path: Path) -> None:
    """The FMU of the reduced model has its matrices; by fmpy."""
    import fmpy
    from fmpy.validation import validate_fmu

    found = eb.reduce(CAR, 4)
    found.write(tmp_path / "small.fmu")
    assert validate_fmu(str(tmp_path / "small.fmu")) == []
    moved = fmpy.simulate_fmu(str(tmp_path / "small.fmu"), fmi_type="CoSimulation", stop_time=0.5, output_interval=0.5,
                              start_values={"road_speed": 1.0}, output=list(found.outputs))  # fmt: skip
    from scipy.linalg import expm

    n = len(found.states)
    whole = np.zeros((n + 1, n + 1))
    whole[:n, :n], whole[:n, n:] = found.A, found.B
    x = expm(0.5 * whole)[:n, n]
    np.testing.assert_allclose([moved[name][-1] for name in found.outputs], found.C @ x + found.D[:, 0], rtol=1e-9)
