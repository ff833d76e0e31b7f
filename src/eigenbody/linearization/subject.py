"""What an analysis was given: a model, a path or map that is read, an operating point, or a result that carries one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.exchange import read_model
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.model import InertModel
from eigenbody.model.source import shown
from eigenbody.system.state import State

Subject = Any  # Model, path, map, OperatingPoint, or a result with one of the attributes below
ACCEPTED = (
    "Give a model, the path of a model file, a map of its sections, an operating point, or a result that carries one"
    " (equilibrium, simulation, linear model, modes)."
)
CARRYING = ("point", "linear", "modes", "modes_after")  # where results keep what they were found at
SAME = 1e-9  # difference of two states, in lengths, radians and their rates, up to which they are the same


def subject(given: Subject, *also: type) -> Any:
    """The model or operating point that was given or that a result carries; or the first thing of the types `also`."""
    found = given
    for _ in range(len(CARRYING) + 1):
        if isinstance(found, (InertModel, OperatingPoint, *also)):
            return found
        if isinstance(found, str | os.PathLike | Mapping) and found is given:
            return _loaded(found)
        if getattr(found, "added_damping", None) is not None:
            what = "damping was added to this linear model that its mechanism does not have."
            raise InputError(Fault("model", what, "Give the model, or describe the damping in it."))
        if getattr(found, "by_route", None) is not None:
            what = f"these are equations by the route {found.by_route}, not those of the mechanism."
            raise InputError(Fault("model", what, "Give the model."))
        found = next((getattr(found, name) for name in CARRYING if hasattr(found, name)), None)
    what = f"{shown(given)} ({type(given).__name__}) is nothing that can be analysed."
    own = "Give its `model`. " if isinstance(getattr(given, "model", None), InertModel) else ""
    raise InputError(Fault("model", what, own + ACCEPTED))


def _loaded(given: str | os.PathLike[str] | Mapping[str, Any]) -> InertModel:
    try:
        source = read_model(given if isinstance(given, str | Mapping) else os.fspath(given))
    except InputError as error:
        if isinstance(given, Mapping) or os.path.isfile(given):
            raise
        raise InputError(replace(fault, remedy=fault.remedy or ACCEPTED) for fault in error.faults) from error
    return InertModel.from_source(source, VOCABULARY)


def is_same_state(point: OperatingPoint, other: State) -> bool:
    """Whether a state is that of the point, but for rounding."""
    own, length = point.state, point.system.length
    pairs = ((own.r, other.r, length), (own.R, other.R, 1.0), (own.v, other.v, length), (own.w, other.w, 1.0),
             (own.x, other.x, 1.0), (own.u_in, other.u_in, 1.0), (own.t, other.t, 1.0))  # fmt: skip
    return all(
        np.shape(a) == np.shape(b) and bool(np.all(np.abs(a - b) <= SAME * (unit + np.abs(a)))) for a, b, unit in pairs
    )
