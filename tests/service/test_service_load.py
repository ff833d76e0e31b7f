"""A small version of the load test: an honest client and a hostile one at once, nothing lost, nothing left."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

pytest.importorskip("starlette", reason="the extra studio is not installed")
pytest.importorskip("psutil", reason="psutil is not installed")
BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "serve.py"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("load_of_a_service", BENCHMARK)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "load_of_a_service", module)
    spec.loader.exec_module(module)
    return module


def test_an_honest_client_beside_a_hostile_one(benchmark: ModuleType) -> None:
    found = benchmark.load(40, workers=2, seconds=20.0, documents=20, greedy=0.0)
    assert found["honest"]["wrong"] == []
    assert found["honest"]["requests"] == 40
    assert found["hostile"]["unclear"] == []
    assert len(found["hostile"]["kinds"]) > 8
    assert 500 not in found["hostile"]["statuses"]
    assert found["left"] == 0
