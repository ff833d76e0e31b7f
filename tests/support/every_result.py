"""One result of every kind, of a small model: what all results can do is tested on these."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from tempfile import mkdtemp

import numpy as np

import eigenbody as eb
from eigenbody.analyses.verify.find import by_route
from eigenbody.base.result import Shown

ROOT = Path(__file__).parents[2]
SCRIPT = run_path(str(ROOT / "scripts" / "contract.py"))
MODEL = eb.load(SCRIPT["MODEL"])
ROTOR = eb.load(ROOT / "examples" / "rotor_stator.yaml")


def motion() -> eb.Simulation:
    return eb.simulate(MODEL, 0.01, points=16)


def updated() -> eb.Update:
    return eb.update(MODEL, SCRIPT["PROBLEM"]["variables"], {"frequencies": eb.modes(MODEL).frequency_hz})


def measured() -> eb.MeasuredModes:
    path = Path(mkdtemp()) / "modes.uff"
    eb.modes(MODEL).write(path)
    return eb.measured_modes(path)


def identified() -> eb.Identified:
    shaken = [float(x) for x in np.random.default_rng(1).normal(size=800)]
    times = [0.02 * k for k in range(800)]
    return eb.identify(eb.response(MODEL, eb.SampledInput(times, {"push": shaken}), outputs=["low", "high"]), order=10)


RESULTS: dict[str, Callable[[], Shown]] = {
    "point": lambda: eb.operating_point(MODEL),
    "linear": lambda: eb.linearize(MODEL),
    "sparse": lambda: eb.linearize(MODEL, solver="sparse"),
    "damped": lambda: eb.with_damping(eb.linearize(MODEL), proportional=(0.1, 0.1)),
    "damped sparse": lambda: eb.with_damping(eb.linearize(MODEL, solver="sparse"), proportional=(0.1, 0.1)),
    "structural": lambda: eb.with_damping(eb.linearize(MODEL), structural=0.1),
    "first order": lambda: eb.linearize(MODEL).in_first_order("momenta"),
    "fundamental": lambda: eb.fundamental(MODEL, [0.0, 0.1]),
    "by topology": lambda: eb.modes(MODEL, route="topology"),
    "dependents": lambda: eb.linearize(MODEL).dependents(["high"]),
    "modes": lambda: eb.modes(MODEL),
    "explained": lambda: eb.modes(MODEL).explain(),
    "frames": lambda: eb.modes_in_frames(ROTOR, "spin"),
    "sweep": lambda: eb.sweep(MODEL, "k", [90.0, 110.0]),
    "campbell": lambda: eb.campbell(ROTOR, "speed", [1.0, 2.0]),
    "frf": lambda: eb.frf(MODEL, frequencies_hz=[1.0, 2.0]),
    "frf map": lambda: eb.frf_map(MODEL, "k", [90.0, 110.0], frequencies_hz=[1.0, 2.0, 3.0]),
    "response": lambda: eb.response(MODEL, eb.StepInput({"push": 1.0}), times=(0.1, 3)),
    "psd": lambda: eb.psd(MODEL, eb.White(1.0), band_hz=(0, 9)),
    "sensitivity": lambda: eb.sensitivity(MODEL),
    "rms": lambda: eb.sensitivity(MODEL).rms("push", "y"),
    "tolerance": lambda: eb.tolerance(MODEL, {"k": "1%"}),
    "study": lambda: eb.study(MODEL, {"k": "1%"}, of=["frequency[1]"], points=4, workers=1),
    "optimum": lambda: eb.optimize(MODEL, SCRIPT["PROBLEM"]),
    "update": updated,
    "verification": lambda: eb.verify(MODEL, ["relative"]),
    "verifications": lambda: eb.verify_many({"one": MODEL, "other": MODEL}, ["relative"]),
    "route": lambda: by_route(MODEL, "relative"),
    "symbolic": lambda: eb.symbolic(MODEL),
    "measured": measured,
    "mac": lambda: eb.mac(MODEL),
    "truncated": lambda: eb.truncate(MODEL, 1),
    "identified": identified,
    "reduced": lambda: eb.reduce(MODEL, 2),
    "reduced second order": lambda: eb.reduce(MODEL, 1, method="second-order", static=False),
    "superelement": lambda: eb.superelement(MODEL, ["b"], n=1),
    "variants": lambda: eb.variants(MODEL, {"k": [90.0, 110.0]}),
    "stored": lambda: eb.variants(MODEL, {"k": [90.0, 110.0]}, store=mkdtemp()),
    "floquet": lambda: eb.floquet(ROTOR),
    "floquet sweep": lambda: eb.floquet_sweep(ROTOR, "speed", [1.0, 2.0]),
    "along": lambda: eb.along(motion()),
    "equilibrium": lambda: eb.equilibrium(MODEL),
    "reactions": lambda: eb.reactions(MODEL),
    "impulse": lambda: eb.impulse(MODEL, {"along": "low", "value": 1.0}),
    "inverse": lambda: eb.inverse(MODEL, {"low": "0", "high": "0"}, until=0.01, points=3),
    "simulation": motion,
    "spectrum": lambda: eb.fft(motion(), "low"),
    "spectrogram": lambda: eb.spectrogram(motion(), "low"),
    "inspection": lambda: eb.check(MODEL),
}
