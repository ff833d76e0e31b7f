"""A model as a model file that a person would have written: one entry a line where it fits, short numbers, comments
with where it comes from."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import usable_name
from eigenbody.model.model import InertModel
from eigenbody.model.source import shown

WIDTH = 120
PARAMETERS = {"k": "stiffness", "c": "damping", "armature": "armature"}  # keys whose repeated values get a name
REPEATED = ("joints", "forces")
PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-/ ][A-Za-z0-9_]+)*")
WORDS = {"true", "false", "null", "yes", "no", "on", "off", "y", "n", "none", "nan", "inf"}


def write_yaml(model: InertModel, path: Path | None = None) -> str:
    """The text of the model file, to be written to `path`; the file that it comes from is named in its first line."""
    data = model.document if path is None else model.document_in(path.absolute().parent)
    if model.source.lines is not None:  # of another format, which has no parameters
        data = with_parameters(data)
    lines = [*_comments(model.source.label, model.notes)]
    for key, value in data.items():
        if isinstance(value, dict) and value and all(isinstance(entry, dict) for entry in value.values()):
            lines += ["", f"{key}:", *(line for name, entry in value.items() for line in _item(name, entry, 1))]
        else:
            lines += _item(key, value, 0)
    return "\n".join(lines) + "\n"


def with_parameters(data: dict[str, Any]) -> dict[str, Any]:
    """The document with a parameter for every stiffness, damping and armature that stands in several entries."""
    repeated: Counter[tuple[str, float]] = Counter()
    for section in REPEATED:
        for entry in data.get(section, {}).values():
            repeated.update((key, entry[key]) for key in PARAMETERS if _is_number(entry.get(key)))
    taken = {name for entries in data.values() if isinstance(entries, dict) for name in entries}
    names: dict[tuple[str, float], str] = {}
    for (key, value), count in repeated.items():
        if count > 1 and value:
            names[key, value] = usable_name(PARAMETERS[key], {*taken, *names.values()})
    if not names:
        return data
    parameters = {**data.get("parameters", {}), **{name: value for (_, value), name in names.items()}}
    changed = {section: {name: _by_parameters(entry, names) for name, entry in data[section].items()}
               for section in REPEATED if section in data}  # fmt: skip
    head = {key: data[key] for key in ("eigenbody", "name") if key in data}
    return head | {"parameters": parameters} | {**data, **changed, "parameters": parameters}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _by_parameters(entry: dict[str, Any], names: Mapping[tuple[str, float], str]) -> dict[str, Any]:
    return {key: f"={names[key, value]}" if _is_number(value) and (key, value) in names else value
            for key, value in entry.items()}  # fmt: skip


def _comments(origin: str, notes: Sequence[str]) -> list[str]:
    texts = [f"Converted from {origin}."] if origin else []
    if notes:
        texts += ["", *notes] if texts else list(notes)
    return [f"# {line}".rstrip() for text in texts for line in wrap(text, WIDTH - 2) or [""]]


def _item(key: str, value: Any, level: int) -> list[str]:
    """`key: value` on one line, or its items on lines of their own."""
    pad = "  " * level
    short = f"{pad}{_scalar(key)}: {_flow(value)}"
    if len(short) <= WIDTH or not isinstance(value, dict | list) or not value:
        return [short]
    if isinstance(value, dict):
        return [f"{pad}{_scalar(key)}:", *(line for k, v in value.items() for line in _item(str(k), v, level + 1))]
    if all(isinstance(item, dict | list) for item in value):
        return [f"{pad}{_scalar(key)}:", *(f"{pad}  - {_flow(item)}" for item in value)]
    return [short]


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(k)}: {_flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str) and (not PLAIN.fullmatch(value) or value.lower() in WORDS):
        return json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str | int):
        what = f"{shown(value)} ({type(value).__name__}) cannot stand in a model file."
        raise InputError(Fault("convert", what, "Write it as an expression or a table."))
    return str(value)


def _number(value: float) -> str:
    """The shortest text that reads as the same number."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    text = repr(value)
    mantissa, e, exponent = text.partition("e")
    return f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent)}" if e else text
