"""Quantities with units: values, dimension checks, and messages that say what to write instead."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenbody.model.units import UnitError, parse_quantity

DEG = math.pi / 180


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("30 deg", "rad", 30 * DEG),
        ("30deg", "rad", 30 * DEG),
        ("30°", "rad", 30 * DEG),
        ("1e4 N*m/deg", "N*m/rad", 1e4 / DEG),
        ("10 N*m*s/deg", "N*m*s/rad", 10 / DEG),
        ("600 rpm", "rad/s", 20 * math.pi),
        ("1 rev/s", "rad/s", 2 * math.pi),
        ("0.5 Hz", "1/s", 0.5),
        ("2 kHz", "1/s", 2000.0),
        ("0.5 Hz", None, 0.5),
        ("-5 mm", "m", -0.005),
        ("1.5e3", "m", 1500.0),
        (" 2 ", "kg", 2.0),
        ("3 kg*m^2", "kg*m^2", 3.0),
        ("3 kg*m**2", "kg*m^2", 3.0),
        ("3 kg m^2", "kg*m^2", 3.0),
        ("2 t", "kg", 2000.0),
        ("5 mm/rev", "m/rad", 0.005 / (2 * math.pi)),
        ("500 N*m", "N*m/rad", 500.0),
        ("9.81 m/s^2", "m/s^2", 9.81),
        ("1 g0", "m/s^2", 9.80665),
        ("36 km/h", "m/s", 10.0),
        ("1 lbf/in", "N/m", 4.4482216152605 / 0.0254),
        ("5 %", "1", 0.05),
        ("3 N/mm", "N/m", 3000.0),
        ("1 kN", "N", 1000.0),
        ("2 1/s", "1/s", 2.0),
        ("2 s^-1", "1/s", 2.0),
    ],
)
def test_value_in_si(text: str, dimension: str | None, value: float) -> None:
    assert parse_quantity(text, dimension) == pytest.approx(value, rel=4e-16)


@pytest.mark.parametrize(
    ("text", "dimension", "words"),
    [
        ("0.5 Hz", "rad/s", ["rev/s", "rad/s", "2*pi"]),
        ("2 kHz", "rad/s", ["rev/s"]),
        ("3 rad", "m", ["an angle", '"m"']),
        ("30 deg", "m", ["an angle", '"m"']),
        ("3 m", "rad", ["a length", '"rad"']),
        ("3 one", "m", ["plain number", '"m"']),
        ("5 deg", "1", ["without unit"]),
        ("5 mm", "m/rad", ["m/rad", "rev"]),
        ("3 N*m/rad", "N*m", ['"N*m"']),
        ("3 s", "kg", ["a time", '"kg"']),
        ("3 mmm", "m", ['unknown unit "mmm"', 'Did you mean "mm"?']),
        ("3 newtn", "N", ['Did you mean "newton"?']),
        ("20 degC", None, ["offset", "K"]),
        ("1,5 mm", "m", ["1,5 mm", "point"]),
        ("1/3 m", "m", ["=1/3"]),
        ("nan", "m", ["not a number"]),
        ("inf m", "m", ["not a number"]),
        ("1e400 m", "m", ["too large"]),
        ("1e308 km", "m", ["too large"]),
        ("", "m", ["not a number"]),
        ("fast", "m/s", ["fast"]),
        ("3 m*", "m", ["not a unit"]),
        ("3 m+m", "m", ["not a unit"]),
        ("3 m**9**9**9**9", "m", ["not a unit"]),
        ("3 m^(9^(9^9))", "m", ["not a unit"]),
        ("3 m 5", "m", ["not a unit"]),
        ("3 __class__", None, ["unknown unit"]),
    ],
)
def test_refusal_says_what_to_write(text: str, dimension: str | None, words: list[str]) -> None:
    with pytest.raises(UnitError) as caught:
        parse_quantity(text, dimension)
    for word in words:
        assert word in str(caught.value)


@given(st.text(alphabet="13.e-+ mNskgradeHz*/^()%°_x", max_size=16), st.sampled_from([None, "m", "rad/s", "1"]))
@settings(max_examples=600, deadline=None)
def test_any_text_gives_a_finite_number_or_a_unit_error(text: str, dimension: str | None) -> None:
    value, refusal = math.nan, ""
    try:
        value = parse_quantity(text, dimension)
    except UnitError as problem:
        refusal = str(problem)
    assert refusal or math.isfinite(value)
