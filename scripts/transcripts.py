"""Commands on pages of the documentation and what they print: read, run, write anew.

A transcript is a fenced block without a language: a command after "$ ", then its output, then perhaps another command.
Redundant rows and certificate below tables of modes, and notes on what double precision cannot tell from zero, are left
out: digits of the latter are round-off.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```\n(?=\$ )(.*?)^```$", re.MULTILINE | re.DOTALL)
CERTIFICATE = re.compile(
    r"\n+(?:Redundant constraints:.*\n(?:  .*\n)*)?Certificate:.*(?:\n  .*)*(?:\nModes: .*(?:\n  .*)*)?"
)
NEAR_ZERO = re.compile(r"\nNote: Motions of the zero eigenvalue .*(?:\n  .*)*")
RELATIVE, ROUND_OFF = 2e-5, 1e-9  # the sixth digit may differ from machine to machine; so may what should be zero


class Entry(NamedTuple):
    """A command and what the page says that it prints."""

    command: str
    output: str


def read(text: str) -> list[Entry]:
    """All commands of a page."""
    return [entry for block in BLOCK.finditer(text) for entry in _entries(block[1])]


def renewed(text: str) -> str:
    """The page with what its commands print now."""
    return BLOCK.sub(lambda block: f"```\n{''.join(_shown(e.command) for e in _entries(block[1])).rstrip()}\n```", text)


def run(command: str) -> str:
    """What a command, or a pipe, of eigenbody and python prints where the examples are at hand; all in this process."""
    printed = ""
    with _desk():
        for part in command.split(" | "):
            printed = _here(shlex.split(part), printed)
    return NEAR_ZERO.sub("", CERTIFICATE.sub("", printed)).rstrip()


def agree(shown: str, seen: str) -> bool:
    """Whether two outputs have the same words and the same numbers, but for the last digit and for round-off."""
    pairs = list(zip_longest(shown.split(), seen.split(), fillvalue=""))
    return all(_same(a, b) for a, b in pairs)


def _same(shown: str, seen: str) -> bool:
    if shown == seen or set(shown) == {"-"} == set(seen):  # rules of a table are as wide as its numbers
        return True
    try:
        a, b = (complex(word.strip(",;()").replace("i", "j")) for word in (shown, seen))
    except ValueError:
        return False
    return abs(a - b) <= max(RELATIVE * max(abs(a), abs(b)), ROUND_OFF)


def _entries(block: str) -> list[Entry]:
    pieces = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [Entry(command, output.strip("\n")) for command, _, output in (piece.partition("\n") for piece in pieces)]


def _shown(command: str) -> str:
    lines = (line.rstrip() for line in run(command).splitlines())
    return f"$ {command}\n{chr(10).join(lines)}\n\n"


@contextlib.contextmanager
def _desk() -> Iterator[Path]:
    """A folder of its own, current for a while, with the examples at hand: commands may write files."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(before)


def _here(words: list[str], given: str) -> str:
    printed, stdin = io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(given.encode()), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(printed):
            {"eigenbody": _command, "python": _script}[words[0]](words[1:])
    finally:
        sys.stdin = stdin
    return printed.getvalue()


def _command(words: list[str]) -> None:
    from eigenbody.cli import main

    code = main(words)
    if code:
        raise RuntimeError(f"exit code {code}: eigenbody {shlex.join(words)}")


def _script(words: list[str]) -> None:
    arguments, sys.argv = sys.argv, words
    try:
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise RuntimeError(f"exit code {end.code}: python {shlex.join(words)}") from end
    finally:
        sys.argv = arguments
