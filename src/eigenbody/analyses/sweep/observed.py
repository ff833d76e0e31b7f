"""Sweeps in the coordinates of an observer to whom the equations are constant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.analyses.modes import modes
from eigenbody.analyses.sweep.points import (
    angular_velocities,
    each_of,
    of_steady,
    one_by_one,
    point_modes,
    steady_points,
)
from eigenbody.analyses.sweep.spinning import TURNS
from eigenbody.analyses.sweep.tracking import PointModes
from eigenbody.analyses.sweep.walk import Outcome, Stretch
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.model import InertModel
from eigenbody.model.names import GROUND
from eigenbody.operating.find import operating_point
from eigenbody.operating.steady.along import asks_for_steady
from eigenbody.operating.turning.frame import charted, turning_frame

if TYPE_CHECKING:
    from eigenbody.analyses.sweep.follow import Sweep

FROM_GROUND = (
    "The equations are constant for an observer at rest, not in the coordinates of the model, of which some turn."
)
SEEN_FROM = "The equations change along the motion for an observer at rest, not for one who turns with {}."


def constant_observer(found: Sweep) -> str | None:
    """A joint with which the observer turns to whom the equations are constant, or ground, where they are not in the
    model's own coordinates."""
    if not found.is_frozen:
        return None
    last = int(np.flatnonzero(~found.is_failed)[-1])
    variant = found.model.with_values({name: float(values[last]) for name, values in found.parameters.items()})
    there = modes(variant)
    return None if there.steady_frame is None else there.steady_frame[0]


def who_sees(observer: str) -> str:
    """What is said where modes are those of such an observer."""
    return FROM_GROUND if observer == GROUND else SEEN_FROM.format(observer)


def modes_in_frame(model: InertModel, stretch: Stretch, frame: str) -> list[Outcome]:
    """As `modes_along`, in coordinates measured in the rotating frame, or from ground."""
    if asks_for_steady(model):
        steady = steady_points(model, stretch)
        return each_of(steady, lambda there: of_steady(there, _modes_there(there.point, frame)))
    return one_by_one(model, stretch.values, lambda variant: _modes_there(operating_point(variant), frame))


def _modes_there(point: OperatingPoint, frame: str) -> PointModes:
    if frame == GROUND or _stands_still(point, frame):
        return replace(point_modes(modes(point)), notes=())
    turned = point_modes(modes(dense_model(charted(point, turning_frame(point, frame), False))))
    return replace(turned, spins=angular_velocities(point), notes=())  # what is to be said is said of the whole sweep


def _stands_still(point: OperatingPoint, frame: str) -> bool:
    """Whether the frame does not turn here: then it is the fixed one."""
    for entry in point.model.description.frames:
        if entry.name == frame:
            return not np.real(entry["rate"])
    ends = next(entry["between"] for entry in point.model.description.joints if entry.name == frame)
    w = point.mechanics.at.w
    carriers = [point.system.places.carrier(end) for end in ends]
    body = carriers[1] if carriers[1] < point.system.bodies else carriers[0]
    return bool(np.abs(w[body]).max() <= TURNS * np.abs(w).max(initial=0.0))
