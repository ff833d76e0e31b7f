"""Installed megabytes of eigenbody's dependencies: those it always has, and what each extra adds.

./run python scripts/sizes.py        a table for docs/install.md; counts what is installed in this environment
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def needed(requirements: list[str], seen: set[str]) -> set[str]:
    """Names of all distributions that the requirements bring, without those of extras of others."""
    for text in requirements:
        name = re.split(r"[\s\[<>=!~;(]", text.strip(), maxsplit=1)[0].lower()
        marker = text.partition(";")[2]
        if name in seen or "extra" in marker or name == "eigenbody":
            continue
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue  # of another system or version of Python
        seen.add(name)
        needed(list(found.requires or ()), seen)
    return seen


def megabytes(names: set[str]) -> float:
    """Size of all files of these distributions."""
    files = (file.locate() for name in names for file in distribution(name).files or ())
    return sum(Path(str(file)).stat().st_size for file in files if Path(str(file)).is_file()) / 1e6


def main() -> None:
    """Print the table."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    always = needed(project["dependencies"], set())
    print("| | packages | MB |\n|---|---|---|")
    print(f"| always | {len(always)} | {megabytes(always):.0f} |")
    for name, requirements in project["optional-dependencies"].items():
        more = needed(requirements, set()) - always
        print(f"| `{name}` | {len(more)} | {megabytes(more):.0f} |")


if __name__ == "__main__":
    main()
