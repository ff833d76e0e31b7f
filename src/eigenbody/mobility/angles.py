"""Angles of a sequence as initial values, and where three angles or a rotation vector come to their limits.

Given one by one angles are measures like all others. Given together they are brought in as the rotation vector of the
rotation that they describe, so that a sequence that is singular in the drawing (zxz where nothing is turned) can start.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.mobility.turns import values_of
from eigenbody.spatial.rotations import log
from eigenbody.system.state import State, carriers
from eigenbody.system.system import QUATERNION, AngleSequence, Given, System

SINGULAR = 1e-7  # sine (cosine) of the middle angle of a sequence, at which the other two cannot be told apart
NEAR = 1e-2  # the same, and distance of a rotation from half a turn in rad, at which an integration is stopped by it


def _given_together(system: System) -> Iterator[tuple[AngleSequence, np.ndarray]]:
    """Sequences all of whose angles are given, with the places of these among the given values."""
    place = {int(measure): k for k, measure in enumerate(system.positions.measure)}
    for item in system.sequences:
        if len(item.vector) and all(i in place for i in item.angles.tolist()):
            yield item, np.array([place[i] for i in item.angles.tolist()])


def given_as_rotation_vectors(system: System) -> System:
    """The system with rotation vectors in place of angles that are given together."""
    given = system.positions
    measure, value, kept = np.array(given.measure), np.array(given.value), np.ones(len(given.measure), dtype=bool)
    for item, own in _given_together(system):
        measure[own[:3]], value[..., own[:3]] = item.vector, log(item.rotation(given.value[..., own]))
        kept[own[3:]] = False
    where = tuple(name for name, is_kept in zip(given.where, kept.tolist(), strict=True) if is_kept)
    return replace(system, positions=Given(measure[kept], value[..., kept], where))


def without_given_angles(wanted: System, system: System) -> System:
    """`wanted` without the rows that hold some of the angles that `system` has given together: these come to their
    values as a rotation, and the rows, which may be singular on the way, hold from there on."""
    named = {f"{item.entry.name}.{k}" for item, _ in _given_together(system) if item.held for k in item.labels}
    c = wanted.constraints
    drivers = {entry.name for entry in system.description.drivers if entry["measure"] in named}
    rows = [r for r, row in enumerate(c.rows) if row.kind == "driver" and row.owner in drivers] if drivers else []
    if not rows:
        return wanted
    kept, left = ~np.isin(c.row, rows), [k for k, motion in enumerate(c.motions) if motion.row not in rows]
    loose = replace(
        c,
        row=c.row[kept],
        measure=c.measure[kept],
        coefficient=c.coefficient[..., kept],
        motions=tuple(c.motions[k] for k in left),
        turned=tuple(replace(item, motions=tuple(left.index(k) for k in item.motions)) for item in c.turned),
    )  # drivers have no constant
    return replace(wanted, constraints=loose)


def with_given_turns(system: System, there: Mechanics) -> Mechanics:
    """The mechanism at its positions, with as many full turns of the angles as were given."""
    state, counter = there.state, system.named.turn_counter
    turns = np.array(state.turns)
    for item, own in _given_together(system):
        more = np.round(np.real(system.positions.value[..., own] - values_of(system, state, item.angles)) / (2 * np.pi))
        counted = counter[item.angles] >= 0
        turns[..., counter[item.angles[counted]]] += more[..., counted]
    return Mechanics(system, replace(state, turns=turns))


# Limits ---------------------------------------------------------------------------------------------------------------
def refuse_singular_angles(system: System, state: State, among: tuple[AngleSequence, ...] | None = None) -> None:
    """No derivatives of angles are asked for where they have none."""
    asked = [item for item in system.sequences if item.used] if among is None else among
    faults = [_singular(item) for item in asked if _is_singular(system, state, item, SINGULAR)]
    if faults:
        raise InputError(faults)


def refuse_singular_start(system: System, drawing: State) -> None:
    """Angles that are given or prescribed one by one are followed from the drawing on."""
    together = {item.entry.name for item, _ in _given_together(system)}
    given = set(system.positions.measure.tolist())
    alone = [
        item
        for item in system.sequences
        if item.entry.name not in together and (item.held or not given.isdisjoint(item.angles.tolist()))
    ]
    refuse_singular_angles(system, drawing, tuple(alone))


def refuse_singular_components(system: System, state: State, coordinates: Sequence[int]) -> None:
    """Components of a quaternion as coordinates, where they do not tell rotations apart: three of them where the fourth
    is zero, fewer where one of them is all there is."""
    faults = []
    for item in (item for item in system.sequences if item.sequence == QUATERNION):
        own = np.isin(item.angles, coordinates)
        value = np.abs(np.real(values_of(system, state, item.angles)))
        names = np.array([f"{item.entry.name}.{label}" for label in item.labels])
        if own.sum() == 3 and np.any(value[..., ~own] < SINGULAR):
            what = f"the components {', '.join(names[own])} are singular here: {names[~own][0]} is zero."
            remedy = f"Take all four as coordinates (one is left out), or {names[~own][0]} and two others."
            faults.append(Fault(item.entry.where, what, remedy))
        elif own.sum() in (1, 2) and np.any(value[..., own] > 1 - SINGULAR**2):
            what = f"the component {names[own][value[..., own].argmax() % own.sum()]} is 1 or -1 here and has no slope."
            faults.append(Fault(item.entry.where, what, "Take other components as coordinates."))
    if faults:
        raise InputError(faults)


def chart_limits(system: System, state: State) -> str:
    """Which prescribed rotation components or angles in use are about to have no derivatives here, and the remedy."""
    near = [item for item in system.sequences if item.used and _is_singular(system, state, item, NEAR)]
    return " ".join([*(str(_singular(item)) for item in near), *dict.fromkeys(_half_turns(system, state))])


def _is_singular(system: System, state: State, item: AngleSequence, limit: float) -> bool:
    if item.sequence == QUATERNION:  # its components have derivatives everywhere
        return False
    middle = np.real(values_of(system, state, item.angles[1:2]))
    inside = np.sin(middle) if item.sequence[0] == item.sequence[2] else np.cos(middle)
    return bool(np.any(np.abs(inside) < limit))


def _singular(item: AngleSequence) -> Fault:
    name, ends = item.entry.name, "0 or 180" if item.sequence[0] == item.sequence[2] else "90 or -90"
    what = (
        f"the angles of the sequence {item.sequence} are singular here: {name}.2 is {ends} degrees, and {name}.1 and"
        f" {name}.3 turn about the same axis."
    )
    other = "a sequence of three different axes, such as xyz" if ends[0] == "0" else "another sequence, such as zxz"
    return Fault(item.entry.where, what, f"Use {other}, or prescribe all three angles together.")


def _half_turns(system: System, state: State) -> Iterator[str]:
    """Rows that prescribe some components of a rotation vector, near half a turn."""
    c, at = system.constraints, carriers(system, state)
    row_of = dict(zip(c.measure.tolist(), c.row.tolist(), strict=True))
    for kernel, positions in c.measures.batches:
        if isinstance(kernel, RotationComponent):
            length = np.sqrt((np.real(kernel.jet(at).s) ** 2).sum(axis=-1))
            for position in positions[length > np.pi - NEAR].tolist():
                where = c.rows[row_of[position]].where
                yield (
                    f"{where}: the rotation comes to half a turn, where the components of its rotation vector jump."
                    " Prescribe all three components, or angles of a sequence (measures of type angles)."
                )
