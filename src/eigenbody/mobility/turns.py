"""Values of named measures, and full turns counted on from one state to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.mobility.treespace import value_set
from eigenbody.system.state import State, carriers
from eigenbody.system.system import System


def values_of(system: System, state: State, index: np.ndarray) -> np.ndarray:
    """Values of named measures: the speed of those that are speeds."""
    jet = value_set(system, index).jet(carriers(system, state), state.turns)
    if system.speeds.isdisjoint(index.tolist()):
        return jet.value
    return np.where([i in system.speeds for i in index.tolist()], jet.rate, jet.value)


def counted(system: System, before: State, after: State) -> State:
    """The state with full turns counted on: every angle is the one nearest to what it was."""
    if not len(before.turns):
        return after
    index = np.flatnonzero(system.named.turn_counter >= 0)
    old = values_of(system, before, index)
    new = values_of(system, after, index)
    more = np.round(np.real(old - new) / (2 * np.pi))
    turns = np.array(np.broadcast_to(after.turns, (*more.shape[:-1], after.turns.shape[-1])))
    turns[..., system.named.turn_counter[index]] += more
    return replace(after, turns=turns)
