"""Random mechanisms by every route that applies: all agree, enough is checked, and a small mistake is found out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.verify.agreement import matched
from eigenbody.analyses.verify.find import TOLERANCE, Verification
from eigenbody.analyses.verify.routes import route_named
from eigenbody.model.description import Description
from eigenbody.routes.base import Linear, Place, Route
from mechanism_numbers import COORDINATES
from mechanisms import FORCES, KINDS, coverage, equilibrium_mechanism, random_mechanism

ANALYTIC = ("relative", "kane", "topology")
EVERY = (*ANALYTIC, "difference")
ILL_CONDITIONED = [("tree", 25), ("loop", 59), ("driven", 108)]


@dataclass
class Tally:
    """What was checked: documents, how often by each route, the nonzero eigenvalues, and those held to 1e-8."""

    documents: list[dict] = field(default_factory=list)
    routes: Counter = field(default_factory=Counter)
    eigenvalues: int = 0
    held: int = 0
    largest: dict[str, float] = field(default_factory=dict)  # relative difference of those held to 1e-8, by route
    nearest: dict[str, float] = field(default_factory=dict)  # difference by tolerance, by route

    def add(self, document: dict, found: Verification) -> None:
        self.documents.append(document)
        held = held_to_eight_digits(found)
        self.eigenvalues += int(np.count_nonzero(found.eigenvalues))
        self.held += int(held.sum())
        for result in found.results:
            if result.match is None or not result.is_exact:
                continue
            name, match = result.route.name, result.match
            self.routes[name] += 1
            apart = match.differences[held] / np.abs(match.known[held])
            self.largest[name] = max(self.largest.get(name, 0.0), float(apart.max(initial=0.0)))
            within = float((match.differences / match.allowed).max(initial=0.0))
            self.nearest[name] = max(self.nearest.get(name, 0.0), within)

    def __str__(self) -> str:
        lines = [f"{len(self.documents)} mechanisms, {self.held} of {self.eigenvalues} eigenvalues held to 1e-8"]
        for name, count in self.routes.items():
            lines.append(f"{name}: {count}, largest {self.largest[name]:.1e}, of tolerance {self.nearest[name]:.2f}")
        return "\n".join(lines)


def held_to_eight_digits(found: Verification) -> np.ndarray:
    """(n,) bool: nonzero eigenvalues that get no more than 1e-8 of their magnitude."""
    return (found.eigenvalues != 0) & (found.tolerances <= (1 + 1e-12) * TOLERANCE * np.abs(found.eigenvalues))


def moving(seeds: Iterable[int]) -> Iterator[dict]:
    return (random_mechanism(np.random.default_rng(seed)) for seed in seeds)


def resting(seeds: Iterable[int]) -> Iterator[dict]:
    return (equilibrium_mechanism(np.random.default_rng(seed)) for seed in seeds)


def tally(documents: Iterable[dict], routes: tuple[str, ...], enough: int | None = None) -> Tally:
    """All that can be assembled and that some route knows, up to `enough`; every route must agree."""
    checked = Tally()
    for document in documents:
        try:
            point = eb.operating_point(eb.load(document))
        except eb.InputError:  # the drawn velocities or positions contradict each other
            continue
        found = eb.verify(point, routes)
        assert found.verdict != "disagree", str(found)
        if found.verdict == "agree":
            checked.add(document, found)
        if len(checked.documents) == enough:
            break
    return checked


def assert_everything_occurs(documents: list[dict]) -> None:
    count = coverage(documents)
    damped = [force for document in documents for force in document.get("forces", {}).values() if "c" in force]
    assert {key.removeprefix("joint:") for key in count if key.startswith("joint:")} == set(COORDINATES)
    for kind in KINDS:
        assert count[f"kind:{kind}"] >= 3, kind
    for key in ("loop", "velocity", "gravity", "driver", "motion", "position"):
        assert count[key] >= 3, key
    for force in FORCES:
        assert count[f"force:{force}"] >= 3, force
    assert len(damped) >= 3, "dampers"


def test_moving_mechanisms_agree() -> None:
    checked = tally(moving(range(1, 91)), ANALYTIC)
    assert_everything_occurs(checked.documents)
    assert checked.routes["relative"] == len(checked.documents) >= 85
    assert checked.routes["kane"] >= 40
    assert max(checked.largest.values()) < TOLERANCE
    assert checked.held >= 0.95 * checked.eigenvalues, str(checked)  # else the tolerances would excuse too much


def test_a_double_zero_that_rounding_splits_is_agreed_upon() -> None:
    """One entry of the state matrix differs by 4e-14, within the bound of its rounding: the zeros split by 2e-7."""
    assert "relative" in tally(moving([129]), ANALYTIC).routes


def test_mechanisms_at_rest_agree() -> None:
    """The formulation of Jiang, Chen & Luo is for vibrations about rest; with nothing loaded it neglects nothing."""
    checked = tally(resting(range(25)), ANALYTIC)
    assert checked.routes["relative"] == 25
    assert checked.routes["kane"] >= 8
    assert checked.routes["topology"] >= 10
    assert checked.held == checked.eigenvalues, str(checked)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_two_hundred_mechanisms_agree() -> None:
    checked = tally(moving(range(1, 1000)), EVERY, enough=200)
    print(checked)
    assert len(checked.documents) == 200
    assert_everything_occurs(checked.documents)
    assert checked.routes["relative"] == 200
    assert checked.routes["difference"] >= 195
    assert checked.routes["kane"] >= 110
    assert max(checked.largest.values()) < TOLERANCE
    assert checked.held >= 0.95 * checked.eigenvalues, str(checked)


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_sixty_mechanisms_at_rest_agree() -> None:
    checked = tally(resting(range(60)), EVERY)
    print(checked)
    assert checked.routes["relative"] == checked.routes["difference"] == 60
    assert checked.routes["kane"] >= 20
    assert checked.routes["topology"] >= 30


# ---- ill-conditioned eigenvalues, and mistakes beside them


def model_of(kind: str, seed: int) -> eb.Model:
    return eb.load(random_mechanism(np.random.default_rng(seed), kind))  # type: ignore[return-value]


def state_matrix(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    n = len(M)
    return np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])


def mistaken(which: str, relative: float) -> Route:
    """The route "relative" with its largest entry of one matrix (M, C or K) wrong by a small part of it."""
    right = route_named("relative")

    def linearize(description: Description, place: Place) -> Linear:
        found = right.linearize(description, place)
        matrices = {name: np.array(found.matrices[name]) for name in "MCK"}
        wrong = matrices[which]
        wrong[np.unravel_index(np.argmax(np.abs(wrong)), wrong.shape)] *= 1 + relative
        return replace(found, eigenvalues=np.linalg.eigvals(state_matrix(**matrices)).astype(complex))

    return Route("mistaken", "one entry is wrong", "nobody", right.applies, linearize)


@pytest.mark.parametrize(("kind", "seed"), ILL_CONDITIONED)
def test_ill_conditioned_eigenvalues_get_what_rounding_takes(kind: str, seed: int) -> None:
    """A zero beside -0.001/s, chains of three and four zeros, one beside 0.002/s: rounding of 1e-15 in K moves these by
    1e-9 ... 1e-4 (exact eigenvalues of the matrices of two routes differ as much); most others are held to 1e-8."""
    found = eb.verify(model_of(kind, seed), ["relative", "kane"])
    assert found.verdict == "agree", str(found)
    assert found["relative"].agrees
    assert found["kane"].agrees
    nonzero = found.eigenvalues != 0
    assert np.mean(found.tolerances[nonzero] < 1e-7 * np.abs(found.eigenvalues[nonzero])) > 0.75
    assert held_to_eight_digits(found).sum() > nonzero.sum() / 2


@pytest.mark.parametrize("which", ["M", "C", "K"])
@pytest.mark.parametrize(("kind", "seed"), ILL_CONDITIONED)
def test_a_mistake_is_found_out_beside_ill_conditioned_eigenvalues(kind: str, seed: int, which: str) -> None:
    model = model_of(kind, seed)
    assert eb.verify(model, [mistaken(which, 0.0)]).verdict == "agree"
    found = eb.verify(model, [mistaken(which, 1e-7)])
    assert found.verdict == "disagree"
    match = found["mistaken"].match
    assert match is not None
    assert np.any((match.differences > match.allowed) & held_to_eight_digits(found))


@pytest.mark.parametrize(("kind", "seed"), [*ILL_CONDITIONED, ("floating", 1), ("redundant", 4)])
def test_every_well_conditioned_eigenvalue_is_checked_by_itself(kind: str, seed: int) -> None:
    """Each of them, moved alone by 1e-7 of its magnitude, turns the verdict."""
    point = eb.operating_point(model_of(kind, seed))
    found = eb.verify(point, ["relative"])
    match = found["relative"].match
    assert match is not None
    indices = np.flatnonzero(held_to_eight_digits(found))
    assert len(indices) >= 6
    for index in indices:
        moved = match.eigenvalues.copy()
        moved[index] *= 1 + 1e-7
        assert not matched(found.eigenvalues, moved, found.tolerances).agrees
