"""Expressions as code: all nodes of one expression or of several in one Python function, each node once.

The same function serves plain numbers (with `math`) and real or complex arrays that broadcast (with NumPy). It computes
what the kernels compute and decides nothing: where it meets a division by zero, a root of a negative number or a value
that is not finite it gives up, and the kernels, node by node, say what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.expression_kernels import KERNELS, ExpressionError

if TYPE_CHECKING:
    from eigenbody.model.expression_tree import Expression

LARGE = 16  # nodes from which the function is worth its making: some evaluations by the kernels
LONG = 50  # terms of a sum in one line: Python reads nested terms by recursion
GIVE_UP = (ArithmeticError, ValueError, ExpressionError)
PLAIN = (float, np.float64)
SIGNS = {"+": " + ", "*": " * ", "/": " / "}


class NoCode(Exception):
    """The code gives no value here; the kernels say why."""


def _power(base: float, exponent: float) -> float:
    if base < 0 and not float(exponent).is_integer():
        raise ValueError
    return base**exponent


def _smallest(*values: float) -> float:
    result = values[0]
    for value in values[1:]:
        if value < result:
            result = value
    return result


def _largest(*values: float) -> float:
    result = values[0]
    for value in values[1:]:
        if value > result:
            result = value
    return result


_BY_NUMPY = {f"f_{name.lstrip('_')}": kernel for name, kernel in KERNELS.items() if name.lstrip("_").isidentifier()}
_BY_NUMPY |= {"power": KERNELS["**"], "f_noise": KERNELS["noise"]}
_OF_NUMBERS: dict[str, Callable[..., Any]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "asin": math.asin, "acos": math.acos, "atan": math.atan,
    "atan2": math.atan2, "sqrt": math.sqrt, "exp": math.exp, "log": math.log, "tanh": math.tanh,
    "abs": lambda x: -x if x < 0 else x, "sign": lambda x: -1.0 if x < 0 else 1.0, "min": _smallest, "max": _largest,
}  # fmt: skip
_BY_MATH = {**_BY_NUMPY, **{f"f_{name}": f for name, f in _OF_NUMBERS.items()}, "power": _power}


class Code:
    """Several expressions as one function of their names."""

    def __init__(self, expressions: Sequence[Expression]) -> None:
        lines, constants, self._names, results = _written(expressions)
        arguments = ", ".join(f"x{k}" for k in range(len(self._names)))
        body = "".join(f"    {line}\n" for line in lines)
        source = f"def f({arguments}):\n{body}    return ({', '.join(results)},)\n"
        code = compile(source, "<expressions>", "exec")
        self._of_numbers, self._of_arrays = (
            _function(code, {**kernels, **constants}) for kernels in (_BY_MATH, _BY_NUMPY)
        )

    def __call__(self, env: Mapping[str, Any]) -> tuple[Any, ...]:
        """Their values, floats or arrays; NoCode where the code cannot tell."""
        try:
            given = [env[name] for name in self._names]
            if all(type(value) in PLAIN for value in given):
                found = self._of_numbers(*map(float, given))
                if all(type(value) is float and math.isfinite(value) for value in found):
                    return found
                return tuple(map(_checked, found))
            if any(type(value) not in PLAIN and not _is_array(value) for value in given):
                raise NoCode
            with np.errstate(divide="raise", over="raise", invalid="raise", under="ignore"):
                return tuple(map(_checked, self._of_arrays(*given)))
        except (KeyError, *GIVE_UP) as problem:
            raise NoCode from problem


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.generic | complex) and np.asarray(value).dtype.kind in "fc"


def _checked(value: Any) -> Any:
    if not np.isfinite(value).all():
        raise NoCode
    return value.item() if isinstance(value, np.generic | np.ndarray) and np.ndim(value) == 0 else value


def _function(code: Any, names: dict[str, Any]) -> Callable[..., tuple[Any, ...]]:
    exec(code, names)  # written below from nodes alone: no text of the model is in it
    return names["f"]


def _written(expressions: Sequence[Expression]) -> tuple[list[str], dict[str, Any], list[str], list[str]]:
    """Lines of the function, its constants by name, the names that it takes, and the names of the results."""
    lines: list[str] = []
    constants: dict[str, Any] = {}
    names: list[str] = []
    known: dict[tuple[Any, ...], str] = {}  # nodes by what they are made of: equal ones are written once
    results = []
    for expression in expressions:
        place: dict[int, str] = {}
        for node in expression.nodes:
            parts = tuple(place[id(arg)] for arg in node.args)
            key = (node.op, repr(node.value), node.name, parts)
            if key not in known:
                known[key] = _line(node, parts, lines, constants, names)
            place[id(node)] = known[key]
        results.append(place[id(expression)])
    return lines, constants, names, results


def _line(
    node: Expression, parts: tuple[str, ...], lines: list[str], constants: dict[str, Any], names: list[str]
) -> str:
    """Write a node down; the name of its value."""
    if node.op == "name":
        names.append(node.name)
        return f"x{len(names) - 1}"
    if node.op == "number":
        constants[f"c{len(constants)}"] = node.value
        return f"c{len(constants) - 1}"
    if node.op in SIGNS:
        while len(parts) > LONG:  # from the left, as always
            lines.append(f"v{len(lines)} = {SIGNS[node.op].join(parts[:LONG])}")
            parts = (f"v{len(lines) - 1}", *parts[LONG:])
        text = SIGNS[node.op].join(parts)
    elif node.op == "neg":
        text = f"-{parts[0]}"
    elif node.op == "**":
        exponent = node.args[1]
        square = exponent.op == "number" and exponent.value == 2.0
        text = f"{parts[0]} * {parts[0]}" if square else f"power({', '.join(parts)})"
    else:
        assert node.op in KERNELS
        text = f"f_{node.op.lstrip('_')}({', '.join(parts)})"
    lines.append(f"v{len(lines)} = {text}")
    return f"v{len(lines) - 1}"


def code_of(expressions: Sequence[Expression]) -> Code | None:
    """Expressions as one function, where they are large enough for that and their constants are plain numbers."""
    nodes = [node for expression in expressions for node in expression.nodes]
    plain = all(isinstance(node.value, float | complex) for node in nodes)
    return Code(expressions) if plain and len(nodes) >= LARGE else None


@dataclass(frozen=True)
class ExpressionSet:
    """Expressions of the same names, evaluated together."""

    expressions: tuple[Expression, ...]

    @cached_property
    def _code(self) -> Code | None:
        return code_of(self.expressions)

    def evaluate(self, env: Mapping[str, Any]) -> tuple[Any, ...]:
        """Their values."""
        if self._code is not None:
            with suppress(NoCode):  # one of them has no value: it says so itself
                return self._code(env)
        return tuple(expression.evaluate(env) for expression in self.expressions)

    def __getstate__(self) -> dict[str, Any]:
        return {"expressions": self.expressions}  # code is written again where it is needed
