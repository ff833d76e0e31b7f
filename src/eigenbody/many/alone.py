"""Work in this very process: for what is little, and where no other process can help."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.many.parcels import Parcel, Piece, Work, answers, parcel_of


class Alone:
    """One worker, which is this process."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._waiting: list[tuple[Sequence[Piece], Sequence[np.ndarray]]] = []

    def idle(self) -> int:
        return 1 - len(self._waiting)

    def send(self, pieces: Sequence[Piece], rows: Sequence[np.ndarray]) -> None:
        self._waiting.append((pieces, rows))

    def receive(self) -> Parcel:
        pieces, rows = self._waiting.pop()
        return parcel_of(pieces, *answers(self._work, rows))

    def close(self) -> None:
        self._waiting.clear()
