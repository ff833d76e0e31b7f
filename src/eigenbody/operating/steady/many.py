"""Steady motions of many variants of a model at once: Newton's method and the checks of a steady motion, by leading
axes. Each variant is judged by itself; none knows of the others but by the coordinates they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.linearization.rounding import spin_rate
from eigenbody.mobility.coordinates import advanced, rates_of, unit_of
from eigenbody.model.model import InertModel
from eigenbody.operating.comparison import same_matrices, states_of_vibrations
from eigenbody.operating.family import Group, initial_states
from eigenbody.operating.steady.equations import Residual, SteadyEquations, Trial, equations
from eigenbody.operating.steady.report import ADVANCE, STEPS, is_passing
from eigenbody.operating.steady.solve import newton_step
from eigenbody.operating.steady.task import Task, task_of
from eigenbody.system.state import State, one_state

MOST = 12  # steps of Newton's method; more than a start near by needs


@dataclass(frozen=True, eq=False)
class Many:
    """Trials by a leading axis (n,), their task likewise, and which of them are solved."""

    trial: Trial
    task: Task
    equations: SteadyEquations
    solved: np.ndarray  # (n,) bool


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


def tasks_of(group: Group, models: Sequence[InertModel]) -> list[Task]:
    """What the variants of a group are asked for, each."""
    given = group.system.velocities
    if not len(given.measure):
        return [task_of(model, {}) for model in models]
    state, apart = initial_states(group)
    if np.any(apart):
        return [task_of(model) for model in models]
    rates = rates_of(group.system, state, given.measure)
    rates = np.broadcast_to(rates, (len(models), len(given.measure)))
    named = (dict(zip(given.measure.tolist(), own, strict=True)) for own in rates.tolist())
    return [task_of(model, own) for model, own in zip(models, named, strict=True)]


def solve_together(start: Trial, task: Task, idle: np.ndarray, pace: float) -> Many:
    """Newton's method in full steps from trials near by; raises where some trial cannot be moved."""
    now = equations(start, task, idle, pace)
    going = np.ones(len(now.f), dtype=bool)
    for _ in range(MOST):
        held = _hold(now.f, now.tolerance)  # one step more is taken from there, down to rounding
        trial = _moved(now, task, _steps(now, going))
        there = Residual(trial, task, idle)
        going = going & ~held & np.isfinite(there.f).all(axis=-1)
        if np.any(going) and np.all(_hold(there.f, now.tolerance)[going]):  # so near, the last derivatives do for that
            near = replace(now, trial=trial, f=there.f)
            now = equations(_moved(near, task, _steps(near, going)), task, idle, pace)
            break
        now = equations(trial, task, idle, pace, there)
        if not np.any(going):
            break
    return Many(now.trial, task, now, _hold(now.f, now.tolerance))


def _steps(now: SteadyEquations, going: np.ndarray) -> np.ndarray:
    """(n, unknowns) Newton's steps of those that go on."""
    still = np.zeros(now.J.shape[-1])
    return np.stack([newton_step(now.one(k)) if goes else still for k, goes in enumerate(going.tolist())])


def _hold(f: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    return np.asarray(np.all(np.abs(f) <= tolerance, axis=-1))


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


def equations_later(trial: Trial, idle: np.ndarray) -> SteadyEquations:
    """The equations further along the motions, at the rates they have there."""
    plain = Task({}, {}, {}, tuple(trial.chosen.velocities.tolist()), (), (), {})
    return equations(later_together(trial), plain, idle, 1.0)


def are_steady(ahead: SteadyEquations) -> np.ndarray:
    """(n,) whether the motions are as steady later as now."""
    return np.asarray(~is_passing(ahead).any(axis=-1))


def are_constant(now: SteadyEquations, ahead: SteadyEquations) -> np.ndarray:
    """(n,) whether the linear equations in the coordinates of the trials surely stay the same along the motions."""
    assert now.linear is not None
    assert ahead.linear is not None
    count, linear = now.f.shape[:-1], now.linear
    A, ahead_A, M, K = (
        np.broadcast_to(part, (*count, *part.shape[-2:]))
        for part in (linear.state_space.A, ahead.linear.state_space.A, linear.M, linear.K)
    )
    rates, rolls = np.broadcast_to(spin_rate(linear.point), count), K.shape[-1] != K.shape[-2]
    none, same = np.zeros(A.shape[-2:]), np.empty(count, dtype=bool)
    for k, (own, there) in enumerate(zip(A, ahead_A, strict=True)):
        states = states_of_vibrations(own, M[k], None if rolls else K[k], float(rates[k]))
        same[k] = same_matrices(own, there, lambda: none, states)
    return same


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
