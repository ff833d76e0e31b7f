"""Surfaces of bodies in the model file: `{sphere: r}`, `{ellipsoid: [a, b, c]}` or `{implicit: "=..."}`."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.model.description import Surface
from eigenbody.model.expressions import Expression, ExpressionError
from eigenbody.model.faults import Path
from eigenbody.model.values import Values, freeze
from eigenbody.model.varying import Scope, Signals

PLACE = ("x", "y", "z")
SCOPE = Scope(own=frozenset(PLACE), only_own=True)
FORMS = {"sphere": "{sphere: 0.1}", "ellipsoid": "{ellipsoid: [0.1, 0.03, 0.02]}", "implicit": '{implicit: "=..."}'}


def read_surface(value: Any, values: Values, signals: Signals, path: Path) -> Surface | None:
    """The surface, or None after remembering what is wrong with it."""
    if not isinstance(value, dict) or len(value) != 1 or not value.keys() <= FORMS.keys():
        values.faults.add(path, "this is not a surface.", f"Write one of {', '.join(FORMS.values())}.")
        return None
    (form,) = value
    where = (*path, form)
    if form == "implicit":
        return _implicit(value[form], values, signals, where)
    if form == "sphere":
        radius = values.number(value[form], "m", where)
        size = None if radius is None else [radius] * 3
    else:
        size = values.numbers(value[form], "m", where)
    if size is None:
        return None
    small = [number for number in size if not number.real > 0]
    if small:
        what = f"lengths above zero are expected, but here is {small[0]:.6g} m."
        values.faults.add(where, what, "Give the radius of a sphere, or the half axes of an ellipsoid.")
        return None
    half_axes = freeze(size)
    is_round = half_axes.dtype == float and bool(np.all(half_axes == half_axes[0]))
    return Surface("sphere" if is_round else form, half_axes)


def _implicit(value: Any, values: Values, signals: Signals, path: Path) -> Surface | None:
    """A formula that is below zero inside; the origin lies inside."""
    taken = [name for name in PLACE if name in values.parameters]
    if taken:
        what = f'"{taken[0]}" is a parameter, but in the formula of a surface it is a coordinate.'
        values.faults.add(path, what, "Give the parameter another name.")
        return None
    formula = signals.formula(value, None, path, SCOPE)
    if formula is None:
        return None
    if not frozenset(PLACE) <= formula.names:
        lacking = ", ".join(name for name in PLACE if name not in formula.names)
        values.faults.add(path, f"the formula of a closed surface has {lacking} in it too.", _example())
        return None
    if not _is_below_zero(formula):
        what = "the formula is not below zero at the origin of the surface (the point at)."
        values.faults.add(path, what, f"The body lies where it is below zero. {_example()}")
        return None
    return Surface("implicit", np.zeros(3), formula, ".".join(map(str, path)))


def _is_below_zero(formula: Expression) -> bool:
    try:
        return bool(np.all(np.real(formula.evaluate(dict.fromkeys(PLACE, 0.0))) < 0))
    except ExpressionError:
        return False


def _example() -> str:
    return 'Write for example "=(x/0.1)**2 + (y/0.03)**2 + (z/0.02)**4 - 1".'
