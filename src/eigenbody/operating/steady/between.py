"""Steady motions between two that are known: interpolated, and solved together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.linearization.point import system_of
from eigenbody.mobility.coordinates import Place, ahead_of, configured, difference, unit_of, with_rates
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.linear import joined
from eigenbody.operating.constancy import depends_on_time
from eigenbody.operating.family import Group, can_batch
from eigenbody.operating.steady.axial import about_own_axes
from eigenbody.operating.steady.equations import Trial
from eigenbody.operating.steady.found import Linearized, SteadyPoint, Whereabouts, linearized_alone, whereabouts
from eigenbody.operating.steady.linear import linearized_together
from eigenbody.operating.steady.many import (
    Many,
    are_constant,
    are_steady,
    equations_later,
    one_trial,
    solve_together,
    tasks_of,
    together,
)
from eigenbody.operating.steady.report import passing
from eigenbody.operating.steady.solve import Outcome, solve
from eigenbody.operating.steady.task import task_of
from eigenbody.system.state import State, stacked_states

FAR = 0.5  # of the way between two neighbours, beyond which a point between them is not where it was expected
STRAIGHT = 0.05  # of that way, within which it surely is, whatever else is near
SAME = 1e-6  # rad, lengths of the mechanism, or their rates at its pace: two steady motions that are one
NEAR = 1e-3  # rad, lengths of the mechanism, or their rates at its pace: what counts as near in any case


@dataclass(frozen=True, eq=False)
class Neighbours:
    """Two known steady motions, a place between them, and known ones beyond them."""

    left: SteadyPoint
    right: SteadyPoint
    place: float
    beyond: tuple[SteadyPoint, ...] = ()

    @property
    def can_lead(self) -> bool:
        """Whether their steady motions determine the one between them."""
        return not (self.left.is_family or self.right.is_family) and _are_alike(self.left, self.right)

    @property
    def share(self) -> float:
        """How far between them the place is, as a share of the way."""
        return (self.place - self.left.place) / (self.right.place - self.left.place or 1.0)

    @property
    def nearer(self) -> SteadyPoint:
        return self.left if self.share < 0.5 else self.right

    @property
    def weights(self) -> np.ndarray:
        """(nodes,) of the values at both and beyond, in the polynomial through them (Lagrange's)."""
        at = np.array([node.place for node in self.nodes])
        apart = at[:, None] - at + np.eye(len(at))
        return np.asarray(np.prod(np.where(np.eye(len(at)) > 0, 1.0, (self.place - at) / apart), axis=-1))

    @property
    def nodes(self) -> tuple[SteadyPoint, ...]:
        beyond = (one for one in self.beyond if not one.is_family and _are_alike(self.left, one))
        return (self.left, self.right, *beyond)


def _are_alike(one: SteadyPoint, other: SteadyPoint) -> bool:
    """Whether the same is to be found there."""
    tasks = (one.solution.task, other.solution.task)
    return (
        not any(task.neutral or task.tied for task in tasks)
        and tasks[0].free_rates == tasks[1].free_rates
        and np.array_equal(one.solution.idle, other.solution.idle)
    )


def solved_between(group: Group, around: Sequence[Neighbours]) -> list[Linearized | None]:
    """The steady motion of every variant of a group, with its linear equations; None where it is not found where its
    neighbours let expect it."""
    nothing: list[Linearized | None] = [None] * len(group)
    models = [group.model_of(k) for k in range(len(group))]
    asked = around[0].nearer.solution.task
    first = around[0].nearer.point
    if asked.parameters or asked.axial or depends_on_time(first) or not can_batch(group.model, group.system):
        return [_solved_singly(model, a) for model, a in zip(models, around, strict=True)]
    chosen, idle = _shared_coordinates(around[0].nearer), around[0].nearer.solution.idle
    try:
        tasks = tasks_of(group, models)
        task = together(tasks)
        if task is None or any(not np.array_equal(a.nearer.solution.idle, idle) for a in around):
            return nothing
        start = _interpolated(group, around, chosen)
        many = solve_together(start, task, idle, min(a.nearer.solution.pace for a in around))
        ahead = equations_later(many.trial, idle)
        off, way = _off(start, many, around)
        good = many.solved & are_steady(ahead) & (off <= FAR * way + NEAR)
        constant = are_constant(many.equations, ahead)
    except (EigenbodyError, np.linalg.LinAlgError):  # of one of them: each is searched for by itself
        return nothing
    solutions = {
        k: replace(around[k].nearer.solution, outcome=_outcome(many, k, models[k], around[k]), task=tasks[k])
        for k in np.flatnonzero(good).tolist()
    }
    found = linearized_together(group, models, many, solutions, constant)
    sure = off <= STRAIGHT * way + SAME
    return [replace(found[k], is_expected=bool(sure[k])) if k in found else None for k in range(len(group))]


def _shared_coordinates(near: SteadyPoint) -> Selection:
    """The coordinates of the search near by; those of its operating point where they are the same in another order."""
    own, at_point = near.trial.chosen, near.point.chosen
    return at_point if set(at_point.positions.tolist()) == set(own.positions.tolist()) else own


def _solved_singly(model: InertModel, around: Neighbours) -> Linearized | None:
    """The same of one variant: a large mechanism, or one with parameters to be found."""
    near, chosen = around.nearer.solution, around.nearer.trial.chosen
    try:
        task = task_of(model)
        ends = (around.left.trial.parameters, around.right.trial.parameters)
        parameters = (1 - around.share) * ends[0] + around.share * ends[1]
        if len(parameters):
            model = model.with_parameters(dict(zip(task.parameters, parameters.tolist(), strict=True)))
        (goal,), (state,), (rates,) = _expected([around], chosen)
        system = system_of(model)
        task = about_own_axes(task, system, chosen) if near.task.axial else task
        state = with_rates(system, chosen, configured(system, chosen, state, goal), rates)
        start = Trial(model, system, chosen, state, parameters)
        outcome = solve(start, task, near.idle, near.pace)
        is_there = outcome.solved and distance(start, outcome.trial, near.pace) <= FAR * _way(around, chosen) + NEAR
        if not is_there or passing(outcome.trial) is not None:
            return None
        return linearized_alone(replace(near, outcome=outcome, task=task))
    except (EigenbodyError, np.linalg.LinAlgError):  # the search by itself says what is wrong
        return None


def _outcome(many: Many, k: int, model: InertModel, around: Neighbours) -> Outcome:
    own = replace(around.nearer.trial, model=model, system=system_of(model), chosen=many.trial.chosen)
    return Outcome(replace(many.equations.one(k), trial=one_trial(many.trial, k, own)), 0, True)


# Where it is expected -------------------------------------------------------------------------------------------------
def _interpolated(group: Group, around: Sequence[Neighbours], chosen: Selection) -> Trial:
    goals, states, rates = _expected(around, chosen)
    rotations = tuple(np.stack(each) for each in zip(*(goal.rotations for goal in goals), strict=True))
    goal = Place(np.stack([goal.values for goal in goals]), rotations)
    state = configured(group.system, chosen, stacked_states(states), goal)
    state = with_rates(group.system, chosen, state, np.stack(rates))
    return Trial(group.model, group.system, chosen, state, np.zeros(0))


def _expected(around: Sequence[Neighbours], chosen: Selection) -> tuple[list[Place], list[State], list[np.ndarray]]:
    """Places, states near them with the inner states, and rates."""
    goals: list[Place] = []
    states: list[State] = []
    rates: list[np.ndarray] = []
    for gap in _gaps(around):
        left, nodes = gap[0].left, gap[0].nodes
        known = [node.whereabouts(chosen) for node in nodes]
        measures = coordinate_set(left.trial.system, chosen.positions)
        moved = np.stack([difference(measures, node.place, known[0].place) for node in known])
        turning = np.stack([node.rates for node in known])
        inner = [np.stack([getattr(node.trial.state, name) for node in nodes]) for name in ("x", "u_in")]
        weights = np.stack([_weights(a, moved, turning) for a in gap])
        goal = ahead_of(measures, known[0].place, weights @ moved)
        goals += [Place(goal.values[k], tuple(R[k] for R in goal.rotations)) for k in range(len(gap))]
        x, u_in = (weights @ part for part in inner)
        states += [replace(a.nearer.trial.state, x=x[k], u_in=u_in[k]) for k, a in enumerate(gap)]
        rates += list(weights @ turning)
    return goals, states, rates


def _gaps(around: Sequence[Neighbours]) -> Iterator[list[Neighbours]]:
    """Places between the same neighbours."""
    for _, gap in groupby(around, key=lambda a: (a.left.place, a.right.place)):
        yield list(gap)


def _weights(a: Neighbours, moved: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """(nodes,) those of the polynomial where it does not lead astray: it stays near the straight line."""
    straight = np.zeros(len(moved))
    straight[:2] = 1 - a.share, a.share
    for values in (moved, rates):
        way = np.abs(values[1] - values[0]).max(initial=0.0)
        if np.abs((a.weights - straight) @ values).max(initial=0.0) > FAR * way:
            return straight
    return a.weights


def _off(start: Trial, many: Many, around: Sequence[Neighbours]) -> tuple[np.ndarray, np.ndarray]:
    """(n,) how far the solutions are from where they were expected, and the ways between their neighbours."""
    chosen = start.chosen
    pace = np.array([a.nearer.solution.pace for a in around])
    off = _distances(start, chosen, (whereabouts(start, chosen), whereabouts(many.trial, chosen)), pace)
    return off, np.concatenate([np.full(len(gap), _way(gap[0], chosen)) for gap in _gaps(around)])


def _way(a: Neighbours, chosen: Selection) -> float:
    """Distance of the neighbours."""
    return apart(a.left, a.right, chosen)


def apart(one: SteadyPoint, other: SteadyPoint, chosen: Selection) -> float:
    """Distance of two known steady motions."""
    both = (one.whereabouts(chosen), other.whereabouts(chosen))
    return float(_distances(one.trial, chosen, both, np.array(other.solution.pace)))


def distance(one: Trial, other: Trial, pace: float) -> float:
    """Between two steady motions: rad, lengths of the mechanism, or their rates at its pace."""
    both = (whereabouts(one, one.chosen), whereabouts(other, one.chosen))
    return float(_distances(one, one.chosen, both, np.array(pace)))


def _distances(trial: Trial, chosen: Selection, both: tuple[Whereabouts, Whereabouts], pace: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(changes(trial, chosen, both, pace)).max(axis=-1, initial=0.0))


def changes(trial: Trial, chosen: Selection, both: tuple[Whereabouts, Whereabouts], pace: np.ndarray) -> np.ndarray:
    """(..., coordinates and rates) from one to another: rad, lengths of the mechanism, or their rates at its pace."""
    system, (one, other) = trial.system, both
    measures = coordinate_set(system, chosen.positions)
    moved = difference(measures, other.place, one.place) / unit_of(system, chosen.positions)
    faster = (other.rates - one.rates) / unit_of(system, chosen.velocities) / pace[..., None]
    return joined(moved, faster)
