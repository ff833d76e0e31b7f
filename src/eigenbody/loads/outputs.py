"""Values of outputs at a state with its accelerations."""

from __future__ import annotations

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.loads.reactions import at_acceleration
from eigenbody.mobility.partition import select
from eigenbody.mobility.treespace import value_set
from eigenbody.system.system import Output, Reaction

LEVELS = ("value", "rate", "acceleration")


def output_value(mechanics: Mechanics, output: Output) -> float:
    """The value of one output at the state and accelerations of `mechanics`."""
    if output.signal is not None:
        return float(np.real(output.signal.value(mechanics.applied.now_with_accelerations)))
    if output.load is not None:
        return float(np.real(mechanics.applied.load(output.load)))
    if output.reaction is not None:
        return reaction(mechanics, output.reaction)
    jet = value_set(mechanics.system, np.array([output.measure])).jet(mechanics.at, mechanics.state.turns)
    return float(np.real(getattr(jet, LEVELS[output.order])[0]))


def reaction(mechanics: Mechanics, asked: Reaction) -> float:
    """A component of the force or moment in a joint."""
    chosen = select(mechanics, mechanics.system.coordinates)
    found = at_acceleration(mechanics.system, mechanics.state, mechanics.acceleration, chosen, asked.axes)
    return float(np.concatenate((found.force[asked.joint], found.moment[asked.joint]))[asked.component])
