"""Whether a run uses the compiled loops (`compiled`, extra `fast`): as it asks, else by the number of its steps.

The choice depends on the run alone, so that the same call gives the same digits whatever the process did before.
"""

from __future__ import annotations

import os
from types import ModuleType

from eigenbody.base.errors import Fault, InputError
from eigenbody.base.progress import report

MANY_STEPS = (
    5000  # each saves about half a millisecond; loading takes a second, compiling once after installation half a minute
)


def loops_for(steps: float, wanted: bool | None = None) -> ModuleType | None:
    """The compiled loops where a run wants them, or leaves it open (None) and has so many steps that they pay."""
    if wanted is None:
        wanted_unasked = steps >= MANY_STEPS and os.environ.get("EIGENBODY_COMPILED") != "0"
        return _loaded() if wanted_unasked else None
    if not wanted:
        return None
    if (loops := _loaded()) is None:
        what, remedy = "the compiled loops need Numba.", "Install it: pip install 'eigenbody[fast]'."
        raise InputError(Fault("compiled", what, remedy))
    return loops


def _loaded() -> ModuleType | None:
    """The loops, compiled where that has not been done."""
    report("loading the compiled loops")
    try:
        from eigenbody.simulation import compiled
    except ImportError:  # Numba is not installed, or for another version of NumPy: everything works without
        return None
    return compiled
