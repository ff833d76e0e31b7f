"""The desk: one model that all open pages share. Messages of pages go in; documents and results go out to all.

Data flows one way: a change of the text makes a new version, a version is opened by the computing processes, what they
find is sent to every page. Of these processes one answers the hand (`turning`), one makes what follows at its own pace
(`following`), and one works for long (`working`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eigenbody.base.errors import EigenbodyError, Fault, InputError, in_one_line
from eigenbody.model.model import InertModel
from eigenbody.pages.studio.document import Document, models_in, opened, within
from eigenbody.pages.studio.edits import with_numbers
from eigenbody.pages.studio.engine import Engine
from eigenbody.pages.studio.movie import CHARACTERS, FRAMES
from eigenbody.pages.studio.protocol import as_text, finite_numbers
from eigenbody.starters import KINDS, model_text

LOOK = 0.5  # seconds between looks at the file on disk
PATIENCE = 1.5  # seconds that the computing of an older text may go on before its process is ended
JOBS = ("find", "map", "simulate", "report", "campbell", "compare", "movie")  # of the process that works for long
LASTING = ("model", "state", "detail", "slopes", "curves", "loads", "scene", "faults", "failed")

Send = Callable[[str], None]


class Desk:
    """The document, the computing processes, and the pages that look on."""

    def __init__(
        self,
        folder: Path,
        document: Document | None = None,
        budget: dict[str, float] | None = None,
        has_server: bool = True,
    ) -> None:
        self.folder, self.document, self.has_server = folder, document, has_server
        self.pages: dict[int, Send] = {}
        self.last: dict[str, dict[str, Any]] = {}  # what a page that comes later is told first
        self.values: dict[str, float] = {}  # of the knobs, as the file writes them
        self.selected = -1
        self.report = ""  # the last page that was made of the model
        self.frames: dict[int, list[Any]] = {}  # of movies that pages are sending
        self.turning = Engine(self._heard, budget)
        self.following = Engine(self._heard, budget)
        self.working = Engine(self._heard, budget)
        self._number = 0

    # ---- pages

    def join(self, send: Send) -> int:
        """A page that takes part from now on."""
        self._number += 1
        self.pages[self._number] = send
        return self._number

    def leave(self, number: int) -> None:
        """A page that was closed."""
        self.pages.pop(number, None)
        self.frames.pop(number, None)

    def tell(self, kind: str, fields: dict[str, Any], to: int | None = None, but: int | None = None) -> None:
        """Send to all pages, to one, or to all but one."""
        text = as_text(kind, fields)
        for number, send in list(self.pages.items()):
            if (to is None or number == to) and number != but:
                send(text)

    def take(self, page: int, kind: str, fields: dict[str, Any]) -> None:
        """Do what a page asks for; what is wrong about it is told to that page."""
        try:
            getattr(self, f"on_{kind}")(page, **fields)
        except EigenbodyError as error:
            self.tell("failed", {"what": kind, "message": in_one_line(error)}, to=page)

    # ---- the document

    @property
    def model(self) -> InertModel:
        """The model as the text describes it now."""
        from eigenbody.pages.studio.bench import model_of

        document = self._document()
        path = document.path or self.folder / "model.yaml"
        return model_of(document.text, path.name, str(path.parent))

    def on_hello(self, page: int) -> None:
        """Everything there is to know."""
        self.on_folder(page)
        if self.document is None:
            return
        self._tell_document(to=page)
        for kind in LASTING:
            if kind in self.last:
                self.tell(kind, self.last[kind], to=page)
        self.tell("values", {"values": self.values, "selected": self.selected}, to=page)
        if not self.last and not self.turning.is_busy:
            self._open()

    def on_edit(self, page: int, text: str, base: int) -> None:
        """Another text."""
        document = self._document()
        if document.change(text, base):
            self._tell_document(but=page)
            self.tell("document", self._about(document, with_text=False), to=page)
        else:
            self._tell_document()
        self._open()

    def on_save(self, page: int) -> None:
        """Write the file, faulty or not."""
        self._document().save()
        self._tell_document(with_text=False)

    def on_undo(self, page: int) -> None:
        """The version before."""
        self._step(-1)

    def on_redo(self, page: int) -> None:
        """The version after."""
        self._step(1)

    def _step(self, by: int) -> None:
        if self._document().step(by):
            self.values = {}
            self._tell_document()
            self._open()

    def on_keep(self, page: int, values: dict[str, Any]) -> None:
        """Numbers of knobs become numbers of the text."""
        document = self._document()
        document.change(with_numbers(document.text, finite_numbers(values)))
        self.values = {}
        self._tell_document()
        self._open()

    def on_drag(self, page: int, values: dict[str, Any], step: int) -> None:
        """The same while the hand moves: what has the same step is undone at once."""
        document = self._document()
        document.change(with_numbers(document.text, finite_numbers(values)), step=f"{page} {step}")
        self._tell_document()
        self._open()

    def _document(self) -> Document:
        if self.document is None:
            raise InputError(Fault("model", "no model is open.", "Open one, or begin a new one."))
        return self.document

    def _about(self, document: Document, with_text: bool = True) -> dict[str, Any]:
        path = document.path
        name = (
            path.relative_to(self.folder).as_posix() if path and path.is_relative_to(self.folder) else str(path or "")
        )
        return {
            "version": document.version, "path": name, "is_saved": document.is_saved,
            "can_undo": document.place > 0, "can_redo": document.place < len(document.versions) - 1,
            "note": document.note, **({"text": document.text} if with_text else {}),
        }  # fmt: skip

    def _tell_document(self, with_text: bool = True, to: int | None = None, but: int | None = None) -> None:
        self.tell("document", self._about(self._document(), with_text), to, but)

    # ---- computing

    def _request(self, do: str, **more: Any) -> dict[str, Any]:
        document = self._document()
        path = document.path
        return {
            "do": do, "version": document.version, "text": document.text, "values": self.values,
            "label": path.name if path else "model.yaml", "folder": str(path.parent if path else self.folder), **more,
        }  # fmt: skip

    def _numbers(self, do: str, values: dict[str, float], selected: int, seq: int) -> dict[str, Any]:
        return {"do": do, "version": self._document().version, "values": values, "selected": selected, "seq": seq}

    def _open(self) -> None:  # what is computed for an older text is of no use
        self.turning.ask_instead(self._request("open", seq=0, known=self._known()), PATIENCE)
        self.following.ask_instead(self._request("prepare"), PATIENCE)

    def _follow(self, state: dict[str, Any]) -> None:
        """Everything else for the numbers that the poles have."""
        if not self.following.is_running:
            self.following.ask(self._request("prepare"))
        self.following.ask(self._numbers("follow", state["values"], state["selected"], state["seq"]))

    def _known(self) -> dict[str, float]:
        """What the numbers of the knobs were in the text that was read last: trial values of those that are the same
        in the next text stay."""
        return {knob["name"]: knob["value"] for knob in self.last.get("model", {}).get("knobs", ())}

    def on_turn(self, page: int, values: dict[str, Any], selected: int, seq: int) -> None:
        """Numbers of the knobs, and the mode that is looked at (-1: the same as before)."""
        self.values = finite_numbers(values)
        self.selected = selected
        if not self.turning.is_running:
            self.turning.ask(self._request("open", seq=seq, known=self._known()))
        self.turning.ask(self._numbers("turn", self.values, selected, seq))
        self.tell("values", {"values": self.values, "selected": selected}, but=page)

    def on_stop(self, page: int) -> None:
        """End whatever is computed."""
        for engine in (self.turning, self.following, self.working):
            if engine.is_busy:
                engine.stop()
        self.tell("busy", {"what": "", "stage": "", "share": None})

    def on_find(self, page: int, goals: list[Any], vary: dict[str, Any], selected: int) -> None:
        """Numbers that reach goals."""
        self._work(self._request("find", goals=goals, vary=vary, selected=selected))

    def on_map(self, page: int, x: list[Any], y: list[Any], values: dict[str, Any], points: int) -> None:
        """Stability over two knobs."""
        if len(x) != 3 or len(y) != 3:
            raise InputError(Fault("map", "a knob and the two ends of its range are needed."))
        self._work(self._request("map", x=x, y=y, points=points) | {"values": finite_numbers(values)})

    def on_simulate(self, page: int, until: float, values: dict[str, Any]) -> None:
        """A motion in time."""
        self._work(self._request("simulate", until=until) | {"values": finite_numbers(values)})

    def on_campbell(
        self, page: int, knob: str, low: float, high: float, points: int, orders: list[Any], values: dict[str, Any]
    ) -> None:
        """Frequencies over a knob that changes a speed."""
        study = self._request("campbell", knob=knob, low=low, high=high, points=points, orders=orders)
        self._work(study | {"values": finite_numbers(values)})

    def on_compare(self, page: int, values: dict[str, Any], other: dict[str, Any]) -> None:
        """Shapes compared with those of a file of the folder, of a text, or of the text of now as it is written."""
        if other.keys() != {"path", "text", "values", "name"} or not isinstance(other["values"], dict):
            raise InputError(Fault("compare", "path, text, values and name are needed."))
        own = self._request("compare") | {"values": finite_numbers(values)}
        text, label, folder = str(other["text"]) or own["text"], own["label"], own["folder"]
        if other["path"]:
            path = within(self.folder, str(other["path"]))
            text, label, folder = opened(path).text, path.name, str(path.parent)
        given = {"text": text, "label": label, "folder": folder, "values": finite_numbers(other["values"])}
        self._work(own | {"other": {**given, "name": str(other["name"])}})

    def on_movie(self, page: int, frames: list[Any], is_last: bool, format: str, seconds: float) -> None:
        """Pictures that the page has drawn, as one file."""
        together = [*self.frames.pop(page, []), *frames]
        size = sum(len(frame) for frame in together if isinstance(frame, str))
        if len(together) > FRAMES or size > CHARACTERS:
            what = f"more than {FRAMES} pictures or {CHARACTERS // 10**6} MB are not taken."
            raise InputError(Fault("movie", what, "Make the window smaller, or simulate for less time."))
        self.frames[page] = together
        if is_last:
            given = {"frames": self.frames.pop(page), "format": format, "seconds": seconds, "page": page}
            self._work({"do": "movie", "version": self._document().version, **given})

    def on_report(self, page: int, values: dict[str, Any]) -> None:
        """A page to send."""
        self._work(self._request("report") | {"values": finite_numbers(values)})

    def _work(self, request: dict[str, Any]) -> None:
        if self.working.is_busy:
            self.working.stop("stopped: something else was asked for.")
        self.tell("busy", {"what": request["do"], "stage": "starting", "share": None})
        self.working.ask(request)

    def _heard(self, request: dict[str, Any], kind: str, fields: dict[str, Any]) -> None:
        """An answer of a computing process."""
        do = request["do"]
        is_old = self.document is None or request["version"] != self.document.version
        if kind == "done":
            if do in JOBS and not self.working.is_busy:
                self.tell("busy", {"what": "", "stage": "", "share": None})
            return
        if do == "prepare":
            return  # what is wrong is told by the process that answers the hand
        if kind == "page":
            self.report = fields["html"]
            kind, fields = "report", {"address": "report"} if self.has_server else {"html": self.report}
        if is_old and do not in JOBS:
            return
        if kind == "refused":
            kind, fields = self._refused(do, fields["faults"])
        if kind == "failed":
            fields = {"what": do, **fields}
        if kind == "model":
            self._is_sound(fields)
        if kind == "state":
            self.last.pop("failed", None)
            self._follow(fields)
        if kind in LASTING:
            self.last[kind] = fields
        self.tell(kind, fields, to=request.get("page"))

    def _refused(self, do: str, faults: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
        if do == "open":
            self.last.pop("failed", None)
            return "faults", {"version": self._document().version, "faults": faults}
        text = " ".join(f"{fault['where']}: {fault['what']} {fault['remedy']}".strip() for fault in faults)
        return "failed", {"message": text}

    def _is_sound(self, model: dict[str, Any]) -> None:
        """The text describes a model: it is written to its file."""
        self.values = model["values"]
        self.last = {}
        none = {"version": model["version"], "faults": []}
        self.last["faults"] = none
        self.tell("faults", none)
        document = self._document()
        if document.path is not None and not document.is_saved:
            try:
                document.save()
            except EigenbodyError as error:
                self.tell("failed", {"what": "save", "message": in_one_line(error)})
            self._tell_document(with_text=False)

    # ---- files

    def on_folder(self, page: int) -> None:
        """Models in the folder, and kinds of new ones."""
        kinds = [{"of": kind, "title": one.about} for kind, one in KINDS.items() if not one.names]
        self.tell("folder", {"files": models_in(self.folder), "starters": kinds}, to=page)

    def on_open(self, page: int, path: str) -> None:
        """Another model of the folder."""
        self._show(opened(within(self.folder, path)))

    def on_new(self, page: int, of: str, path: str) -> None:
        """A model to begin with, in a file of its own."""
        file = within(self.folder, path, must_exist=False)
        document = Document(file, [model_text(of, None)])
        document.save()
        self._show(document)
        self.on_folder(page)

    def _show(self, document: Document) -> None:
        version = self.document.version if self.document else 0
        document.version += version  # never that of another text
        self.document, self.values, self.last, self.selected = document, {}, {}, -1
        self._tell_document()
        self._open()

    async def watch(self) -> None:
        """Look at the file from time to time: another program may change it."""
        while True:
            await asyncio.sleep(LOOK)
            if self.document is not None and self.document.look():
                self.values = {}
                self._tell_document()
                self._open()

    def close(self) -> None:
        """End the computing processes."""
        for engine in (self.turning, self.following, self.working):
            engine.stop()
