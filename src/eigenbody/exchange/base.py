"""What all readers share: how they are asked, faults with their place in the file, names that a model can have."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.names import GROUND, RESERVED
from eigenbody.model.source import shown

BASES = ("fixed", "free")
LARGEST = 64 * 2**20  # bytes of a file: the largest robots have some 100 kB


@dataclass(frozen=True, slots=True)
class Options:
    """How a file is to be read."""

    base: str | None = None  # "fixed", "free" or as the format has it: a URDF is fixed, an SDF as the file says
    strict: bool = False
    allow_files: bool = False  # name files outside the folder of the file


@dataclass(eq=False)
class Findings:
    """Faults and notes while a file is read: all of them are found before the first is raised."""

    label: str
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def fault(self, item: str, line: int, what: str, remedy: str = "") -> None:
        self.faults.append(Fault(f"{shown(item)} ({self.label}, line {line})", what, remedy))

    def note(self, text: str) -> None:
        self.notes.append(text)

    def raise_if_any(self) -> None:
        if self.faults:
            raise InputError(self.faults)


def content_of(path: Path, label: str) -> bytes:
    """The bytes of a file that is not too large."""
    try:
        if path.stat().st_size > LARGEST:
            what = f"a file of {path.stat().st_size >> 20} MB is not read; the most are {LARGEST >> 20} MB."
            raise InputError(Fault(label, what))
        return path.read_bytes()
    except FileNotFoundError as problem:
        raise InputError(Fault(shown(str(path), 200), "there is no such file.")) from problem
    except OSError as problem:
        raise InputError(Fault(shown(str(path), 200), f"the file cannot be read: {problem.strerror}.")) from problem


def usable_name(name: str, taken: Collection[str], reserved: Collection[str] = (GROUND, *RESERVED)) -> str:
    """The name as a model can have it: characters that cannot stay are replaced, one that is taken is numbered."""
    kept = "".join(c if c.isprintable() and c not in ".'\"=" else "_" for c in name.strip()) or "unnamed"
    kept = f"{kept}_link" if kept == GROUND else f"{kept}_" if kept in reserved else kept
    number, found = 2, kept
    while found in taken:
        found, number = f"{kept}_{number}", number + 1
    return found
