"""Coordinates of the user's choice: too many, too few, weighted, relative to markers; and what depends on them."""

from typing import Any

import numpy as np
import pytest

import eigenbody as eb

BOX = [0.4, 0.5, 0.3]


def crane(**more: Any) -> eb.Model:
    """Ten degrees of freedom: a carriage on a rail (1) carries a parallelogram (a loop, 1), a ball pendulum (3) and, on
    the parallelogram's rocker, a universal joint (2), a hinge (1) and a sprung telescope that can turn (2)."""
    at = {
        "carriage": [0, 0, 0], "crank": [0, 0, -0.5], "coupler": [0.5, 0, -1], "rocker": [1, 0, -0.5],
        "ball": [-1, 0, -0.8], "arm": [1, 0, -1.5], "hand": [1, 0, -2.4], "tool": [1, 0, -3],
    }  # fmt: skip
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    sections = {
        "gravity": [0, 0, -9.81],
        "bodies": {name: {"mass": 2 + i, "inertia": BOX, "at": r} for i, (name, r) in enumerate(at.items())},
        "markers": {
            "eye": {"body": "carriage", "at": [0.2, 0.1, 0]},
            "tip": {"body": "tool", "at": [1, 0, -3.3]},
            "nose": {"body": "ball", "at": [-1, 0.3, -1]},
        },
        "joints": {
            "rail": {"type": "prismatic", "between": ["ground", "carriage"], "at": [0, 0, 0], "axis": [1, 0, 0]},
            "a": {**hinge, "between": ["carriage", "crank"], "at": [0, 0, 0]},
            "b": {**hinge, "between": ["crank", "coupler"], "at": [0, 0, -1]},
            "c": {**hinge, "between": ["coupler", "rocker"], "at": [1, 0, -1]},
            "d": {**hinge, "between": ["carriage", "rocker"], "at": [1, 0, 0]},
            "rope": {"type": "spherical", "between": ["carriage", "ball"], "at": [-1, 0, 0]},
            "hook": {
                "type": "universal", "between": ["rocker", "arm"], "at": [1, 0, -1.2],
                "axis": [1, 0, 0], "axis2": [0, 1, 0],
            },
            "elbow": {**hinge, "between": ["arm", "hand"], "at": [1, 0, -2]},
            "telescope": {"type": "cylindrical", "between": ["hand", "tool"], "at": [1, 0, -3], "axis": [0, 0, 1]},
        },
        "measures": {
            "reach": {"type": "distance", "between": ["eye", "tip"]},
            "sway": {"type": "displacement", "between": ["eye", "tip"], "axis": [0, 1, 0]},
            "lean": {"type": "displacement", "between": ["eye", "nose"], "axis": [1, 0, 0], "in": "ball"},
            "tilt": {"type": "cosine", "between": ["carriage", "tool"], "axis": [1, 0, 0], "axis2": [0, 0, 1]},
            "twist": {"type": "rotation", "between": ["carriage", "tool"], "axis": [0, 0, 1]},
            "aside": {"type": "displacement", "between": ["nose", "tip"], "axis": [1, 0, 0]},
        },
        "forces": {
            "buffer": {"type": "spring", "along": "rail", "k": 300, "c": 4},
            "sling": {"type": "spring", "along": "rope.rz", "k": 12, "c": 0.3},
            "lift": {"type": "spring", "along": "telescope.displacement", "k": 900, "c": 7},
            "grip": {"type": "spring", "along": "telescope.angle", "k": 15, "c": 0.2},
        },
        "operating_point": "equilibrium",
    }  # fmt: skip
    return eb.Model({**sections, **more})


@pytest.fixture(scope="module")
def point() -> eb.OperatingPoint:
    return eb.operating_point(crane())


@pytest.fixture(scope="module")
def own(point: eb.OperatingPoint) -> eb.LinearModel:
    return eb.linearize(point)


def assert_same_spectrum(one: eb.LinearModel, other: eb.LinearModel) -> None:
    a, b = eb.modes(one).eigenvalues, eb.modes(other).eigenvalues
    np.testing.assert_allclose(a, b, rtol=0, atol=1e-9 * np.abs(a).max())


def test_ten_degrees_of_freedom_with_a_loop(own: eb.LinearModel) -> None:
    assert own.dof == 10
    assert own.dropped == ()
    assert len(own.certificate.redundant) == 3
    assert eb.modes(own).stability == "marginal"  # sideways nothing damps it


TOO_MANY = [
    "sway", "rail", "d", "a", "tool.x", "b", "rope.rx", "rope.ry", "lean", "telescope.angle", "twist", "reach",
    "hand.ry", "elbow", "coupler.z", "aside", "hook.angle1", "hook.angle2", "rope.rz",
]  # fmt: skip


def test_too_many_coordinates(point: eb.OperatingPoint, own: eb.LinearModel) -> None:
    """Kept in order as far as they are independent; every other one is dropped by name and said to be."""
    linear = eb.linearize(point, coordinates=TOO_MANY)
    assert linear.dof == 10
    assert set(linear.coordinates) <= set(TOO_MANY)
    assert list(linear.coordinates) == [name for name in TOO_MANY if name in linear.coordinates]
    assert linear.coordinates[:3] == ("sway", "rail", "d")
    assert sorted((*linear.coordinates, *linear.dropped)) == sorted(TOO_MANY)
    assert {"a", "b", "coupler.z"} <= set(
        linear.dropped
    )  # the parallelogram moves by d alone; coupler.z is of second order
    assert any("dropped" in note and "coupler.z" in note for note in linear.notes)
    assert_same_spectrum(linear, own)


def test_every_dropped_one_depends_on_those_kept_before_it(point: eb.OperatingPoint, own: eb.LinearModel) -> None:
    """Independent of how it is decided: rank of the derivatives by the model's own coordinates."""
    linear = eb.linearize(point, coordinates=TOO_MANY)
    rows = own.dependents(TOO_MANY).value[:, :10]
    rows = rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-9)[:, None]
    kept: list[int] = []
    for i, name in enumerate(TOO_MANY):
        before = np.linalg.matrix_rank(rows[kept], tol=1e-7) if kept else 0
        grows = np.linalg.matrix_rank(rows[[*kept, i]], tol=1e-7) > before
        assert grows == (name in linear.coordinates), name
        if grows:
            kept.append(i)


@pytest.mark.parametrize("few", [["aside"], ["reach", "sway", "tool.ry"], ["twist", "lean", "coupler.x"]])
def test_too_few_coordinates(point: eb.OperatingPoint, own: eb.LinearModel, few: list[str]) -> None:
    linear = eb.linearize(point, coordinates=few)
    assert list(linear.coordinates[: len(few)]) == few
    assert linear.dof == 10
    assert linear.dropped == ()
    filled = set(linear.coordinates[len(few) :])
    tree = {point.system.names[i] for i in point.system.tree_coordinates}
    assert filled <= tree
    assert linear.states == (*linear.coordinates, *(name + "'" for name in linear.coordinates))
    assert_same_spectrum(linear, own)


def test_matrices_transform_as_they_must(point: eb.OperatingPoint, own: eb.LinearModel) -> None:
    """At rest M_new = T^T M T with dS = T dS_new, T from the sensitivities of the new coordinates."""
    new = eb.linearize(point, coordinates=["aside", "sway", "twist", "lean"])
    T = np.linalg.inv(own.dependents(new.coordinates).value[:, :10])
    for name in "MCK":
        expected = T.T @ getattr(own, name) @ T
        np.testing.assert_allclose(getattr(new, name), expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_coordinates_in_a_moving_frame_are_told_to_shift() -> None:
    """The tip seen from a frame that turns: other eigenvalues, and the result says so."""
    model = crane(
        operating_point="reference",
        frames={"table": {"about": [0, 0, 1], "at": [0, 0, 0], "rate": 0.4}},
        measures={
            "east": {"type": "displacement", "between": ["table", "tip"], "axis": [1, 0, 0]},
            "north": {"type": "displacement", "between": ["table", "tip"], "axis": [0, 1, 0]},
        },
    )
    still = eb.linearize(model)
    turning = eb.linearize(model, coordinates=["east", "north"])
    assert turning.coordinates[:2] == ("east", "north")
    assert any("turning frames" in note for note in turning.notes)
    assert np.abs(eb.modes(still).eigenvalues - eb.modes(turning).eigenvalues).max() > 1e-3


# Weights --------------------------------------------------------------------------------------------------------------
def pair(coordinates: Any) -> eb.LinearModel:
    """Two sliders; `sum` is almost the same as `first`."""
    model = eb.Model(
        bodies={"p": {"mass": 1, "at": [0, 0, 0]}, "q": {"mass": 1, "at": [1, 0, 0]}},
        joints={
            "first": {"type": "prismatic", "between": ["ground", "p"], "at": [0, 0, 0], "axis": [1, 0, 0]},
            "second": {"type": "prismatic", "between": ["ground", "q"], "at": [1, 0, 0], "axis": [0, 1, 0]},
        },
        measures={"slant": {"type": "displacement", "between": ["q", "p"], "axis": [1, 1e-3, 0]}},
        forces={n: {"type": "spring", "along": n, "k": k} for n, k in (("first", 4), ("second", 9))},
        coordinates=coordinates,
    )
    return eb.linearize(model)


@pytest.mark.parametrize(
    ("coordinates", "kept", "dropped"),
    [
        (["first", "slant", "second"], {"first", "slant"}, "second"),  # a list is an order
        ({"first": 1, "slant": 1, "second": 1}, {"first", "second"}, "slant"),  # equal weights: the most independent
        (
            {"first": 1, "slant": 1e4, "second": 1},
            {"slant", "second"},
            "first",
        ),  # the heaviest, then the most independent
        ({"slant": 1, "first": 1e5, "second": 1e-5}, {"slant", "first"}, "second"),
        ({"first": 2, "slant": "=3*2", "second": "5"}, {"slant", "second"}, "first"),
    ],
)
def test_weighted_pivoting(coordinates: Any, kept: set[str], dropped: str) -> None:
    linear = pair(coordinates)
    assert set(linear.coordinates) == kept
    assert linear.dropped == (dropped,)
    np.testing.assert_allclose(eb.modes(linear).eigenvalues.imag, [2, 3], rtol=1e-9)


def test_weights_in_the_call(point: eb.OperatingPoint, own: eb.LinearModel) -> None:
    linear = eb.linearize(
        point, coordinates={name: 1.0 + 1e9 * (name == "coupler.x") for name in TOO_MANY} | {"coupler.x": 9}
    )
    assert "coupler.x" in linear.coordinates
    assert linear.dof == 10
    assert_same_spectrum(linear, own)


@pytest.mark.parametrize(
    ("coordinates", "said"),
    [
        ({"first": 0}, "is not positive"),
        ({"first": -1}, "is not positive"),
        ({"frist": 1}, "frist"),
        ({"first": "heavy"}, "coordinates.first"),
        ("first", "a list of measures is expected"),
    ],
)
def test_wrong_weights(coordinates: Any, said: str) -> None:
    with pytest.raises(eb.InputError, match=said):
        pair(coordinates)


# Sensitivities --------------------------------------------------------------------------------------------------------
def test_dependents_of_a_slider_crank_in_motion() -> None:
    """x = r cos a + sqrt(l^2 - r^2 sin^2 a): dx/da, and of x' = x_a a' the derivatives x_aa a' and x_a."""
    r, length, a, rate = 0.5, 1.3, 0.7, 3.0
    model = eb.Model(
        bodies={
            "crank": {"mass": 1, "inertia": BOX, "at": [r / 2, 0, 0]},
            "rod": {"mass": 1, "inertia": BOX, "at": [r + length / 2, 0, 0]},
            "piston": {"mass": 2, "inertia": BOX, "at": [r + length, 0, 0]},
        },
        joints={
            "turn": {
                "type": "revolute",
                "between": ["ground", "crank"],
                "at": [0, 0, 0],
                "position": a,
                "velocity": rate,
            },
            "pin": {"type": "revolute", "between": ["crank", "rod"], "at": [r, 0, 0]},
            "wrist": {"type": "revolute", "between": ["rod", "piston"], "at": [r + length, 0, 0]},
            "bore": {"type": "prismatic", "between": ["ground", "piston"], "at": [0, 0, 0], "axis": [1, 0, 0]},
        },
    )
    linear = eb.linearize(model, coordinates=["turn"])
    found = linear.dependents(["bore", "turn", "piston.x"])
    root = np.sqrt(length**2 - (r * np.sin(a)) ** 2)
    slope = -r * np.sin(a) - r**2 * np.sin(a) * np.cos(a) / root
    bend = -r * np.cos(a) - r**2 * np.cos(2 * a) / root - (r**2 * np.sin(a) * np.cos(a)) ** 2 / root**3
    np.testing.assert_allclose(found.value, [[slope, 0], [1, 0], [slope, 0]], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.rate, [[bend * rate, slope], [0, 1], [bend * rate, slope]], rtol=0, atol=1e-11)
    assert found["bore'"]["turn'"] == pytest.approx(slope)
    assert "bore'" in str(found)


def test_dependents_of_what_does_not_exist(own: eb.LinearModel) -> None:
    with pytest.raises(eb.InputError, match='no measure "raill"') as error:
        own.dependents(["raill"])
    assert "rail" in str(error.value)
