"""Exact linearization of multibody mechanisms: how they vibrate, whether they are stable, which parameter to change."""

from importlib import import_module

__version__ = "0.1.0.dev0"

# All public names by the module that has them, imported when they are first used. A `$` marks what is a command too, in
# `command.py` of that folder. `scripts/public_names.py` writes the list for editors and type checkers: `__init__.pyi`.
PUBLIC = {
    "analyses.along": "TimeVarying along",
    "analyses.campbell": "Campbell campbell",
    "analyses.comfort": "total_value weighted_history weighting",
    "analyses.derivatives": "Derivatives derivatives",
    "analyses.excitation": "HarmonicInput ImpulseInput PeriodicInput SampledInput StepInput",
    "analyses.explain": "Explanation explain",
    "analyses.frames": "FrameModes modes_in_frames",
    "analyses.frf": "FrequencyResponse frf",
    "analyses.linearize": "linearize",
    "analyses.mac": "Mac mac",
    "analyses.modal": "with_damping",
    "analyses.modes": "Modes modes",
    "analyses.optimize": "optimize",
    "analyses.optimum": "Optimum",
    "analyses.random_result": "RandomResponse",
    "analyses.random_vibration": "psd",
    "analyses.response": "TimeResponse fundamental_matrix response",
    "analyses.roads": "Road",
    "analyses.sensitivity": "Sensitivity sensitivity",
    "analyses.signals": "fft spectrogram",
    "analyses.spectra_in": "Drive Shaped Tabulated White",
    "analyses.sweep": "Sweep SweepInterrupted sweep",
    "analyses.tolerance": "Tolerance tolerance",
    "analyses.truncate": "TruncatedModel truncate",
    "analyses.updating": "Update update",
    "analyses.variants": "VariantModes variants",
    "analyses.verify": "Verification verify",
    "api": "Model load",
    "base.errors": "ComputationError EigenbodyError Fault InputError",
    "linearization.model": "LinearModel",
    "model.description": "Function",
    "linearization.point": "OperatingPoint",
    "loads.reactions": "Reactions",
    "operating.equilibrium": "Equilibrium equilibrium",
    "operating.find": "operating_point",
    "operating.impulse": "impulse",
    "operating.reactions": "reactions",
    "present.report.build": "figure report",
    "simulation.impulse": "Impulse",
    "simulation.inverse": "InverseDynamics inverse",
    "simulation.laws": "cycloid harmonic polynomial345",
    "simulation.result": "Simulation SimulationError SimulationInterrupted",
    "simulation.run": "simulate",
}
_HOME = {name: f"eigenbody.{module}" for module, names in PUBLIC.items() for name in names.replace("$", "").split()}

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'eigenbody' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
