"""What the checks of the campaign themselves would find: each refuses what it must refuse."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from campaign import in_process, mutants, mutations
from campaign.comparison import Outcome, compare_eigenvalues, compare_verdict
from campaign.in_process import Run, faults
from campaign.spectrum import Spectrum

SOUND = Run(0, '{"a": 1}', "")


class Answer:
    """A result with these eigenvalues."""

    def __init__(self, *values: complex, bounds: Any = None) -> None:
        self.eigenvalues = np.array(values)
        self.bounds = bounds


def test_a_sound_run_has_no_fault() -> None:
    assert not faults(["modes", "--json"], SOUND, "")


@pytest.mark.parametrize(
    ("run", "name"),
    [
        (Run(1, "", "eigenbody: internal error"), "exit 1"),
        (Run(None, "", "", "simulation/x.py:1"), "hang"),
        (Run(0, '{"a": NaN}', ""), "json"),
        (Run(0, '{"a": 1} {}', ""), "json"),
        (Run(0, '{"a": "\x1b[31m"}', ""), "control character"),
        (Run(2, "", "name \x9b31m"), "control character"),
        (Run(3, "", ""), "silent"),
        (Run(2, "", "Traceback (most recent call last)"), "traceback"),
    ],
)
def test_faults_of_a_run(run: Run, name: str) -> None:
    assert name in faults(["modes", "--json"], run, "")


def test_nan_in_a_table_is_a_fault_unless_the_model_says_so() -> None:
    run = Run(0, "1   nan   0.3", "")
    assert "nan" in faults(["modes"], run, "")
    assert "nan" not in faults(["modes"], run, "body: nan")


def test_eigenvalues_must_agree_to_ten_digits_or_to_their_bound() -> None:
    truth = Spectrum([0j, 3j, -3j], 1, "marginal")
    for answer, wrong in [
        (Answer(0, 3j), set()),
        (Answer(0, 3.000001j), {"eigenvalue"}),
        (Answer(0, 3.000001j, bounds=[0, 1e-5]), set()),
        (Answer(1e-9, 3j), {"zeros", "eigenvalue"}),
        (Answer(0, 0, 3j), {"states"}),
    ]:
        outcome = Outcome()
        compare_eigenvalues(outcome, answer, truth)
        assert set(outcome.faults) == wrong


@pytest.mark.parametrize(
    ("said", "true", "fault"),
    [
        ("unstable", "drifting", "false unstable"),
        ("marginal", "unstable", "missed instability"),
        ("marginal", "drifting", "verdict"),
        ("stable", "stable", None),
    ],
)
def test_wrong_verdicts(said: str, true: str, fault: str | None) -> None:
    outcome = Outcome()
    compare_verdict(outcome, said, Spectrum([0j, 0j, -1 + 3j, -1 - 3j], 2, true))
    assert list(outcome.faults) == ([] if fault is None else [fault])


def test_mutants_are_numbered() -> None:
    """The same number is the same mutant, and mutants differ from the sound document nearly always."""
    again = [[mutations.mutant(random.Random(f"{i}")) for i in range(20)] for _ in range(2)]
    assert json.dumps(again[0], default=str) == json.dumps(again[1], default=str)
    assert sum(repr(sound) != repr(damaged) for _, sound, damaged in again[0]) > 15


def test_shrinking_keeps_what_makes_it_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that fails wherever joint `b` is there: all else goes."""

    def main(arguments: list[str]) -> int:
        document = json.loads(Path(arguments[1]).read_text(encoding="utf-8"))
        if "b" in document.get("joints", {}):
            raise KeyError("b")
        return 0

    monkeypatch.setattr(in_process, "main", main)
    text = json.dumps({"bodies": {"x": {"mass": 1}}, "joints": {"a": {"at": [0, 0]}, "b": {"type": "fixed"}}})
    record = mutants.attempt("trial", 0, "json", text, ["modes", "--json"], tmp_path, 5.0)
    small = mutants.shrink(record, tmp_path)
    assert json.loads(small["text"]) == {"joints": {"b": {}}}
    assert small["command"] == ["modes"]


def test_an_endless_command_is_a_hang(monkeypatch: pytest.MonkeyPatch) -> None:
    def main(_: list[str]) -> int:
        while True:
            pass

    monkeypatch.setattr(in_process, "main", main)
    found = in_process.run(["modes"], seconds=0.05)
    assert found.code is None
    assert "hang" in faults(["modes"], found, "")
