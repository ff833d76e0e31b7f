"""The section `operating_point`: every form is read, every fault is named with its line."""

from __future__ import annotations

import math

import jsonschema
import pytest

import eigenbody as eb
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.model.schema import json_schema

ONE = {
    "eigenbody": 1,
    "parameters": {"tilt": 0.5},
    "gravity": [0, 0, -9.81],
    "bodies": {"bar": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, -1]},
               "sled": {"mass": 2, "inertia": [0.1, 0.1, 0.1], "at": [3, 0, 0]}},
    "joints": {"pin": {"type": "revolute", "between": ["ground", "bar"], "at": [0, 0, 0], "axis": [0, 1, 0],
                       "position": 0.1, "velocity": 0.2},
               "slot": {"type": "cylindrical", "between": ["ground", "sled"], "at": [3, 0, 0], "axis": [1, 0, 0]}},
    "states": {"x": {"rate": "=pin - x"}},
    "inputs": {"push": {"along": "slot.displacement"}},
    "forces": {"soft": {"type": "spring", "along": "slot.displacement", "k": 5}},
}  # fmt: skip


def at(where: object) -> eb.OperatingPoint:
    return eb.operating_point(eb.load({**ONE, "operating_point": where}))


def rates(point: eb.OperatingPoint) -> tuple[float, float, float]:
    return point.state.w[0, 1], point.state.v[1, 0], point.state.w[1, 0]


FORMS = {
    "flat": {"pin": "30 deg", "pin'": "60 rpm", "slot.displacement": "20 cm", "x": 4, "push": 2},
    "by joint": {"pin": {"position": "=tilt*pi/3", "velocity": "=2*pi"}, "slot": [0.2, None], "x": 4, "push": 2},
    "groups": {"positions": {"pin": "30 deg", "slot": [0.2, None]}, "velocities": {"pin": "360 deg/s"},
               "states": {"x": 4}, "inputs": {"push": 2}},
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_explicit_values_in_every_form(form: str) -> None:
    point = at(FORMS[form])
    values = point.coordinates()
    assert values["pin"] == pytest.approx(math.pi / 6, rel=1e-14)
    assert values["slot.displacement"] == pytest.approx(0.2, rel=1e-14)
    assert values["slot.angle"] == 0.0
    assert rates(point) == pytest.approx((2 * math.pi, 0, 0), rel=1e-14)
    assert (point.state.x.tolist(), point.state.u_in.tolist()) == ([4], [2])
    jsonschema.validate({**ONE, "operating_point": FORMS[form]}, json_schema(VOCABULARY))


def test_values_that_are_not_given_stay_those_of_the_joints() -> None:
    point = at({"slot'": [1.5, 2.5]})
    assert point.coordinates()["pin"] == pytest.approx(0.1, rel=1e-14)
    assert rates(point) == pytest.approx((0.2, 1.5, 2.5), rel=1e-14)


def test_coordinates_of_bodies_may_be_given() -> None:
    point = at({"sled.x": 0.3, "sled.x'": -1})
    assert point.coordinates()["slot.displacement"] == pytest.approx(0.3, rel=1e-13)
    assert point.state.v[1, 0] == pytest.approx(-1, rel=1e-13)


WORDS = ["reference", "equilibrium", {"type": "reference"}, {"equilibrium": None}, {"equilibrium": {}},
         {"type": "equilibrium", "which": "nearest"}, {"equilibrium": {"which": "stable"}}]  # fmt: skip


@pytest.mark.parametrize("word", WORDS, ids=str)
def test_words_in_every_form(word: object) -> None:
    point = at(word)
    at_rest = "equilibrium" in str(word)
    assert point.coordinates()["pin"] == pytest.approx(0.0 if at_rest else 0.1, abs=1e-12)
    assert point.is_equilibrium == at_rest
    document = {**ONE, "operating_point": word}
    if word != {"equilibrium": None}:
        jsonschema.validate(document, json_schema(VOCABULARY))


def test_resolved_options() -> None:
    def read(where: object) -> dict:
        return dict(eb.load({**ONE, "operating_point": where}).description.operating_point)

    assert read("steady") == {"type": "steady", "prescribed": {}, "adjust": ()}
    steady = {
        "steady": {"prescribed": {"slot.angle'": "600 rpm", "pin": "180 deg"}, "adjust": ["pin'", "push", "tilt"]}
    }
    options = read(steady)
    assert options["prescribed"] == pytest.approx({"slot.angle'": 62.83185307179586, "pin": 3.141592653589793})
    assert options["adjust"] == ("pin'", "push", "tilt")
    assert read({"simulate": {"until": "200 ms"}}) == {"type": "simulate", "until": 0.2, "max_steps": None}
    longer = {"type": "simulate", "until": "=tilt", "max_steps": "=10**6"}
    assert read(longer) == {"type": "simulate", "until": 0.5, "max_steps": 1e6}
    assert read(None) == {"type": "reference"}
    with pytest.raises(TypeError):
        eb.load(ONE).description.operating_point["type"] = "steady"


def test_the_second_argument_overrides_the_model() -> None:
    model = eb.load({**ONE, "operating_point": "equilibrium"})
    assert eb.operating_point(model, {"pin": 1.5}).coordinates()["pin"] == pytest.approx(1.5, rel=1e-14)
    assert eb.operating_point(model, "reference").coordinates()["pin"] == pytest.approx(0.1, rel=1e-14)
    assert eb.operating_point(model).is_equilibrium


REFUSED = {
    "unknown word": ("equilibirum", ["operating_point", 'mean "equilibrium"']),
    "unknown type": ({"type": "stedy"}, ["operating_point.type", 'mean "steady"']),
    "unknown option": ({"equilibrium": {"wich": "stable"}}, ["operating_point.equilibrium.wich", 'mean "which"']),
    "unknown choice": ({"equilibrium": {"which": "best"}}, ["operating_point.equilibrium.which", "stable"]),
    "an option of another word": ({"type": "reference", "until": 2}, ["operating_point.until", "unknown key"]),
    "a missing option": ("simulate", ["operating_point", '"until" is missing']),
    "an end before the start": ({"simulate": {"until": "-1 s"}}, ["operating_point.simulate.until", "positive"]),
    "a length as time": ({"simulate": {"until": "2 m"}}, ["operating_point.simulate.until", "a length"]),
    "unknown measure": ({"pinn": 1}, ["operating_point.pinn", 'mean "pin"']),
    "wrong dimension": ({"pin": "3 m"}, ["operating_point.pin", "a length", '"rad"']),
    "wrong dimension of a rate": ({"pin'": "3 Hz"}, ["operating_point.pin'", "rev/s"]),
    "several coordinates": ({"slot": 1}, ["operating_point.slot", "slot.displacement", "slot.angle"]),
    "a list of the wrong length": ({"slot": [1, 2, 3]}, ["operating_point.slot", "list of 2"]),
    "unknown key of a joint": ({"pin": {"positoin": 1}}, ["operating_point.pin.positoin", 'mean "position"']),
    "unknown state": ({"states": {"y": 1}}, ["operating_point.states.y", "unknown state"]),
    "a group that is no map": ({"positions": 3}, ["operating_point.positions", "map"]),
    "twice": ({"pin'": 1, "pin": {"velocity": 2}}, ["operating_point.pin", "given twice"]),
    "unknown parameter": ({"pin": "=tild"}, ["operating_point.pin", 'mean "tilt"']),
    "a list": ([1, 2], ["operating_point", "a word or a map"]),
    "a prescribed name": ({"steady": {"prescribed": {"pinn'": 1}}}, ["operating_point.steady.prescribed.pinn'", "pin"]),
    "a name to adjust": ({"steady": {"adjust": ["psuh"]}}, ["operating_point.steady.adjust[0]", 'mean "push"']),
    "prescribed as a list": ({"steady": {"prescribed": [1]}}, ["operating_point.steady.prescribed", "map"]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_faults_name_the_place_and_the_nearest(name: str) -> None:
    bad, words = REFUSED[name]
    with pytest.raises(eb.InputError) as caught:
        eb.load({**ONE, "operating_point": bad})
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_all_faults_at_once() -> None:
    with pytest.raises(eb.InputError) as caught:
        eb.load({**ONE, "operating_point": {"pinn": 1, "pin": "2 kg", "slot": 4}})
    assert len(caught.value.faults) == 3


def test_faults_have_their_line(tmp_path: object) -> None:
    file = tmp_path / "one.yaml"  # type: ignore[operator]
    file.write_text("eigenbody: 1\nbodies: {a: {mass: 1, at: [0, 0, 0]}}\noperating_point:\n  a.x: 1\n  a.q: 2\n")
    with pytest.raises(eb.InputError) as caught:
        eb.load(file)
    assert "operating_point.a.q (one.yaml, line 5)" in str(caught.value)


def test_values_that_the_constraints_do_not_allow() -> None:
    with pytest.raises(eb.InputError) as caught:
        at({"pin": 0.5, "bar.x": 0.7})
    assert "operating_point: pin" in str(caught.value) or "operating_point: bar.x" in str(caught.value)


def test_the_end_of_a_simulation() -> None:
    """A sled on a spring, pulled out: s = 0.2 cos(w t), w^2 = k/m."""
    pulled = {**ONE, "operating_point": {"simulate": {"until": "300 ms"}}}
    pulled["joints"] = {**ONE["joints"], "slot": {**ONE["joints"]["slot"], "position": [0.2, 0]}}  # type: ignore[dict-item, index]
    point = eb.operating_point(eb.load(pulled))
    rate = math.sqrt(5 / 2)
    assert point.coordinates()["slot.displacement"] == pytest.approx(0.2 * math.cos(0.3 * rate), rel=1e-5)
    assert point.state.t == pytest.approx(0.3)


def test_a_steady_motion() -> None:
    """Conical pendulum: rate^2 = g / (l cos tilt)."""
    cone = {
        "eigenbody": 1, "gravity": [0, 0, -9.81],
        "bodies": {"fork": {"mass": 0, "at": [0, 0, 0]}, "bob": {"mass": 1, "at": [0, 0, -0.5]}},
        "joints": {"turn": {"type": "revolute", "between": ["ground", "fork"], "at": [0, 0, 0], "axis": [0, 0, 1]},
                   "tilt": {"type": "revolute", "between": ["fork", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
        "operating_point": {"steady": {"prescribed": {"tilt": "30 deg"}, "adjust": ["turn'"]}},
    }  # fmt: skip
    point = eb.operating_point(eb.load(cone))
    assert abs(point.state.w[0, 2]) == pytest.approx(math.sqrt(9.81 / (0.5 * math.cos(math.pi / 6))), rel=1e-12)
