"""The linear equations at many states of one motion at once, in the same coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.motion import solve_motion
from eigenbody.system.state import State, some_states

ENTRIES = 4_000_000  # numbers in one stack of matrices of the bodies: bounds the memory


def at_states(first: OperatingPoint, states: State) -> OperatingPoint:
    """The operating points at many states (their arrays have a leading axis) as one with that axis, in the rows and
    coordinates of `first`."""
    system = first.system
    frame = MotionFrame(Mechanics(system, states), first.chosen, is_sparse=False)
    motion = solve_motion(frame)
    mechanics = motion.mechanics(frame.mechanics)
    return replace(first, state=mechanics.state, motion=motion, mechanics=mechanics, frame=frame.accelerated(mechanics))


def state_matrices(first: OperatingPoint, states: State) -> np.ndarray:
    """A (states, n, n) of x' = A x at each of the states, in the coordinates of `first`."""
    chunk = max(1, ENTRIES // max(first.system.nq, 1) ** 2)
    count = len(np.asarray(states.t))
    parts = [some_states(states, slice(begin, begin + chunk)) for begin in range(0, count, chunk)]
    return np.concatenate([matrices_at(at_states(first, some)) for some in parts])


def matrices_at(many: OperatingPoint) -> np.ndarray:
    """A (states, n, n) of an operating point with a leading axis over states."""
    found = VariationalEquations(many).state_space.A
    return np.broadcast_to(found, (len(many.state.r), *found.shape[-2:]))
