"""Settling at fixed rates: down the slope of the amended potential, so that stable steady motions attract and unstable
ones do not.

In the coordinates that are free, M S'' = force at rates held fixed, and its slope is -K. The step (K + mu M)^-1 M S''
of limited length is Newton's near a stable steady motion; far away, and where K is not positive, it follows the motion
that the forces begin.
"""

from __future__ import annotations

import numpy as np

from eigenbody.base.errors import ComputationError, InputError
from eigenbody.mobility.coordinates import unit_of
from eigenbody.operating.steady.equations import Residual, SteadyEquations, Trial, equations
from eigenbody.operating.steady.task import Task

STEPS = 120
LONGEST = 0.3  # motion of a body in a step: rad, lengths of the mechanism
FARTHEST = 25.0  # way in the same units after which the coordinates are taken to run away
PATIENCE = 12  # steps in which the imbalance becomes no less than it was in as many before: no rest is near
RUNS_AWAY = 12  # steps one after the other in which the force along them grows
HALVINGS = 8
BEYOND = 0.5  # force against the step, relative to that along it at its start, at which it is too long
SETTLED = 1e-6  # step, in the same units, at which Newton's method may take over
FLAT = 1e-9  # curvature, relative to the largest, of a direction that nothing holds


def free_directions(now: SteadyEquations, task: Task) -> np.ndarray:
    """Basis (coordinates, k) of the changes of position that keep prescribed values and leave moving coordinates."""
    chosen = now.trial.chosen
    n, nW = len(chosen.positions), len(chosen.velocities)
    unit = unit_of(now.trial.system, chosen.positions)
    first = now.balances
    rows = now.J[first : first + len(task.values), :n] * unit
    moving = np.eye(n)[np.isin(chosen.positions, task.moving)]
    fixed = np.vstack((rows, moving))
    if n != nW or not n:
        return np.zeros((n, 0))
    _, s, Vt = np.linalg.svd(fixed) if len(fixed) else (None, np.zeros(0), np.eye(n))
    rank = int(np.sum(s > 1e-10 * s.max(initial=0.0))) if len(s) else 0
    return unit[:, None] * Vt[rank:].T


def settled(start: Trial, task: Task, idle: np.ndarray, pace: float) -> tuple[Trial | None, int]:
    """Where the free coordinates come to rest, None if they run away; and the number of steps taken."""
    trial, way, growing, before = start.recharted(task), 0.0, 0, 0.0
    sizes: list[float] = []
    for count in range(STEPS):
        now = equations(trial, task, idle, pace)
        step = _descent(now, free_directions(now, task))
        size = now.reach(step)
        if size < SETTLED:
            return trial, count
        pull = float(step @ (now.M @ now.accelerations))
        growing, before = growing + 1 if pull > before else 0, pull
        ahead, share = _downhill(now, task, idle, step, pull)
        way += share * size
        sizes.append(now.size)
        if ahead is None or way > FARTHEST or growing > RUNS_AWAY or _is_in_vain(sizes):
            return None, count
        trial = ahead.recharted(task)
    return None, STEPS


def _is_in_vain(sizes: list[float]) -> bool:
    """Whether the imbalance at the last steps is what it was at those before."""
    recent, before = sizes[-PATIENCE:], sizes[-2 * PATIENCE : -PATIENCE]
    return len(before) == PATIENCE and min(recent) > 0.9 * float(np.median(before))


def _downhill(
    now: SteadyEquations, task: Task, idle: np.ndarray, step: np.ndarray, pull: float
) -> tuple[Trial | None, float]:
    """Go along the step, but not far beyond the place where the force along it vanishes."""
    share = 1.0
    for _ in range(HALVINGS):
        ahead = pushed(now.trial, task, share * step)
        if ahead is not None and _pull(ahead, task, idle, step) >= -BEYOND * pull:
            return ahead, share
        share /= 2
    return None, share


def _pull(trial: Trial, task: Task, idle: np.ndarray, step: np.ndarray) -> float:
    """Force along a step: what the step times the mass would have to be accelerated by. Against it without bound where
    the model has no values (beyond a table)."""
    try:
        there = Residual(trial, task, idle)
    except (ComputationError, InputError):
        return -np.inf
    force = there.point.mechanics.inertia_times(there.frame.Pv @ there.acceleration)
    return float((there.frame.Pv @ step) @ force)


def _descent(now: SteadyEquations, N: np.ndarray) -> np.ndarray:
    """Newton's step if it leads down and is not too long, else that of (K + mu M) of the greatest length allowed."""
    if not N.shape[1]:
        return np.zeros(len(N))
    from scipy.linalg import eigh

    M, K = N.T @ now.M @ N, N.T @ now.K @ N
    force = N.T @ (now.M @ now.accelerations)
    curvature, modes = eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
    largest = float(np.abs(curvature).max(initial=0.0))
    held = np.abs(curvature) > FLAT * largest
    if not np.any(held):
        return np.zeros(len(N))
    curvature, modes, motion = curvature[held], modes[:, held], N @ modes[:, held]
    pull = modes.T @ force
    least = max(0.0, -float(curvature.min()) * (1 + 1e-9))
    if least == 0.0 and now.reach(motion @ (pull / curvature)) <= LONGEST:
        return motion @ (pull / curvature)
    low, high = least + 1e-12 * largest, least + largest
    while now.reach(motion @ (pull / (curvature + high))) > LONGEST:
        high *= 10
    for _ in range(40):
        middle = np.sqrt((low - least) * (high - least)) + least
        too_long = now.reach(motion @ (pull / (curvature + middle))) > LONGEST
        low, high = (middle, high) if too_long else (low, middle)
    return motion @ (pull / (curvature + high))


def pushed(trial: Trial, task: Task, change: np.ndarray) -> Trial | None:
    """The trial with its coordinates changed, all else as it is; None if the mechanism cannot go there."""
    try:
        return trial.moved(task, change, trial.rates, trial.inner(task), trial.parameters)
    except (ComputationError, InputError):
        return None
