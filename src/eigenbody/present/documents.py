"""Results as plain data: the JSON documents of the command line."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import ComputationError

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes
    from eigenbody.linearization.model import LinearModel


def number(value: float) -> float | None:
    """A finite number without the sign of a negative zero, or null: JSON has no NaN and no infinity."""
    return float(value) + 0.0 if math.isfinite(value) else None


def as_json(document: Any, indent: int | None = None) -> str:
    """The document as JSON text, full precision; refuses NaN and infinity."""
    try:
        return json.dumps(document, allow_nan=False, indent=indent)
    except ValueError as error:
        raise ComputationError(
            "A number of the result is not finite. Check the model for absurd magnitudes."
        ) from error


def require_finite(**arrays: Any) -> None:
    """Refuse a result that holds NaN or infinity; the keywords name the arrays in the message."""
    for name, array in arrays.items():
        wrong = np.count_nonzero(~np.isfinite(np.asarray(array)))
        if wrong:
            raise ComputationError(
                f"{name.replace('_', ' ')}: {wrong} of {np.size(array)} numbers are not finite."
                " Check the model for absurd magnitudes and the force laws at the operating point."
            )


def require_finite_linear(linear: LinearModel) -> None:
    """Refuse a linear model with a number that is not finite."""
    require_finite(**linear.numbers)


def require_finite_modes(modes: Modes) -> None:
    """Refuse modes with a number that is not finite (the damping ratio of a rigid mode is undefined and exempt)."""
    require_finite(**modes.numbers)


def plain(value: Any) -> Any:
    """Arrays as lists, complex numbers by their parts, null for what is not finite."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    array = np.asarray(value)
    if array.dtype.kind == "c":
        return {"real": plain(array.real), "imag": plain(array.imag)}
    if array.dtype.kind != "f":
        return array.tolist()
    numbers = (array + 0.0).astype(object)
    numbers[~np.isfinite(array)] = None
    return numbers.tolist()
