"""`eigenbody response` against its contract."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli import main

SLIDER = str(Path(__file__).parents[2] / "examples" / "slider_pendulum.yaml")
DAMPED = ["--set", "c=20"]
UPRIGHT = """
eigenbody: 1
name: upright
gravity: [0, 0, -9.81]
bodies: {bob: {mass: 2, inertia: [0.1, 0.1, 0.1], at: [0, 0, 1]}}
joints: {pin: {type: revolute, between: [ground, bob], at: [0, 0, 0], axis: [0, 1, 0]}}
"""


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["response", *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, SLIDER, *DAMPED, "--free", "--initial", "rail=0.1", "--initial", "hinge=-0.05",
                         "--initial", "hinge'=0.2", "--until", "1", "--points", "11", "--output", "rail",
                         "--output", "hinge'", "--json")  # fmt: skip
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["model"] == "Slider-pendulum"
    assert document["excitation"] == {"kind": "free"}
    assert document["time"] == pytest.approx(np.linspace(0, 1, 11))
    assert list(document["outputs"]) == ["rail", "hinge'"]
    assert document["outputs"]["rail"][-1] == pytest.approx(0.124885314359, abs=1e-12)
    assert document["outputs"]["hinge'"][-1] == pytest.approx(-0.147265679376, abs=1e-12)
    assert document["units"]["outputs"] == {"rail": "m", "hinge'": "rad/s"}
    assert document["inputs"] == {}
    assert set(document["energy"]) == {
        "kinetic", "potential", "dissipated", "circulatory", "work", "states_work", "imbalance"
    }  # fmt: skip
    assert [mode["index"] for mode in document["modes"]] == [1, 2]
    assert document["harmonics"] is None


def test_stationary_document(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, SLIDER, *DAMPED, "--harmonic", "rail=0.4", "--amplitude", "3", "--phase", "90",
                       "--until", "5", "--stationary", "--json")  # fmt: skip
    assert code == 0
    document = json.loads(out)
    assert document["stationary"] is True
    (line,) = document["harmonics"]
    assert line["frequency_hz"] == pytest.approx(0.4)
    entry = line["outputs"]["hinge"]
    first = entry["amplitude"] * np.cos(entry["phase"])
    assert first == pytest.approx(document["outputs"]["hinge"][0], abs=1e-15)
    assert document["inputs"]["rail"][0] == pytest.approx(3 * np.cos(np.pi / 2), abs=1e-15)
    assert document["energy"] is None


def test_table_and_units_of_time(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, SLIDER, *DAMPED, "--step", "rail=5", "--step", "hinge", "--until", "200 ms")
    assert code == 0
    assert "Step rail = 5 N, hinge = 1 N*m" in out
    assert "t = 0 to 0.2 s, 501 times" in out
    assert "the balance holds to" in out


def test_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    samples, answer, picture = (str(tmp_path / name) for name in ("road.csv", "answer.csv", "answer.png"))
    Path(samples).write_text("t, rail\n0, 0\n0.1, 1\n0.25, -1\n1, 0\n")
    code, out, err = run(capsys, SLIDER, "--sampled", samples, "-o", answer, "--plot", picture, "--quiet")
    assert (code, out, err) == (0, "", "")
    rows = list(csv.reader(Path(answer).read_text().splitlines()))
    assert rows[0] == ["t", "input rail", "rail", "hinge"]
    assert [float(row[1]) for row in rows[1:]] == [0, 1, -1, 0]
    assert Path(picture).read_bytes().startswith(b"\x89PNG")
    archive = tmp_path / "answer.npz"
    assert run(capsys, SLIDER, "--impulse", "rail=2", "--until", "1", "-o", str(archive), "-q")[0] == 0
    data = np.load(archive)
    assert data["outputs"].shape == (501, 2)
    assert data["states"].shape == (501, 4)
    assert list(data["state_names"]) == ["rail", "hinge", "rail'", "hinge'"]


def test_one_period_of_samples(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    samples = tmp_path / "period.csv"
    t = np.linspace(0, 2, 33)
    lines = "\n".join(f"{a!r},{b!r}" for a, b in zip(t.tolist(), (3 * np.cos(np.pi * t)).tolist(), strict=True))
    samples.write_text(f"t,rail\n{lines}\n")
    _, out, _ = run(capsys, SLIDER, *DAMPED, "--sampled", str(samples), "--period", "--until", "5", "--json")
    _, same, _ = run(capsys, SLIDER, *DAMPED, "--harmonic", "rail=0.5", "--amplitude", "3", "--until", "5", "--json")
    one, other = (json.loads(text)["outputs"]["hinge"] for text in (out, same))
    np.testing.assert_allclose(one, other, atol=1e-14)
    samples.write_text("t,rail\n0,0\n1,1\n2,3\n")
    code, _, err = run(capsys, SLIDER, "--sampled", str(samples), "--period", "--until", "5")
    assert code == 2
    assert "ends one period at 3 but began it at 0" in err


@pytest.mark.parametrize(("arguments", "words"), [
    ([], ["what excites the model is missing", "--harmonic"]),
    (["--free", "--until", "2"], ["--initial", "starts at rest", "rail=0.1"]),
    (["--free", "--initial", "rial=1", "--until", "2"], ["--initial", 'Did you mean "rail"?']),
    (["--free", "--initial", "rail", "--until", "2"], ["--initial rail", "a name and a finite number"]),
    (["--step", "rale", "--until", "2"], ["--step", 'Did you mean "rail"?']),
    (["--step", "rail"], ["--until", "missing"]),
    (["--step", "rail", "--until", "-1"], ["--until", "does not come after the start"]),
    (["--step", "rail", "--until", "soon"], ["--until", "not a time"]),
    (["--step", "rail", "--free", "--until", "2"], ["only one kind"]),
    (["--step", "rail", "--until", "2", "--output", "hing"], ["--output", 'Did you mean "hinge"?']),
    (["--step", "rail", "--until", "2", "--method", "euler"], ["--method", "exact"]),
    (["--step", "rail", "--until", "2", "--stationary"], ["--stationary"]),
    (["--harmonic", "rail", "--until", "2"], ["--harmonic rail"]),
    (["--harmonic", "rail=0", "--until", "2"], ["--harmonic", "positive frequency"]),
    (["--step", "rail", "--at", "3", "--until", "2"], ["--at", "comes after the end"]),
    (["--sampled", "no such file.csv"], ["cannot be read"]),
])  # fmt: skip
def test_wrong_input(capsys: pytest.CaptureFixture[str], arguments: list[str], words: list[str]) -> None:
    code, out, err = run(capsys, SLIDER, *arguments)
    assert (code, out) == (2, "")
    for word in words:
        assert word in err


@pytest.mark.parametrize(("text", "words"), [
    ("t,rail\n0,1\n1,nan\n0.5,2\n", ["line 3", '"rail": nan', "line 4", "does not come after 1 s"]),
    ("t,rail\n0,1\n1,abc\n2\n", ["line 3", '"abc" is not a number', "line 4", "has 1 of 2 cells"]),
    ("time,rail\n0,1\n1,2\n", ["line 1", "no column t"]),
    ("t,rale\n0,1\n1,2\n", ['Did you mean "rail"?']),
    ("t\n0\n1\n", ["line 1", "no column beside t"]),
    ("t,rail\n", ["holds no samples"]),
    ("t,rail,rail\n0,1,1\n1,2,2\n", ["several columns"]),
])  # fmt: skip
def test_wrong_samples(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, words: list[str]) -> None:
    samples = tmp_path / "s.csv"
    samples.write_text(text)
    code, _, err = run(capsys, SLIDER, "--sampled", str(samples))
    assert code == 2
    for word in words:
        assert word in err


def test_unstable_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "upright.yaml"
    model.write_text(UPRIGHT)
    code, _, err = run(capsys, str(model), "--step", "pin", "--until", "1e4")
    assert code == 3
    assert "overflows at t = 219.347 s: mode 2 (growing as exp(3.057 t))" in err
    code, _, err = run(capsys, str(model), "--harmonic", "pin=1", "--until", "1", "--stationary")
    assert code == 2
    assert "--stationary: the model is unstable" in err
    assert "mode 2 (growing" in err
