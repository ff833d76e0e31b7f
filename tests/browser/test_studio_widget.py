"""The studio as a widget in Chromium: its module as a notebook renders it, with the real desk behind a fake model."""

from __future__ import annotations

import queue
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from browser_page import PATIENCE, wait_until

import eigenbody as eb

pytest.importorskip("anywidget", reason="the extra notebook is not installed")
EXAMPLES = Path(__file__).parents[2] / "examples"
RENDER = """async ([esm, page]) => {
  const listeners = [];
  window.told = (text) => { for (const run of listeners) run({ text }); };
  const model = {
    get: (name) => ({ page, height: 700 })[name], send: (content) => window.heard(content.text),
    on: (kind, run) => listeners.push(run), off: (kind, run) => listeners.splice(listeners.indexOf(run), 1),
  };
  const made = await import(URL.createObjectURL(new Blob([esm], { type: "text/javascript" })));
  window.leave = await made.default.render({ model, el: document.body });
}"""


def test_the_widget_is_the_page(chromium: Any, tmp_path: Path) -> None:
    """A knob turned in the frame moves the poles to those of the library, and what it keeps is in the file."""
    path = tmp_path / "car.yaml"
    shutil.copy(EXAMPLES / "quarter_car.yaml", path)
    widget = eb.studio(path, notebook=True)
    outbox: queue.Queue[str] = queue.Queue()
    widget.send = lambda content, buffers=None: outbox.put(content["text"])
    context = chromium.new_context(viewport={"width": 1400, "height": 900}, offline=True, color_scheme="light")
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        complaints: list[str] = []
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.expose_function("heard", lambda text: widget._handle_custom_msg({"text": text}, []))
        page.evaluate(RENDER, [widget._esm, widget.page])

        def until(condition: str) -> None:
            end = time.monotonic() + PATIENCE / 1000
            while not frame.evaluate(condition):
                assert time.monotonic() < end, condition
                while not outbox.empty():
                    page.evaluate("text => window.told(text)", outbox.get())
                time.sleep(0.02)

        frame = page.frames[-1]
        until("Boolean(window.studio && studio.now.state && studio.stage.scene() && studio.now.curves)")
        until("Boolean(document.querySelector('#panel-frf .main-svg'))")
        field = frame.locator("[id='knob-ks']")
        field.fill("27.35")
        field.press("Enter")
        until("studio.now.seq === 1 && studio.now.state.seq === 1")
        poles = [complex(*pole) for pole in frame.evaluate("studio.now.state.poles")]
        assert poles == pytest.approx(eb.modes(eb.load(path, ks="27.35 kN/m")).eigenvalues, rel=1e-12)
        frame.get_by_role("button", name="Keep").click()
        until("document.getElementById('keep').disabled")
        assert 'ks: "27.35 kN/m"' in path.read_text()
        assert widget.model.parameters["ks"] == 27350.0
        page.evaluate("window.leave()")
        wait_until(page, "document.querySelectorAll('iframe').length === 0")
        assert complaints == []
    finally:
        context.close()
        widget.close()
