"""Angles of a sequence as initial values: three together are a rotation, whichever pose the drawing shows.

Given one by one they are measures like all others. Given together they are brought in as the rotation vector of the
rotation that they describe, so that a sequence that is singular in the drawing (zxz where nothing is turned) can start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.turns import values_of
from eigenbody.spatial.rotations import from_sequence, log
from eigenbody.system.system import AngleSequence, System


def _given_together(system: System) -> Iterator[tuple[AngleSequence, np.ndarray]]:
    """Sequences all of whose angles are given, with the places of these among the given values."""
    place = {int(measure): k for k, measure in enumerate(system.positions.measure)}
    for item in system.sequences:
        if all(i in place for i in item.angles.tolist()):
            yield item, np.array([place[i] for i in item.angles.tolist()])


def given_as_rotation_vectors(system: System) -> System:
    """The system with rotation vectors in place of angles that are given together."""
    given = system.positions
    measure, value = np.array(given.measure), np.array(given.value)
    for item, own in _given_together(system):
        measure[own], value[..., own] = item.vector, log(from_sequence(item.sequence, given.value[..., own]))
    return replace(system, positions=replace(given, measure=measure, value=value))


def with_given_turns(system: System, there: Mechanics) -> Mechanics:
    """The mechanism at its positions, with as many full turns of the angles as were given."""
    state, counter = there.state, system.named.turn_counter
    turns = np.array(state.turns)
    for item, own in _given_together(system):
        more = np.round(np.real(system.positions.value[..., own] - values_of(system, state, item.angles)) / (2 * np.pi))
        counted = counter[item.angles] >= 0
        turns[..., counter[item.angles[counted]]] += more[..., counted]
    return Mechanics(system, replace(state, turns=turns))
