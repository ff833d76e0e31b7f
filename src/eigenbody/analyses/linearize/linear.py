"""Linearize a model: find its operating point, then the linear equations there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eigenbody.linearization.linearize import linear_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.subject import Subject, subject
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import point_at
from eigenbody.operating.turning.constant_form import in_constant_form


@on_one_thread
def linearize(
    model: Subject,
    at: Subject | None = None,
    coordinates: Sequence[str] | Mapping[str, float] | None = None,
    solver: str | None = None,
) -> LinearModel:
    """Linearize at the operating point, in the given coordinates or in those of the model file or the spanning tree.

    `solver` "dense" or "sparse" forces the form of the result; by default it is sparse above 2000 degrees of freedom.
    """
    return linear_model(point_at(model, at), coordinates, solver)


def linear_of(given: Subject) -> LinearModel:
    """The linear model that was given or that a result carries; else that of what was given."""
    found = subject(given, LinearModel)
    return found if isinstance(found, LinearModel) else linearize(found)


def constant_linear_of(given: Subject) -> LinearModel:
    """The same in the form whose coefficients are constant: in multi-blade coordinates where these are needed."""
    return in_constant_form(linear_of(given))
