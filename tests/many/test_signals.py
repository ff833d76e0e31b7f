"""Ctrl-C and SIGTERM on long commands: exit code, message, what is kept, no worker left. Nothing waits for a time."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from runpy import run_path

import numpy as np
import psutil
import pytest

import eigenbody as eb

EXAMPLES = Path(__file__).parents[2] / "examples"
MANY = ["vibration_absorber.yaml", "--vary", "k=5%", "--vary", "c=10%"]
PROBLEM = {
    "variables": {"k": {"from": 0.05, "to": 20, "scale": "log"}, "c": {"from": 0.001, "to": 5, "scale": "log"}},
    "objective": {"minimize": {"frf_peak": {"input": "push", "output": "y", "from": 0.05, "to": 0.5}}},
    "starts": 3000, "refine": 3000,
}  # fmt: skip
PORTS = {"inputs": {"push": {"along": "j1.rx"}}, "outputs": {"last": {"measure": "j400.rx"}}}
LONG = {
    "tolerance": ["tolerance", *MANY, "--samples", "3000000", "--workers", "1"],
    "tolerance by workers": ["tolerance", *MANY, "--samples", "3000000", "--workers", "2"],
    "study": ["study", *MANY, "--of", "damping[1]", "--points", "3000000", "--workers", "2", "--store", "STORE"],
    "optimize": ["optimize", "vibration_absorber.yaml", "PROBLEM", "--workers", "2"],
    "simulate": ["simulate", "rotating_pendulum.yaml", "--until", "1e6", "--max-steps", "1e9", "--out", "KEPT.csv"],
    "campbell": ["campbell", "whipple_bicycle.yaml", "-p", "v", "--from", "1", "--to", "9", "--points", "100000"],
    "floquet": ["floquet", "parametric_pendulum.yaml", "-p", "a", "--from", "0.01", "--to", "0.02", "--points", "99999",
                "--workers", "2"],
    "frf": ["frf", "half_car.yaml", "--points", "2000000", "--json"],
    "report": ["report", "rotating_pendulum.yaml", "--simulate", "1e6", "--max-steps", "1e9", "--out", "KEPT.html"],
    "verify": ["verify", "CHAIN"],
    "verify of many": ["verify", "CHAIN", *["CHAIN"] * 40, "--workers", "1"],
    "frf over": ["frf", "half_car.yaml", "--over", "ks=1e4:3e4:99999", "--points", "400", "--workers", "2"],
    "identify": ["identify", "MEASURED", "--order", "400"],
    "reduce": ["reduce", "LADDER", "--n", "20"],
}  # fmt: skip
BOTH = ("tolerance", "study", "campbell", "simulate")  # are interrupted too; the others end by the same way
SIGNALS = {signal.SIGINT: (130, "interrupted"), signal.SIGTERM: (143, "terminated")}
CASES = [(name, signal.SIGTERM) for name in LONG] + [(name, signal.SIGINT) for name in BOTH]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of Unix")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Places of what the commands name."""
    found = {"STORE": tmp_path / "store", "PROBLEM": tmp_path / "problem.json", "CHAIN": tmp_path / "chain.json"}
    found |= {name: tmp_path / name.lower() for name in ("KEPT.csv", "KEPT.html")}
    found["PROBLEM"].write_text(json.dumps(PROBLEM))
    family = run_path(str(EXAMPLES / "families.py"))["family"]
    found["CHAIN"].write_text(json.dumps(family("C60SF1")))
    found["LADDER"] = tmp_path / "ladder.json"
    found["LADDER"].write_text(json.dumps({**family("C400SF1"), **PORTS}))
    found["MEASURED"] = tmp_path / "measured.npz"
    noise = np.random.default_rng(1).normal(size=(400_000, 8))
    np.savez(found["MEASURED"], t=np.arange(len(noise)) / 100, **{f"y{k}": noise[:, k] for k in range(8)})
    return found


def _hear_signals() -> None:
    """In the child: signals that whoever runs the tests has turned off are heard."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)


def started(name: str, files: dict[str, Path]) -> subprocess.Popen[str]:
    """The command, when it is at work: what a store is to keep is there, or the processor was used longer than any
    start takes."""
    words = [str(files.get(word, word)) for word in LONG[name]]
    child = subprocess.Popen(
        [sys.executable, "-m", "eigenbody", *words], cwd=EXAMPLES, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, preexec_fn=_hear_signals,
    )  # fmt: skip
    process = psutil.Process(child.pid)
    while not is_at_work(process, "2" in words, files if "--store" in words else {}):
        assert child.poll() is None, child.stderr and child.stderr.read()
        time.sleep(0.05)
    return child


def is_at_work(process: psutil.Process, by_workers: bool, files: dict[str, Path]) -> bool:
    if files:
        return any(files["STORE"].glob("*/rows-*.parquet"))
    family = process.children() if by_workers else [process]
    return len(family) == (2 if by_workers else 1) and all(one.cpu_times().user > 2.0 for one in family)


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("name", "number"), CASES, ids=lambda value: str(getattr(value, "name", value)))
def test_a_long_command_is_stopped(name: str, number: signal.Signals, files: dict[str, Path]) -> None:
    code, word = SIGNALS[number]
    child = started(name, files)
    workers = psutil.Process(child.pid).children()
    child.send_signal(number)
    out, err = child.communicate(timeout=500)
    assert child.returncode == code
    assert err.endswith(f"eigenbody: {word}\n")
    assert "Traceback" not in err
    _, alive = psutil.wait_procs(workers, timeout=200)
    assert not alive
    _what_is_kept(name, out, err, files)


def _what_is_kept(name: str, out: str, err: str, files: dict[str, Path]) -> None:
    """What was done, and how to go on."""
    if name == "study":
        assert f"kept in {files['STORE']}: the same command goes on from there." in err
        assert eb.results(files["STORE"]).done > 0
    elif name.startswith("tolerance"):
        assert "With --store FOLDER the next run can be stopped" in err
    elif name == "simulate":
        assert len(files["KEPT.csv"].read_text().splitlines()) > 2
    elif name in ("campbell", "floquet"):
        assert "Interrupted: " in out
    elif name == "report":
        assert not files["KEPT.html"].exists()  # whole or not at all
