"""Proportional, modal and structural damping as choices of modes, frf and response.

Slider-pendulum of Trom 1990 (M, K and omega as printed there); closed forms of each damping model.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb

EXAMPLES = Path(__file__).parents[3] / "examples"
M, K = np.array([[30.0, 20.0], [20.0, 35.0]]), np.diag([20.0, 196.2])
OMEGA = np.array([0.797302985861869, 3.08165793705976])


def slider() -> eb.Model:
    model = eb.load(EXAMPLES / "slider_pendulum.yaml")
    return model.input("push", along="rail").output("y", measure="rail").output("a", measure="hinge", order=2)


def test_each_model_by_its_closed_form() -> None:
    rayleigh = eb.modes(slider(), damping="proportional:0.1,0.02")
    assert rayleigh.damping_ratio == pytest.approx(0.5 * (0.1 / OMEGA + 0.02 * OMEGA), rel=1e-12)
    assert eb.modes(slider(), damping="modal:0.02").damping_ratio == pytest.approx([0.02, 0.02], rel=1e-12)
    assert eb.modes(slider(), damping="modal:0.02,0.05").damping_ratio == pytest.approx([0.02, 0.05], rel=1e-12)
    assert eb.modes(slider(), damping={"structural": 0.04}).damping_ratio == pytest.approx([0.02, 0.02], rel=1e-12)


def test_structural_damping_is_a_complex_stiffness_in_frequency_responses() -> None:
    """H = (K (1 + i eta) - w^2 M)^-1, not that of the viscous equivalent."""
    eta, hz = 0.2, [0.03, 0.1268947, 0.3, 0.4904611, 2.0]
    found = eb.frf(slider(), frequencies_hz=hz, damping=f"structural:{eta}")
    viscous = eb.frf(slider(), frequencies_hz=hz, damping=f"modal:{eta / 2}")
    for k, w in enumerate(2 * np.pi * np.array(hz)):
        moved = np.linalg.solve(K * (1 + 1j * eta) - w**2 * M, [1.0, 0.0])
        assert found.values[k, 0, 0] == pytest.approx(moved[0], rel=1e-9)
        assert found.values[k, 1, 0] == pytest.approx(-(w**2) * moved[1], rel=1e-9)
    off = np.abs(found.values / viscous.values - 1)[:, 0, 0]
    assert off[2] > 0.02  # between the resonances they differ
    assert off[1] < 1e-2  # at a resonance they lose as much
    assert found.values[0, 0, 0].imag < 0


def test_structural_damping_loses_nothing_at_rest() -> None:
    found = eb.frf(slider(), frequencies_hz=[0.0, 1e-6], damping="structural:0.1")
    assert found.values[0, 0, 0] == pytest.approx(1 / 20)
    assert found.values[1, 0, 0] == pytest.approx(1 / (20 * (1 + 0.1j)), rel=1e-9)


def test_responses_in_time_have_the_viscous_equivalent() -> None:
    kick, times = eb.ImpulseInput("push"), (20.0, 201)
    structural = eb.response(slider(), kick, times=times, damping="structural:0.06")
    modal = eb.response(slider(), kick, times=times, damping="modal:0.03")
    assert structural.outputs == pytest.approx(modal.outputs, rel=1e-12, abs=1e-15)
    assert any("elsewhere modal with half of it" in note for note in structural.linear.notes)


def test_losses_add_up() -> None:
    linear = eb.linearize(slider())
    twice = eb.with_damping(eb.with_damping(linear, structural=0.05), structural=0.15)
    hz = [0.2, 0.4]
    assert eb.frf(twice, frequencies_hz=hz).values == pytest.approx(
        eb.frf(slider(), frequencies_hz=hz, damping="structural:0.2").values, rel=1e-12
    )


def test_with_the_route_too() -> None:
    found = eb.modes(slider(), damping="modal:0.02", route="topology")
    assert found.damping_ratio[~found.is_rigid] == pytest.approx(0.02, rel=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("modul:0.1", "no damping model"),
        ("modal", "its numbers are missing"),
        ("modal:a", "are no numbers"),
        ("modal:-0.1", "zero or positive"),
        ("modal:nan", "zero or positive"),
        ("proportional:0.1", "two numbers"),
        ("structural:0.1,0.2,0.3", "3 numbers were given for 2 modes"),
    ],
)
def test_wrong_damping_is_refused(text: str, message: str) -> None:
    with pytest.raises(eb.InputError, match=message):
        eb.modes(slider(), damping=text)


def test_refused_combinations() -> None:
    with pytest.raises(eb.InputError, match="no real modes to sum over"):
        eb.frf(slider(), frequencies_hz=[1.0], method="modal", damping="structural:0.1")
    with pytest.raises(eb.InputError, match="by the equations of the model alone"):
        eb.frf(slider(), frequencies_hz=[1.0], unbalance={"body": "slider", "moment": 1.0}, damping="modal:0.1")
