"""What libraries import without need is imported when it is used.

SciPy takes over all names of NumPy, modules included: the reader of Fortran, the tools of tests, masked arrays. They,
and the modules of the standard library that they want, are a sixth of a short command.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader
from types import ModuleType

NAMED_ONLY = ("numpy.f2py", "numpy.testing", "numpy.ma")


class _Later(MetaPathFinder):
    """Finds these modules as Python does, and lets them run when something of theirs is used."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        found = PathFinder.find_spec(fullname, path, target) if fullname in NAMED_ONLY else None
        if found is not None and found.loader is not None:
            found.loader = LazyLoader(found.loader)
        return found


def import_on_use() -> None:
    """For a process of our own alone: others may use these modules in several threads at once."""
    sys.meta_path.insert(0, _Later())
