"""Numbers of a model changed in its text: everything else stays as its author wrote it, comments included."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import yaml

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.paths import Path, locate, replaced
from eigenbody.model.source import read_text
from eigenbody.model.units import split_quantity


def with_numbers(text: str, values: Mapping[str, float]) -> str:
    """The text with other numbers at some names or paths, each in the unit that is written there."""
    for name, value in values.items():
        text = _with_number(text, name, value)
    return text


def number_text(value: float) -> str:
    """The shortest text that reads back as the number; whole ones without a point."""
    if not math.isfinite(value):
        raise InputError(Fault("number", f"{value} cannot be written into a model."))
    value = float(value)
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _with_number(text: str, name: str, value: float) -> str:
    source = read_text(text)
    path, given = locate(source, name)
    if isinstance(given, str) and given.strip().startswith("="):
        raise InputError(Fault(name, f'it is written as an expression, "{given}".', "Change what it is made of."))
    unit = split_quantity(given)[1] if isinstance(given, str) else ""
    written = f"{number_text(value)} {unit}" if unit else number_text(value)
    node = _node(text, path)
    begin, end = node.start_mark.index, node.end_mark.index
    quote = text[begin] if text[begin] in "\"'" else '"' if unit else ""
    changed = text[:begin] + quote + written + quote + text[end:]
    expected = replaced(source.data, path, written if unit else read_text(f"x: {written}").data["x"])
    if read_text(changed).data != expected:
        what = "it is shared with other places (an anchor) and cannot be changed alone."
        raise InputError(Fault(name, what, "Write the number where it is used."))
    return changed


def _node(text: str, path: Path) -> Any:
    node: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for key in path:
        if isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            node = node.value[key]
        else:
            node = next((value for own, value in node.value if own.value == key), None)
        if node is None:
            raise InputError(Fault(".".join(map(str, path)), "it stands in a merged map and cannot be changed here."))
    return node
