"""Steady motions of many variants of a model at once: Newton's method and the checks of a steady motion, by leading
axes. Each variant is judged by itself; none knows of the others but by the coordinates they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.mobility.coordinates import advanced, rates_of, unit_of
from eigenbody.operating.constancy import SAME
from eigenbody.operating.steady.equations import SteadyEquations, Trial, equations, point_at
from eigenbody.operating.steady.report import ADVANCE, STEPS, is_passing
from eigenbody.operating.steady.solve import newton_step
from eigenbody.operating.steady.task import Task
from eigenbody.system.state import ARRAYS, State, one_state

MOST = 12  # steps of Newton's method; more than a start near by needs


@dataclass(frozen=True, eq=False)
class Many:
    """Trials by a leading axis (n,), their task likewise, and which of them are solved."""

    trial: Trial
    task: Task
    equations: SteadyEquations
    solved: np.ndarray  # (n,) bool


def stacked(states: Sequence[State]) -> State:
    """States as one with a leading axis."""
    both = {name: np.stack([getattr(state, name) for state in states]) for name in ARRAYS}
    return State(t=np.array([state.t for state in states]), **both)  # type: ignore[arg-type]


def together(tasks: Sequence[Task]) -> Task | None:
    """The same task with numbers (n,); None where they speak of different things."""
    first = tasks[0]
    for task in tasks[1:]:
        for field in fields(Task):
            one, other = getattr(first, field.name), getattr(task, field.name)
            alike = one.keys() == other.keys() if isinstance(one, dict) else one == other
            if not alike or (field.name == "neutral" and one != other):
                return None
    numbers = {
        name: {i: np.array([getattr(task, name)[i] for task in tasks]) for i in getattr(first, name)}
        for name in ("values", "rates", "states")
    }
    return replace(first, **numbers)  # type: ignore[arg-type]


def solve_together(start: Trial, task: Task, idle: np.ndarray, pace: float) -> Many:
    """Newton's method in full steps from trials near by; raises where some trial cannot be moved."""
    now = equations(start, task, idle, pace)
    count = len(now.f)
    going = np.ones(count, dtype=bool)
    for _ in range(MOST):
        held = _hold(now)  # one step more is taken from there, down to rounding
        steps = np.stack([newton_step(now.one(k)) if going[k] else np.zeros(now.J.shape[-1]) for k in range(count)])
        now = equations(_moved(now, task, steps), task, idle, pace)
        going = going & ~held & np.isfinite(now.f).all(axis=-1)
        if not np.any(going):
            break
    return Many(now.trial, task, now, _hold(now))


def _hold(now: SteadyEquations) -> np.ndarray:
    return np.asarray(np.all(np.abs(now.f) <= now.tolerance, axis=-1))


def _moved(now: SteadyEquations, task: Task, steps: np.ndarray) -> Trial:
    trial, nS = now.trial, len(now.trial.chosen.positions)
    inner = trial.inner(task) + steps[:, nS + len(trial.chosen.velocities) :]
    rates = trial.rates + (now.J_rates @ steps[..., None])[..., 0]
    return trial.moved(task, steps[:, :nS], rates, inner, trial.parameters)


# Along the motion -----------------------------------------------------------------------------------------------------
def later_together(trial: Trial) -> Trial:
    """The states some time later if all rates stay as they are; the same where nothing moves."""
    system, chosen = trial.system, trial.chosen
    rates = np.abs(rates_of(system, trial.state, chosen.positions)) / unit_of(system, chosen.positions)
    frames = [np.abs(frame["rate"]) for frame in system.description.frames]
    fastest = np.max(np.stack(np.broadcast_arrays(rates.max(axis=-1, initial=0.0), *frames)), axis=0)
    duration = np.where(fastest > 1e-9, ADVANCE / np.maximum(fastest, 1e-9), 0.0)
    for steps in STEPS[:-1]:
        try:
            return replace(trial, state=advanced(system, chosen, trial.state, duration, steps))
        except ComputationError:  # too long a step for one of them
            continue
    return replace(trial, state=advanced(system, chosen, trial.state, duration, STEPS[-1]))


def are_steady(trial: Trial, ahead: Trial, idle: np.ndarray) -> np.ndarray:
    """(n,) whether the motions are as steady later as now."""
    plain = Task({}, {}, {}, tuple(trial.chosen.velocities.tolist()), (), (), {})
    return np.asarray(~is_passing(equations(ahead, plain, idle, 1.0)).any(axis=-1))


def are_constant(trial: Trial, ahead: Trial) -> np.ndarray:
    """(n,) whether the linear equations in the coordinates of the trials surely stay the same along the motions."""
    now, then = (VariationalEquations(point_at(t)).state_space.A for t in (trial, ahead))
    allowed = SAME * np.abs(now).max(axis=-1, keepdims=True, initial=0.0)
    return np.asarray(np.all(np.abs(then - now) <= allowed, axis=(-2, -1)))


def one_trial(many: Trial, k: int, model_and_system: Trial) -> Trial:
    """One of many trials, in a system of its own."""
    state = one_state(replace(many.state, **_full(many.state)), k)  # type: ignore[arg-type]
    return replace(model_and_system, state=replace(state, t=float(np.real(state.t))))


def _full(state: State) -> dict[str, np.ndarray]:
    """Arrays of a state and its time, all with the leading axis."""
    lead = state.r.shape[:1]
    axes = {"r": 2, "R": 3, "v": 2, "w": 2, "x": 1, "turns": 1, "u_in": 1, "z": 1}
    full = {}
    for name, own in axes.items():
        array = getattr(state, name)
        full[name] = np.broadcast_to(array, (*lead, *array.shape[array.ndim - own :]))
    return {**full, "t": np.broadcast_to(state.t, lead)}
