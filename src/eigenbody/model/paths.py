"""Numbers of a model by path: `k` (a parameter), `bodies.rotor.mass`, `joints.b.at[2]`, `forces.mount.k[0]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.source import Source

Path = tuple[str | int, ...]
_INDEX = re.compile(r"\[(\d+)\]")


def locate(source: Source, text: str) -> tuple[Path, Any]:
    """Path and value of the number that `text` names: a bare name is a parameter, or a top-level key."""
    parameters = source.data.get("parameters") or {}
    if text in parameters and text not in source.data:
        _refuse_no_number(parameters[text], text)
        return ("parameters", text), parameters[text]
    parts = _INDEX.sub(r".\1", text.strip()).split(".")
    if parts[0] in parameters and parts[0] not in source.data:
        parts.insert(0, "parameters")
    item: Any = source.data
    path: list[str | int] = []
    while parts:
        key, used = _child(item, parts)
        if key is None:
            place = ".".join(map(str, path)) or "the model"
            known = list(map(str, item)) if isinstance(item, dict) else []
            what = f'"{text}" names no number of the model: there is no "{parts[0]}" in {place}.'
            if isinstance(item, list):
                raise InputError(Fault(text, what, f"It has {len(item)} entries: [0] to [{len(item) - 1}]."))
            raise InputError(Fault(text, what, suggest(parts[0], [*known, *(() if path else parameters)])))
        path.append(key)
        item, parts = item[key], parts[used:]
    _refuse_no_number(item, text)
    return tuple(path), item


def _child(item: Any, parts: list[str]) -> tuple[str | int | None, int]:
    """The key that the first parts name, and how many they are: names of measures contain dots."""
    if isinstance(item, dict):
        for used in range(len(parts), 0, -1):
            if ".".join(parts[:used]) in item:
                return ".".join(parts[:used]), used
    elif isinstance(item, list) and parts[0].isdigit() and int(parts[0]) < len(item):
        return int(parts[0]), 1
    return None, 0


def _refuse_no_number(item: Any, text: str) -> None:
    if isinstance(item, dict | list | bool) or item is None:
        kind = "a list" if isinstance(item, list) else "a section" if isinstance(item, dict) else f'"{item}"'
        remedy = f"Name one number of it: {text}[0]." if isinstance(item, list) else "Name one number of it."
        raise InputError(Fault(text, f'"{text}" is {kind}, not a number.', remedy))


def replaced(data: Any, path: Path, value: Any) -> Any:
    """A copy of the document with one value changed; branches off the path are shared."""
    if not path:
        return value
    key = path[0]
    copy = data.copy()
    copy[key] = replaced(data[key], path[1:], value)
    return copy


def numeric_paths(data: Any, path: str = "") -> Iterator[str]:
    """Paths of all plain numbers of a document."""
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, item in items:
        here = f"{path}[{key}]" if isinstance(data, list) else f"{path}.{key}" if path else str(key)
        if isinstance(item, int | float) and not isinstance(item, bool):
            yield here
        else:
            yield from numeric_paths(item, here)
