"""Solving the equations of a steady motion: Levenberg-Marquardt far away, Gauss-Newton of least change near by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import ComputationError, InputError
from eigenbody.operating.steady.equations import Residual, SteadyEquations, Trial, equations
from eigenbody.operating.steady.task import Task

ITERATIONS = 60
LONGEST = 0.5  # motion of a body in a step: rad, lengths of the mechanism
RANK = 1e-9  # singular values below this part of the largest count as zero
NEAR = 1e-5  # residual, in its units, below which Gauss-Newton steps are taken in full
CLOSE_BY = 0.02  # motion of a body, likewise, that is tried at once
PATIENCE = 12  # iterations in which the residual must have become clearly less
STATIONARY = 1e-5  # slope of the imbalance, relative to it, in natural units, that counts as none
FULL_STEPS = 8  # of Newton's method, tried where the damped one came to a stop
HEAVIEST = 1e10  # damping beyond which no step helps


@dataclass(frozen=True)
class Outcome:
    """Where the search ended."""

    equations: SteadyEquations
    iterations: int
    solved: bool

    @property
    def trial(self) -> Trial:
        return self.equations.trial


def solve(start: Trial, task: Task, idle: np.ndarray, pace: float) -> Outcome:
    """Search from a trial state; the outcome says whether every equation holds to rounding."""
    here = equations(start.recharted(task), task, idle, pace)
    damping, tried, sizes, near = 1e-3, 0, [here.size], True
    while tried < ITERATIONS and damping < HEAVIEST and not here.hold:
        if _is_stationary(here) or _stalls(sizes):  # nothing that may change helps
            break
        tried += 1
        damping = 0.0 if here.size < NEAR or (near and _is_close_by(here)) else damping
        ahead, size = _attempt(here, task, idle, _step(here, damping))
        if ahead is not None and size < here.size:
            here = equations(ahead.recharted(task), task, idle, pace)
            damping = damping / 10 if damping > 1e-12 else 0.0
        else:
            near = near and damping > 0
            damping = max(10 * damping, 1e-6)
        sizes.append(here.size)
    here = here if here.hold else _by_full_steps(here, task, idle, pace)
    return Outcome(polished(here, task, idle, pace) if here.hold else here, tried, here.hold)


def _is_close_by(here: SteadyEquations) -> bool:
    """Whether Newton's method would move the mechanism a little only: the stretch of a stiff part, say."""
    step = newton_step(here)
    return here.reach(step[: len(here.trial.chosen.positions)]) < CLOSE_BY


def _stalls(sizes: list[float]) -> bool:
    return len(sizes) > PATIENCE and sizes[-1] > 0.8 * sizes[-1 - PATIENCE]


def _by_full_steps(here: SteadyEquations, task: Task, idle: np.ndarray, pace: float) -> SteadyEquations:
    """Newton's method without a word on the residual on its way: a stiff equation (a wheel that hardly slips) may hide
    what the others gain. The start where this does not end in a solution soon."""
    there = here
    for _ in range(FULL_STEPS):
        ahead, _ = _attempt(there, task, idle, newton_step(there))
        if ahead is None:
            break
        there = equations(ahead.recharted(task), task, idle, pace)
        if there.hold:
            return there
    return here


def polished(here: SteadyEquations, task: Task, idle: np.ndarray, pace: float) -> SteadyEquations:
    """A few more full steps, as long as they help: down to rounding."""
    for _ in range(4):
        ahead, size = _attempt(here, task, idle, newton_step(here))
        if ahead is None or size >= 0.1 * here.size:
            return here
        here = equations(ahead, task, idle, pace)
    return here


def _weighed(here: SteadyEquations) -> tuple[np.ndarray, np.ndarray]:
    """Residual and derivatives in their units."""
    return here.f / here.row_unit, here.J / here.row_unit[:, None] * here.column_unit


def evened(here: SteadyEquations) -> tuple[np.ndarray, np.ndarray]:
    """The same with forces in place of accelerations, stiff rows made as small as the others: ranks then do not depend
    on how much stiffer one motion is than another."""
    n, M = len(here.M), here.M
    f, J = _weighed(here)
    natural = np.diag(M) * here.row_unit[:n]
    f[:n] = (M @ here.f[:n]) / natural
    J[:n] = (M @ here.J[:n]) / natural[:, None] * here.column_unit
    size = np.abs(J).max(axis=1, initial=1.0)
    return f / size, J / size[:, None]


def _step(here: SteadyEquations, damping: float) -> np.ndarray:
    """Change of the unknowns: prescriptions are kept, the rest is balanced as well as it can be, by the least change;
    no longer than a step may be."""
    f, J = _weighed(here) if damping else evened(here)
    n = here.balances
    kept, directions = _kept(f[n:], J[n:])
    balance = J[:n] @ directions
    step = kept + directions @ _damped(balance, -(f[:n] + J[:n] @ kept), damping)
    step = here.column_unit * step
    reach = here.reach(step[: len(here.trial.chosen.positions)])
    return step * min(1.0, LONGEST / reach) if reach > 0 else step


def newton_step(here: SteadyEquations) -> np.ndarray:
    """The full step."""
    return _step(here, 0.0)


def _is_stationary(here: SteadyEquations) -> bool:
    """Whether no change that keeps the prescriptions lessens the imbalance."""
    f, J = _weighed(here)
    n = here.balances
    kept, directions = _kept(f[n:], J[n:])
    slope = (J[:n] @ directions).T @ f[:n]
    met = float(np.abs(kept).max(initial=0.0)) < STATIONARY
    return met and float(np.linalg.norm(slope)) <= STATIONARY * float(np.linalg.norm(f[:n]))


def _kept(f: np.ndarray, J: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The least change that meets the prescriptions, and a basis of the changes that leave them alone."""
    if not len(f):
        return np.zeros(J.shape[1]), np.eye(J.shape[1])
    U, s, Vt = np.linalg.svd(J)
    rank = int(np.sum(s > RANK * s.max(initial=0.0)))
    return -(Vt[:rank].T @ ((U[:, :rank].T @ f) / s[:rank])), Vt[rank:].T


def _damped(J: np.ndarray, rhs: np.ndarray, damping: float) -> np.ndarray:
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    largest = s.max(initial=0.0)
    keep = s > RANK * largest
    filtered = np.where(keep, s / np.where(keep, s**2 + damping * largest**2, 1.0), 0.0)
    return Vt.T @ (filtered * (U.T @ rhs))


def _attempt(here: SteadyEquations, task: Task, idle: np.ndarray, step: np.ndarray) -> tuple[Trial | None, float]:
    """The trial one step ahead and the size of its residual; None where the mechanism cannot go."""
    trial = here.trial
    nS, nW = len(trial.chosen.positions), len(trial.chosen.velocities)
    inner = trial.inner(task)
    end = nS + nW + len(inner)
    rates = trial.rates + here.J_rates @ step
    try:
        ahead = trial.moved(task, step[:nS], rates, inner + step[nS + nW : end], trial.parameters + step[end:])
        residual = Residual(ahead, task, idle).f
    except (ComputationError, InputError, np.linalg.LinAlgError):
        return None, np.inf
    return ahead, float(np.linalg.norm(residual / here.row_unit))
