"""Every example and random mechanisms by every route; a wrong route is found out; tolerances are honest."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from families import family

import eigenbody as eb
from eigenbody.analyses.verify.agreement import matched, tolerances
from eigenbody.analyses.verify.routes import all_routes, route_named
from eigenbody.base.errors import ComputationError
from eigenbody.model.description import Description
from eigenbody.numerics.eigen.dense import spectrum_first_order
from eigenbody.routes.base import Linear, Place, Route
from mechanisms import random_mechanism
from seed_models import four_bar_with_long_rocker, on_a_bearing, on_a_carrier

EXAMPLES = Path(__file__).parents[3] / "examples"
FILES = sorted(p.name for p in EXAMPLES.glob("*.yaml"))
ANALYTIC = ("relative", "kane", "topology")
QUICK = (*ANALYTIC, "difference")  # the routes that take any number of bodies
SYMBOLIC = (
    "slider_pendulum", "hanging_pendulum", "four_bar", "rotating_pendulum", "rotor_stator", "four_bar_with_spring",
    "rotor_on_bearing", "geared_shafts", "parallelogram",
)  # fmt: skip
UNCHECKED = {  # by independent routes
    "all_terrain_vehicle", "anisotropic_bearings", "flexible_slider_crank", "isolated_table", "oil_whip", "rattleback",
}  # fmt: skip


def load(name: str) -> eb.Model:
    return eb.load(EXAMPLES / f"{name}.yaml")  # type: ignore[return-value]


def built(document: dict) -> eb.Model:
    return eb.load(document)  # type: ignore[return-value]


def stretched(factor: complex, exact: bool = True) -> Route:
    """The route "relative" with its eigenvalues multiplied."""
    right = route_named("relative")

    def linearize(description: Description, place: Place) -> Linear:
        found = right.linearize(description, place)
        return replace(found, eigenvalues=found.eigenvalues * factor, is_exact=exact, notes=("stretched",))

    return Route("stretched", "a deliberate mistake", "nobody", right.applies, linearize)


@pytest.mark.parametrize("file", FILES)
def test_examples_agree_with_independent_routes(file: str) -> None:
    found = eb.verify(load(Path(file).stem), ANALYTIC)
    assert found.verdict == ("unchecked" if Path(file).stem in UNCHECKED else "agree"), str(found)


def test_no_example_is_left_out() -> None:
    assert len(FILES) >= 27
    assert set(SYMBOLIC) | UNCHECKED <= {Path(file).stem for file in FILES}


SEED_CASES: dict[str, Callable[[], eb.Model]] = {
    "slider-pendulum without damping": lambda: load("slider_pendulum").with_parameters(c=0),
    "slider-pendulum with damping": lambda: load("slider_pendulum").with_parameters(c=20),
    "spatial four-bar": lambda: load("four_bar"),
    "four-bar with a long rocker": lambda: built(four_bar_with_long_rocker()),
    "planar four-bar with redundant rows": lambda: load("planar_four_bar_redundant"),
    "rotating pendulum": lambda: load("rotating_pendulum"),
    "rotor-stator at rest": lambda: load("rotor_stator").with_parameters(speed="0 Hz"),
    "rotor-stator at 0.5 Hz": lambda: load("rotor_stator").with_parameters(speed="0.5 Hz"),
    "rotor-stator at 1 Hz": lambda: load("rotor_stator").with_parameters(speed="1 Hz"),
    "rotor on a bearing": lambda: built(on_a_bearing()),
    "rotor on a carrier": lambda: built(on_a_carrier()),
    "C3RF1": lambda: built(family("C3RF1")),
    "C10RF1": lambda: built(family("C10RF1")),
    "TL4RF1": lambda: built(family("TL4RF1")),
    "L3RF1": lambda: built(family("L3RF1")),
}


FAMILIES = {"C3RF1", "C10RF1", "TL4RF1", "L3RF1"}


@pytest.mark.parametrize("case", SEED_CASES)
def test_cases_of_the_literature_agree(case: str) -> None:
    found = eb.verify(SEED_CASES[case](), QUICK)
    assert found.verdict == "agree", str(found)
    assert found["relative"].agrees
    assert found["difference"].agrees
    if case in FAMILIES:
        assert found["topology"].agrees is found["topology"].is_exact is True


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


def test_where_nothing_moves_there_is_nothing_to_compare() -> None:
    bodies = {"block": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}}
    joints = {"weld": {"type": "fixed", "between": ["ground", "block"], "at": [0, 0, 0]}}
    found = eb.verify(built({"eigenbody": 1, "bodies": bodies, "joints": joints}))
    assert found.verdict == "unchecked"
    assert {result.reason for result in found.results} == {"nothing can move, so there are no eigenvalues"}
    assert "the reasons stand below" in str(found)


def beside_a_stiff_one(stiffness: float, damping: float) -> eb.Model:
    """A block of 1 kg with these, beside one with 1e4 N/m and 1 N s/m."""
    names = ("soft", "stiff")
    bodies = {name: {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]} for name in names}
    joints = {f"s_{n}": {"type": "prismatic", "between": ["ground", n], "at": [0, 0, 0]} for n in names}
    forces = {
        "soft": {"type": "spring", "along": "s_soft", "k": stiffness, "c": damping},
        "stiff": {"type": "spring", "along": "s_stiff", "k": 1e4, "c": 1},
    }
    return built({"eigenbody": 1, "bodies": bodies, "joints": joints, "forces": forces})


@pytest.mark.parametrize(
    ("stiffness", "damping", "stability", "is_decided"),
    [
        (1.0, -1e-13, "unstable", False),  # grows with 5e-14 1/s at 1 rad/s: eigenvalues are compared to 1e-8
        (-1.0, 0.0, "unstable", True),
        (1.0, 1e-13, "stable", False),  # decays as slowly
        (1.0, 0.1, "stable", True),
        (1.0, 0.0, "marginal", True),  # by structure
    ],
)
def test_stability_is_decided_where_the_tolerances_leave_no_other(
    stiffness: float, damping: float, stability: str, is_decided: bool
) -> None:
    found = eb.verify(beside_a_stiff_one(stiffness, damping), ["relative", "kane"])
    assert found.verdict == "agree"
    assert found.stability == stability == eb.modes(found.point).stability
    assert (len(found.undecided) == 0) is is_decided
    assert found.as_dict()["stability_decided"] is is_decided
    assert ("stability is not decided here" in str(found)) is not is_decided


def test_unknown_route_suggests_the_nearest() -> None:
    with pytest.raises(eb.InputError, match='Did you mean "symbolic"'):
        eb.verify(load("slider_pendulum"), ["symbolc"])


def test_document_is_plain_data() -> None:
    document = eb.verify(load("hanging_pendulum"), ["relative", "topology"]).as_dict()
    assert list(document) == [
        "model", "verdict", "tolerance", "stability", "stability_decided", "engine", "routes",
    ]  # fmt: skip
    relative, topology = document["routes"]
    assert relative["agrees"] is True
    assert topology["is_exact"] is False  # it neglects the geometric stiffness of gravity
    assert len(relative["eigenvalues"]) == len(document["engine"]["eigenvalues"]) == 2


def test_every_route_is_listed_once() -> None:
    names = [route.name for route in all_routes()]
    assert names == ["relative", "kane", "topology", "difference", "symbolic"]
    assert all(route_named(name).name == name for name in names)


# ---- tolerances


def allowed_of(A: np.ndarray, noise: float = 1e-15) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and their tolerances when each entry is uncertain by `noise` of the largest."""
    values = spectrum_first_order(A).eigenvalues
    return values, tolerances(A, np.full(A.shape, noise * np.abs(A).max()), values, 1e-8)


def test_well_conditioned_eigenvalues_are_held_to_eight_digits() -> None:
    values, allowed = allowed_of(np.diag([-1.0, -2.0, -300.0]))
    assert allowed == pytest.approx(1e-8 * np.abs(values), rel=1e-12)


def test_small_eigenvalues_are_not_hidden_by_large_ones() -> None:
    values, allowed = allowed_of(np.diag([-1e-3, -1e4]))
    assert allowed[np.argmin(np.abs(values))] < 1e-7 * 1e-3 + 1e-10


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_chains_of_zeros_are_good_to_a_root_of_the_noise(n: int) -> None:
    """A disturbance e of a chain of n zeros moves them by the n-th root of e."""
    A = np.diag(np.ones(n - 1), 1) if n > 1 else np.diag([0.0, 1.0])
    values, allowed = allowed_of(A, 1e-12)
    loose = values == 0
    assert loose.sum() == n
    assert allowed[loose].max() >= 1e-12 ** (1 / n)
    assert allowed[loose].max() <= 4 * n * (n * 1e-12) ** (1 / n)
    disturbed = A.copy()
    disturbed[n - 1, 0] = 1e-12
    assert matched(values, np.linalg.eigvals(disturbed), allowed).agrees
    disturbed[n - 1, 0] = 1e-12 * 8.0**n * n**n
    assert not matched(values, np.linalg.eigvals(disturbed), allowed).agrees


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9, 0.0])
def test_nearly_defective_eigenvalues_get_what_their_condition_takes(apart: float) -> None:
    """Two eigenvalues coupled by 1e3: noise e moves them by 1e3 e / apart, but no more than its root."""
    A, noise = np.array([[-1.0, 1e3], [0.0, -1.0 - apart]]), 1e-14
    values, allowed = np.array([-1.0, -1.0 - apart], complex), None
    allowed = tolerances(A, np.full((2, 2), noise), values, 1e-12)
    moved = min(1e3 * noise / max(apart, 1e-300), np.sqrt(1e3 * noise))
    assert np.all(allowed >= moved)
    assert np.all(allowed <= 8 * moved + 4e-8)  # the eigenvalue solver itself leaves the root of 1e3 eps
    for sign in (1, -1):
        disturbed = A + np.array([[0, 0], [sign * noise, 0]])
        assert matched(values, np.linalg.eigvals(disturbed).astype(complex), allowed).agrees


def test_no_disturbance_within_the_noise_leaves_the_tolerances() -> None:
    """Random matrices of every condition, disturbed at random within their noise; beyond it some leave."""
    rng = np.random.default_rng(3)
    outside = 0
    for _ in range(40):
        n = int(rng.integers(2, 9))
        A = np.triu(rng.normal(size=(n, n)), 1) * 10.0 ** rng.integers(0, 3) + np.diag(rng.choice([-1.0, -1.01, -2], n))
        A = np.linalg.solve(basis := rng.normal(size=(n, n)) + 3 * np.eye(n), A @ basis)
        noise = 10.0 ** rng.uniform(-13, -9) * np.abs(rng.normal(size=(n, n)))
        values = np.linalg.eigvals(A).astype(complex)
        allowed = tolerances(A, noise, values, 1e-12)
        E = rng.choice([-1, 1], (n, n)) * noise
        assert matched(values, np.linalg.eigvals(A + E), allowed).agrees
        outside += not matched(values, np.linalg.eigvals(A + 1e3 * E), allowed).agrees
    assert outside >= 30
