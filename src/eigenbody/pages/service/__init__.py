"""The commands as a service: JSON over HTTP, the same documents, for this machine alone unless asked for."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.many.run import processors
from eigenbody.pages.listening import bound

TOKEN = "EIGENBODY_SERVE_TOKEN"  # an environment variable: a command line is seen by all
LOOPBACK = ("127.0.0.1", "localhost", "::1")
EVERYWHERE = ("0.0.0.0", "::")  # all addresses of the machine
ENDING = 20.0  # seconds that the end may take beyond the requests under way


@dataclass(frozen=True)
class Budget:
    """What one request may use, and how many may wait."""

    seconds: float = 30.0  # of computing
    memory: float = 1024.0  # MB beyond what the computing process has anyway
    size: float = 8.0  # MB of the request
    answer: float = 64.0  # MB
    workers: int = 0  # computing processes; 0: as many as there are processors
    queue: int = 16  # requests that wait
    requests: int = 500  # that one process computes before it is replaced
    growth: float = 256.0  # MB that it may grow before it is replaced

    def __post_init__(self) -> None:
        faults = []
        for name, least, most in (
            ("seconds", 0.1, 1e6), ("memory", 64, 1e6), ("size", 0.001, 4096), ("workers", 0, 256), ("queue", 0, 1e5),
        ):  # fmt: skip
            value = getattr(self, name)
            if not least <= value <= most:
                faults.append(Fault(f"--{name}", f"{value:g} is not between {least:g} and {most:g}."))
        if faults:
            raise InputError(faults)

    @property
    def processes(self) -> int:
        """Computing processes."""
        return self.workers or processors()


@dataclass
class Service:
    """A service that is running. `stop()` ends it; it ends with the program that started it."""

    address: str
    token: str | None = field(repr=False)  # to be sent as `Authorization: Bearer TOKEN`; None: nobody is asked
    _server: Any = field(repr=False)
    _socket: socket.socket = field(repr=False)
    _seconds: float = field(repr=False)
    _thread: threading.Thread | None = field(default=None, repr=False)

    def run(self) -> None:
        """Serve in this thread until interrupted or terminated: what is being computed is answered first."""
        with tempfile.TemporaryDirectory(prefix="eigenbody-serve-") as place, _unhurried():
            self._server.place(place)
            self._server.run(sockets=[self._socket])
        if not self._server.started:
            raise ComputationError("The service did not start: its computing processes do not answer.")

    def start(self) -> Service:
        """Serve in a thread of its own."""
        self._thread = threading.Thread(target=self.run, daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """End it: what is being computed is answered first."""
        self._server.finish()
        if self._thread is not None:
            self._thread.join(self._seconds + ENDING)


def serve(
    *, host: str = "127.0.0.1", port: int = 0, folder: str | Path | None = None, **budget: Any
) -> Service:  # fmt: skip
    """The commands as a service: `POST /v1/modes` with `{"model": ..., "options": {...}}` answers the document of
    `eigenbody modes --json`.

    host    who may connect: by default this machine alone; others need the token
    port    0: any that is free
    folder  models may name files in there; without it none
    budget  seconds, memory (MB), size (MB), workers, queue: what a request may use, and how many wait

    Needs the extra `studio`. Serves in a thread until `stop()` or the end of the program.
    """
    unknown = budget.keys() - Budget.__dataclass_fields__.keys()
    if unknown:
        name = min(unknown)
        raise InputError(Fault(name, "there is no such budget.", suggest(name, Budget.__dataclass_fields__)))
    return prepared(host=host, port=port, folder=folder, budget=Budget(**budget)).start()


def prepared(
    *, host: str = "127.0.0.1", port: int = 0, folder: str | Path | None = None, budget: Budget | None = None
) -> Service:  # fmt: skip
    """A service that does not serve yet."""
    try:
        from eigenbody.pages.service.server import ANY, Gate, Server
    except ImportError as error:
        what = f"the service needs packages that are not installed ({error.name})."
        raise InputError(Fault("serve", what, "Install them: pip install 'eigenbody[studio]'")) from error
    home = Path(folder).resolve() if folder is not None else None
    if home is not None and not home.is_dir():
        raise InputError(Fault(str(folder), "there is no such folder."))
    allowed = budget or Budget()
    listening = bound(host, port, "service")
    port = listening.getsockname()[1]
    token = os.environ.get(TOKEN) or (None if host in LOOPBACK else secrets.token_urlsafe(24))
    named = socket.gethostname() if host in EVERYWHERE else f"[{host}]" if ":" in host else host
    hosts = (ANY,) if host in EVERYWHERE else tuple(dict.fromkeys((*Gate.hosts, named)))
    server = Server(Gate(port, token, hosts), allowed, home)
    return Service(f"http://{named}:{port}", token, server, listening, allowed.seconds)


@contextmanager
def _unhurried() -> Iterator[None]:
    """A command that hears a signal has a second and a half; who has requests under way needs longer."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.set_wakeup_fd(-1)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
