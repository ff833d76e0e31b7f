"""The mechanism at one configuration, seen in the coordinates theta of its spanning tree.

Each body c hangs on its parent p by one tree joint, whose rows and coordinates give [0; theta'_c] = J_c u_c + J_p u_p
with J_c square (6 x 6) and never singular. A row y.u = 0 of any constraint or measure is carried over by walking from
its bodies towards the root: at body c it contributes y.S_c to the coordinates of c and y X_c to the parent, with
S_c = J_c^-1 [0; I] and X_c = -J_c^-1 J_p. A node of a flexible body depends on modal coordinates as well as on its
parent: what the rows of its joint say of them is handed to their carriers in the same way. Where the walks of a row's
bodies meet, a relative measure cancels and the row is finished: only the coordinates of its own cycle appear. All rows
walk together, one step per numpy call.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.numerics.matrices.assembly import Triplets, join
from eigenbody.system.measureset import MeasureSet, as_variations, merge
from eigenbody.system.system import System

CANCELLED = 1e-12  # what is left of a row where its walks meet, relative to its size


@dataclass(frozen=True, slots=True, eq=False)
class TreeRows:
    """Rows in tree coordinates, scaled: (row, column, value) without duplicates, and the natural size of each row."""

    row: np.ndarray
    column: np.ndarray
    value: np.ndarray
    size: np.ndarray


def value_set(system: System, index: np.ndarray) -> MeasureSet:
    """Named measures as values: rotation vectors."""
    return merge(system.named.subset(index), len(index), system.dof, system.named.turn_counter[index])


def coordinate_set(system: System, index: np.ndarray) -> MeasureSet:
    """Named measures as coordinates: rotation vectors vary by small rotations, modal coordinates of symmetric bodies as
    they are seen from the ground."""
    return merge(system.variations.subset(index), len(index), system.dof, system.named.turn_counter[index])


def _tree_set(system: System, index: np.ndarray) -> MeasureSet:
    """The same for the walk along the tree, where a modal coordinate depends on its own carrier alone."""
    return as_variations(value_set(system, index))


def gradient_rows(mechanics: Mechanics, measures: MeasureSet) -> Triplets:
    """Gradients of measures as rows, one per measure."""
    jet = measures.jet(mechanics.at, mechanics.state.turns)
    return Triplets.of_rows(np.arange(measures.count), measures.columns, np.real(jet.gradient))


class TreeSpace:
    """Tree joints of all bodies as arrays, and the walk. `by_value`: coordinates are rotation vectors, as in the
    initial state, instead of small rotations."""

    def __init__(self, mechanics: Mechanics, by_value: bool = False) -> None:
        self.mechanics = mechanics
        self.system = mechanics.system
        self.measures = value_set if by_value else _tree_set

    @cached_property
    def parent(self) -> np.ndarray:
        """(bodies,) carrier on which each body hangs."""
        out = np.empty(self.system.bodies, dtype=int)
        out[self.system.tree.order] = self.system.tree.parent
        return out

    @cached_property
    def depth(self) -> np.ndarray:
        """(carriers,) number of joints to the root; zero for ground and moving frames."""
        tree = self.system.tree
        depth = np.zeros(len(self.system.places.names), dtype=int)
        for body, parent in zip(tree.order.tolist(), tree.parent.tolist(), strict=True):
            depth[body] = depth[parent] + 1
        return depth

    @cached_property
    def _joints(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """J_c and J_p, (bodies, 6, 6): rows of the tree joint, then its coordinates; unit rows for missing freedoms.

        Then the other bodies on which rows of tree joints depend, as pairs (child, other), (k, 2), and their J.
        """
        system = self.system
        child_of_row = np.full(system.constraints.count, -1)
        child_of_row[system.tree_rows] = system.tree_row_body
        held = join(self.mechanics.holonomic.rows())
        keep = (held.cols < system.nq) & (child_of_row[held.rows] >= 0) & (held.values != 0)
        free = gradient_rows(self.mechanics, self.measures(system, system.tree_coordinates))
        inside = (free.cols < system.nq) & (free.values != 0)
        child = np.concatenate((child_of_row[held.rows[keep]], system.tree_coordinate_body[free.rows[inside]]))
        slot = np.concatenate((self._slot(held.rows[keep]), self._coordinate_slot[free.rows[inside]]))
        where = system.body_columns[np.concatenate((held.cols[keep], free.cols[inside]))]
        value = np.concatenate((np.real(held.values[keep]), free.values[inside]))
        own, up = where // 6 == child, where // 6 == self.parent[child]
        place = 6 * slot + where % 6
        Jc, Jp = (_sums(36 * child[on] + place[on], value[on], (system.bodies, 6, 6)) for on in (own, up))
        body, missing = np.nonzero(system.dof[: system.bodies] < 0)
        Jc[body, missing, missing] = 1.0
        aside = ~own & ~up
        pairs, index = np.stack((child[aside], where[aside] // 6), axis=1), np.zeros(0, dtype=int)
        if len(pairs):
            pairs, index = np.unique(pairs, axis=0, return_inverse=True)
        return Jc, Jp, pairs, _sums(36 * index.ravel() + place[aside], value[aside], (len(pairs), 6, 6))

    def _slot(self, rows: np.ndarray) -> np.ndarray:
        """Position of a constraint row among the rows of its body."""
        system = self.system
        slot = np.zeros(system.constraints.count, dtype=int)
        slot[system.tree_rows] = _count_within(system.tree_row_body)
        return slot[rows]

    @cached_property
    def _coordinate_slot(self) -> np.ndarray:
        system = self.system
        held = np.bincount(system.tree_row_body, minlength=system.bodies)
        body = system.tree_coordinate_body
        return held[body] + _count_within(body)

    @cached_property
    def _steps(self) -> tuple[np.ndarray, np.ndarray, _Aside]:
        """J_c^-1 and X_c, (bodies, 6, 6), and what goes to other bodies than the parent."""
        Jc, Jp, pairs, Jo = self._joints
        inverse = np.linalg.inv(Jc)
        first = np.searchsorted(pairs[:, 0], np.arange(self.system.bodies + 1))
        return inverse, -inverse @ Jp, _Aside(first, pairs[:, 1], -inverse[pairs[:, 0]] @ Jo)

    @cached_property
    def _column(self) -> np.ndarray:
        """(bodies, 6) tree coordinate in each slot of a body, -1 for held rows."""
        out = np.full((self.system.bodies, 6), -1)
        out[self.system.tree_coordinate_body, self._coordinate_slot] = np.arange(len(self.system.tree_coordinates))
        return out

    @cached_property
    def _stretch(self) -> np.ndarray:
        """Scale of each tree coordinate: displacements are counted in lengths of the mechanism."""
        dimensions, length = self.system.dimensions, self.system.length
        return np.array([length if dimensions[i] == "m" else 1.0 for i in self.system.tree_coordinates])

    def rows(self, triplets: Triplets, count: int) -> TreeRows:
        """Carry rows given over all velocity coordinates (row, column, value) over to tree coordinates."""
        system = self.system
        keep = triplets.cols < system.nq
        row, value = triplets.rows[keep], np.real(triplets.values[keep])
        where = system.body_columns[triplets.cols[keep]]
        scale = np.where(where % 6 >= 3, 1.0, system.length)
        size = np.sqrt(np.bincount(row, weights=(value * scale) ** 2, minlength=count))
        key, index = np.unique(row * np.int64(system.bodies) + where // 6, return_inverse=True)
        y = _sums(6 * index + where % 6, value, (len(key), 6))
        found = self._walk(key // system.bodies, key % system.bodies, y, size)
        return TreeRows(*found, np.maximum(size, 1e-300))

    def _walk(
        self, row: np.ndarray, body: np.ndarray, y: np.ndarray, size: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        inverse, X, aside = self._steps
        bodies, length = self.system.bodies, self.system.length
        unit = np.array([length] * 3 + [1.0] * 3)
        out: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        while len(row):
            deepest = np.zeros(len(size), dtype=int)
            np.maximum.at(deepest, row, self.depth[body])
            go = self.depth[body] == deepest[row]
            r, b, z = row[go], body[go], y[go]
            coefficients = (z[:, None, :] @ inverse[b])[:, 0, :]
            columns = self._column[b]
            there = columns >= 0
            out.append((np.broadcast_to(r[:, None], columns.shape)[there], columns[there], coefficients[there]))
            up, higher = self.parent[b], (z[:, None, :] @ X[b])[:, 0, :]
            on = up < bodies
            which, other, turned = aside.of(b, z)
            row, body = np.concatenate((row[~go], r[on], r[which])), np.concatenate((body[~go], up[on], other))
            y = np.concatenate((y[~go], higher[on], turned))
            row, body, y = _met(row, body, y, bodies)
            alive = np.sqrt(((y * unit) ** 2).sum(axis=1)) > CANCELLED * size[row]
            row, body, y = row[alive], body[alive], y[alive]
        return self._gathered(out, size)

    def _gathered(
        self, out: list[tuple[np.ndarray, np.ndarray, np.ndarray]], size: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Sum of the contributions, scaled, without what is zero by rounding."""
        nt = len(self.system.tree_coordinates)
        empty = np.zeros(0, dtype=int)
        row, column = (np.concatenate([part[k] for part in out] or [empty]) for k in (0, 1))
        value = np.concatenate([part[2] for part in out] or [np.zeros(0)]) * self._stretch[column]
        key, index = np.unique(row * max(nt, 1) + column, return_inverse=True)
        total = np.bincount(index, weights=value, minlength=len(key))
        row, column = key // max(nt, 1), key % max(nt, 1)
        keep = np.abs(total) > 1e-13 * size[row]
        return row[keep], column[keep], total[keep]


@dataclass(frozen=True, slots=True, eq=False)
class _Aside:
    """Other bodies on which each body depends: those from first[b] to first[b + 1], with their steps X (k, 6, 6)."""

    first: np.ndarray
    other: np.ndarray
    X: np.ndarray

    def of(self, body: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What rows z (n, 6) at `body` (n,) give to others: which row, which body, (k, 6)."""
        if not len(self.other):
            return self.other, self.other, np.zeros((0, 6))
        count = self.first[body + 1] - self.first[body]
        which = np.repeat(np.arange(len(body)), count)
        link = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count) + self.first[body[which]]
        return which, self.other[link], (z[which, None, :] @ self.X[link])[:, 0, :]


def _met(row: np.ndarray, body: np.ndarray, y: np.ndarray, bodies: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Add up what stands on the same body for the same row."""
    keys = row * bodies + body
    ordered = np.sort(keys)
    if not np.any(ordered[1:] == ordered[:-1]):
        return row, body, y
    key, index = np.unique(keys, return_inverse=True)
    place = 6 * index[:, None] + np.arange(6)
    return key // bodies, key % bodies, _sums(place.ravel(), y.ravel(), (len(key), 6))


def _sums(place: np.ndarray, values: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An array of that shape with values (n,) added up at flat places (n,)."""
    return np.bincount(place, weights=values, minlength=math.prod(shape)).astype(float).reshape(shape)


def _count_within(group: np.ndarray) -> np.ndarray:
    """0, 1, 2, ... within each run of equal numbers (equal numbers stand together)."""
    if not len(group):
        return np.zeros(0, dtype=int)
    start = np.concatenate(([True], group[1:] != group[:-1]))
    first = np.flatnonzero(start)
    return np.arange(len(group)) - np.repeat(first, np.diff(np.concatenate((first, [len(group)]))))
