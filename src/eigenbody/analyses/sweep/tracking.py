"""Modes followed from point to point of a sweep: which eigenvalue here is which one there.

Eigenvalues are followed with their conjugates, all of them: a pair that becomes two real eigenvalues, and a whirl whose
frequency passes through zero in a rotating frame, are then two branches throughout. Shapes decide (MAC), eigenvalues
decide where shapes do not; repeated eigenvalues are compared by the space that their shapes span.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.analyses.modes import BladePattern
from eigenbody.base.batched import as_rows
from eigenbody.linearization.model import LinearModel
from eigenbody.operating.steady.found import SteadyPoint

SAME = 1e-7  # relative: eigenvalues that are repeated
CLEAR = 0.7  # MAC of a mode with itself a step later
RIVAL = 0.5  # MAC below which another mode is no rival
ISOLATED = 0.25  # step of an eigenvalue, relative to its distance from the others, that leaves no doubt
APART = 0.6  # cost above which two modes are strangers, where modes come and go
TIE = 1e-6
GROWTH = {"stable": -1, "unstable": 1}


@dataclass(frozen=True, eq=False)
class PointModes:
    """Modes at one point of a sweep: what following them needs.

    eigenvalues  (n,) one of each conjugate pair (positive imaginary part), each real one, each zero
    shapes       (n, bodies, 6) motion of every body in global axes
    extra        (n, k) first-order states
    spins        (carriers, 3) angular velocity of bodies, moving frames and ground (rad/s, global axes)
    patterns     of the blades in each mode, in multi-blade coordinates
    """

    eigenvalues: np.ndarray
    shapes: np.ndarray
    extra: np.ndarray
    is_rigid: np.ndarray
    stabilities: tuple[str, ...]
    spins: np.ndarray
    is_complete: bool = True  # whether these are all modes
    stability: str = ""
    notes: tuple[str, ...] = ()
    steady: SteadyPoint | None = None  # the steady motion that it belongs to, from which others near by are found
    patterns: tuple[BladePattern, ...] | None = None
    linear: Callable[[], LinearModel] | None = None  # finds the linear equations, where these are at hand

    def __getstate__(self) -> dict[str, Any]:
        """The equations stay where they were found."""
        return {**vars(self), "linear": None}


@dataclass(frozen=True)
class Failure:
    """A point at which there are no modes, and why."""

    message: str


@dataclass(frozen=True, eq=False)
class Scales:
    """What makes components of shapes comparable: (bodies, 6) roots of mass and inertia, (k,) of first-order states."""

    body: np.ndarray
    extra: np.ndarray


@dataclass(frozen=True, eq=False)
class Spectrum:
    """All eigenvalues of a point (n,) with unit shapes (n, m), conjugates included, and the groups of repeated ones."""

    eigenvalues: np.ndarray
    vectors: np.ndarray
    is_rigid: np.ndarray
    growth: np.ndarray  # (n,) 1 unstable, 0 on the axis, -1 stable
    group: np.ndarray  # (n,) number of the group of repeated eigenvalues
    conjugate: np.ndarray  # (n,) index of the conjugate, itself for a real eigenvalue
    is_complete: bool

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @cached_property
    def repeated(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Members of each group of more than one eigenvalue, and orthonormal columns (m, r) that span their shapes."""
        several = np.flatnonzero(np.bincount(self.group, minlength=1) > 1)
        groups = [np.flatnonzero(self.group == g) for g in several]
        return [(members, _basis(self.vectors[members])) for members in groups]


def _basis(vectors: np.ndarray) -> np.ndarray:
    u, s, _ = np.linalg.svd(vectors.T, full_matrices=False)
    return np.asarray(u[:, s > 1e-6 * max(float(s.max(initial=0.0)), 1e-300)])


def scales_of(points: Sequence[PointModes], mass: np.ndarray, inertia: np.ndarray) -> Scales:
    """Roots of mass and mean inertia, with a floor for what has none; first-order states by their largest values."""
    extra = np.max([np.abs(p.extra).max(axis=0, initial=0.0) for p in points], axis=0)
    return Scales(body_scales(mass, inertia), 1.0 / np.where(extra > 0, extra, 1.0))


def body_scales(mass: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """(bodies, 6) roots of mass and mean inertia, with a floor for what has none."""
    heavy = float(mass.max(initial=0.0)) or 1.0
    turning = np.trace(inertia, axis1=-2, axis2=-1) / 3
    large = float(turning.max(initial=0.0)) or heavy
    body = np.stack([mass + 1e-3 * heavy] * 3 + [turning + 1e-3 * large] * 3, axis=-1)
    return np.asarray(np.sqrt(body / heavy))


def spectrum(point: PointModes, scales: Scales) -> Spectrum:
    """Conjugates added, shapes weighted and made unit."""
    n = len(point.eigenvalues)
    upper = np.flatnonzero(point.eigenvalues.imag > 0)
    take = np.concatenate((np.arange(n), upper))
    vectors = np.concatenate((as_rows(point.shapes * scales.body), point.extra * scales.extra), axis=1)
    size = np.linalg.norm(vectors, axis=1, keepdims=True)
    vectors = vectors / np.where(size > 0, size, 1.0)
    values = np.concatenate((point.eigenvalues, point.eigenvalues[upper].conj()))
    conjugate = np.arange(len(take))
    conjugate[upper], conjugate[n:] = n + np.arange(len(upper)), upper
    rigid = point.is_rigid[take]
    return Spectrum(
        eigenvalues=values,
        vectors=np.concatenate((vectors, vectors[upper].conj())),
        is_rigid=rigid,
        growth=np.array([GROWTH.get(s, 0) for s in point.stabilities], dtype=int)[take],
        group=_groups(values, rigid),
        conjugate=conjugate,
        is_complete=point.is_complete,
    )


def _groups(values: np.ndarray, rigid: np.ndarray) -> np.ndarray:
    """Number of the group of each eigenvalue; all recognized zeros are one group."""
    near = SAME * (np.abs(values)[:, None] + np.abs(values)) / 2
    same = (np.abs(values[:, None] - values) <= near) | (rigid[:, None] & rigid)
    return np.argmax(same, axis=1) if len(values) else np.zeros(0, dtype=int)


# One step -------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Front:
    """Where every branch (k) was last seen: eigenvalue, unit shape, whether it was a recognized zero."""

    values: np.ndarray
    vectors: np.ndarray
    is_rigid: np.ndarray


@dataclass(frozen=True, eq=False)
class Step:
    """From a front to a point: index of each branch there (-1: not there), the new front, branches in doubt."""

    index: np.ndarray
    front: Front
    doubtful: np.ndarray  # (k,) bool


def first_front(there: Spectrum) -> Front:
    """The branches that begin at a point."""
    return Front(there.eigenvalues, there.vectors, there.is_rigid)


def step(front: Front, there: Spectrum) -> Step:
    """Find every branch of the front among the modes of a point; modes that are left begin new branches."""
    likeness = _mac(front, there)
    index = _assigned(front, there, likeness)
    is_new = np.ones(len(there), dtype=bool)
    is_new[index[index >= 0]] = False
    new = np.flatnonzero(is_new)
    doubtful = _doubtful(front, there, likeness, index)
    index = np.concatenate((index, new))
    return Step(index, _moved(front, there, index), np.concatenate((doubtful, np.zeros(len(new), dtype=bool))))


def _mac(front: Front, there: Spectrum) -> np.ndarray:
    """MAC (k, n); for repeated eigenvalues that with the space of their shapes."""
    likeness = np.abs(front.vectors.conj() @ there.vectors.T) ** 2  # of unit shapes
    for members, basis in there.repeated:
        likeness[:, members] = (np.abs(front.vectors @ basis.conj()) ** 2).sum(axis=1)[:, None]
    likeness[front.is_rigid[:, None] & there.is_rigid] = 1.0  # zeros have no shapes of their own
    return np.minimum(likeness, 1.0)


def _assigned(front: Front, there: Spectrum, likeness: np.ndarray) -> np.ndarray:
    """(k,) the assignment with the most alike shapes and the nearest eigenvalues; -1 for what is not there."""
    from scipy.optimize import linear_sum_assignment

    size = np.abs(front.values)[:, None] + np.abs(there.eigenvalues)
    away = np.abs(front.values[:, None] - there.eigenvalues) / np.where(size > 0, size, 1.0)
    cost = 1.0 - likeness + away - TIE * _split_order(front.values, there.eigenvalues)
    rows, columns = linear_sum_assignment(cost)
    if len(front.values) != len(there) or not there.is_complete:
        near = cost[rows, columns] < APART
        rows, columns = rows[near], columns[near]
    index = np.full(len(front.values), -1)
    index[rows] = columns
    return index


def _split_order(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """A pair becomes two real eigenvalues, or the reverse: the upper one belongs to the larger."""
    top = max(float(np.abs(after).max(initial=0.0)), float(np.abs(before).max(initial=0.0)), 1e-300)
    splits = (before.imag != 0)[:, None] & (after.imag == 0)
    joins = (before.imag == 0)[:, None] & (after.imag != 0)
    order = np.where(splits, np.sign(before.imag)[:, None] * after.real, 0.0)
    return (order + np.where(joins, np.sign(after.imag) * before.real[:, None], 0.0)) / top


def _doubtful(front: Front, there: Spectrum, likeness: np.ndarray, index: np.ndarray) -> np.ndarray:
    """(k,) whether another mode might as well be the branch."""
    k = np.arange(len(index))
    safe = np.maximum(index, 0)
    value, own = there.eigenvalues[safe], likeness[k, safe]
    own_group = there.group[safe][:, None]
    other = (own_group != there.group) & (own_group != there.group[there.conjugate]) & ~there.is_rigid
    other &= ~_in_order(front, there, index)
    move = np.abs(value - front.values)
    distance = np.where(other, np.abs(value[:, None] - there.eigenvalues), np.inf)
    reach = distance <= move[:, None] / ISOLATED
    rival = np.where(other & reach, likeness, 0.0).max(axis=1, initial=0.0)
    isolated = move <= ISOLATED * distance.min(axis=1, initial=np.inf)
    clear = (own >= CLEAR) & (rival <= RIVAL)
    changes = (front.values.imag != 0) != (value.imag != 0)  # which of two real ones is which is a matter of choice
    zero = front.is_rigid | there.is_rigid[safe]
    return ~(clear | isolated | changes | zero) & (index >= 0)


def _in_order(front: Front, there: Spectrum, index: np.ndarray) -> np.ndarray:
    """(k, n) real eigenvalues that keep their order with a branch that was real and is: the halves of a split pair have
    one shape, and no two real eigenvalues change places without meeting."""
    before = np.full(len(there), np.nan)
    found = index >= 0
    before[index[found]] = np.where(front.values[found].imag == 0, front.values[found].real, np.nan)
    after = np.where(there.eigenvalues.imag == 0, there.eigenvalues.real, np.nan)
    mine = np.maximum(index, 0)
    return (before[mine][:, None] - before) * (after[mine][:, None] - after) >= 0


def _moved(front: Front, there: Spectrum, index: np.ndarray) -> Front:
    """The front at the point; among repeated eigenvalues each branch keeps the shape nearest to its own."""
    k, total = len(front.values), len(index)
    found = np.flatnonzero(index >= 0)
    values, rigid = np.zeros(total, dtype=complex), np.zeros(total, dtype=bool)
    vectors = np.zeros((total, there.vectors.shape[1]), dtype=complex)
    values[:k], vectors[:k], rigid[:k] = front.values, front.vectors, front.is_rigid
    values[found], rigid[found] = there.eigenvalues[index[found]], there.is_rigid[index[found]]
    vectors[found] = there.vectors[index[found]]
    for members, basis in there.repeated:
        mine = found[(there.group[index[found]] == there.group[members[0]]) & (found < k)]
        projected = (front.vectors[mine] @ basis.conj()) @ basis.T
        size = np.linalg.norm(projected, axis=1)
        kept = size > 0.3
        vectors[mine[kept]] = projected[kept] / size[kept, None]
    return Front(values, vectors, rigid)


# The whole way --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Track:
    """Branches over the points that were walked: index (points, branches) of the mode, -1 where it is not there."""

    index: np.ndarray
    values: np.ndarray  # (points, branches) complex, nan where a branch is not there
    is_rigid: np.ndarray
    growth: np.ndarray
    fronts: tuple[Front, ...]  # at every point
    doubtful: np.ndarray  # (points - 1, branches): between a point and the next


def follow(points: Sequence[Spectrum]) -> Track:
    """Walk from the point where eigenvalues are most distinct to both ends."""
    start = int(np.argmax([len(np.unique(p.group[~p.is_rigid])) / max(1, int((~p.is_rigid).sum())) for p in points]))
    front = first_front(points[start])
    fronts: dict[int, Front] = {start: front}
    indices = {start: np.arange(len(points[start]))}
    doubts: dict[int, np.ndarray] = {}
    for way in (range(start + 1, len(points)), range(start - 1, -1, -1)):
        front = _extended(fronts[start], front)
        for i in way:
            made = step(front, points[i])
            front = fronts[i] = made.front
            indices[i] = made.index
            doubts[i - 1 if i > start else i] = made.doubtful
    return _collected(points, fronts, indices, doubts, len(front.values))


def _extended(start: Front, end: Front) -> Front:
    """The front of the start with the branches that began on the first way."""
    k = len(start.values)
    parts = ((getattr(start, name), getattr(end, name)[k:]) for name in ("values", "vectors", "is_rigid"))
    return Front(*(np.concatenate(pair) for pair in parts))


def _collected(
    points: Sequence[Spectrum], fronts: dict[int, Front], indices: dict[int, np.ndarray],
    doubts: dict[int, np.ndarray], branches: int,
) -> Track:  # fmt: skip
    shape = (len(points), branches)
    index = np.full(shape, -1)
    values = np.full(shape, complex(np.nan, np.nan))
    rigid, growth = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=int)
    doubtful = np.zeros((max(0, len(points) - 1), branches), dtype=bool)
    for i, point in enumerate(points):
        index[i, : len(indices[i])] = indices[i]
        there = np.flatnonzero(index[i] >= 0)
        modes = index[i, there]
        values[i, there], rigid[i, there] = point.eigenvalues[modes], point.is_rigid[modes]
        growth[i, there] = point.growth[modes]
        if i in doubts:
            doubtful[i, : len(doubts[i])] = doubts[i]
    return Track(index, values, rigid, growth, tuple(fronts[i] for i in range(len(points))), doubtful)


def folded(track: Track) -> tuple[np.ndarray, np.ndarray]:
    """Branches to show (k,), and whether each is the lower half of a pair that is two real eigenvalues elsewhere.

    Of two branches that are conjugates everywhere the one that begins with a positive imaginary part is shown.
    """
    values = track.values
    shown, lower = [], []
    for b in range(values.shape[1]):
        column = values[:, b]
        side = np.flatnonzero(~np.isnan(column.real) & (column.imag != 0))
        below = len(side) > 0 and column.imag[side[0]] < 0
        alike = np.isclose(values, column.conj()[:, None], rtol=1e-13, atol=0, equal_nan=True).all(axis=0)
        if below and np.any(alike & (np.arange(values.shape[1]) != b)):
            continue
        shown.append(b)
        lower.append(below)
    return np.array(shown, dtype=int), np.array(lower, dtype=bool)
