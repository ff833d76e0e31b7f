"""Work that is given up when it takes too long: where the system has timers."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

TICK = 0.05  # seconds


class GivenUp(BaseException):
    """Raised inside the work, past everything that catches errors: its time is over."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """GivenUp inside when it has had so many seconds of the processor, however busy that is with other work. Only in
    the main thread, and not on Windows."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    begin, used, is_done = time.monotonic(), time.process_time(), False

    def tick(*_: Any) -> None:
        if not is_done and time.process_time() - used > seconds:
            raise GivenUp

    before = signal.signal(signal.SIGALRM, tick)
    left, again = signal.setitimer(signal.ITIMER_REAL, TICK, TICK)
    try:
        yield
    finally:
        is_done = True
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left > 0:  # a timer of someone else goes on
            signal.setitimer(signal.ITIMER_REAL, max(left - (time.monotonic() - begin), TICK), again)
