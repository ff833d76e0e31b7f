"""Packages whose names come when they are first asked for."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

import eigenbody
from eigenbody.base.door import imported_for_types, later

ROOT = Path(eigenbody.__file__).parent
LATE = [path for path in ROOT.rglob("__init__.py") if "later(__name__)" in path.read_text(encoding="utf-8")]


def test_there_are_such_packages() -> None:
    assert LATE


@pytest.mark.parametrize("path", LATE, ids=lambda path: path.parent.name)
def test_every_name_is_there_and_is_no_module_of_its_package(path: Path) -> None:
    """A module of that name would stand in its place as soon as somebody imports it."""
    package = import_module(".".join(("eigenbody", *path.parent.relative_to(ROOT).parts)))
    names = imported_for_types(path.read_text(encoding="utf-8"))
    assert names
    for name, home in names.items():
        assert getattr(package, name) is getattr(import_module(home), name)
        assert not (path.parent / f"{name}.py").exists()
        assert not (path.parent / name).exists()


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'eigenbody\.analyses\.modes' has no attribute 'nothing'"):
        later("eigenbody.analyses.modes")("nothing")
