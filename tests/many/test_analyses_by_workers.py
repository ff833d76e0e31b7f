"""Floquet sweeps and optimizations from several starts by other processes: the same numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb

EXAMPLES = Path(__file__).parents[2] / "examples"


def test_a_floquet_sweep_by_workers() -> None:
    speeds = [4.0, 6.0, 8.0]
    model = EXAMPLES / "parametric_pendulum.yaml"
    name = next(iter(eb.load(model).document["parameters"]))
    middle = eb.load(model).value_of(name)
    grid = [middle * (0.9 + 0.02 * v) for v in speeds]
    alone, shared = (eb.floquet_sweep(model, name, grid, workers=workers) for workers in (1, 2))
    for array in ("values", "period", "exponents", "growth"):
        assert np.array_equal(getattr(alone, array), getattr(shared, array), equal_nan=True)
    assert alone.stabilities == shared.stabilities
    assert alone.boundaries == shared.boundaries
    assert alone.convergence == shared.convergence


def test_starts_of_an_optimization_by_workers() -> None:
    problem = {
        "variables": {"k": {"from": 0.05, "to": 20, "scale": "log"}, "c": {"from": 0.001, "to": 5, "scale": "log"}},
        "objective": {"minimize": {"frf_peak": {"input": "push", "output": "y", "from": 0.05, "to": 0.5}}},
        "starts": 6,
        "refine": 2,
    }
    model = EXAMPLES / "vibration_absorber.yaml"
    alone, shared = (eb.optimize(model, problem, workers=workers) for workers in (1, 2))
    assert alone.as_dict() == shared.as_dict()


def test_all_starts_fail_with_their_reason() -> None:
    problem = {
        "variables": {"bodies.machine.mass": {"from": -2, "to": -1, "start": -1.5}},
        "objective": {"maximize": {"frequency": {"mode": 1}}},
        "starts": 4,
    }
    with pytest.raises(eb.EigenbodyError, match="mass"):
        eb.optimize(EXAMPLES / "vibration_absorber.yaml", problem, workers=1)
