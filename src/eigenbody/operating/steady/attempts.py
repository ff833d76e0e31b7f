"""The search for a steady motion: settled, directly, from rest, with guesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import overload

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.point import system_of
from eigenbody.mobility.coordinates import unit_of, with_rates
from eigenbody.mobility.partition import select
from eigenbody.model.model import InertModel
from eigenbody.operating.steady.axial import about_own_axes, about_own_axes_together
from eigenbody.operating.steady.equations import Residual, Trial, idle_states, point_at
from eigenbody.operating.steady.rates import along_neutral, obeyed, rules
from eigenbody.operating.steady.report import contradictions, no_drive, passing, unsolved
from eigenbody.operating.steady.settle import settled
from eigenbody.operating.steady.solve import Outcome, solve
from eigenbody.operating.steady.task import Task, understand
from eigenbody.system.state import State

MOST_STATES = 2000
SHARES = 8  # steps of the continuation from rest to the prescribed rates
GUESSES = (1.0, 0.3, 3.0)  # of rates to be found, in natural units


@dataclass(frozen=True, eq=False)
class Solution:
    """A solution of the equations of a steady motion and what it was asked for."""

    outcome: Outcome
    task: Task
    idle: np.ndarray  # first-order states on which nothing depends
    pace: float  # how fast things go there, rad/s
    adjust: tuple[str, ...]


def search(model: InertModel, prescribed: Mapping[str, float], adjust: Sequence[str]) -> Solution:
    """Search from the given positions and velocities."""
    try:
        return _found(model, prescribed, adjust)
    except ComputationError as error:
        missing = _missing_drive(model, prescribed, adjust)
        if missing is None:
            raise
        raise ComputationError(missing) from error


def _missing_drive(model: InertModel, prescribed: Mapping[str, float], adjust: Sequence[str]) -> str | None:
    """What to say where bodies that turn about axes which lean do so steadily with torques along the prescribed rates:
    these supply what is dissipated. None where they do not."""
    given, task, configuration = understand(model, prescribed, adjust)
    system, chosen = system_of(given), _start(given, task, configuration).chosen
    spinning = [spin for spin, *_ in about_own_axes(task, system, chosen).axial if spin in task.rates]
    drives = {f"drive{k}_of_steady_motion": system.names[i] for k, i in enumerate(spinning)}
    if not drives:
        return None
    inputs = {**given.document.get("inputs", {}), **{drive: {"along": name} for drive, name in drives.items()}}
    try:
        found = _found(given.set(inputs=inputs), prescribed, (*adjust, *drives))
    except (EigenbodyError, np.linalg.LinAlgError):  # the motion lacks more than that: the first search says what
        return None
    trial = found.outcome.trial
    forces = dict(zip(trial.system.inputs, trial.state.u_in.tolist(), strict=True))
    power = sum(forces[drive] * task.rates[i] for drive, i in zip(drives, spinning, strict=True))
    needed = ", ".join(f"{forces[drive]:.4g} along {name}" for drive, name in drives.items())
    return no_drive(power, needed, drives.values())


def _found(model: InertModel, prescribed: Mapping[str, float], adjust: Sequence[str]) -> Solution:
    model, task, configuration = understand(model, prescribed, adjust)
    start = _start(model, task, configuration)
    idle = idle_states(start)
    outcome, task = _search(start, task, idle)
    return Solution(outcome, task, idle, pace_of(outcome.trial, task, idle), tuple(adjust))


def _start(model: InertModel, task: Task, configuration: State) -> Trial:
    system = system_of(model)
    chosen = select(Mechanics(system, configuration), task.moving)
    states = len(chosen.positions) + len(chosen.velocities) + len(system.states)
    if states > MOST_STATES:
        raise ComputationError(
            f"Steady motion is found in dense matrices, for up to {MOST_STATES} states; this model has {states}."
            ' Give its state on the joints and use operating_point "reference".'
        )
    parameters = np.array([model.parameters[name] for name in task.parameters])
    trial = Trial(model, system, chosen, configuration, parameters)
    wanted = {**task.guessed_rates, **task.rates}
    return _moving(trial, np.array([wanted.get(int(i), 0.0) for i in chosen.velocities]))


def pace_of(trial: Trial, task: Task, idle: np.ndarray) -> float:
    """How fast things go, in rad/s: rates spoken of, bodies that are driven, turning frames, or what the accelerations
    at the start make."""
    system, chosen, state = trial.system, trial.chosen, trial.state
    of_bodies = (np.abs(state.w).max(initial=0.0), np.abs(state.v).max(initial=0.0) / system.length)
    of_rates = np.abs(trial.rates) / unit_of(system, chosen.velocities)
    frames = [abs(frame["rate"]) for frame in system.description.frames]
    acceleration = Residual(trial, task, idle).acceleration
    of_forces = np.sqrt(np.abs(acceleration) / unit_of(system, chosen.velocities))
    return float(max([*of_rates, *of_bodies, *frames, *of_forces])) or 1.0


def _search(start: Trial, task: Task, idle: np.ndarray) -> tuple[Outcome, Task]:
    """At first with what is spoken of moving, then with every motion on which nothing depends, then with bodies that
    turn about axes of their own, then with those that do so together."""
    pace = pace_of(start, task, idle)
    first = _attempts(start, task, idle, pace)
    complaint = passing(first.trial) if first.solved else None
    if first.solved and complaint is None:
        return first, task
    wider = along_neutral(task, dense_model(point_at(start)), start.system, start.chosen)
    if wider.neutral and not len(contradictions(first.equations)):
        second = _attempts(_obedient(start.recharted(wider), wider), wider, idle, pace)
        if second.solved and passing(second.trial) is None:
            return replace(second, iterations=first.iterations + second.iterations), wider
    leaning = about_own_axes(task, start.system, start.chosen)
    if leaning.axial and not len(contradictions(first.equations)):
        third = _attempts(start.recharted(leaning), leaning, idle, pace)
        if third.solved and passing(third.trial) is None:
            return replace(third, iterations=first.iterations + third.iterations), leaning
    tied = about_own_axes_together(task, wider, start.system, start.chosen)
    if tied.tied and not len(contradictions(first.equations)):
        moving = _obedient(start.recharted(wider), wider)
        fourth = _attempts(moving.recharted(tied), tied, idle, pace)
        if fourth.solved and passing(fourth.trial) is None:
            return replace(fourth, iterations=first.iterations + fourth.iterations), tied
    raise complaint or unsolved(first, task, tuple(wider.neutral))


def _obedient(trial: Trial, task: Task) -> Trial:
    """The trial with the nearest rates that the task allows."""
    unit = unit_of(trial.system, trial.chosen.velocities)
    return _moving(trial, obeyed(rules(trial.system, trial.chosen, task), trial.rates, unit))


def _moving(trial: Trial, rates: np.ndarray) -> Trial:
    return replace(trial, state=with_rates(trial.system, trial.chosen, trial.state, rates))


def _attempts(start: Trial, task: Task, idle: np.ndarray, pace: float) -> Outcome:
    """Settled and directly (the latter first if more than positions is to be found), then from rest up to the
    prescribed rates, then with guesses of the rates to be found."""
    ways = [settle_and_solve, solve]
    best: Outcome | None = None
    for way in reversed(ways) if task.seeks_more_than_positions else ways:
        found = way(start, task, idle, pace)
        best = _better(best, found)
        if best is not None and best.solved:
            return best
    assert best is not None  # the direct way always ends somewhere
    if len(contradictions(best.equations)):
        return best
    if any(task.rates.values()):
        best = _better(best, _where_defined(lambda: _from_rest(start, task, idle, pace)))
    return best if best.solved else _with_guesses(best, start, task, idle, pace)


def _where_defined(way: Callable[[], Outcome | None]) -> Outcome | None:
    """Where a way ends; None if it passes motions at which the model has no values (rates below those of a table): that
    says nothing of the motion which is asked for, at which the search began."""
    try:
        return way()
    except (ComputationError, InputError, np.linalg.LinAlgError):
        return None


def settle_and_solve(start: Trial, task: Task, idle: np.ndarray, pace: float) -> Outcome | None:
    """None if the free coordinates do not come to rest."""
    trial, steps = settled(start, task, idle, pace)
    if trial is None:
        return None
    outcome = solve(trial, task, idle, pace)
    return replace(outcome, iterations=outcome.iterations + steps)


@overload
def _better(a: Outcome | None, b: Outcome) -> Outcome: ...
@overload
def _better(a: Outcome, b: Outcome | None) -> Outcome: ...
@overload
def _better(a: Outcome | None, b: Outcome | None) -> Outcome | None: ...
def _better(a: Outcome | None, b: Outcome | None) -> Outcome | None:
    """The outcome that is solved or nearer to it."""
    if a is None or b is None:
        return a or b
    chosen = min((a, b), key=lambda o: (not o.solved, o.equations.size))
    return replace(chosen, iterations=a.iterations + b.iterations)


def _from_rest(start: Trial, task: Task, idle: np.ndarray, pace: float) -> Outcome | None:
    """Raise the prescribed rates in steps, each from the solution of the last; None if it ends under way."""
    trial, count = start, 0
    for share in np.linspace(0.0, 1.0, SHARES + 1).tolist():
        part = task.at_share(share)
        outcome = solve(_obedient(trial, part), part, idle, pace)
        trial, count = outcome.trial, count + outcome.iterations
        if 0.0 < share < 1.0 and not outcome.solved:
            return None
    return replace(outcome, iterations=count)


def _with_guesses(best: Outcome, start: Trial, task: Task, idle: np.ndarray, pace: float) -> Outcome:
    """Rates and parameters to be found that start at zero are invisible there if they enter by their square."""
    trial = start.recharted(task)
    unit = unit_of(trial.system, trial.chosen.velocities)
    free = rules(trial.system, trial.chosen, task).free
    resting = np.abs(free.T @ (trial.rates / unit)) <= 1e-12 * pace
    push = unit * (free[:, resting] * np.sign(free[:, resting].sum(axis=0))).sum(axis=1)
    unset = trial.parameters == 0.0
    if not np.any(push) and not np.any(unset):
        return best

    def guessed(size: float) -> Outcome:
        still, parameters = np.zeros(len(trial.chosen.positions)), np.where(unset, size, trial.parameters)
        guess = trial.moved(task, still, trial.rates + size * push, trial.inner(task), parameters)
        return solve(guess, task, idle, pace)

    for factor in GUESSES:
        best = _better(best, _where_defined(partial(guessed, factor * pace)))
        if best.solved:
            break
    return best
