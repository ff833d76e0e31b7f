"""Motion laws: how a prescribed coordinate goes from one value to another.

A named law is an expression of t, the same text that may stand in a model file as `motion: "=..."`; sampled values and
functions are laws too. Rates and accelerations are exact derivatives, except where only values were given.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.expressions import Expression, ExpressionError, parse
from eigenbody.model.units import UnitError, parse_quantity

Function = Callable[[Any], Any]


class MotionLaw(Protocol):
    """Value, rate and acceleration at a time."""

    def value(self, t: Any) -> Any: ...
    def rate(self, t: Any) -> Any: ...
    def acceleration(self, t: Any) -> Any: ...


@dataclass(frozen=True)
class Law:
    """A law written as an expression of t (SI, radians, no leading `=`)."""

    expression: str

    @cached_property
    def _chain(self) -> tuple[Expression, Expression, Expression]:
        f = parse(self.expression)
        if f.names - {"t"}:
            names = ", ".join(sorted(f.names - {"t"}))
            raise InputError(Fault("motion", f"{names}: a motion law is an expression of t alone.", "Put numbers in."))
        rate = f.derivative("t")
        return f, rate, rate.derivative("t")

    def _at(self, order: int, t: Any) -> Any:
        return self._chain[order].evaluate({"t": t}) + 0.0 * t

    def value(self, t: Any) -> Any:
        return self._at(0, t)

    def rate(self, t: Any) -> Any:
        return self._at(1, t)

    def acceleration(self, t: Any) -> Any:
        return self._at(2, t)

    def __str__(self) -> str:
        return f"={self.expression}"


@dataclass(frozen=True)
class Functions:
    """A law given by three functions of t."""

    value: Function
    rate: Function
    acceleration: Function


# Named laws ---------------------------------------------------------------------------------------------------------
def cycloid(start: float, end: float, duration: float, begin: float = 0.0) -> Law:
    """start + (end - start) (x - sin(2 pi x) / (2 pi)), x = (t - begin) / duration; rests before and after.

    Passerello & Huston, Eq. 5.1. Velocity and acceleration are zero at both ends.
    """
    x = _share(duration, begin)
    return Law(f"{_number(start)} + {_number(end - start)}*({x} - sin(2*pi*{x})/(2*pi))")


def polynomial345(start: float, end: float, duration: float, begin: float = 0.0) -> Law:
    """start + (end - start) (10 x^3 - 15 x^4 + 6 x^5): velocity and acceleration are zero at both ends."""
    x = _share(duration, begin)
    return Law(f"{_number(start)} + {_number(end - start)}*{x}**3*(10 - 15*{x} + 6*{x}**2)")


def harmonic(mean: float, amplitude: float, period: float, phase: float = 0.0) -> Law:
    """mean + amplitude sin(2 pi t / period + phase)."""
    _positive(period, "period")
    return Law(f"{_number(mean)} + {_number(amplitude)}*sin({_number(2 * np.pi / period)}*t + {_number(phase)})")


def _share(duration: float, begin: float) -> str:
    _positive(duration, "duration")
    since = "t" if begin == 0 else f"(t - {_number(begin)})"
    return f"(min(max({since}, 0), {_number(duration)})/{_number(duration)})"


def _positive(value: float, what: str) -> None:
    if not (np.isfinite(value) and value > 0):
        raise InputError(Fault("motion", f"the {what} of a motion law must be positive, not {value:g}."))


def _number(value: float) -> str:
    return f"({float(value)!r})" if value < 0 else repr(float(value))


# name: function, units of its arguments, how many must be given, what they are
LAWS: dict[str, tuple[Callable[..., Law], tuple[str, ...], int, str]] = {
    "cycloid": (cycloid, ("coordinate", "coordinate", "s", "s"), 3, "start, end, duration, begin"),
    "polynomial345": (polynomial345, ("coordinate", "coordinate", "s", "s"), 3, "start, end, duration, begin"),
    "harmonic": (harmonic, ("coordinate", "coordinate", "s", "rad"), 3, "mean, amplitude, period, phase"),
}
_CALL = re.compile(r"\s*(\w+)\s*\(([^()]*)\)\s*")


def read_law(text: str, dimension: str, where: str, parameters: Mapping[str, float] | None = None) -> Law:
    """`cycloid(0, 90 deg, 2 s)`, `=expression of t`, or a constant such as `30 deg`."""
    if text.strip().startswith("="):
        return Law(_with_parameters(text.strip()[1:], where, parameters or {}))
    call = _CALL.fullmatch(text)
    if call is None:
        return Law(_number(_quantity(text, dimension, where)))
    name, arguments = call[1], [part.strip() for part in call[2].split(",")]
    if name not in LAWS:
        remedy = f"{suggest(name, LAWS)} An expression of t begins with =."
        raise InputError(Fault(where, f'there is no motion law "{name}".', remedy))
    make, units, least, order = LAWS[name]
    if not least <= len(arguments) <= len(units) or not all(arguments):
        what = f"{name} takes {least} to {len(units)} arguments ({order}), not {len([a for a in arguments if a])}."
        raise InputError(Fault(where, what))
    dimensions = [dimension if unit == "coordinate" else unit for unit in units]
    return make(*(_quantity(a, d, where) for a, d in zip(arguments, dimensions, strict=False)))


def _quantity(text: str, dimension: str, where: str) -> float:
    try:
        return parse_quantity(text, dimension)
    except UnitError as error:
        raise InputError(Fault(where, f"{error}.")) from error


def _with_parameters(text: str, where: str, parameters: Mapping[str, float]) -> str:
    try:
        parsed = parse(text)
    except ExpressionError as error:
        raise InputError(Fault(where, f"{error}.")) from error
    unknown = parsed.names - parameters.keys() - {"t"}
    if unknown:
        name = min(unknown)
        raise InputError(Fault(where, f'unknown name "{name}".', suggest(name, [*parameters, "t"])))
    return str(parsed.substitute({name: float(parameters[name]) for name in parsed.names & parameters.keys()}))


# Laws from values ---------------------------------------------------------------------------------------------------
def as_law(
    given: Any, dimension: str, where: str, times: np.ndarray, parameters: Mapping[str, float] | None = None
) -> MotionLaw:
    """A law from what a user may give.

    A law, a number, text, three functions (s, s', s''), one function (of real or complex t), three arrays over `times`,
    or one array over `times` (joined by a quintic spline).
    """
    if isinstance(given, Law | Functions) or all(hasattr(given, name) for name in ("value", "rate", "acceleration")):
        return given
    if isinstance(given, str):
        return read_law(given, dimension, where, parameters)
    if callable(given):
        return _differentiated(given)
    if isinstance(given, int | float) and not isinstance(given, bool):
        return Law(_number(float(given)))
    if isinstance(given, Sequence) and len(given) == 3 and all(callable(part) for part in given):
        return Functions(*given)
    return _sampled(given, where, times)


def _differentiated(function: Function) -> Functions:
    """Rate by a complex step, acceleration by differences of it; the function must take complex t."""
    tiny, step = 1e-30, 1e-4

    def rate(t: float) -> float:
        return float(np.imag(function(t + 1j * tiny)) / tiny)

    def acceleration(t: float) -> float:
        near, far = rate(t + step) - rate(t - step), rate(t + 2 * step) - rate(t - 2 * step)
        return (8 * near - far) / (12 * step)

    return Functions(lambda t: float(np.real(function(t))), rate, acceleration)


def _sampled(given: Any, where: str, times: np.ndarray) -> Functions:
    from scipy.interpolate import BPoly, make_interp_spline

    try:
        values = np.asarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        what = f"{type(given).__name__} is not a motion."
        remedy = "Give a law, a number, text, a function, three functions or an array over the times."
        raise InputError(Fault(where, what, remedy)) from error
    n = len(times)
    if values.shape not in ((n,), (3, n)) or n < 2 or not np.isfinite(values).all():
        what = f"values over the {n} times are expected, or three rows of them; got an array of shape {values.shape}."
        raise InputError(Fault(where, what))
    if values.ndim == 2:
        curve: Any = BPoly.from_derivatives(times, values.T)
    else:
        curve = make_interp_spline(times, values, k=5 if n > 5 else 3 if n > 3 else 1)
    slopes = [curve, curve.derivative(), curve.derivative(2)]
    return Functions(*(lambda t, c=c: float(c(t)) for c in slopes))
