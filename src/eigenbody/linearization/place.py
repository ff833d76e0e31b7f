"""Where a mechanism is, as the other routes are told it."""

from __future__ import annotations

import numpy as np

from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.turns import values_of
from eigenbody.routes.base import Place
from eigenbody.system.state import State
from eigenbody.system.system import System

NONE = np.zeros(0, dtype=int)


def place_of(point: OperatingPoint) -> Place:
    """Where an operating point is, with the coordinates in which it is linearized."""
    return place_at(point.system, point.state, point.chosen.positions, point.chosen.velocities)


def place_at(system: System, state: State, positions: np.ndarray = NONE, velocities: np.ndarray = NONE) -> Place:
    """Where a state is; `positions` and `velocities` are numbers of the independent measures."""
    values = np.real(values_of(system, state, np.arange(system.named.count)))
    return Place(
        r=np.array(state.r),
        R=np.array(state.R),
        v=np.array(state.v),
        w=np.array(state.w),
        x=np.array(state.x),
        inputs=np.array(state.u_in),
        t=float(np.real(state.t)),
        coordinates=dict(zip(system.names, values.tolist(), strict=True)),
        independent=tuple(system.names[i] for i in positions),
        velocities=tuple(system.names[i] for i in velocities),
        states=tuple(system.states),
    )
