"""The documentation as a stranger meets it: the site builds, links lead somewhere, tutorial and recipes work."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest

import eigenbody as eb
from doc_pages import DOCS, ROOT, alike, blocks, follow, matches, shell, with_examples

TUTORIAL = DOCS / "first-steps.md"
RECIPES = sorted(set((DOCS / "how-to").glob("*.md")) - {DOCS / "how-to" / "index.md"})
OTHERS = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if page != TUTORIAL and page not in RECIPES and page.parent.name != "gallery"
]


# The site


class Targets(HTMLParser):
    """Links of a page and the places in it that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := found.get(key))}
        self.links |= {value for key in ("href", "src") if (value := found.get(key))}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with every warning an error."""
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, timeout=280)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def pages(site: Path) -> Iterator[tuple[Path, Targets]]:
    for file in sorted(site.rglob("*.html")):
        if file.name != "404.html":
            yield file, Targets(file.read_text(encoding="utf-8"))


def test_every_link_of_the_site_leads_to_a_page_and_a_place(site: Path) -> None:
    read = dict(pages(site))
    assert len(read) > len(list(DOCS.rglob("*.md")))  # examples are pages too
    lost = []
    for file, page in read.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("data:"):
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (
                parts.fragment and target in read and unquote(parts.fragment) not in read[target].anchors
            ):
                lost.append(f"{file.relative_to(site)}: {link}")
    assert not lost


def test_every_page_is_where_it_belongs(site: Path) -> None:
    """No page is covered by another one of the same address."""
    for page in DOCS.rglob("*.md"):
        place = page.relative_to(DOCS).with_suffix("")
        file = site / (place.parent if place.name == "index" else place) / "index.html"
        heading = re.search(r"^# (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
        shown = re.search(r"<h1[^>]*>(.*?)<a", file.read_text(encoding="utf-8"), re.DOTALL)
        assert heading is not None
        assert shown is not None
        assert html.unescape(re.sub("<.*?>", "", shown[1])) == heading[1].replace("`", ""), page


def test_the_site_fetches_nothing_from_elsewhere(site: Path) -> None:
    for file in site.rglob("*.html"):
        fetched = re.findall(
            r'<(?:script|link|img)[^>]*(?:src|href)="(https?:[^"]*)"', file.read_text(encoding="utf-8")
        )
        assert not fetched, file


def test_formulas_are_mathml(site: Path) -> None:
    text = (site / "theory" / "linearization" / "index.html").read_text(encoding="utf-8")
    assert text.count("<math") > 20
    assert "arithmatex" not in text
    assert 'mathvariant="bold' not in text  # which browsers ignore


def test_every_public_name_is_in_the_python_reference(site: Path) -> None:
    anchors = set().union(
        *(Targets(file.read_text(encoding="utf-8")).anchors for file in (site / "api").rglob("*.html"))
    )
    documented = {name for name in eb.__all__ if f"eigenbody.{name}" in anchors}
    assert documented == set(eb.__all__) - {"__version__"}
    index = (DOCS / "api" / "index.md").read_text(encoding="utf-8")
    assert not [name for name in documented if f"`{name}`" not in index]


def test_docstrings_with_columns_become_tables(site: Path) -> None:
    text = (site / "api" / "responses" / "index.html").read_text(encoding="utf-8")
    assert re.search(r"<td><code>refine</code></td>\s*<td>add points near resonances", text)


# Tutorial, recipes, commands; those of the gallery are in test_gallery_pages.py


def test_what_a_page_shows_must_be_what_came() -> None:
    seen = "head\n\n1  2.34567 Hz  stable\n2  [3.5, 0.1]\nend 4\n"
    assert matches(seen, seen)
    assert matches("head\n...\n", seen)
    assert matches("...\n1  2.34568 Hz stable\n...\nend 4\n", seen)
    assert matches("...\nend 4\n", seen)
    for wrong in (
        "head\n",
        "...\n1  2.34587 Hz stable\n...\n",
        "...\nend 4\n...\nhead\n",
        "1  2.34567 Hz  stable\n...\n",
        "...\n1\n...\n",
    ):
        assert not matches(wrong, seen), wrong


def test_tutorial_as_printed(tmp_path: Path) -> None:
    assert follow(TUTORIAL, tmp_path) == 7  # in an empty folder
    assert {"crane.yaml", "damping.png", "crane.html", "damping.py"} <= {path.name for path in tmp_path.iterdir()}


def recipes() -> Iterator[Any]:
    for page in RECIPES:
        marks = pytest.mark.slow if page.stem in ("place-a-frequency", "pick-a-bearing") else ()
        yield pytest.param(page, id=page.stem, marks=marks)


@pytest.mark.parametrize("page", list(recipes()))
def test_recipe_as_printed(page: Path, tmp_path: Path) -> None:
    shown = [block for block in blocks(page) if block.output is not None]
    assert follow(page, with_examples(tmp_path)) >= len(shown)
    assert len(shown) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("page", OTHERS, ids=lambda p: str(p.relative_to(DOCS)))
def test_commands_of_the_page(page: Path, tmp_path: Path) -> None:
    with_examples(tmp_path)
    for block in blocks(page):
        where = f"{page.name}, line {block.line}"
        if block.is_shell:
            seen = shell(block.text, tmp_path)
            assert block.output is None or matches(block.output, seen), f"{where}: {seen}"
        elif block.is_session:
            command, _, shown = block.text.removeprefix("$ ").partition("\n")
            assert alike(shown, shell(command, tmp_path)), where


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    """Models, Python and commands are run; the rest is output, usage, documents and formulas in plain text."""
    for page in DOCS.rglob("*.md"):
        for block in blocks(page):
            where = f"{page.relative_to(DOCS)}, line {block.line}"
            assert block.language in ("sh", "python", "yaml", "text", "json", "console", ""), where
            mentions = re.search(r"^(\$ )?(eigenbody|\./run) ", block.text, re.MULTILINE)
            run = block.is_shell or block.is_usage or block.is_session or block.language in ("python", "yaml")
            assert run or not mentions or block.language == "text", where


def options_of(command: Any) -> list[set[str]]:
    """Long options of a command: with each the one that switches it off."""
    options = [{*parameter.opts, *parameter.secondary_opts} for parameter in command.params]
    return [{name for name in names if name.startswith("--")} for names in options if "--help" not in names]


def test_usage_lines_have_every_option_and_no_other() -> None:
    from typer.main import get_command

    from eigenbody.cli.app import application

    group: Any = get_command(application())
    shown: dict[str, set[str]] = {name: set() for name in group.commands}
    for block in blocks(DOCS / "cli.md"):
        if block.is_usage:
            for line in re.sub(r"\n +", " ", block.text).splitlines():
                shown[line.split()[1]] |= set(re.findall(r"--[a-z][\w-]*", line))
    for name, command in group.commands.items():
        known = [names for names in options_of(command) if names]
        assert shown[name] <= set().union(*known), name
        missing = [names for names in known if not names & shown[name]]
        assert missing in ([], [{"--out"}]), name  # written -o


# A newcomer's path, literally


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository without anything that was built or installed."""
    folder = tmp_path_factory.mktemp("fresh") / "eigenbody"
    built = shutil.ignore_patterns(
        ".git", ".venv", ".*_cache", ".hypothesis", "__pycache__", "build", "dist", "*.egg-info"
    )
    return Path(shutil.copytree(ROOT, folder, ignore=built))


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_commands_of_the_readme_in_a_clean_copy(fresh: Path) -> None:
    text = (fresh / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\./run [^#\n]*|(?<=`)\./run \w[^`]*(?=`)", text, re.MULTILINE)
    assert len(commands) >= 5
    for command in commands:
        if command.split()[1] == "test":  # the suite that runs this: a part of it shows that the set-up works
            command = "./run test tests/test_architecture.py"
        shell(command, fresh)
    assert (fresh / "report.html").stat().st_size > 1e6
    assert (fresh / "slider.mat").is_file()


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_tutorial_from_installation_to_its_end(fresh: Path, tmp_path: Path) -> None:
    (install,) = [block for block in blocks(TUTORIAL) if block.title == "once"]
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    shell(install.text, fresh, HOME=str(home))
    assert follow(TUTORIAL, folder, path=home / "eigenbody-env" / "bin") == 7


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_wheel_in_a_clean_environment(fresh: Path, tmp_path: Path) -> None:
    shell(f"python -m pip wheel --quiet --no-deps --wheel-dir {tmp_path} .", fresh)
    (wheel,) = tmp_path.glob("eigenbody-*.whl")
    with zipfile.ZipFile(wheel) as content:
        packed = {name for name in content.namelist() if ".dist-info/" not in name}
    source = fresh / "src"
    assert packed == {path.relative_to(source).as_posix() for path in source.rglob("*") if path.is_file()}

    shell(f"python -m venv clean && clean/bin/pip install --quiet {wheel}", tmp_path)
    path = tmp_path / "clean" / "bin"
    assert eb.__version__ in shell("eigenbody --version", tmp_path, path)
    script = "\n".join(block.text for block in blocks(fresh / "README.md", "python"))
    (fresh / "readme.py").write_text(script, encoding="utf-8")
    assert "import eigenbody" in script
    shell("python readme.py", fresh, path)
