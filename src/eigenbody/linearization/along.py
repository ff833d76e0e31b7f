"""The linear equations at many states of one motion at once, in the same coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.motion import solve_motion
from eigenbody.numerics.matrices.linear import matrix, rows_of
from eigenbody.system.state import State, some_states

ENTRIES = 4_000_000  # numbers in one stack of matrices of the bodies: bounds the memory
SURE = 1e-6  # share of a row beside all others from which it is surely independent of them
HOLDS = 1e-9  # what redundant rows may leave of the free motion, relative


def at_states(first: OperatingPoint, states: State) -> OperatingPoint:
    """The operating points at many states (their arrays have a leading axis) as one with that axis, in the rows and
    coordinates of `first`."""
    system = first.system
    frame = MotionFrame(Mechanics(system, states), first.chosen, is_sparse=False)
    motion = solve_motion(frame)
    mechanics = motion.mechanics(frame.mechanics)
    return replace(first, state=mechanics.state, motion=motion, mechanics=mechanics, frame=frame.accelerated(mechanics))


def chunks(first: OperatingPoint, count: int) -> list[slice]:
    """Parts of `count` states that are evaluated at once."""
    system = first.system
    measured = system.constraints.measures.columns.size + system.forces.measures.columns.size
    chunk = max(1, ENTRIES // max(system.nq**2, measured, 1))
    return [slice(begin, min(begin + chunk, count)) for begin in range(0, count, chunk)]


def state_matrices(first: OperatingPoint, states: State) -> np.ndarray:
    """A (states, n, n) of x' = A x at each of the states, in the coordinates of `first`."""
    parts = [some_states(states, part) for part in chunks(first, len(np.asarray(states.t)))]
    return np.concatenate([matrices_at(at_states(first, some)) for some in parts])


def matrices_at(many: OperatingPoint) -> np.ndarray:
    """A (states, n, n) of an operating point with a leading axis over states."""
    found = VariationalEquations(many).state_space.A
    return np.broadcast_to(found, (len(many.state.r), *found.shape[-2:]))


def serve_surely(frame: MotionFrame) -> bool:
    """Whether rows and coordinates chosen elsewhere would be chosen in every state of a frame too: they are independent
    by far, and what is redundant leaves the free motion alone."""
    system, chosen = frame.system, frame.chosen
    unit = np.where(system.is_angular, 1.0, system.length)
    rows = frame.rows_at_velocity * unit
    inverse = frame.at_velocity.solve(np.eye(system.nq)) / unit[:, None]
    shares = 1 / (np.linalg.norm(rows, axis=-1) * np.linalg.norm(inverse, axis=-2))
    if not np.all(shares > SURE):
        return False
    parts = [(frame.mechanics.holonomic.rows(), system.constraints.count, chosen.redundant, frame.P)]
    if frame.has_slips:
        parts.append((frame.mechanics.non_holonomic.rows(), system.slips.count, chosen.redundant_slips, frame.Pv))
    for triplets, count, redundant, motion in parts:
        left_out = rows_of(matrix(triplets, (count, system.nq), False), redundant)
        if np.any(np.abs(left_out @ motion) > HOLDS * (np.abs(left_out) @ np.abs(motion)).max(initial=0.0)):
            return False
    return True
