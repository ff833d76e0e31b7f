"""The page of the sources is true: its commands answer, its calls run, its tests exist where it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import eigenbody as eb
from eigenbody.cli.main import DONE
from eigenbody.cli.main import main as command_line

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ")]
COMMANDS = sorted({c for c in re.findall(r"`(eigenbody [^`]+)`", PAGE) if not c.endswith("...")})
CALLS = sorted({(call, row) for row in ROWS for call in re.findall(r"`(eb\.\w+\([^`]*)`", row)})


@pytest.fixture(autouse=True)
def beside_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    assert command_line(shlex.split(command)[1:]) == DONE, capsys.readouterr().err
    assert capsys.readouterr().out


@pytest.mark.parametrize(("call", "row"), CALLS, ids=[call for call, _ in CALLS])
def test_call(call: str, row: str) -> None:
    """`model` is the example that the row names."""
    named = re.search(r"examples/\w+\.yaml", row)
    names = {"eb": eb, "model": eb.load(ROOT / named[0]) if named else None}
    assert eval(call, names) is not None


def test_every_test_is_where_the_page_says() -> None:
    for file, case in re.findall(r"`([\w/]+\.py)::(test_\w+)", PAGE):
        path = ROOT / file if file.startswith("tests/") else ROOT / "tests" / "verification" / file
        assert path.exists(), file
        assert f"def {case}(" in path.read_text(), (file, case)


def test_every_row_has_its_call_or_says_where() -> None:
    for row in ROWS:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        if len(cells) >= 4 and not set(cells[0]) <= {"-"} and cells[0] not in ("section", "lecture"):
            assert "`" in cells[2] or "](" in cells[2], row
