"""Expressions as text: the fewest parentheses that keep their meaning."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from eigenbody.base.batched import Variants

if TYPE_CHECKING:
    from eigenbody.model.expression_tree import Expression

_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = 1, 2, 3, 4, 5
Text = tuple[str, int]  # text and how tightly it binds


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
        return node.name, _ATOM
    if node.op == "+":
        return _print_sum(node, texts)
    if node.op == "neg":
        return f"-{_closed(texts[0], _UNARY)}", _UNARY
    if node.op in "*/":
        return f"{_closed(texts[0], _PRODUCT)}{node.op}{_closed(texts[1], _UNARY)}", _PRODUCT
    if node.op == "**":
        return f"{_closed(texts[0], _ATOM)}**{_closed(texts[1], _UNARY)}", _POWER
    if node.op == "_curve":  # its points are in the file
        return f"table{chr(39) * int(texts[1][0])}({texts[0][0]})", _ATOM
    return f"{node.op}({', '.join(text for text, _ in texts)})", _ATOM
