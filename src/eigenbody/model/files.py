"""Files that a model names: in the file of the model their paths count from its own folder."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eigenbody.model.entries import spec_of
from eigenbody.model.paths import replaced
from eigenbody.model.source import Source
from eigenbody.model.vocabulary import Kind, Vocabulary


def with_files_from(folder: Path, source: Source, vocabulary: Vocabulary) -> dict[str, Any]:
    """The data as it must be written in `folder` to name the same files."""
    data = source.data
    for path, given in _files(data, vocabulary):
        moved = Path(os.path.relpath(source.folder / given, folder))
        data = data if Path(given).is_absolute() else replaced(data, path, moved.as_posix())
    return data


def _files(data: dict[str, Any], vocabulary: Vocabulary) -> Iterator[tuple[tuple[str, ...], str]]:
    for section, types in vocabulary.sections.items():
        for name, entry in (data.get(section) or {}).items():
            spec = spec_of(entry, types)
            for field in spec.fields if spec is not None else ():
                if field.kind is Kind.FILE and isinstance(entry.get(field.name), str):
                    yield (section, name, field.name), entry[field.name]
