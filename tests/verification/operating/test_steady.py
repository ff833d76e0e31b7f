"""Steady motions against closed forms: what is prescribed holds, the rest is found, and it stays steady."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.base.errors import ComputationError, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.coordinates import advanced, rates_of
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.motion import solve_motion
from eigenbody.operating.steady import SteadyMotion, find_steady, steady_motion
from eigenbody.operating.steady import attempts as steady
from eigenbody.operating.steady.equations import Residual, Trial, equations
from eigenbody.operating.steady.task import Task, understand, values_held

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81
DOWN = [0, 0, -G]
X, Y, Z, O = [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]  # noqa: E741
TILT = math.radians(30)
RATE = 4.7597504727665  # sqrt(g / (l cos 30 deg)), l = 0.5 m


def find(document: Mapping[str, Any], prescribed: Mapping[str, float] | None = None, *adjust: str) -> SteadyMotion:
    return find_steady(eb.load({"eigenbody": 1, **document}), prescribed or {}, adjust)


def value(point: OperatingPoint, name: str) -> float:
    return point.coordinates()[name]


def rate(point: OperatingPoint, name: str) -> float:
    return float(rates_of(point.system, point.state, np.array([point.system.aliases[name]]))[0])


def exponents(point: OperatingPoint) -> np.ndarray:
    """Eigenvalues that are not zero, one of each pair."""
    found = eb.modes(point).eigenvalues
    return found[found != 0]


def accelerations(point: OperatingPoint, duration: float) -> np.ndarray:
    """S'' after some time of motion at constant rates: forward dynamics at another place, no Newton, no tangents."""
    state = advanced(point.system, point.chosen, point.state, duration, 4) if duration else point.state
    motion = solve_motion(MotionFrame(Mechanics(point.system, state), point.chosen))
    frame = MotionFrame(Mechanics(point.system, state, motion.acceleration), point.chosen)
    return frame.speeds.jet(frame.mechanics.at, state.turns).acceleration


def assert_steady(found: SteadyMotion, tolerance: float = 1e-9) -> None:
    point = found.point
    assert point.residual < 1e-11
    assert max(point.drift) < 1e-10
    frames = [abs(frame["rate"]) for frame in point.system.description.frames]
    fastest = max([1.0, *frames, *map(abs, found.rates.values())])
    for duration in (0.0, 1.5 / fastest):
        assert np.abs(accelerations(point, duration)).max(initial=0.0) < tolerance * fastest**2


# Conical pendulum -----------------------------------------------------------------------------------------------------
def universal(**pivot: Any) -> dict[str, Any]:
    joint = {"type": "universal", "between": ["ground", "bob"], "at": O, "axis": Z, "axis2": Y, **pivot}
    bob = {"mass": 10, "inertia": O, "at": [0, 0, -0.5]}
    return {"gravity": DOWN, "bodies": {"bob": bob}, "joints": {"pivot": joint}}


def two_revolutes(**yoke: Any) -> dict[str, Any]:
    bob = {"mass": 10, "inertia": O, "at": [0, 0, -0.5]}
    turn = {"type": "revolute", "between": ["ground", "yoke"], "at": O, "axis": Z}
    lean = {"type": "revolute", "between": ["yoke", "bob"], "at": O, "axis": Y, "position": 0.2}
    body = {"mass": 0, "inertia": O, "at": O, **yoke}
    return {"gravity": DOWN, "bodies": {"yoke": body, "bob": bob}, "joints": {"turn": turn, "lean": lean}}


# An axially symmetric bob on a ball joint, turning with its vertical plane: Omega^2 = m g l / ((At - Ca) cos tilt)
AXIAL, AT_PIVOT = 0.08, 0.3 + 2 * 0.5**2
COMPOUND = {"mass": 2, "inertia": [0.3, 0.3, AXIAL], "at": [0, 0, -0.5]}


def compound_rate(tilt: float) -> float:
    return math.sqrt(2 * G * 0.5 / ((AT_PIVOT - AXIAL) * math.cos(tilt)))


def ball_on_frame(position: Any) -> dict[str, Any]:
    joint = {"type": "spherical", "between": ["turn", "bob"], "at": O, "position": position}
    return {
        "gravity": DOWN, "parameters": {"speed": 3.0}, "frames": {"turn": {"about": Z, "rate": "=speed"}},
        "bodies": {"bob": COMPOUND}, "joints": {"ball": joint},
    }  # fmt: skip


def ball_on_ground(position: Any, velocity: Any = None) -> dict[str, Any]:
    joint = {"type": "spherical", "between": ["ground", "bob"], "at": O, "position": position}
    if velocity is not None:
        joint["velocity"] = velocity
    return {"gravity": DOWN, "bodies": {"bob": COMPOUND}, "joints": {"ball": joint}}


def test_conical_pendulum_given_its_angle_finds_its_rate() -> None:
    found = find(universal(position=[0, TILT]), {"pivot.angle2": TILT})  # no rate is spoken of: angle1 is cyclic
    assert found.rates == {"pivot.angle1": pytest.approx(RATE, rel=1e-12)}
    assert exponents(found.point) == pytest.approx([8.58076219398679j], rel=1e-12)  # Trom 1990, Table 5.1
    assert eb.modes(found.point).kinds == ("rigid", "rigid", "oscillatory")
    assert found.stability == "drifting"
    assert_steady(found)


@pytest.mark.parametrize("start", [0.05, 0.9, -0.3])
def test_conical_pendulum_given_its_rate_finds_its_angle(start: float) -> None:
    found = find(universal(position=[0, start]), {"pivot.angle1'": RATE})
    assert abs(value(found.point, "pivot.angle2")) == pytest.approx(TILT, abs=1e-12)
    assert math.copysign(1, value(found.point, "pivot.angle2")) == math.copysign(1, start)
    assert rate(found.point, "pivot.angle1") == pytest.approx(RATE, rel=1e-14)
    assert_steady(found)


def test_values_on_the_joints_are_prescribed_unless_they_may_adjust() -> None:
    given = universal(position=[0, TILT], velocity=[4.0, 0])
    assert find(given, None, "pivot.angle1'").adjusted == {"pivot.angle1'": pytest.approx(RATE, rel=1e-12)}
    slow = math.acos(G / (0.5 * 5.0**2))
    given = universal(position=[0, TILT], velocity=[5.0, 0])
    assert find(given, None, "pivot.angle2").adjusted == {"pivot.angle2": pytest.approx(slow, rel=1e-12)}
    with pytest.raises(ComputationError, match=r"pivot\.angle2'' = .*pivot\.angle1'.*pivot\.angle2"):
        find(given)


def test_found_values_written_on_the_joints_elsewhere_on_the_circle_are_steady() -> None:
    """The initial state of another model file, no search: turned by 1.2 rad about the vertical."""
    found = find(universal(position=[0, 0.3]), {"pivot.angle1'": 5.5}).point
    tilt = value(found, "pivot.angle2")
    there = eb.operating_point(eb.load({"eigenbody": 1, **universal(position=[1.2, tilt], velocity=[5.5, 0])}))
    assert there.state.r[0, :2] == pytest.approx(-0.5 * math.sin(tilt) * np.array([math.cos(1.2), math.sin(1.2)]))
    assert np.abs(accelerations(there, 0.0)).max() < 1e-12 * 5.5**2


def test_conical_pendulum_of_two_revolutes() -> None:
    found = find(two_revolutes(), {"lean": TILT}, "turn'")
    assert found.adjusted["turn'"] == pytest.approx(RATE, rel=1e-12)
    back = find(two_revolutes(), {"turn'": RATE})
    assert value(back.point, "lean") == pytest.approx(TILT, abs=1e-12)
    for motion in (found, back):
        assert exponents(motion.point) == pytest.approx([8.58076219398679j], rel=1e-11)
        assert_steady(motion)


def test_any_measure_can_be_prescribed() -> None:
    height = {"type": "displacement", "between": ["ground", "bob"], "at": [O, [0, 0, -0.5]], "axis": Z}
    radius = {"type": "distance", "between": ["ground", "bob"], "at": [[0, 0, -0.4], [0, 0, -0.5]]}
    document = {**two_revolutes(), "measures": {"height": height, "off": radius}}
    found = find(document, {"height": -0.4})  # cos(lean) = 0.8
    assert value(found.point, "height") == pytest.approx(-0.4, abs=1e-14)
    assert found.rates == {"turn": pytest.approx(math.sqrt(G / 0.4), rel=1e-12)}
    found = find(document, {"off": 0.3})
    assert found.rates == {"turn": pytest.approx(math.sqrt(G / 0.4), rel=1e-11)}


def test_upright_pendulum_settles_below() -> None:
    pin = {"type": "revolute", "between": ["ground", "rod"], "at": O, "axis": Y}
    rod = {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, 1]}
    found = find({"gravity": DOWN, "bodies": {"rod": rod}, "joints": {"pin": pin}})
    assert abs(value(found.point, "pin")) == pytest.approx(math.pi, abs=1e-12)
    assert found.passed is not None
    assert found.passed.stability == "unstable"


def test_hanging_straight_above_the_critical_rate_is_left_for_the_stable_cone() -> None:
    document = two_revolutes(mass=1, inertia=[0.1, 0.1, 0.1])
    document["joints"]["lean"]["position"] = 0
    found = find(document, {"turn'": RATE})
    assert abs(value(found.point, "lean")) == pytest.approx(TILT, abs=1e-12)
    assert found.passed is not None
    assert value(found.passed.point, "lean") == 0
    assert (found.passed.stability, found.stability) == ("unstable", "drifting")
    assert any("unstable" in note for note in found.notes)
    below = find(document, {"turn'": 0.9 * math.sqrt(G / 0.5)})
    assert value(below.point, "lean") == pytest.approx(0, abs=1e-12)
    assert below.passed is None


def test_compound_bob_on_a_turning_frame() -> None:
    given = ball_on_frame([0, 0.4, 0])
    found = find(given, {"ball.rx": 0, "ball.ry": 0.4, "ball.rz": 0}, "speed")
    assert found.adjusted["speed"] == pytest.approx(compound_rate(0.4), rel=1e-11)
    assert found.point.model.parameters["speed"] == found.adjusted["speed"]
    # A top that hangs: the same nutation as in a gimbal, at constant momenta.
    nods = nutation(math.pi - 0.4, 0.0, compound_rate(0.4), m=2, l=0.5, A=AT_PIVOT, C=AXIAL)
    assert exponents(found.point) == pytest.approx([1j * nods], rel=1e-10)
    assert_steady(found)
    wanted = compound_rate(0.7)
    back = find(given, {"speed": wanted})
    axis = np.array([value(back.point, f"ball.{c}") for c in ("rx", "ry", "rz")])
    assert np.linalg.norm(axis) == pytest.approx(0.7, rel=1e-11)
    assert_steady(back)


def test_compound_bob_on_a_ball_joint() -> None:
    found = find(ball_on_ground([0, 0.4, 0]), {"ball.ry": 0.4, "ball.rx": 0, "ball.rz": 0}, "ball.rz'")
    assert abs(found.adjusted["ball.rz'"]) == pytest.approx(compound_rate(0.4), rel=1e-11)
    assert found.rates.keys() == {"ball.rz"}
    assert_steady(found)
    assert found.stability == "unknown"  # about ground axes the linear equations turn with the bob, and it is said
    assert any("not its exponents" in note for note in found.notes)


def test_ball_joint_given_its_rate_finds_its_tilt() -> None:
    found = find(ball_on_ground([0, 0.2, 0], [None, None, 1.0]), {"ball.rz'": compound_rate(0.6)})
    axis = np.array([value(found.point, f"ball.{c}") for c in ("rx", "ry", "rz")])
    assert np.linalg.norm(axis[:2]) == pytest.approx(0.6, rel=1e-10)
    assert rate(found.point, "ball.rz") == pytest.approx(compound_rate(0.6), rel=1e-13)
    assert_steady(found)


# Heavy top ------------------------------------------------------------------------------------------------------------
TOP = {"m": 1.5, "l": 0.2, "A": 0.02 + 1.5 * 0.2**2, "C": 0.015}


def top(precession: float, **tilt: Any) -> dict[str, Any]:
    ring = {"mass": 0, "inertia": O, "at": O}
    body = {"mass": TOP["m"], "inertia": [0.02, 0.02, TOP["C"]], "at": [0, 0, TOP["l"]]}
    joint = lambda a, b, axis, **keys: {"type": "revolute", "between": [a, b], "at": O, "axis": axis, **keys}  # noqa: E731
    return {
        "gravity": DOWN, "bodies": {"outer": ring, "inner": ring, "top": body},
        "joints": {
            "precession": joint("ground", "outer", Z, velocity=precession),
            "tilt": joint("outer", "inner", X, **tilt),
            "spin": joint("inner", "top", Z),
        },
    }  # fmt: skip


def precessions(tilt: float, spin: float) -> np.ndarray:
    """Roots of (A - C) cos(tilt) p^2 - C s p + m g l = 0, s the spin relative to the inner ring; textbook."""
    A, C, weight = TOP["A"], TOP["C"], TOP["m"] * G * TOP["l"]
    return np.sort(np.roots([(A - C) * math.cos(tilt), -C * spin, weight]).real)


def nutation(tilt: float, spin: float, p: float, **numbers: float) -> float:
    """Frequency of small changes of the tilt at constant momenta: A w^2 = d2 V_eff / d tilt^2."""
    n = TOP | numbers
    A, weight = n["A"], n["m"] * G * n["l"]
    momentum = n["C"] * (spin + p * math.cos(tilt))
    bend = -A * p**2 * math.cos(2 * tilt) + (momentum * p - weight) * math.cos(tilt)
    return math.sqrt((bend + (momentum - 2 * A * p * math.cos(tilt)) ** 2 / A) / A)


def test_heavy_top_precesses_slowly_or_fast() -> None:
    tilt, spin = 0.6, 150.0
    slow, fast = precessions(tilt, spin)
    for guess, expected in ((0.8 * slow, slow), (1.3 * fast, fast)):
        found = find(top(guess, position=tilt), {"tilt": tilt, "spin'": spin}, "precession'")
        assert found.adjusted["precession'"] == pytest.approx(expected, rel=1e-12)
        assert exponents(found.point) == pytest.approx([1j * nutation(tilt, spin, expected)], rel=1e-10)
        assert eb.modes(found.point).is_rigid.sum() == 4
        assert_steady(found)


def test_heavy_top_without_a_guess_finds_a_precession() -> None:
    found = find(top(0.0, position=0.6), {"tilt": 0.6, "spin'": 150.0}, "precession'")
    assert np.min(np.abs(precessions(0.6, 150.0) - found.adjusted["precession'"])) < 1e-10


def test_heavy_top_given_both_rates_finds_its_tilt() -> None:
    p = precessions(0.6, 150.0)[1]
    found = find(top(p, position=0.5), {"precession'": p, "spin'": 150.0})
    assert value(found.point, "tilt") == pytest.approx(0.6, abs=1e-11)
    assert_steady(found)


def test_slow_spin_has_no_steady_precession() -> None:
    A, C, weight = TOP["A"], TOP["C"], TOP["m"] * G * TOP["l"]
    slowest = math.sqrt(4 * (A - C) * math.cos(0.6) * weight) / C
    assert find(top(20.0, position=0.6), {"tilt": 0.6, "spin'": 1.01 * slowest}, "precession'").iterations < 30
    with pytest.raises(ComputationError, match=r"tilt'' = "):
        find(top(20.0, position=0.6), {"tilt": 0.6, "spin'": 0.99 * slowest}, "precession'")


# Flyball governor -----------------------------------------------------------------------------------------------------
def governor(angle: float) -> float:
    """Rate of the governor of examples/flyball_governor.yaml with its arms at an angle from the spindle.

    Per side: ball m, arm a and link u (uniform rods of length L), half the sleeve M: g (m + M + 1.5 u + 0.5 a) =
    W^2 (m + (u + a)/3) L cos(angle).
    """
    m, a, u, M, L = 1.5, 0.3, 0.2, 6.0, 0.25
    return math.sqrt(G * (m + M + 1.5 * u + 0.5 * a) / ((m + (u + a) / 3) * L * math.cos(angle)))


def hunting(angle: float) -> float:
    """Frequency of the governor at constant angular momentum: M w^2 = V'' - W^2 J''/2 + W^2 J'^2 / J."""
    m, a, u, M, L, J0 = 1.5, 0.3, 0.2, 6.0, 0.25, 0.02 + 0.01
    s, c, W2 = math.sin(angle), math.cos(angle), governor(angle) ** 2
    swing = 2 * L**2 * (m + a / 3 + u * (c**2 / 4 + 2.25 * s**2 + 1 / 12)) + 4 * M * L**2 * s**2
    arms = 2 * (m + (u + a) / 3) * L**2
    J, J1, J2 = J0 + arms * s**2, 2 * arms * s * c, 2 * arms * (c**2 - s**2)
    lift = 2 * G * L * (m + M + 1.5 * u + 0.5 * a) * c  # V''
    return math.sqrt((lift - W2 * J2 / 2 + W2 * J1**2 / J) / swing)


def test_governor_settles_at_its_spin() -> None:
    model = eb.load(EXAMPLES / "flyball_governor.yaml")
    wanted = math.radians(48)
    found = find_steady(model, {"spin'": governor(wanted)})
    drawn = math.radians(35)
    lift = 2 * 0.25 * (math.cos(drawn) - math.cos(wanted))
    assert value(found.point, "sleeve") == pytest.approx(lift, abs=1e-11)
    assert exponents(found.point) == pytest.approx([1j * hunting(wanted)], rel=1e-9)
    assert len(found.point.redundant) == 6  # two planar loops drawn in space
    assert_steady(found)


def test_governor_held_at_a_height_finds_its_spin() -> None:
    model = eb.load(EXAMPLES / "flyball_governor.yaml")
    wanted = math.radians(25)
    lift = 2 * 0.25 * (math.cos(math.radians(35)) - math.cos(wanted))
    found = find_steady(model, {"sleeve": lift})
    assert found.rates == {"spin": pytest.approx(governor(wanted), rel=1e-11)}
    assert_steady(found)


# Turntables -----------------------------------------------------------------------------------------------------------
K, M, R0, SPEED = 50.0, 2.0, 0.3, 3.0
RADIUS = K * R0 / (K - M * SPEED**2)  # spring force k (r - r0) = m W^2 r


def slider(first: str, **more: Any) -> dict[str, Any]:
    slide = {"type": "prismatic", "between": [first, "slider"], "at": [R0, 0, 0], "axis": X}
    body = {"mass": M, "inertia": [0.01, 0.01, 0.01], "at": [R0, 0, 0]}
    return {
        "bodies": {"slider": body}, "joints": {"slide": slide},
        "forces": {"spring": {"type": "spring", "along": "slide", "k": K}}, **more,
    }  # fmt: skip


def test_slider_on_a_turning_frame() -> None:
    found = find(slider("turn", frames={"turn": {"about": Z, "rate": SPEED}}))
    assert R0 + value(found.point, "slide") == pytest.approx(RADIUS, rel=1e-13)
    assert exponents(found.point) == pytest.approx([1j * math.sqrt(K / M - SPEED**2)], rel=1e-12)
    assert found.rates == {}
    assert_steady(found)


def test_slider_on_a_driven_and_on_a_free_turntable() -> None:
    table = {"mass": 5, "inertia": [0.2, 0.2, 0.4], "at": O}
    pin = {"type": "revolute", "between": ["ground", "table"], "at": O, "axis": Z}
    free = slider("table")
    free["bodies"]["table"], free["joints"]["pin"] = table, pin
    loose = find(free, {"pin'": SPEED})
    driven = find({**free, "joints": {**free["joints"], "pin": {**pin, "motion": f"={SPEED}*t"}}})
    for found in (loose, driven):
        assert R0 + value(found.point, "slide") == pytest.approx(RADIUS, rel=1e-12)
        assert_steady(found)
    stiff, inertia = K / M - SPEED**2, 0.4 + 0.01 + M * RADIUS**2
    assert exponents(driven.point) == pytest.approx([1j * math.sqrt(stiff)], rel=1e-12)
    momentum = 4 * M * RADIUS**2 * SPEED**2 / inertia  # the table slows down as the slider goes out
    assert exponents(loose.point) == pytest.approx([1j * math.sqrt(stiff + momentum)], rel=1e-11)


def test_rates_can_be_raised_from_rest() -> None:
    document = slider("table")
    document["bodies"]["table"] = {"mass": 5, "inertia": [0.2, 0.2, 0.4], "at": O}
    document["joints"]["pin"] = {"type": "revolute", "between": ["ground", "table"], "at": O, "axis": Z}
    model, task, state = understand(eb.load({"eigenbody": 1, **document}), {"pin'": SPEED}, ())
    outcome = steady._from_rest(steady._start(model, task, state), task, np.zeros(0, dtype=bool), SPEED)
    assert outcome is not None
    assert outcome.solved
    slide = values_held(outcome.trial.system, outcome.trial.state, np.array([0]))[0]
    assert R0 + slide == pytest.approx(RADIUS, rel=1e-12)


def test_mass_on_two_springs_on_a_turntable_feels_coriolis() -> None:
    kx, ky, kr = 50.0, 80.0, 3.0
    plane = {"type": "planar", "between": ["turn", "puck"], "at": [R0, 0, 0], "axis": Z, "axis2": X}
    found = find({
        "frames": {"turn": {"about": Z, "rate": SPEED}},
        "bodies": {"puck": {"mass": M, "inertia": [0.1, 0.1, 0.1], "at": [R0, 0, 0]}},
        "joints": {"plane": plane},
        "forces": {
            name: {"type": "spring", "along": f"plane.{name}", "k": k}
            for name, k in (("x", kx), ("y", ky), ("angle", kr))
        },
    })  # fmt: skip
    assert R0 + value(found.point, "plane.x") == pytest.approx(kx * R0 / (kx - M * SPEED**2), rel=1e-13)
    wx, wy, W2 = kx / M, ky / M, SPEED**2
    squares = np.roots([1, wx + wy + 2 * W2, (wx - W2) * (wy - W2)])
    expected = np.sort(np.sqrt([*-squares.real, kr / 0.1]))
    assert np.sort(exponents(found.point).imag) == pytest.approx(expected, rel=1e-12)
    assert_steady(found)


def test_too_fast_a_turntable_has_no_place_for_the_slider() -> None:
    # k < m W^2: the balance k (r - r0) = m W^2 r lies on the other side and is unstable
    found = find(slider("turn", frames={"turn": {"about": Z, "rate": 6.0}}))
    assert R0 + value(found.point, "slide") == pytest.approx(K * R0 / (K - M * 36), rel=1e-12)
    assert found.stability == "unstable"


# Torques, controllers, travel -----------------------------------------------------------------------------------------
def rotor(**more: Any) -> dict[str, Any]:
    spin = {"type": "revolute", "between": ["ground", "rotor"], "at": O, "axis": Z, **more.pop("spin", {})}
    body = {"mass": 3, "inertia": [0.2, 0.2, 0.3], "at": O}
    return {"bodies": {"rotor": body}, "joints": {"spin": spin}, **more}


def test_spinning_rotor_is_steady_as_it_is() -> None:
    found = find(rotor(spin={"velocity": 62.8, "position": 1.0}))
    assert (found.rates, found.iterations) == ({"spin": 62.8}, 0)
    assert (value(found.point, "spin"), found.stability) == (1.0, "drifting")
    assert find(rotor(), {"spin": 2.0}).rates == {}  # the value of a cyclic coordinate alone: it rests there
    assert_steady(found)


def test_torque_that_holds_a_damped_rotor() -> None:
    damper = {"drag": {"type": "damper", "along": "spin", "c": 0.7}}
    document = rotor(forces=damper, inputs={"torque": {"along": "spin"}})
    found = find(document, {"spin'": 40.0}, "torque")
    assert found.adjusted == {"torque": pytest.approx(0.7 * 40, rel=1e-13)}
    assert exponents(found.point) == pytest.approx([-0.7 / 0.3], rel=1e-12)
    back = find(document, {"torque": 14.0}, "spin'")
    assert back.rates == {"spin": pytest.approx(20.0, rel=1e-13)}
    with pytest.raises(ComputationError, match=r"spin'' = .*force of 28 along it.*torque"):
        find(document, {"spin'": 40.0})


def test_parameter_that_holds_a_damped_rotor() -> None:
    forces = {
        "drag": {"type": "damper", "along": "spin", "c": 0.7},
        "fan": {"type": "expression", "along": "spin", "value": "=-b*v*abs(v)"},
        "motor": {"type": "expression", "along": "spin", "value": "=T"},
    }
    document = rotor(forces=forces, parameters={"b": 0.01, "T": 1.0})
    found = find(document, {"spin'": 40.0}, "T")
    assert found.adjusted == {"T": pytest.approx(0.7 * 40 + 0.01 * 1600, rel=1e-12)}


def test_speed_controller_finds_its_integrator() -> None:
    forces = {
        "drag": {"type": "damper", "along": "spin", "c": 0.7},
        "motor": {"type": "expression", "along": "spin", "value": "=2*(30 - spin') + hold"},
    }
    states = {"hold": {"rate": "=5*(30 - spin')"}, "travel": {"rate": "=spin'"}}
    found = find(rotor(forces=forces, states=states), None, "spin'", "hold")
    assert found.adjusted == {"spin'": pytest.approx(30, rel=1e-12), "hold": pytest.approx(21, rel=1e-12)}
    rates = found.point.mechanics.applied.state_rate()
    assert rates == pytest.approx([0, 30], abs=1e-10)  # nothing reads `travel`: it may count on
    closed = np.roots([0.3, 0.7 + 2, 5])
    assert np.sort_complex(exponents(found.point)) == pytest.approx(np.sort_complex(closed), rel=1e-10)


def driveline(**more: Any) -> dict[str, Any]:
    wheel = {"mass": 1, "inertia": [0.1, 0.1, 0.2]}
    pin = {"type": "revolute", "between": ["ground", "motor"], "at": O, "axis": Z}
    twist = {"type": "angle", "between": ["motor", "load"], "axis": Z}
    return {
        "bodies": {"motor": {**wheel, "at": O}, "load": {**wheel, "at": [0, 0, 1]}},
        "joints": {"motor": pin, "load": {**pin, "between": ["ground", "load"]}},
        "measures": {"twist": twist},
        "forces": {
            "shaft": {"type": "spring", "along": "twist", "k": 100, "c": 0.5},
            "drag": {"type": "damper", "along": "load", "c": 0.3},
        },
        "inputs": {"torque": {"along": "motor"}}, **more,
    }  # fmt: skip


def test_motor_takes_its_load_along() -> None:
    """Neither angle is cyclic by itself: the shaft twists unless both turn together."""
    found = find(driveline(), {"motor'": 50.0}, "torque")
    assert found.adjusted == {"torque": pytest.approx(15, rel=1e-11)}
    assert found.rates == {"motor": pytest.approx(50), "load": pytest.approx(50, rel=1e-11)}
    assert value(found.point, "twist") == pytest.approx(-0.15, rel=1e-10)
    assert_steady(found)


SLEIGH = {"mass": 2, "inertia": [0.3, 0.3, 0.3]}


def sleigh(ahead: float, first: str, plane: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "bodies": {"sleigh": {**SLEIGH, "at": [ahead, 0, 0]}},
        "joints": {
            "plane": {"type": "planar", "between": [first, "sleigh"], "at": O, "axis": Z, "axis2": X, **plane},
            "blade": {"type": "knife_edge", "between": ["ground", "sleigh"], "at": O, "axis": Y},
        },
        **more,
    }  # fmt: skip


def test_sleigh_travels_straight_in_any_direction() -> None:
    found = find(sleigh(0.25, "ground", {"position": [0, 0, 0.4]}), {"plane.angle": 0.4, "plane.x'": 1.5})
    assert found.rates == {"plane.x": pytest.approx(1.5), "plane.y": pytest.approx(1.5 * math.tan(0.4))}
    speed = 1.5 / math.cos(0.4)
    assert exponents(found.point) == pytest.approx([-2 * 0.25 * speed / (0.3 + 2 * 0.25**2)], rel=1e-11)
    assert_steady(found)


def test_sleigh_travels_on_a_circle_in_a_turning_frame() -> None:
    turning = {"turn": {"about": Z, "rate": 0.8}}
    start = {"position": [2.0, 0.3, 1.4]}
    document = sleigh(0.0, "turn", start, frames=turning)
    found = find(document, {"plane.x": 2.0, "plane.y": 0.0})
    # the mass runs straight unless pushed: the blade pushes sideways, so the circle is steady at any speed
    assert value(found.point, "plane.angle") == pytest.approx(math.pi / 2, abs=1e-11)
    assert_steady(found)
    held = {"plane.x": 2.0, "plane.y": 0.0, "plane.x'": 0.0, "plane.y'": 0.0, "plane.angle'": 0.0}
    with pytest.raises(ComputationError):  # with its mass ahead of the blade the sleigh straightens out
        find(sleigh(0.25, "turn", start, frames=turning), held)


def test_sleigh_on_a_circle_in_ground_coordinates_is_refused() -> None:
    with pytest.raises(ComputationError, match=r"unbalanced|instant"):
        find(sleigh(0.0, "ground", {}), {"plane.x'": 1.5, "plane.angle'": 0.5})


# A car in a turn ------------------------------------------------------------------------------------------------------
CAR = {"m": 1500.0, "I": 2500.0, "a": 1.2, "b": 1.5, "Cf": 8e4, "Cr": 9e4}
TURN_RADIUS, YAW = 60.0, 0.25


def single_track() -> dict[str, Any]:
    """Linear slip forces on two axles; the car is placed in a frame that turns with it, measured from the ground."""
    c = CAR
    at = [0, -TURN_RADIUS, 0]
    axle = lambda x: [x, -TURN_RADIUS, 0]  # noqa: E731
    return {
        "parameters": {"yaw": YAW},
        "frames": {"turn": {"about": Z, "rate": "=yaw"}},
        "bodies": {"car": {"mass": c["m"], "inertia": [500, 2500, c["I"]], "at": at}},
        "joints": {"place": {"type": "planar", "between": ["turn", "car"], "at": at, "axis": Z, "axis2": X}},
        "measures": {
            "gx": {"type": "displacement", "between": ["ground", "car"], "axis": X},
            "gy": {"type": "displacement", "between": ["ground", "car"], "axis": Y},
            "psi": {"type": "angle", "between": ["ground", "car"], "axis": Z},
        },
        "variables": {"u": "=gx'*cos(psi) + gy'*sin(psi)", "w": "=gy'*cos(psi) - gx'*sin(psi)"},
        "forces": {
            "front": {"type": "force", "body": "car", "at": axle(c["a"]), "axes": "body",
                      "value": [0, f"={c['Cf']}*(steer - (w + {c['a']}*psi')/u)", 0]},
            "rear": {"type": "force", "body": "car", "at": axle(-c["b"]), "axes": "body",
                     "value": [0, f"=-{c['Cr']}*(w - {c['b']}*psi')/u", 0]},
        },
        "inputs": {"steer": {}, "drive": {"body": "car", "at": at, "direction": X, "axes": "body"}},
    }  # fmt: skip


def car_in_a_turn() -> tuple[float, float, float, float]:
    """u, v, steering angle and driving force on the circle, by fixed-point iteration of the force balance."""
    c, L = CAR, CAR["a"] + CAR["b"]
    u = YAW * TURN_RADIUS
    for _ in range(100):
        v = c["b"] * YAW - u * c["a"] / L * c["m"] * YAW * u / c["Cr"]
        u = math.sqrt((YAW * TURN_RADIUS) ** 2 - v**2)
    steer = (v + c["a"] * YAW) / u + c["b"] / L * c["m"] * YAW * u / c["Cf"]
    return u, v, steer, -c["m"] * YAW * v


def test_car_in_a_steady_turn() -> None:
    u, v, steer, drive = car_in_a_turn()
    c = CAR
    found = find(single_track(), {"place.x": 0, "place.y": 0}, "steer", "drive")
    assert found.adjusted["steer"] == pytest.approx(steer, rel=1e-11)
    assert found.adjusted["drive"] == pytest.approx(drive, rel=1e-10)
    assert value(found.point, "place.angle") == pytest.approx(-math.atan2(v, u), rel=1e-11)
    assert_steady(found)
    # u' = v r + X/m, v' = -u r + (Ff + Fr)/m, r' = (a Ff - b Fr)/I: the rest of the exponents are zeros
    f1, r1 = (
        c["Cf"] * np.array([(v + c["a"] * YAW) / u**2, -1 / u, -c["a"] / u]),
        c["Cr"] * np.array([(v - c["b"] * YAW) / u**2, -1 / u, c["b"] / u]),
    )
    A = np.array([
        [0, YAW, v],
        [-YAW, 0, -u] + (f1 + r1) / c["m"],
        (c["a"] * f1 - c["b"] * r1) / c["I"],
    ])  # fmt: skip
    expected = [z for z in np.linalg.eigvals(A) if z.imag >= 0]
    lateral = np.array([z for z in exponents(found.point) if abs(z.real) > 1e-6])
    assert np.sort_complex(lateral) == pytest.approx(np.sort_complex(expected), rel=1e-8)


def test_car_given_its_steering_finds_its_radius() -> None:
    c, L, steer = CAR, CAR["a"] + CAR["b"], 1.1 * car_in_a_turn()[2]
    found = find(single_track(), {"place.x": 0, "steer": steer}, "drive")
    under = c["m"] * YAW * (c["b"] * c["Cr"] - c["a"] * c["Cf"]) / (L * c["Cf"] * c["Cr"])
    u = np.min(np.roots([under, -steer, L * YAW]).real)  # steer = L r / u + understeer * u
    v = c["b"] * YAW - u * c["a"] / L * c["m"] * YAW * u / c["Cr"]
    assert TURN_RADIUS - value(found.point, "place.y") == pytest.approx(math.hypot(u, v) / YAW, rel=1e-10)
    assert_steady(found)


# What is behind it ----------------------------------------------------------------------------------------------------
def random_trial(document: Mapping[str, Any], seed: int) -> tuple[Trial, Task]:
    model, task, state = understand(eb.load({"eigenbody": 1, **document}), {}, ())
    from eigenbody.linearization.point import system_of
    from eigenbody.mobility.coordinates import with_rates
    from eigenbody.mobility.partition import select

    system, rng = system_of(model), np.random.default_rng(seed)
    chosen = select(Mechanics(system, state), ())
    state = with_rates(system, chosen, state, rng.normal(size=len(chosen.velocities)))
    return Trial(model, system, chosen, state, np.zeros(0)), task


@pytest.mark.parametrize(
    "document",
    [
        universal(position=[0.2, 0.5]), ball_on_ground([0.3, 0.4, -0.2]), ball_on_frame([0.3, 0.4, -0.2]),
        sleigh(0.25, "ground", {"position": [0, 0, 0.3]}),
        {"gravity": DOWN, "bodies": {"a": COMPOUND, "b": {"mass": 1, "inertia": [0.1, 0.2, 0.15], "at": [0.3, 0, -1]}},
         "joints": {"free": {"type": "free", "between": ["ground", "a"], "position": [0, 0, 0, 0.5, 0.2, 0.1]},
                    "ball": {"type": "spherical", "between": ["a", "b"], "at": [0, 0, -0.8], "position": [0, 0.4, 0]}}},
    ],
    ids=["universal", "ball", "ball on a frame", "knife edge", "floating chain"],
)  # fmt: skip
def test_derivatives_of_the_equations(document: Mapping[str, Any]) -> None:
    """Far from any steady motion, against central differences of forward dynamics along the coordinates."""
    trial, task = random_trial(document, 5)
    idle = np.zeros(0, dtype=bool)
    now = equations(trial, task, idle, 1.0)
    nS, nW = len(trial.chosen.positions), len(trial.chosen.velocities)
    step, rows = 1e-6, slice(0, nW)
    for k in range(nS + nW):
        ends = []
        for sign in (1, -1):
            dz = np.zeros(now.J.shape[1])
            dz[k] = sign * step
            ahead = trial.moved(task, dz[:nS], trial.rates + now.J_rates @ dz, trial.inner(task), trial.parameters)
            ends.append(Residual(ahead, task, idle).f)
        difference = (ends[0] - ends[1])[rows] / (2 * step)
        np.testing.assert_allclose(now.J[rows, k], difference, rtol=1e-7, atol=2e-8 * np.abs(now.J).max())


# Everything else ------------------------------------------------------------------------------------------------------
def rope(links: int) -> dict[str, Any]:
    """A chain of rods that hangs 0.3 m off the axis of a turntable, drawn straight down."""
    length = 1.0 / links
    names = ["turn", *(f"link{k}" for k in range(links))]
    rod = [length**2 / 12 / links] * 2 + [1e-6]
    return {
        "gravity": DOWN, "frames": {"turn": {"about": Z, "rate": 6.0}},
        "bodies": {
            name: {"mass": 1 / links, "inertia": rod, "at": [0.3, 0, -(k + 0.5) * length]}
            for k, name in enumerate(names[1:])
        },
        "joints": {
            f"pin{k}": {"type": "revolute", "between": names[k : k + 2], "at": [0.3, 0, -k * length], "axis": Y}
            for k in range(links)
        },
    }  # fmt: skip


def test_rope_on_a_turntable_swings_out_far() -> None:
    one = find(rope(1))
    lean = -value(one.point, "pin0")
    # moments about the pin: g m/2 sin = W^2 (0.3 m/2 + m/3 sin) cos, for a thin rod of 1 m
    turning = 36 * (0.15 + (1 / 3 - 1e-6) * math.sin(lean)) * math.cos(lean)
    assert turning == pytest.approx(G / 2 * math.sin(lean), rel=1e-12)
    six = find(rope(6))
    assert_steady(six)
    assert six.stability == "marginal"
    assert all(value(six.point, f"pin{k}") < 0 for k in range(6))  # it hangs outwards, each link further


@pytest.mark.parametrize("file", ["rotating_pendulum", "rotor_on_bearing", "rotor_stator", "chaplygin_sleigh"])
def test_examples_that_move_steadily_are_left_as_they_are(file: str) -> None:
    model = eb.load(EXAMPLES / f"{file}.yaml")
    found = find_steady(model)
    assert found.iterations == 0
    assert eb.modes(found.point).eigenvalues == pytest.approx(eb.modes(model).eigenvalues, rel=1e-12)
    assert not any("frozen" in note for note in eb.modes(found.point).notes)


def test_operating_point_of_the_model_file() -> None:
    point = eb.operating_point(eb.load(EXAMPLES / "conical_pendulum.yaml"))
    assert rate(point, "turn") == pytest.approx(RATE, rel=1e-12)
    assert point.is_steady


# Wrong input ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("prescribed", "adjust", "message"),
    [
        ({"pivot.angel2": 0.5}, (), r'no measure.*"pivot\.angel2".*Did you mean "pivot\.angle2"'),
        ({"pivot.angle2": 0.5}, ("pivot.angle1''",), r"pivot\.angle1''"),
        ({"pivot.angle2": 0.5}, ("pivot.angle2",), "both prescribed and to be adjusted"),
        ({"pivot.angle2": math.nan}, (), "not a finite number"),
        ({"pivot.angle2": "fast"}, (), "not a finite number"),
    ],
)
def test_wrong_requests(prescribed: Any, adjust: tuple[str, ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        find(universal(position=[0, TILT]), prescribed, *adjust)


def test_contradictory_prescriptions() -> None:
    model = eb.load(EXAMPLES / "flyball_governor.yaml")
    with pytest.raises(InputError, match=r"contradicts|cannot be assembled"):
        find_steady(model, {"sleeve": 0.05, "shoulder1": 0.0})
    with pytest.raises(InputError, match=r"shoulder2'.*contradicts"):
        find_steady(model, {"sleeve": 0.0, "spin'": 10.0, "shoulder1'": 1.0, "shoulder2'": 3.0})


def test_a_family_is_reported_with_what_to_prescribe() -> None:
    found = find(universal(position=[0, 0.5], velocity=[4.0, 0]), None, "pivot.angle1'", "pivot.angle2")
    assert any(
        "one-parameter family" in note and "pivot.angle2" in note and "pivot.angle1'" in note for note in found.notes
    )
    assert_steady(found)


def test_falling_freely_is_no_steady_motion() -> None:
    with pytest.raises(ComputationError, match=r"stone\.z'' = -9\.81"):
        find({"gravity": DOWN, "bodies": {"stone": {"mass": 1, "at": O}}})


def test_the_point_is_an_operating_point() -> None:
    point = steady_motion(eb.load({"eigenbody": 1, **universal(position=[0, TILT])}), {"pivot.angle2": TILT})
    assert isinstance(point, OperatingPoint)
    assert eb.linearize(point.model, at=point).certificate.tangent_error < 1e-12
    assert "rate" in str(find(universal(position=[0, TILT]), {"pivot.angle2": TILT}))


def test_energy_and_momentum_stay_along_the_motion() -> None:
    from eigenbody.dynamics.energy import energy

    point = find(top(precessions(0.6, 150.0)[0], position=0.6), {"tilt": 0.6, "spin'": 150.0}, "precession'").point
    later = advanced(point.system, point.chosen, point.state, 0.03, 12)
    before, after = (float(energy(Mechanics(point.system, s)).total) for s in (point.state, later))
    assert after == pytest.approx(before, rel=1e-12)
    vertical = []
    for s in (point.state, later):
        J = np.einsum("nij,njk,nlk->nil", s.R, point.system.inertia, s.R)
        spin = np.einsum("nij,nj->ni", s.R, s.w)
        total = np.einsum("nij,nj->ni", J, spin) + point.system.mass[:, None] * np.cross(s.r, s.v)
        vertical.append(float(total.sum(axis=0)[2]))
    assert vertical[1] == pytest.approx(vertical[0], rel=1e-12)
