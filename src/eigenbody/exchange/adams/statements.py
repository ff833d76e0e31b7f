"""The statements of an Adams dataset: `NAME/id, KEY=values, FLAG`, lines that begin with a comma going on, `!` before
comments. The name that Adams View wrote into the comment before a statement belongs to it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from eigenbody.exchange.base import Findings
from eigenbody.model.source import shown

MOST = 500_000  # statements
FUNCTIONS = ("FUNCTION", "FX", "FY", "FZ", "TX", "TY", "TZ")
_HEAD = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:/\s*(\d+)?)?\s*,?")
_STATEMENT = re.compile(r"\s*(?:UNITS|PART|MARKER|JOINT|ACCGRAV)\s*/", re.IGNORECASE)
_NAME = re.compile(r"adams_view_name\s*=\s*'([^']*)'", re.IGNORECASE)
_FUNCTION = re.compile(rf"(?:^|,|\\)\s*({'|'.join(FUNCTIONS)})\s*=", re.IGNORECASE)
_PAIR = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*(.*)", re.DOTALL)
_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+|[dD][+-]?\d+)?)([dD]?)")


@dataclass(slots=True, eq=False)
class Statement:
    """A statement: its type, number, line, name in Adams View, values by key, flags, and functions by key."""

    type: str
    id: int
    line: int
    view_name: str = ""
    values: dict[str, list[str]] = field(default_factory=dict)
    flags: set[str] = field(default_factory=set)
    functions: dict[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"{self.type}/{self.id}" + (f' "{shown(self.view_name)}"' if self.view_name else "")


def statements_of(text: str, found: Findings) -> list[Statement]:
    """All statements up to END. The first line of a dataset is its title."""
    result: list[Statement] = []
    title = text.partition("\n")[0]
    if _STATEMENT.match(title):
        found.fault(
            f'"{shown(title.strip(), 30)}"', 1, "the first line of a dataset is its title.", "Add a title above."
        )
    for body, line, name in _joined(text.splitlines()[1:]):
        head = _HEAD.match(body)
        if head is None:
            found.fault(f'"{shown(body.strip(), 30)}"', line, "this is no statement.", "Write NAME/id, KEY=value.")
            continue
        if head[1].upper() == "END":
            break
        statement = Statement(head[1].upper(), int(head[2] or 0), line, name)
        _arguments(statement, body[head.end() :])
        result.append(statement)
        if len(result) > MOST:
            found.fault(statement.title, line, f"the file has more than {MOST} statements.")
            break
    return result


def _joined(lines: Iterable[str]) -> Iterable[tuple[str, int, str]]:
    """Text, first line and name in Adams View of each statement; "\\n," stands where a line goes on."""
    text, start, name, coming = "", 0, "", ""
    for number, raw in enumerate(lines, 2):
        code, mark, comment = raw.partition("!")
        if mark and (view := _NAME.search(comment)):
            coming = view[1]
        code = code.strip()
        if not code:
            continue
        goes_on = text.endswith("&")
        if text and (code.startswith(",") or goes_on):
            text = text.removesuffix("&") + ("\n" if code.startswith(",") else "\n,") + code
            continue
        if text:
            yield text, start, name
        text, start, name, coming = code, number, coming, ""
    if text:
        yield text.removesuffix("&"), start, name


def _arguments(statement: Statement, text: str) -> None:
    """Functions reach to the next backslash, function or end; between commas stand keys, their values and flags."""
    functions = list(_FUNCTION.finditer(text))
    plain = text[: functions[0].start()] if functions else text
    ends = [match.start() for match in functions[1:]] + [len(text)]
    for match, end in zip(functions, ends, strict=False):
        value, _, rest = text[match.end() : end].partition("\\")
        statement.functions[match[1].upper()] = value.replace("\n,", " ").strip().rstrip(",").strip()
        plain += "," + rest
    key = ""
    for part in plain.replace("\n,", ",").replace("\\", ",").split(","):
        pair = _PAIR.match(part)
        if pair:
            key = pair[1].upper()
            statement.values[key] = [piece.strip() for piece in pair[2].split(":")]
        elif _NUMBER.fullmatch(part.strip()):
            statement.values.setdefault(key, []).append(part.strip())
        elif part.strip():
            statement.flags.add(part.strip().upper())


def number(text: str) -> float | None:
    """A number as Adams writes it: `1.5D+3` is 1500, `90D` are degrees; None where it is none."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    value = float(re.sub("[dD]", "e", match[1])) * (math.pi / 180 if match[2] else 1.0)
    return value if math.isfinite(value) and abs(value) < 1e100 else None
