"""`eigenbody modes --explain`: document, table, files, picture, refusals."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
ROTOR = str(EXAMPLES / "rotor_stator.yaml")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(list(arguments))
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_document(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "modes", ROTOR, "--explain", "--json")
    document = json.loads(out)
    assert code == 0
    assert len(document["modes"]) == 8
    for mode in document["modes"]:
        parts = [share for body in mode["kinetic_energy"].values() for share in body.values()]
        assert list(mode["kinetic_energy"]["rotor"]) == ["x", "y", "z", "rx", "ry", "rz"]
        assert sum(parts) == pytest.approx(1, abs=1e-9)
        assert sum(mode["participation"].values()) == pytest.approx(1, abs=1e-9)
        for name in ("strain_energy", "dissipation"):
            assert mode[name] == {} if mode["kind"] == "rigid" else mode[name] == pytest.approx({"mount": 1.0})
    rocking = document["modes"][5]
    assert rocking["label"] == "rotor and stator rocking, backward whirl"
    assert rocking["whirl"] == "backward"
    assert rocking["screw_axes"]["rotor"]["wanders"] is True
    bounce = document["modes"][4]["screw_axes"]["rotor"]
    assert bounce.pop("direction") == pytest.approx([0, 0, 1], abs=1e-9)
    assert bounce == {"motion": "translation", "point": None, "pitch": None, "wanders": False}
    assert document["modes"][7]["screw_axes"]["rotor"] is None


def test_plain_document_is_unchanged(capsys: pytest.CaptureFixture[str]) -> None:
    plain = json.loads(run(capsys, "modes", ROTOR, "--json")[1])
    explained = json.loads(run(capsys, "modes", ROTOR, "--explain", "--json")[1])
    assert list(plain) == list(explained)
    assert "label" not in plain["modes"][0]
    for one, other in zip(plain["modes"], explained["modes"], strict=True):
        assert one == {key: other[key] for key in one}


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "modes", ROTOR, "--explain", "--n", "4")
    assert code == 0
    assert "free rotation about z of rotor" in out
    assert "mount 100 %" in out
    assert "rotor x 43.9 %" in out


def test_sparse(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "modes", ROTOR, "--explain", "--solver", "sparse", "--json")
    modes = json.loads(out)["modes"]
    assert code == 0
    assert modes[7]["label"] == "stator torsion about z"
    assert modes[1]["participation"]["spin"] is None  # the sparse path does not tell


def test_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for ending in ("npz", "mat", "csv", "json", "png"):
        option = "--plot" if ending == "png" else "--out"
        code, out, _ = run(capsys, "modes", ROTOR, "--explain", "-q", option, str(tmp_path / f"r.{ending}"))
        assert code == 0
        assert out == ""
    with np.load(tmp_path / "r.npz") as arrays:
        assert arrays["kinetic_energy"].shape == (8, 2, 6)
        assert arrays["label"][7] == "stator torsion about z"
    rows = list(csv.DictReader(io.StringIO((tmp_path / "r.csv").read_text())))
    assert rows[7]["label"] == "stator torsion about z"
    assert float(rows[7]["kinetic stator rz"]) == pytest.approx(1)
    assert json.loads((tmp_path / "r.json").read_text())["modes"][7]["label"] == "stator torsion about z"
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")


def test_frame_and_explanation_exclude_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "modes", ROTOR, "--explain", "--frame", "spin")
    assert code == 2
    assert out == ""
    assert "Leave out --frame" in err


@pytest.mark.parametrize("body", ["", "{a: {mass: 1, at: [0, 0, 0]}}"])
def test_nothing_to_explain(capsys: pytest.CaptureFixture[str], tmp_path: Path, body: str) -> None:
    """A point mass that is fixed, or alone."""
    path = tmp_path / "m.yaml"
    path.write_text(
        "eigenbody: 1\nbodies: {a: {mass: 1, at: [0, 0, 0]}}\n"
        + ("" if body else "joints: {j: {type: fixed, between: [ground, a], at: [0, 0, 0]}}\n")
    )
    code, out, _ = run(capsys, "modes", str(path), "--explain", "--json")
    modes = json.loads(out)["modes"]
    assert code == 0
    assert len(modes) == (6 if body else 0)
    code, _, _ = run(capsys, "modes", str(path), "--explain", "--plot", str(tmp_path / "m.png"))
    assert code == 0
