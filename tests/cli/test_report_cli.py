"""`eigenbody report` and shell completion from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from eigenbody.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
ROTOR = str(EXAMPLES / "rotor_stator.yaml")


def test_writes_the_page_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rotor.html"
    assert main(["report", ROTOR, "-o", str(out), "--set", "speed=1 Hz"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert f"wrote {out}" in said.err
    assert out.read_text().startswith("<!doctype html>")


def test_json_says_what_was_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "rotor.html"
    assert main(["report", ROTOR, "-o", str(out), "--n", "4", "--campbell", "speed:0:1 Hz:3", "--json", "-q"]) == 0
    said = capsys.readouterr()
    document = json.loads(said.out)
    assert said.err == ""
    assert document["bytes"] == out.stat().st_size
    assert (document["modes"], document["bodies"], document["stability"]) == (4, 2, "drifting")
    assert "Modes over speed" in document["sections"]


def test_default_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", str(EXAMPLES / "hanging_pendulum.yaml"), "--simulate", "0.5", "-q"]) == 0
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "page.pdf"], "Use one of: .html, .htm"),
        (["--campbell", "speed"], "NAME:FROM:TO"),
        (["--campbell", "speed:0:1:one"], "number of points"),
        (["--campbell", "sped:0:1"], "speed"),
        (["--campbell", "speed:0:1 kg"], "--campbell"),
        (["--simulate", "0"], "--simulate"),
        (["--response", "-1"], "--response"),
        (["--n", "0"], "--n"),
        (["-o", "/no/such/folder/page.html"], "folder"),
    ],
)
def test_wrong_input_is_named(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", ROTOR, *arguments]) == 2
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_shape_is_placed_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.yaml"
    model.write_text("eigenbody: 1\nbodies:\n  b:\n    mass: 1\n    at: [0, 0, 0]\n    shape: {type: ball}\n")
    assert main(["report", str(model), "-o", str(tmp_path / "m.html")]) == 2
    said = capsys.readouterr().err
    assert "bodies.b.shape.type" in said
    assert "line 6" in said


@pytest.mark.parametrize(("shell", "word"), [("bash", "complete -o default"), ("zsh", "compdef"), ("fish", "complete")])
def test_completion_scripts(shell: str, word: str) -> None:
    line = [sys.executable, "-m", "eigenbody", "--show-completion", shell]
    environment = os.environ | {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert word in done.stdout


def test_completion_of_commands_and_options() -> None:
    def completed(words: str, position: int) -> list[str]:
        environment = os.environ | {
            "_EIGENBODY_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(position),
        }  # fmt: skip
        line = [sys.executable, "-m", "eigenbody"]
        return subprocess.run(line, env=environment, capture_output=True, text=True, check=True).stdout.split()

    assert "report" in completed("eigenbody re", 1)
    assert completed("eigenbody report --cam", 2) == ["--campbell"]


def test_no_colour_is_respected(tmp_path: Path) -> None:
    import pty

    def shown(**more: str) -> bytes:
        """What a terminal gets."""
        master, slave = pty.openpty()
        environment = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm-256color", **more}
        line = [sys.executable, "-m", "eigenbody", "modes", ROTOR]
        done = subprocess.Popen(line, stdout=slave, stderr=slave, env=environment, close_fds=True)
        os.close(slave)
        text = b""
        try:
            while part := os.read(master, 65536):
                text += part
        except OSError:  # the other end has closed
            pass
        done.wait()
        os.close(master)
        return text

    assert b"\x1b[32m" in shown()  # stable, in green
    plain = shown(NO_COLOR="1")
    assert b"\x1b[3" not in plain.replace(b"\x1b[3m", b"")
    assert b"stable" in plain
