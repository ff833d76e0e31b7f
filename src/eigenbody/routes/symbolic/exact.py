"""Numbers as a reader would write them: fractions, roots and multiples of pi where they are that to the last digit."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

PLAIN_DENOMINATOR = 1000
PLAIN_DIGITS = 9  # decimals that somebody wrote; longer ones were computed
ANGLES = 360  # finest part of pi that is looked for


def exact(value: float) -> Any:
    """The number as a fraction, a root or a multiple of pi if it is the one nearest to that; else a float."""
    import sympy

    value = float(value)
    if value.is_integer() and abs(value) < 1e15:
        return sympy.Integer(int(value))
    if abs(value) < 1e-12 or abs(value) > 1e12:
        return sympy.Float(value)
    near = Fraction(value).limit_denominator(PLAIN_DENOMINATOR)
    if float(near) == value:
        return sympy.Rational(near.numerator, near.denominator)
    digits = f"{value:.{PLAIN_DIGITS}g}"
    if float(digits) == value:
        return sympy.Rational(digits)
    part = Fraction(value / math.pi).limit_denominator(ANGLES)
    if part and abs(float(part) * math.pi - value) <= 2 * math.ulp(value):
        return sympy.Rational(part.numerator, part.denominator) * sympy.pi
    square = Fraction(value * value).limit_denominator(PLAIN_DENOMINATOR)
    if square and abs(math.copysign(math.sqrt(square), value) - value) <= 2 * math.ulp(value):
        root = sympy.sqrt(sympy.Rational(square.numerator, square.denominator))
        return root if value > 0 else -root
    return sympy.Float(value)


def exact_array(values: np.ndarray, scale: float = 0.0) -> np.ndarray:
    """Exact entries; what is below rounding beside `scale` is zero."""
    clean = np.where(np.abs(values) <= 4e-16 * scale, 0.0, np.asarray(values, float))
    return np.vectorize(exact, otypes=[object])(clean) if clean.size else clean.astype(object)


def is_float(expression: Any) -> bool:
    """Whether a number in an expression is rounded."""
    import sympy

    return bool(sympy.sympify(expression).atoms(sympy.Float))
