"""What is zero, what grows and how sure that is: the sparse path decides as the dense one does, by error bounds."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest
from mpmath import eigsy, matrix, mp, sqrt

import eigenbody as eb
from eigenbody.linearization.linearize import DENSE_FREEDOMS
from eigenbody.operating.equilibrium.stability import judge

BODIES = 40
SOFT = 1e-10  # beside springs of 1 N/m: a real mode of 1e-5 rad/s
GROWS = -1e-9


def chain(last: float, damping: float = 0.0, spin: float = 0.0, held: bool = True, bodies: int = BODIES) -> dict:
    """Bodies of 1 kg on slides along x, each on a spring to the one before, the last on its own; beside them a disc of
    its own on a ball joint, held upright, which may spin: nothing couples it to the chain."""
    body = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}
    names = ["ground", *(f"b{i}" for i in range(1, bodies + 1))]
    model: dict = {"eigenbody": 1, "bodies": {}, "joints": {}, "forces": {}}
    for i, (before, name) in enumerate(itertools.pairwise(names), 1):
        model["bodies"][name] = {**body, "at": [i, 0, 0]}
        model["joints"][f"x{i}"] = {
            "type": "prismatic",
            "between": ["ground", name],
            "at": [i, 0, 0],
            "axis": [1, 0, 0],
        }
        if i > 1 or held:
            model["forces"][f"k{i}"] = {
                "type": "spring", "between": [before, name], "at": [[i - 1, 0, 0], [i, 0, 0]],
                "free_length": 1, "k": last if i == bodies else 1.0, "c": damping,
            }  # fmt: skip
    if spin:
        top = {"between": ["ground", "disc"], "at": [0, 0, 5]}
        model["bodies"]["disc"] = {"mass": 2, "inertia": [0.5, 0.5, 1.0], "at": [0, 0, 5]}
        model["joints"]["ball"] = {"type": "spherical", **top, "velocity": [0, 0, spin]}
        model["forces"]["hold"] = {"type": "bearing", **top, "axis": [0, 0, 1], "k": [0, 0, 0, 50, 50, 0]}
        model["forces"]["hold"]["c"] = [0, 0, 0, damping, damping, 0]
    return model


def exact_squares(last: float, held: bool) -> list:
    """omega^2 of the chain in arithmetic of 40 digits, ascending."""
    mp.dps = 40
    springs = [1.0 if held else 0.0, *[1.0] * (BODIES - 2), last, 0.0]
    K = matrix(BODIES)
    for i in range(BODIES):
        K[i, i] = mp.mpf(springs[i]) + springs[i + 1]
        if i:
            K[i, i - 1] = K[i - 1, i] = -mp.mpf(springs[i])
    return sorted(eigsy(K, eigvals_only=True))


@pytest.mark.parametrize("spin", [0.0, 200.0])
@pytest.mark.parametrize(("last", "held"), [(SOFT, True), (GROWS, True), (1.0, False)])
def test_slow_growing_and_free_motions_are_told_apart_within_bounds(last: float, held: bool, spin: float) -> None:
    """Long arithmetic for the chain, which the disc, spinning or not, does not feel."""
    modes = eb.modes(eb.load(chain(last, spin=spin, held=held)), n=8, solver="sparse")
    slowest, second = exact_squares(last, held)[:2]
    free = (0 if held else 2) + (2 if spin else 0)
    assert modes.check.zeros == (free, free)
    assert np.count_nonzero(modes.is_rigid) == free
    expected = [mp.mpc(0, sqrt(second))]
    if held:
        expected.append(sqrt(-slowest) if slowest < 0 else mp.mpc(0, sqrt(slowest)))
    for value in map(complex, expected):
        k = int(np.argmin(np.abs(modes.eigenvalues - value)))
        assert abs(modes.eigenvalues[k] - value) <= modes.bounds[k] + 1e-15 * abs(value)
        assert modes.bounds[k] < 1e-9 * abs(value)
    assert modes.growth == ("unstable" if last < 0 else "drifting" if free else "marginal")


@pytest.mark.parametrize("spin", [0.0, 200.0])
@pytest.mark.parametrize("damping", [0.0, 1e-3])
@pytest.mark.parametrize(("last", "held"), [(SOFT, True), (GROWS, True), (1.0, False)])
def test_dense_and_sparse_agree_within_their_bounds(last: float, held: bool, damping: float, spin: float) -> None:
    """Each eigenvalue of one path is one of the other within the two bounds; where the dense path takes more for zero
    it says which element is strained and how fast the motion may be."""
    model = eb.load(chain(last, damping, spin, held))
    dense, sparse = eb.modes(model, solver="dense"), eb.modes(model, n=8, solver="sparse")
    apart = np.abs(sparse.eigenvalues[:, None] - dense.eigenvalues)
    assert np.all((apart <= sparse.bounds[:, None] + dense.bounds).any(axis=1))
    if np.sum(dense.is_rigid) == np.sum(sparse.is_rigid):
        assert dense.growths[: len(sparse)] == sparse.growths
    else:
        assert np.sum(dense.is_rigid) > np.sum(sparse.is_rigid)
        assert any("deflect k40" in note for note in dense.remarks)
    assert sparse.check.residual < 1e-7


def test_a_damped_free_chain_has_two_zeros() -> None:
    """Internal damping does not resist the motion of the whole: it was counted three times."""
    modes = eb.modes(eb.load(chain(1.0, 1e-3, held=False)), n=8, solver="sparse")
    assert (np.count_nonzero(modes.is_rigid), modes.growth) == (2, "drifting")
    resisted = chain(1.0, 1e-3, held=False)
    resisted["forces"]["drag"] = {"type": "damper", "between": ["ground", "b1"], "at": [[0, 0, 0], [1, 0, 0]], "c": 0.1}
    modes = eb.modes(eb.load(resisted), n=8, solver="sparse")
    assert (np.count_nonzero(modes.is_rigid), modes.growth) == (1, "marginal")


def test_every_mode_has_its_error_and_its_residual() -> None:
    document = json.loads(json.dumps(eb.modes(eb.load(chain(SOFT, spin=200.0)), n=8, solver="sparse").as_dict()))
    assert all(0 < mode["error"] < 1e-4 for mode in document["modes"])
    assert len(document["certificate"]["mode_residuals"]) == len(document["modes"])
    assert document["certificate"]["modes"]["zeros"] == [2, 2]


def test_undecided_sides_of_the_axis_are_said() -> None:
    modes = eb.modes(eb.load(chain(SOFT, spin=200.0)), n=8, solver="sparse")
    assert any("is below the rounding of the equations" in note for note in modes.remarks)
    assert set(modes.growths[2:]) == {"marginal"}
    assert not np.any(modes.eigenvalues.real)


@pytest.mark.parametrize(("last", "word"), [(1e-16, "marginal"), (-1e-16, "unstable")])
def test_an_equilibrium_of_many_bodies_is_left_by_the_slowest_growth(last: float, word: str) -> None:
    """1e-8 rad/s beside 0.01 rad/s; a first-order state, which nothing feels, makes the equations unsymmetric."""
    document = chain(last, bodies=160)
    document["states"] = {"x": {"initial": 0, "rate": "=-x"}}
    verdict = judge(eb.operating_point(eb.load(document)))
    assert verdict.stability == word
    assert verdict.is_partial
    np.testing.assert_allclose(np.abs(verdict.eigenvalues[0]), 1e-8, rtol=1e-9)
    if last < 0:
        moved = np.abs(verdict.growing).max(axis=0)
        assert moved[-6] > 1e6 * np.delete(moved, -6).max()


def test_a_large_mechanism_that_turns_steadily_has_a_verdict() -> None:
    """The disc spins about its axis of symmetry: the equations are the same at every angle."""
    modes = eb.modes(eb.load(chain(1.0, spin=200.0, bodies=DENSE_FREEDOMS + 10)), n=6)
    assert (modes.solver, modes.is_constant, modes.stability) == ("sparse", True, "drifting")
    assert modes.dof > DENSE_FREEDOMS


@pytest.mark.parametrize("solver", ["dense", "sparse"])
@pytest.mark.parametrize(
    ("inertia", "stiffness", "word"),
    [([0.5, 0.5, 1.0], [50, 50], "drifting"), ([0.4, 0.6, 0.9], [50, 80], "frozen")],
)
def test_coefficients_are_constant_on_both_paths_or_on_none(
    solver: str, inertia: list[float], stiffness: list[float], word: str
) -> None:
    """An unsymmetric disc on unsymmetric bearings meets other equations as it turns."""
    document = chain(1.0, spin=20.0)
    document["bodies"]["disc"]["inertia"] = inertia
    document["forces"]["hold"]["k"] = [0, 0, 0, *stiffness, 0]
    assert eb.modes(eb.load(document), n=6, solver=solver).stability == word


def test_damping_that_is_added_does_not_change_with_time() -> None:
    linear = eb.linearize(eb.load(chain(1.0, spin=20.0)), solver="dense")
    assert eb.modes(eb.with_damping(linear, proportional=(0.0, 1e-3)), n=6).is_constant


def test_that_all_motions_decay_is_said_of_all_only_where_all_are_damped() -> None:
    """A damper on every spring resists every motion; one at the end of the chain is not known to."""
    verdict = judge(eb.operating_point(eb.load(chain(1.0, 1e-3, bodies=160))))
    assert (verdict.stability, verdict.is_partial) == ("stable", False)
    document = chain(1.0, bodies=160)
    document["forces"]["drag"] = {"type": "damper", "between": ["ground", "b1"], "at": [[0, 0, 0], [1, 0, 0]], "c": 0.1}
    verdict = judge(eb.operating_point(eb.load(document)))
    assert (verdict.stability, verdict.is_partial) == ("stable", True)
