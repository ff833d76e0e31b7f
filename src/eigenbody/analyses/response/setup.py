"""What a time response starts from: its times, its method, its initial state, the rows of its outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eigenbody.analyses.linearize import Ports
from eigenbody.analyses.response.excitation import Excitation, HarmonicInput, PeriodicInput, SampledInput
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.linearization.model import LinearModel
from eigenbody.numerics.signals.recursion import distinct_steps

METHODS = ("exact", "trapezoid", "modal")
POINTS = 501
CHEAP = 500_000  # numbers of a trajectory that is refined for the sake of its energies


def times_of(excitation: Excitation, times: float | tuple[float, int] | None) -> np.ndarray:
    """The times, equidistant but for those of samples."""
    first = float(excitation.times[0]) if isinstance(excitation, SampledInput) else 0.0
    if times is None:
        if isinstance(excitation, SampledInput):
            return np.array(excitation.times)
        raise InputError(Fault("times", "the end of the response is missing.", "Give the end and a number of points."))
    end, points = times if isinstance(times, tuple | list) else (times, POINTS)
    if not (np.isfinite(end) and end > first):
        what = f"the end {end:g} s does not come after the start {first:g} s."
        raise InputError(Fault("times", what, "Give a positive end in seconds."))
    if int(points) != points or points < 2:
        raise InputError(Fault("points", f"{points} points make no response.", "Ask for at least two."))
    if isinstance(excitation, SampledInput) and end > excitation.times[-1] * (1 + 1e-12):
        what = f"the samples end at {excitation.times[-1]:g} s, before the end {end:g} s."
        raise InputError(Fault("times", what, "End with them, or add a sample at the end."))
    if excitation.at > end:
        raise InputError(Fault("at", f"the {excitation.kind} at {excitation.at:g} s comes after the end {end:g} s."))
    return np.linspace(first, float(end), int(points))


def method_of(found: Ports, method: str | None) -> str:
    """The method, by default the one that fits."""
    is_large = found.linear.is_sparse
    if method is None:
        return "trapezoid" if is_large else "exact"
    if method not in METHODS:
        raise InputError(Fault("method", f'"{method}" is not known.', f"Known: {', '.join(METHODS)}."))
    if is_large and method != "trapezoid":
        what = f"the {method} method needs dense matrices, which a model of {found.linear.dof} freedoms does not have."
        raise InputError(Fault("method", what, 'Use "trapezoid", or force solver dense.'))
    return method


def finer(A: np.ndarray, times: np.ndarray, excitation: Excitation) -> int:
    """Into how many parts to split each interval so that the energies, of fourth order, are integrated well: the
    fastest motion in steps of a quarter radian, as far as that is cheap."""
    if len(times) < 2 or len(distinct_steps(times)[0]) > 1:
        return 1
    fastest, numbers = float(np.abs(np.linalg.eigvals(A)).max(initial=0.0)), max(1, len(A))
    if isinstance(excitation, HarmonicInput | PeriodicInput):
        omega = excitation.lines().omega
        fastest, numbers = max(fastest, float(omega.max(initial=0.0))), numbers + 4 * len(omega)
    wanted = np.ceil(fastest * (times[-1] - times[0]) / (len(times) - 1) / 0.25)
    return int(np.clip(wanted, 1, max(1, CHEAP // (len(times) * numbers))))


def start_state(linear: LinearModel, initial: Mapping[str, float]) -> np.ndarray:
    """The linear state [S, W, x] from deviations by name."""
    x0, faults = np.zeros(len(linear.states)), []
    for name, value in initial.items():
        own = _own_name(linear, name)
        if own is None:
            what = f'"{name}" is no coordinate, rate or state of the linear model.'
            hint = suggest(name, linear.states)
            faults.append(Fault("initial", what, f"{hint} Measures become coordinates under `coordinates:`."))
        elif not np.isfinite(value):
            faults.append(Fault("initial", f'"{name}" = {value} is not a finite number.'))
        else:
            x0[linear.states.index(own)] = value
    if faults:
        raise InputError(faults)
    return x0


def _own_name(linear: LinearModel, name: str) -> str | None:
    """The state of that name, or of the coordinate of which it is another name."""
    if name in linear.states:
        return name
    system = linear.point.system
    plain = name.rstrip("'")
    if plain in system.aliases:
        own = system.names[system.aliases[plain]] + name[len(plain) :]
        return own if own in linear.states else None
    return None


def readout(linear: LinearModel, found: Ports) -> tuple[tuple[str, ...], tuple[str, ...], Any, np.ndarray]:
    """Names, units and rows C, D of the outputs; the coordinates where a linear model has none."""
    columns, rows = list(found.inputs), list(found.outputs)
    if rows and linear.is_sparse:
        form = linear.descriptor
        D = form.D.tocsr()[rows][:, columns].toarray()
        return found.output_names, found.output_units, form.C.tocsr()[rows], D
    if rows:
        space = linear.state_space
        return found.output_names, found.output_units, space.C[rows], space.D[rows][:, columns]
    if linear.is_sparse:
        raise InputError(Fault("outputs", "a large linear model without outputs shows nothing.", "Name outputs."))
    n = len(linear.coordinates)
    return linear.coordinates, linear.units.states[:n], np.eye(n, len(linear.states)), np.zeros((n, len(columns)))
