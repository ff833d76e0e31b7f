"""A steady motion that was found: its point, its stability, and a stable one beside an unstable one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import InputError
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.mobility.coordinates import unit_of
from eigenbody.mobility.partition import Selection
from eigenbody.operating.steady.attempts import Solution, settle_and_solve
from eigenbody.operating.steady.equations import SteadyEquations, point_at
from eigenbody.operating.steady.report import (
    adjusted_values,
    family_note,
    is_constant,
    moving_rates,
    passing,
    stability_note,
)
from eigenbody.operating.steady.settle import pushed
from eigenbody.operating.steady.task import Task

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


def described(solution: Solution) -> SteadyMotion:
    """The motion of a solution, with its stability."""
    trial, point = solution.outcome.trial, point_of(solution)
    stability = spectrum_of(dense_model(point)).stability if is_constant(trial, point.chosen) else "unknown"
    return with_stability(solution, point, stability)


def point_of(solution: Solution) -> OperatingPoint:
    """The operating point, in the coordinates of the motion unless the model names some."""
    trial = solution.outcome.trial
    point = at_state(trial.model, trial.system, trial.state)
    return point.choosing(coordinates_of(solution, point.chosen))


def coordinates_of(solution: Solution, default: Selection) -> Selection:
    """Those of the motion unless the model names some, or the default ones are the same in another order."""
    trial = solution.outcome.trial
    if len(trial.system.coordinates):
        return default
    chosen = trial.recharted(solution.task).chosen
    return default if set(default.positions.tolist()) == set(chosen.positions.tolist()) else chosen


def with_stability(solution: Solution, point: OperatingPoint, stability: str) -> SteadyMotion:
    """The motion at its point, whose stability is known."""
    outcome, trial = solution.outcome, solution.outcome.trial
    notes = (*family_note(outcome, solution.task), *stability_note(stability))
    return SteadyMotion(
        point=replace(point, warnings=(*point.warnings, *notes), is_steady=stability != "unknown"),
        rates=moving_rates(trial),
        adjusted=adjusted_values(trial, solution.adjust),
        stability=stability,
        iterations=outcome.iterations,
        notes=notes,
    )


def stable_one(found: SteadyMotion, solution: Solution) -> tuple[SteadyMotion, Solution]:
    """Leave an unstable steady motion along its growing mode, if a stable one is reached that way."""
    if found.stability != "unstable":
        return found, solution
    outcome, task, idle = solution.outcome, solution.task, solution.idle
    direction = _growing(outcome.equations, task)
    if direction is None:
        return found, solution
    count = found.iterations
    for push in PUSHES:
        aside = pushed(outcome.trial, task, push * direction)
        other = None if aside is None else settle_and_solve(aside, task, idle, solution.pace)
        if other is None or not other.solved or passing(other.trial) is not None:
            continue
        count += other.iterations
        try:
            there = replace(solution, outcome=other)
            beside = described(there)
        except InputError:  # it came to rest in a singular configuration
            continue
        if beside.stability != "unstable":
            note = "The steady motion met first is unstable; this is a stable one beside it."
            point = replace(beside.point, warnings=(*beside.point.warnings, note))
            motion = replace(beside, point=point, notes=(*beside.notes, note), iterations=count, passed=found)
            return motion, there
    return found, solution


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
