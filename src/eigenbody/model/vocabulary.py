"""What a model file may say: sections, types, keys, and the kind and dimension of every value.

The element registries fill a `Vocabulary` with one `TypeSpec` per joint, force, coupling and measure type. The model
layer reads files against it and knows no element by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from types import MappingProxyType
from typing import Any, SupportsIndex


class Kind(Enum):
    """How a value is written in the file and what it becomes in the description."""

    NUMBER = "number"  # 1.5 | "3 mm" | "=2*k"              -> float
    VECTOR = "vector"  # [x, y, z]                          -> (3,) array
    DIRECTION = "direction"  # [x, y, z], not zero          -> (3,) array, as given (not normalized)
    POINT = "point"  # [x, y, z]                            -> (3,) array
    POINTS = "points"  # one point or two points            -> (2, 3) array (one point is repeated)
    ROTATION = "rotation"  # {axis, angle} | {sequence, angles} | {quaternion}  -> (3, 3) array
    SURFACE = "surface"  # {sphere} | {ellipsoid} | {implicit}  -> Surface
    INERTIA = "inertia"  # 3, 6 or 3x3 numbers              -> (3, 3) array
    SIX = "six"  # six numbers or 6x6                       -> (6, 6) array; rows of signals where one varies
    COEFFICIENT = "coefficient"  # SIGNAL, or one number for each speed  -> Signal | (n,) array
    SPEED = "speed"  # the speed that coefficients are over -> Expression
    DISC = "disc"  # {mass, Id, Ip} | {diameter, width, density}, axis  -> mass and inertia
    TERMS = "terms"  # {measure: coefficient}               -> dict[str, float]
    COORDINATES = "coordinates"  # number or list, one per joint coordinate -> tuple[float, ...]
    SIGNAL = "signal"  # number | "=expr of t, measures, ..." | {table: [[x, y], ...], of: signal} -> Signal
    EXPRESSION = "expression"  # number | "=expr of t, measures, ..."     -> Expression
    EXPRESSIONS = "expressions"  # list of EXPRESSION             -> tuple[Expression, ...]
    PROFILE = "profile"  # one number, or a list of numbers        -> (n,)
    NUMBERS = "numbers"  # list of numbers                        -> (n,)
    MATRIX = "matrix"  # list of rows of numbers                  -> (m, n)
    NAMES = "names"  # list of names or numbers                   -> tuple[str, ...]
    LABELS = "labels"  # list of names                            -> tuple[str, ...]
    SIGNALS = "signals"  # list of three SIGNAL             -> tuple[Signal, Signal, Signal]
    MOTION = "motion"  # SIGNAL in t alone, or a list of them, one per joint coordinate -> tuple[Signal, ...]
    BODY = "body"  # name of a body, marker, frame or ground -> str
    BETWEEN = "between"  # two such names                   -> tuple[str, str]
    MEASURE = "measure"  # name of a measure                -> str
    MEASURES = "measures"  # list of names of measures      -> tuple[str, ...]
    CHOICE = "choice"  # one of `choices`                   -> str
    INTEGER = "integer"  # whole number                     -> int
    FLAG = "flag"  # true or false                          -> bool
    TEXT = "text"  # any string                             -> str
    FILE = "file"  # path of a file, from the model's folder -> absolute Path
    ANY = "any"  # kept as it is (drawing hints)            -> object


@dataclass(frozen=True, slots=True)
class Field:
    """One key of an entry.

    `dimension` is an SI unit expression such as "N/m". Where it depends on the measure that the entry acts along, it is
    a mapping from the measure's dimension ("m", "rad" or "1") to the unit expression.
    """

    name: str
    kind: Kind
    dimension: str | Mapping[str, str] | None = None
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    doc: str = ""
    argument: str = ""  # of tables here that do not say what they are of, where it is not the first own measure

    def unit_of(self, coordinate: str) -> str:
        """The unit for one coordinate of a joint, which is in "m", "rad" or "1"."""
        if isinstance(self.dimension, str):
            return coordinate + self.dimension.removeprefix("coordinate")
        return coordinate if self.dimension is None else self.dimension[coordinate]


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A coordinate that a joint type offers as a measure: its label and dimension ("m" or "rad")."""

    label: str
    dimension: str


# What is wrong with an entry's values together: (key or "", what is wrong, what to do). Values that could not be read
# are None; the second argument tells whether a name is a marker.
Check = Callable[[Mapping[str, Any], Callable[[str], bool]], Iterable[tuple[str, str, str]]]


@dataclass(frozen=True, slots=True)
class TypeSpec:
    """One type of a section: its keys, and for joints its coordinates in order."""

    name: str
    fields: tuple[Field, ...]
    coordinates: tuple[Coordinate, ...] = ()
    dimension: str | None = None  # measures: dimension of the value, "m", "rad" or "1"; of a speed that of its integral
    is_speed: bool = False  # measures: a velocity, which is the rate of nothing
    one_of: tuple[tuple[str, ...], ...] = ()  # groups of keys of which exactly one must be given
    check: Check | None = None  # what the keys must fulfil together
    settle: Callable[[dict[str, Any]], dict[str, Any]] | None = None  # faultless values as the element takes them
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """All types by section. Sections without a `type` key have a single spec under the empty name.

    One that has a `home` is code, not data: models are copied and pickled with its name.
    """

    sections: Mapping[str, Mapping[str, TypeSpec]] = field(default_factory=lambda: MappingProxyType({}))
    expand: Callable[..., Any] | None = None  # entries of `flexible` into bodies (model/flexible.py: Expand)
    home: str = ""  # "module:NAME" where it is found

    def types(self, section: str) -> Mapping[str, TypeSpec]:
        return self.sections[section]

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        return (_at_home, (self.home,)) if self.home else object.__reduce_ex__(self, protocol)


def _at_home(home: str) -> Any:
    module, _, name = home.partition(":")
    return getattr(import_module(module), name)
