"""The gallery is complete and true: a page for every example, and every number on it is what the product prints now."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
GALLERY = ROOT / "docs" / "gallery"
PICTURES = ROOT / "docs" / "images" / "gallery"
PAGES = {path.stem: path for path in sorted(GALLERY.glob("*.md")) if path.stem != "index"}
ENDINGS = (".yaml", ".py", ".urdf", ".xml")  # spatial_four_bar.adm is the linkage of four_bar.yaml once more
LONG = {"helicopter_blade", "two_disc_rotor"}
transcripts = SimpleNamespace(**runpy.run_path(str(ROOT / "scripts" / "transcripts.py")))
every_page = pytest.mark.parametrize("name", PAGES)


def test_every_example_has_a_page() -> None:
    examples = {path.stem for path in (ROOT / "examples").iterdir() if path.suffix in ENDINGS}
    assert set(PAGES) == examples


@every_page
def test_page_is_complete(name: str) -> None:
    text = PAGES[name].read_text()
    assert f"](../images/gallery/{name}.png)" in text
    assert (PICTURES / f"{name}.png").stat().st_size > 5000
    assert (PICTURES / "thumbs" / f"{name}.png").stat().st_size > 1000
    assert re.search(rf"`examples/{name}\.(yaml|py|urdf|xml)`", text)
    checks, _, report = text.partition("## How the numbers are checked")[2].partition("## Report")
    assert "report" in report
    assert re.search(r"tests/[\w/]+\.py::test_\w+", checks)
    for file, case in re.findall(r"(tests/[\w/]+\.py)::(test_\w+)", text):
        assert f"def {case}(" in (ROOT / file).read_text(), (file, case)
    for example in re.findall(r"::test_example\[([^\]]+)\]", text):
        assert (ROOT / "examples" / example).exists()


@every_page
def test_every_output_has_its_command(name: str) -> None:
    text = PAGES[name].read_text()
    blocks = re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert blocks
    assert all(block.startswith("$ ") for block in blocks)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] if n in LONG else []) for n in PAGES])
def test_commands_print_what_the_page_says(name: str) -> None:
    for entry in transcripts.read(PAGES[name].read_text()):
        seen = transcripts.run(entry.command)
        assert transcripts.agree(entry.output, seen), f"{entry.command}\n{seen}\nmake it anew: scripts/make_gallery.py"


@pytest.mark.slow
@every_page
def test_report_of_the_page(name: str) -> None:
    report = PAGES[name].read_text().partition("## Report")[2]
    commands = [c for c in re.findall(r"`([^`]+)`", report) if c.startswith(("eigenbody ", "python "))]
    assert commands or "eb.report(" in report
    for command in commands:
        written = json.loads(transcripts.run(f"{command} --json"))
        assert written["modes"] > 0
        assert written["bytes"] > 1e6


def test_index_shows_every_page_once() -> None:
    text = (GALLERY / "index.md").read_text()
    assert sorted(re.findall(r"\[\*\*.*?\*\*\]\((\w+)\.md\)", text)) == sorted(PAGES)
    assert sorted(re.findall(r"thumbs/(\w+)\.png", text)) == sorted(PAGES)
    for name, page in PAGES.items():
        title = page.read_text().splitlines()[0].removeprefix("# ")
        assert f"[**{title}**]({name}.md)" in text


def test_pictures_have_pages() -> None:
    assert {path.stem for path in PICTURES.rglob("*.png")} == set(PAGES)


def test_other_numbers_and_words_are_noticed() -> None:
    shown = "#  Hz\n-  -------\n1  1.23456  -3.6e-15  forward"
    assert transcripts.agree(shown, "#  Hz\n-  ------\n1  1.23457  2e-16 forward")
    assert not transcripts.agree(shown, shown.replace("1.23456", "1.23466"))
    assert not transcripts.agree(shown, shown.replace("forward", "backward"))
    assert not transcripts.agree(shown, shown + " more")
