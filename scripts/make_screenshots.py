"""Take the pictures of the report in README and docs: ./run python scripts/make_screenshots.py.

Needs Chromium and Playwright, as the tests in tests/browser do (`./run test` installs both).
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import eigenbody as eb

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
PATIENCE = 120_000  # milliseconds: the processor may have to draw


class Shot(NamedTuple):
    """One picture: an example, the mode (counted from 1) and phase it is caught in, and the looks of the page."""

    file: str
    example: str
    mode: int
    phase: float
    options: dict[str, Any] | None = None
    size: tuple[int, int] = (1200, 860)
    is_dark: bool = False
    section: str = ""  # the viewer, or the section with this identifier
    amplitude: float = 1.0


SHOTS = (
    Shot("report", "whipple_bicycle", 8, 0.3, amplitude=1.3),
    Shot("report-dark", "flyball_governor", 3, 0.4, is_dark=True),
    Shot("report-phone", "rotor_stator", 6, 0.5, size=(390, 844)),
    Shot("report-campbell", "rotor_stator", 3, 0.0, {"campbell": ("speed", 0, "1 Hz", 41)}, section="campbell"),
    Shot("report-frf", "quarter_car", 2, 0.0, section="frf"),
)


def main() -> None:
    """Every picture anew."""
    from playwright.sync_api import sync_playwright

    found = next((path for path in map(shutil.which, CHROMIUMS) if path), None)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        for shot in SHOTS:
            take(browser, shot, Path(folder))
            print(f"docs/images/{shot.file}.png")
        browser.close()


def take(browser: Any, shot: Shot, folder: Path) -> None:
    """Write the report and photograph it."""
    path = folder / f"{shot.file}.html"
    eb.report(eb.load(ROOT / "examples" / f"{shot.example}.yaml"), path, **(shot.options or {}))
    wide, high = shot.size
    scheme = "dark" if shot.is_dark else "light"
    page = browser.new_page(viewport={"width": wide, "height": high}, color_scheme=scheme, bypass_csp=True)
    page.set_default_timeout(PATIENCE)
    page.goto(f"{path.as_uri()}#high-quality", timeout=PATIENCE)
    page.wait_for_function("window.eigenbody && window.eigenbody.ready")
    page.evaluate(
        f"(() => {{ const p = eigenbody.player; p.play(false); p.select({shot.mode - 1});"
        f" p.setAmplitude({shot.amplitude}); p.setPhase({shot.phase}); document.activeElement.blur(); }})()"
    )
    target = IMAGES / f"{shot.file}.png"
    if shot.section:
        page.evaluate("void eigenbody.charts.all()")
        page.wait_for_function("[...document.querySelectorAll('[data-chart]')].every(c => c.dataset.drawn)")
        page.wait_for_timeout(500)
        page.locator(f"#{shot.section}").screenshot(path=target)
    else:
        page.wait_for_timeout(2500)
        page.screenshot(path=target)
    page.close()


if __name__ == "__main__":
    main()
