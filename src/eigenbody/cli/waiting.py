"""Progress of long work on standard error: nothing for the first second, then the stage, the share and the time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eigenbody.base.errors import printable
from eigenbody.base.progress import listening

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

PATIENCE = 1.0  # seconds before anything is shown
QUIET = False  # set once from the arguments


class _Display:
    """A rich progress line that appears only when the work takes long; on a terminal alone."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._progress: Progress | None = None
        self._task: TaskID | None = None
        self._stage = "working"
        self._share: float | None = None
        self._over = False
        self._timer = threading.Timer(PATIENCE, self._appear)
        self._timer.daemon = True
        self._timer.start()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._over:
                return
            columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
            self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._progress.add_task(self._stage, total=1.0 if self._share is not None else None)
            self._progress.start()

    def hear(self, stage: str, share: float | None) -> None:
        """Take a report."""
        with self._lock:
            self._stage, self._share = printable(stage), share
            if self._progress is not None and self._task is not None:
                total = None if share is None else 1.0
                self._progress.update(self._task, description=self._stage, total=total, completed=share or 0.0)

    def close(self) -> None:
        """Clear the line."""
        self._timer.cancel()
        with self._lock:
            self._over = True
            if self._progress is not None:
                self._progress.stop()


def is_watched() -> bool:
    """Whether someone at a terminal may want to see how far the work is."""
    return not QUIET and sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def shown() -> Iterator[None]:
    """Show the progress of what is done inside."""
    if not is_watched():
        yield
        return
    display = _Display()
    try:
        with listening(display.hear):
            yield
    finally:
        display.close()


def peak_memory() -> str:
    """Largest memory of this process so far, for people."""
    try:
        import resource
    except ImportError:  # not on Windows
        return "memory unknown"
    unit = 1 if sys.platform == "darwin" else 1024
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return f"peak memory {size / 1e9:.1f} GB" if size > 1e9 else f"peak memory {size / 1e6:.0f} MB"
