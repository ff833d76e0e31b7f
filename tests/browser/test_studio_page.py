"""The studio in Chromium: text, knobs, poles and file belong together, whoever changes what."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from studio_page import Desk, poles, settled, turn

import eigenbody as eb

pytest.importorskip("starlette", reason="the extra studio is not installed")
EXAMPLES = Path(__file__).parents[2] / "examples"


def desk_of(chromium: Any, folder: Path, example: str | None) -> Desk:
    path = None
    if example is not None:
        path = folder / f"{example}.yaml"
        shutil.copy(EXAMPLES / f"{example}.yaml", path)
    found = Desk(chromium, path, folder)
    found.start()
    return found


@pytest.fixture
def car(chromium: Any, tmp_path: Path) -> Iterator[Desk]:
    found = desk_of(chromium, tmp_path, "quarter_car")
    yield found
    found.close()


def text_area(page: Any) -> Any:
    return page.page.get_by_label("Text of the model")


def shown_hz(page: Any) -> list[str]:
    return page("[...document.querySelectorAll('#modes tbody tr')].map(r => r.cells[1].textContent)")


def test_edit_fault_repair(car: Desk) -> None:
    """A fault is named under its line, the file keeps the last text that is a model; the repaired text is written."""
    page = car.open()
    assert car.path is not None
    written = car.path.read_text()
    wrong = written.replace("type: spring", "type: sprin")
    text_area(page).fill(wrong)
    page.until("document.querySelectorAll('#faults li').length === 1")
    line = next(i for i, row in enumerate(wrong.splitlines(), 1) if "sprin," in row)
    assert page("document.querySelector('#faults').textContent").startswith(f"Line {line}: unknown")
    page.until(f"Boolean(document.querySelector('.lens[data-line=\"{line}\"]'))")
    assert page("document.querySelector('.paint .wrong').textContent").strip().startswith("strut:")
    assert text_area(page).get_attribute("aria-invalid") == "true"
    assert page.page.locator("#saved").inner_text() == "not saved"
    assert car.path.read_text() == written
    assert car.path.with_name(".quarter_car.yaml.studio").read_text() == wrong  # nothing would be lost now
    right = written.replace('ks: "18 kN/m"', 'ks: "36 kN/m"')
    text_area(page).fill(right)
    page.until("!document.querySelector('#faults li') && document.getElementById('saved').textContent === 'saved'")
    assert car.path.read_text() == right
    expected = eb.modes(eb.load(car.path)).eigenvalues
    page.until(f"Math.abs(studio.now.state.poles[1][1] - {expected[1].imag}) < 1e-9")
    car.clean(page)


def test_numbers_equal_those_of_the_command(car: Desk) -> None:
    """A number that is typed, and one that the slider gives, against `eigenbody modes --set`."""
    page = car.open()

    def command(setting: str) -> list[complex]:
        run = [sys.executable, "-m", "eigenbody", "modes", str(car.path), "--set", setting, "--json"]
        found = json.loads(subprocess.run(run, capture_output=True, text=True, check=True).stdout)
        return [complex(mode["real"], mode["imag"]) for mode in found["modes"]]

    turn(page, "ks", 27.35)
    assert poles(page) == pytest.approx(command("ks=27.35 kN/m"), rel=1e-12)
    before = page("studio.now.seq")
    page.page.get_by_label("ks slider").fill("250")
    settled(page, before)
    value = page("studio.now.values.ks")
    assert value != 27.35
    expected = command(f"ks={value!r} kN/m")
    assert poles(page) == pytest.approx(expected, rel=1e-12)
    assert [float(text) for text in shown_hz(page)] == pytest.approx([p.imag / (2 * np.pi) for p in expected], rel=1e-4)
    drawn = page("studio.poles.shown().at(-1).y.map(Number)")
    assert drawn == pytest.approx([p.imag / (2 * np.pi) for p in expected])
    assert car.path is not None
    assert 'ks: "18 kN/m"' in car.path.read_text()  # a trial, until it is kept
    page.page.get_by_role("button", name="Keep").click()
    page.until("document.getElementById('keep').disabled")
    assert f'ks: "{value!r} kN/m"' in car.path.read_text()
    page.page.get_by_role("button", name="Undo").click()
    page.until("document.getElementById('saved').textContent === 'saved' && document.getElementById('undo').disabled")
    assert 'ks: "18 kN/m"' in car.path.read_text()
    car.clean(page)


def test_everything_follows_the_knob(car: Desk) -> None:
    """Drawing, responses, energies, reactions, effects and arrows are those of the number, when the hand rests."""
    page = car.open()
    page.until("studio.now.curves && document.querySelector('#panel-frf .main-svg')")
    top = "Math.max(...document.querySelector('#panel-frf .chart').data[0].y)"
    before = page(top)
    turn(page, "cs", 500)
    page.until(f"{top} !== {before}")
    response = eb.frf(eb.load(EXAMPLES / "quarter_car.yaml", cs=500.0))
    assert page(top) == pytest.approx(response.magnitude[:, 0, 0].max(), rel=1e-4)
    for name, word in (("Energy", "Kinetic energy by body"), ("Reactions", "Operating point"), ("Step response", "")):
        page.page.get_by_role("tab", name=name).click()
        assert word in page.page.get_by_role("tabpanel", name=name).inner_text()
    page.until("studio.now.slopesOf === studio.now.seq && studio.poles.shown().at(-2).x.length > 0")
    arrow = page("studio.poles.shown().at(-2)")
    assert arrow["x"][0] == pytest.approx(poles(page)[1].real)
    assert "frequency" in page.page.locator(".knob").first.inner_text()
    car.clean(page)


def test_the_goal_is_found_and_accepted_into_the_file(car: Desk) -> None:
    page = car.open()
    page.page.get_by_role("tab", name="Find").click()
    page.page.get_by_label("Value").fill("1.2")
    for name in ("ms", "mu", "cs", "kt", "ct"):
        page.page.get_by_role("checkbox", name=name, exact=True).uncheck()
    page.page.get_by_role("button", name="Search").click()
    page.page.get_by_role("button", name="Accept").click()
    page.until("Math.abs(studio.now.state.modes[1].natural_hz - 1.2) < 1e-9")
    assert car.path is not None
    assert eb.modes(eb.load(car.path)).frequency_hz[1] == pytest.approx(1.2, rel=1e-9)
    assert "# A quarter of a car body" in car.path.read_text()  # comments stay
    car.clean(page)


def test_the_map_is_painted_row_by_row(car: Desk) -> None:
    page = car.open()
    page.page.get_by_role("tab", name="Stability map").click()
    page.page.get_by_label("Points along each side").fill("6")
    page.page.get_by_role("button", name="Paint").click()
    page.until("document.querySelector('#panel-map .chart').dataset.rows === '6'")
    z = page("document.querySelector('#panel-map .chart').data[0].z")
    x, y = (page(f"document.querySelector('#panel-map .chart').data[0].{axis}") for axis in "xy")
    modes = eb.modes(eb.load(EXAMPLES / "quarter_car.yaml", ms=f"{x[4]!r} kg", mu=f"{y[1]!r} kg"))
    assert z[1][4] == pytest.approx(np.nanmin(modes.damping_ratio), rel=1e-8)
    car.clean(page)


def test_the_file_and_the_page_stay_in_step(car: Desk) -> None:
    """Another program writes the file: the page shows it, and undo brings back what was there."""
    page = car.open()
    assert car.path is not None
    before = car.path.read_text()
    car.path.write_text(before.replace('mu: "50 kg"', 'mu: "40 kg"'))
    page.until("studio.editor.text().includes('mu: \"40 kg\"')")
    page.until("studio.now.knobs.find(k => k.name === 'mu').value === 40")
    page.page.get_by_label("Text of the model").press("Control+z")
    page.until(
        "studio.editor.text().includes('mu: \"50 kg\"') && document.getElementById('saved').textContent === 'saved'"
    )
    assert car.path.read_text() == before
    car.clean(page)


def test_two_pages_of_one_model(car: Desk) -> None:
    """A knob turned in one turns in the other; so does the text. Both at once: neither text is lost."""
    one, two = car.open(), car.open()
    turn(one, "ks", 30)
    two.until("document.getElementById('knob-ks').value === '30'")
    two.until(f"studio.now.state.poles[1][1] === {poles(one)[1].imag!r}")
    text_area(one).fill(one("studio.editor.text()") + "# from the first\n")
    two.until("studio.editor.text().endsWith('# from the first\\n')")
    before = two("studio.editor.version()")
    for page, mark in ((one, "A"), (two, "B")):
        page("".join((
            f"(() => {{ const a = studio.editor.area; a.value += '# {mark}\\n';",
            " a.dispatchEvent(new InputEvent('input')); })()",
        )))  # fmt: skip
    for page in (one, two):
        page.until(f"studio.editor.version() >= {before + 2}")  # the server has heard both
    assert one("studio.editor.text()") == two("studio.editor.text()")
    seen = set()
    for _ in range(4):
        seen.add(one("studio.editor.text()").splitlines()[-1])
        if one("document.getElementById('undo').disabled"):
            break
        version = one("studio.editor.version()")
        one.page.get_by_role("button", name="Undo").click()
        one.until(f"studio.editor.version() > {version}")
    assert {"# A", "# B"} <= seen
    car.clean(one, two)


def test_the_server_is_killed_and_comes_back(car: Desk) -> None:
    """What was typed before, while it was away and after is all there."""
    page = car.open()
    assert car.path is not None
    faulty = car.path.read_text() + "nonsense: 1\n"
    text_area(page).fill(faulty)
    page.until("document.querySelectorAll('#faults li').length === 1")
    car.kill()
    page.until("document.documentElement.dataset.line === 'down'")
    assert "does not answer" in page.page.get_by_role("alert").inner_text()
    text_area(page).fill(faulty + "# typed while nobody listened\n")
    car.start()
    page.until("document.documentElement.dataset.line === 'up'")
    copy = car.path.with_name(".quarter_car.yaml.studio")
    end = time.monotonic() + 30
    while not (copy.exists() and copy.read_text().endswith("# typed while nobody listened\n")):
        assert time.monotonic() < end
        time.sleep(0.1)
    text_area(page).fill(car.path.read_text() + "# and after\n")
    page.until("document.getElementById('saved').textContent === 'saved'")
    assert car.path.read_text().endswith("# and after\n")
    turn(page, "ks", 25)
    assert poles(page)[1] == pytest.approx(eb.modes(eb.load(car.path, ks="25 kN/m")).eigenvalues[1], rel=1e-12)


def test_completion_and_help_come_from_the_schema(car: Desk) -> None:
    page = car.open()
    area = text_area(page)
    area.fill("eigenbody: 1\nbodies:\n  b: {mass: 1, at: [0, 0, 0]}\njoints:\n  j: {type: re")
    area.press("End")
    area.press("Control+Space")
    options = page.page.get_by_role("listbox", name="Completions")
    assert options.get_by_role("option").all_inner_texts() == ["revolute"]
    area.press("Enter")
    assert area.input_value().endswith("{type: revolute")
    area.press_sequentially(", bet")
    page.until("!document.querySelector('.completions').hidden")
    assert "between" in options.inner_text()
    area.press("Tab")
    assert area.input_value().endswith("between: ")
    area.press("Escape")
    area.press_sequentially("[gr")
    assert "ground" in options.inner_text()
    area.press("Enter")
    assert area.input_value().endswith("[ground")
    area.fill("eigenbody: 1\nbodies:\n  b: {mass: 1")
    area.press("End")
    area.press("ArrowLeft")
    assert "kg" in page.page.locator("#help").inner_text()


def test_by_keys_alone(car: Desk) -> None:
    page = car.open()
    keys = page.page.keyboard
    page("document.getElementById('knob-ks').focus()")
    keys.press("Tab")
    assert page("document.activeElement.getAttribute('aria-label')") == "ks slider"
    before = page("studio.now.seq")
    keys.press("ArrowRight")
    settled(page, before)
    assert page("studio.now.values.ks") > 18
    page("document.querySelector('#modes .pick').focus()")
    keys.press("ArrowUp")
    page.until("studio.now.selected === 0")
    keys.press("ArrowDown")
    page.until("studio.now.selected === 1")
    keys.press("ArrowDown")
    page.until("studio.now.selected === 2")
    page("document.getElementById('tab-frf').focus()")
    keys.press("ArrowRight")
    assert page("document.getElementById('tab-step').getAttribute('aria-selected')") == "true"
    car.clean(page)


def test_every_control_has_a_name(car: Desk) -> None:
    page = car.open()
    controls = "[...document.querySelectorAll('button, input, select, textarea, [role=img], [role=region]')]"
    named = "e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length)"
    assert page(f"{controls}.filter(e => !({named})).map(e => e.outerHTML)") == []
    controlled = "[...document.querySelectorAll('[aria-controls]')].map(e => e.getAttribute('aria-controls'))"
    assert page(f"{controlled}.filter(id => !document.getElementById(id))") == []
    assert page("document.querySelectorAll('[role=status], [aria-live], [role=alert]').length") >= 4


def test_phone(car: Desk) -> None:
    page = car.open(viewport={"width": 375, "height": 740}, has_touch=True, is_mobile=True)
    assert page("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    visible = (
        "[...document.querySelectorAll('button')].filter(b => b.offsetParent && !b.closest('.modebar, table, .editor'))"
    )
    assert page(f"{visible}.filter(b => b.offsetHeight < 38).map(b => b.id || b.textContent)") == []
    turn(page, "ks", 22)
    car.clean(page)


def test_dark_by_preference_and_by_button(car: Desk) -> None:
    page = car.open(color_scheme="dark")

    def brightness() -> float:
        colour = page("getComputedStyle(document.body).backgroundColor").removeprefix("rgb(").removesuffix(")")
        return float(np.mean([float(part) for part in colour.split(",")]))

    assert brightness() < 60
    page.page.get_by_label("Switch between light and dark").click()
    assert brightness() > 200
    car.clean(page)


def test_hostile_names_stay_text(car: Desk) -> None:
    page = car.open()
    hostile, worse = "<script>hacked()</script>", "<img src=x onerror=window.hacked=1>"
    text = page("studio.editor.text()").replace("car:", f'"{hostile}":').replace("car]", f'"{hostile}"]')
    text_area(page).fill(text.replace("Quarter car", worse))
    page.until(f"document.getElementById('name').textContent === {worse!r}")
    page.until(f"[...document.querySelectorAll('#modes td')].some(c => c.textContent.includes({hostile!r}))")
    assert page("window.hacked") is None
    car.clean(page)


def test_gallery_and_a_new_model(chromium: Any, tmp_path: Path) -> None:
    """Without a model: those of the folder, and kinds to begin with."""
    shutil.copy(EXAMPLES / "rotor_stator.yaml", tmp_path)
    desk = desk_of(chromium, tmp_path, None)
    try:
        page = desk.open()
        page.page.get_by_role("button", name="rotor_stator.yaml").click()
        page.until("Boolean(studio.now.state) && studio.now.state.poles.length === 8")
        page.page.get_by_role("button", name="Models").click()
        page.page.get_by_label("File", exact=True).fill("mine.yaml")
        page.page.get_by_role("button", name="Half car").click()
        page.until("document.getElementById('path').textContent === 'mine.yaml' && studio.now.knobs.length > 2")
        assert eb.modes(eb.load(tmp_path / "mine.yaml")).frequency_hz.size == page("studio.now.state.poles.length")
        desk.clean(page)
    finally:
        desk.close()


def test_form_view_writes_the_text(car: Desk) -> None:
    page = car.open()
    page.page.get_by_role("button", name="Form").click()
    field = page.page.get_by_label("parameters · ms")
    assert field.input_value() == "500 kg"
    field.fill("450 kg")
    field.press("Enter")
    page.until("studio.now.knobs[0].value === 450")
    assert car.path is not None
    assert 'ms: "450 kg"' in car.path.read_text()
    car.clean(page)


def test_snapshot_and_simulation(car: Desk) -> None:
    page = car.open()
    page.page.get_by_role("button", name="Snapshot").click()
    assert "Snapshot 1" in page.page.get_by_role("tabpanel", name="Snapshots").inner_text()
    first = poles(page)
    turn(page, "ks", 30)
    page.until("studio.poles.shown().length === 4")
    assert page("studio.poles.shown()[1].x") == pytest.approx([p.real for p in first])
    page.page.get_by_role("tab", name="Simulation").click()
    page.page.get_by_label("Until, s").fill("0.5")
    page.page.get_by_role("button", name="Simulate").click()
    page.until("studio.stage.player().what === 'motion'")
    page.page.get_by_role("button", name="Back to the modes").click()
    page.until("studio.stage.player().what === 'mode'")
    car.clean(page)
