"""Names with a meaning of their own inside a force, `s` and `v`, that the model uses for something else too."""

import numpy as np
import pytest

import eigenbody as eb


def model(joint: str = "rail", **more: object) -> dict:
    return {
        "eigenbody": 1,
        "bodies": {
            "b": {"mass": 2.0, "inertia": [1, 1, 1], "at": [0, 0, 0]},
            "c": {"mass": 1.0, "inertia": [1, 1, 1], "at": [0, 0, 0]},
        },
        "joints": {
            joint: {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0]},
            "other": {"type": "prismatic", "between": ["b", "c"], "at": [0, 0, 0], "axis": [0, 1, 0]},
        },
        **more,
    }


def spring(text: object) -> dict:
    return {"a": {"type": "spring", "along": "other", "k": 50.0, "force": text}}


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (model("v", forces=spring("=3*v")), 'a joint "v"'),
        (model("s", forces=spring("=3*s**3")), 'a joint "s"'),
        (
            model("s", forces={"a": {"type": "spring", "along": "s", "k": 1.0, "free": 0.1, "force": "=s**3"}}),
            'a joint "s"',
        ),
        (model(variables={"s": "=2*rail"}, forces=spring("=3*s")), 'a variable "s"'),
        (model(states={"v": {"initial": 0.0, "rate": "=-v"}}, forces=spring("=3*v")), 'a state "v"'),
        (model(inputs={"v": {}}, forces=spring("=3*v")), 'an input "v"'),
        (model("v", forces=spring({"table": [[0, 0], [1, 2]], "of": "=v"})), 'a joint "v"'),
        (model("v", forces=spring(lambda s, v: s + v)), 'a joint "v"'),
    ],
)
def test_a_name_with_two_meanings_is_refused_where_it_is_used(document: dict, kind: str) -> None:
    with pytest.raises(eb.InputError, match=f"of this force here, and is {kind} as well") as problem:
        eb.load(document)
    assert "another name" in str(problem.value)


def test_a_parameter_is_put_in_everywhere() -> None:
    """The speed v of a vehicle in a force along a measure."""
    document = model(parameters={"v": 5.0}, forces=spring("=3*other'/v"))
    assert eb.linearize(eb.load(document)).C.max() == pytest.approx(0.6)


def test_a_force_along_the_joint_of_that_name_means_the_same() -> None:
    document = model("s", forces={"a": {"type": "spring", "along": "s", "k": 1.0, "force": "=4*s"}})
    assert eb.linearize(eb.load(document)).K.max() == pytest.approx(5.0)


def test_names_that_are_not_used_there_may_be_what_they_like() -> None:
    """The joint v in another force, and in a state."""
    document = model("v", forces={"push": {"type": "force", "body": "c", "at": [0, 0, 0], "value": [0, "=-4*v", 0]}})
    assert np.abs(eb.linearize(eb.load(document)).K).max() == pytest.approx(4.0)


def test_a_variable_keeps_its_meaning_inside_a_force() -> None:
    """The variable q is made of the joint v; in the spring along `other`, v would be the rate of the spring."""
    document = model("v", variables={"q": "=7*v"}, forces=spring("=q + 0*s"))
    linear = eb.linearize(eb.load(document))
    row, column = linear.coordinates.index("other"), linear.coordinates.index("v")
    assert linear.K[row, column] == pytest.approx(7.0)
    assert not linear.C.any()


@pytest.mark.parametrize("name", ["i", "K", "R", "u"])
def test_inner_names_of_an_element_are_not_those_of_the_model(name: str) -> None:
    """A direct-current motor is written with i, K, R, u: variables of these names change nothing."""
    motor = {"m": {"type": "dc_motor", "along": "other", "R": 2.0, "K": 0.3, "L": 0.01, "voltage": 1.0}}
    plain = eb.linearize(eb.load(model(forces=motor))).A
    named = eb.linearize(eb.load(model(forces=motor, variables={name: "=5*rail + 1"}))).A
    assert np.array_equal(plain, named)
