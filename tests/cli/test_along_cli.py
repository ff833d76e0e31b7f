"""`eigenbody along` against docs/cli.md: document, files, picture, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from eigenbody.cli import main

PENDULUM = """
eigenbody: 1
name: pendulum
gravity: [0, 0, -9.81]
bodies: {bar: {mass: 2, inertia: [0.2, 0.2, 0.01], at: [0, 0, -0.5]}}
joints: {hinge: {type: revolute, between: [ground, bar], at: [0, 0, 0], axis: [0, 1, 0], position: 120 deg}}
"""


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM)
    return str(path)


def test_document_of_a_prescribed_motion(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    """0.7 x'' + 9.81 sin x = -h with x = 0.8 sin 3t; K = 9.81 cos x."""
    assert main(["along", model, "--until", "2", "--points", "21", "--motion", "hinge==0.8*sin(3*t)", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    t = np.array(found["t"])
    angle = 0.8 * np.sin(3 * t)
    np.testing.assert_allclose(t, np.linspace(0, 2, 21))
    np.testing.assert_allclose(np.array(found["K"])[:, 0, 0], 9.81 * np.cos(angle), atol=1e-12)
    np.testing.assert_allclose(np.array(found["h"])[:, 0], 0.7 * 9 * angle - 9.81 * np.sin(angle), atol=1e-12)
    assert found["is_solution"] is False
    assert found["states"] == ["hinge", "hinge'"]
    assert np.linalg.det(found["transition"]) == pytest.approx(1, abs=1e-5)  # nothing is damped; by a spline through A
    assert found["certificate"]["tangent_error"] < 1e-12


def test_files_table_and_picture(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    npz, png = tmp_path / "a.npz", tmp_path / "a.png"
    assert main(["along", model, "--until", "500 ms", "--points", "6", "-o", str(npz), "--plot", str(png)]) == 0
    assert "6 times from 0 to 0.5 s" in capsys.readouterr().out
    with np.load(npz) as held:
        assert held["A"].shape == (6, 2, 2)
    assert png.stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--until"),
        (("--until", "1", "--motion", "hinge"), "--motion hinge"),
        (("--until", "1", "--motion", "hinge=1", "--motion", "hinge=2"), "hinge is prescribed twice"),
        (("--until", "1", "--coordinates", "a,,b"), "--coordinates: an empty name"),
        (("--until", "1", "--motion", "hing==t"), 'Did you mean "hinge"?'),
    ],
)
def test_wrong_wishes_are_refused(
    model: str, arguments: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["along", model, *arguments]) == 2
    assert words in capsys.readouterr().err
