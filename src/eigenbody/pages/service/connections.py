"""Connections that are given up: those that do not say what they want, those that do not take what they asked for, and
the oldest of the silent ones where there are too many."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD = 10.0  # seconds for the head of a request
TAKEN = 30.0  # seconds in which someone must take more of the answer
MOST = 200  # connections


class Connection(H11Protocol):
    """A connection of uvicorn with a clock."""

    _silent: asyncio.TimerHandle | None = None
    _stuck: asyncio.TimerHandle | None = None
    since = 0.0

    @property
    def is_asking(self) -> bool:
        """Whether the head or the body of a request is still to come."""
        return self.cycle is None or self.cycle.response_complete or self.cycle.more_body

    @property
    def has_head(self) -> bool:
        """Whether a request is under way."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.since = self.loop.time()
        self._silent = self.loop.call_later(HEAD, self._give_up)
        silent = [one for one in self.connections if isinstance(one, Connection) and one.is_asking]
        if len(self.connections) > MOST and silent:
            min(silent, key=lambda one: one.since).transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.has_head:
            self._cancel_silence()
        elif self._silent is None:
            self.since = self.loop.time()
            self._silent = self.loop.call_later(HEAD, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_silence()
        self.resume_writing()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._stuck = self.loop.call_later(TAKEN, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stuck is not None:
            self._stuck.cancel()
            self._stuck = None

    def _give_up(self) -> None:
        self._silent = None
        if not self.has_head:
            self.transport.close()

    def _cancel_silence(self) -> None:
        if self._silent is not None:
            self._silent.cancel()
            self._silent = None
