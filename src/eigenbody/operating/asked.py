"""Operating points where a model is varied or extended: which model asks for them, and the same point in another."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.linearization.linearize import in_coordinates
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.linearization.still import system_as_at
from eigenbody.linearization.subject import Subject, is_same_state, subject
from eigenbody.model.model import InertModel
from eigenbody.operating.find import operating_point


def model_asking_for(given: Subject) -> InertModel:
    """The model whose operating point is the one given: where a model is varied, its point is found anew each time."""
    found = subject(given)
    if isinstance(found, InertModel):
        return found
    for model in _candidates(found):
        if is_same_state(found, operating_point(model).state):
            return model
    what = "the model is varied here, and it does not say how its operating point becomes the one given."
    raise InputError(Fault("model", what, "Give the model: model.set(operating_point=...) says what it is to be."))


def _candidates(point: OperatingPoint) -> list[InertModel]:
    settled = [point.model.set(operating_point="equilibrium")] if point.is_equilibrium else []
    return [point.model, *settled]


def model_and_point(model: Subject, at: Subject | None = None) -> tuple[InertModel, OperatingPoint]:
    """The operating point of the model, or the one given, and the model that asks for it."""
    if at is None and isinstance(model, InertModel):
        return model, operating_point(model)
    point = point_at(model, at)
    return model_asking_for(point), point


def point_at(model: Subject, at: Subject | None = None) -> OperatingPoint:
    """The operating point given by `at`, else by the model; a point of another model is refused."""
    if at is None:
        return operating_point(model)
    point, own = operating_point(at), subject(model)
    own = own if isinstance(own, InertModel) else own.model
    if own is not point.model and _mechanism(own, _adjusted(own)) != _mechanism(point.model, _adjusted(own)):
        raise InputError(Fault("at", "this operating point is one of another model.", "Find it for this model."))
    return point


def _adjusted(model: InertModel) -> tuple[str, ...]:
    """What may have other values at the operating point: parameters found with a steady motion."""
    return tuple((model.description.operating_point or {}).get("adjust") or ())


def _mechanism(model: InertModel, adjusted: Collection[str]) -> dict[str, object]:
    """What makes it this mechanism."""
    data = {key: item for key, item in model.source.data.items() if key not in ("operating_point", "coordinates")}
    parameters = {name: value for name, value in model.parameters.items() if name not in adjusted}
    return {**data, "parameters": parameters}


def in_model(point: OperatingPoint, model: InertModel) -> OperatingPoint:
    """The same point of a model that has further inputs or outputs."""
    if model is point.model:
        return point
    system = system_as_at(point, model)
    held = dict(zip(point.system.inputs, point.state.u_in.tolist(), strict=True))
    state = replace(point.state, u_in=np.array([held.get(name, 0.0) for name in system.inputs]))
    chosen = [point.system.names[i] for i in point.chosen.positions]
    return replace(in_coordinates(at_state(model, system, state), chosen), is_steady=point.is_steady)
