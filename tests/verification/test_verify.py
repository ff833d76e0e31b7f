"""Every example and random mechanisms by every route; a wrong route is found out; tolerances are honest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.agreement import matched, tolerances
from eigenbody.crosscheck.base import Linear, Place, Route
from eigenbody.crosscheck.routes import all_routes, route_named
from eigenbody.errors import ComputationError
from eigenbody.model.description import Description
from eigenbody.numerics.eigen import spectrum_first_order
from mechanisms import random_mechanism

EXAMPLES = Path(__file__).parents[2] / "examples"
FILES = sorted(p.name for p in EXAMPLES.glob("*.yaml") if not p.stem.endswith("_problem"))
QUICK = ("relative", "kane", "topology", "difference")  # the routes that take any number of bodies
SYMBOLIC = (
    "slider_pendulum", "hanging_pendulum", "four_bar", "rotating_pendulum", "rotor_stator", "four_bar_with_spring",
    "rotor_on_bearing", "geared_shafts", "parallelogram",
)  # fmt: skip
UNCHECKED = {  # what no other formulation here knows: rolling, knife edges, slip forces, stops
    "actuated_linkage", "caster", "chaplygin_sleigh", "rolling_disc", "single_track_car", "wheelset",
    "whipple_bicycle",
}  # fmt: skip


def load(name: str) -> eb.Model:
    return eb.load(EXAMPLES / f"{name}.yaml")  # type: ignore[return-value]


def stretched(factor: complex, exact: bool = True) -> Route:
    """The route "relative" with its eigenvalues multiplied."""
    right = route_named("relative")

    def linearize(description: Description, place: Place) -> Linear:
        found = right.linearize(description, place)
        return replace(found, eigenvalues=found.eigenvalues * factor, is_exact=exact, notes=("stretched",))

    return Route("stretched", "a deliberate mistake", "nobody", right.applies, linearize)


@pytest.mark.parametrize("file", FILES)
def test_examples_agree(file: str) -> None:
    found = eb.verify(load(Path(file).stem), QUICK)
    assert found.verdict == ("unchecked" if Path(file).stem in UNCHECKED else "agree"), str(found)


@pytest.mark.parametrize("name", SYMBOLIC)
def test_examples_agree_symbolically(name: str) -> None:
    found = eb.verify(load(name), ["symbolic"])
    assert found.verdict == "agree", str(found)


def random_model(kind: str, seed: int) -> eb.Model:
    """A random mechanism that can be assembled; those that cannot are drawn again."""
    for again in range(5):
        model = eb.load(random_mechanism(np.random.default_rng([seed, again]), kind))
        try:
            eb.operating_point(model)
        except eb.InputError:
            continue
        return model  # type: ignore[return-value]
    raise AssertionError(f"no {kind} could be assembled from seed {seed}")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["tree", "floating", "loop", "redundant", "driven"])
def test_random_mechanisms_agree(kind: str, seed: int) -> None:
    found = eb.verify(random_model(kind, seed), QUICK)
    assert found.verdict in ("agree", "unchecked"), str(found)
    assert all(result.applies or result.reason for result in found.results)


@pytest.mark.parametrize("kind", ["tree", "loop"])
def test_random_mechanisms_are_checked_by_someone(kind: str) -> None:
    """The test above would prove nothing if no route applied."""
    verdicts = [eb.verify(random_model(kind, seed), ["relative"]).verdict for seed in range(5)]
    assert verdicts.count("agree") >= 2


@pytest.mark.parametrize(("seed", "kind"), [([3, 17], "tree"), (55, "floating")])
def test_zeros_are_not_taken_from_the_rest(seed: object, kind: str) -> None:
    """Long chains of zeros next to rates of 90 and 46 rad/s: an error bound too wide made zeros of everything."""
    model = eb.load(random_mechanism(np.random.default_rng(seed), kind))
    assert eb.verify(model, ["relative"]).verdict == "agree"
    found = eb.modes(model)
    assert found.is_rigid.sum() == 8
    assert np.abs(found.eigenvalues).max() == pytest.approx(np.abs(np.linalg.eigvals(eb.linearize(model).A)).max())


@pytest.mark.parametrize("factor", [1 + 1e-6, 1 + 1e-7j])
def test_a_wrong_route_is_found_out(factor: complex) -> None:
    found = eb.verify(load("slider_pendulum"), ["relative", stretched(factor)])
    assert found.verdict == "disagree"
    assert found["relative"].agrees is True
    assert found["stretched"].agrees is False
    match = found["stretched"].match
    assert match is not None
    assert match.largest == pytest.approx(abs(factor - 1), rel=1e-3)


def test_one_missing_eigenvalue_is_found_out() -> None:
    right = route_named("relative")

    def linearize(description: Description, place: Place) -> Linear:
        found = right.linearize(description, place)
        return replace(found, eigenvalues=found.eigenvalues[:-1])

    short = Route("short", "", "", right.applies, linearize)
    found = eb.verify(load("slider_pendulum"), [short])
    assert found.verdict == "disagree"
    assert "3 eigenvalues instead of 4" in str(found)


def test_a_route_that_neglects_a_term_does_not_spoil_the_verdict() -> None:
    found = eb.verify(load("slider_pendulum"), ["relative", stretched(1.5, exact=False)])
    assert found.verdict == "agree"
    assert found["stretched"].agrees is False
    assert "neglects a term" in str(found)


def test_a_neglecting_route_alone_checks_nothing() -> None:
    assert eb.verify(load("slider_pendulum"), [stretched(1, exact=False)]).verdict == "unchecked"


def test_a_route_that_fails_counts_as_disagreement() -> None:
    def linearize(description: Description, place: Place) -> Linear:
        raise ComputationError("It broke.")

    found = eb.verify(load("slider_pendulum"), [Route("broken", "", "", lambda *_: "", linearize)])
    assert found.verdict == "disagree"
    assert "It broke." in str(found)


def test_unknown_route_suggests_the_nearest() -> None:
    with pytest.raises(eb.InputError, match='Did you mean "symbolic"'):
        eb.verify(load("slider_pendulum"), ["symbolc"])


def test_document_is_plain_data() -> None:
    document = eb.verify(load("hanging_pendulum"), ["relative", "topology"]).as_dict()
    assert list(document) == ["model", "verdict", "tolerance", "engine", "routes"]
    relative, topology = document["routes"]
    assert relative["agrees"] is True
    assert topology["is_exact"] is False  # it neglects the geometric stiffness of gravity
    assert len(relative["eigenvalues"]) == len(document["engine"]["eigenvalues"]) == 2


def test_every_route_is_listed_once() -> None:
    names = [route.name for route in all_routes()]
    assert names == ["relative", "kane", "topology", "difference", "symbolic"]
    assert all(route_named(name).name == name for name in names)


# ---- tolerances


def allowed_of(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    spectrum = spectrum_first_order(A)
    return spectrum.eigenvalues, tolerances(A, spectrum, 1e-8)


def test_well_conditioned_eigenvalues_are_held_to_eight_digits() -> None:
    values, allowed = allowed_of(np.diag([-1.0, -2.0, -300.0]))
    assert allowed == pytest.approx(1e-8 * np.abs(values), rel=1e-12)


def test_small_eigenvalues_are_not_hidden_by_large_ones() -> None:
    values, allowed = allowed_of(np.diag([-1e-3, -1e4]))
    assert allowed[np.argmin(np.abs(values))] < 1e-7 * 1e-3 + 1e-8


def test_free_motion_is_good_to_the_root_of_rounding() -> None:
    """A chain of two zeros: a disturbance e of A moves them by its root, of three by its cube root."""
    for n in (2, 3):
        A = np.diag(np.ones(n - 1), 1)
        values, allowed = allowed_of(A)
        disturbed = A.copy()
        disturbed[-1, 0] = 1e-14
        match = matched(values, np.linalg.eigvals(disturbed), allowed)
        assert match.agrees
        disturbed[-1, 0] = 1e-9
        assert not matched(values, np.linalg.eigvals(disturbed), allowed).agrees


def test_nearly_defective_eigenvalues_get_what_their_condition_takes() -> None:
    A = np.array([[-1.0, 1e3], [0.0, -1.0 - 1e-6]])
    values, allowed = allowed_of(A)
    disturbed = A + np.array([[0, 0], [1e-16, 0]])
    assert matched(values, np.linalg.eigvals(disturbed), allowed).agrees
    assert np.all(allowed > 1e-8)
    assert np.all(allowed < 1e-2)
