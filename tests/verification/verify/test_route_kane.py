"""Kane's equations of general chain systems: the same accelerations, linear equations and eigenvalues as the engine.

Source: Passerello & Huston, NASA N72-30352. Errata of its formulas: docs/theory/kane.md.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
from scipy.optimize import linear_sum_assignment

import eigenbody as eb
from closed_forms import CASES, Case
from eigenbody.analyses.verify.find import place_of
from eigenbody.base.errors import ComputationError
from eigenbody.routes.kane import ROUTE, ChainSystem, prescribed
from eigenbody.routes.kane.charts import BALL
from eigenbody.routes.kane.linear import chart_rates
from eigenbody.spatial.rotations import about_axis, exp, from_sequence
from eigenbody.system.state import spread
from mechanisms import random_mechanism

EXAMPLES = Path(__file__).parents[3] / "examples"
TREES = {
    "two_blades", "three_blade_turbine", "torsional_line", "unsymmetric_shaft", "cracked_shaft", "parametric_pendulum",
    "conical_pendulum", "geared_shafts", "half_car", "hanging_pendulum", "heavy_top", "quarter_car",
    "quadruped", "rotating_pendulum", "rotor_on_bearing", "rotor_stator", "slider_pendulum", "space_manipulator",
    "vibration_absorber", "which_screw",
}  # fmt: skip
WITH_ROWS = {"caster", "chaplygin_sleigh", "rolling_disc", "whipple_bicycle"}
SLOW = {"helicopter_blade"}
COUPLED = [("driven", seed) for seed in (1, 3, 5, 8, 9, 12, 13)] + [("loop", seed) for seed in (0, 5, 7, 14, 15)]
INCH, SLUG = 0.0254, 14.593902937206365


def chain_system(model: eb.Model) -> ChainSystem:
    return ChainSystem(model.description, place_of(eb.operating_point(model)))


def assert_same_eigenvalues(modes: eb.Modes, found: np.ndarray) -> None:
    """Every eigenvalue of the engine to 1e-8 of itself, or to what rounding makes of it; zeros by their number."""
    own = modes.eigenvalues
    known = np.concatenate([own, own[own.imag != 0].conj()])
    assert len(found) == len(known)
    A = modes.linear.A
    values, left, right = scipy.linalg.eig(A, left=True)
    condition = 1 / np.maximum(np.abs((left.conj() * right).sum(axis=0)), 1e-300)
    size = np.linalg.norm(A, 2)
    rounding = (100 * np.finfo(float).eps * size * condition)[np.abs(values[:, None] - known).argmin(axis=0)]
    zeros = known == 0
    rounding[zeros] = size * (1e-13) ** 0.25  # chains of zeros, up to four of them
    distance = np.abs(known[:, None] - found)
    row, column = linear_sum_assignment(distance)
    assert np.all(distance[row, column] <= np.maximum(1e-8 * np.abs(known), rounding)[row])


def assert_same_equations(model: eb.Model) -> None:
    """Accelerations of all bodies, state matrix, eigenvalues."""
    point = eb.operating_point(model)
    place = place_of(point)
    assert ROUTE.applies(model.description, place) == ""
    system = ChainSystem(model.description, place)
    here, forward = system.here, system.forward()
    a = (here.a[0] + np.einsum("jik,j->ik", here.V[0], forward))[:-1]
    alpha = (here.alpha[0] + np.einsum("jik,j->ik", here.W[0], forward))[:-1]
    known = spread(point.system, point.motion.acceleration)
    turning = np.einsum("nij,nj->ni", place.R, known[:, 3:])
    assert a == pytest.approx(known[:, :3], rel=1e-10, abs=1e-10 * max(1, np.abs(known).max()))
    assert alpha == pytest.approx(turning, rel=1e-10, abs=1e-10 * max(1, np.abs(known).max()))
    linear = ROUTE.linearize(model.description, place)
    engine = eb.linearize(model, at=point)
    names = [system.tree.coordinates[i] for i in system.prescribed.chosen]
    if names == list(engine.coordinates):
        assert linear.matrices["A"] == pytest.approx(engine.A, abs=1e-11 * np.abs(engine.A).max(initial=1e-300))
    assert_same_eigenvalues(eb.modes(engine), linear.eigenvalues)


# ---- agreement with the engine


@pytest.mark.parametrize("name", sorted(TREES))
def test_examples(name: str) -> None:
    assert_same_equations(eb.load(EXAMPLES / f"{name}.yaml"))


@pytest.mark.parametrize("name", sorted(WITH_ROWS))
def test_examples_that_may_not_slip(name: str) -> None:
    """Rolling and knife edges: in the engine's coordinates and speeds, so that state matrices are equal."""
    model = eb.load(EXAMPLES / f"{name}.yaml")
    point = eb.operating_point(model)
    found, engine = ROUTE.linearize(model.description, place_of(point)).matrices["A"], eb.linearize(model, at=point).A
    assert found == pytest.approx(engine, abs=1e-11 * np.abs(engine).max())


@pytest.mark.slow
def test_blade_of_twenty_flexible_sections() -> None:
    """156 degrees of freedom in steady rotation; a chain of floating frames, nodes and seams."""
    assert eb.verify(eb.load(EXAMPLES / "helicopter_blade.yaml"), ["kane"]).verdict == "agree"


def test_examples_it_leaves_out_have_a_reason() -> None:
    known = TREES | WITH_ROWS | SLOW
    for path in EXAMPLES.glob("*.yaml"):
        if path.stem not in known and not path.stem.endswith("_problem"):
            model = eb.load(path)
            reason = ROUTE.applies(model.description, place_of(eb.operating_point(model)))
            words = (
                "loop",
                "tyre",
                "wheel_rail",
                "constraint across",
                "one_sided",
                "flexible",
                "moving frame",
                "first-order states",
                "acceleration",
            )
            assert any(word in reason for word in words), path.stem


@pytest.mark.parametrize("kind", ["tree", "floating"])
@pytest.mark.parametrize("seed", range(30))
def test_random_trees(kind: str, seed: int) -> None:
    """Every joint type, springs, bushings, bearings, loads and expressions, gravity; most of them move."""
    assert_same_equations(eb.load(random_mechanism(np.random.default_rng(seed), kind)))


@pytest.mark.parametrize(("kind", "seed"), COUPLED)
def test_random_coupled_and_driven_trees(kind: str, seed: int) -> None:
    """Couplings and prescribed joint coordinates are linear rows on the tree: mixed dynamics."""
    assert_same_equations(eb.load(random_mechanism(np.random.default_rng(seed), kind)))


def assert_closed_form(found: np.ndarray, case: Case) -> None:
    """Simple eigenvalues to 1e-8 of themselves, repeated ones (zeros of free motions among them) to 1e-5 of all."""
    known = np.array(case.eigenvalues)
    known = np.concatenate([known, known[known.imag != 0].conj()])
    assert len(found) == len(known), case.name
    row, column = linear_sum_assignment(np.abs(known[:, None] - found))
    size = max(1.0, np.abs(known).max(initial=0.0))
    repeated = (np.abs(known[:, None] - known) <= 1e-9 * size).sum(axis=1) > 1
    allowed = np.where(repeated, 1e-5 * size, 1e-8 * np.abs(known))
    assert np.all(np.abs(known[row] - found[column]) <= allowed[row]), case.name


def test_closed_forms() -> None:
    """Directly against the closed forms of the test collection, at rest and moving; no other computation between."""
    done = 0
    for case in CASES:
        model = eb.load(case.document)
        place = place_of(eb.operating_point(model))
        if not ROUTE.applies(model.description, place):
            assert_closed_form(ROUTE.linearize(model.description, place).eigenvalues, case)
            done += 1
    assert done > 100


# ---- forward, inverse and mixed dynamics


@pytest.mark.parametrize("seed", range(6))
def test_inverse_undoes_forward(seed: int) -> None:
    """The motion under the model's own forces needs no others; any other needs A (x'' - own x'')."""
    system = chain_system(eb.load(random_mechanism(np.random.default_rng(seed), "tree")))
    own = system.forward()
    size = np.abs(system.mass(system.here)[0]).max() * max(1.0, np.abs(own).max())
    assert system.inverse(own) == pytest.approx(np.zeros(len(own)), abs=1e-11 * size)
    other = own + np.random.default_rng(seed).normal(size=len(own))
    assert system.inverse(other) == pytest.approx(system.mass(system.here)[0] @ (other - own), abs=1e-11 * size)


@pytest.mark.parametrize("seed", range(6))
def test_mixed_dynamics(seed: int) -> None:
    """One coordinate's acceleration is given: the rest moves freely, and the force found makes it so (3.30, 3.31)."""
    system = chain_system(eb.load(random_mechanism(np.random.default_rng(seed), "tree")))
    row = np.zeros((1, system.tree.count))
    row[0, -1] = 1.0
    mixed = system.mixed(prescribed(row, np.array([2.5])))
    size = np.abs(system.mass(system.here)[0]).max() * max(1.0, np.abs(mixed.acceleration).max())
    assert mixed.acceleration[-1] == pytest.approx(2.5, rel=1e-12)
    assert system.inverse(mixed.acceleration) == pytest.approx(row[0] * mixed.force[0], abs=1e-11 * size)


def test_driven_pendulum_needs_the_textbook_torque() -> None:
    model = eb.load(
        {
            "eigenbody": 1,
            "gravity": [0, 0, -9.81],
            "bodies": {"bar": {"mass": 2, "inertia": [0.3, 0.3, 0.1], "at": [0, 0, -0.5]}},
            "joints": {"hinge": {"type": "revolute", "between": ["ground", "bar"], "at": [0, 0, 0], "axis": [0, 1, 0],
                                 "motion": "=0.7 + 1.5*t**2"}},
        }
    )  # fmt: skip
    system = chain_system(model)
    mixed = system.mixed(system.prescribed)
    assert mixed.acceleration == pytest.approx([3.0])
    assert mixed.force == pytest.approx([(0.3 + 2 * 0.25) * 3.0 + 2 * 9.81 * 0.5 * np.sin(0.7)], rel=1e-12)


# ---- the space manipulator of the report


def test_blow_on_the_space_manipulator() -> None:
    """A dx' = I reproduces the table of Figure 17 (recomputed digits); its angle x12 = -90 deg is a gimbal lock."""
    system = chain_system(eb.load(EXAMPLES / "space_manipulator.yaml"))
    assert system.tree.count == 14
    impulse = system.here.V[0, :, 0] @ np.array([1200 * SLUG * INCH, 0, 0])  # 100 lb s on the base
    speeds = dict(zip(system.tree.coordinates, np.linalg.solve(system.mass(system.here)[0], impulse), strict=True))
    assert speeds["base.x"] == pytest.approx(112.0389524 * INCH, rel=1e-9)  # printed 112
    assert speeds["base.ry"] == pytest.approx(1.990261889, rel=1e-9)  # printed 1.99
    assert speeds["elbow_1"] == pytest.approx(-4.386608601, rel=1e-9)  # printed -4.39
    assert speeds["elbow_2"] == pytest.approx(3.333492803, rel=1e-9)  # printed 3.33
    still = [abs(speeds[name]) for name in ("base.y", "base.z", "base.rx", "base.rz")]
    assert max(still) < 1e-12  # printed 0, -2e-5, -6e-6, 1e-5


def test_angles_of_the_report_are_singular_and_charts_from_the_place_are_not() -> None:
    """omega = B x' of 1-2-3 angles: det B = cos(beta), zero at the report's initial angle; at a chart's zero B = 1."""

    def B(alpha: float, beta: float) -> np.ndarray:
        x, y, z = np.eye(3)
        first = about_axis(x, alpha)
        return np.column_stack([x, first @ y, first @ about_axis(y, beta) @ z])

    assert abs(np.linalg.det(B(0.4, -np.pi / 2))) < 1e-15
    assert B(0, 0) == pytest.approx(np.eye(3))
    assert [kind for kind, _ in BALL] == ["turn"] * 3
    model = eb.load(EXAMPLES / "space_manipulator.yaml")
    assert np.linalg.cond(chain_system(model).mass(chain_system(model).here)[0]) < 1e6


# ---- the arrays themselves, and errata


def test_shifter_of_the_configuration_chart() -> None:
    """S = alpha beta gamma (1.18) is the intrinsic sequence x-y-z; (1.16) has a 1 too many in its first row."""
    a, b, c = 0.3, -0.8, 1.1
    S = about_axis(BALL[0][1], a) @ about_axis(BALL[1][1], b) @ about_axis(BALL[2][1], c)
    assert pytest.approx(S) == from_sequence("xyz", [a, b, c])
    printed = np.array([[1, 1, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
    assert about_axis([1, 0, 0], a)[0] == pytest.approx([1, 0, 0])
    assert np.abs(printed @ printed.T - np.eye(3)).max() > 0.9  # not a rotation


@pytest.mark.parametrize("seed", range(4))
def test_rates_of_the_arrays(seed: int) -> None:
    """V', omega' by products (2.6, 2.23) are the derivatives of V and omega along the motion, and S' = W S (1.28)."""
    system = chain_system(eb.load(random_mechanism(np.random.default_rng(seed), "tree")))
    rng = np.random.default_rng(seed)
    x, speeds = 0.3 * rng.normal(size=(2, 1, system.tree.count))
    here, ahead = system.arrays(x, speeds), system.arrays(x + 1e-30j * speeds, speeds.astype(complex))
    assert ahead.V.imag / 1e-30 == pytest.approx(here.dV, abs=1e-12 * (1 + np.abs(here.dV).max()))
    assert ahead.W.imag / 1e-30 == pytest.approx(here.dW, abs=1e-12 * (1 + np.abs(here.dW).max()))
    velocity = np.einsum("bjik,bj->bik", here.V, speeds)
    assert ahead.at.r[:, 0].imag / 1e-30 == pytest.approx(velocity, abs=1e-12 * (1 + np.abs(velocity).max()))
    W = np.cross(here.omega[0, :, None], np.eye(3)).swapaxes(1, 2)
    assert ahead.at.R[0, 0].imag / 1e-30 == pytest.approx(W @ here.at.R[0, 0], abs=1e-12 * (1 + np.abs(W).max()))


def test_inertia_term_has_a_minus() -> None:
    """(3.29) as printed lacks the minus of (3.26): the conical pendulum, in steady motion, would accelerate."""
    system = chain_system(eb.load(EXAMPLES / "rotating_pendulum.yaml"))
    A, force = system.mass(system.here)[0], system.active_forces(system.here)[0]
    f = -system.inertia_forces(system.here)[0]
    right, printed = np.linalg.solve(A, f + force), np.linalg.solve(A, -f + force)
    assert np.abs(right).max() < 1e-12
    assert np.abs(printed).max() > 1


def test_small_rotations_from_angles() -> None:
    """B' and B'' of the chart at zero, against the exact rotation along a motion of the angles."""
    u, du = np.array([0.4, -0.9, 1.3]), np.array([0.2, 0.7, -0.5])
    x, y, z = np.eye(3)

    def B(t: float) -> np.ndarray:
        alpha, beta, _ = u * t + du * t**2 / 2
        return np.column_stack([x, exp(alpha * x) @ y, exp(alpha * x) @ exp(beta * y) @ z])

    h = 1e-4
    first, second = chart_rates(u, du)
    assert first == pytest.approx((B(h) - B(-h)) / (2 * h), abs=1e-7)
    assert second == pytest.approx((B(h) - 2 * B(0) + B(-h)) / h**2, abs=1e-6)


def test_freedom_without_inertia_is_named() -> None:
    """A rod without axial inertia on a ball joint: the report's Figure 10 warns of no such thing."""
    description = eb.load(
        {
            "eigenbody": 1,
            "bodies": {"rod": {"mass": 1, "inertia": [0.1, 0.1, 0], "at": [0, 0, -0.5]}},
            "joints": {"ball": {"type": "spherical", "between": ["ground", "rod"], "at": [0, 0, 0]}},
        }
    ).description
    from eigenbody.routes.base import Place

    still = np.zeros((1, 3))
    place = Place(description.bodies.position, np.eye(3)[None], still, still, np.zeros(0), np.zeros(0), 0.0)
    with pytest.raises(ComputationError, match=r"ball\.rz"):
        ROUTE.linearize(description, place)
