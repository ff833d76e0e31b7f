"""Sensitivities of dependent quantities: how any measure, and its rate, follows the linear state.

ds = s_q dq and ds' = s'_q dq + s_q du with dq, du = (.) [S, W, x], the solution of the augmented system (Negrut & Ortiz
2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Shown
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.linearization.still import system_as_at
from eigenbody.mobility.frame import measure_rows
from eigenbody.mobility.treespace import value_set

if TYPE_CHECKING:
    from eigenbody.linearization.model import LinearModel


@dataclass(frozen=True, eq=False)
class Dependents(Shown, look="linearization.look.dependents"):
    """Derivatives of measures and of their rates by the linear state, a row for each measure.

    `value` (measures, states) is d(measure)/d[S, W, x]; it depends on S alone. `rate` is d(measure')/d[S, W, x].
    """

    measures: tuple[str, ...]
    states: tuple[str, ...]
    value: np.ndarray
    rate: np.ndarray

    def __getitem__(self, measure: str) -> dict[str, float]:
        """Nonzero derivatives of a measure (or, with a prime, of its rate) by name of state."""
        matrix = self.rate if measure.endswith("'") else self.value
        row = matrix[self.measures.index(measure.removesuffix("'"))]
        return {state: float(slope) for state, slope in zip(self.states, row, strict=True) if slope}


def dependents(linear: LinearModel, measures: Sequence[str]) -> Dependents:
    """How the named measures depend on the linear state: joint coordinates, measures, or coordinates of bodies."""
    point = _knowing(linear.point, measures)
    system = point.system
    if system.nq != linear.shape_q.shape[0]:
        what = "the rotation of a point mass, which nothing else feels, is no quantity of this linear model."
        raise InputError(Fault("measures", what, "Give the body an inertia."))
    speeds = [name for name in measures if system.aliases[name] in system.speeds]
    if speeds:
        what = f'"{speeds[0]}" is a speed, which has no value of its own.'
        raise InputError(Fault("measures", what, "Make it an output of the model."))
    chosen = value_set(system, np.array([system.aliases[name] for name in measures], dtype=int))
    gradient, rate_q = (measure_rows(point.mechanics, chosen, False, what) for what in ("gradient", "rate_q"))
    value = gradient @ linear.shape_q
    rate = rate_q @ linear.shape_q + gradient @ linear.shape_u
    for array in (value, rate):
        array.setflags(write=False)
    return Dependents(tuple(measures), linear.states, value, rate)


def _knowing(point: OperatingPoint, measures: Sequence[str]) -> OperatingPoint:
    """The point in a system that knows all the measures; coordinates of bodies come into being when asked for."""
    known = point.system.aliases
    unknown = [name for name in measures if name not in known]
    if not unknown:
        return point
    bodies = point.system.description.bodies.known_names
    wrong = [name for name in unknown if name.rpartition(".")[0] not in bodies]
    if wrong:
        faults = [Fault("measures", f'there is no measure "{name}".', suggest(name, list(known))) for name in wrong]
        raise InputError(faults)
    own = [point.system.names[i] for i in point.chosen.positions]
    model = point.model.set(coordinates=[*own, *unknown])
    return at_state(model, system_as_at(point, model), point.state)
