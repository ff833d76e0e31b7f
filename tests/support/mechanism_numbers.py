"""Numbers in model files: what a leaf of a document measures, its SI value, the same value in other units.

A number is written as a plain number (SI), as a string with a unit (`"150 mm"`) or as an expression of parameters
(`"=2*k1"`).
"""

import math
import re
from collections.abc import Iterator
from decimal import Decimal

# Coordinates of each joint type in the order of `position` and `velocity`, with what they measure.
_ROTATION_VECTOR = (("rx", "angle"), ("ry", "angle"), ("rz", "angle"))
COORDINATES = {
    "fixed": (),
    "revolute": (("angle", "angle"),),
    "prismatic": (("displacement", "length"),),
    "cylindrical": (("displacement", "length"), ("angle", "angle")),
    "screw": (("angle", "angle"),),
    "universal": (("angle1", "angle"), ("angle2", "angle")),
    "spherical": _ROTATION_VECTOR,
    "point": _ROTATION_VECTOR,
    "planar": (("x", "length"), ("y", "length"), ("angle", "angle")),
    "free": (("x", "length"), ("y", "length"), ("z", "length"), *_ROTATION_VECTOR),
    "inline": (("displacement", "length"), *_ROTATION_VECTOR),
    "inplane": (),
    "parallel": (),
    "perpendicular": (),
    "orientation": (),
    "distance": (),
    "rolling": (),
    "knife_edge": (),
}
BRANCH_TYPES = (
    "fixed",
    "revolute",
    "prismatic",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "screw",
    "free",
    "inline",
    "point",
)

# Quantity -> unit -> factor to SI: an int is a power of ten (converted exactly, in decimal), a float is multiplied.
_DEG = math.pi / 180
_REV = 2 * math.pi
UNITS: dict[str, dict[str, int | float]] = {
    "length": {"m": 0, "cm": -2, "mm": -3},
    "angle": {"rad": 0, "deg": _DEG},
    "mass": {"kg": 0, "g": -3},
    "inertia": {"kg*m**2": 0, "kg*cm**2": -4},
    "velocity": {"m/s": 0, "mm/s": -3},
    "angular velocity": {"rad/s": 0, "deg/s": _DEG, "rpm": _REV / 60, "rev/s": _REV},
    "acceleration": {"m/s**2": 0, "mm/s**2": -3},
    "stiffness": {"N/m": 0, "kN/m": 3, "N/mm": 3},
    "torsional stiffness": {"N*m/rad": 0, "kN*m/rad": 3, "N*m/deg": 1 / _DEG},
    "damping": {"N*s/m": 0, "kN*s/m": 3},
    "torsional damping": {"N*m*s/rad": 0, "N*m*s/deg": 1 / _DEG},
    "force": {"N": 0, "kN": 3},
    "torque": {"N*m": 0, "kN*m": 3, "N*mm": -3},
    "pitch": {"m/rad": 0, "mm/rad": -3},
}
_FACTORS = {
    unit: 10.0**factor if isinstance(factor, int) else factor
    for units in UNITS.values()
    for unit, factor in units.items()
}
_WITH_UNIT = re.compile(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(\S.*?)\s*$")
_FUNCTIONS = {
    name: getattr(math, name)
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "tanh", "pi")
}


def si(value: float | str, parameters: dict | None = None, **names: float) -> float:
    """SI value of a number, a unit string or an expression of the document's parameters (and of `names`)."""
    if not isinstance(value, str):
        return float(value)
    if value.startswith("="):
        known = {name: si(text) for name, text in (parameters or {}).items()}
        return float(eval(value[1:], {"__builtins__": {}}, {**_FUNCTIONS, **known, **names}))
    number, unit = _WITH_UNIT.match(value).groups()
    return float(number) * _FACTORS[unit]


def vector(values: list, parameters: dict | None = None) -> list[float]:
    """SI values of a list of numbers."""
    return [si(value, parameters) for value in values]


def negated(value: float | str) -> float | str:
    """The same number with the other sign, in the notation it came in."""
    if not isinstance(value, str):
        return -value if value else value
    if value.startswith("="):
        return f"=-({value[1:]})"
    return value[1:] if value.startswith("-") else "-" + value.lstrip("+ ")


def in_unit(value: float, quantity: str, unit: str) -> str:
    """`value` (SI) as a string in `unit`: exact in decimal for powers of ten, rounded once otherwise."""
    factor = UNITS[quantity][unit]
    if isinstance(factor, int):
        return f"{Decimal(repr(float(value))).scaleb(-factor).normalize():g} {unit}"
    return f"{value / factor!r} {unit}"


def measure_quantity(document: dict, measure: str) -> str:
    """`length` or `angle`: what a joint coordinate (`j1`, `j2.displacement`) or a named measure is."""
    named = document.get("measures", {}).get(measure)
    if named is not None:
        return "angle" if named["type"] == "angle" else "length"
    joint, _, coordinate = measure.partition(".")
    coordinates = COORDINATES[document["joints"][joint]["type"]]
    return dict(coordinates)[coordinate] if coordinate else coordinates[0][1]


def leaves(document: dict) -> Iterator[tuple[dict | list, str | int, str]]:
    """Every number that has a dimension, as (container, key, quantity): `container[key]` reads and replaces it."""
    yield from _array(document, "gravity", "acceleration")
    for body in document["bodies"].values():
        yield from _array(body, "mass", "mass")
        yield from _array(body, "inertia", "inertia")
        yield from _array(body, "at", "length")
        yield from _rotation(body)
    for marker in document.get("markers", {}).values():
        yield from _array(marker, "at", "length")
        yield from _rotation(marker)
    for joint in document.get("joints", {}).values():
        yield from _array(joint, "at", "length")
        yield from _array(joint, "pitch", "pitch")
        yield from _array(joint, "radius", "length")
        yield from _array(joint, "tube", "length")
        kinds = [quantity for _, quantity in COORDINATES[joint["type"]]]
        yield from _listed(joint, "position", kinds)
        yield from _listed(joint, "velocity", [_RATE[quantity] for quantity in kinds])
    for force in document.get("forces", {}).values():
        yield from _force(document, force)


_RATE = {"length": "velocity", "angle": "angular velocity"}
_STIFFNESS = {"length": "stiffness", "angle": "torsional stiffness"}
_DAMPING = {"length": "damping", "angle": "torsional damping"}


def _force(document: dict, force: dict) -> Iterator:
    yield from _array(force, "at", "length")
    yield from _array(force, "free_length", "length")
    if force["type"] == "spring":
        quantity = measure_quantity(document, force["along"]) if "along" in force else "length"
        yield from _array(force, "k", _STIFFNESS[quantity])
        yield from _array(force, "c", _DAMPING[quantity])
        yield from _array(force, "free", quantity)
    elif force["type"] in ("bushing", "bearing"):
        for key, kinds in (("k", _STIFFNESS), ("c", _DAMPING)):
            if key in force and not isinstance(force[key][0], list):  # the units of a full matrix are mixed
                yield from _listed(force, key, [kinds["length"]] * 3 + [kinds["angle"]] * 3)
    elif force["type"] in ("force", "torque"):
        yield from _array(force, "value", force["type"])


def _array(container: dict | list, key: str | int, quantity: str) -> Iterator:
    """A number or nested lists of numbers of one quantity."""
    if isinstance(container, dict) and key not in container:
        return
    if isinstance(container[key], list):
        for index in range(len(container[key])):
            yield from _array(container[key], index, quantity)
    else:
        yield container, key, quantity


def _listed(container: dict, key: str, quantities: list[str]) -> Iterator:
    """One number, or a list of numbers with a quantity each."""
    if key not in container:
        return
    if isinstance(container[key], list):
        for index, quantity in enumerate(quantities):
            yield container[key], index, quantity
    else:
        yield container, key, quantities[0]


def _rotation(owner: dict) -> Iterator:
    if "rotation" in owner:
        yield from _array(owner["rotation"], "angle", "angle")
        yield from _array(owner["rotation"], "angles", "angle")
