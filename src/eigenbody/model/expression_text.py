"""Expressions as text: the fewest parentheses that keep their meaning."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from eigenbody.base.batched import Variants
from eigenbody.model.expression_kernels import USER_FUNCTIONS

if TYPE_CHECKING:
    from eigenbody.model.expression_tree import Expression

_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = 1, 2, 3, 4, 5
Text = tuple[str, int]  # text and how tightly it binds


PLAIN = re.compile(r"[^\W\d]\w*(?:\.\w+)*'*")


def quoted(name: str) -> str:
    """A name as it stands in an expression: in quotes, before its primes, where it has other characters than letters,
    digits, underscores and dots, or is that of a function."""
    if PLAIN.fullmatch(name) and name not in USER_FUNCTIONS:
        return name
    bare = name.rstrip("'")
    return f"'{bare}'{name[len(bare) :]}"


def _closed(text: Text, least: int) -> str:
    return text[0] if text[1] >= least else f"({text[0]})"


def _print_number(value: Any) -> Text:
    if isinstance(value, Variants):
        return repr(value), _ATOM
    if isinstance(value, complex):
        return repr(value) if repr(value).startswith("(") else f"({value!r})", _ATOM
    return repr(value).removesuffix(".0"), _UNARY if math.copysign(1.0, value) < 0 else _ATOM


def _print_sum(node: Expression, texts: list[Text]) -> Text:
    result = _closed(texts[0], _PRODUCT)
    for arg, text in zip(node.args[1:], texts[1:], strict=True):
        negative = arg.op == "neg" or (arg.op == "number" and text[1] == _UNARY)
        result += f" - {text[0][1:]}" if negative else f" + {_closed(text, _PRODUCT)}"
    return result, _SUM


def text_of(node: Expression, texts: list[Text]) -> Text:
    """The text of a node from those of its arguments."""
    if node.op == "number":
        return _print_number(node.value)
    if node.op == "name":
        return quoted(node.name), _ATOM
    if node.op == "+":
        return _print_sum(node, texts)
    if node.op == "neg":
        return f"-{_closed(texts[0], _UNARY)}", _UNARY
    if node.op in "*/":
        return f"{_closed(texts[0], _PRODUCT)}{node.op}{_closed(texts[1], _UNARY)}", _PRODUCT
    if node.op == "**":
        return f"{_closed(texts[0], _ATOM)}**{_closed(texts[1], _UNARY)}", _POWER
    if node.op in ("_curve", "_line"):  # its points are in the file
        return f"table{chr(39) * int(texts[1][0])}({texts[0][0]})", _ATOM
    return f"{node.op}({', '.join(text for text, _ in texts)})", _ATOM
