"""Files that a model names: in the file of the model their paths count from its own folder."""

from __future__ import annotations

import hashlib
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


def contents_of_files(source: Source, vocabulary: Vocabulary) -> dict[str, str]:
    """SHA-256 of every file that the data names, by the name they give it: what else than the data a model says."""
    names = {given for _, given in _files(source.data, vocabulary)}
    return {given: hashlib.sha256((source.folder / given).read_bytes()).hexdigest() for given in sorted(names)}


def _files(data: dict[str, Any], vocabulary: Vocabulary) -> Iterator[tuple[tuple[str | int, ...], str]]:
    for section, types in vocabulary.sections.items():
        for name, entry in (data.get(section) or {}).items():
            spec = spec_of(entry, types)
            for field in spec.fields if spec is not None else ():
                if field.kind is Kind.FILE and isinstance(entry.get(field.name), str):
                    yield (section, name, field.name), entry[field.name]
    for section in ("bodies", "flexible"):
        for name, entry in (data.get(section) or {}).items():
            if isinstance(entry, dict):
                yield from (((section, name, *path), file) for path, file in _meshes(entry))


def _meshes(entry: dict[str, Any]) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Files of meshes that a body fills or looks like."""
    inertia, shape = entry.get("inertia"), entry.get("shape")
    if isinstance(inertia, dict) and isinstance(inertia.get("mesh"), str):
        yield ("inertia", "mesh"), inertia["mesh"]
    items: list[tuple[tuple[str | int, ...], Any]] = [(("shape",), shape)]
    if isinstance(shape, list):
        items = [(("shape", k), item) for k, item in enumerate(shape)]
    for path, item in items:
        if isinstance(item, dict) and isinstance(item.get("file"), str):
            yield (*path, "file"), item["file"]
