"""How fast points are done, and how long the rest will take."""

from __future__ import annotations

import time

from eigenbody.base.progress import report


class Pace:
    """Counts points of a run and reports them with their rate and the time that is left."""

    def __init__(self, count: int, what: str) -> None:
        self._count, self._what = count, what
        self._begun = time.monotonic()
        self._done = 0
        self._measured, self._seconds = 0, 0.0

    def took(self, points: int, seconds: float) -> None:
        """What a worker needed for some of them."""
        self._measured += points
        self._seconds += seconds

    @property
    def seconds_each(self) -> float:
        """Of one worker for one point; 0 as long as nothing is known."""
        return self._seconds / self._measured if self._measured else 0.0

    def is_worth(self, seconds: float) -> bool:
        """Whether one worker would need more than that for the rest."""
        return self.seconds_each * (self._count - self._done) > seconds

    def report(self, points: int) -> None:
        """So many more are done."""
        self._done += points
        passed = time.monotonic() - self._begun
        rate = self._done / max(passed, 1e-9)
        left = (self._count - self._done) / rate
        text = f"{self._done} of {self._count} {self._what}, {rate:.3g} a second, {_duration(left)} left"
        report(text, self._done / self._count)


def _duration(seconds: float) -> str:
    """`40 s`, `12 min`, `3.5 h`."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"
