"""The studio as a widget, driven as a notebook would: messages in, messages out."""

from __future__ import annotations

import json
import queue
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import eigenbody as eb
from eigenbody.pages.studio import is_in_notebook

pytest.importorskip("anywidget", reason="the extra notebook is not installed")
CAR = Path(__file__).parents[2] / "examples" / "quarter_car.yaml"
PATIENCE = 60


class Notebook:
    """What stands on the other side of a widget."""

    def __init__(self, widget: Any) -> None:
        self.widget = widget
        self.heard: queue.Queue[dict[str, Any]] = queue.Queue()
        widget.send = lambda content, buffers=None: self.heard.put(json.loads(content["text"]))

    def say(self, kind: str, **fields: Any) -> None:
        self.widget._handle_custom_msg({"text": json.dumps({"kind": kind, **fields})}, [])

    def until(self, kind: str) -> dict[str, Any]:
        while True:
            message = self.heard.get(timeout=PATIENCE)
            if message["kind"] == kind:
                return message


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    path = tmp_path / "car.yaml"
    path.write_text(CAR.read_text())
    found = eb.studio(path, notebook=True)
    yield Notebook(found)
    found.close()


def test_a_knob_turned_in_the_notebook_gives_the_numbers_of_the_library(notebook: Notebook, tmp_path: Path) -> None:
    notebook.say("hello")
    assert notebook.until("document")["text"] == CAR.read_text()
    assert [knob["name"] for knob in notebook.until("model")["knobs"]] == ["ms", "mu", "ks", "cs", "kt", "ct"]
    notebook.until("state")
    notebook.say("turn", values={"ks": 27.3}, selected=-1, seq=1)
    poles = [complex(*pole) for pole in notebook.until("state")["poles"]]
    expected = eb.modes(eb.load(CAR, ks="27.3 kN/m")).eigenvalues
    assert poles == pytest.approx(expected, rel=1e-12)
    while notebook.until("curves")["seq"] != 1:
        pass
    notebook.say("keep", values={"ks": 27.3})
    notebook.until("state")
    assert notebook.widget.model.parameters["ks"] == 27300.0
    assert 'ks: "27.3 kN/m"' in (tmp_path / "car.yaml").read_text()


def test_nonsense_is_answered_in_words(notebook: Notebook) -> None:
    for content in ({}, {"text": 3}, {"text": '{"kind": "exec"}'}, "x"):
        notebook.widget._handle_custom_msg(content, [])
        assert "not understood" in notebook.until("failed")["message"]


def test_closing_ends_the_computing(notebook: Notebook) -> None:
    notebook.say("hello")
    notebook.until("state")
    children = [e._child for e in (notebook.widget._desk.turning, notebook.widget._desk.following)]
    notebook.widget.close()
    assert [child.poll() is not None for child in children] == [True, True]
    assert not notebook.widget._thread.is_alive()


def test_a_notebook_is_told_by_its_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    for shell, expected in ((None, False), (object(), False), (types.SimpleNamespace(kernel=1), True)):
        monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda shell=shell: shell))
        assert is_in_notebook() is expected
    monkeypatch.delitem(sys.modules, "IPython")
    assert not is_in_notebook()


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "eigenbody.pages.studio.notebook", raising=False)
    with pytest.raises(eb.InputError, match=r"pip install 'eigenbody\[notebook\]'"):
        eb.studio(CAR, notebook=True)
