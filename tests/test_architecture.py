"""Data flows one way: a module imports only from its own layer and the layers before it; modules stay small."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "eigenbody"
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = (
    "errors", "progress", "result", "batched", "spatial", "numerics", "model", "elements", "system", "dynamics",
    "operation", "linearization", "simulation", "points", "crosscheck", "analyses", "present", "api", "cli",
)  # fmt: skip
TOP = LAYERS.index("api")  # api.py and __init__.py: the calls a user makes, and the command line makes them too
DEPENDENCIES = {
    "numpy", "scipy", "threadpoolctl", "yaml", "pint", "typer", "rich", "matplotlib", "plotly", "pyarrow", "control",
    "sympy", "pyyeti", "numba",
}  # fmt: skip
ONLY_IN = {
    "pyarrow": ("present",), "control": ("linearization",), "matplotlib": ("present",), "rich": ("present", "cli"),
    "typer": ("cli",), "plotly": ("present",), "sympy": ("crosscheck",), "pyyeti": ("numerics",),
    "numba": ("simulation",),
}  # fmt: skip
INDEPENDENT = ("errors", "progress", "batched", "spatial", "numerics", "model", "crosscheck")
"""What the other routes may share with the main engine: the description of a model and general algebra."""
LONGEST = 400

every_module = pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))


class Import(NamedTuple):
    """One imported module: its dotted name, its line, whether inside a function, whether for type checkers alone."""

    name: str
    line: int
    lazy: bool
    typing_only: bool


def imports(tree: ast.Module) -> Iterator[Import]:
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
            elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                yield from walk(ast.Module(child.body, []), lazy, True)
                yield from walk(ast.Module(child.orelse, []), lazy, typing_only)
            else:
                inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                yield from walk(child, lazy or inside, typing_only)

    return walk(tree, False, False)


def layer_name(path: Path) -> str:
    """Its folder; of an analysis that is a folder of its own, the looks belong to `present`, the command to `cli`."""
    first, *rest = path.relative_to(PACKAGE).with_suffix("").parts
    if first == "analyses" and len(rest) > 1:
        return {"look": "present", "command": "cli"}.get(rest[-1], first)
    return {"__init__": "api", "__main__": "cli"}.get(first, first)


def layer_of_module(path: Path) -> int:
    return LAYERS.index(layer_name(path))


def layer_of_import(name: str) -> int:
    parts = name.split(".")
    return LAYERS.index(parts[1]) if len(parts) > 1 and parts[1] in LAYERS else TOP


@every_module
def test_module_is_in_a_known_layer(path: Path) -> None:
    name = layer_name(path)
    assert name in LAYERS, f"{name} is in no layer; add it to LAYERS where it belongs"


@every_module
def test_imports_go_one_way(path: Path) -> None:
    own = layer_of_module(path)
    wrong = []
    for item in imports(ast.parse(path.read_text())):
        if item.name.split(".")[0] != "eigenbody" or item.typing_only:
            continue
        other = layer_of_import(item.name)
        drawing_itself = item.lazy and LAYERS[other] == "present" and LAYERS[own] in ("result", "model")
        if other > own and not drawing_itself:
            wrong.append(f"line {item.line}: {LAYERS[own]} imports {item.name}")
    assert not wrong, "\n".join(wrong)


@every_module
def test_foreign_imports_are_declared_dependencies(path: Path) -> None:
    """Hence nothing from tests, examples or benchmarks either."""
    layer = LAYERS[layer_of_module(path)]
    for item in imports(ast.parse(path.read_text())):
        root = item.name.split(".")[0]
        assert root == "eigenbody" or root in sys.stdlib_module_names or root in DEPENDENCIES, (
            f"{root}, line {item.line}"
        )
        if root in ONLY_IN and not item.typing_only:
            assert layer in ONLY_IN[root], f"line {item.line}: {root} is for {' and '.join(ONLY_IN[root])} alone"


@pytest.mark.parametrize("path", sorted((PACKAGE / "crosscheck").rglob("*.py")), ids=lambda p: p.stem)
def test_other_routes_are_independent_of_the_engine(path: Path) -> None:
    """A route that shared dynamics, elements or the linearization would repeat their mistakes."""
    for item in imports(ast.parse(path.read_text())):
        parts = item.name.split(".")
        if parts[0] == "eigenbody":
            assert len(parts) > 1, f"line {item.line}: eigenbody itself"
            assert parts[1] in INDEPENDENT, f"line {item.line}: {item.name}"


@every_module
def test_module_is_short(path: Path) -> None:
    assert len(path.read_text().splitlines()) < LONGEST


def test_the_rules_bite() -> None:
    """The reader of imports sees what it must see."""
    text = """
from typing import TYPE_CHECKING
import numpy as np
from eigenbody import load
if TYPE_CHECKING:
    from eigenbody.cli import main
def f():
    from eigenbody.present.tables import Sheet
"""
    found = list(imports(ast.parse(text)))
    assert [(i.name, i.lazy, i.typing_only) for i in found] == [
        ("typing", False, False),
        ("numpy", False, False),
        ("eigenbody.load", False, False),
        ("eigenbody.cli", False, True),
        ("eigenbody.present.tables", True, False),
    ]
    assert layer_of_import("eigenbody.load") == TOP
    own_folder = {"__init__": "analyses", "helper": "analyses", "look": "present", "command": "cli"}
    assert {name: layer_name(PACKAGE / "analyses" / "new" / f"{name}.py") for name in own_folder} == own_folder
    assert layer_of_import("eigenbody.present.tables") < TOP < layer_of_import("eigenbody.cli")


@every_module
def test_private_names_stay_at_home(path: Path) -> None:
    """A name that another module needs is public."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("eigenbody"):
            private = [alias.name for alias in node.names if alias.name.startswith("_") and alias.name != "__version__"]
            assert not private, f"line {node.lineno}: {node.module}: {', '.join(private)}"
