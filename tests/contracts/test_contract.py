"""What a user relies on stays: options, JSON keys, columns and arrays of files, public names and methods."""

from pathlib import Path
from runpy import run_path

ROOT = Path(__file__).parents[2]


def test_nothing_of_the_public_contract_is_lost() -> None:
    """Additions are free; what is renamed or removed is listed in CHANGELOG.md with the reason."""
    script = run_path(str(ROOT / "scripts" / "contract.py"))
    stored = set(script["STORED"].read_text(encoding="utf-8").splitlines())
    assert len(stored) > 1000
    assert not sorted(stored - set(script["contract"]()))
