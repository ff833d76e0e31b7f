"""When the compiled loops (`compiled`, extra `fast`) are loaded: as soon as simulating without them has taken as long
as loading them does. That is about a second, and ten once after the installation, when Numba has to compile them.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from eigenbody.errors import Fault, InputError
from eigenbody.progress import report

LOADING, COMPILING = 1.0, 10.0  # seconds that it takes, about

_compiled: ModuleType | None = None
_allowed = os.environ.get("EIGENBODY_COMPILED") != "0"  # to load them unasked
_missing = find_spec("numba") is None
_spent = 0.0  # seconds of simulation in this process without them


def compiled() -> ModuleType | None:
    """The compiled loops where they are loaded."""
    return _compiled


def prepare(wanted: bool | None) -> None:
    """Before a run: load them if they are wanted, put them away if they are not; None leaves it to `after`."""
    global _compiled
    if wanted and not load():
        what, remedy = "the compiled loops need Numba.", "Install it: pip install 'eigenbody[fast]'."
        raise InputError(Fault("compiled", what, remedy))
    if wanted is False:
        _compiled = None


def after(seconds: float) -> None:
    """A run without them has gone on for these seconds: load them if that pays."""
    if _allowed and not _missing and _compiled is None and _spent + seconds > (LOADING if _are_known() else COMPILING):
        load()


def took(seconds: float) -> None:
    """A run has ended that was without them for these seconds."""
    global _spent
    _spent += seconds


def load() -> bool:
    """Load them, compiling them where that has not been done; whether they are there."""
    global _compiled, _missing
    if _compiled is None and not _missing:
        report("loading the compiled loops")
        try:
            from eigenbody.simulation import compiled as loops
        except ImportError:  # not installed, or for another version of NumPy: everything works without
            _missing = True
        else:
            _compiled = loops
    return _compiled is not None


def _are_known() -> bool:
    """Whether Numba has them on disk."""
    return any((Path(__file__).parent / "__pycache__").glob("compiled.*.nbi"))
