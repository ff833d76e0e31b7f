"""Values of outputs at an operating point."""

from __future__ import annotations

import numpy as np

from eigenbody.operation.point import OperatingPoint
from eigenbody.operation.reactions import reactions
from eigenbody.operation.treespace import value_set
from eigenbody.system.system import Load, Output

LEVELS = ("value", "rate", "acceleration")


def output_value(point: OperatingPoint, output: Output) -> float:
    """The value of one output."""
    applied = point.mechanics.applied
    if output.signal is not None:
        return float(np.real(output.signal.value(applied.now_with_accelerations)))
    if output.load is not None:
        return tension(point, output.load)
    if output.reaction is not None:
        found = reactions(point, output.reaction.axes)
        both = np.concatenate((found.force[output.reaction.joint], found.moment[output.reaction.joint]))
        return float(both[output.reaction.component])
    jet = value_set(point.system, np.array([output.measure])).jet(point.mechanics.at, point.state.turns)
    return float(np.real(getattr(jet, LEVELS[output.order])[0]))


def tension(point: OperatingPoint, load: Load) -> float:
    """Tension of a force element along one of its channels."""
    forces, now = point.system.forces, point.mechanics.applied.now
    law = forces.linear
    own = (law.owner == load.owner) & (law.i == load.channel)
    total = np.sum(law.k[own] * (now.s[law.j[own]] - law.s0[own]) + law.c[own] * now.v[law.j[own]])
    for signal in forces.signals:
        if signal.owner == load.owner and signal.target == load.channel:
            total = total + signal.value(now)
    for owner, channel, value in forces.constant_owner:
        if int(np.real(owner)) == load.owner and int(np.real(channel)) == load.channel:
            total = total + value
    return float(np.real(total))
