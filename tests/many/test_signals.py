"""Ctrl-C and SIGTERM on long commands: exit code, message, no worker left. Events are waited for, never times."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = {
    "alone": ["tolerance", "vibration_absorber.yaml", "--vary", "k=5%", "--samples", "3000000", "--workers", "1"],
    "workers": ["tolerance", "vibration_absorber.yaml", "--vary", "k=5%", "--samples", "3000000", "--workers", "2"],
    "simulate": ["simulate", "rotating_pendulum.yaml", "--until", "1e6", "--max-steps", "1e9"],
    "campbell": ["campbell", "whipple_bicycle.yaml", "-p", "v", "--from", "1", "--to", "9", "--points", "100000"],
}

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")


def started(name: str) -> subprocess.Popen[str]:
    """The command, when it has begun: after the last import it waits for the processor alone."""
    command = [sys.executable, "-m", "eigenbody", *LONG[name]]
    child = subprocess.Popen(command, cwd=EXAMPLES, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process = psutil.Process(child.pid)
    wanted = 3 if name == "workers" else 1
    while not has_begun(process, wanted):
        assert child.poll() is None, child.stderr and child.stderr.read()
        time.sleep(0.05)
    return child


def has_begun(process: psutil.Process, wanted: int) -> bool:
    """Whether so many processes have used the processor longer than their start takes."""
    family = [process, *process.children()]
    busy = family[1:] or family
    return len(family) == wanted and all(one.cpu_times().user > 2.0 for one in busy)


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize(
    ("number", "code", "word"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_long_command_is_stopped(name: str, number: int, code: int, word: str) -> None:
    child = started(name)
    workers = psutil.Process(child.pid).children()
    child.send_signal(number)
    _, err = child.communicate(timeout=200)
    assert child.returncode == code
    assert err.endswith(f"eigenbody: {word}\n")
    assert "Traceback" not in err
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive
