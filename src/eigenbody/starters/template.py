"""Commented model files to change by hand: one file in `templates/` and one line of `KINDS` each."""

from __future__ import annotations

import json
from functools import partial
from importlib.resources import files

from eigenbody.starters.base import Starter


def _text(kind: str, name: str | None) -> str:
    """The file of the kind; a name replaces its own."""
    text = (files("eigenbody.starters") / "templates" / f"{kind}.yaml").read_text(encoding="utf-8")
    if not name:
        return text
    head, _, rest = text.partition("\nname: ")
    return f"{head}\nname: {json.dumps(name, ensure_ascii=False)}\n{rest.partition(chr(10))[2]}"


def template(kind: str, about: str) -> Starter:
    """A kind of model that is a file of `templates/`."""
    return Starter(about, "", partial(_text, kind))
