"""Numbers at the ends of double precision: they mean what they say, or are refused with the place where they stand."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import eigenbody as eb


def pendulum(**joint: Any) -> eb.Model:
    pin = {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0], **joint}
    bob = {"mass": 1, "inertia": [0.1, 0.2, 0.3], "at": [0, 0, -1]}
    return eb.load({"eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": {"bob": bob}, "joints": {"pin": pin}})


def beam(**keys: Any) -> eb.Model:
    rod = {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "E": 210e9, "density": 7850, "diameter": 0.04, **keys}
    return eb.load({"eigenbody": 1, "flexible": {"rod": {"modes": 2, **rod}}})


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-200, 1e200, 1e308, 2**64, 10**30])
def test_a_direction_has_any_length(size: float) -> None:
    """A pendulum about y: omega^2 = m g l / (Iyy + m l^2), whatever the length of the axis."""
    found = eb.modes(pendulum(axis=[0, size, 0])).eigenvalues[0]
    assert found.imag**2 == pytest.approx(9.81 / 1.2, rel=1e-12)


@pytest.mark.parametrize("size", [5e-324, 1e200])
def test_a_rotation_has_any_length(size: float) -> None:
    """A half turn about y leaves the pendulum as it is."""
    for rotation in ({"axis": [0, size, 0], "angle": "180 deg"}, {"quaternion": [0, 0, size, 0]}):
        document = pendulum().document
        document["bodies"]["bob"]["rotation"] = rotation
        assert eb.modes(eb.load(document)).eigenvalues[0].imag ** 2 == pytest.approx(9.81 / 1.2, rel=1e-12)


@pytest.mark.parametrize("whole", [2**63, 2**64, 10**30, -(2**64)])
def test_whole_numbers_are_numbers_however_large(whole: int) -> None:
    """Alone, in a vector and in a profile: the same as the decimal number."""
    for model in (lambda v: pendulum(at=[0, v, 0]), lambda v: beam(tension=v), lambda v: beam(density=abs(v))):
        one, other = (np.asarray(eb.linearize(model(value)).K) for value in (whole, float(whole)))
        assert np.array_equal(one, other)


@pytest.mark.parametrize(
    "keys",
    [{"mass_offset": [1.8e308, 0]}, {"density": 1.8e308}, {"E": 10**400}, {"points": [[0, 0, 0], [0, 0, 10**400]]}],
)
def test_what_is_no_double_is_refused_where_it_stands(keys: dict) -> None:
    with pytest.raises(eb.InputError, match=rf"flexible\.rod\.{next(iter(keys))}.*not a finite number"):
        eb.modes(beam(**keys))


@pytest.mark.parametrize("keys", [{"mass_offset": [1e308, 0]}, {"mass_offset": [1e200, 0]}])
def test_a_beam_whose_mass_overflows_is_refused(keys: dict) -> None:
    with pytest.raises(eb.InputError, match=r"flexible\.rod: its mass or stiffness is too large or too small"):
        eb.modes(beam(**keys))


@pytest.mark.parametrize(("size", "why"), [(1e308, "too large"), (-1e101, "too large"), (1e-300, "too small")])
def test_sizes_whose_products_are_no_numbers_are_refused_where_they_stand(size: float, why: str) -> None:
    """As a parameter, as the value of an expression, as a number and in a vector; zero and 1e100 are fine."""
    document = pendulum().document
    for place, model in {
        "parameters.k": {**document, "parameters": {"k": size}},
        "parameters.two": {**document, "parameters": {"one": 2, "two": f"={size!r}*(one - 1)"}},
        "bodies.bob.mass": {**document, "bodies": {"bob": {**document["bodies"]["bob"], "mass": size}}},
        "bodies.bob.at[2]": {**document, "bodies": {"bob": {**document["bodies"]["bob"], "at": [0, 0, size]}}},
    }.items():
        with pytest.raises(eb.InputError, match=rf"{re.escape(place)}.*{why} to be computed with"):
            eb.load(model)
    eb.load({**document, "parameters": {"a": 1e100, "b": 0, "c": 1e-100}})


def test_energy_beyond_all_numbers_is_said_so() -> None:
    """A mass that a negative spring pushes out at 500 1/s: exp(450) squared is no number."""
    model = eb.load({
        "eigenbody": 1, "bodies": {"m": {"mass": 1, "at": [0, 0, 0]}},
        "joints": {"x": {"type": "prismatic", "between": ["ground", "m"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "forces": {"s": {"type": "spring", "along": "x", "k": -250000}}, "outputs": {"x": {"measure": "x"}},
    })  # fmt: skip
    said = str(eb.response(model, initial={"x": 1.0}, times=(0.9, 5)))
    assert "nan" not in said
    assert "is beyond all numbers" in said
