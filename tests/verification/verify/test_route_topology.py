"""Constraint-topology vibration: exact without loads, off by exactly the term it reports with them.

Source: Jiang, Chen & Luo 2011. Errata of its formulas: docs/theory/topology.md.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from families import family
from scipy.optimize import linear_sum_assignment

import eigenbody as eb
from eigenbody.analyses.verify.find import place_of
from eigenbody.routes.base import Place
from eigenbody.routes.topology import ROUTE, Oscillations, constraints, linearize, state_matrix, system
from eigenbody.routes.topology.tables import D, G, H
from eigenbody.routes.topology.transforms import to_frame, to_point
from eigenbody.spatial.rotations import from_sequence
from mechanisms import equilibrium_mechanism

EXAMPLES = Path(__file__).parents[3] / "examples"
AXIS = [0, 0, 1]


def here(model: eb.Model) -> tuple[eb.model.description.Description, Place]:
    return model.description, place_of(eb.operating_point(model))


def oscillations(model: eb.Model) -> Oscillations:
    return Oscillations(*here(model))


def full(eigenvalues: np.ndarray) -> np.ndarray:
    return np.concatenate([eigenvalues, eigenvalues[eigenvalues.imag != 0].conj()])


def assert_same(found: np.ndarray, known: np.ndarray, tolerance: float = 1e-8) -> None:
    """The same set to `tolerance` of each; zeros, which are defective, to sqrt(eps) of the largest."""
    assert len(found) == len(known)
    distance = np.abs(known[:, None] - found)
    row, column = linear_sum_assignment(distance)
    allowed = np.where(known == 0, 1e-6 * np.abs(known).max(initial=1e-300), tolerance * np.abs(known))
    assert np.all(distance[row, column] <= allowed[row])


def assert_exact(model: eb.Model) -> None:
    description, place = here(model)
    assert ROUTE.applies(description, place) == ""
    linear = ROUTE.linearize(description, place)
    assert linear.is_exact
    assert_same(linear.eigenvalues, full(eb.modes(model).eigenvalues))


def assert_exact_with_the_term(model: eb.Model) -> None:
    description, place = here(model)
    assert ROUTE.applies(description, place) == ""
    paper, whole = ROUTE.linearize(description, place), linearize(description, place, geometric=True)
    known = full(eb.modes(model).eigenvalues)
    assert not paper.is_exact
    assert whole.is_exact
    assert "neglects the geometric stiffness" in paper.notes[-1]
    assert whole.matrices["K''"] == pytest.approx(paper.matrices["K''"] + paper.matrices["neglected"])
    assert_same(whole.eigenvalues, known)
    assert_same(paper.matrices["eigenvalues with the neglected term"], known)
    with pytest.raises(AssertionError):
        assert_same(paper.eigenvalues, known)


# ---- agreement with the engine and with the recomputed numbers of the paper's families

FAMILIES = {  # Hz; computed by three methods, Exudyn among them
    "C3RF1": [53.61450709, 150.2245106, 217.0807074],
    "C10RF1": [18.00557395, 53.61450709, 88.02578073, 120.4707039, 150.2245106, 176.62255, 199.0751334, 217.0807074,
               230.2370571, 238.2502913],
    "TL4RF1": [2.863143416, 6.507477848, 10.23631292, 18.60868718, 30.26369152, 33.55430711, 43.38920932, 56.78278167,
               65.91251552, 79.27746587, 117.8579198, 149.5050187, 162.4771118, 209.457803, 232.1916542],
    "L3RF1": [121.770203, 162.9627712, 167.9150884],
}  # fmt: skip
TOPOLOGY = {"C3RF1": "chain", "C10RF1": "chain", "TL4RF1": "tree", "L3RF1": "closed-loop"}


@pytest.mark.parametrize("name", FAMILIES)
def test_families(name: str) -> None:
    model = eb.load(family(name))
    assert_exact(model)
    found = ROUTE.linearize(*here(model)).eigenvalues
    frequency = np.sort(np.abs(found[found.imag > 0])) / (2 * np.pi)
    assert frequency == pytest.approx(FAMILIES[name], rel=1e-8)
    assert np.all(found.real < 0)  # dampers take energy; Eqs. 34 and 46 as printed feed it in
    damping = -found[found.imag > 0].real / np.abs(found[found.imag > 0])
    assert np.sort(damping) == pytest.approx(np.sort(np.abs(found[found.imag > 0])) * 5e-4, rel=1e-8)  # C = 1 ms K
    assert oscillations(model).topology.name == TOPOLOGY[name]


@pytest.mark.parametrize("name", ["C4SF2", "C4PF1", "C4CF3", "TL3SF1", "L4RF2", "L2SF1"])
def test_more_families(name: str) -> None:
    assert_exact(eb.load(family(name)))


def test_redundant_rows_of_the_ladder() -> None:
    """60 rows of rank 51: 45 carry the tree of nine bodies, 15 are cut, 9 of these are redundant."""
    ladder = oscillations(eb.load(family("L3RF1")))
    assert (len(ladder.rows), ladder.redundant, ladder.B.shape) == (15, 9, (54, 3))


def test_shared_springs_and_none() -> None:
    """Two springs that share the stiffness are one; bodies without a spring between them have a virtual one of zero."""
    one, two = (oscillations(eb.load(family(name))) for name in ("C3RF1", "C3RF2"))
    assert pytest.approx(one.K, rel=1e-14) == two.K
    assert not one.K[:6, 12:].any()  # first and third body


@pytest.mark.parametrize("name", ["stewart_platform", "vibration_absorber", "geared_shafts", "space_manipulator"])
def test_examples_without_load(name: str) -> None:
    assert_exact(eb.load(EXAMPLES / f"{name}.yaml"))


@pytest.mark.parametrize("kind", ["tree", "floating", "loop", "redundant"])
@pytest.mark.parametrize("seed", range(7))
def test_random_mechanisms_without_load(kind: str, seed: int) -> None:
    assert_exact(eb.load(_linear(equilibrium_mechanism(np.random.default_rng(seed), kind))))


def _linear(document: dict) -> dict:
    """Without the forces given by expressions, which the formulation does not know."""
    document["forces"] = {name: force for name, force in document["forces"].items() if force["type"] != "expression"}
    return document


# ---- the neglected term


def test_hanging_pendulum() -> None:
    """All restoring force is geometric: the paper gives 0, the term m g l, together omega^2 = m g l/(I + m l^2)."""
    model = eb.load(EXAMPLES / "hanging_pendulum.yaml")
    assert_exact_with_the_term(model)
    paper = ROUTE.linearize(*here(model))
    assert paper.matrices["K''"] == pytest.approx(np.zeros((1, 1)), abs=1e-15)
    assert paper.matrices["neglected"] == pytest.approx(np.array([[2 * 9.81 * 0.5]]), rel=1e-14)
    whole = linearize(*here(model), geometric=True)
    assert np.abs(whole.eigenvalues) ** 2 == pytest.approx([14.678304] * 2, rel=1e-6)
    assert np.abs(whole.eigenvalues) ** 2 == pytest.approx([9.81 / 2 / (1.01 / 12 + 0.25)] * 2, rel=1e-12)


def test_compound_pendulum_of_the_errata() -> None:
    """m = 4, I = 1, l = 0.1: exact 1.9424409703 rad/s, the formulation 0."""
    bodies = {"b": {"mass": 4, "inertia": [1, 1, 1], "at": [0, 0, -0.1]}}
    joints = {"j": {"type": "revolute", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 1, 0]}}
    model = eb.load({"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints})
    assert np.abs(ROUTE.linearize(*here(model)).eigenvalues) == pytest.approx([0, 0], abs=1e-12)
    assert np.abs(linearize(*here(model), geometric=True).eigenvalues) == pytest.approx([1.9424409703] * 2, rel=1e-10)


@pytest.mark.parametrize(
    "name",
    [
        "four_bar",
        "four_bar_with_spring",
        "parallelogram",
        "planar_four_bar_redundant",
        "slider_pendulum",
        "which_screw",
    ],
)
def test_loaded_examples(name: str) -> None:
    assert_exact_with_the_term(eb.load(EXAMPLES / f"{name}.yaml"))


@pytest.mark.parametrize("kind", ["tree", "floating", "loop", "redundant"])
@pytest.mark.parametrize("seed", range(60, 64))
def test_random_mechanisms_that_hang(kind: str, seed: int) -> None:
    """Every joint type loaded, springs and bushings deflected: multipliers and tensions bend the stiffness."""
    document = _linear(equilibrium_mechanism(np.random.default_rng(seed), kind))
    assert_exact_with_the_term(eb.load({**document, "gravity": [1, 2, -9.81], "operating_point": "equilibrium"}))


# ---- tables and transformations


def test_table_1() -> None:
    held = {"revolute": 5, "prismatic": 2, "cylindrical": (2, 5), "spherical": (3, 4, 5), "planar": (0, 1, 5)}
    for kind, free in held.items():
        axes = list(np.atleast_1d(free))
        assert D(kind) == pytest.approx(np.eye(6)[axes])
        assert np.eye(6) - D(kind).T @ D(kind) == pytest.approx(H(kind))
    assert H("fixed") == pytest.approx(np.eye(6))
    assert D("fixed").shape == (0, 6)
    assert D("universal") == pytest.approx(np.eye(6)[[3, 4]])


def test_table_2() -> None:
    assert G("angle") == pytest.approx([0, 0, 0, 0, 0, 1])
    assert G("displacement") == pytest.approx([0, 0, 1, 0, 0, 0])


def test_small_displacement_of_a_point() -> None:
    """Eq. 15 with U theta = theta x r; Eq. 14 as printed has the other sign."""
    arm, theta = np.array([0.2, -0.5, 0.9]), 1e-7 * np.array([1.0, 2, -3])
    exact = from_sequence("xyz", theta) @ arm - arm
    assert (to_point(arm) @ np.append(np.zeros(3), theta))[:3] == pytest.approx(exact, abs=1e-13)
    assert (_printed_to_point(arm) @ np.append(np.zeros(3), theta))[:3] == pytest.approx(-exact, abs=1e-13)


# ---- errata


def _printed_to_point(arm: np.ndarray) -> np.ndarray:
    """Eq. 14 as printed."""
    T = to_point(arm)
    T[:3, 3:] *= -1
    return T


@pytest.fixture
def printed_sign(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def use() -> None:
        for module in (constraints, system):
            monkeypatch.setattr(module, "to_point", _printed_to_point)

    return use


def rack_and_pinion() -> dict:
    """A pinion on a spring-mounted carriage drives a rack on the same carriage; the carriage rocks."""
    pad = {"type": "bushing", "k": [4e3, 5e3, 6e3, 300, 400, 500]}
    return {
        "eigenbody": 1,
        "bodies": {
            "carriage": {"mass": 3, "inertia": [0.2, 0.3, 0.4], "at": [0, 0, 0]},
            "pinion": {"mass": 1, "inertia": [0.02, 0.02, 0.03], "at": [0.2, 0.1, 0.1]},
            "rack": {"mass": 2, "inertia": [0.05, 0.04, 0.06], "at": [-0.1, 0.3, 0]},
        },
        "joints": {
            "turn": {"type": "revolute", "between": ["carriage", "pinion"], "at": [0.2, 0, 0.1], "axis": AXIS},
            "slide": {"type": "prismatic", "between": ["carriage", "rack"], "at": [0, 0.3, 0], "axis": [1, 0, 0.4]},
        },
        "couplings": {"mesh": {"type": "rack", "joints": ["turn", "slide"], "ratio": 4}},
        "forces": {
            "pad": {**pad, "between": ["ground", "carriage"], "at": [0.3, -0.2, 0.1]},
            "coil": {"type": "spring", "along": "slide", "k": 2e3},
            "prop": {**pad, "between": ["ground", "rack"], "at": [-0.4, 0.3, 0.2]},
        },
    }


def test_sign_of_eq_14_changes_eigenvalues_with_a_rack(printed_sign: Callable[[], None]) -> None:
    model = eb.load(rack_and_pinion())
    assert_exact(model)
    known = full(eb.modes(model).eigenvalues)
    printed_sign()
    found = ROUTE.linearize(*here(model)).eigenvalues
    with pytest.raises(AssertionError):
        assert_same(found, known, tolerance=1e-3)
    opposite = rack_and_pinion()
    opposite["couplings"]["mesh"]["ratio"] *= -1  # the wrong sign is the rack that runs the other way
    assert_same(found, full(eb.modes(eb.load(opposite)).eigenvalues))


def test_sign_of_eq_14_does_not_show_with_lower_pairs(printed_sign: Callable[[], None]) -> None:
    model = eb.load(family("L3RF1"))
    printed_sign()
    assert_same(ROUTE.linearize(*here(model)).eigenvalues, full(eb.modes(model).eigenvalues))


def test_transmissions_couple_relative_displacements() -> None:
    """Eq. 8 takes absolute joint displacements: on a carriage that turns itself that is another machine."""
    document = {
        "eigenbody": 1,
        "bodies": {name: {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, 0]} for name in ("arm", "a", "b")},
        "joints": {
            "swing": {"type": "revolute", "between": ["ground", "arm"], "at": [0, 0, 0], "axis": AXIS},
            "p": {"type": "revolute", "between": ["arm", "a"], "at": [0, 0, 0], "axis": AXIS},
            "q": {"type": "revolute", "between": ["arm", "b"], "at": [0, 0, 0], "axis": AXIS},
        },
        "couplings": {"mesh": {"type": "gear", "joints": ["p", "q"], "ratio": 2}},
        "forces": {name: {"type": "spring", "along": name, "k": 10} for name in ("swing", "p")},
    }
    model = eb.load(document)
    assert_exact(model)
    machine = oscillations(model)
    angles = machine.B.reshape(3, 6, -1)[:, 5]
    assert angles[1] - angles[0] + 2 * (angles[2] - angles[0]) == pytest.approx(0, abs=1e-14)
    assert np.abs(angles[1] + 2 * angles[2]).max() > 0.1  # Eq. 8 as printed would make this zero


def test_spring_between_two_points_is_not_held_to_ground() -> None:
    """Eq. 19 with acting points apart gives a rigid rotation the energy k offset^2; a common point gives none."""
    bodies = {name: {"mass": 1, "inertia": [1, 1, 1], "at": [x, 0, 0]} for name, x in (("a", 0), ("b", 0.5))}
    at = [[0.2, 0, 0], [0.3, 0, 0]]
    mount = {"type": "bushing", "between": ["a", "b"], "at": at, "k": [1e4, 1e4, 1e4, 0, 0, 0]}
    model = eb.load({"eigenbody": 1, "bodies": bodies, "forces": {"mount": mount}})
    machine = oscillations(model)
    rigid = np.concatenate([to_point(np.array([x, 0, 0]))[:, 5] for x in (0, 0.5)])  # both turn about z
    assert rigid @ machine.K @ rigid == pytest.approx(0, abs=1e-9)
    ends = [to_frame(np.eye(3)) @ to_point(np.array(p) - [x, 0, 0]) for p, x in zip(at, (0, 0.5), strict=True)]
    printed = ends[1] @ rigid[6:] - ends[0] @ rigid[:6]
    assert printed[:3] @ (1e4 * printed[:3]) == pytest.approx(100)


def normal_modes(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (2n,) and shapes (n, 2n) with psi^T (2 lambda M + C) psi = 1."""
    values, vectors = np.linalg.eig(state_matrix(M, C, K))
    shapes = vectors[: len(M)].astype(complex)
    norm = np.einsum("ir,ij,jr->r", shapes, M, shapes) * 2 * values + np.einsum("ir,ij,jr->r", shapes, C, shapes)
    return values, shapes / np.sqrt(norm)


def test_eq_61_needs_its_own_normalization() -> None:
    """With unit vectors ("unitary") or unit modal masses the formula gives other numbers."""
    machine = oscillations(eb.load(family("L3RF1")))
    M, C, K = machine.matrices()
    values, shapes = normal_modes(M, C, K)
    change = machine.reduced(machine.assembled({"s1_1": np.diag([0.0, 0, 0, 0, 0, 1])}))
    r = int(np.argmax(values.imag))
    psi, h = shapes[:, r], 1.0
    up, down = (normal_modes(M, C, K + s * change)[0] for s in (h, -h))
    slope = (up[np.abs(up - values[r]).argmin()] - down[np.abs(down - values[r]).argmin()]) / (2 * h)
    assert -psi @ change @ psi == pytest.approx(slope, rel=1e-6)
    for wrong in (psi / np.linalg.norm(psi), psi / np.sqrt(psi @ M @ psi)):
        assert abs(-wrong @ change @ wrong / slope - 1) > 0.5
    # the formulas after Eq. 61 for single entries lack the minus where i = j
    entry = np.zeros_like(K)
    entry[0, 0] = 1.0
    up, down = (normal_modes(M, C, K + 10 * s * entry)[0] for s in (h, -h))
    slope = (up[np.abs(up - values[r]).argmin()] - down[np.abs(down - values[r]).argmin()]) / 20
    assert -(psi[0] ** 2) == pytest.approx(slope, rel=1e-5)


# ---- what it does not know


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rotor_stator", "moves"),
        ("quarter_car", 'the first-order state "'),
        ("andrews_squeezer", "no equilibrium"),
        ("rolling_disc", "moves"),
    ],
)
def test_reasons(name: str, words: str) -> None:
    assert words in ROUTE.applies(*here(eb.load(EXAMPLES / f"{name}.yaml")))


def test_reason_against_prescribed_motion_and_expressions() -> None:
    bodies = {"b": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}}
    joint = {"type": "revolute", "between": ["ground", "b"], "at": [0, 0, 0]}
    driven = {"eigenbody": 1, "bodies": bodies, "joints": {"j": {**joint, "motion": "=0.1"}}}
    pushed = {"eigenbody": 1, "bodies": bodies, "joints": {"j": joint}}
    pushed["forces"] = {"f": {"type": "expression", "along": "j", "value": "=-3*j"}}
    assert "prescribed motion" in ROUTE.applies(*here(eb.load(driven)))
    assert 'the expression "f"' in ROUTE.applies(*here(eb.load(pushed)))
