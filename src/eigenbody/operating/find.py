"""The operating point that a model asks for; one line in `KINDS` for each way to find it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from eigenbody.linearization.point import OperatingPoint, at_state, completed_point, system_of
from eigenbody.linearization.subject import Subject, subject
from eigenbody.mobility.initial import initial_mechanics
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread


def reference(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """The initial state, made consistent."""
    return completed_point(model, initial_mechanics(system_of(model)))


def equilibrium(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """The stable static equilibrium nearest to the start."""
    from eigenbody.operating.equilibrium import equilibrium_point

    return equilibrium_point(model, options)


def given(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """Explicit values."""
    from eigenbody.operating.given import given_point

    return given_point(model, options)


def steady(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """A steady motion."""
    from eigenbody.operating.steady import steady_motion

    return steady_motion(model, options.get("prescribed") or {}, options.get("adjust") or ())


def end_of_simulation(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """Where a simulation from the initial state ends."""
    from eigenbody.simulation.run import simulate

    from_start = model.set(operating_point="reference")
    end = simulate(from_start, until=options["until"], points=2, max_steps=options.get("max_steps"))
    return at_state(model, system_of(model), end.state)


def periodic(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """The start of a periodic motion."""
    from eigenbody.operating.periodic import periodic_point

    return periodic_point(model, options)


def held(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """A pose held at rest by forces and torques along joints."""
    from eigenbody.operating.held import held_point

    return held_point(model, options)


KINDS: dict[str, Callable[[InertModel, Mapping[str, Any]], OperatingPoint]] = {
    "reference": reference,
    "equilibrium": equilibrium,
    "steady": steady,
    "simulate": end_of_simulation,
    "periodic": periodic,
    "given": given,
    "held": held,
}


@on_one_thread
def operating_point(model: Subject, at: str | Mapping[str, Any] | None = None) -> OperatingPoint:
    """Find the operating point that the model asks for, or the one asked for here; that of a result is known already.

    `at` is what may stand in the model's section `operating_point`: a word, a word with options, or explicit values.
    """
    found = subject(model)
    if isinstance(found, OperatingPoint) and at is None:
        return found
    model = found.model if isinstance(found, OperatingPoint) else found
    if at is not None:
        model = model.set(operating_point=dict(at) if isinstance(at, Mapping) else at)
    wanted = model.description.operating_point or {"type": "reference"}
    return KINDS[wanted["type"]](model, wanted)
