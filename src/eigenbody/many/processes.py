"""Worker processes on this machine. They end with the process that started them, however it ends."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

import numpy as np

from eigenbody.many.parcels import CannotWork, Parcel, Piece, Work, lost, parcel_of
from eigenbody.many.worker import UNREADY, read, write

CODE = "from eigenbody.many.worker import main; main()"
STARTS = 3  # workers that may end before they have begun, one after another
LISTEN = 0.5  # seconds between looks for signals, where waiting itself does not see them


class _Process:
    """One worker and the parcel it has."""

    def __init__(self, task: bytes, inbox: SimpleQueue[tuple[_Process, bytes | None]]) -> None:
        apart = {} if sys.platform == "win32" else {"process_group": 0}  # Ctrl-C is for the one who asked alone
        self.child = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", CODE],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_environment(), **apart,  # type: ignore[call-overload]
        )  # fmt: skip
        self.is_ready = False
        self.pieces: Sequence[Piece] = ()
        threading.Thread(target=self._listen, args=(inbox,), daemon=True).start()
        self.send(task)

    def send(self, data: bytes) -> None:
        assert self.child.stdin is not None
        with suppress(OSError):  # it has ended: the listener says so
            write(self.child.stdin, data)

    def _listen(self, inbox: SimpleQueue[tuple[_Process, bytes | None]]) -> None:
        assert self.child.stdout is not None
        data: bytes | None = b""
        while data is not None:
            try:
                data = read(self.child.stdout)
            except (OSError, ValueError):  # closed by `end`
                data = None
            inbox.put((self, data))

    def end(self) -> str:
        """End it if it runs; how it ended."""
        with suppress(OSError):
            self.child.kill()
        code = self.child.wait()
        for stream in (self.child.stdin, self.child.stdout):
            assert stream is not None
            with suppress(OSError):
                stream.close()
        if code >= 0:
            return f"exit code {code}"
        names = {number.value: number.name for number in signal.Signals}
        return f"signal {-code}, {names.get(-code, 'unknown')}"


def _environment() -> dict[str, str]:
    """That of this process; what it can import, its workers can."""
    paths = [path or os.getcwd() for path in sys.path]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "OPENBLAS_NUM_THREADS": "1"}


class Processes:
    """A number of worker processes; one that is lost is replaced."""

    def __init__(self, work: Work, count: int) -> None:
        try:
            self._task = pickle.dumps(work)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise CannotWork(f"the model cannot travel to other processes ({error})") from error
        self._inbox: SimpleQueue[tuple[_Process, bytes | None]] = SimpleQueue()
        self._vain = 0
        self._staff: list[_Process] = []
        try:
            for _ in range(count):
                self._staff.append(_Process(self._task, self._inbox))
        except OSError as error:
            self.close()
            raise CannotWork(f"no process can be started ({error})") from error

    def idle(self) -> int:
        return sum(not one.pieces for one in self._staff)

    def send(self, pieces: Sequence[Piece], rows: Sequence[np.ndarray]) -> None:
        worker = next(one for one in self._staff if not one.pieces)
        worker.pieces = pieces
        worker.send(pickle.dumps(list(rows)))

    def receive(self) -> Parcel:
        while True:
            worker, data = self._next()
            if data is None:
                gone = self._replaced(worker)
                if gone is not None:
                    return gone
            elif worker.is_ready:
                pieces, worker.pieces = worker.pieces, ()
                return parcel_of(pieces, *pickle.loads(data))
            else:
                word, reason = pickle.loads(data)
                if word == UNREADY:
                    raise CannotWork(f"other processes cannot read the model ({reason})")
                worker.is_ready, self._vain = True, 0

    def _next(self) -> tuple[_Process, bytes | None]:
        while True:
            with suppress(Empty):
                return self._inbox.get(timeout=LISTEN)

    def _replaced(self, worker: _Process) -> Parcel | None:
        """What a worker that ended had in hand; another one in its place."""
        self._staff.remove(worker)
        how = worker.end()
        self._vain += not worker.is_ready
        if self._vain > STARTS:
            raise CannotWork(f"other processes end before they begin ({how})")
        try:
            self._staff.append(_Process(self._task, self._inbox))
        except OSError as error:
            if not self._staff:
                raise CannotWork(f"no process can be started ({error})") from error
        return lost(worker.pieces, f"the process that computed it ended ({how}).") if worker.pieces else None

    def close(self) -> None:
        for worker in self._staff:
            worker.end()
        self._staff.clear()
