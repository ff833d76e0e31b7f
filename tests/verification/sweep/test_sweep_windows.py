"""Windows of instability between the points of a sweep, against closed forms and eigenvalues of plain matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import eigenbody as eb


def oscillator(k: Any, c: Any) -> eb.Model:
    """m = 1: s^2 + c s + k = 0."""
    return eb.load({
        "eigenbody": 1, "parameters": {"p": 0.0}, "bodies": {"a": {"mass": 1, "at": [0, 0, 0]}},
        "joints": {"way": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "forces": {"spring": {"type": "spring", "along": "way", "k": k, "c": c}},
    })  # fmt: skip


def places(found: eb.Sweep) -> list[float]:
    return [next(iter(b.values.values())) for b in found.boundaries]


@pytest.mark.parametrize("c", [0.3, 0.0, 3.0])
def test_divergence_of_a_pair_that_splits_and_joins_within_two_steps(c: float) -> None:
    """k < 0 between 1.03 -+ sqrt(0.0003): 0.14 of a step."""
    found = eb.sweep(oscillator("=(p - 1.03)**2 - 0.0003", c), "p", np.linspace(0, 2, 9))
    assert places(found) == pytest.approx([1.03 - math.sqrt(0.0003), 1.03 + math.sqrt(0.0003)], abs=1e-9)
    assert [(b.kind, b.begins) for b in found.boundaries] == [("divergence", True), ("divergence", False)]


def test_divergence_of_a_pair_that_is_one_at_all_points() -> None:
    """c = 0.1: splits where k < 0.0025, between 1.125 -+ 0.0529; no point of the sweep is there."""
    found = eb.sweep(oscillator("=(p - 1.125)**2 - 0.0003", 0.1), "p", np.linspace(0, 2, 9))
    assert places(found) == pytest.approx([1.125 - math.sqrt(0.0003), 1.125 + math.sqrt(0.0003)], abs=1e-9)


def test_stable_window_in_a_divergence() -> None:
    """k > 0 between 1.1 -+ 0.02."""
    found = eb.sweep(oscillator("=0.0004 - (p - 1.1)**2", 0.5), "p", np.linspace(0, 2, 9))
    assert places(found) == pytest.approx([1.08, 1.12], abs=1e-9)
    assert [b.begins for b in found.boundaries] == [False, True]


def test_flutter_of_two_undamped_modes_that_collide_between_two_points() -> None:
    """x'' + k1 x + b y = 0, y'' + y - b x = 0: lambda^2 meet where (k1 - 1)^2 = 4 b^2."""
    coupling = 0.02
    matrix = [[0.0] * 6 for _ in range(6)]
    matrix[0][1], matrix[1][0] = coupling, -coupling
    matrix[1][1], matrix[5][5] = 1.0, 9.0
    found = eb.sweep(
        eb.load({
            "eigenbody": 1, "parameters": {"k1": 1.0},
            "bodies": {"a": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
            "joints": {"table": {"type": "planar", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
            "forces": {
                "plate": {"type": "bushing", "between": ["ground", "a"], "at": [0, 0, 0], "k": matrix},
                "own": {
                    "type": "bushing", "between": ["ground", "a"], "at": [0, 0, 0], "k": ["=k1", 0, 0, 0, 0, 0],
                },
            },
        }),
        "k1", np.linspace(0.32, 1.52, 7),
    )  # fmt: skip
    assert places(found) == pytest.approx([1 - 2 * coupling, 1 + 2 * coupling], abs=1e-9)
    assert {b.kind for b in found.boundaries} == {"flutter"}


@pytest.mark.parametrize("points", [np.linspace(0, 4, 9), np.linspace(0.1, 4, 9), [0.5, 1.999, 2.001, 4]])
def test_beyond_critical_damping_nothing_collides(points: Any) -> None:
    """k = 1: the pair becomes two real eigenvalues at c = 2, which then part for good."""
    found = eb.sweep(oscillator(1, "=p"), "p", points)
    assert [e.kind for e in found.events] == ["split"]
    assert found.events[0].values["p"] == pytest.approx(2, abs=1e-9)
    assert not found.is_added.any()


def test_without_boundaries_it_is_said_what_was_examined() -> None:
    quiet = oscillator("=1 + p", 0.1)
    assert "no branch begins or ceases to grow over 3 points. Real parts between them" in " ".join(
        str(eb.sweep(quiet, "p", [0, 1, 2])).split()
    )
    text = str(eb.sweep(quiet, "p", [0, 1, 2], refine=0))
    assert "Between them nothing was sought." in " ".join(text.split())
    assert "Stability boundaries: not sought." in str(eb.sweep(quiet, "p", [0, 1, 2], boundaries=False))


def swinging(gravity: float) -> eb.Model:
    return eb.load({
        "eigenbody": 1, "parameters": {"k": 1.0, "rate": 2.0}, "gravity": [0, gravity, 0],
        "bodies": {"a": {"mass": 1, "inertia": [1, 1, 1], "at": [1, 0, 0]}},
        "joints": {
            "pin": {
                "type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1], "velocity": "=rate",
            },
        },
        "forces": {"spring": {"type": "spring", "along": "pin", "k": "=k", "c": 0.1}},
    })  # fmt: skip


def test_boundaries_of_equations_that_change_along_the_motion_are_said_to_be_of_an_instant() -> None:
    assert not eb.sweep(oscillator("=1 + p", 0.1), "p", [0, 1, 2]).is_frozen
    assert not eb.sweep(swinging(0.0), "k", [-1, 1, 2]).is_frozen  # a linear equation, wherever it is
    found = eb.sweep(swinging(-9.81), "k", [-1, 1, 2])  # the stiffness of gravity changes with the angle
    assert found.is_frozen
    assert "of the equations of an instant, which change along the motion" in " ".join(str(found).split())


# Random rotors --------------------------------------------------------------------------------------------------------
FASTEST, POINTS = 6.0, 13
WIDTH = FASTEST / (POINTS - 1) / 64  # windows wider than this must be found
GROWS = 1e-9  # real part that is no rounding


class Rotor:
    """A disc on one elastic support with 4x4 stiffness and damping of x, y and the two tilts.

    The symmetric part of the stiffness has any sign; half of them have a circulatory part, half are damped.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.transverse, polar, self.mass = rng.uniform(0.5, 2), rng.uniform(0.3, 2), rng.uniform(0.5, 2)
        self.polar = min(polar, 1.95 * self.transverse)
        axes = np.linalg.qr(rng.normal(size=(4, 4)))[0]
        self.K = axes @ np.diag(rng.uniform(-1, 3, 4)) @ axes.T
        kind = rng.integers(4)
        if kind in (1, 3):
            skew = rng.normal(size=(4, 4)) * rng.choice([0.05, 0.3])
            self.K = self.K + skew - skew.T
        self.C = np.zeros((4, 4))
        if kind in (2, 3):
            root = rng.normal(size=(4, 4))
            self.C = root @ root.T * rng.choice([0.01, 0.1, 0.4])

    def growing(self, speed: float) -> int:
        """Number of eigenvalues of the plain matrix that grow."""
        gyroscopic = np.zeros((4, 4))
        gyroscopic[2, 3], gyroscopic[3, 2] = self.polar * speed, -self.polar * speed
        inverse = np.diag(1 / np.array([self.mass, self.mass, self.transverse, self.transverse]))
        damping, stiffness = inverse @ (self.C + gyroscopic), inverse @ self.K
        values = np.linalg.eigvals(np.block([[np.zeros((4, 4)), np.eye(4)], [-stiffness, -damping]]))
        return int((values.real > GROWS).sum())

    def model(self) -> eb.Model:
        support = {"type": "bearing", "between": ["ground", "disc"], "at": [0, 0, 0]}
        return eb.load({
            "eigenbody": 1, "parameters": {"speed": "1 rad/s"},
            "bodies": {
                "disc": {"mass": self.mass, "inertia": [self.transverse, self.transverse, self.polar], "at": [0, 0, 0]},
            },
            "joints": {
                "spin": {
                    "type": "free", "between": ["ground", "disc"], "at": [0, 0, 0],
                    "velocity": [0, 0, 0, 0, 0, "=speed"],
                },
            },
            "forces": {"support": support | {"k": _six(self.K, 1.0), "c": _six(self.C, 0.1)}},
        })  # fmt: skip


def _six(matrix: np.ndarray, axial: float) -> list[list[float]]:
    full = np.zeros((6, 6))
    sideways = np.array([0, 1, 3, 4])
    full[np.ix_(sideways, sideways)] = matrix
    full[2, 2] = axial
    return full.tolist()  # type: ignore[no-any-return]


def edges(rotor: Rotor) -> np.ndarray:
    """Speeds at which the number of growing eigenvalues changes, from a grid of a quarter of WIDTH, bisected."""
    grid = np.arange(0, FASTEST + WIDTH / 8, WIDTH / 4)
    number = [rotor.growing(speed) for speed in grid]
    found = []
    for k in np.flatnonzero(np.diff(number)):
        low, high = float(grid[k]), float(grid[k + 1])
        for _ in range(30):
            middle = (low + high) / 2
            low, high = (middle, high) if rotor.growing(middle) == number[k] else (low, middle)
        found.append(high)
    return np.array(found)


def wrong_boundaries(seed: int) -> list[str]:
    """Boundaries of windows wider than WIDTH that a sweep does not find, and those it finds that are none."""
    rotor = Rotor(seed)
    found = np.array(places(eb.sweep(rotor.model(), "speed", np.linspace(0, FASTEST, POINTS))))
    true = edges(rotor)
    distance = np.abs(true[:, None] - found)
    room = np.diff(np.concatenate(([-np.inf], true, [np.inf])))
    wide = np.minimum(room[:-1], room[1:]) > WIDTH
    near = 1e-4  # GROWS moves an edge where the real part rises slowly
    missed = true[wide & (distance.min(axis=1, initial=np.inf) > near)]
    false = [v for v in found if rotor.growing(v - near) == rotor.growing(v + near) and v > near]
    return [f"rotor {seed}: {what} {speeds}" for what, speeds in (("missed", missed), ("false", false)) if len(speeds)]


def test_branches_that_begin_to_grow_at_different_places_of_one_step() -> None:
    """Rotor 38: two modes begin to grow right away, one at 0.3238 rad/s; at rest all are undamped."""
    found = places(eb.sweep(Rotor(38).model(), "speed", np.linspace(0, FASTEST, POINTS)))
    assert found == pytest.approx([0.0, 0.0, float(edges(Rotor(38))[-1])], abs=1e-6)


@pytest.mark.parametrize("seed", [7, 32, 109, 219, 247, 4, 22])
def test_random_rotors_have_the_boundaries_of_their_plain_matrices(seed: int) -> None:
    assert wrong_boundaries(seed) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 260, 20))
def test_no_boundary_is_missed_in_260_random_rotors(first: int) -> None:
    assert [fault for seed in range(first, first + 20) for fault in wrong_boundaries(seed)] == []
