"""`eigenbody frf` against its contract (docs/frequency-response.md)."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli import main

CART = """
eigenbody: 1
name: cart with pendulum
parameters: {c: 3, rate: 5}
gravity: [0, 0, -9.81]
bodies:
  cart: {mass: 2, at: [0, 0, 0]}
  bob: {mass: 1, inertia: [0.01, 0.01, 0.02], at: [0, 0, -0.5]}
joints:
  rail: {type: prismatic, between: [ground, cart], at: [0, 0, 0], axis: [1, 0, 0]}
  pin: {type: revolute, between: [cart, bob], at: [0, 0, 0], axis: [0, 1, 0]}
forces:
  buffer: {type: spring, along: rail, k: 300, c: "=c"}
  oil: {type: damper, along: pin, c: "=0.02*c"}
inputs: {push: {along: rail}}
outputs: {place: {measure: rail}, swing: {measure: pin, order: 1}}
"""
BASE = CART.replace("inputs: {push: {along: rail}}", "drivers: {shaker: {measure: rail, motion: 0}}")
BARE = "\n".join(line for line in CART.splitlines() if not line.startswith(("inputs", "outputs")))


@pytest.fixture
def cart(tmp_path: Path) -> str:
    return _file(tmp_path, CART)


def _file(folder: Path, text: str) -> str:
    file = folder / "model.yaml"
    file.write_text(text)
    return str(file)


def _document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["frf", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_document(cart: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(capsys, cart, "--from", "0.2", "--to", "20", "--points", "50", "--no-refine")
    assert document["model"] == "cart with pendulum"
    assert (document["inputs"], document["outputs"]) == (["push"], ["place", "swing"])
    assert document["units"] == {"inputs": ["N"], "outputs": ["m", "rad/s"]}
    assert document["frequency_hz"] == pytest.approx(np.geomspace(0.2, 20, 50))
    value = np.array(document["real"]) + 1j * np.array(document["imag"])
    assert value.shape == (50, 2, 1)
    assert np.array(document["magnitude"]) == pytest.approx(np.abs(value))
    assert np.exp(1j * np.radians(document["phase_deg"])) == pytest.approx(value / np.abs(value))
    assert document["peaks"] == []
    assert document["certificate"]["tangent_error"] < 1e-12


def test_static_response_at_zero(cart: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(capsys, cart, "--at", "0", "--output", "rail", "--output", "rail'")
    assert document["real"] == [[[pytest.approx(1 / 300)], [pytest.approx(0, abs=1e-20)]]]
    assert document["imag"] == [[[0.0], [0.0]]]


def test_peaks_and_table(cart: str, capsys: pytest.CaptureFixture[str]) -> None:
    document = _document(capsys, cart)
    place = [p for p in document["peaks"] if p["output"] == "place"]
    assert len(place) == 2
    top = np.array(document["magnitude"])[:, 0, 0].max()
    assert max(p["magnitude"] for p in place) == pytest.approx(top, rel=1e-3)
    assert main(["frf", cart]) == 0
    text = capsys.readouterr().out
    assert "Resonance peaks" in text
    assert "m/N" in text


def test_pole_is_null_and_named(cart: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["modes", cart, "--set", "c=0", "--json"]) == 0
    hz = json.loads(capsys.readouterr().out)["modes"][0]["frequency_hz"]
    document = _document(capsys, cart, "--set", "c=0", "--at", repr(hz))
    assert document["magnitude"] == [[[None], [None]]]
    assert document["phase_deg"] == [[[None], [None]]]
    assert document["poles"][0]["frequency_hz"] == pytest.approx(hz)
    assert main(["frf", cart, "--set", "c=0", "--at", repr(hz)]) == 0
    text = capsys.readouterr().out
    assert "infinite" in text
    assert "e+1" not in text


def test_base_and_its_orders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _file(tmp_path, BASE)
    first = _document(capsys, file, "--base", "shaker", "--at", "1")
    second = _document(capsys, file, "--base", "shaker", "--at", "1", "--base-order", "2")
    assert first["real"][0][0] == [1.0]
    assert second["units"]["inputs"] == ["m/s^2"]
    assert second["real"][0][1][0] == pytest.approx(-first["real"][0][1][0] / (2 * np.pi) ** 2)


def test_unbalance_needs_an_axis_where_nothing_spins(cart: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["frf", cart, "--unbalance", "bob=1e-3"]) == 2
    assert "--axis" in capsys.readouterr().err
    document = _document(capsys, cart, "--unbalance", "bob=1e-3", "--axis", "0,1,0", "--at", "2")
    assert document["inputs"] == ["unbalance of bob"]
    assert document["magnitude"][0][0][0] > 0


@pytest.mark.parametrize("ending", ["csv", "json", "npz", "mat"])
def test_files(cart: str, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"response.{ending}"
    assert main(["frf", cart, "--from", "1", "--to", "9", "--points", "7", "--no-refine", "-o", str(out), "-q"]) == 0
    if ending == "csv":
        head, *rows = list(csv.reader(out.read_text().splitlines()))
        assert head[:3] == ["frequency_hz", "place / push [m/N] real", "place / push [m/N] imag"]
        assert len(rows) == 7
        assert len(rows[0]) == 9
    elif ending == "json":
        assert len(json.loads(out.read_text())["frequency_hz"]) == 7
    elif ending == "npz":
        with np.load(out) as arrays:
            assert arrays["response"].shape == (7, 2, 1)
            assert arrays["outputs"].tolist() == ["place", "swing"]
    else:
        from scipy.io import loadmat

        assert loadmat(out)["response"].shape == (7, 2, 1)


@pytest.mark.parametrize("kind", ["bode", "nyquist"])
def test_pictures(cart: str, tmp_path: Path, kind: str) -> None:
    picture = tmp_path / "frf.svg"
    assert main(["frf", cart, "--kind", kind, "--plot", str(picture), "-q"]) == 0
    text = picture.read_text()
    assert text.startswith("<?xml")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--input", "psh"], ["--input", "push"]),
        (["--output", "place''"], ["--output", "place"]),
        (["--output", "pin'''"], ["--output", "order 3"]),
        (["--from", "5", "--to", "5"], ["empty"]),
        (["--from", "-1"], ["--from", "zero or positive"]),
        (["--from", "0"], ["logarithmic", "linear"]),
        (["--points", "1"], ["--points"]),
        (["--at", "nan"], ["--at", "finite"]),
        (["--at", "1", "--to", "3"], ["--at", "both"]),
        (["--method", "modall"], ["--method", "modal"]),
        (["--modes", "2"], ["--modes", "modal"]),
        (["--base", "rail"], ["--base", "no motion"]),
        (["--base-order", "3"], ["--base-order", "acceleration"]),
        (["--unbalance", "bob"], ["--unbalance", "BODY=KGM"]),
        (["--unbalance", "bab=1"], ["--unbalance", "bob"]),
        (["--unbalance", "bob=1", "--axis", "0,0,0"], ["--unbalance", "axis"]),
        (["--unbalance", "bob=1", "--axis", "0,1"], ["--axis", "three"]),
        (["--unbalance", "bob=1", "--axis", "0,1,0", "--speed", "rat"], ["--speed", "rate"]),
        (["--unbalance", "bob=1", "--axis", "0,1,0", "--speed", "rate"], ["--speed", "does not change"]),
        (["--speed", "rate"], ["--speed", "unbalance"]),
        (["--kind", "bod"], ["--kind"]),
        (["--axis", "0,0,1"], ["--axis", "unbalance"]),
        (["-o", "x.txt"], ["x.txt"]),
    ],
)
def test_wrong_input_is_named(
    cart: str, capsys: pytest.CaptureFixture[str], arguments: list[str], words: list[str]
) -> None:
    assert main(["frf", cart, *arguments]) == 2
    error = capsys.readouterr().err
    for word in words:
        assert word in error, error


def test_model_without_inputs_and_outputs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _file(tmp_path, BARE)
    assert main(["frf", file]) == 2
    assert "no inputs" in capsys.readouterr().err
    document = _document(capsys, file, "--input", "rail", "--at", "1")
    assert document["outputs"] == ["rail", "pin"]


def test_modal_of_a_defective_model_proposes_direct(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = """
eigenbody: 1
bodies: {b: {mass: 1, at: [0, 0, 0]}}
joints: {x: {type: prismatic, between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0]}}
forces: {s: {type: spring, along: x, k: 4, c: 4}}
"""
    assert main(["frf", _file(tmp_path, text), "--input", "x", "--method", "modal"]) == 3
    assert "direct" in capsys.readouterr().err
