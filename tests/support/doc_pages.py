"""Fenced blocks of the documentation, and a reader who does what a page says, block by block."""

from __future__ import annotations

import contextlib
import io
import math
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\w*)(?P<rest>[^\n]*)\n(?P<text>.*?)^(?P=fence)$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """One fenced block; `output` is what the page shows right below it as ```text."""

    language: str
    title: str
    text: str
    line: int
    output: str | None = None

    @property
    def is_usage(self) -> bool:
        """Whether it says how to call commands, without a model."""
        return self.language == "" and bool(
            re.search(r"^eigenbody \w+ +\[?(MODEL|KIND|FOLDER|DATA|--\w+ NUMBER\])", self.text, re.MULTILINE)
        )

    @property
    def is_session(self) -> bool:
        """Whether it is a command behind `$ ` with its output below."""
        return self.language in ("", "console") and self.text.startswith("$ ")

    @property
    def is_shell(self) -> bool:
        """Whether it is to be typed into a shell."""
        return self.language == "sh" or (
            self.language == "" and self.text.startswith("eigenbody ") and not self.is_usage
        )


def blocks(page: Path, language: str | None = None) -> list[Block]:
    """The blocks of a page in order."""
    text = page.read_text(encoding="utf-8")
    matches = list(BLOCK.finditer(text))
    found = []
    for index, match in enumerate(matches):
        after = matches[index + 1] if index + 1 < len(matches) else None
        shows = after is not None and after["language"] == "text" and not text[match.end() : after.start()].strip()
        title = re.search(r'title="([^"]*)"', match["rest"])
        line = text[: match.start()].count("\n") + 1
        output = after["text"] if after is not None and shows else None
        found.append(Block(match["language"], title[1] if title else "", match["text"], line, output))
    return [block for block in found if language is None or block.language == language]


def matches(shown: str, seen: str) -> bool:
    """Whether what a page shows is what came out; a line `...` stands for any lines, or none."""
    lines, at = seen.rstrip().splitlines(), 0
    pieces = [piece.splitlines() for piece in re.split(r"^\.\.\.$\n?", shown.rstrip() + "\n", flags=re.MULTILINE)]
    for number, piece in enumerate(pieces):
        last = number == len(pieces) - 1
        starts = [0] if number == 0 else range(at, len(lines) - len(piece) + 1)
        if last and number > 0 and piece:
            starts = [len(lines) - len(piece)]
        at = next((i + len(piece) for i in starts if i >= at and _same_lines(piece, lines[i : i + len(piece)])), -1)
        if at < 0:
            return False
    return at == len(lines) or not pieces[-1]


def _same_lines(shown: list[str], seen: list[str]) -> bool:
    """The same words and numbers; the sixth digit, and the sign of a zero, may differ from machine to machine."""
    words = [re.sub(r"([\[\]()])", r" \1 ", " ".join(lines)).split() for lines in (shown, seen)]
    return len(shown) == len(seen) and len(words[0]) == len(words[1]) and all(map(_same_word, *words))


def _same_word(shown: str, seen: str) -> bool:
    if shown == seen:
        return True
    a, b = (word.strip("[](),:;") for word in (shown, seen))
    try:
        return math.isclose(float(a), float(b), rel_tol=2e-5)
    except ValueError:
        return False


def alike(shown: str, seen: str) -> bool:
    """Whether two outputs are the same but for their numbers and spaces; times differ from run to run."""
    words = [re.sub(r"[-+]?\d[\d.]*(e[-+]?\d+)?|-{2,}", "#", text).split() for text in (shown, seen)]
    return words[0] == words[1][: len(words[0])]


def shell(script: str, folder: Path, path: Path | None = None, **more: str) -> str:
    """Messages (but for those about files written), then standard output; a command that fails ends it."""
    first = path or Path(sys.executable).parent
    environment = (
        os.environ | {"PATH": f"{first}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "100", "BROWSER": "true"} | more
    )
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        text=True,
        capture_output=True,
        timeout=600,
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{script}\n{done.stdout}\n{done.stderr}"
    return re.sub(r"^eigenbody: wrote .*\n", "", done.stderr, flags=re.MULTILINE) + done.stdout


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """The folder as the current one."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def follow(page: Path, folder: Path, path: Path | None = None, skip: str = "once") -> int:
    """Do what a page says: save titled files, run commands and Python, compare what is shown. Counts what was run."""
    names: dict[str, object] = {"__name__": "__main__"}
    count = 0
    for block in blocks(page):
        if block.title == skip or block.language not in ("sh", "python", "yaml"):
            continue
        if block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")
            continue
        if block.language == "yaml":
            continue
        count += 1
        seen = (
            shell(block.text, folder, path) if block.language == "sh" else python(block.text, folder, names, page.name)
        )
        where = f"{page.name}, line {block.line}"
        assert block.output is None or matches(block.output, seen), (
            f"{where} shows\n{block.output}\nbut this came:\n{seen}"
        )
    return count


def python(text: str, folder: Path, names: dict[str, object], name: str) -> str:
    """What a block prints; names live on from block to block."""
    printed = io.StringIO()
    with inside(folder), contextlib.redirect_stdout(printed):
        exec(compile(text, name, "exec"), names)
    return printed.getvalue()


def with_examples(folder: Path) -> Path:
    """A folder in which the examples are at hand and pictures of the documentation can be written."""
    (folder / "examples").symlink_to(ROOT / "examples", target_is_directory=True)
    (folder / "docs" / "images").mkdir(parents=True)
    return folder
