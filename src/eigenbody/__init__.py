"""Exact linearization of multibody mechanisms: how they vibrate, whether they are stable, which parameter to change."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eigenbody.analyses.along import TimeVarying, along
    from eigenbody.analyses.frames import FrameModes, modes_in_frames
    from eigenbody.analyses.linearize import linearize
    from eigenbody.analyses.modes import Modes, modes
    from eigenbody.analyses.signals import fft, spectrogram
    from eigenbody.api import Model, load
    from eigenbody.errors import ComputationError, EigenbodyError, Fault, InputError
    from eigenbody.linearization.model import LinearModel
    from eigenbody.model.description import Function
    from eigenbody.operation.point import OperatingPoint
    from eigenbody.operation.reactions import Reactions, reactions
    from eigenbody.points.equilibrium import Equilibrium, equilibrium
    from eigenbody.points.find import operating_point
    from eigenbody.simulation.impulse import Impulse, impulse
    from eigenbody.simulation.inverse import InverseDynamics, inverse
    from eigenbody.simulation.laws import cycloid, harmonic, polynomial345
    from eigenbody.simulation.result import Simulation, SimulationError, SimulationInterrupted
    from eigenbody.simulation.run import simulate

__version__ = "0.1.0.dev0"

_HOME = {
    "load": "eigenbody.api",
    "Model": "eigenbody.api",
    "operating_point": "eigenbody.points.find",
    "equilibrium": "eigenbody.points.equilibrium",
    "Equilibrium": "eigenbody.points.equilibrium",
    "OperatingPoint": "eigenbody.operation.point",
    "linearize": "eigenbody.analyses.linearize",
    "LinearModel": "eigenbody.linearization.model",
    "modes": "eigenbody.analyses.modes",
    "Modes": "eigenbody.analyses.modes",
    "modes_in_frames": "eigenbody.analyses.frames",
    "FrameModes": "eigenbody.analyses.frames",
    "along": "eigenbody.analyses.along",
    "TimeVarying": "eigenbody.analyses.along",
    "reactions": "eigenbody.operation.reactions",
    "Reactions": "eigenbody.operation.reactions",
    "impulse": "eigenbody.simulation.impulse",
    "Impulse": "eigenbody.simulation.impulse",
    "inverse": "eigenbody.simulation.inverse",
    "InverseDynamics": "eigenbody.simulation.inverse",
    "cycloid": "eigenbody.simulation.laws",
    "polynomial345": "eigenbody.simulation.laws",
    "harmonic": "eigenbody.simulation.laws",
    "simulate": "eigenbody.simulation.run",
    "Simulation": "eigenbody.simulation.result",
    "SimulationError": "eigenbody.simulation.result",
    "SimulationInterrupted": "eigenbody.simulation.result",
    "fft": "eigenbody.analyses.signals",
    "spectrogram": "eigenbody.analyses.signals",
    "EigenbodyError": "eigenbody.errors",
    "InputError": "eigenbody.errors",
    "ComputationError": "eigenbody.errors",
    "Fault": "eigenbody.errors",
    "Function": "eigenbody.model.description",
}

__all__ = [
    "ComputationError", "EigenbodyError", "Equilibrium", "Fault", "FrameModes", "Function", "Impulse", "InputError",
    "InverseDynamics", "LinearModel", "Model", "Modes", "OperatingPoint", "Reactions", "Simulation",
    "SimulationError", "SimulationInterrupted", "TimeVarying", "__version__", "along", "cycloid", "equilibrium",
    "fft", "harmonic", "impulse", "inverse", "linearize", "load", "modes", "modes_in_frames", "operating_point",
    "polynomial345", "reactions", "simulate", "spectrogram",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'eigenbody' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
