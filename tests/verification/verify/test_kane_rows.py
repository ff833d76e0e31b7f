"""Kane's equations with rows on the speeds and with flexible bodies: the same linear equations as the engine, and the
pieces they are made of against complex steps.

The engine finds these by constraint rows in absolute coordinates, by invariants of the modes and by measures of its
own; the route by partial velocities along the tree, of every point of a flexible body's mass.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.linearization.place import place_of
from eigenbody.routes.kane import ROUTE, ChainSystem
from eigenbody.routes.kane.arrays import node_turn
from eigenbody.routes.kane.charts import Shape
from eigenbody.routes.kane.rows import Along, Held, KnifeEdge, Linear, Rolling, Speed, Turned
from eigenbody.spatial.rotations import cross
from flexible_mechanisms import with_beams
from mechanisms import random_mechanism

BODIES = {
    "a": {"mass": 2, "inertia": [0.3, 0.4, 0.5], "at": [0.2, 0.1, -0.5]},
    "b": {"mass": 1, "inertia": [0.1, 0.2, 0.15], "at": [0.5, 0.3, -1.0]},
    "c": {"mass": 1.2, "inertia": [0.1, 0.2, 0.15], "at": [0.7, 0.5, -1.4]},
}
FREELY = {"type": "angles", "of": "j2", "sequence": "zxz"}
DRIVEN = {
    "rotation vector": {"motion": ["=0.3 + 0.2*t", "=0.4*sin(t) + 7*t", "=-0.3 + t**2 + 2*t"]},
    "three turns": {"motion": ["=20 + 0.3*t", "=0.4*t", 0.1]},
    "one component": {"motion": [None, "=0.4*t + 0.3", None]},
    "Euler angles": {"measures": {"e": FREELY}, "drivers": {"e.1": "=0.3 + t", "e.2": "=0.7 + 0.4*t", "e.3": "=10*t"}},
    "one Cardan angle": {"measures": {"e": {**FREELY, "sequence": "xyz"}}, "drivers": {"e.1": "=0.3 + t + t**2"}},
    "rotation of a body": {"drivers": {"c.rx": "=0.2*t", "c.ry": "=0.1 + t**2", "c.rz": "=0.2 + 0.8*t"}},
    "distance": {
        "measures": {"d": {"type": "distance", "between": ["ground", "c"], "at": [[1, 1, 1], [0.7, 0.5, -1.4]]}},
        "drivers": {"d": "=2.48 + 0.2*t"},
    },
    "velocity coupling": {"couplings": {"v": {"type": "velocity", "speed": "=b.x' - 0.3*cos(b.z)*b.y' + c.x*c.z'"}}},
}


def driven_chain(how: dict) -> eb.Model:
    """Three bodies on ball joints, the second of which is driven."""
    joints = {
        "j1": {"type": "spherical", "between": ["ground", "a"], "at": [0, 0, 0], "velocity": [0.4, 0.6, -0.3]},
        "j2": {"type": "spherical", "between": ["a", "b"], "at": [0.3, 0.2, -0.8]},
        "j3": {"type": "spherical", "between": ["b", "c"], "at": [0.6, 0.4, -1.2]},
    }
    if "motion" in how:
        joints["j2"]["motion"] = how["motion"]
    document = {"eigenbody": 1, "gravity": [0.3, 0.2, -9.81], "bodies": BODIES, "joints": joints}
    drivers = {f"d{k}": {"measure": m, "motion": f} for k, (m, f) in enumerate(how.get("drivers", {}).items())}
    more = {key: value for key, value in how.items() if key in ("measures", "couplings")}
    return eb.load({**document, **more, **({"drivers": drivers} if drivers else {})})


def flexible_mechanism(kind: str, seed: int) -> eb.Model:
    rng = np.random.default_rng(seed)
    return eb.load(with_beams(rng, random_mechanism(rng, kind)))


def assert_same_linear_equations(model: eb.Model, tolerance: float = 1e-10) -> None:
    """The state matrices entry by entry, in the engine's own coordinates and speeds."""
    point = eb.operating_point(model)
    place = place_of(point)
    assert ROUTE.applies(model.description, place) == ""
    found = ROUTE.linearize(model.description, place).matrices["A"]
    engine = eb.linearize(model, at=point)
    assert found == pytest.approx(engine.A, abs=tolerance * np.abs(engine.A).max())


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["knife", "wheel"])
def test_non_holonomic_rows(kind: str, seed: int) -> None:
    """Skates and wheels in motion, discs and tori, on planes that move too."""
    assert_same_linear_equations(eb.load(random_mechanism(np.random.default_rng(seed), kind)))


@pytest.mark.parametrize("how", DRIVEN)
def test_prescribed_rotations_and_measures(how: str) -> None:
    assert_same_linear_equations(driven_chain(DRIVEN[how]))


@pytest.mark.parametrize(("kind", "seed"), [("tree", 0), ("tree", 1), ("floating", 2), ("knife", 0), ("driven", 3)])
def test_flexible_bodies(kind: str, seed: int) -> None:
    """Beams that bend and move, parted into sections, with damping and tension."""
    model = flexible_mechanism(kind, seed)
    assert model.description.flexible
    assert_same_linear_equations(model, 1e-9)


def test_inertia_of_a_flexible_body_is_not_that_of_the_engine() -> None:
    """The engine's invariants could be anything: the route does not read them."""
    model = flexible_mechanism("tree", 1)
    point = eb.operating_point(model)
    description, place = model.description, place_of(point)
    spoilt = []
    for body in description.flexible:
        nothing = {name: 0 * getattr(body.reduced, name) for name in ("J1", "J2", "b", "modal_mass")}
        spoilt.append(replace(body, reduced=replace(body.reduced, **nothing)))
    other = ROUTE.linearize(replace(description, flexible=tuple(spoilt)), place).matrices["A"]
    assert np.array_equal(other, ROUTE.linearize(description, place).matrices["A"])


# ---- the pieces


def rows_of_every_class() -> list[tuple[str, ChainSystem]]:
    found: dict[type, tuple[str, ChainSystem]] = {}
    models = [(how, driven_chain(DRIVEN[how])) for how in DRIVEN]
    models += [(kind, eb.load(random_mechanism(np.random.default_rng(1), kind))) for kind in ("knife", "wheel")]
    models += [("driven", eb.load(random_mechanism(np.random.default_rng(8), "driven")))]
    systems = []
    for name, model in models:
        place = place_of(eb.operating_point(model))
        system = ChainSystem(model.description, place, holds=(("held", 0),))
        systems.append((name, system))
        found |= {type(row): (name, system) for row in system.constraints}
    assert set(found) == {Along, Held, KnifeEdge, Linear, Rolling, Speed, Turned}
    return systems


def test_rates_of_rows_are_their_derivatives() -> None:
    """G' x' by products is the derivative of G along the motion, and G that of what a holonomic row leaves open."""
    h = 1e-30
    for name, system in rows_of_every_class():
        rng = np.random.default_rng(4)
        x, speeds = 0.1 * rng.normal(size=(2, 1, system.tree.count))
        here, ahead = system.arrays(x, speeds), system.arrays(x + 1j * h * speeds, speeds + 0j)
        for row in system.constraints:
            G, bias = row.gradient(here)[0], row.bias(here)[0]
            known = row.gradient(ahead)[0].imag / h @ speeds[0]
            assert bias == pytest.approx(known, abs=1e-11 * (1 + np.abs(known).max())), (name, row.names)
            gap = row.gap(ahead, system.place.t)
            if gap is not None and not isinstance(row, Turned | Held):
                assert gap[0].imag / h == pytest.approx(G @ speeds[0], abs=1e-11 * (1 + np.abs(G).max()))


@pytest.mark.parametrize("row", [Turned, Held])
def test_prescribed_poses_are_followed_to_first_order(row: type) -> None:
    """The rotation vector that is left open grows as the angular velocity where it is zero."""
    h = 1e-30
    for _, system in rows_of_every_class():
        rng = np.random.default_rng(4)
        speeds = rng.normal(size=(1, system.tree.count))
        here, ahead = system.here, system.arrays(1j * h * speeds, speeds + 0j)
        for one in (one for one in system.constraints if isinstance(one, row)):
            grown = one.gap(ahead, system.place.t)[0].imag / h
            assert grown == pytest.approx(one.gradient(here)[0] @ speeds[0], abs=1e-9)


def test_turning_of_nodes() -> None:
    """The rotation whose axial vector is linear and square in the modes: R' = [w] R, and rates of the partial
    velocities."""
    rng = np.random.default_rng(3)
    shapes, eta, rate = rng.normal(size=(3, 4)), 0.15 * rng.normal(size=(1, 4)), rng.normal(size=(1, 4))
    square = rng.normal(size=(3, 4, 4))
    shape = Shape(shapes, square + square.swapaxes(1, 2))
    R, partial, change = node_turn(shape, eta, rate)
    axial = np.array([R[0, 2, 1] - R[0, 1, 2], R[0, 0, 2] - R[0, 2, 0], R[0, 1, 0] - R[0, 0, 1]]) / 2
    assert axial == pytest.approx(shapes @ eta[0] + 2 * square @ eta[0] @ eta[0], abs=1e-15)
    assert R[0] @ R[0].T == pytest.approx(np.eye(3), abs=1e-14)
    ahead = node_turn(shape, eta + 1e-30j * rate, rate + 0j)
    w = rate[0] @ partial[0]
    assert ahead[0][0].imag / 1e-30 == pytest.approx(cross(w[None], R[0].T).T, abs=1e-13)
    assert ahead[1].imag / 1e-30 == pytest.approx(change, abs=1e-12)


def test_what_it_does_not_know_is_named() -> None:
    wheel = random_mechanism(np.random.default_rng(1), "wheel")
    description = eb.load(wheel).description
    place = place_of(eb.operating_point(eb.load(wheel)))
    rolling = next(joint for joint in description.joints if joint.type == "rolling")
    other = replace(rolling, values={**rolling.values, "surface": "egg"})
    changed = replace(description, joints=tuple(other if j is rolling else j for j in description.joints))
    assert f'the key "surface" of the rolling joint "{rolling.name}"' in ROUTE.applies(changed, place)


@pytest.mark.parametrize(
    ("value", "named"), [("=2*reaction.j1.fx", "reaction.j1.fx"), ("=b.x''", "b.x''")], ids=["reaction", "acceleration"]
)
def test_expressions_of_what_is_solved_for_are_named(value: str, named: str) -> None:
    """Whatever the vocabulary of expressions comes to be: what the route cannot find by its name it refuses."""
    from eigenbody.model.expressions import parse

    model = driven_chain({"couplings": {}}).force("load", type="force", body="a", value=[0, 0, "=t"])
    place = place_of(eb.operating_point(model))
    description = model.description
    load = description.forces[0]
    spoilt = replace(load, values={**load.values, "value": (0.0, 0.0, parse(value.removeprefix("=")))})
    assert f'"{named}" in the force "load"' in ROUTE.applies(replace(description, forces=(spoilt,)), place)


def test_rows_that_hold_what_is_held_already_are_left_out() -> None:
    """A cart on four wheels: 12 rows, 5 of them redundant; it rolls straight on."""
    wheels = {f"w{k}": [x, y, 0.3] for k, (x, y) in enumerate([(0, 0.5), (0, -0.5), (1, 0.5), (1, -0.5)])}
    axle = {"axis": [0, 1, 0]}
    bodies = {"box": {"mass": 10, "inertia": [1, 2, 3], "at": [0.5, 0, 0.6]}}
    bodies |= {name: {"mass": 1, "inertia": [0.01, 0.02, 0.01], "at": at} for name, at in wheels.items()}
    joints = {f"h{n}": {"type": "revolute", "between": ["box", n], "at": at, **axle} for n, at in wheels.items()}
    joints |= {
        f"r{n}": {"type": "rolling", "between": ["ground", n], "at": at, "radius": 0.3, **axle}
        for n, at in wheels.items()
    }
    joints["hw0"]["velocity"] = 3
    model = eb.load({"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints,
                     "forces": {"spring": {"type": "spring", "along": "hw0", "k": 20, "c": 1}}})  # fmt: skip
    point = eb.operating_point(model)
    system = ChainSystem(model.description, place_of(point))
    assert system.tree.count - len(system.kept) == len(point.chosen.velocities) == 1
    assert eb.verify(model, ["kane"]).verdict == "agree"
