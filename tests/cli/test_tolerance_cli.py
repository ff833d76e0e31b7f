"""`eigenbody tolerance`: tables, JSON, files, pictures and complaints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli.main import main

ABSORBER = str(Path(__file__).parents[2] / "examples" / "vibration_absorber.yaml")
TUNED = [ABSORBER, "--set", "k=0.907", "--set", "c=0.255"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["tolerance", *arguments])
    out, err = capsys.readouterr()
    return code, out, err


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *TUNED, "--vary", "k=5%", "--vary", "bodies.machine.mass=0.02")
    assert code == 0
    assert "frequency of mode 1" in out
    assert "First order" in out


def test_monte_carlo_json_and_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    data, picture = tmp_path / "bands.npz", tmp_path / "bands.png"
    arguments = ["--vary", "k=5 %", "--samples", "50", "--peak", "push:y:0.05:0.5", "--json"]
    code, out, _ = run(capsys, *TUNED, *arguments, "-o", str(data), "--plot", str(picture))
    assert code == 0
    document = json.loads(out)
    assert document["samples"] == 50
    band = document["bands"][-1]
    assert band["unit"] == "m/N"
    assert band["lower"] <= band["percentiles"]["50.0"] <= band["upper"]
    with np.load(data) as arrays:
        assert arrays["samples"].shape == (50, len(document["bands"]))
    assert picture.read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "nothing varies"),
        (["--vary", "kk=5%"], 'Did you mean "k"?'),
        (["--vary", "k"], "NAME=WIDTH"),
        (["--vary", "k=5%", "--peak", "push:y"], "INPUT:OUTPUT:FROM:TO"),
        (["--vary", "k=5%", "--peak", "pusch:y:1:2"], 'Did you mean "push"?'),
        (["--vary", "k=5%", "--samples", "1"], "--samples"),
    ],
)
def test_faults(capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    code, out, err = run(capsys, ABSORBER, *arguments)
    assert code == 2
    assert out == ""
    assert said in err
