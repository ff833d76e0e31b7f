"""Work for the tests of many points, importable in other processes."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import numpy as np

from eigenbody.base.errors import ComputationError


def squares(rows: np.ndarray) -> np.ndarray:
    return rows[:, 0] ** 2


def batch_sizes(rows: np.ndarray) -> np.ndarray:
    """How many points share the batch: shows every boundary."""
    return np.full(len(rows), len(rows))


def refuses_seven(rows: np.ndarray) -> np.ndarray:
    if (rows[:, 0] == 7).any():
        raise ComputationError("seven has no operating point.")
    return squares(rows)


def breaks_at_seven(rows: np.ndarray) -> np.ndarray:
    if (rows[:, 0] == 7).any():
        raise KeyError("seven")
    return squares(rows)


def kills_its_process(rows: np.ndarray) -> np.ndarray:
    """A point that no process survives: out of memory, a fault in a library."""
    if (rows[:, 0] == 7).any():
        os.kill(os.getpid(), signal.SIGKILL)
    return squares(rows)


class KilledOnce:
    """The first process that comes to point 7 is killed there; the next is not."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        if (rows[:, 0] == 7).any() and not self.mark.exists():
            self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return batch_sizes(rows) + squares(rows)


class SaysWhoAndWaits:
    """Leaves its process id in a folder, then works until it is ended."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        (self.folder / str(os.getpid())).touch()
        while True:
            time.sleep(0.05)


class Unreadable:
    """Pickles, but cannot be read elsewhere."""

    def __reduce__(self) -> tuple:
        return _refuse, (os.getpid(),)

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        return squares(rows)


def _refuse(pid: int) -> None:
    raise RuntimeError("not here")
