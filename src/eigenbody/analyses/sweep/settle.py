"""Branches that seem to cross between two points: do they, or do they veer? Points are added that decide it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from eigenbody.analyses.modes import mac_matrix
from eigenbody.analyses.sweep.roots import expected_root
from eigenbody.analyses.sweep.walk import Seen, Walk

ROUNDS = 8
MIXED = 0.03  # part of one shape in the other that shows a veering
FAN = np.array([-8.0, -4.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0, 8.0])  # in widths of the veering
NEAR = 1e-9  # relative: frequencies that are the same


def settle_crossings(walk: Walk, expected: Callable[[Walk], Sequence[float]] = lambda walk: ()) -> None:
    """Close in on every apparent crossing; a veering gets points enough to follow each branch around it. Places where
    more is `expected` later on are evaluated with the first of these."""
    meets = _apparent(walk)
    if not meets or walk.interrupted:
        return
    walk.look_at(np.array([*(meet.guess for meet in meets), *expected(walk)]))
    added: list[float] = []
    active = list(meets)
    for _ in range(ROUNDS):
        if not active:
            break
        t = np.array([meet.guess for meet in active])
        seen = walk.branch_at(t, np.array([meet.pair for meet in active]))
        active = [meet for k, meet in enumerate(active) if _goes_on(walk, meet, seen, k, added)]
    places = walk.t
    fresh = [x for x in np.unique(added) if np.abs(places - x).min() > 1e-12]
    if fresh:
        walk.add(np.array(fresh))


@dataclass
class _Meet:
    """Two branches whose frequencies change order between two neighbouring places; closes in by false position, the end
    that stays counting half (Illinois)."""

    pair: tuple[int, int]
    ends: list[float]
    apart: list[float]  # difference of the frequencies at the ends
    slope: float  # of the difference
    first: float  # where they are expected to meet
    moved: int = -1  # end that moved last

    @property
    def guess(self) -> float:
        a, b = self.ends
        if self.moved < 0 and a < self.first < b:
            return self.first
        return a + (b - a) * self.apart[0] / (self.apart[0] - self.apart[1])


def _apparent(walk: Walk) -> list[_Meet]:
    """Steps over which two branches of the upper half change order."""
    track, places = walk.track, walk.t[walk.good]
    found = []
    for a in walk.steps():
        here, there = track.values[a], track.values[a + 1]
        upper = np.flatnonzero((here.imag > 0) & (there.imag != 0) & ~np.isnan(there.real))
        frequency = np.abs(np.stack((here[upper].imag, there[upper].imag)))
        order = frequency[:, :, None] - frequency[:, None, :]
        far = np.abs(order) > NEAR * (frequency[:, :, None] + frequency[:, None, :])
        crossing = (order[0] * order[1] < 0) & far.all(axis=0)
        for i, j in combinations(range(len(upper)), 2):
            if crossing[i, j]:
                d = [float(order[0, i, j]), float(order[1, i, j])]
                ends = [float(places[a]), float(places[a + 1])]
                pair = (int(upper[i]), int(upper[j]))
                apart = -np.diff(np.abs(track.values[:, pair].imag), axis=1)[:, 0]
                first = expected_root(places, apart, walk.steps(), int(a)).place
                found.append(_Meet(pair, ends, d, abs(d[1] - d[0]) / (ends[1] - ends[0]), first))
    return found


def _goes_on(walk: Walk, meet: _Meet, seen: Seen, k: int, added: list[float]) -> bool:
    """Take in what was found at the guess; points to add once it is decided."""
    t, values, there = meet.guess, seen.values[k], seen.spectra[k]
    if there is None or np.isnan(values.real).any():
        return False
    apart = float(abs(values[0].imag) - abs(values[1].imag))
    one = there.group[seen.mode[k, 0]] == there.group[seen.mode[k, 1]]
    if not one and _mixed(walk, meet, there.vectors[seen.mode[k]]):
        width = float(abs(values[0] - values[1])) / meet.slope
        added += [x for x in t + width * FAN if meet.ends[0] < x < meet.ends[1]]
        return False
    if one or abs(apart) <= NEAR * abs(values[0].imag):
        added.append(t)
        return False
    side = 0 if apart * meet.apart[0] > 0 else 1
    meet.ends[side], meet.apart[side] = t, apart
    if side == meet.moved:
        meet.apart[1 - side] /= 2
    meet.moved = side
    return True


def _mixed(walk: Walk, meet: _Meet, vectors: np.ndarray) -> bool:
    """Whether the two shapes there have parts of each other that they do not have at the points around."""
    places = walk.t[walk.good]
    front = walk.track.fronts[int(np.argmin(np.abs(places - meet.guess)))].vectors[list(meet.pair)]
    own = mac_matrix(front, front)[0, 1]
    across = mac_matrix(front, vectors)
    return bool(max(across[0, 1], across[1, 0]) > own + MIXED)
