"""Sweeps of flexible rotors: a few modes found together, the shaft reduced once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.elements.flexible import base

SPEEDS = np.linspace(0.0, 800.0, 5)


def shaft(diameter: float = 0.04) -> eb.Model:
    """1 m of steel on two unequal bearings."""
    bearing = {"type": "bearing", "c": [1e3, 1e3, 0, 0, 0, 0]}
    return eb.Model(
        parameters={"speed": 0.0, "d": diameter},
        flexible={
            "shaft": {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "modes": 6, "E": 210e9, "nu": 0.3,
                      "density": 7850, "diameter": "=d"},
        },
        joints={
            "spin": {"type": "free", "between": ["ground", "shaft.start"], "at": [0, 0, 0],
                     "velocity": [0, 0, 0, 0, 0, "=speed"]},
        },
        forces={
            "left": {**bearing, "between": ["ground", "shaft.start"], "at": [0, 0, 0], "k": [1e7, 8e6, 1e6, 0, 0, 0]},
            "right": {**bearing, "between": ["ground", "shaft.end"], "at": [0, 0, 1], "k": [1e7, 8e6, 0, 0, 0, 0]},
        },
    )  # fmt: skip


@pytest.fixture
def reductions(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Grows with every reduction of a structure to its modes."""
    done: list[int] = []
    whole: Callable[..., Any] = base.reduce

    def counted(*arguments: Any, **keys: Any) -> Any:
        done.append(1)
        return whole(*arguments, **keys)

    monkeypatch.setattr(base, "reduce", counted)
    return done


def test_a_few_modes_found_together_are_those_of_each_point_alone():
    found = eb.campbell(shaft(), "speed", SPEEDS, n=7, refine=0)
    for i, speed in enumerate(SPEEDS):
        alone = eb.modes(shaft().with_parameters(speed=speed), n=7).eigenvalues
        together = found.eigenvalues[i][np.isfinite(found.eigenvalues[i])]
        np.testing.assert_allclose(np.sort(np.abs(together)), np.sort(np.abs(alone)), rtol=1e-9, atol=1e-6)


def test_a_free_turn_deflects_nothing():
    """The second vector of its chain is how the shaft stretches when it turns faster; here that is rounding alone."""
    found = eb.campbell(shaft(), "speed", SPEEDS, n=7, refine=0)
    assert not any("deflect" in note for note in found.notes)


def test_the_shaft_is_reduced_once(reductions: list[int]):
    eb.campbell(shaft(), "speed", SPEEDS, n=7)
    assert len(reductions) == 1


def test_another_shaft_is_reduced_anew(reductions: list[int]):
    thin, thick = shaft(), shaft().with_parameters(d=0.06)
    first = [eb.modes(model).frequency_hz[-1] for model in (thin, thick, thin.with_parameters(d=0.06))]
    assert first[0] != pytest.approx(first[1], rel=1e-2)
    assert first[2] == first[1]
    assert len(reductions) == 3  # each by itself, and the last is not like the one it was made from
