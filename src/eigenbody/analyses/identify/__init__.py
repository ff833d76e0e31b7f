"""Natural frequencies, damping and shapes from measured histories or frequency responses."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.identify.data import Data, data_of
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.numerics.signals.rational import fitted_poles, left_vectors, refined, residues
from eigenbody.numerics.signals.stabilization import STATUS, Diagram, diagram
from eigenbody.numerics.signals.subspace import Poles, observability, poles_by_order

ORDERS = {"time": 40, "frequency": 20}  # highest, unless another is asked for
FEWEST = {"time": 100, "frequency": 12}  # samples
DECAYED = 0.5  # of the root mean square in the first third: with less in the last one the record is a free decay


@dataclass(frozen=True, eq=False)
class Identified(Drawn, look="analyses.identify.look"):
    """Modes that were found in data, sorted by frequency.

    eigenvalues          (m,) complex, 1/s
    shapes               (m, outputs) complex, the largest component one
    frequency_deviation  (m,) Hz and `damping_deviation` (m,): how far they scatter over the orders. Noise that all of
                         them see comes on top; where outputs alone of a stationary vibration are known, they are at
                         least what the length of the record leaves open
    shares               (m,) in how many of the orders, from the first in which it came up, the mode was found again
    spurious             (k,) eigenvalues of what was found several times, but too seldom, or twice: no modes
    poles                every pole of every order: order, eigenvalue, status (0 new, 1 frequency, 2 damping, 3 stable:
                         up to which it agrees with the order before), mode (its number from 0 on, -1: of none)
    """

    name: str
    method: str
    outputs: tuple[str, ...]
    inputs: tuple[str, ...]
    eigenvalues: np.ndarray
    shapes: np.ndarray
    frequency_deviation: np.ndarray
    damping_deviation: np.ndarray
    shares: np.ndarray
    spurious: np.ndarray
    poles: Mapping[str, np.ndarray]
    spectrum: tuple[np.ndarray, np.ndarray]  # Hz, and how strongly all outputs answer there
    notes: tuple[str, ...]

    @property
    def frequency_hz(self) -> np.ndarray:
        """|eigenvalue| / 2 pi."""
        return np.abs(self.eigenvalues) / (2 * np.pi)

    @property
    def damping_ratio(self) -> np.ndarray:
        """-real / |eigenvalue|."""
        return -self.eigenvalues.real / np.abs(self.eigenvalues)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    def at(self, measures: Mapping[str, str] | None = None, modes: Sequence[int] | None = None) -> dict[str, Any]:
        """Frequencies and shapes for `update`: `measures` maps names of measures of a model to outputs (default:
        outputs are called like measures); `modes` are numbers from 1 on (default all)."""
        places = dict(measures) if measures is not None else {name: name for name in self.outputs}
        faults = [Fault(f"measures.{m}", f'there is no output "{y}".', suggest(y, self.outputs))
                  for m, y in places.items() if y not in self.outputs]  # fmt: skip
        numbers = list(range(1, len(self) + 1) if modes is None else modes)
        wrong = [str(n) for n in numbers if not 1 <= n <= len(self)]
        if wrong:
            faults.append(Fault("modes", f"there is no mode {', '.join(wrong)}.", f"They are 1 to {len(self)}."))
        if faults:
            raise InputError(faults)
        chosen = [n - 1 for n in numbers]
        columns = [self.outputs.index(y) for y in places.values()]
        data: dict[str, Any] = {"frequencies": self.frequency_hz[chosen]}
        return data | {"shapes": self.shapes[np.ix_(chosen, columns)], "measures": tuple(places)} if columns else data


@on_one_thread
def identify(
    data: str | os.PathLike[str] | Mapping[str, Any] | Any,
    inputs: str | Sequence[str] | None = None,
    outputs: str | Sequence[str] | None = None,
    order: int | None = None,
    band_hz: tuple[float, float] | None = None,
) -> Identified:
    """Find modes in histories (subspace identification) or frequency responses (poly-reference least squares).

    data     a .csv, .npz, .uff or .unv file, what `response` or `frf` gave, or a map {"t": times, name: values} or
             {"frequency_hz", "response" (frequencies, outputs, inputs), "outputs", "inputs"}
    inputs   names of the signals that are known excitations (histories); none: free decay or ambient vibration
    outputs  names of the others that are used (default: all)
    order    highest order that is tried: states of a history (default 40), powers of frequency responses (default 20)
    band_hz  modes below and above are left out, as are frequency responses there
    """
    known = data_of(data, inputs, outputs, band_hz)
    highest = ORDERS[known.over] if order is None else order
    if highest < 4:
        raise InputError(Fault("order", f"{highest} is too few to see what stays.", "Give at least 4."))
    if len(known.x) < FEWEST[known.over]:
        what = f"{len(known.x)} samples are too few."
        raise InputError(Fault("data", what, f"Measure at least {FEWEST[known.over]}."))
    report("identifying")
    found = _of_histories(known, highest) if known.over == "time" else _of_responses(known, highest)
    seen = diagram([_within(one, known.band) for one in found])
    return _result(known, seen)


def _of_histories(known: Data, highest: int) -> list[Poles]:
    count = known.outputs.shape[1]
    rows = max(-(-highest // count) + 1, min(40, len(known.x) // (8 * max(count, 1))))
    if 2 * rows * (count + known.inputs.shape[1]) + 2 * rows > len(known.x):
        what = f"{len(known.x)} samples are too few for order {highest} with {count} outputs."
        raise InputError(Fault("order", what, "Measure longer, or give a lower order."))
    size = np.maximum(known.outputs.std(axis=0), 1e-300)
    wide, strength = observability(
        known.outputs / size, known.inputs / np.maximum(known.inputs.std(axis=0), 1e-300), rows
    )
    dt = float((known.x[-1] - known.x[0]) / (len(known.x) - 1))
    orders = range(2, min(highest, wide.shape[1] - 1) + 1, 2)
    found = poles_by_order(wide, strength, count, dt, orders)
    return [one._replace(shapes=one.shapes * size) for one in found]


def _of_responses(known: Data, highest: int) -> list[Poles]:
    most = (len(known.x) - 1) // 2
    return list(fitted_poles(2 * np.pi * known.x, known.responses, range(2, min(highest, most) + 1)))


def _within(one: Poles, band: tuple[float, float]) -> Poles:
    """Without poles outside the band, and without those that grow."""
    hz = one.eigenvalues.imag / (2 * np.pi)
    own = (hz >= band[0]) & (hz <= band[1]) & (one.eigenvalues.real < 0)
    return Poles(one.order, one.eigenvalues[own], one.shapes[own], one.strengths[own])


def _result(known: Data, seen: Diagram) -> Identified:
    physical = [k for k, group in enumerate(seen.groups) if group.is_physical]
    groups = [seen.groups[k] for k in physical]
    if not groups:
        raise ComputationError(
            "No mode was found: no pole stays while the order grows. Measure longer, give a higher order, or look at"
            " the band where the structure answers."
        )
    values = np.array([group.eigenvalue for group in groups])
    shapes = np.array([group.shape for group in groups])
    if known.over == "frequency":
        omega = 2 * np.pi * known.x
        values = _kept_sane(refined(omega, known.responses, values), values)
        shapes = left_vectors(residues(omega, known.responses, values))
    hz_off = np.array([group.frequency_deviation for group in groups]) / (2 * np.pi)
    ratio_off = np.array([group.damping_deviation for group in groups])
    notes: list[str] = []
    if known.over == "time" and not known.inputs.shape[1] and not _decays(known.outputs):
        least = 1 / np.sqrt(np.abs(values.real) * (known.x[-1] - known.x[0]))
        ratio = -values.real / np.abs(values)
        hz_off, ratio_off = (
            np.maximum(hz_off, least * np.abs(values.real) / (2 * np.pi)),
            np.maximum(ratio_off, least * ratio),
        )
        notes.append(
            "Excitation is not known and does not decay: a record of this length leaves damping uncertain by"
            f" {100 * least.min():.2g} to {100 * least.max():.2g} %, whatever the method. Measure longer, or the input."
        )
    number = np.full(len(seen.groups) + 1, -1)
    number[physical] = np.arange(len(physical))
    poles = {"order": seen.order, "eigenvalue": seen.eigenvalue, "status": seen.status, "mode": number[seen.group]}
    spurious = np.array([group.eigenvalue for group in seen.groups if not group.is_physical], dtype=complex)
    return Identified(
        known.name, known.method, known.output_names, known.input_names, values, _unit(shapes), hz_off, ratio_off,
        np.array([group.share for group in groups]), spurious, poles, known.spectrum, tuple(notes),
    )  # fmt: skip


def _kept_sane(better: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Refined poles where these stayed near where they began and decay."""
    good = (better.real < 0) & (np.abs(better - start) < 2 * np.abs(start.real))
    return np.where(good, better, start)


def _decays(outputs: np.ndarray) -> bool:
    third = len(outputs) // 3
    first, last = (float(np.sqrt(np.mean((part / np.maximum(outputs.std(axis=0), 1e-300)) ** 2)))
                   for part in (outputs[:third], outputs[-third:]))  # fmt: skip
    return last < DECAYED * first


def _unit(shapes: np.ndarray) -> np.ndarray:
    """Scaled so that the largest component of each is one."""
    largest = shapes[np.arange(len(shapes)), np.abs(shapes).argmax(axis=1)]
    return shapes / np.where(largest != 0, largest, 1.0)[:, None]


__all__ = ("STATUS", "Identified", "identify")
