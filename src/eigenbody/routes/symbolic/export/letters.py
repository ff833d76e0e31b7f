"""How symbols and numbers are written in LaTeX: names of the file as indices, rates with dots, short decimals."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from eigenbody.routes.symbolic.equations import SymbolicEquations

GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "chi",
    "psi",
    "omega",
]
SPELLED = {"phi": r"\varphi", "epsilon": r"\varepsilon", "theta": r"\vartheta"}
PARTS = {"displacement": "s", "angle": r"\varphi", "angle1": r"\varphi_1", "angle2": r"\varphi_2", "phi": r"\varphi"}
PARTS |= {"x": "x", "y": "y", "z": "z", "alpha": r"\alpha", "beta": r"\beta", "gamma": r"\gamma"}
COORDINATE_LETTERS = "qxyzs"
ESCAPED = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
LONGEST_FRACTION = 99  # numerators and
FINEST_FRACTION = 16  # denominators up to which a fraction is nicer than a decimal


def plain(text: str) -> str:
    """Text that LaTeX prints as it stands."""
    return "".join(ESCAPED.get(c, f"\\{c}" if c in "_&%$#{}" else c) for c in text)


def letter(name: str) -> str:
    """A name as a symbol: k, m_2, omega_0, m with the index slider, or upright where it is a word."""
    base, _, index = name.partition("_")
    found = re.fullmatch(r"([A-Za-z]+?)(\d+)", base)
    if found and not index:
        base, index = found.groups()
    low = base.lower()
    if low in GREEK:
        shown = SPELLED.get(base, f"\\{base}")
        shown = f"\\{base}" if base != low else shown
    else:
        shown = base if len(base) == 1 else rf"\mathrm{{{plain(base)}}}"
    return f"{shown}_{{{index_of(index)}}}" if index else shown


def index_of(text: str) -> str:
    """A name as an index."""
    return text if text.isdigit() or len(text) == 1 else rf"\mathrm{{{plain(text)}}}"


def coordinate_letter(name: str) -> tuple[str, str]:
    """Letter and index of a coordinate: q with the joint's name, x, y, z or an angle with the body's."""
    owner, _, part = name.rpartition(".")
    if owner:
        shown, _, number = PARTS.get(part, rf"q_\mathrm{{{plain(part)}}}").partition("_")
        return shown, ",".join(filter(None, [index_of(owner), number]))
    found = re.fullmatch(r"([A-Za-z]+?)_?(\d*)", name)
    if found and (found[1].lower() in GREEK or found[1] in COORDINATE_LETTERS):
        return letter(found[1]), found[2]
    return "q", index_of(name)


def symbol_names(eqs: SymbolicEquations) -> dict[Any, str]:
    """LaTeX of every symbol of the equations."""
    names = {symbol: letter(symbol.name) for symbol in eqs.values}
    for k, name in enumerate(eqs.kin.coordinates.names):
        shown, index = coordinate_letter(name)
        below = f"_{{{index}}}" if index else ""
        names[eqs.q[k]] = f"{shown}{below}"
        names[eqs.u[k]] = rf"\dot{{{shown}}}{below}"
        names[eqs.a[k]] = rf"\ddot{{{shown}}}{below}"
    names |= {symbol: rf"\lambda_{{{k + 1}}}" for k, symbol in enumerate(eqs.multipliers)}
    return names


def readable(expression: Any) -> Any:
    """Numbers as they are written by hand: small fractions, short decimals, six digits of what is rounded anyway."""
    import sympy

    if expression.is_Float or (expression.is_Rational and not expression.is_Integer):
        return _written(expression)
    if not expression.args:
        return expression
    if expression.is_Pow:
        return sympy.Pow(readable(expression.base), expression.exp)
    return expression.func(*map(readable, expression.args))


def _written(number: Any) -> Any:
    import sympy

    size, sign = abs(number), -1 if number < 0 else 1
    if number.is_Rational and ((size.p <= LONGEST_FRACTION and size.q <= FINEST_FRACTION) or not _terminates(size.q)):
        return number
    text = decimal(float(size), 12 if number.is_Rational else 6)
    return sign * sympy.Symbol(text)


def _terminates(denominator: int) -> bool:
    for prime in (2, 5):
        while denominator % prime == 0:
            denominator //= prime
    return denominator == 1


def decimal(value: float, digits: int = 12) -> str:
    """A number in LaTeX, powers of ten written out."""
    mantissa, _, exponent = f"{value:.{digits}g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def printer(eqs: SymbolicEquations) -> Any:
    """Function that writes an expression."""
    import sympy

    names = symbol_names(eqs)

    def show(expression: Any) -> str:
        value = readable(sympy.sympify(expression))
        return str(sympy.latex(value, symbol_names=names, fold_func_brackets=True, fold_short_frac=False))

    return show


def joined(parts: Iterable[str]) -> str:
    """Lines of a document."""
    return "\n".join(parts) + "\n"
