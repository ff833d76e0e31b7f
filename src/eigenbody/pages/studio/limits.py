"""Work that is given up when it takes too long, or when something newer waits: where the system has timers."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

TICK = 0.05  # seconds
PATIENCE = 0.15  # seconds that a part may go on while something newer waits


class GivenUp(BaseException):
    """Raised inside the work, past everything that catches errors; `is_over` says that its time was over."""

    def __init__(self, is_over: bool) -> None:
        super().__init__()
        self.is_over = is_over


@contextmanager
def limited(seconds: float, hurried: Callable[[], bool]) -> Iterator[None]:
    """GivenUp inside when the time is over, or soon when `hurried`. Only in the main thread, and not on Windows."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    begin, is_done = time.monotonic(), False

    def tick(*_: Any) -> None:
        elapsed = time.monotonic() - begin
        if not is_done and (elapsed > seconds or (elapsed > PATIENCE and hurried())):
            raise GivenUp(elapsed > seconds)

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
