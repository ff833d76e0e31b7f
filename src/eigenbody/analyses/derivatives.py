"""Exact derivatives of the linear equations by any numbers of the model, the shift of the operating point included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.errors import ComputationError
from eigenbody.linearization.linearize import DENSE_FREEDOMS, Equations, linear_model
from eigenbody.linearization.model import LinearModel
from eigenbody.model.model import Model
from eigenbody.numerics.threads import on_one_thread
from eigenbody.operation.point import OperatingPoint
from eigenbody.points.find import operating_point
from eigenbody.points.shift import Steps, shifted_point, with_steps
from eigenbody.progress import report

CHUNK_ENTRIES = 8_000_000  # complex numbers in one stack of matrices of the bodies: bounds the memory


@dataclass(frozen=True)
class Derivatives:
    """d(.)/dp of the linear model by numbers p: arrays (p, ...) in the order of `names`.

    dM, dC, dK   of the matrices in the coordinates
    dA, dB, dC_out, dD   of the state space
    is_exact     whether the shift of the operating point was found from its own equations (else by differences)
    """

    names: tuple[str, ...]
    values: np.ndarray
    linear: LinearModel
    dM: np.ndarray
    dC: np.ndarray
    dK: np.ndarray
    dA: np.ndarray
    dB: np.ndarray
    dC_out: np.ndarray
    dD: np.ndarray
    is_exact: bool


@on_one_thread
def derivatives(model: Model, names: Sequence[str], at: OperatingPoint | None = None) -> Derivatives:
    """Derivatives by parameters or by any numbers of the model by path, all in one batched evaluation."""
    point = operating_point(model) if at is None else at
    linear = linear_model(point, solver="dense")
    assert isinstance(linear, LinearModel)
    if linear.dof > DENSE_FREEDOMS:
        raise ComputationError(f"The derivative of A would be dense ({linear.dof} degrees of freedom): too large.")
    steps = with_steps(model, names)
    place = {name: k for k, name in enumerate(steps.names)}
    arrays: dict[str, np.ndarray] = {}
    exact = True
    for part, width in zip(steps.split(), (len(linear.states), point.system.nq), strict=True):
        for few in _chunks(part, width):
            slopes, few_exact = _of(steps if few == steps.names else with_steps(model, few), point)
            exact = exact and few_exact
            if few == steps.names:
                arrays = slopes
                break
            rows = [place[name] for name in few]
            for key, own in slopes.items():
                arrays.setdefault(key, np.empty((len(place), *own.shape[1:])))[rows] = own
    return Derivatives(steps.names, steps.values, linear, **arrays, is_exact=exact)


def _chunks(names: tuple[str, ...], width: int) -> Iterator[tuple[str, ...]]:
    """Few enough names that matrices of that width for all of them stay small."""
    chunk = max(1, CHUNK_ENTRIES // max(1, width) ** 2)
    for start in range(0, len(names), chunk):
        yield names[start : start + chunk]


def _of(steps: Steps, point: OperatingPoint) -> tuple[dict[str, np.ndarray], bool]:
    report("derivatives")
    moved, exact = shifted_point(point, steps)
    e = Equations(moved)
    A, B, C, D = e.state_space
    matrices = {"dM": e.M, "dC": e.C, "dK": e.K, "dA": A, "dB": B, "dC_out": C, "dD": D}
    n = len(steps.names)
    slopes = {key: steps.slope(np.broadcast_to(a, (n, *a.shape[-2:]))) for key, a in matrices.items()}
    return slopes, exact
