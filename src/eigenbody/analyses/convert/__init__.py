"""A model written as a file of a format: a model file, or URDF where it is a tree of links."""

from __future__ import annotations

from pathlib import Path

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange import WRITERS, written_as
from eigenbody.linearization.subject import Subject, subject
from eigenbody.model.model import InertModel
from eigenbody.model.source import shown


def convert(model: Subject, out: str | Path) -> Path:
    """Write a model as the format that the ending of `out` names: .yaml (.yml) or .urdf; the path written."""
    path = Path(out)
    text = converted(model, path.suffix.lower(), path)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise InputError(Fault(shown(str(out), 200), f"it cannot be written: {problem.strerror}.")) from problem
    return path


def converted(model: Subject, kind: str, path: Path | None = None) -> str:
    """The text of a model in a format, by its ending; files that the model names are those seen from `path`."""
    if kind not in WRITERS:
        what = f'"{shown(kind)}" is no format that a model is written in.'
        raise InputError(Fault(shown(str(path or kind)), what, f"Endings: {', '.join(WRITERS)}."))
    found = subject(model)
    mechanism = found if isinstance(found, InertModel) else found.model
    assert mechanism.description is not None  # its faults are raised before anything is written
    return written_as(kind)(mechanism, path)
