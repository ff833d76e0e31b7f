"""Sensitivities of multipliers and exponents: d mu = l^H dPhi r, d lambda = d mu / (mu T) - lambda T_p / T."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.floquet.multipliers import Multipliers
from eigenbody.base.errors import Fault, InputError
from eigenbody.base.progress import report
from eigenbody.model.model import InertModel
from eigenbody.numerics.eigen.clusters import eigen_basis
from eigenbody.numerics.eigen.sensitivity import eigenvalue_derivatives
from eigenbody.operating.periodic.shift import motion_shift
from eigenbody.operating.periodic.shooting import Lap
from eigenbody.operating.shift import with_steps

NEARBY = 1e-3  # relative step of the difference quotients of a given period, whose error is its fourth power


@dataclass(frozen=True, eq=False)
class ExponentSlopes:
    """Derivatives by numbers p of the model, the change of the motion and of its period included.

    names, values  of the numbers
    period         (p,) of the period, s per unit of the number
    multipliers    (p, n) complex, in the order of the multipliers; of repeated ones the slopes of the set
    exponents      (p, n) complex, 1/s per unit; nan where an exponent is not told or has no derivative: multipliers 1
                   of free motion, and those that come in chains
    """

    names: tuple[str, ...]
    values: np.ndarray
    period: np.ndarray
    multipliers: np.ndarray
    exponents: np.ndarray


def exponent_slopes(
    model: InertModel, lap: Lap, found: Multipliers, exponents: np.ndarray, names: Sequence[str],
    period_at: Callable[[InertModel], float] | None,
) -> ExponentSlopes:  # fmt: skip
    """By parameters or numbers by path. `period_at` gives the period of a variant of the model; None: it is found."""
    if lap.point.system.slips.count:
        what = "sensitivities of periodic motions are not known for joints that roll or slide without slip."
        raise InputError(Fault("sensitivity", what, "Sweep over the parameter instead (--parameter)."))
    names = tuple(dict.fromkeys(names))
    values = np.array([model.value_of(name) for name in names], dtype=float)
    shifts = []
    for name, value in zip(names, values, strict=True):
        report(f"sensitivity to {name}")
        slope = None if period_at is None else _slope(model, name, float(value), period_at)
        shifts.append(motion_shift(lap, with_steps(model, [name]), slope))
    period = np.array([shift.period for shift in shifts])
    changes = np.array([shift.transition for shift in shifts]).reshape(len(names), *lap.transitions.whole.shape)
    multipliers = _multiplier_slopes(lap, found, changes)
    relative = multipliers / np.where(found.values == 0, np.nan, found.values)
    of_exponents = relative / lap.period - exponents * period[:, None] / lap.period
    return ExponentSlopes(names, values, period, multipliers, of_exponents)


def _slope(model: InertModel, name: str, value: float, period_at: Callable[[InertModel], float]) -> float:
    """dT/dp of a period that is given, by differences of fourth order."""
    h = NEARBY * (abs(value) or 1.0)
    near = {k: period_at(model.with_values({name: value + k * h})) for k in (-2, -1, 1, 2)}
    return (8 * (near[1] - near[-1]) - (near[2] - near[-2])) / (12 * h)


def _multiplier_slopes(lap: Lap, found: Multipliers, changes: np.ndarray) -> np.ndarray:
    """(p, n) in the order of the multipliers; nan for those recognized as 1 and for defective ones."""
    whole = lap.transitions.whole
    basis = eigen_basis(whole, lap.transitions.rounding(1e-15))
    slopes = eigenvalue_derivatives(basis, changes).values
    out = np.full((len(changes), len(found.values)), np.nan, dtype=complex)
    left = list(range(len(basis.eigenvalues)))
    for i in np.argsort(-np.abs(found.values), kind="stable"):
        k = min(left, key=lambda j: abs(basis.eigenvalues[j] - found.values[i]))
        left.remove(k)
        if not found.is_one[i]:
            out[:, i] = slopes[:, k]
    return out
