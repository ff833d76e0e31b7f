"""One-sided constraints: which of them are closed at the start, so that they hold like any other row.

A driver with a `side` holds its measure at a value from one side only. It is open where the measure has left the value;
where it touches, it is closed as long as it pushes. One after the other those that would pull are released.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.mobility.closing import with_closed_joints
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.initial import initial_mechanics, initial_state
from eigenbody.mobility.motion import solve_motion
from eigenbody.mobility.partition import select
from eigenbody.mobility.turns import values_of
from eigenbody.model.description import Description, Entry
from eigenbody.model.frozen import FrozenDict
from eigenbody.numerics.runtime import without_collection
from eigenbody.system.compile import compile_system
from eigenbody.system.given import AT_START
from eigenbody.system.signals import SignalCompiler
from eigenbody.system.system import System

TOUCHES = 1e-9  # distance that counts as contact, relative to the mechanism's length
SIDES = {"above": 1.0, "below": -1.0}


@without_collection
def compiled(description: Description) -> System:
    """The compiled system with its one-sided constraints open or closed as they are at the start."""
    if not any(entry.get("side") is not None for entry in description.drivers):
        return with_closed_joints(compile_system(description))
    closed = _touching(description)
    for _ in range(1 + len(closed)):
        system = with_closed_joints(compile_system(_with(description, closed)))
        pulling = _worst_pull(system, closed) if closed else None
        if pulling is None:
            return system
        closed = closed - {pulling}
    raise ComputationError("The one-sided constraints found no consistent state: each release closes another.")


def _with(description: Description, closed: frozenset[str]) -> Description:
    """The description with every one-sided driver marked as open or closed."""
    drivers = tuple(
        Entry(e.name, e.type, FrozenDict({**e.values, "closed": e.name in closed}), e.where)
        if e.get("side") is not None
        else e
        for e in description.drivers
    )
    return replace(description, drivers=drivers)


def _touching(description: Description) -> frozenset[str]:
    """One-sided drivers whose measure, with all of them open, is at their value or beyond it."""
    system = with_closed_joints(compile_system(_with(description, frozenset())))
    state = initial_state(system)
    touching = set()
    compiler = SignalCompiler((), (), (), lambda name: 0, lambda name: False)
    for entry in description.drivers:
        if entry.get("side") is not None:
            value = np.real(compiler.compile(entry["motion"], 0, where=entry.where).value(AT_START))
            measure = np.real(values_of(system, state, np.array([system.aliases[entry["measure"]]]))[0])
            if SIDES[entry["side"]] * (measure - value) <= TOUCHES * max(1.0, system.length):
                touching.add(entry.name)
    return frozenset(touching)


def _worst_pull(system: System, closed: frozenset[str]) -> str | None:
    """The closed constraint that pulls hardest, None when all push."""
    mechanics = initial_mechanics(system)
    motion = solve_motion(MotionFrame(mechanics, select(mechanics)))
    sides = {e.name: SIDES[e["side"]] for e in system.description.drivers if e.name in closed}
    pulls = {
        row.owner: sides[row.owner] * float(np.real(force))
        for row, force in zip(system.constraints.rows, motion.multipliers, strict=True)
        if row.kind == "driver" and row.owner in sides
    }
    size = max((abs(p) for p in pulls.values()), default=0.0)
    worst = max(pulls, key=lambda name: pulls[name], default=None)
    return worst if worst is not None and pulls[worst] > 1e-9 * size else None
