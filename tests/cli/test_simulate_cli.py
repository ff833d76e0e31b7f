"""`eigenbody simulate` against its contract (docs/cli.md)."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import numpy as np
import pytest

from eigenbody.base.progress import listening
from eigenbody.cli import main

PENDULUM = """
eigenbody: 1
name: pendulum
parameters: {start: 1.0}
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0, -1]}}
joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0], position: "=start"}}
"""

WALL = """
eigenbody: 1
name: block at the wall
bodies: {block: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}
joints: {rail: {type: prismatic, between: [ground, block], at: [0, 0, 0], axis: [1, 0, 0], velocity: 1}}
forces: {magnet: {type: expression, along: rail, value: "=1/(1 - rail)**2"}}
"""


@pytest.fixture
def pendulum(tmp_path: Path) -> str:
    file = tmp_path / "pendulum.yaml"
    file.write_text(PENDULUM)
    return str(file)


def test_json_document(pendulum: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", pendulum, "--until", "2", "--points", "21", "--signal", "pin", "--signal", "pin'",
                 "--json"]) == 0  # fmt: skip
    document = json.loads(capsys.readouterr().out)
    assert document["model"] == "pendulum"
    assert document["method"] == "dop853"
    assert document["finished"] is True
    assert document["t"] == pytest.approx(np.linspace(0, 2, 21))
    assert list(document["signals"]) == ["pin", "pin'"]
    assert len(document["signals"]["pin"]) == 21
    assert document["final"]["pin"] == document["signals"]["pin"][-1]
    assert max(document["drift"]) < 1e-10
    total = document["energy"]["total"]
    assert total["greatest"] - total["least"] < 1e-6
    assert document["statistics"]["steps"] > 3


def test_table_and_parameters(pendulum: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", pendulum, "--until", "500 ms", "--set", "start=0.5"]) == 0
    out = capsys.readouterr().out
    assert "t = 0 to 0.5 s" in out
    assert "pin" in out
    assert "constraints hold to" in out


def test_spectrum(pendulum: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = [
        "simulate",
        pendulum,
        "--until",
        "20",
        "--points",
        "401",
        "--set",
        "start=0.01",
        "--fft",
        "pin",
        "--json",
    ]
    assert main(command) == 0
    peak = json.loads(capsys.readouterr().out)["spectra"]["pin"]
    peak = max(peak, key=lambda p: p["amplitude"])
    assert peak["frequency_hz"] == pytest.approx(np.sqrt(2 * 9.81 / 2.1) / (2 * np.pi), rel=2e-3)
    assert peak["amplitude"] == pytest.approx(0.01, rel=0.02)


@pytest.mark.parametrize("ending", ["npz", "csv", "json"])
def test_files_and_picture(ending: str, pendulum: str, tmp_path: Path) -> None:
    out, picture = tmp_path / f"motion.{ending}", tmp_path / "motion.png"
    assert main(["simulate", pendulum, "--until", "1", "-o", str(out), "--plot", str(picture), "-q"]) == 0
    assert out.stat().st_size > 1000
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("method", ["dop853", "radau", "generalized-alpha", "hht", "rk4"])
def test_methods(method: str, pendulum: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["simulate", pendulum, "--until", "0.2", "--points", "5", "--method", method, "--step", "0.02", "--json"]
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out)["method"] == method


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "--until"),
        (["--until", "soon"], "--until"),
        (["--until", "3 kg"], "--until"),
        (["--until", "-1"], "--until"),
        (["--until", "1", "--method", "rk4"], "--step"),
        (["--until", "1", "--method", "euler"], "--method"),
        (["--until", "1", "--signal", "pinn"], 'Did you mean "pin"'),
        (["--until", "1", "--fft", "pinn"], "--fft"),
        (["--until", "1", "-o", "motion.xyz"], ".parquet"),
    ],
)
def test_wrong_input(options: list[str], words: str, pendulum: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", pendulum, *options]) == 2
    assert words in capsys.readouterr().err


def test_stalled_motion_is_written_as_far_as_it_came(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, out = tmp_path / "wall.yaml", tmp_path / "motion.json"
    model.write_text(WALL)
    assert main(["simulate", str(model), "--until", "5", "-o", str(out)]) == 3
    message = capsys.readouterr().err
    assert "stalls at t = 0." in message
    assert '"magnet"' in message
    document = json.loads(out.read_text())
    assert document["finished"] is False
    assert 0.4 < document["t"][-1] < 1


def test_contradicting_velocities(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "bar.yaml"
    example = Path(__file__).parents[2] / "examples" / "planar_four_bar_redundant.yaml"
    text = example.read_text().replace("axis: [0, 1, 0]}", "axis: [0, 1, 0], velocity: 1}", 1)
    last = text.rindex("axis: [0, 1, 0]}")
    model.write_text(text[:last] + text[last:].replace("axis: [0, 1, 0]}", "axis: [0, 1, 0], velocity: 2}"))
    assert main(["simulate", str(model), "--until", "0.1"]) == 0
    assert "corrected to 1" in capsys.readouterr().err
    assert main(["simulate", str(model), "--until", "0.1", "--strict"]) == 2
    assert "contradicts" in capsys.readouterr().err


def test_interrupted_run_leaves_what_was_computed(
    pendulum: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Ctrl-C in the middle of a run of 10 s in a thousand rows: those before it are written, then the last state."""
    out = tmp_path / "motion.csv"

    def press(stage: str, share: float | None) -> None:
        if stage == "simulating" and share is not None and share > 0.5:
            signal.raise_signal(signal.SIGINT)

    with listening(press):
        code = main(["simulate", pendulum, "--until", "10", "--points", "1001", "-o", str(out)])
    assert code == 130
    assert "interrupted" in capsys.readouterr().err
    times = np.loadtxt(out, delimiter=",", skiprows=1)[:, 0]
    assert 5 < times[-1] < 10
    np.testing.assert_allclose(times[:-1], 0.01 * np.arange(len(times) - 1), atol=1e-12)
