"""Which constraint rows are independent and which measures are coordinates, decided in the space of the spanning tree.

The tree joints' rows and coordinates form a square, block-triangular matrix J_tree that is never singular. In its
coordinates theta (u = B theta'), only the loop rows L = G_loop B remain to be judged: they fall into independent blocks
(loops that share no coordinate), each small, and every decision is made inside a block.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.numerics.assembly import Triplets
from eigenbody.numerics.linear import DENSE_LIMIT, Factor, factor, matrix, stack
from eigenbody.numerics.rank import Basis, components, pivot_rows
from eigenbody.system.measureset import MeasureSet, as_variations, merge
from eigenbody.system.system import System


@dataclass(frozen=True, slots=True)
class Selection:
    """Result of a selection: holonomic rows and slip rows kept, and the measures chosen as coordinates."""

    rows: np.ndarray  # independent holonomic rows, ascending
    redundant: np.ndarray  # dependent holonomic rows
    slip_rows: np.ndarray
    redundant_slips: np.ndarray
    positions: np.ndarray  # named measures chosen as position coordinates
    velocities: np.ndarray  # named measures chosen as velocity coordinates (a subset of positions)
    dropped: np.ndarray  # wished-for measures that turned out dependent


class TreeSpace:
    """The mechanism at one configuration in the coordinates of its spanning tree."""

    def __init__(self, mechanics: Mechanics) -> None:
        self.mechanics = mechanics
        self.system = mechanics.system
        self.is_sparse = self.system.nq > DENSE_LIMIT
        self.scale = np.where(self.system.is_angular, 1.0, self.system.length)

    @property
    def size(self) -> int:
        return len(self.system.tree_coordinates)

    def constraint_rows(self) -> Any:
        shape = (self.system.constraints.count, self.system.nq)
        return matrix(self.mechanics.holonomic.rows(), shape, self.is_sparse)

    def factor(self, G: Any) -> Factor:
        """J_tree: rows of the tree joints, then the tree coordinates."""
        walk = measure_rows(self.mechanics, coordinate_set(self.system, self.system.tree_coordinates), self.is_sparse)
        return factor(stack([G[self.system.tree_rows], walk]))

    def in_tree(self, tree: Factor, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        """Rows (m, nq) seen in scaled tree coordinates (m, nt), and the scale of each row."""
        full = rows if isinstance(rows, np.ndarray) else rows.toarray()
        full = np.real(full)
        size = np.sqrt(((full * self.scale) ** 2).sum(axis=-1))
        columns = tree.solve_transposed(full.T.copy()).T[:, len(self.system.tree_rows) :]
        dimensions = self.system.dimensions
        length = self.system.length
        stretch = np.array([length if dimensions[i] == "m" else 1.0 for i in self.system.tree_coordinates])
        return np.real(columns) * stretch, np.maximum(size, 1e-300)


def coordinate_set(system: System, index: np.ndarray) -> MeasureSet:
    """Named measures as coordinates: rotation vectors vary by small rotations."""
    counter = system.named.turn_counter[index]
    return as_variations(merge(system.named.subset(index), len(index), system.dof, counter))


def measure_rows(mechanics: Mechanics, measures: MeasureSet, is_sparse: bool, what: str = "gradient") -> Any:
    """Derivative rows of measures as a matrix (measures, nq)."""
    jet = measures.jet(mechanics.at, mechanics.state.turns)
    rows = [Triplets.of_rows(np.arange(measures.count), measures.columns, getattr(jet, what))]
    return matrix(rows, (measures.count, mechanics.system.nq), is_sparse)


def select(mechanics: Mechanics, wishes: Iterable[int] = (), by_order: bool = False) -> Selection:
    """Choose independent rows and coordinates.

    Wishes are taken in order as far as they are independent. The rest is filled from the tree coordinates: in walking
    order when `by_order` (the initial state rule), else by pivoting for good conditioning.
    """
    system = mechanics.system
    loops, walk = system.loop_rows, system.tree_coordinates
    wanted = np.array(list(dict.fromkeys(wishes)), dtype=int)
    others = not np.isin(wanted, walk).all()
    if not len(loops) and not system.slips.count and not others:
        rest = walk[~np.isin(walk, wanted)]
        chosen = np.concatenate((wanted, rest)) if len(wanted) else walk
        empty = np.zeros(0, dtype=int)
        return Selection(np.sort(system.tree_rows), empty, empty, empty, chosen, chosen, empty)
    return _select_in_blocks(TreeSpace(mechanics), wanted, by_order)


def _select_in_blocks(space: TreeSpace, wishes: np.ndarray, by_order: bool) -> Selection:
    system, mechanics = space.system, space.mechanics
    loops, walk, nt = system.loop_rows, system.tree_coordinates, space.size
    G = space.constraint_rows()
    tree = space.factor(G)
    slip = matrix(mechanics.non_holonomic.rows(), (system.slips.count, system.nq), space.is_sparse)
    wish = measure_rows(mechanics, coordinate_set(system, wishes), space.is_sparse)
    rows, scale = space.in_tree(tree, stack([G[loops], slip, wish]))
    n_loop, n_slip = len(loops), system.slips.count
    pattern = np.abs(rows) > 1e-13 * scale[:, None]
    kept = np.zeros(len(rows), dtype=bool)
    kept_velocity = np.zeros(len(rows), dtype=bool)
    filled, filled_velocity = np.zeros(nt, dtype=bool), np.zeros(nt, dtype=bool)
    loose = np.ones(nt, dtype=bool)
    for own_rows, own_cols in components(pattern):
        loose[own_cols] = False
        block = rows[np.ix_(own_rows, own_cols)]
        _select_one(block, scale[own_rows], own_rows, own_cols, n_loop, n_slip, by_order,
                    kept, kept_velocity, filled, filled_velocity)  # fmt: skip
    filled |= loose
    filled_velocity |= loose
    keep_wish, keep_wish_v = kept[n_loop + n_slip :], kept_velocity[n_loop + n_slip :]
    positions = np.concatenate((wishes[keep_wish], walk[filled]))
    velocities = np.concatenate((wishes[keep_wish_v], walk[filled_velocity]))
    return Selection(
        rows=np.sort(np.concatenate((system.tree_rows, loops[kept[:n_loop]]))),
        redundant=loops[~kept[:n_loop]],
        slip_rows=np.flatnonzero(kept_velocity[n_loop : n_loop + n_slip]),
        redundant_slips=np.flatnonzero(~kept_velocity[n_loop : n_loop + n_slip]),
        positions=positions,
        velocities=velocities,
        dropped=wishes[~keep_wish],
    )


def _select_one(
    block: np.ndarray,
    scale: np.ndarray,
    own_rows: np.ndarray,
    own_cols: np.ndarray,
    n_loop: int,
    n_slip: int,
    by_order: bool,
    kept: np.ndarray,
    kept_velocity: np.ndarray,
    filled: np.ndarray,
    filled_velocity: np.ndarray,
) -> None:
    """Decide one block: loop rows first, then (for velocities) slip rows, then wishes, then tree coordinates."""
    is_loop, is_slip = own_rows < n_loop, (own_rows >= n_loop) & (own_rows < n_loop + n_slip)
    is_wish = own_rows >= n_loop + n_slip
    basis = Basis(block.shape[1])
    for i in np.flatnonzero(is_loop):
        kept[own_rows[i]] = kept_velocity[own_rows[i]] = basis.offer(block[i], scale[i])
    if not is_slip.any():
        positions, fill = _fill(basis, block, scale, np.flatnonzero(is_wish), np.arange(block.shape[1]), by_order)
        kept[own_rows[positions]] = kept_velocity[own_rows[positions]] = True
        filled[own_cols[fill]] = filled_velocity[own_cols[fill]] = True
        return
    at_velocity = Basis(block.shape[1])
    for i in np.flatnonzero(is_loop):
        at_velocity.offer(block[i], scale[i])
    for i in np.flatnonzero(is_slip):
        kept_velocity[own_rows[i]] = at_velocity.offer(block[i], scale[i])
    # velocities are chosen among the positions, so positions are chosen first
    positions, fill = _fill(basis, block, scale, np.flatnonzero(is_wish), np.arange(block.shape[1]), by_order)
    kept[own_rows[positions]] = True
    filled[own_cols[fill]] = True
    speeds, fill = _fill(at_velocity, block, scale, positions, fill, by_order)
    kept_velocity[own_rows[speeds]] = True
    filled_velocity[own_cols[fill]] = True


def _fill(
    basis: Basis, block: np.ndarray, scale: np.ndarray, wishes: np.ndarray, columns: np.ndarray, by_order: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Independent wishes in order, then unit rows among `columns` until the basis is complete."""
    taken = np.array([i for i in wishes if basis.offer(block[i], scale[i])], dtype=int)
    width = block.shape[1]
    unit = np.eye(width)
    if by_order:
        fill = np.array([c for c in columns if basis.offer(unit[c], 1.0)], dtype=int)
    else:
        missing = width - basis.rank
        free = basis.complement()[columns]
        fill = columns[pivot_rows(free, missing)] if missing else np.zeros(0, dtype=int)
    return taken, fill
