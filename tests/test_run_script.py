"""`./run test` brings what its tests need, or says the line to type: tried on a machine made of stand-ins.

The whole thing on a real bare machine is `scripts/bare_machine.sh`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

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
    program(tmp_path / ".venv/bin/python", 'case "$*" in *pytest*) echo tested ;; esac')
    program(tmp_path / DRIVER, f'[ -e "{tmp_path}/libatomic1" ] || {{ echo "{MISSES}" >&2; exit 127; }}')
    program(tmp_path / "bin/chromium", ":")
    program(tmp_path / "bin/apt-get", f'eval "last=\\${{$#}}"; touch "{tmp_path}/$last"')
    return tmp_path


def run(machine: Path, user: int) -> subprocess.CompletedProcess[str]:
    program(machine / "bin/id", f"echo {user}")
    path = f"{machine / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(machine / "run"), "test"], env={**os.environ, "PATH": path}, capture_output=True, text=True
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
