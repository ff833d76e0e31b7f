"""Reading model files: YAML, JSON or a Python map into plain data, with the place of every item for messages."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.yaml_events import MAX_DEPTH, YamlProblem, load

PathItem = str | int


@dataclass(frozen=True, eq=False)
class Source:
    """Plain data of a model and where it was written. Treat `data` as read-only."""

    data: dict[str, Any]
    folder: Path  # where files that the model names are looked for; absolute, so that it means the same everywhere
    label: str = ""  # how messages call the file
    name: str = "model"  # default name of the model
    text: str | None = None
    lines: Any = None  # of the items of a file of another format: {item: (line, the same of what it holds)}
    notes: tuple[str, ...] = ()  # what was dropped, renamed or repaired when such a file was read
    allow_files: bool = False  # whether the model may name files outside its folder

    def with_data(self, data: dict[str, Any]) -> Source:
        """Other values in the same file: same places, same name, same folder."""
        return replace(self, data=data)

    def rewritten(self, data: dict[str, Any]) -> Source:
        """Other data than the file has, so that its lines say nothing any more: same name, same folder."""
        return replace(self, data=data, label="", text=None, lines=None)

    def where(self, path: tuple[PathItem, ...]) -> str:
        """`joints.b.axis (rotor.yaml, line 12)`; without a file only the dotted path."""
        dotted = dotted_path(path)
        if not self.label:
            return dotted or "model"
        line = self._line(path)
        place = f"{self.label}, line {line}" if line else self.label
        return f"{dotted} ({place})" if dotted else place

    def _line(self, path: tuple[PathItem, ...]) -> int:
        """Line of the item, or of the nearest item around it; found only when a fault is reported."""
        line, below = 0, self._lines
        for item in path:
            if isinstance(below, dict):
                found = below.get(item)
            else:
                found = below[item] if isinstance(below, list) and isinstance(item, int) and item < len(below) else None
            if found is None:
                break
            line, below = found
        return line

    @cached_property
    def _lines(self) -> Any:
        return _find_lines(self.text) if self.lines is None else self.lines


def dotted_path(path: tuple[PathItem, ...]) -> str:
    """`forces.mount.k[3]` from its parts."""
    text = ""
    for item in path:
        text += f"[{item}]" if isinstance(item, int) else f".{shown(item)}"
    return text.removeprefix(".")


def shown(value: object, limit: int = 60) -> str:
    """A value for a message: printable and not long."""
    try:
        text = value if isinstance(value, str) else repr(value)
    except ValueError:  # a whole number of thousands of digits does not print
        text = "a very large number"
    text = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text[: limit + 1])
    return text if len(text) <= limit else text[: limit - 3] + "..."


def sentence(text: object) -> str:
    """The text with a full stop, unless it ends in a sign already."""
    return str(text) if str(text).endswith((".", "?")) else f"{text}."


def read(source: str | Path | Mapping[str, Any] | Source) -> Source:
    """Model data from a path, `-` (standard input) or a map."""
    if isinstance(source, Source):
        return source
    if isinstance(source, Mapping):
        return Source(_plain_map(source), _current_folder(), allow_files=True)  # written by the program itself
    if isinstance(source, str | Path):
        return _read_file(source)
    raise InputError(Fault("model", f"a path or a map is expected, not {type(source).__name__}"))


def read_text(text: str, label: str = "text", name: str = "model", folder: Path | None = None) -> Source:
    """Model data from YAML or JSON text."""
    text = text.removeprefix("\ufeff")
    if "\x00" in text:
        raise InputError(Fault(label, "this is not a text file.", "A model is YAML or JSON text."))
    is_json = text.lstrip().startswith("{")
    data = _read_json(text, label) if is_json else _read_yaml(text, label)
    if not isinstance(data, dict):
        what = "the file is empty" if data is None else f"the file holds {_kind(data)}, not a map of sections"
        raise InputError(Fault(label, f"{what}.", "Begin with `eigenbody: 1`."))
    return Source(data, folder or _current_folder(), label, name, text)


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # it was deleted: then there is nothing to be found in it either
        return Path()


def _read_file(source: str | Path) -> Source:
    if source == "-":
        return read_text(_decode(sys.stdin.buffer.read(), "standard input"), "standard input")
    if "\n" in str(source) or "\x00" in str(source):
        raise InputError(Fault("model", "a path is expected, not the text of a model.", "Give a path, `-` or a map."))
    path = Path(source)
    label = shown(path.name or str(path))
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise InputError(Fault(shown(str(source), 200), _file_problem(path, problem))) from problem
    return read_text(_decode(content, label), label, path.stem or "model", path.absolute().parent)


def _file_problem(path: Path, problem: OSError) -> str:
    if isinstance(problem, FileNotFoundError):
        near = sorted(other.name for other in path.parent.glob("*.y*ml")) if path.parent.is_dir() else []
        return "there is no such file." + (f" Models in that folder: {', '.join(near[:8])}." if near else "")
    if isinstance(problem, IsADirectoryError):
        return "this is a folder, not a model file."
    return f"the file cannot be read: {problem.strerror or problem}."


def _decode(content: bytes, label: str) -> str:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        what = f"this is not UTF-8 text (byte 0x{content[problem.start]:02x} in line {line})."
        raise InputError(Fault(label, what, "A model is YAML or JSON text.")) from problem


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return "a map"
    return "a list" if isinstance(value, list) else f'only "{shown(value)}"'


def _at(label: str, problem: YamlProblem) -> str:
    return f"{label}, line {problem.line}, column {problem.column}" if problem.line else label


def _read_yaml(text: str, label: str) -> Any:
    try:
        loaded = load(text)
    except YamlProblem as problem:
        raise InputError(Fault(_at(label, problem), f"{problem.what}.")) from problem
    if loaded.problems:
        raise InputError(Fault(_at(label, problem), f"{problem.what}.") for problem in loaded.problems)
    return loaded.data


# ---- JSON

_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _read_json(text: str, label: str) -> Any:
    duplicates: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(items)
        if len(data) != len(items):
            keys = [key for key, _ in items]
            duplicates.extend(key for key in data if keys.count(key) > 1)
        return data

    try:
        data = json.loads(text, object_pairs_hook=pairs, parse_int=_whole)
    except json.JSONDecodeError as problem:
        where = f"{label}, line {problem.lineno}, column {problem.colno}"
        what = f"JSON syntax: {problem.msg}."
        raise InputError(Fault(where, what, 'Text that begins with "{" is read as JSON.')) from problem
    except RecursionError as problem:
        raise InputError(Fault(label, f"nested deeper than {MAX_DEPTH} levels.")) from problem
    except ValueError as problem:
        raise InputError(Fault(label, f"{problem}.")) from problem
    if duplicates:
        raise InputError(_json_duplicates(text, label, duplicates))
    if _too_deep(text):
        data = _plain(data, [])
    return data


def _whole(digits: str) -> int | float:
    """A whole number; one beyond all measure becomes infinite and is refused where it stands, as NaN is."""
    return int(digits) if len(digits) < 400 else float("inf")


def _json_duplicates(text: str, label: str, keys: list[str]) -> list[Fault]:
    try:
        problems = load(text).problems
    except YamlProblem:
        problems = []
    if problems:
        return [Fault(_at(label, problem), f"{problem.what}.") for problem in problems]
    return [Fault(label, f'the key "{shown(key)}" stands twice in one map.') for key in keys]


def _too_deep(text: str) -> bool:
    """Whether the brackets may nest beyond the limit: pairs are taken out from the inside, one level at a time. Those
    inside strings count, too, and what is left of them without a partner."""
    brackets = text.encode("utf-8", "surrogatepass").translate(_ONE_KIND, _NO_BRACKETS)
    for _ in range(MAX_DEPTH):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


def _find_lines(text: str | None) -> Any:
    """Lines of all items; nothing when the text (odd JSON) cannot be read as YAML."""
    try:
        return load(text, with_lines=True).lines or {} if text else {}
    except YamlProblem:
        return {}


# ---- Python maps

_SCALARS = frozenset((float, int, str, bool, type(None), complex))


def _plain_map(source: Mapping[str, Any]) -> dict[str, Any]:
    data = _plain(source, [])
    assert isinstance(data, dict)
    return data


def _plain(value: Any, trail: list[PathItem]) -> Any:
    """A private copy made of dict, list and scalars; arrays and tuples become lists. `trail` is the path to here."""
    if type(value) in _SCALARS:
        return value
    if len(trail) > MAX_DEPTH:
        raise InputError(Fault(dotted_path(tuple(trail[:4])) + "...", f"nested deeper than {MAX_DEPTH} levels."))
    if isinstance(value, list | tuple):
        if all(type(item) in _SCALARS for item in value):
            return list(value)
        return [_plain_item(item, trail, i) for i, item in enumerate(value)]
    if isinstance(value, Mapping):
        return {_plain_key(key, trail): _plain_item(item, trail, key) for key, item in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist(), trail)
    return value.item() if isinstance(value, np.generic) else value


def _plain_item(item: Any, trail: list[PathItem], key: PathItem) -> Any:
    if type(item) in _SCALARS:
        return item
    trail.append(key)
    copy = _plain(item, trail)
    trail.pop()
    return copy


def _plain_key(key: Any, trail: list[PathItem]) -> str:
    if isinstance(key, str):
        return str(key)
    where = dotted_path(tuple(trail)) or "model"
    raise InputError(Fault(where, f"the key {shown(key)} is not a string.", f"Write it in quotes: '{shown(key)}'."))
