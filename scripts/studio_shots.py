"""Take the pictures of the studio in the docs: ./run python scripts/studio_shots.py [NAME ...].

Needs Chromium and Playwright, as the tests in tests/browser do (`./run test` installs both).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from make_screenshots import CHROMIUMS, FLAGS, IMAGES, PATIENCE, ROOT

import eigenbody as eb

READY = "window.studio && studio.now.state && studio.now.curves && studio.stage.scene()"


def whole(page: Any) -> None:
    """After a turn of the spring, with trails."""
    for place in range(500, 741, 40):
        page.locator("[data-knob=ks]").evaluate(
            f"s => {{ s.value = {place}; s.dispatchEvent(new Event('input', {{bubbles: true}})); }}"
        )
        page.wait_for_timeout(250)
    page.wait_for_timeout(4000)


def fault(page: Any) -> None:
    """A fault under its line and a completion."""
    area = page.get_by_label("Text of the model")
    area.fill(area.input_value().replace("type: spring", "type: sprin").replace("order: 2", "ordr: 2"))
    page.wait_for_selector("#faults li")
    page.wait_for_timeout(800)


def found(page: Any) -> None:
    """A goal and its proposal."""
    page.get_by_role("tab", name="Find").click()
    page.get_by_label("Value").fill("1.2")
    for name in ("ms", "mu", "kt", "ct"):
        page.get_by_role("checkbox", name=name, exact=True).uncheck()
    page.get_by_role("button", name="Search").click()
    page.wait_for_selector("#accept")
    page.wait_for_timeout(800)


def painted(page: Any) -> None:
    """A map over the speed and a gain of the bicycle."""
    page.get_by_role("tab", name="Stability map").click()
    page.get_by_label("Knob across").select_option("v")
    page.get_by_label("Knob upward").select_option("c")
    page.get_by_label("Points along each side").fill("24")
    page.get_by_role("button", name="Paint").click()
    page.wait_for_function("document.querySelector('#panel-map .chart').dataset.rows === '24'")
    page.wait_for_timeout(4000)


def moved(page: Any) -> None:
    """Handles on the points of a mechanism."""
    page.get_by_role("button", name="View: front").click()
    page.get_by_role("button", name="Move points").click()
    page.wait_for_timeout(1200)


def over_speed(page: Any) -> None:
    """A Campbell diagram, and the shape at a speed."""
    page.get_by_role("tab", name="Campbell").click()
    page.get_by_label("Excitations per revolution").fill("1, 2")
    page.get_by_role("button", name="Compute").click()
    page.wait_for_function("document.querySelector('#panel-campbell .chart').data")
    page.get_by_label("Speed", exact=True).fill("330")
    page.wait_for_timeout(3000)


def compared(page: Any) -> None:
    """Shapes of a stiffer spring against those of the file."""
    page.locator("[id='knob-ks']").fill("120")
    page.locator("[id='knob-ks']").press("Enter")
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("button", name="Compare").click()
    page.wait_for_function("document.querySelector('#panel-compare .chart').data")
    page.wait_for_timeout(2500)


def bounded(page: Any) -> None:
    """A band that is being drawn on the frequency response."""
    page.locator("#panel-frf").get_by_role("button", name="Draw a band").click()
    box = page.locator("#panel-frf .chart").first.bounding_box()
    page.mouse.move(box["x"] + 0.42 * box["width"], box["y"] + 0.4 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.55 * box["width"], box["y"] + 0.45 * box["height"], steps=3)
    page.wait_for_timeout(800)


def still(page: Any) -> None:
    """As it opens."""
    page.wait_for_timeout(4000)


SHOTS: dict[str, tuple[str, Callable[[Any], None], dict[str, Any], str]] = {
    "studio": ("quarter_car", whole, {}, ""),
    "studio-fault": ("quarter_car", fault, {}, "#text-pane"),
    "studio-find": ("quarter_car", found, {}, "#middle"),
    "studio-map": ("whipple_bicycle", painted, {}, "#panel-map"),
    "studio-move": ("mcpherson_strut", moved, {}, ".sight"),
    "studio-band": ("quarter_car", bounded, {"viewport": {"width": 1560, "height": 1240}}, "#panel-frf .chart"),
    "studio-campbell": ("overhung_rotor", over_speed, {"viewport": {"width": 1560, "height": 1240}}, "#middle"),
    "studio-compare": ("quarter_car", compared, {"viewport": {"width": 1560, "height": 1240}}, "#panel-compare"),
    "studio-dark": ("stewart_platform", still, {"color_scheme": "dark"}, ""),
    "studio-phone": ("rotor_stator", still, {"viewport": {"width": 390, "height": 844}}, ""),
}  # fmt: skip


def main() -> None:
    """Every picture anew, or those that are named."""
    from playwright.sync_api import sync_playwright

    found = next((path for path in map(shutil.which, CHROMIUMS) if path), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        for name in sys.argv[1:] or SHOTS:
            take(browser, name, Path(folder))
            print(f"docs/images/{name}.png")
        browser.close()


def take(browser: Any, name: str, folder: Path) -> None:
    """Open a copy of the example, do what the picture shows, photograph it."""
    example, act, options, part = SHOTS[name]
    path = folder / name / f"{example}.yaml"
    path.parent.mkdir()
    shutil.copy(ROOT / "examples" / path.name, path)
    studio = eb.studio(path, show=False)
    page = browser.new_page(**{"viewport": {"width": 1560, "height": 940}, "bypass_csp": True, **options})
    page.set_default_timeout(PATIENCE)
    page.goto(studio.address)
    page.wait_for_function(READY)
    page.wait_for_timeout(2500)
    act(page)
    page.evaluate("studio.stage.player().play(false); document.activeElement.blur()")
    target = page.locator(part).first if part else page
    target.screenshot(path=IMAGES / f"{name}.png")
    page.close()
    studio.stop()


if __name__ == "__main__":
    main()
