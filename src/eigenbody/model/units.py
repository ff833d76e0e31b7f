"""Numbers with units: `"30 deg"`, `"1e4 N*m/deg"`, `"600 rpm"` to SI values, checked against the expected dimension.

Angles are a dimension of their own here, so that a length is never taken for an angle, `Hz` (1/s, no 2*pi) never for an
angular velocity, and a pitch of `5 mm` never for `5 mm/rev`. Only where a force or mass is involved may the radian be
left out (`N*m` for `N*m/rad`), as SI allows and nobody can misread.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from eigenbody.base.errors import EigenbodyError, suggest


class UnitError(EigenbodyError):
    """A quantity that cannot be read or has the wrong dimension."""

    exit_code = 2


_DEFINITIONS = """
tera- = 1e12 = T-
giga- = 1e9 = G-
mega- = 1e6 = M-
kilo- = 1e3 = k-
hecto- = 1e2 = h-
deca- = 1e1 = da-
deci- = 1e-1 = d-
centi- = 1e-2 = c-
milli- = 1e-3 = m-
micro- = 1e-6 = µ- = μ- = u-
nano- = 1e-9 = n-
pico- = 1e-12 = p-
meter = [length] = m = metre
gram = [mass] = g
second = [time] = s = sec
radian = [angle] = rad
ampere = [current] = A
kelvin = [temperature] = K
minute = 60 * second = min
hour = 3600 * second = h = hr
day = 86400 * second = d
degree = 0.017453292519943295 * radian = deg = °
revolution = 6.283185307179586 * radian = rev = turn
arcminute = degree / 60 = arcmin
arcsecond = degree / 3600 = arcsec
hertz = 1 / second = Hz
rpm = revolution / minute = revolutions_per_minute = RPM
rps = revolution / second = revolutions_per_second
inch = 0.0254 * meter = in
foot = 0.3048 * meter = ft = feet
yard = 0.9144 * meter = yd
mile = 1609.344 * meter = mi
thou = 0.0000254 * meter = mil
micron = 1e-6 * meter
tonne = 1e6 * gram = t = ton
pound = 453.59237 * gram = lb = lbm
ounce = 28.349523125 * gram = oz
slug = 14593.902937206365 * gram
newton = kilogram * meter / second ** 2 = N
dyne = 1e-5 * newton = dyn
pound_force = 4.4482216152605 * newton = lbf
kilogram_force = 9.80665 * newton = kgf = kp
newton_meter = newton * meter = Nm
joule = newton * meter = J
watt = joule / second = W
horsepower = 745.6998715822702 * watt = hp
metric_horsepower = 735.49875 * watt = PS
pascal = newton / meter ** 2 = Pa
bar = 1e5 * pascal
psi = pound_force / inch ** 2
atmosphere = 101325 * pascal = atm
liter = 1e-3 * meter ** 3 = l = L = litre
kph = 1000 * meter / hour = kmh
mph = mile / hour
knot = 1852 * meter / hour = kt
standard_gravity = 9.80665 * meter / second ** 2 = g0 = g_n
volt = watt / ampere = V
coulomb = ampere * second = C
ohm = volt / ampere = Ω
farad = coulomb / volt = F
henry = volt * second / ampere = H
weber = volt * second = Wb
tesla = weber / meter ** 2 = T
percent = 0.01 = %
dimensionless_unit = 1 = one
"""

_OFFSET_UNITS = ("degC", "degF", "°C", "°F", "celsius", "fahrenheit")
_QUANTITY = re.compile(r"\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)(.*)", re.DOTALL)
_EXPONENT = re.compile(
    r"\s*(?:\*\*|\^)\s*(?:[-+]?[0-9]{1,2}(?![0-9.])|\(\s*[-+]?[0-9]{1,2}(?:\s*/\s*[0-9]{1,2})?\s*\))"
)
_COMMON = ("mm", "cm", "km", "kg", "ms", "kN", "kHz", "MPa", "mrad")
_ALLOWED = re.compile(r"[\w\s°µμΩ%·*/^()+-]*")

Dimensionality = tuple[tuple[str, float], ...]


def parse_quantity(text: str, dimension: str | None) -> float:
    """SI value of a number with a unit.

    `dimension` is the expected unit ("N/m", "rad/s", "1"), None accepts any. A bare number is taken as it is.
    """
    number, unit = split_quantity(text)
    if not unit:
        return number
    value = number * _checked_factor(unit, dimension)
    if not math.isfinite(value):
        raise UnitError(f'"{_shown(text)}" is too large')
    return value


def quantity_dimensionality(text: str) -> Dimensionality | None:
    """What a quantity measures, comparable between quantities; None for a bare number."""
    unit = split_quantity(text)[1]
    return _factor(unit)[1] if unit else None


def split_quantity(text: str) -> tuple[float, str]:
    """Number and unit text of a quantity."""
    match = _QUANTITY.fullmatch(text)
    if not match:
        raise UnitError(f'"{_shown(text)}" is not a number with a unit; write for example "30 deg" or "1e4 N/m"')
    value, unit = float(match[1]), match[2].strip()
    if not math.isfinite(value):
        raise UnitError(f'"{_shown(text)}" is too large')
    if unit.startswith((",", ".", "/")):
        raise UnitError(
            f'"{_shown(text)}" is not a number with a unit; write decimals with a point, fractions as "=1/3"'
        )
    return value, unit


def _shown(text: str) -> str:
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text if len(text) <= 60 else text[:57] + "..."


@lru_cache(maxsize=1)
def _registry() -> Any:
    import pint

    registry: Any = pint.UnitRegistry(None, cache_folder=None)
    registry.load_definitions(_DEFINITIONS.strip().splitlines())
    return registry


@lru_cache(maxsize=1)
def _unit_names() -> tuple[str, ...]:
    words = re.findall(r"[^\s=]+", re.sub(r"=[^=]*[*/\[0-9][^=\n]*", "=", _DEFINITIONS))
    return (*(word for word in words if not word.endswith("-")), *_COMMON)


def _check_unit_text(unit: str) -> None:
    """Refuse what is not a plain product of units, before the registry sees it."""
    for offset in _OFFSET_UNITS:
        if offset in unit:
            raise UnitError(f'"{_shown(unit)}" has an offset zero; give temperatures in K')
    reduced = _EXPONENT.sub("#", unit)
    plain = len(unit) <= 100 and _ALLOWED.fullmatch(unit) and not re.search(r"\*\*|\^|##|\+|-", reduced)
    number_inside = re.search(r"(?<![\w#])(?!1\b)[0-9]", reduced)
    if not plain or number_inside or re.search(r"\*\s*\*|/\s*/|^\s*\*|[*/]\s*$", reduced):
        raise UnitError(f'"{_shown(unit)}" is not a unit; write for example "N*m/deg" or "kg*m^2"')


@lru_cache(maxsize=4096)
def _factor(unit: str) -> tuple[float, Dimensionality]:
    """SI value of one such unit, and what it measures."""
    import pint

    _check_unit_text(unit)
    text = unit.replace("·", "*").replace("^", "**")
    try:
        quantity = _registry().parse_expression(text)
    except pint.UndefinedUnitError as problem:
        names = problem.unit_names
        raise UnitError(_unknown_unit(names if isinstance(names, str) else str(next(iter(names))))) from problem
    except Exception as problem:  # the registry reports malformed text by many kinds of exception
        raise UnitError(f'"{_shown(unit)}" is not a unit; write for example "N*m/deg" or "kg*m^2"') from problem
    if isinstance(quantity, int | float):
        return float(quantity), ()
    root = quantity.to_root_units()
    powers = {str(key): float(power) for key, power in root.dimensionality.items()}
    factor = float(root.magnitude) * 1000.0 ** -powers.get("[mass]", 0.0)  # the root unit of mass is the gram
    return factor, tuple(sorted((key, power) for key, power in powers.items() if power))


def _unknown_unit(name: str) -> str:
    return f'unknown unit "{_shown(name)}". {suggest(name, _unit_names())}'


@lru_cache(maxsize=4096)
def _checked_factor(unit: str, dimension: str | None) -> float:
    factor, measured = _factor(unit)
    if dimension is None:
        return factor
    expected = () if dimension == "1" else _factor(dimension)[1]
    if not _compatible(dict(measured), dict(expected)):
        raise UnitError(_mismatch(unit, measured, dimension, expected))
    return factor


def _compatible(measured: Mapping[str, float], expected: Mapping[str, float]) -> bool:
    angle, wanted = measured.get("[angle]", 0.0), expected.get("[angle]", 0.0)
    others = {key: power for key, power in measured.items() if key != "[angle]"}
    if others != {key: power for key, power in expected.items() if key != "[angle]"}:
        return False
    return angle == wanted or (angle == 0 and "[mass]" in others)


_KINDS: dict[Dimensionality, str] = {
    (): "a plain number",
    (("[length]", 1.0),): "a length",
    (("[angle]", 1.0),): "an angle",
    (("[mass]", 1.0),): "a mass",
    (("[time]", 1.0),): "a time",
    (("[time]", -1.0),): "a frequency",
    (("[angle]", 1.0), ("[time]", -1.0)): "an angular velocity",
    (("[length]", 1.0), ("[time]", -1.0)): "a velocity",
    (("[length]", 1.0), ("[mass]", 1.0), ("[time]", -2.0)): "a force",
}


def _mismatch(unit: str, measured: Dimensionality, dimension: str, expected: Dimensionality) -> str:
    kind = _KINDS.get(measured)
    wanted = "a number without unit is expected" if dimension == "1" else f'a value in "{dimension}" is expected'
    message = f'the unit "{_shown(unit)}"{f" is {kind}" if kind else " does not fit"}, but {wanted}'
    if _KINDS.get(expected) == "an angular velocity" and kind == "a frequency":
        return message + "; Hz is 1/s without 2*pi: write rev/s, rpm or rad/s"
    if tuple(item for item in expected if item[0] != "[angle]") == measured:
        return message + "; say the angle too: rad, deg or rev"
    return message
