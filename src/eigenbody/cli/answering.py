"""The computing process of a service: takes requests, runs each as a command line, ends with the one who asks.

It is started by the service as `python -c`. Messages are lengths and bytes (`many/worker.py`). The first one that comes
says the folder, the private place and the budgets; the first one that goes is the catalog. Then a request is the name
of a command and the JSON that was sent, an answer a head in JSON (status, exit code, memory) and the bytes to send.
"""

from __future__ import annotations

import contextlib
import gc
import io
import json
import os
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from queue import SimpleQueue
from typing import Any, BinaryIO

from eigenbody.base.errors import EigenbodyError, Fault, InputError, in_one_line, printable
from eigenbody.cli.app import application, commands
from eigenbody.cli.catalog import catalog
from eigenbody.cli.confining import Confinement
from eigenbody.cli.limits import MEGABYTE
from eigenbody.cli.main import (
    BUG,
    DONE,
    FAILED,
    MAX_FAULTS,
    UNCHECKED,
    WRONG_INPUT,
    is_memory_short,
    unexpected,
    usage_message,
)  # fmt: skip
from eigenbody.cli.requests import Asked, read_request
from eigenbody.many.worker import read, write

SHORT = "there is not enough memory for this: {memory:g} MB are allowed. Ask for less, or send a smaller model."
RESIDENT, DATA = 1, 5  # columns of /proc/self/statm
STATUS = {DONE: 200, UNCHECKED: 200, WRONG_INPUT: 400, FAILED: 422, BUG: 500}


@dataclass(frozen=True)
class Answer:
    """What goes back. `is_clean`: whether the process may go on."""

    status: int
    code: int
    content: bytes
    is_clean: bool = True


def main() -> None:
    """Serve until standard input ends."""
    source, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)  # whatever is printed must not stand among the messages
    sys.dont_write_bytecode = True
    settings = json.loads(read(source) or b"{}")
    inbox: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_listen, args=(source, inbox), daemon=True).start()
    desk = Desk(settings)
    write(out, json.dumps({**desk.catalog, "memory": memory_in_use()}).encode())
    while True:
        answer = desk.answer(inbox.get().decode(), inbox.get())
        head = {"status": answer.status, "code": answer.code, "clean": answer.is_clean, "memory": memory_in_use()}
        write(out, json.dumps(head).encode())
        write(out, answer.content)


def _listen(source: BinaryIO, inbox: SimpleQueue[bytes]) -> None:
    while (data := read(source)) is not None:
        inbox.put(data)
    os._exit(0)  # nobody wants the result any more


def memory_in_use(column: int = RESIDENT) -> int:
    """Bytes of this process; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[column]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


class Desk:
    """Runs commands one after another; nothing of one is left for the next."""

    def __init__(self, settings: dict[str, Any]) -> None:
        from typer.main import get_command

        self.folder = Path(settings["folder"]) if settings["folder"] is not None else None
        self.place, self.memory, self.largest = Path(settings["place"]), settings["memory"], settings["largest"]
        self.group: Any = get_command(application())
        self.catalog = catalog(self.group)
        self.known = {command["command"]: command for command in self.catalog["commands"]}
        _read_modules([commands()[name] for name in self.known])
        _use_libraries()
        os.chdir(self.folder or self.place)
        self.confinement = Confinement([self.folder] if self.folder else [], [self.place])
        gc.freeze()
        self.most = self.memory + memory_in_use(DATA) / MEGABYTE

    def answer(self, name: str, body: bytes) -> Answer:
        """The document of a command, or what is wrong."""
        try:
            with self.confinement.in_force():
                return self._answer(name, body)
        finally:
            for file in self.place.iterdir():
                file.unlink()
            gc.collect()

    def _answer(self, name: str, body: bytes) -> Answer:
        out = io.TextIOWrapper(io.BytesIO(), "utf-8", errors="backslashreplace", newline="\n")
        try:
            asked = read_request(body, self.known[name], self.folder)
            with _streams(asked.text, out):
                code = self._run(name, asked)
            out.flush()
            return self._within_size(Answer(STATUS[code], code, out.buffer.getvalue()))
        except InputError as error:
            return refusal("input", WRONG_INPUT, faults=error.faults)
        except EigenbodyError as error:
            out.flush()
            return refusal("computation", error.exit_code, in_one_line(error), partial=out.buffer.getvalue().decode())
        except Exception as error:
            return self._failed(error)

    def _run(self, name: str, asked: Asked) -> int:
        has = {flag for parameter in self.group.commands[name].params for flag in parameter.opts}
        own = ["--json", "--quiet"]
        if sys.platform.startswith("linux"):
            own.append(f"--limit-memory={self.most!r}")
        words = [name, *asked.options, *(word for word in own if word.partition("=")[0] in has), "--"]
        if asked.model is not None:
            words.append(self._model(asked))
        code = self.group.main([*words, *asked.files], prog_name="eigenbody", standalone_mode=False)
        return code if isinstance(code, int) else DONE

    def _model(self, asked: Asked) -> str:
        """The path that the command is given; a text of another format has a file for as long as it is worked on."""
        if not asked.ending:
            return str(asked.model)
        path = self.place / f"model{asked.ending}"
        path.write_bytes(asked.text.encode("utf-8", "surrogatepass"))
        return str(path)

    def _within_size(self, answer: Answer) -> Answer:
        if len(answer.content) <= self.largest:
            return answer
        what = f"the answer has {len(answer.content) >> 20} MB, more than the {self.largest >> 20} MB that are sent."
        return refusal("size", FAILED, f"{what} Ask for fewer points, modes or signals.", status=507)

    def _failed(self, error: Exception) -> Answer:
        if hasattr(error, "format_message"):  # of typer
            return refusal("input", WRONG_INPUT, faults=(Fault("options", usage_message(error)),))
        if is_memory_short(error):
            return refusal("memory", FAILED, SHORT.format(memory=self.memory), status=507, is_clean=False)
        code, text = unexpected(error)
        if code == BUG:
            text += " This is a bug, please report it."
        return refusal("internal" if code == BUG else "computation", code, text, is_clean=code != BUG)


def _read_modules(homes: list[str]) -> None:
    """All modules of the analyses: the reading of them is no part of anyone's time."""
    for home in homes:
        package = import_module(f"eigenbody.{home}")
        for found in iter_modules(getattr(package, "__path__", ())):
            if found.name != "command":
                import_module(f"eigenbody.{home}.{found.name}")


def _use_libraries() -> None:
    """OpenBLAS takes its memory with the first product, and asks for ever where it gets none: before any limit."""
    import numpy as np
    import scipy.linalg

    for size in (4, 200):
        square = np.eye(size) + 0.1
        np.linalg.solve(square @ square, square)
        np.linalg.eigvals(square)
        scipy.linalg.lu_factor(square)
        scipy.linalg.eigvals(square)


@contextlib.contextmanager
def _streams(text: str, out: io.TextIOWrapper) -> Iterator[None]:
    """Standard input has the text of the model, standard output is kept, messages are dropped."""
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode("utf-8", "surrogatepass")), "utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        sys.stdin = before


def refusal(
    kind: str, code: int, message: str = "", faults: tuple[Fault, ...] = (), status: int | None = None,
    partial: str = "", is_clean: bool = True,
) -> Answer:  # fmt: skip
    """The document that says what is wrong: the sentences of the command line, item by item."""
    shown = faults[:MAX_FAULTS]
    document: dict[str, Any] = {"error": kind, "message": printable(message) or "\n".join(map(str, shown))}
    if faults:
        document["faults"] = [
            {"where": printable(f.where), "what": printable(f.what), "remedy": printable(f.remedy), "message": str(f)}
            for f in shown
        ]
        document["more"] = len(faults) - len(shown)
    if partial:
        document["partial"] = json.loads(partial)
    return Answer(status or STATUS[code], code, json.dumps(document).encode(), is_clean)
