"""Roots between the points of a sweep: expected from the points around, found to rounding in few evaluations."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.sweep import points
from eigenbody.analyses.sweep.roots import Expected, expected_root, roots

T = np.arange(6.0)
STEPS = np.arange(5)


def curve(t):
    return np.exp(0.2 * t) - 1.9  # zero at 5 ln 1.9 = 3.2092...


def test_expected_from_the_points_around():
    """Inverse interpolation: through the four points around the step that lie on both sides, and through eight."""
    root, slope = 5 * np.log(1.9), 1 / (0.2 * 1.9)
    chord = 3 - curve(3.0) / (curve(4.0) - curve(3.0))
    found = expected_root(T, curve(T), STEPS, 3)
    assert abs(found.place - root) < 0.05 * abs(chord - root)
    assert found.slope == pytest.approx(slope, rel=5e-3)
    long = np.arange(8.0)
    found = expected_root(long, curve(long), np.arange(7), 3)
    assert found.place == pytest.approx(root, rel=2e-5)
    assert found.slope == pytest.approx(slope, rel=1e-3)


def test_a_close_guess_needs_one_evaluation():
    """A step near the root is led to it by the slope; one that is not so near is closed in on as ever."""
    root = 5 * np.log(1.9)
    for off, most in ((1e-10, 1), (1e-6, 9)):
        asked = []

        def f(x, which, asked=asked):
            asked.append(x)
            return curve(x)

        guess = [Expected(root + off, 1 / (0.2 * 1.9))]
        ends = (np.array([3.0]), np.array([4.0]))
        found = roots(f, *ends, *(curve(x) for x in ends), guess)
        assert found[0] == pytest.approx(root, rel=1e-15)
        assert len(asked) <= most


def test_expected_where_points_are_missing_or_turn_back():
    lonely = np.array([3])  # the steps before and after are not there: the chord
    assert expected_root(T, curve(T), lonely, 3).place == pytest.approx(3 - curve(3.0) / (curve(4.0) - curve(3.0)))
    back = np.array([0.0, 1.0, -2.0, -1.0, 0.5, 3.0])
    assert expected_root(T, back, STEPS, 1).place == pytest.approx(1 + 1 / 3)  # not monotone over four points
    assert np.isnan(expected_root(T, back, STEPS, 4).place)  # no change of sign


@pytest.mark.parametrize("guess", [None, 3.2, 3.9, 7.0, np.nan])
def test_roots_from_any_guess(guess):
    asked = []

    def f(x, which):
        asked.append(x)
        return curve(x)

    given = () if guess is None else [Expected(guess, 1.0)]  # whose slope is wrong
    found = roots(f, np.array([3.0]), np.array([4.0]), curve(np.array([3.0])), curve(np.array([4.0])), given)
    assert found[0] == pytest.approx(5 * np.log(1.9), rel=1e-15)
    assert all(3 < x[0] < 4 for x in asked)
    assert len(asked) < 9


def test_no_place_is_evaluated_twice(monkeypatch):
    """A rotor whose branches cross and meet the excitation line: what was found while closing in is not found again."""
    asked = []
    original = points.modes_along

    def counting(model, stretch, n=None):
        asked.extend(stretch.t.tolist())
        return original(model, stretch, n)

    monkeypatch.setattr(sys.modules["eigenbody.analyses.sweep.campbell"], "modes_along", counting)
    found = eb.campbell(_rotor(), "speed", np.linspace(0, 300, 16))
    assert len(found.critical_speeds) >= 2
    assert len(asked) == len(set(asked))
    assert len(asked) < 60


def _rotor():
    """A disc on a bearing of unequal springs, with gyroscopic moments."""
    return eb.load({
        "eigenbody": 1,
        "parameters": {"speed": 0},
        "bodies": {"disc": {"mass": 10, "inertia": [0.1, 0.1, 0.18], "at": [0, 0, 0]}},
        "joints": {
            "spin": {"type": "free", "between": ["ground", "disc"], "at": [0, 0, 0],
                     "velocity": [0, 0, 0, 0, 0, "=speed"]},
        },
        "forces": {
            "bearing": {"type": "bearing", "between": ["ground", "disc"], "at": [0, 0, 0],
                        "k": [1e5, 1.6e5, 1e6, 2e3, 2.5e3, 0], "c": [50, 50, 50, 1, 1, 0]},
        },
    })  # fmt: skip
