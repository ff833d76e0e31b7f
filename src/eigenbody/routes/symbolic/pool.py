"""Symbols of the equations: coordinates with their rates, the parameters of the model, and numbers.

What the model writes by an expression of its parameters stays that expression. Plain numbers stay numbers, or get a
name each: so the equations of `verify` stay short whatever the numbers are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenbody.model.expressions import Expression
from eigenbody.routes.symbolic.exact import exact, is_float
from eigenbody.routes.symbolic.formulas import as_symbolic, is_smooth

Path = tuple[Any, ...]
NOTHING = 1e-15  # entries of rotation matrices and directions below this are zeros that were rounded
CLOSE = 1e-12  # relative, between a formula and the number that was read


@dataclass(eq=False)
class Pool:
    """Symbols with their values: the parameters, and with `names_all` every number but 0, 1 and -1."""

    parameters: Mapping[str, float] = field(default_factory=dict)
    formulas: Mapping[Path, Expression] = field(default_factory=dict)
    names_all: bool = True
    values: dict[Any, float] = field(default_factory=dict)
    definitions: dict[Any, Any] = field(default_factory=dict)  # parameters that are expressions of others
    used: set[Path] = field(default_factory=set)  # formulas that the equations keep
    symbols: dict[str, Any] = field(default_factory=dict)  # by name

    def parameter(self, name: str) -> Any:
        """The symbol of a parameter of the model."""
        import sympy

        if name in self.symbols:
            return self.symbols[name]
        symbol = self.symbols[name] = sympy.Symbol(name)
        self.values[symbol] = float(self.parameters[name])
        formula = self.formulas.get(("parameters", name))
        if formula is not None and formula.names and is_smooth(formula):
            self.definitions[symbol] = as_symbolic(formula, self.parameter)
        return symbol

    def new_symbol(self, name: str) -> Any:
        """A symbol whose name nothing else has, parameters of the model least of all."""
        import sympy

        name = identifier(name)
        while name in self.symbols or name in self.parameters:
            name += "_"
        symbol = self.symbols[name] = sympy.Symbol(name)
        return symbol

    def formula(self, path: Path, name_of: Any = None) -> Any:
        """The expression that the model writes at a place, or None."""
        written = self.formulas.get(path)
        if written is None or not is_smooth(written) or not set(written.names) & set(self.parameters):
            return None
        found = as_symbolic(written, lambda n: self.parameter(n) if n in self.parameters else name_of(n))
        self.used.add(path)
        return found

    def item(self, path: Path, name: str, value: float) -> Any:
        """A number of the model at its place: by its parameters, else as a number or a symbol."""
        drawn = self.drawn(path, value)
        return drawn if drawn.free_symbols else self.number(name, value)

    def drawn(self, path: Path, value: float) -> Any:
        """A number of the model: by its parameters, else exact."""
        found = self.formula(path)
        return exact(value) if found is None else found

    def value_of(self, expression: Any) -> float:
        """Value of an expression of parameters."""
        import sympy

        return float(sympy.sympify(expression).xreplace({s: sympy.Float(v) for s, v in self.values.items()}))

    def number(self, name: str, value: float) -> Any:
        """A number that stands nowhere in the model: with `names_all` a symbol, unless it is 0, 1 or -1."""
        value = float(value)
        if not self.names_all or value in (0.0, 1.0, -1.0):
            return exact(value)
        unique = identifier(name)
        while (known := self.symbols.get(unique)) is not None or unique in self.parameters:
            if known is not None and unique not in self.parameters and self.values.get(known) == value:
                return known
            unique += "_"
        symbol = self.new_symbol(unique)
        self.values[symbol] = value
        return symbol

    def vector(self, name: str, drawn: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """(3,) entries `name_x`, `name_y`, `name_z` of numbers or expressions; what is small beside `scale` is zero."""
        return np.array(
            [self._entry(f"{name}_{axis}", v, NOTHING * scale) for axis, v in zip("xyz", drawn, strict=True)], object
        )

    def matrix(self, name: str, drawn: np.ndarray) -> np.ndarray:
        """Entries `name_11`, ... of a matrix of numbers or expressions; symmetric entries share one."""
        out = np.empty(drawn.shape, object)
        for i, j in np.ndindex(*drawn.shape):
            mirrored = j < i and drawn.shape[0] == drawn.shape[1] and drawn[i, j] == drawn[j, i]
            out[i, j] = out[j, i] if mirrored else self._entry(f"{name}_{i + 1}{j + 1}", drawn[i, j], 0.0)
        return out

    def _entry(self, name: str, value: Any, nothing: float) -> Any:
        import sympy

        value = sympy.sympify(value) if not isinstance(value, float) else value
        if not isinstance(value, float) and value.free_symbols:
            return value
        number = float(value)
        if abs(number) <= nothing:
            return sympy.Integer(0)
        if self.names_all or isinstance(value, float):
            return self.number(name, number)
        return value

    @property
    def by_value(self) -> list[str]:
        """Places of the mechanism where parameters stand that are not in the equations but by their values."""
        sections = ("gravity", "bodies", "markers", "joints", "couplings", "drivers", "forces")
        ignored = ("position", "velocity", "lower", "upper", "shape", "stop", "friction")
        left = [
            path for path, formula in self.formulas.items()
            if path[0] in sections and path not in self.used and set(formula.names) & set(self.parameters)
            and not any(word in path for word in ignored)
        ]  # fmt: skip
        return [".".join(map(str, path)) for path in left]


@dataclass
class Coordinates:
    """Generalized coordinates q with rates u and accelerations a, and the time t."""

    pool: Pool
    names: list[str] = field(default_factory=list)
    q: list[Any] = field(default_factory=list)
    u: list[Any] = field(default_factory=list)
    a: list[Any] = field(default_factory=list)
    reference: list[float] = field(default_factory=list)  # value of each where the equations are linearized
    drawn: list[Any] = field(default_factory=list)  # the same as an expression, None where it is but a number
    t: Any = None

    def __post_init__(self) -> None:
        import sympy

        self.t = sympy.Symbol("t")

    def new(self, name: str, reference: float, drawn: Any = None, is_angle: bool = False) -> Any:
        """One more coordinate; `drawn` is its value in the drawing, which is the reference where they are equal."""
        self.names.append(name)
        self.reference.append(float(reference))
        same = drawn is not None and abs(self.pool.value_of(drawn) - reference) <= CLOSE * max(1.0, abs(reference))
        self.drawn.append(drawn if same else _exact_or_none(reference, is_angle))
        for symbols, letter in ((self.q, "q"), (self.u, "u"), (self.a, "a")):
            symbols.append(self.pool.new_symbol(f"{letter}_{name}"))
        return self.q[-1]

    def rate(self, expression: Any) -> Any:
        """Total time derivative; of arrays entry by entry."""
        if isinstance(expression, np.ndarray):
            return elementwise(self.rate, expression)
        rates = {**dict(zip(self.q, self.u, strict=True)), **dict(zip(self.u, self.a, strict=True)), self.t: 1}
        return sum((expression.diff(s) * rates[s] for s in symbols_in(expression) if s in rates), start=0 * self.t)

    def gradient(self, expressions: Iterable[Any], by: list[Any]) -> np.ndarray:
        """(m, n) derivatives of expressions by symbols."""
        rows = [[e.diff(s) if s in e.free_symbols else 0 * self.t for s in by] for e in map(_expression, expressions)]
        return np.array(rows, object).reshape(len(rows), len(by))

    def by_time(self, expressions: Iterable[Any]) -> np.ndarray:
        """(m,) partial derivatives by the time, coordinates held."""
        return self.gradient(expressions, [self.t])[:, 0]


def _exact_or_none(value: float, is_angle: bool) -> Any:
    """A number worth putting in: no decimals of a computation, no sine of an angle that is no part of a turn."""
    import sympy

    found = exact(value)
    is_plain = not is_float(found) and (not is_angle or found == 0 or found.has(sympy.pi))
    return found if is_plain else None


def identifier(name: str) -> str:
    """The name with everything replaced that a name in a program must not have."""
    clean = "".join(letter if f"_{letter}".isidentifier() else "_" for letter in name)
    return clean if clean.isidentifier() else f"_{clean}"


def symbols_in(expression: Any) -> list[Any]:
    """Symbols of an expression in an order that does not change from run to run."""
    return sorted(expression.free_symbols, key=lambda s: s.name)


def elementwise(function: Any, array: np.ndarray) -> np.ndarray:
    """A function of every entry of an array of expressions."""
    out = np.empty(array.shape, object)
    for index in np.ndindex(*array.shape):
        out[index] = function(_expression(array[index]))
    return out


def _expression(value: Any) -> Any:
    import sympy

    return sympy.sympify(value)


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product of (3,) arrays of expressions."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]], object)


def rotation(axis: np.ndarray, angle: Any) -> np.ndarray:
    """Rotation matrix (3, 3) about a unit axis of numbers or symbols."""
    import sympy

    c, s = sympy.cos(angle), sympy.sin(angle)
    x, y, z = axis
    tilde = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], object)
    along = next((i for i in range(3) if axis[i] in (1, -1)), None)
    projector = np.outer(axis, axis) if along is None else np.diag([int(i == along) for i in range(3)])
    return c * (np.eye(3, dtype=int) - projector) + projector + s * tilde
