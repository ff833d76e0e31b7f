"""Expressions of the model file, read by an own recursive-descent parser; their text is never run.

    sum     = product (("+" | "-") product)*
    product = unary (("*" | "/") unary)*
    unary   = ("+" | "-") unary | power
    power   = atom ("**" unary)?
    atom    = number | name | function "(" sum ("," sum)* ")" | "(" sum ")"

A name may contain dots (`slide.z`); `spin'` is its time rate, `spin''` its second rate, `rate(spin)` is `spin'`. A
name with other characters, or that of a function, stands in quotes: `'left-hip'`, `'left-hip'.rx'`,
`reaction.'left-hip'.fx`.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from eigenbody.base.errors import suggest
from eigenbody.model.expression_code import ExpressionSet
from eigenbody.model.expression_kernels import ARITY, USER_FUNCTIONS, ExpressionError, OutsideTable
from eigenbody.model.expression_tree import Expression

__all__ = ["FUNCTIONS", "Expression", "ExpressionError", "ExpressionSet", "OutsideTable", "parse"]

FUNCTIONS: tuple[str, ...] = tuple(USER_FUNCTIONS)

MAX_DEPTH = 60
MAX_LENGTH = 20_000

_QUOTED = r"'[^'\n]+'"
_NAME = rf"(?:[^\W\d]\w*|{_QUOTED})(?:\.(?:\w+|{_QUOTED}))*'*"
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<name>{_NAME})"
    r"|(?P<sign>\*\*|[-+*/(),])"
)
_BLANK = re.compile(r"\s*")


@lru_cache(maxsize=8192)
def parse(text: str) -> Expression:
    """The expression written in `text` (without the leading `=`); raises ExpressionError with a caret."""
    if len(text) > MAX_LENGTH:
        raise ExpressionError(f"the expression is longer than {MAX_LENGTH} characters; split it into variables")
    return _Parser(text).parse()


def caret_message(text: str, position: int, what: str) -> str:
    """`what`, then the text and a caret under the character at `position`."""
    start = max(0, position - 60)
    shown = "".join(c if c.isprintable() else " " for c in text[start : start + 100])
    lead = "..." if start else ""
    return f"{what}\n    {lead}{shown}\n    {' ' * (len(lead) + position - start)}^"


class _Parser:
    """One pass over the tokens of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.depth = 0
        self.kind, self.token, self.start, self.end = "", "", 0, 0
        self.advance()

    def parse(self) -> Expression:
        if self.kind == "end":
            raise self.error("the expression is empty")
        result = self.sum()
        if self.kind != "end":
            raise self.error(self.unexpected())
        return result

    # ---- tokens

    def advance(self) -> None:
        blank = _BLANK.match(self.text, self.end)
        self.start = blank.end() if blank else self.end
        if self.start == len(self.text):
            self.kind, self.token, self.end = "end", "", self.start
            return
        match = _TOKEN.match(self.text, self.start)
        if not match:
            raise self.error(self.bad_character(self.text[self.start]))
        self.kind, self.token, self.end = str(match.lastgroup), match.group(), match.end()

    def bad_character(self, character: str) -> str:
        if character == "'":
            return "a quote is open: a name in quotes ends with another one"
        if character == "^":
            return 'powers are written with "**", not "^"'
        shown = character if character.isprintable() else ascii(character)
        return f'the character "{shown}" has no meaning here'

    def take(self, sign: str) -> bool:
        if self.kind == "sign" and self.token == sign:
            self.advance()
            return True
        return False

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            found = "the end" if self.kind == "end" else f'"{self.token}"'
            raise self.error(f'expected "{sign}" but found {found}')

    def unexpected(self) -> str:
        if self.kind == "end":
            return "the expression ends too early"
        if self.kind in ("name", "number"):
            return f'an operator is missing before "{self.token}"'
        return f'"{self.token}" does not belong here'

    def error(self, what: str, position: int | None = None) -> ExpressionError:
        return ExpressionError(caret_message(self.text, self.start if position is None else position, what))

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"nested deeper than {MAX_DEPTH} levels; split the expression into variables")

    # ---- grammar

    def sum(self) -> Expression:
        terms = [self.product()]
        while self.kind == "sign" and self.token in "+-":
            negative = self.token == "-"
            self.advance()
            term = self.product()
            terms.append(_negated(term) if negative else term)
        return terms[0] if len(terms) == 1 else Expression("+", tuple(terms))

    def product(self) -> Expression:
        result = self.unary()
        while self.kind == "sign" and self.token in ("*", "/"):
            op = self.token
            self.advance()
            result = Expression(op, (result, self.unary()))
        return result

    def unary(self) -> Expression:
        self.enter()
        if self.take("-"):
            result = _negated(self.unary())
        elif self.take("+"):
            result = self.unary()
        else:
            result = self.power()
        self.depth -= 1
        return result

    def power(self) -> Expression:
        base = self.atom()
        if self.take("**"):
            return Expression("**", (base, self.unary()))
        return base

    def atom(self) -> Expression:
        if self.kind == "number":
            return self.number()
        if self.kind == "name":
            return self.name_or_call()
        if self.take("("):
            result = self.sum()
            self.expect(")")
            return result
        raise self.error(self.unexpected())

    def number(self) -> Expression:
        value = float(self.token)
        if not math.isfinite(value):
            raise self.error(f'the number "{self.token}" is too large')
        self.advance()
        return Expression.number(value)

    def name_or_call(self) -> Expression:
        name, start = _unquoted(self.token), self.start
        is_quoted = name != self.token
        self.advance()
        if not is_quoted and self.take("("):
            return self.call(name, start)
        if not is_quoted and name in USER_FUNCTIONS:
            raise self.error(f'the function "{name}" needs its arguments in parentheses: {name}(...)', start)
        if name == "pi":
            return Expression.number(math.pi)
        if name.endswith("'''"):
            raise self.error(
                "at most two primes: x' is the rate of x, x'' its second rate", self.text.index("'''", start)
            )
        return Expression.symbol(name)

    def call(self, name: str, start: int) -> Expression:
        if name != "rate" and name not in USER_FUNCTIONS:
            raise self.error(f'there is no function "{name}". {suggest(name, [*FUNCTIONS, "rate"])}', start)
        args = [self.sum()]
        while self.take(","):
            args.append(self.sum())
        self.expect(")")
        if name == "rate":
            return self.rate(args, start)
        arity = ARITY[name]
        if arity is not None and len(args) not in arity:
            wanted = " or ".join(str(n) for n in arity)
            raise self.error(f'"{name}" takes {wanted} argument{"s" if wanted != "1" else ""}, not {len(args)}', start)
        return Expression(name, tuple(args))

    def rate(self, args: list[Expression], start: int) -> Expression:
        if len(args) != 1 or args[0].op != "name":
            raise self.error('"rate" takes the name of one measure: rate(spin)', start)
        name = args[0].name + "'"
        if name.endswith("'''"):
            raise self.error("there is no third rate", start)
        return Expression.symbol(name)


def _unquoted(token: str) -> str:
    """The name that a token stands for: without quotes, with its primes."""
    return re.sub(_QUOTED, lambda quoted: quoted.group()[1:-1], token) if "'" in token else token


def _negated(node: Expression) -> Expression:
    if node.op == "number" and not isinstance(node.value, complex):
        return Expression.number(-node.value)
    return Expression("neg", (node,))
