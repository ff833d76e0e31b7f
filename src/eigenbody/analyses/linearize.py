"""Linearize a model: find its operating point, then the linear equations there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from eigenbody.linearization.large import SparseLinearModel
from eigenbody.linearization.linearize import linear_model
from eigenbody.linearization.model import LinearModel
from eigenbody.model.model import Model
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operation.point import OperatingPoint
from eigenbody.points.find import operating_point


@on_one_thread
def linearize(
    model: Model | OperatingPoint,
    at: OperatingPoint | None = None,
    coordinates: Sequence[str] | Mapping[str, float] | None = None,
    solver: str | None = None,
) -> LinearModel | SparseLinearModel:
    """Linearize at the operating point, in the given coordinates or in those of the model file or the spanning tree.

    `solver` "dense" or "sparse" forces the form of the result; by default it is sparse above 2000 degrees of freedom.
    """
    point = model if isinstance(model, OperatingPoint) else at if at is not None else operating_point(model)
    return linear_model(point, coordinates, solver)
