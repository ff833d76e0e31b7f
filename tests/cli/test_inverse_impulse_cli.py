"""`eigenbody inverse` and `eigenbody impulse` against docs/cli.md: documents, files, exit codes, messages."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli import main

MANIPULATOR = str(Path(__file__).parents[2] / "examples" / "space_manipulator.yaml")
PENDULUM = """
eigenbody: 1
name: pendulum
parameters: {rise: "90 deg"}
gravity: [0, 0, -10]
bodies: {bob: {mass: 2, inertia: [0, 0, 0], at: [0, 0, -1]}}
markers: {tip: {body: bob, at: [0, 0, -1]}}
joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}}
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM)
    return str(path)


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(list(arguments)) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(list(arguments)) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "Traceback" not in captured.err
    return captured.err


# inverse ------------------------------------------------------------------------------------------------------------


def test_inverse_json(capsys: pytest.CaptureFixture[str], model: str) -> None:
    found = document(
        capsys, "inverse", model, "--until", "2", "--points", "5", "--motion", "pin=cycloid(0, 90 deg, 2 s)", "--json"
    )
    (drive,) = found["driven"]
    assert found["t"] == [0, 0.5, 1, 1.5, 2]
    assert (drive["coordinate"], drive["unit"]) == ("pin", "N*m")
    expected = 2 * np.array(drive["acceleration"]) + 20 * np.sin(drive["value"])
    assert drive["force"] == pytest.approx(expected, abs=1e-10)
    assert drive["force"][-1] == pytest.approx(20)
    assert found["free"] == []
    assert found["held"] == []


def test_inverse_reads_motions_of_the_model_and_parameters(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "driven.yaml"
    path.write_text(PENDULUM + 'drivers: {motor: {measure: pin, motion: "=rise*t"}}\n')
    found = document(
        capsys, "inverse", str(path), "--until", "1000 ms", "--points", "2", "--set", "rise=30 deg", "--json"
    )
    assert found["driven"][0]["force"] == pytest.approx([0, 10], abs=1e-12)
    given = document(capsys, "inverse", str(path), "--until", "1", "--points", "2", "--set", "rise=30 deg", "--json")
    assert given == found


def test_inverse_holds_a_body(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "stone.yaml"
    path.write_text(
        "eigenbody: 1\ngravity: [0, 0, -10]\nbodies: {stone: {mass: 3, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
    )
    found = document(capsys, "inverse", str(path), "--until", "1", "--points", "2", "--hold", "stone", "--json")
    assert found["held"][0]["body"] == "stone"
    assert np.array(found["held"][0]["force"]) == pytest.approx(np.array([[0, 0, 30], [0, 0, 30]]))


def test_inverse_files_and_table(capsys: pytest.CaptureFixture[str], model: str, tmp_path: Path) -> None:
    motion = ["--until", "1", "--points", "4", "--motion", "pin==0.5*t"]
    for ending in ("csv", "npz", "mat", "json"):
        assert main(["inverse", model, *motion, "-o", str(tmp_path / f"out.{ending}"), "-q"]) == 0
    assert capsys.readouterr().out == ""
    with open(tmp_path / "out.csv") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["t", "pin N*m"]
    with np.load(tmp_path / "out.npz") as arrays:
        assert arrays["force"][:, 0] == pytest.approx([float(row[1]) for row in rows[1:]])
    assert json.loads((tmp_path / "out.json").read_text())["driven"][0]["coordinate"] == "pin"
    assert main(["inverse", model, *motion]) == 0
    text = capsys.readouterr().out
    assert "Forces along driven coordinates" in text
    assert "Largest power" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--motion", "pin=0"], "--until: the end of the motion is missing"),
        (["--until", "-1", "--motion", "pin=0"], "a positive time"),
        (["--until", "1 m", "--motion", "pin=0"], "--until"),
        (["--until", "1"], "no motion is prescribed"),
        (["--until", "1", "--motion", "pin"], "MEASURE=LAW"),
        (["--until", "1", "--motion", "pon=0"], 'Did you mean "pin"?'),
        (["--until", "1", "--motion", "pin=cyclod(0, 1, 1)"], 'Did you mean "cycloid"?'),
        (["--until", "1", "--motion", "pin=0", "--motion", "pin=1"], "prescribed twice"),
        (["--until", "1", "--motion", "pin==rse*t"], 'Did you mean "rise"?'),
        (["--until", "1", "--hold", "bib"], 'Did you mean "bob"?'),
        (["--until", "1", "--hold", "bob", "--hold", "tip"], "held already"),
        (["--until", "1", "--hold", "bob", "--motion", "pin==t**2"], "contradicts the other constraints"),
        (["--until", "1", "--motion", "pin=0", "-o", "x.pdf"], "ending"),
    ],
)
def test_inverse_refuses(capsys: pytest.CaptureFixture[str], model: str, arguments: list[str], message: str) -> None:
    assert message in refused(capsys, "inverse", model, *arguments)


# impulse ------------------------------------------------------------------------------------------------------------


def test_impulse_json(capsys: pytest.CaptureFixture[str], model: str) -> None:
    found = document(capsys, "impulse", model, "--at", "bob", "--impulse", "4,0,0", "--axes", "ground", "--json")
    (pin,) = found["coordinates"]
    assert pin == {"name": "pin", "before": 0.0, "jump": pytest.approx(-2), "after": pytest.approx(-2)}
    assert found["bodies"][0]["velocity"] == pytest.approx([2, 0, 0])
    assert found["after"]["kinetic_energy"] == pytest.approx(4)
    assert found["reactions"]["joints"][0]["force"] == pytest.approx([0, 0, 0], abs=1e-12)
    assert found["indeterminate"] == []


def test_impulse_of_the_manipulator(capsys: pytest.CaptureFixture[str]) -> None:
    blow = ["impulse", MANIPULATOR, "--at", "base", "--impulse", "100 lbf*s, 0, 0", "--angles", "123"]
    found = document(capsys, *blow, "--json")
    jump = {entry["name"]: entry["jump"] for entry in found["coordinates"]}
    assert jump["base.x"] / 0.0254 == pytest.approx(112.0389524, rel=1e-9)
    assert jump["elbow_2"] == pytest.approx(3.333492803, rel=1e-9)
    assert found["indeterminate"][0]["coordinates"] == ["shoulder_2.angle1", "shoulder_2.angle3"]
    assert main(blow) == 0
    assert "gimbal lock" in capsys.readouterr().out
    turned = document(capsys, *blow, "--set", "upper2=-80 deg", "--json")
    assert turned["indeterminate"] == []


def test_several_impulses_and_internal_ones(capsys: pytest.CaptureFixture[str], model: str) -> None:
    two = ["--at", "bob", "--impulse", "1,0,0", "--at", "tip", "--impulse", "-", "--angular", "-", "--angular", "0,3,0"]
    found = document(capsys, "impulse", model, *two, "--along", "pin=5 N*m*s", "--json")
    assert found["coordinates"][0]["jump"] == pytest.approx((-1 + 3 + 5) / 2)
    lower = document(capsys, "impulse", model, "--at", "bob", "--impulse", "1,0,0", "--point", "0,0,-2", "--json")
    assert lower["coordinates"][0]["jump"] == pytest.approx(-1)


def test_impulse_files(capsys: pytest.CaptureFixture[str], model: str, tmp_path: Path) -> None:
    for ending in ("csv", "npz", "mat", "json"):
        out = str(tmp_path / f"out.{ending}")
        assert main(["impulse", model, "--along", "pin=2", "-o", out, "-q"]) == 0
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "coordinate,before,jump,after"
    with np.load(tmp_path / "out.npz") as arrays:
        assert arrays["jump"] == pytest.approx([1.0])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "where does it strike?"),
        (["--at", "bob"], "what strikes it?"),
        (["--along", "pin=1", "--impulse", "1,0,0"], "more of these than of --at"),
        (["--at", "bob", "--impulse", "1,0"], "three components"),
        (["--at", "bob", "--impulse", "1,0,x"], "not a number"),
        (["--at", "bob", "--impulse", "1 m,0,0"], "not a number"),
        (["--at", "bobb", "--impulse", "1,0,0"], 'Did you mean "bob"?'),
        (["--at", "ground", "--impulse", "1,0,0"], "does not move"),
        (["--along", "pin"], "MEASURE=VALUE"),
        (["--along", "pim=1"], 'Did you mean "pin"?'),
        (["--along", "pin=1", "--angles", "9"], "--angles"),
        (["--along", "pin=1", "--axes", "body"], "--axes"),
    ],
)
def test_impulse_refuses(capsys: pytest.CaptureFixture[str], model: str, arguments: list[str], message: str) -> None:
    assert message in refused(capsys, "impulse", model, *arguments)


def test_pictures(capsys: pytest.CaptureFixture[str], model: str, tmp_path: Path) -> None:
    forces, blow = tmp_path / "forces.svg", tmp_path / "blow.png"
    assert (
        main(["inverse", model, "--until", "1", "--points", "5", "--motion", "pin==t", "--plot", str(forces), "-q"])
        == 0
    )
    assert main(["impulse", model, "--along", "pin=1", "--plot", str(blow), "-q"]) == 0
    assert forces.stat().st_size > 5000
    assert blow.read_bytes().startswith(b"\x89PNG")
    assert capsys.readouterr().out == ""
