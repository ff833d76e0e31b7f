"""What a sweep is asked for: parameter values as SI numbers, and how many modes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from eigenbody.analyses.sweep.walk import Path
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.model import InertModel
from eigenbody.model.source import shown as printable
from eigenbody.model.units import UnitError, parse_quantity, quantity_dimensionality, split_quantity

MANY_BODIES = 40  # above, the lowest modes alone are followed unless more are asked for
FEW_MODES = 20
Values = Sequence[float | str] | np.ndarray


def path_of(model: InertModel, parameter: str | Mapping[str, Values], values: Values | None) -> Path:
    """The values as SI numbers by name; every fault at once."""
    if isinstance(parameter, str):
        if values is None:
            raise InputError(Fault("values", "no values are given.", "Give an array of values of the parameter."))
        given: Mapping[str, Values] = {parameter: values}
    else:
        given = parameter
    faults: list[Fault] = []
    arrays = {name: _numbers(model, name, column, faults) for name, column in given.items()}
    if not arrays:
        faults.append(Fault("parameter", "no parameter is given."))
    if len({len(array) for array in arrays.values()}) > 1:
        lengths = ", ".join(f"{name} {len(array)}" for name, array in arrays.items())
        faults.append(Fault("values", f"arrays of one length are expected; they have: {lengths}."))
    if faults:
        raise InputError(faults)
    return Path(arrays)


def _numbers(model: InertModel, name: str, values: Values, faults: list[Fault]) -> np.ndarray:
    """SI values (points,) of a parameter that the model has."""
    text = _text_of(model, name, faults)
    if text is None:
        return np.zeros(1)
    numbers = [_number(value, text, name, faults) for value in np.atleast_1d(np.asarray(values)).tolist()]
    array = np.array(numbers, dtype=float)
    if array.ndim != 1 or len(array) < 2:
        faults.append(Fault("values", f'a sweep of "{printable(name)}" needs at least two values.'))
    elif not np.isfinite(array).all():
        faults.append(Fault("values", f'a value of "{printable(name)}" is not finite.'))
    elif np.ptp(array) == 0:
        faults.append(Fault("values", f'all values of "{printable(name)}" are the same.', "Give a range."))
    return array


def _text_of(model: InertModel, name: str, faults: list[Fault]) -> Any:
    """How the model writes a parameter, or a number by path; None and a fault if it has none of that name."""
    texts = model.document.get("parameters") or {}
    if name in texts:
        return texts[name]
    if not any(sign in name for sign in ".["):
        faults.append(Fault("parameter", f'there is no parameter "{printable(name)}".', suggest(str(name), texts)))
        return None
    try:
        return model.written(name)
    except InputError as error:
        faults.extend(error.faults)
        return None


def _number(value: Any, text: Any, name: str, faults: list[Fault]) -> float:
    """SI value of a number or a quantity of the same dimension as the model's."""
    if not isinstance(value, str):
        return float(value)
    try:
        number = parse_quantity(value, None)
        own = quantity_dimensionality(text) if isinstance(text, str) and not text.strip().startswith("=") else None
        mine = quantity_dimensionality(value)
    except UnitError as error:
        faults.append(Fault("values", f"{error}."))
        return 0.0
    if own is not None and mine is not None and own != mine:
        what = f'"{printable(value)}" is not of the same dimension as {printable(name)}: "{printable(text)}".'
        faults.append(Fault("values", what))
    return number


def value_range(model: InertModel, parameter: str, start: float | str, stop: float | str, points: int) -> np.ndarray:
    """Evenly spaced SI values of a parameter between two numbers or quantities."""
    ends = path_of(model, parameter, [str(start), str(stop)]).values[parameter]
    return np.linspace(ends[0], ends[1], points)


def unit_of(model: InertModel, name: str) -> tuple[str, float]:
    """Unit in which a model gives a parameter, and its SI value; ("", 1) for a plain number or an expression."""
    text = model.written(name)
    if not isinstance(text, str) or text.strip().startswith("="):
        return "", 1.0
    unit = split_quantity(text)[1]
    return unit, parse_quantity(f"1 {unit}", None) if unit else 1.0


def few_of(model: InertModel, n: int | None) -> int | None:
    """How many modes to follow: all of a mechanism with few bodies."""
    if n is not None and n < 1:
        raise InputError(Fault("n", f"{n} modes cannot be followed.", "Ask for at least one."))
    return FEW_MODES if n is None and len(model.description.bodies) > MANY_BODIES else n
