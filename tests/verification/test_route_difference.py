"""Central differences of the nonlinear dynamics: the engine's state matrix, convergence, and why one step fails."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from closed_forms import CASES
from test_route_relative import CONICAL, EXAMPLES, NOT_KNOWN, SITUATIONS, assert_agrees, in_motion

import eigenbody as eb
from eigenbody.analyses.verify import place_of
from eigenbody.crosscheck.difference import ROUTE, ForwardDynamics, dithered, extrapolated, linearize
from eigenbody.crosscheck.relative.assemble import read

sys.path.insert(0, str(Path(__file__).parents[1]))
from mechanisms import random_mechanism

SLOW = (
    "stewart_platform",
    "space_manipulator",
    "actuated_linkage",
    "which_screw",
    "conical_pendulum",
    "flyball_governor",
    "four_bar_with_spring",
)


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem not in SLOW], ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    assert assert_agrees(eb.load(path), ROUTE, 1e-9) == NOT_KNOWN.get(path.stem, "")


@pytest.mark.parametrize("kind", ["tree", "floating", "loop", "redundant", "driven"])
def test_random_mechanisms(kind: str) -> None:
    """Small ones of every kind that the formulation knows, in motion."""
    documents = [random_mechanism(np.random.default_rng(seed), kind) for seed in range(12)]
    for document in sorted(documents, key=lambda document: len(document["bodies"]))[:2]:
        assert not assert_agrees(eb.load(document), ROUTE, 1e-9)


@pytest.mark.parametrize("name", ["coordinates of choice", "rotations as coordinates", "driver", "nonlinear spring"])
def test_situations(name: str) -> None:
    assert not assert_agrees(eb.load(in_motion(**SITUATIONS[name])), ROUTE, 1e-9)


@pytest.mark.parametrize("seed", [50, 159, 165])
def test_errors_are_not_underestimated(seed: int) -> None:
    """Columns of coordinates that nothing feels: differences of mere rounding that agree by chance prove nothing."""
    point = eb.operating_point(eb.load(random_mechanism(np.random.default_rng(seed))))
    engine, linear = eb.linearize(point), linearize(point.system.description, place_of(point))
    assert linear.error is not None
    assert np.all(np.abs(linear.matrices["A"] - engine.A) <= 3 * (linear.error + engine.noise_A))
    assert linear.error.max() < 1e-11 * np.abs(engine.A).max()


def test_loaded_loops() -> None:
    """The nonlinear dynamics know the geometric stiffness of loops without a formula for it."""
    raised = next(case for case in CASES if case.name == "spatial four-bar, crank 4 of 2 m, pivot raised")
    for document, right in ((raised.document, (147.15 / 21.25) ** 0.5), (CONICAL, 8.58076219398679)):
        point = eb.operating_point(eb.load(document))
        linear = linearize(point.model.description, place_of(point))
        assert linear.eigenvalues.imag.max() == pytest.approx(right, rel=1e-10)
        assert linear.notes[1].startswith("converged")


def test_accelerations_at_the_operating_point() -> None:
    """Without deviations there are none of the accelerations, and those themselves are the engine's."""
    model = eb.load(in_motion(forces={"s": {"type": "spring", "along": "reach", "k": 20, "c": 1}}))
    point = eb.operating_point(model)
    place = place_of(point)
    forward = ForwardDynamics(read(model.description, place))
    none = np.zeros(len(forward.coordinates))
    np.testing.assert_allclose(forward(none, none), 0, atol=1e-12)
    names = [coordinate.name for coordinate in forward.coordinates]
    scalar = [name for name in names if not name.startswith("j.")]
    outputs = {name.replace(".", "_"): {"measure": name, "order": 2} for name in scalar}
    forces = {"s": {"type": "spring", "along": "reach", "k": 20, "c": 1}}
    known = eb.operating_point(eb.load(in_motion(forces=forces, outputs=outputs))).outputs()
    own = [forward.second_rate[names.index(name)] for name in scalar]
    np.testing.assert_allclose(own, list(known.values()), rtol=1e-11)


def test_extrapolation_finds_its_step() -> None:
    """exp has slope 1; one central difference with any single step cannot come near."""
    slope = extrapolated(lambda x: np.array([np.exp(x), np.sin(50 * x), np.tanh(x / 1e-2)]), 0.1, levels=12)
    np.testing.assert_allclose(slope.value, [1, 50, 100], rtol=1e-9)
    assert np.all(np.abs(slope.value - [1, 50, 100]) <= 1e2 * slope.error + 1e-9)
    fixed = [abs((np.exp(h) - np.exp(-h)) / (2 * h) - 1) for h in 10.0 ** np.arange(-12, 0)]
    assert min(fixed) > 1e-12  # the best of all single steps


def test_one_fixed_step_is_not_enough() -> None:
    """Trom 1990, Sec. 3.1: 1e-4 is too long and 1e-10 too short for the same mechanism; automatic steps do."""
    model = eb.load(next(path for path in EXAMPLES if path.stem == "rotating_pendulum"))
    point = eb.operating_point(model)
    place, known = place_of(point), eb.linearize(model, at=point).A
    error = lambda A: np.abs(A - known).max() / np.abs(known).max()  # noqa: E731
    assert error(dithered(model.description, place, 1e-4)) > 1e-5
    assert error(dithered(model.description, place, 1e-10)) > 1e-8
    assert error(linearize(model.description, place).matrices["A"]) < 1e-12


def test_a_cusp_is_reported() -> None:
    """A kink near by is avoided by smaller steps; where the dynamics have no derivative the result says so."""
    slope = extrapolated(lambda x: np.array([abs(x - 1e-3)]), 0.05)
    assert slope.value == pytest.approx([-1], rel=1e-12)
    assert extrapolated(np.cbrt, 0.05).error > 1.0
    document = {
        "eigenbody": 1,
        "bodies": {"a": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        "joints": {"x": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "forces": {"s": {"type": "expression", "along": "x", "value": "=-x/(x**2 + 1e-30)**0.3333"}},
    }
    point = eb.operating_point(eb.load(document))
    assert linearize(point.model.description, place_of(point)).notes[1].startswith("NOT converged")
