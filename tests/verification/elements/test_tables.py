"""Tables of straight lines with parameters in their points, wherever a table may stand: derivatives and variants."""

import numpy as np
import pytest

import eigenbody as eb

POINTS = [[-1, "=-2*k"], [-0.2, "=-0.2*k"], ["=w", "=w*k"], [1, "=1.5*k"]]


def mass(**more: object) -> dict:
    """A mass on a rail at 0.1 m and 0.2 m/s."""
    rail = {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0], "position": 0.1}
    return {
        "eigenbody": 1, "parameters": {"k": 100.0, "m": 2.0, "w": 0.5},
        "bodies": {"b": {"mass": "=m", "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        "joints": {"rail": {**rail, "velocity": 0.2}}, **more,
    }  # fmt: skip


SPRING = {"type": "spring", "along": "rail", "k": "=20*k", "c": 1.0}
PUSH = {"type": "force", "body": "b", "at": [0, 0, 0]}
PLACES = {
    "own measure": mass(forces={"a": {**SPRING, "force": {"table": POINTS}}}),
    "of an expression": mass(forces={"a": {**SPRING, "force": {"table": POINTS, "of": "=s + 0.1*v*m"}}}),
    "motor": mass(forces={"a": SPRING, "b": {"type": "motor", "along": "rail", "curve": {"table": POINTS}}}),
    "component of a force": mass(
        forces={"a": SPRING, "b": {**PUSH, "value": [{"table": POINTS, "of": "=-rail"}, 0, 0]}}
    ),
    "variable": mass(
        variables={"q": {"table": POINTS, "of": "=rail"}}, forces={"a": SPRING, "b": {**PUSH, "value": ["=-q", 0, 0]}}
    ),
    "rate of a state": mass(
        states={"x": {"initial": 0.0, "rate": {"table": POINTS, "of": "=rail - 0.1*x"}}},
        forces={"a": SPRING, "b": {**PUSH, "value": ["=-x", 0, 0]}},
    ),
}


def sorted_eigenvalues(model: eb.Model) -> np.ndarray:
    return np.sort_complex(np.linalg.eigvals(eb.linearize(model).A))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("parameter", ["k", "w", "m"])
def test_derivatives_of_the_linear_model(place: str, parameter: str) -> None:
    """Against central differences, whose own error is of the size 1e-9."""
    model = eb.load(PLACES[place])
    value, h = PLACES[place]["parameters"][parameter], 1e-5
    up, down = (eb.linearize(model.with_parameters(**{parameter: value + d})).A for d in (h, -h))
    assert eb.derivatives(model, [parameter]).dA[0] == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("place", PLACES)
def test_variants_are_what_each_model_gives_alone(place: str) -> None:
    """Knots move with w: variants lie on different pieces (the mass is at 0.1 m, w from 0.05)."""
    model = eb.load(PLACES[place])
    given = {"k": [90.0, 100.0, 130.0], "w": [0.05, 0.5, 0.8]}
    found = eb.variants(model, given)
    for i in range(3):
        alone = sorted_eigenvalues(model.with_parameters(k=given["k"][i], w=given["w"][i]))
        assert np.sort_complex(found.eigenvalues[i]) == pytest.approx(alone, rel=1e-10)


@pytest.mark.parametrize("place", PLACES)
def test_other_routes_agree(place: str) -> None:
    found = eb.verify(eb.load(PLACES[place]), ["relative", "difference"])
    assert found.verdict == "agree"


def test_a_table_without_argument_is_of_the_speed_in_a_motor_whatever_its_interpolation() -> None:
    """-F'(v) at 0.2 m/s is the damping: 100 on a line of that slope, straight or smooth."""
    for how in ("linear", "spline", "monotone"):
        curve = {"table": [[-1, 100], [0, 0], [1, -100]], "interpolation": how}
        model = mass(forces={"a": {"type": "motor", "along": "rail", "curve": curve}})
        assert pytest.approx(np.array([[100.0]]), rel=1e-12) == eb.linearize(eb.load(model)).C


def test_corners_in_a_motion_are_refused() -> None:
    model = mass()
    model["joints"]["rail"] = {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    model["joints"]["rail"]["motion"] = {"table": [[0, 0], ["=w", 1]]}
    with pytest.raises(eb.InputError, match=r"no acceleration at their corners\. Give interpolation: spline"):
        eb.load(model)


@pytest.mark.parametrize("interpolation", ["linear", "spline", "monotone"])
def test_a_table_over_a_parameter_has_its_value_in_every_variant(interpolation):
    """Found together, variants read the table each at its own place, and are refused beyond it where it is smooth."""
    table = {"table": [[1, 100], [2, 400], [4, 900]], "of": "=load", "interpolation": interpolation}
    model = eb.Model(
        parameters={"load": 1.5},
        bodies={"mass": {"mass": 1.0, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        joints={"slide": {"type": "prismatic", "between": ["ground", "mass"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        variables={"stiffness": table},
        forces={"spring": {"type": "expression", "along": "slide", "value": "=-stiffness*slide"}},
    )
    loads = [1.2, 2.0, 3.5]
    found = eb.variants(model, {"load": loads})
    alone = [eb.linearize(model.with_parameters(load=load)).K[0, 0] for load in loads]
    assert min(alone) > 100.0
    np.testing.assert_allclose(found.K[:, 0, 0], alone, rtol=1e-13)
    np.testing.assert_allclose(
        eb.sweep(model, "load", loads).eigenvalues[:, -1].imag[[0, -1]] ** 2, [alone[0], alone[-1]]
    )
    assert list(eb.variants(model, {"load": [1.2, 5.0]}).failures) == ([] if interpolation == "linear" else [1])
