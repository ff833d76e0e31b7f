"""Symbols of the equations: coordinates with their rates, and every number of the model under a name of its own."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NOTHING = 1e-15  # entries of rotation matrices and directions below this are zeros that were rounded


@dataclass
class Pool:
    """Numbers of the model as symbols. Zeros and ones stay numbers, so that what vanishes is not written down."""

    values: dict[Any, float] = field(default_factory=dict)
    _names: dict[str, Any] = field(default_factory=dict)

    def number(self, name: str, value: float) -> Any:
        """A symbol with that value, or the number itself where it is 0, 1 or -1."""
        import sympy

        value = float(value)
        if value in (0.0, 1.0, -1.0):
            return sympy.Integer(int(value))
        unique = identifier(name)
        while (known := self._names.get(unique)) is not None:
            if self.values[known] == value:
                return known
            unique += "_"
        symbol = self._names[unique] = sympy.Symbol(unique)
        self.values[symbol] = value
        return symbol

    def vector(self, name: str, values: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """(3,) symbols `name_x`, `name_y`, `name_z`; what is small beside `scale` is zero."""
        clean = np.where(np.abs(values) <= NOTHING * scale, 0.0, values)
        return np.array(
            [self.number(f"{name}_{axis}", v) for axis, v in zip("xyz", map(float, clean), strict=True)], object
        )

    def matrix(self, name: str, values: np.ndarray) -> np.ndarray:
        """Symbols `name_11`, ... of a matrix; symmetric entries share one."""
        out = np.empty(values.shape, object)
        for i, j in np.ndindex(*values.shape):
            mirrored = j < i and values.shape[0] == values.shape[1] and values[i, j] == values[j, i]
            out[i, j] = out[j, i] if mirrored else self.number(f"{name}_{i + 1}{j + 1}", float(values[i, j]))
        return out


@dataclass
class Coordinates:
    """Generalized coordinates q with rates u and accelerations a, and the time t."""

    names: list[str] = field(default_factory=list)
    q: list[Any] = field(default_factory=list)
    u: list[Any] = field(default_factory=list)
    a: list[Any] = field(default_factory=list)
    reference: list[float] = field(default_factory=list)  # value of each where the equations are linearized
    t: Any = None

    def __post_init__(self) -> None:
        import sympy

        self.t = sympy.Symbol("t")

    def new(self, name: str, reference: float) -> Any:
        """One more coordinate."""
        import sympy

        self.names.append(name)
        self.reference.append(float(reference))
        for symbols, letter in ((self.q, "q"), (self.u, "u"), (self.a, "a")):
            symbols.append(sympy.Symbol(identifier(f"{letter}_{name}")))
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
        return np.array(rows, object).reshape(-1, len(by))


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
