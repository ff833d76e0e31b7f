"""A blow at the operating point of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eigenbody.linearization.subject import Subject, subject
from eigenbody.model.model import InertModel
from eigenbody.operating.find import operating_point
from eigenbody.simulation.impulse import Impulse, strike
from eigenbody.simulation.impulse.blows import Blow


def impulse(
    model: Subject,
    impulses: Mapping[str, Any] | Sequence[Mapping[str, Any] | Blow],
    angles: str | None = None,
    axes: str = "joint",
    method: str | None = None,
) -> Impulse:
    """Strike a mechanism at its operating point.

    impulses   one or several of `{"body", "impulse", "angular", "at", "axes", "frame", "against"}` (an impulse in N*s
               and an angular impulse in N*m*s at a body or marker; `against`: a body that takes the opposite) or
               `{"along", "value"}` (along a measure: an internal impulse, equal and opposite)
    angles     "123", "313", ...: ball joints and floating bodies are read as angles of that intrinsic sequence
    axes       of the impulsive reactions: "joint" or "ground"
    method     "kane": by Kane's equations of a tree in place of the engine's
    """
    found = subject(model)
    wanted = found.description.operating_point if isinstance(found, InertModel) else None
    at_start = isinstance(found, InertModel) and (not wanted or wanted["type"] == "reference")
    return strike(found if at_start else operating_point(found), impulses, angles, axes, method)
