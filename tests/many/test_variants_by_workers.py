"""Variants computed by other processes: the same bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.operating import family

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = {
    "quarter_car": {"ms": 500.0, "cs": 1500.0},
    "whipple_bicycle": {"v": 5.0},
    "stewart_platform": {"bodies.platform.mass": 10.0},
}
ARRAYS = ("eigenvalues", "right", "A", "B", "C", "D", "M", "damping", "K", "shape_q")


@pytest.mark.parametrize("name", CASES)
def test_the_same_bits_with_any_number_of_workers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        family, "CHUNK_ENTRIES", 12 * (6 * len(eb.load(EXAMPLES / f"{name}.yaml").description.bodies)) ** 2
    )
    model = eb.load(EXAMPLES / f"{name}.yaml")
    random = np.random.default_rng(3)
    values = {key: middle * random.uniform(0.9, 1.1, 50) for key, middle in CASES[name].items()}
    alone, shared = (eb.variants(model, values, workers=workers) for workers in (1, 2))
    for array in ARRAYS:
        assert np.array_equal(getattr(alone, array), getattr(shared, array), equal_nan=True), array
    assert alone.failures == shared.failures
    assert alone.alone == shared.alone
    assert alone.states == shared.states


def test_failures_keep_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "CHUNK_ENTRIES", 5 * 12**2)
    model = eb.load(EXAMPLES / "quarter_car.yaml")
    masses = np.linspace(400, 600, 23)
    masses[[4, 5, 17]] = -1.0
    alone, shared = (eb.variants(model, {"ms": masses}, workers=workers) for workers in (1, 2))
    assert sorted(shared.failures) == [4, 5, 17]
    assert shared.failures == alone.failures
    assert np.isnan(shared.eigenvalues[[4, 5, 17]]).all()
    assert np.array_equal(alone.eigenvalues, shared.eigenvalues, equal_nan=True)
