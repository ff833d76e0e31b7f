"""From one configuration to another with given values of measures, constraints held.

On a tree that is one pass of forward kinematics. With loops, couplings, prescribed motions or given measures that are
no coordinates of the tree the values are followed in steps small enough that the mechanism stays on its branch (a crank
turned by 170 degrees takes its rocker along): the pass with coordinates extrapolated from the steps before is the
predictor, Newton's method with all rows closes the loops.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.forward import ForwardKinematics
from eigenbody.mobility.partition import Selection, select
from eigenbody.mobility.treespace import value_set
from eigenbody.mobility.turns import counted, values_of
from eigenbody.numerics.matrices.assembly import Triplets
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, factor, matrix, rows_of, stack
from eigenbody.system.measureset import MeasureSet
from eigenbody.system.state import State
from eigenbody.system.system import System

STEP = 0.25  # change of a coordinate per step at first: rad, or fractions of the mechanism's length
LONGEST = 1.0  # and where the predictor is good
MOST_STEPS = 400
SHORTEST = 1e-4  # part of the way, below which it is given up
ITERATIONS = 25
CONVERGED = 1e-13  # change of the configuration at which Newton's method is finished
NEXT_CONVERGED = 1e-7  # change after which the error, its square, is rounding, if the rows say so too
ROUNDING = 1e-15  # of rows and measures, in lengths of the mechanism
TOO_FAR = 1.5  # change that leaves the neighbourhood: rad, or lengths of the mechanism
UNDERWAY = 1e-2  # change at which it is near enough to the path to go on: the error is its square
GOOD = 0.02  # first correction of a predictor so good that steps are made longer
OPEN = 1e-9  # rows left out of Newton's method that are open by more are not redundant
BESIDE = 1e-3  # rad, or lengths of the mechanism: a small move of the tree's coordinates
SAME_PLACE = 1e-9  # of bodies found by their coordinates and as they are, in lengths of the mechanism
TURN = 1.0  # rad: largest sum of changes of angles between two places of a way on which turns are counted


@dataclass(frozen=True, slots=True, eq=False)
class Way:
    """From where a mechanism is to given values: of measures, and of the rows, which are open by phi at the start and
    closed at the end. Other coordinates of the walk go to zero or to what they are `settled` at."""

    measure: np.ndarray  # (n,) named measures
    start: np.ndarray  # (n,)
    end: np.ndarray  # (n,)
    phi: np.ndarray  # (rows,)
    settled: dict[int, float]

    def rows(self, share: float) -> np.ndarray:
        return (1 - share) * self.phi

    def goals(self, positions: np.ndarray, share: float) -> np.ndarray:
        """Values of the chosen coordinates after a share of the way."""
        given = dict(zip(self.measure.tolist(), self.start + share * (self.end - self.start), strict=True))
        return np.array([given.get(i, self.settled.get(i, 0.0)) for i in positions.tolist()])

    def length(self, system: System) -> float:
        """Largest change: rad, or lengths of the mechanism."""
        open_by = float(np.abs(self.phi).max(initial=0.0)) / max(system.length, 1e-300)
        unit = np.array([system.length if system.dimensions[i] == "m" else 1.0 for i in self.measure])
        change = np.real(self.end - self.start) / unit if len(unit) else np.zeros(1)
        return max(open_by, float(np.abs(change).max(initial=0.0)))


def posed(mechanics: Mechanics, way: Way) -> tuple[Mechanics, float]:
    """The mechanism at the end of a way, and how much of it was gone: 1.0, or less where the links do not reach."""
    system = mechanics.system
    if not len(system.loop_rows) and np.isin(way.measure, system.tree_coordinates).all():
        there = _on_tree(mechanics, way)
        if np.abs(there.holonomic.value).max(initial=0.0) <= OPEN * max(1.0, system.length):
            return there, 1.0
    return _Following(mechanics, way).end()


# Trees ----------------------------------------------------------------------------------------------------------------
def _on_tree(mechanics: Mechanics, way: Way) -> Mechanics:
    system, state = mechanics.system, mechanics.state
    walk, tree = system.tree_coordinates, ForwardKinematics(system)
    measures = np.concatenate((way.measure, walk[~np.isin(walk, way.measure)]))
    goals = way.goals(measures, 1.0)
    values = np.zeros((*goals.shape[:-1], system.named.count), dtype=goals.dtype)
    values[..., measures] = goals
    there = tree.configuration(state, values)
    return Mechanics(system, replace(there, turns=_turns(tree, state, there, values)))


def _turns(tree: ForwardKinematics, start: State, end: State, values: np.ndarray) -> np.ndarray:
    """Full turns at the end: what coordinates of the tree say themselves, what other angles count on the straight way
    there."""
    system = tree.system
    index = np.flatnonzero(system.named.turn_counter >= 0)
    turns = np.zeros_like(start.turns)
    if not len(index):
        return turns
    bare = values_of(system, replace(end, turns=turns), index)
    wanted = np.where(np.isin(index, system.tree_coordinates), values[..., index], np.nan)
    if np.isnan(wanted).any():
        wanted = np.where(np.isnan(wanted), _counted_along(tree, start, values, index), wanted)
    turns[..., system.named.turn_counter[index]] = np.round(np.real(wanted - bare) / (2 * np.pi))
    return turns


def _counted_along(tree: ForwardKinematics, start: State, values: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Angles at the end as they are counted on a straight way of the tree's coordinates."""
    system, walk = tree.system, tree.system.tree_coordinates
    first = np.zeros_like(values)
    first[..., walk] = values_of(system, start, walk)
    angular = [i for i in walk.tolist() if system.dimensions[i] == "rad"]
    places = 2 + int(min(np.abs(np.real(values - first))[..., angular].sum() / TURN, MOST_STEPS))
    share = np.linspace(0, 1, places)[:, None]
    way = tree.configuration(start, first + share * (values - first))
    v, w, turns = (np.broadcast_to(part, (places, *part.shape)) for part in (way.v, way.w, way.turns))
    way = replace(way, v=v, w=w, turns=turns)
    found = np.unwrap(np.real(values_of(system, way, index)), axis=0)
    return found[-1] - found[0] + np.real(values_of(system, start, index))


# Loops ----------------------------------------------------------------------------------------------------------------
class _Following:
    """The way gone in steps; `theta` (named measures,) are the tree's coordinates where the mechanism is."""

    def __init__(self, mechanics: Mechanics, way: Way) -> None:
        self.system, self.way = mechanics.system, way
        self.mechanics, self.done = mechanics, 0.0
        self.tree = ForwardKinematics(self.system)
        self.theta = self._coordinates(mechanics.state)
        self.rows_count_turns = bool((self.system.constraints.measures.turn_counter >= 0).any())
        self.is_exact = self._is_exact()
        self.passed = [(0.0, self.theta)]  # shares of the way and the tree's coordinates there
        self._choose()

    def _choose(self) -> None:
        self.chosen, self.chosen_at = select(self.mechanics, self.way.measure, by_order=True), self.done
        walk = self.system.tree_coordinates
        positions = self.chosen.positions
        index = np.concatenate((walk, positions[~np.isin(positions, walk)]))
        place = np.zeros(self.system.named.count, dtype=int)
        place[index] = np.arange(len(index))
        self.measures, self.own = value_set(self.system, index), place[positions]

    def _coordinates(self, state: State) -> np.ndarray:
        values = np.zeros(self.system.named.count, dtype=np.result_type(state.r, state.R))
        values[self.system.tree_coordinates] = values_of(self.system, state, self.system.tree_coordinates)
        return values

    def _is_exact(self) -> bool:
        """Whether the coordinates are all that the tree's configuration depends on: here, and where the tree is moved a
        little its rows still hold (those of the nodes of a flexible body do not: they depend on its modes)."""
        state, walk = self.mechanics.state, self.system.tree_coordinates
        there = self.tree.configuration(state, self.theta)
        off = np.abs(there.r - state.r).max(initial=0.0) / _length(self.system)
        if max(off, np.abs(there.R - state.R).max(initial=0.0)) >= SAME_PLACE:
            return False
        beside = np.array(self.theta)
        beside[walk] += BESIDE * self._units(walk) * np.linspace(0.5, 1.0, len(walk))
        change = np.abs(self._at(beside).holonomic.value - self.mechanics.holonomic.value)
        return bool(np.delete(change, self.system.loop_rows).max(initial=0.0) < SAME_PLACE * _length(self.system))

    def end(self) -> tuple[Mechanics, float]:
        """The mechanism at the end, or where no step leads on, and how much of the way that is."""
        length = self.way.length(self.system)
        width = 1.0 / max(1, min(int(np.ceil(length / STEP)), MOST_STEPS))
        longest = max(width, min(1.0, LONGEST / max(length, 1e-300)))
        while self.done < 1.0:
            correction = self._step(min(1.0, self.done + width))
            if correction is None:
                if width <= SHORTEST:
                    break
                width /= 2
            elif correction < GOOD:
                width = min(2 * width, longest)
        return self.mechanics, self.done

    def _step(self, share: float) -> float | None:
        """Go on to a share of the way; the size of the predictor's error, None where it does not get there."""
        for again in (False, True):
            if again and self.chosen_at == self.done:
                break
            if again:  # other rows and coordinates may be independent by now
                self._choose()
            predicted = None if again else self._predicted(share)
            for theta in (self.theta,) if predicted is None else (predicted, self.theta):
                found = self._newton(theta, share)
                if found is not None:
                    ahead, theta, correction = found
                    self._arrive(ahead, theta, share)
                    return correction if len(self.passed) > 2 else np.inf
        return None

    def _arrive(self, ahead: Mechanics, theta: np.ndarray, share: float) -> None:
        state = counted(self.system, self.mechanics.state, ahead.state)
        is_same = np.array_equal(state.turns, ahead.state.turns)
        self.mechanics, self.done = ahead if is_same else Mechanics(self.system, state), share
        self.theta = theta if self.is_exact else self._coordinates(state)
        self.passed = [*self.passed[-2:], (share, self.theta)]

    def _predicted(self, share: float) -> np.ndarray | None:
        """The tree's coordinates extrapolated from the places passed (Lagrange)."""
        if len(self.passed) < 2 or not self.is_exact:
            return None
        at = [place for place, _ in self.passed]
        weights = [np.prod([(share - b) / (a - b) for b in at if b != a]) for a in at]
        return np.sum([w * theta for w, (_, theta) in zip(weights, self.passed, strict=True)], axis=0)

    def _newton(self, theta: np.ndarray, share: float) -> tuple[Mechanics, np.ndarray, float] | None:
        """Solve Phi = phi with the given measures and the walk's at their goals; with the tree's coordinates there and
        the size of the first correction. None if it fails."""
        system, chosen, phi = self.system, self.chosen, self.way.rows(share)
        goals, is_end = self.way.goals(chosen.positions, share), share == 1.0
        mechanics = self.mechanics if theta is self.theta else self._at(theta)
        size, first = np.inf, 0.0
        for count in range(ITERATIONS):
            jet = self.measures.jet(mechanics.at, mechanics.state.turns)
            off = self._nearest(jet.value[self.own] - goals)
            residual = np.concatenate(((mechanics.holonomic.value - phi)[chosen.rows], off))
            if size < NEXT_CONVERGED and np.abs(residual).max(initial=0.0) <= ROUNDING * _length(system):
                break
            found = self._moved(mechanics, theta, jet.gradient, residual)
            if found is None:
                return None
            mechanics, theta, size = found
            first = size if count == 0 else first
            if size < (CONVERGED if is_end else UNDERWAY):
                break
        else:
            if not is_end or size > 1e-11:
                return None
        left_out = np.abs((mechanics.holonomic.value - phi)[chosen.redundant]).max(initial=0.0)
        allowed = OPEN * max(1.0, system.length) if is_end else UNDERWAY * _length(system)
        return None if left_out > allowed else (mechanics, theta, first)

    def _moved(
        self, mechanics: Mechanics, theta: np.ndarray, gradient: np.ndarray, residual: np.ndarray
    ) -> tuple[Mechanics, np.ndarray, float] | None:
        """One step of Newton's method, taken in the coordinates of the tree; its size."""
        system, walk = self.system, self.system.tree_coordinates
        own = matrix([Triplets.of_rows(np.arange(self.measures.count), self.measures.columns, gradient)],
                     (self.measures.count, system.nq), system.nq > DENSE_LIMIT)  # fmt: skip
        G = matrix(mechanics.holonomic.rows(), (system.constraints.count, system.nq), system.nq > DENSE_LIMIT)
        try:
            step = factor(stack([rows_of(G, self.chosen.rows), rows_of(own, self.own)])).solve(-residual)
        except ComputationError:
            return None
        change = (own @ step)[: len(walk)] if self.is_exact else step
        size = float(np.max(np.abs(change / self._unit()), initial=0.0))
        if not np.isfinite(size) or size > TOO_FAR:
            return None
        if not self.is_exact:
            ahead = counted(system, mechanics.state, mechanics.state.moved(system, step))
            return Mechanics(system, ahead), theta, size
        theta = theta.astype(np.result_type(theta, change))
        theta[walk] += change
        return self._at(theta, mechanics.state), theta, size

    def _at(self, theta: np.ndarray, before: State | None = None) -> Mechanics:
        """The tree with these coordinates; full turns counted on where rows need them."""
        state = self.tree.configuration(self.mechanics.state, theta)
        if self.rows_count_turns:
            state = counted(self.system, self.mechanics.state if before is None else before, state)
        return Mechanics(self.system, state)

    def _unit(self) -> np.ndarray:
        system = self.system
        if not self.is_exact:
            return np.where(system.is_angular, 1.0, _length(system))
        return self._units(system.tree_coordinates)

    def _units(self, walk: np.ndarray) -> np.ndarray:
        """Length of the mechanism for coordinates that are lengths, else 1."""
        return np.array([_length(self.system) if self.system.dimensions[i] == "m" else 1.0 for i in walk.tolist()])

    def _nearest(self, off: np.ndarray) -> np.ndarray:
        """Differences of the chosen measures without full turns, which are counted on arrival."""
        turns = np.round(np.real(off) / (2 * np.pi))
        return np.where(self.measures.turn_counter[self.own] >= 0, off - 2 * np.pi * turns, off)


def _length(system: System) -> float:
    return max(system.length, 1e-300)


def square(mechanics: Mechanics, chosen: Selection, measures: MeasureSet) -> Any:
    """Rows of the independent constraints above rows of the chosen measures; many states (leading axes) are dense."""
    system = mechanics.system
    sparse = system.nq > DENSE_LIMIT and mechanics.state.r.ndim == 2
    G = matrix(mechanics.holonomic.rows(), (system.constraints.count, system.nq), sparse)
    jet = measures.jet(mechanics.at, mechanics.state.turns)
    own = [Triplets.of_rows(np.arange(measures.count), measures.columns, jet.gradient)]
    return stack([rows_of(G, chosen.rows), matrix(own, (measures.count, system.nq), sparse)])
