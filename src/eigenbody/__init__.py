"""Exact linearization of multibody mechanisms: how they vibrate, whether they are stable, which parameter to change."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eigenbody.analyses.linearize import linearize
    from eigenbody.analyses.modes import Modes, modes
    from eigenbody.api import Model, load
    from eigenbody.errors import ComputationError, EigenbodyError, Fault, InputError
    from eigenbody.linearization.model import LinearModel
    from eigenbody.operation.point import OperatingPoint
    from eigenbody.points.find import operating_point

__version__ = "0.1.0.dev0"

_HOME = {
    "load": "eigenbody.api",
    "Model": "eigenbody.api",
    "operating_point": "eigenbody.points.find",
    "OperatingPoint": "eigenbody.operation.point",
    "linearize": "eigenbody.analyses.linearize",
    "LinearModel": "eigenbody.linearization.model",
    "modes": "eigenbody.analyses.modes",
    "Modes": "eigenbody.analyses.modes",
    "EigenbodyError": "eigenbody.errors",
    "InputError": "eigenbody.errors",
    "ComputationError": "eigenbody.errors",
    "Fault": "eigenbody.errors",
}

__all__ = [
    "ComputationError", "EigenbodyError", "Fault", "InputError", "LinearModel", "Model", "Modes", "OperatingPoint",
    "__version__", "linearize", "load", "modes", "operating_point",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'eigenbody' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
