"""What cannot work is refused with a message that names the item; what is only odd is solved and said."""

from __future__ import annotations

import copy
from itertools import pairwise

import numpy as np
import pytest

import eigenbody as eb

Y = [0, 1, 0]
BAR = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}


def hinge(first: str, second: str, at: list[float], **keys: object) -> dict:
    return {"type": "revolute", "between": [first, second], "at": at, "axis": Y, **keys}


def document(bodies: dict, joints: dict, **sections: object) -> dict:
    return {"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": bodies, "joints": joints, **sections}


def four_bar(points: list[list[float]], **first: object) -> dict:
    """A planar four-bar through four points, the first and last on ground."""
    names = ["crank", "coupler", "rocker"]
    middle = [[(a + b) / 2 for a, b in zip(p, q, strict=True)] for p, q in pairwise(points)]
    bodies = {name: {**BAR, "at": at} for name, at in zip(names, middle, strict=True)}
    joints = {
        "a": hinge("ground", "crank", points[0], **first),
        "b": hinge("crank", "coupler", points[1]),
        "c": hinge("coupler", "rocker", points[2]),
        "d": hinge("ground", "rocker", points[3]),
    }
    return document(bodies, joints)


ONE = document({"bar": {**BAR, "at": [0, 0, -1]}}, {"pin": hinge("ground", "bar", [0, 0, 0])})


def with_(base: dict, **changes: object) -> dict:
    out = copy.deepcopy(base)
    for path, value in changes.items():
        *folders, last = path.split("__")
        place = out
        for folder in folders:
            place = place.setdefault(folder, {})
        place[last] = value
    return out


REFUSED = {
    "two drivers that part in position": (
        with_(ONE, joints__pin__motion="=t", drivers={"d": {"measure": "pin", "motion": "=1 + t"}}),
        ["drivers.d", "joints.pin", "cannot be assembled", "open by 1)"],
    ),
    "two drivers that part in velocity": (
        with_(ONE, joints__pin__motion="=t", drivers={"d": {"measure": "pin", "motion": "=2*t"}}),
        ["drivers.d", "in velocity"],
    ),
    "two drivers that part in acceleration": (
        with_(ONE, joints__pin__motion="=t", drivers={"d": {"measure": "pin", "motion": "=t + t**2"}}),
        ["drivers.d", "in acceleration", "by 2"],
    ),
    "given velocity against a motion": (
        with_(ONE, joints__pin__motion="=t", joints__pin__velocity=3),
        ["joints.pin", "velocity", "by 2"],
    ),
    "links that cannot reach": (
        four_bar([[0, 0, 0], [0, 0, -2], [0.5, 0, -2], [0.5, 0, -1.5]], position="100 deg"),
        ["cannot be assembled", "closed by c"],
    ),
    "a flat four-bar": (
        four_bar([[0, 0, 0], [1, 0, 0], [3, 0, 0], [2, 0, 0]]),
        ["singular configuration", "joints.c"],
    ),
    "a body without mass": (document({"ghost": {"mass": 0, "at": [0, 0, 0]}}, {}), ["bodies.ghost", "ghost.x"]),
    "a point mass that spins on a ball": (
        document(
            {"bob": {"mass": 1, "at": [0, 0, -1]}},
            {"ball": {"type": "spherical", "between": ["ground", "bob"], "at": [0, 0, 0]}},
        ),
        ["bodies.bob", "ball.rz"],
    ),
    "a spring without length": (
        with_(ONE, forces={"s": {"type": "spring", "between": ["ground", "bar"], "at": [0, 0, 0], "k": 1,
                                 "free_length": 1}}),
        ["forces.s", "coincide"],
    ),
    "a logarithm of a negative number": (
        with_(ONE, forces={"e": {"type": "expression", "along": "pin", "value": "=log(pin - 1)"}}),
        ["forces.e", "logarithm"],
    ),
    "a slope that does not exist": (
        with_(ONE, forces={"e": {"type": "expression", "along": "pin", "value": "=sqrt(abs(pin))"}}),
        ["forces.e", "slope"],
    ),
    "an order for an expression": (
        with_(ONE, outputs={"o": {"expression": "=pin", "order": 2}}),
        ["outputs.o.order", "expression"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_name_of_the_item(name: str) -> None:
    bad, words = REFUSED[name]
    with pytest.raises(eb.InputError) as caught:
        eb.modes(eb.load(bad))
    message = str(caught.value)
    assert all(word in message for word in words), message


@pytest.mark.parametrize("along", ["gap", "both"])
@pytest.mark.parametrize("section", ["forces", "inputs"])
def test_nothing_acts_along_a_distance_of_nothing(along: str, section: str) -> None:
    """It has no direction: the stiffness was NaN. Moved apart it has one."""
    entry = {"type": "expression", "along": along, "value": "=3 - 2*v"} if section == "forces" else {"along": along}
    model = eb.load(document(
        {"bar": {**BAR, "at": [0.5, 0, 0]}}, {"pin": hinge("ground", "bar", [0, 0, 0])},
        markers={"here": {"body": "bar", "at": [0.3, 0, 0]}, "there": {"body": "ground", "at": [0.3, 0, 0]}},
        measures={"gap": {"type": "distance", "between": ["there", "here"]},
                  "both": {"type": "sum", "terms": {"gap": 1, "pin": 2}, "unit": "m"}},
        **{section: {"push": entry}},
    ))  # fmt: skip
    with pytest.raises(eb.InputError, match=rf"{section}.push.*two points coincide"):
        eb.linearize(model)
    assert np.isfinite(eb.linearize(model.posed(pin=0.1)).K).all()


def test_a_mechanism_that_cannot_move() -> None:
    modes = eb.modes(eb.load(with_(ONE, joints__pin__type="fixed")))
    assert (modes.dof, len(modes), modes.stability) == (0, 0, "immobile")


def test_parallel_cranks_are_redundant_but_not_singular() -> None:
    modes = eb.modes(eb.load(four_bar([[0, 0, 0], [0, 0, -1], [1, 0, -1], [1, 0, 0]])))
    assert modes.dof == 1
    assert len(modes.certificate.redundant) == 3


def test_full_turns_are_counted_through_a_gear() -> None:
    bodies = {"a": {**BAR, "at": [0, 0, -1]}, "b": {**BAR, "at": [0, 1, 0]}}
    joints = {"j": hinge("ground", "a", [0, 0, 0], position="1080 deg"), "k": hinge("ground", "b", [0, 1, 0])}
    point = eb.operating_point(
        eb.load(document(bodies, joints, couplings={"g": {"type": "gear", "joints": ["j", "k"], "ratio": 0.5}}))
    )
    assert point.coordinates()["j"] == pytest.approx(6 * np.pi, rel=1e-13)
    assert point.coordinates()["k"] == pytest.approx(-12 * np.pi, rel=1e-13)


def test_equilibrium_is_judged_by_the_forces_on_each_body() -> None:
    """A mass that hangs on a spring is at rest though only rounding is left of the force; one that falls is not,
    however heavy its neighbour."""
    spring = {
        "type": "spring",
        "between": ["ground", "p"],
        "at": [[0, 0, 0], [0, 0, -1]],
        "k": 100,
        "free_length": 0.9019,
    }
    hanging = document({"p": {"mass": 1, "at": [0, 0, -1]}}, {}, forces={"s": spring})
    assert eb.operating_point(eb.load(hanging)).is_equilibrium
    falling = with_(
        ONE, joints__pin__position="90 deg", bodies__anvil={"mass": 1e9, "inertia": [1, 1, 1], "at": [5, 0, 0]}
    )
    falling["joints"]["base"] = {"type": "fixed", "between": ["ground", "anvil"], "at": [5, 0, 0]}
    result = eb.linearize(eb.load(falling))
    assert any("not an equilibrium" in note for note in result.notes)


def test_a_bushing_across_a_spinning_joint_is_warned_of() -> None:
    bushing = {"type": "bushing", "between": ["ground", "bar"], "at": [0, 0, 0], "k": [1, 1, 1, 1, 1, 1]}
    warned = eb.operating_point(eb.load(with_(ONE, joints__pin__velocity=3, forces={"b": bushing}))).warnings
    assert len(warned) == 1
    assert "bearing" in warned[0]
    assert not eb.operating_point(eb.load(with_(ONE, forces={"b": bushing}))).warnings


def test_partial_results_say_so() -> None:
    controller = {"type": "actuator", "along": "pin", "value": "=-80*pin - 2*pin' - 900*i"}
    unstable = with_(ONE, states={"i": {"rate": "=pin"}}, forces={"a": controller})
    for solver in ("dense", "sparse"):
        assert eb.modes(eb.load(unstable), n=1, solver=solver).stability == "unstable"
