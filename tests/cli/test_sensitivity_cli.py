"""`eigenbody sensitivity` against its contract (docs/sensitivity.md)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
SHAFTS = str(EXAMPLES / "geared_shafts.yaml")
ROTOR = str(EXAMPLES / "rotor_stator.yaml")


def test_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    """omega^2 = k (1 / (Jw + i^2 Jm) + 1 / Jl): d ln f / d ln k = 1/2, by the ratio from the reflected inertia."""
    assert main(["sensitivity", SHAFTS, "-p", "k", "-p", "couplings.mesh.ratio", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["parameters"] == [{"name": "k", "value": 2000.0}, {"name": "couplings.mesh.ratio", "value": 3.0}]
    assert document["exact"] is True
    assert document["certificate"]["tangent_error"] < 1e-12
    rigid, _, mode = document["modes"]
    assert rigid["kind"] == "rigid"
    assert rigid["note"].startswith("rigid")
    assert set(rigid["derivatives"]["k"].values()) == {None}
    assert mode["ranking"] == ["k", "couplings.mesh.ratio"]
    assert mode["derivatives"]["k"]["relative_frequency"] == pytest.approx(0.5, rel=1e-12)
    reflected = 0.12 + 9 * 0.02
    by_ratio = -0.5 * 2 * 9 * 0.02 / reflected**2 / (1 / reflected + 1 / 0.6)
    assert mode["derivatives"]["couplings.mesh.ratio"]["relative_frequency"] == pytest.approx(by_ratio, rel=1e-12)


def test_table_says_what_has_no_frequency(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", ROTOR]) == 0
    text = capsys.readouterr().out
    assert "Sensitivities of Rotor on a bushing-mounted stator" in text
    assert text.count("(rigid)") == 2
    assert "-0.51098" in text
    assert "e-3" not in text.split("8    15.9155")[1].splitlines()[0]  # rounding is shown as zero


def test_files_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "tornado.png"
    for ending in ("csv", "npz", "json", "mat"):
        file = tmp_path / f"s.{ending}"
        assert main(["sensitivity", SHAFTS, "-o", str(file), "--plot", str(picture), "--mode", "3"]) == 0
        assert file.stat().st_size > 300
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert main(["sensitivity", SHAFTS, "--plot", str(tmp_path / "rigid.svg"), "--mode", "1", "--quiet"]) == 0
    assert "rigid" in (tmp_path / "rigid.svg").read_text()
    rows = list(csv.DictReader((tmp_path / "s.csv").open()))
    assert len(rows) == 3 * 2
    assert rows[0]["d_real"] == rows[0]["d_imag"] == ""
    assert float(rows[-1]["relative_frequency"]) == pytest.approx(0.5, rel=1e-12)
    stored = np.load(tmp_path / "s.npz")
    assert stored["d_eigenvalues"].shape == (2, 3)
    assert stored["dK"].shape == (2, 2, 2)
    assert json.loads((tmp_path / "s.json").read_text())["modes"][2]["index"] == 3


def test_without_parameters_masses_and_stiffnesses(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", str(EXAMPLES / "four_bar.yaml"), "--json"]) == 0
    names = [entry["name"] for entry in json.loads(capsys.readouterr().out)["parameters"]]
    assert names == ["bodies.crank.mass", "bodies.coupler.mass", "bodies.rocker.mass"]


def test_one_mode_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """All numbers of that mode and no other; the document keeps all modes."""
    assert main(["sensitivity", SHAFTS, "--mode", "3"]) == 0
    text = capsys.readouterr().out
    assert "mode 3 of 3" in text
    rows = [line.split() for line in text.splitlines() if line[:1].isdigit()]
    assert [row[0] for row in rows] == ["3"]
    assert main(["sensitivity", SHAFTS, "--mode", "3", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["modes"]) == 3


def test_set_and_many_modes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", SHAFTS, "--set", "k=8000", "--n", "100", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert len(document["modes"]) == 3
    assert {"name": "k", "value": 8000.0} in document["parameters"]


def test_differences_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", str(EXAMPLES / "heavy_top.yaml"), "-p", "speed", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["exact"] is False
    assert "by differences" in document["notes"][0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-p", "bodies.moter.mass"], ["bodies.moter.mass", '"motor"']),
        (["-p", "joints.gear.at"], ["is a list", "joints.gear.at[0]"]),
        (["-p", "joints.gear.at[7]"], ["[0] to [2]"]),
        (["-p", "joints.gear"], ["is a section"]),
        (["-p", "joints.gear.type"], ["revolute", "not a number"]),
        (["-p", "kk"], ["kk", '"k"']),
        (["--mode", "9"], ["--mode", "there are 3 modes"]),
        (["--plot", "x.txt"], [".txt"]),
    ],
)
def test_wrong_input_is_explained(arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sensitivity", SHAFTS, *arguments]) == 2
    message = capsys.readouterr().err
    assert all(word in message for word in words), message
    assert "internal error" not in message


def test_a_change_that_opens_a_loop_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    loop = str(EXAMPLES / "planar_four_bar_redundant.yaml")
    assert main(["sensitivity", loop, "-p", "joints.b.axis[0]"]) == 2
    assert "cannot follow a change of joints.b.axis[0]" in capsys.readouterr().err
