"""The source as modules, layers and imports, and the map of it in `docs/architecture.md`.

The page has the order of packages and of analyses; what each holds (its docstring) and what it uses is written from the
code. After a change: ./run python scripts/architecture.py
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "eigenbody"
PAGE = ROOT / "docs" / "architecture.md"
ROW = re.compile(r"^\| `([\w/]+)` \| .* \| .* \|$", re.MULTILINE)


def listed(heading: str) -> tuple[str, ...]:
    """Names in the first column of the table below a heading of the page, in their order."""
    return tuple(ROW.findall(_section(PAGE.read_text(encoding="utf-8"), heading)))


def _section(text: str, heading: str) -> str:
    return text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


LAYERS = listed("Packages")
SLICES = listed("Analyses")


class Module(NamedTuple):
    """A module by its path in the package, and what it says."""

    name: str
    text: str

    @property
    def tree(self) -> ast.Module:
        return parsed(self.text)

    @property
    def nodes(self) -> list[ast.AST]:
        return nodes(self.text)

    @property
    def imports(self) -> list[Import]:
        return imports(self.text)

    @property
    def layer(self) -> str:
        return layer_of(self.path)

    @property
    def slice(self) -> str | None:
        return slice_of(self.path)

    @property
    def path(self) -> list[str]:
        return self.name.removesuffix(".py").removesuffix("/__init__").split("/")

    @property
    def folder(self) -> str:
        """The folder of a look or a command, by its dotted name."""
        return "eigenbody." + ".".join(self.name.split("/look")[0].removesuffix("/command.py").split("/"))


class Import(NamedTuple):
    """One imported module: its dotted name, its line, whether inside a function, whether for type checkers alone."""

    name: str
    line: int
    lazy: bool
    typing_only: bool

    @property
    def is_own(self) -> bool:
        return self.path[0] == "eigenbody"

    @property
    def path(self) -> list[str]:
        return self.name.split(".")

    @property
    def layer(self) -> str:
        return layer_of(self.path[1:]) if self.path[1:2] and self.path[1] in LAYERS else "api"

    @property
    def slice(self) -> str | None:
        return slice_of(self.path[1:])


def layer_of(path: Sequence[str]) -> str:
    """The layer of a module: its first folder. Looks belong to `present`, commands to `cli`, wherever they are; the
    report is an analysis that presents."""
    if "look" in path:
        return "present"
    if path[-1] == "command":
        return "cli"
    if list(path[:2]) == ["analyses", "report"]:
        return "analyses/report"
    return {"__init__": "api", "__main__": "cli"}.get(path[0], path[0])


def slice_of(path: Sequence[str]) -> str | None:
    """The folder of `analyses` in which a module is."""
    return path[1] if len(path) > 1 and path[0] == "analyses" else None


@cache
def parsed(text: str) -> ast.Module:
    """The tree of a source text."""
    return ast.parse(text)


@cache
def modules() -> list[Module]:
    """All modules of the package."""
    return [Module(str(path.relative_to(PACKAGE)), path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))]


@cache
def nodes(text: str) -> list[ast.AST]:
    """Everything in the tree of a source text."""
    return list(ast.walk(parsed(text)))


def _is_for_checkers(test: ast.expr) -> bool:
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


@cache
def imports(text: str) -> list[Import]:
    """All imports of a module by the name of the module imported; `from eigenbody import x` counts as eigenbody.x."""

    def walk(node: ast.AST, lazy: bool, typing_only: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                yield from (Import(alias.name, child.lineno, lazy, typing_only) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"line {child.lineno}: relative import"
                base = child.module or ""
                names = [f"eigenbody.{alias.name}" for alias in child.names] if base == "eigenbody" else [base]
                yield from (Import(name, child.lineno, lazy, typing_only) for name in names)
            elif isinstance(child, ast.If) and _is_for_checkers(child.test):
                yield from walk(ast.Module(child.body, []), lazy, True)
                yield from walk(ast.Module(child.orelse, []), lazy, typing_only)
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                yield from walk(child, lazy or inside, typing_only)

    return list(walk(parsed(text), False, False))


# The map --------------------------------------------------------------------------------------------------------------
def page() -> str:
    """The page with its tables as the code has them."""
    text = PAGE.read_text(encoding="utf-8")
    used = [(module.layer, item.layer) for module, item in _used()]
    text = _with_rows(text, "Packages", LAYERS, "", used)
    entered = [(module.slice, item.slice) for module, item in _used() if module.layer.startswith("analyses")]
    return _with_rows(text, "Analyses", SLICES, "analyses/", entered)


def _used() -> Iterator[tuple[Module, Import]]:
    for module in modules():
        if module.name != "base/result.py":  # a result imports its looks when it is printed
            yield from ((module, item) for item in module.imports if item.is_own and not item.typing_only)


def _with_rows(text: str, heading: str, names: Sequence[str], at: str, used: Sequence[tuple[object, object]]) -> str:
    section = _section(text, heading)
    rows = "\n".join(f"| `{name}` | {_held(at + name)} | {_uses(name, names, used)} |" for name in names)
    begin, end = section.index("\n| `"), section.rindex(" |\n") + 2
    return text.replace(section, section[:begin] + "\n" + rows + section[end:])


def _held(name: str) -> str:
    """The first sentences of its docstring."""
    file = PACKAGE / name / "__init__.py"
    said = ast.get_docstring(parsed((file if file.exists() else PACKAGE / f"{name}.py").read_text()))
    assert said, name
    return " ".join(said.partition("\n\n")[0].split())


def _uses(name: str, names: Sequence[str], used: Sequence[tuple[object, object]]) -> str:
    others = {other for own, other in used if own == name and other != name}
    return ", ".join(f"`{other}`" for other in names if other in others)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
