"""Ctrl-C, SIGTERM and the alarm of --limit-seconds: what was done is kept, and the command ends within two seconds."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

ALARM = int(getattr(signal, "SIGALRM", 0))  # 0 where there is none
GRACE = 1.5  # seconds that one call of a numerical library may go on before the process ends without it


class Stop:
    """Which signal came, if any. All become KeyboardInterrupt, which every long computation answers by giving what it
    has; the exit code tells them apart."""

    def __init__(self) -> None:
        self.signal: int | None = None
        self._heard = threading.Event()

    @property
    def exit_code(self) -> int:
        """130 interrupted, 143 terminated, 3 out of time."""
        if self.signal == ALARM:
            return 3
        return 128 + (self.signal or signal.SIGINT)

    @property
    def word(self) -> str:
        """What to say."""
        if self.signal == ALARM:
            return "the time of --limit-seconds is over. Give more of it, or ask for less."
        return "terminated" if self.signal == signal.SIGTERM else "interrupted"

    def hear(self, number: int, frame: FrameType | None) -> None:
        """The handler. It runs between two steps of Python only."""
        self.signal = number
        self._heard.set()
        raise KeyboardInterrupt

    def watch(self, wake: int) -> None:
        """In a thread: where a long call keeps the handler from running, end the process without it."""
        while data := os.read(wake, 1):
            if data[0] in (signal.SIGINT, signal.SIGTERM, ALARM) and not self._heard.wait(GRACE):
                self.signal = data[0]
                os.write(2, f"eigenbody: {self.word}\n".encode())
                os._exit(self.exit_code)
        os.close(wake)


@contextmanager
def listening_for_signals() -> Iterator[Stop]:
    """Hear the signals inside; in another thread than the main one they are not ours."""
    stop = Stop()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before: dict[int, Any] = {
        number: signal.signal(number, stop.hear)
        for number in (signal.SIGINT, signal.SIGTERM, *([ALARM] if ALARM else []))
        if signal.getsignal(number) is not signal.SIG_IGN  # nohup, or a shell's background job
    }
    wake, tell = os.pipe()
    os.set_blocking(tell, False)
    told = signal.set_wakeup_fd(tell)
    threading.Thread(target=stop.watch, args=(wake,), daemon=True).start()
    try:
        yield stop
    finally:
        signal.set_wakeup_fd(told)
        os.close(tell)  # ends the thread
        for number, handler in before.items():
            signal.signal(number, handler)
