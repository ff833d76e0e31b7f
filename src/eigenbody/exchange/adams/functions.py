"""Function expressions of Adams as expressions of a model file.

Numbers and results keep the units of the dataset; what is read of the mechanism is asked from `reading(name, numbers)`,
which gives text in those units. What has no counterpart raises `Untranslatable` with its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eigenbody.exchange.adams.statements import number

Reading = Callable[[str, Sequence[int]], str]

_TOKEN = re.compile(
    r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+|[dD][+-]\d+)?[dD]?)(?![\w.])|([A-Za-z_]\w*)|(\*\*|[-+*/^(),:]))"
)
SAME = {"SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "ATAN2", "SQRT", "EXP", "LOG", "ABS", "MIN", "MAX", "TANH", "STEP"}
READINGS = {"DX", "DY", "DZ", "DM", "VX", "VY", "VZ", "VR", "WX", "WY", "WZ", "AX", "AY", "AZ", "VARVAL", "DIF"}
DEEPEST = 100


class Untranslatable(Exception):
    """An expression, or a part of it, that a model file cannot say."""


def translated(text: str, reading: Reading) -> str:
    """The expression without its leading `=`."""
    return _Parser(_tokens(text), reading).whole()


def _tokens(text: str) -> list[str]:
    tokens, at = [], 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Untranslatable(f'"{text[at : at + 20].strip()}"')
        tokens.append(match[0].strip())
        at = match.end()
    return tokens


@dataclass(slots=True)
class _Parser:
    tokens: list[str]
    reading: Reading
    at: int = 0
    depth: int = 0

    def whole(self) -> str:
        found = self.sum()
        if self.at < len(self.tokens):
            raise Untranslatable(f'"{self.tokens[self.at]}"')
        return found

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, expected: str = "") -> str:
        token = self.next
        if not token or (expected and token != expected):
            raise Untranslatable(f'"{token}" where "{expected or "a value"}" is expected')
        self.at += 1
        return token

    # ---- grammar
    def sum(self) -> str:
        self.depth += 1
        if self.depth > DEEPEST:
            raise Untranslatable("an expression nested too deep")
        text = self.product()
        while self.next in ("+", "-"):
            text = f"{text} {self.take()} {self.product()}"
        self.depth -= 1
        return text

    def product(self) -> str:
        text = self.signed()
        while self.next in ("*", "/"):
            text = f"{text}{self.take()}{self.signed()}"
        return text

    def signed(self) -> str:
        if self.next == "-":
            self.take()
            return f"-{self.signed()}"
        if self.next == "+":
            self.take()
            return self.signed()
        return self.power()

    def power(self) -> str:
        base = self.atom()
        if self.next in ("**", "^"):
            self.take()
            return f"{base}**{self.signed()}"
        return base

    def atom(self) -> str:
        if self.next == "(":
            self.take()
            inside = self.sum()
            self.take(")")
            return f"({inside})"
        token = self.take()
        value = number(token)
        if value is not None:
            return repr(value) if value != int(value) or abs(value) >= 1e15 else str(int(value))
        name = token.upper()
        if self.next == "(":
            return self.call(name)
        if name == "TIME":
            return self.reading("TIME", ())
        if name == "PI":
            return "pi"
        raise Untranslatable(token)

    def call(self, name: str) -> str:
        self.take("(")
        if name in READINGS:
            return self.reading(name, self.ids())
        arguments = [] if self.next == ")" else [self.sum()]
        while self.next in (",", ":"):
            if self.take() == ":":  # IF(a: b, c, d) jumps
                raise Untranslatable(name)
            arguments.append(self.sum())
        self.take(")")
        if name in SAME and (name != "STEP" or len(arguments) == 5):
            return f"{name.lower()}({', '.join(arguments)})"
        return self.written_out(name, [f"({argument})" for argument in arguments])

    def ids(self) -> list[int]:
        """Numbers of markers or of other statements."""
        found = []
        while self.next != ")":
            token = self.take()
            if token != ",":
                if not token.isdecimal():
                    raise Untranslatable(token)
                found.append(int(token))
        self.take(")")
        return found

    @staticmethod
    def written_out(name: str, a: list[str]) -> str:
        """Functions that are expressions of others."""
        if name == "LOG10" and len(a) == 1:
            return f"(log({a[0]})/log(10))"
        if name in ("SINH", "COSH") and len(a) == 1:
            return f"((exp{a[0]} {'-' if name == 'SINH' else '+'} exp(-{a[0]}))/2)"
        if name == "SHF" and len(a) in (5, 6):  # a sin(w (x - x0) - phi) + b
            return f"({a[2]}*sin({a[3]}*({a[0]} - {a[1]}) - {a[4]}) + {a[5] if len(a) == 6 else 0})"
        if name == "POLY" and len(a) >= 3:
            powers = "".join(f" + {c}*({a[0]} - {a[1]})**{k}" for k, c in enumerate(a[3:], 1))
            return f"({a[2]}{powers})"
        if name == "STEP5" and len(a) == 5:
            x, x0, h0, x1, h1 = a
            u = f"min(max(({x} - {x0})/({x1} - {x0}), 0), 1)"
            return f"({h0} + ({h1} - {h0})*({u})**3*(10 - 15*({u}) + 6*({u})**2))"
        if name == "HAVSIN" and len(a) == 5:
            x, x0, h0, x1, h1 = a
            u = f"min(max(({x} - {x0})/({x1} - {x0}), 0), 1)"
            return f"(({h0} + {h1})/2 + ({h1} - {h0})/2*sin(pi*({u}) - pi/2))"
        raise Untranslatable(name)
