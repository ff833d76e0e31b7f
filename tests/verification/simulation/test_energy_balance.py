"""Every run holds its energy against what was fed in: kinetic + potential - work, over all steps, by every method."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_variable_steps import falling_mass

import eigenbody as eb
from eigenbody.base.errors import Fault
from eigenbody.simulation import balance
from eigenbody.simulation.alpha import Parameters
from eigenbody.simulation.implicit import GeneralizedAlpha

G = 9.81
EXAMPLES = Path(__file__).parents[3] / "examples"
HINGE = {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]}
BOB = {"bob": {"mass": 2, "inertia": [0.1, 0.2, 0.1], "at": [0, 0, -1]}}


def pendulum(joint: dict[str, Any] | None = None, **more: Any) -> eb.Model:
    joints = {"pin": HINGE | ({"position": 1.0} if joint is None else joint)}
    return eb.Model(gravity=[0, 0, -G], bodies=BOB, joints=joints, **more)


def turntable() -> eb.Model:
    """A slide on a frame that turns, held to it by spring and damper."""
    return eb.Model(
        frames={"table": {"about": [0, 0, 1], "rate": 3.0}},
        bodies={"bob": {"mass": 2, "inertia": [0.1, 0.2, 0.1], "at": [0.5, 0, 0]}},
        joints={"slide": {"type": "prismatic", "between": ["table", "bob"], "at": [0.5, 0, 0], "axis": [1, 0, 0]}},
        forces={"k": {"type": "spring", "along": "slide", "k": 100, "c": 2}},
    )


def beam() -> eb.Model:
    """A slender beam swinging on a hinge, with material damping."""
    shaft = {"type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": "2 GPa", "nu": 0.3, "density": 1000}
    return eb.Model(
        gravity=[0, 0, -G],
        flexible={"b": shaft | {"diameter": "20 mm", "modes": 2, "damping": 0.01}},
        joints={"pin": {"type": "revolute", "between": ["ground", "b.start"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    )


MODELS: dict[str, eb.Model] = {
    "conservative": pendulum(),
    "damped": pendulum(forces={"oil": {"type": "damper", "along": "pin", "c": 0.5}}),
    "friction": pendulum(forces={"f": {"type": "friction", "along": "pin", "coulomb": 2, "transition": 0.05}}),
    "driven": pendulum({"motion": "=t + 0.3*sin(5*t)"}),
    "pushed in time": pendulum(forces={"m": {"type": "expression", "along": "pin", "value": "=3*cos(4*t)"}}),
    "constant load": pendulum(forces={"w": {"type": "force", "body": "bob", "at": [0, 0, -1], "value": [5, 0, 0]}}),
    "controller": pendulum(
        states={"i": {"initial": 0, "rate": "=0.2 - pin"}},
        forces={"m": {"type": "expression", "along": "pin", "value": "=30*(0.2 - pin) + 40*i - 4*pin'"}},
    ),
    "spring that counts turns": pendulum(
        {"position": 3.0, "velocity": 5.0},
        forces={"k": {"type": "spring", "along": "pin", "k": 0.5}, "oil": {"type": "damper", "along": "pin", "c": 0.1}},
    ),
    "impact": falling_mass(1e4, 20.0),
    "turntable": turntable(),
    "beam": beam(),
}
METHODS: dict[str, dict[str, Any]] = {
    "dop853": {},
    "radau": {},
    "generalized-alpha": {"tolerance": 1e-6},
    "hht": {"tolerance": 1e-6},
    "rk4": {"step": 0.01},
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", MODELS)
def test_energy_balances_within_what_the_tolerance_asks_for(name: str, method: str) -> None:
    options = METHODS[method] | ({"step": 5e-4} if method == "rk4" and name in ("impact", "beam") else {})
    until = {"impact": 0.5, "beam": 0.05}.get(name, 0.3 if method == "rk4" else 1.0)
    found = eb.simulate(MODELS[name], until=until, method=method, points=2, **options)
    assert found.balance.scale > 0
    assert found.balance.is_kept
    assert found.balance.relative is not None
    assert found.balance.relative < 1e-3
    if "tolerance" not in options and method != "rk4":
        assert found.balance.relative < 1e-7


def test_work_of_a_driver_is_what_the_motion_costs() -> None:
    """A pendulum turned from rest by theta(t): T + V at the end, by hand."""
    found = eb.simulate(pendulum({"motion": "=0.5*t**2"}), until=2.0, points=2)
    theta, rate = 2.0, 2.0
    cost = 0.5 * (0.2 + 2.0) * rate**2 + 2 * G * (1 - math.cos(theta))
    assert found.balance.work == pytest.approx(cost, rel=1e-9)


def test_what_dampers_take_is_what_is_lost() -> None:
    found = eb.simulate(MODELS["damped"], until=3.0)
    lost = found.signal("energy")[-1] - found.signal("energy")[0]
    assert found.balance.work == pytest.approx(lost, rel=1e-8)
    assert lost < -1.0


def test_power_of_elements_that_hold_on_to_a_turning_frame() -> None:
    """What they deliver to the bodies: with no joint between, it is the rate of kinetic energy."""
    model = eb.Model(
        frames={"table": {"about": [0, 0, 1], "rate": 3.0}},
        bodies={"bob": {"mass": 2, "inertia": [0.1, 0.2, 0.1], "at": [0.5, 0, 0]}},
        forces={"k": {"type": "bushing", "between": ["table", "bob"], "at": [0.5, 0, 0], "k": [90, 80, 70, 9, 8, 7]}},
    )
    found = eb.simulate(model, until=1.0, tolerance=1e-11, points=1001)
    kinetic, power = found.signal("energy.kinetic"), found.signal("power.elements")
    rate = (kinetic[:-4] - 8 * kinetic[1:-3] + 8 * kinetic[3:-1] - kinetic[4:]) / (12 * found.t[1])  # fourth order
    np.testing.assert_allclose(power[2:-2], rate, atol=1e-8 * np.abs(power).max())
    assert found.balance.is_kept


def test_a_step_that_makes_energy_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shift of the algorithmic acceleration that grows with the step makes energy out of an impact: warned of."""

    def shifted_outwards(self: GeneralizedAlpha, h: float) -> tuple[Parameters, np.ndarray]:
        return self._p, self._at.rate + h / self._h_last * (self._at.a - self._at.rate)

    good = eb.simulate(falling_mass(), until=1.2, method="generalized-alpha", points=2)
    assert not good.remarks
    monkeypatch.setattr(GeneralizedAlpha, "_adapted", shifted_outwards)
    monkeypatch.setattr(GeneralizedAlpha, "_filtered", lambda self, end, h: np.zeros_like(end.rate))
    bad = eb.simulate(falling_mass(), until=1.2, method="generalized-alpha", points=2)
    assert not bad.balance.is_kept
    assert any("energy: the balance misses" in remark for remark in bad.remarks)


def test_a_coarse_fixed_step_over_an_impact_is_warned_of() -> None:
    found = eb.simulate(falling_mass(), until=1.0, method="generalized-alpha", step=0.002, points=2)
    assert found.balance.relative is not None
    assert found.balance.relative > 0.01
    assert any("smaller tolerance or step" in remark for remark in found.remarks)


def test_an_element_without_a_power_leaves_the_balance_open_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name stands in the remark, no number in the document; the motion itself is kept."""

    def powerless(mechanics: Any) -> np.ndarray:
        raise eb.InputError(Fault("forces.oil", "it has no power here."))

    monkeypatch.setattr(balance, "fed_power", powerless)
    found = eb.simulate(MODELS["damped"], until=0.5, points=2)
    assert found.finished
    assert found.balance.relative is None
    assert any("not closed: forces.oil" in remark for remark in found.remarks)
    assert found.document()["certificate"]["energy"] is None
    assert "not closed" in str(found)


@pytest.mark.parametrize("name", ["active_suspension", "stewart_flexures", "stewart_platform"])
@pytest.mark.parametrize("options", [{}, {"method": "generalized-alpha", "step": 0.01}])
def test_a_mechanism_at_rest_has_no_energy_to_miss(name: str, options: dict[str, Any]) -> None:
    """Its energies are rounding (1e-18 J and less): no warning, and no share of them that means something."""
    found = eb.simulate(eb.load(EXAMPLES / f"{name}.yaml"), until=0.1, points=2, **options)
    assert found.balance.is_kept
    assert found.balance.relative is not None
    assert found.balance.relative < 1e-3


def test_the_balance_is_printed_and_in_the_document() -> None:
    found = eb.simulate(MODELS["damped"], until=1.0)
    assert "energy balance closes to" in str(found)
    certificate = found.document()["certificate"]
    assert certificate["energy"] <= certificate["energy_allowed"]
    assert certificate["energy_fed"] == pytest.approx(found.balance.work)
