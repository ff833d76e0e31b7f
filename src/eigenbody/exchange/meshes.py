"""Meshes that files of robots name: where they are, and shapes made of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote

import numpy as np

from eigenbody.exchange.base import Findings, Options
from eigenbody.model.meshes import ENDINGS
from eigenbody.model.source import shown

PACKAGE = ("package://", "model://")
MANY = 6  # names in a note


@dataclass(eq=False)
class Meshes:
    """Finds meshes from the folder of the file that names them, outside of it only where `allow_files` asks for that.
    What is not found is noted once, at the end: a robot is computed without its looks."""

    folder: Path
    options: Options
    outside: dict[str, None] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)
    unread: dict[str, None] = field(default_factory=dict)

    def shape(self, name: str, scale: np.ndarray, color: str) -> dict[str, object] | None:
        """The shape of a mesh, or None: the file as seen from the folder, the scale where it is not 1. A colour is for
        formats that have none of their own."""
        name = name.strip()
        if Path(name).suffix.lower() not in ENDINGS:
            self.unread[name] = None
            return None
        if not np.all(scale):
            return None
        found = self._found(name)
        if found is None:
            return None
        shape: dict[str, object] = {"type": "mesh", "file": found}
        if np.any(scale != 1.0):
            is_even = scale[0] == scale[1] == scale[2] and scale[0] > 0
            shape["scale"] = float(scale[0]) if is_even else scale.tolist()
        if color and Path(name).suffix.lower() == ".stl":
            shape["color"] = color
        return shape

    def _found(self, name: str) -> str | None:
        """The file as seen from the folder."""
        candidates = list(self._candidates(name))
        allowed = [path for path in candidates if self._is_allowed(path)]
        for path in allowed:
            if os.path.isfile(path):  # also false where a path is too long or not allowed
                return Path(os.path.relpath(path, self.folder)).as_posix()
        (self.missing if len(allowed) == len(candidates) else self.outside)[name] = None
        return None

    def _candidates(self, name: str) -> Iterator[Path]:
        """Where the file may be: of a package beside the file, around it, or beside what is around it."""
        scheme = next((text for text in PACKAGE if name.startswith(text)), "")
        if not scheme:
            yield self.folder / (unquote(name.removeprefix("file://")) if name.startswith("file://") else name)
            return
        package, _, rest = unquote(name.removeprefix(scheme)).partition("/")
        for folder in (self.folder, *self.folder.parents):
            if folder.name == package:
                yield folder / rest
            yield folder / package / rest

    def _is_allowed(self, path: Path) -> bool:
        if "\0" in str(path):
            return False
        return self.options.allow_files or path.resolve().is_relative_to(self.folder.resolve())

    def note(self, found: Findings) -> None:
        """Notes on what is not drawn."""
        for names, why in (
            (self.missing, "not found"),
            (self.outside, "not found in the folder of the file (--allow-files looks outside it, too)"),
            (self.unread, f"of another kind than {', '.join(ENDINGS)}"),
        ):
            if names:
                few = ", ".join(shown(name, 80) for name in list(names)[:MANY])
                more = f" and {len(names) - MANY} more" if len(names) > MANY else ""
                found.note(f"Meshes that are not drawn, {why}: {few}{more}.")


def hex_color(text: str) -> str:
    """`0.2 0.5 1 1` as #3380ff; "" where it is no colour, which is a matter of looks alone."""
    try:
        rgb = [float(part) for part in text.split()][:3]
    except ValueError:
        return ""
    if len(rgb) < 3 or not all(0 <= part <= 1 for part in rgb):
        return ""
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)
