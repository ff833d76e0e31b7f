"""Reactions at the operating point of a model."""

from __future__ import annotations

from eigenbody.linearization.subject import Subject
from eigenbody.loads.reactions import Reactions, at_point
from eigenbody.operating.find import operating_point


def reactions(model: Subject, axes: str = "joint") -> Reactions:
    """Force and moment in every joint at the operating point, in joint axes or ground axes."""
    return at_point(operating_point(model), axes)
