"""--limit-seconds and --limit-memory: small files that ask for very much are ended, with one message."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eigenbody.cli.app import commands
from eigenbody.cli.main import DONE, FAILED, WRONG_INPUT, main

ROTOR = "examples/rotor_stator.yaml"
HINGE = {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0], "position": 1}
PENDULUM = {
    "eigenbody": 1,
    "gravity": [0, 0, -9.81],
    "bodies": {"a": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, -1]}},
}
GREEDY: dict[str, dict[str, Any]] = {
    "a motion of a third of a year": {
        **PENDULUM, "joints": {"j": HINGE}, "operating_point": {"simulate": {"until": 1e7}}},
    "a filter of three thousand coefficients": {
        **PENDULUM, "joints": {"j": HINGE}, "blocks": {
            "f": {"type": "transfer", "input": "=j", "numerator": [1], "denominator": [1.0] * 3000}}},
    "a beam of a hundred thousand modes": {
        "eigenbody": 1, "flexible": {"b": {"type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": 2e11, "density": 7850,
                                           "diameter": 0.02, "modes": 100_000, "elements": 40_000}}},
}  # fmt: skip


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "eigenbody", *words], capture_output=True, text=True, timeout=120,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"}, check=False)  # fmt: skip


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is counted so on Linux")
@pytest.mark.parametrize("name", GREEDY)
def test_greedy_files_end_with_one_message(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(GREEDY[name]))
    found = run("modes", str(path), "--limit-seconds", "3", "--limit-memory", "700")
    assert found.returncode in (WRONG_INPUT, FAILED), found.stderr  # refused at once, or ended
    assert found.stderr.startswith("eigenbody: ")
    assert "Traceback" not in found.stderr
    assert found.stdout == ""


def test_time_that_is_over_is_said(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(GREEDY["a motion of a third of a year"]))
    found = run("modes", str(path), "--limit-seconds", "1")
    assert found.returncode == FAILED
    assert found.stderr == "eigenbody: the time of --limit-seconds is over. Give more of it, or ask for less.\n"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is counted so on Linux")
def test_memory_that_is_short_is_said() -> None:
    found = run("modes", ROTOR, "--limit-memory", "12")
    assert found.returncode == FAILED
    assert "not enough memory" in found.stderr


def test_enough_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """And what was set is taken back: the process goes on as before."""
    assert main(["modes", ROTOR, "--json"]) == DONE
    plain = capsys.readouterr().out
    assert main(["modes", ROTOR, "--json", "--limit-seconds", "200", "--limit-memory", "64000"]) == DONE
    assert capsys.readouterr().out == plain
    if sys.platform.startswith("linux"):
        import resource
        import signal

        assert resource.getrlimit(resource.RLIMIT_DATA)[0] != 64000 * 2**20
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0


@pytest.mark.parametrize("option", ["--limit-seconds", "--limit-memory"])
@pytest.mark.parametrize("value", ["0", "-3", "nan", "inf"])
def test_limits_that_are_none_are_refused(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", ROTOR, f"{option}={value}"]) == WRONG_INPUT
    assert option in capsys.readouterr().err


@pytest.mark.parametrize("command", commands())
def test_every_command_has_them(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == DONE
    shown = capsys.readouterr().out
    assert "--limit-seconds S" in shown
    assert "--limit-memory MB" in shown
