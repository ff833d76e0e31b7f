"""Expressions of the model file as SymPy expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from eigenbody.model.description import Signal
from eigenbody.model.expressions import Expression
from eigenbody.routes.symbolic.exact import exact

FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp", "log", "tanh")
OPERATORS = ("number", "name", "+", "neg", "*", "/", "**")


def is_smooth(expression: Expression) -> bool:
    """Whether it is made of functions that have derivatives of all orders."""
    return all(node.op in OPERATORS or node.op in FUNCTIONS for node in expression.nodes)


def is_known(signal: Signal | None, names: Callable[[str], bool]) -> bool:
    """Whether a signal is smooth and depends only on names that `names` accepts."""
    if signal is None or isinstance(signal, int | float):
        return True
    if not isinstance(signal, Expression):
        return False
    return is_smooth(signal) and all(names(name) for name in signal.names)


def as_symbolic(signal: Signal, name_of: Callable[[str], Any]) -> Any:
    """The SymPy expression; `name_of` gives that of a name."""

    if isinstance(signal, int | float):
        return exact(signal)
    assert isinstance(signal, Expression)
    done: dict[int, Any] = {}
    for node in signal.nodes:
        given = [done[id(arg)] for arg in node.args]
        done[id(node)] = _node(node, given, name_of)
    return done[id(signal)]


def _node(node: Expression, given: list[Any], name_of: Callable[[str], Any]) -> Any:
    import sympy

    if node.op == "number":
        return exact(node.value)  # type: ignore[arg-type]
    if node.op == "name":
        return name_of(node.name)
    if node.op == "+":
        return sum(given, start=sympy.Integer(0))
    if node.op == "neg":
        return -given[0]
    if node.op == "*":
        return given[0] * given[1]
    if node.op == "/":
        return given[0] / given[1]
    if node.op == "**":
        return given[0] ** given[1]
    return getattr(sympy, node.op)(*given)
