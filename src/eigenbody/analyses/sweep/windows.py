"""Windows between the points of a sweep: where real parts may change their sign and come back within one step.

Eigenvalues are not smooth where two of them meet (a pair that becomes two real ones, two modes that flutter), but their
mean and the square of half their distance are. Three neighbouring points give a parabola of each of these; where real
parts computed from them come near to zero or beyond, a point is added, and so on until no more are expected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.modes import mac_matrix
from eigenbody.analyses.sweep.walk import Walk

ROUNDS = 8
MOST = 4  # times the points asked for: at most that many are added
SHORTEST = 1 / 64  # of a step asked for: shorter ones are not looked into
INSIDE = np.linspace(0, 1, 33)[1:-1]  # where in a step parabolas are evaluated
REACH = 0.5  # a real part expected to come nearer to zero than this share of what it is at the ends is looked at
NEAR = 0.5  # two eigenvalues whose squared distance falls below this share of its largest may meet
SAME = 1e-7  # relative: eigenvalues that are the same
UNLIKE = 0.9  # MAC below which shapes of the same eigenvalue are two
ROUNDING = 1e-9  # relative to the eigenvalue: real part that is none


def seek_windows(walk: Walk) -> np.ndarray:
    """Add points where a real part may change its sign between two that are there. Returns the places that could not be
    looked into: in steps too short for it, or more than there is room for."""
    room = MOST * len(walk.path)
    for _ in range(ROUNDS):
        places = suspected(walk, SHORTEST, np.inf)[:room]
        if walk.interrupted or not len(places):
            return suspected(walk, 0.0, SHORTEST if room else np.inf)
        walk.add(places)
        room -= len(places)
    return suspected(walk, 0.0, np.inf)


def suspected(walk: Walk, shortest: float, longer: float) -> np.ndarray:
    """Places in steps, from that length to shorter than the other, at which a real part may have changed its sign."""
    t = walk.t[walk.good]
    steps = [int(a) for a in walk.steps() if shortest <= t[a + 1] - t[a] < longer]
    return np.array([place for a in steps if (place := _suspected(walk, a)) is not None])


@dataclass(frozen=True, eq=False)
class _Curves:
    """Real parts (places, m) expected inside a step, what they are at its two ends (2, m), and their rounding (m,)."""

    inside: np.ndarray
    ends: np.ndarray
    rounding: np.ndarray

    def most_suspect(self) -> tuple[float, float]:
        """How far the most suspect curve goes (above REACH means that it may cross zero), and where in the step."""
        side = np.where(self.ends > 0, 1.0, -1.0)
        away = side[0] * self.inside  # distance from zero on the side where both ends are
        nearest = np.abs(self.ends).min(axis=0)
        gone = nearest - away.min(axis=0, initial=np.inf)
        share = np.where(gone > self.rounding, gone / np.maximum(nearest, self.rounding), 0.0)
        share = np.where(side[0] == side[1], share, 0.0)
        k = int(np.argmax(share))
        return float(share[k]), float(INSIDE[np.argmin(away[:, k])])


def _suspected(walk: Walk, a: int) -> float | None:
    """The place inside the step from the good point a to the next that is to be looked at; None where there is none."""
    t = walk.t[walk.good]
    found = [c.most_suspect() for c in _curves(walk, a) if c.inside.size]
    share, inside = max(found, default=(0.0, 0.0))
    return float(t[a] + inside * (t[a + 1] - t[a])) if share > 1 - REACH else None


def _curves(walk: Walk, a: int) -> Iterator[_Curves]:
    """Expected real parts over one step, from the points before it and after it."""
    t, steps = walk.t[walk.good], walk.steps()
    for first in (a - 1, a):
        if first in steps and first + 1 in steps:
            points = np.arange(first, first + 3)
            values = _judged(walk, points)
            known = np.flatnonzero(~np.isnan(values.real).any(axis=0) & (values != 0).any(axis=0))
            basis = _parabola(t[points], t[a] + INSIDE * (t[a + 1] - t[a]))
            yield from _expected(values[:, known], basis, a - first, _crossing(walk, a, known))


def _judged(walk: Walk, points: np.ndarray) -> np.ndarray:
    """Eigenvalues (points, branches); a real part that was judged to be none is zero."""
    values = walk.track.values[points]
    real = np.where(walk.track.growth[points] == 0, 0.0 * values.real, values.real)
    return real + 1j * values.imag


def _parabola(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(x, 3) weights of three values in their parabola."""
    others = ((1, 2), (0, 2), (0, 1))
    return np.stack([(x - t[j]) * (x - t[k]) / ((t[i] - t[j]) * (t[i] - t[k])) for i, (j, k) in enumerate(others)], 1)


def _crossing(walk: Walk, a: int, known: np.ndarray) -> np.ndarray:
    """(k, k) branches that are the same at an end of the step, with two shapes: they cross, each stays smooth."""
    crossing = np.zeros((len(known), len(known)), dtype=bool)
    for point in (a, a + 1):
        front = walk.track.fronts[point]
        values, vectors = front.values[known], front.vectors[known]
        same = np.abs(values[:, None] - values) <= SAME * (np.abs(values)[:, None] + np.abs(values)) / 2
        if np.count_nonzero(same) > len(same):  # others than each with itself
            crossing |= same & (mac_matrix(vectors, vectors) < UNLIKE)
    return crossing


def _expected(values: np.ndarray, basis: np.ndarray, at: int, crossing: np.ndarray) -> Iterator[_Curves]:
    """Of every two eigenvalues that may meet, from their mean and distance; of those that meet no other, by itself."""
    i, j = np.triu_indices(values.shape[1], 1)
    mean, square = (values[:, i] + values[:, j]) / 2, ((values[:, i] - values[:, j]) / 2) ** 2
    apart = basis @ square
    near = (np.abs(apart).min(axis=0, initial=np.inf) < NEAR * np.abs(square).max(axis=0)) & ~crossing[i, j]
    i, j = i[near], j[near]
    size = np.abs(values).max(axis=0)
    half = np.abs(np.sqrt(apart[:, near]).real)
    for sign, end in ((1.0, np.maximum), (-1.0, np.minimum)):
        ends = end(values[at : at + 2, i].real, values[at : at + 2, j].real)
        inside = basis @ mean[:, near].real + sign * half
        yield _Curves(inside, ends, ROUNDING * np.maximum(size[i], size[j]))
    alone = np.setdiff1d(np.arange(values.shape[1]), np.concatenate((i, j)))
    yield _Curves(basis @ values[:, alone].real, values[at : at + 2, alone].real, ROUNDING * size[alone])
