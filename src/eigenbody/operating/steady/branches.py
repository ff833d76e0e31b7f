"""Whether neighbouring steady motions along a path are on one branch.

They are where Newton's method leads from each to the other, at once or in steps of the values between them. Not all
pairs are asked: only those where something lets expect another branch.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.linearization.point import system_of
from eigenbody.mobility.coordinates import configured, with_rates
from eigenbody.model.model import InertModel
from eigenbody.operating.steady.attempts import Solution
from eigenbody.operating.steady.between import NEAR, SAME, changes, distance
from eigenbody.operating.steady.equations import Trial
from eigenbody.operating.steady.found import SteadyPoint, whereabouts
from eigenbody.operating.steady.solve import solve
from eigenbody.operating.steady.task import task_of

BENT = 0.1  # of the way between two neighbours, by which a coordinate between them is beside the straight line
STEPS = 8  # in which one is led to the other where a single one is too long


def is_bent(left: SteadyPoint, middle: SteadyPoint, right: SteadyPoint) -> bool:
    """Whether some coordinate or rate goes from left to right by another way than the straight one: a branch that
    begins there, or one that is changed to, has a corner or a jump."""
    chosen, pace = middle.trial.chosen, np.array(middle.solution.pace)
    here, there, beyond = (one.whereabouts(chosen) for one in (left, middle, right))
    to_middle = changes(middle.trial, chosen, (here, there), pace)
    to_right = changes(middle.trial, chosen, (here, beyond), pace)
    share = (middle.place - left.place) / (right.place - left.place or 1.0)
    off = np.abs(to_middle - share * to_right)
    return bool(np.any((off > BENT * np.abs(to_right)) & (off > NEAR)))


def are_on_one_branch(model: InertModel, left: SteadyPoint, right: SteadyPoint) -> bool:
    """Whether Newton's method goes from each to the other."""
    return _leads(model, left, right) and _leads(model, right, left)


def _leads(model: InertModel, known: SteadyPoint, other: SteadyPoint) -> bool:
    solution, own = other.solution, other.trial
    at_once = _led(known.trial, own.model, solution)
    if at_once is not None and distance(at_once, own, solution.pace) <= SAME:
        return True
    if solution.task.parameters or solution.task.axial:
        return False
    led: Trial | None = known.trial
    for share in np.linspace(0.0, 1.0, STEPS + 1)[1:].tolist():
        led = None if led is None else _led(led, model.with_values(_between(known, other, share)), solution)
    return led is not None and distance(led, own, solution.pace) <= SAME


def _between(known: SteadyPoint, other: SteadyPoint, share: float) -> Mapping[str, float]:
    return {name: (1 - share) * value + share * other.values[name] for name, value in known.values.items()}


def _led(trial: Trial, model: InertModel, like: Solution) -> Trial | None:
    """Where Newton's method goes from a trial in another variant of the model; None if nowhere."""
    try:
        system, chosen = system_of(model), trial.chosen
        state = configured(system, chosen, trial.state, whereabouts(trial, chosen).place)
        state = with_rates(system, chosen, state, trial.rates)
        task = like.task if like.task.parameters or like.task.axial else task_of(model)
        outcome = solve(Trial(model, system, chosen, state, trial.parameters), task, like.idle, like.pace)
    except (EigenbodyError, np.linalg.LinAlgError):
        return None
    return outcome.trial if outcome.solved else None
