"""The linear equations of steady motions that were found together, each in the coordinates it would have alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import VariationalEquations, separate_models
from eigenbody.linearization.point import contradicting, refuse_singular
from eigenbody.mobility.angles import refuse_singular_angles, refuse_singular_components
from eigenbody.mobility.motion import massless
from eigenbody.mobility.partition import Selection, select
from eigenbody.model.model import InertModel
from eigenbody.operating.family import Group, separate_points
from eigenbody.operating.steady.attempts import Solution
from eigenbody.operating.steady.found import Linearized, linearized_alone
from eigenbody.operating.steady.many import Many
from eigenbody.operating.steady.motion import coordinates_of


def linearized_together(
    group: Group, models: Sequence[InertModel], many: Many, solutions: Mapping[int, Solution], constant: np.ndarray
) -> dict[int, Linearized]:
    """Those of the solutions by number that have linear equations, where they surely stay the same along the motion
    (`constant`) as they were found with the solutions, else each by itself."""
    together = _selections(many, {k: one for k, one in solutions.items() if constant[k]})
    found: dict[int, Linearized] = {}
    if together:
        e = many.equations.linear
        assert e is not None
        points = separate_points(group, e.point, together, models)
        own = {k: replace(points[k].choosing(chosen), is_steady=True) for k, chosen in together.items()}
        found = {k: Linearized(solutions[k], linear, True) for k, linear in separate_models(e, own).items()}
    for k in solutions.keys() - found.keys():
        try:
            found[k] = linearized_alone(solutions[k])
        except (EigenbodyError, np.linalg.LinAlgError):  # a singular configuration: the search by itself says so
            continue
    return found


def _selections(many: Many, solutions: Mapping[int, Solution]) -> dict[int, Selection]:
    """Rows and coordinates of those operating points that can be what they were found in."""
    e, chosen = many.equations.linear, many.trial.chosen
    if e is None or not solutions or many.trial.system.algebraic or not _is_sound(e, chosen):
        return {}
    bad = np.broadcast_to(contradicting(e.point.mechanics, chosen).any(axis=-1), len(many.solved))
    each = {k: _selection(one) for k, one in solutions.items() if not bad[k] and _has_mass(e, k)}
    return {k: own for k, own in each.items() if own is not None and own.is_like(chosen)}


def _is_sound(e: VariationalEquations, chosen: Selection) -> bool:
    """Whether none of them is a singular configuration."""
    try:
        refuse_singular(e.point.frame)
    except EigenbodyError:
        return False
    return True


def _has_mass(e: VariationalEquations, k: int) -> bool:
    M = e.M[k] if e.M.ndim > 2 else e.M
    return bool(e.point.system.has_mass_everywhere) or not len(massless(e.point.system, M))


def _selection(solution: Solution) -> Selection | None:
    system, state = solution.outcome.trial.system, solution.outcome.trial.state
    try:
        refuse_singular_angles(system, state)
        refuse_singular_components(system, state, system.coordinates.tolist())
    except EigenbodyError:
        return None
    return coordinates_of(solution, select(Mechanics(system, state), system.coordinates))
