"""Values of named measures, and full turns counted on from one state to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.mobility.treespace import value_set
from eigenbody.system.measureset import MeasureSet
from eigenbody.system.state import State, carriers
from eigenbody.system.system import System


def values_of(system: System, state: State, index: np.ndarray, at: Carriers | None = None) -> np.ndarray:
    """Values of named measures: the speed of those that are speeds. `at` are the carriers in this state, where they are
    known already."""
    if not len(index):
        return np.zeros((*state.r.shape[:-2], 0))
    placed, counter = system.named.subset(index), system.named.turn_counter[index]
    measures = MeasureSet(len(index), tuple(placed), np.zeros((len(index), 0), dtype=int), counter)  # no derivatives
    jet = measures.jet(carriers(system, state) if at is None else at, state.turns)
    if system.speeds.isdisjoint(index.tolist()):
        return jet.value
    return np.where([i in system.speeds for i in index.tolist()], jet.rate, jet.value)


def counted(system: System, before: State, after: State, duration: np.ndarray | float = 0.0) -> State:
    """The state with full turns counted on: every angle is the one nearest to what it was, or to what its rate would
    make of it in some time (..., 1)."""
    if not len(before.turns):
        return after
    index = np.flatnonzero(system.named.turn_counter >= 0)
    jet = value_set(system, index).jet(carriers(system, before), before.turns)
    old = jet.value + duration * jet.rate if np.any(duration) else jet.value
    new = values_of(system, after, index)
    more = np.round(np.real(old - new) / (2 * np.pi))
    turns = np.array(np.broadcast_to(after.turns, (*more.shape[:-1], after.turns.shape[-1])))
    turns[..., system.named.turn_counter[index]] += more
    return replace(after, turns=turns)
