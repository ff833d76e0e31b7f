"""A model as the text of a file: an item on each line, as people write them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

PLAIN = re.compile(r"[A-Za-z_]\w*")
SPOKEN = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")  # words that YAML reads as something else


def as_yaml(document: Mapping[str, Any], head: str = "") -> str:
    """The document as YAML, with lines of comment below the name."""
    comment = "".join(f"# {line}\n" for line in head.splitlines())
    parts = []
    for section, value in document.items():
        if isinstance(value, Mapping) and all(isinstance(item, Mapping) for item in value.values()) and value:
            parts.append(f"{section}:\n" + "".join(f"  {_flow(name)}: {_flow(item)}\n" for name, item in value.items()))
        else:
            parts.append(f"{section}: {_flow(value)}\n{comment if section == 'name' else ''}")
    return "".join(parts)


def _flow(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_flow(item) for item in value) + "]"
    if isinstance(value, str) and PLAIN.fullmatch(value) and value.lower() not in SPOKEN:
        return value
    return json.dumps(value, ensure_ascii=False)
