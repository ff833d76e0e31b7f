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
from eigenbody.numerics.matrices.linear import blocks

ROUNDS = 8
MOST = 4  # times the points asked for: at most that many are added
SHORTEST = 1 / 64  # of a step asked for: shorter ones are not looked into
ENTRIES = 1_000_000  # of arrays of what is expected inside steps
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
    t, steps = walk.t[walk.good], walk.steps()
    length = t[steps + 1] - t[steps]
    looked_at, there = steps[(shortest <= length) & (length < longer)], {*steps.tolist()}
    sides = [(a, first) for a in looked_at.tolist() for first in (a - 1, a) if {first, first + 1} <= there]
    pairs = np.array(sides, dtype=int).reshape(-1, 2)
    branches = walk.track.values.shape[1]
    worst: dict[int, tuple[float, float]] = {}
    for part in blocks(len(pairs), max(1, ENTRIES // max(1, len(INSIDE) * branches**2))):
        for step, share, inside in _suspects(walk, pairs[part, 0], pairs[part, 1]):
            worst[step] = max(worst.get(step, (0.0, 0.0)), (share, inside))
    return np.array([t[a] + inside * (t[a + 1] - t[a]) for a, (_, inside) in sorted(worst.items())])


def _suspects(walk: Walk, a: np.ndarray, first: np.ndarray) -> Iterator[tuple[int, float, float]]:
    """Of steps that begin at the good points `a`, expected from three points each, `first` and the next two: the step,
    how far a curve that may cross zero goes, and where in the step it is nearest to it."""
    t, points = walk.t[walk.good], first[:, None] + np.arange(3)
    values = _judged(walk, points)
    known = ~np.isnan(values.real).any(axis=1) & (values != 0).any(axis=1)
    values = np.where(known[:, None], values, 0.0)
    places = t[a][:, None] + INSIDE * (t[a + 1] - t[a])[:, None]
    ends = np.stack([values[np.arange(len(a)), a - first + k] for k in (0, 1)])
    for number, curves in _Steps(values, known, _parabolas(t[points], places), ends).curves(_crossing(walk, a)):
        share, inside = curves.suspicion()
        for k in np.flatnonzero(share > 1 - REACH):
            yield int(a[number[k]]), float(share[k]), float(inside[k])


@dataclass(frozen=True, eq=False)
class _Curves:
    """Real parts (m, places) expected inside steps, what they are at the two ends (2, m), and their rounding (m,)."""

    inside: np.ndarray
    ends: np.ndarray
    rounding: np.ndarray

    def suspicion(self) -> tuple[np.ndarray, np.ndarray]:
        """(m,) how far each curve goes (above 1 - REACH means that it may cross zero), and where in the step."""
        side = np.where(self.ends > 0, 1.0, -1.0)
        away = side[0][:, None] * self.inside  # distance from zero on the side where both ends are
        nearest = np.abs(self.ends).min(axis=0)
        gone = nearest - away.min(axis=1)
        share = np.where(gone > self.rounding, gone / np.maximum(nearest, self.rounding), 0.0)
        return np.where(side[0] == side[1], share, 0.0), INSIDE[np.argmin(away, axis=1)]


@dataclass(frozen=True, eq=False)
class _Steps:
    """Eigenvalues (steps, 3, branches) at three points around each step, which branches (steps, branches) are known
    there, weights (steps, places, 3) of their parabolas, and eigenvalues (2, steps, branches) at the ends."""

    values: np.ndarray
    known: np.ndarray
    basis: np.ndarray
    ends: np.ndarray

    def curves(self, crossing: np.ndarray) -> Iterator[tuple[np.ndarray, _Curves]]:
        """Steps and their curves: of every two eigenvalues that may meet, from their mean and distance, unless they
        are `crossing`; of those that meet no other, by itself."""
        i, j = np.triu_indices(self.values.shape[2], 1)
        square = np.ascontiguousarray(((self.values[..., i] - self.values[..., j]) / 2) ** 2)
        apart = (self.basis @ square.view(float)).view(complex)
        near = np.abs(apart).min(axis=1) < NEAR * np.abs(square).max(axis=1)
        step, pair = np.nonzero(near & self.known[:, i] & self.known[:, j] & ~crossing[:, i, j])
        i, j = i[pair], j[pair]
        size = np.abs(self.values).max(axis=1)
        mean = ((self.values[step, :, i] + self.values[step, :, j]) / 2).real
        middle = (self.basis[step] @ mean[..., None])[..., 0]
        half = np.abs(np.sqrt(apart[step, :, pair]).real)
        rounding = ROUNDING * np.maximum(size[step, i], size[step, j])
        for sign, end in ((1.0, np.maximum), (-1.0, np.minimum)):
            ends = end(self.ends[:, step, i].real, self.ends[:, step, j].real)
            yield step, _Curves(middle + sign * half, ends, rounding)
        alone = self.known.copy()
        alone[step, i] = alone[step, j] = False
        step, k = np.nonzero(alone)
        inside = (self.basis[step] @ self.values[step, :, k].real[..., None])[..., 0]
        yield step, _Curves(inside, self.ends[:, step, k].real, ROUNDING * size[step, k])


def _judged(walk: Walk, points: np.ndarray) -> np.ndarray:
    """Eigenvalues (*points, branches); a real part that was judged to be none is zero."""
    values = walk.track.values[points]
    real = np.where(walk.track.growth[points] == 0, 0.0 * values.real, values.real)
    return np.asarray(real + 1j * values.imag)


def _parabolas(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    """(steps, x, 3) weights of values at t (steps, 3) in their parabola at x (steps, x)."""
    t = t.T[..., None]
    others = ((1, 2), (0, 2), (0, 1))
    return np.stack([(x - t[j]) * (x - t[k]) / ((t[i] - t[j]) * (t[i] - t[k])) for i, (j, k) in enumerate(others)], -1)


def _crossing(walk: Walk, a: np.ndarray) -> np.ndarray:
    """(steps, n, n) branches that are the same at an end of a step, with two shapes: they cross, each stays smooth."""
    points, where = np.unique(np.stack((a, a + 1)), return_inverse=True)
    values = walk.track.values[points]
    size = np.abs(values)
    same = np.abs(values[:, :, None] - values[:, None]) <= SAME * (size[:, :, None] + size[:, None]) / 2
    moves = np.nan_to_num(walk.track.values).any(axis=0)
    same &= moves & moves[:, None] & ~np.eye(len(moves), dtype=bool)
    for k in np.flatnonzero(same.any(axis=(1, 2))):
        vectors = walk.track.fronts[points[k]].vectors
        n = len(vectors)
        same[k, :n, :n] &= mac_matrix(vectors, vectors) < UNLIKE
    return np.asarray(same[where.reshape(2, -1)].any(axis=0))
