"""Chromium for the tests of the built report: any that is installed, else the one Playwright brings."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser_page import PATIENCE, Opened

import eigenbody as eb

CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser without a window."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: ./run test installs it"
    )
    started = subprocess.run([sys.executable, "-m", "playwright", "--version"], capture_output=True, text=True)
    if started.returncode:
        pytest.skip(f"playwright does not start; ./run test says what it needs ({started.stderr.strip()})")
    found = next((path for path in map(shutil.which, CHROMIUMS) if path), None)
    with playwright.sync_playwright() as driver:
        try:
            browser = driver.chromium.launch(executable_path=found, args=FLAGS)
        except playwright.Error as error:
            pytest.skip(
                f"no Chromium can be started; install it with: apt-get install chromium ({error.message[:200]})"
            )
        yield browser
        browser.close()


Open = Callable[..., Opened]


def open_in(chromium: Any, contexts: list[Any]) -> Open:
    """Opens a file in a fresh context whose network is blocked."""

    def open_(path: Path, ready: bool = True, **context: Any) -> Opened:
        context = {"viewport": {"width": 900, "height": 560}, "offline": True, **context}
        contexts.append(chromium.new_context(**context))
        page = contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        found = Opened(page)
        page.on("console", lambda m: found.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("request", lambda request: found.requests.append(request.url))
        page.goto(path.as_uri(), timeout=PATIENCE)
        if ready:
            found.until_ready()
        return found

    return open_


@pytest.fixture
def opened(chromium: Any) -> Iterator[Open]:
    """Opens pages that are closed after the test."""
    contexts: list[Any] = []
    yield open_in(chromium, contexts)
    for context in contexts:
        context.close()


@pytest.fixture(scope="module")
def kept_open(chromium: Any) -> Iterator[Open]:
    """Opens pages that several tests share."""
    contexts: list[Any] = []
    yield open_in(chromium, contexts)
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Writes the report of a model once."""
    folder = tmp_path_factory.mktemp("reports")

    def write(name: str, model: Any, **options: Any) -> Path:
        path = folder / f"{name}.html"
        if not path.exists():
            eb.report(model, path, **options)
        return path

    return write
