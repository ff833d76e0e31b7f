"""docs/gallery/flexible_rotor.md says what benchmarks/rotors.py recorded, and the record says what is claimed."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "gallery" / "flexible_rotor.md").read_text()


@pytest.fixture
def rotors(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.setenv(threads, "1")  # which the script would set for good
    return SimpleNamespace(**runpy.run_path(str(ROOT / "benchmarks" / "rotors.py")))


def test_tables_are_those_of_the_record(rotors: SimpleNamespace) -> None:
    results = rotors.newest()
    for made in (
        rotors.table(results["agreement"]),
        rotors.critical_table(results["agreement"]),
        rotors.time_table(results["times"]),
    ):
        assert made in PAGE
    assert rotors.with_tables(PAGE, results) == PAGE
    assert f"ROSS {results['agreement']['ross']} " in PAGE


def test_everything_agrees_to_1e_4(rotors: SimpleNamespace) -> None:
    """Of every whirl, damping included, and of every critical speed; ROSS and the elements by hand much better."""
    found = rotors.newest()["agreement"]
    for row in found["rows"]:
        assert max(rotors.differences(row, "eigenbody")) < 1e-4
        assert max(rotors.differences(row, "ross")) < 1e-8
    for row in found["critical"]:
        assert row["eigenbody"] == pytest.approx(row["by hand"], rel=1e-4)
        assert row["ross"] == pytest.approx(row["by hand"], rel=1e-8)
    assert all(row["difference"] < 1e-4 for row in rotors.newest()["times"]["rows"])
