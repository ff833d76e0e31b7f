"""`./run test` brings what its tests need, or says the line to type: tried on a machine made of stand-ins.

The whole thing on a real bare machine is `scripts/bare_machine.sh`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
MISSES = "node: error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file"
DRIVER = ".venv/lib/python3.11/site-packages/playwright/driver/node"


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A copy of `run` with a stand-in for each program that it calls; the driver starts once its library is there."""
    shutil.copy(ROOT / "run", tmp_path / "run")
    shutil.copy(ROOT / "pyproject.toml", tmp_path / "pyproject.toml")
    program(tmp_path / ".venv/bin/python", 'case "$*" in *--cov*) echo measured ;; *pytest*) echo tested ;; esac')
    program(tmp_path / DRIVER, f'[ -e "{tmp_path}/libatomic1" ] || {{ echo "{MISSES}" >&2; exit 127; }}')
    program(tmp_path / "bin/chromium", ":")
    program(tmp_path / "bin/apt-get", f'eval "last=\\${{$#}}"; touch "{tmp_path}/$last"')
    return tmp_path


def run(machine: Path, user: int, what: str = "test") -> subprocess.CompletedProcess[str]:
    program(machine / "bin/id", f"echo {user}")
    path = f"{machine / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(machine / "run"), what], env={**os.environ, "PATH": path}, capture_output=True, text=True
    )


def test_root_gets_the_library_that_the_driver_misses(machine: Path) -> None:
    done = run(machine, 0)
    assert (done.returncode, done.stdout) == (0, "tested\n")
    assert "Installing libatomic1" in done.stderr
    assert (machine / "libatomic1").exists()
    assert "libatomic1" not in run(machine, 0).stderr  # once


def test_others_get_the_line_to_type_and_all_other_tests(machine: Path) -> None:
    done = run(machine, 1000)
    assert (done.returncode, done.stdout) == (0, "tested\n")
    assert "sudo apt-get install libatomic1" in done.stderr
    assert "tests/browser will be skipped" in done.stderr


def test_a_library_that_stays_away_does_not_hold_up_the_tests(machine: Path) -> None:
    program(machine / "bin/apt-get", ":")
    done = run(machine, 0)
    assert (done.returncode, done.stdout) == (0, "tested\n")
    assert MISSES in done.stderr


def test_coverage_is_the_tests_measured(machine: Path) -> None:
    assert run(machine, 0, "coverage").stdout == "measured\n"


def test_hosted_checks_are_the_steps_of_ci_run_on_every_promised_python() -> None:
    """`.ci/run` knows each step that the workflow names; the oldest Python is that of pyproject.toml."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/checks.yml").read_text())
    jobs = workflow["jobs"]
    called = [step["run"].split("#")[0].split() for job in jobs.values() for step in job["steps"] if "run" in step]
    named = {step for words in called if words[0] == ".ci/run" for step in words[1:]}
    script = (ROOT / ".ci/run").read_text()
    usual = re.search(r"set -- (.+)", script)[1].split()
    assert named == {*usual, "coverage"}
    assert all(f"\n{step}() {{" in script for step in named)
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert f">={jobs['newest']['strategy']['matrix']['python'][0]}" == promised
