"""Every public analysis of one small mechanism, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import eigenbody as eb

PENDULUM = {
    "eigenbody": 1,
    "parameters": {"k": 3.0},
    "gravity": [0, 0, -9.81],
    "bodies": {"bob": {"mass": 2, "inertia": [0.1, 0.2, 0.1], "at": [0, 0, -1]},
               "load": {"mass": 0.5, "at": [0, 0, -1.4]}},
    "joints": {"pin": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]},
               "slide": {"type": "prismatic", "between": ["bob", "load"], "at": [0, 0, -1.4], "axis": [1, 0, 0]}},
    "forces": {"hold": {"type": "spring", "along": "slide", "k": "=20 * k", "c": 0.3},
               "oil": {"type": "damper", "along": "pin", "c": 0.2}},
    "frames": {"turn": {"about": [0, 0, 1], "rate": 0.2}},
    "inputs": {"push": {"along": "slide"}},
    "outputs": {"angle": {"measure": "pin"}},
    "operating_point": "equilibrium",
}  # fmt: skip
MEASURED = {"frequencies": [0.45, 1.9]}
VARIABLES = {"k": {"from": 1, "to": 10, "start": 3}}
BEST = {"variables": {"k": {"from": 1, "to": 10}}, "objective": {"maximize": {"frequency": {"mode": 1}}}}

ANALYSES: dict[str, Callable[[Any], Any]] = {
    "along": lambda x: eb.along(x, times=[0, 0.05, 0.1]),
    "by_route": lambda x: eb.by_route(x, "relative"),
    "campbell": lambda x: eb.campbell(x, "k", [2, 3], refine=0),
    "compiled": lambda x: eb.compiled(x, ["k"])(k=3.0),
    "derivatives": lambda x: eb.derivatives(x, ["k"]),
    "equilibrium": lambda x: eb.equilibrium(x),
    "explain": lambda x: eb.explain(x),
    "floquet": lambda x: eb.floquet(x, 0.5),
    "floquet_sweep": lambda x: eb.floquet_sweep(x, "k", [2.0, 3.0], 0.5),
    "frf": lambda x: eb.frf(x, "push", "angle", [0.3, 1.0]),
    "frf_map": lambda x: eb.frf_map(x, "k", [2.0, 3.0], "push", "angle", [0.3, 1.0]),
    "fundamental": lambda x: eb.fundamental(x, 0.2),
    "fundamental_matrix": lambda x: eb.fundamental_matrix(x, 0.2),
    "impulse": lambda x: eb.impulse(x, {"along": "pin", "value": 1}),
    "inverse": lambda x: eb.inverse(x, {"pin": "=0.1*t**2"}, until=0.1, points=3),
    "linearize": lambda x: eb.linearize(x),
    "mac": lambda x: eb.mac(x),
    "modes": lambda x: eb.modes(x),
    "modes_in_frames": lambda x: eb.modes_in_frames(x, "turn"),
    "operating_point": lambda x: eb.operating_point(x),
    "optimize": lambda x: eb.optimize(x, BEST),
    "psd": lambda x: eb.psd(x, eb.White(1.0), "push", "angle", (0.1, 5)),
    "reactions": lambda x: eb.reactions(x),
    "reduce": lambda x: eb.reduce(x, 2),
    "report": lambda x: eb.report(x, n=1, response=0),
    "response": lambda x: eb.response(x, eb.StepInput("push"), times=(1.0, 5), outputs="angle"),
    "sensitivity": lambda x: eb.sensitivity(x, "k"),
    "simulate": lambda x: eb.simulate(x, until=eb.operating_point(x).state.t + 0.1, points=5),
    "check": lambda x: eb.check(x),
    "study": lambda x: eb.study(x, {"k": "5 %"}, of=["frequency[1]"], points=4, workers=1),
    "superelement": lambda x: eb.superelement(x, ["bob"]),
    "sweep": lambda x: eb.sweep(x, "k", [2, 3], refine=0, boundaries=False),
    "symbolic": lambda x: eb.symbolic(x),
    "tolerance": lambda x: eb.tolerance(x, {"k": "5 %"}),
    "truncate": lambda x: eb.truncate(x, n=1),
    "update": lambda x: eb.update(x, VARIABLES, MEASURED),
    "variants": lambda x: eb.variants(x, {"k": [2.0, 3.0]}),
    "verify": lambda x: eb.verify(x, ["relative"]),
    "with_damping": lambda x: eb.with_damping(x, proportional=(0.1, 0)),
}
OTHERS = {
    "convert", "cycloid", "fft", "figure", "harmonic", "identify", "load", "measured_modes", "new", "polynomial345",
    "results", "serve", "spectrogram", "studio", "total_value", "verify_many", "weighted_history", "weighting",
}  # fmt: skip
"""Functions that analyse no mechanism: laws of motion, signals, pictures, weightings, files."""
