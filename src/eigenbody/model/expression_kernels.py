"""Numeric kernels of the expression functions: real or complex scalars and arrays.

For complex input every kernel is the analytic continuation of the real function, with branches chosen on the real
part, so that a complex step through an expression gives its exact derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from eigenbody.base.batched import numbers
from eigenbody.base.errors import EigenbodyError
from eigenbody.model.expression_curve import OutsideCurve, piecewise_cubic, straight_pieces
from eigenbody.model.expression_noise import noise

Kernel = Callable[..., Any]


class ExpressionError(EigenbodyError):
    """An expression that cannot be read or has no finite value."""

    exit_code = 2


class OutsideTable(ExpressionError):
    """A table is read beyond its points: the message says where, and needs no formula beside it."""


def _real(value: Any) -> Any:
    return np.real(value)


def _require(condition: Any, message: str) -> None:
    if not (condition if isinstance(condition, bool | np.bool) else np.all(condition)):
        raise ExpressionError(message)


def power(base: Any, exponent: Any) -> Any:
    """`base ** exponent`; a negative base needs a whole real exponent."""
    negative = _real(base) < 0
    if np.any(negative):
        whole = (np.imag(exponent) == 0) & (_real(exponent) == np.floor(_real(exponent)))
        _require(~negative | whole, "a negative number cannot be raised to a fractional power")
        odd = np.mod(np.floor(_real(exponent)), 2) == 1
        sign = np.where(negative & odd, -1.0, 1.0)
        return sign * np.power(np.where(negative, -base, base), exponent)
    if np.iscomplexobj(base) or np.iscomplexobj(exponent):
        _require((base != 0) | (_real(exponent) >= 0), "zero cannot be raised to a negative power")
    return np.power(base, exponent)


def divide(numerator: Any, denominator: Any) -> Any:
    """Quotient; a zero denominator is an error."""
    _require(denominator != 0, "division by zero")
    return numerator / denominator


def square_root(x: Any) -> Any:
    """Square root of a value whose real part is not negative."""
    _require(_real(x) >= 0, "the square root of a negative number is not real")
    return np.sqrt(x)


def logarithm(x: Any) -> Any:
    """Natural logarithm of a value whose real part is positive."""
    _require(_real(x) > 0, "the logarithm needs a positive number")
    return np.log(x)


def arcsine(x: Any) -> Any:
    """Inverse sine on [-1, 1]."""
    _require(np.abs(_real(x)) <= 1, "asin needs a number between -1 and 1")
    return np.arcsin(x)


def arccosine(x: Any) -> Any:
    """Inverse cosine on [-1, 1]."""
    _require(np.abs(_real(x)) <= 1, "acos needs a number between -1 and 1")
    return np.arccos(x)


def arctangent2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y): the branch from the real parts, the rest by rotation into that direction."""
    angle = np.arctan2(_real(y), _real(x))
    if not (np.iscomplexobj(y) or np.iscomplexobj(x)):
        return angle
    cosine, sine = np.cos(angle), np.sin(angle)
    return angle + np.arctan(divide(y * cosine - x * sine, x * cosine + y * sine))


def absolute(x: Any) -> Any:
    """Magnitude by branch on the sign of the real part."""
    return np.where(_real(x) < 0, -x, x)


def sign(x: Any) -> Any:
    """Slope of `absolute`: -1 below zero, else 1."""
    return np.where(_real(x) < 0, -1.0, 1.0)


def smallest(*values: Any) -> Any:
    """Value with the smallest real part."""
    result = values[0]
    for value in values[1:]:
        result = np.where(_real(value) < _real(result), value, result)
    return result


def largest(*values: Any) -> Any:
    """Value with the largest real part."""
    result = values[0]
    for value in values[1:]:
        result = np.where(_real(value) > _real(result), value, result)
    return result


def select_smallest(*pairs: Any) -> Any:
    """From value, companion, value, companion, ...: the companion of the smallest value."""
    value, result = pairs[0], pairs[1]
    for other, companion in zip(pairs[2::2], pairs[3::2], strict=True):
        better = _real(other) < _real(value)
        value, result = np.where(better, other, value), np.where(better, companion, result)
    return result


def select_largest(*pairs: Any) -> Any:
    """From value, companion, value, companion, ...: the companion of the largest value."""
    value, result = pairs[0], pairs[1]
    for other, companion in zip(pairs[2::2], pairs[3::2], strict=True):
        better = _real(other) > _real(value)
        value, result = np.where(better, other, value), np.where(better, companion, result)
    return result


def step(x: Any, *ramp: Any) -> Any:
    """Unit step, or the cubic smooth step from (x0, h0) to (x1, h1)."""
    if not ramp:
        return np.where(_real(x) < 0, 0.0, 1.0)
    x0, h0, x1, h1 = ramp
    return h0 + (h1 - h0) * smooth(divide(x - x0, x1 - x0))


def _inside(d: Any, value: Any) -> Any:
    return np.where((_real(d) > 0) & (_real(d) < 1), value, 0.0)


def _clamp(d: Any) -> Any:
    return np.where(_real(d) <= 0, 0.0, np.where(_real(d) >= 1, 1.0, d))


def smooth(d: Any) -> Any:
    """Cubic from 0 at d <= 0 to 1 at d >= 1 with flat ends."""
    d = _clamp(d)
    return d * d * (3.0 - 2.0 * d)


def smooth1(d: Any) -> Any:
    """First derivative of `smooth`."""
    d = _clamp(d)
    return 6.0 * d * (1.0 - d)


def smooth2(d: Any) -> Any:
    """Second derivative of `smooth`."""
    return _inside(d, 6.0 - 12.0 * _clamp(d))


def smooth3(d: Any) -> Any:
    """Third derivative of `smooth`."""
    return _inside(d, -12.0)


def random(x: Any, seed: Any, bandwidth: Any, order: Any = 0.0) -> Any:
    """Noise of variance 1 over x, or its derivative of `order` by x * bandwidth; the seed is a whole number."""
    number = _real(seed)
    _require((number == np.floor(number)) & (abs(number) < 2**53), "the seed of noise is a whole number")
    _require(_real(bandwidth) > 0, "the bandwidth of noise is positive")
    return noise(x, number, bandwidth, int(_real(order)))


def curve(x: Any, order: Any, *points: Any) -> Any:
    """Smooth curve through points (`model/curves.py`), or its derivative of an order."""
    try:
        return piecewise_cubic(x, int(_real(order)), points)
    except OutsideCurve as problem:
        raise OutsideTable(str(problem)) from problem


def line(x: Any, order: Any, *points: Any) -> Any:
    """Straight lines through points, or their slope."""
    return straight_pieces(x, int(_real(order)), points)


USER_FUNCTIONS: dict[str, Kernel] = {
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": arcsine,
    "acos": arccosine,
    "atan": np.arctan,
    "atan2": arctangent2,
    "sqrt": square_root,
    "exp": np.exp,
    "log": logarithm,
    "abs": absolute,
    "min": smallest,
    "max": largest,
    "step": step,
    "tanh": np.tanh,
    "noise": random,
}

#: allowed numbers of arguments; None: one or more
ARITY: dict[str, tuple[int, ...] | None] = dict.fromkeys(USER_FUNCTIONS, (1,))
ARITY |= {"atan2": (2,), "min": None, "max": None, "step": (1, 5), "noise": (3,)}

INTERNAL_FUNCTIONS: dict[str, Kernel] = {
    "_sign": sign,
    "_select_min": select_smallest,
    "_select_max": select_largest,
    "_smooth": smooth,
    "_smooth1": smooth1,
    "_smooth2": smooth2,
    "_smooth3": smooth3,
    "_noise": random,
    "_curve": curve,
    "_line": line,
}


def add(*terms: Any) -> Any:
    """Sum of the terms from the left."""
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


OPERATORS: dict[str, Kernel] = {
    "+": add,
    "neg": lambda x: -x,
    "*": lambda a, b: a * b,
    "/": divide,
    "**": power,
}

KERNELS: dict[str, Kernel] = OPERATORS | USER_FUNCTIONS | INTERNAL_FUNCTIONS


def as_operand(value: Any) -> Any:
    """A float or complex NumPy scalar or array from whatever number was given."""
    if type(value) is float:
        return np.float64(value)
    operand = np.asarray(numbers(value))
    if operand.dtype.kind in "iub":
        operand = operand.astype(float)
    if operand.dtype.kind not in "fc":
        raise ExpressionError(f"{value!r} is not a number")
    return operand[()]


def as_result(value: Any) -> Any:
    """A plain float or complex from a scalar, else the array; never NaN or infinite."""
    if type(value) is np.float64 and math.isfinite(value):
        return float(value)
    _require(np.isfinite(value), "the value is not finite")
    return value.item() if np.ndim(value) == 0 else value


def reason_of(problem: Exception) -> str:
    """What an error of arithmetic says, in words."""
    text = str(problem)
    for word in ("divide", "overflow", "invalid"):
        if word in text:
            return {"divide": "division by zero", "overflow": "overflow", "invalid": "undefined operation"}[word]
    return text


def operand_named(name: str, env: Mapping[str, Any]) -> Any:
    """The number that a name stands for."""
    if name not in env:
        raise ExpressionError(f'the name "{name}" has no value')
    return as_operand(env[name])
