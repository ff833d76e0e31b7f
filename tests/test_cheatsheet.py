"""The cheat sheet: it fits its page, and every command and option on it exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

from eigenbody.cli.app import application
from eigenbody.model.builtin import TOP_LEVEL

PAGE = Path(__file__).parents[1] / "docs" / "cheatsheet.md"


def test_every_command_of_the_sheet_can_be_parsed() -> None:
    """By the parser of the command itself, with all its arguments; and no command is left out."""
    from typer.main import get_command

    group: Any = get_command(application())
    named = set()
    for line in re.findall(r"`eigenbody ([^`]*)`", PAGE.read_text()):
        name, *arguments = shlex.split(line)
        named.add(name)
        command = group.commands[name]
        parser = command.make_parser(command.context_class(command))
        _, rest, _ = parser.parse_args(list(arguments))
        assert not rest, line
    few = {"impulse", "inverse", "along", "fundamental", "results", "reduce"}  # of those who know what they want
    assert set(group.commands) - named == few


def test_sections_of_the_sheet_are_those_of_the_file() -> None:
    row = re.search(r"^\| sections \| (.*) \|$", PAGE.read_text(), re.MULTILINE)
    assert row is not None
    assert set(re.findall(r"`(\w+)`", row[1])) <= set(TOP_LEVEL)


def test_it_is_one_page() -> None:
    assert len(PAGE.read_text().splitlines()) < 90
