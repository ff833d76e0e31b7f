"""A page that a test has opened, and waiting for something in it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

PATIENCE = 60_000  # milliseconds: graphics are drawn by the processor here


def wait_until(page: Any, condition: str) -> None:
    """Asks a page or frame again and again."""
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        time.sleep(0.05)


@dataclass
class Opened:
    """A page with what it complained of and what it asked the network for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __call__(self, script: str) -> Any:
        return self.page.evaluate(script)

    def until(self, condition: str) -> None:
        """Waits until an expression is true; from here, because the page itself forbids evaluating text."""
        wait_until(self.page, condition)

    def until_ready(self) -> None:
        self.until("Boolean(window.eigenbody && window.eigenbody.ready)")

    def draw_charts(self) -> None:
        self("void eigenbody.charts.all()")
        self.until("[...document.querySelectorAll('[data-chart]')].every(c => c.dataset.drawn)")
