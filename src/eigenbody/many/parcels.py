"""What travels between the one who asks and the ones who compute: pieces of the points, and what became of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from eigenbody.base.errors import EigenbodyError, in_one_line

Work = Callable[[np.ndarray], Any]
"""From rows (k, P) of points to what is wanted of them. It must pickle, and hold everything it needs."""


class Piece(NamedTuple):
    """Points start to stop, and how often their worker was lost."""

    start: int
    stop: int
    lost: int = 0


class Fault(NamedTuple):
    """Why a piece has no result; `is_lost` where its worker went, not the computation."""

    reason: str
    is_lost: bool = False


class Outcome(NamedTuple):
    """One piece with its result or its fault."""

    piece: Piece
    result: Any
    fault: Fault | None


@dataclass(frozen=True)
class Parcel:
    """Pieces that one worker computes in one go, and how long that took (s); 0 where it is not known."""

    outcomes: tuple[Outcome, ...]
    seconds: float = 0.0


class CannotWork(Exception):
    """The workers cannot start, or cannot read what they are to do."""


class Workers(Protocol):
    """Those who compute."""

    def idle(self) -> int:
        """How many parcels would be begun at once."""
        ...

    def send(self, pieces: Sequence[Piece], rows: Sequence[np.ndarray]) -> None:
        """Hand over a parcel."""
        ...

    def receive(self) -> Parcel:
        """Wait for the next parcel that comes back, whichever it is."""
        ...

    def close(self) -> None:
        """End everything at once, finished or not."""
        ...


def answers(work: Work, rows: Sequence[np.ndarray]) -> tuple[list[tuple[Any, str | None]], float]:
    """(result, None) or (None, reason) of each piece, and seconds. What goes wrong is an answer, whatever it is: one
    point must not end the run."""
    found: list[tuple[Any, str | None]] = []
    begun = time.perf_counter()
    for piece in rows:
        try:
            found.append((work(piece), None))
        except EigenbodyError as error:
            found.append((None, in_one_line(error)))
        except MemoryError:
            found.append((None, "there was not enough memory."))
        except Exception as error:
            text = " ".join(str(error).split())[:200]
            found.append((None, f"internal error ({type(error).__name__}: {text})."))
    return found, time.perf_counter() - begun


def parcel_of(pieces: Sequence[Piece], found: Sequence[tuple[Any, str | None]], seconds: float) -> Parcel:
    """Pieces with what `answers` had to say of them."""
    outcomes = (
        Outcome(piece, result, None if reason is None else Fault(reason))
        for piece, (result, reason) in zip(pieces, found, strict=True)
    )
    return Parcel(tuple(outcomes), seconds)


def lost(pieces: Sequence[Piece], reason: str) -> Parcel:
    """Pieces whose worker went."""
    return Parcel(tuple(Outcome(piece, None, Fault(reason, is_lost=True)) for piece in pieces))
