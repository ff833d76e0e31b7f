"""The linearization is the derivative of the nonlinear forward dynamics in the same variables.

Random mechanisms of every kind, moving and accelerating, against `forward_dynamics.py`; their freedoms and redundant
rows against `mobility.py`. The last test prints what was covered.
"""

import sys
from functools import cache

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.elements.couplings import COUPLINGS
from eigenbody.elements.forces import FORCES
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.measures.angles import SEQUENCES
from eigenbody.elements.measures.types import MEASURES
from eigenbody.linearization.certificate import tangent_error
from eigenbody.linearization.tangents import Tangents
from eigenbody.numerics.matrices.linear import matrix
from every_element import SPEEDS
from forward_dynamics import ForwardDynamics, relative_error
from mechanism_forces import any_measure, neighbours, two_bodies
from mechanism_parts import beside, decimal, direction, numbers
from mechanisms import KINDS, coverage, random_mechanism
from mobility import assembled, drawing, mobility
from special_mechanisms import SPECIAL

TOLERANCE = 1e-7  # difference quotients reach about 1e-9
RARE = [("loop", 16), ("loop", 17), ("loop", 33), ("driven", 12)]  # gear, orientation, perpendicular, parallel
CASES = [*((kind, seed) for kind in KINDS for seed in range(10)), *RARE]
# the rule for the initial state (docs/conventions.md) puts j7.angle1 to zero; no angle2 then reaches the given position
UNREACHABLE = [("loop", 39)]
MORE = [(kind, seed) for kind in KINDS for seed in range(67) if (kind, seed) not in CASES + UNREACHABLE]

few = pytest.mark.parametrize(("kind", "seed"), CASES)
many = pytest.mark.parametrize(("kind", "seed"), MORE)


@cache
def document(kind: str, seed: int) -> dict:
    """A random mechanism with, every other time, what the generator does not draw: states, inputs, outputs, tables; and
    every fourth time angles of a sequence."""
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    drawn = random_mechanism(rng, kind)
    extended = with_extras(rng, drawn) if seed % 2 else drawn
    return with_angles(rng, extended) if seed % 4 == 3 else extended


@cache
def linear(kind: str, seed: int) -> eb.LinearModel:
    return eb.linearize(eb.load(document(kind, seed)))


def with_extras(rng: np.random.Generator, doc: dict) -> dict:
    """The document with more: damper, actuator, tables, further measures, states, inputs, outputs."""
    forces = doc.setdefault("forces", {})
    a, b = two_bodies(rng, doc)
    end_points = [beside(rng, _drawn(doc, body), 0.2, 0.6) for body in (a, b)]
    forces["damper"] = {"type": "damper", "between": [a, b], "at": numbers(end_points), "c": decimal(rng, 0.5, 4)}
    m, n = any_measure(rng, doc), any_measure(rng, doc)
    c = decimal(rng, 1, 5)
    curve = [[-9, -c], [-0.613, -1.3 * c], [0.287, c], [9, 2 * c]]  # no corner within a step of the random states
    forces["table"] = {"type": "actuator", "along": m, "value": {"table": curve, "of": f"={n}"}}
    forces["curve"] = {"type": "spring", "along": n, "k": 5.0, "free": 0.1, "force": {"table": curve}}
    forces["cubic"] = {"type": "spring", "along": m, "free": 0.2, "force": f"={c}*s**3 + 0.3*v*s**2"}
    measures = doc.setdefault("measures", {})
    for kind in ("rotation", "cosine"):
        a, b = two_bodies(rng, doc)
        axis = direction(rng)
        across = np.cross(axis, direction(rng))
        measures[kind] = {"type": kind, "between": [a, b], "axis": numbers(axis), "axis2": numbers(across)}
        forces[kind] = {"type": "spring", "along": kind, "k": decimal(rng, 5, 20), "c": decimal(rng, 0.1, 1)}
    body = str(rng.choice(list(doc["bodies"])))
    doc["inputs"] = {
        "push": {"along": m, "value": 0.7},
        "blow": {"body": body, "at": numbers(beside(rng, _drawn(doc, body), 0.1, 0.4)),
                 "direction": numbers(direction(rng)), "axes": str(rng.choice(["ground", "body"])), "value": -0.4},
        "wish": {},
    }  # fmt: skip
    doc["states"] = {"z": {"initial": 0.3, "rate": f"=wish - 2*z + 0.5*{m}' - sin({n})*y"}, "y": {"rate": "=z**2 - y"}}
    doc["variables"] = {"effort": {"value": f"={c}*z*(1 + {n}**2) + wish*y"}}
    forces["controller"] = {"type": "expression", "along": m, "value": "=effort + push*0.5"}
    doc["outputs"] = {
        **{f"o{order}": {"measure": n, "order": order} for order in (0, 1, 2)},
        "mixed": {"expression": f"=effort + {m}*{n}'*z + wish"},
    }
    add_laws(rng, doc)
    return doc


def with_angles(rng: np.random.Generator, doc: dict) -> dict:
    """Cardan angles of two bodies with forces along them; the others are singular where nothing is turned."""
    sequence = str(rng.choice([s for s in SEQUENCES if s[0] != s[2]]))
    doc["measures"]["turn"] = {"type": "angles", "between": list(neighbours(rng, doc)), "sequence": sequence}
    for k in (1, 2, 3):
        value = f"=-{decimal(rng, 2, 9)}*sin(turn.{k}) - 0.3*turn.2*turn.{k}'"
        doc["forces"][f"turn{k}"] = {"type": "expression", "along": f"turn.{k}", "value": value}
    return doc


def add_laws(rng: np.random.Generator, doc: dict) -> None:
    """Two force elements of the types with a law of their own, along measures; corners smooth or well away."""
    along = {"along": any_measure(rng, doc)}
    k, c = decimal(rng, 10, 60), decimal(rng, 0.2, 2)
    smooth = {"smooth": decimal(rng, 0.05, 0.3)} if rng.random() < 0.5 else {}
    laws = [
        {"type": "friction", "coulomb": c, "static": 1.4 * c, "stribeck": 0.3, "transition": 0.2, "viscous": 0.1 * c},
        {"type": "friction", "coulomb": f"={c}*(2 + cos({along['along']}))", "transition": decimal(rng, 0.1, 0.5)},
        {"type": "one_sided", "k": k, "c": c, "gap": decimal(rng, -0.3, -0.1), "exponent": 1.5, **smooth},
        {"type": "one_sided", "k": k, "c": c, "gap": decimal(rng, 0.1, 0.3), "side": "below", **smooth},
        {"type": "backlash", "k": k, "c": c, "gap": decimal(rng, 0.05, 0.4), "centre": 0.13, "smooth": 0.1},
        {"type": "maxwell", "k": k, "c": c, "free": decimal(rng, -0.1, 0.1), "initial": decimal(rng, -0.1, 0.1)},
        {"type": "motor", "curve": f"={c} - 0.7*v + 0.1*v**2*{along['along']}"},
        {"type": "dc_motor", "R": 1.3, "L": 0.2, "K": decimal(rng, 0.2, 1), "voltage": "=3 + wish - z", "initial": c},
    ]
    for number in rng.choice(len(laws), 2, replace=False):
        doc["forces"][f"law{number}"] = {**laws[number], **along}
    if rng.random() < 0.3:
        doc["forces"]["contact"] = wheel_contact(rng, doc)
    if rng.random() < 0.3:
        doc["forces"]["beam"] = slender_beam(rng, doc)


RAIL = {"conicity": 0.1, "longitudinal": 30.0, "lateral": 20.0, "lateral_spin": 2.0, "spin": 1.0, "low_speed": 2.0}
TYRE = {
    "k": 200.0, "c": 3.0, "load": 40.0, "cornering_stiffness": 30.0, "longitudinal_stiffness": 25.0,
    "camber_stiffness": 4.0, "trail": 0.05, "relaxation": 0.3, "low_speed": 2.0,
}  # fmt: skip


def wheel_contact(rng: np.random.Generator, doc: dict) -> dict:
    """A wheel with tyre or rail forces on a body that may be moving in any way: slips are absolute (low_speed)."""
    body = str(rng.choice(list(doc["bodies"])))
    contact = {"between": ["ground", body], "at": numbers(_drawn(doc, body)), "axis": [0.2, 0.9, 0.1], "radius": 0.3}
    if rng.random() < 0.5:
        return {"type": "wheel_rail", **contact, **RAIL}
    return {"type": "tyre", **contact, **TYRE}


def slender_beam(rng: np.random.Generator, doc: dict) -> dict:
    """A beam between points beside two bodies, with shear, preload and damping."""
    a, b = two_bodies(rng, doc)
    at = [beside(rng, _drawn(doc, body), 0.2, 0.6) for body in (a, b)]
    section = {"E": 500.0, "nu": 0.3, "area": 1.0, "Iy": 0.02, "Iz": 0.05, "J": 0.04, "ky": 0.8, "kz": 0.7}
    more = {"y_axis": numbers(direction(rng)), "tension": decimal(rng, -5, 20), "damping": 0.01}
    return {"type": "beam", "between": [a, b], "at": numbers(at), **section, **more}


def _drawn(doc: dict, body: str) -> np.ndarray:
    return drawing(doc)[0][["ground", *doc["bodies"]].index(body)]


def motion_per_coordinate(result: eb.LinearModel) -> float:
    """How far the bodies move for a unit of the coordinates, constraints holding."""
    system, state = result.point.system, result.point.state
    return ForwardDynamics(system, state, result.coordinates, result.velocities).reach


def error_against_forward_dynamics(result: eb.LinearModel) -> float:
    system, state = result.point.system, result.point.state
    independent = ForwardDynamics(system, state, result.coordinates, result.velocities).derivative()
    space = result.state_space
    return relative_error(np.block([[space.A, space.B], [space.C, space.D]]), independent, len(result.coordinates))


@few
def test_derivative_of_forward_dynamics(kind: str, seed: int) -> None:
    assert error_against_forward_dynamics(linear(kind, seed)) < TOLERANCE


@pytest.mark.slow
@many
def test_derivative_of_forward_dynamics_on_many(kind: str, seed: int) -> None:
    assert error_against_forward_dynamics(linear(kind, seed)) < TOLERANCE


@pytest.mark.parametrize("name", SPECIAL)
def test_derivative_of_forward_dynamics_in_special_cases(name: str) -> None:
    result = eb.linearize(eb.load(SPECIAL[name]))
    assert error_against_forward_dynamics(result) < TOLERANCE
    assert result.certificate.tangent_error < 1e-10
    assert max(result.certificate.drift) < 1e-11


@few
def test_certificate(kind: str, seed: int) -> None:
    certificate = linear(kind, seed).certificate
    assert certificate.tangent_error < 1e-10
    assert certificate.residual < 1e-12
    position, velocity, acceleration = certificate.drift
    point = linear(kind, seed).point
    assert position < 1e-12
    assert velocity < 1e-12 * max(1.0, np.abs(point.state.velocity(point.system)).max())
    assert acceleration < 1e-12 * max(1.0, np.abs(point.motion.acceleration).max())


def test_certificate_of_forces_that_cancel() -> None:
    """A spinning ball needs no force: what rounding leaves of w x J w is no error of the tangents."""
    ball = {"mass": 1, "inertia": [0.7, 0.7, 0.7], "at": [0, 0, 0]}
    joint = {"type": "spherical", "between": ["ground", "ball"], "at": [0, 0, 0], "velocity": [0.3, 0.4, 1]}
    result = eb.linearize(eb.load({"eigenbody": 1, "bodies": {"ball": ball}, "joints": {"j": joint}}))
    assert result.certificate.tangent_error < 1e-10


@pytest.mark.parametrize("seed", range(4))
def test_certificate_of_springs_that_cancel(seed: int) -> None:
    """Two springs of opposite stiffness hold nothing: K is zero, and what rounding leaves of it is no error."""
    rng = np.random.default_rng(seed)
    number = lambda: rng.normal(size=3).tolist()  # noqa: E731
    spring = {"type": "bushing", "between": ["ground", "a"], "at": number(), "c": [0] * 6}
    coil = {"type": "spring", "along": "j", "free": 0.4}
    model = {
        "eigenbody": 1,
        "bodies": {"a": {"mass": 1, "inertia": [1, 2, 2.5], "at": number()}},
        "joints": {"j": {"type": "revolute", "between": ["ground", "a"], "at": number(), "axis": number()}},
        "forces": {
            **{name: spring | {"k": [k] * 6} for name, k in (("p", 100), ("n", -100))},
            **{name: coil | {"k": k} for name, k in (("q", 30), ("m", -30))},
        },
    }
    result = eb.linearize(eb.load(model))
    assert np.abs(result.K).max() < 1e-11
    assert result.certificate.tangent_error < 1e-13


@few
def test_certificate_catches_one_wrong_entry(kind: str, seed: int) -> None:
    """Of the stiffness over all body coordinates, an entry of any size worth mentioning, wrong by 1e-5."""
    point = linear(kind, seed).point
    system, motion = point.system, point.motion
    K = matrix(point.mechanics.stiffness(motion.multipliers, motion.slip_multipliers), (system.nq, system.nq), False)
    exact = Tangents(point, point.frame).force
    assert tangent_error(point, exact) < 1e-10
    unit = np.where(system.is_angular, 1.0, system.length)
    for i, j in np.argwhere(np.abs(K) * unit >= 0.1 * np.abs(K * unit).max(initial=1e-300))[:8]:

        def wrong(dq: np.ndarray, du: np.ndarray, i: int = i, j: int = j) -> np.ndarray:
            return exact(dq, du) + 1e-5 * K[i, j] * dq[j] * (np.arange(len(dq)) == i)

        assert tangent_error(point, wrong) > 1e-9


@few
def test_freedoms_and_redundant_rows(kind: str, seed: int) -> None:
    drawn = document(kind, seed)
    independent = mobility(drawn, assembled(drawn))
    assert linear(kind, seed).dof == independent.freedoms
    assert len(linear(kind, seed).certificate.redundant) == independent.redundant


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", KINDS)
def test_coordinates_of_the_users_choice(kind: str, seed: int) -> None:
    """Any measures may be coordinates: too many or too few, in any order."""
    point = linear(kind, seed).point
    rng = np.random.default_rng(seed)
    names = rng.permutation(point.system.names)[: int(rng.integers(1, 2 + len(point.chosen.positions)))]
    chosen = eb.linearize(point, coordinates=names.tolist())
    assert set(names) <= {*chosen.coordinates, *chosen.dropped}
    if np.linalg.cond(chosen.M) < 1e6 and motion_per_coordinate(chosen) < 1e3:  # else they hardly tell motions apart
        assert error_against_forward_dynamics(chosen) < TOLERANCE


@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("kind", KINDS)
def test_sparse_is_dense(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sparse path gives the same matrices, on small mechanisms too."""
    dense = eb.linearize(linear(kind, seed).point, coordinates=linear(kind, seed).coordinates)
    for name, module in list(sys.modules.items()):
        if name.startswith("eigenbody.") and hasattr(module, "DENSE_LIMIT"):
            monkeypatch.setattr(module, "DENSE_LIMIT", 0)
    sparse = eb.linearize(eb.load(document(kind, seed)), coordinates=dense.coordinates)
    assert sparse.states == dense.states
    for a, b in zip(sparse.state_space, dense.state_space, strict=True):
        assert np.abs(a - b).max(initial=0.0) <= 1e-10 * np.abs(b).max(initial=1.0)


def test_coverage(capsys: pytest.CaptureFixture) -> None:
    """Every joint, force, coupling and measure type and kind occurs among the mechanisms; most of them move."""
    documents = [document(*case) for case in CASES]
    points = [linear(*case).point for case in CASES]
    count = coverage(documents)
    count["moving"] = sum(not point.is_at_rest for point in points)
    count["accelerating"] = sum(bool(np.abs(point.motion.acceleration).max() > 1e-3) for point in points)
    count["several freedoms in a loop"] = sum(
        point.chosen.rows.size > point.system.tree_rows.size and len(point.chosen.velocities) > 1 for point in points
    )
    with capsys.disabled():
        print(f"\nlinearization checked on {len(documents)} mechanisms:")
        for key, number in sorted(count.items()):
            print(f"  {key:32} {number}")
    registries = {"joint": JOINTS, "force": FORCES, "coupling": COUPLINGS, "measure": MEASURES, "kind": KINDS}
    wanted = {f"{what}:{name}" for what, registry in registries.items() for name in registry}
    wanted -= {"coupling:velocity"}  # test_velocity_rows.py compares it with the same dynamics
    wanted -= {"coupling:polynomial", "measure:sum", "force:rotational_damper"}  # and test_combined.py these
    wanted -= {f"measure:{name}" for name in (*SPEEDS, "quaternion")}  # and their own tests these
    wanted |= {"floating", "loop", "redundant", "driver", "motion", "several freedoms in a loop"}
    assert wanted <= set(count), f"not covered: {sorted(wanted - set(count))}"
    assert count["moving"] > len(documents) / 2
    assert count["accelerating"] > len(documents) / 2


LIFTED = {
    "eigenbody": 1,
    "gravity": [0, 0, -9.81],
    "bodies": {
        "cage": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
        "bob": {"mass": 1, "inertia": [0, 0, 0], "at": [0, 0, -1]},
    },
    "joints": {
        "lift": {"type": "prismatic", "between": ["ground", "cage"], "at": [0, 0, 0], "motion": "=0.7*t + 2*t**2"},
        "hinge": {"type": "revolute", "between": ["cage", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]},
    },
}


@pytest.mark.parametrize("coordinates", [{"hinge": 1.0}, ["bob.x"], {"hinge": 0.5, "bob.x": 0.5}])
def test_an_equilibrium_stands_still_in_any_coordinates(coordinates: list | dict) -> None:
    """A pendulum in a lift that will accelerate by 4 m/s^2: held still, omega^2 = g/l = 9.81, not 13.81."""
    model = eb.load(LIFTED)
    linear = eb.linearize(model, at=eb.equilibrium(model), coordinates=coordinates)
    assert linear.certificate.drift == (0.0, 0.0, 0.0)
    assert linear.K[0, 0] / linear.M[0, 0] == pytest.approx(9.81, rel=1e-12)


def test_dependents_of_an_equilibrium_stand_still() -> None:
    """bob.x = -sin(hinge) l, whatever the lift is about to do."""
    model = eb.load(LIFTED)
    found = eb.linearize(model, at=eb.equilibrium(model)).dependents(["bob.x", "bob.z"])
    assert found["bob.x"] == pytest.approx({"hinge": -1.0})
    assert found["bob.x'"] == pytest.approx({"hinge'": -1.0})
    assert found["bob.z'"] == {}
