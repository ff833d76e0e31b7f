"""Projection onto the free motion: the square systems that turn coordinates into motion of all bodies.

Positions:   [G; s_q] dq = [0; dS]                 dq = P dS
Velocities:  [G; N; s_q] du = ...                  du = Pv dW + ...
(G, N: independent rows only; Negrut & Ortiz 2006, Eqs. 17 and 23, with T = I.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.copies import LeanCopies
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.numerics.matrices.assembly import Triplets
from eigenbody.numerics.matrices.branches import Branches, branches_of
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, BatchFactor, Factor, blocks, factor, matrix, rows_of, stack
from eigenbody.system.measureset import MeasureSet, SetJet

EPS = np.finfo(float).eps
ROUNDED = 2  # units in the last place of an entry of P, refined
DOUBTFUL = 1e-13  # an entry of P below this part of the largest may be rounding
NOTHING = 256 * EPS  # part of a correction that may be left of an entry that is zero
MANY = 60  # coordinates from which it pays to look for branches that move different bodies
CACHED = 2**16  # entries of columns that are solved for at a time
KEPT = 6000  # coordinates of bodies up to which an operating point keeps its factorized rows


def measure_rows(mechanics: Mechanics, measures: MeasureSet, is_sparse: bool, what: str = "gradient") -> Any:
    """Derivative rows of measures as a matrix (measures, nq)."""
    jet = measures.jet(mechanics.at, mechanics.state.turns)
    return _jet_rows(mechanics, measures, jet, is_sparse, what)


def _jet_rows(mechanics: Mechanics, measures: MeasureSet, jet: SetJet, is_sparse: bool, what: str) -> Any:
    rows = [Triplets.of_rows(np.arange(measures.count), measures.columns, getattr(jet, what))]
    return matrix(rows, (measures.count, mechanics.system.nq), is_sparse)


def _renumbered(
    parts: Iterable[Triplets], kept: Sequence[int] | np.ndarray, count: int, first: int, dropped: int
) -> list[Triplets]:
    """The `kept` of `count` rows numbered from `first` on; the others get the number `dropped`."""
    number = np.full(count, dropped)
    number[kept] = np.arange(first, first + len(kept))
    return [Triplets(number[p.rows], p.cols, p.values) for p in parts]


class MotionFrame(LeanCopies):
    """Constraint rows and coordinate rows at one state, factorized once. `same` is a frame at the same positions and in
    the same rows and coordinates, whatever accelerates: what it factorizes serves here too."""

    def __init__(
        self, mechanics: Mechanics, chosen: Selection, is_sparse: bool | None = None, same: MotionFrame | None = None
    ) -> None:
        self.mechanics = mechanics
        self.chosen = chosen
        self._same = same
        self.system = mechanics.system
        self.is_sparse = self.system.nq > DENSE_LIMIT if is_sparse is None else is_sparse
        self.has_slips = bool(self.system.slips.count)

    @cached_property
    def positions(self) -> MeasureSet:
        """The position coordinates."""
        return coordinate_set(self.system, self.chosen.positions) if self._same is None else self._same.positions

    @cached_property
    def speeds(self) -> MeasureSet:
        """The coordinates whose rates are the velocity coordinates."""
        if self._same is not None:
            return self._same.speeds
        return coordinate_set(self.system, self.chosen.velocities) if self.has_slips else self.positions

    def accelerated(self, mechanics: Mechanics) -> MotionFrame:
        """The same frame for mechanics with accelerations at the same state; what was factorized is kept if small."""
        is_small = self.system.nq <= KEPT
        if is_small and mechanics is self.mechanics:
            return self
        return MotionFrame(mechanics, self.chosen, self.is_sparse, (self._same or self) if is_small else None)

    @property
    def unaccelerated(self) -> MotionFrame:
        """The frame from which this one has what was factorized."""
        return self._same or self

    def of(self, mechanics: Mechanics) -> MotionFrame:
        """The same frame for other mechanics in which everything stands, moves and is measured as here."""
        return MotionFrame(mechanics, self.chosen, self.is_sparse, self)

    def held(self, what: str) -> Any:
        """Rows of the independent constraints: "gradient", "rate_q", "acceleration_q", "acceleration_u"."""
        system, m = self.system, self.mechanics
        G = matrix(m.holonomic.rows(what), (system.constraints.count, system.nq), self.is_sparse)
        G = rows_of(G, self.chosen.rows)
        if not self.has_slips:
            return G
        N = matrix(m.non_holonomic.rows(what), (system.slips.count, system.nq), self.is_sparse)
        return stack([G, rows_of(N, self.chosen.slip_rows)])

    def speed_rows(self, what: str) -> Any:
        return _jet_rows(self.mechanics, self.speeds, self.speed_jet, self.is_sparse, what)

    def position_rows(self, what: str) -> Any:
        return _jet_rows(self.mechanics, self.positions, self.position_jet, self.is_sparse, what)

    @cached_property
    def position_jet(self) -> SetJet:
        """The position coordinates as measures."""
        if self._moves_alike is not None:
            jet = self._moves_alike.position_jet
            return jet if jet.at is self.mechanics.at else jet.accelerated(self.mechanics.at)
        return self.positions.jet(self.mechanics.at, self.mechanics.state.turns)

    @cached_property
    def speed_jet(self) -> SetJet:
        """The velocity coordinates as measures."""
        if not self.has_slips:
            return self.position_jet
        if self._moves_alike is not None:
            jet = self._moves_alike.speed_jet
            return jet if jet.at is self.mechanics.at else jet.accelerated(self.mechanics.at)
        return self.speeds.jet(self.mechanics.at, self.mechanics.state.turns)

    @property
    def _moves_alike(self) -> MotionFrame | None:
        """A frame in the same state, whatever accelerates."""
        return self._same if self._same is not None and self._same.mechanics.state is self.mechanics.state else None

    @cached_property
    def rows_at_velocity(self) -> Any:
        """[G; N; s_q], square."""
        return self.velocity_rows("gradient") if self._same is None else self._same.rows_at_velocity

    @cached_property
    def rows_at_position(self) -> Any:
        """[G; s_q], square."""
        if self._same is not None:
            return self._same.rows_at_position
        return self._square("gradient", self.positions, self.position_jet) if self.has_slips else self.rows_at_velocity

    def velocity_rows(self, what: str) -> Any:
        """Derivatives of the independent constraints, then of the velocity coordinates, as one square matrix."""
        return self._square(what, self.speeds, self.speed_jet, self.chosen.slip_rows)

    @cached_property
    def at_velocity(self) -> Factor:
        return factor(self.rows_at_velocity) if self._same is None else self._same.at_velocity

    @cached_property
    def at_position(self) -> Factor:
        if self._same is not None:
            return self._same.at_position
        return factor(self.rows_at_position) if self.has_slips else self.at_velocity

    def _square(
        self, what: str, coordinates: MeasureSet, jet: SetJet, slip_rows: Sequence[int] | np.ndarray = ()
    ) -> Any:
        """Derivatives of the independent constraints, then of the coordinates."""
        system, first = self.system, len(self.chosen.rows)
        held = self.mechanics.holonomic.rows(what)
        parts = _renumbered(held, self.chosen.rows, system.constraints.count, 0, system.nq)
        if len(slip_rows):
            slips = self.mechanics.non_holonomic.rows(what)
            parts += _renumbered(slips, slip_rows, system.slips.count, first, system.nq)
        own = np.arange(first + len(slip_rows), system.nq)
        parts.append(Triplets.of_rows(own, coordinates.columns, getattr(jet, what)))
        return matrix(parts, (system.nq, system.nq), self.is_sparse)

    @cached_property
    def P(self) -> np.ndarray:
        """dq = P dS, (nq, positions)."""
        if self._same is not None:
            return self._same.P
        return self._unit(self.rows_at_position, self.at_position, self.positions.count)

    @cached_property
    def Pv(self) -> np.ndarray:
        """du = Pv dW at fixed position, (nq, velocities)."""
        if self._same is not None:
            return self._same.Pv
        return self._unit(self.rows_at_velocity, self.at_velocity, self.speeds.count) if self.has_slips else self.P

    def _unit(self, rows: Any, J: Factor, count: int) -> np.ndarray:
        """The last `count` columns of the inverse, refined once: an error is then of the size of the entry alone, and
        what pivoting left in place of a zero (a body that this coordinate does not move) is zero again."""
        if isinstance(J, BatchFactor):
            return J.last_columns(count)
        n = self.system.nq
        if np.iscomplexobj(rows):
            return np.ascontiguousarray(J.solve(_unit_columns(n, slice(n - count, n))))
        if self.branches is not None and rows is self.rows_at_position:
            return self.branches.spread(_refined(rows, J, self.branches.units(), self.branches.largest))
        first = n - count
        return _by_columns(
            (n, count), lambda b: _refined(rows, J, _unit_columns(n, slice(first + b.start, first + b.stop)))
        )

    @cached_property
    def branches(self) -> Branches | None:
        """How coordinates of branches that move different bodies are solved for together; None where it does not pay:
        small mechanisms, chains, and what loops tie together."""
        if self._same is not None:
            return self._same.branches
        depth, count = self.system.tree.depth, self.positions.count
        if not self.is_sparse or count < MANY or 4 * depth > count or np.iscomplexobj(self.rows_at_position):
            return None
        return branches_of(self.rows_at_position, self.system.body_columns // 6, count, count // 4)

    def rounding_of_P(self) -> np.ndarray:
        """Error (nq, positions) of the entries of P: what rounding of the rows makes of it, found by one sample of
        random sign, and the whole of those entries that are no larger than rounding beside the others."""
        P = self.P
        if P.ndim > 2:
            return ROUNDED * EPS * np.abs(P)
        signs, sizes, branches = _random_signs(P.shape), abs(self.rows_at_position), self.branches

        def error(size: np.ndarray, signs: np.ndarray, largest: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
            load = sizes @ size
            load *= signs
            out = np.abs(self.at_position.solve(np.asfortranarray(load)), order="C")
            out += size
            out *= ROUNDED * EPS
            return np.add(out, size, out=out, where=size <= DOUBTFUL * largest(size))

        if branches is not None:
            row = np.arange(len(P))[:, None]
            own = np.where(branches.equation >= 0, signs[row, branches.equation], 0)
            return branches.spread(error(branches.shared(np.abs(P)), own, branches.largest))
        return _by_columns(P.shape, lambda block: error(np.abs(P[:, block]), signs[:, block], _largest))


def _by_columns(shape: tuple[int, ...], found: Callable[[slice], np.ndarray]) -> np.ndarray:
    """An array (rows, columns) by as many of its columns at a time as fit the cache; rows together in memory, since
    sparse matrices are multiplied with it."""
    parts = blocks(shape[1], max(CACHED // max(shape[0], 1), 32))
    if len(parts) == 1:
        return np.ascontiguousarray(found(parts[0]))
    out = np.empty(shape)
    for part in parts:
        out[:, part] = found(part)
    return out


def _random_signs(shape: tuple[int, ...]) -> np.ndarray:
    """1 and -1, the same ones every time: the bits of random bytes."""
    count = shape[0] * shape[1]
    words = np.random.default_rng(9).integers(0, 256, (count + 7) // 8, dtype=np.uint8)
    return 2 * np.unpackbits(words, count=count).view(np.int8).reshape(shape) - 1


def _unit_columns(n: int, chosen: slice) -> np.ndarray:
    """Columns of the unit matrix of order n."""
    own = np.arange(chosen.start, chosen.stop)
    out = np.zeros((n, len(own)), order="F")
    out[own, own - chosen.start] = 1.0
    return out


def _largest(columns: np.ndarray) -> np.ndarray:
    """Largest entry of each column."""
    return columns.max(axis=0, initial=0.0)


def _refined(
    rows: Any, J: Factor, units: np.ndarray, largest: Callable[[np.ndarray], np.ndarray] = _largest
) -> np.ndarray:
    """Columns of the inverse of `rows` for unit right sides, refined once, without what pivoting left in place of
    zeros; `largest` finds the largest entry of the column that each entry belongs to."""
    found = J.solve(units)
    if not isinstance(rows, np.ndarray):
        found = np.ascontiguousarray(found)
    off = rows @ found
    off -= units
    left = 0.0
    if off.any():
        off = J.solve(np.asfortranarray(off))
        found -= off
        left = np.abs(off, out=off)
    level = np.abs(found)
    np.copyto(found, 0.0, where=level <= NOTHING * np.maximum(left, EPS * largest(level)))
    return found
