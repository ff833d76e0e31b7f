"""Steady motions between two that are known: interpolated, and solved together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, system_of
from eigenbody.mobility.coordinates import (
    Place,
    ahead_of,
    configured,
    difference,
    place_of,
    rates_of,
    unit_of,
    with_rates,
)
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.model.model import InertModel
from eigenbody.operating.constancy import depends_on_time
from eigenbody.operating.family import Group, can_batch
from eigenbody.operating.steady.attempts import Solution
from eigenbody.operating.steady.axial import about_own_axes
from eigenbody.operating.steady.equations import Trial
from eigenbody.operating.steady.found import SteadyPoint
from eigenbody.operating.steady.many import (
    Many,
    are_constant,
    are_steady,
    later_together,
    one_trial,
    solve_together,
    stacked,
    together,
)
from eigenbody.operating.steady.motion import point_of
from eigenbody.operating.steady.report import is_constant, passing
from eigenbody.operating.steady.solve import Outcome, solve
from eigenbody.operating.steady.task import Task, task_of
from eigenbody.system.state import State

FAR = 0.5  # of the way between two neighbours, beyond which a point between them is not where it was expected
NEAR = 1e-3  # rad, lengths of the mechanism, or their rates at its pace: what counts as near in any case


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Two known steady motions and how far between them a third is, as a share of the way."""

    left: SteadyPoint
    right: SteadyPoint
    share: float

    @property
    def can_lead(self) -> bool:
        """Whether their steady motions determine the one between them."""
        sides = (self.left, self.right)
        tasks = [side.solution.task for side in sides]
        idle = [side.solution.idle.tolist() for side in sides]
        return not (any(side.is_family for side in sides) or any(t.neutral for t in tasks)) and (
            tasks[0].free_rates == tasks[1].free_rates and idle[0] == idle[1]
        )

    @property
    def nearer(self) -> SteadyPoint:
        return self.left if self.share < 0.5 else self.right


Between = tuple[Solution, OperatingPoint, bool]


def solved_between(group: Group, around: Sequence[Neighbours]) -> list[Between | None]:
    """Solution, operating point and whether the linear equations stay the same along it, of every variant of a group;
    None where it is not found where its neighbours let expect it."""
    nothing: list[Between | None] = [None] * len(group)
    models = [group.model_of(k) for k in range(len(group))]
    asked = around[0].nearer.solution.task
    first = around[0].nearer.point
    if asked.parameters or asked.axial or depends_on_time(first) or not can_batch(group.model, group.system):
        return [_solved_singly(model, a) for model, a in zip(models, around, strict=True)]
    chosen, idle = around[0].nearer.trial.chosen, around[0].nearer.solution.idle
    try:
        tasks = [task_of(model) for model in models]
        task = together(tasks)
        if task is None or any(a.nearer.solution.idle.tolist() != idle.tolist() for a in around):
            return nothing
        start = _interpolated(group, around, chosen, task)
        many = solve_together(start, task, idle, min(a.nearer.solution.pace for a in around))
        ahead = later_together(many.trial)
        good = many.solved & are_steady(many.trial, ahead, idle) & _is_near(start, many, around)
        constant = are_constant(many.trial, ahead)
    except (EigenbodyError, np.linalg.LinAlgError):  # of one of them: each is searched for by itself
        return nothing
    return [
        _solution(many, k, models[k], tasks[k], around[k], bool(constant[k])) if good[k] else None
        for k in range(len(group))
    ]


def _solved_singly(model: InertModel, around: Neighbours) -> Between | None:
    """The same of one variant: a large mechanism, or one with parameters to be found."""
    near, chosen = around.nearer.solution, around.nearer.trial.chosen
    try:
        task = task_of(model)
        ends = (around.left.trial.parameters, around.right.trial.parameters)
        parameters = (1 - around.share) * ends[0] + around.share * ends[1]
        if len(parameters):
            model = model.with_parameters(dict(zip(task.parameters, parameters.tolist(), strict=True)))
        goal, state, rates = _middle(around, chosen)
        system = system_of(model)
        task = about_own_axes(task, system, chosen) if near.task.axial else task
        state = with_rates(system, chosen, configured(system, chosen, state, goal), rates)
        start = Trial(model, system, chosen, state, parameters)
        outcome = solve(start, task, near.idle, near.pace)
        way = distance(around.left.trial, around.right.trial, near.pace, chosen)
        is_there = outcome.solved and distance(start, outcome.trial, near.pace) <= FAR * way + NEAR
        if not is_there or passing(outcome.trial) is not None:
            return None
        solution = replace(near, outcome=outcome, task=task)
        point = point_of(solution)
        return solution, point, is_constant(outcome.trial, point.chosen)
    except (EigenbodyError, np.linalg.LinAlgError):  # the search by itself says what is wrong
        return None


def _solution(many: Many, k: int, model: InertModel, task: Task, around: Neighbours, constant: bool) -> Between | None:
    own = replace(around.nearer.trial, model=model, system=system_of(model), chosen=many.trial.chosen)
    trial = one_trial(many.trial, k, own)
    outcome = Outcome(replace(many.equations.one(k), trial=trial), 0, True)
    solution = replace(around.nearer.solution, outcome=outcome, task=task)
    try:
        point = point_of(solution)
        if not constant or set(point.chosen.positions.tolist()) != set(trial.chosen.positions.tolist()):
            constant = is_constant(trial, point.chosen)
    except EigenbodyError:  # a singular configuration: the search by itself says so
        return None
    return solution, point, constant


def _interpolated(group: Group, around: Sequence[Neighbours], chosen: Selection, task: Task) -> Trial:
    system, goals, states, rates = group.system, [], [], []
    for a in around:
        goal, state, rate = _middle(a, chosen)
        goals.append(goal)
        states.append(state)
        rates.append(rate)
    rotations = tuple(np.stack(each) for each in zip(*(goal.rotations for goal in goals), strict=True))
    goal = Place(np.stack([goal.values for goal in goals]), rotations)
    state = with_rates(system, chosen, configured(system, chosen, stacked(states), goal), np.stack(rates))
    return Trial(group.model, system, chosen, state, np.zeros(0))


def _middle(a: Neighbours, chosen: Selection) -> tuple[Place, State, np.ndarray]:
    """Place, a state near it with the inner states, and rates."""
    ends = (a.left.trial, a.right.trial)
    measures = coordinate_set(ends[0].system, chosen.positions)
    first, last = (place_of(coordinate_set(t.system, chosen.positions), Mechanics(t.system, t.state)) for t in ends)
    goal = ahead_of(measures, first, a.share * difference(measures, last, first))
    x, u_in, rates = (
        (1 - a.share) * one + a.share * other
        for one, other in (
            (ends[0].state.x, ends[1].state.x),
            (ends[0].state.u_in, ends[1].state.u_in),
            tuple(rates_of(t.system, t.state, chosen.velocities) for t in ends),
        )
    )
    return goal, replace(a.nearer.trial.state, x=x, u_in=u_in), rates


def _is_near(start: Trial, many: Many, around: Sequence[Neighbours]) -> np.ndarray:
    """(n,) whether the solutions are where they were expected."""
    pace = np.array([a.nearer.solution.pace for a in around])
    off = _distances(start, many.trial, pace)
    way = np.array([distance(a.left.trial, a.right.trial, a.nearer.solution.pace, start.chosen) for a in around])
    return np.asarray(off <= FAR * way + NEAR)


def distance(one: Trial, other: Trial, pace: float, chosen: Selection | None = None) -> float:
    """Between two steady motions: rad, lengths of the mechanism, or their rates at its pace."""
    chosen = chosen or one.chosen
    return float(_distances(replace(one, chosen=chosen), replace(other, chosen=chosen), np.array(pace)))


def _distances(one: Trial, other: Trial, pace: np.ndarray) -> np.ndarray:
    chosen, measures = one.chosen, coordinate_set(one.system, one.chosen.positions)
    places = [place_of(coordinate_set(t.system, chosen.positions), Mechanics(t.system, t.state)) for t in (one, other)]
    moved = np.abs(difference(measures, places[1], places[0])) / unit_of(one.system, chosen.positions)
    first, last = (rates_of(t.system, t.state, chosen.velocities) for t in (one, other))
    faster = np.abs(last - first) / unit_of(one.system, chosen.velocities) / pace[..., None]
    return np.asarray(np.maximum(moved.max(axis=-1, initial=0.0), faster.max(axis=-1, initial=0.0)))


def led_from(known: SteadyPoint, other: SteadyPoint) -> Trial | None:
    """Where Newton's method goes from a known steady motion at the values of another; None if nowhere."""
    trial, solution = known.trial, other.solution
    start = replace(trial, model=other.trial.model, system=other.trial.system)
    try:
        measures = coordinate_set(trial.system, trial.chosen.positions)
        goal = place_of(measures, Mechanics(trial.system, trial.state))
        state = configured(start.system, start.chosen, trial.state, goal)
        start = replace(start, state=with_rates(start.system, start.chosen, state, trial.rates))
        outcome = solve(start, solution.task, solution.idle, solution.pace)
    except (EigenbodyError, np.linalg.LinAlgError):
        return None
    return outcome.trial if outcome.solved else None
