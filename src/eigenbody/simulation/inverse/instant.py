"""Accelerations and drive forces at one state, and how ways to find them are called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.simulation.inverse.prescribe import Hold, Prescribed
from eigenbody.spatial.rotations import apply, cross
from eigenbody.system.state import State


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """What a prescribed motion needs at one state."""

    acceleration: np.ndarray  # (nq,)
    forces: np.ndarray  # (k,) along the driven coordinates
    wrenches: np.ndarray  # (holds, 6)
    moments: np.ndarray  # (balls, 3)
    open: np.ndarray  # (rows,) bool
    measured: np.ndarray  # (3, k) value, rate, acceleration of the driven coordinates
    free: np.ndarray  # named measures


class Way(Protocol):
    """How states and forces are found."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of it."""
        ...

    def walk(self, instants: np.ndarray, tolerance: float, max_steps: float | None) -> Iterator[State]:
        """States at the instants."""
        ...

    def instant(self, state: State) -> Instant:
        """Accelerations and forces at a state."""
        ...


def completed(
    plan: Prescribed,
    mechanics: Mechanics,
    forces: np.ndarray,
    moments: np.ndarray,
    held: list[np.ndarray],
    is_open: np.ndarray,
    free: np.ndarray,
) -> Instant:
    """An instant with the values of the driven coordinates, and the moments of balls as forces along theirs."""
    system, state = plan.system, mechanics.state
    index = np.array([drive.measure for drive in plan.drives], dtype=int)
    jet = system.named.jet(mechanics.at, state.turns)
    measured = np.real(np.stack((jet.value[index], jet.rate[index], jet.acceleration[index])))
    for ball, moment in zip(plan.balls, moments, strict=True):
        measured[:, ball.drives] = ball.coordinates(system, state.t)
        forces[ball.drives] = ball.along_coordinates(moment, measured[0, ball.drives])
    wrenches = np.array(held).reshape(-1, 6)
    return Instant(np.asarray(mechanics.acceleration), forces, wrenches, moments, is_open, measured, free)


def at_arm(state: State, hold: Hold, wrench: np.ndarray) -> np.ndarray:
    """Force and moment (6,) at the centre of mass of a held body, ground axes, taken to its reported point."""
    arm = apply(state.R[hold.body], hold.arm)
    return np.concatenate((wrench[:3], wrench[3:] - cross(arm, wrench[:3])))
