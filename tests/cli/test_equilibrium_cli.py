"""`eigenbody equilibrium` against its contract: document, files, exit codes, messages."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli import main

EXAMPLE = Path(__file__).parents[2] / "examples" / "four_bar_with_spring.yaml"
CRANK = 2.234331019017586 - math.pi / 2  # from the drawing

FALLING = """
eigenbody: 1
name: stone
gravity: [0, 0, -9.81]
bodies:
  stone: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}
"""


def run(capfd: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["equilibrium", *arguments])
    out, err = capfd.readouterr()
    return code, out, err


def test_document(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capfd, str(EXAMPLE), "--json")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["model"] == "Four-bar with a diagonal spring"
    stable, unstable = document["equilibria"]
    assert (stable["stable"], stable["stability"]) == (True, "stable")
    assert (unstable["stable"], unstable["stability"]) == (False, "unstable")
    assert stable["coordinates"]["A"] == pytest.approx(CRANK, abs=1e-11)
    (value,) = stable["eigenvalues"]
    assert (value["real"], value["imag"]) == pytest.approx((-0.2423858093105051, 2.13395502834838), abs=1e-10)
    assert unstable["coordinates"]["A"] == 0.0
    crank = stable["bodies"]["crank"]
    angle = math.pi / 2 + CRANK
    assert crank["at"] == pytest.approx([math.cos(angle) / 2, math.sin(angle) / 2, 0], abs=1e-11)
    assert crank["rotation"] == pytest.approx([math.cos(CRANK / 2), 0, 0, math.sin(CRANK / 2)], abs=1e-11)
    assert stable["residual"] < 1e-12
    assert [r["joint"] for r in stable["reactions"]["joints"]] == ["A", "B", "C", "D"]
    assert document["certificate"]["residual"] < 1e-12
    assert len(document["certificate"]["redundant"]) == 3


def test_table_and_options(capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capfd, str(EXAMPLE), "--all-from", "4")
    assert code == 0
    assert all(word in out for word in ["All equilibria found", "3.14159", "unstable", "Reactions", "Certificate"])
    code, out, _ = run(capfd, str(EXAMPLE), "--nearest", "--set", "k=30")
    assert code == 0
    assert "unstable: 1 growing mode" in out


@pytest.mark.parametrize("ending", ["json", "csv", "npz", "mat"])
def test_files(ending: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / f"settled.{ending}"
    code, out, err = run(capfd, str(EXAMPLE), "-o", str(file), "--quiet")
    assert (code, out, err) == (0, "", "")
    if ending == "json":
        value = json.loads(file.read_text())["equilibria"][0]["coordinates"]["A"]
    elif ending == "csv":
        lines = list(csv.DictReader(file.open()))
        value = float(next(li["value"] for li in lines if li["equilibrium"] == "1" and li["coordinate"] == "A"))
    elif ending == "npz":
        value = np.load(file)["values"][0, 0]
    else:
        from scipy.io import loadmat

        value = loadmat(file)["values"][0, 0]
    assert value == pytest.approx(CRANK, abs=1e-11)


def test_no_equilibrium_is_wrong_input(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "stone.yaml"
    file.write_text(FALLING)
    code, out, err = run(capfd, str(file), "--json")
    assert (code, out) == (2, "")
    assert "bodies.stone (stone.yaml, line 6)" in err
    assert "nothing opposes the motion of stone.z" in err


def test_unknown_ending_is_refused_before_anything_is_computed(capfd: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capfd, str(EXAMPLE), "-o", "settled.txt")
    assert code == 2
    assert ".csv" in err


def test_what_does_not_settle_says_how_far_it_came(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A force that only changes its sign has no zero to come to rest at."""
    file = tmp_path / "jump.yaml"
    file.write_text(
        FALLING + "joints: {s: {type: prismatic, between: [ground, stone], at: [0, 0, 0]}}\n"
        'forces: {f: {type: expression, along: s, value: "=30*step(-0.1 - s)"}}\n'
    )
    code, _, err = run(capfd, str(file))
    assert code == 3
    assert "No equilibrium was reached" in err
    assert "moves s" in err
