"""Andrews' squeezing mechanism against the reference of the test set for initial value problem solvers."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb

EXAMPLE = Path(__file__).parents[3] / "examples" / "andrews_squeezer.yaml"
# Mazzia & Magherini, Test Set for IVP Solvers, release 2.4: Andrews' squeezing mechanism, solution at t = 0.03 s
REFERENCE = {
    "beta": 15.81077119629904,
    "Theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "Phi": -0.5347301163226948,
    "delta": 0.5244099658805304,
    "Omega": 0.5347301163226948,
    "epsilon": 1.048080741042263,
}


@cache
def squeezer() -> eb.Model:
    return eb.load(EXAMPLE)


def missed(simulation: eb.Simulation) -> float:
    return max(abs(float(simulation.signal(name)[-1]) - value) for name, value in REFERENCE.items())


@pytest.mark.parametrize(("tolerance", "allowed"), [(1e-8, 1e-6), (1e-11, 1e-8)])
def test_reference_at_the_end(tolerance: float, allowed: float) -> None:
    found = eb.simulate(squeezer(), until=0.03, tolerance=tolerance, points=31)
    assert missed(found) < allowed
    assert max(found.drift) < 1e-10


def test_default_tolerance_is_the_one_proven() -> None:
    import inspect

    assert inspect.signature(eb.simulate).parameters["tolerance"].default == 1e-8


def test_nine_rows_are_redundant_and_hold_all_the_same() -> None:
    point = eb.operating_point(squeezer())
    assert len(point.redundant) == 9
    found = eb.simulate(point, until=0.01, points=11)
    assert found.signal("drift.position").max() < 1e-12 * 0.1


def test_torque_and_spring_account_for_the_energy() -> None:
    """Kinetic and spring energy grow by the work of the torque, mom * (beta - beta0)."""
    found = eb.simulate(squeezer(), until=0.03, tolerance=1e-10, points=31)
    work = 0.033 * (found.signal("beta") - found.signal("beta")[0])
    energy = found.signal("energy")
    assert np.abs(energy - energy[0] - work).max() < 1e-9 * np.ptp(energy)


def test_radau_agrees() -> None:
    found = eb.simulate(squeezer(), until=0.003, method="radau", tolerance=1e-9, points=4)
    other = eb.simulate(squeezer(), until=0.003, method="dop853", tolerance=1e-11, points=4)
    for name in REFERENCE:
        np.testing.assert_allclose(found.signal(name), other.signal(name), atol=2e-8)
