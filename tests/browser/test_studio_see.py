"""What the studio shows and gives away: Campbell diagram, shapes compared, pictures and movies."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageChops
from studio_page import Desk, poles, settled, turn

import eigenbody as eb

pytest.importorskip("starlette", reason="the extra studio is not installed")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def desk(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Desk]]:
    """Starts a studio on a copy of an example."""
    made: list[Desk] = []

    def start(*examples: str) -> Desk:
        for name in examples:
            shutil.copy(EXAMPLES / f"{name}.yaml", tmp_path)
        made.append(Desk(chromium, tmp_path / f"{examples[0]}.yaml", tmp_path))
        made[-1].start()
        return made[-1]

    yield start
    for one in made:
        one.close()


def test_campbell_diagram_with_the_speed_as_a_slider(desk: Callable[..., Desk]) -> None:
    """Branches coloured by whirl; the slider moves line, poles and shape to the numbers of that speed."""
    found = desk("rotor_stator")
    page = found.open()
    page.page.get_by_role("tab", name="Campbell").click()
    assert page.page.get_by_label("Knob of the speed").input_value() == "speed"
    page.page.get_by_label("Points of the diagram").fill("11")
    page.page.get_by_role("button", name="Compute").click()
    chart = "document.querySelector('#panel-campbell .chart')"
    page.until(f"Boolean({chart}.data)")
    colours = page(f"[...new Set({chart}.data.slice(0, 8).map(t => t.line.color))].length")
    assert colours >= 2
    assert page(f"{chart}.data.some(t => t.name === '1 per revolution' && t.line.dash === 'dot')")
    before = page("studio.now.seq")
    page.page.get_by_label("Speed", exact=True).fill("400")
    settled(page, before)
    speed = page("studio.now.values.speed")
    assert float(page(f"{chart}.dataset.at")) == speed
    assert page("document.getElementById('knob-speed').value") == page(f"String({speed})")
    expected = eb.modes(eb.load(found.path, speed=f"{speed!r} Hz")).eigenvalues
    assert poles(page) == pytest.approx(expected, rel=1e-10, abs=1e-10)
    page.until(f"studio.now.state.shape.hz === {float(expected[page('studio.now.selected')].imag / (2 * np.pi))!r}")
    found.clean(page)


def test_shapes_are_compared_with_a_snapshot_and_with_another_model(desk: Callable[..., Desk]) -> None:
    found = desk("quarter_car", "rotor_stator")
    page = found.open()
    page.page.get_by_role("button", name="Snapshot").click()
    turn(page, "ks", 60)
    page.page.get_by_role("tab", name="Compare").click()
    page.page.get_by_label("Compare with").select_option(label="Snapshot 1")
    page.page.get_by_role("button", name="Compare").click()
    chart = "document.querySelector('#panel-compare .chart')"
    page.until(f"Boolean({chart}.data)")
    expected = eb.mac(eb.load(found.path, ks="60 kN/m"), eb.load(found.path))
    assert np.array(page(f"{chart}.data[0].z")) == pytest.approx(expected.values, abs=1e-5)
    rows = page.page.get_by_role("region", name="Pairs of modes").get_by_role("row").all_inner_texts()
    assert len(rows) == 1 + len(expected.pairs())
    assert f"{expected.pairs()[1].value:.4f}" in rows[2]
    page.page.get_by_label("Compare with").select_option(label="rotor_stator.yaml")
    page.page.get_by_role("button", name="Compare").click()
    page.until("document.getElementById('panel-compare').textContent.includes('other bodies')")
    found.clean(page)


@pytest.mark.parametrize(("button", "ending"), [("Movie as GIF", "gif"), ("Movie as animated PNG", "png")])
def test_the_moving_shape_as_a_movie(desk: Callable[..., Desk], tmp_path: Path, button: str, ending: str) -> None:
    """A file with many pictures that differ, in a loop; the motion on the page goes on as before."""
    found = desk("quarter_car")
    page = found.open()
    page.page.get_by_role("tab", name="Snapshots").click()
    with page.page.expect_download(timeout=60_000) as waiting:
        page.page.get_by_role("button", name=button).click()
    path = tmp_path / f"movie.{ending}"
    waiting.value.save_as(path)
    assert waiting.value.suggested_filename == f"mechanism.{ending}"
    with Image.open(path) as movie:
        assert movie.n_frames >= 20
        frames = []
        for k in (0, movie.n_frames // 4, movie.n_frames // 2):
            movie.seek(k)
            frames.append(movie.convert("RGB"))
        assert movie.info.get("loop") == 0
    for one, other in ((0, 1), (0, 2), (1, 2)):
        assert ImageChops.difference(frames[one], frames[other]).getbbox() is not None
    assert page("studio.stage.player().playing")  # it goes on as before
    found.clean(page)


def test_a_simulated_motion_as_a_movie(desk: Callable[..., Desk], tmp_path: Path) -> None:
    """A pendulum that falls: from its beginning to its end, 20 pictures a second."""
    found = desk("quarter_car")
    page = found.open()
    page.page.get_by_label("Text of the model").fill(
        "eigenbody: 1\ngravity: [0, 0, -9.81]\nbodies: {bob: {mass: 1, at: [0, 0, 0]}}\n"
        "joints: {pin: {type: revolute, between: [ground, bob], at: [0.7, 0, 0.7], axis: [0, 1, 0]}}\n"
    )
    page.until("studio.now.state.poles.length === 1")
    page.page.get_by_role("tab", name="Simulation").click()
    page.page.get_by_label("Until, s").fill("1")
    page.page.get_by_role("button", name="Simulate").click()
    page.until("studio.stage.player().what === 'motion'")
    page.page.get_by_role("tab", name="Snapshots").click()
    with page.page.expect_download(timeout=60_000) as waiting:
        page.page.get_by_role("button", name="Movie as GIF").click()
    waiting.value.save_as(tmp_path / "fall.gif")
    with Image.open(tmp_path / "fall.gif") as movie:
        assert movie.n_frames == pytest.approx(20, abs=2)  # the start is at rest: its pictures may be alike
        first = movie.convert("RGB")
        movie.seek(movie.n_frames - 1)
        assert ImageChops.difference(first, movie.convert("RGB")).getbbox() is not None
        assert movie.info["duration"] == 50
    found.clean(page)


def test_a_drawing_that_comes_late_leaves_the_motion(desk: Callable[..., Desk]) -> None:
    """The process that draws may answer after the one that simulates; what is turned later is shown, not the motion."""
    found = desk("quarter_car")
    page = found.open()
    held: list[Callable[[], None]] = []

    def between(line: Any) -> None:
        server = line.connect_to_server()
        pass_on = lambda message: line.send(message)  # noqa: E731
        server.on_message(
            lambda message: held.append(lambda: pass_on(message)) if '"kind":"scene"' in message else pass_on(message)
        )

    page.page.route_web_socket("**/socket", between)
    page.page.reload()
    page.until("Boolean(window.studio && studio.now.state)")
    page.page.get_by_role("tab", name="Simulation").click()
    page.page.get_by_label("Until, s").fill("1")
    page.page.get_by_role("button", name="Simulate").click()
    page.until("studio.stage.times() !== null")
    assert held
    for release in held:
        release()
    page.until("studio.stage.scene() && studio.stage.player().what === 'motion'")
    held.clear()
    turn(page, page("studio.now.knobs[0].name"), 1.01 * page("studio.now.knobs[0].value"))
    page.until("studio.stage.times() === null")
    found.clean(page)


def test_every_chart_as_png_and_svg(desk: Callable[..., Desk], tmp_path: Path) -> None:
    found = desk("quarter_car")
    page = found.open()
    page.until("studio.now.curves && document.querySelector('#panel-frf .main-svg')")
    for host in ("#poles", "#panel-frf .chart"):
        for ending in ("png", "svg"):
            button = page.page.locator(f"{host} [data-title='Save as {ending.upper()}']").first
            with page.page.expect_download(timeout=60_000) as waiting:
                button.dispatch_event("click")
            path = tmp_path / f"chart.{ending}"
            waiting.value.save_as(path)
            if ending == "png":
                with Image.open(path) as picture:
                    assert len(picture.convert("RGB").getcolors(maxcolors=2**24)) > 20
            else:
                text = path.read_text()
                assert text.lstrip().startswith("<svg")
                assert "Hz" in text
    with page.page.expect_download(timeout=60_000) as waiting:
        page.page.get_by_role("tab", name="Snapshots").click()
        page.page.get_by_role("button", name="Mechanism as PNG").click()
    waiting.value.save_as(tmp_path / "mechanism.png")
    with Image.open(tmp_path / "mechanism.png") as picture:
        assert len(picture.convert("RGB").getcolors(maxcolors=2**24)) > 20
    found.clean(page)
