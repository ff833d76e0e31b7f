"""The operating point that a model asks for; one line in `KINDS` for each way to find it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eigenbody.errors import Fault, InputError
from eigenbody.model.model import Model
from eigenbody.numerics.threads import on_one_thread
from eigenbody.operation.initial import initial_state
from eigenbody.operation.point import OperatingPoint, at_state, system_of


def reference(model: Model, options: Mapping[str, Any]) -> OperatingPoint:
    """The initial state, made consistent."""
    system = system_of(model)
    return at_state(model, system, initial_state(system))


KINDS: dict[str, Callable[[Model, Mapping[str, Any]], OperatingPoint]] = {
    "reference": reference,
}


@on_one_thread
def operating_point(model: Model) -> OperatingPoint:
    """Find the operating point that the model asks for."""
    wanted = model.description.operating_point or {"type": "reference"}
    kind = wanted.get("type")
    if kind not in KINDS:
        asked = kind or ", ".join(map(str, wanted))
        raise InputError(Fault("operating_point", f'"{asked}" is not available in this version.', 'Use "reference".'))
    return KINDS[kind](model, wanted)
