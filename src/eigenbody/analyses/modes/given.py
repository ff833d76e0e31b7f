"""The modes that an analysis is given, in whatever it was given."""

from __future__ import annotations

from eigenbody.analyses.modes.find import modes
from eigenbody.analyses.modes.result import Modes
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.subject import Subject, subject


def modes_of(given: Subject) -> Modes:
    """The modes that were given or that a result carries; else those of the model, point or linear model given."""
    found = subject(given, Modes, LinearModel)
    return found if isinstance(found, Modes) else modes(found)
