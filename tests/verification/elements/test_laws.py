"""Force laws on a sliding block or a wheel against their closed forms: values, slopes, characteristic equations."""

import math
from itertools import pairwise

import numpy as np
import pytest

import eigenbody as eb

MASS = 2.0
J = 0.3


def block(forces: dict, position: float = 0.0, velocity: float = 0.0, **sections: dict) -> eb.Model:
    """A mass on a rail along x without gravity."""
    rail = {"type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [1, 0, 0],
            "position": position, "velocity": velocity}  # fmt: skip
    bodies = {"block": {"mass": MASS, "at": [0, 0, 0]}}
    return eb.load({"eigenbody": 1, "bodies": bodies, "joints": {"rail": rail}, "forces": forces, **sections})


def wheel(forces: dict, velocity: float = 0.0, **sections: dict) -> eb.Model:
    shaft = {"type": "revolute", "between": ["ground", "wheel"], "at": [0, 0, 0], "velocity": velocity}
    bodies = {"wheel": {"mass": 1, "inertia": [0.2, 0.2, J], "at": [0, 0, 0]}}
    return eb.load({"eigenbody": 1, "bodies": bodies, "joints": {"shaft": shaft}, "forces": forces, **sections})


def acceleration(model: eb.Model) -> float:
    return float(eb.operating_point(model.output("acceleration", measure="rail", order=2)).outputs()["acceleration"])


def stiffness_and_damping(model: eb.Model) -> tuple[float, float]:
    linear = eb.linearize(model)
    return float(linear.K[0, 0]), float(linear.C[0, 0])


# Friction -------------------------------------------------------------------------------------------------------------
COULOMB, STATIC, STRIBECK, TRANSITION, VISCOUS = 4.0, 6.0, 0.3, 0.01, 0.7


def friction_force(v: float, static: float | None = None) -> float:
    peak = 0.0 if static is None else (static - COULOMB) * math.exp(-((v / STRIBECK) ** 2))
    return (COULOMB + peak) * math.tanh(v / TRANSITION) + VISCOUS * v


def slope(function, v: float) -> float:
    """Central differences extrapolated twice."""
    step = [1e-4 / 2**k for k in range(3)]
    d = [(function(v + h) - function(v - h)) / (2 * h) for h in step]
    d = [(4 * b - a) / 3 for a, b in pairwise(d)]
    return (16 * d[1] - d[0]) / 15


def test_friction_at_rest_is_a_strong_damper() -> None:
    law = {"type": "friction", "along": "rail", "coulomb": COULOMB, "transition": TRANSITION, "viscous": VISCOUS}
    assert stiffness_and_damping(block({"f": law})) == pytest.approx((0, COULOMB / TRANSITION + VISCOUS), rel=1e-13)
    stribeck = law | {"static": STATIC, "stribeck": STRIBECK}
    assert stiffness_and_damping(block({"f": stribeck}))[1] == pytest.approx(STATIC / TRANSITION + VISCOUS, rel=1e-13)
    assert acceleration(block({"f": stribeck})) == 0


@pytest.mark.parametrize("speed", [0.004, -0.02, 0.15, 0.5, -2.0])
@pytest.mark.parametrize("static", [None, STATIC])
def test_friction_while_sliding(speed: float, static: float | None) -> None:
    law = {"type": "friction", "along": "rail", "coulomb": COULOMB, "transition": TRANSITION, "viscous": VISCOUS}
    if static is not None:
        law |= {"static": static, "stribeck": STRIBECK}
    model = block({"f": law}, velocity=speed)
    assert acceleration(model) == pytest.approx(-friction_force(speed, static) / MASS, rel=1e-13)
    expected = slope(lambda v: friction_force(v, static), speed)
    assert stiffness_and_damping(model)[1] == pytest.approx(expected, rel=1e-7, abs=1e-7)


def test_stribeck_friction_falls_with_speed_and_so_excites() -> None:
    law = {"type": "friction", "along": "rail", "coulomb": COULOMB, "transition": TRANSITION, "static": STATIC,
           "stribeck": STRIBECK}  # fmt: skip
    damping = stiffness_and_damping(block({"f": law}, velocity=0.2))[1]
    expected = -2 * 0.2 / STRIBECK**2 * (STATIC - COULOMB) * math.exp(-((0.2 / STRIBECK) ** 2))  # tanh(20) = 1
    assert damping == pytest.approx(expected, rel=1e-9)
    assert damping < 0


def test_friction_by_a_normal_force_that_varies() -> None:
    """mu times the tension of a spring along the same measure: the slope by position is there too."""
    law = {"type": "friction", "along": "rail", "coulomb": "=mu*k*rail", "transition": TRANSITION}
    model = block({"f": law}, 0.2, 1.5, parameters={"mu": 0.4, "k": 30})
    assert acceleration(model) == pytest.approx(-0.4 * 30 * 0.2 / MASS, rel=1e-13)
    assert stiffness_and_damping(model) == pytest.approx((0.4 * 30, 0), abs=1e-9)


# One side -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("position", "side", "force", "k", "contact"),
    [
        (0.05, "above", 0.0, 0.0, "open"),
        (0.13, "above", 400 * 0.03, 400.0, "closed"),
        (0.05, "below", -400 * 0.05, 400.0, "closed"),
        (0.13, "below", 0.0, 0.0, "open"),
    ],
)
def test_one_sided_spring(position: float, side: str, force: float, k: float, contact: str) -> None:
    law = {"type": "one_sided", "along": "rail", "gap": 0.1, "k": 400, "c": 3, "side": side}
    model = block({"stop": law}, position, 0.0)
    assert acceleration(model) == pytest.approx(-force / MASS, rel=1e-12, abs=1e-15)
    assert stiffness_and_damping(model) == pytest.approx((k, 3.0 if k else 0.0), rel=1e-13, abs=1e-15)
    point = eb.operating_point(model)
    assert point.contacts == {"stop": contact}
    assert f"stop {contact}" in " ".join(eb.linearize(point).notes)
    assert f"stop {contact}" in str(point)
    assert f"stop {contact}" in str(eb.modes(model))


def test_hertzian_stop() -> None:
    law = {"type": "one_sided", "along": "rail", "gap": 0.1, "k": 5e4, "exponent": 1.5}
    model = block({"stop": law}, 0.14)
    assert acceleration(model) == pytest.approx(-5e4 * 0.04**1.5 / MASS, rel=1e-12)
    assert stiffness_and_damping(model)[0] == pytest.approx(1.5 * 5e4 * 0.04**0.5, rel=1e-12)


@pytest.mark.parametrize("position", [0.02, 0.0999, 0.1, 0.103, 0.3])
def test_smooth_stop_has_no_corner(position: float) -> None:
    law = {"type": "one_sided", "along": "rail", "gap": 0.1, "k": 400, "smooth": 0.004}
    root = math.hypot(position - 0.1, 0.004)
    model = block({"stop": law}, position)
    assert acceleration(model) == pytest.approx(-400 * (position - 0.1 + root) / 2 / MASS, rel=1e-9)
    assert stiffness_and_damping(model)[0] == pytest.approx(400 * (1 + (position - 0.1) / root) / 2, rel=1e-9)


def test_exactly_at_the_corner_is_said() -> None:
    law = {"type": "one_sided", "along": "rail", "gap": 0.1, "k": 400}
    linear = eb.linearize(block({"stop": law}, 0.1))
    assert linear.point.contacts == {"stop": "touching"}
    assert any("corner" in note for note in linear.notes)


@pytest.mark.parametrize(
    ("position", "force", "contacts"),
    [(0.01, 0.0, ("open", "open")), (0.05, 900 * 0.02, ("closed", "open")), (-0.045, -900 * 0.035, ("open", "closed"))],
)
def test_backlash(position: float, force: float, contacts: tuple) -> None:
    law = {"type": "backlash", "along": "rail", "gap": 0.04, "centre": 0.01, "k": 900}
    model = block({"play": law}, position)
    assert acceleration(model) == pytest.approx(-force / MASS, rel=1e-11, abs=1e-14)
    assert stiffness_and_damping(model)[0] == pytest.approx(900.0 if force else 0.0, rel=1e-12, abs=1e-12)
    assert eb.operating_point(model).contacts == dict(zip(("play.above", "play.below"), contacts, strict=True))


# With states of their own ---------------------------------------------------------------------------------------------
def sorted_roots(polynomial: list[float]) -> list[complex]:
    return sorted((r for r in np.roots(polynomial) if r.imag >= 0), key=abs)


def test_maxwell_element_has_a_third_order_characteristic_equation() -> None:
    """m s^2 x + k (x - d) = 0, c s d = k (x - d): m c s^3 + m k s^2 + c k s = 0, with a parallel spring k0 added."""
    k, c, k0 = 300.0, 12.0, 50.0
    forces = {
        "series": {"type": "maxwell", "along": "rail", "k": k, "c": c},
        "spring": {"type": "spring", "along": "rail", "k": k0},
    }
    linear = eb.linearize(block(forces))
    assert linear.states == ("rail", "rail'", "series.x")
    assert linear.units.states == ("m", "m/s", "m")
    expected = sorted_roots([MASS * c, MASS * k, c * (k + k0), k * k0])
    assert eb.modes(linear).eigenvalues == pytest.approx(expected, rel=1e-12)


def test_maxwell_element_between_two_points_carries_its_free_length() -> None:
    series = {"type": "maxwell", "between": ["ground", "block"], "at": [[-1, 0, 0], [0, 0, 0]], "k": 300.0, "c": 12.0,
              "free_length": 0.9, "initial": 0.04}  # fmt: skip
    assert acceleration(block({"series": series})) == pytest.approx(-300 * (1 - 0.9 - 0.04) / MASS, rel=1e-12)


def test_motor_curve() -> None:
    curve = {"table": [[0, 12], [100, 8], [150, 0]]}
    linear = eb.linearize(wheel({"m": {"type": "motor", "along": "shaft", "curve": curve}}, 120.0))
    assert linear.C[0, 0] == pytest.approx(8 / 50, rel=1e-12)  # the falling branch damps
    assert linear.point.motion.acceleration[-1] == pytest.approx(8 * 30 / 50 / J, rel=1e-12)
    load = wheel(
        {"m": {"type": "motor", "along": "shaft", "curve": "=gas*(9 - 0.1*v)"}}, 20, inputs={"gas": {"value": 2}}
    )
    linear = eb.linearize(load)
    assert linear.C[0, 0] == pytest.approx(0.2, rel=1e-12)
    assert linear.B[1, 0] == pytest.approx(7 / J, rel=1e-12)


def test_dc_motor() -> None:
    """(J s + b)(L s + R) + K^2 = 0, and from voltage to speed K / that."""
    R, L, K, b = 0.5, 0.02, 0.3, 0.01
    forces = {
        "motor": {"type": "dc_motor", "along": "shaft", "R": R, "L": L, "K": K, "voltage": "=u"},
        "drag": {"type": "damper", "along": "shaft", "c": b},
    }
    inputs, outputs = {"u": {"unit": "V"}}, {"speed": {"measure": "shaft", "order": 1}, "amps": {"state": "motor.i"}}
    linear = eb.linearize(wheel(forces, inputs=inputs, outputs=outputs))
    assert linear.states == ("shaft", "shaft'", "motor.i")
    assert linear.units == (("rad", "rad/s", "A"), ("V",), ("rad/s", "A"))
    expected = sorted_roots(np.polyadd(np.polymul([J, b], [L, R]), [K * K]))
    found = eb.modes(linear).eigenvalues
    assert found[found != 0] == pytest.approx(expected, rel=1e-12)
    A, B, C, D = linear.state_space
    for s in (0.3j, 4j, 50j):
        loop = (J * s + b) * (L * s + R) + K * K
        H = C @ np.linalg.solve(s * np.eye(3) - A, B) + D
        assert H[:, 0] == pytest.approx([K / loop, (J * s + b) / loop], rel=1e-12)


def test_a_spring_along_a_coordinate_of_a_body_in_a_joint() -> None:
    """`block.y` of a block on a rail along y is the coordinate of the rail: omega^2 = k / m."""
    document = {
        "eigenbody": 1, "bodies": {"block": {"mass": 2, "inertia": [1, 1, 1], "at": [0, 3, 0]}},
        "joints": {"rail": {"type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    }  # fmt: skip
    for along in ("rail", "block.y"):
        forces = {"spring": {"type": "spring", "along": along, "k": 50}}
        found = eb.modes(eb.load({**document, "forces": forces})).eigenvalues
        assert found == pytest.approx([5j], rel=1e-14)
