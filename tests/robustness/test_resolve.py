"""Resolving: every kind of bad input gives a fault that names the item, says what is wrong and what to do."""

import copy
import json
import math
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.vocabulary import VOCABULARY as REAL
from eigenbody.model.builder import Builder
from eigenbody.model.description import Description
from eigenbody.model.expressions import Expression, parse
from eigenbody.model.model import InertModel
from eigenbody.model.names import measure_dimensions
from eigenbody.model.resolve import resolve
from eigenbody.model.schema import json_schema
from eigenbody.model.source import read, read_text
from vocabulary_for_tests import VOCABULARY

MODEL: dict[str, Any] = {
    "eigenbody": 1,
    "parameters": {"k": 1000, "speed": "0.5 Hz", "twice": "=2*k", "length": "250 mm"},
    "gravity": [0, 0, -9.81],
    "bodies": {
        "arm": {"mass": 2, "inertia": [1, 1, 1], "at": [0, 0, 1]},
        "rotor": {"mass": "3 kg", "inertia": [2, 2, 3, 0.1, 0, 0], "at": ["=length", "50 cm", 0]},
        "bob": {"mass": 1, "at": [0, 0, -1]},
    },
    "frames": {"turn": {"about": [0, 0, 1], "rate": "6 rpm"}},
    "markers": {"tip": {"body": "arm", "at": [0, 0, 2]}, "foot": {"body": "ground", "at": [1, 0, 0]}},
    "joints": {
        "spin": {"type": "revolute", "between": ["arm", "rotor"], "axis": [0, 0, 1], "velocity": "=2*pi*speed"},
        "slide": {"type": "cylindrical", "between": ["ground", "arm"], "position": ["1 mm", None]},
        "rail": {"type": "prismatic", "between": ["ground", "bob"]},
    },
    "couplings": {"train": {"type": "gear", "joints": ["spin", "slide.angle"], "ratio": 2}},
    "measures": {"gap": {"type": "distance", "between": ["tip", "foot"]}},
    "forces": {
        "mount": {"type": "bushing", "between": ["ground", "arm"], "k": ["=k"] * 3 + ["10 N*m/deg"] * 3},
        "coil": {"type": "spring", "along": "spin", "k": "1 N*m/deg"},
        "bump": {"type": "spring", "along": "gap", "force": "=k*s**3 + 2*v + u"},
        "wind": {"type": "force", "body": "tip", "value": [1, "=sin(t)", {"table": [[0, 0], [1, "2 kN"]], "of": "t"}]},
    },
    "states": {"x": {"initial": 1, "rate": "=-x + spin'"}},
    "variables": {"power": "=k*spin'*x", "double": "=2*power"},
    "inputs": {"u": {"along": "gap"}},
    "outputs": {"y": {"measure": "gap", "order": 1}, "z": {"expression": "=spin'' + bob.x"}},
    "coordinates": ["spin", "rail.displacement"],
}


def model(**changes: Any) -> dict[str, Any]:
    """The model with some places changed; a path is written `section__name__key`, None removes."""
    data = copy.deepcopy(MODEL)
    for place, value in changes.items():
        *path, last = place.split("__")
        target = data
        for item in path:
            target = target.setdefault(item, {})
        if value is None:
            target.pop(last, None)
        else:
            target[last] = value
    return data


def solved(data: dict[str, Any], **overrides: object) -> Description:
    return resolve(read(data), VOCABULARY, overrides)


def faults(data: dict[str, Any], **overrides: object) -> list[str]:
    with pytest.raises(InputError) as caught:
        solved(data, **overrides)
    return [str(fault) for fault in caught.value.faults]


# ---- what a good model becomes


def test_values_in_si() -> None:
    d = solved(MODEL)
    assert dict(d.parameters) == {"k": 1000.0, "speed": 0.5, "twice": 2000.0, "length": 0.25}
    assert d.bodies.names == ("arm", "rotor", "bob")
    np.testing.assert_array_equal(d.bodies.mass, [2, 3, 1])
    np.testing.assert_array_equal(d.bodies.position[1], [0.25, 0.5, 0])
    np.testing.assert_array_equal(d.bodies.inertia[1], [[2, 0.1, 0], [0.1, 2, 0], [0, 0, 3]])
    assert list(d.bodies.is_point) == [False, False, True]
    assert d.frames[0]["rate"] == pytest.approx(0.2 * math.pi)
    spin, slide, rail = d.joints
    assert spin["velocity"] == (math.pi,)
    assert slide["position"] == (0.001, None)
    assert rail["motion"] is None
    mount, coil, bump, wind = d.forces
    np.testing.assert_allclose(mount["k"], np.diag([1000.0] * 3 + [1800 / math.pi] * 3), rtol=1e-15)
    assert coil["k"] == pytest.approx(180 / math.pi)
    assert coil["c"] == 0.0
    assert bump["force"] == parse("1000*s**3 + 2*v + u")
    constant, expression, table = wind["value"]
    assert constant == 1.0
    assert expression == parse("sin(t)")
    assert table.names == {"t"}
    assert [table.evaluate({"t": t}) for t in (0.0, 0.25, 1.0)] == [0, 500, 2000]
    assert d.variables[0]["value"] == parse("1000*spin'*x")
    assert d.coordinates == ("spin", "rail.displacement")
    assert d.operating_point == {"type": "reference"}
    assert not d.bodies.mass.flags.writeable
    assert not mount["k"].flags.writeable
    with pytest.raises(TypeError):
        coil.values["k"] = 2.0  # type: ignore[index]
    assert pickle.loads(pickle.dumps(d)).forces[1]["k"] == coil["k"]


def test_measure_dimensions() -> None:
    d = solved(MODEL)
    dimensions = measure_dimensions(d, VOCABULARY)
    expected = {
        "spin": "rad",
        "spin.angle": "rad",
        "slide.displacement": "m",
        "gap": "m",
        "arm.x": "m",
        "arm.rz": "rad",
    }
    assert {name: dimensions[name] for name in expected} == expected
    for name in ("slide", "arm", "arm.q", "nobody.x", "tip.x", ""):
        assert name not in dimensions


def axis_rotation(letter: str, angle: float) -> np.ndarray:
    c, s = math.cos(angle), math.sin(angle)
    return {
        "x": np.array([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[letter]


def test_rotations() -> None:
    def rotation(value: Any) -> np.ndarray:
        return solved(model(bodies__arm__rotation=value)).bodies.rotation[0]

    a, b, c = 0.3, -0.7, 1.1
    intrinsic = axis_rotation("z", a) @ axis_rotation("x", b) @ axis_rotation("y", c)
    extrinsic = axis_rotation("y", c) @ axis_rotation("x", b) @ axis_rotation("z", a)
    close = {"rtol": 0, "atol": 1e-15}
    np.testing.assert_allclose(
        rotation({"axis": [0, 0, 2], "angle": "30 deg"}), axis_rotation("z", math.pi / 6), **close
    )
    np.testing.assert_allclose(rotation({"sequence": "zxy", "angles": [a, b, c]}), intrinsic, **close)
    np.testing.assert_allclose(rotation({"sequence": "ZXY", "angles": [a, b, c]}), extrinsic, **close)
    np.testing.assert_allclose(
        rotation({"sequence": "zxy", "angles": [a, b, c], "extrinsic": True}), extrinsic, **close
    )
    np.testing.assert_allclose(
        rotation({"quaternion": [2 * math.cos(a / 2), 2 * math.sin(a / 2), 0, 0]}), axis_rotation("x", a), **close
    )


def test_marker_in_body_axes() -> None:
    turned = {"axis": [0, 0, 1], "angle": "90 deg"}
    marker = {"body": "arm", "at": [1, 0, 0], "rotation": {"axis": [1, 0, 0], "angle": 0.5}, "frame": "body"}
    d = solved(model(bodies__arm__rotation=turned, markers__tip=marker, markers__com={"body": "arm", "frame": "body"}))
    np.testing.assert_allclose(d.markers["tip"].position, [0, 1, 1], atol=1e-15)
    np.testing.assert_allclose(
        d.markers["tip"].rotation, axis_rotation("z", math.pi / 2) @ axis_rotation("x", 0.5), atol=1e-15
    )
    np.testing.assert_array_equal(d.markers["com"].position, [0, 0, 1])
    np.testing.assert_array_equal(d.markers["foot"].position, [1, 0, 0])


def test_parameters_in_any_order_and_overrides() -> None:
    parameters = {"c": "=a + b", "b": "=2*a", "a": "1 mm"}
    assert solved(model(parameters=MODEL["parameters"] | parameters)).parameters["c"] == pytest.approx(0.003)
    assert solved(MODEL, k="=3*length").parameters["twice"] == 1.5
    assert solved(MODEL, length="1 ft").parameters["length"] == pytest.approx(0.3048)
    assert solved(MODEL, speed=2).joints[0]["velocity"] == (4 * math.pi,)


def test_complex_parameters_pass_through_to_every_value() -> None:
    """The complex step by a parameter gives the derivative of a number, an array and an expression."""
    h = 1e-30
    d = solved(MODEL, k=1000 + h * 1j, length=0.25 + h * 1j)
    assert d.parameters["k"] == 1000 + h * 1j
    assert d.parameters["twice"] == 2000 + 2 * h * 1j
    assert d.bodies.position.dtype == complex
    assert d.bodies.mass.dtype == float
    assert d.bodies.position[1, 0].imag == h
    assert d.forces[0]["k"][0, 0].imag == h
    assert d.forces[2]["force"].evaluate({"s": 2.0, "v": 0.0, "u": 0.0}).imag == pytest.approx(8 * h)


def test_complex_step_through_a_rotation() -> None:
    """dR/dangle = skew(axis) R about a fixed axis."""
    h = 1e-30
    data = model(bodies__arm__rotation={"axis": [1, 2, 2], "angle": "=length"})
    rotation = solved(data, length=0.7 + h * 1j).bodies.rotation[0]
    skew = np.array([[0, -2, 2], [2, 0, -1], [-2, 1, 0]]) / 3
    np.testing.assert_allclose(rotation.imag / h, skew @ rotation.real, rtol=0, atol=1e-15)


# ---- what is refused: change, words of the one fault it must cause

BAD: list[tuple[dict[str, Any], list[str]]] = [
    # names and keys
    ({"bodys": {}}, ['"bodys"', 'Did you mean "bodies"?']),
    ({"bodies__arm__mas": 1}, ["bodies.arm", '"mas"', 'Did you mean "mass"?']),
    ({"joints__spin__axes": [0, 0, 1]}, ["joints.spin", '"axes"', "axis"]),
    ({"joints__spin__type": "revolut"}, ["joints.spin.type", 'Did you mean "revolute"?']),
    ({"joints__rail__type": 3}, ["joints.rail.type", "3"]),
    ({"joints__rail": {"between": ["ground", "bob"]}}, ["joints.rail", '"type" is missing', "revolute"]),
    ({"joints__spin__between": ["arm", "roter"]}, ["joints.spin.between[1]", 'Did you mean "rotor"?']),
    ({"forces__coil__along": "spinn"}, ["forces.coil.along", 'unknown measure "spinn"', 'Did you mean "spin"?']),
    ({"forces__coil__along": "slide"}, ["several coordinates", "slide.displacement, slide.angle"]),
    ({"coordinates": ["rial"]}, ["coordinates[0]", 'Did you mean "rail"?']),
    ({"coordinates": "rail"}, ["coordinates", "list of measures"]),
    ({"couplings__train__joints": ["spin", "slide.anlge"]}, ["couplings.train.joints[1]", "slide.angle"]),
    ({"forces__wind__axes": "bod"}, ["forces.wind.axes", 'Did you mean "body"?']),
    ({"operating_point": "equilibrum"}, ["operating_point", 'Did you mean "equilibrium"?']),
    ({"operating_point": {"equilibrium": True}}, ["operating_point.equilibrium", "Write operating_point: equilibrium"]),
    ({"operating_point": 3}, ["operating_point", "equilibrium"]),
    ({"name": 3}, ["name", "quotes"]),
    # version and structure
    ({"eigenbody": None}, ["eigenbody: 1"]),
    ({"eigenbody": 2}, ['version "2"', "eigenbody: 1"]),
    ({"eigenbody": "1"}, ["version"]),
    ({"eigenbody": True}, ["version"]),
    ({"couplings": [1]}, ["couplings", "a list"]),
    ({"states__x": "fast"}, ["states.x", "a map"]),
    ({"bodies__bob": 3}, ["bodies.bob", "a map"]),
    ({"bodies__bob__mass": None}, ["bodies.bob", '"mass" is missing']),
    ({"bodies__bob__at": None}, ["bodies.bob", '"at" is missing']),
    ({"forces__mount__k": None}, ["forces.mount", '"k" is missing']),
    ({"forces__coil__between": ["arm", "bob"]}, ["forces.coil", "exactly one of", '"between" and "along"']),
    ({"forces__coil__along": None, "forces__coil__k": 1}, ["forces.coil", "exactly one of", "none"]),
    # numbers and units
    ({"bodies__arm__mass": -2}, ["bodies.arm.mass", "negative"]),
    ({"bodies__arm__mass": "-2 kg"}, ["bodies.arm.mass", "negative"]),
    ({"bodies__arm__mass": "2 m"}, ["bodies.arm.mass", "a length", '"kg"']),
    ({"bodies__arm__mass": True}, ["bodies.arm.mass", "true is not a number"]),
    ({"bodies__arm__mass": math.nan}, ["bodies.arm.mass", "nan", "finite"]),
    ({"bodies__arm__mass": 10**400}, ["bodies.arm.mass", "finite"]),
    ({"bodies__arm__mass": [1]}, ["bodies.arm.mass", "a list is not a number"]),
    ({"bodies__arm__mass": "k"}, ["bodies.arm.mass", '"=k"']),
    ({"bodies__arm__at": [0, math.inf, 0]}, ["bodies.arm.at[1]", "finite"]),
    ({"bodies__arm__at": [0, 0]}, ["bodies.arm.at", "3 numbers", "2 values"]),
    ({"bodies__arm__at": [0, 0, "30 deg"]}, ["bodies.arm.at[2]", "an angle"]),
    ({"bodies__arm__at": {"x": 1}}, ["bodies.arm.at", "a map"]),
    ({"gravity": 9.81}, ["gravity", "3 numbers"]),
    ({"gravity": [0, 0, "-9.81 m/s"]}, ["gravity[2]", "m/s^2"]),
    ({"joints__spin__velocity": "0.5 Hz"}, ["joints.spin.velocity", "rev/s"]),
    ({"joints__spin__position": "3 mm"}, ["joints.spin.position", "a length", '"rad"']),
    ({"joints__rail__velocity": "3 rpm"}, ["joints.rail.velocity", '"m/s"']),
    ({"joints__slide__position": [1, 2, 3]}, ["joints.slide.position", "displacement, angle", "3 values"]),
    ({"joints__slide__position": 1}, ["joints.slide.position", "list of 2", "1 value"]),
    ({"forces__coil__k": "3 N/m"}, ["forces.coil.k", '"N*m/rad"']),
    ({"forces__bump__k": "3 N*m/rad"}, ["forces.bump.k", '"N/m"']),
    ({"forces__mount__k": [1, 2, 3]}, ["forces.mount.k", "6 numbers"]),
    ({"forces__mount__c": [1, 1, 1, 1, 1, "3 N*s/m"]}, ["forces.mount.c[5]", "N*m*s/rad"]),
    ({"forces__mount__c": [[0] * 6] * 5 + [[0] * 5 + ["1 N"]]}, ["forces.mount.c[5][5]", "N*m*s/rad"]),
    ({"outputs__y__order": 3}, ["outputs.y.order", "3"]),
    ({"outputs__y__order": 0.5}, ["outputs.y.order", "whole"]),
    ({"inputs__u__torque": "yes"}, ["inputs.u.torque", "true or false"]),
    # geometry
    ({"joints__spin__axis": [0, 0, 0]}, ["joints.spin.axis", "zero length"]),
    ({"frames__turn__about": [0, 0, 0]}, ["frames.turn.about", "zero length"]),
    ({"frames__turn__rate": "1 Hz"}, ["frames.turn.rate", "rev/s"]),
    ({"joints__spin__between": ["arm", "arm"]}, ["joints.spin.between", '"arm" with itself']),
    ({"joints__spin__between": ["arm", "tip"]}, ["joints.spin.between", '"arm" with itself']),
    ({"joints__spin__between": ["foot", "ground"]}, ["joints.spin.between", '"ground" with itself']),
    ({"joints__spin__between": ["arm"]}, ["joints.spin.between", "two"]),
    ({"bodies__arm__inertia": [1, 1, 3]}, ["bodies.arm.inertia", "impossible", "sum of the other two"]),
    ({"bodies__arm__inertia": [1, 1, -1]}, ["bodies.arm.inertia", "impossible", "negative"]),
    ({"bodies__arm__inertia": [1, 1, 1, 2, 0, 0]}, ["bodies.arm.inertia", "impossible", "negative"]),
    ({"bodies__arm__inertia": [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]}, ["bodies.arm.inertia", "symmetric"]),
    ({"bodies__arm__inertia": [1, 2]}, ["bodies.arm.inertia", "2 values"]),
    ({"bodies__arm__rotation": {"quaternion": [0, 0, 0, 0]}}, ["bodies.arm.rotation.quaternion", "zero"]),
    ({"bodies__arm__rotation": {"sequence": "zXz", "angles": [0, 0, 0]}}, ["rotation.sequence", "mixed"]),
    ({"bodies__arm__rotation": {"sequence": "zaz", "angles": [0, 0, 0]}}, ["rotation.sequence", "zxz"]),
    ({"bodies__arm__rotation": {"sequence": "zxz", "angles": [0, 0]}}, ["rotation.angles", "3 numbers"]),
    ({"bodies__arm__rotation": {"axis": [0, 0, 0], "angle": 1}}, ["rotation.axis", "zero length"]),
    ({"bodies__arm__rotation": {"angle": 1}}, ["bodies.arm.rotation", "quaternion"]),
    ({"bodies__arm__rotation": [1, 2]}, ["bodies.arm.rotation", "a list is not a rotation"]),
    ({"markers__tip__body": "foot"}, ["markers.tip.body", "not by a marker"]),
    ({"markers__tip__at": None}, ["markers.tip", '"at" is missing', "frame: body"]),
    # duplicate and reserved names
    ({"measures__rail": {"type": "distance", "between": ["arm", "bob"]}}, ['"rail"', "joints", "measures"]),
    ({"parameters__gap": 1}, ['"gap"', "measures", "parameters"]),
    ({"variables__u": "=1"}, ['"u"', "inputs", "variables"]),
    ({"markers__arm": {"body": "bob", "at": [0, 0, 0]}}, ['"arm"', "bodies", "markers"]),
    ({"parameters__t": 1}, ["parameters.t", "the time"]),
    ({"parameters__pi": 3}, ["parameters.pi", "3.14159"]),
    ({"bodies__ground": {"mass": 1, "at": [0, 0, 0]}}, ["bodies.ground", "fixed world"]),
    ({"bodies__a.b": {"mass": 1, "at": [0, 0, 0]}}, ['"a.b" cannot be a name']),
    ({"bodies__ ": {"mass": 1, "at": [0, 0, 0]}}, ["cannot be a name"]),
    # expressions
    ({"bodies__arm__mass": "=2*(k"}, ["bodies.arm.mass", 'expected ")"', "    2*(k\n        ^"]),
    ({"bodies__arm__mass": "=2*kk"}, ["bodies.arm.mass", 'unknown parameter "kk"', 'Did you mean "k"?']),
    ({"bodies__arm__mass": "=spin"}, ["bodies.arm.mass", '"spin" is a measure', "only parameters"]),
    ({"bodies__arm__mass": "=t"}, ["bodies.arm.mass", "the time"]),
    ({"bodies__arm__mass": "=1/(k - 1000)"}, ["bodies.arm.mass", "division by zero"]),
    ({"bodies__arm__mass": "=2**9**9**9"}, ["bodies.arm.mass", "overflow"]),
    ({"forces__bump__force": "=kk*s"}, ["forces.bump.force", 'unknown name "kk"']),
    ({"forces__bump__force": "=u'"}, ["forces.bump.force", '"u\'"', "a rate of an input"]),
    ({"forces__bump__force": "=slide"}, ["several coordinates", "slide.displacement"]),
    ({"states__x__rate": "=s"}, ["states.x.rate", 'unknown name "s"']),
    ({"joints__spin__motion": "=gap*t"}, ["joints.spin.motion", '"gap" is a measure', "parameters and t"]),
    ({"forces__wind__value": [1, 2]}, ["forces.wind.value", "three"]),
    ({"forces__wind__value": [1, 2, "5 m"]}, ["forces.wind.value[2]", "a length", '"N"']),
    ({"forces__bump__force": {"table": [[0, 1]]}}, ["forces.bump.force", "two points"]),
    ({"forces__bump__force": {"table": [[0, 1], [1, 2], [1, 3]]}}, ["forces.bump.force.table[2]", "increase"]),
    ({"forces__bump__force": {"table": [[0, 1], [1]]}}, ["forces.bump.force.table[1]", "2 numbers"]),
    ({"forces__bump__force": {"tabel": [], "table": [[0, 1], [1, 1]]}}, ['"tabel"', 'Did you mean "table"?']),
    ({"forces__bump__force": {"table": [[0, 1], [1, 1]], "of": 3}}, ["forces.bump.force.of", "expression"]),
    # cycles
    ({"parameters__k": "=twice + 1"}, ["parameters", "depend on themselves", "twice -> k"]),
    ({"parameters__k": "=k"}, ["parameters.k", "k -> k"]),
    ({"variables__power": "=double*t"}, ["variables", "depend on themselves", "double -> power"]),
]


@pytest.mark.parametrize(
    ("change", "words"), BAD, ids=[next(iter(change)) + f"-{i}" for i, (change, _) in enumerate(BAD)]
)
def test_one_fault_and_its_words(change: dict[str, Any], words: list[str]) -> None:
    found = faults(model(**change))
    assert len(found) == 1, found
    for word in words:
        assert word in found[0]


def test_bodies_must_be_a_map_with_bodies() -> None:
    assert any(fault.startswith("bodies: a map") for fault in faults({"eigenbody": 1, "bodies": [1, 2]}))
    assert any("there are no bodies" in fault for fault in faults({"eigenbody": 1}))


def test_inertia_at_the_limit_is_accepted() -> None:
    for inertia in ([0, 1, 1], [0, 0, 0], [1, 1, 2], [1, 1, 2 + 1e-10], [1e-12, 1e-12, 2e-12]):
        solved(model(bodies__arm__inertia=inertia))
    for inertia in ([1, 1, 2 + 1e-8], [1e-12, 1e-12, 3e-12], [1e90, 1e90, 3e90]):
        assert "impossible" in faults(model(bodies__arm__inertia=inertia))[0]
    solved(model(bodies__arm__mass=0))


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ({"sped": 3}, ['no parameter "sped"', 'Did you mean "speed"?']),
        ({"speed": "3 m"}, ["parameters.speed", "same dimension", '"0.5 Hz"']),
        ({"speed": "30 rpm"}, ["parameters.speed", "same dimension"]),
        ({"length": "3 metr"}, ["parameters.length", 'Did you mean "metre"?']),
        ({"k": "=twice"}, ["depend on themselves"]),
        ({"k": True}, ["parameters.k", "not a number"]),
        ({"k": math.nan}, ["parameters.k", "finite"]),
    ],
)
def test_bad_overrides(override: dict[str, object], words: list[str]) -> None:
    found = faults(MODEL, **override)
    assert len(found) == 1, found
    for word in words:
        assert word in found[0]


TEXT = """\
eigenbody: 2
gravty: [0, 0, -9.81]
bodies:
  arm: {mass: -1, at: [0, 0, 0]}
  rotor:
    mass: 3 m
    at: [0, 0, 0]
joints:
  spin:
    type: revolute
    between: [arm, roter]
    axis: [0, 0, 0]
forces:
  coil: {type: spring, along: spin, k: "=2*("}
"""


def test_all_faults_at_once_with_their_lines() -> None:
    with pytest.raises(InputError) as caught:
        resolve(read_text(TEXT, "m.yaml"), VOCABULARY)
    found = {fault.where: fault.what for fault in caught.value.faults}
    assert set(found) == {
        "eigenbody (m.yaml, line 1)",
        "gravty (m.yaml, line 2)",
        "bodies.arm.mass (m.yaml, line 4)",
        "bodies.rotor.mass (m.yaml, line 6)",
        "joints.spin.between[1] (m.yaml, line 11)",
        "joints.spin.axis (m.yaml, line 12)",
        "forces.coil.k (m.yaml, line 14)",
    }


def test_a_faulty_parameter_or_joint_is_reported_once() -> None:
    assert len(faults(model(parameters__k="1 parsec"))) == 1
    assert len(faults(model(joints__spin__type="revolut"))) == 1


# ---- junk anywhere gives faults, never a traceback

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.complex_numbers(),
    st.text(max_size=5),
    st.sampled_from(["=", "=k", "=t", "3 mm", "spin", "ground", "arm", "tip", "=spin'", "turn", "\ud800", "a.b"]),
    st.lists(st.integers(0, 3), max_size=7),
    st.lists(st.one_of(st.none(), st.lists(st.floats(), max_size=3), st.text(max_size=3)), max_size=6),
    st.dictionaries(
        st.sampled_from(["type", "at", "axis", "table", "of", "quaternion", "sequence", "x"]), st.integers(), max_size=3
    ),
)


def all_paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, item in items for found in all_paths(item, (*path, key)))]


PATHS = all_paths(MODEL)[1:]


@given(st.lists(st.tuples(st.sampled_from(PATHS), JUNK), min_size=1, max_size=3))
@settings(max_examples=1000, deadline=None)
def test_junk_anywhere(changes: list[tuple[tuple[Any, ...], Any]]) -> None:
    data = copy.deepcopy(MODEL)
    for path, value in changes:
        target: Any = data
        for item in path[:-1]:
            target = target[item] if isinstance(target, dict) and item in target else None
        if isinstance(target, dict):
            target[path[-1]] = copy.deepcopy(value)
    found: tuple[Fault, ...] = ()
    try:
        solved(data)
    except InputError as problem:
        found = problem.faults
    assert all(fault.where and fault.what for fault in found)
    assert all(str(fault).encode() for fault in found)  # printable: no lone surrogates


# ---- the model class and the schema


def test_builder_makes_the_same_model() -> None:
    built = Builder(vocabulary=VOCABULARY).parameter("k", 20).body("slider", mass=10, inertia=np.ones(3), at=(0, 0, 0))
    built = built.joint("rail", "prismatic", between=["ground", "slider"], axis=[0, 1, 0])
    built = built.force("spring", "spring", along="rail", k="=k").set(gravity=[0, 0, -9.81], name="sled")
    assert repr(built) == "Model('sled': 1 body, 1 joint, 1 force)"
    assert built.description.forces[0]["k"] == 20.0
    changed = built.with_parameters(k="30 N/m")
    assert changed.description.forces[0]["k"] == 30.0
    assert built.description.forces[0]["k"] == 20.0
    assert InertModel(changed.document, vocabulary=VOCABULARY).parameters == {"k": 30.0}
    assert built.with_parameters({"k": 1}, k=2).parameters["k"] == 2.0


def test_model_is_immutable_and_lazy() -> None:
    incomplete = Builder(vocabulary=VOCABULARY).joint("pin", "revolute", between=["ground", "bob"])
    complete = incomplete.body("bob", mass=1, at=[0, 0, -1])
    assert complete.description.joints[0].name == "pin"
    with pytest.raises(InputError, match="no bodies"):
        _ = incomplete.description
    complete.document["bodies"].clear()
    assert len(complete.description.bodies) == 1
    with pytest.raises(InputError, match="taken already"):
        complete.body("bob", mass=2, at=[0, 0, 0])
    with pytest.raises(InputError, match="no parameter"):
        complete.with_parameters(k=1)
    with pytest.raises(InputError, match=r'Did you mean "gravity"\?'):
        complete.set(gravty=[0, 0, 0])


def test_from_source_validates_at_once() -> None:
    with pytest.raises(InputError):
        InertModel.from_source(read({"eigenbody": 1}), VOCABULARY)


def test_schema_accepts_the_good_and_refuses_the_bad() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json.loads(json.dumps(json_schema(VOCABULARY)))
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    assert list(validator.iter_errors(MODEL)) == []
    for change in (
        {"bodys": {}},
        {"bodies__arm__mas": 1},
        {"joints__spin__type": "revolut"},
        {"joints__spin__axes": [0, 0, 1]},
        {"forces__coil__between": ["arm", "bob"]},
        {"bodies__arm__at": [0, 0]},
        {"eigenbody": 2},
    ):
        assert list(validator.iter_errors(model(**change))), change


CASES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_examples_resolve_and_fit_the_schema(file: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    source = read(file)
    jsonschema.Draft202012Validator(json_schema(REAL)).validate(source.data)
    d = resolve(source, REAL)
    given = {*source.data.get("bodies", {}), *source.data.get("flexible", {})}
    assert {name.partition(".")[0] for name in d.bodies.names} == given
    assert isinstance(d.joints[0].where, str)


def test_variable_is_always_an_expression() -> None:
    d = solved(model(variables__power="=2*k", variables__double=3))
    assert [entry["value"] for entry in d.variables] == [Expression.number(2000.0), Expression.number(3.0)]


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 5000])
def test_json_numbers_beyond_measure_are_refused_where_they_stand(number: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text('{"eigenbody": 1,\n "bodies": {"b": {"at": [0, 0, 0],\n "mass": ' + number + "}}}")
    with pytest.raises(InputError) as caught:
        resolve(read(path), REAL)
    assert "bodies.b.mass (model.json, line 3)" in str(caught.value)
    assert "finite" in str(caught.value)


def test_a_body_called_flexible_is_told_its_section():
    with pytest.raises(InputError) as caught:
        resolve(read({"eigenbody": 1, "bodies": {"shaft": {"flexible": {"beam": 1}}}}), REAL)
    (fault,) = caught.value.faults
    assert fault.where == "bodies.shaft.flexible"
    assert "flexible: {shaft: {type: beam" in str(fault)
