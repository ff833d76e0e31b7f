"""URDF files on the command line: every command reads them, options, `convert`, exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import eigenbody as eb
from eigenbody.cli.main import DONE, WRONG_INPUT, main

EXAMPLE = Path(__file__).parents[2] / "examples" / "six_axis_arm.urdf"


@pytest.fixture
def arm(tmp_path: Path) -> str:
    shutil.copy(EXAMPLE, tmp_path / "arm.urdf")
    return str(tmp_path / "arm.urdf")


def test_base_and_notes(arm: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = {}
    for base in ("fixed", "free"):
        assert main(["check", arm, "--base", base, "--json"]) == DONE
        found[base] = json.loads(capsys.readouterr().out)
    assert found["fixed"]["dof"] == 6
    assert found["free"]["dof"] == 12
    assert any("friction" in note for note in found["fixed"]["notes"])
    assert found["free"]["coordinates"][:6] == [f"base.{c}" for c in ("x", "y", "z", "rx", "ry", "rz")]


@pytest.mark.parametrize(
    "command",
    [
        "modes", "linearize", "verify", "simulate --until 0.01 --points 2 --strict", "psd --white 1 --input waist",
        "frf --input waist --output waist --at 1", "sensitivity -p bodies.turret.mass",
    ],
)  # fmt: skip
def test_commands_take_a_urdf_with_a_free_base(command: str, arm: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where `--base` or `--strict` mean something else besides (frf, psd, simulate)."""
    name, *rest = command.split()
    if name == "psd":
        rest += ["--output", "waist'", "--from", "1", "--to", "2"]
    assert main([name, arm, *rest, "--base", "free", "-q"]) == DONE
    capsys.readouterr()


def test_wrong_options(arm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["modes", arm, "--base", "loose"]) == WRONG_INPUT
    assert "neither fixed nor free" in capsys.readouterr().err
    assert main(["modes", str(EXAMPLE.parent / "four_bar.yaml"), "--base", "free"]) == WRONG_INPUT
    assert "--base" in capsys.readouterr().err
    for ending, word in (("xml", "no such file"), ("xacro", "xacro arm.xacro > arm.urdf")):
        assert main(["check", f"arm.{ending}"]) == WRONG_INPUT
        assert word in capsys.readouterr().err


def test_faults_have_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = EXAMPLE.read_text().replace('<mass value="12"/>', '<mass value="a lot"/>')
    (tmp_path / "wrong.urdf").write_text(wrong)
    assert main(["modes", str(tmp_path / "wrong.urdf")]) == WRONG_INPUT
    line = wrong[: wrong.index("a lot")].count("\n") + 1
    assert f'link "pedestal" (wrong.urdf, line {line})' in capsys.readouterr().err


def test_strict_refuses_repairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "odd.urdf"
    path.write_text(EXAMPLE.read_text().replace('izz="0.09"', 'izz="0.9"'))
    assert main(["check", str(path)]) == DONE
    assert "Inertia of pedestal" in capsys.readouterr().out
    assert main(["check", str(path), "--strict"]) == WRONG_INPUT
    assert "impossible inertia" in capsys.readouterr().err


def test_convert(arm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "arm.yaml"
    assert main(["convert", arm, "-o", str(out)]) == DONE
    text = out.read_text()
    assert text.startswith("# Converted from arm.urdf.\n")
    assert "# Dry friction is left out: waist 2.5." in text
    assert "  waist: {type: revolute, between: [pedestal, turret], at: [0, 0, 0.25], axis: [0, 0, 1], lower" in text
    assert {**eb.load(out).document, "parameters": {}, "forces": {}} == {
        **eb.load(arm).document, "parameters": {}, "forces": {},
    }  # fmt: skip
    assert "parameters: {damping: 1.8}" in text  # what several entries have
    capsys.readouterr()
    assert main(["convert", arm, "--base", "free"]) == DONE
    assert "base: {type: free, between: [ground, pedestal]" in capsys.readouterr().out
    assert main(["convert", str(out), "-o", str(tmp_path / "again.urdf")]) == DONE
    assert eb.check(tmp_path / "again.urdf").dof == 6
    assert main(["convert", arm, "-o", str(tmp_path / "arm.txt")]) == WRONG_INPUT
