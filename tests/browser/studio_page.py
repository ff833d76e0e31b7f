"""A studio that a test has started, and pages that look at it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from browser_page import PATIENCE, Opened

TOKEN = "a-token-that-stays-the-same-over-restarts"


@dataclass
class Desk:
    """A model in a file, the server as a process of its own, and its pages."""

    chromium: Any
    path: Path | None
    folder: Path
    port: int = 0
    server: Any = None
    address: str = ""
    contexts: list[Any] = field(default_factory=list)

    def start(self) -> None:
        """Start the command; the second time at the same port."""
        arguments = [str(self.path)] if self.path else []
        self.server = subprocess.Popen(
            [sys.executable, "-m", "eigenbody", "studio", *arguments, "--no-browser", "--port", str(self.port)],
            stdout=subprocess.PIPE, text=True, cwd=self.folder, env=os.environ | {"EIGENBODY_STUDIO_TOKEN": TOKEN},
        )  # fmt: skip
        self.address = re.search(r"http://\S+", self.server.stdout.readline())[0]
        self.port = int(self.address.split(":")[2].split("/")[0])

    def kill(self) -> None:
        """As a crash would."""
        self.server.kill()
        self.server.wait()
        self.server.stdout.close()

    def open(self, **context: Any) -> Opened:
        """A page in a context of its own."""
        self.contexts.append(self.chromium.new_context(**{"viewport": {"width": 1500, "height": 950}, **context}))
        page = self.contexts[-1].new_page()
        page.set_default_timeout(PATIENCE)
        found = Opened(page)
        page.on("console", lambda m: found.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: found.complaints.append(str(error)))
        page.on("request", lambda request: found.requests.append(request.url))
        page.goto(self.address, timeout=PATIENCE)
        if self.path is not None:
            found.until("Boolean(window.studio && studio.now.state && studio.stage.scene())")
        return found

    def close(self) -> None:
        for context in self.contexts:
            context.close()
        self.kill()

    def clean(self, *pages: Opened) -> None:
        """Nothing was complained of, and nobody else was asked for anything."""
        for page in pages:
            assert page.complaints == []
            own = self.address.split("?")[0]
            assert [url for url in page.requests if not url.startswith((own, "data:", "blob:"))] == []


def turn(page: Opened, knob: str, value: float) -> None:
    """Type a number of a knob and wait for the poles drawn with it."""
    before = page("studio.now.seq")
    field_ = page.page.locator(f"[id='knob-{knob}']")
    field_.fill(str(value))
    field_.press("Enter")
    settled(page, before)


def settled(page: Opened, before: int = -1) -> None:
    """Wait until the poles of the last turn are drawn."""
    page.until(f"studio.now.seq > {before} && Number(document.getElementById('poles').dataset.seq) >= studio.now.seq")


def poles(page: Opened) -> list[complex]:
    return [complex(*pole) for pole in page("studio.now.state.poles")]
