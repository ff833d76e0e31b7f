"""Derivatives of expressions, node by node."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eigenbody.model.expression_tree import ONE, ZERO, Expression, build, is_number

TWO = Expression.number(2.0)


def _add(*terms: Expression) -> Expression:
    return build("+", *terms)


def _mul(a: Expression, b: Expression) -> Expression:
    return build("*", a, b)


def _div(a: Expression, b: Expression) -> Expression:
    return build("/", a, b)


def _neg(a: Expression) -> Expression:
    return build("neg", a)


def _square(a: Expression) -> Expression:
    return build("**", a, TWO)


_SLOPE: dict[str, Callable[[Expression], Expression]] = {  # f'(u) of the functions of one argument
    "sin": lambda u: build("cos", u),
    "cos": lambda u: _neg(build("sin", u)),
    "tan": lambda u: _div(ONE, _square(build("cos", u))),
    "asin": lambda u: _div(ONE, build("sqrt", _add(ONE, _neg(_square(u))))),
    "acos": lambda u: _neg(_div(ONE, build("sqrt", _add(ONE, _neg(_square(u)))))),
    "atan": lambda u: _div(ONE, _add(ONE, _square(u))),
    "sqrt": lambda u: _div(ONE, _mul(TWO, build("sqrt", u))),
    "exp": lambda u: build("exp", u),
    "log": lambda u: _div(ONE, u),
    "tanh": lambda u: _add(ONE, _neg(_square(build("tanh", u)))),
    "abs": lambda u: build("_sign", u),
    "_sign": lambda u: ZERO,
    "_smooth": lambda u: build("_smooth1", u),
    "_smooth1": lambda u: build("_smooth2", u),
    "_smooth2": lambda u: build("_smooth3", u),
    "_smooth3": lambda u: ZERO,
}


def chain_rule(node: Expression, slopes: list[Expression]) -> Expression:
    """Derivative of a node whose arguments have these slopes."""
    if all(is_number(slope, 0) for slope in slopes):
        return ZERO
    if node.op in _SLOPE:
        return _mul(_SLOPE[node.op](node.args[0]), slopes[0])
    return _RULES[node.op](node.args, slopes)


Args = tuple[Expression, ...]


def _power_rule(args: Args, slopes: list[Expression]) -> Expression:
    base, exponent = args
    by_base = _mul(_mul(exponent, build("**", base, _add(exponent, _neg(ONE)))), slopes[0])
    if is_number(slopes[1], 0):
        return by_base
    by_exponent = _mul(_mul(build("**", base, exponent), build("log", base)), slopes[1])
    return by_exponent if is_number(slopes[0], 0) else _add(by_base, by_exponent)


def _quotient_rule(args: Args, slopes: list[Expression]) -> Expression:
    a, b = args
    return _add(_div(slopes[0], b), _neg(_div(_mul(a, slopes[1]), _square(b))))


def _angle_rule(args: Args, slopes: list[Expression]) -> Expression:
    y, x = args
    return _div(_add(_mul(x, slopes[0]), _neg(_mul(y, slopes[1]))), _add(_square(x), _square(y)))


def _step_rule(args: Args, slopes: list[Expression]) -> Expression:
    if len(args) == 1:
        return ZERO  # flat on both sides; the jump itself has no slope
    x, x0, h0, x1, h1 = args
    dx, dx0, dh0, dx1, dh1 = slopes
    width = _add(x1, _neg(x0))
    d = _div(_add(x, _neg(x0)), width)
    dd = _div(_add(dx, _neg(dx0), _neg(_mul(d, _add(dx1, _neg(dx0))))), width)
    rise = _mul(_mul(_add(h1, _neg(h0)), build("_smooth1", d)), dd)
    return _add(dh0, _mul(_add(dh1, _neg(dh0)), build("_smooth", d)), rise)


def _noise_rule(args: Args, slopes: list[Expression]) -> Expression:
    """By argument and bandwidth; `_noise` has the order of the derivative as a fourth argument. Seeds have no slope."""
    x, seed, bandwidth, *order = args
    following = Expression.number(float(np.real(order[0].value)) + 1 if order else 1)
    phase = _add(_mul(bandwidth, slopes[0]), _mul(x, slopes[2]))
    return _mul(build("_noise", x, seed, bandwidth, following), phase)


def _curve_rule(op: str, degree: int) -> Callable[[Args, list[Expression]], Expression]:
    """By the argument; points and order are numbers. Derivatives of a higher order than the degree are zero."""

    def rule(args: Args, slopes: list[Expression]) -> Expression:
        x, order, *points = args
        following = float(np.real(order.value)) + 1
        return ZERO if following > degree else _mul(build(op, x, Expression.number(following), *points), slopes[0])

    return rule


def _branch_rule(op: str) -> Callable[[Args, list[Expression]], Expression]:
    """Derivative of min and max: the slope of the argument that is chosen."""

    def rule(args: Args, slopes: list[Expression]) -> Expression:
        return build(op, *(part for pair in zip(args, slopes, strict=True) for part in pair))

    return rule


def _selection_rule(op: str) -> Callable[[Args, list[Expression]], Expression]:
    """Derivative of a selected companion: the slopes of the companions, selected by the same values."""

    def rule(args: Args, slopes: list[Expression]) -> Expression:
        return build(op, *(part for pair in zip(args[::2], slopes[1::2], strict=True) for part in pair))

    return rule


_RULES: dict[str, Callable[[Args, list[Expression]], Expression]] = {
    "+": lambda args, slopes: _add(*slopes),
    "neg": lambda args, slopes: _neg(slopes[0]),
    "*": lambda args, slopes: _add(_mul(slopes[0], args[1]), _mul(args[0], slopes[1])),
    "/": _quotient_rule,
    "**": _power_rule,
    "atan2": _angle_rule,
    "step": _step_rule,
    "min": _branch_rule("_select_min"),
    "max": _branch_rule("_select_max"),
    "_select_min": _selection_rule("_select_min"),
    "_select_max": _selection_rule("_select_max"),
    "noise": _noise_rule,
    "_noise": _noise_rule,
    "_curve": _curve_rule("_curve", 3),
    "_line": _curve_rule("_line", 1),
}
