"""One-sided constraints: which are closed at the start, and what the mechanism then does."""

from __future__ import annotations

import numpy as np
import pytest

import eigenbody as eb

G = 9.81


def stack(gravity: float = -G, **drivers: dict) -> eb.Model:
    """A block on a spring to ground (100 N/m), and a second one on a spring of 500 N/m on top of it."""
    return eb.load({
        "eigenbody": 1,
        "gravity": [0, 0, gravity],
        "bodies": {name: {"mass": mass, "inertia": [1, 1, 1], "at": [0, 0, z]} for name, mass, z in
                   (("low", 2.0, 1.0), ("high", 1.0, 1.5))},
        "joints": {
            "lift": {"type": "prismatic", "between": ["ground", "low"], "at": [0, 0, 1], "axis": [0, 0, 1]},
            "top": {"type": "prismatic", "between": ["low", "high"], "at": [0, 0, 1.5], "axis": [0, 0, 1]},
        },
        "forces": {"ground": {"type": "spring", "along": "lift", "k": 100},
                   "soft": {"type": "spring", "along": "top", "k": 500}},
        "drivers": {name: {"measure": "lift", **keys} for name, keys in drivers.items()},
    })  # fmt: skip


def free_frequencies() -> np.ndarray:
    M = np.array([[3.0, 1.0], [1.0, 1.0]])
    return np.sqrt(np.linalg.eigvals(np.linalg.solve(M, np.diag([100.0, 500.0]))))


def test_pressed_on_the_floor_it_is_closed() -> None:
    point = eb.operating_point(stack(floor={"motion": 0, "side": "above"}))
    assert point.system.one_sided == {"floor": "closed"}
    assert np.abs(eb.modes(point).eigenvalues) == pytest.approx([np.sqrt(500)], rel=1e-12)


@pytest.mark.parametrize(
    ("gravity", "driver"),
    [
        (-G, {"motion": 0, "side": "below"}),  # a ceiling from which the weight falls away
        (G, {"motion": 0, "side": "above"}),  # pulled off the floor
        (-G, {"motion": -0.5, "side": "above"}),  # a floor further down
    ],
)
def test_what_would_pull_or_is_not_reached_is_open(gravity: float, driver: dict) -> None:
    point = eb.operating_point(stack(gravity, floor=driver))
    assert point.system.one_sided == {"floor": "open"}
    found = np.sort(np.abs(eb.modes(point).eigenvalues))
    assert found == pytest.approx(np.sort(free_frequencies()), rel=1e-9)


def test_of_two_that_touch_the_pushing_one_stays() -> None:
    point = eb.operating_point(stack(ceiling={"motion": 0, "side": "below"}, floor={"motion": 0, "side": "above"}))
    assert point.system.one_sided == {"ceiling": "open", "floor": "closed"}
    assert not point.redundant


def test_a_floor_that_is_drawn_too_high_lifts_the_block() -> None:
    point = eb.operating_point(stack(floor={"motion": 0.2, "side": "above"}))
    assert point.system.one_sided == {"floor": "closed"}
    assert point.coordinates()["lift"] == pytest.approx(0.2, abs=1e-12)
