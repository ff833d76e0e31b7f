"""One root error. Every message names the item, says what is wrong and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass

# What a terminal would obey instead of showing: control characters but tab and newline, and turns of the direction.
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with everything that a terminal would obey written out: `\\x1b[31m`. Names come from other people."""
    return _COMMANDS.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with the input: where it stands, what is wrong, what to do about it."""

    where: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f" {self.remedy}" if self.remedy else ""
        return printable(f"{self.where}: {self.what}{remedy}")


class EigenbodyError(Exception):
    """Root of every error that eigenbody raises on purpose."""

    exit_code = 1


class InputError(EigenbodyError):
    """The input is wrong. Carries every fault found, not only the first."""

    exit_code = 2

    def __init__(self, faults: Fault | Iterable[Fault]) -> None:
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))

    def __reduce__(self) -> tuple[type, tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)


class ComputationError(EigenbodyError):
    """The input was understood but the computation did not succeed; says how far it came and what to try."""

    exit_code = 3


def in_one_line(error: Exception) -> str:
    """What went wrong, as one line."""
    text = " ".join(str(fault) for fault in error.faults) if isinstance(error, InputError) else str(error)
    return " ".join(text.split())


def suggest(name: str, known: Iterable[str]) -> str:
    """`Did you mean "x"?` for the nearest known name, or the list of known names when none is near."""
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.55)
    if near:
        return f'Did you mean "{_in_line(near[0])}"?'
    if not known:
        return "There are none to choose from."
    listed = ", ".join(map(_in_line, known[:12])) + (", ..." if len(known) > 12 else "")
    return f"Known: {listed}."


def _in_line(name: str) -> str:
    return printable(name).replace("\n", "\\n")
