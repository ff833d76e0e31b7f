"""The computing processes of a service: each answers one request at a time, and is ended and replaced when its time is
over, when it fails, when nobody waits any more, after so many requests, or when it has grown."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigenbody.many.worker import HEAD

if TYPE_CHECKING:
    from eigenbody.pages.service import Budget

CODE = "from eigenbody.cli.answering import main; main()"
START = 120.0  # seconds that a process may take to read its modules
PAUSE = 1.0  # seconds before another is started where one did not come up
MEGABYTE = 2**20
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


@dataclass(frozen=True)
class Answer:
    """Status of HTTP, exit code of the command (-1: there was none), and what is sent."""

    status: int
    code: int
    content: bytes


class Refused(Exception):
    """No answer: the status, the kind of the fault and what to say."""

    def __init__(self, status: int, kind: str, message: str) -> None:
        super().__init__(message)
        self.status, self.kind, self.message = status, kind, message


class Worker:
    """One process."""

    def __init__(self, child: asyncio.subprocess.Process, place: Path) -> None:
        self.child, self.place = child, place
        self.answered = 0
        self.first_memory = self.memory = 0

    @classmethod
    async def started(cls, root: Path, settings: dict[str, Any]) -> tuple[Worker, dict[str, Any]]:
        """A process that is ready, and what it can do."""
        place = Path(tempfile.mkdtemp(dir=root))
        apart: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}  # Ctrl-C is for the server
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-W", "ignore", "-c", CODE, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL, env=_environment(place), cwd=place, **apart,
        )  # fmt: skip
        worker = cls(child, place)
        try:
            async with asyncio.timeout(START):
                await worker._say(json.dumps({**settings, "place": str(place)}).encode())
                catalog = json.loads(await worker._hear())
        except BaseException:
            await worker.end()
            raise
        worker.first_memory = worker.memory = catalog.pop("memory")
        return worker, catalog

    async def answer(self, command: str, body: bytes) -> tuple[Answer, bool]:
        """The answer, and whether the process may go on."""
        await self._say(command.encode())
        await self._say(body)
        head = json.loads(await self._hear())
        content = await self._hear()
        self.answered += 1
        self.memory = head["memory"]
        return Answer(head["status"], head["code"], content), head["clean"]

    async def end(self) -> str:
        """End it, whatever it does; how it ended."""
        if self.child.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.child.pid, KILL)  # kill() of asyncio may take the exit code from the one who waits for it
        await self.child.communicate()  # until its pipes are closed
        code = await self.child.wait()
        shutil.rmtree(self.place, ignore_errors=True)
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    async def _say(self, data: bytes) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write(HEAD.pack(len(data)) + data)
        await self.child.stdin.drain()

    async def _hear(self) -> bytes:
        assert self.child.stdout is not None
        (size,) = HEAD.unpack(await self.child.stdout.readexactly(HEAD.size))
        return await self.child.stdout.readexactly(size)


class Pool:
    """All processes, and the requests that wait for one of them, first come first served."""

    def __init__(self, budget: Budget, folder: Path | None, root: Path) -> None:
        self.budget, self.root = budget, root
        self.settings = {
            "folder": None if folder is None else str(folder),
            "memory": budget.memory,
            "largest": int(budget.answer * MEGABYTE),
        }
        self.catalog: dict[str, Any] = {}
        self.idle: list[Worker] = []
        self.all: set[Worker] = set()
        self.waiting: deque[asyncio.Future[Worker]] = deque()
        self.answered = self.replaced = 0
        self.is_stopping = False
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """All processes; the catalog is known when this is done."""
        await asyncio.gather(*(self._add() for _ in range(self.budget.processes)))

    def finish(self) -> None:
        """No more requests: those that wait are told, those that are computed are answered."""
        self.is_stopping = True
        for future in self.waiting:
            if not future.done():
                future.set_exception(_stopping())
        self.waiting.clear()

    async def close(self) -> None:
        """End every process."""
        self.finish()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self.all), return_exceptions=True)

    async def answer(self, command: str, body: bytes) -> Answer:
        """The answer of a command, or Refused."""
        worker = await self._free()
        is_kept = False
        try:
            async with asyncio.timeout(self.budget.seconds):
                found, is_kept = await worker.answer(command, body)
            self.answered += 1
            return found
        except TimeoutError:
            what = f"stopped after {self.budget.seconds:g} s, the time that a request may take."
            raise Refused(504, "time", f"{what} Ask for less, or send a smaller model.") from None
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            how = await worker.end()
            what = f"the computing process ended ({how}); another takes its place."
            raise Refused(500, "crash", f"{what} Other requests are not concerned.") from None
        finally:
            self._give_back(worker, is_kept and not self._is_worn(worker))

    def _is_worn(self, worker: Worker) -> bool:
        growth = (worker.memory - worker.first_memory) / MEGABYTE
        return worker.answered >= self.budget.requests or growth > self.budget.growth

    async def _free(self) -> Worker:
        """A process that has nothing to do; waits for it where others wait too."""
        if self.is_stopping:
            raise _stopping()
        if self.idle:
            return self.idle.pop()
        if len(self.waiting) >= self.budget.queue:
            raise Refused(503, "busy", f"{len(self.waiting)} requests are waiting already. Try again in a moment.")
        future: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._hand_on(future.result())
            elif future in self.waiting:
                self.waiting.remove(future)
            raise

    def _give_back(self, worker: Worker, is_kept: bool) -> None:
        if is_kept:
            self._hand_on(worker)
        else:
            self._later(self._replace(worker))

    def _hand_on(self, worker: Worker) -> None:
        while self.waiting:
            future = self.waiting.popleft()
            if not future.done():
                future.set_result(worker)
                return
        self.idle.append(worker)

    def _later(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _replace(self, worker: Worker) -> None:
        await worker.end()
        self.all.discard(worker)
        self.replaced += 1
        while not self.is_stopping:
            try:
                await self._add()
                return
            except (OSError, TimeoutError, asyncio.IncompleteReadError, ValueError):
                await asyncio.sleep(PAUSE)

    async def _add(self) -> None:
        worker, self.catalog = await Worker.started(self.root, self.settings)
        self.all.add(worker)
        self._hand_on(worker)


def _stopping() -> Refused:
    return Refused(503, "stopping", "the service is being stopped. Try again when it is back.")


def _environment(place: Path) -> dict[str, str]:
    """Python finds the same modules; nothing is looked for in the folder where the service was started."""
    here = os.getcwd()
    paths = [os.path.abspath(path) for path in sys.path if path and os.path.abspath(path) != here]
    package = str(Path(__file__).parents[3])
    kept = {"PYTHONPATH": os.pathsep.join(dict.fromkeys((*paths, package))), "OPENBLAS_NUM_THREADS": "1"}
    kept["EIGENBODY_PROCESSORS"] = "1"  # a request is computed by one process
    beside = Path(__file__).parents[2] / "simulation" / "__pycache__"
    if not os.access(beside, os.W_OK):
        kept["NUMBA_CACHE_DIR"] = str(place)
    return {**os.environ, **kept, "PYTHONSAFEPATH": "1", "TMPDIR": str(place)}
