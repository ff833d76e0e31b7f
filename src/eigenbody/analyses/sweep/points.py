"""Modes at the points of a path, many at once; a point that fails says why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TypeVar

import numpy as np

from eigenbody.analyses.modes import Modes, modes, modes_from, modes_of_many, tracked_shapes
from eigenbody.analyses.sweep.linear import Linearized, Member, linear_models, linearized
from eigenbody.analyses.sweep.stacked import alike_in_turning, modes_in_stacks
from eigenbody.analyses.sweep.tracking import Failure, PointModes
from eigenbody.analyses.sweep.walk import Outcome, Stopped, Stretch
from eigenbody.base.errors import ComputationError, EigenbodyError, in_one_line
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint, system_of
from eigenbody.model.model import InertModel
from eigenbody.model.names import GROUND
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, blocks
from eigenbody.operating.family import Failed
from eigenbody.operating.steady.along import asks_for_steady, steady_along
from eigenbody.operating.steady.found import SteadyPoint
from eigenbody.operating.turning.blades import may_have_patterns
from eigenbody.operating.turning.constant_form import in_blade_patterns
from eigenbody.spatial.rotations import apply

T = TypeVar("T")
TOGETHER = 300_000  # entries of the matrices whose eigenvalues are found together


def modes_along(model: InertModel, stretch: Stretch, n: int | None = None) -> list[Outcome]:
    """Modes at every point of a stretch of the path; a point that fails says why."""
    if asks_for_steady(model):
        steady = steady_points(model, stretch)
        if n is None:
            return each_of(steady, lambda there: of_steady(there, point_modes(_modes_of_steady(there))))
        return each_of(steady, lambda there: of_steady(there, point_modes(modes(there.point, n=n))))
    if n is not None and system_of(model).nq > DENSE_LIMIT:
        return one_by_one(model, stretch.values, lambda variant: point_modes(modes(variant, n=n)))
    return _modes_together(linearized(model, stretch.values), n)


def _modes_together(linears: Sequence[Linearized], n: int | None) -> list[Outcome]:
    """Modes of all that did not fail, many together; Ctrl-C keeps those before."""
    states = max((_states(one) for one in linears), default=0)
    outcomes: list[Outcome] = []
    try:
        for part in blocks(len(linears), max(TOGETHER // max(states, 1) ** 2, 1)):
            outcomes += _modes_of_some(linears[part], n)
    except KeyboardInterrupt as error:
        raise Stopped([*outcomes, *(error.done if isinstance(error, Stopped) else ())]) from error
    return outcomes


def _states(one: Linearized) -> int:
    if isinstance(one, Member):
        return one.stack.linear.states
    return len(one.states) if isinstance(one, LinearModel) else 0


def _modes_of_some(linears: Sequence[Linearized], n: int | None) -> list[Outcome]:
    """In stacks where nothing more is to be said of a point, else point by point, their eigenvalues found together."""
    known = modes_in_stacks(linears, n)
    tried = _in_patterns(linear_models(one for k, one in enumerate(linears) if k not in known))
    found = iter(modes_of_many([one for one in tried if isinstance(one, LinearModel)], n))
    try:
        others = each_of((next(found) if isinstance(one, LinearModel) else one for one in tried), point_modes)
    except Stopped as stopped:
        raise Stopped(_in_order(known, stopped.done, len(linears))) from stopped
    return _in_order(known, others, len(linears))


def _in_order(known: Mapping[int, Outcome], others: Iterable[Outcome], count: int) -> list[Outcome]:
    """Outcomes at places that are known and, between them, the others; up to the first that is missing."""
    rest = iter(others)
    found = (known[k] if k in known else next(rest, None) for k in range(count))
    return [outcome for outcome in takewhile(lambda outcome: outcome is not None, found) if outcome is not None]


def _in_patterns(linears: Sequence[LinearModel | Failed]) -> list[LinearModel | Failed | EigenbodyError]:
    """Each in multi-blade coordinates where these help. Whether blades are looked for is asked of the one that turns
    fastest among those that stand and turn alike."""
    out: list[LinearModel | Failed | EigenbodyError] = list(linears)
    own = {k: one for k, one in enumerate(linears) if isinstance(one, LinearModel)}
    for members in alike_in_turning({k: one.point.state for k, one in own.items()}):
        if may_have_patterns(own[members[0]].point):
            for k in members:
                out[k] = _tried(own[k])
    return out


def _tried(linear: LinearModel) -> LinearModel | EigenbodyError:
    try:
        return in_blade_patterns(linear)
    except EigenbodyError as error:
        return error


def _modes_of_steady(there: SteadyPoint) -> Modes:
    """All modes; its eigenvalues are known but for blades in patterns."""
    linear = in_blade_patterns(there.linear)
    return (
        modes_from(linear, there.spectrum, None, None) if linear is there.linear and there.spectrum else modes(linear)
    )


def steady_points(model: InertModel, stretch: Stretch) -> Sequence[SteadyPoint | Failed]:
    """Steady motions along a stretch, from those that are known."""
    known = [modes.steady for modes in stretch.known if modes.steady is not None]
    return steady_along(model, stretch.t, stretch.values, known)


def of_steady(there: SteadyPoint, found: PointModes) -> PointModes:
    """Modes of a steady motion, which others near by are found from."""
    return replace(found, notes=(*there.notes, *found.notes), steady=there)


def one_by_one(
    model: InertModel, values: dict[str, np.ndarray], of: Callable[[InertModel], PointModes]
) -> list[Outcome]:
    """What `of` gives for each variant of the model, or why it fails."""
    count = len(next(iter(values.values())))
    return each_of((model.with_values({name: float(v[i]) for name, v in values.items()}) for i in range(count)), of)


def each_of(found: Iterable[T | Failed | EigenbodyError], of: Callable[[T], PointModes]) -> list[Outcome]:
    """What `of` gives for each, or why it fails."""
    outcomes: list[Outcome] = []
    try:
        for one in found:
            if isinstance(one, Failed):
                outcomes.append(Failure(one.message))
            else:
                outcomes.append(Failure(in_one_line(one)) if isinstance(one, EigenbodyError) else _outcome(one, of))
    except KeyboardInterrupt as error:
        raise Stopped(outcomes) from error
    return outcomes


def _outcome(variant: T, of: Callable[[T], PointModes]) -> Outcome:
    try:
        return of(variant)
    except (EigenbodyError, np.linalg.LinAlgError) as error:
        return Failure(in_one_line(error))


def point_modes(found: Modes) -> PointModes:
    """What following needs of the modes of a point."""
    point = found.linear.point
    first_order = len(point.system.states)
    states = found.states_shape
    extra = np.zeros((len(found), 0)) if states is None or not first_order else states[:, -first_order:]
    if not np.isfinite(found.eigenvalues).all() or not np.isfinite(found.motion).all():
        raise ComputationError("The modes are not finite. Check the model for absurd magnitudes.")
    return PointModes(
        eigenvalues=found.eigenvalues,
        shapes=tracked_shapes(point, found.motion),
        extra=extra,
        is_rigid=found.is_rigid,
        stabilities=found.growths,
        spins=_spins(found.linear),
        is_complete=len(found) + int((found.eigenvalues.imag > 0).sum()) == found.states,
        stability=found.growth,
        notes=(*found.linear.notes, *found.remarks),
        patterns=found.patterns,
    )


def _spins(linear: LinearModel) -> np.ndarray:
    """Of bodies, moving frames of the model and ground."""
    spins = angular_velocities(linear.point)
    return spins if linear.seen_from in (None, GROUND) else np.delete(spins, -2, axis=0)  # the observer's own frame


def angular_velocities(point: OperatingPoint) -> np.ndarray:
    """(carriers, 3) of bodies, moving frames and ground, global axes."""
    at = point.mechanics.at
    return np.real(apply(at.R, at.w))
