"""The dense and the sparse form of a linear model are the same equations, with added damping too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from mechanisms import KINDS, random_mechanism


def chain(n: int) -> dict[str, Any]:
    """Masses of 1 kg one above the other on springs of 1000 N/m, pushed and read at the lowest."""
    below = ["ground", *(f"b{i}" for i in range(n))]
    slide = {"type": "prismatic", "axis": [0, 0, 1]}
    return {
        "eigenbody": 1,
        "bodies": {f"b{i}": {"mass": 1.0, "at": [0, 0, i]} for i in range(n)},
        "joints": {f"s{i}": {**slide, "between": [below[i], f"b{i}"], "at": [0, 0, i]} for i in range(n)},
        "forces": {f"k{i}": {"type": "spring", "along": f"s{i}", "k": 1000.0} for i in range(n)},
        "inputs": {"push": {"along": "s0"}},
        "outputs": {"y": {"measure": "s0"}, "a": {"measure": "s0", "order": 2}},
    }


@pytest.mark.parametrize("added", [False, True], ids=["own damping", "added damping"])
@pytest.mark.parametrize("kind", KINDS)
def test_eliminating_the_auxiliary_unknowns_gives_the_state_matrix(kind: str, added: bool) -> None:
    """In motion too, where the coordinates' rates depend on the positions."""
    linear = eb.linearize(eb.load(random_mechanism(np.random.default_rng(3), kind)), solver="dense")
    if added:
        rng = np.random.default_rng(4)
        linear = eb.with_damping(linear, matrix=rng.normal(size=(linear.dof, linear.dof)))
    found, size = linear.sparse.rates_of(np.eye(len(linear.states))), np.abs(linear.A).max(initial=1e-300)
    np.testing.assert_allclose(found / size, linear.A / size, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("n", [3, 420])
@pytest.mark.parametrize("how", [{"proportional": (2.0, 1e-3)}, {"modal": 0.05}], ids=["proportional", "modal"])
def test_frequency_response_has_the_added_damping(n: int, how: dict[str, Any]) -> None:
    """Expected: e^T (K + i w C - w^2 M)^-1 e, and -w^2 of it; 420 masses have more states than are solved densely."""
    linear = eb.with_damping(eb.linearize(eb.load(chain(n)), solver="dense"), **how)
    hz = np.array([0.3, 1.0])
    found, first = eb.frf(linear, frequencies_hz=hz).values[:, :, 0], np.eye(n)[0]
    for w, (y, a) in zip(2 * np.pi * hz, found, strict=True):
        expected = np.linalg.solve(linear.K + 1j * w * linear.C - w * w * linear.M, first)[0]
        np.testing.assert_allclose([y, a], [expected, -w * w * expected], rtol=1e-8)


def test_damping_added_twice_is_the_sum_in_both_forms() -> None:
    """Pv^T C_add Pv of the sparse form is C_add of the dense one: 3 M + 0.3 K."""
    dense, sparse = (eb.linearize(eb.load(chain(3)), solver=solver) for solver in ("dense", "sparse"))
    twice = []
    for linear in (dense, sparse):
        twice.append(eb.with_damping(eb.with_damping(linear, proportional=(1.0, 0.1)), proportional=(2.0, 0.2)))
    expected = 3 * dense.M + 0.3 * dense.K
    np.testing.assert_allclose(twice[0].added_damping, expected, rtol=1e-14)
    np.testing.assert_allclose(dense.Pv.T @ (twice[1].added_damping @ dense.Pv), expected, rtol=1e-14, atol=1e-12)
    np.testing.assert_allclose(*(eb.modes(linear).eigenvalues for linear in twice), rtol=1e-10)


NAMES = (
    "A B M C K Y Z P Pv drag noise_A noise_K noise_C noise_Y noise_Z state_space shape_q shape_u damping gyroscopic"
    " conservative circulatory dense"
)


@pytest.mark.parametrize("name", NAMES.split())
def test_dense_matrices_of_a_model_kept_sparse_are_refused(name: str) -> None:
    linear = eb.linearize(eb.load(chain(2)), solver="sparse")
    with pytest.raises(eb.ComputationError, match="kept sparse: the dense A would have 4 x 4 entries"):
        getattr(linear, name)
