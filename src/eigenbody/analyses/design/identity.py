"""Which mode is which while a design changes: shapes compared from design to design, in steps small enough to tell."""

from __future__ import annotations

import numpy as np

from eigenbody.analyses.design.designs import Design
from eigenbody.analyses.modes import mac_matrix
from eigenbody.base.errors import ComputationError

ALIKE = 0.7  # MAC above which a mode is surely the same
HALVINGS = 7
DISTANCE = 0.3  # weight of the relative distance of eigenvalues beside one minus MAC


def mac_and_distance(one: Design, other: Design) -> tuple[np.ndarray, np.ndarray]:
    """MAC (n, k) of the modes of two designs, and relative distance (n, k) of their eigenvalues."""
    a, b = one.eigenvalues[:, None], other.eigenvalues[None, :]
    return mac_matrix(one.motion, other.motion), np.abs(a - b) / (np.abs(a) + np.abs(b))


class Follower:
    """Follows the modes of a first design; `numbers` of the first design's modes are the modes' names."""

    def __init__(self, first: Design, wanted: tuple[int, ...]) -> None:
        self.first = self.last = first
        self.wanted = np.array(sorted(set(wanted)), dtype=int)
        self._now = self.wanted.copy()
        self._known: dict[bytes, np.ndarray] = {first.x.tobytes(): self._now}
        self.doubts = 0

    def find(self, design: Design) -> dict[int, int]:
        """Where each wanted mode stands in the design."""
        if not len(self.wanted):
            return {}
        key = design.x.tobytes()
        if key not in self._known:
            self._known[key] = self._walk(self.last, self._now, design, HALVINGS)
        return dict(zip(self.wanted.tolist(), self._known[key].tolist(), strict=True))

    def accept(self, design: Design) -> None:
        """Compare with this design from now on."""
        places = self.find(design)
        self.last, self._now = design, np.array([places[int(i)] for i in self.wanted], dtype=int)

    def directly(self, design: Design) -> dict[int, int]:
        """Where the wanted modes stand, by comparison with the first design alone."""
        found, _ = _matched(self.first, self.wanted, design)
        return dict(zip(self.wanted.tolist(), found.tolist(), strict=True))

    def _walk(self, start: Design, places: np.ndarray, end: Design, halvings: int) -> np.ndarray:
        found, sure = _matched(start, places, end)
        if sure:
            return found
        if not halvings:
            self.doubts += 1
            return found
        try:
            middle = start.space.at(0.5 * (start.x + end.x))
        except ComputationError:
            self.doubts += 1
            return found
        return self._walk(middle, self._walk(start, places, middle, halvings - 1), end, halvings - 1)


def _matched(start: Design, places: np.ndarray, end: Design) -> tuple[np.ndarray, bool]:
    """Places of the modes in the other design, and whether there is no doubt."""
    from scipy.optimize import linear_sum_assignment

    if not len(end.eigenvalues):
        raise ComputationError("a design has no modes at all, so that none can be followed to it.")
    alike, distance = mac_and_distance(start, end)
    rows, columns = linear_sum_assignment(1.0 - alike + DISTANCE * distance)
    partner = np.full(len(start.eigenvalues), -1)
    partner[rows] = columns
    lost = np.flatnonzero(partner < 0)
    partner[lost] = np.argmin(1.0 - alike[lost] + DISTANCE * distance[lost], axis=1)
    found = partner[places]
    sure = (alike[places, found] > ALIKE) | _among_equals(start, places, end, found)
    return found, bool(sure.all())


def _among_equals(start: Design, places: np.ndarray, end: Design, found: np.ndarray) -> np.ndarray:
    """Modes that share their eigenvalue with others, whose shapes may turn into each other freely."""
    shared = np.zeros(len(places), dtype=bool)
    for k, (i, j) in enumerate(zip(places, found, strict=True)):
        for design, at in ((start, i), (end, j)):
            gap = np.abs(design.eigenvalues - design.eigenvalues[at]) / np.abs(design.eigenvalues[at])
            shared[k] |= np.count_nonzero(gap < 1e-6) > 1
    return shared
