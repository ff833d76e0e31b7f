"""Velocities, angular velocities and angular momentum as measures: closed forms, the same machine by other elements,
conservation in time, and steady motions by their angular momentum."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.verify.difference import linearize as by_differences
from eigenbody.operating.steady import find_steady
from mechanisms import random_mechanism

X, Y, Z = np.eye(3).tolist()


def flying(**more: Any) -> dict:
    """A body in flight, turned and turning."""
    return {
        "eigenbody": 1,
        "bodies": {"b": {"mass": 2, "inertia": [0.3, 0.5, 0.7], "at": [1, 2, 3]}},
        "joints": {"fly": {"type": "free", "between": ["ground", "b"], "at": [1, 2, 3],
                           "position": [0, 0, 0, 0.4, -0.3, 0.8], "velocity": [1.5, -0.7, 0.2, 0.3, 1.1, -0.6]}},
        **more,
    }  # fmt: skip


def test_components_along_the_axes_of_the_body() -> None:
    """v = R^T (r' + omega x R a) of a point a, omega = R w: read as outputs, in expressions and in time."""
    at = [1.1, 2.3, 2.8]
    kinds = {"v": ("velocity", {"at": at}), "w": ("angular_velocity", {})}
    measures = {
        f"{name}{k}": {"type": kind, "between": ["ground", "b"], "axis": axis, "in": "b", **keys}
        for name, (kind, keys) in kinds.items()
        for k, axis in zip("xyz", (X, Y, Z), strict=True)
    }
    outputs = {name: {"measure": name} for name in measures} | {"sum": {"expression": "=vx + 2*wy*vz"}}
    model = eb.load(flying(measures=measures, outputs=outputs))
    point = eb.operating_point(model)
    R, v, w = point.state.R[0], point.state.v[0], point.state.w[0]
    arm = np.array(at) - [1, 2, 3]
    expected = np.concatenate((R.T @ v + np.cross(w, arm), w))
    found = point.outputs()
    np.testing.assert_allclose([found[name] for name in measures], expected, rtol=1e-13)
    assert found["sum"] == pytest.approx(expected[0] + 2 * expected[4] * expected[2], rel=1e-13)
    assert point.coordinates()["wy"] == pytest.approx(w[1], rel=1e-13)
    run = eb.simulate(model, until=0.5, tolerance=1e-11, points=51)
    assert run.signal("wx")[0] == pytest.approx(w[0], rel=1e-12)
    euler = (0.5 - 0.7) * run.signal("wy") * run.signal("wz") / 0.3  # Euler's equation about x
    np.testing.assert_allclose(run.signal("wx'"), euler, atol=1e-9)
    assert run.final["wx"] == pytest.approx(run.signal("wx")[-1])


def test_axes_of_a_third_body_are_axes_of_a_third_body() -> None:
    document = flying()
    document["bodies"]["c"] = {
        "mass": 1,
        "inertia": [1, 1, 1],
        "at": [0, 0, 0],
        "rotation": {"axis": [1, 1, 0], "angle": 0.5},
    }
    document["joints"]["other"] = {"type": "free", "between": ["ground", "c"], "velocity": [0.1, 0, 0, 0.2, -0.3, 0.4]}
    axis = [0.2, -0.5, 1.0]
    both = {"between": ["c", "b"], "axis": axis}
    document["frames"] = {"turn": {"about": [0, 0, 1], "rate": 2.0}}
    document["measures"] = {
        "v": {"type": "velocity", **both, "in": "turn"},
        "w": {"type": "angular_velocity", **both, "in": "turn"},
    }
    point = eb.operating_point(eb.load(document))
    s, names = point.state, point.system.places.names
    b, c = names.index("b"), names.index("c")
    spin = [s.R[i] @ s.w[i] for i in (b, c)]
    relative = s.v[b] - s.v[c] - np.cross(spin[1], s.r[b] - s.r[c])
    e = np.array(axis) / np.linalg.norm(axis)
    found = point.coordinates()
    assert found["v"] == pytest.approx(e @ relative, rel=1e-13)
    assert found["w"] == pytest.approx(e @ (spin[0] - spin[1]), rel=1e-13)


def test_a_knife_edge_is_a_body_fixed_velocity_held_at_zero() -> None:
    """Chaplygin's sleigh by its joint and by a coupling of a velocity: the same linear equations."""
    sleigh = {
        "eigenbody": 1,
        "bodies": {"s": {"mass": 2, "inertia": [1, 1, 0.3], "at": [0.25, 0, 0]}},
        "joints": {
            "ice": {"type": "planar", "between": ["ground", "s"], "at": [0, 0, 0], "velocity": [1.5, None, 0.2]}
        },
    }
    edge = copy.deepcopy(sleigh)
    edge["joints"]["edge"] = {"type": "knife_edge", "between": ["ground", "s"], "at": [0, 0, 0], "axis": Y}
    coupled = copy.deepcopy(sleigh)
    coupled["measures"] = {
        "sideways": {"type": "velocity", "between": ["ground", "s"], "at": [0, 0, 0], "axis": Y, "in": "s"}
    }
    coupled["couplings"] = {"edge": {"type": "velocity", "speed": "=sideways"}}
    first, second = (eb.linearize(eb.load(document)) for document in (edge, coupled))
    assert first.states == second.states
    np.testing.assert_allclose(second.A, first.A, atol=1e-13)


def test_a_ball_that_does_not_spin_about_the_normal() -> None:
    """One more row on a rolling ball: one velocity less."""
    document = {
        "eigenbody": 1,
        "bodies": {"b": {"mass": 2, "inertia": [0.008] * 3, "at": [0, 0, 0.1]}},
        "joints": {
            "road": {"type": "rolling", "between": ["ground", "b"], "at": [0, 0, 0.1], "surface": {"sphere": 0.1}}
        },
        "measures": {"pivoting": {"type": "angular_velocity", "between": ["ground", "b"], "axis": Z}},
        "couplings": {"firm": {"type": "velocity", "speed": "=pivoting"}},
    }
    modes = eb.modes(eb.load(document))
    assert (modes.dof, modes.states) == (2, 7)


def test_drag_along_body_axes() -> None:
    """m u' = -c u |u| along the hull: -2 c U/m on the speed, forces and dampers along a velocity."""
    document = flying()
    document["joints"]["fly"] |= {"position": [0, 0, 0, 0, 0, 0], "velocity": [3, 0, 0, 0, 0, 0]}
    document["measures"] = {
        name: {"type": "velocity", "between": ["ground", "b"], "axis": axis, "in": "b"}
        for name, axis in (("ahead", X), ("across", Y))
    }
    document["forces"] = {
        "drag": {"type": "expression", "along": "ahead", "value": "=-0.4*v*abs(v)"},
        "keel": {"type": "damper", "along": "across", "c": 0.6},
        "thrust": {"type": "actuator", "along": "ahead", "value": 3.6},
    }
    linear = eb.linearize(eb.load(document))
    states = list(linear.states)
    x, y, turn = (states.index(name) for name in ("fly.x'", "fly.y'", "fly.rz"))
    assert linear.A[x, x] == pytest.approx(-2 * 0.4 * 3 / 2, rel=1e-12)
    assert linear.A[y, y] == pytest.approx(-0.6 / 2, rel=1e-12)
    assert linear.A[y, turn] == pytest.approx(0.6 * 3 / 2, rel=1e-12)  # the keel pushes where the body heads
    np.testing.assert_allclose(by_differences(linear.point).matrices["A"], linear.A, atol=1e-8)


@pytest.mark.parametrize("kind", ["tree", "floating", "loop"])
def test_forces_along_speeds_of_random_mechanisms(kind: str) -> None:
    """Forces that act along velocities and read them and angular momentum, against differences."""
    document = copy.deepcopy(random_mechanism(np.random.default_rng(4), kind))
    first, second = list(document["bodies"])[:1] * 2 if len(document["bodies"]) < 2 else list(document["bodies"])[:2]
    other = "ground" if first == second else first
    document.setdefault("measures", {}).update(
        u={"type": "velocity", "between": [other, second], "axis": [1, 0.3, -0.2], "in": second},
        p={"type": "angular_velocity", "between": [other, second], "axis": [0.2, 1, 0.5], "in": second},
        H={"type": "angular_momentum", "axis": [0.3, 0.1, 1], "in": second},
    )
    document.setdefault("forces", {}).update(
        pull={"type": "expression", "along": "u", "value": "=-0.7*u - 0.2*u**3 + 0.1*H"},
        twist={"type": "expression", "along": "p", "value": "=-0.3*p*(1 + u**2)"},
    )
    linear = eb.linearize(eb.load(document))
    assert linear.certificate.tangent_error < 1e-10
    found = by_differences(linear.point).matrices
    np.testing.assert_allclose(found["A"], linear.A, atol=1e-7 * np.abs(linear.A).max())


# Angular momentum -----------------------------------------------------------------------------------------------------


def satellite(**more: Any) -> dict:
    """A hub with a wheel about z and an arm on a ball joint, floating."""
    return {
        "eigenbody": 1,
        "bodies": {
            "hub": {"mass": 50, "inertia": [4, 5, 6], "at": [0, 0, 0]},
            "wheel": {"mass": 2, "inertia": [0.05, 0.05, 0.1], "at": [0, 0, 0.3]},
            "arm": {"mass": 3, "inertia": [0.4, 0.4, 0.01], "at": [0.5, 0, -0.4]},
        },
        "joints": {
            "float": {"type": "free", "between": ["ground", "hub"], "velocity": [0.1, -0.2, 0.3, 0.1, 0.2, 0.5]},
            "spin": {"type": "revolute", "between": ["hub", "wheel"], "at": [0, 0, 0.3], "axis": Z, "velocity": 100},
            "shoulder": {"type": "spherical", "between": ["hub", "arm"], "at": [0.5, 0, 0], "velocity": [0.3, -0.4, 0]},
        },
        "forces": {"tie": {"type": "spring", "along": "shoulder.rx", "k": 3, "c": 0.5}},
        **more,
    }


def test_angular_momentum_is_conserved_and_what_it_is_defined_as() -> None:
    axes = {"x": X, "y": Y, "z": Z}
    measures = {f"H{k}": {"type": "angular_momentum", "axis": axis} for k, axis in axes.items()}
    measures |= {f"L{k}": {"type": "angular_momentum", "axis": axis, "at": [1, 2, 3]} for k, axis in axes.items()}
    measures["own"] = {"type": "angular_momentum", "of": ["wheel"], "axis": Z, "in": "wheel"}
    model = eb.load(satellite(measures=measures))
    point = eb.operating_point(model)
    s, d = point.state, point.system.description.bodies
    inner = sum(s.R[i] @ d.inertia[i] @ s.w[i] for i in range(3))
    centre = d.mass @ s.r / d.mass.sum()
    about = {
        o: inner + sum(d.mass[i] * np.cross(s.r[i] - p, s.v[i]) for i in range(3))
        for o, p in (("H", centre), ("L", [1, 2, 3]))
    }
    found = point.coordinates()
    for o, vector in about.items():
        np.testing.assert_allclose([found[f"{o}{k}"] for k in "xyz"], vector, rtol=1e-12)
    wheel = point.system.places.names.index("wheel")
    assert found["own"] == pytest.approx(0.1 * s.w[wheel][2], rel=1e-12)
    run = eb.simulate(model, until=1.0, tolerance=1e-11, points=11)
    for name in ("Hx", "Hy", "Hz", "Lx", "Ly", "Lz"):
        assert np.ptp(run.signal(name)) < 1e-8
        assert np.abs(run.signal(f"{name}'")).max() < 1e-7
    assert np.ptp(run.signal("float.rx'")) > 0.01


def test_the_rate_of_angular_momentum_is_the_torque() -> None:
    document = satellite(measures={"H": {"type": "angular_momentum", "axis": [0, 1, 1]}})
    document["forces"]["push"] = {"type": "torque", "body": "arm", "value": [0.3, 0.5, -0.2]}
    document["outputs"] = {"rate": {"measure": "H", "order": 1}}
    found = eb.operating_point(eb.load(document)).outputs()["rate"]
    assert found == pytest.approx((0.5 - 0.2) / np.sqrt(2), rel=1e-11)


def test_initial_values_of_speeds() -> None:
    document = satellite(measures={"H": {"type": "angular_momentum", "axis": Z, "initial": 30}})
    document["joints"]["float"]["velocity"] = [0.1, -0.2, 0.3, 0.1, 0.2, None]
    assert eb.operating_point(eb.load(document)).coordinates()["H"] == pytest.approx(30, rel=1e-12)
    document = flying(
        measures={"u": {"type": "velocity", "between": ["ground", "b"], "axis": X, "in": "b", "initial": "9 km/h"}}
    )
    document["joints"]["fly"]["velocity"] = [None, 0.2, 0.2, 0.3, 1.1, -0.6]
    assert eb.operating_point(eb.load(document)).coordinates()["u"] == pytest.approx(2.5, rel=1e-12)
    given = flying(
        measures={"u": {"type": "velocity", "between": ["ground", "b"], "axis": X, "in": "b"}}, operating_point={"u": 4}
    )
    del given["joints"]["fly"]["velocity"]
    assert eb.operating_point(eb.load(given)).coordinates()["u"] == pytest.approx(4, rel=1e-12)


def dual_spin(**point: Any) -> dict:
    """A satellite with a wheel at 100 rad/s relative to it."""
    document = satellite(measures={"H": {"type": "angular_momentum", "axis": Z}})
    del document["bodies"]["arm"], document["joints"]["shoulder"], document["forces"]
    document["joints"]["float"]["velocity"] = [0, 0, 0, 0, 0, 0.5]
    document["operating_point"] = {"steady": point}
    return document


@pytest.mark.parametrize("wanted", [16.0, 0.0, -40.0])
def test_a_satellite_by_its_angular_momentum(wanted: float) -> None:
    """(Iz + Jz) W + Jz 100 = H: the rate of the hub is found; the exponents are those of a gyrostat about z."""
    document = dual_spin(prescribed={"H": f"{wanted} kg*m^2/s", "spin'": 100}, adjust=["float.rz'"])
    point = eb.operating_point(eb.load(document))
    rate = (wanted - 0.1 * 100) / 6.1
    assert point.rates()["float.rz"] == pytest.approx(rate, abs=1e-11)
    assert point.coordinates()["H"] == pytest.approx(wanted, abs=1e-10)


@pytest.mark.parametrize("size", [1e-6, 1e7])
def test_angular_momentum_of_any_size(size: float) -> None:
    """Watches and space stations: the same rates."""
    document = dual_spin(prescribed={"H": 16 * size, "spin'": 100}, adjust=["float.rz'"])
    for body in document["bodies"].values():
        body |= {"mass": size * body["mass"], "inertia": [size * i for i in body["inertia"]]}
    point = eb.operating_point(eb.load(document))
    assert point.rates()["float.rz"] == pytest.approx(6 / 6.1, rel=1e-9)


def test_a_contradiction_of_angular_momentum_is_named() -> None:
    with pytest.raises(eb.InputError, match="H: the prescribed value contradicts"):
        find_steady(eb.load(dual_spin()), {"H": 25.0, "float.rz'": 2.0, "spin'": 3.0})


def test_the_speed_of_a_wheel_by_angular_momentum() -> None:
    found = find_steady(eb.load(dual_spin()), {"H": 25.0, "float.rz'": 2.0}, ["spin'"])
    assert found.rates["spin"] == pytest.approx((25 - 6.1 * 2) / 0.1, rel=1e-10)


# Faults ---------------------------------------------------------------------------------------------------------------

SPEED = {"u": {"type": "velocity", "between": ["ground", "b"], "axis": X}}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"coordinates": ["u"]}, 'coordinates[0]: "u" is a speed and the rate of nothing'),
        ({"drivers": {"d": {"measure": "u", "motion": "=t"}}}, 'drivers.d.measure: "u" is a speed'),
        ({"forces": {"f": {"type": "spring", "along": "u", "k": 3}}}, 'forces.f.along: "u" is a speed'),
        ({"forces": {"f": {"type": "expression", "along": "u", "value": "=-s"}}}, 'unknown name "s"'),
        ({"couplings": {"c": {"type": "linear", "terms": {"u": 1, "fly.x": 1}}}}, 'terms.u: "u" is a speed'),
        ({"forces": {"f": {"type": "expression", "along": "fly.x", "value": "=u''"}}}, "\"u''\" is"),
        ({"outputs": {"o": {"measure": "u", "order": 2}}}, "outputs.o: u is a speed, and has no second rate here"),
        ({"operating_point": {"positions": {"u": 1}}}, "operating_point.positions.u: \"u\" is a speed"),
        ({"operating_point": {"steady": {"prescribed": {"u'": 1}}}}, "the rate of the speed \"u\" cannot be given"),
        ({"operating_point": {"steady": {"prescribed": {"fly.x": 1}, "adjust": ["u"]}}}, '"u" is a speed'),
        ({"measures": {"h": {"type": "angular_momentum", "of": ["d"]}}}, 'measures.h.of: there is no body "d"'),
    ],
)  # fmt: skip
def test_what_speeds_cannot_be(change: dict[str, Any], words: str) -> None:
    with pytest.raises(eb.InputError) as error:
        eb.operating_point(eb.load(flying(measures=SPEED) | change))
    assert words in str(error.value)


def test_speeds_asked_for_by_name() -> None:
    model = eb.load(flying(measures=SPEED))
    with pytest.raises(eb.InputError, match="is a speed and the rate of nothing"):
        eb.linearize(model, coordinates=["u"])
    with pytest.raises(eb.InputError, match="it is a speed and the rate of nothing, so its history"):
        eb.inverse(model, {"u": "=t"}, until=1)


def test_other_routes_leave_speeds_out() -> None:
    """A route that does not know a speed says so; none takes it for an angle."""
    document = flying(measures={"p": {"type": "angular_velocity", "between": ["ground", "b"], "axis": Z, "in": "b"}})
    document["forces"] = {"brake": {"type": "expression", "along": "p", "value": "=-0.4*p"}}
    checked = eb.verify(eb.load(document))
    assert "disagree" not in str(checked).lower()
