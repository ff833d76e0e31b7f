"""Generalized-alpha and HHT with steps that change: order, stability, and a rebound with the energy that is left."""

import math
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.implicit import GeneralizedAlpha
from eigenbody.system.state import State

G = 9.81
METHODS = [(False, 0.9), (False, 0.5), (False, 0.0), (False, 1.0), (True, 0.9), (True, 0.5)]


def oscillator(omega: float) -> eb.Model:
    """A mass of 1 kg on a spring, displaced by 10 nm and on its way out."""
    slide = {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    return eb.Model(
        bodies={"b": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        joints={"x": slide | {"position": 1e-8, "velocity": 1e-8 * omega}},
        forces={"k": {"type": "spring", "along": "x", "k": omega**2}},
    )


def pendulum() -> eb.Model:
    hinge = {"type": "revolute", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 1, 0], "position": 2.0}
    return eb.Model(
        gravity=[0, 0, -G],
        bodies={"b": {"mass": 1, "inertia": [0.1, 0.2, 0.1], "at": [0, 0, -1]}},
        joints={"pin": hinge},
        forces={"oil": {"type": "damper", "along": "pin", "c": 0.3}},
    )


def walked(model: eb.Model, steps: np.ndarray, hht: bool, rho: float) -> list[State]:
    """The states at the ends of exactly these steps."""
    point = eb.operating_point(model)
    forward = Forward(point.system, point.chosen)
    method = GeneralizedAlpha(forward, point.state, float(steps.sum()), 1e-8, np.inf, float(steps.sum()), rho, hht)
    return [method.advance(float(t)).at(float(t)) for t in np.cumsum(steps)]


@pytest.mark.parametrize(("hht", "rho"), [m for m in METHODS if m[1] < 1])  # without damping constraints have none
def test_second_order_when_every_step_is_another(hht: bool, rho: float) -> None:
    """Steps that shrink to 0.4 and grow to 2.5 of the one before, at random: half the steps, a quarter of the error.

    The reference is dop853 at 1e-13.
    """
    pattern = np.exp(np.random.default_rng(5).uniform(-0.45, 0.45, 50))
    exact = eb.simulate(pendulum(), until=1.0, tolerance=1e-13, points=2).state
    errors = []
    for times in (4, 8):
        steps = np.tile(pattern, times)
        end = walked(pendulum(), steps / steps.sum(), hht, rho)[-1]
        errors.append(np.abs(end.r - exact.r).max() + np.abs(end.v - exact.v).max())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.15)


@pytest.mark.parametrize(("hht", "rho"), METHODS)
@pytest.mark.parametrize("omega", [0.3, 3.0, 300.0, 3000.0])
def test_changing_steps_feed_no_energy_into_an_oscillator(omega: float, hht: bool, rho: float) -> None:
    """Steps 1, 0.3, 0.09, 0.18, 0.36, 0.72 s again and again: vibration resolved or not, nothing grows."""
    steps = np.tile([1.0, 0.3, 0.09, 0.18, 0.36, 0.72], 60)
    found = walked(oscillator(omega), steps, hht, rho)
    energy = np.array([float(s.v[0, 0] ** 2 + (omega * s.r[0, 0]) ** 2) for s in found])
    assert energy[-60:].max() <= 1.05 * energy[:60].max()


def rebound(k: float, c: float) -> float:
    """Height after 1 kg fell 1 m on a spring and damper that let go where they took hold: a damped oscillation about
    -g/k, solved in closed form; the end of contact by bisection."""
    decay, omega = c / 2, math.sqrt(k - c * c / 4)
    speed, rest = -math.sqrt(2 * G), G / k

    def motion(t: float) -> tuple[float, float]:
        b = (speed + decay * rest) / omega
        z = math.exp(-decay * t) * (rest * math.cos(omega * t) + b * math.sin(omega * t))
        rate = math.exp(-decay * t) * omega * (b * math.cos(omega * t) - rest * math.sin(omega * t)) - decay * z
        return z - rest, rate

    low, high = 0.5 * math.pi / omega, 1.5 * math.pi / omega
    for _ in range(100):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if motion(middle)[0] < 0 else (low, middle)
    return motion(low)[1] ** 2 / (2 * G)


def falling_mass(k: float = 1e6, c: float = 200.0) -> eb.Model:
    return eb.Model(
        gravity=[0, 0, -G],
        bodies={"b": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 1]}},
        joints={"z": {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 1], "axis": [0, 0, 1]}},
        forces={"stop": {"type": "one_sided", "along": "z", "side": "below", "gap": -1, "k": k, "c": c}},
    )


@pytest.mark.parametrize(
    ("options", "allowed"),
    [
        ({"method": "dop853"}, 1e-6),
        ({"method": "radau"}, 1e-6),
        *(({"method": "hht" if hht else "generalized-alpha", "rho": rho}, 5e-4) for hht, rho in METHODS),
    ],
)
def test_rebound_from_a_stop(options: dict[str, Any], allowed: float) -> None:
    """Methods of second order may err by 1e-8 m in each of some 200 steps of a contact that is 4.3 mm deep: 5e-4."""
    found = eb.simulate(falling_mass(), until=1.2, points=2401, outputs=["z"], **options)
    height = 1 + found.signal("z")[found.t > 0.5].max()
    assert height == pytest.approx(rebound(1e6, 200.0), rel=allowed)
    assert rebound(1e6, 200.0) == pytest.approx(0.530683, abs=1e-6)


def test_first_order_states_obey_the_tolerance_of_generalized_alpha() -> None:
    """x' = 20 (cos 40 t - x) beside a body at rest, whose own step would be as long as allowed; closed form."""
    model = eb.Model(
        bodies={"b": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        joints={"x": {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0]}},
        states={"y": {"initial": 0.0, "rate": "=20*(cos(40*t) - y)"}},
    )
    found = eb.simulate(model, until=1.0, method="generalized-alpha", tolerance=1e-8, outputs=["y"])
    forced = (20 * np.cos(40 * found.t) + 40 * np.sin(40 * found.t)) * 20 / (20**2 + 40**2)
    np.testing.assert_allclose(found.signal("y"), forced - 0.2 * np.exp(-20 * found.t), atol=1e-5)


@pytest.mark.parametrize("tolerance", [1e-5, 1e-6, 1e-7])
def test_steps_do_not_shrink_for_what_swings_from_step_to_step(tolerance: float) -> None:
    """Accelerations swing a little about their values; steps that shrink one after another would make that grow, and
    the growth would shrink the steps. The reference is dop853."""
    hinge = {"type": "revolute", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [0.3, 1, 0.1], "velocity": 1.0}
    model = eb.Model(
        gravity=[0, 0, -G],
        bodies={"b": {"mass": 2, "inertia": [0, 0, 0], "at": [0, 0, -1]}},
        joints={"pin": hinge | {"position": 1.0}},
    )
    found = eb.simulate(model, until=0.5, points=2, method="generalized-alpha", tolerance=tolerance)
    exact = eb.simulate(model, until=0.5, points=2, tolerance=1e-12)
    assert found.statistics["steps"] < 3 * tolerance ** (-1 / 3)
    assert found.signal("pin")[-1] == pytest.approx(exact.signal("pin")[-1], abs=20 * tolerance ** (2 / 3))
