"""Exact derivatives of the linear equations by any numbers of the model, the shift of the operating point included."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.analyses.sensitivity.blades import StepsInPatterns
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.base.progress import report
from eigenbody.linearization.linearize import DENSE_FREEDOMS, VariationalEquations, dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.multiblade import MultiBlade
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_and_point
from eigenbody.operating.shift import Steps, independent, shifted_point, with_steps
from eigenbody.operating.turning.constant_form import in_blade_patterns
from eigenbody.operating.turning.observer import from_ground
from eigenbody.system.system import Output

CHUNK_ENTRIES = 8_000_000  # complex numbers in one stack of matrices of the bodies: bounds the memory


@dataclass(frozen=True, eq=False)
class Derivatives:
    """d(.)/dp of the linear model by numbers p: arrays (p, ...) in the order of `names`; of a rotor with equal
    blades in multi-blade coordinates (`linear.blades`).

    dM, dC, dK   of the matrices in the coordinates
    dA, dB, dC_out, dD   of the state space; rows of outputs that are joint reactions are nan
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
def derivatives(model: Subject, names: Sequence[str], at: Subject | None = None) -> Derivatives:
    """Derivatives by parameters or by any numbers of the model by path, all in one batched evaluation."""
    model, point = seen_from_ground(*model_and_point(model, at))
    return derivatives_at(point, model, names)


def seen_from_ground(model: InertModel, point: OperatingPoint) -> tuple[InertModel, OperatingPoint]:
    """Model and point in coordinates measured from ground where the equations are constant in these and not in the
    model's own; else as they are."""
    if point.is_at_rest or len(point.chosen.velocities) > DENSE_FREEDOMS:
        return model, point
    seen = from_ground(dense_model(point))
    return (model, point) if seen.seen_from is None else (seen.point.model, seen.point)


def refuse_large(point: OperatingPoint) -> None:
    """Refuse mechanisms whose A is too large to be dense."""
    dof = len(point.chosen.velocities)
    if dof > DENSE_FREEDOMS:
        raise ComputationError(f"The derivative of A would be dense ({dof} degrees of freedom): too large.")


def derivatives_at(point: OperatingPoint, model: InertModel, names: Sequence[str]) -> Derivatives:
    """The same at the operating point that the model asks for."""
    refuse_large(point)
    linear = in_blade_patterns(dense_model(point))
    if not names:
        raise InputError(Fault("parameters", "no parameter is named.", "Name at least one, or a path to a number."))
    names = tuple(dict.fromkeys(names))
    place = {name: k for k, name in enumerate(names)}
    arrays: dict[str, np.ndarray] = {}
    exact = True
    for steps in _parts(model, names, linear):
        slopes, part_exact = _of(steps, point, linear.blades)
        exact = exact and part_exact
        if steps.names == names:
            arrays = slopes
            break
        rows = [place[name] for name in steps.names]
        for key, own in slopes.items():
            arrays.setdefault(key, np.empty((len(names), *own.shape[1:])))[rows] = own
    values = np.array([model.value_of(name) for name in names])
    return Derivatives(names, values, linear, **arrays, is_exact=exact)


def _parts(model: InertModel, names: tuple[str, ...], linear: LinearModel) -> Iterator[Steps]:
    """Steps on few enough numbers at once that matrices for all of them stay small."""
    for together in independent(model, names):
        steps = with_steps(model, together)
        for part, width in zip(steps.split(), (len(linear.states), linear.point.system.nq), strict=True):
            chunk = max(1, CHUNK_ENTRIES // max(1, width) ** 2)
            for start in range(0, len(part), chunk):
                few = part[start : start + chunk]
                yield steps if few == steps.names else with_steps(model, few)


def _of(steps: Steps, point: OperatingPoint, blades: MultiBlade | None) -> tuple[dict[str, np.ndarray], bool]:
    report("derivatives")
    outputs = steps.system.outputs
    known = [i for i, output in enumerate(outputs) if output.reaction is None]
    moved, exact = shifted_point(point, replace(steps, system=replace(steps.system, outputs=_at(outputs, known))))
    matrices = _matrices(moved) if blades is None else StepsInPatterns(point, blades).matrices(steps, moved)
    n = len(steps.names)
    slopes = {key: steps.slope(np.broadcast_to(a, (n, *a.shape[-2:]))) for key, a in matrices.items()}
    for key in ("dC_out", "dD"):
        whole = np.full((n, len(outputs), slopes[key].shape[-1]), np.nan)
        whole[:, known] = slopes[key]
        slopes[key] = whole
    return slopes, exact


def _matrices(moved: OperatingPoint) -> dict[str, np.ndarray]:
    e = VariationalEquations(moved)
    A, B, C, D = e.state_space
    return {"dM": e.M, "dC": e.C, "dK": e.K, "dA": A, "dB": B, "dC_out": C, "dD": D}


def _at(outputs: tuple[Output, ...], index: Sequence[int]) -> tuple[Output, ...]:
    return tuple(outputs[i] for i in index)
