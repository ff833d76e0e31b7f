"""Steady motions along a path are those that the search finds one by one, and few of them are searched for."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.linearization.linearize import dense_model
from eigenbody.operating.family import Failed
from eigenbody.operating.steady import along, find_steady
from eigenbody.operating.steady.along import steady_along
from eigenbody.operating.steady.found import SteadyPoint

EXAMPLES = Path(__file__).parents[3] / "examples"
ORIGIN, X, Z = [0, 0, 0], [1, 0, 0], [0, 0, 1]


def motorcycle() -> dict[str, Any]:
    """Straight running with tyres, suspension and steering damper: throttle and wheel speeds are found (9 dof)."""
    head = [-0.42, 0, 0.9075]
    tyre = {"type": "tyre", "axis": [0, 1, 0], "radius": 0.22, "tube": 0.08, "longitudinal_stiffness": 2e4}
    tyre |= {"cornering_stiffness": 2e4, "camber_stiffness": 1400, "k": 1.8e5, "load": 1300}
    return {
        "eigenbody": 1,
        "parameters": {"v": 20},
        "gravity": [0, 0, -9.81],
        "bodies": {
            "chassis": {"mass": 218, "inertia": [18, 32, 22, 0, -3, 0], "at": [0.63, 0, 0.61]},
            "fork": {"mass": 15, "inertia": [0.8, 0.7, 0.3], "at": [1.2, 0, 0.75]},
            "rear": {"mass": 16, "inertia": [0.38, 0.64, 0.38], "at": [0, 0, 0.3]},
            "front": {"mass": 12, "inertia": [0.27, 0.48, 0.27], "at": [1.4, 0, 0.3]},
        },
        "joints": {
            "road": {"type": "free", "between": ["ground", "chassis"], "at": [0.63, 0, 0.61],
                     "velocity": ["=v", 0, 0, 0, 0, 0]},
            "steer": {"type": "revolute", "between": ["chassis", "fork"], "at": [1.1, 0, 0.9], "axis": head},
            "rear_hub": {"type": "revolute", "between": ["chassis", "rear"], "at": [0, 0, 0.3], "axis": [0, 1, 0],
                         "velocity": "=v/0.3"},
            "front_hub": {"type": "revolute", "between": ["fork", "front"], "at": [1.4, 0, 0.3], "axis": [0, 1, 0],
                          "velocity": "=v/0.3"},
        },
        "forces": {
            "damper": {"type": "spring", "along": "steer", "k": 0, "c": 6},
            "rear_tyre": {**tyre, "between": ["ground", "rear"], "at": [0, 0, 0.3], "relaxation": 0.25},
            "front_tyre": {**tyre, "between": ["ground", "front"], "at": [1.4, 0, 0.3], "relaxation": 0.2},
            "drag": {"type": "force", "body": "chassis", "at": [0.6, 0, 0.9], "value": ["=-0.35*v**2", 0, 0]},
        },
        "inputs": {"throttle": {"along": "rear_hub"}},
        "operating_point": {
            "steady": {"prescribed": {"road.x'": "=v"}, "adjust": ["throttle", "rear_hub'", "front_hub'"]}
        },
    }  # fmt: skip


def yoke() -> dict[str, Any]:
    """A pendulum of length l in a yoke turned at a given rate: it hangs below sqrt(g/l), and stands off above."""
    return {
        "eigenbody": 1,
        "parameters": {"rate": 1.0},
        "gravity": [0, 0, -9.81],
        "bodies": {
            "yoke": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": ORIGIN},
            "bob": {"mass": 2, "inertia": [0, 0, 0], "at": [0, 0, -0.5]},
        },
        "joints": {
            "turn": {"type": "revolute", "between": ["ground", "yoke"], "at": ORIGIN, "axis": Z, "velocity": "=rate"},
            "lean": {"type": "revolute", "between": ["yoke", "bob"], "at": ORIGIN, "axis": [0, 1, 0]},
        },
        "operating_point": {"steady": {"prescribed": {"turn'": "=rate"}}},
    }


def turntable() -> dict[str, Any]:
    """A slider k, m on a turntable: the speed that throws it out to a radius is found as a parameter."""
    return {
        "eigenbody": 1,
        "parameters": {"radius": 0.3, "speed": 3.0},
        "frames": {"turn": {"about": Z, "rate": "=speed"}},
        "bodies": {"mass": {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], "at": [0.2, 0, 0]}},
        "joints": {"slide": {"type": "prismatic", "between": ["turn", "mass"], "at": [0.2, 0, 0], "axis": X}},
        "forces": {"spring": {"type": "spring", "along": "slide", "k": 100.0}},
        "operating_point": {"steady": {"prescribed": {"slide": "=radius - 0.2"}, "adjust": ["speed"]}},
    }


def searches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts points that are searched for by themselves."""
    count: list[int] = []
    found = along.search
    monkeypatch.setattr(along, "search", lambda *args: count.append(1) or found(*args))
    return count


def one_by_one(model: eb.Model, name: str, values: np.ndarray) -> list[Any]:
    out = []
    for value in values:
        asked = model.with_values({name: float(value)})
        options = asked.description.operating_point or {}
        out.append(find_steady(asked, options.get("prescribed") or {}, options.get("adjust") or ()))
    return out


CASES = {
    "motorcycle": (motorcycle(), "v", (10.0, 40.0), 2),
    "governor": (EXAMPLES / "flyball_governor.yaml", "speed", (15.5, 17.5), 2),
    "turntable": (turntable(), "radius", (0.3, 0.5), 2),  # a parameter is to be found: one after the other
}


@pytest.mark.parametrize("case", CASES)
def test_points_between_are_those_found_one_by_one(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source, name, (low, high), most = CASES[case]
    model = eb.load(source)
    values = np.linspace(low, high, 7)
    expected = one_by_one(model, name, values[::3])
    count = searches(monkeypatch)
    found = steady_along(model, np.arange(7.0), {name: values})
    assert len(count) == most
    for there, motion in zip(found[::3], expected, strict=True):
        assert isinstance(there, SteadyPoint)
        linear = dense_model(motion.point)
        assert there.linear.states == linear.states
        assert there.stability == motion.stability
        assert there.point.warnings == motion.point.warnings
        assert there.point.residual < 1e-12
        scale = np.abs(linear.A).max(axis=1, keepdims=True) + 1e-3 * np.abs(linear.A).max()
        np.testing.assert_array_less(np.abs(there.linear.A - linear.A), np.broadcast_to(1e-10 * scale, linear.A.shape))


def test_a_change_of_branch_is_found_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below sqrt(g/l) the pendulum hangs, above it leans by acos(g/(l rate^2)): at every speed as the closed form."""
    model = eb.load(yoke())
    rates = np.linspace(2.0, 9.0, 15)
    count = searches(monkeypatch)
    found = steady_along(model, np.arange(15.0), {"rate": rates})
    assert len(count) == 2
    for rate, there in zip(rates, found, strict=True):
        assert isinstance(there, SteadyPoint)
        lean = math.acos(min(1.0, 9.81 / (0.5 * rate**2)))
        assert abs(there.point.coordinates()["lean"]) == pytest.approx(lean, abs=1e-9)
        assert there.stability != "unstable"
    notes = [note for there in found for note in there.notes if "another branch" in note]  # type: ignore[union-attr]
    assert len(notes) == 1
    critical = math.sqrt(9.81 / 0.5)
    k = int(np.searchsorted(rates, critical))
    assert notes[0].startswith(f"Between rate = {rates[k - 1]:.6g} and rate = {rates[k]:.6g} (SI)")


@pytest.mark.parametrize("count", [2, 3, 6, 11])
def test_a_change_between_two_stable_branches_is_named(count: int) -> None:
    """Above sqrt(g/l) the pendulum leans to either side; where the guess changes sides with the rate, so does a point,
    and exactly one note says where. Two points have nothing beside them that could let expect another."""
    document = yoke()
    document["joints"]["lean"]["position"] = "=0.3*(rate - 7.2)"
    rates = np.linspace(6.0, 8.0, count)
    found = steady_along(eb.load(document), np.arange(float(count)), {"rate": rates})
    leans = np.array([there.point.coordinates()["lean"] for there in found])  # type: ignore[union-attr]
    np.testing.assert_allclose(np.abs(leans), np.arccos(9.81 / (0.5 * rates**2)), atol=1e-9)
    changes = np.flatnonzero(np.sign(leans[1:]) != np.sign(leans[:-1]))
    notes = [note for there in found for note in there.notes if "another branch" in note]  # type: ignore[union-attr]
    assert len(changes) == 1
    k = int(changes[0])
    assert notes == [
        f"Between rate = {rates[k]:.6g} and rate = {rates[k + 1]:.6g} (SI) the steady motion changes to another branch."
    ]


@pytest.mark.parametrize("count", [2, 9])
def test_one_branch_has_no_note(count: int) -> None:
    document = yoke()
    document["joints"]["lean"]["position"] = 1.0
    rates = np.linspace(5.0, 9.0, count)
    found = steady_along(eb.load(document), np.arange(float(count)), {"rate": rates})
    assert not [note for there in found for note in there.notes if "another branch" in note]  # type: ignore[union-attr]


def test_points_do_not_depend_on_the_order_of_the_path() -> None:
    model = eb.load(yoke())
    rates = np.linspace(3.0, 7.0, 5)
    up = steady_along(model, np.arange(5.0), {"rate": rates})
    down = steady_along(model, np.arange(5.0), {"rate": rates[::-1]})
    for one, other in zip(up, reversed(down), strict=True):
        lean = [abs(there.point.coordinates()["lean"]) for there in (one, other)]  # type: ignore[union-attr]
        assert lean[0] == pytest.approx(lean[1], abs=1e-9)


@pytest.mark.parametrize("count", [5, 8, 15])
def test_a_branch_that_begins_between_stable_points_is_named(count: int) -> None:
    """With a guess beside it the pendulum leans as soon as it can: no point is unstable, and none is far from where its
    neighbours let expect it, because the rate itself changes by more."""
    document = yoke()
    document["joints"]["lean"]["position"] = 0.3
    rates = np.linspace(2.0, 9.0, count)
    found = steady_along(eb.load(document), np.arange(float(count)), {"rate": rates})
    assert all(there.stability != "unstable" for there in found)  # type: ignore[union-attr]
    k = int(np.searchsorted(rates, math.sqrt(9.81 / 0.5)))
    assert [(p.low, p.high) for there in found for p in there.partings] == [(k - 1, k)]  # type: ignore[union-attr]


def test_every_change_of_branch_in_a_sweep_is_named() -> None:
    """Up beyond sqrt(g/l) and down again: the pendulum begins to lean, and hangs again."""
    document = yoke()
    document["joints"]["lean"]["position"] = 0.3
    rates = [3.0, 4.0, 5.0, 6.0, 5.5, 4.2, 3.5]
    notes = [note for note in eb.sweep(eb.load(document), "rate", rates, refine=0).notes if "another branch" in note]
    assert [note.partition(" (SI)")[0] for note in notes] == [
        "Between rate = 4 and rate = 5", "Between rate = 5.5 and rate = 4.2",
    ]  # fmt: skip


def test_refined_points_start_from_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    model = eb.load(motorcycle())
    known = steady_along(model, np.array([0.0, 4.0]), {"v": np.array([20.0, 24.0])})
    count = searches(monkeypatch)
    (between,) = steady_along(
        model, np.array([1.0]), {"v": np.array([21.0])}, [p for p in known if isinstance(p, SteadyPoint)]
    )
    assert not count
    assert isinstance(between, SteadyPoint)
    assert between.point.rates()["road.x"] == pytest.approx(21.0, rel=1e-12)


def test_a_point_without_steady_motion_says_why_and_the_others_go_on() -> None:
    """A conical pendulum leans by less than a right angle: turn'^2 = g/(l cos(lean))."""
    model = eb.load(EXAMPLES / "conical_pendulum.yaml")
    tilts = np.array([0.3, 0.6, 0.9, 1.8, 2.2])
    found = steady_along(model, np.arange(5.0), {"tilt": tilts})
    assert [isinstance(there, Failed) for there in found] == [False, False, False, True, True]
    for tilt, there in zip(tilts[:3], found[:3], strict=True):
        rate = there.point.rates()["turn"]  # type: ignore[union-attr]
        assert rate**2 == pytest.approx(9.81 / (0.5 * math.cos(tilt)), rel=1e-10)
    assert "No steady motion was found" in found[-1].message  # type: ignore[union-attr]
