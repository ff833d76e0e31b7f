"""Exact linearization of multibody mechanisms: how they vibrate, whether they are stable, which parameter to change."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eigenbody.analyses.along import TimeVarying, along
    from eigenbody.analyses.campbell import Campbell, campbell
    from eigenbody.analyses.comfort import total_value, weighted_history, weighting
    from eigenbody.analyses.derivatives import Derivatives, derivatives
    from eigenbody.analyses.excitation import HarmonicInput, ImpulseInput, PeriodicInput, SampledInput, StepInput
    from eigenbody.analyses.explain import Explanation, explain
    from eigenbody.analyses.frames import FrameModes, modes_in_frames
    from eigenbody.analyses.frf import FrequencyResponse, frf
    from eigenbody.analyses.linearize import linearize
    from eigenbody.analyses.mac import Mac, mac
    from eigenbody.analyses.modal import with_damping
    from eigenbody.analyses.modes import Modes, modes
    from eigenbody.analyses.optimize import optimize
    from eigenbody.analyses.optimum import Optimum
    from eigenbody.analyses.random_result import RandomResponse
    from eigenbody.analyses.random_vibration import psd
    from eigenbody.analyses.response import TimeResponse, fundamental_matrix, response
    from eigenbody.analyses.roads import Road
    from eigenbody.analyses.sensitivity import Sensitivity, sensitivity
    from eigenbody.analyses.signals import fft, spectrogram
    from eigenbody.analyses.spectra_in import Drive, Shaped, Tabulated, White
    from eigenbody.analyses.sweep import Sweep, SweepInterrupted, sweep
    from eigenbody.analyses.tolerance import Tolerance, tolerance
    from eigenbody.analyses.truncate import TruncatedModel, truncate
    from eigenbody.analyses.updating import Update, update
    from eigenbody.analyses.variants import VariantModes, variants
    from eigenbody.analyses.verify import Verification, verify
    from eigenbody.api import Model, load
    from eigenbody.errors import ComputationError, EigenbodyError, Fault, InputError
    from eigenbody.linearization.model import LinearModel
    from eigenbody.model.description import Function
    from eigenbody.operation.point import OperatingPoint
    from eigenbody.operation.reactions import Reactions
    from eigenbody.points.equilibrium import Equilibrium, equilibrium
    from eigenbody.points.find import operating_point
    from eigenbody.points.impulse import impulse
    from eigenbody.points.reactions import reactions
    from eigenbody.present.report.build import figure, report
    from eigenbody.simulation.impulse import Impulse
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
    "explain": "eigenbody.analyses.explain",
    "Explanation": "eigenbody.analyses.explain",
    "mac": "eigenbody.analyses.mac",
    "Mac": "eigenbody.analyses.mac",
    "with_damping": "eigenbody.analyses.modal",
    "truncate": "eigenbody.analyses.truncate",
    "TruncatedModel": "eigenbody.analyses.truncate",
    "frf": "eigenbody.analyses.frf",
    "FrequencyResponse": "eigenbody.analyses.frf",
    "optimize": "eigenbody.analyses.optimize",
    "Optimum": "eigenbody.analyses.optimum",
    "tolerance": "eigenbody.analyses.tolerance",
    "Tolerance": "eigenbody.analyses.tolerance",
    "update": "eigenbody.analyses.updating",
    "Update": "eigenbody.analyses.updating",
    "sensitivity": "eigenbody.analyses.sensitivity",
    "Sensitivity": "eigenbody.analyses.sensitivity",
    "derivatives": "eigenbody.analyses.derivatives",
    "Derivatives": "eigenbody.analyses.derivatives",
    "variants": "eigenbody.analyses.variants",
    "VariantModes": "eigenbody.analyses.variants",
    "verify": "eigenbody.analyses.verify",
    "Verification": "eigenbody.analyses.verify",
    "along": "eigenbody.analyses.along",
    "TimeVarying": "eigenbody.analyses.along",
    "campbell": "eigenbody.analyses.campbell",
    "Campbell": "eigenbody.analyses.campbell",
    "sweep": "eigenbody.analyses.sweep",
    "Sweep": "eigenbody.analyses.sweep",
    "SweepInterrupted": "eigenbody.analyses.sweep",
    "reactions": "eigenbody.points.reactions",
    "Reactions": "eigenbody.operation.reactions",
    "impulse": "eigenbody.points.impulse",
    "Impulse": "eigenbody.simulation.impulse",
    "inverse": "eigenbody.simulation.inverse",
    "InverseDynamics": "eigenbody.simulation.inverse",
    "cycloid": "eigenbody.simulation.laws",
    "polynomial345": "eigenbody.simulation.laws",
    "harmonic": "eigenbody.simulation.laws",
    "report": "eigenbody.present.report.build",
    "figure": "eigenbody.present.report.build",
    "simulate": "eigenbody.simulation.run",
    "Simulation": "eigenbody.simulation.result",
    "SimulationError": "eigenbody.simulation.result",
    "SimulationInterrupted": "eigenbody.simulation.result",
    "response": "eigenbody.analyses.response",
    "TimeResponse": "eigenbody.analyses.response",
    "fundamental_matrix": "eigenbody.analyses.response",
    "StepInput": "eigenbody.analyses.excitation",
    "ImpulseInput": "eigenbody.analyses.excitation",
    "HarmonicInput": "eigenbody.analyses.excitation",
    "PeriodicInput": "eigenbody.analyses.excitation",
    "SampledInput": "eigenbody.analyses.excitation",
    "psd": "eigenbody.analyses.random_vibration",
    "RandomResponse": "eigenbody.analyses.random_result",
    "Road": "eigenbody.analyses.roads",
    "White": "eigenbody.analyses.spectra_in",
    "Tabulated": "eigenbody.analyses.spectra_in",
    "Shaped": "eigenbody.analyses.spectra_in",
    "Drive": "eigenbody.analyses.spectra_in",
    "weighting": "eigenbody.analyses.comfort",
    "weighted_history": "eigenbody.analyses.comfort",
    "total_value": "eigenbody.analyses.comfort",
    "fft": "eigenbody.analyses.signals",
    "spectrogram": "eigenbody.analyses.signals",
    "EigenbodyError": "eigenbody.errors",
    "InputError": "eigenbody.errors",
    "ComputationError": "eigenbody.errors",
    "Fault": "eigenbody.errors",
    "Function": "eigenbody.model.description",
}

__all__ = [
    "Campbell", "ComputationError", "Derivatives", "Drive", "EigenbodyError", "Equilibrium", "Explanation", "Fault",
    "FrameModes", "FrequencyResponse", "Function", "HarmonicInput", "Impulse", "ImpulseInput", "InputError",
    "InverseDynamics", "LinearModel", "Mac", "Model", "Modes", "OperatingPoint", "Optimum", "PeriodicInput",
    "RandomResponse", "Reactions", "Road", "SampledInput", "Sensitivity", "Shaped", "Simulation", "SimulationError",
    "SimulationInterrupted", "StepInput", "Sweep", "SweepInterrupted", "Tabulated", "TimeResponse", "TimeVarying",
    "Tolerance", "TruncatedModel", "Update", "VariantModes", "Verification", "White", "__version__", "along",
    "campbell", "cycloid", "derivatives", "equilibrium", "explain", "fft", "figure", "frf", "fundamental_matrix",
    "harmonic", "impulse", "inverse", "linearize", "load", "mac", "modes", "modes_in_frames", "operating_point",
    "optimize", "polynomial345", "psd", "reactions", "report", "response", "sensitivity", "simulate", "spectrogram",
    "sweep", "tolerance", "total_value", "truncate", "update", "variants", "verify", "weighted_history",
    "weighting", "with_damping",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'eigenbody' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value
