"""Values that vary: numbers, expressions of measures, rates, inputs and time, and tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from eigenbody.model.description import Description, Entry, Function
from eigenbody.model.expressions import Expression
from eigenbody.routes.deflections import Velocities
from eigenbody.routes.drawing import Poses
from eigenbody.routes.kane.measures import ChainMeasures

SIGNAL_KEYS = ("force", "value", "curve", "coulomb", "static")


def signals_of(entry: Entry) -> Iterator[Any]:
    """All signals of a force."""
    for key in SIGNAL_KEYS:
        value = entry.get(key)
        yield from value if isinstance(value, tuple) else (value,) if value is not None else ()


class Now(NamedTuple):
    """Time and the values of the inputs."""

    t: float
    inputs: np.ndarray


class Environment:
    """What expressions can see at given poses and velocities; field 0 is the motion itself."""

    def __init__(
        self,
        description: Description,
        now: Now,
        measures: ChainMeasures,
        at: Poses,
        field: Velocities,
        states: np.ndarray,
    ) -> None:
        self.measures, self.at, self.t = measures, at, now.t
        self.states = {entry.name: states[:, i] for i, entry in enumerate(description.states)}
        self.motion = Velocities(field.v[:, :1], field.w[:, :1])
        self.inputs = dict(zip((entry.name for entry in description.inputs), now.inputs, strict=True))
        self.variables = {entry.name: entry["value"] for entry in description.variables}

    def value(self, signal: Any, s: Any = None, v: Any = None) -> Any:
        """Value (b,) or number of a signal; s and v are the element's own deflection and rate."""
        if not isinstance(signal, Expression):
            return signal
        return signal.evaluate({name: self._named(name, s, v) for name in signal.names})

    def _named(self, name: str, s: Any, v: Any) -> Any:
        if name == "s" and s is not None:
            return s
        if name == "v" and v is not None:
            return v
        if name == "t":
            return self.t
        if name in self.states:
            return self.states[name]
        if name in self.inputs:
            return float(self.inputs[name])
        if name in self.variables:
            return self.value(self.variables[name])
        if name.endswith("'"):
            return self.measures[name[:-1]].rate(self.at, self.motion)[:, 0, 0]
        return self.measures[name].value(self.at)[:, 0, 0]


def unknown_names(signal: Any, description: Description, measures: ChainMeasures) -> str:
    """Why a signal cannot be evaluated here, or ""."""
    if isinstance(signal, Function):
        return "a Python function"
    if not isinstance(signal, Expression):
        return ""
    variables = {entry.name: entry["value"] for entry in description.variables}
    known = {"s", "v", "t", *(entry.name for entry in (*description.states, *description.inputs))}
    for name in sorted(signal.names - known):
        if name in variables:
            reason = unknown_names(variables[name], description, measures)
        else:
            reason = _unknown(name, measures)
        if reason:
            return reason
    return ""


def _unknown(name: str, measures: ChainMeasures) -> str:
    """Accelerations, reactions and forces of elements are not known before they are solved for."""
    if name.endswith("''"):
        return f'the acceleration "{name}"'
    return "" if measures.knows(name.removesuffix("'")) else f'"{name}"'
