"""Relative joint coordinates (Trom 1990): worked examples, errata, exact partial derivatives, and the main engine."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from closed_forms import CASES
from eigenbody.analyses.verify.find import place_of
from eigenbody.model.model import InertModel
from eigenbody.routes.base import Linear, Route
from eigenbody.routes.relative import REDUCTIONS, ROUTE, linearize
from eigenbody.routes.relative.assemble import Mechanism, dynamics, inertias, read
from eigenbody.routes.relative.euler import direction_cosines, euler_parameters, product
from eigenbody.routes.relative.forces import Cartesian, Readings, applied, dense, gradient_rates
from eigenbody.routes.relative.kinematics import Kinematics, moved, velocity_transformation
from eigenbody.routes.relative.loops import jacobian, jacobian_rate, jacobian_second_rate
from eigenbody.routes.relative.measures import Pose
from eigenbody.routes.relative.named import X, Z, cosine, held
from eigenbody.routes.relative.sides import Side
from eigenbody.spatial.rotations import apply, cross, exp, skew
from mechanisms import KINDS, random_mechanism

EXAMPLES = sorted(
    path for path in (Path(__file__).parents[3] / "examples").glob("*.yaml") if "problem" not in path.stem
)
FOUR_BAR = next(path for path in EXAMPLES if path.stem == "four_bar")
NOT_KNOWN = {  # what the formulation of the source does not have
    "anisotropic_bearings": 'the flexible body "shaft", whose deflections are no joint coordinates',
    "oil_whip": 'the flexible body "shaft", whose deflections are no joint coordinates',
    "three_blade_turbine": 'the flexible body "tower", whose deflections are no joint coordinates',
    "all_terrain_vehicle": 'the flexible body "frame", whose deflections are no joint coordinates',
    "flexible_slider_crank": 'the flexible body "rod", whose deflections are no joint coordinates',
    "helicopter_blade": 'the flexible body "blade", whose deflections are no joint coordinates',
    "isolated_table": "the second rate \"guide''\"",
    "rattleback": 'the surface of the joint "table"',
}
CLOSED = {case.name: case.document for case in CASES}
STEP = 1e-40  # complex steps
G = 9.81
DOWN = [0, 0, -G]


def found(document: dict[str, Any] | Path, **options: Any) -> Linear:
    point = eb.operating_point(eb.load(document))
    return linearize(point.model.description, place_of(point), **options)


def squares(linear: Linear) -> list[float]:
    """omega^2 of an undamped mechanism, one for each pair."""
    return sorted(np.real(-(linear.eigenvalues[linear.eigenvalues.imag >= 0] ** 2)).tolist())


def state_matrix(linear: Linear) -> np.ndarray:
    if "A" in linear.matrices:
        return linear.matrices["A"]
    M, C, K = (linear.matrices[key] for key in "MCK")
    n = len(M)
    return np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, np.hstack((K, C)))]])


def assert_agrees(model: InertModel, route: Route, matrix: float = 1e-10) -> str:
    """State matrix entry by entry in the engine's own coordinates, and all eigenvalues; the reason if it is no case."""
    point = eb.operating_point(model)
    description, place = point.system.description, place_of(point)
    if reason := route.applies(description, place):
        return reason
    reference = eb.linearize(model, at=point)
    linear = route.linearize(description, place)
    A = state_matrix(linear)
    assert A.shape == reference.A.shape
    assert np.abs(A - reference.A).max(initial=0.0) <= matrix * np.abs(reference.A).max(initial=0.0), model.name
    assert_same_eigenvalues(reference.A, linear.eigenvalues)
    return ""


def assert_same_eigenvalues(A: np.ndarray, values: np.ndarray) -> None:
    """1e-8 relative, or what rounding of the matrix makes of an eigenvalue by its condition number."""
    from scipy.linalg import eig
    from scipy.optimize import linear_sum_assignment

    if not len(A):
        return
    known, left, right = eig(A, left=True, right=True)
    condition = 1 / np.maximum(np.abs(np.einsum("ij,ij->j", left.conj(), right)), 1e-300)
    gap = np.abs(known[:, None] - values)
    rows, columns = linear_sum_assignment(gap)
    allowed = 1e-8 * np.abs(known) + 1e-12 * np.minimum(condition, 1e8) * np.linalg.norm(A)
    assert np.all(gap[rows, columns] <= allowed[rows])


# ---- worked examples


@pytest.mark.parametrize("cut", [["a"], ["b"], ["c"], ["d"], ["b", "d"]])
@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_loops_may_be_opened_anywhere_and_eliminated_in_any_way(cut: list[str], reduction: str) -> None:
    """Trom 1990, Eq. 4.18: 7.848 1/s^2, whatever the joints cut, also one more than closes the loop."""
    found = eb.by_route(eb.load(FOUR_BAR), "relative", cut=cut, reduction=reduction)
    np.testing.assert_allclose(np.abs(found.eigenvalues) ** 2, 7.848, rtol=1e-9)
    assert any(f"cut joints ({', '.join(cut)})" in note for note in found.linear.notes)


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        ({"cut": ["e"]}, r'cut: there is no joint "e"\. Known: a, b, c, d'),
        ({"reduction": "cholesky"}, 'reduction: "cholesky" is not known'),
        ({"step": 1e-3}, r'step: the route "relative" does not know it\. It may be told: reduction, cut'),
    ],
)
def test_wrong_choices_are_named(choices: dict[str, Any], words: str) -> None:
    with pytest.raises(eb.InputError, match=words):
        eb.by_route(eb.load(FOUR_BAR), "relative", **choices)


def test_spatial_four_bar() -> None:
    """Trom 1990, Eqs. 4.18 and 4.19 and Table 4.1."""
    linear = found(CLOSED["spatial four-bar of Trom 4.4"])
    order = [linear.notes[0].split(": ")[1].split(", ").index(name) for name in ("a", "b.angle1", "b.angle2", "d")]
    own = np.ix_(order, order)
    matrices = linear.matrices
    mass = [[25, 7.5, 0, 0], [7.5, 7.5, 0, 0], [0, 0, 7.5, 0], [0, 0, 0, 7.5]]
    np.testing.assert_allclose(matrices["M_l"][own], mass, atol=1e-12)
    np.testing.assert_allclose(matrices["K_l"][own], np.diag([147.15, 0, 0, 49.05]), atol=1e-11)
    Q2 = matrices["Q2"][order, 0]
    np.testing.assert_allclose(Q2 * np.sign(Q2[0]), np.array([1, -1, 0, 1]) / math.sqrt(3), atol=1e-14)
    assert Q2 @ matrices["M_l"][own] @ Q2 == pytest.approx(25 / 3, rel=1e-13)
    assert Q2 @ matrices["K_l"][own] @ Q2 == pytest.approx(65.4, rel=1e-13)
    np.testing.assert_allclose(matrices["K_lambda"][own], np.diag([-49.05, 0, 0, 49.05]), atol=1e-11)
    assert squares(linear) == pytest.approx([7.848], rel=1e-13)


def test_slider_pendulum() -> None:
    """Trom 1990, Tables 3.5 and 3.7 (whose real parts lack the minus sign)."""
    example = next(path for path in EXAMPLES if path.stem == "slider_pendulum")
    linear = found(example)
    np.testing.assert_allclose(linear.matrices["M_l"], [[30, 20], [20, 35]], atol=1e-12)
    np.testing.assert_allclose(linear.matrices["K_l"], np.diag([20, 196.2]), atol=1e-12)
    assert squares(linear) == pytest.approx([0.635692051264251, 9.49661564104344], rel=1e-12)
    model = eb.load(example).with_parameters(c=20)
    damped = linearize(model.description, place_of(eb.operating_point(model))).eigenvalues
    assert sorted(damped[damped.imag > 0].tolist(), key=abs) == pytest.approx(
        [-0.312177227401119 + 0.747815417342014j, -0.226284311060419 + 3.02355045399089j], rel=1e-12
    )


def test_rotating_pendulum() -> None:
    """Trom 1990, Table 5.1 with the exact rate: non-zero velocity, and a C_l that is skew (Eq. 5.28)."""
    linear = found(next(path for path in EXAMPLES if path.stem == "rotating_pendulum"))
    assert linear.eigenvalues.imag.max() == pytest.approx(8.58076219398679, rel=1e-12)
    rate, m, length, angle = 4.7597504727665, 10, 0.5, math.pi / 6
    coupling = 2 * m * length**2 * math.sin(angle) * math.cos(angle) * rate
    np.testing.assert_allclose(linear.matrices["C_l"], [[0, coupling], [-coupling, 0]], atol=1e-12)
    np.testing.assert_allclose(linear.matrices["K_l"][0], 0, atol=1e-12)


def test_rotor_on_stator_at_speed() -> None:
    """Rotor-stator of Negrut & Ortiz 2006 at 1 rev/s in fixed axes, recomputed from its complex equations."""
    model = eb.load(next(path for path in EXAMPLES if path.stem == "rotor_stator"))
    point = eb.operating_point(model)
    assert ROUTE.applies(model.description, place_of(point)) == ""
    speed = 2 * math.pi * model.parameters["speed"] / (2 * math.pi)
    m, S, I, Iz = 1500.0, 975.0, 1281.25, 1000.0  # noqa: E741
    turn = 2 * math.pi * speed
    pencil = [
        np.array(x) for x in ([[m, -1j * S], [1j * S, I]], [[1, 0], [0, 10 - 1j * Iz * turn]], [[1e3, 0], [0, 1e4]])
    ]
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(pencil[0], np.hstack((pencil[2], pencil[1])))]])
    values = linearize(model.description, place_of(point)).eigenvalues
    for lateral in np.linalg.eigvals(A):
        assert np.abs(values - lateral).min() < 1e-11 * max(1, abs(lateral))


# ---- the multiplier term: Trom Sec. 4.3, Eq. 4.13

CONICAL = {
    "eigenbody": 1,
    "gravity": DOWN,
    "bodies": {
        "frame": {"mass": 0, "inertia": [0, 0, 0], "at": [0, 0, 0]},
        "cart": {"mass": 0, "inertia": [0, 0, 0], "at": [0.25, 0, -0.5 * math.cos(math.pi / 6)]},
        "bob": {"mass": 10, "at": [0.25, 0, -0.5 * math.cos(math.pi / 6)]},
    },
    "joints": {
        "turn": {"type": "revolute", "between": ["ground", "frame"], "at": [0, 0, 0], "velocity": 4.7597504727665},
        "x": {"type": "prismatic", "between": ["frame", "cart"], "at": [0.25, 0, -0.4], "axis": [1, 0, 0]},
        "z": {"type": "prismatic", "between": ["cart", "bob"], "at": [0.25, 0, -0.4]},
        "rod": {
            "type": "distance",
            "between": ["ground", "bob"],
            "at": [[0, 0, 0], [0.25, 0, -0.5 * math.cos(math.pi / 6)]],
        },
    },
}


@pytest.mark.parametrize(
    ("document", "right", "printed"),
    [
        (CLOSED["spatial four-bar, crank 4 of 2 m, pivot raised"], 147.15 / 21.25, 171.675 / 21.25),
        (CLOSED["point mass on two sliders and a distance"], 9.81, 0.0),
        (CONICAL, 8.58076219398679**2, 7.13962570915**2),
    ],
)
def test_multiplier_term(document: dict[str, Any], right: float, printed: float) -> None:
    """The corrected reduction gives the right number, Eq. 4.13 the wrong one."""
    assert squares(found(document))[-1] == pytest.approx(right, rel=1e-11)
    dropped = found(document, drop_multiplier_term=True)
    assert not dropped.is_exact
    assert squares(dropped)[-1] == pytest.approx(printed, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("reduction", ["qr", "svd", "lu"])
@pytest.mark.parametrize("name", ["stewart_platform", "parallelogram", "planar_four_bar_redundant"])
def test_reductions_agree(name: str, reduction: str) -> None:
    """At equilibrium eigenvalues do not depend on how the coordinates are reduced; elsewhere they may."""
    path = next(path for path in EXAMPLES if path.stem == name)
    assert eb.operating_point(eb.load(path)).is_equilibrium
    known = state_matrix(found(path))
    assert_same_eigenvalues(known, found(path, reduction=reduction).eigenvalues)


@pytest.mark.parametrize("document", [CONICAL, *(CLOSED[n] for n in CLOSED if n.startswith("spatial four-bar"))])
def test_unreduced_problem(document: dict[str, Any]) -> None:
    """The generalized eigenproblem of all coordinates and multipliers, in motion too (Trom 1990, Sec. 4.1)."""
    assert_same_eigenvalues(state_matrix(found(document)), found(document, reduction="none").eigenvalues)


# ---- the main engine


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    assert assert_agrees(eb.load(path), ROUTE) == NOT_KNOWN.get(path.stem, "")


def test_closed_forms() -> None:
    assert sum(not assert_agrees(eb.load(case.document), ROUTE) for case in CASES[::6]) >= 20


def test_random_mechanisms() -> None:
    """Trees and loops, floating, redundant, driven, on wheels and blades, in motion: not one is beyond it."""
    documents = [random_mechanism(np.random.default_rng(seed)) for seed in range(77)]
    kinds = {document["name"].split()[0] for document in documents}
    assert kinds == set(KINDS)
    assert not any(assert_agrees(eb.load(document), ROUTE) for document in documents)


def in_motion(**extra: Any) -> dict[str, Any]:
    """A chain in motion with markers, measures and turned bodies."""
    turned = {"axis": [0, 1, 0], "angle": 0.7}
    between = {"between": ["ground", "far"]}
    document: dict[str, Any] = {
        "eigenbody": 1,
        "gravity": [0, 0.3, -9.81],
        "bodies": {
            "a": {
                "mass": 1, "inertia": [0.1, 0.2, 0.25], "at": [0.2, 0, 0], "rotation": {"axis": [1, 2, 3], "angle": 0.4}
            },
            "b": {"mass": 2, "inertia": [0.3, 0.2, 0.25], "at": [0.5, 0.1, 0.2]},
        },
        "markers": {
            "one": {"body": "a", "at": [0.3, 0, 0], "rotation": turned},
            "two": {"body": "b", "at": [0.3, 0, 0], "rotation": turned},
            "far": {"body": "b", "at": [0.1, 0.2, 0], "frame": "body", "rotation": {"axis": [1, 1, 0], "angle": 0.7}},
        },
        "joints": {
            "h": {
                "type": "universal", "between": ["ground", "a"], "at": [0, 0, 0], "axis2": [1, 0, 0],
                "position": [0.2, 0.3], "velocity": [1, 0.4],
            },
            "j": {"type": "spherical", "between": ["one", "two"], "velocity": [1, 2, 0.5]},
        },
        "measures": {
            "angle": {"type": "angle", "between": ["ground", "b"], "axis": [1, 0, 1]},
            "inside": {"type": "displacement", "between": ["ground", "b"], "axis": [0, 1, 1], "in": "a"},
            "cosine": {"type": "cosine", "between": ["a", "b"], "axis": [1, 0, 0], "axis2": [0, 1, 0.3]},
            "turn": {"type": "rotation", "between": ["a", "far"], "axis": [1, 1, 0]},
            "reach": {"type": "distance", **between},
            "height": {"type": "displacement", **between, "in": "one"},
        },
    }  # fmt: skip
    return document | extra


def spring(along: str) -> dict[str, Any]:
    return {"s": {"type": "spring", "along": along, "k": 20, "c": 1, "free": 0.1}}


SITUATIONS: dict[str, dict[str, Any]] = {
    **{f"spring along {name}": {"forces": spring(name)} for name in in_motion()["measures"]},
    "coordinates of choice": {"coordinates": ["reach", "inside", "angle"]},
    "rotations as coordinates": {"coordinates": ["turn", "b.rx", "b.y"]},
    "table": {"forces": {"s": {"type": "spring", "along": "reach", "force": {"table": [[0, 0], [0.1, 3], [1, 5]]}}}},
    "nonlinear spring": {
        "forces": {"s": {"type": "spring", "along": "reach", "k": 2, "free": 0.2, "force": "=3*s**3 + 0.2*v*v"}}
    },
    "variable": {
        "variables": {"q": "=3*reach + angle'"},
        "forces": {"s": {"type": "expression", "along": "cosine", "value": "=2*q - height'"}},
    },
    "friction": {
        "forces": {
            "s": {"type": "friction", "along": "h.angle1", "coulomb": 2, "static": 3, "stribeck": 0.5,
                  "transition": 0.2}
        }
    },
    "forces in body axes": {
        "forces": {
            "f": {"type": "force", "body": "b", "at": [0.2, 0.1, 0.3], "frame": "body", "axes": "body",
                  "value": [1, "=3*h.angle1", 4]},
            "t": {"type": "torque", "body": "a", "axes": "body", "value": [1, 2, "=reach'"]},
        }
    },
    "bearing at a marker": {
        "forces": {"s": {"type": "bearing", "between": ["ground", "far"], "k": [9, 8, 7, 6, 5, 0]}}
    },
    "driver": {"drivers": {"d": {"measure": "h.angle1", "motion": "=0.2 + t + 0.3*t*t"}}},
    "inputs": {
        "inputs": {
            "u": {"along": "h.angle1", "value": 3},
            "w": {"body": "b", "direction": [0, 0, 2], "value": 3, "axes": "body", "at": [0.1, 0.2, 0.3]},
        }
    },
}  # fmt: skip


@pytest.mark.parametrize("name", SITUATIONS)
def test_situations(name: str) -> None:
    assert not assert_agrees(eb.load(in_motion(**SITUATIONS[name])), ROUTE)


# ---- partial derivatives: complex steps of the position and velocity level


def machine(seed: int) -> tuple[Mechanism, Kinematics]:
    """A random mechanism with random velocities of all coordinates."""
    rng = np.random.default_rng(seed)
    model = eb.load(random_mechanism(rng, ("tree", "loop", "wheel", "knife")[seed % 4]))
    mechanism = read(model.description, place_of(eb.operating_point(model)))
    return mechanism, Kinematics(mechanism.tree, mechanism.pose, rng.normal(size=mechanism.tree.count))


def stepped(at: Kinematics, b: int) -> Pose:
    return moved(at.tree, at.pose, 1j * STEP * np.eye(at.tree.count)[b])


MACHINES = range(1, 9)


@pytest.mark.parametrize("seed", MACHINES)
def test_velocity_transformation(seed: int) -> None:
    """B is the derivative of the recursive positions."""
    _, at = machine(seed)
    for b in range(at.tree.count):
        ahead = stepped(at, b)
        np.testing.assert_allclose(ahead.r.imag / STEP, at.B[:, :3, b], atol=1e-13)
        np.testing.assert_allclose(ahead.R.imag / STEP, skew(at.B[:, 3:, b]) @ at.pose.R, atol=1e-13)


@pytest.mark.parametrize("seed", MACHINES)
def test_partials_of_the_velocity_transformation(seed: int) -> None:
    """Tables 2.3, 3.3 and 3.4, Secs. 5.1.2 and 5.2.1."""
    _, at = machine(seed)
    along = moved(at.tree, at.pose, 1j * STEP * at.nu)
    rate = velocity_transformation(at.tree, along).imag / STEP
    np.testing.assert_allclose(at.B_rate, rate, atol=1e-12)
    for b in range(at.tree.count):
        ahead = stepped(at, b)
        B = velocity_transformation(at.tree, ahead).imag / STEP
        np.testing.assert_allclose(at.B_partial[b], B, atol=1e-13)
        B_rate = Kinematics(at.tree, ahead, at.nu).B_rate.imag / STEP
        np.testing.assert_allclose(at.B_rate_partial[b], B_rate, atol=1e-12)
        faster = Kinematics(at.tree, at.pose, at.nu + 1j * STEP * np.eye(at.tree.count)[b]).B_rate
        np.testing.assert_allclose(at.B_partial[b], faster.imag / STEP, atol=1e-12)


@pytest.mark.parametrize("seed", MACHINES)
def test_partials_of_constraint_rows_and_channels(seed: int) -> None:
    """Table 2.6 and the rates of its entries, and those of all forces."""
    mechanism, at = machine(seed)
    channels = [*mechanism.rows.channels, *mechanism.slips.channels, *(pull.channel for pull in mechanism.pulls)]
    for channel in channels:
        by = gradient_rates((channel,), at.pose, at.directions)[0]
        for b in range(at.tree.count):
            known = dense(channel.gradient(stepped(at, b)), len(at.pose.r)).imag / STEP
            np.testing.assert_allclose(by[b], known, atol=1e-12 * max(1.0, np.abs(known).max()))


@pytest.mark.parametrize("seed", [1, 3, 5, 7])
def test_rates_of_the_constraint_jacobian(seed: int) -> None:
    """First and second time derivative of J B by differences along a motion of constant velocities."""
    mechanism, at = machine(seed)

    def ahead(h: float) -> Kinematics:
        return Kinematics(at.tree, moved(at.tree, at.pose, h * at.nu), at.nu)

    h = 1e-3
    rates = [jacobian_rate(mechanism.rows, ahead(k * h)) for k in (-2, -1, 1, 2)]
    values = [jacobian(mechanism.rows, ahead(k * h)) for k in (-2, -1, 1, 2)]
    slope = lambda f: (f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h)  # noqa: E731
    still = np.zeros(at.tree.count)
    single = all(branch.triple is None for branch in at.tree.branches)  # else the axes of constant rates turn
    if single:
        np.testing.assert_allclose(jacobian_rate(mechanism.rows, at), slope(values), atol=1e-8)
        second = jacobian_second_rate(mechanism.rows, at, still)
        np.testing.assert_allclose(second, slope(rates), atol=1e-7 * max(1.0, np.abs(second).max()))


def forces_at(mechanism: Mechanism, at: Kinematics) -> Cartesian:
    return applied(mechanism.pulls, Readings.at(mechanism.reader.gauges, mechanism.x, at), at)


@pytest.mark.parametrize("seed", MACHINES)
def test_partials_of_forces(seed: int) -> None:
    """Secs. 3.2.2.2 and 3.2.3 by central differences."""
    mechanism, at = machine(seed)
    force, h = forces_at(mechanism, at), 1e-5
    scale = max(1.0, np.abs(force.by_position).max(initial=0.0))
    for b in range(at.tree.count):
        e = h * np.eye(at.tree.count)[b]
        moves = [Kinematics(at.tree, moved(at.tree, at.pose, s * e), at.nu) for s in (1, -1)]
        speeds = [Kinematics(at.tree, at.pose, at.nu + s * e) for s in (1, -1)]
        for pair, known in ((moves, force.by_position[b]), (speeds, force.by_velocity[b])):
            ahead, behind = (forces_at(mechanism, one).value for one in pair)
            np.testing.assert_allclose((ahead - behind) / (2 * h), known, atol=1e-6 * scale)


# ---- further errata


def test_euler_parameters() -> None:
    """Eq. 2.21: the product is a 4 x 4 matrix; the printed 3 x 4 one cannot map four parameters on four."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=3), rng.normal(size=3) * 1e-3
    p, q = euler_parameters(a), euler_parameters(b)
    np.testing.assert_allclose(direction_cosines(p), exp(a), atol=1e-15)
    np.testing.assert_allclose(direction_cosines(product(p, q)), exp(a) @ exp(b), atol=1e-15)


def test_translational_joint() -> None:
    """Table 2.4: the last row as printed, u_iy . u_jx = 0, leaves rank 4, a cylindrical joint; Table 2.6 is right."""
    first, second = (Side(carrier, np.zeros(3), np.eye(3)) for carrier in (0, 1))
    pose = Pose(np.array([[0.0, 0, 0], [0, 0, 0.7], [0, 0, 0]]), np.broadcast_to(np.eye(3), (3, 3, 3)))
    rank = lambda rows: np.linalg.matrix_rank([dense(row.gradient(pose), 3).ravel() for row in rows])  # noqa: E731
    rows = [measure for row in held("prismatic", first, second, 2) for _, measure in row]
    assert rank(rows) == 5
    printed = [*rows[:-1], cosine(first, second, X, Z)]  # the axis of the joint is z here
    assert rank(printed) == 4


def residual(mechanism: Mechanism, pose: Pose, nu: np.ndarray, nu_rate: np.ndarray) -> np.ndarray:
    """B^T (M a + h) of any, also complex, configuration."""
    at = Kinematics(mechanism.tree, pose, nu)
    J = inertias(mechanism.description, pose)
    mass = np.append(mechanism.description.bodies.mass, 0.0)
    a = at.B @ nu_rate + at.B_rate @ nu
    moment = apply(J, a[:, 3:]) + cross(at.w, apply(J, at.w))
    return np.einsum("cia,ci->a", at.B, np.concatenate((mass[:, None] * a[:, :3], moment), axis=-1))


def test_stiffness_of_accelerated_motion() -> None:
    """Eqs. 5.1, 5.5 and 5.14: right and as printed, against the complex step of the inertia forces."""
    document = in_motion(gravity=[0, 0, 0])
    document["joints"]["j"] = {"type": "universal", "between": ["a", "b"], "at": [0.3, 0, 0], "axis2": [1, 0, 0],
                               "velocity": [1, 2]}  # fmt: skip
    model = eb.load(document)
    mechanism = read(model.description, place_of(eb.operating_point(model)))
    motion = dynamics(mechanism)
    at, nu_rate, n = motion.at, motion.nu_rate, mechanism.tree.count
    known = np.column_stack([residual(mechanism, stepped(at, b), at.nu, nu_rate).imag / STEP for b in range(n)])
    np.testing.assert_allclose(motion.position_slope, known, atol=1e-12)

    mass, J = np.append(model.description.bodies.mass, 0.0), inertias(model.description, at.pose)
    times = lambda x: np.concatenate((mass[:, None] * x[..., :3], apply(J, x[..., 3:])), axis=-1)  # noqa: E731
    right = np.einsum("cia,bci->ab", at.B, times(at.B_partial @ nu_rate))
    printed = np.einsum("bcia,ci->ab", at.B_partial, times(at.B @ nu_rate))  # a second time instead of `right`
    assert np.abs(known - right + printed - known).max() > 0.1  # Eq. 5.1

    A_q = skew(at.directions.w) @ at.pose.R  # (b, carriers, 3, 3)
    local = np.concatenate((model.description.bodies.inertia, np.zeros((1, 3, 3))))
    half = A_q @ local @ np.swapaxes(at.pose.R, -1, -2)
    exact = np.array([inertias(model.description, stepped(at, b)).imag / STEP for b in range(n)])
    np.testing.assert_allclose(half + np.swapaxes(half, -1, -2), exact, atol=1e-14)
    assert np.abs(2 * half - exact).max() > 0.01  # Eq. 5.5: its symmetric part alone is right
    np.testing.assert_allclose((2 * half + np.swapaxes(2 * half, -1, -2)) / 2, exact, atol=1e-14)

    spin = lambda b: Kinematics(mechanism.tree, stepped(at, b), at.nu).w  # noqa: E731
    gyroscopic = [
        cross(spin(b), apply(inertias(model.description, stepped(at, b)), spin(b))).imag / STEP for b in range(n)
    ]
    w_q = (at.B_partial @ at.nu)[..., 3:]
    reversed_half = np.swapaxes(A_q, -1, -2) @ local @ at.pose.R
    reversed_J = np.swapaxes(at.pose.R, -1, -2) @ local @ at.pose.R
    as_printed = (
        cross(at.w, apply(2 * reversed_half, at.w))
        + cross(w_q, apply(reversed_J, at.w))
        + cross(at.w, apply(reversed_J, w_q))
    )
    corrected = cross(at.w, apply(exact, at.w)) + cross(w_q, apply(J, at.w)) + cross(at.w, apply(J, w_q))
    np.testing.assert_allclose(corrected, gyroscopic, atol=1e-13)
    assert np.abs(as_printed - gyroscopic).max() > 0.01  # Eqs. 5.13 and 5.14


def test_rate_of_a_translated_distance() -> None:
    """Text after Eq. 5.12: d(d-dot)/dq of a translation is omega x u, not zero."""
    document = {
        "eigenbody": 1,
        "bodies": {
            "arm": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
            "bead": {"mass": 1, "inertia": [1, 1, 1], "at": [1, 0, 0]},
        },
        "joints": {
            "turn": {"type": "revolute", "between": ["ground", "arm"], "at": [0, 0, 0], "velocity": 3},
            "slide": {"type": "prismatic", "between": ["arm", "bead"], "at": [1, 0, 0], "axis": [1, 0, 0]},
        },
    }
    model = eb.load(document)
    mechanism = read(model.description, place_of(eb.operating_point(model)))
    at = Kinematics(mechanism.tree, mechanism.pose, mechanism.nu)
    turn, slide = (mechanism.tree.names.index(name) for name in ("turn", "slide"))
    # v of the bead by turning is w x d; its rate contains w x d-dot, and d-dot changes by omega x u
    np.testing.assert_allclose(
        at.B_rate_partial[slide, 1, :3, turn], np.cross([0, 0, 1], np.cross([0, 0, 3], [1, 0, 0]))
    )


def test_deviations_of_a_moving_loop() -> None:
    """Eq. 4.10 drops the rates of the Jacobian: right only at rest."""
    document = CLOSED["spatial four-bar, crank 4 of 2 m, pivot raised"]
    joints = {**document["joints"], "a": {**document["joints"]["a"], "velocity": 2}}
    model = eb.load({**document, "joints": joints})
    assert not assert_agrees(model, ROUTE)
    linear = linearize(model.description, place_of(eb.operating_point(model)))
    P, M, C, K = (linear.matrices[key] for key in ("P", "M_l", "C_l", "K_l"))
    K = K + linear.matrices["K_lambda"]
    printed = Linear(np.zeros(0), {"M": P.T @ M @ P, "C": P.T @ C @ P, "K": P.T @ K @ P})
    assert np.abs(state_matrix(printed) - state_matrix(linear)).max() > 0.1
