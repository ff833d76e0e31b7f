"""The seeded part of the campaign that every test run repeats: nothing may come out wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaign import comparison, mechanism_cases, networks, records

PARTS = {
    "mechanisms": (mechanism_cases.case, comparison.compare, 200),
    "networks": (networks.case, networks.compare, 100),
}


@pytest.mark.parametrize("part", PARTS)
def test_tool_and_long_arithmetic_agree(part: str, tmp_path: Path) -> None:
    """Matrices, eigenvalues (1e-10 or the stated bound), zeros and verdicts; the failing documents are printed."""
    case, compare, count = PARTS[part]
    failures = tmp_path / "failures.jsonl"
    summary = records.run(part, case, compare, seed=20, start=0, count=count, out=failures)
    assert not failures.exists(), records.table(summary) + failures.read_text()[:5000]
