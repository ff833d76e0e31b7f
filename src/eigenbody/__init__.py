"""Exact linearization of multibody mechanisms: how they vibrate, whether they are stable, which parameter to change."""

from importlib import import_module

# All public names by the module that has them, imported when they are first used. A `$` marks what is a command too, in
# `command.py` of that folder, in the order in which the help lists them.
# `scripts/public_names.py` writes the list for editors and type checkers: `__init__.pyi`.
PUBLIC = {
    "analyses.modes": "Modes $modes",
    "analyses.linearize": "$linearize with_damping",
    "analyses.check": "Inspection $check",
    "operating.equilibrium": "Equilibrium $equilibrium",
    "simulation.inverse": "InverseDynamics $inverse",
    "operating.impulse": "$impulse",
    "simulation.run": "$simulate",
    "analyses.along": "TimeVarying $along",
    "analyses.fundamental": "Fundamental $fundamental",
    "analyses.response": "TimeResponse fundamental_matrix $response",
    "analyses.random": "RandomResponse $psd",
    "analyses.frequency": "FrequencyMap FrequencyResponse $frf frf_map",
    "analyses.sweep": "Campbell $campbell Sweep SweepInterrupted VariantModes sweep variants",
    "analyses.results": "$results StoredResults",
    "analyses.floquet": "Floquet $floquet FloquetSweep floquet_sweep",
    "analyses.sensitivity": "Derivatives derivatives Sensitivity $sensitivity",
    "analyses.compiled": "Evaluation Evaluator compiled",
    "analyses.design.tolerance": "Tolerance $tolerance",
    "analyses.design.study": "Study $study",
    "analyses.design.optimize": "Optimum $optimize",
    "analyses.reduce": "$reduce ReducedModel",
    "analyses.superelement": "$superelement Superelement",
    "analyses.identify": "Identified $identify",
    "analyses.verify": "RouteModel Verification Verifications Verified by_route $verify verify_many",
    "analyses.symbolic": "SymbolicModel symbolic",
    "analyses.report": "figure $report",
    "analyses.design.update": "Update update",
    "analyses.modes.explain": "Explanation explain",
    "analyses.modes.frames": "FrameModes modes_in_frames",
    "analyses.modes.alike": "Mac mac",
    "analyses.modes.measured": "MeasuredModes measured_modes",
    "analyses.modes.truncate": "TruncatedModel truncate",
    "analyses.random.comfort": "total_value weighted_history weighting",
    "analyses.random.drives": "Drive Shaped Tabulated White",
    "analyses.random.roads": "Road",
    "analyses.response.excitation": "HarmonicInput ImpulseInput PeriodicInput SampledInput StepInput",
    "analyses.response.spectra": "Spectrogram fft spectrogram",
    "api": "Model load",
    "analyses.convert": "$convert",
    "starters": "$new",
    "pages.studio": "$studio Studio",
    "pages.service": "$serve Service",
    "base.errors": "ComputationError EigenbodyError Fault InputError",
    "linearization.first_order": "FirstOrderModel",
    "linearization.model": "LinearModel",
    "linearization.point": "OperatingPoint",
    "loads.reactions": "Reactions",
    "model.description": "Function",
    "operating.find": "operating_point",
    "operating.reactions": "reactions",
    "simulation.impulse": "Impulse",
    "simulation.inverse.laws": "cycloid harmonic polynomial345",
    "simulation.result": "Simulation SimulationError SimulationInterrupted",
}
_HOME = {name: f"eigenbody.{module}" for module, names in PUBLIC.items() for name in names.replace("$", "").split()}

_HOME["__version__"] = "eigenbody.base.version"

__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'eigenbody' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
