"""Collecting every fault of a model before raising one error."""

from __future__ import annotations

import pathlib
from collections.abc import Iterable
from itertools import islice

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.source import PathItem, Source, shown

Path = tuple[PathItem, ...]

MANY = 2000  # names; beyond that only those that look alike are compared
MAX_SUGGESTIONS = 200


class Faults:
    """The faults found so far, each with its place in the source."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Fault] = []
        self._suggestions = 0

    def add(self, path: Path, what: str, remedy: str = "") -> None:
        """Remember one fault."""
        self.found.append(Fault(self.source.where(path), what, remedy))

    def unknown(self, path: Path, kind: str, name: object, known: Iterable[str]) -> None:
        """Remember that `name` is no known `kind`, with the nearest known one."""
        self.add(path, f'unknown {kind} "{shown(name)}".', self.nearest(str(name), known))

    def nearest(self, name: str, known: Iterable[str]) -> str:
        """Suggestion out of possibly very many names."""
        self._suggestions += 1
        if self._suggestions > MAX_SUGGESTIONS:
            return ""
        names = list(known)
        if len(names) > MANY:
            alike = (other for other in names if abs(len(other) - len(name)) <= 1 and other[:1] == name[:1])
            names = list(islice(alike, MANY)) or names[:MANY]
        return suggest(name, names)

    def named_file(self, name: str, path: Path) -> pathlib.Path | None:
        """A file that the model names: in its folder or below, links followed, unless others are allowed. Of a file
        elsewhere nothing is said, not even whether it is there."""
        file = self.source.folder / name
        if "\0" not in name and (
            self.source.allow_files or file.resolve().is_relative_to(self.source.folder.resolve())
        ):
            return file
        remedy = "Put the file there, or allow others: --allow-files, eb.load(..., allow_files=True)."
        self.add(path, f'"{shown(name)}" is not in the folder of the model.', remedy)
        return None

    def raise_if_any(self) -> None:
        """Raise one InputError with all faults, if there are any."""
        if self.found:
            raise InputError(self.found)


def placed(source: Source, where: str) -> str:
    """Places of a fault that was found while computing (`joints.b`, `joints.b: position`, the bare name of a coupling
    or driver), with file and line where known."""
    return where if "(" in where else ", ".join(_place(source, part) for part in where.split(", "))


def _place(source: Source, where: str) -> str:
    dotted, _, key = where.partition(": ")
    path = [*dotted.split("."), *([key] if key else [])]
    for section in ("joints", "couplings", "drivers"):
        named = path[1:] if path[0] == "joints" else path  # a prescribed motion may be that of a joint or of a driver
        if named and named[0] in (source.data.get(section) or {}):
            return source.where((section, *named))
    return source.where(tuple(path)) if path[0] in source.data else where
