"""The computing process as the server sees it: asked, listened to, stopped when its time is over, started anew."""

from __future__ import annotations

import asyncio
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, cast

from eigenbody.many.worker import READY, read, write

START = 120.0  # seconds that the process may take to read its modules
CODE = "from eigenbody.pages.studio.worker import main; main()"
BUDGET = {
    "open": 60.0, "prepare": 60.0, "turn": 30.0, "follow": 30.0, "find": 600.0, "map": 600.0, "simulate": 300.0,
    "report": 300.0, "campbell": 600.0, "compare": 120.0, "movie": 120.0,
}  # seconds  # fmt: skip

Deliver = Callable[[dict[str, Any], str, dict[str, Any]], None]  # request, kind, fields


class Engine:
    """One process. `deliver` is called in the loop of the server with every answer; `failed` says why there is none."""

    def __init__(self, deliver: Deliver, budget: dict[str, float] | None = None) -> None:
        self.deliver, self.budget = deliver, {**BUDGET, **(budget or {})}
        self._child: subprocess.Popen[bytes] | None = None
        self._open: dict[int, dict[str, Any]] = {}  # requests under way by ticket, oldest first
        self._ticket = 0
        self._timer: asyncio.TimerHandle | None = None
        self._is_ready = False
        self._begun = 0  # the ticket that is worked on

    @property
    def is_busy(self) -> bool:
        """Whether something is being computed."""
        return bool(self._open)

    @property
    def is_running(self) -> bool:
        """Whether there is a process, which remembers the model that it opened last."""
        return self._child is not None

    def ask_instead(self, request: dict[str, Any], seconds: float) -> None:
        """Have something computed in place of everything that is under way; a process that does not come to it within
        some seconds is ended, and another one asked."""
        self._open.clear()
        ticket = self.ask(request)

        def look() -> None:
            if ticket in self._open and self._begun < ticket and self._is_ready:
                waiting = list(self._open.values())
                self._open.clear()
                self.stop()
                for one in waiting:
                    self.ask(one)

        asyncio.get_running_loop().call_later(seconds, look)

    def ask(self, request: dict[str, Any]) -> int:
        """Have something computed; the process is started where there is none."""
        child = self._child or self._started()
        self._ticket += 1
        self._open[self._ticket] = request
        with suppress(OSError):  # it has ended: the listener says so
            write(cast("BinaryIO", child.stdin), pickle.dumps({**request, "ticket": self._ticket}))
        if len(self._open) == 1:
            self._watch()
        return self._ticket

    def stop(self, why: str = "stopped") -> None:
        """End the process; what was asked for and not answered fails."""
        child, self._child = self._child, None
        if child is not None:
            _end(child)
        self._fail(why)

    def _fail(self, why: str) -> None:
        lost, self._open = self._open, {}
        self._watch()
        for request in lost.values():
            self.deliver(request, "failed", {"message": why})

    # ---- listening

    def _started(self) -> subprocess.Popen[bytes]:
        apart: dict[str, Any] = (
            {} if sys.platform == "win32" else {"process_group": 0}
        )  # Ctrl-C is for the server alone
        self._is_ready = False
        self._child = child = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", CODE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(), **apart,
        )  # fmt: skip
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(child, loop), daemon=True).start()
        return child

    def _listen(self, child: subprocess.Popen[bytes], loop: asyncio.AbstractEventLoop) -> None:
        data: bytes | None = b""
        while data is not None:
            try:
                data = read(cast("BinaryIO", child.stdout))
            except (OSError, ValueError):
                data = None
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(self._heard, child, data)

    def _heard(self, child: subprocess.Popen[bytes], data: bytes | None) -> None:
        if child is not self._child:
            return  # of a process that was stopped
        if data is None:
            self._child = None
            code = _end(child)
            self._fail(f"the computing process ended ({code}); it is started anew with the next change.")
            return
        ticket, kind, fields = pickle.loads(data)
        if kind == READY:
            self._is_ready = True
            self._watch()
        if kind == "begun":
            self._begun = ticket
            return
        request = self._open.get(ticket)
        if request is None:
            return
        if kind == "done":
            del self._open[ticket]
            self._watch()
        self.deliver(request, kind, fields)

    # ---- time

    def _watch(self) -> None:
        """The oldest request has its budget from now on."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        if self._open:
            oldest = next(iter(self._open.values()))
            seconds = self.budget[oldest["do"]] if self._is_ready else START
            self._timer = asyncio.get_running_loop().call_later(seconds, self._over, seconds)

    def _over(self, seconds: float) -> None:
        self.stop(f"stopped after {seconds:g} s, the time that it may take. Make the model smaller, or change it.")


def _environment() -> dict[str, str]:
    paths = [path or os.getcwd() for path in sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}


def _end(child: subprocess.Popen[bytes]) -> str:
    with suppress(OSError):
        child.kill()
    code = child.wait()
    for stream in (child.stdin, child.stdout):
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.close()
    return f"signal {-code}" if code < 0 else f"exit code {code}"
