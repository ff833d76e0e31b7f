"""Word of what is being done, for whoever listens: long work says its stages, the command line shows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Listener = Callable[[str, float | None], None]

_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


def report(stage: str, share: float | None = None) -> None:
    """Say what is being done now and, where it is known, which share of it (0 to 1) is finished."""
    listener = _listener.get()
    if listener is not None:
        listener(stage, share)


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Hear all reports made inside."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)
