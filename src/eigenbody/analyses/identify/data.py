"""The data that modes are to be found in: which signals are inputs, which outputs, evenly spaced in time."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Result
from eigenbody.exchange.functions import functions_of, read_functions
from eigenbody.exchange.measured import Functions
from eigenbody.model.source import shown

EVEN = 1e-3  # of a step: as far may times be from even ones
GIVE = 'Give a file, a result of `response` or `frf`, or a map {"t": times, name: values}.'


@dataclass(frozen=True, eq=False)
class Data:
    """Histories: x (n,) in s, outputs (n, ny) and inputs (n, nu) about their means; or frequency responses: x in Hz,
    responses (n, ny, nu)."""

    name: str
    over: str
    x: np.ndarray
    output_names: tuple[str, ...]
    input_names: tuple[str, ...]
    outputs: np.ndarray
    inputs: np.ndarray
    responses: np.ndarray
    band: tuple[float, float]

    @property
    def method(self) -> str:
        """In words."""
        if self.over == "frequency":
            return "poly-reference least squares on frequency responses"
        return "subspace identification with inputs" if self.input_names else "stochastic subspace identification"

    @cached_property
    def spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """Hz, and how strongly all outputs answer there: the mean of the spectra, or of the magnitudes."""
        if self.over == "frequency":
            size = np.maximum(np.abs(self.responses).max(axis=0), 1e-300)
            return self.x, (np.abs(self.responses) / size).mean(axis=(1, 2))
        from scipy.signal import welch

        dt = float((self.x[-1] - self.x[0]) / (len(self.x) - 1))
        length = min(len(self.x), max(256, len(self.x) // 8))
        hz, power = welch(self.outputs / np.maximum(self.outputs.std(axis=0), 1e-300), 1 / dt, nperseg=length, axis=0)
        return hz[1:], np.sqrt(power.mean(axis=1))[1:]


def data_of(
    given: Any,
    inputs: str | Sequence[str] | None,
    outputs: str | Sequence[str] | None,
    band: tuple[float, float] | None,
) -> Data:
    """The data of a file, a result or a map."""
    found = _functions(given)
    limits = _band(found, band)
    u, y = ([name] if isinstance(name, str) else None if name is None else list(name) for name in (inputs, outputs))
    if found.over == "frequency":
        return _responses(found, u, y, limits)
    if u is None and hasattr(given, "input_names"):
        u = list(given.input_names)
    return _histories(found, u or [], y, limits)


def _functions(given: Any) -> Functions:
    if isinstance(given, str | os.PathLike):
        sets = read_functions(os.fspath(given))
        return max(sets, key=lambda one: one.values.size)
    if isinstance(given, Mapping):
        return functions_of(given)
    if isinstance(given, Result) and hasattr(given.look, "universal"):
        found = given.look.universal(given)[0]
        if isinstance(found, Functions):
            return found
    raise InputError(Fault("data", f"{shown(type(given).__name__)} is no measured data.", GIVE))


def _band(found: Functions, band: tuple[float, float] | None) -> tuple[float, float]:
    if found.over == "frequency":
        whole = float(found.x[0]), float(found.x[-1])
    else:
        whole = 0.0, 0.49 * (len(found.x) - 1) / float(found.x[-1] - found.x[0])
    if band is None:
        return whole
    low, high = band
    if not (np.isfinite([low, high]).all() and 0 <= low < high):
        raise InputError(Fault("band_hz", "two rising frequencies in Hz are expected.", "For example (0.5, 20)."))
    if low >= whole[1] or high <= whole[0]:
        raise InputError(Fault("band_hz", f"the data reach from {whole[0]:.4g} to {whole[1]:.4g} Hz."))
    return max(low, whole[0]), min(high, whole[1])


def _chosen(names: Sequence[str], known: Sequence[str], what: str) -> list[str]:
    faults = [
        Fault(what, f'there is no signal "{shown(name)}".', suggest(name, known)) for name in names if name not in known
    ]
    if faults:
        raise InputError(faults)
    return list(dict.fromkeys(names))


def _histories(found: Functions, inputs: list[str], outputs: list[str] | None, band: tuple[float, float]) -> Data:
    names = found.responses
    u = _chosen(inputs, names, "inputs")
    y = [n for n in names if n not in u] if outputs is None else _chosen(outputs, names, "outputs")
    if not y:
        raise InputError(Fault("outputs", "all signals are inputs: nothing answers.", "Name fewer inputs."))
    steps = np.diff(found.x)
    if np.abs(steps - steps.mean()).max(initial=0.0) > EVEN * steps.mean():
        what = f"the times are not even: steps from {steps.min():.4g} to {steps.max():.4g} s."
        raise InputError(Fault("data", what, "Interpolate to even times."))
    column = {name: found.values[:, k].real for k, name in enumerate(names)}

    def about(own: list[str]) -> np.ndarray:
        return np.column_stack([np.zeros((len(found.x), 0)), *(column[n] - column[n].mean() for n in own)])

    still = [n for n in y if not np.ptp(column[n]) > 0]
    if still:
        raise InputError(Fault("outputs", f"{', '.join(map(shown, still))} does not move.", "Leave it out."))
    return Data(found.name, "time", found.x, tuple(y), tuple(u), about(y), about(u), np.zeros((0, 0, 0)), band)


def _responses(
    found: Functions, inputs: list[str] | None, outputs: list[str] | None, band: tuple[float, float]
) -> Data:
    y, u = (list(dict.fromkeys(names)) for names in (found.responses, found.references))
    y = y if outputs is None else _chosen(outputs, y, "outputs")
    u = u if inputs is None else _chosen(inputs, u, "inputs")
    entry = {pair: k for k, pair in enumerate(zip(found.responses, found.references, strict=True))}
    lost = [f"{a} / {b}" for a in y for b in u if (a, b) not in entry]
    if lost:
        what = f"not every output was measured for every input: {', '.join(map(shown, lost[:5]))} is missing."
        raise InputError(Fault("data", what, "Choose inputs and outputs of which all are there."))
    own = (found.x >= band[0]) & (found.x <= band[1])
    H = np.stack([np.stack([found.values[own, entry[a, b]] for b in u], axis=1) for a in y], axis=1)
    none = np.zeros((0, 0))
    return Data(found.name, "frequency", found.x[own], tuple(y), tuple(u), none, none, H.astype(complex), band)
