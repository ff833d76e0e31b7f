"""Steady motion (relative equilibrium): every coordinate is at rest, or moves at a constant rate and nothing depends
on its value (docs/steady-motion.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import overload

import numpy as np

from eigenbody.base.errors import ComputationError, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.point import OperatingPoint, at_state, system_of
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.mobility.coordinates import unit_of, with_rates
from eigenbody.mobility.partition import select
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.steady.equations import Residual, SteadyEquations, Trial, idle_states, point_at
from eigenbody.operating.steady.rates import along_neutral, obeyed, rules
from eigenbody.operating.steady.report import (
    adjusted_values,
    contradictions,
    family_note,
    is_constant,
    moving_rates,
    passing,
    stability_note,
    unsolved,
)
from eigenbody.operating.steady.settle import pushed, settled
from eigenbody.operating.steady.solve import Outcome, solve
from eigenbody.operating.steady.task import Task, understand
from eigenbody.system.state import State

NOTHING: Mapping[str, float] = MappingProxyType({})
MOST_STATES = 2000
SHARES = 8  # steps of the continuation from rest to the prescribed rates
GUESSES = (1.0, 0.3, 3.0)  # of rates to be found, in natural units
PUSHES = (0.1, -0.1)  # along a growing mode, in its largest coordinate
LEAST_SHARE = 1e-6  # of the free coordinates in a growing mode, below which they have no part in it


@dataclass(frozen=True)
class SteadyMotion:
    """A steady motion that was found.

    rates      constant rates of the coordinates that move
    adjusted   what was found of the names to adjust
    stability  of the motion: stable, marginal, drifting, unstable; unknown if the linear equations change along it
    passed     an unstable steady motion found first, if a stable one was reached from it
    """

    point: OperatingPoint
    rates: Mapping[str, float]
    adjusted: Mapping[str, float]
    stability: str
    iterations: int
    notes: tuple[str, ...]
    passed: SteadyMotion | None = None

    def __str__(self) -> str:
        lines = [f"Steady motion, {self.stability}, found in {self.iterations} iterations"]
        lines += [f"  rate {name} = {value:.12g}" for name, value in self.rates.items()]
        lines += [f"  adjusted {name} = {value:.12g}" for name, value in self.adjusted.items()]
        return "\n".join([*lines, "", str(self.point)])


def steady_motion(
    model: InertModel, prescribed: Mapping[str, float] = NOTHING, adjust: Sequence[str] = ()
) -> OperatingPoint:
    """The operating point of a steady motion; see `find_steady`."""
    return find_steady(model, prescribed, adjust).point


@on_one_thread
def find_steady(
    model: InertModel, prescribed: Mapping[str, float] = NOTHING, adjust: Sequence[str] = ()
) -> SteadyMotion:
    """Find a steady motion.

    `prescribed` holds SI values: `tilt` is a value, `spin'` a rate; states, inputs and parameters have values. Without
    any, the positions and velocities given on the joints are prescribed; with some, they are where the search starts.
    `adjust` names what may change: rates, inputs, parameters; positions given on the joints. Where nothing else
    balances the motion, coordinates on whose value nothing depends may take up a constant rate.
    """
    model, task, configuration = understand(model, prescribed, adjust)
    start = _start(model, task, configuration)
    idle = idle_states(start)
    outcome, task = _search(start, task, idle)
    found = _described(outcome, task, adjust)
    return _stable_one(found, outcome, task, idle, adjust)


# Search ---------------------------------------------------------------------------------------------------------------
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


def _pace(trial: Trial, task: Task, idle: np.ndarray) -> float:
    """How fast things go, in rad/s: rates spoken of, turning frames, or what the accelerations at the start make."""
    system, chosen = trial.system, trial.chosen
    of_rates = np.abs(trial.rates) / unit_of(system, chosen.velocities)
    frames = [abs(frame["rate"]) for frame in system.description.frames]
    acceleration = Residual(trial, task, idle).acceleration
    of_forces = np.sqrt(np.abs(acceleration) / unit_of(system, chosen.velocities))
    return float(max([*of_rates, *frames, *of_forces], default=0.0)) or 1.0


def _search(start: Trial, task: Task, idle: np.ndarray) -> tuple[Outcome, Task]:
    """At first with what is spoken of moving, then with every motion on which nothing depends."""
    pace = _pace(start, task, idle)
    first = _attempts(start, task, idle, pace)
    complaint = passing(first.trial) if first.solved else None
    if first.solved and complaint is None:
        return first, task
    wider = along_neutral(task, dense_model(point_at(start)), start.system, start.chosen)
    if wider.neutral and not len(contradictions(first.equations)):
        second = _attempts(_obedient(start.recharted(wider), wider), wider, idle, pace)
        if second.solved and passing(second.trial) is None:
            return replace(second, iterations=first.iterations + second.iterations), wider
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
    ways = [_settle_and_solve, solve]
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
        best = _better(best, _from_rest(start, task, idle, pace)) or best
    return best if best.solved else _with_guesses(best, start, task, idle, pace)


def _settle_and_solve(start: Trial, task: Task, idle: np.ndarray, pace: float) -> Outcome | None:
    """None if the free coordinates do not come to rest."""
    trial, steps = settled(start, task, idle, pace)
    if trial is None:
        return None
    outcome = solve(trial, task, idle, pace)
    return replace(outcome, iterations=outcome.iterations + steps)


@overload
def _better(a: Outcome | None, b: Outcome) -> Outcome: ...
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
    for factor in GUESSES:
        guess = trial.moved(
            task, np.zeros(len(trial.chosen.positions)), trial.rates + factor * pace * push, trial.inner(task),
            np.where(unset, factor * pace, trial.parameters),
        )  # fmt: skip
        best = _better(best, solve(guess, task, idle, pace))
        if best.solved:
            break
    return best


# Result ---------------------------------------------------------------------------------------------------------------
def _described(outcome: Outcome, task: Task, adjust: Sequence[str]) -> SteadyMotion:
    trial = outcome.trial
    point = at_state(trial.model, trial.system, trial.state)
    if not len(trial.system.coordinates) and set(point.chosen.positions) != set(trial.chosen.positions):
        point = point.choosing(trial.chosen)
    stability = spectrum_of(dense_model(point)).stability if is_constant(trial, point.chosen) else "unknown"
    notes = (*family_note(outcome, task), *stability_note(stability))
    return SteadyMotion(
        point=replace(point, warnings=(*point.warnings, *notes), is_steady=stability != "unknown"),
        rates=moving_rates(trial),
        adjusted=adjusted_values(trial, adjust),
        stability=stability,
        iterations=outcome.iterations,
        notes=notes,
    )


def _stable_one(
    found: SteadyMotion, outcome: Outcome, task: Task, idle: np.ndarray, adjust: Sequence[str]
) -> SteadyMotion:
    """Leave an unstable steady motion along its growing mode, if a stable one is reached that way."""
    if found.stability != "unstable":
        return found
    direction = _growing(outcome.equations, task)
    if direction is None:
        return found
    trial, pace = outcome.trial, _pace(outcome.trial, task, idle)
    count = found.iterations
    for push in PUSHES:
        aside = pushed(trial, task, push * direction)
        other = None if aside is None else _settle_and_solve(aside, task, idle, pace)
        if other is None or not other.solved or passing(other.trial) is not None:
            continue
        count += other.iterations
        try:
            beside = _described(other, task, adjust)
        except InputError:  # it came to rest in a singular configuration
            continue
        if beside.stability != "unstable":
            note = "The steady motion met first is unstable; this is a stable one beside it."
            point = replace(beside.point, warnings=(*beside.point.warnings, note))
            return replace(beside, point=point, notes=(*beside.notes, note), iterations=count, passed=found)
    return found


def _growing(now: SteadyEquations, task: Task) -> np.ndarray | None:
    """The growing motion of the coordinates that are free to change, its largest entry one; None if there is none."""
    chosen, system = now.trial.chosen, now.trial.system
    spectrum = spectrum_of(dense_model(point_at(now.trial)))
    mode = spectrum.right[: len(chosen.positions), int(np.argmax(spectrum.eigenvalues.real))]
    held = np.isin(chosen.positions, list(task.values)) | np.isin(chosen.positions, task.moving)
    unit = unit_of(system, chosen.positions)
    shape = np.where(held, 0.0, mode / unit)
    k = int(np.argmax(np.abs(shape)))
    if np.abs(shape[k]) <= LEAST_SHARE * np.abs(mode / unit).max(initial=0.0):
        return None
    return np.real(shape / shape[k]) * unit
