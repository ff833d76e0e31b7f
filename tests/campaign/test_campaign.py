"""The seeded part of the campaign that every test run repeats: nothing may come out wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaign import comparison, example_commands, mechanism_cases, mutants, networks, records, routes, shafts
from eigenbody.elements.flexible import FLEXIBLE
from every_element import DIFFERENCE_ALONE, ELEMENTS

SEED = 20
COMPARED = {
    "mechanisms": (mechanism_cases.case, comparison.compare, range(200)),
    "networks": (networks.case, networks.compare, range(80)),
    "shafts": (shafts.case, shafts.compare, range(5, len(shafts.CASES), 13)),
}
SMALL_EXAMPLES = ("hanging_pendulum", "rotor_on_bearing", "vibration_absorber")


@pytest.mark.parametrize("part", COMPARED)
def test_tool_and_long_arithmetic_agree(part: str) -> None:
    """Matrices, eigenvalues (1e-10 or the stated bound), zeros and verdicts."""
    case, compare, indices = COMPARED[part]
    wrong = []
    for index in indices:
        kind, document, known = case(SEED, index)
        outcome = compare(document, known)
        if outcome is not None and outcome.faults:
            wrong.append(f"{kind}, number {index} of seed {SEED}: {outcome.faults}")
    assert not wrong, f"{len(wrong)} of {len(indices)}: " + "\n".join(wrong)


@pytest.mark.parametrize("first", range(0, 150, 30))
def test_no_mutated_file_makes_a_command_fail_badly(
    first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No exit code 1, no NaN, no control character from 150 mutants, each through one command."""
    monkeypatch.chdir(mutants.prepare(tmp_path))
    found = [mutants.one(SEED, index, tmp_path) for index in range(first, first + 30)]
    assert {str(record["code"]) for record in found} >= {"0", "2"}  # some mutants are sound, some are refused
    failed = [r for r in found if r["faults"] and not r["signature"].startswith("hang")]  # time is not for tests
    assert not [(r["signature"], r["index"], r["command"]) for r in failed]


@pytest.mark.parametrize("command", example_commands.COMMANDS)
def test_every_command_runs_on_small_examples(command: str, tmp_path: Path) -> None:
    """The same promises on sound files, where in addition most commands have something to do."""
    chosen = [path for path in example_commands.EXAMPLES if path.stem in SMALL_EXAMPLES]
    found = [example_commands.one(path, command, mutants.prepare(tmp_path)) for path in chosen]
    assert not [r for r in found if r["faults"]]
    assert any(r["code"] == 0 for r in found), [r["message"] for r in found]


def test_table_counts_what_was_tried_and_what_was_wrong() -> None:
    def compare(document: dict[str, int], _: int | None) -> comparison.Outcome | None:
        return None if document["n"] == 0 else comparison.Outcome({"zeros": "1, true 2"} if document["n"] == 1 else {})

    summary = records.run("trial", lambda _, i: ("odd" if i % 2 else "even", {"n": i}, None), compare, 1, 0, 5, None)
    assert "| odd | 2 | 1 | 1 |" in records.table(summary)
    assert "| even | 2 | 0 | 0 |" in records.table(summary)
    assert "5 cases, 1 wrong" in records.table(summary)
    mutated = {"part": "mutants", "count": 10, "failures": {"exit 1 KeyError a.py:1": 2, "hang b.py:2": 1}}
    rows = records.overview([summary, summary, mutated]).splitlines()[2:]
    assert rows == ["| trial | 8 | 2 | zeros 2 |", "| mutants | 10 | 3 | exit 1 2, hang 1 |"]


def test_routes_agree_over_every_registered_element() -> None:
    """Each element in a mechanism of its own; `difference` alone is left flexible bodies, speeds and quaternions."""
    found, missing = routes.tally(range(len(ELEMENTS)), ["relative", "kane", "topology"])
    assert not found.wrong
    assert not missing & set(ELEMENTS)
    assert found.models == len(ELEMENTS)
    flexible, unread = "the flexible body …, whose deflections are no joint coordinates", "measures of type …"
    assert set(found.reasons["relative"]) <= {flexible, unread}
    assert found.reasons["relative"][flexible] <= len(FLEXIBLE)
    assert found.checked["relative"] >= len(ELEMENTS) - len(FLEXIBLE) - len(DIFFERENCE_ALONE)


def test_differences_leave_nothing_unchecked() -> None:
    """One mechanism in five of the same; all examples are in test_route_difference.py."""
    found, _ = routes.tally(range(3, len(ELEMENTS), 5), ["difference"])
    assert not found.wrong
    assert found.checked["difference"] == found.models >= 7
