"""Damping, gyroscopic, conservative and circulatory parts of the linear equations."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize("name", ["rotor_stator", "wheelset", "four_bar"])
def test_parts_add_up_and_only_those_of_the_physics_are_there(name: str) -> None:
    """A rotor turns (gyroscopic) without circulatory forces; creep at the wheels of a wheelset circulates."""
    linear = eb.linearize(eb.load(EXAMPLES / f"{name}.yaml"))
    split = {key: np.array(part) for key, part in linear.document()["split"].items()}
    np.testing.assert_allclose(split["dissipative"] + split["gyroscopic"], linear.C, atol=1e-9 * np.abs(linear.C).max())
    np.testing.assert_allclose(split["conservative"] + split["circulatory"], linear.K, rtol=1e-12, atol=1e-6)
    assert np.array_equal(split["gyroscopic"], -split["gyroscopic"].T)
    there = {key for key, part in split.items() if part.any()}
    expected = {
        "rotor_stator": {"dissipative", "gyroscopic", "conservative"},
        "wheelset": {"dissipative", "conservative", "circulatory"},
        "four_bar": {"conservative"},
    }
    assert there == expected[name]
    line = next(line for line in str(linear).splitlines() if line.startswith("Largest entries"))
    assert {key for key in split if f"{key} " in line} == there


def test_without_square_matrices_there_is_no_split() -> None:
    assert eb.linearize(eb.load(EXAMPLES / "rolling_disc.yaml")).document()["split"] is None
