"""Static values of the model file: numbers, vectors, rotations, inertia and stiffness matrices, from parameters only.

Every reader returns None after remembering a fault, so that one reading finds all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from eigenbody.base.batched import Variants, agreed, tape_of, verdict
from eigenbody.model.expressions import Expression, ExpressionError, parse
from eigenbody.model.faults import Faults, Path
from eigenbody.model.source import sentence, shown
from eigenbody.model.units import UnitError, parse_quantity
from eigenbody.spatial.rotations import about_axis, from_quaternion, from_sequence

LARGEST = 1.7976931348623157e308
WHOLE_LIMIT = 10**308
USABLE = 1e-100, 1e100  # sizes whose products with a few others are numbers, too
_HASHABLE = frozenset((float, int, str))

Number = float | complex
Dimensions = str | None | Sequence[str | None]


def freeze(values: Any) -> np.ndarray:
    """Read-only float array, complex only when an entry is complex, of objects only when one varies (batched.py)."""
    array = np.array(values)
    if array.dtype.kind not in "cO":
        array = array.astype(float, copy=False)
    array.setflags(write=False)
    return array


def is_nested(value: Any) -> bool:
    """Whether the value is a list of lists."""
    is_list = isinstance(value, list) and bool(value) and isinstance(value[0], list)
    return is_list and all(isinstance(item, list) for item in value)


def is_plain(value: Any) -> bool:
    """Whether the value is a finite real number as it stands."""
    kind = type(value)
    return (kind is float and -LARGEST <= value <= LARGEST) or (kind is int and -WHOLE_LIMIT < value < WHOLE_LIMIT)


def is_usable(value: Any) -> bool:
    """Whether the value is a real number as it stands, of a size that can be computed with."""
    return type(value) in (float, int) and (value == 0 or USABLE[0] <= abs(value) <= USABLE[1])


class Values:
    """Reads values with the parameters known so far; `explain` says why a name is not a parameter. Expressions are
    written into `formulas` by their place, where a map for them is given."""

    def __init__(
        self, faults: Faults, parameters: Mapping[str, Number | None], formulas: dict[Path, Expression] | None = None
    ) -> None:
        self.faults = faults
        self.formulas = formulas
        self.parameters = parameters  # None: given but faulty, and reported already
        self.explain: Callable[[str], str] = lambda name: ""
        self._evaluated: dict[str, Number] = {}
        self._diagonals: dict[tuple[Any, ...], np.ndarray] = {}

    # ---- numbers

    def number(self, value: Any, dimension: str | None, path: Path) -> Number | None:
        """A number, a quantity with a unit, or an expression of parameters, of a size that can be computed with."""
        if is_usable(value):
            return float(value)
        read = self._read(value, dimension, path)
        return None if read is None else self.usable(read, path)

    def usable(self, value: Number, path: Path) -> Number | None:
        """The value, unless it is so large or so small that products with others overflow or vanish."""
        size = verdict(_size_class, value)
        if size == "large":
            self.faults.add(path, f"{shown(value, 30)} is too large to be computed with.", "Stay below 1e100.")
            return None
        if size == "small":
            self.faults.add(
                path, f"{shown(value, 30)} is too small to be computed with.", "Write 0, or 1e-100 and more."
            )
            return None
        return value

    def _read(self, value: Any, dimension: str | None, path: Path) -> Number | None:
        if is_plain(value):
            return float(value)
        if isinstance(value, str):
            return self._text(value, dimension, path)
        if isinstance(value, np.generic):
            return self._read(value.item(), dimension, path)
        if isinstance(value, complex | Variants):
            if verdict(_is_finite, value):
                return value  # type: ignore[return-value]
            self.faults.add(path, "the value is not finite.")
        elif value is None:
            self.faults.add(path, "a number is missing here.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            self.faults.add(path, f"{shown(value, 30)} is not a finite number.")
        else:
            self.faults.add(path, f"{_written(value)} is not a number.", _expected(dimension))
        return None

    def _text(self, text: str, dimension: str | None, path: Path) -> Number | None:
        stripped = text.strip()
        if stripped.startswith("="):
            return self.static(stripped[1:], path)
        try:
            return parse_quantity(text, dimension)
        except UnitError as problem:
            remedy = ""
            if self.explain(stripped) or stripped in self.parameters:
                remedy = f'An expression begins with "=": "={shown(stripped)}".'
            self.faults.add(path, sentence(problem), remedy)
            return None

    def expression(self, text: str, path: Path) -> Expression | None:
        """The parsed expression."""
        try:
            parsed = parse(text)
        except ExpressionError as problem:
            self.faults.add(path, f"the expression cannot be read: {problem}")
            return None
        if self.formulas is not None:
            self.formulas[path] = parsed
        return parsed

    def static(self, text: str, path: Path) -> Number | None:
        """Value of an expression of parameters."""
        if text in self._evaluated and self.formulas is None:
            return self._evaluated[text]
        expression = self.expression(text, path)
        if expression is None or not self.known_names(expression.names, path):
            return None
        value = self.evaluate(expression, path)
        if value is not None:
            self._evaluated[text] = value
        return value

    def known_names(self, names: Iterable[str], path: Path) -> bool:
        """Whether all names are parameters with a value; a fault for each that is not even a parameter."""
        fine = True
        for name in sorted(names):
            if name not in self.parameters:
                reason = self.explain(name)
                if reason:
                    self.faults.add(path, f'"{shown(name)}" is {reason}; only parameters may be used here.')
                else:
                    self.faults.unknown(path, "parameter", name, self.parameters)
            fine = fine and self.parameters.get(name) is not None
        return fine

    def evaluate(self, expression: Expression, path: Path) -> Number | None:
        """Finite value of an expression whose names are all parameters."""
        names = sorted(expression.names)
        given = [self.parameters[name] for name in names]
        tape = tape_of(given)
        try:
            if tape is not None and expression.op == "name":
                return given[0]
            if tape is not None:
                return tape.call(expression.of(names), given)
            value = expression.evaluate(self.parameters)
        except ExpressionError as problem:
            self.faults.add(path, sentence(problem))
            return None
        return Variants(value) if isinstance(value, np.ndarray) else value  # type: ignore[return-value]

    # ---- lists of numbers

    def numbers(self, value: Any, dimensions: Dimensions, path: Path, count: int = 3) -> list[Number] | None:
        """Exactly `count` numbers of one dimension or of one each."""
        if not isinstance(value, list) or len(value) != count:
            found = f"{len(value)} values" if isinstance(value, list) else _written(value)
            self.faults.add(path, f"a list of {count} numbers is expected, not {found}.")
            return None
        free = dimensions in (None, "1")  # directions have any length
        if all(map(is_plain if free else is_usable, value)):
            return [*map(float, value)]  # whole numbers may be larger than numpy's
        each = [dimensions] * count if dimensions is None or isinstance(dimensions, str) else dimensions
        reader = self._read if free else self.number
        read = [reader(item, each[i], (*path, i)) for i, item in enumerate(value)]
        good = [item for item in read if item is not None]
        return good if len(good) == count else None

    def row(self, value: Any, dimension: str | None, path: Path) -> np.ndarray | None:
        """A list of numbers, however many, as an (n,) array."""
        if not isinstance(value, list):
            self.faults.add(path, f"a list of numbers is expected, not {_written(value)}.")
            return None
        numbers = self.numbers(value, dimension, path, len(value))
        return None if numbers is None else freeze(numbers)

    def matrix(self, value: Any, path: Path) -> np.ndarray | None:
        """A list of rows of equal length as an (m, n) array; a plain list is one row."""
        rows = value if isinstance(value, list) and all(isinstance(row, list) for row in value) else [value]
        read = [self.row(row, None, (*path, i)) for i, row in enumerate(rows)]
        if any(row is None for row in read):
            return None
        if len({len(row) for row in read if row is not None}) > 1:
            self.faults.add(path, "the rows differ in length.")
            return None
        return freeze(read)

    def vector(self, value: Any, dimension: str | None, path: Path) -> np.ndarray | None:
        """Three numbers as a (3,) array."""
        numbers = self.numbers(value, dimension, path)
        return None if numbers is None else freeze(numbers)

    def direction(self, value: Any, dimension: str | None, path: Path) -> np.ndarray | None:
        """Three numbers that are not all zero, as given."""
        vector = self.vector(value, dimension or "1", path)
        if vector is not None and not vector.real.any():
            self.faults.add(path, "the direction has zero length.", "Give for example [0, 0, 1].")
            return None
        return vector

    def points(self, value: Any, dimension: str | None, path: Path) -> np.ndarray | None:
        """One point or two points as a (2, 3) array; one point is repeated."""
        if is_nested(value):
            if len(value) != 2:
                self.faults.add(path, f"one point or two points are expected, not {len(value)}.")
                return None
            pair = [self.vector(point, dimension, (*path, i)) for i, point in enumerate(value)]
            return None if pair[0] is None or pair[1] is None else freeze(pair)
        point = self.numbers(value, dimension, path)
        return None if point is None else freeze([point, point])

    # ---- rotations

    def rotation(self, value: Any, path: Path) -> np.ndarray | None:
        """`{axis, angle}`, `{sequence, angles}` (lower case intrinsic, upper case extrinsic) or `{quaternion}`."""
        forms: dict[str, Callable[[dict[str, Any], Path], np.ndarray | None]] = {
            "quaternion": self._quaternion,
            "sequence": self._sequence,
            "axis": self._axis_angle,
        }
        if not isinstance(value, dict):
            self.faults.add(path, f"{_written(value)} is not a rotation.", _ROTATION_FORMS)
            return None
        form = next((key for key in forms if key in value), None)
        if form is None:
            self.faults.add(path, "this is not a rotation.", _ROTATION_FORMS)
            return None
        for key in sorted(value.keys() - _ROTATION_KEYS[form]):
            self.faults.unknown((*path, key), "key", key, _ROTATION_KEYS[form])
        return forms[form](value, path)

    def _axis_angle(self, value: dict[str, Any], path: Path) -> np.ndarray | None:
        axis = self.direction(value["axis"], None, (*path, "axis"))
        angle = self.number(value.get("angle"), "rad", (*path, "angle"))
        return None if axis is None or angle is None else freeze(about_axis(axis, angle))

    def _sequence(self, value: dict[str, Any], path: Path) -> np.ndarray | None:
        sequence, extrinsic = value["sequence"], value.get("extrinsic", False)
        if not isinstance(sequence, str) or not 1 <= len(sequence) <= 3 or set(sequence.lower()) - set("xyz"):
            what = f"{_written(sequence)} is not a sequence of axes."
            self.faults.add((*path, "sequence"), what, 'Write for example "zxz".')
            return None
        if not (sequence.islower() or sequence.isupper()):
            what = "lower case (intrinsic) and upper case (extrinsic) are mixed."
            self.faults.add((*path, "sequence"), what)
            return None
        if not isinstance(extrinsic, bool):
            self.faults.add((*path, "extrinsic"), f"{_written(extrinsic)} is neither true nor false.")
            return None
        angles = self.numbers(value.get("angles"), "rad", (*path, "angles"), len(sequence))
        named = sequence.upper() if extrinsic else sequence
        return None if angles is None else freeze(from_sequence(named, np.array(angles)))

    def _quaternion(self, value: dict[str, Any], path: Path) -> np.ndarray | None:
        quaternion = self.numbers(value["quaternion"], "1", (*path, "quaternion"), 4)
        if quaternion is not None and not np.any(np.real(quaternion)):
            self.faults.add((*path, "quaternion"), "the quaternion is zero.", "No rotation is [1, 0, 0, 0].")
            return None
        return None if quaternion is None else freeze(from_quaternion(np.array(quaternion)))

    # ---- matrices

    def inertia(self, value: Any, path: Path) -> list[Number] | None:
        """Tensor entries xx, yy, zz, xy, xz, yz from 3 principal moments, these 6, or a symmetric 3x3 matrix."""
        unit = "kg*m^2"
        if is_nested(value) and len(value) == 3:
            rows = [self.numbers(row, unit, (*path, i)) for i, row in enumerate(value)]
            return self._symmetric([row for row in rows if row is not None], path)
        if isinstance(value, list) and len(value) == 6:
            return self.numbers(value, unit, path, 6)
        if not isinstance(value, list) or len(value) != 3:
            found = f"{len(value)} values" if isinstance(value, list) else _written(value)
            what = f"3 principal moments, 6 tensor entries (xx yy zz xy xz yz) or 3x3 are expected, not {found}."
            self.faults.add(path, what)
            return None
        moments = self.numbers(value, unit, path)
        return None if moments is None else [*moments, 0.0, 0.0, 0.0]

    def _symmetric(self, rows: list[list[Number]], path: Path) -> list[Number] | None:
        if len(rows) != 3:
            return None
        if verdict(_is_lopsided, np.array(rows)):
            self.faults.add(path, "the inertia matrix is not symmetric.")
            return None
        return [rows[i][j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]

    def six(self, value: Any, kind: str | None, path: Path) -> np.ndarray | None:
        """Six values (the diagonal) or 6x6 of a stiffness or damping: translations first, then rotations."""
        if isinstance(value, list) and len(value) == 6 and isinstance(value[0], list):
            rows = [self.numbers(row, row_units(kind, i), (*path, i), 6) for i, row in enumerate(value)]
            return freeze(rows) if all(row is not None for row in rows) else None
        units = [row_units(kind, i)[i] for i in range(6)]
        numbers = self.numbers(value, units, path, 6)
        if numbers is None:
            return None
        diagonal = freeze(np.diag(freeze(numbers)))
        if _HASHABLE.issuperset(map(type, value)):
            self._diagonals[kind, *value] = diagonal
        return diagonal

    def known_six(self, value: Any, kind: str | None) -> np.ndarray | None:
        """The matrix of six values that were read before, as many bushings have the same."""
        if self.formulas is not None or type(value) is not list or not _HASHABLE.issuperset(map(type, value)):
            return None
        return self._diagonals.get((kind, *value))


_ROTATION_KEYS = {
    "quaternion": {"quaternion"},
    "sequence": {"sequence", "angles", "extrinsic"},
    "axis": {"axis", "angle"},
}
_ROTATION_FORMS = "Write {axis, angle}, {sequence, angles} or {quaternion: [w, x, y, z]}."
_BLOCKS = {
    "stiffness": (("N/m", "N/rad"), ("N", "N*m/rad")),
    "damping": (("N*s/m", "N*s/rad"), ("N*s", "N*m*s/rad")),
}


def _size_class(value: Any) -> str:
    """Whether numbers, one of them at least, are too "large" or too "small" to be computed with."""
    if isinstance(value, float):
        size = abs(value)
        return "large" if size > USABLE[1] else "small" if 0 < size < USABLE[0] else ""
    sizes = np.abs(value)
    if np.any(sizes > USABLE[1]):
        return "large"
    return "small" if np.any((sizes > 0) & (sizes < USABLE[0])) else ""


def _is_finite(value: Any) -> bool:
    return math.isfinite(value) if isinstance(value, float) else bool(np.isfinite(value).all())


def _is_lopsided(tensor: np.ndarray) -> bool:
    """Whether a matrix (..., 3, 3) is not symmetric."""
    tensor = np.real(tensor)
    off, size = (np.abs(t).max(axis=(-2, -1)) for t in (tensor - np.swapaxes(tensor, -1, -2), tensor))
    return agreed(off > 1e-9 * size)


def row_units(kind: str | None, row: int) -> list[str | None]:
    """Units of a row of a 6x6 stiffness or damping."""
    if kind not in _BLOCKS:
        return [None] * 6
    translation, rotation = _BLOCKS[kind][row // 3]
    return [*[translation] * 3, *[rotation] * 3]


def _written(value: Any) -> str:
    if isinstance(value, dict):
        return "a map"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'"{shown(value)}"'


def _expected(dimension: str | None) -> str:
    unit = f" {dimension}" if dimension and dimension != "1" else ""
    return f'Give a number, a string with a unit such as "3{unit}", or an expression such as "=2*k".'
