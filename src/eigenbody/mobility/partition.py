"""Which constraint rows are independent and which measures are coordinates, decided in the space of the spanning tree.

Only the rows of loops (and of couplings, drivers, non-holonomic constraints) have to be judged. In tree coordinates
they fall into blocks that share no coordinate; every decision is made inside a block, and blocks of the same shape are
decided together. Tolerance: numerics.rank.TOLERANCE relative to the size of the row. Of the rows of one joint, whose
axes are of no meaning, those of which more is left are taken before those that are almost dependent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.treespace import TreeRows, TreeSpace, gradient_rows
from eigenbody.numerics.matrices.assembly import Triplets, join
from eigenbody.numerics.matrices.rank import TOLERANCE, Bases, components

LEAST_LEFT = (1e-3, 1e-6, TOLERANCE)  # parts of a row that must be left for it to be taken, in order at each


@dataclass(frozen=True, slots=True, eq=False)
class Margins:
    """How independent loop rows are: what is left of each beside those taken before it (of one that was not to be
    taken, beside all others), and which tree coordinates its loop contains, as pairs (loop row, tree coordinate)."""

    left: np.ndarray  # (loop rows,) in the scaled tree coordinates
    row: np.ndarray  # (pairs,)
    column: np.ndarray  # (pairs,)


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """Result of a selection: holonomic rows and slip rows kept, and the measures chosen as coordinates."""

    rows: np.ndarray  # independent holonomic rows, ascending
    redundant: np.ndarray  # dependent holonomic rows
    slip_rows: np.ndarray
    redundant_slips: np.ndarray
    positions: np.ndarray  # named measures chosen as position coordinates
    velocities: np.ndarray  # named measures chosen as velocity coordinates (a subset of positions)
    dropped: np.ndarray  # wished-for measures that turned out dependent
    margins: Margins | None = None  # of loop rows, where there are any

    def is_like(self, other: Selection) -> bool:
        """Whether the same rows and measures are chosen."""
        names = ("rows", "redundant", "slip_rows", "redundant_slips", "positions", "velocities", "dropped")
        return self is other or all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)


def select(
    mechanics: Mechanics, wishes: Iterable[int] = (), by_order: bool = False, without: Iterable[int] = ()
) -> Selection:
    """Choose independent rows and coordinates, `without` these loop rows: they count as redundant.

    Wishes are taken in order as far as they are independent, or, where all of them have weights in the model, at each
    turn the one whose weight times the share of it that is independent is largest. The rest is filled from the tree
    coordinates: in walking order when `by_order` (the initial state rule), else by pivoting for good conditioning.
    """
    system = mechanics.system
    walk = system.tree_coordinates
    wanted = np.array(list(dict.fromkeys(wishes)), dtype=int)
    is_tree = not len(system.loop_rows) and not system.slips.count
    if is_tree and (not len(wanted) or np.isin(wanted, walk).all()):
        chosen = np.concatenate((wanted, walk[~np.isin(walk, wanted)])) if len(wanted) else walk
        empty = np.zeros(0, dtype=int)
        return Selection(np.sort(system.tree_rows), empty, empty, empty, chosen, chosen, empty)
    return _Decision(TreeSpace(mechanics, by_value=by_order), wanted, by_order, list(without)).result()


class _Decision:
    """Rows are numbered loops first, then slips, then wishes."""

    def __init__(self, space: TreeSpace, wishes: np.ndarray, by_order: bool, without: list[int]) -> None:
        system = space.system
        self.system, self.wishes, self.by_order = system, wishes, by_order
        self.weights = None if by_order else _weights(space, wishes)
        self.n_loop, self.n_slip = len(system.loop_rows), system.slips.count
        self.count = self.n_loop + self.n_slip + len(wishes)
        self.rows: TreeRows = space.rows(self._triplets(space), self.count)
        nt = len(system.tree_coordinates)
        self.admitted = ~np.isin(system.loop_rows, without)
        self.left = np.zeros(self.n_loop)
        self.kept = np.zeros(self.count, dtype=bool)  # at position level
        self.kept_velocity = np.zeros(self.count, dtype=bool)
        self.filled = np.zeros(nt, dtype=bool)  # tree coordinates chosen
        self.filled_velocity = np.zeros(nt, dtype=bool)

    def _triplets(self, space: TreeSpace) -> Triplets:
        system, mechanics = self.system, space.mechanics
        held = join(mechanics.holonomic.rows())
        number = np.full(system.constraints.count, -1)
        number[system.loop_rows] = np.arange(self.n_loop)
        loop = number[held.rows] >= 0
        parts = [Triplets(number[held.rows[loop]], held.cols[loop], held.values[loop])]
        if self.n_slip:
            slip = join(mechanics.non_holonomic.rows())
            parts.append(Triplets(slip.rows + self.n_loop, slip.cols, slip.values))
        if len(self.wishes):
            wish = gradient_rows(mechanics, space.measures(system, self.wishes))
            parts.append(Triplets(wish.rows + self.n_loop + self.n_slip, wish.cols, wish.values))
        return join(parts)

    def result(self) -> Selection:
        for rows, columns, block, size in self._blocks():
            self._decide(rows, columns, block, size)
        system, loops, walk = self.system, self.system.loop_rows, self.system.tree_coordinates
        loop, slip = slice(0, self.n_loop), slice(self.n_loop, self.n_loop + self.n_slip)
        wish = slice(self.n_loop + self.n_slip, None)
        return Selection(
            rows=np.sort(np.concatenate((system.tree_rows, loops[self.kept[loop]]))),
            redundant=loops[~self.kept[loop]],
            slip_rows=np.flatnonzero(self.kept_velocity[slip]),
            redundant_slips=np.flatnonzero(~self.kept_velocity[slip]),
            positions=np.concatenate((self.wishes[self.kept[wish]], walk[self.filled])),
            velocities=np.concatenate((self.wishes[self.kept_velocity[wish]], walk[self.filled_velocity])),
            dropped=self.wishes[~self.kept[wish]],
            margins=self._margins(),
        )

    def _margins(self) -> Margins:
        loop = self.rows.row < self.n_loop
        return Margins(self.left, self.rows.row[loop], self.rows.column[loop])

    def _blocks(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
        """Blocks of the same shape and make-up together: rows (b, m), columns (b, n), matrices (b, m, n), sizes (b, m).

        Columns that no row touches are free: they are chosen at once.
        """
        t, nt = self.rows, len(self.filled)
        row_label, column_label = components(t.row, t.column, self.count, nt)
        labels = int(max(row_label.max(initial=-1), column_label.max(initial=-1))) + 1
        kind = np.digitize(np.arange(self.count), [self.n_loop, self.n_loop + self.n_slip])
        made_of = np.stack([np.bincount(row_label[kind == k], minlength=labels) for k in range(3)], axis=1)
        width = np.bincount(column_label, minlength=labels)
        untouched = (made_of.sum(axis=1) == 0)[column_label]
        self.filled[untouched] = self.filled_velocity[untouched] = True
        row_at, column_at = _place_within(row_label), _place_within(column_label)
        judged = (made_of.sum(axis=1) > 0) & (width > 0)
        shapes, which = np.unique(np.column_stack((made_of, width))[judged], axis=0, return_inverse=True)
        block_of = np.full(labels, -1)
        shape_of = np.full(labels, -1)
        shape_of[judged] = which
        for s, shape in enumerate(shapes):
            mine = np.flatnonzero(shape_of == s)
            block_of[mine] = np.arange(len(mine))
            m, n = int(shape[:3].sum()), int(shape[3])
            rows, columns = np.zeros((len(mine), m), dtype=int), np.zeros((len(mine), n), dtype=int)
            of_rows, of_columns = shape_of[row_label] == s, shape_of[column_label] == s
            rows[block_of[row_label[of_rows]], row_at[of_rows]] = np.flatnonzero(of_rows)
            columns[block_of[column_label[of_columns]], column_at[of_columns]] = np.flatnonzero(of_columns)
            matrices = np.zeros((len(mine), m, n))
            entry = shape_of[row_label[t.row]] == s
            r, c = t.row[entry], t.column[entry]
            matrices[block_of[row_label[r]], row_at[r], column_at[c]] = t.value[entry]
            yield rows, columns, matrices, t.size[rows]

    def _decide(self, rows: np.ndarray, columns: np.ndarray, block: np.ndarray, size: np.ndarray) -> None:
        """Loop rows first, then (for velocities) slip rows, then wishes, then tree coordinates."""
        n_loop = int((rows[0] < self.n_loop).sum())
        n_slip = int((rows[0] < self.n_loop + self.n_slip).sum()) - n_loop
        wishes = range(n_loop + n_slip, rows.shape[1])
        bases = Bases(len(rows), columns.shape[1])
        admitted = self.admitted[rows[:, :n_loop]]
        owner = np.cumsum(np.diff(self.system.loop_owners[rows[:, :n_loop]], axis=1, prepend=-1) != 0, axis=1)
        undecided = admitted.copy()
        for number in range(1, int(owner.max(initial=0)) + 1):
            for least in LEAST_LEFT:
                self._offer_loops(bases, rows, block, size, undecided, owner == number, least)
        for i in np.flatnonzero(~admitted.all(axis=0)).tolist():  # measured beside all others
            out = ~admitted[:, i]
            bases.offer(block[:, i], size[:, i], np.zeros(len(rows), dtype=bool))
            self.left[rows[out, i]] = bases.left[out]
        self.kept_velocity[rows[:, :n_loop]] = self.kept[rows[:, :n_loop]]
        at_velocity = bases.copy() if n_slip else bases
        everything = np.ones(columns.shape, dtype=bool)
        self._offer_wishes(bases, wishes, rows, block, size, self.kept)
        chosen = self._fill(bases, everything)
        self.filled[columns[chosen]] = True
        if not n_slip:
            self.kept_velocity[rows] = self.kept[rows]
            self.filled_velocity[columns[chosen]] = True
            return
        for i in range(n_loop, n_loop + n_slip):
            self.kept_velocity[rows[:, i]] = at_velocity.offer(block[:, i], size[:, i])
        self._offer_wishes(at_velocity, wishes, rows, block, size, self.kept_velocity, self.kept)
        self.filled_velocity[columns[self._fill(at_velocity, chosen)]] = True

    def _offer_loops(
        self, bases: Bases, rows: np.ndarray, block: np.ndarray, size: np.ndarray, undecided: np.ndarray,
        among: np.ndarray, least: float,
    ) -> None:  # fmt: skip
        """Loop rows `among` the undecided ones in their order, of which at least that part is left."""
        for i in np.flatnonzero((undecided & among).any(axis=0)).tolist():
            offered = undecided[:, i] & among[:, i]
            taken = bases.offer(block[:, i], size[:, i], offered, least)
            self.kept[rows[taken, i]] = True
            self.left[rows[offered, i]] = bases.left[offered]
            undecided[taken, i] = False

    def _offer_wishes(
        self, bases: Bases, wishes: range, rows: np.ndarray, block: np.ndarray, size: np.ndarray, kept: np.ndarray,
        among: np.ndarray | None = None,
    ) -> None:  # fmt: skip
        """Wishes in their order or, where all have weights, by weight and independence; velocities among positions."""
        if self.weights is None:
            for i in wishes:
                allowed = None if among is None else among[rows[:, i]]
                kept[rows[:, i]] = bases.offer(block[:, i], size[:, i], allowed)
        elif len(wishes):
            mine = rows[:, wishes]
            allowed = None if among is None else among[mine]
            weight = self.weights[mine - self.n_loop - self.n_slip]
            kept[mine] = bases.offer_by_weight(block[:, wishes], size[:, wishes], weight, allowed)

    def _fill(self, bases: Bases, columns: np.ndarray) -> np.ndarray:
        return bases.fill_in_order(columns) if self.by_order else bases.fill_by_pivoting(columns)


def _weights(space: TreeSpace, wishes: np.ndarray) -> np.ndarray | None:
    """Weights of the wishes (Negrut & Ortiz 2006, "Selection of the Linearization State"), if the user gave them."""
    system = space.system
    given = dict(zip(system.coordinates.tolist(), system.description.weights, strict=False))
    if not given or not all(int(wish) in given for wish in wishes):
        return None
    return np.array([given[int(wish)] for wish in wishes])


def _place_within(label: np.ndarray) -> np.ndarray:
    """Position of each item among those with the same label."""
    order = np.argsort(label, kind="stable")
    ordered = label[order]
    start = np.concatenate(([0], np.flatnonzero(np.diff(ordered)) + 1)) if len(label) else np.zeros(0, dtype=int)
    counts = np.diff(np.concatenate((start, [len(label)])))
    place = np.empty(len(label), dtype=int)
    place[order] = np.arange(len(label)) - np.repeat(start, counts)
    return place
