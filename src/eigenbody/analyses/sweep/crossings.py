"""Where branches of a sweep meet: crossings, veerings, pairs that become two real eigenvalues, what stays in doubt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from eigenbody.analyses.modes import mac_matrix
from eigenbody.analyses.sweep.roots import roots
from eigenbody.analyses.sweep.walk import Walk
from eigenbody.numerics.signals.peaks import parabola

TOUCH = 1e-7  # relative: frequencies that are the same
EXCHANGE = 0.25  # growth of the MAC with the other branch that makes an approach a veering
CLOSE = 0.3  # relative: distance of two eigenvalues that may veer
PARALLEL = 0.9  # MAC of two branches that collide
PARTS = 1.5  # growth of the distance that makes them part again
WINDOW = 2.5  # a veering reaches to where the distance is that many times the smallest


@dataclass(frozen=True)
class Meeting:
    """Two branches (indices into the sweep's) meet at the place t of the path.

    kind "crossing"  their frequencies are the same, each goes on with its shape
         "veering"   they come near, exchange their shapes and part again
         "split"     a pair becomes two real eigenvalues (frequency zero)
         "joining"   two real eigenvalues become a pair
         "collision" they become one, in eigenvalue and shape, and part again: which is which is a matter of choice
         "doubt"     even the shortest step does not tell them apart
    """

    kind: str
    t: float
    branches: tuple[int, int]


def meetings(walk: Walk, shown: np.ndarray, lower: np.ndarray, closing: bool) -> tuple[Meeting, ...]:
    """All meetings of the branches shown, in the order of the path; `closing` in on those that have a root."""
    values = walk.track.values[:, shown]
    t = walk.t[walk.good]
    found = [*_splits(walk, shown, lower, closing), *_doubts(walk, shown)]
    moving = [
        k for k in range(len(shown))
        if not lower[k] and np.any(values[:, k].imag != 0) and not walk.track.is_rigid[:, shown[k]].all()
    ]  # fmt: skip
    for i, j in combinations(moving, 2):
        pair = values[:, [i, j]]
        both = np.flatnonzero((pair.imag != 0).all(axis=1) & ~np.isnan(pair.real).any(axis=1))
        if len(both) > 1:
            crossed = [Meeting("crossing", place, (i, j)) for place in _crossings(t[both], pair[both])]
            found += crossed or [
                Meeting("veering", place, (i, j))
                for place in _veerings(walk, pair[both], both, shown[[i, j]], shown[moving])
            ]
    return tuple(sorted(found, key=lambda m: (m.t, m.branches)))


def _crossings(t: np.ndarray, values: np.ndarray) -> Iterator[float]:
    """Places at which the frequencies change order."""
    frequency = np.abs(values.imag)
    apart = frequency[:, 0] - frequency[:, 1]
    clear = np.flatnonzero(np.abs(apart) > TOUCH * frequency.sum(axis=1) / 2)
    for a, b in pairwise(clear):
        if apart[a] * apart[b] < 0:
            equal = np.arange(a + 1, b)  # points at which they are the same to rounding
            share = apart[a] / (apart[a] - apart[b])
            yield float(t[equal].mean()) if len(equal) else float(t[a] + share * (t[b] - t[a]))


def _veerings(
    walk: Walk, values: np.ndarray, points: np.ndarray, branches: np.ndarray, every: np.ndarray
) -> Iterator[float]:
    """Places of the smallest distance of two branches that exchange their shapes around it: there its square has a
    minimum. Of `every` branch, none that takes part in the exchange lies between them there."""
    t, frequency = walk.t[walk.good][points], np.abs(walk.track.values[np.ix_(points, every)].imag)
    gap = np.abs(values[:, 0] - values[:, 1])
    size = np.abs(values).mean(axis=1)
    for k in range(1, len(gap) - 1):
        if not (gap[k] <= gap[k - 1] and gap[k] < gap[k + 1] and TOUCH * size[k] < gap[k] < CLOSE * size[k]):
            continue
        wide = np.flatnonzero(gap >= WINDOW * gap[k])
        before, after = wide[wide < k], wide[wide > k]
        left = int(before[-1]) if len(before) else 0
        right = int(after[0]) if len(after) else len(gap) - 1
        if min(gap[left], gap[right]) < PARTS * gap[k]:
            continue
        low, high = np.sort(np.abs(values[k].imag))
        between = every[(frequency[k] > low) & (frequency[k] < high)]
        if not all(_keeps_shape(walk, points[[left, right]], branch) for branch in between):
            continue
        fronts = [walk.track.fronts[points[place]].vectors[branches] for place in (left, right)]
        own, across = mac_matrix(fronts[0], fronts[0])[0, 1], mac_matrix(fronts[0], fronts[1])
        if (across[0, 1] + across[1, 0]) / 2 > own + EXCHANGE:
            yield _vertex(t[k - 1 : k + 2], gap[k - 1 : k + 2] ** 2)


def _keeps_shape(walk: Walk, points: np.ndarray, branch: int) -> bool:
    """Whether a branch moves at the second of two points as at the first."""
    one, other = (walk.track.fronts[point].vectors[[branch]] for point in points)
    return bool(mac_matrix(one, other)[0, 0] > 1 - EXCHANGE)


def _vertex(t: np.ndarray, squares: np.ndarray) -> float:
    """Place of the minimum of the parabola through three points."""
    a, b = parabola(t, squares)
    return float(t[1] + np.clip(-b / (2 * a), t[0] - t[1], t[2] - t[1])) if a > 0 else float(t[1])


def _splits(walk: Walk, shown: np.ndarray, lower: np.ndarray, closing: bool) -> Iterator[Meeting]:
    """Where a pair becomes two real eigenvalues or the reverse: the upper branch, and the lower one, its conjugate.

    The square of half their distance is smooth there and changes its sign.
    """
    values, t = walk.track.values[:, shown], walk.t[walk.good]
    found = list(_changes(walk, values, lower))
    if not found:
        return
    left = np.array([a for a, _, _ in found])
    pair = np.array([(i, j) for _, i, j in found])
    square = lambda v: (((v[:, 0] - v[:, 1]) / 2) ** 2).real  # noqa: E731
    ends = [square(values[a[:, None], pair]) for a in (left, left + 1)]
    place = t[left] + (t[left + 1] - t[left]) * ends[0] / (ends[0] - ends[1])
    if closing:
        place = roots(lambda x, k: square(walk.branch_at(x, shown[pair[k]]).values), t[left], t[left + 1], *ends)
    for (a, i, j), where in zip(found, place, strict=True):
        if np.isfinite(where):
            yield Meeting("split" if values[a, i].imag != 0 else "joining", float(where), (i, j))


def _changes(walk: Walk, values: np.ndarray, lower: np.ndarray) -> Iterator[tuple[int, int, int]]:
    """(step, upper branch, lower branch) of pairs that become two real eigenvalues or the reverse."""
    partners, upper = np.flatnonzero(lower), np.flatnonzero(~lower)
    pairs = values.imag != 0
    for a in walk.steps():
        for i in upper[pairs[a, upper] != pairs[a + 1, upper]]:
            inside = a if pairs[a, i] else a + 1
            mates = partners[np.isclose(values[inside, partners], values[inside, i].conj(), rtol=1e-12, atol=0)]
            if len(mates) and not pairs[a if inside != a else a + 1, mates[0]]:
                yield int(a), int(i), int(mates[0])


def _doubts(walk: Walk, shown: np.ndarray) -> Iterator[Meeting]:
    """Steps over which branches could not be told apart: those in doubt and nearest to each other, each pair once."""
    t, seen = walk.t[walk.good], dict[tuple[int, int], tuple[str, list[float]]]()
    for a in walk.doubts():
        branches = np.flatnonzero(walk.track.doubtful[a, shown])
        values = walk.track.values[a, shown]
        for i in branches.tolist():
            distance = np.abs(values - values[i])
            distance[i] = np.inf
            if not np.isfinite(distance).any():
                continue
            j = int(np.nanargmin(distance))
            front = walk.track.fronts[a].vectors[shown[[i, j]]]
            kind = "collision" if mac_matrix(front, front)[0, 1] > PARALLEL else "doubt"
            pair = (min(i, j), max(i, j))
            seen.setdefault(pair, (kind, []))[1].append((t[a] + t[a + 1]) / 2)
    for pair, (kind, places) in seen.items():
        yield Meeting(kind, float(np.median(places)), pair)
