"""The page of trust is what the script writes from the records, and its numbers are there."""

from __future__ import annotations

import re

import trust


def test_the_page_is_what_the_script_writes() -> None:
    assert trust.PAGE.read_text(encoding="utf-8") == trust.page(), "./run python scripts/trust.py"


def test_numbers_are_found_in_the_records() -> None:
    """A record whose form has changed would give a page of zeros."""
    for text in (trust.published(), trust.campaign(), trust.peers(), trust.robots(), trust.routes()):
        numbers = [int(number.replace(",", "")) for number in re.findall(r"(?<![\d.])\d[\d,]*", text)]
        assert max(numbers) > 5
    assert trust.routes().count("\n| `") == 5
    assert trust.campaign().count("\n| `") == 3


def test_other_tools_are_counted_as_their_lines_say() -> None:
    """By hand from comparison/results/2026-11-16.txt."""
    found = trust.peers()
    for row in ("| MuJoCo 4.0.0 | 2 | 3 | 3 |", "| Drake 1.51.1 | 2 | 5 | 1 |", "| Exudyn 1.13.6 | 3 | 0 | 8 |"):
        assert row in found, found


def test_every_folder_of_tests_is_described() -> None:
    assert trust.counted().keys() == trust.KINDS.keys()
    assert all(row["functions"] for row in trust.counted().values())
