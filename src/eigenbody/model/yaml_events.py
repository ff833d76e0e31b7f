"""YAML 1.2 (core schema) to plain data, straight from the parser's events: no recursion, no code, no surprises.

Only `true` and `false` are booleans, `1e4` is a number, `12:30` and dates are strings. Duplicate keys, keys that are
not strings, foreign tags, aliases that refer to themselves or multiply without measure are refused with their line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_DEPTH = 60
MAX_NODES = 5_000_000
MAX_EXPANSION = 50

_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None} | {
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_MAYBE_NUMBER = frozenset("+-.0123456789")
_TAG = "tag:yaml.org,2002:"
_TAGGED: dict[str, tuple[type, ...]] = {"int": (int,), "float": (float, int), "bool": (bool,), "null": (type(None),)}
_MISSING = object()


class YamlProblem(Exception):
    """What is wrong and where: line and column count from 1, 0 when unknown."""

    def __init__(self, what: str, line: int = 0, column: int = 0) -> None:
        super().__init__(what)
        self.what, self.line, self.column = what, line, column


@dataclass(slots=True)
class _Frame:
    """A collection under construction; `lines` mirrors `data`: per item its line and the lines below it."""

    data: Any
    lines: Any
    anchor: str | None
    line: int
    size: int = 1
    key: Any = _MISSING
    key_line: int = 0
    merges: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Loaded:
    """Plain data, the lines of its items, and the faults that did not stop the reading."""

    data: Any
    lines: Any
    problems: list[YamlProblem]


def load(text: str, with_lines: bool = False) -> Loaded:
    """Data of the single document in `text`; raises YamlProblem when it cannot be read at all."""
    try:
        return _Composer(with_lines).compose(yaml.parse(text, Loader=Loader))
    except yaml.MarkedYAMLError as problem:
        raise _syntax_problem(problem) from problem
    except yaml.YAMLError as problem:
        raise YamlProblem(f"not readable as YAML: {' '.join(str(problem).split())}") from problem


def _syntax_problem(problem: yaml.MarkedYAMLError) -> YamlProblem:
    mark = problem.problem_mark or problem.context_mark
    what = ", ".join(part for part in (problem.context, problem.problem) if part)
    if "'\\t'" in what or "cannot start any token" in what:
        what += " (tabs cannot indent, and % @ ` must be quoted)"
    return YamlProblem(f"YAML syntax: {what}", mark.line + 1 if mark else 0, mark.column + 1 if mark else 0)


def scalar(value: str) -> Any:
    """A plain (unquoted) scalar by the YAML 1.2 core schema."""
    if value[:1] in _MAYBE_NUMBER and value:
        if _INT.fullmatch(value):
            return _integer(value)
        if _FLOAT.fullmatch(value):
            return float(value)
        return float(value.replace(".", "")) if _SPECIAL.fullmatch(value) else value
    return _WORDS.get(value, value)


def _integer(value: str) -> int | float:
    if value[:2] in ("0o", "0x"):
        return int(value[2:], 8 if value[1] == "o" else 16)
    return int(value) if len(value) < 300 else float(value)


class _Composer:
    def __init__(self, with_lines: bool) -> None:
        self.with_lines = with_lines
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, Any, int] | None] = {}  # None: still open
        self.problems: list[YamlProblem] = []
        self.distinct = 0
        self.documents = 0
        self.result: tuple[Any, Any] = (None, None)

    def compose(self, events: Iterator[Any]) -> Loaded:
        handlers = {
            yaml.ScalarEvent: self.on_scalar,
            yaml.MappingStartEvent: self.on_start,
            yaml.SequenceStartEvent: self.on_start,
            yaml.MappingEndEvent: self.on_end,
            yaml.SequenceEndEvent: self.on_end,
            yaml.AliasEvent: self.on_alias,
            yaml.DocumentStartEvent: self.on_document,
        }
        for event in events:
            handler = handlers.get(type(event))
            if handler:
                handler(event)
        if not self.documents:
            raise YamlProblem("the file is empty; begin with `eigenbody: 1`")
        return Loaded(*self.result, self.problems)

    def on_document(self, event: Any) -> None:
        self.documents += 1
        if self.documents > 1:
            raise YamlProblem("a model is one YAML document, but `---` begins a second one", *_place(event))

    def on_scalar(self, event: Any) -> None:
        value = event.value
        if event.implicit[0]:
            value = scalar(value)
        elif event.tag and event.tag != "!":
            value = self.tagged(event)
        self.distinct += 1
        if event.anchor:
            self.anchors[event.anchor] = (value, None, 1)
        self.put(value, None, 1, event, event.implicit[0])

    def tagged(self, event: Any) -> Any:
        kind = event.tag.removeprefix(_TAG)
        if kind == "str":
            return event.value
        value = scalar(event.value)
        if not event.tag.startswith(_TAG) or kind not in _TAGGED:
            raise YamlProblem(f'the tag "{event.tag}" is not allowed; only plain data is read', *_place(event))
        if not isinstance(value, _TAGGED[kind]):
            raise YamlProblem(f'"{event.value}" is not a YAML {kind}', *_place(event))
        return value

    def on_start(self, event: Any) -> None:
        is_map = type(event) is yaml.MappingStartEvent
        if event.tag and event.tag not in ("!", _TAG + ("map" if is_map else "seq")):
            raise YamlProblem(f'the tag "{event.tag}" is not allowed; only plain data is read', *_place(event))
        if len(self.stack) >= MAX_DEPTH:
            raise YamlProblem(f"nested deeper than {MAX_DEPTH} levels", *_place(event))
        if self.stack and self.stack[-1].key is _MISSING and type(self.stack[-1].data) is dict:
            raise YamlProblem("a key must be a simple string, not a list or a map", *_place(event))
        if event.anchor:
            self.anchors[event.anchor] = None
        self.distinct += 1
        self.stack.append(_Frame({} if is_map else [], {} if is_map else [], event.anchor, event.start_mark.line + 1))

    def on_end(self, event: Any) -> None:
        frame = self.stack.pop()
        for merged in frame.merges:
            for key, value in merged.items():
                frame.data.setdefault(key, value)
        if frame.anchor:
            self.anchors[frame.anchor] = (frame.data, frame.lines, frame.size)
        self.put(frame.data, frame.lines, frame.size, event, False, frame.line)

    def on_alias(self, event: Any) -> None:
        name = event.anchor
        if name not in self.anchors:
            raise YamlProblem(f'the alias "*{name}" refers to no anchor before it', *_place(event))
        target = self.anchors[name]
        if target is None:
            raise YamlProblem(f'the alias "*{name}" refers to itself', *_place(event))
        self.put(*target, event, False)

    def put(self, value: Any, lines: Any, size: int, event: Any, plain: bool, line: int = 0) -> None:
        """Add a finished value to the collection it stands in."""
        if not self.stack:
            self.result = (value, lines)
            return
        frame = self.stack[-1]
        frame.size += size
        if frame.size > MAX_NODES or frame.size > max(100_000, MAX_EXPANSION * self.distinct):
            raise YamlProblem("the aliases expand to too much data", *_place(event))
        if type(frame.data) is list:
            frame.data.append(value)
            if self.with_lines:
                frame.lines.append((line or event.start_mark.line + 1, lines))
        elif frame.key is _MISSING:
            self.put_key(frame, value, event, plain)
        else:
            self.put_item(frame, value, lines, event)

    def put_key(self, frame: _Frame, key: Any, event: Any, plain: bool) -> None:
        if type(key) is not str:
            if isinstance(key, dict | list):
                raise YamlProblem("a key must be a simple string, not a list or a map", *_place(event))
            written = getattr(event, "value", key)
            what = f"the key {written} is not a string; write it in quotes: '{written}'"
            self.problems.append(YamlProblem(what, *_place(event)))
            key = str(written)
        if key in frame.data:
            self.problems.append(YamlProblem(f'the key "{key}" stands here a second time', *_place(event)))
        frame.key = "<<" if plain and key == "<<" else key
        frame.key_line = event.start_mark.line + 1 if self.with_lines else 0

    def put_item(self, frame: _Frame, value: Any, lines: Any, event: Any) -> None:
        if frame.key == "<<":
            sources = value if isinstance(value, list) else [value]
            if not all(isinstance(source, dict) for source in sources):
                raise YamlProblem('"<<" merges maps, and this is none', *_place(event))
            frame.merges.extend(sources)
        else:
            frame.data[frame.key] = value
            if self.with_lines:
                frame.lines[frame.key] = (frame.key_line, lines)
        frame.key = _MISSING


def _place(event: Any) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (0, 0)
