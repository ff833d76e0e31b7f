"""`eigenbody optimize`: report, JSON, files, pictures and complaints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

import eigenbody as eb
from eigenbody.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
ABSORBER, PROBLEM = str(EXAMPLES / "vibration_absorber.yaml"), str(EXAMPLES / "problems/vibration_absorber.yaml")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["optimize", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def problem(tmp_path: Path, text: str) -> str:
    path = tmp_path / "problem.yaml"
    path.write_text(text)
    return str(path)


def test_report(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, ABSORBER, PROBLEM)
    assert code == 0
    for part in ("0.90701251", "0.25511709", "before", "6.4079208 m/N", "A best design was found"):
        assert part in out


def test_json_and_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    changed, picture = tmp_path / "better.yaml", tmp_path / "better.png"
    code, out, _ = run(capsys, ABSORBER, PROBLEM, "--json", "-o", str(changed), "--plot", str(picture))
    assert code == 0
    document = json.loads(out)
    assert set(document) >= {
        "model", "success", "message", "objective", "variables", "constraints", "modes_before", "modes_after",
        "iterations", "evaluations", "notes",
    }  # fmt: skip
    assert document["success"] is True
    assert document["objective"]["after"] == pytest.approx(6.40792077, abs=1e-8)
    k = document["variables"][0]
    assert set(k) == {"name", "before", "after", "lower", "upper", "at_bound"}
    assert eb.load(changed).parameters["k"] == k["after"]
    assert eb.modes(eb.load(changed)).frequency_hz[0] == pytest.approx(document["modes_after"][0]["frequency_hz"])
    assert picture.read_bytes()[:4] == b"\x89PNG"


def test_what_cannot_be_kept_is_code_3_with_the_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = "variables: {k: {from: 1, to: 10}}\nconstraints: [{frequency: {mode: 2}, equals: 3}]\n"
    code, out, err = run(capsys, ABSORBER, problem(tmp_path, text), "--json")
    assert code == 3
    assert json.loads(out)["success"] is False
    assert "should be 3 Hz" in err


def test_faults_name_place_and_remedy(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = "variables:\n  kk: {from: 1, to: 10}\nobjective:\n  minimise: {mass: all}\n"
    code, out, err = run(capsys, ABSORBER, problem(tmp_path, text))
    assert code == 2
    assert out == ""
    assert "line 2" in err
    assert 'Did you mean "minimize"?' in err


def test_problem_file_missing_or_empty(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = run(capsys, ABSORBER, "nowhere.yaml")
    assert code == 2
    assert "nowhere.yaml" in err
    code, _, err = run(capsys, ABSORBER, problem(tmp_path, ""))
    assert code == 2


def test_the_problem_may_stand_in_the_model_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model, own = (yaml.safe_load(Path(path).read_text()) for path in (ABSORBER, PROBLEM))
    path = tmp_path / "absorber.yaml"
    path.write_text(yaml.safe_dump({**model, "optimization": own}))
    code, out, _ = run(capsys, str(path), "--json")
    assert code == 0
    assert json.loads(out)["success"]
    code, _, err = run(capsys, ABSORBER)
    assert code == 2
    assert "optimization" in err
