"""Values of outputs at a state with its accelerations."""

from __future__ import annotations

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.loads.reactions import at_acceleration
from eigenbody.mobility.partition import select
from eigenbody.mobility.treespace import value_set
from eigenbody.system.system import Load, Output, Reaction

LEVELS = ("value", "rate", "acceleration")


def output_value(mechanics: Mechanics, output: Output) -> float:
    """The value of one output at the state and accelerations of `mechanics`."""
    if output.signal is not None:
        return float(np.real(output.signal.value(mechanics.applied.now_with_accelerations)))
    if output.load is not None:
        return tension(mechanics, output.load)
    if output.reaction is not None:
        return reaction(mechanics, output.reaction)
    jet = value_set(mechanics.system, np.array([output.measure])).jet(mechanics.at, mechanics.state.turns)
    return float(np.real(getattr(jet, LEVELS[output.order])[0]))


def reaction(mechanics: Mechanics, asked: Reaction) -> float:
    """A component of the force or moment in a joint."""
    chosen = select(mechanics, mechanics.system.coordinates)
    found = at_acceleration(mechanics.system, mechanics.state, mechanics.acceleration, chosen, asked.axes)
    return float(np.concatenate((found.force[asked.joint], found.moment[asked.joint]))[asked.component])


def tension(mechanics: Mechanics, load: Load) -> float:
    """Tension of a force element along one of its channels."""
    forces, now = mechanics.system.forces, mechanics.applied.now
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
