"""`eigenbody psd` against its contract (docs/random-vibration.md)."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
CAR = str(EXAMPLES / "quarter_car.yaml")
ROAD = ["--road", "B", "--speed", "72 km/h"]


def test_json_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["psd", CAR, *ROAD, "--weighting", "Wk", "--level", "1", "--duration", "10 min", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["model"] == "Quarter car"
    assert document["inputs"] == ["road_speed"]
    assert document["outputs"] == ["acceleration", "travel", "tyre_force"]
    assert document["rms"]["acceleration"] == pytest.approx(0.407497651821, abs=1e-11)
    assert document["rms_exact"]["acceleration"] == pytest.approx(0.407497651821, abs=1e-11)
    assert document["difference"]["acceleration"] < 1e-10
    assert document["rms"]["tyre_force"] is None
    assert document["infinite"] == ["tyre_force"]
    assert document["band_hz"] == [0.0, None]
    assert document["units"]["acceleration"] == "m/s^2"
    assert len(document["psd"]["travel"]) == len(document["frequency_hz"])
    assert document["input_psd"]["road_speed"][0] == pytest.approx(4 * np.pi**2 * 64e-6 * 0.01 * 20)
    assert document["weighted_rms"] == pytest.approx({"acceleration": 0.325901499413}, abs=1e-11)
    assert document["comfort"] == {"acceleration": "a little uncomfortable"}
    assert document["zero_crossings_hz"]["travel"] == pytest.approx(2.5960531, abs=1e-6)
    assert document["expected_peak"]["travel"] > 3 * document["rms"]["travel"]
    assert document["level_crossings_hz"]["travel"][0]["level"] == 1.0
    assert document["estimated_vdv"]["acceleration"] == pytest.approx(1.4 * 0.3259015 * 600**0.25, rel=1e-6)


def test_table_in_a_band_and_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "ride.png"
    for ending in ("csv", "npz", "json", "mat"):
        file = tmp_path / f"ride.{ending}"
        plot = ["--plot", str(picture)] if ending == "csv" else []
        assert main(["psd", CAR, *ROAD, "--from", "0.5", "--to", "80", "-o", str(file), *plot]) == 0
        assert file.stat().st_size > 500
    assert picture.read_bytes().startswith(b"\x89PNG")
    captured = capsys.readouterr()
    assert "Band: 0.5 to 80 Hz" in captured.out
    assert "infinite" in captured.out  # the exact RMS of the tyre's force, over all frequencies
    stored = np.load(tmp_path / "ride.npz")
    assert stored["psd"].shape == (len(stored["frequency_hz"]), 3)
    lines = (tmp_path / "ride.csv").read_text().splitlines()
    assert lines[0] == "frequency_hz,input road_speed,acceleration,travel,tyre_force"
    assert len(lines) == 1 + len(stored["frequency_hz"])
    assert float(lines[1].split(",")[0]) == 0.5


def test_white_noise_and_csv_are_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "test.csv"
    table.write_text("Hz,(m/s)^2/Hz\n0.5,2e-3\n50,2e-3\n")
    found = []
    for excitation in (["--white", "2e-3", "--from", "0.5", "--to", "50"], ["--table", str(table)]):
        assert main(["psd", CAR, *excitation, "--output", "travel", "--output", "body''", "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out)["rms"])
    assert found[0] == pytest.approx(found[1], rel=1e-10)
    assert list(found[0]) == ["travel", "body''"]


def test_second_axle(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["psd", str(EXAMPLES / "half_car.yaml"), *ROAD, "--delay", "rear=130 ms", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["excitation"] == ["ISO 8608 road, class B at 20 m/s, at front, rear (0.13 s later)"]
    assert max(document["difference"].values()) < 1e-8


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no excitation is given"),
        (["--road", "B"], "the speed is missing"),
        ([*ROAD, "--white", "1"], "--white and --road are given"),
        (["--white", "1", "--speed", "3"], "only a road"),
        (["--road", "K", "--speed", "20"], "--road: \"K\" is no road class"),
        (["--road", "B", "--speed", "20 kg"], "is not a speed: the unit"),
        (["--white", "-1"], "--white: -1.0 is not a positive number"),
        ([*ROAD, "--input", "rode_speed"], 'Did you mean "road_speed"?'),
        ([*ROAD, "--output", "acceleratoin"], 'Did you mean "acceleration"?'),
        ([*ROAD, "--from", "5", "--to", "2"], "--from, --to: 5 to 2 Hz is no band"),
        ([*ROAD, "--of", "speed"], "--of: \"speed\" is not known"),
        ([*ROAD, "--delay", "road_speed"], "NAME=VALUE"),
        ([*ROAD, "--weighting", "Wq"], "--weighting: \"Wq\" is not known"),
        ([*ROAD, "--duration", "0"], "--duration: 0.0 is not a positive number"),
        ([*ROAD, "--output", "hub"], "mode 1 (0 Hz, nothing restores it)"),
        (["--table", "nowhere.csv"], "nowhere.csv: the table cannot be read"),
        ([*ROAD, "--base", "hub"], "no motion \"hub\" is prescribed"),
        ([*ROAD, "--plot", "ride.bmp"], "ending"),
    ],
)  # fmt: skip
def test_wrong_questions(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["psd", CAR, *arguments]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_model_without_inputs_and_undamped_model(capsys: pytest.CaptureFixture[str]) -> None:
    pendulum = str(EXAMPLES / "slider_pendulum.yaml")
    assert main(["psd", pendulum, "--white", "1"]) == 2
    assert "the model has no inputs" in capsys.readouterr().err
    assert main(["psd", pendulum, "--white", "1", "--input", "rail"]) == 2
    assert "undamped, excited and seen" in capsys.readouterr().err
    assert main(["psd", pendulum, "--white", "1", "--input", "rail", "--set", "c=20"]) == 0
    assert "rail    m           0.025" in capsys.readouterr().out  # sqrt(G / 4 c k), whatever hangs on it
