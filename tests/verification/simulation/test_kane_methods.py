"""Motion, forces and blows by Kane's equations: equal to the engine's, and the numbers of Passerello & Huston.

Engine and route share neither equations of motion nor integration; both are controlled to the same tolerance.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli.main import main
from flexible_mechanisms import with_beams
from mechanisms import random_mechanism

EXAMPLES = Path(__file__).parents[3] / "examples"
MANIPULATOR = EXAMPLES / "space_manipulator.yaml"
INCH, SLUG = 0.0254, 14.593902937206365
PARTS = ("r", "R", "v", "w", "x", "turns")


def assert_same_motion(model: eb.Model, until: float, tolerance: float, allowed: float) -> None:
    """All states at three times, relative to the largest of their kind."""
    own = eb.simulate(model, until, method="kane", tolerance=tolerance, points=3)
    known = eb.simulate(model, until, tolerance=tolerance, points=3)
    for part in PARTS:
        one, other = getattr(own.states, part), getattr(known.states, part)
        assert one == pytest.approx(other, abs=allowed * max(1.0, np.abs(other).max(initial=0.0))), part
    assert own.balance.is_kept
    assert any("Kane's equations" in remark for remark in own.remarks)


@pytest.mark.parametrize(
    ("kind", "seed"), [("tree", 0), ("tree", 3), ("floating", 1), ("knife", 2), ("wheel", 3), ("driven", 2)]
)
def test_same_motion_as_the_engine(kind: str, seed: int) -> None:
    assert_same_motion(eb.load(random_mechanism(np.random.default_rng(seed), kind)), 0.1, 1e-9, 3e-8)


def test_flexible_bodies_move_as_the_engine_has_them() -> None:
    rng = np.random.default_rng(2)
    model = eb.load(with_beams(rng, random_mechanism(rng, "floating")))
    assert model.description.flexible
    assert_same_motion(model, 0.02, 1e-8, 1e-6)


def driven_arm() -> eb.Model:
    """Forces of time, states, variables, friction and loads at a marker in its axes; turned bodies."""
    return eb.load(
        {
            "eigenbody": 1,
            "gravity": [0, 0, -9.81],
            "bodies": {
                "a": {"mass": 2, "inertia": [0.3, 0.4, 0.5], "at": [0.2, 0.1, -0.5],
                      "rotation": {"axis": [1, 2, 3], "angle": 0.7}},
                "b": {"mass": 1, "inertia": [0.1, 0.2, 0.15], "at": [0.5, 0.3, -1]},
            },
            "markers": {"tip": {"body": "b", "at": [0.6, 0.3, -1.3], "rotation": {"axis": [0, 1, 1], "angle": 0.5}}},
            "joints": {
                "hook": {"type": "universal", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1],
                         "axis2": [1, 0, 0], "velocity": [2, 1]},
                "elbow": {"type": "revolute", "between": ["a", "b"], "at": [0.3, 0.2, -0.8], "axis": [0, 1, 0]},
            },
            "states": {"x": {"initial": 0.2, "rate": "=-5*x + elbow + sin(t)"}},
            "variables": {"y": "=2*x + elbow'"},
            "forces": {
                "drive": {"type": "expression", "along": "elbow", "value": "=3*sin(8*t) - 2*y"},
                "rub": {"type": "friction", "along": "hook.angle1", "coulomb": 0.3, "transition": 0.1},
                "load": {"type": "force", "body": "tip", "value": ["=t", 2, "=-elbow"], "axes": "body"},
                "twist": {"type": "torque", "body": "a", "value": [0.1, 0.2, "=cos(t)"]},
            },
        }
    )  # fmt: skip


def test_forces_of_time_and_first_order_states() -> None:
    assert_same_motion(driven_arm(), 0.3, 1e-10, 1e-10)


def test_blows_at_markers_and_nodes() -> None:
    """In the axes of a marker, at a point in body axes, against another body; at a node of a flexible one."""
    rng = np.random.default_rng(2)
    bent = eb.load(with_beams(rng, random_mechanism(rng, "floating")))
    node = next(iter(bent.description.flexible[0].nodes))
    for model, blow in (
        (driven_arm(), {"body": "tip", "impulse": [1, 2, 3], "at": [0.1, 0.2, 0.3], "frame": "body"}),
        (driven_arm(), {"body": "tip", "impulse": [1, 2, 3], "angular": [0.1, 0.2, 0.5], "axes": "body"}),
        (driven_arm(), {"body": "tip", "impulse": [1, 2, 3], "axes": "body", "against": "a"}),
        (bent, {"body": node, "impulse": [1, 2, 3], "angular": [0.1, 0, 0.2]}),
    ):
        own, known = (eb.impulse(model, blow, method=method).jump for method in ("kane", None))
        assert own == pytest.approx(known, abs=1e-10 * np.abs(known).max()), blow


def top(spin: float) -> eb.Model:
    """An unsymmetric body on a ball joint that tumbles, with a rotor on a hinge that makes many turns."""
    return eb.load(
        {
            "eigenbody": 1,
            "gravity": [0, 0, -9.81],
            "bodies": {
                "body": {"mass": 2, "inertia": [0.3, 0.45, 0.2], "at": [0, 0, 0.3]},
                "rotor": {"mass": 0.5, "inertia": [0.02, 0.02, 0.03], "at": [0.2, 0, 0.6]},
            },
            "joints": {
                "ball": {"type": "spherical", "between": ["ground", "body"], "at": [0, 0, 0], "velocity": [6, 1, 3]},
                "axle": {"type": "revolute", "between": ["body", "rotor"], "at": [0.2, 0, 0.6], "axis": [1, 0, 1],
                         "velocity": spin},
            },
            "forces": {"wind": {"type": "spring", "along": "axle", "k": 0.05}},
        }
    )  # fmt: skip


def test_bodies_that_tumble_and_full_turns_that_are_counted() -> None:
    """Charts are made anew as bodies turn: no angle comes near 90 degrees; the spring feels the turns of the rotor."""
    own = eb.simulate(top(40.0), 1.0, method="kane", tolerance=1e-10, points=5)
    known = eb.simulate(top(40.0), 1.0, method="dop853", tolerance=1e-10, points=5)
    assert abs(known.signal("axle")[-1]) > 6 * np.pi
    for name in ("axle", "axle'", "body.x", "ball.rx", "energy"):
        assert own.signal(name) == pytest.approx(known.signal(name), rel=1e-7, abs=1e-7), name


def test_runge_kutta_of_the_report_has_order_four() -> None:
    """Halving the step divides the error by 2^4."""
    model, ends = top(0.0), []
    for step in (0.01, 0.005, 0.0025):
        found = eb.simulate(model, 0.2, method="kane", step=step, points=2)
        assert found.method == "kane (rk4)"
        ends.append(
            np.concatenate([found.states.r[-1].ravel(), found.states.R[-1].ravel(), found.states.v[-1].ravel()])
        )
    first, second = (np.abs(a - b).max() for a, b in pairwise(ends))
    assert 12 < first / second < 20


def test_momentum_of_a_floating_manipulator_is_conserved() -> None:
    """No force from outside: P and H about the origin stay what they were, whatever the joints do."""
    model = eb.load(MANIPULATOR).input("push", along="elbow_1")
    found = eb.inverse(
        model, {"elbow_2": "=pi/2 + 0.4*t**2"}, until=0.4, points=3, inputs={"push": "=30*sin(9*t)"}, method="kane"
    )
    known = eb.inverse(model, {"elbow_2": "=pi/2 + 0.4*t**2"}, until=0.4, points=3, inputs={"push": "=30*sin(9*t)"})
    assert np.abs(found.body_acceleration).max() > 1
    assert found.linear_momentum == pytest.approx(np.zeros((3, 3)), abs=1e-10)
    assert found.angular_momentum == pytest.approx(np.zeros((3, 3)), abs=1e-10)
    assert found.force == pytest.approx(known.force, abs=1e-9 * np.abs(known.force).max())


def reach() -> tuple[eb.Model, dict[str, object]]:
    """Passerello & Huston's problem 1: shoulders by cycloids of 1-2-3 angles, one of them out of gimbal lock."""
    arms = eb.load(MANIPULATOR).measure("arm_1", "angles", of="shoulder_1", sequence="xyz")
    arms = arms.measure("arm_2", "angles", of="shoulder_2", sequence="xyz")
    return arms, {
        "arm_1.1": "cycloid(90 deg, 30 deg, 2 s)", "arm_1.2": "cycloid(0, 20 deg, 2 s)", "arm_1.3": 0,
        "arm_2.1": "cycloid(0, -25 deg, 2 s)", "arm_2.2": "cycloid(-90 deg, -20 deg, 2 s)", "arm_2.3": 0,
        "elbow_1": lambda t: 0.1 * t**3, "elbow_2": "90 deg",
    }  # fmt: skip


@pytest.mark.parametrize("holds", [(), ("base",)])
def test_same_forces_as_the_engine(holds: tuple[str, ...]) -> None:
    """Mixed (the base floats) and inverse (it is held) dynamics, Eqs. 3.30 and 3.31."""
    model, motion = reach()
    own, known = (eb.inverse(model, motion, until=1, points=3, holds=holds, method=m) for m in ("kane", None))
    assert own.coordinates == known.coordinates
    assert own.balls == known.balls == ("arm_1", "arm_2")
    assert own.free == known.free
    for part in ("value", "force", "ball_moment", "holding_force", "holding_moment", "positions", "body_acceleration"):
        one, other = getattr(own, part), getattr(known, part)
        assert one == pytest.approx(other, abs=1e-8 * max(1.0, np.abs(other).max(initial=0.0))), part


def test_blow_of_the_report(capsys: pytest.CaptureFixture[str]) -> None:
    """Figure 17, every digit recomputed; x11 and x13 of its table are null-space artefacts (docs/theory/kane.md)."""
    code = main(["impulse", str(MANIPULATOR), "--at", "base", "--impulse", "100 lbf*s, 0, 0", "--angles", "123",
                 "--method", "kane", "--json"])  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    jump = {entry["name"]: entry["jump"] for entry in found["coordinates"]}
    assert code == 0
    assert jump["base.x"] / INCH == pytest.approx(112.0389524, rel=1e-9)  # printed 112
    assert jump["base.angle2"] == pytest.approx(1.990261889, rel=1e-9)  # 1.99
    assert jump["shoulder_1.angle2"] == pytest.approx(3.510908548, rel=1e-9)  # 3.51
    assert jump["shoulder_1.angle3"] == pytest.approx(1.990261889, rel=1e-9)  # 1.99
    assert jump["elbow_1"] == pytest.approx(-4.386608601, rel=1e-9)  # -4.39
    assert jump["shoulder_2.angle2"] == pytest.approx(-1.990261889, rel=1e-9)  # -1.99
    assert jump["elbow_2"] == pytest.approx(3.333492803, rel=1e-9)  # 3.33
    assert found["after"]["linear"] == pytest.approx([1200 * SLUG * INCH, 0, 0], abs=1e-10)
    assert found["after"]["angular"] == pytest.approx([0, 0, 0], abs=1e-10)
    assert found["after"]["kinetic_energy"] == pytest.approx(67223.371466 * SLUG * INCH**2, rel=1e-9)
    assert found["balance"] < 1e-12
    assert found["indeterminate"][0]["coordinates"] == ["shoulder_2.angle1", "shoulder_2.angle3"]
    assert any("Kane's equations" in note for note in found["notes"])


@pytest.mark.parametrize(("kind", "seed"), [("tree", 0), ("tree", 5), ("floating", 4), ("wheel", 1), ("driven", 3)])
def test_same_jumps_as_the_engine(kind: str, seed: int) -> None:
    """External impulses at points and in body axes, internal ones along a joint and between bodies."""
    model = eb.load(random_mechanism(np.random.default_rng(seed), kind))
    bodies = model.description.bodies.names
    along = eb.operating_point(model).system.names[0]
    blows = [
        {"body": bodies[0], "impulse": [0.3, -1, 2], "at": [0.1, 0.2, 0.3]},
        {"body": bodies[-1], "impulse": [1, 0.2, 0], "angular": [0.1, 0, 0.4], "axes": "body", "at": [0.1, 0, 0],
         "frame": "body", "against": bodies[0]},
        {"along": along, "value": 0.7},
    ]  # fmt: skip
    own, known = (eb.impulse(model, blows, method=method) for method in ("kane", None))
    for part in ("velocity_jump", "angular_velocity_jump", "jump"):
        one, other = getattr(own, part), getattr(known, part)
        assert one == pytest.approx(other, abs=1e-10 * np.abs(other).max()), part
    assert own.reactions.force == pytest.approx(known.reactions.force, abs=1e-9 * np.abs(known.reactions.force).max())
    assert own.balance < 1e-10


# ---- what it does not do is said


@pytest.mark.parametrize(
    "call",
    [["simulate", "--until", "1"], ["inverse", "--until", "1", "--motion", "a=1"], ["impulse", "--along", "a=1"]],
    ids=lambda call: call[0],
)
def test_loops_are_refused_by_name(call: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    command, *rest = call
    assert main([command, str(EXAMPLES / "parallelogram.yaml"), *rest, "--method", "kane"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert '--method: Kane\'s equations of a tree do not know a closed loop (the revolute joint "d").' in said
    assert "Leave the method out" in said


@pytest.mark.parametrize("call", [["inverse", "--until", "1", "--hold", "base"], ["impulse", "--along", "elbow_1=1"]])
def test_other_methods_are_refused(call: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    command, *rest = call
    assert main([command, str(MANIPULATOR), *rest, "--method", "lagrange"]) == 2
    assert '"lagrange" is not known. Give kane, or leave it out.' in capsys.readouterr().err


def test_what_is_prescribed_twice_is_named() -> None:
    model = eb.load(MANIPULATOR)
    with pytest.raises(eb.EigenbodyError, match=r"determined twice .*base"):
        eb.inverse(model, {"base.x": 0}, until=1, holds=["base"], method="kane")
