"""The studio in a notebook: the same page in a frame, messages over a widget in place of a socket.

The desk lives in a thread with a loop of its own and computes in its processes: the kernel stays free.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from eigenbody.base.errors import InputError, in_one_line
from eigenbody.pages.studio.carried import embedded_page, own
from eigenbody.pages.studio.desk import Desk
from eigenbody.pages.studio.protocol import as_text, read_message

if TYPE_CHECKING:
    from pathlib import Path

    from eigenbody.model.model import InertModel
    from eigenbody.pages.studio.document import Document

HEIGHT = 860  # px
CLOSED = 10.0  # seconds that the thread may take to end


class StudioWidget(anywidget.AnyWidget):  # type: ignore[misc,unused-ignore]
    """The studio as a widget. It ends with `close()` or with the kernel."""

    _esm = own("notebook.js")
    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int(HEIGHT).tag(sync=True)

    def __init__(self, document: Document | None, folder: Path, height: int = HEIGHT) -> None:
        super().__init__(page=embedded_page(), height=height)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._desk = Desk(folder, document, has_server=False)
        self._number = self._desk.join(self._tell)
        self._watching = self._in_loop(self._watched())
        self.on_msg(self._heard)

    @property
    def model(self) -> InertModel:
        """The model as the text of the page describes it now."""
        return self._desk.model

    def close(self) -> None:
        """End the widget and its computing processes."""
        if self._thread.is_alive():
            self._in_loop(self._ended())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(CLOSED)
            self._loop.close()
        super().close()

    def _in_loop(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(CLOSED)

    async def _watched(self) -> asyncio.Task[None]:
        return asyncio.create_task(self._desk.watch())

    async def _ended(self) -> None:
        self._watching.cancel()
        with suppress(asyncio.CancelledError):
            await self._watching
        self._desk.close()

    def _tell(self, text: str) -> None:
        self.send({"text": text})

    def _heard(self, _: Any, content: Any, buffers: Any) -> None:
        text = content.get("text") if isinstance(content, dict) else None
        try:
            kind, fields = read_message(text if isinstance(text, str) else "")
        except InputError as error:
            self._tell(as_text("failed", {"what": "message", "message": in_one_line(error)}))
            return
        self._loop.call_soon_threadsafe(self._desk.take, self._number, kind, fields)
