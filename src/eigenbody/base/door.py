"""Names of a package that are imported when they are first asked for."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def later(package: str) -> Callable[[str], Any]:
    """`__getattr__` of a package for the names that its file imports for type checkers only."""
    module = sys.modules[package]
    homes: dict[str, str] = {}

    def attribute(name: str) -> Any:
        if not homes:
            homes.update(imported_for_types(Path(str(module.__file__)).read_text(encoding="utf-8")))
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(homes[name]), name)
        setattr(module, name, value)
        return value

    return attribute


def imported_for_types(source: str) -> dict[str, str]:
    """Names imported under `if TYPE_CHECKING:` and the modules that have them."""
    blocks = (
        s.body for s in ast.parse(source).body if isinstance(s, ast.If) and ast.unparse(s.test) == "TYPE_CHECKING"
    )
    imports = (s for body in blocks for s in body if isinstance(s, ast.ImportFrom))
    return {alias.name: str(s.module) for s in imports for alias in s.names}
