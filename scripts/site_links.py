"""Links of the documentation to files outside its folder, and the pages of the gallery.

Pages link to files of the repository (`../examples/x.yaml`), so that they also work where the repository is read. Such
files become pages of the site, and the links to them are turned there.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
LANGUAGES = {
    ".yaml": "yaml",
    ".py": "python",
    ".json": "json",
    ".toml": "toml",
    ".csv": "text",
    ".txt": "text",
    ".sh": "sh",
}
FENCE = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<=\]\()([^)\s#]+)")
EXAMPLE = re.compile(r"(?<!\[)`(examples/[\w/]+\.(?:yaml|py))`(?!\])")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The gallery lists every page of its folder."""
    pages = sorted(path.relative_to(DOCS).as_posix() for path in (DOCS / "gallery").glob("*.md"))
    pages.sort(key=lambda name: name != "gallery/index.md")
    config.nav = [{"Gallery": pages} if entry == {"Gallery": "gallery/"} else entry for entry in config.nav or []]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the repository to which pages refer, and those to which these refer."""
    waiting = [Path(str(file.abs_src_path)) for file in files.documentation_pages()]
    seen: set[Path] = set()
    while waiting:
        source = waiting.pop()
        for target in targets(source) - seen:
            seen.add(target)
            files.append(as_site_file(target, config))
            if target.suffix == ".md":
                waiting.append(target)
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn links to files of the repository into links to their pages, and link examples that are named."""
    if page.parent is None:  # alone under its tab: nothing to list beside it
        page.meta.setdefault("hide", ["navigation"])
    source = page.file.abs_src_path
    if source is None:  # the text of an example
        return markdown
    here = os.path.dirname(page.file.src_uri)

    def turned(match: re.Match[str]) -> str:
        target = outside(Path(source), match[1])
        return match[1] if target is None else os.path.relpath(site_name(target), here or ".")

    def linked(match: re.Match[str]) -> str:
        target = ROOT / match[1]
        known = files.get_file_from_path(site_name(target))
        return f"[{match[0]}]({os.path.relpath(site_name(target), here or '.')})" if known else match[0]

    return outside_fences(lambda text: EXAMPLE.sub(linked, LINK.sub(turned, text)), markdown)


def outside_fences(change: Any, markdown: str) -> str:
    """The text with a change made everywhere but in fenced blocks."""
    done, start = [], 0
    for fence in FENCE.finditer(markdown):
        done += [change(markdown[start : fence.start()]), fence[0]]
        start = fence.end()
    return "".join([*done, change(markdown[start:])])


def outside(source: Path, link: str) -> Path | None:
    """The file of the repository outside docs/ to which a link of a page leads, if it does."""
    if re.match(r"[a-z]+:", link):
        return None
    target = Path(os.path.normpath(source.parent / link))
    inside = target.is_relative_to(DOCS) or not target.is_relative_to(ROOT)
    return None if inside and source.is_relative_to(DOCS) else target


def targets(source: Path) -> set[Path]:
    """Files outside docs/ to which a page refers, by links or by name."""
    text = FENCE.sub("", source.read_text(encoding="utf-8"))
    linked = {outside(source, link) for link in LINK.findall(text)}
    named = {ROOT / name for name in EXAMPLE.findall(text)}
    return {p for p in linked | named if p and p.is_file() and not p.is_relative_to(DOCS) and p != ROOT / "README.md"}


def site_name(target: Path) -> str:
    """Name of the page of a file, as MkDocs counts pages: from the folder of the documentation."""
    if target == ROOT / "README.md":
        return "index.md"
    if target.is_relative_to(DOCS):
        return target.relative_to(DOCS).as_posix()
    name = f"repository/{target.relative_to(ROOT).as_posix()}"  # a folder of its own: no page of the same name
    return f"{name}.md" if target.suffix in LANGUAGES else name


def as_site_file(target: Path, config: MkDocsConfig) -> File:
    """A file of the repository as a page, or as it is."""
    name = site_name(target)
    if target.suffix in LANGUAGES:
        text = target.read_text(encoding="utf-8").rstrip("\n")
        content = f"# {target.name}\n\n````{LANGUAGES[target.suffix]}\n{text}\n````\n"
        file = File.generated(config, name, content=content)
    else:
        file = File.generated(config, name, abs_src_path=str(target))
    file.inclusion = InclusionLevel.NOT_IN_NAV
    return file
