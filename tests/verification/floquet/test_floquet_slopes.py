"""Sensitivities of Floquet exponents against differences of the whole computation, and against closed forms."""

import json

import numpy as np
import pytest

import eigenbody as eb
from bladed_rotors import nacelle
from eigenbody.base.errors import InputError

ORIGIN = [0, 0, 0]


def slider(force: str, position: float = 0.0, **parameters: float) -> eb.Model:
    rail = {"type": "prismatic", "between": ["ground", "block"], "at": ORIGIN, "axis": [1, 0, 0]}
    return eb.Model(
        parameters=parameters,
        bodies={"block": {"mass": 1, "at": [0, 0, 0]}},
        joints={"s": {**rail, "position": position}},
        forces={"pull": {"type": "expression", "along": "s", "value": force}},
    )


def shaken_bar() -> eb.Model:
    """A bar that stands on a pivot that shakes along z and turns: prescribed motions, loads that change, a closed joint
    offset; 0.35 phi'' = 0.5 (g - 0.05 w^2 cos w t) phi."""
    return eb.Model(
        parameters={"w": 150.0},
        gravity=[0, 0, -9.81],
        bodies={"pivot": {"mass": 1, "at": [0, 0, 0]}, "bar": {"mass": 1, "inertia": [0.1] * 3, "at": [0, 0, 0.5]}},
        joints={
            "shake": {"type": "prismatic", "between": ["ground", "pivot"], "at": ORIGIN, "motion": "=0.05*cos(w*t)"},
            "tilt": {"type": "revolute", "between": ["pivot", "bar"], "at": ORIGIN, "axis": [0, 1, 0]},
        },
    )


def two_bars(speed: float) -> eb.Model:
    """Two blades on a nacelle that tilts and slides."""
    parts = nacelle(speed, hub_height=0.4)
    parts["joints"]["spin"]["motion"] = "=speed*t"
    for b, side in enumerate((1, -1)):
        parts["bodies"][f"b{b}"] = {"mass": 1, "inertia": [0.002, 0.03, 0.032], "at": [0.4 * side, 0, 0.4]}
        hinge = {"type": "revolute", "between": ["hub", f"b{b}"], "at": [0.1 * side, 0, 0.4], "axis": [0, 0, 1]}
        parts["joints"][f"lag{b}"] = hinge
        parts["forces"][f"spring{b}"] = {"type": "spring", "along": f"lag{b}", "k": 12, "c": 0.1}
    return eb.Model(parameters={"speed": speed}, **parts)


def by_differences(model: eb.Model, name: str, order: np.ndarray, relative: float, **options: str) -> np.ndarray:
    """d exponent / dp by central differences; exponents at neighbours are the nearest ones."""
    value = model.value_of(name)
    h = relative * (abs(value) or 1.0)

    def at(k: int) -> np.ndarray:
        found = eb.floquet(model.with_values({name: value + k * h}), **options)
        return np.array([found.exponents[np.argmin(np.abs(found.exponents - one))] for one in order])

    return (at(1) - at(-1)) / (2 * h)


@pytest.mark.parametrize(
    ("model", "names", "options"),
    [
        (slider("=-(a - 2*q*cos(2*t))*s - 0.1*s'", a=2.3, q=0.7), ("a", "q"), {"period": "=pi"}),
        (shaken_bar(), ("w", "bodies.bar.mass", "bodies.bar.at[2]", "gravity[2]"), {"period": "=2*pi/w"}),
        (
            slider("=-s - al*s**3 - 0.2*s' + 0.3*cos(w*t)", al=0.5, w=2.0),
            ("al", "w"),
            {"period": "=2*pi/w"},
        ),
    ],
)
def test_slopes_are_those_of_the_whole_computation(model, names, options):
    """Parametric stiffness; prescribed motion, loads and geometry; a forced nonlinear motion that moves with p."""
    found = eb.floquet(model, **options, sensitivity=names)
    for k, name in enumerate(names):
        wanted = by_differences(model, name, found.exponents, 1e-4, **options)
        np.testing.assert_allclose(found.slopes.exponents[k], wanted, atol=1e-6 * np.abs(wanted).max(), err_msg=name)


def test_slopes_of_two_blades_by_speed_and_hinge():
    """The period is one turn, and changes with the speed."""
    model, names = two_bars(9.0), ("speed", "joints.lag0.at[0]")
    found = eb.floquet(model, sensitivity=names)
    assert found.slopes.period[0] == pytest.approx(-found.period / 9.0, rel=1e-10)
    for k, name in enumerate(names):
        wanted = by_differences(model, name, found.exponents, 1e-4)
        np.testing.assert_allclose(found.slopes.exponents[k], wanted, atol=1e-6 * np.abs(wanted).max(), err_msg=name)


def test_slopes_of_a_limit_cycle_and_of_its_period():
    """Van der Pol: T(mu) and the multiplier by differences of the cycles found at neighbours."""
    model = slider("=-s + mu*(1 - s**2)*s'", position=0.5, mu=1.0)
    found = eb.floquet(model, "free", sensitivity="mu")
    near = [eb.floquet(model.with_values({"mu": 1 + h}), "free") for h in (3e-4, -3e-4)]
    assert found.slopes.period[0] == pytest.approx((near[0].period - near[1].period) / 6e-4, rel=1e-6)
    wanted = (near[0].multipliers[1].real - near[1].multipliers[1].real) / 6e-4
    assert found.slopes.multipliers[0, 1].real == pytest.approx(wanted, rel=3e-6)
    assert np.isnan(found.slopes.exponents[0, 0].real)  # along the cycle itself nothing changes


def test_slopes_are_in_table_document_and_arrays():
    found = eb.floquet(slider("=-(a - 2*q*cos(2*t))*s", a=2.3, q=0.7), "=pi", sensitivity=["a", "q"])
    document = json.loads(json.dumps(found.document()))["sensitivity"]
    assert [entry["name"] for entry in document] == ["a", "q"]
    assert document[0]["exponents"][0][1] == found.slopes.exponents[0, 0].imag
    assert "Sensitivity" in str(found)


def test_what_cannot_be_differentiated_says_so():
    with pytest.raises(InputError, match="aa"):
        eb.floquet(slider("=-(a - 2*q*cos(2*t))*s", a=2.3, q=0.7), "=pi", sensitivity="aa")
