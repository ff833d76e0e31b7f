"""Reports of the gallery on the site, where they have been made.

./run python scripts/make_gallery.py --reports build/reports makes them. Each has three megabytes and is not kept in the
repository. Without them the pages still say how to make them.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

REPORTS = Path(__file__).parents[1] / "build" / "reports"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the reports to the files of the site."""
    for path in sorted(REPORTS.glob("*.html")):
        files.append(File.generated(config, f"gallery/reports/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Link the report at the end of its page."""
    folder, _, name = page.file.src_uri.rpartition("/")
    report = f"reports/{name.removesuffix('.md')}.html"
    if folder != "gallery" or files.get_file_from_path(f"gallery/{report}") is None:
        return markdown
    return f"{markdown.rstrip()}\n\n[Open the report]({report}){{target=_blank}}\n"
