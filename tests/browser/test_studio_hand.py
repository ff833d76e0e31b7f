"""The hand in the studio: what is dragged writes numbers while it moves, what is drawn on a chart becomes a goal."""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from studio_page import Desk

import eigenbody as eb

pytest.importorskip("starlette", reason="the extra studio is not installed")
EXAMPLES = Path(__file__).parents[2] / "examples"
PENDULUM = """\
eigenbody: 1
gravity: [0, 0, -9.81]
bodies:
  bob: {mass: 1, at: [0, 0, 0]}  # the bob
joints:
  pin: {type: revolute, between: [ground, bob], at: [0, 0, 1], axis: [0, 1, 0]}
"""

LATE = """(() => {
  const scene = studio.stage.scene();
  scene.view("side"); scene.draw(); scene.view("front");
  const [x, y] = scene.placed([0, 0, 1]);
  scene.draw();
  const [u, v] = scene.placed([0, 0, 1]);
  return Math.hypot(u - x, v - y);
})()"""  # pixels by which a place is that of the last picture, not of the view that was chosen


@pytest.fixture
def car(chromium: Any, tmp_path: Path) -> Iterator[Desk]:
    path = tmp_path / "quarter_car.yaml"
    shutil.copy(EXAMPLES / path.name, path)
    found = Desk(chromium, path, tmp_path)
    found.start()
    yield found
    found.close()


def test_the_text_follows_the_hand_and_one_undo_takes_it_back(chromium: Any, tmp_path: Path) -> None:
    """Text, file and modes change before the button is released; undo brings back what was before the drag."""
    path = tmp_path / "pendulum.yaml"
    path.write_text(PENDULUM)
    desk = Desk(chromium, path, tmp_path)
    desk.start()
    try:
        page = desk.open()
        page.page.get_by_role("button", name="View: front").click()
        assert page(LATE) < 1e-9
        page.page.get_by_role("button", name="Move points").click()
        box = page.page.get_by_role("button", name="Move joints.pin.at").bounding_box()
        pixels = page("studio.stage.scene().placed([0,0,0])[1] - studio.stage.scene().placed([0,0,1])[1]")
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        height = "Number(/pin:.*at: \\[[^,]*, [^,]*, ([^\\]]*)\\]/.exec(studio.editor.text())[1])"
        mouse = page.page.mouse
        mouse.move(x, y)
        mouse.down()
        for share in (0.2, 0.4, 0.5):
            mouse.move(x, y + share * pixels)
            page.until(f"Math.abs({height} - {1 - share}) < 0.03")  # the button is still down
        page.until(f"Math.abs(studio.now.state.poles[0][1] - Math.sqrt(9.81 / {height})) < 1e-6")
        mouse.up()
        page.until("document.getElementById('saved').textContent === 'saved'")
        model = eb.load(path)
        assert model.document["joints"]["pin"]["at"] == pytest.approx([0, 0, 0.5], abs=0.03)
        page.until(f"Math.abs(studio.now.state.poles[0][1] - {float(eb.modes(model).eigenvalues[0].imag)!r}) < 1e-9")
        assert "# the bob" in path.read_text()
        page.page.get_by_role("button", name="Undo").click()
        page.until("document.getElementById('undo').disabled")
        assert page("studio.editor.text()") == PENDULUM
        page.until("document.getElementById('saved').textContent === 'saved'")
        assert path.read_text() == PENDULUM
        page.page.get_by_role("button", name="Redo").click()
        page.until(f"Math.abs({height} - 0.5) < 0.03")
        desk.clean(page)
    finally:
        desk.close()


def drawn(page: Any, chart: str, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw from one place of a chart to another, in the units of its axes."""
    place = (
        "([x, y]) => { const h = document.querySelector('"
        + chart
        + "'), l = h._fullLayout, b = h.getBoundingClientRect();"
        " const at = (a, v) => (a.type === 'log' ? Math.log10(v) : v);"
        " return [b.left + l.xaxis._offset + l.xaxis._length * (at(l.xaxis, x) - l.xaxis.range[0])"
        " / (l.xaxis.range[1] - l.xaxis.range[0]), b.top + l.yaxis._offset + l.yaxis._length * (1 - (at(l.yaxis, y)"
        " - l.yaxis.range[0]) / (l.yaxis.range[1] - l.yaxis.range[0]))]; }"
    )
    mouse = page.page.mouse
    page.page.locator(chart).first.scroll_into_view_if_needed()
    mouse.move(*page.page.evaluate(place, list(start)))
    mouse.down()
    mouse.move(*page.page.evaluate(place, list(end)), steps=3)
    mouse.up()


def goals(page: Any) -> list[tuple[str, float, float]]:
    rows = page("[...document.querySelectorAll('.goal')].map(g => [...g.children].slice(0, 3).map(c => c.value))")
    return [(kind, float(low), float(high or 0)) for kind, low, high in rows]


def test_a_band_drawn_on_the_frequency_response_becomes_a_goal(car: Desk) -> None:
    """And the goal is reached: no mode of the file stays in the band."""
    page = car.open()
    page.until("studio.now.curves && document.querySelector('#panel-frf .chart')._fullLayout")
    page.page.locator("#panel-frf").get_by_role("button", name="Draw a band").click()
    axis = page("document.querySelector('#panel-frf .chart')._fullLayout.yaxis.range")
    is_log = page("document.querySelector('#panel-frf .chart')._fullLayout.yaxis.type") == "log"
    middle = 10 ** (sum(axis) / 2) if is_log else sum(axis) / 2
    drawn(page, "#panel-frf .chart", (0.7, middle), (1.3, middle))
    [(kind, low, high)] = goals(page)
    assert kind == "outside"
    assert (low, high) == pytest.approx((0.7, 1.3), rel=0.03)
    page.page.get_by_role("button", name="Search").click()
    page.page.get_by_role("button", name="Accept").click()
    page.until("document.getElementById('saved').textContent === 'saved' && studio.editor.version() > 1")
    hz = eb.modes(eb.load(car.path)).frequency_hz
    assert not any(low * 1.0001 < value < high * 0.9999 for value in hz)
    car.clean(page)


def test_damping_and_bands_drawn_over_the_poles_become_goals(car: Desk) -> None:
    """The line goes through the origin and the place where the hand left: -Re / |lambda| there."""
    page = car.open()
    page.until("Boolean(document.getElementById('poles')._fullLayout)")
    controls = page.page.locator(".sight", has=page.page.locator("#poles"))
    controls.get_by_role("button", name="Draw damping").click()
    drawn(page, "#poles", (-2, 8), (-4, 6))
    [(kind, percent, _)] = goals(page)
    assert kind == "damping_all"
    assert percent == pytest.approx(100 * 4 / math.hypot(4, 2 * math.pi * 6), rel=0.05)
    controls.get_by_role("button", name="Draw a band").click()
    drawn(page, "#poles", (-10, 3), (-5, 5))
    kind, low, high = goals(page)[1]
    assert kind == "outside"
    assert (low, high) == pytest.approx((3, 5), rel=0.05)
    controls.get_by_role("button", name="Draw damping").click()
    page.page.keyboard.press("Escape")
    assert page("document.querySelectorAll('.bounds').length") == 0
    car.clean(page)


def test_help_under_the_pointer(car: Desk) -> None:
    """Meaning and unit of the word that the mouse is over; nothing over nothing."""
    page = car.open()
    text = page("studio.editor.text()")
    row = next(i for i, line in enumerate(text.splitlines()) if "mass:" in line)
    column = text.splitlines()[row].index("mass:") + 1
    page.until("Boolean(studio.editor.schema())")
    area = page.page.get_by_label("Text of the model")
    page(f"studio.editor.area.scrollTop = {max(0, 19 * row - 60)}")
    box, top = area.bounding_box(), page("studio.editor.area.scrollTop")
    wide = page("(() => { const s = document.createElement('span'); s.textContent = '0'.repeat(100); const p = "
                "document.querySelector('.paint'); p.append(s); const w = s.getBoundingClientRect().width / 100; "
                "s.remove(); return w; })()")  # fmt: skip
    page.page.mouse.move(box["x"] + 8 + wide * (column + 0.5), box["y"] + 6 + 19 * (row + 0.5) - top)
    hover = page.page.locator(".hover")
    assert hover.is_visible()
    assert "kg" in hover.inner_text()
    page.page.mouse.move(5, 5)
    page.until("document.querySelector('.hover').hidden")
    car.clean(page)
