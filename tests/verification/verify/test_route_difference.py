"""Differences of the engine's own nonlinear equations: its state matrix, convergence, and why one step fails."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from families import family
from test_route_relative import CONICAL, EXAMPLES, SITUATIONS, in_motion

import eigenbody as eb
from closed_forms import CASES
from eigenbody.analyses.verify import difference
from eigenbody.analyses.verify.difference import DisturbedMotion, applies, extrapolated, linearize
from eigenbody.elements.measures import compose
from eigenbody.routes.base import Unsupported
from flexible_mechanisms import with_beams
from mechanisms import KINDS, random_mechanism

LARGE = ("all_terrain_vehicle", "helicopter_blade")  # 130 freedoms and more


def assert_agrees(model: eb.Model, matrix: float = 1e-9) -> None:
    """The engine's state matrix, entry by entry."""
    point = eb.operating_point(model)
    assert applies(point) == ""
    known = eb.linearize(point).A
    assert np.abs(linearize(point).matrices["A"] - known).max() <= matrix * np.abs(known).max(), model.name


@pytest.mark.parametrize(
    "path",
    [pytest.param(p, marks=[pytest.mark.slow] if p.stem in LARGE else [], id=p.stem) for p in EXAMPLES],
)
def test_examples(path: Path) -> None:
    """Wheels, tyres, stops, first-order states, moving frames and flexible bodies: no element is left out."""
    assert_agrees(eb.load(path))


@pytest.mark.parametrize("name", ["four_bar", "rolling_disc", "flexible_slider_crank"])
def test_sparse_factors_give_what_dense_ones_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two examples of 130 freedoms and more take a minute each (marked slow); small ones go their way here."""
    point = eb.operating_point(eb.load(next(path for path in EXAMPLES if path.stem == name)))
    by_dense = linearize(point).matrices["A"]
    monkeypatch.setattr(difference, "DENSE_LIMIT", 0)
    np.testing.assert_allclose(linearize(point).matrices["A"], by_dense, atol=1e-9 * np.abs(by_dense).max())


def test_what_would_take_hours_is_left_out() -> None:
    point = eb.operating_point(eb.load(family("C100SF1")))
    assert "600 states of equations of order 900 would take too long" in applies(point)


@pytest.mark.parametrize("kind", KINDS)
def test_random_mechanisms(kind: str) -> None:
    """Small ones of every kind, in motion."""
    documents = [random_mechanism(np.random.default_rng(seed), kind) for seed in range(12)]
    for document in sorted(documents, key=lambda document: len(document["bodies"]))[:2]:
        assert_agrees(eb.load(document))


@pytest.mark.parametrize("kind", ["tree", "loop", "knife"])
def test_random_mechanisms_with_beams(kind: str) -> None:
    rng = np.random.default_rng(0)
    assert_agrees(eb.load(with_beams(rng, random_mechanism(rng, kind), most=1)))


def test_a_tangent_that_forgets_a_term_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rate of a measure by the position, left out of the engine's tangents: values, rates and forces stay right."""
    model = eb.load(in_motion(forces={"s": {"type": "spring", "along": "reach", "k": 20, "c": 1}}))
    assert eb.verify(model, ["difference"]).verdict == "agree"
    right = compose.ComposedJet.rate_q.func
    monkeypatch.setattr(compose.ComposedJet, "rate_q", property(lambda jet: 0.9 * right(jet)))
    found = eb.verify(model, ["difference"])
    assert found.verdict == "disagree"
    assert not found["difference"].route.is_independent
    assert "the engine's own equations" in str(found)


@pytest.mark.parametrize("name", ["coordinates of choice", "rotations as coordinates", "driver", "nonlinear spring"])
def test_situations(name: str) -> None:
    assert_agrees(eb.load(in_motion(**SITUATIONS[name])))


@pytest.mark.parametrize("seed", [50, 159, 165, 192])
def test_errors_are_not_underestimated(seed: int) -> None:
    """Columns of coordinates that nothing feels: differences of mere rounding that agree by chance prove nothing."""
    point = eb.operating_point(eb.load(random_mechanism(np.random.default_rng(seed))))
    engine, linear = eb.linearize(point), linearize(point)
    assert linear.error is not None
    assert np.all(np.abs(linear.matrices["A"] - engine.A) <= 3 * (linear.error + engine.noise_A))
    assert linear.error.max() < 1e-11 * np.abs(engine.A).max()


def test_loaded_loops() -> None:
    """The nonlinear dynamics know the geometric stiffness of loops without a formula for it."""
    raised = next(case for case in CASES if case.name == "spatial four-bar, crank 4 of 2 m, pivot raised")
    for document, right in ((raised.document, (147.15 / 21.25) ** 0.5), (CONICAL, 8.58076219398679)):
        point = eb.operating_point(eb.load(document))
        linear = linearize(point)
        assert linear.eigenvalues.imag.max() == pytest.approx(right, rel=1e-10)
        assert linear.notes[1].startswith("converged")


def test_undisturbed_motion_has_no_deviation() -> None:
    """Accelerations too: those of the operating point are found again from the equations alone."""
    point = eb.operating_point(eb.load(in_motion(forces={"s": {"type": "spring", "along": "reach", "k": 20, "c": 1}})))
    nS, nW = len(point.chosen.positions), len(point.chosen.velocities)
    still = DisturbedMotion(point).rates(*(np.zeros((1, n)) for n in (nS, nW, 0)))
    np.testing.assert_allclose(still, 0, atol=1e-11)


def test_angles_are_followed_across_half_a_turn() -> None:
    """A spring along an angle of 179.99 degrees: disturbed by a step it must not jump by a full turn."""
    document = {
        "eigenbody": 1,
        "bodies": {"a": {"mass": 1, "inertia": [1, 1, 2], "at": [0, 0, 0]}},
        "joints": {"j": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "position": 3.1415}},
        "forces": {"s": {"type": "spring", "along": "j", "k": 8, "free": 3.1415}},
    }
    found = linearize(eb.operating_point(eb.load(document)))
    assert found.eigenvalues.imag.max() == pytest.approx(2.0, rel=1e-10)  # sqrt(8 / 2)


def test_extrapolation_finds_its_step() -> None:
    """exp has slope 1; one central difference with any single step cannot come near."""
    slope = extrapolated(lambda x: np.array([[np.exp(x), np.sin(50 * x), np.tanh(x / 1e-2)]]), 0.1)
    np.testing.assert_allclose(slope.value, [[1, 50, 100]], rtol=1e-9)
    assert np.all(np.abs(slope.value - [1, 50, 100]) <= 1e2 * slope.error + 1e-9)
    fixed = [abs((np.exp(h) - np.exp(-h)) / (2 * h) - 1) for h in 10.0 ** np.arange(-12, 0)]
    assert min(fixed) > 1e-12  # the best of all single steps


def test_a_fixed_step_is_off_by_its_square_or_by_rounding_over_it() -> None:
    """Against Eq. 4.18, 7.848 1/s^2: between 1e-2 and 1e-4 a tenth of the step is a hundredth of the error."""
    model = eb.load(next(path for path in EXAMPLES if path.stem == "four_bar"))
    steps = (1e-2, 1e-3, 1e-4, 1e-9)
    off = [np.abs(np.abs(eb.by_route(model, "difference", step=h).eigenvalues) ** 2 / 7.848 - 1).max() for h in steps]
    assert off[0] / off[1] == pytest.approx(100, rel=0.05)
    assert off[1] / off[2] == pytest.approx(100, rel=0.05)
    assert off[3] > 10 * off[2]
    with pytest.raises(eb.InputError, match="step: 0 is not a positive length"):
        eb.by_route(model, "difference", step=0.0)


def dithered(point: eb.OperatingPoint, step: float) -> np.ndarray:
    """State matrix by one forward difference for each column, all with the same step (Trom 1990, Eq. 3.7)."""
    nS, nW = len(point.chosen.positions), len(point.chosen.velocities)
    return DisturbedMotion(point).rates(*np.split(step * np.eye(nS + nW), [nS, nS + nW], axis=1)).T / step


def test_one_fixed_step_is_not_enough() -> None:
    """Trom 1990, Sec. 3.1: 1e-4 is too long and 1e-10 too short for the same mechanism; automatic steps do."""
    point = eb.operating_point(eb.load(next(path for path in EXAMPLES if path.stem == "rotating_pendulum")))
    known = eb.linearize(point).A
    error = lambda A: np.abs(A - known).max() / np.abs(known).max()  # noqa: E731
    assert error(dithered(point, 1e-4)) > 1e-5
    assert error(dithered(point, 1e-10)) > 1e-8
    assert error(linearize(point).matrices["A"]) < 1e-12


def slider(force: dict) -> eb.Model:
    joint = {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    body = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}
    return eb.load({"eigenbody": 1, "bodies": {"a": body}, "joints": {"x": joint}, "forces": {"s": force}})


def test_a_cusp_proves_nothing() -> None:
    """A kink near by is avoided by smaller steps; where the dynamics have no derivative the route does not apply."""
    slope = extrapolated(lambda x: np.array([[abs(x - 1e-3)]]), 0.05)
    np.testing.assert_allclose(slope.value, -1, rtol=1e-12)
    assert extrapolated(lambda x: np.array([[np.cbrt(x)]]), 0.05).error > 1.0
    model = slider({"type": "expression", "along": "x", "value": "=-x/(x**2 + 1e-30)**0.3333"})
    with pytest.raises(Unsupported, match="do not converge"):
        linearize(eb.operating_point(model))
    found = eb.verify(model, ["difference"])
    assert (found.verdict, found["difference"].applies) == ("unchecked", False)
