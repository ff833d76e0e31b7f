"""Inverse and mixed dynamics against closed forms, conservation laws and the forward problem."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import simpson
from scipy.interpolate import make_interp_spline

import eigenbody as eb
from eigenbody.simulation.inverse.laws import as_law, read_law
from mechanisms import KINDS, random_mechanism

MANIPULATOR = Path(__file__).parents[3] / "examples" / "space_manipulator.yaml"
G = 9.81
Y = [0, 1, 0]
DEG = math.pi / 180


def pendulum(**pin: object) -> eb.Model:
    model = eb.Model(gravity=[0, 0, -G]).body("bob", mass=2, inertia=[0.1, 0.1, 0.1], at=[0, 0, -0.8])
    return model.joint("pin", "revolute", between=["ground", "bob"], at=[0, 0, 0], axis=Y, **pin)


def torque(found: eb.InverseDynamics) -> np.ndarray:
    """What the pendulum needs: (I + m l^2) a + m g l sin."""
    return (0.1 + 2 * 0.64) * found.acceleration[:, 0] + 2 * G * 0.8 * np.sin(found.value[:, 0])


# Laws ---------------------------------------------------------------------------------------------------------------


def test_cycloid_is_equation_5_1() -> None:
    law, t = eb.cycloid(0.3, 1.5, 2.0), np.linspace(0, 2, 41)
    assert law.value(t) == pytest.approx(0.3 + 1.2 * (t / 2 - np.sin(math.pi * t) / (2 * math.pi)), abs=1e-15)
    assert law.rate(t) == pytest.approx(0.6 * (1 - np.cos(math.pi * t)), abs=1e-15)
    assert law.acceleration(t[:-1]) == pytest.approx(0.6 * math.pi * np.sin(math.pi * t[:-1]), abs=1e-14)
    assert law.value(np.array([-1.0, 2.0, 5.0])) == pytest.approx([0.3, 1.5, 1.5], abs=1e-15)
    assert law.rate(np.array([-1.0, 5.0])) == pytest.approx([0, 0], abs=1e-15)


@pytest.mark.parametrize(
    "law", [eb.cycloid(1, 3, 2, 0.5), eb.polynomial345(1, 3, 2, 0.5), eb.harmonic(2, 0.5, 1.5, 0.3)]
)
def test_rates_of_laws_are_derivatives(law: eb.simulation.laws.Law) -> None:
    t, h = np.linspace(0.6, 2.4, 7), 1e-5
    assert law.rate(t) == pytest.approx((law.value(t + h) - law.value(t - h)) / (2 * h), abs=1e-8)
    assert law.acceleration(t) == pytest.approx((law.rate(t + h) - law.rate(t - h)) / (2 * h), abs=1e-8)


def test_rest_to_rest_laws_start_and_end_softly() -> None:
    for law in (eb.cycloid(1, 3, 2, 0.5), eb.polynomial345(1, 3, 2, 0.5)):
        ends = np.array([0.5, 2.5])
        assert law.value(ends) == pytest.approx([1, 3], abs=1e-14)
        assert law.rate(ends) == pytest.approx([0, 0], abs=1e-14)
        assert law.acceleration(ends) == pytest.approx([0, 0], abs=1e-13)


def test_every_way_to_give_a_motion() -> None:
    t = np.linspace(0, 1, 11)
    sine = "=0.5*sin(2*t)"
    functions = (lambda x: 0.5 * np.sin(2 * x), lambda x: np.cos(2 * x), lambda x: -2 * np.sin(2 * x))
    exact = eb.inverse(pendulum(), {"pin": sine}, times=t)
    assert exact["pin"] == pytest.approx(torque(exact), rel=1e-11, abs=1e-11)
    for motion, tolerance in (
        (functions, 1e-11),
        (functions[0], 1e-9),
        ([f(t) for f in functions], 1e-11),
        (functions[0](t), 2e-2),
    ):
        found = eb.inverse(pendulum(), {"pin": motion}, times=t)
        assert found["pin"] == pytest.approx(exact["pin"], abs=tolerance * np.abs(exact["pin"]).max())
    in_file = eb.inverse(pendulum(motion=sine), times=t)
    driver = eb.inverse(pendulum().driver("motor", measure="pin", motion=sine), times=t)
    assert in_file.force == pytest.approx(exact.force, abs=1e-12)
    assert driver.force == pytest.approx(exact.force, abs=1e-12)
    assert in_file.coordinates == driver.coordinates == ("pin",)
    start = pendulum().driver(
        "start", measure="pin", motion=sine, assembly=True
    )  # no drive: it holds at the start only
    assert eb.inverse(start, {"pin": sine}, times=t).force == pytest.approx(exact.force, abs=1e-12)
    constant = eb.inverse(pendulum(), {"pin.angle": "30 deg"}, times=[0, 1])
    assert constant.force[:, 0] == pytest.approx([2 * G * 0.8 * 0.5] * 2, rel=1e-12)


def test_the_cycloid_written_in_a_model_file() -> None:
    text = "=90*pi/180*(min(t, T)/T - sin(2*pi*min(t, T)/T)/(2*pi))"
    own = pendulum(motion=text).parameter("T", 2)
    given = eb.inverse(pendulum(), {"pin": "cycloid(0, 90 deg, 2 s)"}, until=3, points=13)
    assert eb.inverse(own, until=3, points=13).force == pytest.approx(given.force, abs=1e-11)


# Closed forms -------------------------------------------------------------------------------------------------------


def test_pendulum_over_several_turns() -> None:
    found = eb.inverse(pendulum(), {"pin": eb.cycloid(0, 14.0, 2)}, until=2, points=21)
    assert found["pin"] == pytest.approx(torque(found), rel=1e-10, abs=1e-9)
    assert found.value[-1, 0] == pytest.approx(14.0, abs=1e-12)
    assert found.power[:, 0] == pytest.approx(found.force[:, 0] * found.rate[:, 0])


def test_driven_cart_with_a_free_pendulum() -> None:
    """Mixed: the cart's force is (M + m) a - d/dt of the bob's share; work done equals the energy gained."""
    model = eb.Model(gravity=[0, 0, -G]).body("cart", mass=3, inertia=[1, 1, 1], at=[0, 0, 0])
    model = model.body("bob", mass=1, inertia=[0.02, 0.02, 0.02], at=[0, 0, -0.5])
    model = model.joint("rail", "prismatic", between=["ground", "cart"], at=[0, 0, 0], axis=[1, 0, 0])
    model = model.joint("pin", "revolute", between=["cart", "bob"], at=[0, 0, 0], axis=Y)
    found = eb.inverse(model, {"rail": eb.cycloid(0, 1, 1)}, until=1.2, points=161)
    assert found.free == ("pin",)
    angle = found.positions[:, found.measures.index("pin")]
    rate = np.gradient(angle, found.t, edge_order=2)
    acc = np.gradient(rate, found.t, edge_order=2)
    bob = -0.5 * (acc * np.cos(angle) - rate**2 * np.sin(angle))  # x'' of the bob relative to the cart
    expected = 4 * found.acceleration[:, 0] + bob
    assert found.force[3:-3, 0] == pytest.approx(expected[3:-3], abs=1e-2 * np.abs(expected).max())
    lifted = G * 0.5 * (1 - np.cos(angle))
    work = np.concatenate(([0], np.cumsum(0.5 * (found.power[1:, 0] + found.power[:-1, 0]) * np.diff(found.t))))
    assert work == pytest.approx(found.kinetic_energy + lifted, abs=1e-3 * found.kinetic_energy.max())


def test_closed_loop_driven_at_its_crank() -> None:
    """A parallelogram of light rods with a heavy coupler: torque m g r sin + m r^2 a."""
    m, r = 5.0, 0.6
    model = eb.Model(gravity=[0, 0, -G]).body("coupler", mass=m, inertia=[1, 1, 1], at=[0.5, 0, -r])
    for name, x in (("left", 0.0), ("right", 1.0)):
        model = model.body(name, mass=0, inertia=[0, 0, 0], at=[x, 0, -r / 2])
        model = model.joint(f"{name}_top", "revolute", between=["ground", name], at=[x, 0, 0], axis=Y)
        model = model.joint(f"{name}_end", "revolute", between=[name, "coupler"], at=[x, 0, -r], axis=Y)
    found = eb.inverse(model, {"left_top": eb.polynomial345(0, 1.0, 1)}, until=1, points=11)
    expected = m * G * r * np.sin(found.value[:, 0]) + m * r**2 * found.acceleration[:, 0]
    assert found["left_top"] == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    assert not found.indeterminate
    ground = found.reactions(5, axes="ground")
    assert ground["left_top"].force[0] + ground["right_top"].force[0] == pytest.approx(
        m * float(found.body_acceleration[5][0]), rel=1e-9
    )


def test_redundant_drives_share_by_least_norm_and_are_marked() -> None:
    """Both cranks of the parallelogram driven alike."""
    model = eb.Model(gravity=[0, 0, -G]).body("coupler", mass=5, inertia=[1, 1, 1], at=[0.5, 0, -0.6])
    for name, x in (("left", 0.0), ("right", 1.0)):
        model = model.body(name, mass=0.1, inertia=[0.01] * 3, at=[x, 0, -0.3])
        model = model.joint(f"{name}_top", "revolute", between=["ground", name], at=[x, 0, 0], axis=Y)
        model = model.joint(f"{name}_end", "revolute", between=[name, "coupler"], at=[x, 0, -0.6], axis=Y)
    law = eb.cycloid(0, 1.0, 1)
    one = eb.inverse(model, {"left_top": law}, times=[0.3, 0.7])
    two = eb.inverse(model, {"left_top": law, "right_top": law}, times=[0.3, 0.7])
    assert two.indeterminate == ("left_top", "right_top")
    assert two.force.sum(axis=1) == pytest.approx(one.force[:, 0], rel=1e-9)
    assert np.abs(two.force).max() < np.abs(one.force).max()


# The manipulator of Passerello & Huston -----------------------------------------------------------------------------


def arms(duration: float = 2.0) -> dict[str, object]:
    """Ball joints and hinges from the angles of the report to a grip in front of the base, by cycloids."""
    return {
        "shoulder_1.rx": eb.cycloid(90 * DEG, 30 * DEG, duration), "shoulder_1.ry": 0.0, "shoulder_1.rz": 0.0,
        "elbow_1": eb.cycloid(0, -40 * DEG, duration),
        "shoulder_2.rx": 0.0, "shoulder_2.ry": eb.cycloid(-90 * DEG, -20 * DEG, duration), "shoulder_2.rz": 0.0,
        "elbow_2": eb.cycloid(90 * DEG, 20 * DEG, duration),
    }  # fmt: skip


def test_problem_1_free_floating_base() -> None:
    """The base reacts; linear and angular momentum stay zero over the whole motion."""
    found = eb.inverse(eb.load(MANIPULATOR), arms(), until=2.2, points=12)
    assert set(found.free) == {"base.x", "base.y", "base.z", "base.rx", "base.ry", "base.rz"}
    assert np.abs(found.linear_momentum).max() < 1e-10
    assert np.abs(found.angular_momentum).max() < 1e-10
    base = found.positions[:, [found.measures.index(f"base.{k}") for k in ("x", "y", "z", "rx", "ry", "rz")]]
    assert np.abs(base).max(axis=0).min() > 1e-3  # it moves in all six coordinates
    assert base[-1] == pytest.approx(base[-2], abs=1e-9)  # and rests when the arms do
    assert found.kinetic_energy.max() > 1


def test_problem_2_holding_forces_fed_back_keep_the_base_in_place() -> None:
    """Holding forces and moments, applied as given forces to a free base, keep it at rest to 1e-7 m and rad."""
    model, end = eb.load(MANIPULATOR), 1.0
    times = np.linspace(0, end, 41)
    held = eb.inverse(model, arms(end), times=times, holds=["base"])
    assert held.free == ()
    assert np.abs(held.holding_force).max() > 10
    impulse = np.trapezoid(held.holding_force[:, 0], times, axis=0)  # total impulse of a motion from rest to rest
    assert impulse == pytest.approx(np.zeros(3), abs=1e-3 * np.abs(held.holding_force).max())
    rate, turn = (
        make_interp_spline(times, momentum, k=5).derivative()(times)
        for momentum in (held.linear_momentum, held.angular_momentum)
    )
    assert held.holding_force[5:-5, 0] == pytest.approx(rate[5:-5], abs=1e-5 * np.abs(rate).max())
    assert held.holding_moment[5:-5, 0] == pytest.approx(turn[5:-5], abs=1e-5 * np.abs(turn).max())
    free = model
    for k, axis in enumerate("xyz"):
        direction = np.eye(3)[k].tolist()
        free = free.input(f"f{axis}", body="base", direction=direction)
        free = free.input(f"m{axis}", body="base", direction=direction, torque=True)
    given = {f"f{axis}": held.holding_force[:, 0, k] for k, axis in enumerate("xyz")}
    given |= {f"m{axis}": held.holding_moment[:, 0, k] for k, axis in enumerate("xyz")}
    driven = eb.inverse(free, arms(end), times=times, inputs=given, tolerance=1e-11)
    base = driven.positions[:, [driven.measures.index(f"base.{k}") for k in ("x", "y", "z", "rx", "ry", "rz")]]
    loose = eb.inverse(model, arms(end), times=[0, end], tolerance=1e-9)
    assert np.abs(base).max() < 1e-7
    assert np.abs(loose.positions[-1, loose.measures.index("base.z")]) > 1e-2  # without them it drifts away
    assert driven.force == pytest.approx(held.force, abs=1e-7 * np.abs(held.force).max())


def test_holding_wrench_at_a_marker() -> None:
    """The same holding force, its moment about another point."""
    model = pendulum().marker("tip", body="bob", at=[0.1, 0, -1.0])
    centre = eb.inverse(model, times=[0], holds=["bob"])
    tip = eb.inverse(model, times=[0], holds=["tip"])
    assert centre.indeterminate == ("bob",)  # the hinge holds it too
    arm = np.array([0.1, 0, -0.2])
    moved = centre.holding_moment[0, 0] - np.cross(arm, centre.holding_force[0, 0])
    assert tip.holding_force == pytest.approx(centre.holding_force, abs=1e-10)
    assert tip.holding_moment[0, 0] == pytest.approx(moved, abs=1e-10)
    free = eb.Model(gravity=[0, 0, -G]).body("stone", mass=2, inertia=[1, 1, 1], at=[1, 2, 3])
    held = eb.inverse(free, times=[0, 1], holds="stone")
    assert held.holding_force[:, 0] == pytest.approx(np.array([[0, 0, 2 * G]] * 2), rel=1e-12)
    assert held.holding_moment == pytest.approx(np.zeros((2, 1, 3)), abs=1e-12)


def test_bodies_are_held_where_they_start_however_they_are_turned() -> None:
    """Far from the drawing, off-centre load; and a point mass, which needs no moment."""
    stone = eb.Model(gravity=[0, 0, -G]).body("stone", mass=2, inertia=[1, 2, 2.5], at=[1, 2, 3])
    stone = stone.joint("pose", "free", between=["ground", "stone"], position=[1, 0, 0, 0, 2.5, 0])
    stone = stone.force("load", "force", body="stone", at=[1.5, 2, 3], value=[0, 0, -3])
    held = eb.inverse(stone, times=[0, 1], holds=["stone"])
    assert held.free == ()
    assert held.states[1].r[0] == pytest.approx([2, 2, 3], abs=1e-12)
    assert held.holding_force[1, 0] == pytest.approx([0, 0, 2 * G + 3], rel=1e-12, abs=1e-11)
    arm = 0.5 * math.cos(2.5)  # the load acts beside the centre
    assert held.holding_moment[1, 0] == pytest.approx([0, -3 * arm, 0], rel=1e-12, abs=1e-11)
    point = eb.inverse(eb.Model(gravity=[0, 0, -G]).body("m", mass=2, at=[1, 2, 3]), times=[0], holds=["m"])
    assert point.holding_force[0, 0] == pytest.approx([0, 0, 2 * G], rel=1e-12, abs=1e-12)
    assert point.holding_moment[0, 0] == pytest.approx([0, 0, 0], abs=1e-12)


def test_rolling_motion_without_slip_stays_mixed() -> None:
    """A skate with its turn prescribed: the rest of the motion is non-holonomic and is integrated."""
    skate = eb.Model().body("skate", mass=2, inertia=[1, 1, 1], at=[0, 0, 0])
    skate = skate.joint(
        "floor", "planar", between=["ground", "skate"], at=[0, 0, 0], axis=[0, 0, 1], velocity=[1, 0, 2]
    )
    skate = skate.joint("blade", "knife_edge", between=["ground", "skate"], at=[0, 0, 0], axis=Y)
    found = eb.inverse(skate, {"floor.angle": "=2*t"}, times=[0, 0.5, 1])
    x, y = (found.positions[:, found.measures.index(f"floor.{k}")] for k in "xy")
    assert x == pytest.approx(np.sin(2 * found.t) / 2, abs=1e-9)  # a circle of radius v / w
    assert y == pytest.approx((1 - np.cos(2 * found.t)) / 2, abs=1e-9)
    assert found.force == pytest.approx(np.zeros((3, 1)), abs=1e-9)


# Round trips --------------------------------------------------------------------------------------------------------


def parabola(s: float, v: float, a: float) -> tuple:
    """A motion that starts at s with rate v and acceleration a."""
    return lambda t: s + v * t + a * t * t / 2, lambda t: v + a * t, lambda t: a


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["tree", "floating", "loop", "redundant"])
def test_forces_applied_as_inputs_give_the_accelerations_back(kind: str, seed: int) -> None:
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    model = eb.load(random_mechanism(rng, kind))
    point = eb.operating_point(model)
    index = point.chosen.positions
    names = [point.system.names[i] for i in index]
    jet = point.system.named.jet(point.mechanics.at, point.state.turns)
    wanted = rng.uniform(-3, 3, len(index))
    motion = {n: parabola(*x) for n, *x in zip(names, jet.value[index], jet.rate[index], wanted, strict=True)}
    found = eb.inverse(model, motion, times=[0.0])
    assert found.free == ()
    pushed = model
    for k, name in enumerate(names):
        pushed = pushed.input(f"push_{k}", along=name, value=float(found[name][0]))
    forward = eb.operating_point(pushed)
    reached = forward.system.named.jet(forward.mechanics.at, forward.state.turns).acceleration
    reached = reached[[forward.system.aliases[name] for name in names]]
    assert reached == pytest.approx(wanted, abs=1e-9 * max(1.0, np.abs(point.motion.acceleration).max()))


def test_torques_fed_back_reproduce_a_double_pendulum() -> None:
    """Everything prescribed, then everything free under the torques found: the same motion."""
    model = eb.Model(gravity=[0, 0, -G]).body("a", mass=1, inertia=[0.1] * 3, at=[0, 0, -0.5])
    model = model.body("b", mass=1, inertia=[0.1] * 3, at=[0, 0, -1.5])
    model = model.joint("p", "revolute", between=["ground", "a"], at=[0, 0, 0], axis=Y)
    model = model.joint("q", "revolute", between=["a", "b"], at=[0, 0, -1], axis=[1, 0, 0])
    motion = {"p": eb.cycloid(0, 1, 1), "q": eb.cycloid(0, -0.7, 1)}
    times = np.linspace(0, 1, 81)
    found = eb.inverse(model, motion, times=times)
    pushed = model.input("tp", along="p").input("tq", along="q")
    again = eb.inverse(pushed, inputs={"tp": found["p"], "tq": found["q"]}, times=times)
    assert again.free == ("p", "q")
    assert again.positions == pytest.approx(found.positions, abs=1e-7)


def beam_on_a_rail() -> eb.Model:
    beam = {"points": [[0, 0, 0], [0, 0, 1]], "E": 210e9, "nu": 0.3, "density": 7850, "diameter": 0.04, "modes": 4}
    rail = {"type": "prismatic", "between": ["ground", "beam.start"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    return eb.load({"eigenbody": 1, "flexible": {"beam": {"type": "beam", **beam}}, "joints": {"rail": rail}})


def test_the_push_on_an_elastic_beam_is_the_rate_of_its_momentum() -> None:
    """Its foot driven along a rail, its modal coordinates free: the impulse of the drive is the momentum reached."""
    found = eb.inverse(beam_on_a_rail(), {"rail": "=t**2"}, until=0.01, points=201)
    assert found.free == tuple(f"beam.q{k}" for k in (1, 2, 3, 4))
    assert simpson(found["rail"], x=found.t) == pytest.approx(found.linear_momentum[-1, 0], rel=1e-7)


def test_an_elastic_beam_is_held_at_a_node() -> None:
    assert np.abs(eb.inverse(beam_on_a_rail(), until=0.01, points=3, holds=["beam.start"]).holding_force).max() == 0
    with pytest.raises(eb.InputError, match=r"hold beam: a flexible body is held at a node.*beam\.start"):
        eb.inverse(beam_on_a_rail(), until=0.01, points=3, holds=["beam"])


# Wrong input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"motion": {"pn": 0}}, r'motion of pn: there is no such measure.*"pin"'),
        ({"motion": {"pin": 0, "pin.angle": 0}}, "prescribed already"),
        ({"motion": {"pin": "cycloi(0, 1, 1)"}}, r'no motion law "cycloi".*"cycloid"'),
        ({"motion": {"pin": "cycloid(0, 1)"}}, "3 to 4 arguments"),
        ({"motion": {"pin": "cycloid(0, 1 m, 1)"}}, "m"),
        ({"motion": {"pin": "cycloid(0, 1, -2)"}}, "must be positive"),
        ({"motion": {"pin": "=2*omga*t"}}, 'unknown name "omga"'),
        ({"motion": {"pin": "=2*(t"}}, "expected"),
        ({"motion": {"pin": [1, 2, 3, 4]}}, r"shape \(4,\)"),
        ({"motion": {"pin": object()}}, "not a motion"),
        ({"holds": ["bb"]}, r'hold bb: there is no such body.*"bob"'),
        ({"holds": ["ground"]}, "does not move"),
        ({"holds": ["bob", "bob"]}, "held already"),
        ({"holds": ["bob", "tip"]}, "held already"),
        ({"inputs": {"f": 0}}, 'no input "f"'),
    ],
)
def test_wrong_requests_are_refused(options: dict, message: str) -> None:
    model = pendulum().marker("tip", body="bob", at=[0, 0, -1])
    with pytest.raises(eb.InputError, match=message):
        eb.inverse(model, until=1, points=3, **options)


@pytest.mark.parametrize(
    "times",
    [{}, {"until": 1, "times": [0, 1]}, {"until": -1}, {"until": math.nan}, {"times": [1, 0]}, {"times": [-1, 0]},
     {"until": 1, "points": 1}, {"times": []}],
)  # fmt: skip
def test_wrong_times_are_refused(times: dict) -> None:
    with pytest.raises(eb.InputError):
        eb.inverse(pendulum(), {"pin": 0.0}, **times)


def test_motion_against_a_constraint_is_refused() -> None:
    """Two joints of a parallelogram driven differently; a held body driven; a motion already in the file."""
    both = pendulum().driver("motor", measure="pin", motion="=t")
    with pytest.raises(eb.InputError, match="prescribed already"):
        eb.inverse(both, {"pin": 0.0}, until=1)
    with pytest.raises(eb.InputError, match="moves at the start"):
        eb.inverse(pendulum(), {"pin": "=t"}, until=1, points=3, holds=["bob"])
    with pytest.raises(eb.InputError, match="contradicts the other constraints in acceleration at t = 0 s"):
        eb.inverse(pendulum(), {"pin": "=t**2"}, until=1, points=3, holds=["bob"])
    with pytest.raises(eb.InputError, match=r"contradicts.*at t = 1 s"):
        eb.inverse(pendulum(), {"pin": eb.cycloid(0, 1, 1, begin=0.6)}, times=[0, 0.5, 1], holds=["bob"])


def test_a_motion_out_of_reach_is_said() -> None:
    """A slider-crank whose slider is told to go beyond the rod."""
    model = eb.Model().body("crank", mass=1, inertia=[0.1] * 3, at=[0.25, 0, 0])
    model = model.body("block", mass=1, inertia=[0.1] * 3, at=[1.3, 0, 0.0])
    model = model.joint("pin", "revolute", between=["ground", "crank"], at=[0, 0, 0], axis=Y, position=0.8)
    model = model.joint("rail", "prismatic", between=["ground", "block"], at=[1.3, 0, 0], axis=[1, 0, 0])
    model = model.joint("rod", "distance", between=["crank", "block"], at=[[0.5, 0, 0], [1.3, 0, 0]])
    start = eb.operating_point(model).coordinates()["rail"]
    with pytest.raises((eb.ComputationError, eb.InputError), match="cannot be followed beyond t = "):
        eb.inverse(model, {"rail": eb.cycloid(start, 0.5, 1)}, until=1, points=11)


def test_inputs_that_expressions_read_are_refused() -> None:
    model = pendulum().input("target").force("servo", "expression", along="pin", value="=10*(target - pin)")
    with pytest.raises(eb.InputError, match="read by expressions"):
        eb.inverse(model, inputs={"target": "=t"}, until=1)


def test_results_as_data_and_text() -> None:
    found = eb.inverse(eb.load(MANIPULATOR), arms(), times=[0, 0.5], holds=["base"])
    data = found.as_dict()
    assert [entry["coordinate"] for entry in data["driven"]] == list(found.coordinates)
    assert data["held"][0]["body"] == "base"
    assert "base Fx" in str(found)
    assert "<table>" in found._repr_html_()
    with pytest.raises(eb.InputError, match="not a driven coordinate"):
        found["elbow_9"]
    assert read_law("3 mm", "m", "here").value(1.0) == pytest.approx(0.003)
    assert as_law(2, "m", "here", np.zeros(1)).rate(0.5) == 0.0


def test_moment_of_a_driven_ball_joint() -> None:
    """A rod on a ball joint at a quarter turn about x, swung about y of ground: Euler's equations by hand."""
    m, half, inertia, rate = 2.0, 0.5, 0.3, 1.7
    model = eb.Model(gravity=[0, 0, -G]).body("rod", mass=m, inertia=[inertia] * 3, at=[half, 0, 0])
    model = model.joint("ball", "spherical", between=["ground", "rod"], at=[0, 0, 0])
    spin = {"ball.rx": 0.0, "ball.ry": 0.0, "ball.rz": f"=0.4 + {rate}*t + 0.3*t**2"}
    found = eb.inverse(model, spin, times=[0.0, 0.5])
    angle, turn = found.value[:, 2], found.acceleration[:, 2]
    expected = np.stack(
        (m * G * half * np.sin(angle), -m * G * half * np.cos(angle), (inertia + m * half**2) * turn), 1
    )
    assert found.balls == ("ball",)
    assert found.ball_moment[:, 0] == pytest.approx(expected, abs=1e-11)
