"""Campbell diagram and MAC of the studio against the library."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import eigenbody as eb
from eigenbody.pages.studio.jobs import JOBS
from eigenbody.pages.studio.movie import movie_bytes

EXAMPLES = Path(__file__).parents[2] / "examples"


def request(example: str, **more: Any) -> dict[str, Any]:
    path = EXAMPLES / f"{example}.yaml"
    return {"text": path.read_text(), "label": path.name, "folder": str(path.parent), "values": {}, **more}


def test_the_campbell_diagram_is_that_of_the_library_in_the_units_of_the_file() -> None:
    """Branches at a speed are the frequencies there; whirl and critical speed are those of the rotor."""
    asked = request("overhung_rotor", knob="spin", low=100, high=9000, points=21, orders=[1])
    rotor = eb.load(EXAMPLES / "overhung_rotor.yaml")
    knob = next(iter(rotor.parameters))
    found = dict(JOBS["campbell"](asked | {"knob": knob}))["campbell"]
    k = found["x"].index(min(found["x"], key=lambda x: abs(x - 5000)))
    unit = f" {found['unit']}" if found["unit"] else ""
    modes = eb.modes(rotor.with_values({knob: f"{found['x'][k]!r}{unit}"}))
    expected = np.sort(modes.damped_frequency_hz)
    own = np.sort([branch["hz"][k] for branch in found["branches"]])
    assert own == pytest.approx(expected, rel=1e-8, abs=1e-9)
    assert {"forward", "backward"} <= {branch["whirl"] for branch in found["branches"]}
    for one in found["critical"]:
        modes = eb.modes(rotor.with_values({knob: f"{one['at']!r}{unit}"}))
        assert np.abs(modes.damped_frequency_hz - one["hz"]).min() < 1e-5 * one["hz"]


def test_wrong_studies_are_refused() -> None:
    for change in ({"knob": "nothing"}, {"low": 1, "high": 1}, {"orders": [float("nan")]}, {"orders": [1] * 20}):
        asked = request("rotor_stator", knob="speed", low=0, high=1, points=5, orders=[1]) | change
        with pytest.raises(eb.InputError):
            list(JOBS["campbell"](asked))


def test_shapes_are_compared_as_the_library_does() -> None:
    """Other numbers of the same model: values and pairs of eb.mac; a model with other bodies is refused in words."""
    asked = request("quarter_car")
    other = {**request("quarter_car"), "values": {"ks": 60.0}, "name": "stiffer"}
    found = dict(JOBS["compare"](asked | {"other": other}))["mac"]
    path = EXAMPLES / "quarter_car.yaml"
    expected = eb.mac(eb.load(path), eb.load(path, ks="60 kN/m"))
    assert np.array(found["values"]) == pytest.approx(expected.values, abs=1e-5)
    assert [pair[:2] for pair in found["pairs"]] == [[p.first, p.second] for p in expected.pairs()]
    assert found["second"][1]["hz"] == pytest.approx(eb.modes(eb.load(path, ks="60 kN/m")).damped_frequency_hz[1])
    with pytest.raises(eb.InputError, match="other bodies"):
        list(JOBS["compare"](asked | {"other": {**request("rotor_stator"), "name": "rotor"}}))


def png(colour: str, size: tuple[int, int] = (8, 6)) -> str:
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, "PNG")
    return "data:image/png;base64," + base64.b64encode(out.getvalue()).decode()


@pytest.mark.parametrize("ending", ["gif", "png"])
def test_pictures_become_a_movie(ending: str) -> None:
    made = movie_bytes([png("red"), png("lime"), png("blue")], ending, 0.05)
    with Image.open(io.BytesIO(made)) as found:
        assert found.n_frames == 3
        colours = []
        for k in range(3):
            found.seek(k)
            colours.append(found.convert("RGB").getpixel((3, 3)))
            assert found.info["duration"] == 50
    assert colours == [(255, 0, 0), (0, 255, 0), (0, 0, 255)]


@pytest.mark.parametrize(
    ("frames", "ending", "word"),
    [
        ([png("red")], "gif", "no movie"),
        ([png("red")] * 401, "gif", "no movie"),
        ([png("red"), png("red", (9, 6))], "gif", "differ in size"),
        ([png("red"), "data:image/png;base64,AAAA"], "gif", "cannot be read"),
        ([png("red"), "http://example.org/x.png"], "gif", "cannot be read"),
        ([png("red"), 3], "gif", "cannot be read"),
        ([png("red"), png("red", (2001, 1))], "gif", "pixels"),
        ([png("red"), png("blue")], "exe", "format"),
    ],
)
def test_pictures_that_make_no_movie_are_refused(frames: list[Any], ending: str, word: str) -> None:
    with pytest.raises(eb.InputError, match=word):
        movie_bytes(frames, ending, 0.05)
